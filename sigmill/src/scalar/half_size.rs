//! Integers of half the length that verify the same signature.
//!
//! For an integer h below ℓ, a pair (u, c) with u = c·h (mod 8ℓ), c odd and positive, and |u| and c
//! near 2^127.5, the square root of 8ℓ. An odd c below ℓ is prime to 8ℓ, the order of the whole
//! group, so that multiplication by c is a bijection of it: S·B − h·A − R is the identity exactly if
//! (c·S)·B − u·A − c·R is, torsion included, and the same holds for their multiples by 8.
//!
//! The pairs (u, c) with u = c·h (mod 8ℓ) are a lattice of determinant 8ℓ with the basis (8ℓ, 0) and
//! (h, 1). Euclid's algorithm on the first coordinates, stopped half way, leads to a basis of short
//! vectors. Each of its steps has determinant ±1, and (h, 1) is in the lattice: one of the two vectors
//! of a basis has an odd c at any time. If the shorter one has not, the shortest odd vector has a
//! length up to 8ℓ over that of the shorter. One pair in 120 is not below 2^130; and h can be made for
//! it, as ℓ − 1 is, whose shortest pair is near 2^252. Rows above the bound are reported, and those in
//! which a quotient is too large for the bookkeeping: in all three in 10^5.
//!
//! `L` rows are worked on at once and do not influence each other. All is written row by row, without
//! a table and without a branch on what differs between rows, in loops over rows that the compiler
//! turns into vectors if this is inlined where the target features have them. The algorithm is
//! Lehmer's (Knuth, volume 2, 4.5.2, algorithm L) with these parts:
//!
//! * six rounds of [`ROUND_STEPS`] steps (21 bits on average) on leading bits, held as `f64`: the
//!   exponent is what a step needs to know of the length, and every subtraction is exact;
//! * a step subtracts the smaller number, times the power of two that brings it into the binade of
//!   the larger, and takes the absolute value;
//! * after a round its matrix is applied to the whole integers, in limbs, exactly. Whatever the
//!   leading bits said, u = c·h (mod 8ℓ) holds after that: rounding can only cost length.
//!
//! With AVX-512, sixteen rows take three quarters of the time per row that eight do: eight wait for
//! latencies. One row alone takes nine times that, most of it for swaps that cannot be predicted.
//!
//! # Bounds
//!
//! In a round let a ≥ b be the numbers, α and β the absolute values of their coefficients of the
//! second starting number, a₀ the first starting number, which is not smaller. The determinant says
//! that αb + βa = a₀ if the coefficients differ in sign or one is 0, as at the start, and
//! |αb − βa| = a₀ if they agree. Let m be 0 in the first case and min(αb, βa) in the second; then αb
//! and βa are at most a₀ + m. Claim: m < 2a₀. A step with B = 2^e·b makes a' = |a − B| = ρa, ρ < 1.
//!
//! * If αb > βa in the second case: for B < a, α'b = a₀ + βa' and m' = βa' < m/2, as B > a/2. For
//!   B > a, α'b = |a₀ − βa'|, and the signs differ or m' = βa' − a₀ < m − a₀.
//! * If βa > αb, or in the first case: for B < a, the signs differ or m' = βa' − a₀ < m/2. For B > a,
//!   α'b = a₀ + βa' and m' = βa' ≤ (a₀ + m)ρ. Only here m can grow, and before it can again, the two
//!   have to be swapped or m to shrink, since now α'b > βa'.
//! * If m grows, with ρ, and after a swap at once again, with ρ₂: B = (1 + ρ)a, and the two share a
//!   binade, hence b is at least 1 + ρ times the lower end of its own. So ρ₂ < 2/(1 + ρ) − 1 ≤ 1 − ρ,
//!   and m becomes less than (3a₀ρ + a₀)(1 − ρ) < 2a₀. If another step came before, m was below a₀
//!   and becomes less than 2a₀.
//!
//! Steps are taken only while b ≥ [`NARROWEST`]·a₀ > 3a₀/2^26; coefficients are therefore below 2^26
//! (`proofs/batch/HalfSizeSteps.v` proves it). For those of the first starting number, the second takes the place of a₀.
//!
//! Sources: Antipa, Brown, Gallant, Lambert, Struik, Vanstone, "Accelerated Verification of ECDSA
//! Signatures" (2005), for the equation; Pornin, eprint 2020/454, for lattices and EdDSA. The modulus
//! is 8ℓ and not ℓ, and c odd, so that nothing is lost of the equation without a cofactor.
//!
//! Public data only: time may depend on it.

