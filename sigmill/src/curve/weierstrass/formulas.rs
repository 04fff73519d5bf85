//! Curves y² = x³ − 3x + b of prime order: points, formulas, multiplication.
//!
//! Secret multiples of any point go through the complete addition of Renes, Costello and Batina (EUROCRYPT 2016, algorithms
//! 4 and 5 for a = −3): it has no exceptional case, so nothing branches. Public points go through
//! Jacobian formulas (`add-1998-cmo-2` of the Explicit-Formulas Database, and a doubling of its own),
//! whose exceptional cases, equal or opposite points and the point at infinity, are caught where they
//! occur; the names of these functions end in `_vartime`. The doubling has no exceptional case and serves
//! secrets, too; so does the addition where the points cannot be equal or opposite, in multiples of the base point.

use crate::ct::Mask;
use crate::field::nist::{EightLanes, InWords, run_in_words};
use crate::modular::{Arithmetic, PrimeField};
use crate::scalar::recode::{odd_digits, odd_digits_of, signed_radix_16_of, wipe};
use crate::simd::{Kernel, Proven, run_with_avx2};
use zeroize::Zeroize;

/// Bytes of a scalar on the widest curve.
pub(crate) const MAX_WIDTH: usize = 66;

/// A curve: its fields, its b and multiples of its base point G.
pub(crate) trait Curve: Copy + 'static {
    /// Bytes of a coordinate and of a scalar.
    const WIDTH: usize = Self::Scalar::BITS.div_ceil(8);
    /// Integers mod n, the order of G.
    type Scalar: PrimeField;
    /// Coordinates, integers mod p; n < p < 2·n.
    type Fe: InWords<Words = <Self::Scalar as PrimeField>::Words>;
    /// Coordinates in lanes, if there are any.
    type LaneFe: EightLanes<Single = Self::Fe>;
    const B: Self::Fe;
    /// Bits of a digit where `[k]G` is made in words.
    const WINDOW: usize;
    /// Row i has 2^(WINDOW − 1) points: 1, 3, 5, … times 4^(WINDOW·i)·G.
    fn base_rows() -> &'static [Affine<Self::Fe>];
    /// Entry i is (2·i + 1)·G, up to 255·G.
    fn base_odd_multiples() -> &'static [Affine<Self::Fe>];
    /// `[scalar]G`, in lanes where the CPU has them; (0, 0) for 0. Constant time.
    fn multiple_of_base(scalar: &Self::Scalar) -> Affine<Self::Fe>;
    /// For x of `[u1]G + [u2]Q` a numerator and a denominator, 0 at infinity, in lanes where the CPU has them.
    /// Time depends on all inputs.
    fn x_of_double_base_vartime(
        u1: &Self::Scalar,
        u2: &Self::Scalar,
        q: &Affine<Self::Fe>,
    ) -> [Self::Fe; 2];
}

/// A point other than infinity.
#[derive(Clone, Copy)]
pub(crate) struct Affine<F> {
    pub(crate) x: F,
    pub(crate) y: F,
}

impl<F: InWords> Affine<F> {
    /// Whether the coordinates are those of a point.
    pub(crate) fn is_on_curve<C: Curve<Fe = F>>(&self) -> Mask {
        self.y.square().equal(&right_side::<C, F>(&self.x))
    }

    /// The point with this x and y odd or even, if there is one.
    pub(crate) fn with_x<C: Curve<Fe = F>>(x: &F, odd: Mask) -> (Self, Mask) {
        let (y, is_square) = run_in_words::<F, _>(Root::<C>(x));
        let flip = Mask::from_bit((y.is_odd().word() ^ odd.word()) & 1);
        (Affine { x: *x, y: F::select(flip, &y.neg(), &y) }, is_square)
    }
}

impl<F: Arithmetic> Affine<F> {
    /// The point in words of another kind.
    #[inline(always)]
    pub(super) fn of(token: F::Token, point: &Affine<F::Plain>) -> Self {
        Affine { x: F::from_plain(token, &point.x), y: F::from_plain(token, &point.y) }
    }

    #[inline(always)]
    pub(super) fn plain(&self) -> Affine<F::Plain> {
        Affine { x: self.x.plain(), y: self.y.plain() }
    }

    #[inline(always)]
    pub(super) fn neg(&self) -> Self {
        Affine { x: self.x, y: self.y.neg() }
    }
}

