//! Arithmetic modulo p on every 64-bit Arm: x·y/2^384 mod p for x and y below p, the lowest word first.
//!
//! The product is made row by row; its lower half is reduced with shifts alone, in chains of borrows.
//!
//! Constant time: no branch and no address depends on a word.

use core::arch::asm;

/// Adds p where {m} is all ones, nothing where it is 0.
#[rustfmt::skip]
macro_rules! add_p {
    ($w0:ident, $w1:ident, $w2:ident, $w3:ident, $w4:ident, $w5:ident) => {
        concat!(
            "and {t}, {m}, #0xffffffff\n",
            "and {u}, {m}, #0xffffffff00000000\n",
            add_words!($w0 t, $w1 u),
            "and {t}, {m}, #0xfffffffffffffffe\n",
            op!("adcs" $w2 $w2 t), op!("adcs" $w3 $w3 m), op!("adcs" $w4 $w4 m), op!("adcs" $w5 $w5 m),
        )
    };
}

/// w − p in d, with a borrow in the flags. To subtract a word is to add its complement, and the three highest have that of 0.
#[rustfmt::skip]
macro_rules! subtract_p {
    ($d0:ident $w0:ident, $d1:ident $w1:ident, $d2:ident $w2:ident, $d3:ident $w3:ident, $d4:ident $w4:ident, $d5:ident $w5:ident) => {
        concat!(
            "mov {t}, #0xffffffff\n",
            "mov {u}, #1\n",
            op!("subs" $d0 $w0 t), op!("adcs" $d1 $w1 t), op!("adcs" $d2 $w2 u),
            concat!("adcs {", stringify!($d3), "}, {", stringify!($w3), "}, xzr\n"),
            concat!("adcs {", stringify!($d4), "}, {", stringify!($w4), "}, xzr\n"),
            concat!("adcs {", stringify!($d5), "}, {", stringify!($w5), "}, xzr\n"),
        )
    };
}

sums!(6, add_p, subtract_p; w0 y0 w1, w1 y1 w2, w2 y2 w3, w3 y3 w4, w4 y4 w5, w5 y5 m);

/// Adds x·y to six words; x becomes the word above them. Changes l0 to l3, k and t.
#[rustfmt::skip]
macro_rules! row {
    ($x:ident, $w0:ident, $w1:ident, $w2:ident, $w3:ident, $w4:ident, $w5:ident) => {
        concat!(
            products!("mul" $x: l0 y0, l1 y1, l2 y2, l3 y3, k y4, t y5),
            add_words!($w0 l0, $w1 l1, $w2 l2, $w3 l3, $w4 k, $w5 t),
            products!("umulh" $x: l0 y0, l1 y1, l2 y2, l3 y3, k y4, $x y5),
            add_carry_to!($x),
            add_words!($w1 l0, $w2 l1, $w3 l2, $w4 l3, $w5 k),
            add_carry_to!($x),
        )
    };
}

/// Adds q·p with q = t0·(2^32 + 1) mod 2^64, which takes the place of t0: q·p = q·2^384 − q·(2^128 + 2^96 − 2^32 + 1), of which
/// the first part is added later. `k`, 0 in the first step, holds the borrow from t3 for the next step's t3. Changes l0 to l3.
#[rustfmt::skip]
macro_rules! reduce {
    ($t0:ident, $t1:ident, $t2:ident, $t3:ident; $k:literal) => {
        concat!(
            concat!("add {", stringify!($t0), "}, {", stringify!($t0), "}, {", stringify!($t0), "}, lsl #32\n"),
            concat!("lsl {l0}, {", stringify!($t0), "}, #32\n"),
            concat!("lsr {l1}, {", stringify!($t0), "}, #32\n"),
            concat!("cmp {", stringify!($t0), "}, {l0}\n"),
            "sbcs {l0}, {l0}, {l1}\n",
            // there is a borrow only if q is not 0
            concat!("sbc {l2}, {", stringify!($t0), "}, xzr\n"),
            "adds {l2}, {l2}, {l1}\n",
            "adc {l3}, ", $k, ", xzr\n",
            op!("subs" $t1 $t1 l0), op!("sbcs" $t2 $t2 l2), op!("sbcs" $t3 $t3 l3),
            "cset {k}, lo\n",
        )
    };
}

/// t0 to t5 over 2^384, and the upper words, modulo p: left in the upper words. Changes t0 to t5, l0 to l3, k, t and u.
#[rustfmt::skip]
macro_rules! reduced {
    ($h0:ident, $h1:ident, $h2:ident, $h3:ident, $h4:ident, $h5:ident) => {
        concat!(
            reduce!(t0, t1, t2, t3; "xzr"),
            reduce!(t1, t2, t3, t4; "{k}"),
            reduce!(t2, t3, t4, t5; "{k}"),
            reduce!(t3, t4, t5, $h0; "{k}"),
            reduce!(t4, t5, $h0, $h1; "{k}"),
            reduce!(t5, $h0, $h1, $h2; "{k}"),
            op!("subs" $h3 $h3 k),
            concat!("sbcs {", stringify!($h4), "}, {", stringify!($h4), "}, xzr\n"),
            concat!("sbcs {", stringify!($h5), "}, {", stringify!($h5), "}, xzr\n"),
            "sbc {k}, xzr, xzr\n",
            // all q
            add_words!($h0 t0, $h1 t1, $h2 t2, $h3 t3, $h4 t4, $h5 t5),
            add_carry_to!(k),
            subtract_p!(t0 $h0, t1 $h1, t2 $h2, t3 $h3, t4 $h4, t5 $h5),
            "sbcs xzr, {k}, xzr\n",
            select_difference!($h0 t0, $h1 t1, $h2 t2, $h3 t3, $h4 t4, $h5 t5),
        )
    };
}

