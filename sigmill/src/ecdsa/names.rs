//! The modules of the curves, where programs for the crates `p256` and `p384` look for names: in the crate's root, in
//! `ecdsa` and in `ecdh`. The one file of `ecdsa` above `crate::ecdh`.

use crate::ecdsa::LowS;
use crate::ecdsa::curves::{ByteArray, EcdsaCurve, for_curves};
use crate::ecdsa::types;
use crate::error::Verdict;

macro_rules! names {
    ($module:ident, $curve:ident, $name:literal, $hash_name:literal) => {
        #[doc = concat!("ECDSA on ", $name, ", with ", $hash_name, " where no hash is named.")]
        pub mod $module {
            use super::*;

            pub use crate::ecdsa::curves::$curve;
            pub use crate::ecdh::$module::{AffinePoint, PublicKey, SecretKey};
            pub use crate::ecdsa::Error;
            #[cfg(feature = "pkcs8")]
            pub use ::pkcs8;
            #[cfg(feature = "digest")]
            pub use digest::common::Generate;
            pub use signature;

            /// Bytes of a secret key, of a coordinate, of r and of s.
            pub const FIELD_LENGTH: usize = <<$curve as EcdsaCurve>::FieldBytes>::LEN;
            /// Bytes of r ‖ s.
            pub const SIGNATURE_LENGTH: usize = 2 * FIELD_LENGTH;
            /// Bytes of a pair: the secret key, and the public key as an uncompressed SEC1 point.
            pub const KEYPAIR_LENGTH: usize = <<$curve as EcdsaCurve>::KeyPairBytes>::LEN;
            /// A secret key, a coordinate, r or s, big-endian.
            pub type FieldBytes = <$curve as EcdsaCurve>::FieldBytes;

            #[doc = concat!("A secret key on ", $name, ", to sign with.")]
            pub type SigningKey = crate::ecdsa::SigningKey<$curve>;
            #[doc = concat!("A public key on ", $name, ", to verify with.")]
            pub type VerifyingKey = crate::ecdsa::VerifyingKey<$curve>;
            #[doc = concat!("A signature on ", $name, ".")]
            pub type Signature = crate::ecdsa::Signature<$curve>;
            #[doc = concat!("A signature on ", $name, " in DER.")]
            pub type DerSignature = crate::ecdsa::DerSignature<$curve>;
            #[doc = concat!("A secret key on ", $name, " and its public key.")]
            pub type KeyPair = crate::ecdsa::KeyPair<$curve>;
            #[doc = concat!("An integer from 1 to n − 1 on ", $name, ".")]
            pub type NonZeroScalar = crate::ecdsa::NonZeroScalar<$curve>;
            #[doc = concat!("The encoding of a point of ", $name, ".")]
            pub type Sec1Point = crate::ecdsa::Sec1Point<$curve>;
            /// The older name of [`Sec1Point`].
            pub type EncodedPoint = Sec1Point;

            /// Verifies r ‖ s under a SEC1 key, from bytes of any length and value: the verdict says
            /// the fault. Time depends on the inputs.
            ///
            /// ```
            /// use sigmill::{Reason, ecdsa::LowS};
            #[doc = concat!("use sigmill::ecdsa::", stringify!($module), "::{FIELD_LENGTH, SigningKey, verify_digest_bytes};")]
            ///
            /// let secret = SigningKey::from_bytes(&[7; FIELD_LENGTH])?;
            /// let (digest, key) = ([1; FIELD_LENGTH], secret.verifying_key().to_sec1_bytes());
            /// let signature = secret.sign_digest_bytes(&digest)?.to_bytes();
            /// assert!(verify_digest_bytes(LowS::Any, &key, &digest, &signature).is_valid());
            /// let verdict = verify_digest_bytes(LowS::Any, &key[1..], &digest, &signature);
            /// assert_eq!(verdict.ok(), Err(Reason::KeyLength));
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            pub fn verify_digest_bytes(
                low_s: LowS,
                key: &[u8],
                digest: &[u8],
                signature: &[u8],
            ) -> Verdict {
                types::verify_digest_bytes::<$curve>(low_s, key, digest, signature)
            }

            /// The same for a signature in DER (RFC 3279 section 2.2.3), strictly: any other bytes are
            /// [`crate::Reason::SignatureDer`]. Time depends on the inputs.
            ///
            /// ```
            /// use sigmill::ecdsa::{Digest, LowS, Sha256};
            #[doc = concat!("use sigmill::ecdsa::", stringify!($module), "::{FIELD_LENGTH, SigningKey, verify_digest_der_bytes};")]
            ///
            /// # let secret = SigningKey::from_slice(&[7; FIELD_LENGTH])?;
            /// # let (key, der) = (secret.verifying_key().to_sec1_bytes(), secret.sign_with_hash::<Sha256>(b"hello").to_der());
            /// # let der = der.as_bytes();
            /// let digest = Sha256::digest(b"hello");
            /// assert!(verify_digest_der_bytes(LowS::Any, &key, &digest, der).is_valid());
            /// # Ok::<(), sigmill::Error>(())
            /// ```
            pub fn verify_digest_der_bytes(
                low_s: LowS,
                key: &[u8],
                digest: &[u8],
                signature: &[u8],
            ) -> Verdict {
                types::verify_digest_der_bytes::<$curve>(low_s, key, digest, signature)
            }

            #[doc = concat!("ECDH on ", $name, ", by the names of a module `ecdh`.")]
            pub mod ecdh {
                pub use crate::ecdh::$module::{EphemeralSecret, SharedSecret, diffie_hellman};
            }

            #[doc = concat!("ECDSA on ", $name, ", by the names of a module `ecdsa`.")]
            pub mod ecdsa {
                pub use super::{
                    DerSignature, Error, Signature, SigningKey, VerifyingKey, signature,
                };
            }
        }
    };
}

for_curves!(names);
