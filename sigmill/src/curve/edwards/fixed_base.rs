//! Multiples of the base point in lanes: one secret scalar a lane, or the digits of one spread over eight, or of two over
//! four.
//!
//! Digits are those of signed windows of five bits (`lanes` has the form): Σ dᵢ·32ⁱ with
//! −16 ≤ dᵢ ≤ 15, 51 of them for an integer below 2^253. The odd digits come first, times 32, then the
//! even ones, so that one table of j·1024ⁱ·B (26 rows of 16) serves both. A multiple is selected from
//! its whole row, held in registers or scanned (`SecretLanes::select_signed`); additions are complete.
//! Points are made affine with one inversion for up to `VECTORS` vectors of them (Montgomery 1987,
//! section 10.3.1): Z is never 0.
//!
//! Secrets: scalars, digits and points with Z ≠ 1. All operations are constant time; their traces on
//! the stack are the caller's to wipe.

use super::formulas::{Completed, Extended, Projective, SignedSum};
use super::lanes::{self, Words};
use super::packed::sum_of_windows;
use super::pippenger::affine;
use crate::curve::tables::edwards25519::base_radix_32;
use crate::curve::tables::{AffineWords, load};
use crate::field::algebra::LaneArray;
use crate::field::f25519::one_lane::Fe as OneLane;
use crate::field::f25519::{
    EntryLookup, ONE, PackedField, Products, SecretLanes, SingleField, ZERO, invert, mul,
    run_in_eight_lanes, run_in_four_at_once, run_in_four_lanes, run_in_words, run_packed,
};
use crate::scalar::l25519::Scalar;
use crate::scalar::recode::Windows;
use crate::simd::{Instructions, Kernel};
use crate::word::{load_le, store_le};

/// Vectors that share an inversion.
/// Each is much stack where there are eight lanes, and little time.
pub(crate) const fn vectors(lanes: usize) -> usize {
    if lanes == 8 { 16 } else { 32 }
}

const WIDTH: u32 = 5;
const DIGITS: u32 = 51;
/// How many of them are odd-numbered.
const ODD: u32 = DIGITS / 2;
/// Makes windows signed. With a scalar below 2^253 it stays below 2^255, so that the top window holds
/// all that is left.
const OFFSET: [u64; 4] = Windows::signed(WIDTH).offset(DIGITS);
const _: () = assert!(OFFSET[3] < (1 << 63) - (1 << 61) && WIDTH * DIGITS == 255);
/// Rows of the table: each serves two digits.
const ROWS: usize = DIGITS.div_ceil(2) as usize;

/// The affine coordinates of `[scalar]B`.
pub(crate) struct BaseMultiples<'a> {
    pub(crate) scalars: &'a [Scalar],
    /// x below p, little-endian: as many as are wanted.
    pub(crate) x: &'a mut [[u8; 32]],
    /// RFC 8032 section 5.1.2: y below p, little-endian, with the lowest bit of x as bit 255.
    pub(crate) encoded: &'a mut [[u8; 32]],
}

impl<F: SecretLanes> Kernel<F> for BaseMultiples<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let rows = vectors(F::LANES) * F::LANES;
        let mut x = self.x.chunks_mut(rows);
        let encoded = self.encoded.chunks_mut(rows);
        for (scalars, encoded) in self.scalars.chunks(rows).zip(encoded) {
            let x = x.next().unwrap_or_default();
            let group = BaseMultiples { scalars, x, encoded };
            if F::LANES == 8 {
                token.enter::<F, _>(Group::<{ vectors(8) }>(group));
            } else {
                token.enter::<F, _>(Group::<{ vectors(1) }>(group));
            }
        }
    }
}

/// At most `VECTORS` vectors.
struct Group<'a, const VECTORS: usize>(BaseMultiples<'a>);

