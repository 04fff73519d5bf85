//! Products, sums and choices of four words on every x86-64: a chain of carries, and conditional moves.

use crate::ct::Mask;
use core::arch::asm;

/// rcx times a word, and the carry of the word before, added to `low` and `high`; the word becomes minus the carry.
#[rustfmt::skip]
macro_rules! fold_word {
    ($low:literal, $high:literal, $word:literal, $before:literal) => {
        concat!(
            "mov rax, ", $word, "\n",
            "mul rcx\n",
            "sub rdx, ", $before, "\n",
            "add ", $low, ", rax\n",
            "adc ", $high, ", rdx\n",
            "sbb ", $word, ", ", $word, "\n",
        )
    };
}

/// Folds what is above bit 255: r8 to r11 and rdx, the top, become r8 to r11.
macro_rules! fold_top {
    () => {
        "add r11, r11
        adc rdx, rdx
        shr r11, 1
        imul rdx, rdx, 19
        add r8, rdx
        adc r9, 0
        adc r10, 0
        adc r11, 0
        "
    };
}

/// 38 times the upper half, h0 to h3, added to r8 to r11, and what is above bit 255 folded. rax, rcx and rdx change.
#[rustfmt::skip]
macro_rules! fold {
    ($h0:literal, $h1:literal, $h2:literal, $h3:literal) => {
        concat!(
            "mov ecx, 38\n",
            "mov rax, ", $h0, "\n",
            "mul rcx\n",
            "add r8, rax\n",
            "adc r9, rdx\n",
            "sbb ", $h0, ", ", $h0, "\n",
            fold_word!("r9", "r10", $h1, $h0),
            fold_word!("r10", "r11", $h2, $h1),
            "mov rax, ", $h3, "\n",
            "mul rcx\n",
            "sub rdx, ", $h2, "\n",
            "add r11, rax\n",
            "adc rdx, 0\n",
            fold_top!(),
        )
    };
}

/// `x·y` for words below 2^256, below 2^255 + `EXCESS`.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn product(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let (z0, z1, z2, z3): (u64, u64, u64, u64);
    // SAFETY: the words of both are read, nothing is written but below the stack pointer, and all registers that change
    // are named.
    unsafe {
        asm!("call {}", sym multiplied, in("rdi") x, in("rsi") y, out("rax") _, out("rcx") _,
            out("rdx") _, out("r8") z0, out("r9") z1, out("r10") z2, out("r11") z3,
            out("r12") _, out("r13") _, out("r14") _, out("r15") _, options(pure, readonly));
    }
    [z0, z1, z2, z3]
}

naked! {
    /// Column by column: rdi = x, rsi = y; the product is left in r8 to r11. Changes rax, rcx, rdx and r12 to r15 too.
    ///
    /// # Safety
    /// rdi and rsi point to four words, and the caller expects these registers to change.
    fn multiplied:
        columns_of_product!(),
        fold!("r12", "r13", "r14", "r15"),
        "ret",
}

/// `x^(2^n)` for words below 2^256 and n from 1 on, below 2^255 + `EXCESS`. Time depends on n.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn power(x: &[u64; 4], n: u32) -> [u64; 4] {
    call_on_words!(squared, x, inout("eax") n => _)
}

/// `x²` for words below 2^256, below 2^255 + `EXCESS`: by fewer instructions than `power`, but not as soon.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn square(x: &[u64; 4]) -> [u64; 4] {
    call_on_words!(squared_once, x, out("rax") _)
}

naked! {
    /// Squares r8 to r11. Changes all but rbx, rbp and rsp.
    ///
    /// # Safety
    /// The caller expects these registers to change.
    fn squared_once:
        columns_of_square!(),
        "adc rdi, rax", "adc rcx, rdx",
        "mov r9, r12", "mov r10, r13", "mov r11, r14", "mov r12, rcx",
        fold!("r15", "rsi", "rdi", "r12"),
        "ret",
}

naked! {
    /// Squares r8 to r11 as often as eax says, at least once. Changes all but rbx, rbp and rsp.
    ///
    /// As in `adx`, squares leave words below 2^256, and what passes bit 255 is known before the carries c ≤ 2 are: with h the high
    /// half of r11², l the highest word of the lower half and 38·h + l = q·2^63 + r, the square is the three lower words, their
    /// upper half times 38, and 19·q, and r + 38·c in the highest word.
    ///
    /// # Safety
    /// The caller expects these registers to change.
    fn squared:
        "push rbx",
        "mov ebx, eax",
        "2:",
        columns_of_square!(),
        // 38·c in r9
        "adc rdi, rax", "adc rcx, 0", "imul r9, rcx, 38",
        // r + 38·c in r11, 19·q in r9
        "mov ecx, 38", "mov rax, rdx", "mul rcx", "add rax, r14", "adc rdx, 0", "add rax, rax", "adc rdx, rdx",
        "shr rax, 1", "lea r11, [rax + r9]",
        "lea rax, [rdx + 8*rdx]", "lea r9, [rdx + 2*rax]",
        "mov rax, r15", "mul rcx",
        "add r8, r9", "adc rdx, 0", "add r8, rax", "adc r12, rdx", "sbb r15, r15",
        fold_word!("r12", "r13", "rsi", "r15"),
        "mov rax, rdi", "mul rcx", "sub rdx, rsi", "add r13, rax", "adc r11, rdx",
        "mov r9, r12", "mov r10, r13",
        "dec ebx",
        "jnz 2b",
        "xor edx, edx",
        fold_top!(),
        "pop rbx",
        "ret",
}

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

/// x + y, and in t 38 where that passes 2^256.
macro_rules! add_words {
    () => {
        "add {z0}, {y0}
        adc {z1}, {y1}
        adc {z2}, {y2}
        adc {z3}, {y3}
        sbb {t:e}, {t:e}
        and {t:e}, 38"
    };
}

/// x − y, and in t 38 where that passes 0.
macro_rules! subtract_words {
    () => {
        "sub {z0}, {y0}
        sbb {z1}, {y1}
        sbb {z2}, {y2}
        sbb {z3}, {y3}
        sbb {t:e}, {t:e}
        and {t:e}, 38"
    };
}

/// Instructions on the words of x, z0 to z3, with those of y, y0 to y3, and a register t: what they leave in z0 to z3.
macro_rules! computed {
    ($x:ident, $y:ident, $($part:expr),+ $(,)?) => {{
        let [mut z0, mut z1, mut z2, mut z3] = *$x;
        // SAFETY: four words and one more register change, and all five are named.
        unsafe {
            asm!(
                $($part),+,
                t = out(reg) _,
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
    computed!(x, y, add_words!(), "add {z0}, {t}")
}

/// `x − y`, below 2^256, for x − y from 38 − 2^256 on.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn difference_of_products(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    computed!(x, y, subtract_words!(), "sub {z0}, {t}", "sbb {z1}, 0", "sbb {z2}, 0", "sbb {z3}, 0")
}

/// `x + y`, below 2^256, for words below 2^256. Where the first 38 passes 2^256, less than 38 is left.
#[rustfmt::skip]
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn sum(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    computed!(
        x, y,
        add_words!(),
        "add {z0}, {t}", "adc {z1}, 0", "adc {z2}, 0", "adc {z3}, 0",
        "sbb {t:e}, {t:e}", "and {t:e}, 38", "add {z0}, {t}",
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
        "sub {z0}, {t}", "sbb {z1}, 0", "sbb {z2}, 0", "sbb {z3}, 0",
        "sbb {t:e}, {t:e}", "and {t:e}, 38", "sub {z0}, {t}",
    )
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
