//! The product of four lanes on 64-bit Arm, without spills: 32 vectors hold all columns of both halves, lanes 0 and 1 (`l`, `e`) and
//! lanes 2 and 3 (`u`, `f`), and limbs are loaded again where they are needed.
//!
//! As in `columns`, E is the product of the even limbs, O that of the odd ones, and M that of their sums. The columns of E begin with
//! 2Y·O, so that E + 2Y·O takes no addition. Those of M begin with 2Y·O − O less E + 2Y·O, which is −E − O.

use super::limbs::Limbs;
use core::arch::aarch64::uint32x4_t;
use core::arch::asm;

/// Multiplies x by five limbs and adds the products to five columns of each half.
#[rustfmt::skip]
macro_rules! row {
    ($multiply:literal, $lower:literal, $upper:literal: $b0:literal, $b1:literal, $b2:literal, $b3:literal, $b4:literal) => {
        concat!(
            $multiply, " {", $lower, "0:v}.2d, {x:v}.2s, {", $b0, ":v}.2s\n", $multiply, "2 {", $upper, "0:v}.2d, {x:v}.4s, {", $b0, ":v}.4s\n",
            $multiply, " {", $lower, "1:v}.2d, {x:v}.2s, {", $b1, ":v}.2s\n", $multiply, "2 {", $upper, "1:v}.2d, {x:v}.4s, {", $b1, ":v}.4s\n",
            $multiply, " {", $lower, "2:v}.2d, {x:v}.2s, {", $b2, ":v}.2s\n", $multiply, "2 {", $upper, "2:v}.2d, {x:v}.4s, {", $b2, ":v}.4s\n",
            $multiply, " {", $lower, "3:v}.2d, {x:v}.2s, {", $b3, ":v}.2s\n", $multiply, "2 {", $upper, "3:v}.2d, {x:v}.4s, {", $b3, ":v}.4s\n",
            $multiply, " {", $lower, "4:v}.2d, {x:v}.2s, {", $b4, ":v}.2s\n", $multiply, "2 {", $upper, "4:v}.2d, {x:v}.4s, {", $b4, ":v}.4s\n",
        )
    };
}

/// Adds the product of two polynomials of five limbs modulo Y^5 − 19 to columns. `$x0` to `$x4` load the first one into x, limb by
/// limb; the other is in b0 to b4. m1 to m4 become 19·b1 to 19·b4.
macro_rules! convolve {
    ($first:literal, $lower:literal, $upper:literal: $x0:expr, $x1:expr, $x2:expr, $x3:expr, $x4:expr) => {
        concat!(
            $x0,
            row!($first, $lower, $upper: "b0", "b1", "b2", "b3", "b4"),
            "mul {m4:v}.4s, {b4:v}.4s, {k:v}.4s\n",
            "mul {m3:v}.4s, {b3:v}.4s, {k:v}.4s\n",
            "mul {m2:v}.4s, {b2:v}.4s, {k:v}.4s\n",
            "mul {m1:v}.4s, {b1:v}.4s, {k:v}.4s\n",
            $x1,
            row!("umlal", $lower, $upper: "m4", "b0", "b1", "b2", "b3"),
            $x2,
            row!("umlal", $lower, $upper: "m3", "m4", "b0", "b1", "b2"),
            $x3,
            row!("umlal", $lower, $upper: "m2", "m3", "m4", "b0", "b1"),
            $x4,
            row!("umlal", $lower, $upper: "m1", "m2", "m3", "m4", "b0"),
        )
    };
}

/// Loads limb i of a into x.
macro_rules! limb {
    ($i:literal) => {
        concat!("ldr {x:q}, [{a}, #16*", $i, "]\n")
    };
}

/// Loads limb i of a, plus the next one, into x.
macro_rules! sum {
    ($i:literal) => {
        concat!("ldp {x:q}, {y:q}, [{a}, #16*", $i, "]\n", "add {x:v}.4s, {x:v}.4s, {y:v}.4s\n")
    };
}