impl<F: SecretLanes, const VECTORS: usize> Kernel<F> for Group<'_, VECTORS> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let BaseMultiples { scalars, x, encoded } = self.0;
        let one = F::splat(token, &ONE);
        let mut points = [[one; 3]; VECTORS];
        // of the Z of all vectors before
        let mut before = [one; VECTORS];
        let mut products = Products::new(token);
        let vectors = scalars.chunks(F::LANES).zip(points.iter_mut().zip(&mut before));
        for (scalars, (point, before)) in vectors {
            *point = token.enter::<F, _>(Multiply(scalars));
            *before = products.push(&point[2]);
        }
        let mut inverses = products.invert();
        let mut vector = scalars.len().div_ceil(F::LANES);
        while vector > 0 {
            vector -= 1;
            let first = vector * F::LANES;
            let [point_x, point_y, z] = points[vector];
            let z_inverse = inverses.pop(&z, &before[vector]);
            let [affine_x, affine_y] = F::mul_pair([&point_x, &z_inverse], [&point_y, &z_inverse]);
            let (affine_x, affine_y) = (F::times::<1>(&affine_x), F::times::<1>(&affine_y));
            let odd = affine_x.is_odd();
            copy(&affine_y.to_bytes(odd), encoded.get_mut(first..));
            if first < x.len() {
                copy(&affine_x.to_bytes(odd & !odd), x.get_mut(first..));
            }
        }
    }
}

/// As many lanes as there are rows.
#[inline(always)]
fn copy(lanes: &impl LaneArray<[u8; 32]>, rows: Option<&mut [[u8; 32]]>) {
    for (row, lane) in rows.unwrap_or_default().iter_mut().zip(lanes.lanes()) {
        *row = *lane;
    }
}

/// X, Y and Z of the multiples of at most `LANES` scalars. Lanes without one are those of 0.
pub(in crate::curve) struct Multiply<'a>(pub(in crate::curve) &'a [Scalar]);

impl<F: SecretLanes> Kernel<F> for Multiply<'_> {
    type Output = [F; 3];

    #[inline(always)]
    fn run(self, token: F::Token) -> [F; 3] {
        let windows = with_offset::<F>(self.0);
        if F::LANES == 1 {
            // as one alone
            return coordinates_alone(&windows.map(|word| [word.lanes()[0]]))
                .map(|value| F::from_bytes(token, &F::Bytes::all(value)));
        }
        let mut sum = SignedSum::new(token);
        for step in 0..DIGITS {
            let digit = if step < ODD { 2 * step + 1 } else { 2 * (step - ODD) };
            if step == ODD {
                sum.double(WIDTH);
            }
            let row = &base_radix_32()[digit as usize / 2];
            let (triple, minus) = F::select_signed(token, row, &window::<F>(&windows, digit));
            sum.add_affine(&affine(&triple), minus);
        }
        sum.extended().projective().xyz()
    }
}

/// X, Y and Z of the multiple of one scalar, below p, little-endian.
#[inline(never)]
fn coordinates_alone(windows: &Words<OneLane, 4>) -> [[u8; 32]; 3] {
    run_in_words(Coordinates(windows))
}

struct Coordinates<'a>(&'a Words<OneLane, 4>);

impl<F: SingleField> Kernel<F> for Coordinates<'_> {
    type Output = [[u8; 32]; 3];

    #[inline(always)]
    fn run(self, token: F::Token) -> [[u8; 32]; 3] {
        multiple_of_base::<F>(token, self.0).projective().xyz().map(|value| {
            let odd = value.is_odd();
            value.to_bytes(odd & !odd)
        })
    }
}

/// Scalars with the offset that makes their windows signed.
#[inline(always)]
fn with_offset<F: SecretLanes>(scalars: &[Scalar]) -> Words<F, 4> {
    let mut words = [F::PerLane::<u64>::all(0); 4];
    for lane in 0..F::LANES {
        let scalar = scalars.get(lane).unwrap_or(&Scalar::ZERO).words();
        for word in 0..4 {
            words[word].lanes_mut()[lane] = scalar[word];
        }
    }
    lanes::with_offset::<F, 4>(&words, WIDTH)
}

