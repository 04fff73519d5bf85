//! Verification of one signature with scalars of half the length.
//!
//! `scalar/half_size` finds (u, c) with u = c·k (mod 8ℓ), c odd and positive, both near 2^127.5. With
//! b = c·S mod ℓ the signature is judged by D = \[b\]B − \[u\]A − \[c\]R: the equation without a cofactor holds
//! exactly if D is the identity and R is encoded canonically, the one with a cofactor exactly if
//! \[8\]D is (`docs/exact-batch.md`). D takes some 130 doublings where \[S\]B − \[k\]A takes 253.
//!
//! Public inputs only: time depends on them.

use super::decode::{Decoding, decode_affine};
use super::formulas::{Cached, Completed, Extended};
use super::straus::{
    BASE_WIDTH, P_WIDTH, add_vartime, cached_apart, double_base_vartime, odd_multiples,
};
use crate::ct::Mask;
use crate::curve::tables::edwards25519::base_odd_multiples;
use crate::field::f25519::{Fe, SingleField};
use crate::scalar::half_size::{BOUND, HalfSizePairs, Halving, half_size_vartime};
use crate::scalar::l25519::Scalar;
use crate::scalar::recode::{NafPlace, naf_vartime};
use crate::simd::Kernel;
use crate::word::load_le;

/// Scalars of half the length that verify one signature.
#[derive(Clone, Copy)]
pub(crate) struct HalfSize {
    /// |u|, the lowest word first, below 2^140.
    pub(crate) u: [u64; 3],
    pub(crate) u_negative: bool,
    /// c, positive, odd, below 2^140.
    pub(crate) c: [u64; 3],
    /// c·S mod ℓ.
    pub(crate) b: [u64; 4],
}

impl HalfSize {
    /// The scalars for k and any 32 bytes of S, if k has a short pair: all but three in 10^5 have.
    pub(crate) fn new_vartime(k: &Scalar, s: &[u8; 32]) -> Option<Self> {
        Self::of_pair_vartime(&half_size_vartime::<1>(&[*k.words()]), s)
    }

    fn of_pair_vartime(halves: &HalfSizePairs<1>, s: &[u8; 32]) -> Option<Self> {
        let [u, c] = [&halves.u, &halves.c].map(|words| words.map(|[word]| word));
        let b = *Scalar::product_short(&c, &load_le(s)).words();
        halves.ok[0].then_some(HalfSize { u, u_negative: halves.u_negative[0], c, b })
    }

    /// |u|, c, and the two parts of c·S, which is cut at 2^128.
    #[inline(always)]
    fn parts(&self) -> [[u64; 3]; 4] {
        let [b0, b1, b2, b3] = self.b;
        [self.u, self.c, [b0, b1, 0], [b2, b3, 0]]
    }

    /// Digits of |u|, of c, and of the two parts of c·S.
    #[inline(always)]
    pub(super) fn digits_vartime(&self) -> [[i16; DIGITS]; 4] {
        let [u, c, low, high] = self.parts();
        [
            naf_vartime(&u, PART_WIDTHS[0]),
            naf_vartime(&c, PART_WIDTHS[1]),
            naf_vartime(&low, PART_WIDTHS[2]),
            naf_vartime(&high, PART_WIDTHS[3]),
        ]
    }
}

/// Widths of the digits of `HalfSize::parts`.
const PART_WIDTHS: [u32; 4] = [P_WIDTH, P_WIDTH, BASE_WIDTH, BASE_WIDTH];

/// The digits of [`HalfSize`].
pub(crate) struct HalfDigits {
    pub(super) digits: [[i16; DIGITS]; 4],
    pub(super) u_negative: bool,
}

impl HalfDigits {
    pub(super) const ZERO: Self = HalfDigits { digits: [[0; DIGITS]; 4], u_negative: false };

    #[cfg(test)]
    pub(crate) fn new_vartime(scalars: &HalfSize) -> Self {
        HalfDigits { digits: scalars.digits_vartime(), u_negative: scalars.u_negative }
    }
}

