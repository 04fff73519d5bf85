//! Coordinates of a NIST curve in formulas that move several values at once.
//!
//! As in all fields, a value is an operand, which may be multiplied, or a product,
//! which may be added: `mul` and `square` give products, and `sum` of up to three of them, each times
//! a small factor, gives the next operand. Factors are constants, so that the compiler sees that no sum
//! outgrows its limbs. One lane is a case of it, so that every lane algorithm runs on every target.
//!
//! All operations are constant time unless their name ends in `_vartime`.

use crate::ct::Mask;
use crate::field::algebra::{Algebra, LaneArray};
use crate::memory::Line;
use crate::modular::{Arithmetic, PlainModulus, PrimeField, Residue};

/// A bound on the sum of the magnitudes of the factors of a sum.
pub(super) const FACTORS_MAX: u32 = 16;

/// Two residues in memory, in the limbs of the backend that wrote them.
pub(crate) type Pair = [Line; 2];

/// A residue mod p in each lane.
pub(crate) trait Field: Algebra {
    /// How many values an element holds; at most 8.
    const LANES: usize;
    /// One value alone.
    type Single: PrimeField;
    /// A product that is not reduced: to be added to another before its reduction.
    type Unreduced;
    /// One `T` per lane: `[T; LANES]`.
    type PerLane<T: Copy>: LaneArray<T>;
    /// Sixteen points in affine coordinates, as one of them is selected in each lane.
    type Entries: 'static;
    /// Eight points a lane, as one of its own is selected in each.
    type Spread: 'static;

    /// Three elements as they are, in so many lines.
    const TRIPLE: usize;
    fn store_triple(triple: &[Self; 3], lines: &mut [Line]);
    fn load_triple(token: Self::Token, lines: &[Line]) -> [Self; 3];
    fn load(token: Self::Token, values: &Self::PerLane<Self::Single>) -> Self;
    fn store(&self) -> Self::PerLane<Self::Single>;

    /// `a²` and `b²`, interleaved where that helps.
    #[inline(always)]
    fn square_pair(a: &Self, b: &Self) -> [Self::Product; 2] {
        [a.square(), b.square()]
    }
    /// `a·b`, not reduced.
    fn mul_unreduced(&self, other: &Self) -> Self::Unreduced;
    /// `8·a²`, not reduced.
    fn square_times_8(&self) -> Self::Unreduced;
    /// `a·b + c`, with one reduction, and `d·e`.
    fn mul_add_and_mul(ab: [&Self; 2], c: &Self::Unreduced, de: [&Self; 2]) -> [Self::Product; 2];
    /// `a·b + c`, with one reduction.
    fn mul_add(ab: [&Self; 2], c: &Self::Unreduced) -> Self::Product;
    /// `a·b + c` and `d·e + f`, with one reduction each.
    #[inline(always)]
    fn mul_add_pair(
        ab: [&Self; 2],
        c: &Self::Unreduced,
        de: [&Self; 2],
        f: &Self::Unreduced,
    ) -> [Self::Product; 2] {
        [Self::mul_add(ab, c), Self::mul_add(de, f)]
    }
    /// `−a` in the lanes whose bit is set.
    fn negate_where(lanes: u32, a: &Self::Product) -> Self::Product;
    /// The first in the lanes whose bit is set, else the second.
    fn select(lanes: u32, if_set: &Self::Product, otherwise: &Self::Product) -> Self::Product;
    /// Bit i is set where lane i is 0 mod p; bits from `LANES` on mean nothing.
    fn zeros(&self) -> u32;

    /// x and y of the point of number |digit|, from 1, in each lane; in lanes whose digit is 0, of any.
    /// Digits are from −16 to 16.
    fn select_entry(
        token: Self::Token,
        entries: &Self::Entries,
        digits: &Self::PerLane<i8>,
    ) -> [Self; 2];

    /// The same among eight points of each lane's own; digits are from −8 to 8.
    fn select_spread(
        token: Self::Token,
        spread: &Self::Spread,
        digits: &Self::PerLane<i8>,
    ) -> [Self; 2];

    /// Writes lane i of both to the place i·`step` of the slice, if there is one.
    fn store_pairs(values: &[Self; 2], places: &mut [Pair], step: usize);
    /// Lane i of both is the pair i. Time depends on where they are.
    fn load_pairs_vartime(token: Self::Token, pairs: &Self::PerLane<&Pair>) -> [Self; 2];
}

