//! Ed25519, X25519, and columns.

use crate::{Feed, FromBytes, FromNumbers, Random, Sure, code};
use core::fmt::{Debug, Formatter};
use core::hash::Hash;
use digest::common::Generate;
use digest::consts::U64;
use digest::{Digest, Update};
use serde::{Deserialize, Serialize};
use sigmill::bulk::{Engine, Report, Rows, SigningKeys};
use sigmill::ecdsa::{Curve, CurveKey, EcdsaCurve, OnCurve};
use sigmill::ed25519::hazmat::{
    raw_sign, raw_sign_byupdate, raw_sign_prehashed, raw_verify, raw_verify_prehashed,
};
use sigmill::ed25519::rules::{Facts, decide};
use sigmill::ed25519::{
    Context, Signature, SignatureError, SigningKey, StreamVerifier, VerifyingKey,
};
use sigmill::x25519;
use signature::{DigestSigner, DigestVerifier, RandomizedSigner};
use std::hash::DefaultHasher;

type Key = Context<'static, 'static, SigningKey>;
type Public = Context<'static, 'static, VerifyingKey>;
type Format = &'static mut Formatter<'static>;

// `impl Trait` has no name to give
fn update(stream: &mut StreamVerifier, message: &[u8]) {
    stream.update(message);
}

pub(crate) fn ed25519<D>()
where
    D: Digest<OutputSize = U64> + Update,
{
    code![
        update,
        <SigningKey as Deserialize<'static>>::deserialize::<FromBytes>,
        <SigningKey as Deserialize<'static>>::deserialize::<FromNumbers>,
        <SigningKey as Serialize>::serialize::<Format>,
        <SigningKey as DigestSigner<D, Signature>>::try_sign_digest::<Feed<D>>,
        <SigningKey as RandomizedSigner<Signature>>::try_sign_with_rng::<Random>,
        SigningKey::sign_prehashed::<D>,
        SigningKey::verify_prehashed::<D>,
        <SigningKey as Generate>::try_generate_from_rng::<Random>,
        SigningKey::generate::<Sure>,
        SigningKey::try_generate::<Random>,
        <VerifyingKey as Deserialize<'static>>::deserialize::<FromBytes>,
        <VerifyingKey as Deserialize<'static>>::deserialize::<FromNumbers>,
        <VerifyingKey as Serialize>::serialize::<Format>,
        <VerifyingKey as DigestVerifier<D, Signature>>::verify_digest::<Feed<D>>,
        <VerifyingKey as Hash>::hash::<DefaultHasher>,
        VerifyingKey::verify_prehashed::<D>,
        VerifyingKey::verify_prehashed_strict::<D>,
        <Key as DigestSigner<D, Signature>>::try_sign_digest::<Feed<D>>,
        <Public as DigestVerifier<D, Signature>>::verify_digest::<Feed<D>>,
        <Key as Clone>::clone,
        <Key as Debug>::fmt,
        Key::key,
        Key::value,
        raw_sign::<D>,
        raw_sign_byupdate::<D, fn(&mut D) -> Result<(), SignatureError>>,
        raw_sign_prehashed::<D, D>,
        raw_verify::<D>,
        raw_verify_prehashed::<D, D>,
        <Facts<bool> as Clone>::clone,
        <Facts<bool> as PartialEq>::eq,
        <Facts<bool> as Debug>::fmt,
        decide::<bool>,
        decide::<u64>,
    ];
}

pub(crate) fn x25519() {
    use x25519::{EphemeralSecret, PublicKey, ReusableSecret, StaticSecret};
    code![
        <PublicKey as Deserialize<'static>>::deserialize::<FromBytes>,
        <PublicKey as Deserialize<'static>>::deserialize::<FromNumbers>,
        <PublicKey as Serialize>::serialize::<Format>,
        <PublicKey as Hash>::hash::<DefaultHasher>,
        <StaticSecret as Deserialize<'static>>::deserialize::<FromBytes>,
        <StaticSecret as Deserialize<'static>>::deserialize::<FromNumbers>,
        <StaticSecret as Serialize>::serialize::<Format>,
        EphemeralSecret::random_from_rng::<Sure>,
        EphemeralSecret::try_random_from_rng::<Random>,
        ReusableSecret::random_from_rng::<Sure>,
        ReusableSecret::try_random_from_rng::<Random>,
        StaticSecret::random_from_rng::<Sure>,
        StaticSecret::try_random_from_rng::<Random>,
    ];
}

/// Work of a program on a curve that it has by name.
struct Width;

impl OnCurve for Width {
    type Output = usize;
    fn on<C: EcdsaCurve>(self) -> usize {
        size_of::<C::FieldBytes>()
    }
}

pub(crate) fn bulk<K: CurveKey + 'static>() {
    code![
        Engine::ecdsa_public_keys_into::<K>,
        Engine::ecdsa_signing_keys::<K>,
        Engine::sign_ecdsa_checked_into::<K>,
        Engine::sign_ecdsa_checked_parallel::<K>,
        Engine::sign_ecdsa_into::<K>,
        Engine::sign_ecdsa_parallel::<K>,
        <SigningKeys<'static, K> as Clone>::clone,
        <Column as Rows>::is_empty,
        Curve::with::<Width>,
        Report::add,
    ];
}

/// Rows of a program.
struct Column;

impl Rows for Column {
    fn len(&self) -> usize {
        0
    }
    fn get(&self, _: usize) -> Option<&[u8]> {
        None
    }
}
