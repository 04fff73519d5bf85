//! Points of −x² + y² = 1 + d·x²·y² over GF(2^255 − 19): formulas, encoding.
//!
//! Representation, x = X/Z and y = Y/Z throughout:
//!
//! | type | coordinates | for |
//! |---|---|---|
//! | `Projective` | X, Y, Z as products | doubling |
//! | `Extended` | X, Y, Z, T = XY/Z as products | addition, results |
//! | `Completed` | E, F, G, H: X = EF, Y = GH, Z = FG, T = EH | what a formula gives |
//! | `Cached` | Y+X, Y−X, 2Z, 2dT | second operand of an addition |
//! | `AffineCached` | y+x, y−x, 2dxy | the same with Z = 1 |
//!
//! The formulas are complete: −1 is a square and d is not, so they hold for every pair of points,
//! the identity and points of small order included (Hisil, Wong, Carter, Dawson, eprint 2008/522).
//!
//! Secrets: all operations are constant time.

use crate::field::f25519::{
    Field, LaneField, ONE, SingleField, TWICE_D, ZERO, invert, mul, neg, square, twice_product,
};

#[derive(Clone, Copy)]
pub(crate) struct Projective<F: Field> {
    pub(super) x: F::Product,
    pub(super) y: F::Product,
    pub(super) z: F::Product,
}

#[derive(Clone, Copy)]
pub(crate) struct Extended<F: Field> {
    x: F::Product,
    y: F::Product,
    z: F::Product,
    t: F::Product,
}

#[derive(Clone, Copy)]
pub(crate) struct Completed<F: Field> {
    e: F,
    f: F,
    g: F,
    h: F,
}

#[derive(Clone, Copy)]
pub(crate) struct Cached<F: Field> {
    y_plus_x: F,
    y_minus_x: F,
    z_twice: F,
    t_2d: F,
}

#[derive(Clone, Copy)]
pub(crate) struct AffineCached<F: Field> {
    pub(in crate::curve) y_plus_x: F,
    pub(in crate::curve) y_minus_x: F,
    pub(in crate::curve) xy_2d: F,
}

impl<F: Field> Projective<F> {
    /// `2·P`: dbl-2008-hwcd for a = −1 with all four of E, F, G, H chosen so that no value is
    /// negated: E = 2XY, G = Y² − X², H = Y² + X², F = 2Z² − G gives (−X₃ : −Y₃ : −Z₃).
    #[inline(always)]
    pub(crate) fn double(&self) -> Completed<F> {
        let (x, y, z) = (F::times::<1>(&self.x), F::times::<1>(&self.y), F::times::<1>(&self.z));
        let (yy, zz, xx) = (y.square(), z.square(), x.square());
        let h = F::sum_of_two::<1, 1>(&yy, &xx);
        let g = F::sum_of_two::<1, -1>(&yy, &xx);
        Completed {
            e: twice_product((&x, &y), (&self.x, &self.y), (&xx, &yy)),
            f: F::sum::<2, -1, 1>(&zz, &yy, &xx),
            g,
            h,
        }
    }

    /// The identity (0, 1).
    #[inline(always)]
    pub(crate) fn identity(token: F::Token) -> Self {
        let one = F::splat(token, &ONE).widen();
        Projective { x: F::splat(token, &ZERO).widen(), y: one, z: one }
    }

    /// The point of a row's triple y+x, y−x, 2dxy, or minus it where the mask is set.
    #[inline(always)]
    pub(crate) fn from_cached(triple: &[F; 3], minus: F::Mask) -> Self {
        let sum = F::select(minus, &triple[1], &triple[0]).widen();
        let difference = F::select(minus, &triple[0], &triple[1]).widen();
        let two = F::splat(triple[0].token(), &[2, 0, 0, 0]);
        Projective {
            x: F::sum_of_two::<1, -1>(&sum, &difference).widen(),
            y: F::sum_of_two::<1, 1>(&sum, &difference).widen(),
            z: two.widen(),
        }
    }

    /// Set in lanes whose point is (0, 1).
    #[inline(always)]
    pub(crate) fn is_identity(&self) -> F::Mask {
        // X = 0 leaves (0, 1) and (0, −1); Y = Z decides. Z is never 0.
        F::times::<1>(&self.x).is_zero() & F::times::<1>(&self.y).equal(&F::times::<1>(&self.z))
    }

