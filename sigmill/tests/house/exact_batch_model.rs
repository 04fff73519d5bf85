//! The algorithm of `docs/exact-batch.md` in a group small enough to try everything.
//!
//! The group is Z/Q × Z/8 for a small odd prime Q, with B = (1, 0): the curve's group with Q in place
//! of ℓ. Coefficients have K bits in place of 128. What is shown by trying every case, for Q = 11 and
//! some other primes, K up to 4 and batches of up to three rows:
//!
//! - a batch of valid rows is accepted whatever the coefficients are (theorem 1);
//! - a batch with an invalid row is accepted for a 2^-K share of the coefficients at most (theorem 2).
//!   Where 2^K > Q, which has no counterpart on the curve, several coefficients are equal mod Q, and
//!   condition 2 alone is bounded by ⌈2^K/Q⌉·2^-K instead (lemma 4);
//! - the slices that buckets and folding give are the sums that they should be, in every group;
//! - seven careless changes are each wrong, and how often.
//!
//! Every row is tried as a batch of one. What a row adds to the two conditions is seen there to depend
//! on t(Q) and π(D) only; batches of two and three then need one row of each such class.
//!
//! It proves nothing about the library's arithmetic: no code is shared with it.

use std::array::from_fn;
use std::ops::{Add, Neg};

/// What can be summed. Slices are sums in any such group.
trait Group: Copy + PartialEq + std::fmt::Debug + Add<Output = Self> + Neg<Output = Self> {
    const ZERO: Self;

    fn times(self, n: u32) -> Self {
        (0..u32::BITS - n.leading_zeros()).rev().fold(Self::ZERO, |acc, bit| {
            let twice = acc + acc;
            if n >> bit & 1 == 1 { twice + self } else { twice }
        })
    }
}

/// An element of Z/Q × Z/8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Element<const Q: u32> {
    prime: u32,
    torsion: u32,
}

impl<const Q: u32> Element<Q> {
    const BASE: Self = Element { prime: 1, torsion: 0 };
}

impl<const Q: u32> Add for Element<Q> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Element {
            prime: (self.prime + other.prime) % Q,
            torsion: (self.torsion + other.torsion) % 8,
        }
    }
}

impl<const Q: u32> Neg for Element<Q> {
    type Output = Self;

    fn neg(self) -> Self {
        Element { prime: (Q - self.prime) % Q, torsion: (8 - self.torsion) % 8 }
    }
}

impl<const Q: u32> Group for Element<Q> {
    const ZERO: Self = Element { prime: 0, torsion: 0 };

    fn times(self, n: u32) -> Self {
        Element { prime: self.prime * (n % Q) % Q, torsion: self.torsion * (n % 8) % 8 }
    }
}

/// A row of a batch. h is an integer from 0 to Q − 1, not a residue: h mod 8 means something.
#[derive(Clone, Copy, Debug)]
struct Row<const Q: u32> {
    a: Element<Q>,
    r: Element<Q>,
    s: u32,
    h: u32,
}

impl<const Q: u32> Row<Q> {
    /// A row with these torsion parts, this h, and π(D) = `residual`. The prime-order parts of A and
    /// R differ from row to row.
    fn with_residual(t_a: u32, t_r: u32, h: u32, residual: u32) -> Self {
        let (a, r) = ((3 * t_a + h + 1) % Q, (5 * t_r + 2 * h + 2) % Q);
        Row {
            a: Element { prime: a, torsion: t_a },
            r: Element { prime: r, torsion: t_r },
            s: (h * a + r + residual) % Q,
            h,
        }
    }

    /// A row of a class: t(Q) and π(D). Torsion in A, in R or in both comes from `variant`.
    fn of_class(class: Class, variant: u32) -> Self {
        let h = variant % Q;
        let t_a = (variant + class.torsion_of_q) % 8;
        let t_r = (class.torsion_of_q + 8 * 8 - h % 8 * t_a) % 8;
        let row = Row::with_residual(t_a, t_r, h, class.residual);
        assert_eq!((row.q().torsion, row.d().prime), (class.torsion_of_q, class.residual));
        row
    }

