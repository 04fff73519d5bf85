//! Where programs for the crates `p256` and `p384` look for the names of a curve: in the crate's root, in
//! `ecdsa` and in `ecdh`. The one file of `ecdsa` above `crate::ecdh`.

macro_rules! names {
    ($module:ident, $name:literal) => {
        pub(super) mod $module {
            pub use crate::ecdh::$module::{AffinePoint, PublicKey, SecretKey};
            pub use crate::ecdsa::nonzero_scalar::$module::NonZeroScalar;
            pub use crate::ecdsa::sec1_point::$module::Sec1Point as EncodedPoint;

            #[doc = concat!("ECDH on ", $name, ", by the names of a module `ecdh`.")]
            pub mod ecdh {
                pub use crate::ecdh::$module::{EphemeralSecret, SharedSecret, diffie_hellman};
            }

            #[doc = concat!("ECDSA on ", $name, ", by the names of a module `ecdsa`.")]
            pub mod ecdsa {
                pub use crate::ecdsa::types::$module::{
                    DerSignature, Error, Signature, SigningKey, VerifyingKey, signature,
                };
            }
        }
    };
}

names!(p256, "P-256");
names!(p384, "P-384");
