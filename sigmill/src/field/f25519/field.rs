//! The traits of GF(p), p = 2^255 − 19, for one value or several in SIMD lanes; its constants, powers and square roots, once
//! for all backends.
//!
//! Constant time throughout unless a name ends in `_vartime`: exponents are fixed, the chains below have no data-dependent step.

use crate::ct::{Mask, entry};
use crate::field::algebra::{Algebra, LaneArray, LaneMask};
use crate::memory::{Line, Memory, PlainWith};
use crate::simd::Proven;
use crate::word;
use core::array::from_fn;

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

/// An element of GF(2^255 − 19), one or one in each lane.
pub(crate) trait Field: Algebra {
    /// One truth value per lane.
    type Mask: LaneMask;
    /// 32 little-endian bytes per lane.
    type Bytes: LaneArray<[u8; 32]>;
    /// Whether `twice_product` takes a square instead of a product.
    const SQUARES_ARE_CHEAPER: bool = false;

    /// The proof this element was made with.
    fn token(&self) -> Self::Token;
    /// The same value in every lane: four little-endian words, below 2^255.
    fn splat(token: Self::Token, words: &[u64; 4]) -> Self;
    /// Bits 0 to 254 of each string as an integer, reduced mod p; bit 255 is not looked at.
    fn from_bytes(token: Self::Token, bytes: &Self::Bytes) -> Self;
    /// The canonical encoding, below p, with bit 255 set where `top_bit` is.
    fn to_bytes(&self, top_bit: Self::Mask) -> Self::Bytes;

    /// `a·n` for a public n below 2^17.
    #[inline(always)]
    fn mul_small(&self, n: u32) -> Self::Product {
        self.mul(&Self::splat(self.token(), &[u64::from(n), 0, 0, 0]))
    }
    /// `a·b`, `c·d` and `e·f`.
    #[inline(always)]
    fn mul_three([a, b]: [&Self; 2], [c, d]: [&Self; 2], [e, f]: [&Self; 2]) -> [Self::Product; 3] {
        let [ab, cd] = Self::mul_pair([a, b], [c, d]);
        [ab, cd, e.mul(f)]
    }
    /// Four products.
    #[inline(always)]
    fn mul_four([first, second, third, fourth]: [[&Self; 2]; 4]) -> [Self::Product; 4] {
        let [first, second] = Self::mul_pair(first, second);
        let [third, fourth] = Self::mul_pair(third, fourth);
        [first, second, third, fourth]
    }
    /// `a·b`, `c·d`, `b·c` and `a·d`.
    #[inline(always)]
    fn mul_crosswise(a: &Self, b: &Self, c: &Self, d: &Self) -> [Self::Product; 4] {
        let [ab, cd] = Self::mul_pair([a, b], [c, d]);
        let [bc, ad] = Self::mul_pair([b, c], [a, d]);
        [ab, cd, bc, ad]
    }
    /// `a^(2^n)` for each element, in place. A function of its own: chains are long.
    #[inline(never)]
    fn square_times(elements: &mut [Self], n: u32) {
        for a in elements {
            *a = (0..n).fold(*a, |a, _| Self::times::<1>(&a.square()));
        }
    }
    /// `a·b` for each element and its factor, in place. A function of its own, where speed is that of
    /// `square_times`.
    #[inline(never)]
    fn multiply(elements: &mut [Self], factors: &[Self]) {
        for (a, b) in elements.iter_mut().zip(factors) {
            *a = Self::times::<1>(&a.mul(b));
        }
    }

    /// `if_true` in the lanes where the mask is set, `if_false` in the others.
    fn select(mask: Self::Mask, if_true: &Self, if_false: &Self) -> Self;
    /// Set in lanes with the same residue mod p.
    fn equal(&self, other: &Self) -> Self::Mask;
    /// Set in lanes whose residue is 0.
    fn is_zero(&self) -> Self::Mask;
    /// Set in lanes whose canonical residue is odd.
    fn is_odd(&self) -> Self::Mask;
}

/// A backend of one lane in words: what single operations run on.
pub(crate) trait SingleField: Field<Mask = Mask, Bytes = [u8; 32]> {}

impl<F: Field<Mask = Mask, Bytes = [u8; 32]>> SingleField for F {}

/// A backend with lanes: several values move through the same formula at once. What vertical code
/// needs beside arithmetic is to move values between lanes and memory. One lane is a case of it, so
/// that every lane algorithm runs on every target.
pub(crate) trait LaneField: Field<Product: PlainWith<Self::Token>> {
    /// How many values an element holds.
    const LANES: usize;
    /// One `T` per lane: `[T; LANES]`.
    type PerLane<T: Copy>: LaneArray<T>;
    /// Four operands of one lane in memory, and four products.
    type OperandRow: Copy + Default;
    type ProductRow: PlainWith<Self::Token>;