// a loop over rows indexes many arrays at once, and must keep the form that vectorises
#![allow(clippy::needless_range_loop)]

use super::l25519::ORDER;

/// |u| and c are below 2^`BOUND`.
pub(crate) const BOUND: u32 = 140;

/// (u, c) for each row, as arrays over rows: so they are computed, and so lanes take them.
#[derive(Clone, Copy)]
pub(crate) struct HalfSizePairs<const L: usize> {
    /// |u|, the lowest word first.
    pub(crate) u: [[u64; L]; 3],
    pub(crate) u_negative: [bool; L],
    /// c, positive and odd.
    pub(crate) c: [[u64; L]; 3],
    /// Whether there is a pair within the bound. If not, u and c are 0.
    pub(crate) ok: [bool; L],
}

/// Steps of a round. Fewer make longer pairs: of 18, four times as many do not get below 2^130.
const ROUND_STEPS: usize = 20;
/// Steps written out in the body of the loop over rows.
const UNROLLED: usize = 4;

/// Bits of a limb: two products of a limb with a coefficient fit an i64.
const LIMB: u32 = 31;
const LOW: i64 = (1 << LIMB) - 1;

const SIGN: u64 = 1 << 63;
const EXPONENT: u64 = 0x7ff << 52;

const fn power_of_two(exponent: u32) -> f64 {
    f64::from_bits((1023 + exponent as u64) << 52)
}

/// 1.5·2^52: its sum with a number below 2^51 has that number, rounded, in its low bits.
const ROUNDER: f64 = power_of_two(52) + power_of_two(51);
/// A round ends for a row when the smaller number is below this part of the larger one at its beginning. A little more than
/// 3/2^26, so that their product is no less than that part when it is rounded.
const NARROWEST: f64 = (3.0 + 1.0 / power_of_two(20)) / power_of_two(26);
/// Both coefficients of a number are held in one `f64`: p + q·`PACKED`.
const PACKED: f64 = power_of_two(27);
/// The coefficients of the last combination are below this.
const COEFFICIENT_END: f64 = power_of_two(30);

/// 8ℓ.
const MODULUS: [i64; 9] = limbs(&[
    ORDER[0] << 3,
    ORDER[1] << 3 | ORDER[0] >> 61,
    ORDER[2] << 3 | ORDER[1] >> 61,
    ORDER[3] << 3 | ORDER[2] >> 61,
]);

const _: () = {
    assert!(ORDER[3] >> 61 == 0);
    assert!(ROUND_STEPS.is_multiple_of(UNROLLED));
    // coefficients are below 2^26, so that p and q can be told apart and the sum is exact
    assert!(3.0 / NARROWEST * 2.0 <= PACKED && 3.0 / NARROWEST * PACKED <= power_of_two(53));
    // two products of a coefficient with a limb, and a carry
    assert!(3.0 / NARROWEST <= COEFFICIENT_END);
    assert!(2.0 * COEFFICIENT_END * power_of_two(LIMB) <= power_of_two(62));
    // the bound is within the highest of five limbs, which three words hold
    assert!(4 * LIMB < BOUND && BOUND < 5 * LIMB && 5 * LIMB < 192);
};

