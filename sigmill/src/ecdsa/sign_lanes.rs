//! Keys and signatures of many rows at once, in the backend of the caller's choice: the steps of `sign`
//! with hashing and multiplication in lanes. KeyOperations of a group share the inversion of their nonces
//! (Montgomery 1987, section 10.3.1).
//!
//! Secrets: everything here is constant time but for the number of rows and the lengths of messages;
//! buffers are wiped where they end, and each public function wipes the stack of the computation below it.
//! `declassify` names each value that leaves secrecy. Nothing is allocated: rows go in groups through buffers on
//! the stack. A row whose first nonce is out of range is signed alone.

use super::curves::{ByteArray, Curve as CurveName, EcdsaCurve, Prehash};
use super::fault::{self, Step};
use super::nonce_lanes::{LANE_WIDTH, candidates};
use super::sign;
use super::types::{SigningKey, VerifyingKey};
use super::verify::{scalar_in_range, scalar_of_digest};
use crate::cpu::Backend;
use crate::ct::{self, declassify};
use crate::curve::weierstrass::fixed_base::{BaseTables, multiples};
use crate::curve::weierstrass::{Affine, Curve, NistP256, NistP384};
use crate::field::nist::{EightLanes, Field};
use crate::hash::hmac_lanes::{
    Compress, LaneWords, SHA_256, SHA_384, SHA_512, Sha2, Word, backends,
};
use crate::hash::{Function, Sha256, Sha384, digest_any_rows};
use crate::modular::{Arithmetic, PrimeField, Products};
use crate::simd::Proven;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use sha2::Sha512;
use sha2::digest::Digest;
use zeroize::{Zeroize, Zeroizing};

/// Signing keys of a curve, for [`bulk`](crate::bulk): those of [`p256`](super::p256) and
/// [`p384`](super::p384), and no others.
pub trait CurveKey: KeyOperations {}

/// The operations on keys of a curve.
pub trait KeyOperations: Sized + Send + Sync {
    /// A secret key: an integer from 1 to n − 1, big-endian.
    type Secret: AsRef<[u8]> + Sync;
    /// A public key: an uncompressed SEC1 point.
    type Public: Copy + Send + AsRef<[u8]>;
    /// r ‖ s, each big-endian.
    type Signature: Copy + Send + Eq + AsRef<[u8]> + Zeroize;
    /// Place for one.
    const NO_SIGNATURE: Self::Signature;
    /// The curve.
    const CURVE: CurveName;

    /// The public key.
    fn public_key(&self) -> Self::Public;

    /// The public keys of secret keys, or the row of one out of range. The slices have one length.
    fn public_keys(
        backend: Backend,
        secrets: &[Self::Secret],
        publics: &mut [Self::Public],
    ) -> Result<(), usize>;

    /// The keys of secret keys, or the row of one out of range.
    #[cfg(feature = "alloc")]
    fn signing_keys(backend: Backend, secrets: &[Self::Secret]) -> Result<Vec<Self>, usize>;

    /// The signature of each row: `row(i)` is a key and a message, or a digest, not empty, where there is no
    /// function for it.
    fn sign<'a>(
        backend: Backend,
        prehash: Prehash,
        row: impl Fn(usize) -> (&'a Self, &'a [u8]),
        signatures: &mut [Self::Signature],
    ) where
        Self: 'a;
}

/// The keys of a curve, and how many vectors of rows are a group: the more share inversions, the more stack they need.
macro_rules! rows {
    ($curve:ident, $vectors:literal) => {
        impl CurveKey for SigningKey<$curve> {}

        impl KeyOperations for SigningKey<$curve> {
            type Secret = <$curve as EcdsaCurve>::FieldBytes;
            type Public = <$curve as EcdsaCurve>::UncompressedPoint;
            type Signature = <$curve as EcdsaCurve>::SignatureBytes;
            const NO_SIGNATURE: Self::Signature = Self::Signature::ZERO;
            const CURVE: CurveName = <$curve as EcdsaCurve>::CURVE;

            fn public_key(&self) -> Self::Public {
                self.verifying_key().to_sec1_bytes()
            }

            fn public_keys(
                backend: Backend,
                secrets: &[Self::Secret],
                publics: &mut [Self::Public],
            ) -> Result<(), usize> {
                check_range::<$curve>(secrets)?;
                public_keys::<$curve, Lanes<$curve>, { 8 * $vectors }, $vectors>(
                    token::<$curve>(backend, secrets.len()),
                    secrets,
                    |i, _, point| {
                        publics[i] = VerifyingKey::<$curve>(point).to_sec1_bytes();
                    },
                );
                Ok(())
            }

            #[cfg(feature = "alloc")]
            fn signing_keys(
                backend: Backend,
                secrets: &[Self::Secret],
            ) -> Result<Vec<Self>, usize> {
                check_range::<$curve>(secrets)?;
                // room for them all, so that none is moved
                let mut keys = Vec::with_capacity(secrets.len());
                public_keys::<$curve, Lanes<$curve>, { 8 * $vectors }, $vectors>(
                    token::<$curve>(backend, secrets.len()),
                    secrets,
                    |_, d, point| {
                        keys.push(Self::from_parts(*d, point));
                    },
                );
                Ok(keys)
            }

            fn sign<'a>(
                backend: Backend,
                prehash: Prehash,
                row: impl Fn(usize) -> (&'a Self, &'a [u8]),
                signatures: &mut [Self::Signature],
            ) {
                let row = |i: usize| {
                    let (key, message) = row(i);
                    (key.scalar(), message)
                };
                let token = token::<$curve>(backend, signatures.len());
                sign::<$curve, Lanes<$curve>, { 8 * $vectors }, $vectors>(
                    backend, token, prehash, row, signatures,
                );
            }
        }
    };
}