    /// D = sB − hA − R: what the exact equation asks to be zero.
    fn d(&self) -> Element<Q> {
        Element::BASE.times(self.s) + -self.a.times(self.h) + -self.r
    }

    /// Q = R + (h mod 8)A.
    fn q(&self) -> Element<Q> {
        self.r + self.a.times(self.h % 8)
    }

    fn is_valid(&self) -> bool {
        self.d() == Element::ZERO
    }
}

/// All that the two conditions see of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    torsion_of_q: u32,
    residual: u32,
}

fn classes<const Q: u32>() -> impl Iterator<Item = Class> {
    (0..8).flat_map(|torsion_of_q| (0..Q).map(move |residual| Class { torsion_of_q, residual }))
}

/// One class of each kind: multiplying every t(Q) by a unit of Z/8, or every π(D) by a unit of Z/Q,
/// changes no verdict, so one row of a batch may be taken from these.
const KINDS: [Class; 8] = {
    let mut kinds = [Class { torsion_of_q: 0, residual: 0 }; 8];
    let orders = [0, 1, 2, 4];
    let mut i = 0;
    while i < 8 {
        kinds[i] = Class { torsion_of_q: orders[i / 2], residual: i as u32 % 2 };
        i += 1;
    }
    kinds
};

/// S_j = Σ z_{i,j}·Q_i, as it is written.
fn slices<E: Group, const K: usize>(points: &[E], coefficients: &[u32]) -> [E; K] {
    from_fn(|j| {
        points
            .iter()
            .zip(coefficients)
            .filter(|(_, z)| **z >> j & 1 == 1)
            .fold(E::ZERO, |sum, (point, _)| sum + *point)
    })
}

/// The same from buckets: unsigned windows of `width` bits, the last one maybe shorter, and each
/// window's buckets folded bit by bit.
fn slices_by_buckets<E: Group, const K: usize>(
    points: &[E],
    coefficients: &[u32],
    width: usize,
) -> [E; K] {
    let mut slices = [E::ZERO; K];
    for low in (0..K).step_by(width) {
        let bits = width.min(K - low);
        let mut buckets = vec![E::ZERO; 1 << bits];
        for (point, z) in points.iter().zip(coefficients) {
            let digit = (z >> low) as usize & ((1 << bits) - 1);
            buckets[digit] = buckets[digit] + *point;
        }
        // the upper half has the top bit; added to the lower half, it keeps its other bits
        for bit in (0..bits).rev() {
            let (lower, upper) = buckets.split_at_mut(1 << bit);
            slices[low + bit] = upper.iter().fold(E::ZERO, |sum, bucket| sum + *bucket);
            for (lower, upper) in lower.iter_mut().zip(upper) {
                *lower = *lower + *upper;
            }
            buckets.truncate(1 << bit);
        }
    }
    slices
}

/// Σ 2^j·S_j.
fn weighted<E: Group>(slices: &[E]) -> E {
    slices.iter().rev().fold(E::ZERO, |sum, slice| sum + sum + *slice)
}

/// Σ z_i·s_i·B − Σ e_i·A_i − `rest`, with e_i = z_i·(h_i − h_i mod 8) reduced mod Q.
fn bracket<const Q: u32>(rows: &[Row<Q>], z: &[u32], rest: Element<Q>) -> Element<Q> {
    let mut base = 0;
    let mut sum = -rest;
    for (row, z) in rows.iter().zip(z) {
        base = (base + z * row.s) % Q;
        sum = sum + -row.a.times(z * (row.h - row.h % 8) % Q);
    }
    sum + Element::BASE.times(base)
}

/// Which conditions a batch meets for one choice of coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Conditions {
    torsion: bool,
    combination: bool,
}

impl Conditions {
    fn accept(self) -> bool {
        self.torsion && self.combination
    }
}

/// The algorithm: conditions 1 and 2.
fn conditions<const Q: u32, const K: usize>(rows: &[Row<Q>], z: &[u32]) -> Conditions {
    let mut q = [Element::ZERO; 32];
    for (q, row) in q.iter_mut().zip(rows) {
        *q = row.q();
    }
    let slices = slices::<_, K>(&q[..rows.len()], z);
    Conditions {
        torsion: slices.iter().all(|slice| slice.torsion == 0),
        combination: bracket(rows, z, weighted(&slices)).times(8) == Element::ZERO,
    }
}