/// The two vectors of each row's basis, as arrays over rows, and its numbers within a round.
struct Bases<const L: usize> {
    /// u and c in limbs, the lowest first. All but the highest in use are not negative and below
    /// 2^`LIMB`; the highest has the sign, and 32 bits.
    u: [[[i64; L]; 9]; 2],
    c: [[[i64; L]; 5]; 2],
    /// Whether u has outgrown its limbs: its words have no meaning then.
    lost: [[bool; L]; 2],
    /// Leading bits of |u|, the larger first, changed by the steps of a round.
    larger: [f64; L],
    smaller: [f64; L],
    /// Their packed coefficients of the two vectors before the round.
    larger_row: [f64; L],
    smaller_row: [f64; L],
    /// Steps end when `smaller` is below.
    least: [f64; L],
}

/// (u, c) with u = c·h (mod 8ℓ) for each h, all of which are below ℓ.
#[inline(always)]
pub(crate) fn half_size_vartime<const L: usize>(h: &[[u64; 4]; L]) -> HalfSizePairs<L> {
    let mut bases = Bases::new(h);
    // the limbs of u and c before and after each round; larger |u| have 256 bits at first,
    bases.steps();
    bases.update::<9, 9, 0, 1>();
    // 235,
    bases.steps();
    bases.update::<9, 8, 1, 2>();
    // 213,
    bases.steps();
    bases.update::<8, 7, 2, 3>();
    // 192,
    bases.steps();
    bases.update::<7, 7, 3, 4>();
    // 171,
    bases.steps();
    bases.update::<7, 6, 4, 5>();
    // and 149 bits before the last
    bases.steps();
    bases.choose()
}

/// [`half_size_vartime`] of one integer, a little at a time: for whoever has to wait for something else meanwhile.
///
/// The steps of a round are the same with integers, the larger of which has [`LEADING`] bits at first, and coefficients
/// p + q·2^32: one row alone has no use for vectors, and integers are compared and chosen in a third of the time.
pub(crate) struct Halving {
    bases: Bases<1>,
    larger: i64,
    smaller: i64,
    larger_row: i64,
    smaller_row: i64,
    least: i64,
    round: usize,
    steps_left: usize,
}

const LEADING: i32 = 62;
/// Steps of a round that are taken at a time.
const AT_A_TIME: usize = 2;

impl Halving {
    /// Of an integer below ℓ.
    #[inline(always)]
    pub(crate) fn new(h: &[u64; 4]) -> Self {
        let mut halving = Halving {
            bases: Bases::new(&[*h]),
            larger: 0,
            smaller: 0,
            larger_row: 0,
            smaller_row: 0,
            least: 0,
            round: 0,
            steps_left: 0,
        };
        halving.start();
        halving
    }

    /// Goes on a little; after the last step, the pair.
    #[inline(always)]
    pub(crate) fn step_vartime(&mut self) -> Option<HalfSizePairs<1>> {
        if self.steps_left == 0 {
            return self.end_round();
        }
        self.steps_left -= AT_A_TIME;
        let (mut a, mut b) = (self.larger, self.smaller);
        let (mut row_a, mut row_b) = (self.larger_row, self.smaller_row);
        for _ in 0..AT_A_TIME {
            // 2^e·b with as many bits as a, and its row; 0 once b is too small
            let live = !((b - self.least) >> 63);
            let e = (b | 1).leading_zeros() - (a | 1).leading_zeros();
            let rest = a - (b << e & live);
            let row = row_a - (row_b << e & live);
            let sign = rest >> 63;
            let (rest, row) = ((rest ^ sign) - sign, (row ^ sign) - sign);
            // the larger one first
            let swap = (rest - b) >> 63;
            let (change, row_change) = ((rest - b) & swap, (row - row_b) & swap);
            (a, b) = (rest - change, b + change);
            (row_a, row_b) = (row - row_change, row_b + row_change);
        }
        (self.larger, self.smaller) = (a, b);
        (self.larger_row, self.smaller_row) = (row_a, row_b);
        None
    }

