//! Division steps on 64-bit Arm: conditional selects, of which the time does not depend on the condition.

use core::arch::asm;

/// One step on δ − 1/2, f and g. ±f and the next δ for an even g are ready before g is known, so that g waits for g of the step
/// before by four instructions. For an even g, CCMP sets the flags of "less".
macro_rules! step {
    () => {
        // t: −f where δ > 0, else f; 0 where g is even
        "cmp {delta}, #0
        cneg {t}, {f}, ge
        add {next}, {delta}, #1
        tst {g}, #1
        csel {t}, {t}, xzr, ne
        ccmp {delta}, #0, #8, ne
        csel {f}, {g}, {f}, ge
        csneg {delta}, {next}, {delta}, lt
        add {g}, {g}, {t}
        asr {g}, {g}, #1
        "
    };
}

macro_rules! five_steps {
    () => {
        concat!(step!(), step!(), step!(), step!(), step!())
    };
}

/// δ − 1/2, f and g after 20 steps.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn twenty_steps(mut delta: i64, mut f: i64, mut g: i64) -> (i64, i64, i64) {
    // SAFETY: the five registers that change are named, and no memory is touched.
    unsafe {
        asm!(
            five_steps!(), five_steps!(), five_steps!(), five_steps!(),
            delta = inout(reg) delta, f = inout(reg) f, g = inout(reg) g,
            t = out(reg) _, next = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    (delta, f, g)
}