/// Window i in each lane.
#[inline(always)]
fn window<F: SecretLanes>(words: &Words<F, 4>, i: u32) -> F::PerLane<u64> {
    let (word, bit) = ((i * WIDTH / 64) as usize, i * WIDTH % 64);
    // in a word that a window ends, bits of the next one are masked
    let (low, high) = (words[word].lanes(), words[(word + 1).min(3)].lanes());
    let mut windows = F::PerLane::<u64>::all(0);
    for (lane, window) in windows.lanes_mut().iter_mut().enumerate() {
        *window = Windows::signed(WIDTH).bits(low[lane], high[lane], bit);
    }
    windows
}

/// `[scalar]B` in words. Constant time.
#[inline(always)]
pub(crate) fn fixed_base<F: SingleField>(token: F::Token, scalar: &Scalar) -> Extended<F> {
    multiple_of_base(token, &with_offset::<OneLane>(&[*scalar]))
}

/// The same by its windows.
#[inline(never)]
fn multiple_of_base<F: SingleField>(token: F::Token, windows: &Words<OneLane, 4>) -> Extended<F> {
    let mut chosen = [[ZERO; 3]; DIGITS as usize];
    // the table is read in vectors, if the CPU has them
    let in_lanes = run_in_four_lanes(Choose { windows, chosen: &mut chosen });
    if in_lanes.is_none() {
        Kernel::<OneLane>::run(Choose { windows, chosen: &mut chosen }, ());
    }
    let mut sum = Completed::of_affine(&load(token, &chosen[0]));
    for step in 1..DIGITS {
        if step == ODD {
            sum = sum.extended_apart().projective().double_apart(WIDTH);
        }
        sum = sum.extended().add_affine(&load(token, &chosen[step as usize]));
    }
    sum.extended_apart()
}

/// The multiples that the digits choose from their rows: those of the odd digits, then those of the even ones.
struct Choose<'a> {
    windows: &'a Words<OneLane, 4>,
    chosen: &'a mut [AffineWords; DIGITS as usize],
}

impl<F: EntryLookup> Kernel<F> for Choose<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, token: F::Token) {
        let rows = base_radix_32();
        for step in 0..DIGITS {
            let digit = if step < ODD { 2 * step + 1 } else { 2 * (step - ODD) };
            let [window] = window::<OneLane>(self.windows, digit);
            let row = &rows[digit as usize / 2];
            self.chosen[step as usize] = F::signed_entry(token, row, window);
        }
    }
}

/// `[scalar]B`: in lanes where the CPU has eight of them, else in words.
#[inline(always)]
pub(crate) fn multiple<F: SingleField>(token: F::Token, scalar: &Scalar) -> Projective<F> {
    match multiple_in_lanes(scalar) {
        Some([x, y, z, _]) => {
            let product = |words| F::from_bytes(token, &store_le(words)).widen();
            Projective { x: product(&x), y: product(&y), z: product(&z) }
        }
        None => fixed_base(token, scalar).projective(),
    }
}

/// X, Y, Z and T of `[scalar]B`, where the CPU has eight lanes.
#[inline(always)]
fn multiple_in_lanes(scalar: &Scalar) -> Option<[[u64; 4]; 4]> {
    let sums = run_in_eight_lanes(Spread(scalar))?;
    run_packed(Joined(&sums))
}

/// The sum of the points of [`Spread`], that of the odd digits times 32.
struct Joined<'a>(&'a [[[u64; 4]; 4]; 2 * SUMS]);

impl<F: PackedField> Kernel<F> for Joined<'_> {
    type Output = [[u64; 4]; 4];

    #[inline(always)]
    fn run(self, token: F::Token) -> Self::Output {
        sum_of_windows::<F>(token, WIDTH, SUMS, self.0)
    }
}

