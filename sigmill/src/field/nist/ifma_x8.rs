//! Coordinates modulo a prime just below a power of two, eight lanes, AVX-512 IFMA.
//!
//! Representation: x is kept as x·R mod p, R = 2^(52·N) (Montgomery 1985), in N vectors of eight
//! 64-bit limbs, radix 2^52, the lowest first. VPMADD52 reads the low
//! 52 bits of its factors, so all limbs of an operand but the highest are the low 52 bits of their
//! words, and the others mean nothing.
//!
//! | type | value | columns | made by |
//! |---|---|---|---|
//! | `Fe` | from 0 to 2.01·p | limbs as above, the highest below 2^52 | `sum`, `operand_vartime`, loads |
//! | `Columns` | from −3.3·p to 3.3·p | magnitudes below 2^59 | products, `widen`, `negate_where` |
//! | `Unreduced` | up to 8 products of operands | below 2^59 | `mul_unreduced`, `square_times_8` |
//!
//! *Products.* A product of two operands is below 4.05·p², and (4.05·p² + R·p)/R is below 1.26·p, as R is
//! 16·p or more; with eight more of them before the reduction it is below 3.3·p. Row by row: the multiples
//! of one limb are added, then the multiple q·p that makes the lowest 52 bits zero, and the lowest column
//! is dropped. A column takes at most two halves of products and four of multiples of p in each of N
//! rows, and a carry: 6·8 + 1 units of 2^52, below 2^58; with eight more products 8·16 units more.
//!
//! *Sums.* Columns are signed, below 16·2^59. With V the sum, |V| below 64·p, and h the highest column over 2^B without
//! its fraction, for p just below 2^B: h·2^B is V but for a fraction of 2^B and what the lower columns
//! carry, less than 2^-8·2^B. So V − (h − 1)·p is between (1 − 2^-8)·2^B and 2.01·p. As 2^B − p has few
//! terms, that takes few additions; then one chain of carries from the lowest limb up.
//!
//! All operations are constant time but those that end in `_vartime`: loads of pairs, whose addresses depend on public
//! indices, and operands whose carries are looked at, for public values.

mod limbs;
mod products;
#[cfg(test)]
mod tests;

use super::field::{EightLanes, EntryWords, FACTORS_MAX, Field, Pair};
use crate::cpu::Ifma;
use crate::field::algebra::Algebra;
use crate::memory::Line;
use crate::modular::{Residue, double_times};
use crate::simd::Proven;
use crate::word::{self, sub_borrow};
use core::marker::PhantomData;
pub(crate) use limbs::LaneModulus;
use limbs::*;
use products::*;

/// An operand mod the W words of M.
pub(crate) struct Fe<M, const W: usize, const N: usize>([V; N], PhantomData<M>);

/// Columns of a product that is not reduced yet.
pub(crate) struct Unreduced<M, const N: usize>([[V; N]; 2], PhantomData<M>);

/// Columns of a product, with a sign.
pub(crate) struct Columns<M, const W: usize, const N: usize>([V; N], PhantomData<M>);

impl<M, const W: usize, const N: usize> Clone for Fe<M, W, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, const W: usize, const N: usize> Copy for Fe<M, W, N> {}

impl<M, const W: usize, const N: usize> Clone for Columns<M, W, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, const W: usize, const N: usize> Copy for Columns<M, W, N> {}

/// The same 64 bits of x, or of y, of sixteen points: in two vectors, from which a permutation takes one a
/// lane. Limbs are made of what was taken: as limbs, tables would be a fourth larger.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Entries<const W: usize>([[[u64; 16]; W]; 2]);

/// Eight points a lane: 64 bits by 64 bits, one lane's in each word.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Spread<const W: usize>([[[[u64; 8]; W]; 2]; 8]);

/// |digit| of each lane.
#[inline(always)]
fn magnitudes(token: Ifma, digits: &[i8; 8]) -> V {
    let mut words = [0; 8];
    for lane in 0..8 {
        words[lane] = u64::from(digits[lane].unsigned_abs());
    }
    V::from_array(token, words)
}

