//! Arithmetic modulo p on every x86-64: chains of carries, of which the compiler makes words that it compares and adds.
//!
//! Constant time: no branch and no address depends on a word.

use core::arch::asm;

/// Adds p where {m} is all ones, nothing where it is 0.
macro_rules! add_p {
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

/// Subtracts p.
macro_rules! subtract_p {
    () => {
        "mov {t:e}, 0xffffffff
        sub {w0}, {t}
        not {t}
        sbb {w1}, {t}
        sbb {w2}, -2
        sbb {w3}, -1
        sbb {w4}, -1
        sbb {w5}, -1"
    };
}

sums!(6, add_p, subtract_p; w0 w1, w1 "8" w2, w2 "16" w3, w3 "24" w4, w4 "32" w5, w5 "40" m);

/// Adds q·p with q = t0·(2^32 + 1) mod 2^64, which takes the place of t0: q·p = q·2^384 − q·(2^128 + 2^96 − 2^32 + 1), of which
/// the first part is added later. The borrow from t3 waits in r8, for the next step's t3. Changes rax, rdx and rsi.
#[rustfmt::skip]
macro_rules! reduce {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal) => {
        concat!(
            "mov rdx, ", $t0, "\n", "shl rdx, 32\n", "add rdx, ", $t0, "\n", "mov ", $t0, ", rdx\n",
            "mov rax, rdx\n", "shl rax, 32\n", "mov rsi, rdx\n", "shr rsi, 32\n",
            "cmp rdx, rax\n", "sbb rax, rsi\n", "sbb rdx, 0\n", "add rdx, rsi\n", "adc r8, 0\n",
            "sub ", $t1, ", rax\n", "sbb ", $t2, ", rdx\n", "sbb ", $t3, ", r8\n", "setc r8b\n",
        )
    };
}

/// rdi, r9 to r15, rbx, rbp, rcx and r8 modulo p, over 2^384, are left in rax, rdi and r9 to r12.
#[rustfmt::skip]
macro_rules! reduced {
    () => {
        concat!(
            // the two highest words make room
            "push r8\n", "push rcx\n", "xor r8d, r8d\n",
            reduce!("rdi", "r9", "r10", "r11"),
            reduce!("r9", "r10", "r11", "r12"),
            reduce!("r10", "r11", "r12", "r13"),
            reduce!("r11", "r12", "r13", "r14"),
            reduce!("r12", "r13", "r14", "r15"),
            reduce!("r13", "r14", "r15", "rbx"),
            // the higher half and all q
            "sub rbp, r8\n", "pop rcx\n", "sbb rcx, 0\n", "pop r8\n", "sbb r8, 0\n", "sbb rdx, rdx\n",
            "add r14, rdi\n", "adc r15, r9\n", "adc rbx, r10\n", "adc rbp, r11\n", "adc rcx, r12\n", "adc r8, r13\n",
            "adc rdx, 0\n",
            // less p, if that is not negative
            "mov esi, 0xffffffff\n",
            "mov rax, r14\n", "sub r14, rsi\n",
            "not rsi\n",
            "mov rdi, r15\n", "sbb r15, rsi\n",
            "mov r9, rbx\n", "sbb rbx, -2\n",
            "mov r10, rbp\n", "sbb rbp, -1\n",
            "mov r11, rcx\n", "sbb rcx, -1\n",
            "mov r12, r8\n", "sbb r8, -1\n",
            "sbb rdx, 0\n",
            "cmovnc rax, r14\n", "cmovnc rdi, r15\n", "cmovnc r9, rbx\n",
            "cmovnc r10, rbp\n", "cmovnc r11, rcx\n", "cmovnc r12, r8\n",
        )
    };
}

/// `x·y/2^384` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn product(x: &[u64; 6], y: &[u64; 6]) -> [u64; 6] {
    let (z0, z1, z2, z3, z4, z5): (u64, u64, u64, u64, u64, u64);
    // SAFETY: the words of both are read, nothing is written but below the stack pointer, and all registers that change
    // are named.
    unsafe {
        asm!("call {}", sym multiplied, inout("rdi") x => z1, inout("rsi") y => _,
            out("rax") z0, out("rcx") _, out("rdx") _, out("r8") _, out("r9") z2, out("r10") z3,
            out("r11") z4, out("r12") z5, out("r13") _, out("r14") _, out("r15") _,
            options(pure, readonly));
    }
    [z0, z1, z2, z3, z4, z5]
}

