//! Functions that the caller hands over: what they are given, and how they are called.

use super::memory::{Out, Plain};
use crate::fault::Fault;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The function that releases an array or a schema of Arrow's.
pub type Release = unsafe extern "C" fn(*mut c_void);

// SAFETY: a function's address or none, which is not called without a look at it.
unsafe impl Plain for Option<Release> {}

/// Calls it.
pub fn release(release: Release, object: Out<u8>) {
    // SAFETY: the function came with the object, which the producer has not released before.
    unsafe { release(object.0.cast()) }
}

/// The functions of `struct sigmill_sha512`.
pub type HashInit = unsafe extern "C" fn(*mut c_void);
/// Takes bytes.
pub type HashUpdate = unsafe extern "C" fn(*mut c_void, *const u8, usize);
/// Gives the digest.
pub type HashFinal = unsafe extern "C" fn(*mut c_void, *mut u8);

// SAFETY: a function's address or none, which is not called without a look at it.
unsafe impl Plain for Option<HashUpdate> {}
// SAFETY: an address of a function or none, which is looked at before it is called.
unsafe impl Plain for Option<HashFinal> {}

/// Gives pieces to what takes them, one after the other.
pub type Pieces<'a> = dyn FnMut(&mut dyn FnMut(&[u8])) + 'a;

/// The hash of pieces, one after the other, by functions of the caller's.
pub fn hash_by(
    context: Opaque,
    (init, update, finish): (HashInit, HashUpdate, HashFinal),
    pieces: &mut Pieces<'_>,
) -> [u8; 64] {
    let mut digest = [0; 64];
    // SAFETY: the function is what its type says, as C promises.
    unsafe { init(context.0) };
    pieces(&mut |piece| {
        // SAFETY: as C promises, it takes so many bytes, which are those of a slice.
        unsafe { update(context.0, piece.as_ptr(), piece.len()) };
    });
    // SAFETY: as C promises, it writes 64 bytes, for which there is place.
    unsafe { finish(context.0, digest.as_mut_ptr()) };
    digest
}

/// `sigmill_task`.
type Task = unsafe extern "C" fn(state: *mut c_void, number: usize);
/// `sigmill_run`.
pub type Run = unsafe extern "C" fn(*mut c_void, Task, *mut c_void, usize) -> c_int;

/// A pointer of the caller's that is given back as it is.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Opaque(*mut c_void);

impl Opaque {
    /// None.
    pub const NONE: Opaque = Opaque(ptr::null_mut());
}

// SAFETY: an address that is handed on.
unsafe impl Sync for Opaque {}
// SAFETY: a pointer that is never followed here.
unsafe impl Plain for Opaque {}
// SAFETY: a function's address or none, which is not called without a look at it.
unsafe impl Plain for Option<Run> {}

/// The most tasks of one computation: more than any machine has threads for.
pub const MOST_TASKS: usize = 4096;

/// Runs `work(i)` for all i below `tasks`: by the caller's function, or one after the other. A number that is none, or
/// that comes a second time, is not worked on: two threads would have the same memory.
pub fn run_tasks<W: Fn(usize) + Sync>(
    run: Option<Run>,
    context: Opaque,
    tasks: usize,
    work: &W,
) -> Result<(), Fault> {
    struct State<'a, W> {
        work: &'a W,
        tasks: usize,
        begun: [AtomicUsize; MOST_TASKS / BITS],
        finished: AtomicUsize,
    }

    const BITS: usize = usize::BITS as usize;

    unsafe extern "C" fn task<W: Fn(usize) + Sync>(state: *mut c_void, number: usize) {
        // SAFETY: the pointer that was given to the caller's function with this one, and which outlives its call.
        let state = unsafe { &*state.cast::<State<'_, W>>() };
        let bit = 1 << (number % BITS);
        if number >= state.tasks
            || state.begun[number / BITS].fetch_or(bit, Ordering::Relaxed) & bit != 0
        {
            return;
        }
        (state.work)(number);
        state.finished.fetch_add(1, Ordering::Release);
    }

    let Some(run) = run.filter(|_| tasks > 1) else {
        (0..tasks).for_each(work);
        return Ok(());
    };
    let begun = [const { AtomicUsize::new(0) }; MOST_TASKS / BITS];
    let mut state = State { work, tasks, begun, finished: AtomicUsize::new(0) };
    let pointer = (&raw mut state).cast();
    // SAFETY: the function is what its type says, as C promises; the state outlives the call, and is shared by threads as
    // `Sync` allows.
    let result = unsafe { run(context.0, task::<W>, pointer, tasks) };
    if result == 0 && state.finished.load(Ordering::Acquire) == tasks {
        Ok(())
    } else {
        Err(Fault::Run)
    }
}
