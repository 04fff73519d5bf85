//! Products and squares modulo p with MULX, ADCX and ADOX: x·y/2^384 mod p for x and y below p, the lowest word first.
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

/// sum += x's word·y. It leaves in CF what is missing in t6 and in OF what is missing in t7.
#[rustfmt::skip]
macro_rules! row {
    ($x:literal, $t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal, $t5:literal,
     $t6:literal, $t7:literal) => {
        concat!(
            "mov rdx, [rsi + ", $x, "]\n",
            "xor ", $t7, ", ", $t7, "\n",
            add_product_adx!("0", $t0, $t1),
            add_product_adx!("8", $t1, $t2),
            add_product_adx!("16", $t2, $t3),
            add_product_adx!("24", $t3, $t4),
            add_product_adx!("32", $t4, $t5),
            add_product_adx!("40", $t5, $t6),
        )
    };
}

/// Adds q·p with q = t0·(2^32 + 1) mod 2^64, so that t0 may be dropped. q·p = q·2^384 − q·(2^128 + 2^96
/// − 2^32 + 1): q is added at t6, and from t1 on q·2^64 + q·2^32 − ⌊q/2^32⌋ is subtracted, and 1 less where q is
/// below q·2^32 mod 2^64. The borrow from t4 waits in rdi; the next step takes it from its t3. rbp is 32. By shifts, as
/// the next row waits for t1: a product is ready later.
#[rustfmt::skip]
macro_rules! reduce {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal, $t6:literal, $t7:literal) => {
        concat!(
            "shlx rdx, ", $t0, ", rbp\n",
            "lea rdx, [rdx + ", $t0, "]\n",
            "adox ", $t7, ", ", $t7, "\n",
            "adcx ", $t6, ", rdx\n",
            "adc ", $t7, ", 0\n",
            "shlx rax, rdx, rbp\n",
            "shrx rbx, rdx, rbp\n",
            "cmp rdx, rax\n",
            "sbb rax, rbx\n",
            "sbb rdx, 0\n",
            "add rdx, rbx\n",
            "adc rdi, 0\n",
            "sub ", $t1, ", rax\n",
            "sbb ", $t2, ", rdx\n",
            "sbb ", $t3, ", rdi\n",
            "setc dil\n",
        )
    };
}

/// `x·y/2^384` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn product(_: Adx, x: &[u64; 6], y: &[u64; 6]) -> [u64; 6] {
    let (z0, z1, z2, z3, z4, z5): (u64, u64, u64, u64, u64, u64);
    // SAFETY: the token proves BMI2 and ADX; six words are read at each pointer, nothing is written but
    // below the stack pointer, and all registers that change are named.
    unsafe {
        asm!("call {}", sym multiplied, inout("rsi") x => _, inout("rcx") y => _, out("rax") _,
            out("rdx") _, out("rdi") _, out("r8") z2, out("r9") z3, out("r10") z4, out("r11") z5,
            out("r12") _, out("r13") _, out("r14") z0, out("r15") z1, options(pure, readonly));
    }
    [z0, z1, z2, z3, z4, z5]
}