    /// Set in lanes with `[8]P` the identity: X·Y·(X² + Y²) = 0.
    ///
    /// x = 0 leaves (0, ±1), orders 1 and 2. Doubling has y = 0 as result exactly if x² + y² = 0,
    /// and y = 0 exactly for the two points of order 4, whose doubles are (0, −1); so y = 0 is order
    /// 4 and x² + y² = 0 is order 8.
    #[inline(always)]
    pub(crate) fn is_small(&self) -> F::Mask {
        let (x, y) = (F::times::<1>(&self.x), F::times::<1>(&self.y));
        let (xx, yy) = (square(&x).widen(), square(&y).widen());
        mul(&mul(&x, &y), &F::sum_of_two::<1, 1>(&xx, &yy)).is_zero()
    }

    /// X, Y and Z.
    #[inline(always)]
    pub(in crate::curve) fn xyz(&self) -> [F; 3] {
        [F::times::<1>(&self.x), F::times::<1>(&self.y), F::times::<1>(&self.z)]
    }

    /// `2^n·P`, for n from 1 on.
    #[inline(always)]
    pub(super) fn double_times(&self, n: u32) -> Completed<F> {
        let (mut multiple, mut done) = (*self, 1);
        loop {
            let twice = multiple.double();
            if done >= n {
                return twice;
            }
            multiple = twice.projective();
            done += 1;
        }
    }

    /// `[8]P`.
    #[inline(always)]
    pub(crate) fn times_8(&self) -> Self {
        self.double_times(3).projective()
    }

    /// The same point with Z = 1. One inversion, constant time: what is published after it says
    /// nothing about how the point was computed.
    pub(crate) fn normalized(&self) -> Extended<F> {
        let inverse = invert(&F::times::<1>(&self.z));
        let x = mul(&F::times::<1>(&self.x), &inverse);
        let y = mul(&F::times::<1>(&self.y), &inverse);
        let one = F::splat(inverse.token(), &ONE).widen();
        Extended { x: x.widen(), y: y.widen(), z: one, t: x.mul(&y) }
    }

    /// The u-coordinate (1 + y)/(1 − y) of the birationally equivalent point of Curve25519 (RFC 7748
    /// section 4.1), below p, little-endian; 0 for the identity, where there is none.
    pub(crate) fn montgomery_u(&self) -> F::Bytes {
        let numerator = F::sum_of_two::<1, 1>(&self.z, &self.y);
        let denominator = F::sum_of_two::<1, -1>(&self.z, &self.y);
        let u = mul(&numerator, &invert(&denominator));
        let odd = u.is_odd();
        u.to_bytes(odd & !odd)
    }

    /// RFC 8032 section 5.1.2: y below p, little-endian, with the lowest bit of x as bit 255.
    pub(crate) fn encode(&self) -> F::Bytes {
        self.normalized().encode_normalized()
    }
}

/// By functions of their own, for what is not done in every step of a loop: a product of words that is inlined
/// takes up to a kilobyte of code.
impl<F: SingleField> Projective<F> {
    /// `2^n·P`, for n from 1 on.
    #[inline(never)]
    pub(crate) fn double_apart(&self, n: u32) -> Completed<F> {
        self.double_times(n)
    }
}

impl<F: SingleField> Completed<F> {
    /// The same point.
    #[inline(never)]
    pub(crate) fn extended_apart(&self) -> Extended<F> {
        self.extended()
    }
}

impl<F: Field> Cached<F> {
    /// A precomputed point.
    #[inline(always)]
    pub(super) fn from_affine([y_plus_x, y_minus_x, t_2d]: [F; 3]) -> Self {
        let z_twice = F::splat(t_2d.token(), &[2, 0, 0, 0]);
        Cached { y_plus_x, y_minus_x, z_twice, t_2d }
    }

    #[inline(always)]
    fn operands(&self) -> [&F; 4] {
        [&self.y_plus_x, &self.y_minus_x, &self.z_twice, &self.t_2d]
    }

    /// Y+X, Y−X, 2Z, 2dT.
    #[inline(always)]
    pub(super) fn parts(&self) -> [F; 4] {
        [self.y_plus_x, self.y_minus_x, self.z_twice, self.t_2d]
    }

    #[inline(always)]
    pub(super) fn from_parts([y_plus_x, y_minus_x, z_twice, t_2d]: [F; 4]) -> Self {
        Cached { y_plus_x, y_minus_x, z_twice, t_2d }
    }
}

impl<F: Field> Completed<F> {
    /// An affine point, without a product: E = 2x, F = G = 2, H = 2y.
    #[inline(always)]
    pub(super) fn of_affine(point: &AffineCached<F>) -> Self {
        let (sum, difference) = (point.y_plus_x.widen(), point.y_minus_x.widen());
        let two = F::splat(point.y_plus_x.token(), &[2, 0, 0, 0]);
        Completed {
            e: F::sum_of_two::<1, -1>(&sum, &difference),
            f: two,
            g: two,
            h: F::sum_of_two::<1, 1>(&sum, &difference),
        }
    }

