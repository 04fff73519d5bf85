//! How ECDSA is meant, as numbers: what single operations and tables share.

use crate::fault::Fault;
use crate::pointer::plain_struct;
use core::ffi::c_int;
use sigmill::ecdsa::{Curve, Encoding, LowS, Prehash, Scheme};

plain_struct! {
    /// `struct sigmill_ecdsa`.
    #[derive(Default)]
    pub struct How {
        hash: c_int,
        encoding: c_int,
        low_s: c_int,
    }
}

/// The curve of a number of `enum sigmill_algorithm`.
pub fn curve(number: c_int) -> Result<Curve, Fault> {
    match number {
        2 => Ok(Curve::P256),
        3 => Ok(Curve::P384),
        _ => Err(Fault::Algorithm),
    }
}

/// The hash of a number of `enum sigmill_hash`, for a curve.
pub fn prehash(curve: Curve, number: c_int) -> Result<Prehash, Fault> {
    Ok(match number {
        0 => curve.own_hash(),
        256 => Prehash::Sha256,
        384 => Prehash::Sha384,
        512 => Prehash::Sha512,
        -1 => Prehash::None,
        _ => return Err(Fault::Algorithm),
    })
}

/// The hash that has made a digest, of a number that says so.
fn digest_of(number: c_int) -> Option<Prehash> {
    match number {
        -256 => Some(Prehash::Sha256),
        -384 => Some(Prehash::Sha384),
        -512 => Some(Prehash::Sha512),
        _ => None,
    }
}

/// The encoding of a number of `enum sigmill_encoding`.
pub fn encoding(number: c_int) -> Result<Encoding, Fault> {
    match number {
        0 => Ok(Encoding::Fixed),
        1 => Ok(Encoding::Der),
        _ => Err(Fault::Algorithm),
    }
}

/// No or yes.
pub fn flag(number: c_int) -> Result<bool, Fault> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Fault::Algorithm),
    }
}

impl How {
    /// The scheme that is meant, for a curve.
    pub fn scheme(&self, curve: Curve) -> Result<Scheme, Fault> {
        let low_s = if flag(self.low_s)? { LowS::Required } else { LowS::Any };
        let hash = if self.digest_of().is_some() { -1 } else { self.hash };
        let (prehash, encoding) = (prehash(curve, hash)?, encoding(self.encoding)?);
        Ok(Scheme { curve, prehash, encoding, low_s })
    }

    /// The hash that has made the digest, if the message is one, and that is said.
    pub fn digest_of(&self) -> Option<Prehash> {
        digest_of(self.hash)
    }
}
