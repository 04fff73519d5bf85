//! Keys and signatures of many rows at once, in the backend of the caller's choice: the steps of `sign`
//! with hashing and multiplication in lanes.
//!
//! Secrets: everything here is constant time but for the number of rows and the lengths of messages and
//! contexts. Buffers are wiped where they end, and each public function wipes the stack of the
//! computation below it. `declassify` names each value that leaves secrecy. Nothing is allocated: rows go
//! in groups through buffers on the stack.

use crate::cpu::Backend;
use crate::ct::{self, declassify};
#[cfg(feature = "alloc")]
use crate::curve::edwards::Extended;
use crate::curve::edwards::fixed_base::BaseMultiples;
#[cfg(feature = "alloc")]
use crate::ed25519::VerifyingKey;
use crate::ed25519::sign::Expanded;
use crate::ed25519::variant::{MAX_DOM_LEN, Variant, dom_bytes};
use crate::ed25519::{SecretKey, SigningKey};
use crate::field::f25519;
#[cfg(feature = "alloc")]
use crate::field::f25519::Field;
use crate::hash::{hash_any_rows, hash_rows};
use crate::scalar::l25519::Scalar;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use zeroize::{DefaultIsZeroes, Zeroizing};

/// Rows of a group, and of one for which more than usual is kept: in lanes, and one after the other.
const ROWS: usize = 128;
const FEWER_ROWS: usize = 64;
const ROWS_ALONE: usize = 32;

/// SHA-512 of something secret.
#[derive(Clone, Copy)]
struct Digest([u8; 64]);

impl Default for Digest {
    fn default() -> Self {
        Digest([0; 64])
    }
}

// wiped as a whole: byte by byte takes long
impl DefaultIsZeroes for Digest {}

/// The public key of each seed (RFC 8032 section 5.1.5). The slices have one length.
pub(crate) fn public_keys(backend: Backend, seeds: &[SecretKey], publics: &mut [[u8; 32]]) {
    let backend = backend.for_rows(seeds.len());
    ct::wiped_rows(ct::StackUse::of(backend == Backend::Portable), || {
        derive_rows(backend, seeds, publics);
    });
}

#[inline(never)]
fn derive_rows(backend: Backend, seeds: &[SecretKey], publics: &mut [[u8; 32]]) {
    let mut scalars = Zeroizing::new([Scalar::ZERO; ROWS]);
    for (seeds, publics) in seeds.chunks(ROWS).zip(publics.chunks_mut(ROWS)) {
        hash_rows(
            backend,
            seeds.len(),
            |i| [&seeds[i], &[], &[], &[]],
            |i, digest| scalars[i] = Expanded::from_digest(digest).a,
        );
        let scalars = &scalars[..seeds.len()];
        f25519::run(backend, BaseMultiples { scalars, x: &mut [], encoded: publics });
        for public in publics {
            *public = declassify("public_key", *public);
        }
    }
}

/// The key of each seed.
#[cfg(feature = "alloc")]
pub(crate) fn signing_keys(backend: Backend, seeds: &[SecretKey]) -> Vec<SigningKey> {
    let backend = backend.for_rows(seeds.len());
    let mut keys = Vec::with_capacity(seeds.len());
    ct::wiped_rows(ct::StackUse::of(backend == Backend::Portable), || match backend {
        Backend::Portable => derive_keys::<ROWS_ALONE>(backend, seeds, &mut keys),
        _ => derive_keys::<FEWER_ROWS>(backend, seeds, &mut keys),
    });
    keys
}

/// `keys` has room for them all, so that none is moved.
#[cfg(feature = "alloc")]
#[inline(never)]
fn derive_keys<const ROWS: usize>(
    backend: Backend,
    seeds: &[SecretKey],
    keys: &mut Vec<SigningKey>,
) {
    let mut digests = Zeroizing::new([Digest::default(); ROWS]);
    let mut scalars = Zeroizing::new([Scalar::ZERO; ROWS]);
    let (mut x, mut encoded) = ([[0; 32]; ROWS], [[0; 32]; ROWS]);
    for seeds in seeds.chunks(ROWS) {
        let len = seeds.len();
        hash_rows(
            backend,
            len,
            |i| [&seeds[i], &[], &[], &[]],
            |i, digest| {
                digests[i].0 = *digest;
                scalars[i] = Expanded::from_digest(digest).a;
            },
        );
        let scalars = &scalars[..len];
        let (x, encoded) = (&mut x[..len], &mut encoded[..len]);
        f25519::run(backend, BaseMultiples { scalars, x, encoded });
        for (i, seed) in seeds.iter().enumerate() {
            let [x, encoded] = declassify("public_key", [x[i], encoded[i]]);
            // bit 255 is not looked at
            let [x, y] = [&x, &encoded].map(|bytes| f25519::Fe::from_bytes((), bytes));
            let point = Extended::from_affine(&x, &y);
            // not 0: as in `SigningKey::from_bytes`
            let public = VerifyingKey::from_multiple(&point, encoded, false);
            keys.push(SigningKey::from_parts(seed, Expanded::from_digest(&digests[i].0), public));
        }
    }
}

