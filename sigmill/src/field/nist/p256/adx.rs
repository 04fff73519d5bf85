//! Products and squares modulo p with MULX, ADCX and ADOX: x·y/2^256 mod p for x and y below p, the lowest word first.
//!
//! One word of x after the other is multiplied by y and added to a sum, in two chains of carries; then
//! a multiple of p that makes the lowest word zero, and that word is dropped. Between the steps the sum
//! is below 2·p.
//!
//! A naked function holds each product, as it needs every register and the compiler keeps some of them
//! from inline assembly. Its results stay in registers: words stored here and loaded in pairs by the
//! caller would wait for the stores.
//!
//! Constant time: no branch and no address depends on a word.

use crate::cpu::Adx;
use core::arch::asm;

/// sum += x's word·y; what CF and OF carry, is added later.
#[rustfmt::skip]
macro_rules! row {
    ($x:literal, $t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal, $t5:literal) => {
        concat!(
            "mov rdx, [rsi + ", $x, "]\n",
            "xor ", $t5, ", ", $t5, "\n",
            add_product_adx!("0", $t0, $t1),
            add_product_adx!("8", $t1, $t2),
            add_product_adx!("16", $t2, $t3),
            add_product_adx!("24", $t3, $t4),
        )
    };
}

/// Adds q·p with q = t0, so that t0 may be dropped: q·p = q·(2^64 − 2^32 + 1)·2^192 + q·2^96 − q. rbp is
/// 2^64 − 2^32 + 1, rdi is 32. CF is missing in t4 and OF in t5, which is 0.
#[rustfmt::skip]
macro_rules! reduce {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal, $t5:literal) => {
        concat!(
            "mov rdx, ", $t0, "\n",
            "shlx ", $t0, ", rdx, rdi\n",
            "mulx rbx, rax, rbp\n",
            "shrx rdx, rdx, rdi\n",
            "adcx rbx, ", $t5, "\n",
            "adox ", $t5, ", ", $t5, "\n",
            "add ", $t1, ", ", $t0, "\n",
            "adc ", $t2, ", rdx\n",
            "adc ", $t3, ", rax\n",
            "adc ", $t4, ", rbx\n",
            "adc ", $t5, ", 0\n",
        )
    };
}

/// `x·y/2^256` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn product(_: Adx, x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let (z0, z1, z2, z3): (u64, u64, u64, u64);
    // SAFETY: the token proves BMI2 and ADX; four words are read at each pointer, nothing is written but
    // below the stack pointer, and all registers that change are named.
    unsafe {
        asm!("call {}", sym multiplied, inout("rsi") x => _, inout("rcx") y => _, out("rax") _,
            out("rdx") _, out("rdi") _, out("r8") z2, out("r9") z3, out("r10") _, out("r11") _,
            out("r12") z0, out("r13") z1, options(pure, readonly));
    }
    [z0, z1, z2, z3]
}

naked! {
    /// z = x·y/2^256 mod p
    ///
    /// | | |
    /// |---|---|
    /// | inputs | rsi = x[4], rcx = y[4] |
    /// | output | z in r12, r13, r8, r9 |
    /// | bounds | x, y and z below p |
    /// | changes | all but rbx, rbp, rsp, r14 and r15; two words of stack |
    ///
    /// # Safety
    /// The CPU has BMI2 and ADX, rsi and rcx point to four words each, and the caller expects these registers to change.
    fn multiplied:
        "push rbx", "push rbp",
        "mov rbp, 0xffffffff00000001",
        "mov edi, 32",
        "mov rdx, [rsi]",
        "mulx r9, r8, [rcx]",
        "mulx r10, rax, [rcx + 8]", "add r9, rax",
        "mulx r11, rax, [rcx + 16]", "adc r10, rax",
        "mulx r12, rax, [rcx + 24]", "adc r11, rax",
        "adc r12, 0",
        "xor r13, r13",
        reduce!("r8", "r9", "r10", "r11", "r12", "r13"),
        row!("8", "r9", "r10", "r11", "r12", "r13", "r8"),
        reduce!("r9", "r10", "r11", "r12", "r13", "r8"),
        row!("16", "r10", "r11", "r12", "r13", "r8", "r9"),
        reduce!("r10", "r11", "r12", "r13", "r8", "r9"),
        row!("24", "r11", "r12", "r13", "r8", "r9", "r10"),
        reduce!("r11", "r12", "r13", "r8", "r9", "r10"),
        // the sum is in r12, r13, r8, r9 and r10; less p, if that is not negative
        "mov r11d, 0xffffffff",
        "mov rax, r12", "sub r12, -1",
        "mov rbx, r13", "sbb r13, r11",
        "mov rdx, r8", "sbb r8, 0",
        "mov rcx, r9", "sbb r9, rbp",
        "sbb r10, 0",
        "cmovc r12, rax", "cmovc r13, rbx", "cmovc r8, rdx", "cmovc r9, rcx",
        "pop rbp", "pop rbx",
        "ret",
}