/// A backend of eight lanes, for one point in all of them: values of one element move among its lanes, for
/// which a digit each, lane 0's first, is packed by `lanes_from`.
pub(crate) trait EightLanes: Field {
    /// The proof of lanes, if the CPU has them.
    fn detected() -> Option<Self::Token>;
    /// `a·b`, where nothing else is to be computed meanwhile: sooner than `mul`, but by more instructions.
    fn mul_alone(&self, other: &Self) -> Self::Product;
    /// The same value, fit to multiply, in the lanes whose bit is set: `times::<1>`, but sooner. Time depends on the value.
    fn operand_vartime<const LANES: u8>(a: &Self::Product) -> Self;
    /// Lane i is what lane i + BY was, counted in a circle.
    fn rotate<const BY: i32>(a: &Self::Product) -> Self::Product;
    /// Lane i is what lane FROM(i) was.
    fn arrange<const FROM: u32>(a: &Self::Product) -> Self::Product;
    /// The same, fit to multiply.
    fn arrange_operand<const FROM: u32>(&self) -> Self;
    /// `2^BY(i)·a` in lane i.
    fn shift<const BY: u32>(a: &Self::Product) -> Self::Product;
    /// `a + b` in the lanes whose bit is set in PLUS, `a − b` in those of MINUS, and `a` in the others. What
    /// adds up this way before the next `sum` has its bounds.
    fn combine<const PLUS: u8, const MINUS: u8>(
        a: &Self::Product,
        b: &Self::Product,
    ) -> Self::Product;
    /// This value, but the first of a pair in the lanes whose bit is set in FIRST and its second in those of
    /// SECOND.
    fn with_pair<const FIRST: u8, const SECOND: u8>(&self, pair: &Pair) -> Self;
}

/// The digit of a lane that becomes 0.
pub(crate) const NONE: u32 = 8;

/// A digit for each lane, as a constant that functions can be generic over.
pub(crate) const fn lanes_from(from: [u32; 8]) -> u32 {
    let (mut digits, mut i) = (0, 0);
    while i < 8 {
        digits |= from[i] << (4 * i);
        i += 1;
    }
    digits
}

/// What a table of points is made of when the library is built: for each coordinate its words in Montgomery
/// form.
pub(crate) type EntryWords<const W: usize> = [[[u64; W]; 2]; 16];

/// x and y of the point of number |digit|, from 1. Reads them all.
#[inline(always)]
fn select<M: PlainModulus<N>, const N: usize>(
    points: &[[[u64; N]; 2]],
    digit: i8,
) -> [Residue<M, N>; 2] {
    let magnitude = u64::from(digit.unsigned_abs());
    let mut chosen = [[0; N]; 2];
    for (number, point) in (1_u64..).zip(points) {
        let is_it = Mask::is_zero(magnitude ^ number).word();
        for (chosen, words) in chosen.iter_mut().zip(point) {
            for (chosen, word) in chosen.iter_mut().zip(words) {
                *chosen |= word & is_it;
            }
        }
    }
    chosen.map(Residue::from_montgomery)
}

impl<M: PlainModulus<N>, const N: usize> Residue<M, N> {
    /// Row `step` of a table.
    pub(crate) const fn spread<const ROWS: usize>(
        rows: &[[[[u64; N]; 2]; 8]; ROWS],
        step: usize,
    ) -> [[[u64; N]; 2]; 8] {
        rows[step]
    }

    /// The sixteen points of a table.
    pub(crate) const fn entries(points: &EntryWords<N>) -> EntryWords<N> {
        *points
    }

    /// Points as they are loaded.
    pub(crate) const fn pairs<const POINTS: usize>(
        points: &[[[u64; N]; 2]; POINTS],
    ) -> [Pair; POINTS] {
        let mut pairs = [[Line([0; 8]); 2]; POINTS];
        let mut i = 0;
        while i < 2 * POINTS {
            let mut word = 0;
            while word < N {
                pairs[i / 2][i % 2].0[word] = points[i / 2][i % 2][word];
                word += 1;
            }
            i += 1;
        }
        pairs
    }
}

