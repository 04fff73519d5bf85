//! Engines as tables of C functions.
//!
//! An operation has two halves: `prepare` makes what stays outside the timed region (parsed keys,
//! scratch memory), `run` does the operation on some rows and writes an answer for each: a public
//! key, a signature, or one byte that is 1 for yes and 0 for no.

use crate::build::{COMPILER, FLAGS};
use crate::{Rows, Slice, optimised};
use std::ffi::c_void;
use std::ops::Range;
use std::{ptr, slice};

/// A library under measurement, built in one way.
#[repr(C)]
pub struct Engine {
    /// The library's name and version; of a linked library, what it says of itself.
    pub version: Slice<'static, u8>,
    /// The backend of the library, if it has more than one.
    pub backend: Slice<'static, u8>,
    /// Compiler flags of this build.
    pub flags: Slice<'static, u8>,
    /// Compiler of this build.
    pub compiler: Slice<'static, u8>,
    /// Whether this build is one whose times mean anything.
    pub optimised: bool,
    /// The operations of the engine.
    pub offers: Slice<'static, Offer>,
}

// SAFETY: everything in it is constant, and the program has one thread.
unsafe impl Sync for Engine {}

impl Engine {
    /// An engine, for as long as the program runs.
    pub fn new(version: String, backend: &str, offers: Vec<Offer>) -> &'static Engine {
        Box::leak(Box::new(Engine {
            version: Slice::text(version),
            backend: Slice::text(backend),
            flags: Slice::text(FLAGS),
            compiler: Slice::text(COMPILER),
            optimised: optimised(),
            offers: Slice::from(&*offers.leak()),
        }))
    }
}

