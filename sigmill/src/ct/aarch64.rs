//! The scan of a table on 64-bit Arm. BIT keeps what a mask leaves and takes the rest from another vector: one instruction of
//! each pair of entries, where the compiler makes an AND and an ORR; masks and entries stay in registers.

use core::arch::aarch64::uint64x2_t;
use core::arch::asm;

/// The numbers that the index is compared with.
static NUMBERS: [u64; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Masks of entries 4·n to 4·n + 3, from the numbers at `n`; a and b change.
macro_rules! masks {
    ($first:literal, $second:literal) => {
        concat!(
            "ldp {a:q}, {b:q}, [{n}], #32\n",
            "cmeq ",
            $first,
            ", {index:v}.2d, {a:v}.2d\n",
            "cmeq ",
            $second,
            ", {index:v}.2d, {b:v}.2d\n",
        )
    };
}

/// The word of a column that masks leave, in one half of a vector, and 0 in the other; the address moves to the next column.
macro_rules! column {
    ($to:literal) => {
        concat!(
            "ldp {",
            $to,
            ":q}, {a:q}, [{entries}], #128\n",
            "and {",
            $to,
            ":v}.16b, {",
            $to,
            ":v}.16b, {m0:v}.16b\n",
            "bit {",
            $to,
            ":v}.16b, {a:v}.16b, {m1:v}.16b\n",
            "ldp {a:q}, {b:q}, [{entries}, #-96]\n",
            "bit {",
            $to,
            ":v}.16b, {a:v}.16b, {m2:v}.16b\n",
            "bit {",
            $to,
            ":v}.16b, {b:v}.16b, {m3:v}.16b\n",
            "ldp {a:q}, {b:q}, [{entries}, #-64]\n",
            "bit {",
            $to,
            ":v}.16b, {a:v}.16b, {m4:v}.16b\n",
            "bit {",
            $to,
            ":v}.16b, {b:v}.16b, {m5:v}.16b\n",
            "ldp {a:q}, {b:q}, [{entries}, #-32]\n",
            "bit {",
            $to,
            ":v}.16b, {a:v}.16b, {m6:v}.16b\n",
            "bit {",
            $to,
            ":v}.16b, {b:v}.16b, {m7:v}.16b\n",
        )
    };
}

/// The chosen words of two columns side by side.
macro_rules! two_columns {
    ($to:literal) => {
        concat!(column!("c"), column!("d"), "addp {", $to, ":v}.2d, {c:v}.2d, {d:v}.2d\n")
    };
}

/// The entry at an index of a table, whose word w of entry e is `[w][e]`; zeros where the index is above 15. Every entry is read.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn entry(columns: &[[u64; 16]; 12], index: u64) -> [u64; 12] {
    let (w0, w1, w2, w3, w4, w5): (
        uint64x2_t,
        uint64x2_t,
        uint64x2_t,
        uint64x2_t,
        uint64x2_t,
        uint64x2_t,
    );
    // SAFETY: only the numbers and the columns are read, and every register that changes is named.
    unsafe {
        asm!(
            "dup {index:v}.2d, {word}",
            masks!("{m0:v}.2d", "{m1:v}.2d"),
            masks!("{m2:v}.2d", "{m3:v}.2d"),
            masks!("{m4:v}.2d", "{m5:v}.2d"),
            masks!("{m6:v}.2d", "{m7:v}.2d"),
            two_columns!("w0"),
            two_columns!("w1"),
            two_columns!("w2"),
            two_columns!("w3"),
            two_columns!("w4"),
            two_columns!("w5"),
            word = in(reg) index,
            n = inout(reg) &raw const NUMBERS => _,
            entries = inout(reg) columns => _,
            index = out(vreg) _,
            m0 = out(vreg) _, m1 = out(vreg) _, m2 = out(vreg) _, m3 = out(vreg) _,
            m4 = out(vreg) _, m5 = out(vreg) _, m6 = out(vreg) _, m7 = out(vreg) _,
            a = out(vreg) _, b = out(vreg) _, c = out(vreg) _, d = out(vreg) _,
            w0 = out(vreg) w0, w1 = out(vreg) w1, w2 = out(vreg) w2,
            w3 = out(vreg) w3, w4 = out(vreg) w4, w5 = out(vreg) w5,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    // SAFETY: plain data of the same size on both sides.
    unsafe { core::mem::transmute::<[uint64x2_t; 6], [u64; 12]>([w0, w1, w2, w3, w4, w5]) }
}
