//! Division modulo an odd number in a fixed number of steps (Bernstein, Yang, "Fast constant-time gcd
//! computation and modular inversion", CHES 2019, section 8).
//!
//! A division step maps (δ, f, g) with odd f to (1 − δ, g, (g − f)/2) if δ > 0 and g is odd, else to
//! (1 + δ, f, (g + (g mod 2)·f)/2). For 0 ≤ g ≤ f ≤ 2^b, ⌊(45907·b + 26313)/19929⌋ steps from δ = 1/2 end
//! with g = 0 and f = ±gcd (Wuille, "Bounds on divsteps iterations in safegcd", 2021;
//! `docs/division-steps.md` has the proof). Here f is m and g is x. In constant time `delta` is δ − 1/2.
//!
//! A batch of w steps depends on the low words only. They are taken there and give a matrix with
//! 2^w·(f′, g′) = T·(f, g), |entries| ≤ 2^w, which is then applied to the whole numbers. Beside f and
//! g go d and e with f ≡ d·x·c and g ≡ e·x·c (mod m), c the inverse of what is wanted on top: they get
//! T as well, and a multiple of m, so that 2^w divides them.
//!
//! Whole numbers are in limbs of w bits, the lowest first; the highest one has the sign. w is 60 where a product of words
//! has 128 bits, and 30 where it has 64.
//!
//! Constant time but for functions whose name ends in `_vartime`.

#[cfg(sigmill_aarch64)]
use self::aarch64::twenty_steps as part_by_target;
#[cfg(any(sigmill_words = "u32x10", not(any(target_arch = "x86_64", sigmill_aarch64))))]
use self::part_of_any_target as part_by_target;
use super::integer::inverse_mod_word;
#[cfg(all(target_arch = "x86_64", not(sigmill_words = "u32x10")))]
use super::x86_64::twenty_steps as part_by_target;
use core::num::Wrapping;

/// Bits of a limb, steps of a batch, and steps on words that hold their row of the matrix as well.
#[cfg(not(sigmill_words = "u32x10"))]
const BITS: u32 = 60;
#[cfg(not(sigmill_words = "u32x10"))]
const PART: u32 = 20;
/// A product of a limb and a matrix's entry.
#[cfg(not(sigmill_words = "u32x10"))]
type Wide = i128;
#[cfg(sigmill_words = "u32x10")]
const BITS: u32 = 30;
#[cfg(sigmill_words = "u32x10")]
const PART: u32 = 15;
#[cfg(sigmill_words = "u32x10")]
type Wide = i64;

/// Limbs of the largest number: nine words and a sign.
const LIMBS: usize = last(9) + 1;
const LOW: u64 = (1 << BITS) - 1;
/// Bits over which a word has the first entry of the matrix, and the second one.
const FIRST: u32 = PART + 1;
const SECOND: u32 = 2 * FIRST;

type Limbs = [i64; LIMBS];

#[cfg(sigmill_aarch64)]
mod aarch64;
#[cfg(test)]
mod tests;

/// Steps that are enough for 0 ≤ g ≤ f ≤ 2^bits.
const fn enough_steps(bits: usize) -> usize {
    (45907 * bits + 26313) / 19929
}

/// Batches that are enough.
const fn batches(bits: usize) -> usize {
    enough_steps(bits).div_ceil(BITS as usize)
}

/// The index of the highest limb of N words and a sign.
const fn last(n: usize) -> usize {
    64 * n / BITS as usize
}

/// Words in limbs.
#[inline(always)]
fn limbs_of<const N: usize>(words: &[u64; N]) -> Limbs {
    let mut limbs = [0; LIMBS];
    for (i, limb) in limbs.iter_mut().enumerate().take(last(N) + 1) {
        let (word, shift) = (i * BITS as usize / 64, i * BITS as usize % 64);
        let mut bits = if word < N { words[word] >> shift } else { 0 };
        if shift > 64 - BITS as usize && word + 1 < N {
            bits |= words[word + 1] << (64 - shift);
        }
        *limb = (bits & LOW) as i64;
    }
    limbs
}

/// The words of limbs that hold a number from 0 to 2^(64·N) − 1, each from 0 to 2^w − 1.
#[inline(always)]
fn words_of<const N: usize>(limbs: &Limbs) -> [u64; N] {
    let mut words = [0; N];
    for (i, limb) in limbs.iter().enumerate().take(last(N) + 1) {
        let (word, shift) = (i * BITS as usize / 64, i * BITS as usize % 64);
        if word < N {
            words[word] |= (*limb as u64) << shift;
        }
        if shift > 64 - BITS as usize && word + 1 < N {
            words[word + 1] |= *limb as u64 >> (64 - shift);
        }
    }
    words
}

