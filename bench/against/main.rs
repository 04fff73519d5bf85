//! Two builds of the library in one process; see `run`.

use std::hint::black_box;
use std::time::Instant;

/// An operation: its name, the rows of one call, and the call.
type Operation = (String, usize, Box<dyn FnMut()>);

/// Keys and rows of the largest batch.
const ROWS: usize = 1024;
/// Keys of ECDSA and prepared keys.
const FEWER: usize = 256;
/// A slot calls an operation for about this long.
const SLOT_NS: u128 = 400_000;

/// State that lives as long as the program.
fn kept<T>(values: impl IntoIterator<Item = T>) -> &'static [T] {
    Vec::leak(values.into_iter().collect())
}

fn message(i: usize) -> [u8; 32] {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&(i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    bytes
}

/// Calls with 0, 1, …, `rows` − 1, in turns.
fn each(name: &str, rows: usize, mut call: impl FnMut(usize) + 'static) -> Operation {
    let mut i = 0;
    let call = move || {
        i = (i + 1) % rows;
        call(i);
    };
    (name.to_owned(), 1, Box::new(call))
}

macro_rules! library {
    ($library:ident, $module:ident) => {
        mod $module {
            use super::*;
            use ::$library::bulk::{
                Column, Engine, Scratch, SigningKeys, Spec, Specs, StaticSecrets, Table,
            };
            use ::$library::cpu::{Feature, force};
            use ::$library::ed25519::{
                PreparedKey, Signature, SigningKey, Variant, rules, verify_bytes,
            };
            use ::$library::x25519::{PublicKey, SharedSecret, StaticSecret};

            pub(super) fn hide(class: usize) {
                match class {
                    0 => force(&Feature::ALL),
                    1 => force(&[Feature::Adx, Feature::Avx2]),
                    _ => force(&[]),
                }
            }

            fn fixed(bytes: &[u8], rows: usize) -> Column<'_> {
                Column::fixed(bytes, bytes.len() / rows, rows, None).unwrap()
            }

            /// Verification of a table by the engine of the class.
            fn verified(name: String, rows: usize, table: Table<'static>) -> Operation {
                let (mut outcomes, mut scratch) = (vec![None; rows], Vec::new());
                let call = move || {
                    let engine = Engine::new();
                    scratch.resize(engine.scratch_len(rows), Scratch::new());
                    engine.verify_into(&table, &mut outcomes, &mut scratch).unwrap();
                    assert!(outcomes.iter().all(|outcome| outcome.unwrap().is_valid()));
                };
                (name, rows, Box::new(call))
            }

            pub(super) fn operations() -> Vec<Operation> {
                let mut all = ed25519();
                all.extend(x25519());
                all.extend(p256::operations());
                all.extend(p384::operations());
                all
            }

            fn ed25519() -> Vec<Operation> {
                let seeds = kept((0..ROWS).map(message));
                let keys = kept(seeds.iter().map(SigningKey::from_bytes));
                let messages = kept((0..ROWS).flat_map(message));
                let publics = kept(keys.iter().flat_map(|key| key.verifying_key().to_bytes()));
                let parsed = kept(keys.iter().map(|key| key.verifying_key().clone()));
                let prepared = kept(parsed[..FEWER].iter().map(PreparedKey::new));
                let sign = |i: usize| keys[i].sign_with(Variant::Pure, &message(i));
                let signatures = kept((0..ROWS).flat_map(|i| sign(i).to_bytes()));
                let parts = |i: usize| {
                    (&messages.as_chunks::<32>().0[i], &signatures.as_chunks::<64>().0[i])
                };
                let (common, pure) = (&rules::COMMON, Variant::Pure);
                let mut all = vec![
                    each("ed25519 keygen", ROWS, |i| {
                        black_box(SigningKey::from_bytes(&seeds[i]));
                    }),
                    each("ed25519 sign", ROWS, move |i| {
                        black_box(keys[i].sign_with(pure, parts(i).0));
                    }),
                    each("ed25519 verify from bytes", ROWS, move |i| {
                        let key = &publics.as_chunks::<32>().0[i];
                        assert!(verify_bytes(common, pure, key, parts(i).0, parts(i).1).is_valid());
                    }),
                    each("ed25519 verify", ROWS, move |i| {
                        let signature = Signature::from_bytes(parts(i).1);
                        assert!(
                            parsed[i].verify_with(common, pure, parts(i).0, &signature).is_valid()
                        );
                    }),
                    each("ed25519 prepare a key", ROWS, |i| {
                        black_box(PreparedKey::new(&parsed[i]));
                    }),
                    each("ed25519 verify, prepared", FEWER, move |i| {
                        let signature = Signature::from_bytes(parts(i).1);
                        assert!(
                            prepared[i]
                                .verify_with(common, pure, parts(i).0, &signature)
                                .is_valid()
                        );
                    }),
                ];
                let table = |keys, rows, rule| {
                    let spec = Specs::Same(Spec::ed25519(rule, pure));
                    let (messages, signatures) = (&messages[..32 * rows], &signatures[..64 * rows]);
                    Table::new(keys, fixed(messages, rows), fixed(signatures, rows), spec).unwrap()
                };
                for rule in [common, &rules::ZIP215] {
                    for rows in [8, 64, ROWS] {
                        let keys = fixed(&publics[..32 * rows], rows);
                        all.push(verified(
                            format!("ed25519 {rows} rows, {rule}"),
                            rows,
                            table(keys, rows, rule),
                        ));
                    }
                }
                let keys_of_64 = Column::prepared(&prepared[..64], None, None).unwrap();
                all.push(verified(
                    "ed25519 64 rows, prepared".into(),
                    64,
                    table(keys_of_64, 64, common),
                ));
                for rows in [8, FEWER] {
                    let mut made = vec![[0; 64]; rows];
                    let sign = move || {
                        let messages = fixed(&messages[..32 * rows], rows);
                        let keys = SigningKeys::Each(&keys[..rows]);
                        Engine::new().sign_into(keys, pure, &messages, &mut made).unwrap();
                    };
                    all.push((format!("ed25519 sign {rows} rows"), rows, Box::new(sign)));
                    let mut made = vec![[0; 32]; rows];
                    let keygen =
                        move || Engine::new().public_keys_into(&seeds[..rows], &mut made).unwrap();
                    all.push((format!("ed25519 keygen {rows} rows"), rows, Box::new(keygen)));
                }
                all
            }

            fn x25519() -> Vec<Operation> {
                let secrets = kept((0..ROWS).map(|i| StaticSecret::from(message(i))));
                let publics = kept(secrets.iter().map(PublicKey::from));
                let mut shared: Vec<Option<SharedSecret>> = (0..FEWER).map(|_| None).collect();
                let mut made = vec![PublicKey::from([0; 32]); FEWER];
                let agree = move || {
                    let secrets = StaticSecrets::Each(&secrets[..FEWER]);
                    Engine::new().x25519_into(secrets, &publics[1..=FEWER], &mut shared).unwrap();
                };
                let keygen = move || {
                    Engine::new().x25519_public_keys_into(&secrets[..FEWER], &mut made).unwrap();
                };
                vec![
                    each("x25519 keygen", ROWS, |i| {
                        black_box(PublicKey::from(&secrets[i]));
                    }),
                    each("x25519 agree", ROWS, |i| {
                        black_box(secrets[i].agree(&publics[(i + 1) % ROWS]).unwrap().to_bytes());
                    }),
                    (format!("x25519 agree {FEWER} rows"), FEWER, Box::new(agree)),
                    (format!("x25519 keygen {FEWER} rows"), FEWER, Box::new(keygen)),
                ]
            }

            macro_rules! curve {
                ($curve:ident, $width:literal, $hash:ident, $scheme:ident) => {
                    mod $curve {
                        use super::*;
                        use ::$library::ecdsa::$curve::{Signature, SigningKey, VerifyingKey};
                        use ::$library::ecdsa::{LowS, Prehash, Scheme};

                        const NAME: &str = stringify!($curve);

                        fn secret(i: usize) -> [u8; $width] {
                            let mut bytes = [0x11; $width];
                            bytes[4..12].copy_from_slice(&message(i)[..8]);
                            bytes
                        }

                        pub(super) fn operations() -> Vec<Operation> {
                            let key = |i| SigningKey::from_slice(&secret(i)).unwrap();
                            let keys: &[SigningKey] = kept((0..FEWER).map(key));
                            let parsed: &[VerifyingKey] =
                                kept(keys.iter().map(|key| key.verifying_key().clone()));
                            let messages = kept((0..FEWER).flat_map(message));
                            let sign = |i: usize| keys[i].sign_message(&message(i));
                            let signatures: &[Signature] = kept((0..FEWER).map(sign));
                            let publics =
                                kept(parsed.iter().flat_map(|key| key.to_sec1_bytes().to_vec()));
                            let bytes =
                                kept(signatures.iter().flat_map(|it| it.to_bytes().to_vec()));
                            let mut all = vec![
                                each(&format!("{NAME} keygen"), FEWER, |i| {
                                    let key = SigningKey::from_slice(&secret(i)).unwrap();
                                    black_box(key.verifying_key().to_sec1_bytes());
                                }),
                                each(&format!("{NAME} sign"), FEWER, |i| {
                                    black_box(keys[i].sign_message(&message(i)));
                                }),
                                each(&format!("{NAME} verify"), FEWER, |i| {
                                    let verdict = parsed[i].verify_with(
                                        LowS::Any,
                                        &message(i),
                                        &signatures[i],
                                    );
                                    assert!(verdict.is_valid());
                                }),
                            ];
                            for rows in [16, FEWER] {
                                let part = |bytes: &'static [u8]| {
                                    fixed(&bytes[..bytes.len() / FEWER * rows], rows)
                                };
                                let spec = Specs::Same(Spec::Ecdsa(Scheme::$scheme));
                                let table =
                                    Table::new(part(publics), part(messages), part(bytes), spec);
                                all.push(verified(
                                    format!("{NAME} {rows} rows"),
                                    rows,
                                    table.unwrap(),
                                ));
                            }
                            let mut made = vec![[0; 2 * $width]; FEWER];
                            let sign = move || {
                                let messages = fixed(messages, FEWER);
                                Engine::new()
                                    .sign_ecdsa_into(
                                        SigningKeys::Each(keys),
                                        Prehash::$hash,
                                        &messages,
                                        &mut made,
                                    )
                                    .unwrap();
                            };
                            all.push((format!("{NAME} sign {FEWER} rows"), FEWER, Box::new(sign)));
                            all
                        }
                    }
                };
            }
            curve!(p256, 32, Sha256, P256);
            curve!(p384, 48, Sha384, P384);
        }
    };
}

