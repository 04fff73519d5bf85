//! What the tests ask of a curve: the library, RustCrypto's crate and the slow reference, all in bytes.

pub(crate) use crate::random::Random;
use crate::reference;
use num_bigint::BigUint;
use p256::elliptic_curve::sec1::ToSec1Point;
use sha2::{Sha256, Sha384};
use sigmill::ecdsa::{BlockSizeUser, Digest, LowS};
use sigmill::{Error, Reason, Verdict};

pub(crate) trait Curve {
    const NAME: &'static str;
    /// Bytes of a scalar.
    const WIDTH: usize;
    /// The hash function of RFC 6979 where a digest is signed and none is named.
    type Hash: Digest + BlockSizeUser + Clone;

    fn reference() -> reference::Curve;

    /// The public key, SEC1 uncompressed.
    fn public_key(secret: &[u8]) -> Vec<u8>;
    fn sign_message(secret: &[u8], message: &[u8]) -> Vec<u8>;
    fn sign_with_hash<D: Digest + BlockSizeUser>(secret: &[u8], message: &[u8]) -> Vec<u8>;
    fn sign_hedged<D: Digest + BlockSizeUser>(
        secret: &[u8],
        noise: &[u8; 32],
        message: &[u8],
    ) -> Vec<u8>;
    fn sign_digest(secret: &[u8], digest: &[u8]) -> Result<Vec<u8>, Error>;
    fn sign_digest_with<D: Digest + BlockSizeUser>(
        secret: &[u8],
        digest: &[u8],
    ) -> Result<Vec<u8>, Error>;
    /// The verdict on bytes. Where key and signature can be made, they give the same one.
    fn verify(low_s: LowS, key: &[u8], digest: &[u8], signature: &[u8]) -> Verdict;
    /// The verdict over a signature in DER, which is that over its r and s.
    fn verify_der(low_s: LowS, key: &[u8], digest: &[u8], der: &[u8]) -> Verdict;
    /// r ‖ s of DER.
    fn parse_der(der: &[u8]) -> Result<Vec<u8>, Error>;
    fn key(bytes: &[u8]) -> Result<Vec<u8>, Error>;

    fn their_public_key(secret: &[u8]) -> Vec<u8>;
    /// With the hash function that their `sign_prehash` takes for the nonce.
    fn their_sign_digest(secret: &[u8], digest: &[u8]) -> Vec<u8>;
    fn their_sign_digest_with<D: Digest + BlockSizeUser>(
        secret: &[u8],
        digest: &[u8],
        additional: &[u8],
    ) -> Vec<u8>;
    fn they_accept(key: &[u8], digest: &[u8], signature: &[u8]) -> bool;
    fn they_accept_der(key: &[u8], digest: &[u8], der: &[u8]) -> bool;
    fn they_take_key(bytes: &[u8]) -> bool;

    /// Big-endian bytes as wide as a scalar.
    fn bytes(integer: &BigUint) -> Vec<u8> {
        let bytes = integer.to_bytes_be();
        let mut padded = vec![0; Self::WIDTH.checked_sub(bytes.len()).expect("it fits")];
        padded.extend(bytes);
        padded
    }

    /// r ‖ s.
    fn signature(r: &BigUint, s: &BigUint) -> Vec<u8> {
        [Self::bytes(r), Self::bytes(s)].concat()
    }

    /// r and s.
    fn split(signature: &[u8]) -> (BigUint, BigUint) {
        let (r, s) = signature.split_at(Self::WIDTH);
        (BigUint::from_bytes_be(r), BigUint::from_bytes_be(s))
    }

    /// SEC1 bytes, uncompressed, of a point other than infinity.
    fn sec1(point: &reference::Point) -> Vec<u8> {
        let (x, y) = point.as_ref().expect("not infinity");
        [vec![4], Self::bytes(x), Self::bytes(y)].concat()
    }
}