/// b of the curve.
#[inline(always)]
fn b<C: Curve, F: Arithmetic<Plain = C::Fe>>(token: F::Token) -> F {
    F::from_plain(token, &C::B)
}

/// x³ − 3x + b.
fn right_side<C: Curve, F: Arithmetic<Plain = C::Fe>>(x: &F) -> F {
    let three_x = x.add(x).add(x);
    x.square().mul(x).sub(&three_x).add(&b::<C, F>(x.token()))
}

/// A root of x³ − 3x + b, if there is one.
struct Root<'a, C: Curve>(&'a C::Fe);

impl<C: Curve, F: Arithmetic<Plain = C::Fe>> Kernel<F> for Root<'_, C> {
    type Output = (C::Fe, Mask);

    fn run(self, token: F::Token) -> (C::Fe, Mask) {
        let (root, is_square) = right_side::<C, F>(&F::from_plain(token, self.0)).sqrt();
        (root.plain(), is_square)
    }
}

/// (X : Y : Z) with x = X/Z, y = Y/Z; Z = 0 at infinity.
#[derive(Clone, Copy)]
pub(crate) struct Projective<F> {
    x: F,
    y: F,
    z: F,
}

impl<F: Arithmetic> Projective<F> {
    #[inline(always)]
    fn infinity(token: F::Token) -> Self {
        Projective { x: F::zero(token), y: F::one(token), z: F::zero(token) }
    }

    /// `self + other`; complete. With the sums of products t0 = X₁X₂, t1 = Y₁Y₂, t2 = Z₁Z₂,
    /// xy = X₁Y₂ + X₂Y₁, xz, yz.
    #[inline(always)]
    fn from_sums(b: &F, [t0, t1, t2]: [F; 3], [xy, xz, yz]: [F; 3]) -> Self {
        let three = |a: &F| a.add(a).add(a);
        let z_part = three(&xz.sub(&b.mul(&t2)));
        let (minus, plus) = (t1.sub(&z_part), t1.add(&z_part));
        let t2_3 = three(&t2);
        let y_part = three(&b.mul(&xz).sub(&t2_3).sub(&t0));
        let x_part = three(&t0).sub(&t2_3);
        Projective {
            x: xy.mul(&plus).sub(&yz.mul(&y_part)),
            y: plus.mul(&minus).add(&x_part.mul(&y_part)),
            z: yz.mul(&minus).add(&xy.mul(&x_part)),
        }
    }

    /// `self + other` (algorithm 4).
    #[inline(always)]
    fn add<C: Curve<Fe = F::Plain>>(&self, other: &Self) -> Self {
        let products = [self.x.mul(&other.x), self.y.mul(&other.y), self.z.mul(&other.z)];
        let cross = |a: (&F, &F), b: (&F, &F), sum: F| a.0.add(a.1).mul(&b.0.add(b.1)).sub(&sum);
        let [t0, t1, t2] = &products;
        let sums = [
            cross((&self.x, &self.y), (&other.x, &other.y), t0.add(t1)),
            cross((&self.x, &self.z), (&other.x, &other.z), t0.add(t2)),
            cross((&self.y, &self.z), (&other.y, &other.z), t1.add(t2)),
        ];
        Self::from_sums(&b::<C, F>(self.z.token()), products, sums)
    }

    /// The same for a point other than infinity (algorithm 5).
    #[inline(always)]
    fn add_affine<C: Curve<Fe = F::Plain>>(&self, other: &Affine<F>) -> Self {
        let (t0, t1) = (self.x.mul(&other.x), self.y.mul(&other.y));
        let xy = self.x.add(&self.y).mul(&other.x.add(&other.y)).sub(&t0.add(&t1));
        let xz = other.x.mul(&self.z).add(&self.x);
        let yz = other.y.mul(&self.z).add(&self.y);
        Self::from_sums(&b::<C, F>(self.z.token()), [t0, t1, self.z], [xy, xz, yz])
    }

    #[inline(always)]
    fn select(mask: Mask, if_true: &Self, if_false: &Self) -> Self {
        Projective {
            x: F::select(mask, &if_true.x, &if_false.x),
            y: F::select(mask, &if_true.y, &if_false.y),
            z: F::select(mask, &if_true.z, &if_false.z),
        }
    }