naked! {
    /// z = x·y/2^384 mod p
    ///
    /// | | |
    /// |---|---|
    /// | inputs | rsi = x[6], rcx = y[6] |
    /// | output | z in r14, r15, r8, r9, r10, r11 |
    /// | bounds | x, y and z below p |
    /// | changes | all but rbx, rbp and rsp; two words of stack |
    ///
    /// # Safety
    /// The CPU has BMI2 and ADX, rsi and rcx point to six words each, and the caller expects these registers to change.
    fn multiplied:
        "push rbx", "push rbp",
        "mov rdx, [rsi]",
        "mulx r9, r8, [rcx]",
        "mulx r10, rax, [rcx + 8]", "add r9, rax",
        "mulx r11, rax, [rcx + 16]", "adc r10, rax",
        "mulx r12, rax, [rcx + 24]", "adc r11, rax",
        "mulx r13, rax, [rcx + 32]", "adc r12, rax",
        "mulx r14, rax, [rcx + 40]", "adc r13, rax",
        "adc r14, 0",
        "xor edi, edi",
        "mov ebp, 32",
        "xor r15, r15",
        reduce!("r8", "r9", "r10", "r11", "r14", "r15"),
        row!("8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r8"),
        reduce!("r9", "r10", "r11", "r12", "r15", "r8"),
        row!("16", "r10", "r11", "r12", "r13", "r14", "r15", "r8", "r9"),
        reduce!("r10", "r11", "r12", "r13", "r8", "r9"),
        row!("24", "r11", "r12", "r13", "r14", "r15", "r8", "r9", "r10"),
        reduce!("r11", "r12", "r13", "r14", "r9", "r10"),
        row!("32", "r12", "r13", "r14", "r15", "r8", "r9", "r10", "r11"),
        reduce!("r12", "r13", "r14", "r15", "r10", "r11"),
        row!("40", "r13", "r14", "r15", "r8", "r9", "r10", "r11", "r12"),
        reduce!("r13", "r14", "r15", "r8", "r11", "r12"),
        // the sum is in r14, r15, r8 to r11 and r12
        "sub r9, rdi", "sbb r10, 0", "sbb r11, 0", "sbb r12, 0",
        // less p, if that is not negative
        "mov r13d, 0xffffffff",
        "mov rax, r14", "sub r14, r13",
        "not r13",
        "mov rbx, r15", "sbb r15, r13",
        "mov rbp, r8", "sbb r8, -2",
        "mov rdx, r9", "sbb r9, -1",
        "mov rsi, r10", "sbb r10, -1",
        "mov rcx, r11", "sbb r11, -1",
        "sbb r12, 0",
        "cmovc r14, rax", "cmovc r15, rbx", "cmovc r8, rbp",
        "cmovc r9, rdx", "cmovc r10, rsi", "cmovc r11, rcx",
        "pop rbp", "pop rbx",
        "ret",
}

/// As [`reduce`] for words that nothing is added to later, with q kept in the place of t0 and r11
/// in that of rdi; rbx is 32.
#[rustfmt::skip]
macro_rules! reduce_low {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal) => {
        concat!(
            "shlx rdx, ", $t0, ", rbx\n",
            "add rdx, ", $t0, "\n",
            "mov ", $t0, ", rdx\n",
            "shlx rax, rdx, rbx\n",
            "shrx rsi, rdx, rbx\n",
            "cmp rdx, rax\n",
            "sbb rax, rsi\n",
            "sbb rdx, 0\n",
            "add rdx, rsi\n",
            "adc r11, 0\n",
            "sub ", $t1, ", rax\n",
            "sbb ", $t2, ", rdx\n",
            "sbb ", $t3, ", r11\n",
            "setc r11b\n",
        )
    };
}

/// `x²/2^384` mod p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn square(_: Adx, x: &[u64; 6]) -> [u64; 6] {
    let (z0, z1, z2, z3, z4, z5): (u64, u64, u64, u64, u64, u64);
    // SAFETY: the token proves BMI2 and ADX; six words are read at the pointer, nothing is written but
    // below the stack pointer, and all registers that change are named.
    unsafe {
        asm!("call {}", sym squared, inout("rsi") x => _, out("rax") z5, out("rcx") _,
            out("rdx") _, out("rdi") _, out("r8") z1, out("r9") z2, out("r10") z3, out("r11") z4,
            out("r12") _, out("r13") _, out("r14") _, out("r15") z0, options(pure, readonly));
    }
    [z0, z1, z2, z3, z4, z5]
}

