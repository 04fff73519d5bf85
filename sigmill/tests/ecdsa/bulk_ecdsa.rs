//! ECDSA in bulk gives the single verdict and reason, in every backend and by every strategy, whatever
//! company a row keeps.
//!
//! A backend that this CPU does not have is named on standard error and left out.

use sigmill::bulk::{Algorithm, Backend, Column, Engine, NULL_SPEC, Outcome, Spec, SpecSet, Specs};
use sigmill::bulk::{Report, Strategy, Table};
use sigmill::ecdsa::{Curve, Encoding, LowS, Prehash, Scheme, p256, p384};
use sigmill::ed25519::{self, Variant, rules};
use sigmill::{Reason, Verdict};

/// Key, message, signature.
#[derive(Clone, Debug)]
struct Row([Vec<u8>; 3]);

fn engines() -> Vec<Engine> {
    let mut engines = Vec::new();
    for backend in Backend::ALL {
        match Engine::new().with_backend(backend) {
            Ok(engine) => {
                engines.extend(Strategy::ALL.map(|strategy| engine.with_strategy(strategy)));
                engines.push(engine);
            }
            Err(error) => eprintln!("not run here: {error}"),
        }
    }
    engines
}

/// Verifies rows as one table.
fn verify(engine: &Engine, specs: Specs<'_>, rows: &[Row]) -> (Vec<Outcome>, Report) {
    let mut columns = [0; 3].map(|first| (Vec::new(), vec![first as i64]));
    for Row(values) in rows {
        for ((bytes, offsets), value) in columns.iter_mut().zip(values) {
            bytes.extend_from_slice(value);
            offsets.push(bytes.len() as i64);
        }
    }
    let [keys, messages, signatures] = columns
        .each_ref()
        .map(|(bytes, offsets)| Column::large_binary(offsets, bytes, None).unwrap());
    engine.verify(&Table::new(keys, messages, signatures, specs).unwrap()).unwrap()
}

fn secret(curve: Curve, number: u8) -> Vec<u8> {
    let mut bytes = vec![7; if curve == Curve::P256 { 32 } else { 48 }];
    bytes[9] = number;
    bytes
}

/// A signed row, its key compressed for odd numbers.
fn signed(scheme: &Scheme, number: u8) -> Row {
    let message = vec![number; usize::from(number) + 1];
    let secret = secret(scheme.curve, number);
    macro_rules! sign {
        ($curve:ident) => {{
            let key = $curve::SigningKey::from_slice(&secret).unwrap();
            let signature = key.sign_message(&message).normalize_s();
            let public = key.verifying_key();
            let public = match number % 2 {
                0 => public.to_sec1_bytes().to_vec(),
                _ => public.to_sec1_compressed().to_vec(),
            };
            (public, signature.to_bytes().to_vec(), signature.to_der().as_bytes().to_vec())
        }};
    }
    let (public, fixed, der) = match scheme.curve {
        Curve::P256 => sign!(p256),
        _ => sign!(p384),
    };
    Row([public, message, if scheme.encoding == Encoding::Der { der } else { fixed }])
}

/// What can be wrong with a signed row, by number; none is 0.
fn damaged(scheme: &Scheme, row: &Row, kind: usize) -> Row {
    let Row([mut key, mut message, mut signature]) = row.clone();
    let half = signature.len() / 2;
    match kind {
        1 => message[0] ^= 1,
        2 => *signature.last_mut().unwrap() ^= 1,
        3 => drop(signature.pop()),
        4 => drop(key.pop()),
        5 => key[0] = 6,
        6 if scheme.encoding == Encoding::Fixed => signature[..half].fill(0),
        7 if scheme.encoding == Encoding::Fixed => signature[half..].fill(0xff),
        8 => key.fill(0),
        9 => signature.fill(0),
        10 => (key, signature) = (Vec::new(), Vec::new()),
        // the key is G: u1·G and u2·Q are equal or opposite for digests that fit
        11 if scheme.prehash == Prehash::None => message.fill(0),
        _ => {}
    }
    Row([key, message, signature])
}

fn schemes() -> Vec<Scheme> {
    let mut schemes = Vec::new();
    for scheme in [Scheme::P256, Scheme::P384] {
        for encoding in [Encoding::Fixed, Encoding::Der] {
            for low_s in [LowS::Any, LowS::Required] {
                schemes.push(Scheme { encoding, low_s, ..scheme });
            }
        }
    }
    schemes
}

fn single(scheme: &Scheme, Row([key, message, signature]): &Row) -> Outcome {
    Some(scheme.verify(key, message, signature))
}

#[test]
fn each_kind_of_damage_at_each_position_of_a_group() {
    let engines = engines();
    // where there are no lanes, rows are verified one after the other
    let has_lanes = engines.iter().any(|engine| engine.backend() == Backend::Ifma);
    for (turn, scheme) in schemes().into_iter().enumerate() {
        let signed: Vec<Row> = (0..9).map(|number| signed(&scheme, number)).collect();
        let undamaged: Vec<Outcome> = signed.iter().map(|row| single(&scheme, row)).collect();
        let spec = Specs::Same(Spec::Ecdsa(scheme));
        for kind in 0..12 {
            // under all schemes together each position
            for position in (0..9).skip((kind + turn) % 3).step_by(if has_lanes { 3 } else { 4 }) {
                let (mut rows, mut expected) = (signed.clone(), undamaged.clone());
                rows[position] = damaged(&scheme, &signed[position], kind);
                expected[position] = single(&scheme, &rows[position]);
                let valid = expected.iter().filter(|row| row.unwrap().is_valid()).count();
                assert!(valid >= 8, "{scheme:?}, {kind}");
                for engine in &engines {
                    let (outcomes, report) = verify(engine, spec, &rows);
                    assert_eq!(outcomes, expected, "{engine:?}, {scheme:?}, {kind} at {position}");
                    assert_eq!(report.combined, 0);
                    assert_eq!(report.lanes + report.single, 9);
                }
            }
        }
    }
}

