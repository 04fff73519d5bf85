//! p384 0.14 by name, sigmill by content. `elliptic_curve` has what programs name of that crate by way of this one; what is
//! generic over curves there is a name for the types of this curve here.
#![no_std]

#[path = "../../../shared/curve.rs"]
mod curve;

pub use curve::*;
use sigmill::ecdsa::p384 as ours;

/// An array as functions over field bytes want it; ours takes it, and gives one of its own.
pub type FieldBytes = hybrid_array::Array<u8, hybrid_array::typenum::U48>;

/// The curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NistP384;
use NistP384 as This;