/// x of `[scalar]B`, below p, little-endian, and the encoding of the point. One inversion, constant time: what is
/// published after it says nothing about how the point was computed.
#[inline(never)]
pub(crate) fn affine_multiple(scalar: &Scalar) -> [[u8; 32]; 2] {
    run_in_words(AffineMultiple(scalar))
}

struct AffineMultiple<'a>(&'a Scalar);

impl<F: SingleField> Kernel<F> for AffineMultiple<'_> {
    type Output = [[u8; 32]; 2];

    #[inline(always)]
    fn run(self, token: F::Token) -> [[u8; 32]; 2] {
        let [x, y, z] = multiple::<F>(token, self.0).xyz();
        affine_bytes(&x, &y, &invert(&z))
    }
}

/// x below p and the encoding of the point, given 1/Z.
#[inline(always)]
fn affine_bytes<F: SingleField>(x: &F, y: &F, inverse: &F) -> [[u8; 32]; 2] {
    let x = mul(x, inverse);
    let odd = x.is_odd();
    [x.to_bytes(odd & !odd), mul(y, inverse).to_bytes(odd)]
}

/// Of the even digits of one scalar there are so many sums, and of the odd ones, each in a lane.
const SUMS: usize = 4;

/// The digits of one scalar spread over the lanes: even ones in lanes 0 to 3, odd ones in lanes 4 to 7, where row i
/// serves lanes i mod 4 and i mod 4 + 4. X, Y, Z and T of the sum in each lane.
struct Spread<'a>(&'a Scalar);

impl<F: SecretLanes> Kernel<F> for Spread<'_> {
    type Output = [[[u64; 4]; 4]; 2 * SUMS];

    #[inline(always)]
    fn run(self, token: F::Token) -> Self::Output {
        const { assert!(F::LANES == 2 * SUMS) };
        let windows = with_offset::<OneLane>(&[*self.0]);
        let mut sum = Extended::identity(token);
        for first in (0..ROWS).step_by(SUMS) {
            let (triple, minus) = select_spread::<F>(token, &windows, first);
            sum = if first == 0 {
                Extended::from_cached(&triple, minus)
            } else {
                sum.add_affine_signed(&affine(&triple), minus).extended()
            };
        }
        coordinates(token, &sum)
    }
}

/// The multiples that the digits of `SUMS` rows from `first` on choose.
#[inline(always)]
fn select_spread<F: SecretLanes>(
    token: F::Token,
    windows: &Words<OneLane, 4>,
    first: usize,
) -> ([F; 3], F::Mask) {
    // 16 is the digit 0
    let mut spread = F::PerLane::<u64>::all(1 << (WIDTH - 1));
    let mut rows = [&base_radix_32()[0]; SUMS];
    for (lane, row) in rows.iter_mut().enumerate() {
        let i = first + lane;
        if i < ROWS {
            *row = &base_radix_32()[i];
            spread.lanes_mut()[lane] = window::<OneLane>(windows, 2 * i as u32)[0];
        }
        if i < ODD as usize {
            spread.lanes_mut()[lane + SUMS] = window::<OneLane>(windows, 2 * i as u32 + 1)[0];
        }
    }
    F::select_signed_of_four(token, rows, &spread)
}

/// The encodings of `[scalar]B` of two scalars, made together and with one inversion: Z is never 0.
#[inline(never)]
pub(crate) fn two_encoded(scalars: [&Scalar; 2]) -> [[u8; 32]; 2] {
    run_in_words(TwoEncoded(scalars))
}

struct TwoEncoded<'a>([&'a Scalar; 2]);