impl<M: LaneModulus<W, N>, const W: usize, const N: usize> Fe<M, W, N> {
    /// What makes R·x of 2^(64·W)·x as a factor: R²/2^(64·W).
    const FROM_SINGLE: [u64; N] = limbs_of(
        &double_times(Residue::<M, W>::ONE.words(), &M::MODULUS, 2 * (52 * N - 64 * W)),
        0,
    );
    /// The other way: 2^(64·W).
    const TO_SINGLE: [u64; N] = limbs_of(&Residue::<M, W>::ONE.words(), 0);
    const ZEROS: [[u64; N]; 2] = multiples::<M, W, N>();

    /// R·x, given 2^(64·W)·x, when the library is built: what a shift pushes over 2^(64·W) comes back times
    /// 2^(64·W) − p.
    const fn from_single(words: &[u64; W]) -> [u64; W] {
        let shift = 52 * N - 64 * W;
        let over = words[W - 1] >> (64 - shift);
        let one = Residue::<M, W>::ONE.words();
        let mut sum = [0; W];
        let (mut carry, mut i) = (0, 0);
        while i < W {
            let low = if i == 0 { 0 } else { words[i - 1] >> (64 - shift) };
            (sum[i], carry) = word::mul_add(words[i] << shift | low, over, one[i], carry);
            i += 1;
        }
        // below 2·p
        let (mut less, mut borrow) = ([0; W], 0);
        i = 0;
        while i < W {
            (less[i], borrow) = sub_borrow(sum[i], M::MODULUS[i], borrow);
            i += 1;
        }
        if borrow <= carry { less } else { sum }
    }

    /// The sixteen points of a table.
    pub(crate) const fn entries(points: &EntryWords<W>) -> Entries<W> {
        let mut entries = Entries([[[0; 16]; W]; 2]);
        let mut i = 0;
        while i < 32 {
            let words = Self::from_single(&points[i / 2][i % 2]);
            let mut word = 0;
            while word < W {
                entries.0[i % 2][word][i / 2] = words[word];
                word += 1;
            }
            i += 1;
        }
        entries
    }

    /// Rows 8·`step` to 8·`step` + 7 of a table, one a lane.
    pub(crate) const fn spread<const ROWS: usize>(
        rows: &[[[[u64; W]; 2]; 8]; ROWS],
        step: usize,
    ) -> Spread<W> {
        let mut spread = Spread([[[[0; 8]; W]; 2]; 8]);
        let mut i = 0;
        while i < 128 {
            let (lane, number, coordinate) = (i / 16, i / 2 % 8, i % 2);
            let words = Self::from_single(&rows[8 * step + lane][number][coordinate]);
            let mut word = 0;
            while word < W {
                spread.0[number][coordinate][word][lane] = words[word];
                word += 1;
            }
            i += 1;
        }
        spread
    }

    /// Points as lanes load them.
    pub(crate) const fn pairs<const POINTS: usize>(
        points: &[[[u64; W]; 2]; POINTS],
    ) -> [Pair; POINTS] {
        let mut pairs = [[Line([0; 8]); 2]; POINTS];
        let mut i = 0;
        while i < 2 * POINTS {
            let limbs = limbs_of::<W, N>(&Self::from_single(&points[i / 2][i % 2]), 0);
            let mut limb = 0;
            while limb < N {
                pairs[i / 2][i % 2].0[limb] = limbs[limb];
                limb += 1;
            }
            i += 1;
        }
        pairs
    }

    /// `limbs_of` in each lane.
    #[inline(always)]
    fn of_words(token: Ifma, words: &[V; W]) -> Self {
        let mut limbs = [V::zero(token); N];
        let mut i = 0;
        while i < N {
            let (word, shift) = (52 * i / 64, (52 * i % 64) as u64);
            let mut limb = words[word].shift_right_each(V::all(token, shift));
            if shift > 12 && word + 1 < W {
                limb = limb | words[word + 1].shift_left_each(V::all(token, 64 - shift));
            }
            limbs[i] = limb & V::all(token, LOW_52);
            i += 1;
        }
        Fe(limbs, PhantomData)
    }

    /// The limbs of each lane.
    #[inline(always)]
    fn rows(&self) -> [V; 8] {
        let mut vectors = [self.0[0].splat(0); 8];
        let mut i = 0;
        while i < N {
            vectors[i] = self.0[i];
            i += 1;
        }
        V::transpose(&vectors)
    }

