//! Memory: it is there, or a `MemoryError` is raised, and no process ends.
//!
//! The functions here ask for memory whose size an argument states. The standard library takes small pieces
//! without asking, such as a thread's name, and ends the process if there are none: for these there is a reserve, which
//! work on columns makes sure of before it begins. So does the C library when a thread begins, of memory that is its own:
//! [`startable`] sees to that.
//!
//! `unsafe`: the allocator, which calls that of the system, and the mapping that [`startable`] tries.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The reserve: pages that nobody touches, and so address space alone.
const RESERVE: Layout = match Layout::from_size_align(8 << 20, 4096) {
    Ok(layout) => layout,
    Err(_) => panic!("no such layout"),
};
/// The size up to which an allocation may take of it. Larger ones are fallible.
const SMALL: usize = 256 << 10;

static HELD: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

struct Reserving;

#[global_allocator]
static ALLOCATOR: Reserving = Reserving;

/// Gives the reserve back to the system; whether there was one.
fn give_up() -> bool {
    let reserve = HELD.swap(ptr::null_mut(), Ordering::AcqRel);
    if reserve.is_null() {
        return false;
    }
    // SAFETY: allocated by `reserve` with this layout, and taken out of its place just now.
    unsafe { System.dealloc(reserve, RESERVE) };
    true
}

/// Makes sure of the reserve.
pub(crate) fn reserve() -> Result<(), NoMemory> {
    if !HELD.load(Ordering::Acquire).is_null() {
        return Ok(());
    }
    // SAFETY: the size is not zero.
    let made = unsafe { System.alloc(RESERVE) };
    if made.is_null() {
        return Err(NoMemory { bytes: RESERVE.size() });
    }
    let other = HELD.swap(made, Ordering::AcqRel);
    if !other.is_null() {
        // SAFETY: another thread's, allocated as above, and taken out of its place just now.
        unsafe { System.dealloc(other, RESERVE) };
    }
    Ok(())
}

// SAFETY: each method gives what the system's allocator gives for the same layout, asked once more where the reserve was
// given up meanwhile; nothing here unwinds.
unsafe impl GlobalAlloc for Reserving {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let made = unsafe { System.alloc(layout) };
        if made.is_null() && layout.size() <= SMALL && give_up() {
            // SAFETY: as the caller promises.
            return unsafe { System.alloc(layout) };
        }
        made
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let made = unsafe { System.alloc_zeroed(layout) };
        if made.is_null() && layout.size() <= SMALL && give_up() {
            // SAFETY: as the caller promises.
            return unsafe { System.alloc_zeroed(layout) };
        }
        made
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        let made = unsafe { System.realloc(place, layout, size) };
        if made.is_null() && size <= SMALL && give_up() {
            // SAFETY: as the caller promises; what failed has left the place as it was.
            return unsafe { System.realloc(place, layout, size) };
        }
        made
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) };
    }
}

/// So many bytes were asked for, and there were none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoMemory {
    bytes: usize,
}

impl fmt::Display for NoMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of memory are needed, and there are not so many", self.bytes)
    }
}

impl NoMemory {
    fn for_values<T>(len: usize) -> Self {
        NoMemory { bytes: len.saturating_mul(size_of::<T>()) }
    }

    /// The exception, with the argument that states the number.
    pub(crate) fn of(self, name: &str, number: usize, what: &str) -> PyErr {
        PyMemoryError::new_err(format!("{name}: {number} {what}: {self}"))
    }
}

impl From<NoMemory> for PyErr {
    fn from(error: NoMemory) -> Self {
        PyMemoryError::new_err(error.to_string())
    }
}

/// No values, and memory for `len` of them.
pub(crate) fn vec<T>(len: usize) -> Result<Vec<T>, NoMemory> {
    let mut made = Vec::new();
    made.try_reserve_exact(len).map_err(|_| NoMemory::for_values::<T>(len))?;
    Ok(made)
}