rows!(NistP256, 16);
rows!(NistP384, 8);

type Lanes<C> = <C as Curve>::LaneFe;

/// The proof of lanes, if they are worth it for so many rows.
fn token<C: Curve>(backend: Backend, rows: usize) -> Option<<C::LaneFe as Proven>::Token> {
    match backend.for_rows(rows) {
        Backend::Ifma => C::LaneFe::detected(),
        _ => None,
    }
}

/// The stack of a computation in lanes, if there is the proof of them.
fn stack_use<T>(token: &Option<T>) -> ct::StackUse {
    match token {
        Some(_) => ct::StackUse::LanesOfEcdsa,
        None => ct::StackUse::Alone,
    }
}

/// Whether all secret keys are from 1 to n − 1, or the row of one that is not.
fn check_range<C: Curve>(secrets: &[impl AsRef<[u8]>]) -> Result<(), usize> {
    let out_of_range = |secret: &_| {
        let (mut d, in_range) = scalar_in_range::<C>(AsRef::as_ref(secret));
        d.zeroize();
        !declassify("secret_in_range", in_range).is_true_vartime()
    };
    secrets.iter().position(out_of_range).map_or(Ok(()), Err)
}

/// Tells d and `[d]G` for each secret key d from 1 to n − 1.
fn public_keys<C: BaseTables<F>, F: Field, const ROWS: usize, const VECTORS: usize>(
    token: Option<F::Token>,
    secrets: &[impl AsRef<[u8]>],
    tell: impl FnMut(usize, &C::Scalar, Affine<C::Fe>),
) {
    ct::wiped_rows(stack_use(&token), || derive::<C, F, ROWS, VECTORS>(token, secrets, tell));
}

#[inline(never)]
fn derive<C: BaseTables<F>, F: Field, const ROWS: usize, const VECTORS: usize>(
    token: Option<F::Token>,
    secrets: &[impl AsRef<[u8]>],
    mut tell: impl FnMut(usize, &C::Scalar, Affine<C::Fe>),
) {
    let mut scalars = Zeroizing::new([C::Scalar::ONE; ROWS]);
    let mut points = [Affine { x: C::Fe::ZERO, y: C::Fe::ZERO }; ROWS];
    for (group, secrets) in secrets.chunks(ROWS).enumerate() {
        for (d, secret) in scalars.iter_mut().zip(secrets) {
            (*d, _) = scalar_in_range::<C>(secret.as_ref());
        }
        let (scalars, points) = (&scalars[..secrets.len()], &mut points[..secrets.len()]);
        match token {
            Some(token) => multiples::<C, F, VECTORS>(token, scalars, points),
            None => {
                for (d, point) in scalars.iter().zip(&mut *points) {
                    *point = sign::public_key::<C>(d);
                }
            }
        }
        for (i, (d, point)) in scalars.iter().zip(points).enumerate() {
            tell(group * ROWS + i, d, declassify("ecdsa_public_key", *point));
        }
    }
}

/// One row to sign: the secret key, and the message, or its digest.
type Row<'a, C> = (&'a <C as Curve>::Scalar, &'a [u8]);

/// Writes the signature of each row, r ‖ s, with the nonces of RFC 6979 for the function that makes the
/// digest, or the curve's own where none does; digests are not empty.
fn sign<'a, C, F, const ROWS: usize, const VECTORS: usize>(
    backend: Backend,
    token: Option<F::Token>,
    prehash: Prehash,
    row: impl Fn(usize) -> Row<'a, C>,
    signatures: &mut [C::SignatureBytes],
) where
    C: BaseTables<F> + EcdsaCurve,
    F: Field,
{
    ct::wiped_rows(stack_use(&token), || match token {
        Some(token) => {
            let signer = LaneSigner::<F> { backend, token, prehash };
            sign_in_lanes::<C, F, ROWS, VECTORS>(&signer, row, signatures);
        }
        None => {
            for (i, signature) in signatures.iter_mut().enumerate() {
                sign_alone::<C>(prehash, row(i), signature);
            }
        }
    });
}