    /// x and y, and (0, 0) for infinity. Constant time.
    fn affine(&self) -> Affine<F> {
        let z_inverse = F::from_plain(self.z.token(), &self.z.plain().invert());
        Affine { x: self.x.mul(&z_inverse), y: self.y.mul(&z_inverse) }
    }
}

/// `|digit|·(row[0])` for an odd digit and a row of 1, 3, 5, … times a point. Reads every entry.
#[inline(always)]
fn select_odd_multiple<F: PrimeField>(row: &[Affine<F>], digit: i8) -> Affine<F> {
    let sign = digit >> 7; // 0 or −1
    let magnitude = (digit ^ sign).wrapping_sub(sign) as u64;
    let mut chosen = Affine { x: F::ZERO, y: F::ZERO };
    for (half, entry) in (0_u64..).zip(row) {
        let is_it = Mask::is_zero(magnitude >> 1 ^ half);
        chosen.x.set_where(is_it, &entry.x);
        chosen.y.set_where(is_it, &entry.y);
    }
    chosen
}

/// The entry that each digit selects from its row of the table, negated for a negative digit.
struct SelectAll<'a, C: Curve> {
    digits: &'a [i8; BASE_DIGITS],
    chosen: &'a mut [Affine<C::Fe>; BASE_DIGITS],
}

impl<C: Curve, P: Proven> Kernel<P> for SelectAll<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: P::Token) {
        let (rows, len) = (C::base_rows(), const { 1 << (C::WINDOW - 1) });
        let mut i = 0;
        while i < digits_of::<C>() {
            self.chosen[i] = select_odd_multiple(&rows[i / 2 * len..][..len], self.digits[i]);
            i += 1;
        }
        // in a loop of its own: if the sums above were negated at once, the compiler would keep half of them out of vectors
        for (point, digit) in self.chosen.iter_mut().zip(self.digits).take(digits_of::<C>()) {
            let is_negative = Mask::from_bit((*digit as u8 >> 7).into());
            point.y = C::Fe::select(is_negative, &point.y.neg(), &point.y);
        }
    }
}

/// Words of a scalar on the widest curve that is here: the digits of both scalars are a large part of a verification's stack.
pub(super) const MAX_WORDS: usize = 6;
/// Digits of a multiple of G, for the widest.
pub(super) const BASE_DIGITS: usize = odd_digits_of(MAX_WORDS, 5);

/// How many digits a multiple of G has.
const fn digits_of<C: Curve>() -> usize {
    odd_digits_of(C::Scalar::BITS.div_ceil(64), C::WINDOW)
}

/// `[scalar]G`, and (0, 0) for 0. Constant time.
///
/// With k the scalar or n less the scalar, whichever is low, the odd one of k and k + 1 is Σ dᵢ·2^(w·i), where every dᵢ is odd
/// and nothing has to be left out: the odd-numbered digits come first, times 2^w, then the even-numbered ones, so that one
/// table of j·4^(w·i)·G serves both; and G is subtracted where k is even.
///
/// Additions know no equal and no opposite points, and there are none: with P = 4^(w·i), where d·P is added the sum stands for
/// an integer m with m ∓ d·P other than 0 and less than n in magnitude. Other than 0: what digits below have brought, in both
/// passes, is less than P, since (2^w − 1)·(2^w + 1) = 4^w − 1; what those from i on have brought in the first pass is a multiple of
/// 2^w·P, which is as far from d·P as P, d being odd. Less than n: the sum of all |dᵢ|·2^(w·i) but the highest is less than
/// 2^(w·last), the highest one is less than k over that and 1 more, and k is below n/2. At the end 1 is subtracted from k + 1,
/// which is 1 for k = 0 only, and gives infinity then.
pub(crate) fn fixed_base<C: Curve>(scalar: &C::Scalar) -> Affine<C::Fe> {
    run_in_words::<C::Fe, _>(FixedBase::<C>(scalar))
}

struct FixedBase<'a, C: Curve>(&'a C::Scalar);