/// Every choice of N coefficients of K bits.
fn every_choice<const K: usize, const N: usize>() -> impl Iterator<Item = [u32; N]> {
    (0..1_u32 << (K * N)).map(|all| from_fn(|i| all >> (K * i) & ((1 << K) - 1)))
}

/// For how many choices of coefficients a batch meets the conditions; asserts theorems 1 and 2.
fn check_batch<const Q: u32, const K: usize, const N: usize>(rows: &[Row<Q>; N]) -> u32 {
    let (mut torsion, mut combination, mut both) = (0, 0, 0);
    for z in every_choice::<K, N>() {
        let met = conditions::<Q, K>(rows, &z);
        torsion += u32::from(met.torsion);
        combination += u32::from(met.combination);
        both += u32::from(met.accept());
    }
    let choices = 1_u32 << (K * N);
    let of_the_others = choices >> K;
    let bad_torsion = rows.iter().any(|row| row.d().torsion != 0);
    let bad_residual = rows.iter().any(|row| row.d().prime != 0);
    if !bad_torsion {
        assert_eq!(torsion, choices, "theorem 1, condition 1: {rows:?}");
    }
    if !bad_residual {
        assert_eq!(combination, choices, "theorem 1, condition 2: {rows:?}");
    }
    if bad_torsion {
        assert!(torsion <= of_the_others, "lemma 2: {rows:?}");
        assert!(both <= of_the_others, "theorem 2: {rows:?}");
    }
    if bad_residual {
        let equal_mod_q = (1_u32 << K).div_ceil(Q);
        assert!(combination <= of_the_others * equal_mod_q, "lemma 4: {rows:?}");
        assert!(both <= of_the_others * equal_mod_q, "theorem 2: {rows:?}");
    }
    if !bad_torsion && !bad_residual {
        assert_eq!(both, choices, "theorem 1: {rows:?}");
    }
    both
}

fn every_row<const Q: u32>() -> impl Iterator<Item = Row<Q>> {
    let elements = || (0..8 * Q).map(|i| Element { prime: i / 8, torsion: i % 8 });
    elements().flat_map(move |a| {
        elements().flat_map(move |r| (0..Q * Q).map(move |i| Row { a, r, s: i / Q, h: i % Q }))
    })
}

/// What is said of batches of one, and that a row adds t(Q) and π(D) to the conditions, nothing else.
fn check_single_row<const Q: u32, const K: usize>(row: &Row<Q>) {
    check_batch::<Q, K, 1>(&[*row]);
    let (t, residual) = (row.q().torsion, row.d().prime);
    for z in 0..1 << K {
        let slices = slices::<_, K>(&[row.q()], &[z]);
        for (j, slice) in slices.iter().enumerate() {
            assert_eq!(slice.torsion, (z >> j & 1) * t, "slice {j} of {row:?}");
        }
        let left_side = bracket(&[*row], &[z], weighted(&slices)).times(8);
        let expected = Element { prime: 8 * z * residual % Q, torsion: 0 };
        assert_eq!(left_side, expected, "lemma 3: {row:?}");
    }
}

#[test]
fn every_row_alone_is_judged_right() {
    let mut residues = [false; 8];
    for row in every_row::<11>() {
        residues[row.h as usize % 8] = true;
        assert_eq!((row.d().torsion + row.q().torsion) % 8, 0, "lemma 1: {row:?}");
        check_single_row::<11, 1>(&row);
        check_single_row::<11, 3>(&row);
    }
    assert_eq!(residues, [true; 8]);
    for row in every_row::<3>() {
        check_single_row::<3, 1>(&row);
        check_single_row::<3, 2>(&row);
        check_single_row::<3, 4>(&row);
    }
    for row in every_row::<5>() {
        check_single_row::<5, 2>(&row);
    }
}

