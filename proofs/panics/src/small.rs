//! Functions that are not generic, and so small that the compiler makes their code where they are called.

use crate::code;
use sigmill::bulk::{
    Algorithm, Bitmap, Column, Engine, FailureRate, Progress, Scratch, Spec, SpecSet, Specs,
    Strategy, Table, scratch_len,
};
use sigmill::cpu::{Backend, Feature};
use sigmill::ecdsa::{ByteArray, Curve, Scheme};
use sigmill::ed25519::rules::Rule;
use sigmill::ed25519::{
    ContextString, MontgomeryPoint, PreparedKey, SharedMessage, SignatureError, SigningKey,
    VerifyingKey,
};
use sigmill::x25519;
use sigmill::{KeyCell, Reason, Verdict};

pub(crate) fn values() {
    code![
        KeyCell::is_encoded,
        KeyCell::kind,
        Reason::code,
        Verdict::code,
        Reason::name,
        Reason::text,
        Verdict::is_valid,
        Verdict::ok,
        Backend::name,
        Feature::name,
        sigmill::field_backend,
        sigmill::cpu::has,
        Curve::name,
        Curve::own_hash,
        Scheme::own,
        Rule::a_encoding,
        Rule::a_order,
        Rule::equation,
        Rule::id,
        Rule::name,
        Rule::r_encoding,
        Rule::r_order,
        Rule::s_bound,
        <[u8; 32] as ByteArray>::of,
    ];
}

pub(crate) fn keys() {
    code![
        ContextString::as_bytes,
        ContextString::new,
        MontgomeryPoint::as_bytes,
        MontgomeryPoint::to_bytes,
        PreparedKey::verifying_key,
        SharedMessage::new,
        <SignatureError as From<sigmill::Error>>::from,
        SigningKey::as_bytes,
        SigningKey::to_scalar,
        SigningKey::verifying_key,
        VerifyingKey::as_bytes,
        VerifyingKey::is_canonical,
        VerifyingKey::is_weak,
        VerifyingKey::to_bytes,
        <VerifyingKey as AsRef<[u8]>>::as_ref,
        x25519::PublicKey::as_bytes,
        x25519::PublicKey::to_bytes,
        x25519::SharedSecret::as_bytes,
        x25519::SharedSecret::to_bytes,
        x25519::StaticSecret::as_bytes,
        x25519::StaticSecret::to_bytes,
        <x25519::PublicKey as AsRef<[u8]>>::as_ref,
        <x25519::SharedSecret as AsRef<[u8]>>::as_ref,
        <x25519::StaticSecret as AsRef<[u8]>>::as_ref,
    ];
}

pub(crate) fn columns() {
    code![
        Algorithm::curve,
        Algorithm::name,
        Algorithm::of_curve,
        Bitmap::new,
        Column::is_empty,
        Column::len,
        Column::slices,
        Engine::backend,
        Engine::deterministic,
        Engine::with_entropy,
        Engine::with_strategy,
        FailureRate::new,
        Progress::new,
        Progress::rate,
        Progress::with_rate,
        Scratch::new,
        Spec::algorithm,
        Spec::ed25519,
        Spec::ed25519_prehashed,
        Strategy::name,
        SpecSet::new,
        Specs::of_rows,
        Table::is_empty,
        Table::len,
        Table::with_failure_rate,
        scratch_len,
    ];
}