/// A batch of steps on the low words: δ and the matrix [u v; q r].
#[inline(always)]
fn steps(mut delta: i64, f: u64, g: u64) -> (i64, [i64; 4]) {
    let (mut f, mut g) = (f as i64, g as i64);
    let mut matrix = [1, 0, 0, 1];
    for _ in 0..BITS / PART {
        let part;
        (delta, part) = part_of_steps(delta, f, g);
        let [u, v, q, r] = part;
        let rows = |a: i64, b: i64| {
            [[u, v], [q, r]].map(|[x, y]| x.wrapping_mul(a).wrapping_add(y.wrapping_mul(b)))
        };
        // the low bits that the next parts look at
        [f, g] = rows(f, g).map(|sum| sum >> PART);
        let ([a, c], [b, d]) = (rows(matrix[0], matrix[2]), rows(matrix[1], matrix[3]));
        matrix = [a, b, c, d];
    }
    (delta, matrix)
}

/// `PART` steps. A word holds the low bits of f or g and, over 2^PART and negated, the matrix's entries in its
/// row, so that all three are halved and added at once: after 20 of 20 steps the word is
/// f − 2^21·u − 2^42·v. Negated, since an entry may be 2^20 but is never −2^20.
#[inline(always)]
fn part_of_steps(mut delta: i64, f: i64, g: i64) -> (i64, [i64; 4]) {
    const LOW: i64 = (1 << PART) - 1;
    let mut f = (f & LOW).wrapping_sub(1 << (FIRST + PART));
    let mut g = (g & LOW).wrapping_sub(1 << (SECOND + PART));
    (delta, f, g) = part_by_target(delta, f, g);
    let entries = |word: i64| {
        let both = word.wrapping_add(1 << PART) >> FIRST;
        let first = both << (64 - FIRST) >> (64 - FIRST);
        let second = both.wrapping_add(1 << PART) >> FIRST;
        [first.wrapping_neg(), second.wrapping_neg()]
    };
    let ([u, v], [q, r]) = (entries(f), entries(g));
    (delta, [u, v, q, r])
}

/// δ − 1/2, f and g after `PART` steps, for words that hold what [`part_of_steps`] says.
#[allow(dead_code)] // where there is assembly, tests alone call it
#[inline(always)]
fn part_of_any_target(mut delta: i64, mut f: i64, mut g: i64) -> (i64, i64, i64) {
    for _ in 0..PART {
        let positive = !(delta >> 63);
        let odd = (g & 1).wrapping_neg();
        let swap = odd & positive;
        // g + f, or g − f where δ > 0
        let signed = (f ^ positive).wrapping_sub(positive);
        let sum = g.wrapping_add(signed & odd);
        f ^= (f ^ g) & swap;
        g = sum >> 1;
        delta = (delta ^ swap).wrapping_add(1); // 1/2 − δ is −(δ − 1/2)
    }
    (delta, f, g)
}

/// The same, several at once where g is even or gets even: after a swap δ ≤ 0, so that 1 − δ steps add
/// multiples of f and do not swap; one multiple makes up to six bits zero. Time depends on the words.
fn steps_vartime(mut delta: i64, mut f: u64, mut g: u64) -> (i64, [i64; 4]) {
    let (mut u, mut v, mut q, mut r) = (1_i64, 0_i64, 0_i64, 1_i64);
    let mut left = BITS;
    loop {
        let zeros = (g | 1 << left).trailing_zeros();
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        delta += i64::from(zeros);
        left -= zeros;
        if left == 0 {
            return (delta, [u, v, q, r]);
        }
        if delta > 0 {
            delta = -delta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, -u);
            (v, r) = (r, -v);
        }
        let bits = (1 - delta).min(i64::from(left)).min(6);
        // −1/f mod 64 is f·(f² − 2)
        let minus_inverse = f.wrapping_mul(f.wrapping_mul(f).wrapping_sub(2));
        let times = g.wrapping_mul(minus_inverse) & ((1 << bits) - 1);
        g = g.wrapping_add(f.wrapping_mul(times));
        q += u * times as i64;
        r += v * times as i64;
    }
}

/// a·b, which only adds to others: nothing looks whether they fit.
#[inline(always)]
#[allow(clippy::useless_conversion)] // where words are as wide
fn product(a: i64, b: i64) -> Wrapping<Wide> {
    Wrapping(Wide::from(a)) * Wrapping(Wide::from(b))
}

/// `factor/x mod m` for x and factor below m, and 0 for x = 0; m is odd. Constant time unless `VARTIME`.
pub(super) fn quotient<const VARTIME: bool, const N: usize>(
    factor: &[u64; N],
    x: &[u64; N],
    m: &[u64; N],
) -> [u64; N] {
    const { assert!(last(N) < LIMBS) };
    let modulus = limbs_of(m);
    let modulus_inverse = inverse_mod_word(m[0]);
    let (mut f, mut g) = (modulus, limbs_of(x));
    let (mut d, mut e) = ([0; LIMBS], limbs_of(factor));
    // in variable time δ itself, from 1: the most steps are more, the mean is less
    let mut delta = if VARTIME { 1 } else { 0 };
    for batch in 0.. {
        // once g is 0 further steps leave d as it is
        let enough = if VARTIME { g == [0; LIMBS] } else { batch == const { batches(64 * N) } };
        if enough {
            break;
        }
        // the low 64 bits; g's upper bits of the lowest limb are those of the next one
        let low = |a: &Limbs| a[0] as u64 | (a[1] as u64) << BITS;
        let matrix;
        if VARTIME {
            (delta, matrix) = steps_vartime(delta, low(&f), low(&g));
        } else {
            (delta, matrix) = steps(delta, low(&f), low(&g));
        }
        apply(&mut f, &mut g, &matrix, last(N));
        apply_modulo(&mut d, &mut e, &matrix, &modulus, modulus_inverse, last(N));
    }
    // f = ±1 (or m for x = 0, with d = 0)
    let negative = f[last(N)] >> 63;
    normalised(&mut d, negative, &modulus, last(N));
    words_of(&d)
}