/// One operation of an engine under one rule.
#[repr(C)]
pub struct Offer {
    /// The operation's name.
    pub op: Slice<'static, u8>,
    /// The rule whose verdicts the engine gives; empty where nothing is verified.
    pub rule: Slice<'static, u8>,
    /// The backend of this operation; empty if it is the engine's.
    backend: Slice<'static, u8>,
    /// The same for fewer rows than that.
    few: usize,
    backend_of_few: Slice<'static, u8>,
    halves: *const c_void,
    prepare: unsafe extern "C" fn(*const c_void, &Rows<'_>, usize) -> Task,
}

impl Offer {
    /// An operation on n rows at once. `prepare` returns `None` where the engine has no such
    /// operation on n rows.
    pub fn batch<S, P, R>(op: &str, rule: &str, prepare: P, run: R) -> Offer
    where
        P: Fn(&Rows<'_>, usize) -> Option<S> + 'static,
        R: Fn(&mut S, &Rows<'_>, Range<usize>, &mut [u8]) + Copy + 'static,
    {
        Offer {
            op: Slice::text(op),
            rule: Slice::text(rule),
            backend: Slice::text(""),
            few: 0,
            backend_of_few: Slice::text(""),
            halves: ptr::from_ref(Box::leak(Box::new((prepare, run)))).cast(),
            prepare: prepare_task::<S, P, R>,
        }
    }

    /// The same offer, computed with another backend than the engine's other operations.
    pub fn on(self, backend: &str) -> Offer {
        Offer { backend: Slice::text(backend), ..self }
    }

    /// The same offer, computed with another backend where there are fewer rows than `few`.
    pub fn fewer_on(self, few: usize, backend: &str) -> Offer {
        Offer { few, backend_of_few: Slice::text(backend), ..self }
    }

    /// The backend of the operation on `n` rows, as an offer of this engine.
    pub fn backend(&self, engine: &Engine, n: usize) -> &'static str {
        let own = if n < self.few { self.backend_of_few } else { self.backend }.as_str();
        if own.is_empty() { engine.backend.as_str() } else { own }
    }

    /// An operation on one row after the other, with an object made beforehand of each.
    pub fn prepared<K, P, R>(op: &str, rule: &str, prepare: P, run: R) -> Offer
    where
        K: 'static,
        P: Fn(&Rows<'_>, usize) -> K + 'static,
        R: Fn(&K, &Rows<'_>, usize, &mut [u8]) + Copy + 'static,
    {
        Offer::batch(
            op,
            rule,
            move |rows, _| Some((0..rows.count).map(|row| prepare(rows, row)).collect::<Vec<K>>()),
            move |objects, rows, range, answers| {
                let width = answers.len() / range.len();
                for (row, answer) in range.zip(answers.chunks_exact_mut(width)) {
                    run(&objects[row], rows, row, answer);
                }
            },
        )
    }

    /// An operation on one row after the other, from bytes.
    pub fn each<R>(op: &str, rule: &str, run: R) -> Offer
    where
        R: Fn(&Rows<'_>, usize, &mut [u8]) + Copy + 'static,
    {
        Offer::batch(
            op,
            rule,
            |_, _| Some(()),
            move |(), rows, range, answers| {
                let width = answers.len() / range.len();
                for (row, answer) in range.zip(answers.chunks_exact_mut(width)) {
                    run(rows, row, answer);
                }
            },
        )
    }

    /// The operations on secret keys of Ed25519, one row after the other: public keys from seeds, and signatures
    /// by keys that were made beforehand.
    pub fn ed25519_signing<K, G, P, S>(keygen: G, key: P, sign: S) -> [Offer; 5]
    where
        K: 'static,
        G: Fn(&Rows<'_>, usize, &mut [u8]) + Copy + 'static,
        P: Fn(&Rows<'_>, usize) -> K + Copy + 'static,
        S: Fn(&K, &Rows<'_>, usize, &mut [u8]) + Copy + 'static,
    {
        [
            Offer::each("ed25519.keygen", "", keygen),
            Offer::each("ed25519.keygen_bulk", "", keygen),
            Offer::prepared("ed25519.sign32", "", key, sign),
            Offer::prepared("ed25519.sign1k", "", key, sign),
            Offer::prepared("ed25519.sign_bulk", "", key, sign),
        ]
    }

    /// Makes what stays outside the timed region; `None` if there is no such operation on `n` rows.
    pub fn prepare(&self, rows: &Rows<'_>, n: usize) -> Option<Task> {
        // SAFETY: `halves` is what `batch` leaked beside this very function.
        let task = unsafe { (self.prepare)(self.halves, rows, n) };
        (!task.state.is_null()).then_some(task)
    }
}

/// A prepared operation.
#[repr(C)]
pub struct Task {
    state: *mut c_void,
    run: unsafe extern "C" fn(*mut c_void, &Rows<'_>, usize, usize, *mut u8, usize),
    free: unsafe extern "C" fn(*mut c_void),
}

impl Task {
    /// Does the operation once, on the rows of the range.
    #[inline]
    pub fn run(&mut self, rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
        let (start, len) = (answers.as_mut_ptr(), answers.len());
        // SAFETY: `state` belongs to `run`, and the pointer and length are those of `answers`.
        unsafe { (self.run)(self.state, rows, range.start, range.end, start, len) }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if !self.state.is_null() {
            // SAFETY: `state` belongs to `free` and is used no more.
            unsafe { (self.free)(self.state) }
        }
    }
}

/// The state of a task with the function that works on it.
struct State<S, R> {
    state: S,
    run: R,
}

/// # Safety
/// `halves` points to the pair of functions that [`Offer::batch`] put there.
unsafe extern "C" fn prepare_task<S, P, R>(halves: *const c_void, rows: &Rows<'_>, n: usize) -> Task
where
    P: Fn(&Rows<'_>, usize) -> Option<S>,
    R: Fn(&mut S, &Rows<'_>, Range<usize>, &mut [u8]) + Copy,
{
    // SAFETY: the caller's promise; the pair is never freed.
    let (prepare, run) = unsafe { &*halves.cast::<(P, R)>() };
    let state = match prepare(rows, n) {
        Some(state) => Box::into_raw(Box::new(State { state, run: *run })).cast(),
        None => ptr::null_mut(),
    };
    Task { state, run: run_task::<S, R>, free: free_task::<S, R> }
}

/// # Safety
/// `state` comes from [`prepare_task`] with the same types; `answers` and `len` are a slice that
/// nobody else uses.
unsafe extern "C" fn run_task<S, R>(
    state: *mut c_void,
    rows: &Rows<'_>,
    first: usize,
    end: usize,
    answers: *mut u8,
    len: usize,
) where
    R: Fn(&mut S, &Rows<'_>, Range<usize>, &mut [u8]),
{
    // SAFETY: the caller's promise.
    let State { state, run } = unsafe { &mut *state.cast::<State<S, R>>() };
    // SAFETY: the caller's promise.
    let answers = unsafe { slice::from_raw_parts_mut(answers, len) };
    run(state, rows, first..end, answers);
}

/// # Safety
/// `state` comes from [`prepare_task`] with the same types and is not used again.
unsafe extern "C" fn free_task<S, R>(state: *mut c_void) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(state.cast::<State<S, R>>()) });
}
