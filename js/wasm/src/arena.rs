//! The buffer that arguments and results lie in.
//!
//! Secrets: arguments are wiped by `clear`, which JavaScript calls after each call; results are made in memory of their own
//! that is wiped here, and the stack below a call is wiped before it returns.

use crate::fault::{Fault, number};
use std::sync::{Mutex, MutexGuard, PoisonError};
use zeroize::Zeroize;

/// No result is longer, but those of columns.
pub(crate) const RESULT: usize = 1024;

/// An arena with more room gives it back when it is cleared: the next call would wipe all of it.
const KEPT: usize = 4 << 10;

/// The stack that is wiped below a call, in words of eight bytes: more than the frames of this package take. The library wipes
/// its own.
const FRAMES: usize = 2 << 10;

static ARENA: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// There is one thread, and a panic ends it.
pub(crate) fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for arguments, and for the longest result, in an arena that was cleared: its address, or 0 if there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *const u8 {
    let mut arena = lock(&ARENA);
    let length = length.max(RESULT);
    if arena.try_reserve_exact(length).is_err() {
        return std::ptr::null();
    }
    arena.resize(length, 0);
    arena.as_ptr()
}

/// Wipes the arena.
#[unsafe(no_mangle)]
pub extern "C" fn clear() {
    let mut arena = lock(&ARENA);
    arena.zeroize();
    if arena.capacity() > KEPT {
        *arena = Vec::new();
    }
}

/// Cuts the arena into parts of these lengths.
fn parts<const N: usize>(mut rest: &[u8], lengths: [usize; N]) -> Result<[&[u8]; N], Fault> {
    let mut parts = [&[][..]; N];
    for (part, length) in parts.iter_mut().zip(lengths) {
        (*part, rest) = rest.split_at_checked(length).ok_or(Fault::Call)?;
    }
    Ok(parts)
}

/// Computes with arguments of these lengths. What `work` writes is the result, as long as it says.
#[inline(never)]
pub(crate) fn call<const N: usize>(
    lengths: [usize; N],
    work: impl FnOnce([&[u8]; N], &mut [u8; RESULT]) -> Result<usize, Fault>,
) -> i32 {
    let mut result = [0; RESULT];
    let written = work_on(lengths, &mut result, work);
    wipe_stack();
    if let Ok(length) = written
        && let (Some(place), Some(made)) = (lock(&ARENA).get_mut(..length), result.get(..length))
    {
        place.copy_from_slice(made);
    }
    result.zeroize();
    number(written)
}

#[inline(never)]
fn work_on<const N: usize>(
    lengths: [usize; N],
    result: &mut [u8; RESULT],
    work: impl FnOnce([&[u8]; N], &mut [u8; RESULT]) -> Result<usize, Fault>,
) -> Result<usize, Fault> {
    let arena = lock(&ARENA);
    work(parts(&arena, lengths)?, result)
}

#[inline(never)]
fn wipe_stack() {
    [0_u64; FRAMES].zeroize();
}

/// Computes a number, such as a verdict, with arguments of these lengths; there is no other result.
pub(crate) fn ask<const N: usize>(
    lengths: [usize; N],
    work: impl FnOnce([&[u8]; N]) -> Result<usize, Fault>,
) -> i32 {
    let arena = lock(&ARENA);
    number(parts(&arena, lengths).and_then(work))
}

/// Computes with the whole arena, which `work` may write to.
pub(crate) fn whole(work: impl FnOnce(&mut Vec<u8>) -> Result<usize, Fault>) -> i32 {
    number(work(&mut lock(&ARENA)))
}

/// Bytes of one length.
pub(crate) fn exactly<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], Fault> {
    bytes.try_into().map_err(|_| Fault::Length)
}

/// The 32 bytes, or none.
pub(crate) fn noise(bytes: &[u8]) -> Result<Option<&[u8; 32]>, Fault> {
    if bytes.is_empty() { Ok(None) } else { exactly(bytes).map(Some) }
}

/// Writes the beginning of a result.
pub(crate) fn put(result: &mut [u8; RESULT], bytes: &[u8]) -> Result<usize, Fault> {
    result.get_mut(..bytes.len()).ok_or(Fault::Call)?.copy_from_slice(bytes);
    Ok(bytes.len())
}
