//! What a field element is, for one value or for several values in SIMD lanes.
//!
//! Point formulas are written once over [`Field`]. A backend implements it for one representation;
//! an element holds `LANES` independent values and every operation acts on all lanes at once.
//!
//! **Two types bound the limbs.** The product of two elements is not yet a valid operand for
//! every backend: lanes want to add and subtract *before* they carry, so that a formula carries
//! once per operand and not once per addition. So the trait follows one value through a formula:
//!
//! | type | what it is | who makes it |
//! |---|---|---|
//! | `Self` | an operand: may be multiplied, stored, compared | `sum`, loads |
//! | `Product` | one product, or an operand widened | `mul`, `square`, `widen` |
//!
//! `sum` of up to three products with small factors is the one way from `Product` to `Self`, so no chain
//! of additions can outgrow its limbs: the factors are constants, and the compiler refuses others. Where a
//! representation has room to spare, the carries are free. [`Algebra`] is this much, for all
//! fields; [`Field`] is GF(2^255 − 19), `Coordinates` are those of P-256 and P-384.
//!
//! **Tokens.** A lane backend needs CPU instructions. Its `Token` can only be had from CPU
//! detection, and every constructor takes one, so an element proves that its instructions exist.
//!
//! All operations are constant time unless their name ends in `_vartime`.
//!
//! Backends live beside each other in the room of their field.

// with lanes only a curve without them asks for it
#[cfg_attr(sigmill_lanes, allow(dead_code))]
mod absent;
#[cfg(any(sigmill_adx, all(test, sigmill_x86_64)))]
#[cfg(feature = "ecdsa")]
pub(crate) mod adx;
// part of it is for verification in lanes, which allocates
#[cfg_attr(not(feature = "alloc"), allow(dead_code))]
#[cfg(feature = "ecdsa")]
pub(crate) mod coordinates;
#[cfg(sigmill_lanes)]
#[cfg_attr(not(feature = "alloc"), allow(dead_code))]
#[cfg(feature = "ecdsa")]
pub(crate) mod coordinates_ifma_x8;
#[cfg(target_arch = "x86_64")]
#[macro_use]
#[allow(unused_macros)] // of which other fields have none
mod columns_x86_64;
pub(crate) mod f25519;
#[cfg(feature = "ecdsa")]
pub(crate) mod p256;
#[cfg(feature = "ecdsa")]
pub(crate) mod p384;
#[cfg(target_arch = "x86_64")]
#[cfg(feature = "ecdsa")]
mod x86_64;