    #[inline(always)]
    fn constant(token: Ifma, limbs: &[u64; N]) -> Self {
        let mut vectors = [V::zero(token); N];
        for i in 0..N {
            vectors[i] = V::all(token, limbs[i]);
        }
        Fe(vectors, PhantomData)
    }
}

impl<M: LaneModulus<W, N>, const W: usize, const N: usize> Proven for Fe<M, W, N> {
    type Token = Ifma;
}

impl<M: LaneModulus<W, N>, const W: usize, const N: usize> Algebra for Fe<M, W, N> {
    type Product = Columns<M, W, N>;

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self::Product {
        Columns(mul::<M, W, N>(&self.0, &other.0), PhantomData)
    }

    #[inline(always)]
    fn square(&self) -> Self::Product {
        Columns(square::<M, W, N>(&self.0), PhantomData)
    }

    #[inline(always)]
    fn mul_pair([a, b]: [&Self; 2], [c, d]: [&Self; 2]) -> [Self::Product; 2] {
        let [y, z] = mul_pair::<M, W, N>([&a.0, &b.0], [&c.0, &d.0]);
        [Columns(y, PhantomData), Columns(z, PhantomData)]
    }

    #[inline(always)]
    fn widen(&self) -> Self::Product {
        Columns(clean(&self.0), PhantomData)
    }

    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(
        a: &Self::Product,
        b: &Self::Product,
        c: &Self::Product,
    ) -> Self {
        const {
            assert!(A.unsigned_abs() + B.unsigned_abs() + C.unsigned_abs() <= FACTORS_MAX);
        }
        let mut sum = [a.0[0].splat(0); N];
        let mut i = 0;
        while i < N {
            sum[i] = add_times::<C>(
                add_times::<B>(add_times::<A>(a.0[0].splat(0), a.0[i]), b.0[i]),
                c.0[i],
            );
            i += 1;
        }
        Fe(carried(without_top::<M, W, N>(sum)), PhantomData)
    }
}

impl<M: LaneModulus<W, N>, const W: usize, const N: usize> Field for Fe<M, W, N> {
    const LANES: usize = 8;
    type Single = Residue<M, W>;
    type Unreduced = Unreduced<M, N>;
    type PerLane<T: Copy> = [T; 8];
    type Entries = Entries<W>;
    type Spread = Spread<W>;

    const TRIPLE: usize = 3 * N;

    #[inline(always)]
    fn store_triple(triple: &[Self; 3], lines: &mut [Line]) {
        for (element, lines) in triple.iter().zip(lines.chunks_mut(N)) {
            for (limb, line) in element.0.iter().zip(lines) {
                line.0 = (*limb).to_array();
            }
        }
    }

    #[inline(always)]
    fn load_triple(token: Ifma, lines: &[Line]) -> [Self; 3] {
        let limb = |i: usize| V::from_array(token, lines[i].0);
        core::array::from_fn(|i| Fe(core::array::from_fn(|k| limb(i * N + k)), PhantomData))
    }

    #[inline(always)]
    fn load(token: Ifma, values: &[Self::Single; 8]) -> Self {
        let mut limbs = [[0; 8]; N];
        for (lane, value) in values.iter().enumerate() {
            let of_lane = limbs_of::<W, N>(&value.words(), 0);
            for i in 0..N {
                limbs[i][lane] = of_lane[i];
            }
        }
        let mut vectors = [V::zero(token); N];
        for i in 0..N {
            vectors[i] = V::from_array(token, limbs[i]);
        }
        let value = Fe(vectors, PhantomData);
        Self::times::<1>(&value.mul(&Self::constant(token, &Self::FROM_SINGLE)))
    }

    #[inline(always)]
    fn store(&self) -> [Self::Single; 8] {
        let single = self.mul(&Self::constant(self.0[0].token(), &Self::TO_SINGLE));
        let vectors = clean(&Self::times::<1>(&single).0);
        let mut limbs = [[0; 8]; N];
        for i in 0..N {
            limbs[i] = vectors[i].to_array();
        }
        let mut values = [Self::Single::ZERO; 8];
        for (lane, value) in values.iter_mut().enumerate() {
            // the highest limb may reach into the word after the last
            let mut words = [0; W];
            let mut carry = 0;
            for (i, limb) in limbs.iter().enumerate() {
                let (word, shift) = (52 * i / 64, 52 * i % 64);
                let limb = u128::from(limb[lane]) << shift;
                for (at, part) in [(word, limb as u64), (word + 1, (limb >> 64) as u64)] {
                    // limbs do not overlap
                    *(if at < W { &mut words[at] } else { &mut carry }) |= part;
                }
            }
            *value = Self::Single::from_montgomery_sum(words, carry);
        }
        values
    }

