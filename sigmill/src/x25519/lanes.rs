//! Public keys and shared secrets of many rows at once, in the backend of the caller's choice.
//!
//! Secrets: constant time but for the number of rows. Buffers are wiped where they end, and each public
//! function wipes the stack of the computation below it. Nothing is allocated: rows go in groups through
//! buffers on the stack.

use super::{PublicKey, SharedSecret, StaticSecret, is_contributory};
use crate::cpu::Backend;
use crate::ct::{self, declassify};
use crate::curve::montgomery::{OfBase, OfPoints, UCoordinates};
use crate::field::f25519;
use zeroize::Zeroizing;

/// Rows of a group.
const ROWS: usize = 128;

/// The public key of each secret. The slices have one length.
pub(crate) fn public_keys(backend: Backend, secrets: &[StaticSecret], publics: &mut [PublicKey]) {
    let backend = backend.for_rows(secrets.len());
    ct::wiped_rows(ct::StackUse::of(backend == Backend::Portable), || {
        public_rows(backend, secrets, publics);
    });
}

#[inline(never)]
fn public_rows(backend: Backend, secrets: &[StaticSecret], publics: &mut [PublicKey]) {
    let mut scalars = Zeroizing::new([[0; 32]; ROWS]);
    let mut u = [[0; 32]; ROWS];
    for (secrets, publics) in secrets.chunks(ROWS).zip(publics.chunks_mut(ROWS)) {
        for (scalar, secret) in scalars.iter_mut().zip(secrets) {
            *scalar = *secret.as_bytes();
        }
        let (scalars, u) = (&scalars[..secrets.len()], &mut u[..secrets.len()]);
        f25519::run(backend, UCoordinates { rows: OfBase { scalars }, u });
        for (public, u) in publics.iter_mut().zip(u) {
            *public = PublicKey(declassify("x25519_public_key", *u));
        }
    }
}

/// The shared secret of each row, or none where it is all zeros. For i below the number of places, `row(i)`
/// is a secret and the other side's public key.
pub(crate) fn agree<'a>(
    backend: Backend,
    row: impl Fn(usize) -> (&'a StaticSecret, &'a PublicKey),
    shared: &mut [Option<SharedSecret>],
) {
    let backend = backend.for_rows(shared.len());
    ct::wiped_rows(ct::StackUse::of(backend == Backend::Portable), || {
        agree_rows(backend, row, shared);
    });
}

#[inline(never)]
fn agree_rows<'a>(
    backend: Backend,
    row: impl Fn(usize) -> (&'a StaticSecret, &'a PublicKey),
    shared: &mut [Option<SharedSecret>],
) {
    let mut scalars = Zeroizing::new([[0; 32]; ROWS]);
    let mut points = [[0; 32]; ROWS];
    let mut u = Zeroizing::new([[0; 32]; ROWS]);
    for (group, shared) in shared.chunks_mut(ROWS).enumerate() {
        let len = shared.len();
        for i in 0..len {
            let (secret, public) = row(group * ROWS + i);
            (scalars[i], points[i]) = (*secret.as_bytes(), *public.as_bytes());
        }
        let rows = OfPoints { scalars: &scalars[..len], points: &points[..len] };
        f25519::run(backend, UCoordinates { rows, u: &mut u[..len] });
        for (shared, u) in shared.iter_mut().zip(u.iter()) {
            *shared = is_contributory(u).then(|| SharedSecret(*u));
        }
    }
}
