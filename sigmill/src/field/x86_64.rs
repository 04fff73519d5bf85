//! Sums and differences modulo the primes of P-256 and P-384 on x86-64: chains of carries, of which the
//! compiler makes words that it compares and adds.
//!
//! Constant time: no branch and no address depends on a word.

use core::arch::asm;

/// Adds p where {m} is all ones, nothing where it is 0.
macro_rules! add_p384 {
    () => {
        "mov {t:e}, {m:e}
        mov {u}, {m}
        shl {u}, 32
        add {w0}, {t}
        adc {w1}, {u}
        lea {t}, [{m} + {m}]
        adc {w2}, {t}
        adc {w3}, {m}
        adc {w4}, {m}
        adc {w5}, {m}"
    };
}

/// Adds p where {m} is all ones, nothing where it is 0.
macro_rules! add_p256 {
    () => {
        "mov {t:e}, {m:e}
        mov {u}, {m}
        shl {u}, 32
        sub {u}, {m}
        add {w0}, {m}
        adc {w1}, {t}
        adc {w2}, 0
        adc {w3}, {u}"
    };
}

/// `x + y` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p384_add(x: &[u64; 6], y: &[u64; 6]) -> [u64; 6] {
    let [mut w0, mut w1, mut w2, mut w3, mut w4, mut w5] = *x;
    // SAFETY: the words of y are read, and all registers that change are named.
    unsafe {
        asm!(
            "add {w0}, [{y} + 0]",
            "adc {w1}, [{y} + 8]",
            "adc {w2}, [{y} + 16]",
            "adc {w3}, [{y} + 24]",
            "adc {w4}, [{y} + 32]",
            "adc {w5}, [{y} + 40]",
            "sbb {m}, {m}",
            "mov {t:e}, 0xffffffff",
            "sub {w0}, {t}",
            "not {t}",
            "sbb {w1}, {t}",
            "sbb {w2}, -2",
            "sbb {w3}, -1",
            "sbb {w4}, -1",
            "sbb {w5}, -1",
            "adc {m}, 0",
            "neg {m}",
            add_p384!(),
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            w4 = inout(reg) w4,
            w5 = inout(reg) w5,
            y = in(reg) y,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [w0, w1, w2, w3, w4, w5]
}

/// `x − y` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p384_sub(x: &[u64; 6], y: &[u64; 6]) -> [u64; 6] {
    let [mut w0, mut w1, mut w2, mut w3, mut w4, mut w5] = *x;
    // SAFETY: the words of y are read, and all registers that change are named.
    unsafe {
        asm!(
            "sub {w0}, [{y} + 0]",
            "sbb {w1}, [{y} + 8]",
            "sbb {w2}, [{y} + 16]",
            "sbb {w3}, [{y} + 24]",
            "sbb {w4}, [{y} + 32]",
            "sbb {w5}, [{y} + 40]",
            "sbb {m}, {m}",
            add_p384!(),
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            w4 = inout(reg) w4,
            w5 = inout(reg) w5,
            y = in(reg) y,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [w0, w1, w2, w3, w4, w5]
}

/// `x/2` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p384_halve(x: &[u64; 6]) -> [u64; 6] {
    let [mut w0, mut w1, mut w2, mut w3, mut w4, mut w5] = *x;
    // SAFETY: all registers that change are named.
    unsafe {
        asm!(
            "mov {m}, {w0}",
            "and {m}, 1",
            "neg {m}",
            add_p384!(),
            "sbb {m}, {m}",
            "shrd {w0}, {w1}, 1",
            "shrd {w1}, {w2}, 1",
            "shrd {w2}, {w3}, 1",
            "shrd {w3}, {w4}, 1",
            "shrd {w4}, {w5}, 1",
            "shrd {w5}, {m}, 1",
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            w4 = inout(reg) w4,
            w5 = inout(reg) w5,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    [w0, w1, w2, w3, w4, w5]
}

/// `x + y` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p256_add(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut w0, mut w1, mut w2, mut w3] = *x;
    // SAFETY: the words of y are read, and all registers that change are named.
    unsafe {
        asm!(
            "add {w0}, [{y} + 0]",
            "adc {w1}, [{y} + 8]",
            "adc {w2}, [{y} + 16]",
            "adc {w3}, [{y} + 24]",
            "sbb {m}, {m}",
            "mov {t:e}, 0xffffffff",
            "mov {u}, 0xffffffff00000001",
            "sub {w0}, -1",
            "sbb {w1}, {t}",
            "sbb {w2}, 0",
            "sbb {w3}, {u}",
            "adc {m}, 0",
            "neg {m}",
            add_p256!(),
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            y = in(reg) y,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [w0, w1, w2, w3]
}

/// `x − y` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p256_sub(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut w0, mut w1, mut w2, mut w3] = *x;
    // SAFETY: the words of y are read, and all registers that change are named.
    unsafe {
        asm!(
            "sub {w0}, [{y} + 0]",
            "sbb {w1}, [{y} + 8]",
            "sbb {w2}, [{y} + 16]",
            "sbb {w3}, [{y} + 24]",
            "sbb {m}, {m}",
            add_p256!(),
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            y = in(reg) y,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [w0, w1, w2, w3]
}

/// `x/2` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p256_halve(x: &[u64; 4]) -> [u64; 4] {
    let [mut w0, mut w1, mut w2, mut w3] = *x;
    // SAFETY: all registers that change are named.
    unsafe {
        asm!(
            "mov {m}, {w0}",
            "and {m}, 1",
            "neg {m}",
            add_p256!(),
            "sbb {m}, {m}",
            "shrd {w0}, {w1}, 1",
            "shrd {w1}, {w2}, 1",
            "shrd {w2}, {w3}, 1",
            "shrd {w3}, {m}, 1",
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    [w0, w1, w2, w3]
}
