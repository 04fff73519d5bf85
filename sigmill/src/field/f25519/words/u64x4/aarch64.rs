//! Products, sums and choices of four words on every 64-bit Arm: MUL and UMULH, which leave the flags alone, among chains of ADDS,
//! ADCS, SUBS and SBCS.

use crate::ct::Mask;
use core::arch::asm;

/// Adds a word of x times y to four words of the sum, and makes `top` of what is above them; it may be a word of x that is not
/// needed any more. l0 to l3 change.
#[rustfmt::skip]
macro_rules! row {
    ($x:literal: $s0:literal, $s1:literal, $s2:literal, $s3:literal, $top:literal) => {
        concat!(
            "mul {l0}, ", $x, ", {y0}\n",
            "mul {l1}, ", $x, ", {y1}\n",
            "mul {l2}, ", $x, ", {y2}\n",
            "mul {l3}, ", $x, ", {y3}\n",
            "adds ", $s0, ", ", $s0, ", {l0}\n", "umulh {l0}, ", $x, ", {y0}\n",
            "adcs ", $s1, ", ", $s1, ", {l1}\n", "umulh {l1}, ", $x, ", {y1}\n",
            "adcs ", $s2, ", ", $s2, ", {l2}\n", "umulh {l2}, ", $x, ", {y2}\n",
            "adcs ", $s3, ", ", $s3, ", {l3}\n", "umulh {l3}, ", $x, ", {y3}\n",
            "adc {l3}, {l3}, xzr\n",
            "adds ", $s1, ", ", $s1, ", {l0}\n",
            "adcs ", $s2, ", ", $s2, ", {l1}\n",
            "adcs ", $s3, ", ", $s3, ", {l2}\n",
            "adc ", $top, ", {l3}, xzr\n",
        )
    };
}

/// `to` = 19·q, in shifts by at most 4, which cost no cycle. l0 changes.
#[rustfmt::skip]
macro_rules! times_19 {
    ($q:literal, $to:literal) => {
        concat!("add {l0}, ", $q, ", ", $q, ", lsl #3\n", "add ", $to, ", ", $q, ", {l0}, lsl #1\n")
    };
}

/// Adds 38 times the upper half, h0 to h3, to the lower one, w0 to w3, then folds what is above bit 255. l0 to l3 change.
#[rustfmt::skip]
macro_rules! fold {
    ($h0:literal, $h1:literal, $h2:literal, $h3:literal) => {
        concat!(
            "mov {l3}, #38\n",
            "mul {l0}, ", $h0, ", {l3}\n",
            "mul {l1}, ", $h1, ", {l3}\n",
            "mul {l2}, ", $h2, ", {l3}\n",
            "adds {w0}, {w0}, {l0}\n", "umulh ", $h0, ", ", $h0, ", {l3}\n",
            "mul {l0}, ", $h3, ", {l3}\n",
            "adcs {w1}, {w1}, {l1}\n", "umulh ", $h1, ", ", $h1, ", {l3}\n",
            "adcs {w2}, {w2}, {l2}\n", "umulh ", $h2, ", ", $h2, ", {l3}\n",
            "adcs {w3}, {w3}, {l0}\n", "umulh ", $h3, ", ", $h3, ", {l3}\n",
            "adc ", $h3, ", ", $h3, ", xzr\n",
            "adds {w1}, {w1}, ", $h0, "\n",
            "adcs {w2}, {w2}, ", $h1, "\n",
            "adcs {w3}, {w3}, ", $h2, "\n",
            "adc ", $h3, ", ", $h3, ", xzr\n",
            "extr ", $h3, ", ", $h3, ", {w3}, #63\n",
            "and {w3}, {w3}, #0x7fffffffffffffff\n",
            times_19!($h3, $h3),
            "adds {w0}, {w0}, ", $h3, "\n",
            "adcs {w1}, {w1}, xzr\n",
            "adcs {w2}, {w2}, xzr\n",
            "adc {w3}, {w3}, xzr\n",
        )
    };
}

