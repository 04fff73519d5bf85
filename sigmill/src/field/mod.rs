//! What a field element is, for one value or for several values in SIMD lanes.
//!
//! Point formulas are written once over [`Field`]. A backend implements it for one representation;
//! an element holds `LANES` independent values and every operation acts on all lanes at once.
//!
//! **Three types bound the limbs.** The product of two elements is not yet a valid operand for
//! every backend: lanes want to add and subtract *before* they carry, so that a formula carries
//! once per operand and not once per addition. So the trait follows one value through a formula:
//!
//! | type | what it is | who makes it |
//! |---|---|---|
//! | `Self` | an operand: may be multiplied, stored, compared | `carry`, `carry_sum`, `add_sums`, `sub_sums`, loads |
//! | `Product` | one product, or an operand widened | `mul`, `square`, `widen` |
//! | `Sum` | sum or difference of two products | `add`, `sub`, `relax` |
//!
//! `Product → Sum → Self` is one way, so no chain of additions can outgrow its limbs: the compiler
//! refuses it. Where a representation has room to spare (`u64x5`), the carries are free.
//!
//! **Tokens.** A lane backend needs CPU instructions. Its `Token` can only be had from CPU
//! detection, and every constructor takes one, so an element proves that its instructions exist.
//!
//! All operations are constant time unless their name ends in `_vartime`.
//!
//! Reach: `word`, `ct` and CPU tokens. Backends live beside each other in the room of their field.

pub(crate) mod f25519;

use core::ops::{BitAnd, BitOr, BitXor, Not};

/// One truth value per lane.
pub(crate) trait LaneMask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

impl LaneMask for crate::ct::Mask {}

/// An element of GF(2^255 − 19) in each of `LANES` lanes.
pub(crate) trait Field: Copy {
    /// One product: fit for `add` and `sub`.
    type Product: Copy;
    /// The sum or difference of two products.
    type Sum: Copy;
    /// One truth value per lane.
    type Mask: LaneMask;
    /// Proof that the CPU can run this backend.
    type Token: Copy;
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
    /// Where the strings are equal.
    fn bytes_equal(token: Self::Token, a: &Self::Bytes, b: &Self::Bytes) -> Self::Mask;

    /// `a·b`.
    fn mul(&self, other: &Self) -> Self::Product;
    /// `a²`.
    fn square(&self) -> Self::Product;
    /// `a + b`.
    fn add(a: &Self::Product, b: &Self::Product) -> Self::Sum;
    /// `a − b`.
    fn sub(a: &Self::Product, b: &Self::Product) -> Self::Sum;
    /// `a + b`, ready to multiply.
    fn add_sums(a: &Self::Sum, b: &Self::Sum) -> Self;
    /// `a − b`, ready to multiply.
    fn sub_sums(a: &Self::Sum, b: &Self::Sum) -> Self;
    /// A product where a sum is wanted.
    fn relax(product: &Self::Product) -> Self::Sum;
    /// A product, ready to multiply.
    fn carry(product: &Self::Product) -> Self;
    /// A sum, ready to multiply.
    fn carry_sum(sum: &Self::Sum) -> Self;
    /// An operand, ready to add.
    fn widen(&self) -> Self::Product;

    /// `2·x·y`, given the operands, the products they came from and `x² + y²`. A backend whose
    /// squares are cheaper than products computes `(x + y)² − (x² + y²)`.
    #[inline(always)]
    fn twice_product(
        operands: (&Self, &Self),
        products: (&Self::Product, &Self::Product),
        sum_of_squares: &Self::Sum,
    ) -> Self {
        let _ = (products, sum_of_squares);
        let xy = operands.0.mul(operands.1);
        Self::carry_sum(&Self::add(&xy, &xy))
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

/// A backend of one lane without special instructions: what single operations run on.
pub(crate) trait SingleField:
    Field<Mask = crate::ct::Mask, Token = (), Bytes = [u8; 32]>
{
}

impl<F: Field<Mask = crate::ct::Mask, Token = (), Bytes = [u8; 32]>> SingleField for F {}
