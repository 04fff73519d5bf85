//! Messages that come in pieces: verification, and SHA-512 for Ed25519ph.

use crate::arena::{ask, call, put};
use crate::ed25519::variant;
use crate::fault::{Fault, number};
use crate::names::rule;
use crate::objects::{Object, One, keep, take, with};
use sigmill::ed25519::{Digest, Sha512, StreamVerifier};

/// Handles of verifiers are above this; below it a call returns the code of a reason.
const VERIFIERS: usize = 1 << 8;

/// Begins to verify context ‖ key ‖ signature: 256 plus the handle, or the code of the reason for which no message can make
/// the signature valid.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_verifier(
    number: usize,
    kind: u32,
    context: usize,
    key: usize,
    signature: usize,
) -> i32 {
    ask([context, key, signature], |[context, key, signature]| {
        let (rule, variant) = (rule(number)?, variant(kind, context)?);
        match StreamVerifier::from_bytes(rule, variant, key, signature) {
            Ok(verifier) => Ok(VERIFIERS + keep(Object::Verifier(One::new(|| Ok(verifier))?))?),
            Err(verdict) => Ok(verdict.code().into()),
        }
    })
}

/// Begins to hash: the handle.
#[unsafe(no_mangle)]
pub extern "C" fn sha512() -> i32 {
    number(One::new(|| Ok(Sha512::new())).and_then(|hash| keep(Object::Hash(hash))))
}

/// Takes the next piece.
#[unsafe(no_mangle)]
pub extern "C" fn update(handle: usize, piece: usize) -> i32 {
    ask([piece], |[piece]| {
        with(handle, |object| match object {
            Object::Verifier(verifier) => {
                verifier.get_mut()?.update(piece);
                Ok(0)
            }
            Object::Hash(hash) => {
                hash.get_mut()?.update(piece);
                Ok(0)
            }
            _ => Err(Fault::Handle),
        })
    })
}

/// The verdict on all pieces. The handle ends.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_verifier_finish(handle: usize) -> i32 {
    number(match take(handle) {
        Ok(Object::Verifier(verifier)) => {
            verifier.take().map(|verifier| verifier.finish().code().into())
        }
        Ok(_) => Err(Fault::Handle),
        Err(fault) => Err(fault),
    })
}

/// Writes the digest of all pieces. The handle ends.
#[unsafe(no_mangle)]
pub extern "C" fn sha512_finish(handle: usize) -> i32 {
    call([], |[], result| match take(handle)? {
        Object::Hash(hash) => put(result, &hash.take()?.finalize()),
        _ => Err(Fault::Handle),
    })
}