    /// The mask whose lane i is bit i.
    #[inline(always)]
    fn mask(_: Self::Token, bits: u32) -> Self::Mask {
        Self::Mask::from_bits(bits)
    }
    /// Bit i is lane i; bits from `LANES` on mean nothing.
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        mask.bits()
    }

    /// Writes lane i of four operands to row i; what does not fit is left out.
    fn store_operands(values: &[Self; 4], rows: &mut [Self::OperandRow]);
    /// Lane i of the result is row i. Time depends on where the rows are.
    fn load_operands_vartime(
        token: Self::Token,
        rows: &Self::PerLane<&Self::OperandRow>,
    ) -> [Self; 4];
    /// As [`LaneField::store_operands`].
    fn store_products(values: &[Self::Product; 4], rows: &mut [Self::ProductRow]);
    /// As [`LaneField::load_operands_vartime`].
    fn load_products_vartime(
        token: Self::Token,
        rows: &Self::PerLane<&Self::ProductRow>,
    ) -> [Self::Product; 4];
    /// Lane i of the result is entry i: three residues in canonical words. Time depends on where the
    /// entries are.
    fn load_words_vartime(token: Self::Token, entries: &Self::PerLane<&[[u64; 4]; 3]>)
    -> [Self; 3];
    /// `−a` in the lanes where the mask is set, `a` in the others.
    #[inline(always)]
    fn negate_where(mask: Self::Mask, product: &Self::Product) -> Self {
        let a = Self::times::<1>(product);
        Self::select(mask, &neg(&a), &a)
    }
    /// `a + b` and `a − b`, or the other way round in the lanes where the mask is set.
    #[inline(always)]
    fn sum_and_difference(swap: Self::Mask, a: &Self::Product, b: &Self::Product) -> [Self; 2] {
        let (sum, difference) = (Self::sum_of_two::<1, 1>(a, b), Self::sum_of_two::<1, -1>(a, b));
        [Self::select(swap, &difference, &sum), Self::select(swap, &sum, &difference)]
    }

    /// Writes lane i to row i.
    fn store_rows(values: &[Self; 3], rows: &mut [Row]);
    /// Lane i of the result is the row that entry i of the index names. Time depends on the index.
    fn load_rows_vartime(token: Self::Token, rows: &[Row], index: &Self::PerLane<u32>)
    -> [Self; 3];
}

/// Memory for the lanes of `len` points, as rows whose values mean nothing yet.
pub(crate) fn take_product_rows<'m, F: LaneField>(
    token: F::Token,
    memory: &mut Memory<'m>,
    len: usize,
) -> Option<&'m mut [F::ProductRow]> {
    memory.take_with(token, len.checked_mul(F::LANES)?)
}

/// Memory for `len` points of four products each, whose values mean nothing yet.
pub(crate) fn take_points<'m, F: LaneField>(
    token: F::Token,
    memory: &mut Memory<'m>,
    len: usize,
) -> Option<&'m mut [[F::Product; 4]]> {
    Some(memory.take_with(token, len.checked_mul(4)?)?.as_chunks_mut().0)
}

/// Lanes for secrets: those of integers alone, with tables that are read as a whole.
pub(crate) trait SecretLanes: LaneField {
    /// A window w stands for the digit w − 16, from −16 to 15. Lane i of the result is entry |digit| of
    /// the table, counted from 1, and (1, 1, 0) for the digit 0; the mask is set where the digit is
    /// negative. Constant time: every entry is read.
    fn select_signed(
        token: Self::Token,
        table: &Entries,
        windows: &Self::PerLane<u64>,
    ) -> ([Self; 3], Self::Mask);
    /// The same with a table for each lane of four: lane i takes from the table i mod 4.
    #[inline(always)]
    fn select_signed_of_four(
        token: Self::Token,
        tables: [&Entries; 4],
        windows: &Self::PerLane<u64>,
    ) -> ([Self; 3], Self::Mask) {
        let (mut chosen, minus) = Self::select_signed(token, tables[0], windows);
        for (lane, table) in tables.iter().enumerate().skip(1) {
            let (values, _) = Self::select_signed(token, table, windows);
            let mask = Self::Mask::from_bits(0x1111_1111 << lane);
            for (chosen, value) in chosen.iter_mut().zip(&values) {
                *chosen = Self::select(mask, value, chosen);
            }
        }
        (chosen, minus)
    }
    /// Each four lanes in another order: lane i of the result is lane `FROM >> 2·i & 3` of the same four. Lanes that a
    /// backend does not have are 0.
    fn arrange<const FROM: i32>(product: &Self::Product) -> Self::Product;
}

/// A look-up of one entry of a table, for a single operation: in words, or in the vectors that the CPU has.
pub(crate) trait EntryLookup: Proven {
    /// An entry for a window as those of [`SecretLanes::select_signed`]: a triple y+x, y−x, 2dxy of a point, or of minus it
    /// where the digit is negative. Constant time: every entry is read.
    fn signed_entry(token: Self::Token, table: &Entries, window: u64) -> [[u64; 4]; 3];
}

