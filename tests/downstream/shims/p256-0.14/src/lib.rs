//! p256 0.14 by name, sigmill by content. `elliptic_curve` has what programs name of that crate by way of this one; what is
//! generic over curves there is a name for the types of this curve here.
#![no_std]

#[cfg(feature = "pkcs8")]
pub use sigmill::ecdsa::p256::pkcs8;
pub use sigmill::ecdsa::p256::{AffinePoint, NonZeroScalar, PublicKey, Sec1Point, SecretKey, ecdh};

/// An array as functions over field bytes want it; ours takes it, and gives one of its own.
pub type FieldBytes = hybrid_array::Array<u8, hybrid_array::typenum::U32>;

/// The curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NistP256;

pub mod ecdsa {
    pub use sigmill::ecdsa::p256::ecdsa::{
        DerSignature, Signature, SigningKey, VerifyingKey, signature,
    };
    pub use signature::Error;
}

pub mod elliptic_curve {
    #[cfg(feature = "pkcs8")]
    pub use super::pkcs8;
    pub use rand_core;
    pub use sigmill::ecdsa::p256::{Error, Generate};
    pub use {subtle, zeroize};

    /// What is generic over curves in that crate, of this one.
    pub trait Curve {
        type NonZeroScalar;
        type PublicKey;
        type Sec1Point;
        type SecretKey;
    }

    impl Curve for super::NistP256 {
        type NonZeroScalar = super::NonZeroScalar;
        type PublicKey = super::PublicKey;
        type Sec1Point = super::Sec1Point;
        type SecretKey = super::SecretKey;
    }

    pub type NonZeroScalar<C> = <C as Curve>::NonZeroScalar;
    pub type PublicKey<C> = <C as Curve>::PublicKey;
    pub type SecretKey<C> = <C as Curve>::SecretKey;

    pub mod ecdh {
        pub use sigmill::ecdsa::p256::ecdh::diffie_hellman;
    }

    pub mod sec1 {
        pub type Sec1Point<C> = <C as super::Curve>::Sec1Point;

        // their functions are those of the types themselves
        pub trait FromSec1Point {}
        pub trait ToSec1Point {}
    }
}