    #[inline(always)]
    fn square_pair(a: &Self, b: &Self) -> [Self::Product; 2] {
        let [y, z] = square_pair::<M, W, N>(&a.0, &b.0);
        [Columns(y, PhantomData), Columns(z, PhantomData)]
    }

    #[inline(always)]
    fn mul_unreduced(&self, other: &Self) -> Self::Unreduced {
        Unreduced(product_columns(&self.0, &other.0, M::start(self.0[0].token())), PhantomData)
    }

    #[inline(always)]
    fn square_times_8(&self) -> Self::Unreduced {
        Unreduced(square_columns::<3, N>(&self.0, M::start(self.0[0].token())), PhantomData)
    }

    #[inline(always)]
    fn mul_add_and_mul(
        [a, b]: [&Self; 2],
        c: &Self::Unreduced,
        [d, e]: [&Self; 2],
    ) -> [Self::Product; 2] {
        let [y, z] = mul_add_and_mul::<M, W, N>([&a.0, &b.0], &c.0, [&d.0, &e.0]);
        [Columns(y, PhantomData), Columns(z, PhantomData)]
    }

    #[inline(always)]
    fn mul_add([a, b]: [&Self; 2], c: &Self::Unreduced) -> Self::Product {
        Columns(mul_add::<M, W, N>([&a.0, &b.0], &c.0), PhantomData)
    }

    #[inline(always)]
    fn mul_add_pair(
        [a, b]: [&Self; 2],
        c: &Self::Unreduced,
        [d, e]: [&Self; 2],
        f: &Self::Unreduced,
    ) -> [Self::Product; 2] {
        let [y, z] = mul_add_pair::<M, W, N>([&a.0, &b.0], &c.0, [&d.0, &e.0], &f.0);
        [Columns(y, PhantomData), Columns(z, PhantomData)]
    }

    #[inline(always)]
    fn negate_where(lanes: u32, a: &Self::Product) -> Self::Product {
        let mut columns = a.0;
        let mut i = 0;
        while i < N {
            columns[i] = V::minus_where(lanes as u8, a.0[i].splat(0), a.0[i], a.0[i]);
            i += 1;
        }
        Columns(columns, PhantomData)
    }

    #[inline(always)]
    fn select(lanes: u32, if_set: &Self::Product, otherwise: &Self::Product) -> Self::Product {
        let mut columns = otherwise.0;
        let mut i = 0;
        while i < N {
            columns[i] = V::select(lanes as u8, if_set.0[i], columns[i]);
            i += 1;
        }
        Columns(columns, PhantomData)
    }

    #[inline(always)]
    fn zeros(&self) -> u32 {
        let limbs = clean(&self.0);
        let mut zeros = 0;
        for multiple in &Self::ZEROS {
            let mut any = self.0[0].splat(0);
            for i in 0..N {
                any = any | (limbs[i] ^ limbs[i].splat(multiple[i]));
            }
            zeros |= u32::from(any.zeros());
        }
        zeros
    }

    #[inline(always)]
    fn select_entry(token: Ifma, Entries(words): &Entries<W>, digits: &[i8; 8]) -> [Self; 2] {
        // entry 1 is the first
        let index = magnitudes(token, digits) - V::all(token, 1);
        let mut point = [[V::zero(token); W]; 2];
        for (chosen, words) in point.iter_mut().zip(words) {
            for (chosen, words) in chosen.iter_mut().zip(words) {
                *chosen = V::word_of_16(0xff, words, index);
            }
        }
        let [x, y] = point;
        [Self::of_words(token, &x), Self::of_words(token, &y)]
    }

