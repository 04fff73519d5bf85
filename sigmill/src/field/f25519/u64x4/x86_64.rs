//! Sums, differences and choices of four words on x86-64: chains of carries, and conditional moves.

use crate::ct::Mask;
use core::arch::asm;

/// The same residue, below 2^255 + 19, for words below 2^256.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn folded(x: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: the six registers that change are named.
    unsafe {
        asm!(
            "mov {t}, {z3}",
            "sar {t}, 63",
            "and {t:e}, 19",
            "btr {z3}, 63",
            "add {z0}, {t}",
            "adc {z1}, 0",
            "adc {z2}, 0",
            "adc {z3}, 0",
            t = out(reg) _,
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}

/// `x + y`, below 2^256, for x + y below 2^256 + 2^64 − 38.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn sum_of_products(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: every register that changes is an output.
    unsafe {
        asm!(
            "add {z0}, {y0}",
            "adc {z1}, {y1}",
            "adc {z2}, {y2}",
            "adc {z3}, {y3}",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "add {z0}, {t}",
            t = out(reg) _,
            y0 = in(reg) y[0], y1 = in(reg) y[1], y2 = in(reg) y[2], y3 = in(reg) y[3],
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}

/// `x − y`, below 2^256, for x − y from 38 − 2^256 on.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn difference_of_products(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: what changes is named: four words and one more.
    unsafe {
        asm!(
            "sub {z0}, {y0}",
            "sbb {z1}, {y1}",
            "sbb {z2}, {y2}",
            "sbb {z3}, {y3}",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "sub {z0}, {t}",
            "sbb {z1}, 0",
            "sbb {z2}, 0",
            "sbb {z3}, 0",
            t = out(reg) _,
            y0 = in(reg) y[0], y1 = in(reg) y[1], y2 = in(reg) y[2], y3 = in(reg) y[3],
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}

/// `x + y`, below 2^256, for words below 2^256. Where the first 38 passes 2^256, less than 38 is left.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn sum(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: nothing but named registers changes.
    unsafe {
        asm!(
            "add {z0}, {y0}",
            "adc {z1}, {y1}",
            "adc {z2}, {y2}",
            "adc {z3}, {y3}",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "add {z0}, {t}",
            "adc {z1}, 0",
            "adc {z2}, 0",
            "adc {z3}, 0",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "add {z0}, {t}",
            t = out(reg) _,
            y0 = in(reg) y[0], y1 = in(reg) y[1], y2 = in(reg) y[2], y3 = in(reg) y[3],
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}

/// `x − y`, below 2^256, for words below 2^256. Where the first 38 passes 0, less than 38 is missing to 2^256.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn difference(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: it computes in registers, of which those that change are named.
    unsafe {
        asm!(
            "sub {z0}, {y0}",
            "sbb {z1}, {y1}",
            "sbb {z2}, {y2}",
            "sbb {z3}, {y3}",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "sub {z0}, {t}",
            "sbb {z1}, 0",
            "sbb {z2}, 0",
            "sbb {z3}, 0",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "sub {z0}, {t}",
            t = out(reg) _,
            y0 = in(reg) y[0], y1 = in(reg) y[1], y2 = in(reg) y[2], y3 = in(reg) y[3],
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}

/// The first where the mask is all ones, the second where it is 0: conditional moves, of which the time does not
/// depend on the condition.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn selected(mask: Mask, if_set: &[u64; 4], if_clear: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *if_clear;
    // SAFETY: the four registers that are moved to are outputs.
    unsafe {
        asm!(
            "test {m}, {m}",
            "cmovnz {z0}, {y0}",
            "cmovnz {z1}, {y1}",
            "cmovnz {z2}, {y2}",
            "cmovnz {z3}, {y3}",
            m = in(reg) mask.word(),
            y0 = in(reg) if_set[0], y1 = in(reg) if_set[1],
            y2 = in(reg) if_set[2], y3 = in(reg) if_set[3],
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}