    /// A round's numbers as integers.
    #[inline(always)]
    fn start(&mut self) {
        let bases = &self.bases;
        // 2^(LEADING − 1) to 2^LEADING, exactly
        let exponent = (bases.larger[0].to_bits() >> 52) as i32 - 1023;
        let scale = f64::from_bits(((1023 + LEADING - 1 - exponent) as u64) << 52);
        let row = |row: f64| {
            let one = if row.abs() == 1.0 { 1 } else { 1 << 32 };
            if row < 0.0 { -one } else { one }
        };
        [self.larger, self.smaller, self.least] =
            [bases.larger[0], bases.smaller[0], bases.least[0]].map(|x| (x * scale) as i64);
        (self.larger_row, self.smaller_row) = (row(bases.larger_row[0]), row(bases.smaller_row[0]));
        self.steps_left = ROUND_STEPS;
    }

    /// The end of a round, after its steps.
    #[inline(never)]
    fn end_round(&mut self) -> Option<HalfSizePairs<1>> {
        let row = |row: i64| f64::from(row as i32) + ((row - narrow(row)) >> 32) as f64 * PACKED;
        self.bases.larger_row[0] = row(self.larger_row);
        self.bases.smaller_row[0] = row(self.smaller_row);
        match self.round {
            0 => self.bases.update::<9, 9, 0, 1>(),
            1 => self.bases.update::<9, 8, 1, 2>(),
            2 => self.bases.update::<8, 7, 2, 3>(),
            3 => self.bases.update::<7, 7, 3, 4>(),
            4 => self.bases.update::<7, 6, 4, 5>(),
            _ => return Some(self.bases.choose()),
        }
        self.round += 1;
        self.start();
        None
    }
}

/// Both numbers after a round that begins with them and ends at `least`, and the coefficients of each, for tests:
/// with integers, and with floating-point numbers.
#[cfg(test)]
pub(crate) fn round_vartime([larger, smaller, least]: [i64; 3]) -> [[i64; 6]; 2] {
    let mut halving = Halving::new(&[0; 4]);
    (halving.larger, halving.smaller, halving.least) = (larger, smaller, least);
    (halving.larger_row, halving.smaller_row) = (1, 1 << 32);
    halving.steps_left = ROUND_STEPS;
    while halving.steps_left > 0 {
        halving.step_vartime();
    }
    let row = |row: i64| [narrow(row), (row - narrow(row)) >> 32];
    let ([p, q], [r, s]) = (row(halving.larger_row), row(halving.smaller_row));
    let integers = [halving.larger, halving.smaller, p, q, r, s];

    let mut bases = Bases::new(&[[0; 4]]);
    (bases.larger, bases.smaller, bases.least) =
        ([larger as f64], [smaller as f64], [least as f64]);
    (bases.larger_row, bases.smaller_row) = ([1.0], [PACKED]);
    bases.steps();
    let ((p, q), (r, s)) = (unpack(bases.larger_row[0]), unpack(bases.smaller_row[0]));
    let floats = [bases.larger[0], bases.smaller[0], p, q, r, s].map(|x| x as i64);
    [integers, floats]
}

impl<const L: usize> Bases<L> {
    /// (8ℓ, 0) and (h, 1).
    #[inline(always)]
    fn new(h: &[[u64; 4]; L]) -> Self {
        let mut bases = Bases {
            u: [[[0; L]; 9]; 2],
            c: [[[0; L]; 5]; 2],
            lost: [[false; L]; 2],
            larger: [0.0; L],
            smaller: [0.0; L],
            larger_row: [0.0; L],
            smaller_row: [0.0; L],
            least: [0.0; L],
        };
        for l in 0..L {
            let u = [MODULUS, limbs(&h[l])];
            put(&mut bases.u, l, &u);
            bases.start(l, &u);
        }
        bases
    }

