//! Signals that end the program: held back for the moments at which a file has a name that is not its own.
//!
//! A thread holds back what the thread that starts it does. Threads are started while signals are held, so that
//! only the main thread takes them, and holding them there is enough.

use nix::sys::signal::{SigSet, SigmaskHow, Signal, raise};
use std::io;
use std::marker::PhantomData;
use std::mem;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

const ENDING: [Signal; 4] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM];

/// Signals wait in this thread until this is dropped.
pub(crate) struct Held {
    before: Option<SigSet>,
    of_this_thread: PhantomData<*const ()>,
}

pub(crate) fn hold() -> Held {
    let ending: SigSet = ENDING.into_iter().collect();
    let before = ending.thread_swap_mask(SigmaskHow::SIG_BLOCK).ok();
    Held { before, of_this_thread: PhantomData }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            let _ = before.thread_set_mask();
        }
    }
}

/// From now on a thread takes the signals, calls `clean_up`, and lets the signal end the program.
///
/// # Errors
/// No thread can be made.
pub(crate) fn clean_up_before(clean_up: fn()) -> io::Result<()> {
    static IS_WAITING: AtomicBool = AtomicBool::new(false);
    if IS_WAITING.load(Relaxed) {
        return Ok(());
    }
    let held = hold();
    let taken: SigSet = ENDING.into_iter().filter(|signal| !is_ignored(*signal)).collect();
    let wait = move || {
        let Ok(signal) = taken.wait() else { return };
        clean_up();
        let _ = taken.thread_unblock();
        let _ = raise(signal);
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    // the main thread never takes them again
    mem::forget(held);
    IS_WAITING.store(true, Relaxed);
    Ok(())
}

/// Whether the program was started with this signal ignored, as `nohup` does. Linux keeps a signal that is held
/// and ignored for the thread that waits; other systems drop it.
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal as i32 - 1) & 1 == 1
}