impl<C: Curve, F: Arithmetic<Plain = C::Fe>> Kernel<F> for FixedBase<'_, C> {
    type Output = Affine<C::Fe>;

    #[inline(never)]
    fn run(self, token: F::Token) -> Affine<C::Fe> {
        const { assert!(digits_of::<C>() <= BASE_DIGITS) };
        let is_low = !self.0.add(self.0).is_odd();
        let mut words = C::Scalar::select(is_low, self.0, &self.0.neg()).to_words();
        let is_even = Mask::from_bit(words.as_ref()[0] & 1 ^ 1);
        words.as_mut()[0] |= 1;
        let mut digits = odd_digits(words.as_ref(), C::WINDOW);
        words.zeroize();
        let mut chosen = [Affine { x: C::Fe::ZERO, y: C::Fe::ZERO }; BASE_DIGITS];
        let in_vectors = run_with_avx2(SelectAll::<C> { digits: &digits, chosen: &mut chosen });
        if in_vectors.is_none() {
            Kernel::<C::Fe>::run(SelectAll::<C> { digits: &digits, chosen: &mut chosen }, ());
        }
        wipe(&mut digits);
        let mut sum = ExtendedJacobian::from_affine(&Affine::<F>::of(token, &chosen[1]));
        sum.add_every_other::<C>(&chosen, 3);
        for _ in 0..C::WINDOW {
            sum = sum.double();
        }
        sum.add_every_other::<C>(&chosen, 0);
        let base = Affine::<F>::of(token, &C::base_rows()[0]);
        let less = sum.add_unequal(&Affine { x: base.x, y: base.y.neg() });
        let Affine { x, y } = ExtendedJacobian::select(is_even, &less, &sum).affine();
        Affine { x, y: F::select(is_low, &y, &y.neg()) }.plain()
    }
}

impl<F: Arithmetic> Projective<F> {
    /// `16·self`. Four doublings are cheaper in Jacobian coordinates than complete additions by more than the
    /// way there and back costs: (X·Z, Y·Z²) there, and (X·Z, Z³) back.
    #[inline(never)]
    fn times_16(&self) -> Self {
        // there infinity needs a Y other than 0
        let (infinite, one) = (self.z.is_zero(), F::one(self.z.token()));
        let mut point = Jacobian {
            x: F::select(infinite, &one, &self.x.mul(&self.z)),
            y: F::select(infinite, &one, &self.y.mul(&self.z.square())),
            z: self.z,
        };
        for _ in 0..4 {
            point = point.double();
        }
        Projective { x: point.x.mul(&point.z), y: point.y, z: point.z.square().mul(&point.z) }
    }

    /// `self` and what the digit, −8 to 8, makes of the point whose multiples by 1, 2, …, 8 the table holds.
    /// Reads every entry.
    #[inline(never)]
    fn add_multiple<C: Curve<Fe = F::Plain>>(&self, multiples: &[Self; 8], digit: i8) -> Self {
        let sign = digit >> 7; // 0 or −1
        let magnitude = (digit ^ sign).wrapping_sub(sign) as u64;
        let mut chosen = Self::infinity(self.z.token());
        for (multiple, entry) in (1_u64..).zip(multiples) {
            chosen = Self::select(Mask::is_zero(magnitude ^ multiple), entry, &chosen);
        }
        chosen.y = F::select(Mask::from_bit((sign & 1) as u64), &chosen.y.neg(), &chosen.y);
        self.add::<C>(&chosen)
    }
}

/// `[scalar]point`, and (0, 0) for 0. Constant time.
///
/// Σ dᵢ·16ⁱ for the scalar or n less the scalar, whichever is low, so that no digit carries out of the top.
pub(crate) fn multiple_of_point<C: Curve>(
    scalar: &C::Scalar,
    point: &Affine<C::Fe>,
) -> Affine<C::Fe> {
    run_in_words::<C::Fe, _>(MultipleOfPoint::<C> { scalar, point })
}

struct MultipleOfPoint<'a, C: Curve> {
    scalar: &'a C::Scalar,
    point: &'a Affine<C::Fe>,
}

impl<C: Curve, F: Arithmetic<Plain = C::Fe>> Kernel<F> for MultipleOfPoint<'_, C> {
    type Output = Affine<C::Fe>;

    #[inline(never)]
    fn run(self, token: F::Token) -> Affine<C::Fe> {
        let (scalar, point) = (self.scalar, Affine::<F>::of(token, self.point));
        let first = Projective { x: point.x, y: point.y, z: F::one(token) };
        let mut multiples = [first; 8];
        for i in 1..multiples.len() {
            multiples[i] = multiples[i - 1].add_affine::<C>(&point);
        }
        let is_low = !scalar.add(scalar).is_odd();
        let mut words = C::Scalar::select(is_low, scalar, &scalar.neg()).to_words();
        let mut digits = signed_radix_16_of(words.as_ref());
        let used = C::Scalar::BITS.div_ceil(4);
        words.zeroize();
        let mut sum = Projective::infinity(token);
        for digit in digits[..used].iter().rev() {
            sum = sum.times_16().add_multiple::<C>(&multiples, *digit);
        }
        wipe(&mut digits);
        let Affine { x, y } = sum.affine();
        Affine { x, y: F::select(is_low, &y, &y.neg()) }.plain()
    }
}