#[test]
fn every_class_alone_is_judged_right_for_larger_groups() {
    for class in classes::<29>() {
        for variant in 0..29 {
            check_single_row::<29, 4>(&Row::of_class(class, variant));
        }
    }
}

/// Pairs of classes; the most choices for which one with an invalid row is accepted.
fn check_pairs<const Q: u32, const K: usize>(first: impl Iterator<Item = Class>) -> u32 {
    let mut most = 0;
    for (i, first) in first.enumerate() {
        for (j, second) in classes::<Q>().enumerate() {
            let rows = [Row::<Q>::of_class(first, i as u32), Row::of_class(second, 7 * j as u32)];
            let accepted = check_batch::<Q, K, 2>(&rows);
            if !rows.iter().all(Row::is_valid) {
                most = most.max(accepted);
            }
        }
    }
    most
}

#[test]
fn every_pair_is_judged_right() {
    assert_eq!(check_pairs::<11, 1>(classes::<11>()), 1 << 1);
    assert_eq!(check_pairs::<11, 2>(classes::<11>()), 1 << 2);
    // one bad row attains the bound: its coefficient must be 0, the other is free
    assert_eq!(check_pairs::<11, 3>(classes::<11>()), 1 << 3);
    assert_eq!(check_pairs::<29, 4>(KINDS.into_iter()), 1 << 4);
    // 0, 3, and so on are one coefficient mod 3: six of 16 instead of one
    assert_eq!(check_pairs::<3, 4>(classes::<3>()), 6 << 4);
    assert_eq!(check_pairs::<5, 3>(classes::<5>()), 2 << 3);
}

/// Every triple of classes, the first one up to automorphisms.
fn check_triples<const Q: u32, const K: usize>() -> u32 {
    let mut most = 0;
    for (h, kind) in KINDS.into_iter().enumerate() {
        for (i, second) in classes::<Q>().enumerate() {
            for (j, third) in classes::<Q>().enumerate() {
                let rows = [
                    Row::<Q>::of_class(kind, (i + j + h) as u32),
                    Row::of_class(second, 3 * i as u32),
                    Row::of_class(third, 7 * j as u32),
                ];
                let accepted = check_batch::<Q, K, 3>(&rows);
                if !rows.iter().all(Row::is_valid) {
                    most = most.max(accepted);
                }
            }
        }
    }
    most
}

#[test]
fn every_triple_is_judged_right() {
    assert_eq!(check_triples::<11, 1>(), 1 << 2);
    assert_eq!(check_triples::<11, 2>(), 1 << 4);
    assert_eq!(check_triples::<11, 3>(), 1 << 6);
    assert_eq!(check_triples::<5, 2>(), 1 << 4);
}

#[test]
fn testing_each_q_leaves_no_error_in_torsion() {
    // condition 1 for few rows: each Q itself instead of slices
    for (i, first) in classes::<11>().enumerate() {
        for second in classes::<11>() {
            let rows = [Row::<11>::of_class(first, i as u32), Row::of_class(second, 5)];
            let torsion = rows.iter().all(|row| row.q().torsion == 0);
            let accepted = every_choice::<3, 2>()
                .filter(|z| torsion && conditions::<11, 3>(&rows, z).combination)
                .count();
            if rows.iter().all(Row::is_valid) {
                assert_eq!(accepted, 64);
            } else if rows.iter().any(|row| row.d().torsion != 0) {
                assert_eq!(accepted, 0);
            } else {
                assert!(accepted <= 8);
            }
        }
    }
}

/// A sum of unknowns: what is equal here is equal in every commutative group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Formal([i32; 3]);

impl Add for Formal {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Formal(from_fn(|i| self.0[i] + other.0[i]))
    }
}

impl Neg for Formal {
    type Output = Self;

    fn neg(self) -> Self {
        Formal(self.0.map(|x| -x))
    }
}

impl Group for Formal {
    const ZERO: Self = Formal([0; 3]);
}

const UNKNOWNS: [Formal; 3] = [Formal([1, 0, 0]), Formal([0, 1, 0]), Formal([0, 0, 1])];