/// A modulus' arithmetic by the functions for x86-64; and with products and squares by MULX, ADCX and ADOX, where the CPU
/// has them and the build has no other field.
#[cfg(feature = "ecdsa")]
macro_rules! kernels {
    ($n:literal, $add:ident, $sub:ident, $halve:ident, $product:ident, $square:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn product((): (), a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
            super::x86_64::$product(a, b)
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn square((): (), a: &[u64; $n]) -> [u64; $n] {
            super::x86_64::$square(a)
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn add(a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
            super::x86_64::$add(a, b)
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn sub(a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
            super::x86_64::$sub(a, b)
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn halve(a: &[u64; $n]) -> [u64; $n] {
            super::x86_64::$halve(a)
        }
    };
}
#[cfg(feature = "ecdsa")]
use kernels;

/// What a coordinate is where the CPU has MULX, ADCX and ADOX: the same words, with these products and squares.
#[cfg(feature = "ecdsa")]
macro_rules! fast {
    ($n:literal, $product:ident, $square:ident) => {
        #[cfg(any(sigmill_adx, all(test, sigmill_x86_64)))]
        impl Modulus<$n> for crate::field::adx::WithAdx<Prime> {
            type Token = crate::cpu::Adx;
            type Plain = Prime;
            const MODULUS: [u64; $n] = Prime::MODULUS;

            #[inline(always)]
            fn product(token: Self::Token, a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
                super::adx::$product(token, a, b)
            }
            #[inline(always)]
            fn square(token: Self::Token, a: &[u64; $n]) -> [u64; $n] {
                super::adx::$square(token, a)
            }
            #[inline(always)]
            fn add(a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
                Prime::add(a, b)
            }
            #[inline(always)]
            fn sub(a: &[u64; $n], b: &[u64; $n]) -> [u64; $n] {
                Prime::sub(a, b)
            }
            #[inline(always)]
            fn halve(a: &[u64; $n]) -> [u64; $n] {
                Prime::halve(a)
            }
            #[inline(always)]
            fn canonical(a: &[u64; $n]) -> [u64; $n] {
                Prime::canonical(a)
            }
        }

        #[cfg(sigmill_adx)]
        impl crate::field::coordinates::InWords for Fe {
            type Fast = Residue<crate::field::adx::WithAdx<Prime>, $n>;

            #[inline(always)]
            fn detected() -> Option<crate::cpu::Adx> {
                crate::cpu::adx()
            }
        }

        #[cfg(not(sigmill_adx))]
        impl crate::field::coordinates::InWords for Fe {
            type Fast = Self;

            fn detected() -> Option<()> {
                None
            }
        }
    };
}
#[cfg(feature = "ecdsa")]
use fast;

use crate::memory::{Line, Memory};
use crate::simd::Proven;
use core::ops::{BitAnd, BitOr, BitXor, Not};

/// One truth value per lane.
pub(crate) trait LaneMask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

impl LaneMask for crate::ct::Mask {}
/// Bit i is lane i.
impl LaneMask for u8 {}

/// Sums of products of field elements, one value or several in lanes: what all point formulas are made of.
pub(crate) trait Algebra: Copy + Proven {
    /// One product: fit for `sum`.
    type Product: Copy;

    /// `a·b`.
    fn mul(&self, other: &Self) -> Self::Product;
    /// `a²`.
    fn square(&self) -> Self::Product;
    /// `a·b` and `c·d`, interleaved where that keeps more of a processor busy.
    #[inline(always)]
    fn mul_pair([a, b]: [&Self; 2], [c, d]: [&Self; 2]) -> [Self::Product; 2] {
        [a.mul(b), c.mul(d)]
    }
    /// `a²` and `b²`, interleaved where that helps.
    #[inline(always)]
    fn square_pair(a: &Self, b: &Self) -> [Self::Product; 2] {
        [a.square(), b.square()]
    }
    /// An operand, ready to add.
    fn widen(&self) -> Self::Product;
    /// `A·a + B·b + C·c`, ready to multiply. B·b and C·c are added first, so that formulas which have that
    /// sum in several places compute it once.
    fn sum<const A: i32, const B: i32, const C: i32>(
        a: &Self::Product,
        b: &Self::Product,
        c: &Self::Product,
    ) -> Self;
    /// `A·a + B·b`.
    #[inline(always)]
    fn sum_of_two<const A: i32, const B: i32>(a: &Self::Product, b: &Self::Product) -> Self {
        Self::sum::<A, B, 0>(a, b, b)
    }
    /// `A·a`.
    #[inline(always)]
    fn times<const A: i32>(a: &Self::Product) -> Self {
        Self::sum::<A, 0, 0>(a, a, a)
    }
}

/// Limbs, or columns, that are added before they are carried. `fiat` and `u64x4` have none.
#[allow(dead_code)]
pub(crate) trait Columns: Copy {
    /// How many products, or p as often, an operand may have without a carry.
    const ROOM: i32;
    fn carried(&self) -> Self;
    fn plus(&self, other: &Self) -> Self;
    /// `self − other` for a product: twice p is added, or as much as keeps limbs from going below zero.
    fn minus(&self, other: &Self) -> Self;
    /// `self − other` for what `plus` or `minus` gave of two products: with 4p.
    fn minus_sum(&self, other: &Self) -> Self;
}

/// How many products, and p where it is as large as one, `sum_of_columns` adds up at most.
#[allow(dead_code)]
const fn terms(a: i32, b: i32, c: i32) -> i32 {
    let multiple_of_p = match (b, c) {
        (-1, 0) | (1, -1) => 2,
        (-1, _) => 4,
        _ => 0,
    };
    a + if b > 0 { b } else { 0 } + if b > 0 && c > 0 { c } else { 0 } + multiple_of_p
}

/// `A·a + B·b + C·c`, carried where it must be. A is 1 or 2, the others are −1, 0 or 1.
#[allow(dead_code)]
#[inline(always)]
pub(crate) fn sum_of_columns<L: Columns, const A: i32, const B: i32, const C: i32>(
    a: &L,
    b: &L,
    c: &L,
) -> L {
    const { assert!((A == 1 || A == 2) && B.abs() <= 1 && C.abs() <= 1 && (B != 0 || C == 0)) };
    let a = if A == 2 { a.plus(a) } else { *a };
    let sum = match (B, C) {
        (0, _) => a,
        (1, 0) => a.plus(b),
        (1, 1) => a.plus(&b.plus(c)),
        (1, _) => a.plus(&b.minus(c)),
        (_, 0) => a.minus(b),
        (_, 1) => a.minus_sum(&b.minus(c)),
        _ => a.minus_sum(&b.plus(c)),
    };
    if terms(A, B, C) > L::ROOM { sum.carried() } else { sum }
}

/// An element of GF(2^255 − 19) in each of `LANES` lanes.
pub(crate) trait Field: Algebra {
    /// One truth value per lane.
    type Mask: LaneMask;
    /// 32 little-endian bytes per lane.
    type Bytes: Copy;

    /// The proof this element was made with.
    fn token(&self) -> Self::Token;
    /// The same value in every lane: four little-endian words, below 2^255.
    fn splat(token: Self::Token, words: &[u64; 4]) -> Self;
    /// Bits 0 to 254 of each string as an integer, reduced mod p; bit 255 is not looked at.
    fn from_bytes(token: Self::Token, bytes: &Self::Bytes) -> Self;
    /// The canonical encoding, below p, with bit 255 set where `top_bit` is.
    fn to_bytes(&self, top_bit: Self::Mask) -> Self::Bytes;
    /// Bit 255 of each string.
    fn top_bit(token: Self::Token, bytes: &Self::Bytes) -> Self::Mask;
    /// Where bits 0 to 254, as an integer, are below p.
    fn is_reduced(token: Self::Token, bytes: &Self::Bytes) -> Self::Mask;

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

    /// `1/a`, and 0 for 0.
    #[inline(always)]
    fn invert(&self) -> Self {
        f25519::power_p_minus_2(self)
    }

    /// `2·x·y`, given the operands, the products they came from and their squares. A backend whose
    /// squares are cheaper than products computes `(x + y)² − (y² + x²)`.
    #[inline(always)]
    fn twice_product(
        operands: (&Self, &Self),
        products: (&Self::Product, &Self::Product),
        squares: (&Self::Product, &Self::Product),
    ) -> Self {
        let _ = (products, squares);
        Self::times::<2>(&operands.0.mul(operands.1))
    }

    /// `if_true` in the lanes where the mask is set, `if_false` in the others.
    fn select(mask: Self::Mask, if_true: &Self, if_false: &Self) -> Self;
    /// Where the two are the same residue mod p.
    fn equal(&self, other: &Self) -> Self::Mask;
    /// Where the residue is 0.
    fn is_zero(&self) -> Self::Mask;
    /// Where the canonical residue is odd.
    fn is_odd(&self) -> Self::Mask;
}

/// A backend of one lane in words: what single operations run on.
pub(crate) trait SingleField: Field<Mask = crate::ct::Mask, Bytes = [u8; 32]> {}

impl<F: Field<Mask = crate::ct::Mask, Bytes = [u8; 32]>> SingleField for F {}

/// A backend with lanes: several values move through the same formula at once. What vertical code
/// needs beside arithmetic is to move values between lanes and memory. One lane is a case of it, so
/// that every lane algorithm runs on every target.
pub(crate) trait LaneField: Field {
    /// How many values an element holds.
    const LANES: usize;
    /// One `T` per lane: `[T; LANES]`.
    type PerLane<T: Copy>: LaneArray<T>;
    /// Four operands of one lane in memory, and four products.
    type OperandRow: Copy;
    type ProductRow: Copy;

    /// The mask whose lane i is bit i.
    fn mask(token: Self::Token, bits: u32) -> Self::Mask;
    /// Bit i is lane i; bits from `LANES` on mean nothing.
    fn bits(mask: Self::Mask) -> u32;

    /// 32 bytes per lane, from and to an array.
    fn bytes(bytes: Self::PerLane<[u8; 32]>) -> Self::Bytes;
    fn per_lane(bytes: Self::Bytes) -> Self::PerLane<[u8; 32]>;

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
        Self::select(mask, &f25519::neg(&a), &a)
    }
    /// `a + b` and `a − b`, or the other way round in the lanes where the mask is set.
    #[inline(always)]
    fn sum_and_difference(swap: Self::Mask, a: &Self::Product, b: &Self::Product) -> [Self; 2] {
        let (sum, difference) = (Self::sum_of_two::<1, 1>(a, b), Self::sum_of_two::<1, -1>(a, b));
        [Self::select(swap, &difference, &sum), Self::select(swap, &sum, &difference)]
    }
    /// A row whose values mean nothing yet.
    fn operand_row(token: Self::Token) -> Self::OperandRow;
    /// Memory for the lanes of `len` points, as rows whose values mean nothing yet.
    fn take_product_rows<'m>(
        token: Self::Token,
        memory: &mut Memory<'m>,
        len: usize,
    ) -> Option<&'m mut [Self::ProductRow]>;
    /// Memory for `len` points of four products each, whose values mean nothing yet.
    fn take_points<'m>(
        token: Self::Token,
        memory: &mut Memory<'m>,
        len: usize,
    ) -> Option<&'m mut [[Self::Product; 4]]>;

    /// Writes lane i to row i.
    fn store_rows(values: &[Self; 3], rows: &mut [Row]);
    /// Lane i of the result is the row that entry i of the index names. Time depends on the index.
    fn load_rows_vartime(token: Self::Token, rows: &[Row], index: &Self::PerLane<u32>)
    -> [Self; 3];
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
            let mask = Self::mask(token, 0x1111_1111 << lane);
            for (chosen, value) in chosen.iter_mut().zip(&values) {
                *chosen = Self::select(mask, value, chosen);
            }
        }
        (chosen, minus)
    }
    /// One entry of the table in words, for a window as above: a triple y+x, y−x, 2dxy of a point, or of minus it
    /// where the digit is negative. Constant time: every entry is read.
    #[inline(always)]
    fn signed_entry(_: Self::Token, table: &Entries, window: u64) -> [[u64; 4]; 3] {
        f25519::signed_entry(table, window)
    }
    /// Each four lanes in another order: lane i of the result is lane `FROM >> 2·i & 3` of the same four. Lanes that a
    /// backend does not have are 0.
    fn arrange<const FROM: i32>(product: &Self::Product) -> Self::Product;
}

