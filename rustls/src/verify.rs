//! Verification of signatures, for certificates (webpki) and handshakes. Everything here is public: time depends on the
//! inputs.
//!
//! A signature is refused without a reason, as webpki's interface has it; `sigmill explain` says why.
//!
//! ```
//! use sigmill::ed25519::{Signer, SigningKey};
//! use sigmill_rustls::verify;
//!
//! let key = SigningKey::from_bytes(&[7; 32]);
//! let (public, signature) = (key.verifying_key().to_bytes(), key.sign(b"hello").to_bytes());
//! assert!(verify::ED25519.verify_signature(&public, b"hello", &signature).is_ok());
//! ```

use rustls::SignatureScheme;
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::{
    AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id,
};
use sha2::{Digest, Sha256, Sha384, Sha512};
use sigmill::Verdict;
use sigmill::ecdsa::{LowS, p256, p384};
use sigmill::ed25519::{self, Rule, Variant, rules};
use webpki::ring as rsa;

/// The rule by which Ed25519 signatures are judged, in certificates and in handshakes: `strict`.
///
/// RFC 8410 asks for RFC 8032, which leaves open what is done with keys and R of small order and with the factor 8.
/// `strict` decides each of these as the one who relies on a certificate needs it: under a key of small order, which
/// nobody has by accident, one signature fits many messages, so that it proves nothing about a handshake. The equation
/// is exact, as it is in OpenSSL, BoringSSL, *ring* and Go: nothing is accepted here that they refuse, and no signature
/// that a key of full order makes as RFC 8032 says is refused.
pub const ED25519_RULE: Rule = rules::STRICT;

/// s of an ECDSA signature may be high, as FIPS 186-5 has it: certificates and TLS do not forbid it.
const LOW_S: LowS = LowS::Any;

/// Ed25519 (RFC 8410), judged by [`ED25519_RULE`].
pub static ED25519: &dyn SignatureVerificationAlgorithm = &Ed25519;

macro_rules! ecdsa_algorithms {
    ($($(#[$doc:meta])* $name:ident = $curve:ident, $hash:ident;)*) => {
        $($(#[$doc])*
        pub static $name: &dyn SignatureVerificationAlgorithm =
            &Ecdsa { curve: Curve::$curve, hash: Hash::$hash };)*
    };
}

ecdsa_algorithms! {
    /// ECDSA on P-256 with SHA-256.
    ECDSA_P256_SHA256 = P256, Sha256;
    /// ECDSA on P-256 with SHA-384.
    ECDSA_P256_SHA384 = P256, Sha384;
    /// ECDSA on P-256 with SHA-512.
    ECDSA_P256_SHA512 = P256, Sha512;
    /// ECDSA on P-384 with SHA-256.
    ECDSA_P384_SHA256 = P384, Sha256;
    /// ECDSA on P-384 with SHA-384.
    ECDSA_P384_SHA384 = P384, Sha384;
    /// ECDSA on P-384 with SHA-512.
    ECDSA_P384_SHA512 = P384, Sha512;
}

/// The signature algorithms of certificates and of the schemes of TLS: ours, and RSA of *ring*.
///
/// In TLS 1.3 a scheme names the curve, and only the first algorithm beside it counts; in TLS 1.2 it names the hash
/// alone (RFC 8446 section 4.2.3).
pub static SUPPORTED: WebPkiSupportedAlgorithms = WebPkiSupportedAlgorithms {
    all: &[
        ECDSA_P256_SHA256,
        ECDSA_P256_SHA384,
        ECDSA_P256_SHA512,
        ECDSA_P384_SHA256,
        ECDSA_P384_SHA384,
        ECDSA_P384_SHA512,
        ED25519,
        rsa::RSA_PSS_2048_8192_SHA256_LEGACY_KEY,
        rsa::RSA_PSS_2048_8192_SHA384_LEGACY_KEY,
        rsa::RSA_PSS_2048_8192_SHA512_LEGACY_KEY,
        rsa::RSA_PKCS1_2048_8192_SHA256,
        rsa::RSA_PKCS1_2048_8192_SHA384,
        rsa::RSA_PKCS1_2048_8192_SHA512,
        rsa::RSA_PKCS1_2048_8192_SHA256_ABSENT_PARAMS,
        rsa::RSA_PKCS1_2048_8192_SHA384_ABSENT_PARAMS,
        rsa::RSA_PKCS1_2048_8192_SHA512_ABSENT_PARAMS,
    ],
    mapping: &[
        (SignatureScheme::ECDSA_NISTP384_SHA384, &[ECDSA_P384_SHA384, ECDSA_P256_SHA384]),
        (SignatureScheme::ECDSA_NISTP256_SHA256, &[ECDSA_P256_SHA256, ECDSA_P384_SHA256]),
        (SignatureScheme::ED25519, &[ED25519]),
        (SignatureScheme::RSA_PSS_SHA512, &[rsa::RSA_PSS_2048_8192_SHA512_LEGACY_KEY]),
        (SignatureScheme::RSA_PSS_SHA384, &[rsa::RSA_PSS_2048_8192_SHA384_LEGACY_KEY]),
        (SignatureScheme::RSA_PSS_SHA256, &[rsa::RSA_PSS_2048_8192_SHA256_LEGACY_KEY]),
        (SignatureScheme::RSA_PKCS1_SHA512, &[rsa::RSA_PKCS1_2048_8192_SHA512]),
        (SignatureScheme::RSA_PKCS1_SHA384, &[rsa::RSA_PKCS1_2048_8192_SHA384]),
        (SignatureScheme::RSA_PKCS1_SHA256, &[rsa::RSA_PKCS1_2048_8192_SHA256]),
    ],
};

fn judged(verdict: Verdict) -> Result<(), InvalidSignature> {
    verdict.ok().map_err(|_| InvalidSignature)
}

#[derive(Debug)]
struct Ed25519;

impl SignatureVerificationAlgorithm for Ed25519 {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let pure = Variant::Pure;
        judged(ed25519::verify_bytes(&ED25519_RULE, pure, public_key, message, signature))
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ED25519
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ED25519
    }
}

#[derive(Clone, Copy, Debug)]
enum Curve {
    P256,
    P384,
}

#[derive(Clone, Copy, Debug)]
enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

#[derive(Debug)]
struct Ecdsa {
    curve: Curve,
    hash: Hash,
}

impl Curve {
    fn verify(self, key: &[u8], digest: &[u8], signature: &[u8]) -> Verdict {
        match self {
            Curve::P256 => p256::verify_digest_der_bytes(LOW_S, key, digest, signature),
            Curve::P384 => p384::verify_digest_der_bytes(LOW_S, key, digest, signature),
        }
    }
}

impl SignatureVerificationAlgorithm for Ecdsa {
    /// The key is a point as SEC1 encodes it, uncompressed or compressed (RFC 5480 section 2.2); the signature is DER,
    /// strictly (RFC 3279 section 2.2.3).
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let verify = |digest: &[u8]| judged(self.curve.verify(public_key, digest, signature));
        match self.hash {
            Hash::Sha256 => verify(&Sha256::digest(message)),
            Hash::Sha384 => verify(&Sha384::digest(message)),
            Hash::Sha512 => verify(&Sha512::digest(message)),
        }
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        match self.curve {
            Curve::P256 => alg_id::ECDSA_P256,
            Curve::P384 => alg_id::ECDSA_P384,
        }
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        match self.hash {
            Hash::Sha256 => alg_id::ECDSA_SHA256,
            Hash::Sha384 => alg_id::ECDSA_SHA384,
            Hash::Sha512 => alg_id::ECDSA_SHA512,
        }
    }
}