naked! {
    /// z = x·y/2^384 mod p
    ///
    /// | | |
    /// |---|---|
    /// | inputs | rdi = x[6], rsi = y[6] |
    /// | output | z in rax, rdi, r9, r10, r11, r12 |
    /// | bounds | x, y and z below p |
    /// | changes | all but rbx, rbp and rsp; four words of stack |
    ///
    /// # Safety
    /// rdi and rsi point to six words, and the caller expects these registers to change.
    fn multiplied:
        "push rbx", "push rbp",
        "mov rax, [rdi]", "mul qword ptr [rsi]", "mov r8, rax", "mov r9, rdx", "xor r10d, r10d",
        column_of_product!("r9", "r10", "r11"; "0" "8", "8" "0"),
        column_of_product!("r10", "r11", "r12"; "0" "16", "8" "8", "16" "0"),
        column_of_product!("r11", "r12", "r13"; "0" "24", "8" "16", "16" "8", "24" "0"),
        column_of_product!("r12", "r13", "r14"; "0" "32", "8" "24", "16" "16", "24" "8", "32" "0"),
        column_of_product!("r13", "r14", "r15"; "0" "40", "8" "32", "16" "24", "24" "16", "32" "8", "40" "0"),
        column_of_product!("r14", "r15", "rbx"; "8" "40", "16" "32", "24" "24", "32" "16", "40" "8"),
        column_of_product!("r15", "rbx", "rbp"; "16" "40", "24" "32", "32" "24", "40" "16"),
        column_of_product!("rbx", "rbp", "rcx"; "24" "40", "32" "32", "40" "24"),
        "push r8",
        column_of_product!("rbp", "rcx", "r8"; "32" "40", "40" "32"),
        "mov rax, [rdi + 40]", "mul qword ptr [rsi + 40]", "add rcx, rax", "adc r8, rdx",
        "pop rdi",
        reduced!(),
        "pop rbp", "pop rbx",
        "ret",
}

/// A column of a square: what counts twice, and the square of a word, if there is one.
#[rustfmt::skip]
macro_rules! column_of_square {
    ($low:literal, $high:literal, $top:literal; $($x:literal $y:literal),* $(; $square:literal)?) => {
        concat!(
            "xor ", $top, ", ", $top, "\n",
            $(
                add_to_column!($x, $y, $low, $high, $top),
                "add ", $low, ", rax\n", "adc ", $high, ", rdx\n", "adc ", $top, ", 0\n",
            )*
            $(add_to_column!($square, $square, $low, $high, $top),)?
        )
    };
}

/// `x²/2^384` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn square(x: &[u64; 6]) -> [u64; 6] {
    let (z0, z1, z2, z3, z4, z5): (u64, u64, u64, u64, u64, u64);
    // SAFETY: the words of x are read, nothing is written but below the stack pointer, and all registers that change are
    // named.
    unsafe {
        asm!("call {}", sym squared, inout("rdi") x => z1, out("rsi") _, out("rax") z0,
            out("rcx") _, out("rdx") _, out("r8") _, out("r9") z2, out("r10") z3, out("r11") z4,
            out("r12") z5, out("r13") _, out("r14") _, out("r15") _, options(pure, readonly));
    }
    [z0, z1, z2, z3, z4, z5]
}

naked! {
    /// z = x²/2^384 mod p
    ///
    /// | | |
    /// |---|---|
    /// | inputs | rdi = x[6] |
    /// | output | z in rax, rdi, r9, r10, r11, r12 |
    /// | bounds | x and z below p |
    /// | changes | all but rbx, rbp and rsp; four words of stack |
    ///
    /// # Safety
    /// rdi points to six words, and the caller expects these registers to change.
    fn squared:
        "push rbx", "push rbp",
        "mov rsi, rdi",
        "mov rax, [rdi]", "mul rax", "mov r8, rax", "mov r9, rdx", "xor r10d, r10d",
        column_of_square!("r9", "r10", "r11"; "0" "8"),
        column_of_square!("r10", "r11", "r12"; "0" "16"; "8"),
        column_of_square!("r11", "r12", "r13"; "0" "24", "8" "16"),
        column_of_square!("r12", "r13", "r14"; "0" "32", "8" "24"; "16"),
        column_of_square!("r13", "r14", "r15"; "0" "40", "8" "32", "16" "24"),
        column_of_square!("r14", "r15", "rbx"; "8" "40", "16" "32"; "24"),
        column_of_square!("r15", "rbx", "rbp"; "16" "40", "24" "32"),
        column_of_square!("rbx", "rbp", "rcx"; "24" "40"; "32"),
        "push r8",
        column_of_square!("rbp", "rcx", "r8"; "32" "40"),
        "mov rax, [rdi + 40]", "mul rax", "add rcx, rax", "adc r8, rdx",
        "pop rdi",
        reduced!(),
        "pop rbp", "pop rbx",
        "ret",
}
