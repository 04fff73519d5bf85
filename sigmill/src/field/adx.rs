//! Products modulo the primes of P-256 and P-384 with MULX, ADCX and ADOX: x·y/2^(64·N) mod p for x and
//! y below p in N words, the lowest first.
//!
//! One word of x after the other is multiplied by y and added to a sum, in two chains of carries; then
//! a multiple of p that makes the lowest word zero, and that word is dropped. Between the steps the sum
//! is below 2·p.
//!
//! The functions are naked: one needs every register, and the compiler keeps some of them from inline
//! assembly. Constant time: no branch and no address depends on a word. Reach: `cpu`.

use crate::cpu::Adx;
use core::arch::naked_asm;

/// `x·y/2^384` modulo the prime of P-384.
#[inline(always)]
pub(super) fn p384_product(_: Adx, x: &[u64; 6], y: &[u64; 6]) -> [u64; 6] {
    let mut product = [0; 6];
    p384(&mut product, x, y);
    product
}

/// `x·y/2^256` modulo the prime of P-256.
#[inline(always)]
pub(super) fn p256_product(_: Adx, x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let mut product = [0; 4];
    p256(&mut product, x, y);
    product
}

/// sum += rdx·y, a word of y: the low half in the chain of CF, the high one in that of OF.
macro_rules! add_product {
    ($y:literal, $low:literal, $high:literal) => {
        concat!(
            "mulx rbx, rax, [rcx + ", $y, "]\n",
            "adcx ", $low, ", rax\n",
            "adox ", $high, ", rbx\n",
        )
    };
}

/// sum += x's word·y. It leaves in CF what is missing in t6 and in OF what is missing in t7.
macro_rules! p384_row {
    ($x:literal, $t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal, $t5:literal,
     $t6:literal, $t7:literal) => {
        concat!(
            "mov rdx, [rsi + ", $x, "]\n",
            "xor ", $t7, ", ", $t7, "\n",
            add_product!("0", $t0, $t1),
            add_product!("8", $t1, $t2),
            add_product!("16", $t2, $t3),
            add_product!("24", $t3, $t4),
            add_product!("32", $t4, $t5),
            add_product!("40", $t5, $t6),
        )
    };
}

/// Adds q·p with q = t0·(2^32 + 1) mod 2^64, so that t0 may be dropped: q at t6, and from t1 on
/// −(q·2^64 + q·2^32 − ⌈(q·2^32 − q)/2^64⌉), as q·2^32 − q = −t0 mod 2^64. A borrow from t4 waits in
/// rdi, which the next step takes from its t3.
macro_rules! p384_reduce {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal, $t6:literal, $t7:literal) => {
        concat!(
            "mov rdx, ", $t0, "\n",
            "mulx rbx, rdx, [rip + {two_32_plus_1}]\n",
            "adox ", $t7, ", ", $t7, "\n",
            "adcx ", $t6, ", rdx\n",
            "adc ", $t7, ", 0\n",
            "mulx rbx, rbx, [rip + {two_32_minus_1}]\n",
            "mulx rbp, rax, [rip + {two_32}]\n",
            "neg ", $t0, "\n",
            "sbb rax, rbx\n",
            "sbb rbp, 0\n",
            "add rbp, rdx\n",
            "adc rdi, 0\n",
            "sub ", $t1, ", rax\n",
            "sbb ", $t2, ", rbp\n",
            "sbb ", $t3, ", rdi\n",
            "setc dil\n",
        )
    };
}

static TWO_32_PLUS_1: u64 = (1 << 32) + 1;
static TWO_32_MINUS_1: u64 = (1 << 32) - 1;
static TWO_32: u64 = 1 << 32;

