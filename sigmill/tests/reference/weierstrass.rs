//! P-256 and P-384 as SP 800-186 and FIPS 186-5 have them, with big integers and nothing saved.

use num_bigint::BigUint;

/// A curve y² = x³ − 3x + b mod p with a base point of order n.
pub struct Curve {
    pub name: &'static str,
    pub words: usize,
    pub p: BigUint,
    pub n: BigUint,
    pub b: BigUint,
    pub g: Point,
}

/// Affine coordinates; `None` is infinity.
pub type Point = Option<(BigUint, BigUint)>;

fn hex(digits: &str) -> BigUint {
    BigUint::parse_bytes(digits.as_bytes(), 16).expect("hexadecimal digits")
}

pub fn p256() -> Curve {
    Curve {
        name: "P-256",
        words: 4,
        p: hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"),
        n: hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
        b: hex("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"),
        g: Some((
            hex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
            hex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
        )),
    }
}

pub fn p384() -> Curve {
    Curve {
        name: "P-384",
        words: 6,
        p: hex(
            "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
        ),
        n: hex(
            "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
        ),
        b: hex(
            "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef",
        ),
        g: Some((
            hex(
                "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
            ),
            hex(
                "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f",
            ),
        )),
    }
}

impl Curve {
    fn invert(&self, x: &BigUint) -> BigUint {
        x.modinv(&self.p).unwrap_or_default()
    }

    fn minus(&self, a: &BigUint, b: &BigUint) -> BigUint {
        (a + &self.p - b % &self.p) % &self.p
    }

    pub fn is_on_curve(&self, (x, y): &(BigUint, BigUint)) -> bool {
        let right = self.minus(&(x * x * x + &self.b), &(x * 3_u8));
        x < &self.p && y < &self.p && y * y % &self.p == right
    }

    pub fn neg(&self, a: &Point) -> Point {
        a.as_ref().map(|(x, y)| (x.clone(), self.minus(&BigUint::ZERO, y)))
    }

    pub fn add(&self, a: &Point, b: &Point) -> Point {
        let (Some((x1, y1)), Some((x2, y2))) = (a, b) else {
            return a.clone().or_else(|| b.clone());
        };
        let slope = if x1 != x2 {
            self.minus(y2, y1) * self.invert(&self.minus(x2, x1))
        } else if y1 == y2 {
            self.minus(&(x1 * x1 * 3_u8), &BigUint::from(3_u8))
                * self.invert(&(y1 * 2_u8 % &self.p))
        } else {
            return None;
        };
        let x = self.minus(&(&slope * &slope), &(x1 + x2));
        let y = self.minus(&(slope * self.minus(x1, &x)), y1);
        Some((x, y))
    }

    /// `[k]A`, one bit after the other, in coordinates x = X/Z², y = Y/Z³: one division, where `add` takes one each time.
    pub fn times(&self, a: &Point, k: &BigUint) -> Point {
        let a = a.as_ref()?;
        let bits = (0..k.bits()).rev();
        let [x, y, z] = bits.fold(None, |sum: Option<[BigUint; 3]>, bit| {
            let sum = sum.map(|sum| self.double(&sum));
            if k.bit(bit) { self.add_affine(sum, a) } else { sum }
        })?;
        let z = self.invert(&z);
        let zz = &z * &z % &self.p;
        Some((x * &zz % &self.p, y * zz % &self.p * z % &self.p))
    }

    /// The tangent of `add`, without its denominator 2YZ, which is not 0: the orders of both curves are odd.
    fn double(&self, [x, y, z]: &[BigUint; 3]) -> [BigUint; 3] {
        let (yy, zz) = (y * y % &self.p, z * z % &self.p);
        let slope = self.minus(x, &zz) * (x + &zz) * 3_u8 % &self.p; // 3X² − 3Z⁴
        let middle = x * &yy * 4_u8 % &self.p;
        let doubled = self.minus(&(&slope * &slope), &(&middle * 2_u8));
        let third = self.minus(&(slope * self.minus(&middle, &doubled)), &(&yy * &yy * 8_u8));
        [doubled, third, y * z * 2_u8 % &self.p]
    }

    /// The chord of `add`, without its denominator (x2·Z² − X)·Z.
    fn add_affine(
        &self,
        sum: Option<[BigUint; 3]>,
        (x2, y2): &(BigUint, BigUint),
    ) -> Option<[BigUint; 3]> {
        let Some([x, y, z]) = sum else {
            return Some([x2.clone(), y2.clone(), BigUint::from(1_u8)]);
        };
        let zz = &z * &z % &self.p;
        let (run, rise) = (self.minus(&(x2 * &zz), &x), self.minus(&(y2 * &zz * &z), &y));
        if run == BigUint::ZERO {
            return (rise == BigUint::ZERO).then(|| self.double(&[x, y, z]));
        }
        let square = &run * &run % &self.p;
        let (cube, start) = (&square * &run % &self.p, x * &square % &self.p);
        let sum = self.minus(&(&rise * &rise), &(&cube + &start * 2_u8));
        let third = self.minus(&(rise * self.minus(&start, &sum)), &(y * cube));
        Some([sum, third, z * run % &self.p])
    }

    /// FIPS 186-5 section 6.4.2 on integers: e is the leftmost bits of the digest.
    pub fn verifies(&self, q: &Point, e: &BigUint, r: &BigUint, s: &BigUint) -> bool {
        let zero = BigUint::ZERO;
        if *r == zero || *s == zero || r >= &self.n || s >= &self.n {
            return false;
        }
        let w = s.modinv(&self.n).expect("s is below the prime n");
        let (u1, u2) = (e * &w % &self.n, r * &w % &self.n);
        match self.add(&self.times(&self.g, &u1), &self.times(q, &u2)) {
            None => false,
            Some((x, _)) => x % &self.n == *r,
        }
    }

    /// The leftmost bits of a digest, as many as n has, as an integer (FIPS 186-5 section 6.4.1).
    pub fn integer_of_digest(&self, digest: &[u8]) -> BigUint {
        let bits = self.n.bits() as usize;
        let kept = digest.len().min(bits.div_ceil(8));
        BigUint::from_bytes_be(&digest[..kept]) >> (8 * kept).saturating_sub(bits)
    }
}