/// `x·y/2^384` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn product(x: &[u64; 6], y: &[u64; 6]) -> [u64; 6] {
    let [mut x0, mut x1, mut x2, mut x3, mut x4, mut x5] = *x;
    let [y0, y1, y2, y3, y4, y5] = *y;
    // SAFETY: all registers that change are named, and no memory is used.
    unsafe {
        asm!(
            products!("mul" x0: t0 y0, t1 y1, t2 y2, t3 y3, t4 y4, t5 y5),
            products!("umulh" x0: l0 y0, l1 y1, l2 y2, l3 y3, k y4, x0 y5),
            add_words!(t1 l0, t2 l1, t3 l2, t4 l3, t5 k),
            add_carry_to!(x0),
            row!(x1, t1, t2, t3, t4, t5, x0),
            row!(x2, t2, t3, t4, t5, x0, x1),
            row!(x3, t3, t4, t5, x0, x1, x2),
            row!(x4, t4, t5, x0, x1, x2, x3),
            row!(x5, t5, x0, x1, x2, x3, x4),
            reduced!(x0, x1, x2, x3, x4, x5),
            x0 = inout(reg) x0, x1 = inout(reg) x1, x2 = inout(reg) x2,
            x3 = inout(reg) x3, x4 = inout(reg) x4, x5 = inout(reg) x5,
            y0 = in(reg) y0, y1 = in(reg) y1, y2 = in(reg) y2,
            y3 = in(reg) y3, y4 = in(reg) y4, y5 = in(reg) y5,
            t0 = out(reg) _, t1 = out(reg) _, t2 = out(reg) _,
            t3 = out(reg) _, t4 = out(reg) _, t5 = out(reg) _,
            l0 = out(reg) _, l1 = out(reg) _, l2 = out(reg) _, l3 = out(reg) _,
            k = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    [x0, x1, x2, x3, x4, x5]
}

/// `x²/2^384` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn square(x: &[u64; 6]) -> [u64; 6] {
    let [x0, x1, x2, x3, x4, x5] = *x;
    let (t6, t7, t8, t9, t10, t11): (u64, u64, u64, u64, u64, u64);
    // SAFETY: all registers that change are named, and no memory is used.
    unsafe {
        asm!(
            // products of different words
            products!("mul" x0: t1 x1, t2 x2, t3 x3, t4 x4, t5 x5),
            products!("umulh" x0: l0 x1, l1 x2, l2 x3, l3 x4, t6 x5),
            add_words!(t2 l0, t3 l1, t4 l2, t5 l3),
            add_carry_to!(t6),
            products!("mul" x1: l0 x2, l1 x3, l2 x4, l3 x5),
            add_words!(t3 l0, t4 l1, t5 l2, t6 l3),
            products!("umulh" x1: l0 x2, l1 x3, l2 x4, t7 x5),
            add_carry_to!(t7),
            add_words!(t4 l0, t5 l1, t6 l2),
            add_carry_to!(t7),
            products!("mul" x2: l0 x3, l1 x4, l2 x5),
            add_words!(t5 l0, t6 l1, t7 l2),
            products!("umulh" x2: l0 x3, l1 x4, t8 x5),
            add_carry_to!(t8),
            add_words!(t6 l0, t7 l1),
            add_carry_to!(t8),
            products!("mul" x3: l0 x4, l1 x5),
            add_words!(t7 l0, t8 l1),
            products!("umulh" x3: l0 x4, t9 x5),
            add_carry_to!(t9),
            op!("mul" l1 x4 x5), op!("umulh" t10 x4 x5),
            add_words!(t8 l0, t9 l1),
            add_carry_to!(t10),
            // twice these and the squares
            add_words!(t1 t1, t2 t2, t3 t3, t4 t4, t5 t5, t6 t6, t7 t7, t8 t8, t9 t9, t10 t10),
            "adc {t11}, xzr, xzr",
            op!("mul" t0 x0 x0), op!("umulh" x0 x0 x0), op!("mul" l0 x1 x1), op!("umulh" x1 x1 x1),
            op!("mul" l1 x2 x2), op!("umulh" x2 x2 x2), op!("mul" l2 x3 x3), op!("umulh" x3 x3 x3),
            op!("mul" l3 x4 x4), op!("umulh" x4 x4 x4), op!("mul" k x5 x5), op!("umulh" x5 x5 x5),
            add_words!(t1 x0, t2 l0, t3 x1, t4 l1, t5 x2, t6 l2, t7 x3, t8 l3, t9 x4, t10 k, t11 x5),
            reduced!(t6, t7, t8, t9, t10, t11),
            x0 = inout(reg) x0 => _, x1 = inout(reg) x1 => _, x2 = inout(reg) x2 => _,
            x3 = inout(reg) x3 => _, x4 = inout(reg) x4 => _, x5 = inout(reg) x5 => _,
            t0 = out(reg) _, t1 = out(reg) _, t2 = out(reg) _,
            t3 = out(reg) _, t4 = out(reg) _, t5 = out(reg) _,
            t6 = out(reg) t6, t7 = out(reg) t7, t8 = out(reg) t8,
            t9 = out(reg) t9, t10 = out(reg) t10, t11 = out(reg) t11,
            l0 = out(reg) _, l1 = out(reg) _, l2 = out(reg) _, l3 = out(reg) _,
            k = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    [t6, t7, t8, t9, t10, t11]
}