/// As [`reduce`] for words that nothing is added to later. r13 is 2^64 − 2^32 + 1, r11 is 32; a
/// carry from t4 waits in r14, which the next step adds to its t4.
#[rustfmt::skip]
macro_rules! reduce_low {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal) => {
        concat!(
            "mov rdx, ", $t0, "\n",
            "shlx ", $t0, ", rdx, r11\n",
            "mulx rsi, rax, r13\n",
            "shrx rdx, rdx, r11\n",
            "add rsi, r14\n",
            "add ", $t1, ", ", $t0, "\n",
            "adc ", $t2, ", rdx\n",
            "adc ", $t3, ", rax\n",
            "adc ", $t4, ", rsi\n",
            "setc r14b\n",
        )
    };
}

/// `x²/2^256` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn square(_: Adx, x: &[u64; 4]) -> [u64; 4] {
    let (z0, z1, z2, z3): (u64, u64, u64, u64);
    // SAFETY: the token proves BMI2 and ADX; four words are read at the pointer, nothing is written but
    // below the stack pointer, and all registers that change are named.
    unsafe {
        asm!("call {}", sym squared, inout("rsi") x => _, out("rax") z3, out("rcx") _,
            out("rdx") _, out("rdi") _, out("r8") z0, out("r9") z1, out("r10") z2, out("r11") _,
            out("r12") _, out("r13") _, out("r14") _, options(pure, readonly));
    }
    [z0, z1, z2, z3]
}

naked! {
    /// z = x²/2^256 mod p
    ///
    /// | | |
    /// |---|---|
    /// | inputs | rsi = x[4] |
    /// | output | z in r8, r9, r10, rax |
    /// | bounds | x and z below p |
    /// | changes | all but rbx, rbp, rsp and r15; two words of stack |
    ///
    /// # Safety
    /// The CPU has BMI2 and ADX, rsi points to four words, and the caller expects these registers to change.
    fn squared:
        // products of different words
        "push rbx", "push rbp",
        "mov rdx, [rsi]", "mulx rbp, rdi, [rsi + 8]",
        "mulx r12, rax, [rsi + 16]", "add rbp, rax",
        "mulx r8, rax, [rsi + 24]", "adc r12, rax",
        "adc r8, 0",
        "mov rdx, [rsi + 8]", "xor r9, r9",
        "mulx rbx, rax, [rsi + 16]", "adcx r12, rax", "adox r8, rbx",
        "mulx rbx, rax, [rsi + 24]", "adcx r8, rax", "adox r9, rbx",
        "adc r9, 0",
        "mov rdx, [rsi + 16]", "mulx r10, rax, [rsi + 24]", "add r9, rax", "adc r10, 0",
        // twice these and the squares
        "xor eax, eax", "mov rdx, [rsi]", "mulx rbx, rcx, rdx", "adcx rdi, rdi", "adox rdi, rbx",
        "mov rdx, [rsi + 8]", "mulx rbx, rax, rdx",
        "adcx rbp, rbp", "adox rbp, rax", "adcx r12, r12", "adox r12, rbx",
        "mov rdx, [rsi + 16]", "mulx rbx, rax, rdx",
        "adcx r8, r8", "adox r8, rax", "adcx r9, r9", "adox r9, rbx",
        "mov rdx, [rsi + 24]", "mulx rbx, rax, rdx",
        "adcx r10, r10", "adox r10, rax",
        "mov eax, 0", "adcx rbx, rax", "adox rbx, rax",
        "mov r13, 0xffffffff00000001",
        "mov r11d, 32",
        "xor r14d, r14d",
        reduce_low!("rcx", "rdi", "rbp", "r12", "r8"),
        reduce_low!("rdi", "rbp", "r12", "r8", "r9"),
        reduce_low!("rbp", "r12", "r8", "r9", "r10"),
        reduce_low!("r12", "r8", "r9", "r10", "rbx"),
        // less p, if that is not negative
        "mov esi, 0xffffffff",
        "mov rcx, r8", "sub r8, -1",
        "mov rdi, r9", "sbb r9, rsi",
        "mov rbp, r10", "sbb r10, 0",
        "mov rax, rbx", "sbb rax, r13",
        "sbb r14, 0",
        "cmovc r8, rcx", "cmovc r9, rdi", "cmovc r10, rbp", "cmovc rax, rbx",
        "pop rbp", "pop rbx",
        "ret",
}
