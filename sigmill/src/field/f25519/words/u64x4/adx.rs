//! Products of four words with MULX, ADCX and ADOX: two chains of carries.

use super::Multiply;
use crate::cpu::Adx;
use core::arch::asm;

impl Multiply for Adx {
    #[inline(always)]
    fn product(self, x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
        product(self, x, y)
    }

    #[inline(always)]
    fn square(self, x: &[u64; 4]) -> [u64; 4] {
        square(self, x)
    }

    #[inline(always)]
    fn power(self, x: &[u64; 4], n: u32) -> [u64; 4] {
        power(self, x, n)
    }

    #[inline(always)]
    fn small_product(self, x: &[u64; 4], n: u64) -> [u64; 4] {
        small_product(self, x, n)
    }

    #[cfg(test)]
    fn available() -> Option<Self> {
        crate::cpu::adx()
    }
}

/// Folds what is above bit 255: r8 to r11 and rcx, the top, become r8 to r11.
macro_rules! fold_top {
    () => {
        "add r11, r11
        adc rcx, rcx
        shr r11, 1
        imul rcx, rcx, 19
        add r8, rcx
        adc r9, 0
        adc r10, 0
        adc r11, 0"
    };
}

/// Adds 38 times the upper half, h0 to h3, to the lower one, l0 to l3 and rcx as the top. rax, rdx and zero, which is
/// left 0, change.
#[rustfmt::skip]
macro_rules! fold_upper_half {
    ($l0:literal, $l1:literal, $l2:literal, $l3:literal, $h0:literal, $h1:literal, $h2:literal,
     $h3:literal, $zero:literal) => {
        concat!(
            "mov edx, 38\n",
            "xor ", $zero, ", ", $zero, "\n",
            "mulx rcx, rax, ", $h0, "\n",
            "adcx ", $l0, ", rax\n",
            "adox ", $l1, ", rcx\n",
            "mulx rcx, rax, ", $h1, "\n",
            "adcx ", $l1, ", rax\n",
            "adox ", $l2, ", rcx\n",
            "mulx rcx, rax, ", $h2, "\n",
            "adcx ", $l2, ", rax\n",
            "adox ", $l3, ", rcx\n",
            "mulx rcx, rax, ", $h3, "\n",
            "adcx ", $l3, ", rax\n",
            "adox rcx, ", $zero, "\n",
            "adc rcx, 0\n",
        )
    };
}

/// sum += rdx·y, a word of y: the low half in the chain of CF, the high one in that of OF.
#[rustfmt::skip]
macro_rules! add_product {
    ($y:literal, $low:literal, $high:literal) => {
        concat!(
            "mulx rcx, rax, [rsi + ", $y, "]\n",
            "adcx ", $low, ", rax\n",
            "adox ", $high, ", rcx\n",
        )
    };
}

/// Adds a word of x, in t4, times y to t0 to t3, and makes t4 a word of the sum.
#[rustfmt::skip]
macro_rules! row {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal) => {
        concat!(
            "mov rdx, ", $t4, "\n",
            "xor ", $t4, ", ", $t4, "\n",
            add_product!("0", $t0, $t1),
            add_product!("8", $t1, $t2),
            add_product!("16", $t2, $t3),
            add_product!("24", $t3, $t4),
            "adc ", $t4, ", 0\n",
        )
    };
}

/// `x·y` for words below 2^256, below 2^255 + `EXCESS`.
#[inline(always)]
#[allow(unsafe_code)]
fn product(_: Adx, x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let (z0, z1, z2, z3): (u64, u64, u64, u64);
    // SAFETY: the token proves BMI2 and ADX; the four words of y are read, nothing is written but below the stack
    // pointer, and all registers that change are named.
    unsafe {
        asm!("call {}", sym multiplied, inout("rsi") y => _, inout("rdx") x[0] => _,
            inout("r13") x[1] => _, inout("r14") x[2] => _, inout("r15") x[3] => _, out("rax") _,
            out("rcx") _, out("r8") z0, out("r9") z1, out("r10") z2, out("r11") z3, out("r12") _,
            options(pure, readonly));
    }
    [z0, z1, z2, z3]
}

naked! {
    /// x in rdx, r13, r14, r15, rsi = y; the product is left in r8 to r11. Changes rax, rcx, rdx, rsi and r12 to r15 too.
    ///
    /// # Safety
    /// The CPU has BMI2 and ADX, rsi points to four words, and the caller expects these registers to change.
    fn multiplied:
        "mulx r9, r8, [rsi]",
        "mulx r10, rax, [rsi + 8]", "add r9, rax",
        "mulx r11, rax, [rsi + 16]", "adc r10, rax",
        "mulx r12, rax, [rsi + 24]", "adc r11, rax",
        "adc r12, 0",
        row!("r9", "r10", "r11", "r12", "r13"),
        row!("r10", "r11", "r12", "r13", "r14"),
        row!("r11", "r12", "r13", "r14", "r15"),
        fold_upper_half!("r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rsi"),
        fold_top!(),
        "ret",
}