    /// A point by X, Y and Z, without a product: E = X, F = G = Z, H = Y.
    #[inline(always)]
    pub(super) fn of(point: Projective<F>) -> Self {
        let [x, y, z] = point.xyz();
        Completed { e: x, f: z, g: z, h: y }
    }

    /// The identity (0, 1).
    #[inline(always)]
    pub(super) fn identity(token: F::Token) -> Self {
        let one = F::splat(token, &ONE);
        Completed { e: F::splat(token, &ZERO), f: one, g: one, h: one }
    }

    /// Set in lanes whose point is (0, 1): X = EF, Y = GH, and Z = FG is never 0.
    #[inline(always)]
    pub(crate) fn is_identity(&self) -> F::Mask {
        self.e.is_zero() & self.h.equal(&self.f)
    }

    #[inline(always)]
    pub(crate) fn projective(&self) -> Projective<F> {
        let [y, z, x] = [self.g.mul(&self.h), self.f.mul(&self.g), self.e.mul(&self.f)];
        Projective { x, y, z }
    }

    /// X, Y and Z.
    #[inline(always)]
    pub(crate) fn xyz(&self) -> [F; 3] {
        self.projective().xyz()
    }

    #[inline(always)]
    pub(crate) fn extended(&self) -> Extended<F> {
        let [x, y, z, t] = F::mul_crosswise(&self.e, &self.f, &self.g, &self.h);
        Extended { x, y, z, t }
    }
}

impl<F: Field> Extended<F> {
    /// The point of a triple y+x, y−x, 2dxy, or minus it where the mask is set. One product, where an
    /// addition to the identity takes seven.
    #[inline(always)]
    pub(crate) fn from_cached(triple: &[F; 3], minus: F::Mask) -> Self {
        // X = 2x, Y = 2y and Z = 2, times Z: T is then XY
        let Projective { x, y, .. } = Projective::from_cached(triple, minus);
        let four = F::splat(triple[0].token(), &[4, 0, 0, 0]);
        Extended {
            x: F::times::<2>(&x).widen(),
            y: F::times::<2>(&y).widen(),
            z: four.widen(),
            t: F::times::<1>(&x).mul(&F::times::<1>(&y)),
        }
    }

    /// The identity (0, 1).
    #[inline(always)]
    pub(crate) fn identity(token: F::Token) -> Self {
        let (zero, one) = (F::splat(token, &ZERO).widen(), F::splat(token, &ONE).widen());
        Extended { x: zero, y: one, z: one, t: zero }
    }

    /// A point by its affine coordinates.
    #[inline(always)]
    pub(crate) fn from_affine(x: &F, y: &F) -> Self {
        let one = F::splat(x.token(), &ONE).widen();
        Extended { x: x.widen(), y: y.widen(), z: one, t: x.mul(y) }
    }

    /// The proof that the point was made with.
    #[inline(always)]
    pub(crate) fn token(&self) -> F::Token {
        F::times::<1>(&self.z).token()
    }

    /// X, Y, Z, T.
    #[inline(always)]
    pub(crate) fn products(&self) -> [F::Product; 4] {
        [self.x, self.y, self.z, self.t]
    }

    #[inline(always)]
    pub(crate) fn from_products([x, y, z, t]: [F::Product; 4]) -> Self {
        Extended { x, y, z, t }
    }

    #[inline(always)]
    pub(crate) fn projective(&self) -> Projective<F> {
        Projective { x: self.x, y: self.y, z: self.z }
    }

    #[inline(always)]
    pub(crate) fn double(&self) -> Completed<F> {
        self.projective().double()
    }

    /// The encoding of a point with Z = 1.
    pub(crate) fn encode_normalized(&self) -> F::Bytes {
        F::times::<1>(&self.y).to_bytes(F::times::<1>(&self.x).is_odd())
    }

    /// `−P`.
    #[inline(always)]
    pub(crate) fn neg(&self) -> Self {
        let minus = |product: &F::Product| neg(&F::times::<1>(product)).widen();
        Extended { x: minus(&self.x), y: self.y, z: self.z, t: minus(&self.t) }
    }