/// (X : Y : Z) with x = X/Z², y = Y/Z³; Z = 0 at infinity.
#[derive(Clone, Copy)]
pub(crate) struct Jacobian<F> {
    pub(in crate::curve) x: F,
    pub(in crate::curve) y: F,
    pub(in crate::curve) z: F,
}

/// Extended Jacobian coordinates: x = X/Z², y = Y/Z³ with Z² and Z³ in the place of Z (`xyzz` of the Explicit-Formulas Database): an affine point is added
/// by two squares instead of three, and fewer products wait for each other. Constant time.
#[derive(Clone, Copy)]
struct ExtendedJacobian<F> {
    x: F,
    y: F,
    zz: F,
    zzz: F,
}

impl<F: Arithmetic> ExtendedJacobian<F> {
    fn from_affine(p: &Affine<F>) -> Self {
        let one = F::one(p.x.token());
        ExtendedJacobian { x: p.x, y: p.y, zz: one, zzz: one }
    }

    /// Adds every other point of those that digits have chosen, from `first` on.
    #[inline(never)]
    fn add_every_other<C: Curve<Fe = F::Plain>>(
        &mut self,
        chosen: &[Affine<C::Fe>; BASE_DIGITS],
        first: usize,
    ) {
        let mut i = first;
        while i < digits_of::<C>() {
            *self = self.add_unequal(&Affine::of(self.x.token(), &chosen[i]));
            i += 2;
        }
    }

    #[inline(always)]
    fn select(mask: Mask, if_true: &Self, if_false: &Self) -> Self {
        ExtendedJacobian {
            x: F::select(mask, &if_true.x, &if_false.x),
            y: F::select(mask, &if_true.y, &if_false.y),
            zz: F::select(mask, &if_true.zz, &if_false.zz),
            zzz: F::select(mask, &if_true.zzz, &if_false.zzz),
        }
    }

    /// `2·self` (`dbl-2008-s-1` for a = −3).
    #[inline(always)]
    fn double(&self) -> Self {
        let u = self.y.add(&self.y);
        let v = u.square();
        let w = u.mul(&v);
        let s = self.x.mul(&v);
        let m = self.x.sub(&self.zz).mul(&self.x.add(&self.zz));
        let m = m.add(&m).add(&m);
        let x = m.square().sub(&s.add(&s));
        let y = m.mul(&s.sub(&x)).sub(&w.mul(&self.y));
        ExtendedJacobian { x, y, zz: v.mul(&self.zz), zzz: w.mul(&self.zzz) }
    }

    /// `self + other` for a point other than infinity and `self`, and a sum other than infinity (`madd-2008-s`). If the
    /// sum of other points is infinity, Z² is 0.
    #[inline(always)]
    fn add_unequal(&self, other: &Affine<F>) -> Self {
        let p = other.x.mul(&self.zz).sub(&self.x);
        let r = other.y.mul(&self.zzz).sub(&self.y);
        let pp = p.square();
        let rr = r.square();
        let ppp = pp.mul(&p);
        let q = self.x.mul(&pp);
        let zz = self.zz.mul(&pp);
        let x = rr.sub(&ppp).sub(&q.add(&q));
        let y = self.y.mul(&ppp);
        let zzz = self.zzz.mul(&ppp);
        let y = r.mul(&q.sub(&x)).sub(&y);
        ExtendedJacobian { x, y, zz, zzz }
    }

    /// x and y, and (0, 0) for infinity.
    fn affine(&self) -> Affine<F> {
        let inverse = F::from_plain(self.x.token(), &self.zzz.plain().invert());
        // Z⁴/Z⁶
        let zz = self.zz.mul(&inverse).square();
        Affine { x: self.x.mul(&zz), y: self.y.mul(&inverse) }
    }
}

/// A Jacobian point to add often: with Z² and Z³.
#[derive(Clone, Copy)]
pub(in crate::curve) struct Addend<F> {
    point: Jacobian<F>,
    zz: F,
    zzz: F,
}

