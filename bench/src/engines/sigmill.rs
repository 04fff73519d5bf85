//! Our own library: single operations as it does them, and bulk verification by the strategy of its choice
//! (`sigmill`) or in lanes (`sigmill-lanes`).
//!
//! Memory that the caller brings is made beforehand; hashing, parsing of keys and random bytes are
//! timed.

use super::columns::messages;
use super::entrant::Loaded;
use super::sigmill_ecdsa;
use rayon_core::ThreadPoolBuilder;
use sigmill::bulk::{
    Backend, Column, Engine as Bulk, Outcome, Scratch, SigningKeys, Spec, Specs, StaticSecrets,
    Strategy, Table,
};
use sigmill::ed25519::{
    PreparedKey, Rule, Signature, SigningKey, Variant, VerifyingKey, rules, verify_batch_with,
    verify_bytes,
};
use sigmill::field_backend;
use sigmill::x25519::{PublicKey, SharedSecret, StaticSecret};
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};
use std::hint::black_box;
use std::ops::Range;

const ALL_RULES: &[&Rule] = &[&rules::COMMON, &rules::STRICT, &rules::ZIP215];
const TWO_RULES: &[&Rule] = &[&rules::COMMON, &rules::ZIP215];
/// No backend has more.
const LANES: usize = 8;

/// Single operations, and bulk operations as the engine chooses.
pub(crate) fn engine() -> &'static Engine {
    let bulk = Bulk::new();
    let single = [
        Offer::each("ed25519.keygen", "", |rows, row, answer| {
            let key = SigningKey::from_bytes(rows.secrets.row(row));
            answer.copy_from_slice(&key.verifying_key().to_bytes());
        }),
        Offer::prepared("ed25519.sign32", "", signing_key, sign),
        Offer::prepared("ed25519.sign1k", "", signing_key, sign),
        verify_raw("ed25519.verify_raw", &rules::COMMON),
        verify_raw("ed25519.verify_raw", &rules::ZIP215),
        verify_parsed("ed25519.verify_parsed", &rules::COMMON),
        verify_parsed("ed25519.verify_parsed", &rules::ZIP215),
        verify_raw("ed25519.verify_strict_raw", &rules::STRICT),
        Offer::each("x25519.base", "", |rows, row, answer| {
            answer.copy_from_slice(PublicKey::from(&static_secret(rows, row)).as_bytes());
        }),
        Offer::prepared("x25519.shared", "", static_secret, |secret, rows, row, answer| {
            let shared = secret.agree(&other_side(rows, row)).expect("not zero");
            answer.copy_from_slice(shared.as_bytes());
        }),
    ];
    let decompress = Offer::each("ed25519.decompress", "", |rows, row, answer| {
        let key = black_box(VerifyingKey::from_bytes(rows.publics.row(row)));
        answer[0] = key.is_ok().into();
    });
    let mut offers: Vec<Offer> = single.map(|offer| offer.on(single_backend())).into();
    offers.push(decompress.on(field_backend()));
    offers.extend(verify_columns(bulk, ALL_RULES));
    offers.extend(make_columns(bulk));
    offers.extend(x25519_columns(bulk));
    offers.extend(sigmill_ecdsa::offers());
    offers.extend(TWO_RULES.iter().map(|rule| verify_batches(bulk, rule)));
    offers.extend(TWO_RULES.iter().map(|rule| verify_prepared(bulk, rule)));
    offers.extend(TWO_RULES.iter().map(|rule| verify_on_two_threads(bulk, rule)));
    let backends = format!("{}, bulk {}", single_backend(), bulk_backend(bulk));
    Engine::new(locked_version("sigmill"), &backends, offers)
}

/// The backend of a single operation that uses lanes if there are eight.
fn single_backend() -> &'static str {
    match Backend::best() {
        Backend::Ifma => Backend::Ifma.name(),
        _ => field_backend(),
    }
}

/// Bulk verification in lanes, however many rows there are.
pub(crate) fn lanes() -> Loaded {
    let bulk = Bulk::new().with_strategy(Strategy::Lanes);
    if bulk.backend() == Backend::Portable {
        return Err("this CPU has no backend with lanes".into());
    }
    let offers = verify_columns(bulk, ALL_RULES);
    Ok(Engine::new(locked_version("sigmill"), bulk.backend().name(), offers))
}

/// An offer of an operation on columns, under what computes it.
fn in_bulk(bulk: Bulk, offer: Offer) -> Offer {
    offer.on(bulk_backend(bulk)).fewer_on(2, single_backend())
}

/// The same for verification, which begins to use lanes with another number of rows.
fn verified_in_bulk(bulk: Bulk, rule: &Rule, offer: Offer) -> Offer {
    let in_lanes = |n: &usize| bulk.strategy(rule, *n) != Strategy::Single;
    let few = (2..=LANES).find(in_lanes).unwrap_or(0);
    offer.on(bulk_backend(bulk)).fewer_on(few, single_backend())
}

