//! Threads of the program. An engine with threads of its own would be compared with engines that have one.

use crate::ops::Op;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// One, unless an emulator has others beside it.
static FIRST: LazyLock<usize> = LazyLock::new(count);

/// Takes the threads that there are now for those of the program itself.
pub(crate) fn begin() {
    LazyLock::force(&FIRST);
}

/// Fails if there are more threads than the operation allows. If it has several, each contestant keeps its own,
/// which sleep between its slots, and the program waits.
pub(crate) fn check(op: &Op, contestants: usize) -> Result<(), String> {
    let more = if op.threads == 1 { 0 } else { op.threads * contestants };
    let (name, threads, allowed) = (op.name, count(), *FIRST + more);
    if threads <= allowed {
        return Ok(());
    }
    Err(format!("an engine of {name} started threads: there are {threads}, not {allowed}"))
}

/// Waits for threads of the operation before, which end a moment after they were told to.
pub(crate) fn await_first() -> Result<(), String> {
    let start = Instant::now();
    while count() > *FIRST {
        if start.elapsed() > Duration::from_secs(5) {
            return Err(format!("threads are left from before: {}", count() - *FIRST));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn count() -> usize {
    fs::read_dir("/proc/self/task").map_or(1, Iterator::count)
}
