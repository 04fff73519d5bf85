//! GF(2^255 − 19), one lane, for CPUs with MULX, ADCX and ADOX: four words and two chains of carries.
//!
//! Representation: four 64-bit words, the lowest first, without spare bits. 2^256 = 38 and 2^255 = 19 modulo p,
//! so what leaves the words at the top comes in again at the bottom.
//!
//! Bounds (of the whole integer):
//!
//! | type | below | made by |
//! |---|---|---|
//! | `Product` | 2^255 + `EXCESS` | `mul`, `square`, `mul_small`, `widen`: what is above bit 255 is folded once |
//! | `Fe` | 2^256 | a product as it is; `sum`: one fold for two products, two where a sum is added |
//!
//! The sum of two products passes 2^256 by little: the 38 that then comes in does not leave the lowest word.
//!
//! All operations are constant time.

use super::super::{Algebra, Field};
use crate::cpu::Adx;
pub(super) use crate::cpu::adx as token;
use crate::ct::Mask;
use crate::modular;
use crate::simd::Proven;
use crate::word::{self, add_carry};
use core::arch::{asm, naked_asm};

/// An operand: below 2^256.
#[derive(Clone, Copy)]
pub(crate) struct Fe {
    words: [u64; 4],
    token: Adx,
}

/// One product: below 2^255 + `EXCESS`.
#[derive(Clone, Copy)]
pub(crate) struct Product(Fe);

/// By how much a product may be above 2^255.
const EXCESS: u64 = 1 << 23;
/// The largest factor of `mul_small`.
const SMALL_MAX: u64 = (1 << 17) - 1;
/// The most that is above 2^256 when the upper half of a product, times 38, has been added to the lower.
const TOP_MAX: u64 = 38;

// Every inequality that the arithmetic below relies on.
const _: () = {
    // (2^256 − 1)·38 + 2^256 − 1 is below (TOP_MAX + 1)·2^256
    assert!(38 < TOP_MAX + 1);
    // q·2^255 + r with r below 2^255 becomes r + 19·q: q is twice the top and bit 255
    assert!(19 * (2 * TOP_MAX + 1) < EXCESS);
    assert!(19 * (2 * SMALL_MAX + 1) < EXCESS);
    assert!(19 < EXCESS);
    // a sum of products that passes 2^256 leaves less than 2·EXCESS, to which 38 is added in one word
    assert!(2 * EXCESS <= u64::MAX - 38);
    // a difference of products that is negative is above −2^255 − EXCESS: with 2^256 − 38 added, not negative
    assert!(EXCESS + 38 < u64::MAX);
};

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

/// x in rdx, r13, r14, r15, rsi = y; the product is left in r8 to r11. Changes rax, rcx, rdx, rsi and r12 to r15 too.
///
/// # Safety
/// The CPU has BMI2 and ADX, rsi points to four words, and the caller expects these registers to change.
#[rustfmt::skip]
#[allow(unsafe_code)]
// SAFETY: only called from `product`, which knows what it takes and changes.
#[unsafe(naked)]
unsafe extern "C" fn multiplied() {
    naked_asm!(
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
    )
}

/// `x^(2^n)` for words below 2^256 and n from 1 on, below 2^255 + `EXCESS`. Time depends on n.
#[inline(always)]
#[allow(unsafe_code)]
fn power(_: Adx, x: &[u64; 4], n: u32) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: the token proves that the CPU has BMI2 and ADX, only the stack below its pointer is written, and
    // every register that changes is named.
    unsafe {
        asm!("call {}", sym squared, inout("eax") n => _, out("rcx") _, out("rdx") _,
            out("rsi") _, out("rdi") _, inout("r8") z0, inout("r9") z1, inout("r10") z2,
            inout("r11") z3, out("r12") _, out("r13") _, out("r14") _, out("r15") _,
            options(pure, readonly));
    }
    [z0, z1, z2, z3]
}

