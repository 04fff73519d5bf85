//! GF(p), p = 2^255 − 19: constants, powers, inversion and square roots, once for all backends.
//!
//! Constant time throughout: exponents are fixed, the chains below have no data-dependent step.
//!
//! One of four backends serves single operations: the one that `--cfg sigmill_field="…"` names, else the
//! one that fits the words of the target.
//!
//! | backend | what | default |
//! |---|---|---|
//! | `u64x4` | four words, portable 64-bit | on 64-bit targets |
//! | `u32x10` | radix 2^25.5, portable 32-bit | on all others |
//! | `fiat64`, `fiat32` | radix 2^51 and 2^25.5, generated with a proof by fiat-crypto | never |
//!
//! Where it is `u64x4`, a kernel runs in the same words with other products on a CPU with MULX, ADCX and ADOX.
//!
//! No backend changes a result. Tests have them all and choose by type.

#[cfg(sigmill_lanes)]
pub(crate) mod avx2_x4;
#[cfg(any(test, sigmill_words = "fiat64", sigmill_words = "fiat32"))]
mod fiat;
#[cfg(sigmill_lanes)]
pub(crate) mod fma_x4;
#[cfg(sigmill_lanes)]
mod ifma_wide;
#[cfg(sigmill_lanes)]
mod ifma_x4;
#[cfg(sigmill_lanes)]
pub(crate) mod ifma_x8;
pub(crate) mod one_lane;
#[cfg(sigmill_lanes)]
mod radix_51;
#[cfg(any(test, sigmill_words = "u32x10"))]
mod u32x10;
#[cfg(any(test, sigmill_words = "u64x4"))]
mod u64x4;

use super::{Entries, Field, LaneArray, LaneField, SingleField};
use crate::cpu::Backend;
use crate::ct::{Mask, joined, masks};
use crate::simd::{Instructions, Kernel};
use crate::word;
#[cfg(sigmill_words = "fiat32")]
use fiat::fiat32 as single;
#[cfg(sigmill_words = "fiat64")]
use fiat::fiat64 as single;
#[cfg(sigmill_words = "u32x10")]
use u32x10 as single;
#[cfg(sigmill_words = "u64x4")]
use u64x4 as single;

/// The backend of single operations.
pub(crate) type Fe = single::Fe;
/// Its name.
pub(crate) const NAME: &str = single::NAME;

/// d = −121665/121666, the Edwards coefficient of RFC 8032 section 5.1.
pub(crate) const D: [u64; 4] =
    [0x75eb4dca135978a3, 0x00700a4d4141d8ab, 0x8cc740797779e898, 0x52036cee2b6ffe73];
/// 2·d.
pub(crate) const TWICE_D: [u64; 4] =
    [0xebd69b9426b2f159, 0x00e0149a8283b156, 0x198e80f2eef3d130, 0x2406d9dc56dffce7];
/// 2^((p−1)/4), a square root of −1 (RFC 8032 section 5.1.1).
pub(crate) const SQRT_MINUS_1: [u64; 4] =
    [0xc4ee1b274a0ea0b0, 0x2f431806ad2fe478, 0x2b4d00993dfbd7a7, 0x2b8324804fc1df0b];
/// 1.
pub(crate) const ONE: [u64; 4] = [1, 0, 0, 0];
/// p.
pub(crate) const P: [u64; 4] = [u64::MAX - 18, u64::MAX, u64::MAX, u64::MAX >> 1];
/// p − 1.
pub(crate) const MINUS_1: [u64; 4] = [u64::MAX - 19, u64::MAX, u64::MAX, u64::MAX >> 1];
/// 0.
pub(crate) const ZERO: [u64; 4] = [0; 4];

/// Where bits 0 to 254 are below p: adding 19 does not reach bit 255.
#[inline(always)]
fn is_below_p(bytes: &[u8; 32]) -> Mask {
    let [a, b, c, d] = word::load_le(bytes);
    let carry =
        [a, b, c].into_iter().fold((0, 19), |(_, carry), word| word::add_carry(word, carry, 0));
    let (top, _) = word::add_carry(d & (u64::MAX >> 1), carry.1, 0);
    Mask::from_bit(top >> 63 ^ 1)
}