naked! {
    /// z = x²/2^384 mod p
    ///
    /// | | |
    /// |---|---|
    /// | inputs | rsi = x[6] |
    /// | output | z in r15, r8, r9, r10, r11, rax |
    /// | bounds | x and z below p |
    /// | changes | all but rbx, rbp and rsp; four words of stack |
    ///
    /// # Safety
    /// The CPU has BMI2 and ADX, rsi points to six words, and the caller expects these registers to change.
    fn squared:
        // products of different words
        "push rbx", "push rbp",
        "mov rdx, [rsi]", "mulx rbp, rdi, [rsi + 8]",
        "mulx r12, rax, [rsi + 16]", "add rbp, rax",
        "mulx r13, rax, [rsi + 24]", "adc r12, rax",
        "mulx r14, rax, [rsi + 32]", "adc r13, rax",
        "mulx r15, rax, [rsi + 40]", "adc r14, rax",
        "adc r15, 0",
        "mov rdx, [rsi + 8]", "xor r8, r8",
        "mulx rbx, rax, [rsi + 16]", "adcx r12, rax", "adox r13, rbx",
        "mulx rbx, rax, [rsi + 24]", "adcx r13, rax", "adox r14, rbx",
        "mulx rbx, rax, [rsi + 32]", "adcx r14, rax", "adox r15, rbx",
        "mulx rbx, rax, [rsi + 40]", "adcx r15, rax", "adox r8, rbx",
        "adc r8, 0",
        "mov rdx, [rsi + 16]", "xor r9, r9",
        "mulx rbx, rax, [rsi + 24]", "adcx r14, rax", "adox r15, rbx",
        "mulx rbx, rax, [rsi + 32]", "adcx r15, rax", "adox r8, rbx",
        "mulx rbx, rax, [rsi + 40]", "adcx r8, rax", "adox r9, rbx",
        "adc r9, 0",
        "mov rdx, [rsi + 24]", "xor r10, r10",
        "mulx rbx, rax, [rsi + 32]", "adcx r8, rax", "adox r9, rbx",
        "mulx rbx, rax, [rsi + 40]", "adcx r9, rax", "adox r10, rbx",
        "adc r10, 0",
        "mov rdx, [rsi + 32]", "mulx r11, rax, [rsi + 40]", "add r10, rax", "adc r11, 0",
        // twice these and the squares
        "xor eax, eax", "mov rdx, [rsi]", "mulx rbx, rcx, rdx", "adcx rdi, rdi", "adox rdi, rbx",
        "mov rdx, [rsi + 8]", "mulx rbx, rax, rdx",
        "adcx rbp, rbp", "adox rbp, rax", "adcx r12, r12", "adox r12, rbx",
        "mov rdx, [rsi + 16]", "mulx rbx, rax, rdx",
        "adcx r13, r13", "adox r13, rax", "adcx r14, r14", "adox r14, rbx",
        "mov rdx, [rsi + 24]", "mulx rbx, rax, rdx",
        "adcx r15, r15", "adox r15, rax", "adcx r8, r8", "adox r8, rbx",
        "mov rdx, [rsi + 32]", "mulx rbx, rax, rdx",
        "adcx r9, r9", "adox r9, rax", "adcx r10, r10", "adox r10, rbx",
        "mov rdx, [rsi + 40]", "mulx rbx, rax, rdx",
        "adcx r11, r11", "adox r11, rax",
        "mov eax, 0", "adcx rbx, rax", "adox rbx, rax",
        // the two highest words make room
        "push rbx", "push r11", "xor r11d, r11d", "mov ebx, 32",
        reduce_low!("rcx", "rdi", "rbp", "r12"),
        reduce_low!("rdi", "rbp", "r12", "r13"),
        reduce_low!("rbp", "r12", "r13", "r14"),
        reduce_low!("r12", "r13", "r14", "r15"),
        reduce_low!("r13", "r14", "r15", "r8"),
        reduce_low!("r14", "r15", "r8", "r9"),
        // the higher half and all q
        "sub r10, r11", "pop r11", "sbb r11, 0", "pop rax", "sbb rax, 0", "sbb rdx, rdx",
        "add r15, rcx", "adc r8, rdi", "adc r9, rbp", "adc r10, r12", "adc r11, r13", "adc rax, r14", "adc rdx, 0",
        // less p, if that is not negative
        "mov esi, 0xffffffff",
        "mov rcx, r15", "sub r15, rsi",
        "not rsi",
        "mov rdi, r8", "sbb r8, rsi",
        "mov rbp, r9", "sbb r9, -2",
        "mov r12, r10", "sbb r10, -1",
        "mov r13, r11", "sbb r11, -1",
        "mov r14, rax", "sbb rax, -1",
        "sbb rdx, 0",
        "cmovc r15, rcx", "cmovc r8, rdi", "cmovc r9, rbp",
        "cmovc r10, r12", "cmovc r11, r13", "cmovc rax, r14",
        "pop rbp", "pop rbx",
        "ret",
}