#[inline(never)]
fn sign_alone<C: EcdsaCurve>(
    prehash: Prehash,
    (d, message): Row<'_, C>,
    signature: &mut C::SignatureBytes,
) {
    let (r, s) = signature.as_mut().split_at_mut(C::WIDTH);
    match (prehash, C::HASH) {
        (Prehash::Sha256, _) => sign::sign::<C, Sha256>(d, &Sha256::digest(message), &[], r, s),
        (Prehash::Sha384, _) => sign::sign::<C, Sha384>(d, &Sha384::digest(message), &[], r, s),
        (Prehash::Sha512, _) => sign::sign::<C, Sha512>(d, &Sha512::digest(message), &[], r, s),
        (Prehash::None, Prehash::Sha256) => sign::sign::<C, Sha256>(d, message, &[], r, s),
        (Prehash::None, Prehash::Sha384) => sign::sign::<C, Sha384>(d, message, &[], r, s),
        (Prehash::None, _) => sign::sign::<C, Sha512>(d, message, &[], r, s),
    }
}

/// How the rows are signed that have lanes.
struct LaneSigner<F: Field> {
    backend: Backend,
    token: F::Token,
    prehash: Prehash,
}

#[inline(never)]
fn sign_in_lanes<'a, C, F, const ROWS: usize, const VECTORS: usize>(
    signer: &LaneSigner<F>,
    row: impl Fn(usize) -> Row<'a, C>,
    signatures: &mut [C::SignatureBytes],
) where
    C: BaseTables<F> + EcdsaCurve,
    F: Field,
{
    for (i, signatures) in signatures.chunks_mut(ROWS).enumerate() {
        signer.sign::<C, ROWS, VECTORS>(|row_of_group| row(i * ROWS + row_of_group), signatures);
    }
}