fn check_slices<const K: usize, const N: usize>() {
    for z in every_choice::<K, N>() {
        let expected = slices::<_, K>(&UNKNOWNS[..N], &z);
        for width in 1..=K {
            let got = slices_by_buckets::<_, K>(&UNKNOWNS[..N], &z, width);
            assert_eq!(got, expected, "width {width}, coefficients {z:?}");
        }
        let sum: Formal =
            UNKNOWNS.iter().zip(z).fold(Formal::ZERO, |sum, (point, z)| sum + point.times(z));
        assert_eq!(weighted(&expected), sum, "coefficients {z:?}");
    }
}

#[test]
fn buckets_and_folding_give_the_slices() {
    check_slices::<4, 3>();
    check_slices::<5, 2>();
    check_slices::<7, 2>();
    check_slices::<10, 1>();
}

#[test]
fn careless_1_coefficients_by_content() {
    // equal rows have equal coefficients: torsion of two rows of order 2, or of eight of order 8, and
    // a residual that comes Q times, cancel for every choice
    let (half, eighth, residual) =
        ([(4, 0); 2].as_slice(), [(1, 0); 8].as_slice(), [(0, 1); 11].as_slice());
    for rows in [half, eighth, residual] {
        let rows: Vec<Row<11>> = rows
            .iter()
            .map(|&(torsion_of_q, residual)| Row::of_class(Class { torsion_of_q, residual }, 10))
            .collect();
        assert!(rows.iter().all(|row| !row.is_valid()));
        for z in 0..8 {
            assert!(conditions::<11, 3>(&rows, &vec![z; rows.len()]).accept());
        }
    }
    // coefficients by position: the same two rows pass for one choice in eight
    let rows = [Row::<11>::of_class(Class { torsion_of_q: 4, residual: 0 }, 10); 2];
    assert_eq!(check_batch::<11, 3, 2>(&rows), 8);
}

#[test]
fn careless_2_outer_8_dropped() {
    // A and R with torsion, each valid: e·A with e reduced mod Q is not e·A
    let mut rejected = 0;
    for t_a in 0..8 {
        for h in 8..11 {
            let t_r = (8 * h - h * t_a) % 8;
            let row = Row::<11>::with_residual(t_a, t_r, h, 0);
            assert!(row.is_valid());
            for z in 0..16 {
                let slices = slices::<_, 4>(&[row.q()], &[z]);
                assert!(slices.iter().all(|slice| slice.torsion == 0));
                let without_8 = bracket(&[row], &[z], weighted(&slices));
                assert_eq!(without_8.times(8), Element::ZERO);
                rejected += u32::from(without_8 != Element::ZERO);
                // what is left over is the multiple of Q·A that the reduction took away
                let taken = z * (h - h % 8) / 11 * 11;
                assert_eq!(without_8, row.a.times(taken), "{row:?}, {z}");
            }
        }
    }
    // 8 torsion parts, 3 values of h, 16 coefficients: most of the 384 are refused though valid
    assert_eq!(rejected, 228);
}

#[test]
fn careless_3_slices_over_r() {
    let torsion_of_r = |row: &Row<11>, z: u32| {
        slices::<_, 3>(&[row.r], &[z]).iter().any(|slice| slice.torsion != 0)
    };
    // valid, with torsion in A and R: refused for all z but 0
    let valid = Row::with_residual(1, 5, 3, 0);
    assert!(valid.is_valid());
    assert_eq!((0..8).filter(|z| torsion_of_r(&valid, *z)).count(), 7);
    // invalid, with torsion in A only: accepted for all z
    let invalid = Row::with_residual(1, 0, 3, 0);
    assert!(!invalid.is_valid());
    assert!((0..8).all(|z| !torsion_of_r(&invalid, z)));
    for z in 0..8 {
        let slices = slices::<_, 3>(&[invalid.q()], &[z]);
        assert_eq!(bracket(&[invalid], &[z], weighted(&slices)).times(8), Element::ZERO);
    }
}