/// A backend with four lanes for the values of one formula, for chains of formulas of which each waits for
/// the one before: soon ready, where [`LaneField`] computes much at once. Operands can be multiplied,
/// products have to be carried.
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
pub(crate) trait PackedField: Copy + Proven {
    /// One product.
    type Product: Copy;
    /// Sums and differences of lanes of a product.
    type Sum: Copy;

    /// Four little-endian words a lane, below 2^255; what is in lanes of `TWICE` counts twice.
    fn from_words<const TWICE: u8>(token: Self::Token, words: [&[u64; 4]; 4]) -> Self;
    /// An integer below 2^255 a lane, congruent to the value.
    fn to_words(&self) -> [[u64; 4]; 4];

    /// The value as a product.
    fn widen(&self) -> Self::Product;
    /// `a·b`.
    fn mul(&self, other: &Self) -> Self::Product;
    /// `a·b + n·c + d`.
    fn mul_sum(a: &Self, b: &Self, c: &Self, n: [u32; 4], d: &Self) -> Self::Product;
    /// `a²`.
    fn square(&self) -> Self::Product;
    /// A product, ready to multiply.
    fn carry(product: &Self::Product) -> Self;
    /// In lanes 0 and 1, and in 2 and 3: the other lane plus this one, or minus it where the bit of `MINUS`
    /// is set; what is in lanes of `TWICE` counts twice. Ready to multiply.
    fn butterflies<const MINUS: u8, const TWICE: u8>(product: &Self::Product) -> Self;
    /// Each lane plus its neighbour (of 0 and 1, and of 2 and 3), or minus it where the bit of `MINUS` is
    /// set; twice itself in lanes of `TWICE`; itself alone in lanes of `ALONE`.
    fn sums<const MINUS: u8, const TWICE: u8, const ALONE: u8>(
        product: &Self::Product,
    ) -> Self::Sum;
    /// A sum, ready to multiply.
    fn carry_sum(sum: &Self::Sum) -> Self;
    /// The same with lane 1 added in lanes of `PLUS` and taken away in lanes of `MINUS`.
    fn carry_with_lane_1<const PLUS: u8, const MINUS: u8>(sum: &Self::Sum) -> Self;

