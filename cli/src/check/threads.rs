//! The threads that verify: as many as are asked for, or fewer where the system does not let so many be made.

use super::decoder::say;
use crate::signals;
use crate::status::{Failure, Result, tell};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::OnceCell;
use std::fs;
use std::rc::Rc;
use std::thread::available_parallelism;

const MIB: u64 = 1 << 20;

/// One is this thread, which needs no other; so it is where no others can be made.
pub(super) fn pool(asked: Option<u16>, quiet: bool) -> Result<Rc<ThreadPool>> {
    let cores = || available_parallelism().map_or(1, usize::from);
    let wanted = asked.map_or_else(cores, usize::from);
    let fitting = fitting(wanted);
    let mut note = (fitting < wanted).then(|| "the limit of memory".to_owned());
    let mut made = None;
    if fitting > 1 {
        let _held = signals::hold();
        match ThreadPoolBuilder::new().num_threads(fitting).build() {
            Ok(pool) => made = Some(Rc::new(pool)),
            Err(error) => note = Some(say(error)),
        }
    }
    let pool = made.map_or_else(alone, Ok)?;
    if let (Some(note), false) = (note, quiet) {
        let threads = pool.current_num_threads();
        tell(format_args!(
            "sigmill: {threads} of {wanted} threads can be made ({note}); going on with these"
        ));
    }
    Ok(pool)
}

/// This thread alone. No thread can be in two pools.
fn alone() -> Result<Rc<ThreadPool>> {
    thread_local! {
        static ALONE: OnceCell<Rc<ThreadPool>> = const { OnceCell::new() };
    }
    ALONE.with(|alone| {
        if let Some(pool) = alone.get() {
            return Ok(pool.clone());
        }
        let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        let pool = pool.map_err(|error| Failure::new(format!("threads: {}", say(error))))?;
        Ok(alone.get_or_init(|| Rc::new(pool)).clone())
    })
}

/// How many threads fit into the limits of memory, at least one. A thread that finds no memory when it starts is the
/// end of the process, by the C library.
fn fitting(wanted: usize) -> usize {
    // a stack of 2 MiB, of the reader 8; the C library reserves 64 MiB of addresses for each thread
    let limits = [
        (Resource::RLIMIT_AS, "VmSize:", 72 * MIB, 128 * MIB),
        (Resource::RLIMIT_DATA, "VmData:", 4 * MIB, 64 * MIB),
    ];
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let used = |name| {
        let line = status.lines().find_map(|line: &str| line.strip_prefix(name));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        kib.unwrap_or(0_u64) * 1024
    };
    let fitting = limits.into_iter().map(|(limit, name, each, rest)| match getrlimit(limit) {
        Ok((most, _)) if most != RLIM_INFINITY => {
            let reader = each;
            usize::try_from(most.saturating_sub(used(name) + rest + reader) / each)
                .unwrap_or(wanted)
        }
        _ => wanted,
    });
    fitting.min().unwrap_or(wanted).clamp(1, wanted)
}
