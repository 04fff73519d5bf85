//! Sums, differences and products modulo the primes of P-256 and P-384 on every x86-64: chains of carries, of which the
//! compiler makes words that it compares and adds.
//!
//! Constant time: no branch and no address depends on a word.

use core::arch::{asm, naked_asm};

/// Adds p where {m} is all ones, nothing where it is 0.
macro_rules! add_p384 {
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

/// Adds p where {m} is all ones, nothing where it is 0.
macro_rules! add_p256 {
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

/// `x + y` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p384_add(x: &[u64; 6], y: &[u64; 6]) -> [u64; 6] {
    let [mut w0, mut w1, mut w2, mut w3, mut w4, mut w5] = *x;
    // SAFETY: the words of y are read, and all registers that change are named.
    unsafe {
        asm!(
            "add {w0}, [{y} + 0]",
            "adc {w1}, [{y} + 8]",
            "adc {w2}, [{y} + 16]",
            "adc {w3}, [{y} + 24]",
            "adc {w4}, [{y} + 32]",
            "adc {w5}, [{y} + 40]",
            "sbb {m}, {m}",
            "mov {t:e}, 0xffffffff",
            "sub {w0}, {t}",
            "not {t}",
            "sbb {w1}, {t}",
            "sbb {w2}, -2",
            "sbb {w3}, -1",
            "sbb {w4}, -1",
            "sbb {w5}, -1",
            "adc {m}, 0",
            "neg {m}",
            add_p384!(),
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            w4 = inout(reg) w4,
            w5 = inout(reg) w5,
            y = in(reg) y,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [w0, w1, w2, w3, w4, w5]
}

/// `x − y` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p384_sub(x: &[u64; 6], y: &[u64; 6]) -> [u64; 6] {
    let [mut w0, mut w1, mut w2, mut w3, mut w4, mut w5] = *x;
    // SAFETY: the words of y are read, and all registers that change are named.
    unsafe {
        asm!(
            "sub {w0}, [{y} + 0]",
            "sbb {w1}, [{y} + 8]",
            "sbb {w2}, [{y} + 16]",
            "sbb {w3}, [{y} + 24]",
            "sbb {w4}, [{y} + 32]",
            "sbb {w5}, [{y} + 40]",
            "sbb {m}, {m}",
            add_p384!(),
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            w4 = inout(reg) w4,
            w5 = inout(reg) w5,
            y = in(reg) y,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [w0, w1, w2, w3, w4, w5]
}

/// `x/2` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p384_halve(x: &[u64; 6]) -> [u64; 6] {
    let [mut w0, mut w1, mut w2, mut w3, mut w4, mut w5] = *x;
    // SAFETY: all registers that change are named.
    unsafe {
        asm!(
            "mov {m}, {w0}",
            "and {m}, 1",
            "neg {m}",
            add_p384!(),
            "sbb {m}, {m}",
            "shrd {w0}, {w1}, 1",
            "shrd {w1}, {w2}, 1",
            "shrd {w2}, {w3}, 1",
            "shrd {w3}, {w4}, 1",
            "shrd {w4}, {w5}, 1",
            "shrd {w5}, {m}, 1",
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            w4 = inout(reg) w4,
            w5 = inout(reg) w5,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    [w0, w1, w2, w3, w4, w5]
}

/// `x + y` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p256_add(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut w0, mut w1, mut w2, mut w3] = *x;
    // SAFETY: the words of y are read, and all registers that change are named.
    unsafe {
        asm!(
            "add {w0}, [{y} + 0]",
            "adc {w1}, [{y} + 8]",
            "adc {w2}, [{y} + 16]",
            "adc {w3}, [{y} + 24]",
            "sbb {m}, {m}",
            "mov {t:e}, 0xffffffff",
            "mov {u}, 0xffffffff00000001",
            "sub {w0}, -1",
            "sbb {w1}, {t}",
            "sbb {w2}, 0",
            "sbb {w3}, {u}",
            "adc {m}, 0",
            "neg {m}",
            add_p256!(),
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            y = in(reg) y,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [w0, w1, w2, w3]
}

/// `x − y` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p256_sub(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut w0, mut w1, mut w2, mut w3] = *x;
    // SAFETY: the words of y are read, and all registers that change are named.
    unsafe {
        asm!(
            "sub {w0}, [{y} + 0]",
            "sbb {w1}, [{y} + 8]",
            "sbb {w2}, [{y} + 16]",
            "sbb {w3}, [{y} + 24]",
            "sbb {m}, {m}",
            add_p256!(),
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            y = in(reg) y,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [w0, w1, w2, w3]
}

/// `x/2` mod p for words below p.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p256_halve(x: &[u64; 4]) -> [u64; 4] {
    let [mut w0, mut w1, mut w2, mut w3] = *x;
    // SAFETY: all registers that change are named.
    unsafe {
        asm!(
            "mov {m}, {w0}",
            "and {m}, 1",
            "neg {m}",
            add_p256!(),
            "sbb {m}, {m}",
            "shrd {w0}, {w1}, 1",
            "shrd {w1}, {w2}, 1",
            "shrd {w2}, {w3}, 1",
            "shrd {w3}, {m}, 1",
            w0 = inout(reg) w0,
            w1 = inout(reg) w1,
            w2 = inout(reg) w2,
            w3 = inout(reg) w3,
            m = out(reg) _, t = out(reg) _, u = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    [w0, w1, w2, w3]
}

/// Adds q·p with q = t0, so that t0 may be dropped: q·p = q·(2^64 − 2^32 + 1)·2^192 + q·2^96 − q. `factor` is
/// 2^64 − 2^32 + 1; the carry from t4 waits in `carry`, whose lowest byte is `bit`, for the next step's t4. Changes rax and rdx.
#[rustfmt::skip]
macro_rules! p256_reduce {
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

/// `x·y/2^256` modulo the prime of P-256.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p256_product(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let (z0, z1, z2, z3): (u64, u64, u64, u64);
    // SAFETY: the words of both are read, nothing is written but below the stack pointer, and all registers that change
    // are named.
    unsafe {
        asm!("call {}", sym p256_multiplied, inout("rdi") x => _, inout("rsi") y => _, out("rax") _,
            out("rcx") _, out("rdx") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
            out("r12") z0, out("r13") z1, out("r14") z2, out("r15") z3, options(pure, readonly));
    }
    [z0, z1, z2, z3]
}

/// rdi = x, rsi = y; the product is left in r12 to r15. Changes all but rbx, rbp and rsp.
///
/// # Safety
/// rdi and rsi point to four words, and the caller expects these registers to change.
#[rustfmt::skip]
#[allow(unsafe_code)]
// SAFETY: `p256_product` alone calls it, and knows what it takes and changes.
#[unsafe(naked)]
unsafe extern "C" fn p256_multiplied() {
    naked_asm!(
        columns_of_product!(),
        "mov rcx, 0xffffffff00000001",
        "xor esi, esi",
        p256_reduce!("r8", "r9", "r10", "r11", "r12"; "rcx", "rsi", "sil", "rdi"),
        p256_reduce!("r9", "r10", "r11", "r12", "r13"; "rcx", "rsi", "sil", "rdi"),
        p256_reduce!("r10", "r11", "r12", "r13", "r14"; "rcx", "rsi", "sil", "rdi"),
        p256_reduce!("r11", "r12", "r13", "r14", "r15"; "rcx", "rsi", "sil", "rdi"),
        // less p, if that is not negative
        "mov edi, 0xffffffff",
        "mov rax, r12", "sub r12, -1",
        "mov rdx, r13", "sbb r13, rdi",
        "mov r8, r14", "sbb r14, 0",
        "mov r9, r15", "sbb r15, rcx",
        "sbb rsi, 0",
        "cmovc r12, rax", "cmovc r13, rdx", "cmovc r14, r8", "cmovc r15, r9",
        "ret",
    )
}

/// `x²/2^256` modulo the prime of P-256.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p256_square(x: &[u64; 4]) -> [u64; 4] {
    let [x0, x1, x2, x3] = *x;
    let (z0, z1, z2, z3): (u64, u64, u64, u64);
    // SAFETY: only the stack below its pointer is written, and every register that changes is named.
    unsafe {
        asm!("call {}", sym p256_squared, out("rax") _, out("rcx") z3, out("rdx") _, out("rsi") z1,
            out("rdi") z2, inout("r8") x0 => _, inout("r9") x1 => _, inout("r10") x2 => _,
            inout("r11") x3 => _, out("r12") _, out("r13") _, out("r14") _, out("r15") z0,
            options(pure, nomem));
    }
    [z0, z1, z2, z3]
}

/// r8 to r11 are x; x²/2^256 mod p is left in r15, rsi, rdi and rcx. Changes all but rbx, rbp and rsp.
///
/// # Safety
/// The caller expects these registers to change.
#[rustfmt::skip]
#[allow(unsafe_code)]
// SAFETY: `p256_square` alone calls it, and names what changes.
#[unsafe(naked)]
unsafe extern "C" fn p256_squared() {
    naked_asm!(
        columns_of_square!(),
        "adc rdi, rax", "adc rcx, rdx",
        "mov r9, 0xffffffff00000001",
        "mov r10d, 0",
        p256_reduce!("r8", "r12", "r13", "r14", "r15"; "r9", "r10", "r10b", "r11"),
        p256_reduce!("r12", "r13", "r14", "r15", "rsi"; "r9", "r10", "r10b", "r11"),
        p256_reduce!("r13", "r14", "r15", "rsi", "rdi"; "r9", "r10", "r10b", "r11"),
        p256_reduce!("r14", "r15", "rsi", "rdi", "rcx"; "r9", "r10", "r10b", "r11"),
        // less p, if that is not negative
        "mov r8d, 0xffffffff",
        "mov rax, r15", "sub r15, -1",
        "mov r11, rsi", "sbb rsi, r8",
        "mov rdx, rdi", "sbb rdi, 0",
        "mov r12, rcx", "sbb rcx, r9",
        "sbb r10, 0",
        "cmovc r15, rax", "cmovc rsi, r11", "cmovc rdi, rdx", "cmovc rcx, r12",
        "ret",
    )
}

/// `x·y/2^384` modulo the prime of P-384.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p384_product(x: &[u64; 6], y: &[u64; 6]) -> [u64; 6] {
    let (z0, z1, z2, z3, z4, z5): (u64, u64, u64, u64, u64, u64);
    // SAFETY: the words of both are read, nothing is written but below the stack pointer, and all registers that change
    // are named.
    unsafe {
        asm!("call {}", sym p384_multiplied, inout("rdi") x => z1, inout("rsi") y => _,
            out("rax") z0, out("rcx") _, out("rdx") _, out("r8") _, out("r9") z2, out("r10") z3,
            out("r11") z4, out("r12") z5, out("r13") _, out("r14") _, out("r15") _,
            options(pure, readonly));
    }
    [z0, z1, z2, z3, z4, z5]
}

/// Adds q·p with q = t0·(2^32 + 1) mod 2^64, which takes the place of t0: q·p = q·2^384 − q·(2^128 + 2^96 − 2^32 + 1), of which
/// the first part is added later. The borrow from t3 waits in r8, for the next step's t3. Changes rax, rdx and rsi.
#[rustfmt::skip]
macro_rules! p384_reduce {
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
macro_rules! p384_reduced {
    () => {
        concat!(
            // the two highest words make room
            "push r8\n", "push rcx\n", "xor r8d, r8d\n",
            p384_reduce!("rdi", "r9", "r10", "r11"),
            p384_reduce!("r9", "r10", "r11", "r12"),
            p384_reduce!("r10", "r11", "r12", "r13"),
            p384_reduce!("r11", "r12", "r13", "r14"),
            p384_reduce!("r12", "r13", "r14", "r15"),
            p384_reduce!("r13", "r14", "r15", "rbx"),
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

/// rdi = x, rsi = y; the product is left in rax, rdi and r9 to r12. Changes all but rbx, rbp and rsp.
///
/// # Safety
/// rdi and rsi point to six words, and the caller expects these registers to change.
#[rustfmt::skip]
#[allow(unsafe_code)]
// SAFETY: `p384_product` alone calls it, and knows what it takes and changes.
#[unsafe(naked)]
unsafe extern "C" fn p384_multiplied() {
    naked_asm!(
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
        p384_reduced!(),
        "pop rbp", "pop rbx",
        "ret",
    )
}

/// `x²/2^384` modulo the prime of P-384.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn p384_square(x: &[u64; 6]) -> [u64; 6] {
    let (z0, z1, z2, z3, z4, z5): (u64, u64, u64, u64, u64, u64);
    // SAFETY: the words of x are read, nothing is written but below the stack pointer, and all registers that change are
    // named.
    unsafe {
        asm!("call {}", sym p384_squared, inout("rdi") x => z1, out("rsi") _, out("rax") z0,
            out("rcx") _, out("rdx") _, out("r8") _, out("r9") z2, out("r10") z3, out("r11") z4,
            out("r12") z5, out("r13") _, out("r14") _, out("r15") _, options(pure, readonly));
    }
    [z0, z1, z2, z3, z4, z5]
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

/// rdi = x; x²/2^384 mod p is left in rax, rdi and r9 to r12. Changes all but rbx, rbp and rsp.
///
/// # Safety
/// rdi points to six words, and the caller expects these registers to change.
#[rustfmt::skip]
#[allow(unsafe_code)]
// SAFETY: `p384_square` alone calls it, and names what changes.
#[unsafe(naked)]
unsafe extern "C" fn p384_squared() {
    naked_asm!(
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
        p384_reduced!(),
        "pop rbp", "pop rbx",
        "ret",
    )
}