    /// The first in the lanes whose bit of `MASK` is set, the second in the others.
    fn choose<const MASK: u8>(if_set: &Self, if_clear: &Self) -> Self;
    /// Lanes 1, 0, 3, 2.
    fn neighbours(&self) -> Self;
    /// Lane i is lane `lanes[i]`. Constant time.
    fn permuted(&self, lanes: [u64; 4]) -> Self;
}

/// What a lane of products starts from, so that one can be taken from another. The opposite of a product x is its
/// complement, −x − 1 in each column.
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
#[derive(Clone, Copy)]
pub(crate) enum Offset {
    /// Nothing.
    None,
    /// What others are taken from: a multiple of p, and the 1 of each column.
    Minuend,
    /// Of two products both the sum and the first less the second are wanted: here the 1 of the difference is halved, so
    /// that the sum is right, too.
    First,
    /// The other of these.
    Second,
}

/// A backend with eight lanes for the values of one formula, as soon ready as four where the CPU works on all eight at once.
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
pub(crate) trait WideField: Copy + Proven {
    /// One product, and what it started from.
    type Product: Copy;
    /// What products start from.
    type Start: Copy;
    /// Which lanes go where.
    type Index: Copy;
    /// What [`add_pairs`](Self::add_pairs) adds.
    type Pairs: Copy;
    /// What [`add`](Self::add) adds.
    type Sums: Copy;