/// rdi = product, rsi = x, rdx = y. Only with a token: the CPU needs BMI2 and ADX.
#[allow(unsafe_code)]
// SAFETY: the System V convention is kept: six registers are restored, the stack is left as it was
// found, only the three arrays are touched, and rax is not a result.
#[unsafe(naked)]
extern "sysv64" fn p384(product: &mut [u64; 6], x: &[u64; 6], y: &[u64; 6]) {
    naked_asm!(
        "push rbx", "push rbp", "push r12", "push r13", "push r14", "push r15", "push rdi",
        "mov rcx, rdx",
        "mov rdx, [rsi]",
        "mulx r9, r8, [rcx]",
        "mulx r10, rax, [rcx + 8]", "add r9, rax",
        "mulx r11, rax, [rcx + 16]", "adc r10, rax",
        "mulx r12, rax, [rcx + 24]", "adc r11, rax",
        "mulx r13, rax, [rcx + 32]", "adc r12, rax",
        "mulx r14, rax, [rcx + 40]", "adc r13, rax",
        "adc r14, 0",
        "xor edi, edi",
        "xor r15, r15",
        p384_reduce!("r8", "r9", "r10", "r11", "r14", "r15"),
        p384_row!("8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r8"),
        p384_reduce!("r9", "r10", "r11", "r12", "r15", "r8"),
        p384_row!("16", "r10", "r11", "r12", "r13", "r14", "r15", "r8", "r9"),
        p384_reduce!("r10", "r11", "r12", "r13", "r8", "r9"),
        p384_row!("24", "r11", "r12", "r13", "r14", "r15", "r8", "r9", "r10"),
        p384_reduce!("r11", "r12", "r13", "r14", "r9", "r10"),
        p384_row!("32", "r12", "r13", "r14", "r15", "r8", "r9", "r10", "r11"),
        p384_reduce!("r12", "r13", "r14", "r15", "r10", "r11"),
        p384_row!("40", "r13", "r14", "r15", "r8", "r9", "r10", "r11", "r12"),
        p384_reduce!("r13", "r14", "r15", "r8", "r11", "r12"),
        // the sum is in r14, r15, r8 to r11 and r12
        "sub r9, rdi", "sbb r10, 0", "sbb r11, 0", "sbb r12, 0",
        // less p, if that is not negative
        "mov r13d, 0xffffffff",
        "mov rax, r14", "sub rax, r13",
        "not r13",
        "mov rbx, r15", "sbb rbx, r13",
        "mov rbp, r8", "sbb rbp, -2",
        "mov rdx, r9", "sbb rdx, -1",
        "mov rsi, r10", "sbb rsi, -1",
        "mov rcx, r11", "sbb rcx, -1",
        "sbb r12, 0",
        "pop rdi",
        "cmovc rax, r14", "mov [rdi], rax",
        "cmovc rbx, r15", "mov [rdi + 8], rbx",
        "cmovc rbp, r8", "mov [rdi + 16], rbp",
        "cmovc rdx, r9", "mov [rdi + 24], rdx",
        "cmovc rsi, r10", "mov [rdi + 32], rsi",
        "cmovc rcx, r11", "mov [rdi + 40], rcx",
        "pop r15", "pop r14", "pop r13", "pop r12", "pop rbp", "pop rbx",
        "ret",
        two_32_plus_1 = sym TWO_32_PLUS_1,
        two_32_minus_1 = sym TWO_32_MINUS_1,
        two_32 = sym TWO_32,
    )
}

/// sum += x's word·y, and with q = t0 what is left of q·p = q·(2^256 − 2^224 + 2^192) + q·2^96 − q when
/// t0 is dropped. rbp is 2^256/2^192 − 2^32 + 1, p's highest word, r15 is 2^32.
macro_rules! p256_row {
    ($x:literal, $t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal, $t5:literal) => {
        concat!(
            "mov rdx, [rsi + ", $x, "]\n",
            "xor ", $t5, ", ", $t5, "\n",
            add_product!("0", $t0, $t1),
            add_product!("8", $t1, $t2),
            add_product!("16", $t2, $t3),
            add_product!("24", $t3, $t4),
            "adox ", $t5, ", ", $t5, "\n",
            "adc ", $t4, ", 0\n",
            "adc ", $t5, ", 0\n",
            p256_reduce!($t0, $t1, $t2, $t3, $t4),
            "adc ", $t5, ", 0\n",
        )
    };
}

macro_rules! p256_reduce {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal) => {
        concat!(
            "mov rdx, ", $t0, "\n",
            "mulx rbx, rax, r15\n",
            "add ", $t1, ", rax\n",
            "adc ", $t2, ", rbx\n",
            "mulx rbx, rax, rbp\n",
            "adc ", $t3, ", rax\n",
            "adc ", $t4, ", rbx\n",
        )
    };
}

/// As [`p384`].
#[allow(unsafe_code)]
// SAFETY: as above.
#[unsafe(naked)]
extern "sysv64" fn p256(product: &mut [u64; 4], x: &[u64; 4], y: &[u64; 4]) {
    naked_asm!(
        "push rbx", "push rbp", "push r12", "push r13", "push r15",
        "mov rcx, rdx",
        "mov rbp, 0xffffffff00000001",
        "mov r15, 0x100000000",
        "mov rdx, [rsi]",
        "mulx r9, r8, [rcx]",
        "mulx r10, rax, [rcx + 8]", "add r9, rax",
        "mulx r11, rax, [rcx + 16]", "adc r10, rax",
        "mulx r12, rax, [rcx + 24]", "adc r11, rax",
        "adc r12, 0",
        "xor r13, r13",
        p256_reduce!("r8", "r9", "r10", "r11", "r12"),
        "adc r13, 0",
        p256_row!("8", "r9", "r10", "r11", "r12", "r13", "r8"),
        p256_row!("16", "r10", "r11", "r12", "r13", "r8", "r9"),
        p256_row!("24", "r11", "r12", "r13", "r8", "r9", "r10"),
        // the sum is in r12, r13, r8, r9 and r10; less p, if that is not negative
        "mov eax, 0xffffffff",
        "mov rdx, r12", "sub rdx, -1",
        "mov rbx, r13", "sbb rbx, rax",
        "mov rsi, r8", "sbb rsi, 0",
        "mov rcx, r9", "sbb rcx, rbp",
        "sbb r10, 0",
        "cmovc rdx, r12", "mov [rdi], rdx",
        "cmovc rbx, r13", "mov [rdi + 8], rbx",
        "cmovc rsi, r8", "mov [rdi + 16], rsi",
        "cmovc rcx, r9", "mov [rdi + 24], rcx",
        "pop r15", "pop r13", "pop r12", "pop rbp", "pop rbx",
        "ret",
    )
}
