//! Arithmetic modulo ℓ for the rows of a combination, many at once in the lanes of a backend.
//!
//! Public values only.

use super::l25519::{ORDER, Scalar, Terms, mul_short};
use crate::cpu::Backend;
use crate::word::{add_carry, load_le, sub_words};

const _: () = assert!(ORDER[0] & 7 == 5, "the multiple of 8 at or below k + 3 is below ℓ");

/// Words 0 to 3 of each row become the row's eight words mod ℓ; the others mean nothing.
pub(crate) fn reduce_rows(backend: Backend, rows: &mut [[u64; 8]]) {
    #[cfg(sigmill_lanes)]
    if backend == Backend::Ifma
        && let Some(token) = crate::cpu::ifma()
    {
        return super::l25519_ifma_x8::reduce_rows(token, rows);
    }
    let _ = backend;
    for row in rows {
        let k = Scalar::reduce_words(row);
        row[..4].copy_from_slice(k.words());
    }
}

/// a·b mod ℓ for the first `count` of eight integers a below 2^144, word by word, and eight of 32 bytes;
/// word by word too. The others mean nothing.
pub(crate) fn products_of_eight(
    backend: Backend,
    count: usize,
    a: &[[u64; 8]; 3],
    b: &[[u8; 32]; 8],
) -> [[u64; 8]; 4] {
    #[cfg(sigmill_lanes)]
    if backend == Backend::Ifma
        && let Some(token) = crate::cpu::ifma()
    {
        return super::l25519_ifma_x8::products(token, a, b);
    }
    let _ = backend;
    let mut products = [[0; 8]; 4];
    for (i, b) in b.iter().enumerate().take(count) {
        let product = Scalar::product_short(&[a[0][i], a[1][i], a[2][i]], &load_le(b));
        for (words, word) in products.iter_mut().zip(product.words()) {
            words[i] = *word;
        }
    }
    products
}

/// For each row, whose words 0 to 3 are k, below ℓ: words 4 to 7 become z·k mod ℓ. Returns Σ z·S mod ℓ
/// over the rows; S may be any 32 bytes.
pub(crate) fn combine_rows<'a>(
    backend: Backend,
    terms: &Terms,
    random: &[[u64; 3]],
    rows: &mut [[u64; 8]],
    s: impl Fn(usize) -> &'a [u8; 32],
) -> Scalar {
    #[cfg(sigmill_lanes)]
    if backend == Backend::Ifma
        && let Some(token) = crate::cpu::ifma()
    {
        return super::l25519_ifma_x8::combine_rows(token, terms, random, rows, s);
    }
    let _ = backend;
    // Σ z·S over the positive and over the negative z, not reduced: below 2^400 for each row
    let mut sums = [[0; 8]; 2];
    for (i, (random, row)) in random.iter().zip(rows).enumerate() {
        let (z, negative) = difference(random, &terms.offset);
        let [k0, k1, k2, k3, ..] = *row;
        let mut k = [k0, k1, k2, k3];
        if terms.multiples_of_8 {
            // the multiple of 8 at or below k + 3
            let mut carry = 3;
            for word in &mut k {
                (*word, carry) = add_carry(*word, carry, 0);
            }
            k[0] &= !7;
        }
        let product = Scalar::product_short(&z, &k);
        let product = if negative { product.negated() } else { product };
        row[4..].copy_from_slice(product.words());
        add_to(&mut sums[usize::from(negative)], &mul_short(&z, &load_le(s(i))));
    }
    let [positive, negative] = sums.map(|sum| Scalar::reduce_words(&sum));
    Scalar::sum(positive.words(), negative.negated().words())
}

/// |random − offset|, and whether it is negative.
#[inline(always)]
fn difference(random: &[u64; 3], offset: &[u64; 3]) -> ([u64; 3], bool) {
    let (value, borrow) = sub_words(random, offset);
    match borrow {
        0 => (value, false),
        _ => (sub_words(offset, random).0, true),
    }
}

/// `sum + x`; there is no carry out of the top word.
#[inline(always)]
fn add_to(sum: &mut [u64; 8], x: &[u64; 7]) {
    let mut carry = 0;
    for i in 0..7 {
        (sum[i], carry) = add_carry(sum[i], x[i], carry);
    }
    sum[7] += carry;
}