macro_rules! curve {
    ($type:ident, $module:ident, $crate_curve:ident, $name:literal, $width:literal, $hash:ident) => {
        pub(crate) struct $type;

        impl Curve for $type {
            const NAME: &'static str = $name;
            const WIDTH: usize = $width;
            type Hash = $hash;

            fn reference() -> reference::Curve {
                reference::$module()
            }

            fn public_key(secret: &[u8]) -> Vec<u8> {
                ours::$module(secret).verifying_key().to_sec1_bytes().to_vec()
            }

            fn sign_message(secret: &[u8], message: &[u8]) -> Vec<u8> {
                ours::$module(secret).sign_message(message).to_bytes().to_vec()
            }

            fn sign_with_hash<D: Digest + BlockSizeUser>(secret: &[u8], message: &[u8]) -> Vec<u8> {
                ours::$module(secret).sign_with_hash::<D>(message).to_bytes().to_vec()
            }

            fn sign_hedged<D: Digest + BlockSizeUser>(
                secret: &[u8],
                noise: &[u8; 32],
                message: &[u8],
            ) -> Vec<u8> {
                use sigmill::ecdsa::$module::SigningKey;
                let key = ours::$module(secret);
                let signature = key.sign_hedged_with_hash::<D>(noise, message);
                let (bytes, digest) = (key.to_bytes(), D::digest(message));
                let once = SigningKey::sign_digest_once::<D>(&bytes, Some(noise), &digest);
                assert_eq!(once, Ok(signature));
                signature.to_bytes().to_vec()
            }

            fn sign_digest(secret: &[u8], digest: &[u8]) -> Result<Vec<u8>, Error> {
                Ok(ours::$module(secret).sign_digest_bytes(digest)?.to_bytes().to_vec())
            }

            fn sign_digest_with<D: Digest + BlockSizeUser>(
                secret: &[u8],
                digest: &[u8],
            ) -> Result<Vec<u8>, Error> {
                use sigmill::ecdsa::$module::SigningKey;
                let key = ours::$module(secret);
                let signature = key.sign_digest_with_nonce_hash::<D>(digest);
                let once = SigningKey::sign_digest_once::<D>(&key.to_bytes(), None, digest);
                assert_eq!(once, signature);
                Ok(signature?.to_bytes().to_vec())
            }

            fn verify(low_s: LowS, key: &[u8], digest: &[u8], signature: &[u8]) -> Verdict {
                use sigmill::ecdsa::$module::{Signature, VerifyingKey, verify_digest_bytes};
                let verdict = verify_digest_bytes(low_s, key, digest, signature);
                let parsed = VerifyingKey::from_sec1_bytes(key)
                    .and_then(|key| Ok((key, Signature::from_slice(signature)?)));
                match parsed {
                    Ok((key, signature)) => {
                        assert_eq!(key.verify_digest_with(low_s, digest, &signature), verdict);
                    }
                    Err(error) => assert!(is_said_by(verdict, error), "{verdict}, but {error}"),
                }
                verdict
            }

            fn verify_der(low_s: LowS, key: &[u8], digest: &[u8], der: &[u8]) -> Verdict {
                use sigmill::ecdsa::$module::{Signature, verify_digest_der_bytes};
                let verdict = verify_digest_der_bytes(low_s, key, digest, der);
                match Signature::bytes_from_der(der) {
                    Ok(signature) => {
                        assert_eq!(Self::verify(low_s, key, digest, &signature), verdict);
                    }
                    Err(_) => assert_eq!(verdict, Verdict::Invalid(Reason::SignatureDer)),
                }
                verdict
            }

            fn parse_der(der: &[u8]) -> Result<Vec<u8>, Error> {
                let signature = sigmill::ecdsa::$module::Signature::from_der(der)?;
                // strict: one encoding each
                assert_eq!(signature.to_der().as_bytes(), der);
                Ok(signature.to_bytes().to_vec())
            }

            fn key(bytes: &[u8]) -> Result<Vec<u8>, Error> {
                let key = sigmill::ecdsa::$module::VerifyingKey::from_sec1_bytes(bytes)?;
                Ok(key.to_sec1_bytes().to_vec())
            }

            fn their_public_key(secret: &[u8]) -> Vec<u8> {
                let key = theirs::$module(secret);
                key.verifying_key().as_affine().to_sec1_point(false).as_bytes().to_vec()
            }

            fn their_sign_digest(secret: &[u8], digest: &[u8]) -> Vec<u8> {
                use $module::ecdsa::{Signature, signature::hazmat::PrehashSigner};
                let signature: Signature =
                    theirs::$module(secret).sign_prehash(digest).expect("it signs");
                signature.to_bytes().to_vec()
            }

            fn their_sign_digest_with<D: Digest + BlockSizeUser>(
                secret: &[u8],
                digest: &[u8],
                additional: &[u8],
            ) -> Vec<u8> {
                let key = theirs::$module(secret);
                let sign = ecdsa::hazmat::sign_prehashed_rfc6979::<$module::$crate_curve, D>;
                sign(key.as_nonzero_scalar(), digest, additional).0.to_bytes().to_vec()
            }

            fn they_accept(key: &[u8], digest: &[u8], signature: &[u8]) -> bool {
                use $module::ecdsa::signature::hazmat::PrehashVerifier;
                use $module::ecdsa::{Signature, VerifyingKey};
                let Ok(key) = VerifyingKey::from_sec1_bytes(key) else { return false };
                let Ok(signature) = Signature::from_slice(signature) else { return false };
                key.verify_prehash(digest, &signature).is_ok()
            }

            fn they_accept_der(key: &[u8], digest: &[u8], der: &[u8]) -> bool {
                let parsed = $module::ecdsa::Signature::from_der(der);
                parsed.is_ok_and(|parsed| Self::they_accept(key, digest, &parsed.to_bytes()))
            }

            fn they_take_key(bytes: &[u8]) -> bool {
                $module::ecdsa::VerifyingKey::from_sec1_bytes(bytes).is_ok()
            }
        }
    };
}