/// The backend of bulk operations; without lanes, that of single ones.
fn bulk_backend(bulk: Bulk) -> &'static str {
    match bulk.backend() {
        Backend::Portable => field_backend(),
        backend => backend.name(),
    }
}

fn signing_key(rows: &Rows<'_>, row: usize) -> SigningKey {
    SigningKey::from_bytes(rows.secrets.row(row))
}

fn verifying_key(rows: &Rows<'_>, row: usize) -> VerifyingKey {
    VerifyingKey::from_bytes(rows.publics.row(row)).expect("a point")
}

fn static_secret(rows: &Rows<'_>, row: usize) -> StaticSecret {
    StaticSecret::from(*rows.secrets.row(row))
}

/// The public key of X25519 that a secret meets.
fn other_side(rows: &Rows<'_>, row: usize) -> PublicKey {
    let bytes: [u8; 32] = rows.messages.row(row).try_into().expect("32 bytes");
    PublicKey::from(bytes)
}

fn sign(key: &SigningKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let signature = key.sign_with(Variant::Pure, rows.messages.row(row));
    answer.copy_from_slice(&signature.to_bytes());
}

fn verify_raw(op: &str, rule: &'static Rule) -> Offer {
    Offer::each(op, rule.name(), |rows, row, answer| {
        let (key, signature) = (rows.publics.row::<32>(row), rows.signatures.row::<64>(row));
        let verdict = verify_bytes(rule, Variant::Pure, key, rows.messages.row(row), signature);
        answer[0] = verdict.is_valid().into();
    })
}

fn verify_parsed(op: &str, rule: &'static Rule) -> Offer {
    Offer::prepared(op, rule.name(), verifying_key, |key, rows, row, answer| {
        let signature = Signature::from_bytes(rows.signatures.row(row));
        let verdict = key.verify_with(rule, Variant::Pure, rows.messages.row(row), &signature);
        answer[0] = verdict.is_valid().into();
    })
}

/// `verify_batch` with the names of ed25519-dalek, on keys parsed beforehand.
fn verify_batches(bulk: Bulk, rule: &'static Rule) -> Offer {
    let keys = |rows: &Rows<'_>, _| {
        Some((0..rows.count).map(|row| verifying_key(rows, row)).collect::<Vec<_>>())
    };
    let op = "ed25519.batch_parsed";
    let offer = Offer::batch(op, rule.name(), keys, move |keys, rows, range, answers| {
        let messages: Vec<&[u8]> = rows.messages.rows(range.clone()).collect();
        let signatures = rows.signatures.bytes(range.clone()).as_chunks::<64>().0;
        let signatures: Vec<_> = signatures.iter().map(Signature::from_bytes).collect();
        let verdicts = verify_batch_with(rule, Variant::Pure, &messages, &signatures, &keys[range]);
        for (answer, verdict) in answers.iter_mut().zip(verdicts.expect("slices of one length")) {
            *answer = verdict.is_valid().into();
        }
    });
    verified_in_bulk(bulk, rule, offer)
}

/// Verification with prepared keys.
fn verify_prepared(bulk: Bulk, rule: &'static Rule) -> Offer {
    let state = move |rows: &Rows<'_>, n| {
        let keys = (0..rows.count).map(|row| PreparedKey::new(&verifying_key(rows, row)));
        let keys: Vec<PreparedKey> = keys.collect();
        Some((keys, vec![None; n], vec![Scratch::new(); bulk.scratch_len(n)]))
    };
    let op = "ed25519.batch_prepared";
    let offer = Offer::batch(op, rule.name(), state, move |state, rows, range, answers| {
        let (keys, outcomes, scratch) = state;
        let keys = Column::prepared(&keys[range.clone()], None, None).expect("no index");
        let table = with_keys(keys, rows, range, rule);
        bulk.verify_into(&table, outcomes, scratch).expect("memory and random bytes");
        write(outcomes, answers);
    });
    verified_in_bulk(bulk, rule, offer)
}

/// Verification of columns of bytes under each rule.
fn verify_columns(bulk: Bulk, rules: &[&'static Rule]) -> Vec<Offer> {
    let offer = |op, rule: &'static Rule| {
        let memory =
            move |_: &Rows<'_>, n| Some((vec![None; n], vec![Scratch::new(); bulk.scratch_len(n)]));
        let offer = Offer::batch(op, rule.name(), memory, move |memory, rows, range, answers| {
            let (outcomes, scratch) = memory;
            let table = table(rows, range, rule);
            bulk.verify_into(&table, outcomes, scratch).expect("memory and random bytes");
            write(outcomes, answers);
        });
        verified_in_bulk(bulk, rule, offer)
    };
    let ops = ["ed25519.batch_raw", "ed25519.batch_onekey"];
    ops.into_iter().flat_map(|op| rules.iter().map(move |rule| offer(op, rule))).collect()
}