impl<F: Field> LaneSigner<F> {
    /// Signs at most `ROWS` rows.
    fn sign<'a, C, const ROWS: usize, const VECTORS: usize>(
        &self,
        row: impl Fn(usize) -> Row<'a, C>,
        signatures: &mut [C::SignatureBytes],
    ) where
        C: BaseTables<F> + EcdsaCurve,
    {
        let len = signatures.len();
        let mut e = [C::Scalar::ZERO; ROWS];
        self.digests::<C>(&row, &mut e[..len]);
        let mut k = Zeroizing::new([C::Scalar::ONE; ROWS]);
        let mut in_range = [true; ROWS];
        self.nonces::<C>(&row, &e[..len], &mut k[..len], &mut in_range[..len]);
        e[..len].iter_mut().for_each(|e| fault::at(Step::Digest, e));
        k[..len].iter_mut().for_each(|k| fault::at(Step::Nonce, k));
        self.finish::<C, ROWS, VECTORS>(&row, &e, &k[..len], &in_range, signatures);
    }

    /// The same with nonces given. A row whose nonce is not in range has any.
    fn finish<'a, C, const ROWS: usize, const VECTORS: usize>(
        &self,
        row: &impl Fn(usize) -> Row<'a, C>,
        e: &[C::Scalar],
        k: &[C::Scalar],
        in_range: &[bool],
        signatures: &mut [C::SignatureBytes],
    ) where
        C: BaseTables<F> + EcdsaCurve,
    {
        let len = k.len();
        let mut points = [Affine { x: C::Fe::ZERO, y: C::Fe::ZERO }; ROWS];
        multiples::<C, F, VECTORS>(self.token, k, &mut points[..len]);
        // first the products of all k before each
        let mut before = Zeroizing::new([C::Scalar::ONE; ROWS]);
        let mut products = Products::new(());
        for (k, before) in k.iter().zip(before.iter_mut()) {
            *before = products.push(k);
        }
        let mut inverses = products.invert();
        products.zeroize();
        for i in (0..len).rev() {
            let mut k_inverse = inverses.pop(&k[i], &before[i]);
            // a signature with the nonce 1 would give away the key: not even for a moment
            if !in_range[i] {
                sign_alone::<C>(self.prehash, row(i), &mut signatures[i]);
                continue;
            }
            fault::at(Step::Inverse, &mut k_inverse);
            let (r_bytes, s_bytes) = signatures[i].as_mut().split_at_mut(C::WIDTH);
            let mut x = declassify("ecdsa_r", points[i].x);
            fault::at(Step::X, &mut x);
            x.write_be_bytes(r_bytes);
            let (mut r, _) = C::Scalar::from_be_bytes(r_bytes);
            fault::at(Step::R, &mut r);
            let (d, _) = row(i);
            let mut sum = r.mul(d).add(&e[i]);
            fault::at(Step::Sum, &mut sum);
            let mut s = declassify("ecdsa_s", k_inverse.mul(&sum));
            fault::at(Step::S, &mut s);
            r.write_be_bytes(r_bytes);
            s.write_be_bytes(s_bytes);
            // neither is ever 0 but for messages that nobody knows how to find
            if r.is_zero().is_true_vartime() || s.is_zero().is_true_vartime() {
                sign_alone::<C>(self.prehash, row(i), &mut signatures[i]);
            }
        }
        inverses.zeroize();
    }

    /// The function in lanes, if it has them.
    fn function(prehash: Prehash) -> Option<Function> {
        match prehash {
            Prehash::Sha384 => Some(Function::Sha384),
            Prehash::Sha512 => Some(Function::Sha512),
            Prehash::Sha256 | Prehash::None => None,
        }
    }

    /// The digest of each message as an integer mod n.
    fn digests<'a, C: Curve>(&self, row: &impl Fn(usize) -> Row<'a, C>, e: &mut [C::Scalar]) {
        if let Some(function) = Self::function(self.prehash) {
            digest_any_rows(
                self.backend,
                function,
                e.len(),
                &|i| [row(i).1, &[], &[], &[]],
                &mut |i, digest| e[i] = scalar_of_digest::<C>(&digest[..function.len()]),
            );
        } else {
            for (i, e) in e.iter_mut().enumerate() {
                let message = row(i).1;
                *e = match self.prehash {
                    Prehash::None => scalar_of_digest::<C>(message),
                    _ => scalar_of_digest::<C>(&Sha256::digest(message)),
                };
            }
        }
    }

    /// The nonce of each row, or 1, and whether its first candidate is one.
    fn nonces<'a, C: EcdsaCurve>(
        &self,
        row: &impl Fn(usize) -> Row<'a, C>,
        e: &[C::Scalar],
        k: &mut [C::Scalar],
        in_range: &mut [bool],
    ) {
        let hash = if self.prehash == Prehash::None { C::HASH } else { self.prehash };
        let secret = &|i: usize| row(i).0.to_words();
        match (hash, backends::sha256(), backends::sha512()) {
            (Prehash::Sha256, Some(lanes), _) => {
                nonces::<C, _, { backends::LANES_256 }>(lanes, &SHA_256, secret, e, k, in_range);
            }
            (Prehash::Sha384, _, Some(lanes)) => {
                nonces::<C, _, { backends::LANES_512 }>(lanes, &SHA_384, secret, e, k, in_range);
            }
            (_, _, Some(lanes)) => {
                nonces::<C, _, { backends::LANES_512 }>(lanes, &SHA_512, secret, e, k, in_range);
            }
            // rows are signed alone
            _ => in_range.fill(false),
        }
    }
}

/// The nonce of each row, or 1, and whether its first candidate is one.
#[inline(never)]
fn nonces<C: Curve, L: Compress<LANES>, const LANES: usize>(
    lanes: L,
    hash: &Sha2<L::Word>,
    secret: &dyn Fn(usize) -> <C::Scalar as PrimeField>::Words,
    e: &[C::Scalar],
    k: &mut [C::Scalar],
    in_range: &mut [bool],
) {
    let (width, len) = (C::WIDTH, e.len());
    let words = width / L::Word::BYTES;
    let mut x_rows = LaneWords::<L::Word, LANES, { LANE_WIDTH / 4 }>::all(L::Word::ZERO);
    let mut e_rows = x_rows;
    let mut found = [[0; LANE_WIDTH]; LANES];
    for first in (0..len).step_by(LANES) {
        let rows = first..len.min(first + LANES);
        for (lane, row) in rows.clone().enumerate() {
            let (mut x, e) = (secret(row), e[row].to_words());
            for i in 0..words {
                x_rows.0[i][lane] = L::Word::of_words(x.as_ref(), width, i);
                e_rows.0[i][lane] = L::Word::of_words(e.as_ref(), width, i);
            }
            x.zeroize();
        }
        candidates(lanes, hash, &x_rows.0[..words], &e_rows.0[..words], &mut found);
        for (row, candidate) in rows.zip(&found) {
            let (candidate, is_nonce) = scalar_in_range::<C>(&candidate[..width]);
            k[row] = C::Scalar::select(is_nonce, &candidate, &C::Scalar::ONE);
            in_range[row] = declassify("nonce_in_range", is_nonce).is_true_vartime();
        }
    }
    x_rows.zeroize();
    e_rows.zeroize();
    found.zeroize();
}

#[cfg(test)]
mod tests;