impl<F: SingleField> Kernel<F> for TwoEncoded<'_> {
    type Output = [[u8; 32]; 2];

    #[inline(always)]
    fn run(self, token: F::Token) -> [[u8; 32]; 2] {
        let in_lanes = match self.0.map(multiple_in_lanes) {
            [Some(first), Some(second)] => Some([first, second]),
            _ => run_in_four_at_once(SpreadInFour(self.0)),
        };
        let element = |words: [u64; 4]| F::from_bytes(token, &store_le(&words));
        let points = match in_lanes {
            Some(points) => points.map(|[x, y, z, _]| [x, y, z].map(element)),
            None => self.0.map(|scalar| fixed_base(token, scalar).projective().xyz()),
        };
        let [[first_x, first_y, first_z], [second_x, second_y, second_z]] = &points;
        let inverse = invert(&mul(first_z, second_z));
        let [_, first] = affine_bytes(first_x, first_y, &mul(&inverse, second_z));
        let [_, second] = affine_bytes(second_x, second_y, &mul(&inverse, first_z));
        [first, second]
    }
}

/// X, Y, Z and T in each lane.
#[inline(always)]
fn coordinates<F: SecretLanes, const LANES: usize>(
    token: F::Token,
    points: &Extended<F>,
) -> [[[u64; 4]; 4]; LANES] {
    const { assert!(LANES == F::LANES) };
    let mut coordinates = [[ZERO; 4]; LANES];
    for (i, product) in points.products().iter().enumerate() {
        let bytes = F::times::<1>(product).to_bytes(F::mask(token, 0));
        for (coordinates, bytes) in coordinates.iter_mut().zip(bytes.lanes()) {
            coordinates[i] = load_le(bytes);
        }
    }
    coordinates
}

/// The digits of two scalars spread over four lanes: those of the first in lanes 0 and 1, of the second in lanes 2 and
/// 3, even ones in lanes 0 and 2, odd ones in 1 and 3. X, Y, Z, T of the multiples.
struct SpreadInFour<'a>([&'a Scalar; 2]);

impl<F: SecretLanes> Kernel<F> for SpreadInFour<'_> {
    type Output = [[[u64; 4]; 4]; 2];

    #[inline(always)]
    fn run(self, token: F::Token) -> Self::Output {
        const { assert!(F::LANES == 4) };
        let windows =
            [with_offset::<OneLane>(&[*self.0[0]]), with_offset::<OneLane>(&[*self.0[1]])];
        let (triple, minus) = select_in_four::<F>(token, &windows, 0);
        let mut sum = Extended::from_cached(&triple, minus);
        for row in 1..ROWS {
            let (triple, minus) = select_in_four::<F>(token, &windows, row);
            sum = sum.add_affine_signed(&affine(&triple), minus).extended();
        }
        let odd = arranged::<F, { lanes(1, 0, 3, 2) }>(&sum).projective();
        let points = odd.double_times(WIDTH).extended().add(&sum.cached()).extended();
        let [first, _, second, _] = coordinates(token, &points);
        [first, second]
    }
}

/// The multiples that the digits of one row choose.
#[inline(always)]
fn select_in_four<F: SecretLanes>(
    token: F::Token,
    windows: &[Words<OneLane, 4>; 2],
    row: usize,
) -> ([F; 3], F::Mask) {
    // 16 is the digit 0
    let mut spread = F::PerLane::<u64>::all(1 << (WIDTH - 1));
    for (lane, spread) in spread.lanes_mut().iter_mut().enumerate() {
        let digit = (2 * row + lane % 2) as u32;
        if digit < DIGITS {
            *spread = window::<OneLane>(&windows[lane / 2], digit)[0];
        }
    }
    F::select_signed(token, &base_radix_32()[row], &spread)
}

/// The lanes of four that [`SecretLanes::arrange`] takes, in order.
const fn lanes(a: i32, b: i32, c: i32, d: i32) -> i32 {
    a | b << 2 | c << 4 | d << 6
}

/// Lanes of all coordinates in another order.
#[inline(always)]
fn arranged<F: SecretLanes, const FROM: i32>(point: &Extended<F>) -> Extended<F> {
    let [x, y, z, t] = &point.products();
    Extended::from_products([
        F::arrange::<FROM>(x),
        F::arrange::<FROM>(y),
        F::arrange::<FROM>(z),
        F::arrange::<FROM>(t),
    ])
}

#[cfg(test)]
mod tests;