    /// Leading bits of a row, for a round.
    #[inline(always)]
    fn start<const N: usize>(&mut self, l: usize, u: &[[i64; N]; 2]) {
        let signed = [leading(&u[0]), leading(&u[1])];
        // a lost vector is larger than any other, and nothing happens to the other one
        let a = if self.lost[0][l] { power_of_two(512) } else { signed[0].abs() };
        let b = signed[1].abs();
        let row_a = f64::from_bits(1.0_f64.to_bits() | (signed[0].to_bits() & SIGN));
        let row_b = f64::from_bits(PACKED.to_bits() | (signed[1].to_bits() & SIGN));
        let swap = a < b;
        let narrowest = if swap { b } else { a } * NARROWEST;
        let end = power_of_two(128) / power_of_two(LIMB * (N as u32 - 4));
        (self.larger[l], self.smaller[l]) = if swap { (b, a) } else { (a, b) };
        (self.larger_row[l], self.smaller_row[l]) =
            if swap { (row_b, row_a) } else { (row_a, row_b) };
        self.least[l] = if narrowest > end { narrowest } else { end };
    }

    /// A round's steps on leading bits.
    #[inline(always)]
    fn steps(&mut self) {
        for _ in 0..ROUND_STEPS / UNROLLED {
            for l in 0..L {
                self.row_steps::<UNROLLED>(l);
            }
        }
    }

    /// So many of them for one row.
    #[inline(always)]
    fn row_steps<const STEPS: usize>(&mut self, l: usize) {
        let (mut a, mut b) = (self.larger[l], self.smaller[l]);
        let (mut row_a, mut row_b) = (self.larger_row[l], self.smaller_row[l]);
        let least = self.least[l];
        let mut live = b >= least;
        for _ in 0..STEPS {
            // b with the exponent of a: 2^e·b; and 2^e·row_b, by adding e to its exponent
            let b_bits = b.to_bits();
            let shifted = (a.to_bits() & EXPONENT) | (b_bits & !EXPONENT);
            let shifted_row = row_b.to_bits().wrapping_sub(b_bits).wrapping_add(shifted);
            let rest = if live { a - f64::from_bits(shifted) } else { a };
            let row = if live { row_a - f64::from_bits(shifted_row) } else { row_a };
            let sign = rest.to_bits() & SIGN;
            let rest = rest.abs();
            let row = f64::from_bits(row.to_bits() ^ sign);
            live &= rest >= least;
            // numbers that are not negative compare like their bits
            let swap = rest.to_bits() < b_bits;
            (a, b) = if swap { (b, rest) } else { (rest, b) };
            (row_a, row_b) = if swap { (row_b, row) } else { (row, row_b) };
        }
        (self.larger[l], self.smaller[l]) = (a, b);
        (self.larger_row[l], self.smaller_row[l]) = (row_a, row_b);
    }

    /// The new vectors, and their leading bits: from `N` and `C` limbs of u and c to `N_OUT` and
    /// `C_OUT`. With no limb of c, the vectors are those of `new`.
    #[inline(always)]
    fn update<const N: usize, const N_OUT: usize, const C: usize, const C_OUT: usize>(&mut self) {
        for l in 0..L {
            let (p, q) = unpack(self.larger_row[l]);
            let (r, s) = unpack(self.smaller_row[l]);
            let [p, q, r, s] = [integer(p), integer(q), integer(r), integer(s)];
            let u: [[i64; N]; 2] = get(&self.u, l);
            let u: [[i64; N]; 2] = [combine(p, q, &u), combine(r, s, &u)];
            let mut short = [[0; N_OUT]; 2];
            for v in 0..2 {
                let (kept, lost) = shorten(&u[v]);
                short[v] = kept;
                self.lost[v][l] |= lost;
            }
            put(&mut self.u, l, &short);
            if C == 0 {
                (self.c[0][0][l], self.c[1][0][l]) = (q, s);
            } else {
                let c: [[i64; C]; 2] = get(&self.c, l);
                let c: [[i64; C_OUT]; 2] = [combine(p, q, &c), combine(r, s, &c)];
                put(&mut self.c, l, &c);
            }
            self.start(l, &short);
        }
    }