#[test]
fn lanes_are_used_where_there_are_some() {
    let rows: Vec<Row> = (0..20).map(|number| signed(&Scheme::P384, number)).collect();
    let spec = Specs::Same(Spec::Ecdsa(Scheme::P384));
    for engine in engines() {
        let (outcomes, report) = verify(&engine, spec, &rows);
        assert!(outcomes.iter().all(|outcome| outcome.unwrap().is_valid()));
        let single = format!("{engine:?}").contains("Single") || engine.backend() != Backend::Ifma;
        assert_eq!(report.lanes, if single { 0 } else { 20 }, "{engine:?}");
        let (outcomes, report) = verify(&engine, spec, &[]);
        assert_eq!((outcomes.len(), report), (0, Report::default()));
        assert_eq!(verify(&engine, spec, &rows[..1]).1.single, 1);
    }
}

/// Sums at infinity, and u1 = 0: for the first lanes have no answer, and the single formulas have.
#[test]
fn exceptional_rows_are_verified_alone() {
    let scheme = Scheme { prehash: Prehash::None, ..Scheme::P256 };
    let key =
        |number: u8| p256::SigningKey::from_slice(&[&[0; 31][..], &[number]].concat()).unwrap();
    let x_of = |number: u8| key(number).verifying_key().to_sec1_bytes()[1..33].to_vec();
    let signature = |r: &[u8], s: &[u8]| p256::Signature::from_slice(&[r, s].concat()).unwrap();
    // an r above n/2, so that n − r is at hand
    let number = (2..).find(|number| !signature(&x_of(*number), &x_of(*number)).is_low_s());
    let r = x_of(number.unwrap());
    let minus_r = signature(&r, &r).normalize_s().to_bytes()[32..].to_vec();
    let public = key(1).verifying_key().to_sec1_bytes().to_vec();
    let mut rows: Vec<Row> = (0..7)
        .map(|number| {
            let message = vec![number; 32];
            let signature = key(1).sign_digest_bytes(&message).unwrap().to_bytes().to_vec();
            Row([public.clone(), message, signature])
        })
        .collect();
    // s = r and e = −r: [−1]G + [1]G
    rows.insert(3, Row([public.clone(), minus_r, signature(&r, &r).to_bytes().to_vec()]));
    // s = r and e = r: [1]G + [1]G = 2·G, with its x as r
    let twice = x_of(2);
    let doubled = signature(&twice, &twice).to_bytes().to_vec();
    rows.push(Row([public.clone(), twice, doubled]));
    // e = 0: [0]G + [1]G
    let one = x_of(1);
    rows.push(Row([public, vec![0; 32], signature(&one, &one).to_bytes().to_vec()]));
    let expected: Vec<Outcome> = rows.iter().map(|row| single(&scheme, row)).collect();
    assert_eq!(expected[3], Some(Verdict::Invalid(Reason::Equation)));
    assert_eq!(expected[8..], [Some(Verdict::Valid); 2]);
    for engine in engines() {
        let (outcomes, report) = verify(&engine, Specs::Same(Spec::Ecdsa(scheme)), &rows);
        assert_eq!(outcomes, expected, "{engine:?}");
        assert!(report.single >= 1, "{engine:?}: {report:?}");
    }
}

#[test]
fn mixed_algorithms_in_one_table() {
    let mut set = SpecSet::new();
    let ed25519 = set.intern("ed25519", "common", "pure", &[]).unwrap();
    let specs = schemes().into_iter().map(|scheme| (set.intern_ecdsa(&scheme), scheme));
    let specs: Vec<(u32, Scheme)> = specs.collect();
    assert_eq!(set.intern_ecdsa(&specs[2].1), specs[2].0);
    let edwards_key = ed25519::SigningKey::from_bytes(&[5; 32]);
    let (mut rows, mut index, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..300_usize {
        let number = (i % 50) as u8;
        let (spec, row, outcome) = match i % 10 {
            0 => {
                let row = signed(&specs[0].1, number);
                (NULL_SPEC, row, None)
            }
            1 | 2 => {
                use ed25519::Signer;
                let message = vec![number; 5];
                let mut signature = edwards_key.sign(&message).to_bytes().to_vec();
                signature[40] ^= u8::from(i % 3 == 0);
                let public = edwards_key.verifying_key().to_bytes();
                let outcome = ed25519::verify_bytes(
                    &rules::COMMON,
                    Variant::Pure,
                    &public,
                    &message,
                    &signature,
                );
                (ed25519, Row([public.to_vec(), message, signature]), Some(outcome))
            }
            _ => {
                let (spec, scheme) = &specs[i % specs.len()];
                let row = damaged(scheme, &signed(scheme, number), i % 12);
                let outcome = single(scheme, &row);
                (*spec, row, outcome)
            }
        };
        rows.push(row);
        index.push(spec);
        expected.push(outcome);
    }
    let distinct = set.specs();
    assert_eq!(distinct[0].algorithm(), Algorithm::Ed25519);
    assert_eq!(distinct[specs[0].0 as usize].algorithm(), Algorithm::P256);
    assert_eq!(distinct[specs[7].0 as usize].algorithm(), Algorithm::P384);
    let valid = expected.iter().flatten().filter(|verdict| verdict.is_valid()).count();
    assert!((60..240).contains(&valid), "{valid}");
    for engine in engines() {
        let specs = Specs::PerRow { distinct: &distinct, index: &index };
        assert_eq!(verify(&engine, specs, &rows).0, expected, "{engine:?}");
    }
}