/// [`LaneField::signed_entry`] in words, or in whatever vectors the compiler makes of it.
#[inline(always)]
pub(super) fn signed_entry(table: &Entries, window: u64) -> [[u64; 4]; 3] {
    let digit = window.wrapping_sub(16);
    let negative = Mask::from_bit(digit >> 63);
    let magnitude = negative.select(digit.wrapping_neg(), digit);
    // there is no entry for 0
    let masks = masks::<16>(magnitude.wrapping_sub(1));
    let mut triple = [ZERO; 3];
    for (word, entries) in triple.as_flattened_mut().iter_mut().zip(&table.0) {
        *word = joined(entries, &masks);
    }
    let [mut y_plus_x, mut y_minus_x, xy_2d] = triple;
    let one = Mask::is_zero(magnitude).word() & 1;
    y_plus_x[0] |= one;
    y_minus_x[0] |= one;
    for (a, b) in y_plus_x.iter_mut().zip(&mut y_minus_x) {
        let difference = (*a ^ *b) & negative.word();
        (*a, *b) = (*a ^ difference, *b ^ difference);
    }
    [y_plus_x, y_minus_x, negated_where(negative.word(), xy_2d.map(|word| word ^ negative.word()))]
}

/// Given a, or its complement where the mask is all ones, a or p − a for a below p: ¬a + p + 1 = p − a + 2^256.
#[inline(always)]
fn negated_where(mask: u64, [a, b, c, d]: [u64; 4]) -> [u64; 4] {
    let double = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
    let (low, carry) = double(a, b).overflowing_add(double(mask & (P[0] + 1), mask));
    let high = double(c, d).wrapping_add(double(mask, mask >> 1)).wrapping_add(carry.into());
    [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64]
}

/// `a·b`, ready to multiply: by a function of its own, for what is not done in every step of a loop. A
/// product that is inlined takes half a kilobyte of code or more.
#[inline(always)]
pub(crate) fn mul<F: Field>(a: &F, b: &F) -> F {
    let mut product = [*a];
    F::multiply(&mut product, core::slice::from_ref(b));
    product[0]
}

/// `a²`, ready to multiply: likewise.
#[inline(always)]
pub(crate) fn square<F: Field>(a: &F) -> F {
    let mut square = [*a];
    F::square_times(&mut square, 1);
    square[0]
}

/// `−a`.
#[inline(always)]
pub(crate) fn neg<F: Field>(a: &F) -> F {
    let zero = F::splat(a.token(), &ZERO);
    F::sum_of_two::<1, -1>(&zero.widen(), &a.widen())
}

/// `a^(2^250 − 1)` of each element, and `a^11`: the common start of both chains, 249 squarings, 10 products.
/// Each step is done to all before the next, so that none waits for itself; few values are kept, because
/// several elements in lanes are much stack.
#[inline(always)]
fn pow_2_250_minus_1<F: Field, const N: usize>(a: &[F; N]) -> ([F; N], [F; N]) {
    let mut power = *a;
    F::square_times(&mut power, 1);
    let mut saved = power; // 2
    F::square_times(&mut power, 2);
    F::multiply(&mut power, a);
    let mut base = power; // 9
    F::multiply(&mut power, &saved);
    let eleven = power;
    F::square_times(&mut power, 1);
    F::multiply(&mut power, &base); // 2^5 − 1
    saved = power;
    F::square_times(&mut power, 5);
    F::multiply(&mut power, &saved); // 2^10 − 1
    base = power;
    F::square_times(&mut power, 10);
    F::multiply(&mut power, &base); // 2^20 − 1
    saved = power;
    F::square_times(&mut power, 20);
    F::multiply(&mut power, &saved); // 2^40 − 1
    F::square_times(&mut power, 10);
    F::multiply(&mut power, &base); // 2^50 − 1
    base = power;
    F::square_times(&mut power, 50);
    F::multiply(&mut power, &base); // 2^100 − 1
    saved = power;
    F::square_times(&mut power, 100);
    F::multiply(&mut power, &saved); // 2^200 − 1
    F::square_times(&mut power, 50);
    F::multiply(&mut power, &base);
    (power, eleven)
}

