//! Work on many rows, cut into parts for threads, while the interpreter is free: signals are looked at ten times a
//! second, and progress is told.

use crate::arrow::{Held, Imported};
use crate::errors::{BadColumn, bulk_error};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sigmill::bulk::{BulkError, Column, Rows};
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often signals are looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// How many threads work, and who is told.
pub(crate) struct Plan<'py> {
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
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

    /// The rows of a part: short tables are cut finer, so that every thread has some.
    pub(crate) fn part_rows(&self, rows: usize, most: usize) -> usize {
        rows.div_ceil(self.threads).min(most).next_multiple_of(8).clamp(8, most)
    }

    /// Does `work` on every part, each of which says how many rows it has. The first error ends it. A thread makes a
    /// `place` once, for all its parts.
    pub(crate) fn run<P: Send, S>(
        &self,
        py: Python<'_>,
        rows: usize,
        mut parts: Vec<(usize, P)>,
        place: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, P) -> Result<(), BulkError> + Sync,
    ) -> PyResult<()> {
        if parts.len() == 1 && self.progress.is_none() {
            return match parts.pop() {
                Some((_, part)) => {
                    py.detach(|| work(&mut place(), part)).map_err(|error| bulk_error(&error))
                }
                None => Ok(()),
            };
        }
        let threads = self.threads.min(parts.len());
        let progress = self.progress.as_ref().map(|progress| progress.clone().unbind());
        let (parts, stop) = (Mutex::new(parts.into_iter()), AtomicBool::new(false));
        let failed = Mutex::new(None);
        let (sender, receiver) = channel();
        let told = {
            let (parts, stop, failed) = (&parts, &stop, &failed);
            let (place, work) = (&place, &work);
            py.detach(move || {
                let (mut done, mut shown, mut told) = (0, 0, Ok(()));
                thread::scope(|scope| {
                    for _ in 0..threads {
                        let sender = sender.clone();
                        scope.spawn(move || {
                            let mut place = place();
                            while !stop.load(Ordering::Relaxed) {
                                let Some((rows, part)) =
                                    parts.lock().ok().and_then(|mut parts| parts.next())
                                else {
                                    break;
                                };
                                if let Err(error) = work(&mut place, part) {
                                    stop.store(true, Ordering::Relaxed);
                                    if let Ok(mut failed) = failed.lock() {
                                        failed.get_or_insert(error);
                                    }
                                }
                                let _ = sender.send(rows);
                            }
                        });
                    }
                    drop(sender);
                    loop {
                        let ended = match receiver.recv_timeout(INTERVAL) {
                            Ok(rows) => {
                                done += rows + receiver.try_iter().sum::<usize>();
                                false
                            }
                            Err(RecvTimeoutError::Timeout) => false,
                            Err(RecvTimeoutError::Disconnected) => true,
                        };
                        if ended {
                            break;
                        }
                        if told.is_ok() {
                            told = Python::attach(|py| {
                                py.check_signals()?;
                                match &progress {
                                    Some(progress) if done > shown => {
                                        shown = done;
                                        progress.call1(py, (done, rows)).map(drop)
                                    }
                                    _ => Ok(()),
                                }
                            });
                            if told.is_err() {
                                stop.store(true, Ordering::Relaxed);
                            }
                        }
                    }
                });
                told
            })
        };
        told?;
        match failed.into_inner() {
            Ok(Some(error)) => Err(bulk_error(&error)),
            _ => Ok(()),
        }
    }
}

/// A column whose chunks are found row by row.
pub(crate) struct Chunked<'a> {
    pub(crate) columns: &'a [Column<'a>],
    pub(crate) starts: &'a [usize],
    /// The row that is row 0 here, and how many there are.
    pub(crate) first: usize,
    pub(crate) rows: usize,
}

impl Rows for Chunked<'_> {
    fn len(&self) -> usize {
        self.rows
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        let row = self.first + row;
        let chunk = match self.columns.len() {
            1 => 0,
            _ => self.starts.partition_point(|start| *start <= row).checked_sub(1)?,
        };
        self.columns.get(chunk)?.get(row - self.starts.get(chunk)?)
    }
}

/// Calls `with` with the columns of all chunks.
pub(crate) fn with_chunks<T>(
    imported: &Imported,
    with: impl FnOnce(&[Column<'_>]) -> PyResult<T>,
    problem: impl Fn(BadColumn) -> PyErr,
) -> PyResult<T> {
    let held = imported.held().map_err(&problem)?;
    let values: Vec<Column<'_>> = held.iter().map(Held::values).collect();
    let mut columns = Vec::with_capacity(held.len());
    for ((held, values), first) in held.iter().zip(&values).zip(imported.starts()) {
        columns.push(held.column(values).map_err(|error| problem(error.after(*first)))?);
    }
    with(&columns)
}