/// The signature of each row (RFC 8032 section 5.1.6). For i below the number of signatures, `row(i)` is
/// a key and a message.
pub(crate) fn sign<'a>(
    backend: Backend,
    variant: Variant<'_>,
    row: impl Fn(usize) -> (&'a SigningKey, &'a [u8]),
    signatures: &mut [[u8; 64]],
) {
    wiping(backend, variant, signatures.len(), || sign_some(backend, variant, &row, signatures));
}

/// Wipes the stack after any number of calls of [`sign_some`], with so many rows in all.
#[inline(always)]
pub(crate) fn wiping<T>(
    backend: Backend,
    variant: Variant<'_>,
    rows: usize,
    compute: impl FnOnce() -> T,
) -> T {
    let used = match (backend.for_rows(rows), variant) {
        (Backend::Portable, _) => ct::StackUse::Alone,
        (_, Variant::Ph(_)) => ct::StackUse::Lanes,
        _ => ct::StackUse::LanesOfMessages,
    };
    ct::wiped_rows(used, compute)
}

/// [`sign`] of some rows, inside of [`wiping`].
pub(crate) fn sign_some<'a>(
    backend: Backend,
    variant: Variant<'_>,
    row: Row<'_, 'a>,
    signatures: &mut [[u8; 64]],
) {
    let backend = backend.for_rows(signatures.len());
    match (variant, backend) {
        (Variant::Pure | Variant::Ctx(_), _) => sign_rows(backend, variant, row, signatures),
        (Variant::Ph(_), Backend::Portable) => {
            sign_prehashed_rows::<ROWS_ALONE>(backend, variant, row, signatures);
        }
        (Variant::Ph(_), _) => sign_prehashed_rows::<FEWER_ROWS>(backend, variant, row, signatures),
    }
}

/// The key and the message of a row.
type Row<'r, 'a> = &'r dyn Fn(usize) -> (&'a SigningKey, &'a [u8]);

#[inline(never)]
fn sign_rows<'a>(
    backend: Backend,
    variant: Variant<'_>,
    row: Row<'_, 'a>,
    signatures: &mut [[u8; 64]],
) {
    for (group, signatures) in signatures.chunks_mut(ROWS).enumerate() {
        sign_group(backend, variant, &|i: usize| row(group * ROWS + i), signatures);
    }
}

/// [`sign_rows`] with PH(M) in the place of each message.
#[inline(never)]
fn sign_prehashed_rows<'a, const ROWS: usize>(
    backend: Backend,
    variant: Variant<'_>,
    row: Row<'_, 'a>,
    signatures: &mut [[u8; 64]],
) {
    let mut digests = Zeroizing::new([Digest::default(); ROWS]);
    for (group, signatures) in signatures.chunks_mut(ROWS).enumerate() {
        let row = |i: usize| row(group * ROWS + i);
        hash_any_rows(
            backend,
            signatures.len(),
            &|i| [row(i).1, &[], &[], &[]],
            &mut |i, digest| digests[i].0 = *digest,
        );
        let row = |i: usize| (row(i).0, &digests[i].0[..]);
        sign_group(backend, variant, &row, signatures);
    }
}

/// Signs at most `ROWS` rows.
#[inline(never)]
fn sign_group<'a>(
    backend: Backend,
    variant: Variant<'_>,
    row: Row<'_, 'a>,
    signatures: &mut [[u8; 64]],
) {
    let mut dom = [0; MAX_DOM_LEN];
    let dom = dom_bytes(variant, &mut dom);
    let len = signatures.len();
    let mut nonces = Zeroizing::new([Scalar::ZERO; ROWS]);
    let mut encoded = [[0; 32]; ROWS];
    hash_rows(
        backend,
        len,
        |i| {
            let (key, message) = row(i);
            [dom, &key.expanded.prefix, message, &[]]
        },
        |i, digest| nonces[i] = Scalar::reduce_wide(digest),
    );
    let (nonces, encoded) = (&nonces[..len], &mut encoded[..len]);
    f25519::run(backend, BaseMultiples { scalars: nonces, x: &mut [], encoded });
    for r in &mut *encoded {
        *r = declassify("signature_r", *r);
    }
    let encoded = &*encoded;
    hash_rows(
        backend,
        len,
        |i| {
            let (key, message) = row(i);
            [dom, &encoded[i], &key.verifying_key.bytes, message]
        },
        |i, digest| {
            let k = Scalar::reduce_wide(digest);
            let s = k.mul_add(&row(i).0.expanded.a, &nonces[i]).to_bytes();
            signatures[i][..32].copy_from_slice(&encoded[i]);
            signatures[i][32..].copy_from_slice(&declassify("signature_s", s));
        },
    );
}