    #[inline(always)]
    fn select_spread(token: Ifma, Spread(points): &Spread<W>, digits: &[i8; 8]) -> [Self; 2] {
        let magnitudes = magnitudes(token, digits);
        let mut chosen = [[V::zero(token); W]; 2];
        for (number, point) in (1..).zip(points) {
            let differ = magnitudes ^ V::all(token, number);
            let is_it = differ.zeros();
            for (chosen, words) in chosen.iter_mut().zip(point) {
                for (chosen, word) in chosen.iter_mut().zip(words) {
                    *chosen = V::select(is_it, V::from_array(token, *word), *chosen);
                }
            }
        }
        let [x, y] = chosen;
        [Self::of_words(token, &x), Self::of_words(token, &y)]
    }

    #[inline(always)]
    fn store_pairs(values: &[Self; 2], places: &mut [Pair], step: usize) {
        let (x, y) = (values[0].rows(), values[1].rows());
        for (lane, [first, second]) in places.iter_mut().step_by(step).take(8).enumerate() {
            (first.0, second.0) = (x[lane].to_array(), y[lane].to_array());
        }
    }

    #[inline(always)]
    fn load_pairs_vartime(token: Ifma, pairs: &[&Pair; 8]) -> [Self; 2] {
        let (mut x, mut y) = ([V::zero(token); 8], [V::zero(token); 8]);
        let mut lane = 0;
        while lane < 8 {
            let [Line(first), Line(second)] = pairs[lane];
            (x[lane], y[lane]) = (V::from_array(token, *first), V::from_array(token, *second));
            lane += 1;
        }
        let (x, y) = (V::transpose(&x), V::transpose(&y));
        let (mut limbs_x, mut limbs_y) = ([V::zero(token); N], [V::zero(token); N]);
        let mut i = 0;
        while i < N {
            (limbs_x[i], limbs_y[i]) = (x[i], y[i]);
            i += 1;
        }
        [Fe(limbs_x, PhantomData), Fe(limbs_y, PhantomData)]
    }
}

impl<M: LaneModulus<W, N>, const W: usize, const N: usize> EightLanes for Fe<M, W, N> {
    fn detected() -> Option<Ifma> {
        crate::cpu::ifma()
    }

    #[inline(always)]
    fn mul_alone(&self, other: &Self) -> Self::Product {
        Columns(mul_alone::<M, W, N>(&self.0, &other.0), PhantomData)
    }

    #[inline(always)]
    fn operand_vartime<const LANES: u8>(a: &Self::Product) -> Self {
        Fe(carried_vartime::<LANES, N>(without_top::<M, W, N>(a.0)), PhantomData)
    }

    #[inline(always)]
    fn rotate<const BY: i32>(a: &Self::Product) -> Self::Product {
        let mut columns = a.0;
        let mut i = 0;
        while i < N {
            columns[i] = columns[i].rotate_words::<BY>();
            i += 1;
        }
        Columns(columns, PhantomData)
    }

    #[inline(always)]
    fn arrange<const FROM: u32>(a: &Self::Product) -> Self::Product {
        Columns(arrange_each::<FROM, N>(a.0), PhantomData)
    }

    #[inline(always)]
    fn arrange_operand<const FROM: u32>(&self) -> Self {
        Fe(arrange_each::<FROM, N>(self.0), PhantomData)
    }

    #[inline(always)]
    fn shift<const BY: u32>(a: &Self::Product) -> Self::Product {
        let (counts, _) = const { digits_of(BY) };
        let mut columns = a.0;
        let mut i = 0;
        while i < N {
            columns[i] = a.0[i].shift_left_each(a.0[0].words(counts));
            i += 1;
        }
        Columns(columns, PhantomData)
    }

    #[inline(always)]
    fn combine<const PLUS: u8, const MINUS: u8>(
        a: &Self::Product,
        b: &Self::Product,
    ) -> Self::Product {
        let mut columns = a.0;
        let mut i = 0;
        while i < N {
            let sum = V::plus_where(PLUS, a.0[i], b.0[i]);
            columns[i] = V::minus_where(MINUS, sum, b.0[i], sum);
            i += 1;
        }
        Columns(columns, PhantomData)
    }

    #[inline(always)]
    fn with_pair<const FIRST: u8, const SECOND: u8>(
        &self,
        [Line(first), Line(second)]: &Pair,
    ) -> Self {
        let mut limbs = self.0;
        let mut i = 0;
        while i < N {
            limbs[i] = limbs[i].with_word(FIRST, first[i]).with_word(SECOND, second[i]);
            i += 1;
        }
        Fe(limbs, PhantomData)
    }
}