/// `x²` for words below 2^256, below 2^255 + `EXCESS`: by fewer instructions than `power`, but not as soon.
#[inline(always)]
#[allow(unsafe_code)]
fn square(_: Adx, x: &[u64; 4]) -> [u64; 4] {
    call_on_words!(squared_once, x, out("rax") _)
}

/// `x^(2^n)` for words below 2^256 and n from 1 on, below 2^255 + `EXCESS`. Time depends on n.
#[inline(always)]
#[allow(unsafe_code)]
fn power(_: Adx, x: &[u64; 4], n: u32) -> [u64; 4] {
    call_on_words!(squared, x, inout("eax") n => _)
}

/// The columns of the square of r8 to r11: r8, r12, rdi, r13, r14, r15, rsi, and r9, to which CF and OF are still to be added:
/// products of different words, then these twice and the squares. Changes rax, rcx and rdx.
macro_rules! columns_of_square {
    () => {
        "mov rdx, r8
        mulx rdi, r12, r9
        mulx r13, rax, r10
        mulx r14, rcx, r11
        xor r15d, r15d
        adcx rdi, rax
        adcx r13, rcx
        mov rdx, r9
        mulx rcx, rax, r10
        adox r13, rax
        adcx r14, rcx
        mulx rcx, rax, r11
        adox r14, rax
        adcx r15, rcx
        mov rdx, r10
        mulx rsi, rax, r11
        adox r15, rax
        mov eax, 0
        adox rsi, rax
        xor eax, eax
        mov rdx, r8
        mulx rcx, r8, rdx
        adcx r12, r12
        adox r12, rcx
        mov rdx, r9
        mulx rcx, rax, rdx
        adcx rdi, rdi
        adox rdi, rax
        adcx r13, r13
        adox r13, rcx
        mov rdx, r10
        mulx rcx, rax, rdx
        adcx r14, r14
        adox r14, rax
        adcx r15, r15
        adox r15, rcx
        mov rdx, r11
        mulx r9, rax, rdx
        adcx rsi, rsi
        adox rsi, rax"
    };
}

naked! {
    /// Squares r8 to r11. Changes all but rbx, rbp and rsp.
    ///
    /// # Safety
    /// The CPU has BMI2 and ADX, and the caller expects these registers to change.
    fn squared_once:
        columns_of_square!(),
        "mov r11, r9", "mov eax, 0", "adcx r11, rax", "adox r11, rax",
        fold_upper_half!("r8", "r12", "rdi", "r13", "r14", "r15", "rsi", "r11", "r9"),
        "mov r9, r12", "mov r10, rdi", "mov r11, r13",
        fold_top!(),
        "ret",
}

naked! {
    /// Squares r8 to r11 as often as eax says, at least once. Changes all but rbx, rbp and rsp.
    ///
    /// Squares leave words below 2^256, and bit 255 of the last is folded. With h the high half of r11², to which
    /// the last carries c ≤ 2 come, and l the highest word of the lower half, 38·h + l = q·2^63 + r is known before the carries are,
    /// and the square is the three lower words, their upper half times 38, and 19·q, and r + 38·c in the highest word: with what
    /// the lower words carry, below 2^63 + 76 + 39.
    ///
    /// # Safety
    /// The CPU has BMI2 and ADX, and the caller expects these registers to change.
    fn squared:
        "push rbx",
        "push rbp",
        "mov ebx, eax",
        "2:",
        columns_of_square!(),
        // c
        "mov r11d, 0", "mov eax, 0", "adcx r11, rax", "adox r11, rax",
        // q and r
        "mov edx, 38", "mulx rbp, rcx, r9",
        "add rcx, r13", "adc rbp, 0", "add rcx, rcx", "adc rbp, rbp", "shr rcx, 1",
        "imul r11, r11, 38", "add r11, rcx",
        "lea rax, [rbp + 8*rbp]", "lea rbp, [rbp + 2*rax]",
        "xor r9d, r9d",
        "adox r8, rbp",
        "mulx rcx, rax, r14", "adcx r8, rax", "adox r12, rcx",
        "mulx rcx, rax, r15", "adcx r12, rax", "adox rdi, rcx",
        "mulx rcx, rax, rsi", "adcx rdi, rax", "adox r11, rcx", "adcx r11, r9",
        "mov r9, r12", "mov r10, rdi",
        "dec ebx",
        "jnz 2b",
        "xor ecx, ecx",
        fold_top!(),
        "pop rbp",
        "pop rbx",
        "ret",
}

/// `x·n` for words below 2^256 and n up to `SMALL_MAX`, below 2^255 + `EXCESS`.
#[inline(always)]
#[allow(unsafe_code)]
fn small_product(_: Adx, x: &[u64; 4], n: u64) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: BMI2 is proven by the token; the registers that change are all named.
    unsafe {
        asm!(
            "mulx rax, r8, r8",
            "mulx rcx, r9, r9",
            "add r9, rax",
            "mulx rax, r10, r10",
            "adc r10, rcx",
            "mulx rcx, r11, r11",
            "adc r11, rax",
            "adc rcx, 0",
            fold_top!(),
            in("rdx") n, out("rax") _, out("rcx") _,
            inout("r8") z0, inout("r9") z1, inout("r10") z2, inout("r11") z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}