    /// Of the vectors that the last round leads to, the one to take.
    #[inline(always)]
    fn choose(&self) -> HalfSizePairs<L> {
        let mut halves = HalfSizePairs {
            u: [[0; L]; 3],
            u_negative: [false; L],
            c: [[0; L]; 3],
            ok: [false; L],
        };
        for l in 0..L {
            let u: [[i64; 6]; 2] = get(&self.u, l);
            let c: [[i64; 5]; 2] = get(&self.c, l);
            // vectors a and b, of which a has the larger u, as combinations of the two before
            let (p, q) = unpack(self.larger_row[l]);
            let (r, s) = unpack(self.smaller_row[l]);
            let b_odd = ((integer(r) & c[0][0]) ^ (integer(s) & c[1][0])) & 1 == 1;
            // b, which hardly ever is the longer one, if its c is odd. Else c of a is, and so is that
            // of every a − k·b. |u| falls and |c| grows with k; the shortest is where they meet.
            let lead_u = [leading(&u[0]), leading(&u[1])];
            let lead_c = [leading_c(&c[0]), leading_c(&c[1])];
            let (a_u, a_c) = (p * lead_u[0] + q * lead_u[1], p * lead_c[0] + q * lead_c[1]);
            let (b_u, b_c) = (r * lead_u[0] + s * lead_u[1], r * lead_c[0] + s * lead_c[1]);
            let same_sign = (b_u >= 0.0) == (b_c >= 0.0);
            let a_sum = if same_sign { a_u + a_c } else { a_u - a_c };
            let b_sum = if same_sign { b_u + b_c } else { b_u - b_c };
            let k = a_sum / b_sum + ROUNDER - ROUNDER;
            let (p, q) = (p - k * r, q - k * s);
            let usable = p.abs() < COEFFICIENT_END && q.abs() < COEFFICIENT_END;
            let take_a = !b_odd && usable && !self.lost[0][l];
            let (x, y) = if take_a { (p, q) } else { (r, s) };
            let (x, y) = (integer(x), integer(y));
            let (u, u_negative, u_fits) = magnitude::<6>(&combine(x, y, &u));
            let (c, c_negative, c_fits) = magnitude::<5>(&combine(x, y, &c));
            halves.u_negative[l] = u_negative != c_negative;
            halves.ok[l] = (take_a || b_odd) && u_fits && c_fits && !self.lost[1][l];
            if halves.ok[l] {
                for i in 0..3 {
                    (halves.u[i][l], halves.c[i][l]) = (u[i], c[i]);
                }
            }
        }
        halves
    }
}

/// The lowest `N` limbs of a row.
#[inline(always)]
fn get<const L: usize, const MAX: usize, const N: usize>(
    limbs: &[[[i64; L]; MAX]; 2],
    l: usize,
) -> [[i64; N]; 2] {
    const { assert!(N <= MAX) };
    let mut row = [[0; N]; 2];
    for v in 0..2 {
        for i in 0..N {
            row[v][i] = limbs[v][i][l];
        }
    }
    row
}

#[inline(always)]
fn put<const L: usize, const MAX: usize, const N: usize>(
    limbs: &mut [[[i64; L]; MAX]; 2],
    l: usize,
    row: &[[i64; N]; 2],
) {
    const { assert!(N <= MAX) };
    for v in 0..2 {
        for i in 0..N {
            limbs[v][i][l] = row[v][i];
        }
    }
}

/// The limbs of an integer below 2^256.
#[inline(always)]
const fn limbs(words: &[u64; 4]) -> [i64; 9] {
    let [w0, w1, w2, w3] = *words;
    let low = LOW as u64;
    [
        (w0 & low) as i64,
        (w0 >> 31 & low) as i64,
        ((w0 >> 62 | w1 << 2) & low) as i64,
        (w1 >> 29 & low) as i64,
        ((w1 >> 60 | w2 << 4) & low) as i64,
        (w2 >> 27 & low) as i64,
        ((w2 >> 58 | w3 << 6) & low) as i64,
        (w3 >> 25 & low) as i64,
        (w3 >> 56) as i64,
    ]
}