/// The same instruction on five columns.
#[rustfmt::skip]
macro_rules! columns {
    ($instruction:literal, $to:literal, $one:literal, $other:literal) => {
        concat!(
            $instruction, " {", $to, "0:v}.2d, {", $one, "0:v}.2d, {", $other, "0:v}.2d\n",
            $instruction, " {", $to, "1:v}.2d, {", $one, "1:v}.2d, {", $other, "1:v}.2d\n",
            $instruction, " {", $to, "2:v}.2d, {", $one, "2:v}.2d, {", $other, "2:v}.2d\n",
            $instruction, " {", $to, "3:v}.2d, {", $one, "3:v}.2d, {", $other, "3:v}.2d\n",
            $instruction, " {", $to, "4:v}.2d, {", $one, "4:v}.2d, {", $other, "4:v}.2d\n",
        )
    };
}

/// 2Y·O of a half, and 2Y·O − O in the place of O. The place above the last is 19 times the first: 38 = 32 + 4 + 2.
#[rustfmt::skip]
macro_rules! place_odd {
    ($even:literal, $odd:literal) => {
        concat!(
            "shl {", $even, "0:v}.2d, {", $odd, "4:v}.2d, #5\n",
            "add {x:v}.2d, {", $odd, "4:v}.2d, {", $odd, "4:v}.2d\n",
            "usra {", $even, "0:v}.2d, {", $even, "0:v}.2d, #3\n",
            "add {", $even, "1:v}.2d, {", $odd, "0:v}.2d, {", $odd, "0:v}.2d\n",
            "add {", $even, "2:v}.2d, {", $odd, "1:v}.2d, {", $odd, "1:v}.2d\n",
            "add {", $even, "3:v}.2d, {", $odd, "2:v}.2d, {", $odd, "2:v}.2d\n",
            "add {", $even, "4:v}.2d, {", $odd, "3:v}.2d, {", $odd, "3:v}.2d\n",
            "add {", $even, "0:v}.2d, {", $even, "0:v}.2d, {x:v}.2d\n",
            columns!("sub", $odd, $even, $odd),
        )
    };
}

/// Adds what a column of each half has above its limb to the next one.
#[rustfmt::skip]
macro_rules! carry {
    ($bits:literal: $lower:literal to $lower_next:literal, $upper:literal to $upper_next:literal) => {
        concat!(
            "usra {", $lower_next, ":v}.2d, {", $lower, ":v}.2d, #", $bits, "\n",
            "usra {", $upper_next, ":v}.2d, {", $upper, ":v}.2d, #", $bits, "\n",
        )
    };
}

/// Carries column 9 of a half to column 0, and that to column 1. b0 and b1 are the masks of these, which are carried by now.
#[rustfmt::skip]
macro_rules! carry_around {
    ($even:literal, $odd:literal) => {
        concat!(
            "and {", $even, "0:v}.16b, {", $even, "0:v}.16b, {b0:v}.16b\n",
            "shrn {x:v}.2s, {", $odd, "4:v}.2d, #25\n",
            "and {", $odd, "0:v}.16b, {", $odd, "0:v}.16b, {b1:v}.16b\n",
            "umlal {", $even, "0:v}.2d, {x:v}.2s, {k:v}.2s\n",
            "usra {", $odd, "0:v}.2d, {", $even, "0:v}.2d, #26\n",
        )
    };
}

/// A limb of all lanes of the columns of both halves.
#[rustfmt::skip]
macro_rules! limb_of_columns {
    ($lower:literal, $upper:literal) => {
        concat!("uzp1 {", $lower, ":v}.4s, {", $lower, ":v}.4s, {", $upper, ":v}.4s\n")
    };
    ($lower:literal, $upper:literal, $above:literal) => {
        concat!(limb_of_columns!($lower, $upper), "bic {", $lower, ":v}.4s, #", $above, ", lsl #24\n")
    };
}