library!(old, before);
library!(new, after);

/// Nanoseconds of a call, after one that is not timed.
fn slot(call: &mut dyn FnMut(), times: u128) -> f64 {
    call();
    let start = Instant::now();
    (0..times).for_each(|_| call());
    start.elapsed().as_nanos() as f64 / times as f64
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let rounds: usize = arguments[1].parse().expect("a number");
    for (class, name) in ["as it is", "without AVX-512", "without AVX2 and ADX"].iter().enumerate()
    {
        before::hide(class);
        after::hide(class);
        println!("{name}");
        for (mut old, mut new) in before::operations().into_iter().zip(after::operations()) {
            if !old.0.contains(&arguments[2]) {
                continue;
            }
            let start = Instant::now();
            (old.2)();
            let times = (SLOT_NS / start.elapsed().as_nanos().max(1)).max(1);
            let mut taken = [Vec::new(), Vec::new()];
            for round in 0..rounds {
                // neither is always the one that comes first
                for which in [round % 2, 1 - round % 2] {
                    let call = if which == 0 { &mut old.2 } else { &mut new.2 };
                    taken[which].push(slot(call, times));
                }
            }
            let [before, after] = taken.map(|mut times| {
                times.sort_by(f64::total_cmp);
                times[rounds / 5] / old.1 as f64
            });
            println!("{}\t{before}\t{after}", old.0);
        }
    }
}