    /// `P` as a second operand of additions.
    #[inline(always)]
    pub(crate) fn cached(&self) -> Cached<F> {
        let token = self.token();
        Cached {
            y_plus_x: F::sum_of_two::<1, 1>(&self.y, &self.x),
            y_minus_x: F::sum_of_two::<1, -1>(&self.y, &self.x),
            z_twice: F::times::<2>(&self.z),
            t_2d: F::times::<1>(&F::times::<1>(&self.t).mul(&F::splat(token, &TWICE_D))),
        }
    }

    /// y+x, y−x, 2dxy of a point with Z = 1.
    #[inline(always)]
    pub(crate) fn affine_cached(&self) -> [F; 3] {
        let Cached { y_plus_x, y_minus_x, t_2d, .. } = self.cached();
        [y_plus_x, y_minus_x, t_2d]
    }

    /// `P + Q`: add-2008-hwcd-3 with k = 2d.
    #[inline(always)]
    pub(crate) fn add(&self, q: &Cached<F>) -> Completed<F> {
        let sum = F::sum_of_two::<1, 1>(&self.y, &self.x);
        let difference = F::sum_of_two::<1, -1>(&self.y, &self.x);
        Self::complete(
            &sum,
            &difference,
            &F::times::<1>(&self.z),
            &F::times::<1>(&self.t),
            q.operands(),
        )
    }

    /// The rest of it, from Y + X, Y − X, Z and T of P.
    #[inline(always)]
    fn complete(
        sum: &F,
        difference: &F,
        z: &F,
        t: &F,
        [y_plus_x, y_minus_x, z_twice, t_2d]: [&F; 4],
    ) -> Completed<F> {
        let [b, a, c, d] =
            F::mul_four([[sum, y_plus_x], [difference, y_minus_x], [t, t_2d], [z, z_twice]]);
        Completed {
            e: F::sum_of_two::<1, -1>(&b, &a),
            f: F::sum_of_two::<1, -1>(&d, &c),
            g: F::sum_of_two::<1, 1>(&d, &c),
            h: F::sum_of_two::<1, 1>(&b, &a),
        }
    }

    /// `P − Q`: −Q swaps y+x with y−x and negates 2dT, which swaps F with G.
    #[inline(always)]
    pub(crate) fn sub(&self, q: &Cached<F>) -> Completed<F> {
        let minus_q = Cached { y_plus_x: q.y_minus_x, y_minus_x: q.y_plus_x, ..*q };
        let Completed { e, f, g, h } = self.add(&minus_q);
        Completed { e, f: g, g: f, h }
    }

    /// `P + Q` for an affine Q: madd-2008-hwcd-3.
    #[inline(always)]
    pub(crate) fn add_affine(&self, q: &AffineCached<F>) -> Completed<F> {
        let sum = F::sum_of_two::<1, 1>(&self.y, &self.x);
        let difference = F::sum_of_two::<1, -1>(&self.y, &self.x);
        Self::complete_affine(&sum, &difference, &self.z, &F::times::<1>(&self.t), q)
    }

    /// The rest of it, from Y + X, Y − X, Z and T of P.
    #[inline(always)]
    fn complete_affine(
        sum: &F,
        difference: &F,
        z: &F::Product,
        t: &F,
        q: &AffineCached<F>,
    ) -> Completed<F> {
        let [b, a, c] = F::mul_three([sum, &q.y_plus_x], [difference, &q.y_minus_x], [t, &q.xy_2d]);
        Completed {
            e: F::sum_of_two::<1, -1>(&b, &a),
            f: F::sum_of_two::<2, -1>(z, &c),
            g: F::sum_of_two::<2, 1>(z, &c),
            h: F::sum_of_two::<1, 1>(&b, &a),
        }
    }

    /// `P − Q` where the mask is set, `P + Q` elsewhere. Constant time.
    #[inline(always)]
    pub(crate) fn add_affine_signed(&self, q: &AffineCached<F>, minus: F::Mask) -> Completed<F> {
        let signed_q = AffineCached {
            y_plus_x: F::select(minus, &q.y_minus_x, &q.y_plus_x),
            y_minus_x: F::select(minus, &q.y_plus_x, &q.y_minus_x),
            xy_2d: q.xy_2d,
        };
        let Completed { e, f, g, h } = self.add_affine(&signed_q);
        Completed { e, f: F::select(minus, &g, &f), g: F::select(minus, &f, &g), h }
    }
}