impl<F: Arithmetic> Jacobian<F> {
    pub(super) fn infinity(token: F::Token) -> Self {
        Jacobian { x: F::one(token), y: F::one(token), z: F::zero(token) }
    }

    pub(crate) fn is_infinity(&self) -> Mask {
        self.z.is_zero()
    }

    pub(in crate::curve) fn from_affine(p: &Affine<F>) -> Self {
        Jacobian { x: p.x, y: p.y, z: F::one(p.x.token()) }
    }

    /// `2·self`. No point has order 2, and infinity stays. Four products and four squares: with
    /// (2Y)² at hand 4XY², 2YZ and 8Y⁴ need fewer sums than in `dbl-2001-b`, whose square in the place of
    /// a product is paid for with three.
    ///
    /// The order, here and in [`Self::finish_add`], is that in which products can start: a processor looks some two
    /// of them ahead.
    #[inline(always)]
    pub(super) fn double(&self) -> Self {
        let y_2 = self.y.add(&self.y);
        let delta = self.z.square();
        let gamma_4 = y_2.square();
        let z = y_2.mul(&self.z);
        let alpha = self.x.sub(&delta).mul(&self.x.add(&delta));
        let beta_4 = self.x.mul(&gamma_4);
        let alpha = alpha.add(&alpha).add(&alpha);
        let gamma_16 = gamma_4.square().halve();
        let x = alpha.square().sub(&beta_4.add(&beta_4));
        let y = alpha.mul(&beta_4.sub(&x)).sub(&gamma_16);
        Jacobian { x, y, z }
    }

    /// The same as a function of its own, where it is hardly ever called.
    #[cold]
    #[inline(never)]
    pub(in crate::curve) fn double_rarely(&self) -> Self {
        self.double()
    }

    pub(in crate::curve) fn addend(&self) -> Addend<F> {
        let zz = self.z.square();
        Addend { point: *self, zz, zzz: zz.mul(&self.z) }
    }

    /// The sum, given x₂ and y₂ over the denominators of this point and the other way round; `z` is
    /// Z₁·Z₂.
    #[inline(always)]
    fn finish_add_vartime(&self, u: [F; 2], s: [F; 2], z: &F) -> Self {
        let h = u[1].sub(&u[0]);
        let r = s[1].sub(&s[0]);
        if h.is_zero().is_true_vartime() {
            // the same x: the same point or the opposite one
            return if r.is_zero().is_true_vartime() {
                self.double_rarely()
            } else {
                Self::infinity(h.token())
            };
        }
        Self::finish_add([&h, &r], [&u[0], &s[0]], z)
    }

    /// The sum of points whose x are different: h and r are the differences of x and of y over one denominator, u and s are x
    /// and y of the first point over it.
    #[inline(always)]
    fn finish_add([h, r]: [&F; 2], [u, s]: [&F; 2], z: &F) -> Self {
        let hh = h.square();
        let z = z.mul(h);
        let v = u.mul(&hh);
        let hhh = hh.mul(h);
        let x = r.square().sub(&hhh).sub(&v.add(&v));
        let shhh = s.mul(&hhh);
        let y = r.mul(&v.sub(&x)).sub(&shhh);
        Jacobian { x, y, z }
    }

    /// `self + other`.
    #[inline(always)]
    pub(in crate::curve) fn add_vartime(&self, other: &Addend<F>) -> Self {
        if other.point.is_infinity().is_true_vartime() {
            return *self;
        }
        if self.is_infinity().is_true_vartime() {
            return other.point;
        }
        let zz = self.z.square();
        let u = [self.x.mul(&other.zz), other.point.x.mul(&zz)];
        let s = [self.y.mul(&other.zzz), other.point.y.mul(&zz.mul(&self.z))];
        self.finish_add_vartime(u, s, &self.z.mul(&other.point.z))
    }

    /// The same for a point with Z = 1.
    #[inline(never)]
    pub(super) fn add_affine_vartime(&self, other: &Affine<F>) -> Self {
        if self.is_infinity().is_true_vartime() {
            return Self::from_affine(other);
        }
        let zz = self.z.square();
        let zzz = zz.mul(&self.z);
        let u = [self.x, other.x.mul(&zz)];
        let s = [self.y, other.y.mul(&zzz)];
        self.finish_add_vartime(u, s, &self.z)
    }
}

#[cfg(test)]
mod tests;