/// The same on two threads.
fn verify_on_two_threads(bulk: Bulk, rule: &'static Rule) -> Offer {
    let op = "ed25519.batch_raw_2threads";
    let state = move |_: &Rows<'_>, n| {
        let pool = ThreadPoolBuilder::new().num_threads(2).build().ok()?;
        let specs = Specs::Same(Spec::ed25519(rule, Variant::Pure));
        let len = pool.install(|| bulk.parallel_scratch_len(n, &specs));
        Some((pool, vec![None; n], vec![Scratch::new(); len]))
    };
    let offer = Offer::batch(op, rule.name(), state, move |state, rows, range, answers| {
        let (pool, outcomes, scratch) = state;
        let table = table(rows, range, rule);
        pool.install(|| bulk.verify_parallel_into(&table, outcomes, scratch))
            .expect("memory and random bytes");
        write(outcomes, answers);
    });
    verified_in_bulk(bulk, rule, offer)
}

/// Signatures by key objects that were made beforehand, and public keys of seeds.
fn make_columns(bulk: Bulk) -> [Offer; 2] {
    let keys = |rows: &Rows<'_>, _| {
        Some((0..rows.count).map(|row| signing_key(rows, row)).collect::<Vec<_>>())
    };
    let sign = Offer::batch("ed25519.sign_bulk", "", keys, move |keys, rows, range, answers| {
        let (keys, messages) = (SigningKeys::Each(&keys[range.clone()]), messages(rows, range));
        let signatures = answers.as_chunks_mut::<64>().0;
        bulk.sign_into(keys, Variant::Pure, &messages, signatures).expect("columns of one length");
    });
    let nothing = |_: &Rows<'_>, _| Some(());
    let keygen =
        Offer::batch("ed25519.keygen_bulk", "", nothing, move |_, rows, range, answers| {
            let seeds = rows.secrets.bytes(range).as_chunks::<32>().0;
            let publics = answers.as_chunks_mut::<32>().0;
            bulk.public_keys_into(seeds, publics).expect("columns of one length");
        });
    [sign, keygen].map(|offer| in_bulk(bulk, offer))
}

/// X25519 with secrets that were made beforehand; the bytes of public keys are what they are.
fn x25519_columns(bulk: Bulk) -> [Offer; 2] {
    let secrets = |rows: &Rows<'_>| -> Vec<StaticSecret> {
        (0..rows.count).map(|row| static_secret(rows, row)).collect()
    };
    let memory = move |rows: &Rows<'_>, n| Some((secrets(rows), vec![PublicKey::from([0; 32]); n]));
    let base = Offer::batch("x25519.base_bulk", "", memory, move |memory, _, range, answers| {
        let (secrets, publics) = memory;
        bulk.x25519_public_keys_into(&secrets[range], publics).expect("columns of one length");
        for (answer, public) in answers.as_chunks_mut::<32>().0.iter_mut().zip(publics) {
            *answer = public.to_bytes();
        }
    });
    let memory = move |rows: &Rows<'_>, n| {
        let others: Vec<_> = (0..rows.count).map(|row| other_side(rows, row)).collect();
        let shared: Vec<Option<SharedSecret>> = (0..n).map(|_| None).collect();
        Some((secrets(rows), others, shared))
    };
    let shared =
        Offer::batch("x25519.shared_bulk", "", memory, move |memory, _, range, answers| {
            let (secrets, others, shared) = memory;
            let secrets = StaticSecrets::Each(&secrets[range.clone()]);
            bulk.x25519_into(secrets, &others[range], shared).expect("columns of one length");
            for (answer, shared) in answers.as_chunks_mut::<32>().0.iter_mut().zip(shared) {
                *answer = shared.as_ref().expect("not zero").to_bytes();
            }
        });
    [base, shared].map(|offer| in_bulk(bulk, offer))
}

fn table<'a>(rows: &Rows<'a>, range: Range<usize>, rule: &Rule) -> Table<'a> {
    let keys = Column::fixed(rows.publics.bytes(range.clone()), 32, range.len(), None);
    with_keys(keys.expect("keys"), rows, range, rule)
}

fn with_keys<'a>(keys: Column<'a>, rows: &Rows<'a>, range: Range<usize>, rule: &Rule) -> Table<'a> {
    let signatures = Column::fixed(rows.signatures.bytes(range.clone()), 64, range.len(), None);
    let (messages, signatures) = (messages(rows, range), signatures.expect("signatures"));
    let spec = Specs::Same(Spec::ed25519(rule, Variant::Pure));
    Table::new(keys, messages, signatures, spec).expect("columns of one length")
}

fn write(outcomes: &[Outcome], answers: &mut [u8]) {
    for (answer, outcome) in answers.iter_mut().zip(outcomes) {
        *answer = outcome.is_some_and(|verdict| verdict.is_valid()).into();
    }
}