/// `a·b` for operands.
#[rustfmt::skip]
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn mul(a: &Limbs, b: &Limbs) -> Limbs {
    let (e0, e1, e2, e3, e4, l0, l1, l2, l3, l4): (
        uint32x4_t, uint32x4_t, uint32x4_t, uint32x4_t, uint32x4_t,
        uint32x4_t, uint32x4_t, uint32x4_t, uint32x4_t, uint32x4_t,
    );
    // SAFETY: only the operands are read, and every register that changes is named.
    unsafe {
        asm!(
            "movi {k:v}.4s, #19",
            // O
            "ldr {b0:q}, [{b}, #16*1]", "ldr {b1:q}, [{b}, #16*3]", "ldr {b2:q}, [{b}, #16*5]",
            "ldr {b3:q}, [{b}, #16*7]", "ldr {b4:q}, [{b}, #16*9]",
            convolve!("umull", "l", "u": limb!(1), limb!(3), limb!(5), limb!(7), limb!(9)),
            place_odd!("e", "l"),
            place_odd!("f", "u"),
            // E + 2Y·O
            "ldr {b0:q}, [{b}, #16*0]", "ldr {b1:q}, [{b}, #16*2]", "ldr {b2:q}, [{b}, #16*4]",
            "ldr {b3:q}, [{b}, #16*6]", "ldr {b4:q}, [{b}, #16*8]",
            convolve!("umlal", "e", "f": limb!(0), limb!(2), limb!(4), limb!(6), limb!(8)),
            // M − E − O
            columns!("sub", "l", "l", "e"),
            columns!("sub", "u", "u", "f"),
            "ldr {x:q}, [{b}, #16*1]", "ldr {y:q}, [{b}, #16*3]", "ldr {m1:q}, [{b}, #16*5]",
            "ldr {m2:q}, [{b}, #16*7]", "ldr {m3:q}, [{b}, #16*9]",
            "add {b0:v}.4s, {b0:v}.4s, {x:v}.4s",
            "add {b1:v}.4s, {b1:v}.4s, {y:v}.4s",
            "add {b2:v}.4s, {b2:v}.4s, {m1:v}.4s",
            "add {b3:v}.4s, {b3:v}.4s, {m2:v}.4s",
            "add {b4:v}.4s, {b4:v}.4s, {m3:v}.4s",
            convolve!("umlal", "l", "u": sum!(0), sum!(2), sum!(4), sum!(6), sum!(8)),
            // limbs
            "movi {b2:v}.2d, #0xffffffffffffffff",
            "ushr {b0:v}.2d, {b2:v}.2d, #38",
            "ushr {b1:v}.2d, {b2:v}.2d, #39",
            carry!(26: "e0" to "l0", "f0" to "u0"),
            carry!(25: "l0" to "e1", "u0" to "f1"),
            carry!(26: "e1" to "l1", "f1" to "u1"),
            carry!(25: "l1" to "e2", "u1" to "f2"),
            carry!(26: "e2" to "l2", "f2" to "u2"),
            carry!(25: "l2" to "e3", "u2" to "f3"),
            carry!(26: "e3" to "l3", "f3" to "u3"),
            carry!(25: "l3" to "e4", "u3" to "f4"),
            carry!(26: "e4" to "l4", "f4" to "u4"),
            carry_around!("e", "l"),
            carry_around!("f", "u"),
            limb_of_columns!("e1", "f1", 0xfc), limb_of_columns!("l1", "u1", 0xfe),
            limb_of_columns!("e2", "f2", 0xfc), limb_of_columns!("l2", "u2", 0xfe),
            limb_of_columns!("e3", "f3", 0xfc), limb_of_columns!("l3", "u3", 0xfe),
            limb_of_columns!("e4", "f4", 0xfc), limb_of_columns!("l4", "u4", 0xfe),
            // limb 1 keeps its slack
            limb_of_columns!("e0", "f0", 0xfc), limb_of_columns!("l0", "u0"),
            a = in(reg) a, b = in(reg) b,
            e0 = out(vreg) e0, e1 = out(vreg) e1, e2 = out(vreg) e2, e3 = out(vreg) e3, e4 = out(vreg) e4,
            l0 = out(vreg) l0, l1 = out(vreg) l1, l2 = out(vreg) l2, l3 = out(vreg) l3, l4 = out(vreg) l4,
            f0 = out(vreg) _, f1 = out(vreg) _, f2 = out(vreg) _, f3 = out(vreg) _, f4 = out(vreg) _,
            u0 = out(vreg) _, u1 = out(vreg) _, u2 = out(vreg) _, u3 = out(vreg) _, u4 = out(vreg) _,
            b0 = out(vreg) _, b1 = out(vreg) _, b2 = out(vreg) _, b3 = out(vreg) _, b4 = out(vreg) _,
            m1 = out(vreg) _, m2 = out(vreg) _, m3 = out(vreg) _, m4 = out(vreg) _,
            x = out(vreg) _, y = out(vreg) _, k = out(vreg) _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    let limbs = [e0, l0, e1, l1, e2, l2, e3, l3, e4, l4];
    // SAFETY: the ten vectors are bits alone, and `Limbs` is ten such vectors.
    unsafe { core::mem::transmute::<[uint32x4_t; 10], Limbs>(limbs) }
}
