//! Public functions of sigmill whose code the compiler makes where they are used: generic ones, at the types that programs use
//! them with, and small ones. `tools/panics` looks at the code. All others are in the library's own object code.

mod curves;
mod schemes;
mod small;

use core::convert::Infallible;
use core::hint::black_box;
use rand_core::{TryCryptoRng, TryRng};
use serde::de::value::{BytesDeserializer, Error, SeqDeserializer};

/// Keeps the code of functions.
#[macro_export]
macro_rules! code {
    ($($function:expr),* $(,)?) => { $(core::hint::black_box($function as *const ());)* };
}

fn main() {
    curves::p256();
    curves::p384();
    schemes::ed25519::<sha2::Sha512>();
    schemes::x25519();
    schemes::bulk::<sigmill::ecdsa::p256::SigningKey>();
    schemes::bulk::<sigmill::ecdsa::p384::SigningKey>();
    small::values();
    small::keys();
    small::columns();
}

/// Feeds a hash function.
pub(crate) type Feed<D> = fn(&mut D) -> Result<(), signature::Error>;
/// A format that gives a byte string.
pub(crate) type FromBytes = BytesDeserializer<'static, Error>;
/// A format that gives a list of numbers.
pub(crate) type FromNumbers = SeqDeserializer<std::vec::IntoIter<u8>, Error>;

/// Random bytes of a source that can fail.
pub(crate) struct Random;

impl TryRng for Random {
    type Error = core::fmt::Error;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        black_box(Ok(0))
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        black_box(Ok(0))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        black_box(bytes);
        black_box(Ok(()))
    }
}

impl TryCryptoRng for Random {}

/// Random bytes of a source that cannot fail.
pub(crate) struct Sure;

impl TryRng for Sure {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        black_box(Ok(0))
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        black_box(Ok(0))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        black_box(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Sure {}