/// [`HalfDigits`], made a little at a time.
pub(super) struct DigitsMeanwhile<'a> {
    s: &'a [u8; 32],
    /// They are zero at first.
    digits: &'a mut HalfDigits,
    halving: Halving,
    stage: Stage,
    parts: [[u64; 3]; 4],
    places: [NafPlace; 4],
}

#[derive(Clone, Copy)]
enum Stage {
    Halving,
    /// The part whose digits are being made; 4 at the end.
    Digits(usize),
    NoPair,
}

impl<'a> DigitsMeanwhile<'a> {
    /// For k and any 32 bytes of S.
    #[inline(always)]
    pub(super) fn new(k: &Scalar, s: &'a [u8; 32], digits: &'a mut HalfDigits) -> Self {
        DigitsMeanwhile {
            s,
            digits,
            halving: Halving::new(k.words()),
            stage: Stage::Halving,
            parts: [[0; 3]; 4],
            places: [NafPlace::default(); 4],
        }
    }

    /// Goes on a little; whether there is more to do.
    #[inline(always)]
    pub(super) fn step_vartime(&mut self) -> bool {
        match self.stage {
            Stage::Halving => {
                if let Some(pair) = self.halving.step_vartime() {
                    self.end_halving(&pair);
                }
            }
            Stage::Digits(part @ 0..4) => {
                let (words, place) = (&self.parts[part], &mut self.places[part]);
                if let Some((i, digit)) = place.step_vartime(words, PART_WIDTHS[part])
                    && let Some(entry) = self.digits.digits[part].get_mut(i)
                {
                    *entry = digit;
                }
                self.stage = Stage::Digits(part + usize::from(place.at_end(words)));
            }
            Stage::Digits(_) | Stage::NoPair => return false,
        }
        true
    }

    #[inline(never)]
    fn end_halving(&mut self, pair: &HalfSizePairs<1>) {
        match HalfSize::of_pair_vartime(pair, self.s) {
            Some(scalars) => {
                self.digits.u_negative = scalars.u_negative;
                self.parts = scalars.parts();
                self.stage = Stage::Digits(0);
            }
            None => self.stage = Stage::NoPair,
        }
    }

    /// Does the rest; whether k has a short pair.
    #[inline(always)]
    pub(super) fn end_vartime(mut self) -> bool {
        while self.step_vartime() {}
        matches!(self.stage, Stage::Digits(_))
    }
}

/// A decoded point: affine coordinates in canonical words, the lowest first. They have no meaning
/// if the bytes do not decode.
#[derive(Clone, Copy)]
pub(crate) struct Decoded {
    pub(crate) x: [u64; 4],
    pub(crate) y: [u64; 4],
    pub(crate) decoding: Decoding<bool>,
}

impl Decoded {
    /// Coordinates of a point of the curve with the canonical encoding.
    pub(crate) fn from_point<F: SingleField>(point: &Extended<F>) -> Self {
        let [x, y, _] = point.projective().xyz().map(words);
        Decoded { x, y, decoding: Decoding { decodes: true, canonical: true } }
    }

    #[inline(never)]
    pub(crate) fn extended<F: SingleField>(&self, token: F::Token) -> Extended<F> {
        Extended::from_affine(&F::splat(token, &self.x), &F::splat(token, &self.y))
    }

    /// Whether `[8]P` is the identity.
    pub(crate) fn is_small_vartime(&self) -> bool {
        self.extended::<Fe>(()).projective().is_small().is_true_vartime()
    }
}

fn words<F: SingleField>(value: F) -> [u64; 4] {
    load_le(&value.to_bytes(Mask::from_bit(0)))
}

/// Decodes permissively and reports the facts, as `Extended::decode` does, each step done to all
/// before the next.
#[inline(never)]
fn decode_vartime<F: SingleField, const N: usize>(
    token: F::Token,
    bytes: &[&[u8; 32]; N],
) -> [Decoded; N] {
    let (x, y, decoding) = decode_affine::<F, N>(token, bytes);
    core::array::from_fn(|i| Decoded {
        x: words(x[i]),
        y: words(y[i]),
        decoding: Decoding {
            decodes: decoding[i].decodes.is_true_vartime(),
            canonical: decoding[i].canonical.is_true_vartime(),
        },
    })
}