/// A value of 32 bits: tells the compiler that it is one, so that it multiplies such.
#[inline(always)]
fn narrow(x: i64) -> i64 {
    x as i32 as i64
}

/// `p·x + q·y`, in as many limbs or one more. The highest may have more bits than a limb.
#[inline(always)]
fn combine<const N: usize, const OUT: usize>(p: i64, q: i64, [x, y]: &[[i64; N]; 2]) -> [i64; OUT] {
    const { assert!(OUT == N || OUT == N + 1) };
    let mut sum = [0; OUT];
    let mut carry = 0;
    for i in 0..N {
        let column = carry + narrow(p) * narrow(x[i]) + narrow(q) * narrow(y[i]);
        sum[i] = if i + 1 < OUT { column & LOW } else { column };
        carry = column >> LIMB;
    }
    if N < OUT {
        sum[N] = carry;
    }
    sum
}

/// Without its highest limb, if `OUT` is one less, and whether that made a difference.
#[inline(always)]
fn shorten<const N: usize, const OUT: usize>(x: &[i64; N]) -> ([i64; OUT], bool) {
    const { assert!(OUT == N || OUT + 1 == N) };
    let mut kept = core::array::from_fn(|i| x[i]);
    if OUT == N {
        return (kept, false);
    }
    let top = x[N - 1];
    kept[OUT - 1] += top << LIMB;
    (kept, !(-1..1).contains(&top))
}

/// The leading bits, in units of the fourth limb from the top.
#[inline(always)]
fn leading<const N: usize>(x: &[i64; N]) -> f64 {
    let high = (x[N - 1] << LIMB) + x[N - 2];
    let low = (x[N - 3] << LIMB) + x[N - 4];
    high as f64 * power_of_two(2 * LIMB) + low as f64
}

/// The same in the unit that `leading` has for the six limbs of u in the last round.
#[inline(always)]
fn leading_c(c: &[i64; 5]) -> f64 {
    ((c[4] << LIMB) + c[3]) as f64 * power_of_two(LIMB) + c[2] as f64
}

/// The coefficients p and q.
#[inline(always)]
fn unpack(row: f64) -> (f64, f64) {
    let q = row * (1.0 / PACKED) + ROUNDER - ROUNDER;
    (row - q * PACKED, q)
}

/// An integer between −2^31 and 2^31.
#[inline(always)]
fn integer(x: f64) -> i64 {
    narrow((x + ROUNDER).to_bits() as i64)
}

/// Magnitude and sign, and whether the magnitude is below 2^`BOUND`: only then it is meant.
#[inline(always)]
fn magnitude<const N: usize>(x: &[i64; N]) -> ([u64; 3], bool, bool) {
    const { assert!(N == 5 || N == 6) };
    let sign = x[N - 1] >> 63;
    // the complement, and 1
    let limb = |i: usize, carry: i64| ((x[i] ^ sign) & LOW) + carry;
    let v0 = limb(0, -sign);
    let v1 = limb(1, v0 >> LIMB);
    let v2 = limb(2, v1 >> LIMB);
    let v3 = limb(3, v2 >> LIMB);
    let v4 = limb(4, v3 >> LIMB);
    let beyond = if N == 5 { (x[4] ^ sign) >> LIMB } else { x[5] ^ sign };
    let bits = |v: i64| (v & LOW) as u64;
    let words = [
        bits(v0) | bits(v1) << 31 | bits(v2) << 62,
        bits(v2) >> 2 | bits(v3) << 29 | bits(v4) << 60,
        bits(v4) >> 4,
    ];
    let fits = beyond == 0 && v4 >> (BOUND - 4 * LIMB) == 0;
    (words, sign != 0, fits)
}