/// `1/a`; 0 for a = 0.
#[inline(always)]
pub(crate) fn invert<F: Field>(a: &F) -> F {
    a.invert()
}

/// `1/a = a^(p−2)`, p − 2 = 2^255 − 21 = 32·(2^250 − 1) + 11; 0 for a = 0.
#[inline(always)]
pub(crate) fn power_p_minus_2<F: Field>(a: &F) -> F {
    let (mut power, eleven) = pow_2_250_minus_1(core::array::from_ref(a));
    F::square_times(&mut power, 5);
    F::multiply(&mut power, &eleven);
    power[0]
}

/// Simultaneous inversion (Montgomery 1987, section 10.3.1) of values that come one by one, none of them 0: the product
/// of those that came. Constant time.
pub(crate) struct Products<F>(F);

impl<F: Field> Products<F> {
    /// Of none.
    #[inline(always)]
    pub(crate) fn new(token: F::Token) -> Self {
        Products(F::splat(token, &ONE))
    }

    /// Takes a value; gives the product of those before it, which [`Inverses::pop`] wants back.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: &F) -> F {
        let before = self.0;
        self.0 = mul(&before, value);
        before
    }

    /// No more come.
    #[inline(always)]
    pub(crate) fn invert(self) -> Inverses<F> {
        Inverses(invert(&self.0))
    }
}

/// The inverse of the product of those that are left.
pub(crate) struct Inverses<F>(F);

impl<F: Field> Inverses<F> {
    /// The inverse of the last value that is left.
    #[inline(always)]
    pub(crate) fn pop(&mut self, value: &F, before: &F) -> F {
        let inverse = mul(&self.0, before);
        self.0 = mul(&self.0, value);
        inverse
    }
}

/// `1/a` in each lane, and 0 for 0: one inversion for all lanes (Montgomery 1987, section 10.3.1).
#[inline(always)]
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
fn invert_in_lanes<F: LaneField>(a: &F) -> F {
    let token = a.token();
    let (is_zero, zero) = (a.is_zero(), F::splat(token, &ZERO));
    let a = F::select(is_zero, &F::splat(token, &ONE), a);
    let mut lanes = F::per_lane(a.to_bytes(F::mask(token, 0)));
    invert_each(lanes.lanes_mut());
    F::select(is_zero, &zero, &F::from_bytes(token, &F::bytes(lanes)))
}

/// Takes the inverses of at most eight residues other than 0.
#[inline(never)]
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
fn invert_each(residues: &mut [[u8; 32]]) {
    run_in_words(InvertEach(residues));
}

struct InvertEach<'a>(&'a mut [[u8; 32]]);

impl<F: SingleField> Kernel<F> for InvertEach<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let one = F::splat(token, &ONE);
        let (mut values, mut products, mut before) = ([one; 8], Products::new(token), [one; 8]);
        for ((residue, value), before) in self.0.iter().zip(&mut values).zip(&mut before) {
            *value = F::from_bytes(token, residue);
            *before = products.push(value);
        }
        let mut inverses = products.invert();
        for ((residue, value), before) in self.0.iter_mut().zip(&values).zip(&before).rev() {
            *residue = inverses.pop(value, before).to_bytes(Mask::from_bit(0));
        }
    }
}

/// `a^((p−5)/8)` of each element, in place; (p−5)/8 = 2^252 − 3 = 4·(2^250 − 1) + 1.
#[inline(always)]
pub(crate) fn pow_p_minus_5_over_8<F: Field, const N: usize>(a: &mut [F; N]) {
    let (mut power, _) = pow_2_250_minus_1(a);
    F::square_times(&mut power, 2);
    F::multiply(a, &power);
}