impl<M: PlainModulus<N>, const N: usize> Algebra for Residue<M, N> {
    type Product = Self;
    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        Arithmetic::mul(self, other)
    }
    #[inline(always)]
    fn square(&self) -> Self {
        Arithmetic::square(self)
    }
    #[inline(always)]
    fn widen(&self) -> Self {
        *self
    }
    #[inline(always)]
    fn sum<const A: i32, const B: i32, const C: i32>(a: &Self, b: &Self, c: &Self) -> Self {
        const {
            assert!(A.unsigned_abs() + B.unsigned_abs() + C.unsigned_abs() <= FACTORS_MAX);
        }
        let mut sum = Self::ZERO;
        for (factor, value) in [(A, a), (B, b), (C, c)] {
            let mut multiple = Self::ZERO;
            for bit in (0..5).rev() {
                multiple = multiple.add(&multiple);
                if factor.unsigned_abs() >> bit & 1 == 1 {
                    multiple = multiple.add(value);
                }
            }
            sum = if factor < 0 { sum.sub(&multiple) } else { sum.add(&multiple) };
        }
        sum
    }
}

impl<M: PlainModulus<N>, const N: usize> Field for Residue<M, N> {
    const LANES: usize = 1;
    type Single = Self;
    type Unreduced = Self;
    type PerLane<T: Copy> = [T; 1];
    type Entries = EntryWords<N>;
    type Spread = [[[u64; N]; 2]; 8];
    const TRIPLE: usize = 3;
    #[inline(always)]
    fn store_triple(triple: &[Self; 3], lines: &mut [Line]) {
        for (line, value) in lines.iter_mut().zip(triple) {
            line.0[..N].copy_from_slice(&value.words());
        }
    }
    #[inline(always)]
    fn load_triple((): (), lines: &[Line]) -> [Self; 3] {
        core::array::from_fn(|i| {
            let mut words = [0; N];
            words.copy_from_slice(&lines[i].0[..N]);
            Residue::from_montgomery(words)
        })
    }
    #[inline(always)]
    fn load((): (), [value]: &[Self; 1]) -> Self {
        *value
    }
    #[inline(always)]
    fn store(&self) -> [Self; 1] {
        [*self]
    }
    #[inline(always)]
    fn mul_unreduced(&self, other: &Self) -> Self {
        Arithmetic::mul(self, other)
    }
    #[inline(always)]
    fn square_times_8(&self) -> Self {
        let square = Arithmetic::square(self);
        <Self as Algebra>::times::<8>(&square)
    }
    #[inline(always)]
    fn mul_add_and_mul([a, b]: [&Self; 2], c: &Self, [d, e]: [&Self; 2]) -> [Self; 2] {
        [Field::mul_add([a, b], c), Arithmetic::mul(d, e)]
    }
    #[inline(always)]
    fn mul_add([a, b]: [&Self; 2], c: &Self) -> Self {
        Arithmetic::mul(a, b).add(c)
    }
    #[inline(always)]
    fn negate_where(lanes: u32, a: &Self) -> Self {
        Arithmetic::select(Mask::from_bit(u64::from(lanes & 1)), &a.neg(), a)
    }
    #[inline(always)]
    fn select(lanes: u32, if_set: &Self, otherwise: &Self) -> Self {
        Arithmetic::select(Mask::from_bit(u64::from(lanes & 1)), if_set, otherwise)
    }
    #[inline(always)]
    fn zeros(&self) -> u32 {
        (self.is_zero().word() & 1) as u32
    }
    #[inline(always)]
    fn select_entry((): (), entries: &EntryWords<N>, [digit]: &[i8; 1]) -> [Self; 2] {
        select(entries, *digit)
    }
    #[inline(always)]
    fn select_spread((): (), spread: &Self::Spread, [digit]: &[i8; 1]) -> [Self; 2] {
        select(spread, *digit)
    }
    #[inline(always)]
    fn store_pairs(values: &[Self; 2], places: &mut [Pair], _: usize) {
        if let Some(pair) = places.first_mut() {
            for (line, value) in pair.iter_mut().zip(values) {
                line.0[..N].copy_from_slice(&value.words());
            }
        }
    }
    #[inline(always)]
    fn load_pairs_vartime((): (), [pair]: &[&Pair; 1]) -> [Self; 2] {
        pair.map(|line| {
            let mut words = [0; N];
            words.copy_from_slice(&line.0[..N]);
            Self::from_montgomery(words)
        })
    }
}
