//! Arithmetic modulo p on every 64-bit Arm: x·y/2^256 mod p for x and y below p, the lowest word first.
//!
//! The product is made row by row; its lower half is reduced with shifts alone and added to the upper one.
//!
//! Constant time: no branch and no address depends on a word.

use core::arch::asm;

/// Adds p where {m} is all ones, nothing where it is 0.
#[rustfmt::skip]
macro_rules! add_p {
    ($w0:ident, $w1:ident, $w2:ident, $w3:ident) => {
        concat!(
            "and {t}, {m}, #0xffffffff\n",
            "and {u}, {m}, #0xffffffff00000001\n",
            add_words!($w0 m, $w1 t),
            concat!("adcs {", stringify!($w2), "}, {", stringify!($w2), "}, xzr\n"),
            op!("adcs" $w3 $w3 u),
        )
    };
}

/// w − p in d, with a borrow in the flags.
#[rustfmt::skip]
macro_rules! subtract_p {
    ($d0:ident $w0:ident, $d1:ident $w1:ident, $d2:ident $w2:ident, $d3:ident $w3:ident) => {
        concat!(
            "mov {t}, #0xffffffff\n",
            "mov {u}, #0xffffffff00000001\n",
            // less 2^64 − 1: a carry stands for no borrow
            concat!("adds {", stringify!($d0), "}, {", stringify!($w0), "}, #1\n"),
            op!("sbcs" $d1 $w1 t),
            concat!("sbcs {", stringify!($d2), "}, {", stringify!($w2), "}, xzr\n"),
            op!("sbcs" $d3 $w3 u),
        )
    };
}

sums!(4, add_p, subtract_p; w0 y0 w1, w1 y1 w2, w2 y2 w3, w3 y3 m);

/// Adds x·y to four words; x becomes the word above them. Changes l0 to l3.
#[rustfmt::skip]
macro_rules! row {
    ($x:ident, $w0:ident, $w1:ident, $w2:ident, $w3:ident) => {
        concat!(
            products!("mul" $x: l0 y0, l1 y1, l2 y2, l3 y3),
            add_words!($w0 l0, $w1 l1, $w2 l2, $w3 l3),
            products!("umulh" $x: l0 y0, l1 y1, l2 y2, $x y3),
            add_carry_to!($x),
            add_words!($w1 l0, $w2 l1, $w3 l2),
            add_carry_to!($x),
        )
    };
}

/// Adds q·p with q = t0 and divides by 2^64: the word above t3 takes the place of t0. q·p = q·(2^64 − 2^32 + 1)·2^192 + q·2^96 − q.
/// Changes l0, l1 and l2.
#[rustfmt::skip]
macro_rules! reduce {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal) => {
        concat!(
            "lsr {l0}, ", $t0, ", #32\n",
            "subs {l1}, ", $t0, ", ", $t0, ", lsl #32\n",
            "sbc {l2}, ", $t0, ", {l0}\n",
            "adds ", $t1, ", ", $t1, ", ", $t0, ", lsl #32\n",
            "adcs ", $t2, ", ", $t2, ", {l0}\n",
            "adcs ", $t3, ", ", $t3, ", {l1}\n",
            // q·p is below 2^64·p
            "adc ", $t0, ", {l2}, xzr\n",
        )
    };
}

/// t0 to t3 over 2^256, and the upper words, modulo p: left in the upper words. Changes t0 to t3, l0, l1, l2, t and u.
#[rustfmt::skip]
macro_rules! reduced {
    ($h0:ident, $h1:ident, $h2:ident, $h3:ident) => {
        concat!(
            reduce!("{t0}", "{t1}", "{t2}", "{t3}"),
            reduce!("{t1}", "{t2}", "{t3}", "{t0}"),
            reduce!("{t2}", "{t3}", "{t0}", "{t1}"),
            reduce!("{t3}", "{t0}", "{t1}", "{t2}"),
            add_words!($h0 t0, $h1 t1, $h2 t2, $h3 t3),
            "adc {l0}, xzr, xzr\n",
            subtract_p!(t0 $h0, t1 $h1, t2 $h2, t3 $h3),
            "sbcs xzr, {l0}, xzr\n",
            select_difference!($h0 t0, $h1 t1, $h2 t2, $h3 t3),
        )
    };
}

/// `x·y/2^256` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn product(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let ([mut x0, mut x1, mut x2, mut x3], [y0, y1, y2, y3]) = (*x, *y);
    // SAFETY: all registers that change are named, and no memory is used.
    unsafe {
        asm!(
            products!("mul" x0: t0 y0, t1 y1, t2 y2, t3 y3),
            products!("umulh" x0: l0 y0, l1 y1, l2 y2, x0 y3),
            add_words!(t1 l0, t2 l1, t3 l2),
            add_carry_to!(x0),
            row!(x1, t1, t2, t3, x0),
            row!(x2, t2, t3, x0, x1),
            row!(x3, t3, x0, x1, x2),
            reduced!(x0, x1, x2, x3),
            x0 = inout(reg) x0, x1 = inout(reg) x1, x2 = inout(reg) x2, x3 = inout(reg) x3,
            y0 = in(reg) y0, y1 = in(reg) y1, y2 = in(reg) y2, y3 = in(reg) y3,
            t0 = out(reg) _, t1 = out(reg) _, t2 = out(reg) _, t3 = out(reg) _,
            l0 = out(reg) _, l1 = out(reg) _, l2 = out(reg) _, l3 = out(reg) _,
            t = out(reg) _, u = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    [x0, x1, x2, x3]
}

/// `x²/2^256` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn square(x: &[u64; 4]) -> [u64; 4] {
    let [x0, x1, x2, x3] = *x;
    let (t4, t5, t6, t7): (u64, u64, u64, u64);
    // SAFETY: all registers that change are named, and no memory is used.
    unsafe {
        asm!(
            // products of different words
            products!("mul" x0: t1 x1, t2 x2, t3 x3),
            products!("umulh" x0: l0 x1, l1 x2, t4 x3),
            add_words!(t2 l0, t3 l1),
            add_carry_to!(t4),
            products!("mul" x1: l0 x2, l1 x3),
            products!("umulh" x1: l2 x2, t5 x3),
            add_words!(t3 l0, t4 l1),
            add_carry_to!(t5),
            op!("mul" l0 x2 x3),
            op!("umulh" t6 x2 x3),
            add_words!(t4 l2, t5 l0),
            add_carry_to!(t6),
            // twice these and the squares
            add_words!(t1 t1, t2 t2, t3 t3, t4 t4, t5 t5, t6 t6),
            "adc {t7}, xzr, xzr",
            op!("mul" t0 x0 x0), op!("umulh" x0 x0 x0), op!("mul" l0 x1 x1), op!("umulh" x1 x1 x1),
            op!("mul" l1 x2 x2), op!("umulh" x2 x2 x2), op!("mul" l2 x3 x3), op!("umulh" x3 x3 x3),
            add_words!(t1 x0, t2 l0, t3 x1, t4 l1, t5 x2, t6 l2, t7 x3),
            reduced!(t4, t5, t6, t7),
            x0 = inout(reg) x0 => _, x1 = inout(reg) x1 => _, x2 = inout(reg) x2 => _, x3 = inout(reg) x3 => _,
            t0 = out(reg) _, t1 = out(reg) _, t2 = out(reg) _, t3 = out(reg) _,
            t4 = out(reg) t4, t5 = out(reg) t5, t6 = out(reg) t6, t7 = out(reg) t7,
            l0 = out(reg) _, l1 = out(reg) _, l2 = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    [t4, t5, t6, t7]
}