/// Square roots of several ratios `u/v`, each step done to all before the next, and where there are some (RFC 8032 section 5.1.3, steps 2 and 3).
///
/// For u = 0 the root is 0 and exists; v must not be 0. Which of the two roots is returned is not
/// specified. Where there is none, the first result means nothing.
#[inline(always)]
pub(crate) fn sqrt_ratios<F: Field, const N: usize>(
    u: &[F; N],
    v: &[F; N],
) -> ([F; N], [F::Mask; N]) {
    // x = u·v³·(u·v⁷)^((p−5)/8); then v·x² is u, −u, or neither, and x·√−1 is the root for −u.
    let mut x = *v;
    F::square_times(&mut x, 1);
    F::multiply(&mut x, v);
    let mut other = x; // v³
    F::square_times(&mut other, 1);
    F::multiply(&mut other, v);
    F::multiply(&mut other, u);
    pow_p_minus_5_over_8(&mut other);
    F::multiply(&mut x, u);
    F::multiply(&mut x, &other);
    other = x;
    F::square_times(&mut other, 1);
    F::multiply(&mut other, v);
    let token = u[0].token();
    let mut are_roots = [other[0].equal(&u[0]); N];
    let mut exist = [are_roots[0] | other[0].equal(&neg(&u[0])); N];
    for i in 1..N {
        are_roots[i] = other[i].equal(&u[i]);
        exist[i] = are_roots[i] | other[i].equal(&neg(&u[i]));
    }
    other = [F::splat(token, &SQRT_MINUS_1); N];
    F::multiply(&mut other, &x);
    for i in 0..N {
        x[i] = F::select(are_roots[i], &x[i], &other[i]);
    }
    (x, exist)
}

/// Words with two chains of carries, if the CPU has the instructions and the build is for them.
#[cfg(sigmill_adx)]
mod words {
    pub(super) use crate::cpu::adx as token;
    pub(super) type Words = super::u64x4::Fe<crate::cpu::Adx>;
}
/// There is nothing but the backend of the build.
#[cfg(not(sigmill_adx))]
mod words {
    pub(super) use super::Fe as Words;
    pub(super) fn token() -> Option<()> {
        None
    }
}

/// The backends in vectors, and whether the CPU has the instructions for them.
#[cfg(sigmill_lanes)]
mod vectors {
    pub(crate) use super::{
        avx2_x4::Fe as Four, fma_x4::Fe as FourPublic, ifma_wide::Fe as Wide,
        ifma_x4::Fe as Packed, ifma_x8::Fe as Eight,
    };
    pub(super) use crate::cpu::{avx2 as four, ifma as eight, ifma as packed, ifma as wide};
}
/// There are none.
#[cfg(not(sigmill_lanes))]
mod vectors {
    use super::super::absent::Absent;
    use core::convert::Infallible;
    pub(crate) type Four = Absent<4>;
    pub(crate) type FourPublic = Absent<4>;
    pub(crate) type Packed = Absent<4>;
    pub(crate) type Wide = Absent<8>;
    pub(crate) type Eight = Absent<8>;
    pub(super) fn token() -> Option<Infallible> {
        None
    }
    pub(super) use self::{token as four, token as eight, token as packed, token as wide};
}
use vectors::{Eight, Four, FourPublic, Packed, Wide};
use words::Words;

/// Runs a kernel with one value at a time, in words: four with two chains of carries if the CPU has the instructions, else
/// those of the backend of the build. Whoever has several operations makes one kernel of them: what the CPU has is
/// asked once. What it gives are words or bytes.
#[inline(always)]
pub(crate) fn run_in_words<O>(
    kernel: impl Kernel<Fe, Output = O> + Kernel<Words, Output = O>,
) -> O {
    match words::token() {
        Some(token) => Kernel::<Words>::run(kernel, token),
        None => Kernel::<Fe>::run(kernel, ()),
    }
}