/// Sixteen triples of residues in canonical words: words 0 to 3 are those of the first residue, the
/// lowest first, 4 to 7 those of the second, 8 to 11 those of the third. Word w of entry e is `[w][e]`,
/// so that a vector holds the same word of several entries.
#[repr(C, align(64))]
pub(crate) struct Entries(pub(crate) [[u64; 16]; 12]);

/// Three residues of one point in memory, in the limbs of the backend that wrote them.
pub(crate) type Row = [Line; 2];

/// Four residues of one point in memory, in five limbs, or pairs of limbs, each.
#[cfg_attr(not(any(sigmill_lanes, sigmill_lanes_128)), allow(dead_code))]
pub(crate) type PointRow = [[u64; 4]; 5];

/// Bit 255 of each string.
#[inline(always)]
pub(crate) fn top_bits<F: Field>(bytes: &F::Bytes) -> F::Mask {
    let mut bits = 0;
    for (lane, bytes) in bytes.lanes().iter().enumerate() {
        bits |= u32::from(bytes[31] >> 7) << lane;
    }
    F::Mask::from_bits(bits)
}

/// Set in lanes whose bits 0 to 254, as an integer, are below p.
#[inline(always)]
pub(crate) fn are_reduced<F: Field>(bytes: &F::Bytes) -> F::Mask {
    let mut bits = 0;
    for (lane, bytes) in bytes.lanes().iter().enumerate() {
        bits |= (is_below_p(bytes).word() as u32 & 1) << lane;
    }
    F::Mask::from_bits(bits)
}

/// `2·x·y`, given the operands, the products they came from and their squares: where squares are cheaper than products,
/// `(x + y)² − (y² + x²)`.
#[inline(always)]
pub(crate) fn twice_product<F: Field>(
    operands: (&F, &F),
    (x, y): (&F::Product, &F::Product),
    (xx, yy): (&F::Product, &F::Product),
) -> F {
    if F::SQUARES_ARE_CHEAPER {
        let square = F::sum_of_two::<1, 1>(x, y).square();
        F::sum::<1, -1, -1>(&square, yy, xx)
    } else {
        F::times::<2>(&operands.0.mul(operands.1))
    }
}

/// Whether bits 0 to 254 are below p: adding 19 does not reach bit 255.
#[inline(always)]
fn is_below_p(bytes: &[u8; 32]) -> Mask {
    let [a, b, c, d] = word::load_le(bytes);
    let carry =
        [a, b, c].into_iter().fold((0, 19), |(_, carry), word| word::add_carry(word, carry, 0));
    let (top, _) = word::add_carry(d & (u64::MAX >> 1), carry.1, 0);
    Mask::from_bit(top >> 63 ^ 1)
}

/// [`EntryLookup::signed_entry`] in words, or in whatever vectors the compiler makes of it.
#[inline(always)]
pub(super) fn signed_entry(table: &Entries, window: u64) -> [[u64; 4]; 3] {
    let digit = window.wrapping_sub(16);
    let negative = Mask::from_bit(digit >> 63);
    let magnitude = negative.select(digit.wrapping_neg(), digit);
    // there is no entry for 0
    let words = entry(&table.0, magnitude.wrapping_sub(1));
    let [mut y_plus_x, mut y_minus_x, xy_2d] = [0, 1, 2].map(|i| from_fn(|j| words[4 * i + j]));
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
pub(super) fn negated_where(mask: u64, [a, b, c, d]: [u64; 4]) -> [u64; 4] {
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

/// `a^(2^250 − 1)` of each element: 249 squarings, 10 products.
/// Each step is done to all before the next, so that none waits for itself; few values are kept, because
/// several elements in lanes are much stack.
#[inline(always)]
fn pow_2_250_minus_1<F: Field, const N: usize>(a: &[F; N]) -> [F; N] {
    let mut power = *a;
    F::square_times(&mut power, 1);
    let mut saved = power; // 2
    F::square_times(&mut power, 2);
    F::multiply(&mut power, a);
    let mut base = power; // 9
    F::multiply(&mut power, &saved);
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
    power
}

/// `a^((p−5)/8)` of each element, in place; (p−5)/8 = 2^252 − 3 = 4·(2^250 − 1) + 1.
#[inline(always)]
pub(crate) fn pow_p_minus_5_over_8<F: Field, const N: usize>(a: &mut [F; N]) {
    let mut power = pow_2_250_minus_1(a);
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

/// The root of one ratio.
#[cfg(test)]
#[inline(always)]
pub(crate) fn sqrt_ratio<F: Field>(u: &F, v: &F) -> (F, F::Mask) {
    let (roots, exist) = sqrt_ratios(core::array::from_ref(u), core::array::from_ref(v));
    (roots[0], exist[0])
}