/// Squares r8 to r11 as often as eax says, at least once. Changes all but rbx, rbp and rsp.
///
/// # Safety
/// The CPU has BMI2 and ADX, and the caller expects these registers to change.
#[rustfmt::skip]
#[allow(unsafe_code)]
// SAFETY: `power` alone calls it, and knows what it takes and changes.
#[unsafe(naked)]
unsafe extern "C" fn squared() {
    naked_asm!(
        "push rbx",
        "mov ebx, eax",
        "2:",
        // products of different words: r12, rdi, r13, r14, r15, rsi
        "mov rdx, r8", "mulx rdi, r12, r9",
        "mulx r13, rax, r10", "mulx r14, rcx, r11",
        "xor r15d, r15d",
        "adcx rdi, rax", "adcx r13, rcx",
        "mov rdx, r9", "mulx rcx, rax, r10", "adox r13, rax", "adcx r14, rcx",
        "mulx rcx, rax, r11", "adox r14, rax", "adcx r15, rcx",
        "mov rdx, r10", "mulx rsi, rax, r11", "adox r15, rax",
        "mov eax, 0", "adox rsi, rax",
        // twice these and the squares: r8, r12, rdi, r13, r14, r15, rsi, r11
        "xor eax, eax", "mov rdx, r8", "mulx rcx, r8, rdx", "adcx r12, r12", "adox r12, rcx",
        "mov rdx, r9", "mulx rcx, rax, rdx",
        "adcx rdi, rdi", "adox rdi, rax", "adcx r13, r13", "adox r13, rcx",
        "mov rdx, r10", "mulx rcx, rax, rdx",
        "adcx r14, r14", "adox r14, rax", "adcx r15, r15", "adox r15, rcx",
        "mov rdx, r11", "mulx r11, rax, rdx", "adcx rsi, rsi", "adox rsi, rax",
        "mov eax, 0", "adcx r11, rax", "adox r11, rax",
        fold_upper_half!("r8", "r12", "rdi", "r13", "r14", "r15", "rsi", "r11", "r9"),
        "mov r9, r12", "mov r10, rdi", "mov r11, r13",
        fold_top!(),
        "dec ebx",
        "jnz 2b",
        "pop rbx",
        "ret",
    )
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

/// The same residue, below 2^255 + 19, for words below 2^256.
#[inline(always)]
#[allow(unsafe_code)]
fn folded(x: &[u64; 4]) -> [u64; 4] {
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

/// `x + y`, below 2^256, for x + y below 2^256 + 2^64 − 38.
#[inline(always)]
#[allow(unsafe_code)]
fn sum_of_products(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: every register that changes is an output.
    unsafe {
        asm!(
            "add {z0}, {y0}",
            "adc {z1}, {y1}",
            "adc {z2}, {y2}",
            "adc {z3}, {y3}",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "add {z0}, {t}",
            t = out(reg) _,
            y0 = in(reg) y[0], y1 = in(reg) y[1], y2 = in(reg) y[2], y3 = in(reg) y[3],
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}

/// `x − y`, below 2^256, for x − y from 38 − 2^256 on.
#[inline(always)]
#[allow(unsafe_code)]
fn difference_of_products(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: what changes is named: four words and one more.
    unsafe {
        asm!(
            "sub {z0}, {y0}",
            "sbb {z1}, {y1}",
            "sbb {z2}, {y2}",
            "sbb {z3}, {y3}",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "sub {z0}, {t}",
            "sbb {z1}, 0",
            "sbb {z2}, 0",
            "sbb {z3}, 0",
            t = out(reg) _,
            y0 = in(reg) y[0], y1 = in(reg) y[1], y2 = in(reg) y[2], y3 = in(reg) y[3],
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}

/// `x + y`, below 2^256, for words below 2^256. Where the first 38 passes 2^256, less than 38 is left.
#[inline(always)]
#[allow(unsafe_code)]
fn sum(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: nothing but named registers changes.
    unsafe {
        asm!(
            "add {z0}, {y0}",
            "adc {z1}, {y1}",
            "adc {z2}, {y2}",
            "adc {z3}, {y3}",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "add {z0}, {t}",
            "adc {z1}, 0",
            "adc {z2}, 0",
            "adc {z3}, 0",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "add {z0}, {t}",
            t = out(reg) _,
            y0 = in(reg) y[0], y1 = in(reg) y[1], y2 = in(reg) y[2], y3 = in(reg) y[3],
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}

/// `x − y`, below 2^256, for words below 2^256. Where the first 38 passes 0, less than 38 is missing to 2^256.
#[inline(always)]
#[allow(unsafe_code)]
fn difference(x: &[u64; 4], y: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *x;
    // SAFETY: it computes in registers, of which those that change are named.
    unsafe {
        asm!(
            "sub {z0}, {y0}",
            "sbb {z1}, {y1}",
            "sbb {z2}, {y2}",
            "sbb {z3}, {y3}",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "sub {z0}, {t}",
            "sbb {z1}, 0",
            "sbb {z2}, 0",
            "sbb {z3}, 0",
            "sbb {t:e}, {t:e}",
            "and {t:e}, 38",
            "sub {z0}, {t}",
            t = out(reg) _,
            y0 = in(reg) y[0], y1 = in(reg) y[1], y2 = in(reg) y[2], y3 = in(reg) y[3],
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}

/// The first where the mask is all ones, the second where it is 0: conditional moves, of which the time does not
/// depend on the condition.
#[inline(always)]
#[allow(unsafe_code)]
fn selected(mask: u64, if_set: &[u64; 4], if_clear: &[u64; 4]) -> [u64; 4] {
    let [mut z0, mut z1, mut z2, mut z3] = *if_clear;
    // SAFETY: the four registers that are moved to are outputs.
    unsafe {
        asm!(
            "test {m}, {m}",
            "cmovnz {z0}, {y0}",
            "cmovnz {z1}, {y1}",
            "cmovnz {z2}, {y2}",
            "cmovnz {z3}, {y3}",
            m = in(reg) mask,
            y0 = in(reg) if_set[0], y1 = in(reg) if_set[1],
            y2 = in(reg) if_set[2], y3 = in(reg) if_set[3],
            z0 = inout(reg) z0, z1 = inout(reg) z1, z2 = inout(reg) z2, z3 = inout(reg) z3,
            options(pure, nomem, nostack),
        );
    }
    [z0, z1, z2, z3]
}

impl Fe {
    /// The residue below p.
    #[inline(always)]
    fn canonical(&self) -> [u64; 4] {
        let [a, b, c, d] = folded(&self.words); // below 2p
        // q = 1 exactly if a ≥ p: then a + 19 reaches 2^255
        let (a19, carry) = add_carry(a, 19, 0);
        let (b19, carry) = add_carry(b, 0, carry);
        let (c19, carry) = add_carry(c, 0, carry);
        let (d19, _) = add_carry(d, 0, carry);
        let reaches = Mask::from_bit(d19 >> 63);
        let low_63 = u64::MAX >> 1;
        [
            reaches.select(a19, a),
            reaches.select(b19, b),
            reaches.select(c19, c),
            reaches.select(d19 & low_63, d),
        ]
    }
}

impl Proven for Fe {
    type Token = Adx;
}

impl Algebra for Fe {
    type Product = Product;

    #[inline(always)]
    fn mul(&self, other: &Fe) -> Product {
        Product(Fe { words: product(self.token, &self.words, &other.words), token: self.token })
    }

    #[inline(always)]
    fn square(&self) -> Product {
        Product(Fe { words: power(self.token, &self.words, 1), token: self.token })
    }

    #[inline(always)]
    fn widen(&self) -> Product {
        Product(Fe { words: folded(&self.words), token: self.token })
    }

    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(a: &Product, b: &Product, c: &Product) -> Fe {
        let token = a.0.token;
        let (a, b, c) = (&a.0.words, &b.0.words, &c.0.words);
        let one = |words: [u64; 4]| Fe { words, token };
        if A == 1 && C == 0 {
            return one(match B {
                0 => *a,
                1 => sum_of_products(a, b),
                _ => difference_of_products(a, b),
            });
        }
        let a = if A == 2 { sum_of_products(a, a) } else { *a };
        one(match (B, C) {
            (0, _) => a,
            (1, 0) => sum(&a, b),
            (1, 1) => sum(&a, &sum_of_products(b, c)),
            (1, _) => sum(&a, &difference_of_products(b, c)),
            (_, 0) => difference(&a, b),
            (_, 1) => difference(&a, &difference_of_products(b, c)),
            _ => difference(&a, &sum_of_products(b, c)),
        })
    }
}

impl Field for Fe {
    type Mask = Mask;
    type Bytes = [u8; 32];

    #[inline(always)]
    fn token(&self) -> Adx {
        self.token
    }

    #[inline(always)]
    fn splat(token: Adx, words: &[u64; 4]) -> Fe {
        debug_assert!(words[3] >> 63 == 0);
        Fe { words: *words, token }
    }

    #[inline(always)]
    fn from_bytes(token: Adx, bytes: &[u8; 32]) -> Fe {
        let mut words = word::load_le(bytes);
        words[3] &= u64::MAX >> 1;
        Fe { words, token }
    }

    #[inline(always)]
    fn to_bytes(&self, top_bit: Mask) -> [u8; 32] {
        let mut words = self.canonical();
        words[3] |= top_bit.word() << 63;
        word::store_le(&words)
    }

    #[inline(always)]
    fn top_bit(_: Adx, bytes: &[u8; 32]) -> Mask {
        Mask::from_bit(u64::from(bytes[31] >> 7))
    }

    #[inline(always)]
    fn is_reduced(_: Adx, bytes: &[u8; 32]) -> Mask {
        super::is_below_p(bytes)
    }

    #[inline(always)]
    fn mul_small(&self, n: u32) -> Product {
        debug_assert!(u64::from(n) <= SMALL_MAX);
        let words = small_product(self.token, &self.words, u64::from(n));
        Product(Fe { words, token: self.token })
    }

    /// One element stays in registers; of several, each step is done to all before the next.
    #[inline(never)]
    fn square_times(elements: &mut [Fe], n: u32) {
        match elements {
            [a] if n > 0 => a.words = power(a.token, &a.words, n),
            _ => {
                for _ in 0..n {
                    for a in &mut *elements {
                        a.words = power(a.token, &a.words, 1);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn select(mask: Mask, if_true: &Fe, if_false: &Fe) -> Fe {
        let words = selected(mask.word(), &if_true.words, &if_false.words);
        Fe { words, token: if_true.token }
    }

    #[inline(always)]
    fn equal(&self, other: &Fe) -> Mask {
        let (a, b) = (self.canonical(), other.canonical());
        Mask::is_zero(a.iter().zip(&b).fold(0, |acc, (x, y)| acc | (x ^ y)))
    }

    #[inline(always)]
    fn is_zero(&self) -> Mask {
        Mask::is_zero(self.canonical().iter().fold(0, |acc, word| acc | word))
    }

    #[inline(always)]
    fn is_odd(&self) -> Mask {
        Mask::from_bit(self.canonical()[0] & 1)
    }

    /// By division steps, in half the time of a power.
    #[inline(never)]
    fn invert(&self) -> Fe {
        Fe { words: modular::inverse(&self.canonical(), &super::P), token: self.token }
    }
}

#[cfg(test)]
impl super::tests::Inspect for Fe {
    const OFFSETS: &[usize] = &[0, 64, 128, 192];

    fn available() -> Option<Adx> {
        crate::cpu::adx()
    }

    fn limit(kind: super::tests::Kind, i: usize) -> u64 {
        if kind == super::tests::Kind::Product && i == 3 { 1 << 63 } else { u64::MAX }
    }

    fn is_within(kind: super::tests::Kind, limbs: &[u64]) -> bool {
        // 2^255 or more: only the lowest word is left
        kind != super::tests::Kind::Product
            || limbs[3] >> 63 == 0
            || (limbs[1] | limbs[2] == 0 && limbs[0] < EXCESS)
    }

    /// What is near the multiples of p, 2^255 and 2^256.
    fn extreme_integers() -> std::vec::Vec<std::vec::Vec<u64>> {
        let near = |words: [u64; 4]| {
            (0..80).map(move |i| {
                let (low, carry) = add_carry(words[0], i, 0);
                let (second, carry) = add_carry(words[1], 0, carry);
                let (third, carry) = add_carry(words[2], 0, carry);
                let (top, _) = add_carry(words[3], 0, carry);
                std::vec![low, second, third, top]
            })
        };
        let (max, half) = (u64::MAX, u64::MAX >> 1);
        // about 2p and 2^256, and about p and 2^255
        let near = near([max - 77, max, max, max]).chain(near([max - 39, max, max, half]));
        // products with 121666 and 2^17 − 1 in which a word carries into the next: w·n = −1, or −2, mod 2^64
        let carrying = [60_833, SMALL_MAX].into_iter().flat_map(|n| {
            let inverse = (0..6).fold(n, |inverse: u64, _| {
                inverse.wrapping_mul(2_u64.wrapping_sub(n.wrapping_mul(inverse)))
            });
            (0..4).map(move |place| {
                let word = |i| if i == place { inverse.wrapping_neg() } else { max };
                (0..4).map(word).collect()
            })
        });
        near.chain(carrying).collect()
    }

    fn operand(token: Adx, limbs: &[u64]) -> Fe {
        Fe { words: core::array::from_fn(|i| limbs[i]), token }
    }

    fn product(token: Adx, limbs: &[u64]) -> Product {
        Product(Self::operand(token, limbs))
    }

    fn of_operand(&self) -> std::vec::Vec<u64> {
        self.words.to_vec()
    }

    fn of_product(product: &Product) -> std::vec::Vec<u64> {
        product.0.of_operand()
    }
}
