//! Verification of the signatures of certificates, in the interface of webpki. Everything here is public: time depends on
//! the inputs.
//!
//! A signature is refused without a reason, as that interface has it.
//!
//! ```
//! use sigmill::ed25519::{Signer, SigningKey, rules};
//! use rustls_pki_types::SignatureVerificationAlgorithm;
//! use sigmill_envelope::x509::algorithms::Ed25519;
//!
//! let key = SigningKey::from_bytes(&[7; 32]);
//! let (public, signature) = (key.verifying_key().to_bytes(), key.sign(b"hello").to_bytes());
//! assert!(Ed25519(rules::STRICT).verify_signature(&public, b"hello", &signature).is_ok());
//! ```

use rustls_pki_types::{
    AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id,
};
use sigmill::ecdsa::{Curve, Encoding, LowS, Prehash, Scheme};
use sigmill::ed25519::{Rule, Variant, verify_bytes};

/// Ed25519 (RFC 8410) under a rule.
#[derive(Clone, Copy, Debug)]
pub struct Ed25519(pub Rule);

impl SignatureVerificationAlgorithm for Ed25519 {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let verdict = verify_bytes(&self.0, Variant::Pure, public_key, message, signature);
        verdict.ok().map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ED25519
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ED25519
    }
}

#[derive(Clone, Copy, Debug)]
struct Ecdsa {
    scheme: Scheme,
    public_key: AlgorithmIdentifier,
    signature: AlgorithmIdentifier,
}

impl Ecdsa {
    // s may be high, as FIPS 186-5 has it: certificates do not forbid it
    const fn new(
        curve: Curve,
        prehash: Prehash,
        public_key: AlgorithmIdentifier,
        signature: AlgorithmIdentifier,
    ) -> Self {
        let scheme = Scheme { curve, prehash, encoding: Encoding::Der, low_s: LowS::Any };
        Ecdsa { scheme, public_key, signature }
    }
}

impl SignatureVerificationAlgorithm for Ecdsa {
    /// The key is a point as SEC 1 encodes it, uncompressed or compressed (RFC 5480 section 2.2); the signature is DER,
    /// strictly (RFC 3279 section 2.2.3).
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        self.scheme.verify(public_key, message, signature).ok().map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.public_key
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.signature
    }
}

macro_rules! ecdsa_algorithms {
    ($($(#[$doc:meta])* $name:ident = $curve:ident $id:ident, $hash:ident $signature:ident;)*) => {
        $($(#[$doc])*
        pub static $name: &dyn SignatureVerificationAlgorithm =
            &Ecdsa::new(Curve::$curve, Prehash::$hash, alg_id::$id, alg_id::$signature);)*

        /// ECDSA, all of the above.
        pub static ECDSA: &[&dyn SignatureVerificationAlgorithm] = &[
            $(&Ecdsa::new(Curve::$curve, Prehash::$hash, alg_id::$id, alg_id::$signature),)*
        ];
    };
}

ecdsa_algorithms! {
    /// ECDSA on P-256 with SHA-256.
    ECDSA_P256_SHA256 = P256 ECDSA_P256, Sha256 ECDSA_SHA256;
    /// ECDSA on P-256 with SHA-384.
    ECDSA_P256_SHA384 = P256 ECDSA_P256, Sha384 ECDSA_SHA384;
    /// ECDSA on P-256 with SHA-512.
    ECDSA_P256_SHA512 = P256 ECDSA_P256, Sha512 ECDSA_SHA512;
    /// ECDSA on P-384 with SHA-256.
    ECDSA_P384_SHA256 = P384 ECDSA_P384, Sha256 ECDSA_SHA256;
    /// ECDSA on P-384 with SHA-384.
    ECDSA_P384_SHA384 = P384 ECDSA_P384, Sha384 ECDSA_SHA384;
    /// ECDSA on P-384 with SHA-512.
    ECDSA_P384_SHA512 = P384 ECDSA_P384, Sha512 ECDSA_SHA512;
}