#[test]
fn careless_4_one_combination_and_one_torsion_test() {
    // Σ z_i·Q_i against torsion of order 2 is one bit, however long the coefficients are
    let accepted = |torsions: &[u32]| {
        let rows: Vec<Row<11>> = torsions
            .iter()
            .map(|t| Row::of_class(Class { torsion_of_q: *t, residual: 0 }, 9))
            .collect();
        let q: Vec<_> = rows.iter().map(Row::q).collect();
        every_choice::<4, 3>()
            .filter(|z| {
                let sum = weighted(&slices::<_, 4>(&q, z));
                sum.torsion == 0 && bracket(&rows, z, sum).times(8) == Element::ZERO
            })
            .count()
    };
    // half, a quarter and an eighth of 4096, where 1/16 was meant
    assert_eq!(accepted(&[4]), 2048);
    assert_eq!(accepted(&[4, 4, 4]), 2048);
    assert_eq!(accepted(&[2]), 1024);
    assert_eq!(accepted(&[1]), 512);
}

/// Digits from −2^(width−1) + 1 to 2^(width−1), lowest first, and the carry as a last one.
fn signed_digits(z: u32, bits: usize, width: usize) -> Vec<i32> {
    let mut carry = 0;
    let mut digits: Vec<i32> = (0..bits)
        .step_by(width)
        .map(|low| {
            let digit = (z >> low) as i32 % (1 << width) + carry;
            carry = i32::from(digit > 1 << (width - 1));
            digit - (carry << width)
        })
        .collect();
    digits.push(carry);
    digits
}

/// Slices over the bits of the digits' magnitudes, −Q where the digit is negative.
fn signed_slices<E: Group>(points: &[E], z: &[u32], bits: usize, width: usize) -> Vec<E> {
    let digits: Vec<_> = z.iter().map(|z| signed_digits(*z, bits, width)).collect();
    (0..=bits.div_ceil(width))
        .flat_map(|window| (0..width).map(move |bit| (window, bit)))
        .map(|(window, bit)| {
            points.iter().zip(&digits).fold(E::ZERO, |sum, (point, digits)| {
                let digit = digits[window];
                match digit.unsigned_abs() >> bit & 1 {
                    0 => sum,
                    _ if digit < 0 => sum + -*point,
                    _ => sum + *point,
                }
            })
        })
        .collect()
}

/// Two rows with torsion of order 2, coefficients of `bits` bits: the most values of one coefficient
/// that pass for a fixed other, and all pairs that pass.
fn signed_passes(bits: usize, width: usize) -> (usize, usize) {
    let rows = [Row::<11>::of_class(Class { torsion_of_q: 4, residual: 0 }, 9); 2];
    let q = rows.map(|row| row.q());
    let (mut most, mut all) = (0, 0);
    for second in 0..1 << bits {
        let passes = (0..1 << bits)
            .filter(|first| {
                let z = [*first, second];
                let slices = signed_slices(&q, &z, bits, width);
                let torsion = slices.iter().all(|slice| slice.torsion == 0);
                torsion && bracket(&rows, &z, weighted(&slices)).times(8) == Element::ZERO
            })
            .count();
        most = most.max(passes);
        all += passes;
    }
    (most, all)
}

#[test]
fn careless_5_signed_digits() {
    // the digits are right, and so is their sum: only torsion of order 2 does not see the sign
    for width in 2..=4 {
        for z in every_choice::<4, 3>() {
            let sum = weighted(&signed_slices(&UNKNOWNS, &z, 4, width));
            let by_value = Formal(z.map(|z| z as i32));
            assert_eq!(sum, by_value, "width {width}, coefficients {z:?}");
        }
    }
    // of W windows all but the top one lose a bit: 2^(W−1) values pass where one should
    assert_eq!(signed_passes(4, 2), (2, 22));
    assert_eq!(signed_passes(6, 2), (4, 130));
    assert_eq!(signed_passes(6, 3), (2, 106));
    // over all pairs 778 of 65536, where at most 256 should
    assert_eq!(signed_passes(8, 2), (8, 778));
    assert_eq!(signed_passes(8, 4), (2, 466));
}

/// A fixed pseudorandom sequence (SplitMix64), in place of a hash of what a chunk holds.
fn hash(x: u64) -> u32 {
    let mut x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ x >> 31) as u32
}