    fn start(token: Self::Token, lanes: [Offset; 8]) -> Self::Start;
    /// Lane i is lane `lanes[i]`.
    fn index(token: Self::Token, lanes: [u64; 8]) -> Self::Index;
    /// The first where the mask is all ones, the second where it is 0. Constant time.
    fn index_where(mask: u64, if_set: Self::Index, if_clear: Self::Index) -> Self::Index;
    /// In lanes of `sums` the neighbour (of 0 and 1, of 2 and 3, …) is added; in lanes of `minus` this one is taken away.
    fn pairs(token: Self::Token, sums: u8, minus: u8) -> Self::Pairs;
    /// Lane i is lane `others[i]`; in lanes of `own` this one is added, in lanes of `minus` taken away. The complement
    /// of a lane that is in `minus` and not in `own` is −1 in each column.
    fn sums(token: Self::Token, others: [u64; 8], own: u8, minus: u8) -> Self::Sums;

    /// Four little-endian words a lane, below 2^255, as products that have started.
    fn widen(token: Self::Token, words: [&[u64; 4]; 8], start: &Self::Start) -> Self::Product;
    /// `start + a·b`.
    fn mul(&self, other: &Self, start: &Self::Start) -> Self::Product;
    /// Ready to multiply.
    fn add_pairs(product: &Self::Product, pairs: &Self::Pairs) -> Self;
    /// Ready to multiply.
    fn add(product: &Self::Product, sums: &Self::Sums) -> Self;
    /// Each lane times its factor, below 2^20.
    fn times(&self, factors: [u64; 8]) -> Self;
    /// Constant time.
    fn permuted(&self, index: Self::Index) -> Self;
    /// Constant time.
    fn permuted_twice(&self, index: [Self::Index; 2]) -> [Self; 2];
    /// Of two lanes that have started from nothing: integers below 2^255, congruent to the values.
    fn words(product: &Self::Product, lanes: [usize; 2]) -> [[u64; 4]; 2];
}

/// An array with one element a lane.
pub(crate) trait LaneArray<T>: Copy {
    /// The same value in every lane.
    fn all(value: T) -> Self;
    fn lanes(&self) -> &[T];
    fn lanes_mut(&mut self) -> &mut [T];
}

impl<T: Copy, const N: usize> LaneArray<T> for [T; N] {
    #[inline(always)]
    fn all(value: T) -> Self {
        [value; N]
    }

    #[inline(always)]
    fn lanes(&self) -> &[T] {
        self
    }

    #[inline(always)]
    fn lanes_mut(&mut self) -> &mut [T] {
        self
    }
}

/// Sixteen triples of residues in canonical words: words 0 to 3 are those of the first residue, the
/// lowest first, 4 to 7 those of the second, 8 to 11 those of the third. Word w of entry e is `[w][e]`,
/// so that a vector holds the same word of several entries.
#[repr(C, align(64))]
pub(crate) struct Entries(pub(crate) [[u64; 16]; 12]);

/// Three residues of one point in memory, in the limbs of the backend that wrote them.
pub(crate) type Row = [Line; 2];

/// Four residues of one point in memory, in five limbs, or pairs of limbs, each.
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
pub(crate) type PointRow = [[u64; 4]; 5];
