//! Ticks: of a counter of time that the CPU has, fenced on both sides, with the monotonic clock beside it; or of a
//! counter of executed instructions, which `count/plugin.c` keeps in a file where the program runs in an emulator.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

static INSTRUCTIONS: OnceLock<File> = OnceLock::new();

/// Counts instructions from now on.
pub(crate) fn count_instructions(path: &Path) -> Result<(), String> {
    let unread = |error| format!("no counter of instructions in {}: {error}", path.display());
    let file = File::open(path).map_err(unread)?;
    let (before, after) = (read(&file).map_err(unread)?, read(&file).map_err(unread)?);
    if before >= after {
        return Err(format!("the counter in {} stands still at {before}", path.display()));
    }
    INSTRUCTIONS.set(file).map_err(|_| "instructions are counted already".into())
}

fn read(counter: &File) -> std::io::Result<u64> {
    let mut count = [0; 8];
    counter.read_exact_at(&mut count, 0)?;
    Ok(u64::from_le_bytes(count))
}

fn instructions() -> Option<u64> {
    INSTRUCTIONS.get().map(|file| read(file).expect("it could be read before"))
}

/// The counter at the start: nothing later starts before it is read.
#[inline]
pub(crate) fn ticks_start() -> u64 {
    instructions().unwrap_or_else(time::start)
}

/// The counter at the end: everything earlier has been done when it is read.
#[inline]
pub(crate) fn ticks_end() -> u64 {
    instructions().unwrap_or_else(time::end)
}

#[cfg(target_arch = "x86_64")]
mod time {
    //! The time-stamp counter.

    use std::arch::x86_64::{__rdtscp, _mm_lfence, _rdtsc};

    pub(super) const NAME: &str = "rdtsc and rdtscp with lfence";

    #[inline]
    pub(super) fn start() -> u64 {
        // SAFETY: every x86-64 CPU has SSE2.
        unsafe { _mm_lfence() };
        // SAFETY: Linux lets programs read the counter.
        let tsc = unsafe { _rdtsc() };
        // SAFETY: every x86-64 CPU has SSE2.
        unsafe { _mm_lfence() };
        tsc
    }

    #[inline]
    pub(super) fn end() -> u64 {
        let mut core = 0;
        // SAFETY: CPUs with AVX2 have RDTSCP, and the place for the core's number is ours.
        let tsc = unsafe { __rdtscp(&mut core) };
        // SAFETY: every x86-64 CPU has SSE2.
        unsafe { _mm_lfence() };
        tsc
    }
}

#[cfg(target_arch = "aarch64")]
mod time {
    //! The virtual counter, whose frequency is not that of the CPU: from 24 MHz to 1 GHz.

    use std::arch::asm;

    pub(super) const NAME: &str = "cntvct_el0 between isb";

    #[inline]
    pub(super) fn start() -> u64 {
        let count: u64;
        // SAFETY: Linux lets programs read the counter, and the barriers change nothing.
        unsafe {
            asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) count, options(nostack, preserves_flags))
        };
        count
    }

    #[inline]
    pub(super) fn end() -> u64 {
        start()
    }
}

/// How long the calibration takes.
const CALIBRATION: Duration = Duration::from_millis(500);

/// Ticks of the counter of time per second, against the monotonic clock.
pub(crate) fn frequency() -> f64 {
    let (start, first) = (Instant::now(), time::start());
    while start.elapsed() < CALIBRATION {
        std::hint::spin_loop();
    }
    let ticks = time::end() - first;
    ticks as f64 / start.elapsed().as_secs_f64()
}

/// How the frequency is found out.
pub(crate) fn frequency_how() -> String {
    format!("{}, against CLOCK_MONOTONIC over {} ms", time::NAME, CALIBRATION.as_millis())
}
