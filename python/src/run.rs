//! Work on many rows, cut into parts for threads, while the interpreter is free: signals are looked at ten times a
//! second, and progress is told.

use crate::errors::Failure;
use crate::memory;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::cell::Cell;
use std::num::NonZero;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often signals are looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// How many threads work, and who is told.
pub(crate) struct Plan<'py> {
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
}

/// The parts that are left, and what became of the others.
struct State<I> {
    parts: I,
    done: usize,
    failed: Option<Failure>,
    /// Whether no part is begun any more.
    stopped: bool,
    /// Threads that have not ended.
    threads: usize,
    /// Threads that have not started; while others are being made, one more.
    starting: usize,
}

/// The state that threads share.
struct Shared<I> {
    state: Mutex<State<I>>,
    changed: Condvar,
}

impl<P, I: Iterator<Item = (usize, P)>> Shared<I> {
    fn state(&self) -> MutexGuard<'_, State<I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One thread more has started, or all that are made have been.
    fn started(&self) {
        self.state().starting -= 1;
        self.changed.notify_all();
    }

    /// Waits until at most so many are starting. What one thread takes for its work is then not missing at another's
    /// start.
    fn wait_until_starting(&self, most: usize) {
        let waited = self.changed.wait_while(self.state(), |state| state.starting > most);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// The next part, unless something has failed.
    fn next(&self) -> Option<(usize, P)> {
        let mut state = self.state();
        if state.stopped { None } else { state.parts.next() }
    }

    /// Does a part.
    fn work(&self, (rows, part): (usize, P), work: impl FnOnce(P) -> Result<(), Failure>) {
        let result = work(part);
        let mut state = self.state();
        state.done += rows;
        if let Err(failure) = result {
            state.failed.get_or_insert(failure);
            state.stopped = true;
        }
        self.changed.notify_all();
    }
}

/// A thread that has not ended, however it ends.
struct Alive<'s, P, I: Iterator<Item = (usize, P)>>(&'s Shared<I>);

impl<P, I: Iterator<Item = (usize, P)>> Drop for Alive<'_, P, I> {
    fn drop(&mut self) {
        self.0.state().threads -= 1;
        self.0.changed.notify_all();
    }
}

impl<'py> Plan<'py> {
    /// All cores where no number is given.
    pub(crate) fn new(
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let threads = match threads {
            Some(0) => return Err(PyValueError::new_err("threads: at least one is needed")),
            Some(threads) => threads.min(1024),
            None => thread::available_parallelism().map_or(1, NonZero::get),
        };
        Ok(Plan { threads, progress })
    }

    /// How many threads may work.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// The rows of a part: short tables are cut finer, so that every thread has some.
    pub(crate) fn part_rows(&self, rows: usize, most: usize) -> usize {
        rows.div_ceil(self.threads).min(most).next_multiple_of(8).clamp(8, most)
    }

    /// Does `work` on every part, each of which says how many rows it has; there are `count` of them. The first error
    /// ends it. A thread makes a `place` once, for all its parts. This thread looks at signals; it works only if it is
    /// the only one that may, or no other can be had, or none of the others has the memory for its place. Work on a part
    /// that may take long asks now and then whether it goes on, and returns early where it does not.
    pub(crate) fn run<P: Send, S>(
        &self,
        py: Python<'_>,
        rows: usize,
        count: usize,
        parts: impl Iterator<Item = (usize, P)> + Send,
        place: impl Fn() -> Result<S, Failure> + Sync,
        work: impl Fn(&mut S, P, &dyn Fn() -> bool) -> Result<(), Failure> + Sync,
    ) -> PyResult<()> {
        let start = memory::startable(self.threads.min(count));
        let threads = if start.threads > 1 { start.threads } else { 0 };
        let progress = self.progress.as_ref().map(|progress| progress.clone().unbind());
        let state = State { parts, done: 0, failed: None, stopped: false, threads: 0, starting: 1 };
        let shared = Shared { state: Mutex::new(state), changed: Condvar::new() };
        py.detach(|| {
            let shown = Cell::new(0);
            let tell = || {
                let done = shared.state().done;
                Python::attach(|py| {
                    py.check_signals()?;
                    match &progress {
                        Some(progress) if done > shown.get() => {
                            shown.set(done);
                            progress.call1(py, (done, rows)).map(drop)
                        }
                        _ => Ok(()),
                    }
                })
            };
            let stop = |error: PyErr| {
                shared.state().stopped = true;
                error
            };
            thread::scope(|scope| {
                for _ in 0..threads {
                    if !start.goes_on() {
                        break;
                    }
                    let mut state = shared.state();
                    state.threads += 1;
                    state.starting += 1;
                    drop(state);
                    let alive = Alive(&shared);
                    let (place, work) = (&place, &work);
                    let thread = move || {
                        let shared = alive.0;
                        shared.started();
                        shared.wait_until_starting(0);
                        let Ok(mut place) = place() else { return };
                        let goes_on = || !shared.state().stopped;
                        while let Some(part) = shared.next() {
                            shared.work(part, |part| work(&mut place, part, &goes_on));
                        }
                        drop(alive);
                    };
                    let builder = thread::Builder::new().stack_size(memory::STACK);
                    if builder.spawn_scoped(scope, thread).is_err() {
                        shared.started();
                        break;
                    }
                    if start.one_by_one {
                        shared.wait_until_starting(1);
                    }
                }
                shared.started();
                loop {
                    let state = shared.state();
                    let waits = |state: &mut State<_>| {
                        state.threads > 0 && (progress.is_none() || state.done == shown.get())
                    };
                    let waited = shared.changed.wait_timeout_while(state, INTERVAL, waits);
                    let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
                    let ended = state.threads == 0;
                    drop(state);
                    tell().map_err(stop)?;
                    if ended {
                        return Ok::<_, PyErr>(());
                    }
                }
            })?;
            let (mut held, told, failed) = (None, Cell::new(Instant::now()), Cell::new(None));
            let goes_on = || {
                if shared.state().stopped {
                    return false;
                }
                if progress.is_some() || told.get().elapsed() >= INTERVAL {
                    if let Err(error) = tell() {
                        failed.set(Some(stop(error)));
                        return false;
                    }
                    told.set(Instant::now());
                }
                true
            };
            while let Some(part) = shared.next() {
                let place = match &mut held {
                    Some(place) => place,
                    None => held.insert(place()?),
                };
                shared.work(part, |part| work(place, part, &goes_on));
                goes_on();
            }
            match failed.take() {
                Some(error) => Err(error),
                None => tell(),
            }
        })?;
        match shared.state().failed.take() {
            Some(failure) => Err(failure.into()),
            None => Ok(()),
        }
    }
}
