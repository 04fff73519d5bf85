//! The last fence around memory: an allocator that counts, and ends the program with a message before it
//! takes more than `check` promises.
//!
//! Readers of tables compare the lengths that an input states with what there is and with bounds of their
//! own, and say what is wrong where. The decoders below them take memory too, by numbers that only they
//! see; an allocation that is refused to them would abort the process. Here it is a message and an exit code,
//! and no output is left behind. An allocator may not unwind, so the message ends the process.

use crate::output;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, IoSlice, Write};
use std::os::fd::AsFd;
use std::process::exit;
use std::sync::Mutex;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::thread;
use std::time::Duration;

const MIB: usize = 1 << 20;
/// The promise is 512 MiB with two threads. Not counted here are the program itself,
/// stacks, memory of C libraries, and freed memory that the system's allocator keeps.
const MOST: usize = 368 * MIB;
const PER_THREAD: usize = 8 * MIB;

static USED: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static IS_ENDING: AtomicBool = AtomicBool::new(false);
static HAS_INVALID: AtomicBool = AtomicBool::new(false);
thread_local! {
    /// Whether this thread ends the process.
    static IS_ENDED_HERE: Cell<bool> = const { Cell::new(false) };
}
/// The file that is being read.
static NAME: Mutex<String> = Mutex::new(String::new());

/// Counts what the system's allocator gives.
pub(crate) struct Counting;

// SAFETY: each method returns what that of `System` returns for the same arguments, and none unwinds: what
// is done besides is arithmetic on atomics, or ends the process.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`, which is the same.
        there(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`, which is the same.
        there(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `memory` came from `System` with this layout, since every method here passes both on.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size.saturating_sub(layout.size()));
        // SAFETY: `memory` came from `System` with this layout, and the caller vouches for `size`.
        let moved = there(unsafe { System.realloc(memory, layout, size) });
        USED.fetch_sub(layout.size().saturating_sub(size), Relaxed);
        moved
    }
}

fn take(bytes: usize) {
    if USED.fetch_add(bytes, Relaxed).saturating_add(bytes) > LIMIT.load(Relaxed) {
        end(false);
    }
}

fn there(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        end(true);
    }
    memory
}

/// Whether there is room for so much more.
pub(crate) fn has_room(bytes: usize) -> bool {
    USED.load(Relaxed).saturating_add(bytes) <= LIMIT.load(Relaxed)
}

/// Whether so much is taken that nothing more should be read while something else may be given back.
pub(crate) fn is_high() -> bool {
    USED.load(Relaxed) > LIMIT.load(Relaxed) / 4
}

/// From now on no more is taken than a check with so many threads may.
pub(crate) fn limit(threads: usize) {
    LIMIT.store(MOST.saturating_add(PER_THREAD.saturating_mul(threads)), Relaxed);
}

/// The message will name this table.
pub(crate) fn set_name(name: String) {
    let before = NAME.lock().map(|mut place| std::mem::replace(&mut *place, name));
    drop(before);
}

/// Some row is invalid: the exit code has to say so, whatever comes.
pub(crate) fn set_invalid() {
    HAS_INVALID.store(true, Relaxed);
}

/// Ends the process without allocating, so that the message comes where the system gives nothing, too.
#[cold]
pub(crate) fn end(is_refused: bool) {
    if IS_ENDING.swap(true, SeqCst) {
        // the limit of ours is none any more; a thread to which the system gives nothing waits for the end
        while is_refused && !IS_ENDED_HERE.get() {
            thread::sleep(Duration::from_secs(1));
        }
        return;
    }
    IS_ENDED_HERE.set(true);
    output::abandon();
    let mut what = [0; 100];
    let mut free = &mut what[..];
    let _ = match LIMIT.load(Relaxed) / MIB {
        _ if is_refused => writeln!(free, "needs more memory than the system gives"),
        most => writeln!(free, "needs more than {most} MiB of memory"),
    };
    let free = free.len();
    let what = &what[..what.len() - free];
    let name = NAME.try_lock();
    let name = name.as_deref().map_or("", String::as_str);
    let between = if name.is_empty() { "" } else { ": " };
    let parts = [b"sigmill: ", name.as_bytes(), between.as_bytes(), what].map(IoSlice::new);
    // not by `io::stderr`, which this thread may be using
    if let Ok(stderr) = io::stderr().as_fd().try_clone_to_owned() {
        let _ = File::from(stderr).write_vectored(&parts);
    }
    exit(if HAS_INVALID.load(Relaxed) { 1 } else { 2 });
}
