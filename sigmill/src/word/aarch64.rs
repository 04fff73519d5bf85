//! Differences on 64-bit Arm. SBCS takes a borrow and leaves one; the compiler makes three instructions of each word.

use core::arch::asm;

/// Subtracts words of b from those of a, the lowest first, and gives the borrow.
macro_rules! subtract {
    ($a:ident $b:ident, $($next_a:ident $next_b:ident),+) => {{
        let borrow: u64;
        // SAFETY: the words of a and the borrow change, and all are named; no memory is touched.
        unsafe {
            asm!(
                concat!("subs {", stringify!($a), "}, {", stringify!($a), "}, {", stringify!($b), "}"),
                $(concat!(
                    "sbcs {", stringify!($next_a), "}, {", stringify!($next_a), "}, {", stringify!($next_b), "}"
                ),)+
                "cset {borrow}, lo",
                $a = inout(reg) *$a,
                $b = in(reg) *$b,
                $($next_a = inout(reg) *$next_a, $next_b = in(reg) *$next_b,)+
                borrow = out(reg) borrow,
                options(pure, nomem, nostack),
            );
        }
        borrow
    }};
}

/// `a − b` and the borrow, for three, four and six words.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn sub_words<const N: usize>(a: &[u64; N], b: &[u64; N]) -> Option<([u64; N], u64)> {
    let mut difference = *a;
    let borrow = match (&mut difference[..], &b[..]) {
        ([a0, a1, a2], [b0, b1, b2]) => subtract!(a0 b0, a1 b1, a2 b2),
        ([a0, a1, a2, a3], [b0, b1, b2, b3]) => subtract!(a0 b0, a1 b1, a2 b2, a3 b3),
        ([a0, a1, a2, a3, a4, a5], [b0, b1, b2, b3, b4, b5]) => {
            subtract!(a0 b0, a1 b1, a2 b2, a3 b3, a4 b4, a5 b5)
        }
        _ => return None,
    };
    Some((difference, borrow))
}