/// Additions of points whose signs change in each lane. To negate Q takes four selections, to negate P
/// two changes of sign.
impl<F: Field> Extended<F> {
    /// `P + Q`, or `P − Q`: one formula for both. Time depends on which.
    #[inline(always)]
    pub(super) fn add_signed_vartime(&self, q: &Cached<F>, minus: bool) -> Completed<F> {
        let (plus, less) =
            if minus { (&q.y_minus_x, &q.y_plus_x) } else { (&q.y_plus_x, &q.y_minus_x) };
        let sum = F::sum_of_two::<1, 1>(&self.y, &self.x);
        let difference = F::sum_of_two::<1, -1>(&self.y, &self.x);
        let (z, t) = (F::times::<1>(&self.z), F::times::<1>(&self.t));
        Self::complete(&sum, &difference, &z, &t, [plus, less, &q.z_twice, &q.t_2d])
            .with_sign_vartime(minus)
    }
}

impl<F: Field> Completed<F> {
    /// The proof that the point was made with.
    #[inline(always)]
    pub(super) fn token(&self) -> F::Token {
        self.e.token()
    }

    /// Mends a sum whose second operand was negated except for its last coordinate.
    #[inline(always)]
    pub(super) fn with_sign_vartime(self, minus: bool) -> Self {
        let Completed { e, f, g, h } = self;
        if minus { Completed { e, f: g, g: f, h } } else { self }
    }
}

impl<F: LaneField> Extended<F> {
    /// `Q − P` where the mask is set, `Q + P` elsewhere.
    #[inline(always)]
    pub(super) fn flip_and_add(&self, flip: F::Mask, q: &Cached<F>) -> Completed<F> {
        let (sum, difference, t) = self.flipped(flip);
        Self::complete(&sum, &difference, &F::times::<1>(&self.z), &t, q.operands())
    }

    /// The same for an affine Q.
    #[inline(always)]
    pub(super) fn flip_and_add_affine(&self, flip: F::Mask, q: &AffineCached<F>) -> Completed<F> {
        let (sum, difference, t) = self.flipped(flip);
        Self::complete_affine(&sum, &difference, &self.z, &t, q)
    }

    /// Y + X, Y − X and T of −P where the mask is set, of P elsewhere.
    #[inline(always)]
    fn flipped(&self, flip: F::Mask) -> (F, F, F) {
        let [sum, difference] = F::sum_and_difference(flip, &self.y, &self.x);
        (sum, difference, F::negate_where(flip, &self.t))
    }

    /// `−P` where the mask is set, `P` elsewhere.
    #[inline(always)]
    pub(super) fn negate_where(&self, mask: F::Mask) -> Self {
        let [x, t] = [&self.x, &self.t];
        Extended {
            x: F::negate_where(mask, x).widen(),
            y: self.y,
            z: self.z,
            t: F::negate_where(mask, t).widen(),
        }
    }
}

/// A sum of points with signs, kept in each lane as it is or negated: with the sign of what was added
/// last, so that it changes where that sign does. Doublings do not see it.
pub(super) struct SignedSum<F: LaneField> {
    sum: Completed<F>,
    negated: F::Mask,
}

impl<F: LaneField> SignedSum<F> {
    /// The identity.
    #[inline(always)]
    pub(super) fn new(token: F::Token) -> Self {
        SignedSum { sum: Completed::identity(token), negated: F::mask(token, 0) }
    }

    /// `2^n` times it, for n from 1 on.
    #[inline(always)]
    pub(super) fn double(&mut self, n: u32) {
        self.sum = self.sum.projective().double_times(n);
    }

    /// Adds Q, or −Q where the mask is set.
    #[inline(always)]
    pub(super) fn add(&mut self, q: &Cached<F>, minus: F::Mask) {
        self.sum = self.sum.extended().flip_and_add(minus ^ self.negated, q);
        self.negated = minus;
    }

    /// The same for an affine Q.
    #[inline(always)]
    pub(super) fn add_affine(&mut self, q: &AffineCached<F>, minus: F::Mask) {
        self.sum = self.sum.extended().flip_and_add_affine(minus ^ self.negated, q);
        self.negated = minus;
    }

    /// The sum.
    #[inline(always)]
    pub(super) fn extended(&self) -> Extended<F> {
        self.sum.extended().negate_where(self.negated)
    }
}

/// Whether two affine-comparable points are equal: both coordinates, cross-multiplied.
#[cfg(test)]
pub(crate) fn equal<F: Field>(p: &Projective<F>, q: &Projective<F>) -> F::Mask {
    let cross = |a: &F::Product, b: &F::Product| mul(&F::times::<1>(a), &F::times::<1>(b));
    cross(&p.x, &q.z).equal(&cross(&q.x, &p.z)) & cross(&p.y, &q.z).equal(&cross(&q.y, &p.z))
}