/// `x·y` for words below 2^256, below 2^255 + `EXCESS`.
#[rustfmt::skip]
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn product(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let (w0, w1, w2, w3): (u64, u64, u64, u64);
    // SAFETY: every register that changes is named, and no memory is touched.
    unsafe {
        asm!(
            "mul {w0}, {x0}, {y0}", "umulh {w1}, {x0}, {y0}",
            "mul {l1}, {x0}, {y1}", "umulh {w2}, {x0}, {y1}",
            "mul {l2}, {x0}, {y2}", "umulh {w3}, {x0}, {y2}",
            "mul {l3}, {x0}, {y3}", "umulh {w4}, {x0}, {y3}",
            "adds {w1}, {w1}, {l1}", "adcs {w2}, {w2}, {l2}", "adcs {w3}, {w3}, {l3}", "adc {w4}, {w4}, xzr",
            row!("{x1}": "{w1}", "{w2}", "{w3}", "{w4}", "{x0}"),
            row!("{x2}": "{w2}", "{w3}", "{w4}", "{x0}", "{x1}"),
            row!("{x3}": "{w3}", "{w4}", "{x0}", "{x1}", "{x2}"),
            fold!("{w4}", "{x0}", "{x1}", "{x2}"),
            x0 = inout(reg) x[0] => _, x1 = inout(reg) x[1] => _, x2 = inout(reg) x[2] => _, x3 = in(reg) x[3],
            y0 = in(reg) y[0], y1 = in(reg) y[1], y2 = in(reg) y[2], y3 = in(reg) y[3],
            w0 = out(reg) w0, w1 = out(reg) w1, w2 = out(reg) w2, w3 = out(reg) w3, w4 = out(reg) _,
            l0 = out(reg) _, l1 = out(reg) _, l2 = out(reg) _, l3 = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    [w0, w1, w2, w3]
}

/// The square of x0 to x3 in w0 to w3 and h0 to h3: products of different words, then these twice and the squares. l0 to l3 change.
macro_rules! columns_of_square {
    () => {
        "mul {w1}, {x0}, {x1}
        umulh {w2}, {x0}, {x1}
        mul {l0}, {x0}, {x2}
        umulh {w3}, {x0}, {x2}
        mul {l1}, {x0}, {x3}
        umulh {h0}, {x0}, {x3}
        mul {l2}, {x1}, {x3}
        umulh {h1}, {x1}, {x3}
        mul {l3}, {x2}, {x3}
        umulh {h2}, {x2}, {x3}
        adds {w2}, {w2}, {l0}
        mul {l0}, {x1}, {x2}
        adcs {w3}, {w3}, {l1}
        umulh {l1}, {x1}, {x2}
        adcs {h0}, {h0}, {l2}
        mul {w0}, {x0}, {x0}
        adcs {h1}, {h1}, {l3}
        umulh {h3}, {x3}, {x3}
        adc {h2}, {h2}, xzr
        adds {w3}, {w3}, {l0}
        umulh {l0}, {x0}, {x0}
        adcs {h0}, {h0}, {l1}
        mul {l1}, {x1}, {x1}
        adcs {h1}, {h1}, xzr
        umulh {l2}, {x1}, {x1}
        adc {h2}, {h2}, xzr
        mul {l3}, {x2}, {x2}
        adds {w1}, {w1}, {w1}
        adcs {w2}, {w2}, {w2}
        adcs {w3}, {w3}, {w3}
        adcs {h0}, {h0}, {h0}
        adcs {h1}, {h1}, {h1}
        adcs {h2}, {h2}, {h2}
        adc {h3}, {h3}, xzr
        adds {w1}, {w1}, {l0}
        umulh {l0}, {x2}, {x2}
        adcs {w2}, {w2}, {l1}
        mul {l1}, {x3}, {x3}
        adcs {w3}, {w3}, {l2}
        adcs {h0}, {h0}, {l3}
        adcs {h1}, {h1}, {l0}
        adcs {h2}, {h2}, {l1}
        adc {h3}, {h3}, xzr
        "
    };
}

/// `x²` for words below 2^256, below 2^255 + `EXCESS`: by fewer instructions than `power`, but not as soon.
#[rustfmt::skip]
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn square(x: &[u64; 4]) -> [u64; 4] {
    let (w0, w1, w2, w3): (u64, u64, u64, u64);
    // SAFETY: every register that changes is named, and no memory is touched.
    unsafe {
        asm!(
            columns_of_square!(),
            fold!("{h0}", "{h1}", "{h2}", "{h3}"),
            x0 = in(reg) x[0], x1 = in(reg) x[1], x2 = in(reg) x[2], x3 = in(reg) x[3],
            w0 = out(reg) w0, w1 = out(reg) w1, w2 = out(reg) w2, w3 = out(reg) w3,
            h0 = out(reg) _, h1 = out(reg) _, h2 = out(reg) _, h3 = out(reg) _,
            l0 = out(reg) _, l1 = out(reg) _, l2 = out(reg) _, l3 = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    [w0, w1, w2, w3]
}

/// `x^(2^n)` for words below 2^256 and n from 1 on, below 2^255 + `EXCESS`. Time depends on n.
///
/// Within the loop bit 255 is not folded. With 38·h3 + w3 = q·2^63 + r, q below 78, the square is the three lower words, 38 times
/// h0, h1 and h2, and 19·q, and r in the highest word: q and r are known before the lower words are. Those carry at most 39 into r.
#[rustfmt::skip]
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn power(x: &[u64; 4], n: u32) -> [u64; 4] {
    let [mut x0, mut x1, mut x2, mut x3] = *x;
    // SAFETY: every register that changes is named, and no memory is touched.
    unsafe {
        asm!(
            "2:",
            columns_of_square!(),
            "mov {l3}, #38",
            "mul {l0}, {h3}, {l3}", "umulh {h3}, {h3}, {l3}",
            "mul {x0}, {h0}, {l3}", "umulh {h0}, {h0}, {l3}",
            "mul {l1}, {h1}, {l3}", "umulh {h1}, {h1}, {l3}",
            "mul {l2}, {h2}, {l3}", "umulh {h2}, {h2}, {l3}",
            // q and r
            "adds {w3}, {w3}, {l0}", "adc {h3}, {h3}, xzr",
            "extr {h3}, {h3}, {w3}, #63", "and {w3}, {w3}, #0x7fffffffffffffff",
            times_19!("{h3}", "{h3}"),
            "adds {w0}, {w0}, {h3}", "adcs {w1}, {w1}, {h0}", "adcs {w2}, {w2}, {h1}", "adc {w3}, {w3}, {h2}",
            "adds {x0}, {w0}, {x0}", "adcs {x1}, {w1}, {l1}", "adcs {x2}, {w2}, {l2}", "adc {x3}, {w3}, xzr",
            "sub {n}, {n}, #1",
            "cbnz {n}, 2b",
            n = inout(reg) u64::from(n) => _,
            x0 = inout(reg) x0, x1 = inout(reg) x1, x2 = inout(reg) x2, x3 = inout(reg) x3,
            w0 = out(reg) _, w1 = out(reg) _, w2 = out(reg) _, w3 = out(reg) _,
            h0 = out(reg) _, h1 = out(reg) _, h2 = out(reg) _, h3 = out(reg) _,
            l0 = out(reg) _, l1 = out(reg) _, l2 = out(reg) _, l3 = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    folded(&[x0, x1, x2, x3])
}

/// The same residue, below 2^255 + 19, for words below 2^256.
#[rustfmt::skip]
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn folded(x: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: the five registers that change are named.
    unsafe {
        asm!(
            "and {t}, {t}, {z3}, asr #63", "and {z3}, {z3}, #0x7fffffffffffffff",
            "adds {z0}, {z0}, {t}", "adcs {z1}, {z1}, xzr", "adcs {z2}, {z2}, xzr", "adc {z3}, {z3}, xzr",
            t = inout(reg) 19_u64 => _,
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}

/// x + y, and in t 38 where that passes 2^256.
macro_rules! add_words {
    () => {
        "adds {z0}, {z0}, {y0}
        adcs {z1}, {z1}, {y1}
        adcs {z2}, {z2}, {y2}
        adcs {z3}, {z3}, {y3}
        csel {t}, {c}, xzr, hs"
    };
}

/// x − y, and in t 38 where that passes 0.
macro_rules! subtract_words {
    () => {
        "subs {z0}, {z0}, {y0}
        sbcs {z1}, {z1}, {y1}
        sbcs {z2}, {z2}, {y2}
        sbcs {z3}, {z3}, {y3}
        csel {t}, {c}, xzr, lo"
    };
}

/// Instructions on the words of x, z0 to z3, with those of y, y0 to y3, with 38 in c and a register t: what they leave in z0 to z3.
macro_rules! computed {
    ($x:ident, $y:ident, $($part:expr),+ $(,)?) => {{
        let [mut z0, mut z1, mut z2, mut z3] = *$x;
        // SAFETY: four words and one more register change, and all five are named.
        unsafe {
            asm!(
                $($part),+,
                t = out(reg) _, c = in(reg) 38_u64,
                y0 = in(reg) $y[0], y1 = in(reg) $y[1], y2 = in(reg) $y[2], y3 = in(reg) $y[3],
                z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
                options(pure, nomem, nostack),
            );
        }
        [z0, z1, z2, z3]
    }};
}

/// `x + y`, below 2^256, for x + y below 2^256 + 2^64 − 38.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn sum_of_products(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    computed!(x, y, add_words!(), "add {z0}, {z0}, {t}")
}

/// `x − y`, below 2^256, for x − y from 38 − 2^256 on.
#[rustfmt::skip]
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn difference_of_products(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    computed!(
        x, y,
        subtract_words!(),
        "subs {z0}, {z0}, {t}", "sbcs {z1}, {z1}, xzr", "sbcs {z2}, {z2}, xzr", "sbc {z3}, {z3}, xzr",
    )
}

/// `x + y`, below 2^256, for words below 2^256. Where the first 38 passes 2^256, less than 38 is left.
#[rustfmt::skip]
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn sum(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    computed!(
        x, y,
        add_words!(),
        "adds {z0}, {z0}, {t}", "adcs {z1}, {z1}, xzr", "adcs {z2}, {z2}, xzr", "adcs {z3}, {z3}, xzr",
        "csel {t}, {c}, xzr, hs", "add {z0}, {z0}, {t}",
    )
}

/// `x − y`, below 2^256, for words below 2^256. Where the first 38 passes 0, less than 38 is missing to 2^256.
#[rustfmt::skip]
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn difference(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    computed!(
        x, y,
        subtract_words!(),
        "subs {z0}, {z0}, {t}", "sbcs {z1}, {z1}, xzr", "sbcs {z2}, {z2}, xzr", "sbcs {z3}, {z3}, xzr",
        "csel {t}, {c}, xzr, lo", "sub {z0}, {z0}, {t}",
    )
}

/// The first where the mask is all ones, the second where it is 0: conditional selects, of which the time does not depend on the
/// condition.
#[rustfmt::skip]
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn selected(mask: Mask, if_set: &[u64; 4], if_clear: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *if_clear;
    // SAFETY: the four registers that change are outputs.
    unsafe {
        asm!(
            "cmp {m}, #0",
            "csel {z0}, {y0}, {z0}, ne", "csel {z1}, {y1}, {z1}, ne",
            "csel {z2}, {y2}, {z2}, ne", "csel {z3}, {y3}, {z3}, ne",
            m = in(reg) mask.word(),
            y0 = in(reg) if_set[0], y1 = in(reg) if_set[1], y2 = in(reg) if_set[2], y3 = in(reg) if_set[3],
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}
