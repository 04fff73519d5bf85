//! Reading on a thread of its own, one batch ahead of verifying.
//!
//! The thread is detached: if standard input keeps it waiting, the process still ends. Its batches
//! arrive in order, errors too. The end is sent like a batch, so that a thread that is gone without it
//! never passes for the end of the table.

use super::batch::Batch;
use super::read::Source;
use crate::signals;
use crate::status::{Failure, Result};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SendError, sync_channel};
use std::thread;

/// The decoders' stack, as large as that of a main thread.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// The batches of a table.
pub(super) enum Batches {
    /// Read when they are asked for, where no other thread is wanted or to be had.
    Here(Box<Source>),
    /// Read by another thread: one waits here while the next is read.
    Ahead(PathBuf, Receiver<Result<Option<Batch>>>),
}

impl Batches {
    pub(super) fn of(source: Source, path: &Path, ahead: bool) -> Self {
        let source = Box::new(source);
        if !ahead {
            return Batches::Here(source);
        }
        let (give, given) = sync_channel::<Box<Source>>(1);
        let (sender, receiver) = sync_channel(1);
        let read = move || {
            let Ok(mut source) = given.recv() else { return };
            loop {
                let next = source.next_batch();
                let is_last = !matches!(next, Ok(Some(_)));
                // nobody listens any more after an error of verifying or of the output
                if sender.send(next).is_err() || is_last {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("reader".to_owned()).stack_size(STACK_BYTES);
        let _held = signals::hold();
        if thread.spawn(read).is_err() {
            return Batches::Here(source);
        }
        match give.send(source) {
            Ok(()) => Batches::Ahead(path.to_owned(), receiver),
            Err(SendError(source)) => Batches::Here(source),
        }
    }

    /// The next rows; `None` at the end.
    pub(super) fn next_batch(&mut self) -> Result<Option<Batch>> {
        match self {
            Batches::Here(source) => source.next_batch(),
            Batches::Ahead(path, receiver) => receiver
                .recv()
                .unwrap_or_else(|_| Err(Failure::at(path, "reading broke off before the end"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_is_gone_is_no_end() {
        let (sender, receiver) = sync_channel(1);
        sender.send(Ok(None)).expect("there is room");
        drop(sender);
        let mut batches = Batches::Ahead("t.parquet".into(), receiver);
        assert!(matches!(batches.next_batch(), Ok(None)));
        let error = batches.next_batch().err().expect("an error");
        assert_eq!(error.to_string(), "t.parquet: reading broke off before the end");
    }
}
