//! Verification of many signatures at once, in the backend of the caller's choice: the entry of `bulk`.
//!
//! Public inputs only: time depends on them.

use super::coefficients::Coefficients;
use super::combine::Combine;
pub(crate) use super::combine::{RowsByKey, State};
use super::lanes::{LaneKey, Row, VerifyRows};
pub(crate) use super::search::{Limits, Rate, Search};
use crate::cpu::Backend;
use crate::ed25519::bytes::halves;
use crate::ed25519::rules::Rule;
pub(crate) use crate::ed25519::variant::Given;
use crate::ed25519::variant::{MAX_DOM_LEN, Variant, challenge_hash, dom_bytes};
use crate::error::Verdict;
use crate::field::f25519;
use crate::hash::hash_rows;
use crate::memory::Memory;
use crate::scalar::lanes;

/// Key, message and signature of a row.
type Challenge<'a> = (&'a [u8; 32], &'a [u8], &'a [u8; 64]);

/// SHA-512(dom ‖ R ‖ A ‖ PH(M)) of each row, given M or PH(M), as little-endian words.
pub(crate) fn hash_challenges<'a>(
    backend: Backend,
    given: Given<'_>,
    len: usize,
    row: impl Fn(usize) -> Challenge<'a>,
    hashes: &mut [[u64; 8]],
) {
    let words = |digest: &[u8; 64]| {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(digest.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        words
    };
    let variant = given.variant();
    if let Given::Message(Variant::Ph(_)) = given {
        for (i, hash) in hashes.iter_mut().enumerate().take(len) {
            let (key, message, signature) = row(i);
            let [r, _] = halves(signature);
            let mut challenge = challenge_hash(variant, r, key);
            challenge.update(message);
            *hash = words(&challenge.finish());
        }
        return;
    }
    let mut dom = [0; MAX_DOM_LEN];
    let dom = dom_bytes(variant, &mut dom);
    hash_rows(
        backend,
        len,
        |i| {
            let (key, message, signature) = row(i);
            let [r, _] = halves(signature);
            [dom, &r[..], key, message]
        },
        |i, digest| hashes[i] = words(digest),
    );
}

/// Puts k, the hash mod ℓ, into the first four words of each hash. The others mean nothing.
pub(crate) fn reduce_rows(backend: Backend, hashes: &mut [[u64; 8]]) {
    lanes::reduce_rows(backend, hashes);
}

/// Rows whose k are the first four words of `scalars`.
pub(crate) struct Lanes<'a> {
    pub(crate) rule: &'a Rule,
    pub(crate) scalars: &'a [[u64; 8]],
}

/// Verifies rows in lanes, with keys that are encoded or prepared. `verdict` takes `None` where a row has to be verified
/// singly: every row, if the backend has no lanes, since single verification is then the fastest.
pub(crate) fn verify<'a, K: LaneKey + 'a>(
    backend: Backend,
    lanes: &Lanes<'_>,
    row: impl Fn(usize) -> (&'a K, &'a [u8; 64]),
    mut verdict: impl FnMut(usize, Option<Verdict>),
) {
    let scalars = lanes.scalars;
    let row = |i: usize| {
        let ((key, signature), [a, b, c, d, ..]) = (row(i), scalars[i]);
        Row { key, signature, k: [a, b, c, d] }
    };
    let (rule, len) = (lanes.rule, scalars.len());
    let kernel = VerifyRows { backend, rule, len, row: &row, verdict: &mut verdict };
    if f25519::run_public_in_lanes(backend, kernel).is_none() {
        (0..len).for_each(|row| verdict(row, None));
    }
}

/// A combination of these rows before its first stage, with a source of coefficients. `scalars` are the rows' hashes and
/// become their k in any case. `search` has not begun. `None` if there is too little memory: all rows are then left to lanes.
pub(crate) fn begin_combination<'a>(
    backend: Backend,
    rule: &Rule,
    signature: impl Fn(usize) -> &'a [u8; 64],
    scalars: &mut [[u64; 8]],
    system: Option<&[u8; 32]>,
    search: Search,
    memory: Memory<'_>,
) -> Option<State> {
    let s = |i: usize| halves(signature(i))[1];
    let coefficients = Coefficients::new(backend, rule, scalars, s, system, memory);
    // also where there are none: lanes take k below ℓ
    reduce_rows(backend, scalars);
    Some(State::new(coefficients?, search))
}

/// Goes on with a combination for `work` additions of points, and reports whether that was the end. `verdict` then
/// takes each row's verdict, or `None` where the row is left to lanes. All keys are prepared, or none is. `None` if there is
/// too little memory.
pub(crate) fn combine<'a>(
    backend: Backend,
    rule: &Rule,
    rows: impl RowsByKey<'a>,
    (state, work): (&mut State, &mut usize),
    scalars: &mut [[u64; 8]],
    memory: Memory<'_>,
    verdict: impl FnMut(usize, Option<Verdict>),
) -> Option<bool> {
    f25519::run_public(
        backend,
        Combine { backend, rule, rows, scalars, memory, state, work, verdict },
    )
}

#[cfg(test)]
mod tests;