/// [`decode_vartime`] as a kernel.
pub(crate) struct Decode<'a, const N: usize>(pub(crate) [&'a [u8; 32]; N]);

impl<F: SingleField, const N: usize> Kernel<F> for Decode<'_, N> {
    type Output = [Decoded; N];

    fn run(self, token: F::Token) -> [Decoded; N] {
        decode_vartime::<F, N>(token, &self.0)
    }
}

/// [`residual_vartime`] as a kernel.
pub(crate) struct Residual<'a> {
    pub(crate) a: &'a Decoded,
    pub(crate) r: &'a Decoded,
    pub(crate) scalars: &'a HalfSize,
    pub(crate) times_8: bool,
}

impl<F: SingleField> Kernel<F> for Residual<'_> {
    type Output = bool;

    fn run(self, token: F::Token) -> bool {
        residual_vartime::<F>(token, self.a, self.r, self.scalars, self.times_8)
    }
}

/// Digits of a scalar of half the length; c·S is cut at 2^128, and |u| and c may be longer.
pub(super) const DIGITS: usize = BOUND as usize + 1;
const _: () = assert!(DIGITS > 129);

/// Whether \[b\]B − \[u\]A − \[c\]R is the identity; or with `times_8`, whether 8 times it is.
#[inline(never)]
fn residual_vartime<F: SingleField>(
    token: F::Token,
    a: &Decoded,
    r: &Decoded,
    scalars: &HalfSize,
    times_8: bool,
) -> bool {
    // each where it is to be: what is mapped lies on the stack twice
    let multiples: [[Cached<F>; 8]; 2] =
        [odd_multiples(&a.extended::<F>(token)), odd_multiples(&r.extended::<F>(token))];
    let digits = scalars.digits_vartime();
    let top = (0..DIGITS).rev().find(|&i| digits.iter().any(|digits| digits[i] != 0));
    let base_multiples = base_odd_multiples();
    let mut sum = Completed::<F>::identity(token);
    for i in (0..=top.unwrap_or(0)).rev() {
        sum = sum.projective().double();
        for (multiples, (digits, added)) in
            multiples.iter().zip(digits.iter().zip([scalars.u_negative, false]))
        {
            let digit = digits[i];
            if digit != 0 {
                let multiple = &multiples[digit.unsigned_abs() as usize / 2];
                add_vartime(&mut sum, multiple, (digit < 0) ^ !added);
            }
        }
        // multiples of B and of 2^128·B
        for (multiples, digits) in base_multiples.iter().zip(&digits[2..]) {
            let digit = digits[i];
            if digit != 0 {
                let multiple = &multiples[digit.unsigned_abs() as usize / 2];
                let multiple = Cached::from_affine(multiple.map(|words| F::splat(token, &words)));
                add_vartime(&mut sum, &multiple, digit < 0);
            }
        }
    }
    is_neutral_vartime(&sum, times_8)
}

/// \[S\]B − \[k\]A, for any k and S below ℓ.
pub(crate) fn full_sum_vartime(a: &Decoded, k: &Scalar, s: &Scalar) -> Extended<Fe> {
    double_base_vartime(k.words(), &a.extended::<Fe>(()).neg(), s.words())
}

/// [`residual_vartime`] of \[S\]B − \[k\]A − R.
#[inline(never)]
pub(crate) fn full_residual_vartime(
    a: &Decoded,
    r: &Decoded,
    k: &Scalar,
    s: &Scalar,
    times_8: bool,
) -> bool {
    is_neutral_vartime(&minus_vartime(full_sum_vartime(a, k, s), r), times_8)
}

/// `P − R`.
pub(crate) fn minus_vartime<F: SingleField>(p: Extended<F>, r: &Decoded) -> Completed<F> {
    let token = p.token();
    let mut difference = Completed::<F>::of(p.projective());
    add_vartime(&mut difference, &cached_apart(&r.extended(token)), true);
    difference
}

#[inline(always)]
fn is_neutral_vartime<F: SingleField>(sum: &Completed<F>, times_8: bool) -> bool {
    let is = if times_8 { sum.extended_apart().projective().is_small() } else { sum.is_identity() };
    is.is_true_vartime()
}

#[cfg(test)]
mod tests;