/// `len` times the same value.
pub(crate) fn filled<T: Clone>(value: T, len: usize) -> Result<Vec<T>, NoMemory> {
    let mut made = vec(len)?;
    made.resize(len, value);
    Ok(made)
}

/// All values of an iterator that says how many it has.
pub(crate) fn collected<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, NoMemory> {
    let mut made = vec(values.len())?;
    made.extend(values);
    Ok(made)
}

/// One value more.
pub(crate) fn push<T>(values: &mut Vec<T>, value: T) -> Result<(), NoMemory> {
    values.try_reserve(1).map_err(|_| NoMemory::for_values::<T>(values.len() + 1))?;
    values.push(value);
    Ok(())
}

/// So many bytes more, all zero.
pub(crate) fn grow(bytes: &mut Vec<u8>, more: usize) -> Result<&mut [u8], NoMemory> {
    let begin = bytes.len();
    make_room(bytes, more)?;
    bytes.resize(begin + more, 0);
    Ok(&mut bytes[begin..])
}

/// Memory for so many values more.
pub(crate) fn make_room<T>(values: &mut Vec<T>, more: usize) -> Result<(), NoMemory> {
    values.try_reserve(more).map_err(|_| NoMemory::for_values::<T>(values.len() + more))
}

/// One entry more.
pub(crate) fn insert<K: Eq + Hash, V>(
    map: &mut HashMap<K, V>,
    key: K,
    value: V,
) -> Result<(), NoMemory> {
    map.try_reserve(1).map_err(|_| NoMemory::for_values::<(K, V)>(map.len() + 1))?;
    map.insert(key, value);
    Ok(())
}

/// Whether there is memory for `len` values now, and the reserve: asked before something that takes it without asking.
pub(crate) fn probe<T>(len: usize) -> Result<(), NoMemory> {
    reserve()?;
    vec::<T>(len).map(drop)
}

/// The stack of a thread, in bytes.
pub(crate) const STACK: usize = 2 << 20;
/// Bytes that a thread takes to begin: its stack, and its thread-local data. The C library ends the process if it has no memory
/// for the latter, some hundred bytes; its heap may grow by a larger piece for them.
const THREAD: usize = STACK + (256 << 10);

/// Bytes that the C library may take for a moment when a thread begins: it tries to make a heap for the thread, twice as
/// large as needed, and gives it back if it does not lie well.
const TRIED: usize = 128 << 20;

/// Whether so many bytes can be mapped now, as stacks and the heaps of threads are. The allocator is not asked: it may answer from
/// pieces that were given back to it, up to 64 MiB, of which no stack can be made.
fn is_mappable(bytes: usize) -> bool {
    #[cfg(unix)]
    {
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: a new mapping, where the system likes.
        let place = unsafe { libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0) };
        if place == libc::MAP_FAILED {
            return false;
        }
        // SAFETY: mapped just now, and known to nobody else.
        unsafe { libc::munmap(place, bytes) };
        true
    }
    #[cfg(not(unix))]
    {
        vec::<u8>(bytes).is_ok()
    }
}

/// How many threads to start, and how.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    /// At least one.
    pub(crate) threads: usize,
    /// Each waits until the one before has started: there is no memory for the attempts of all at the same time.
    pub(crate) one_by_one: bool,
}

impl Start {
    /// Whether there is memory for one more thread to begin. Where they start one by one, the heap of the last one may have
    /// taken that of the others.
    pub(crate) fn goes_on(self) -> bool {
        !self.one_by_one || is_mappable(THREAD)
    }
}

/// How many of `threads` there is memory to start. It holds until other memory is taken: none of them begins its work
/// before all have started.
pub(crate) fn startable(threads: usize) -> Start {
    let mut startable = if reserve().is_ok() { threads.max(1) } else { 1 };
    while startable > 1 && !is_mappable(startable.saturating_mul(THREAD)) {
        startable /= 2;
    }
    let one_by_one = startable > 1 && !is_mappable(startable.saturating_mul(THREAD + TRIED));
    Start { threads: startable, one_by_one }
}
