//! The shims for p256 and p384 but for the size and the name of the curve. `ours` is the curve's module of sigmill, `This` the
//! curve.

#[cfg(feature = "pkcs8")]
pub use crate::ours::pkcs8;
pub use crate::ours::{AffinePoint, NonZeroScalar, PublicKey, Sec1Point, SecretKey, ecdh};

pub mod ecdsa {
    pub use crate::ours::ecdsa::{DerSignature, Signature, SigningKey, VerifyingKey, signature};
    pub use signature::Error;
}

pub mod elliptic_curve {
    #[cfg(feature = "pkcs8")]
    pub use super::pkcs8;
    pub use crate::ours::{Error, Generate};
    pub use rand_core;
    pub use {subtle, zeroize};

    /// The types of this curve that are generic over curves in that crate.
    pub trait Curve {
        type NonZeroScalar;
        type PublicKey;
        type Sec1Point;
        type SecretKey;
    }

    impl Curve for crate::This {
        type NonZeroScalar = super::NonZeroScalar;
        type PublicKey = super::PublicKey;
        type Sec1Point = super::Sec1Point;
        type SecretKey = super::SecretKey;
    }

    pub type NonZeroScalar<C> = <C as Curve>::NonZeroScalar;
    pub type PublicKey<C> = <C as Curve>::PublicKey;
    pub type SecretKey<C> = <C as Curve>::SecretKey;

    pub mod ecdh {
        pub use crate::ours::ecdh::diffie_hellman;
    }

    pub mod sec1 {
        pub type Sec1Point<C> = <C as super::Curve>::Sec1Point;

        // their functions are those of the types themselves
        pub trait FromSec1Point {}
        pub trait ToSec1Point {}
    }
}