/// `1/a mod m` for a below m, and 0 for 0; m is odd, its inverse exists.
#[allow(dead_code)] // only the backend `u64x4` asks
pub(crate) fn inverse<const N: usize>(a: &[u64; N], m: &[u64; N]) -> [u64; N] {
    let mut one = [0; N];
    one[0] = 1;
    quotient::<false, N>(&one, a, m)
}

/// (f, g) ← T·(f, g)/2^w; both are exact.
#[inline(always)]
fn apply(f: &mut Limbs, g: &mut Limbs, [u, v, q, r]: &[i64; 4], top: usize) {
    let (mut sum_f, mut sum_g) = (Wrapping(0), Wrapping(0));
    for i in 0..=top {
        sum_f += product(*u, f[i]) + product(*v, g[i]);
        sum_g += product(*q, f[i]) + product(*r, g[i]);
        if i > 0 {
            f[i - 1] = (sum_f.0 as u64 & LOW) as i64;
            g[i - 1] = (sum_g.0 as u64 & LOW) as i64;
        }
        sum_f >>= BITS as usize;
        sum_g >>= BITS as usize;
    }
    (f[top], g[top]) = (sum_f.0 as i64, sum_g.0 as i64);
}

/// (d, e) ← (T·(d, e) + multiples of m)/2^w, for d and e from −2m + 1 to m − 1, where they stay: where
/// one is negative m is added first, which brings both between −m and m, and |T|'s rows add up to at
/// most 2^w; the multiple that makes the low w bits zero is taken from −2^w + 1 to 0.
#[inline(always)]
fn apply_modulo(
    d: &mut Limbs,
    e: &mut Limbs,
    [u, v, q, r]: &[i64; 4],
    modulus: &Limbs,
    modulus_inverse: u64,
    top: usize,
) {
    let (minus_d, minus_e) = (d[top] >> 63, e[top] >> 63);
    let mut sum_d = product(*u, d[0]) + product(*v, e[0]);
    let mut sum_e = product(*q, d[0]) + product(*r, e[0]);
    let times = |sum: Wrapping<Wide>, add: i64| {
        // sum + times·m ≡ 0 (mod 2^w)
        let wanted = modulus_inverse.wrapping_mul(sum.0 as u64).wrapping_add(add as u64) & LOW;
        add.wrapping_sub(wanted as i64)
    };
    let times_d = times(sum_d, (u & minus_d).wrapping_add(v & minus_e));
    let times_e = times(sum_e, (q & minus_d).wrapping_add(r & minus_e));
    sum_d += product(modulus[0], times_d);
    sum_e += product(modulus[0], times_e);
    for i in 1..=top {
        sum_d = (sum_d >> BITS as usize) + product(*u, d[i]) + product(*v, e[i]);
        sum_e = (sum_e >> BITS as usize) + product(*q, d[i]) + product(*r, e[i]);
        sum_d += product(modulus[i], times_d);
        sum_e += product(modulus[i], times_e);
        d[i - 1] = (sum_d.0 as u64 & LOW) as i64;
        e[i - 1] = (sum_e.0 as u64 & LOW) as i64;
    }
    (d[top], e[top]) = ((sum_d >> BITS as usize).0 as i64, (sum_e >> BITS as usize).0 as i64);
}

/// ±d mod m from 0 to m − 1, for d from −2m + 1 to m − 1.
#[inline(always)]
fn normalised(d: &mut Limbs, negative: i64, modulus: &Limbs, top: usize) {
    // −2m < d < m → −m < d < m → the sign → 0 ≤ d < m
    add_where_negative(d, modulus, top);
    for limb in d.iter_mut().take(top + 1) {
        *limb = (*limb ^ negative).wrapping_sub(negative);
    }
    carry(d, top);
    add_where_negative(d, modulus, top);
}

#[inline(always)]
fn add_where_negative(d: &mut Limbs, modulus: &Limbs, top: usize) {
    let negative = d[top] >> 63;
    for (limb, modulus) in d.iter_mut().zip(modulus).take(top + 1) {
        *limb = limb.wrapping_add(modulus & negative);
    }
    carry(d, top);
}

#[inline(always)]
fn carry(d: &mut Limbs, top: usize) {
    for i in 0..top {
        d[i + 1] = d[i + 1].wrapping_add(d[i] >> BITS);
        d[i] &= LOW as i64;
    }
}
