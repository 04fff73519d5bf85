//! Time: the time-stamp counter, fenced on both sides, and the monotonic clock beside it.

use std::arch::x86_64::{__rdtscp, _mm_lfence, _rdtsc};
use std::time::{Duration, Instant};

/// The counter at the start: nothing later starts before it is read.
#[inline]
pub(crate) fn tsc_start() -> u64 {
    // SAFETY: every x86-64 CPU has SSE2.
    unsafe { _mm_lfence() };
    // SAFETY: Linux lets programs read the counter.
    let tsc = unsafe { _rdtsc() };
    // SAFETY: every x86-64 CPU has SSE2.
    unsafe { _mm_lfence() };
    tsc
}

/// The counter at the end: everything earlier has been done when it is read.
#[inline]
pub(crate) fn tsc_end() -> u64 {
    let mut core = 0;
    // SAFETY: CPUs with AVX2 have RDTSCP, and the place for the core's number is ours.
    let tsc = unsafe { __rdtscp(&mut core) };
    // SAFETY: every x86-64 CPU has SSE2.
    unsafe { _mm_lfence() };
    tsc
}

/// How long the calibration takes.
pub(crate) const CALIBRATION: Duration = Duration::from_millis(500);

/// Ticks of the counter per second, against the monotonic clock.
pub(crate) fn tsc_frequency() -> f64 {
    let (start, tsc) = (Instant::now(), tsc_start());
    while start.elapsed() < CALIBRATION {
        std::hint::spin_loop();
    }
    let ticks = tsc_end() - tsc;
    ticks as f64 / start.elapsed().as_secs_f64()
}
