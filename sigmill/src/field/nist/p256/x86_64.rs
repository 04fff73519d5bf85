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
        sub {u}, {m}
        add {w0}, {m}
        adc {w1}, {t}
        adc {w2}, 0
        adc {w3}, {u}"
    };
}

/// Subtracts p.
macro_rules! subtract_p {
    () => {
        "mov {t:e}, 0xffffffff
        mov {u}, 0xffffffff00000001
        sub {w0}, -1
        sbb {w1}, {t}
        sbb {w2}, 0
        sbb {w3}, {u}"
    };
}

sums!(4, add_p, subtract_p; w0 w1, w1 "8" w2, w2 "16" w3, w3 "24" m);

/// Adds q·p with q = t0, so that t0 may be dropped: q·p = q·(2^64 − 2^32 + 1)·2^192 + q·2^96 − q. `factor` is
/// 2^64 − 2^32 + 1; the carry from t4 waits in `carry`, whose lowest byte is `bit`, for the next step's t4. Changes rax and rdx.
#[rustfmt::skip]
macro_rules! reduce {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal;
     $factor:literal, $carry:literal, $bit:literal, $scratch:literal) => {
        concat!(
            "mov rax, ", $t0, "\n",
            "mul ", $factor, "\n",
            "mov ", $scratch, ", ", $t0, "\n",
            "shl ", $scratch, ", 32\n",
            "shr ", $t0, ", 32\n",
            "add rdx, ", $carry, "\n",
            "add ", $t1, ", ", $scratch, "\n",
            "adc ", $t2, ", ", $t0, "\n",
            "adc ", $t3, ", rax\n",
            "adc ", $t4, ", rdx\n",
            "setc ", $bit, "\n",
        )
    };
}

/// `x·y/2^256` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn product(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let (z0, z1, z2, z3): (u64, u64, u64, u64);
    // SAFETY: the words of both are read, nothing is written but below the stack pointer, and all registers that change
    // are named.
    unsafe {
        asm!("call {}", sym multiplied, inout("rdi") x => _, inout("rsi") y => _, out("rax") _,
            out("rcx") _, out("rdx") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
            out("r12") z0, out("r13") z1, out("r14") z2, out("r15") z3, options(pure, readonly));
    }
    [z0, z1, z2, z3]
}

naked! {
    /// z = x·y/2^256 mod p
    ///
    /// | | |
    /// |---|---|
    /// | inputs | rdi = x[4], rsi = y[4] |
    /// | output | z in r12, r13, r14, r15 |
    /// | bounds | x, y and z below p |
    /// | changes | all but rbx, rbp and rsp |
    ///
    /// # Safety
    /// rdi and rsi point to four words, and the caller expects these registers to change.
    fn multiplied:
        columns_of_product!(),
        "mov rcx, 0xffffffff00000001",
        "xor esi, esi",
        reduce!("r8", "r9", "r10", "r11", "r12"; "rcx", "rsi", "sil", "rdi"),
        reduce!("r9", "r10", "r11", "r12", "r13"; "rcx", "rsi", "sil", "rdi"),
        reduce!("r10", "r11", "r12", "r13", "r14"; "rcx", "rsi", "sil", "rdi"),
        reduce!("r11", "r12", "r13", "r14", "r15"; "rcx", "rsi", "sil", "rdi"),
        // less p, if that is not negative
        "mov edi, 0xffffffff",
        "mov rax, r12", "sub r12, -1",
        "mov rdx, r13", "sbb r13, rdi",
        "mov r8, r14", "sbb r14, 0",
        "mov r9, r15", "sbb r15, rcx",
        "sbb rsi, 0",
        "cmovc r12, rax", "cmovc r13, rdx", "cmovc r14, r8", "cmovc r15, r9",
        "ret",
}

/// `x²/2^256` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn square(x: &[u64; 4]) -> [u64; 4] {
    let [x0, x1, x2, x3] = *x;
    let (z0, z1, z2, z3): (u64, u64, u64, u64);
    // SAFETY: only the stack below its pointer is written, and every register that changes is named.
    unsafe {
        asm!("call {}", sym squared, out("rax") _, out("rcx") z3, out("rdx") _, out("rsi") z1,
            out("rdi") z2, inout("r8") x0 => _, inout("r9") x1 => _, inout("r10") x2 => _,
            inout("r11") x3 => _, out("r12") _, out("r13") _, out("r14") _, out("r15") z0,
            options(pure, nomem));
    }
    [z0, z1, z2, z3]
}

naked! {
    /// z = x²/2^256 mod p
    ///
    /// | | |
    /// |---|---|
    /// | inputs | x in r8, r9, r10, r11 |
    /// | output | z in r15, rsi, rdi, rcx |
    /// | bounds | x and z below p |
    /// | changes | all but rbx, rbp and rsp |
    ///
    /// # Safety
    /// The caller expects these registers to change.
    fn squared:
        columns_of_square!(),
        "adc rdi, rax", "adc rcx, rdx",
        "mov r9, 0xffffffff00000001",
        "mov r10d, 0",
        reduce!("r8", "r12", "r13", "r14", "r15"; "r9", "r10", "r10b", "r11"),
        reduce!("r12", "r13", "r14", "r15", "rsi"; "r9", "r10", "r10b", "r11"),
        reduce!("r13", "r14", "r15", "rsi", "rdi"; "r9", "r10", "r10b", "r11"),
        reduce!("r14", "r15", "rsi", "rdi", "rcx"; "r9", "r10", "r10b", "r11"),
        // less p, if that is not negative
        "mov r8d, 0xffffffff",
        "mov rax, r15", "sub r15, -1",
        "mov r11, rsi", "sbb rsi, r8",
        "mov rdx, rdi", "sbb rdi, 0",
        "mov r12, rcx", "sbb rcx, r9",
        "sbb r10, 0",
        "cmovc r15, rax", "cmovc rsi, r11", "cmovc rdi, rdx", "cmovc rcx, r12",
        "ret",
}