/// Runs a kernel in a backend, or in the portable one where the CPU does not have it.
pub(crate) fn run<O>(
    backend: Backend,
    kernel: impl Kernel<one_lane::Fe, Output = O> + Kernel<Four, Output = O> + Kernel<Eight, Output = O>,
) -> O {
    match backend {
        Backend::Avx2 => {
            if let Some(token) = vectors::four() {
                return token.enter::<Four, _>(kernel);
            }
        }
        Backend::Ifma => {
            if let Some(token) = vectors::eight() {
                return token.enter::<Eight, _>(kernel);
            }
        }
        Backend::Portable => {}
    }
    ().enter::<one_lane::Fe, _>(kernel)
}

/// As [`run`], for a kernel of public values alone, whose time may depend on them.
pub(crate) fn run_public<O>(
    backend: Backend,
    kernel: impl Kernel<one_lane::Fe, Output = O>
    + Kernel<FourPublic, Output = O>
    + Kernel<Eight, Output = O>,
) -> O {
    match backend {
        Backend::Avx2 => {
            if let Some(token) = vectors::four() {
                return token.enter::<FourPublic, _>(kernel);
            }
        }
        Backend::Ifma => {
            if let Some(token) = vectors::eight() {
                return token.enter::<Eight, _>(kernel);
            }
        }
        Backend::Portable => {}
    }
    ().enter::<one_lane::Fe, _>(kernel)
}

/// The same in a backend that has more than one lane, if the CPU has it.
pub(crate) fn run_public_in_lanes<O>(
    backend: Backend,
    kernel: impl Kernel<FourPublic, Output = O> + Kernel<Eight, Output = O>,
) -> Option<O> {
    match backend {
        Backend::Avx2 => vectors::four().map(|token| token.enter::<FourPublic, _>(kernel)),
        Backend::Ifma => run_in_eight_lanes(kernel),
        Backend::Portable => None,
    }
}

/// Runs a kernel in eight lanes, if the CPU has a backend of as many.
pub(crate) fn run_in_eight_lanes<O>(kernel: impl Kernel<Eight, Output = O>) -> Option<O> {
    vectors::eight().map(|token| token.enter::<Eight, _>(kernel))
}

/// Runs a kernel in four lanes, if the CPU has a backend of as many.
pub(crate) fn run_in_four_lanes<O>(kernel: impl Kernel<Four, Output = O>) -> Option<O> {
    vectors::four().map(|token| token.enter::<Four, _>(kernel))
}

/// Runs a kernel on the four coordinates of one point side by side, if the CPU has a backend for that.
pub(crate) fn run_packed<O>(kernel: impl Kernel<Packed, Output = O>) -> Option<O> {
    vectors::packed().map(|token| token.enter::<Packed, _>(kernel))
}

/// Runs a kernel on eight values of one formula side by side, if the CPU has a backend for that and works on all of them at
/// once.
#[inline(always)]
pub(crate) fn run_wide<O>(kernel: impl Kernel<Wide, Output = O>) -> Option<O> {
    if crate::cpu::is_wide() {
        vectors::wide().map(|token| token.enter::<Wide, _>(kernel))
    } else {
        None
    }
}

/// The same on a CPU that works on halves, too.
#[cfg(test)]
pub(crate) fn run_wide_anywhere<O>(kernel: impl Kernel<Wide, Output = O>) -> Option<O> {
    vectors::wide().map(|token| token.enter::<Wide, _>(kernel))
}

/// The root of one ratio.
#[cfg(test)]
#[inline(always)]
pub(crate) fn sqrt_ratio<F: Field>(u: &F, v: &F) -> (F, F::Mask) {
    let (roots, exist) = sqrt_ratios(core::array::from_ref(u), core::array::from_ref(v));
    (roots[0], exist[0])
}

#[cfg(test)]
#[path = "../../tests/f25519.rs"]
pub(crate) mod tests;