/// Which of the vectors add up to `target` mod 2, if any do: bit i of the result for vector i.
fn subset_with_sum(vectors: &[u32], target: u32) -> Option<u32> {
    // vectors with different top bits, and what each is a sum of
    let mut basis: Vec<(u32, u32)> = Vec::new();
    let reduce = |basis: &[(u32, u32)], mut vector: u32, mut members: u32| {
        for (other, of) in basis {
            if vector ^ other < vector {
                (vector, members) = (vector ^ other, members ^ of);
            }
        }
        (vector, members)
    };
    for (i, vector) in vectors.iter().enumerate() {
        let reduced = reduce(&basis, *vector, 1 << i);
        if reduced.0 != 0 {
            basis.push(reduced);
            basis.sort_unstable_by(|a, b| b.cmp(a));
        }
    }
    let (rest, members) = reduce(&basis, target, 0);
    (rest == 0).then_some(members)
}

#[test]
fn careless_6_coefficients_by_chunk_and_merged_slices() {
    // Each chunk's coefficients come from its own rows only, and the slices of all chunks are added
    // before they are tested. Of each chunk there are two versions, each with one bad row: 60 tries
    // against coefficients of 24 bits, so a wrong batch should pass with probability 60·2^-24 at most.
    const CHUNKS: usize = 30;
    const BITS: usize = 24;
    let bad = Row::<11>::of_class(Class { torsion_of_q: 4, residual: 0 }, 9);
    let mut broken = 0;
    for attempt in 0..64_u64 {
        let coefficient = |chunk: usize, version: u32| {
            hash(attempt << 32 | (chunk as u64) << 8 | u64::from(version)) >> (32 - BITS)
        };
        let differences: [u32; CHUNKS] = from_fn(|i| coefficient(i, 0) ^ coefficient(i, 1));
        let sum = (0..CHUNKS).fold(0, |sum, i| sum ^ coefficient(i, 0));
        if let Some(versions) = subset_with_sum(&differences, sum) {
            let z: [u32; CHUNKS] = from_fn(|i| coefficient(i, versions >> i & 1));
            broken += u32::from(conditions::<11, BITS>(&[bad; CHUNKS], &z).accept());
        }
    }
    assert!(broken > 57, "{broken} of 64");
}

/// A batch with exact and cofactored rows: slices over the exact ones, everything else shared.
fn accept_mixed<const K: usize>(
    exact: &[Row<11>],
    cofactored: &[Row<11>],
    z: &[u32],
    sliced_together: bool,
) -> bool {
    let (z_exact, z_cofactored) = z.split_at(exact.len());
    let mut q: Vec<_> = exact.iter().map(Row::q).collect();
    if sliced_together {
        q.extend(cofactored.iter().map(Row::q));
    }
    let slices = slices::<_, K>(&q, z);
    let mut sum = bracket(exact, z_exact, weighted(&self::slices::<_, K>(&q[..exact.len()], z)));
    for (row, z) in cofactored.iter().zip(z_cofactored) {
        sum = sum + Element::BASE.times(z * row.s);
        sum = sum + -row.a.times(z * row.h % 11) + -row.r.times(*z);
    }
    slices.iter().all(|slice| slice.torsion == 0) && sum.times(8) == Element::ZERO
}

#[test]
fn careless_7_cofactored_rows_in_the_slices() {
    let mut refused = 0;
    for (i, first) in classes::<11>().enumerate() {
        for (j, second) in classes::<11>().enumerate() {
            let exact = [Row::<11>::of_class(first, i as u32)];
            let cofactored = [Row::<11>::of_class(second, 3 * j as u32)];
            let valid = exact[0].is_valid() && cofactored[0].d().times(8) == Element::ZERO;
            let accepted = |together| {
                every_choice::<3, 2>()
                    .filter(|z| accept_mixed::<3>(&exact, &cofactored, z, together))
                    .count()
            };
            if valid {
                assert_eq!(accepted(false), 64);
                refused += u32::from(accepted(true) < 64);
            } else {
                assert!(accepted(false) <= 8, "{exact:?} {cofactored:?}");
            }
        }
    }
    // in one sum, every valid cofactored row with torsion fails
    assert_eq!(refused, 7);
}