curve!(P256, p256, NistP256, "P-256", 32, Sha256);
curve!(P384, p384, NistP384, "P-384", 48, Sha384);

mod ours {
    use sigmill::ecdsa;

    pub(super) fn p256(secret: &[u8]) -> ecdsa::p256::SigningKey {
        ecdsa::p256::SigningKey::from_slice(secret).expect("1 to n - 1")
    }

    pub(super) fn p384(secret: &[u8]) -> ecdsa::p384::SigningKey {
        ecdsa::p384::SigningKey::from_slice(secret).expect("1 to n - 1")
    }
}

mod theirs {
    pub(super) fn p256(secret: &[u8]) -> p256::ecdsa::SigningKey {
        p256::ecdsa::SigningKey::from_slice(secret).expect("1 to n - 1")
    }

    pub(super) fn p384(secret: &[u8]) -> p384::ecdsa::SigningKey {
        p384::ecdsa::SigningKey::from_slice(secret).expect("1 to n - 1")
    }
}

/// Whether the reason of a refusal is what a constructor says of the same bytes.
fn is_said_by(verdict: Verdict, error: Error) -> bool {
    let Verdict::Invalid(reason) = verdict else { return false };
    matches!(
        (error, reason),
        (Error::Length { what: "public key", .. }, Reason::KeyLength)
            | (Error::NotAPoint, Reason::KeyNotAPoint)
            | (Error::Length { what: "signature", .. }, Reason::SignatureLength)
            | (Error::ScalarOutOfRange { what: "r of the signature" }, Reason::ROutOfRange)
            | (Error::ScalarOutOfRange { what: "s of the signature" }, Reason::SOutOfRange)
            | (Error::ScalarOutOfRange { .. }, Reason::DigestEmpty)
    )
}

impl Random {
    /// A secret key: 1 to n − 1.
    pub(crate) fn secret<C: Curve>(&mut self) -> Vec<u8> {
        let wide = BigUint::from_bytes_be(&self.bytes(2 * C::WIDTH));
        C::bytes(&(wide % (C::reference().n - 1_u8) + 1_u8))
    }
}
