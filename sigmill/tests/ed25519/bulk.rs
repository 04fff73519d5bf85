//! Bulk verification in every backend and by every strategy gives the single verdict, whatever company
//! a row keeps.
//!
//! A backend that this CPU does not have is named on standard error and left out. With
//! `SIGMILL_LONG=1` there are many more companies.

use crate::reference;
use crate::reference::Point;
use crate::vectors::{verify_vectors, word};
use num_bigint::BigUint;
use sigmill::bulk::{
    Backend, Bitmap, BulkError, Column, Engine, FailureRate, Indices, NULL_CODE, NULL_SPEC,
    Outcome, Progress, Report, Scratch, Spec, Specs, Strategy, Table,
};
use sigmill::ecdsa;
use sigmill::ed25519::{
    ContextString, PreparedKey, Signer, SigningKey, Variant, VerifyingKey, rules, verify_bytes,
};
use sigmill::{Reason, Verdict};
use std::collections::HashSet;

/// Every backend that can run here with every strategy; where the build has chosen another field for
/// one lane, with the strategy that ends in it.
fn engines() -> Vec<Engine> {
    let mut engines = Vec::new();
    for backend in Backend::ALL {
        match Engine::new().with_backend(backend) {
            Ok(engine) if sigmill::field_backend() == "u64x4" => {
                engines.extend(Strategy::ALL.map(|strategy| engine.with_strategy(strategy)));
                engines.push(engine);
            }
            Ok(engine) => engines.push(engine.with_strategy(Strategy::Combined)),
            Err(error) => eprintln!("not run here: {error}"),
        }
    }
    engines
}

fn name(engine: &Engine) -> String {
    format!("{engine:?}")
}

fn is_long() -> bool {
    std::env::var_os("SIGMILL_LONG").is_some()
}

/// How often a test with random companies is to be repeated.
fn rounds(short: usize) -> usize {
    if is_long() { 16 * short } else { short }
}

/// A row: key, message, signature, all three of any length.
type Row<'a> = (&'a [u8], &'a [u8], &'a [u8]);

/// Verifies rows as one table.
fn verify(engine: &Engine, spec: Spec<'_>, rows: &[Row<'_>]) -> (Vec<Outcome>, Report) {
    let mut columns = [0; 3].map(|first| (Vec::new(), vec![first as i64]));
    for (key, message, signature) in rows {
        for ((bytes, offsets), value) in columns.iter_mut().zip([key, message, signature]) {
            bytes.extend_from_slice(value);
            offsets.push(bytes.len() as i64);
        }
    }
    let [keys, messages, signatures] = columns
        .each_ref()
        .map(|(bytes, offsets)| Column::large_binary(offsets, bytes, None).unwrap());
    let table = Table::new(keys, messages, signatures, Specs::Same(spec)).unwrap();
    engine.verify(&table).expect("random bytes")
}

/// A generator good enough to mix rows; the seed makes a failure come again.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
}

#[test]
fn every_vector_among_good_rows_in_lanes_has_its_frozen_verdict() {
    every_vector_among_good_rows(Strategy::Lanes);
}

#[test]
fn every_vector_among_good_rows_in_one_equation_has_its_frozen_verdict() {
    every_vector_among_good_rows(Strategy::Combined);
}

fn every_vector_among_good_rows(strategy: Strategy) {
    let vectors = verify_vectors();
    let key = SigningKey::from_bytes(&[9; 32]);
    let (public, signature) = (key.verifying_key().to_bytes(), key.sign(b"good").to_bytes());
    let good: Row<'_> = (&public, b"good", &signature);
    for engine in engines() {
        // the vectors one by one are the matter of `verdicts.rs`; lanes are where positions matter
        if engine.strategy(&rules::COMMON, 64) != strategy {
            continue;
        }
        // each vector is alone in its group, of so many rows and at so many positions; under all rules together at all
        let (group, positions) = match (engine.backend(), strategy) {
            (Backend::Ifma, Strategy::Lanes) => (8, if is_long() { 8 } else { 2 }),
            (_, Strategy::Combined) => (3, 1),
            _ => continue,
        };
        for (rule, turn) in
            rules::ALL.into_iter().flat_map(|rule| (0..positions).map(move |t| (rule, t)))
        {
            for (part, vectors) in vectors.chunks(64).enumerate() {
                let position = (part + rule.id() as usize + turn * group / positions) % group;
                for variant in ["pure", "ctx", "ph"] {
                    let vectors: Vec<_> = vectors.iter().filter(|v| v.variant == variant).collect();
                    for vector in &vectors {
                        // contexts differ: a table for each but for pure, and no position in it
                        if variant != "pure" && turn == 0 {
                            let row = (&vector.key[..], &vector.message[..], &vector.signature[..]);
                            let spec = Spec::ed25519(rule, vector.variant());
                            let (outcomes, _) = verify(&engine, spec, &[row; 3]);
                            assert_eq!(
                                outcomes.map_words(),
                                [vector.expected(rule); 3],
                                "{} {rule} row {}",
                                name(&engine),
                                vector.id
                            );
                        }
                    }
                    if variant == "pure" {
                        let mut rows = vec![good; group * vectors.len()];
                        for (i, vector) in vectors.iter().enumerate() {
                            rows[group * i + position] =
                                (&vector.key, &vector.message, &vector.signature);
                        }
                        let spec = Spec::ed25519(rule, Variant::Pure);
                        let (outcomes, _) = verify(&engine, spec, &rows);
                        for (i, outcome) in outcomes.iter().enumerate() {
                            let (expected, id) = match i % group == position {
                                true => {
                                    (vectors[i / group].expected(rule), &vectors[i / group].id[..])
                                }
                                false => ("ok", "good"),
                            };
                            let got = outcome.map(word);
                            assert_eq!(got, Some(expected), "{} {rule} row {id}", name(&engine));
                        }
                    }
                }
            }
        }
    }
}

trait Words {
    fn map_words(&self) -> Vec<&'static str>;
}

impl Words for Vec<Outcome> {
    fn map_words(&self) -> Vec<&'static str> {
        self.iter().map(|outcome| outcome.map_or("null", word)).collect()
    }
}

#[test]
fn vectors_in_random_companies_have_their_frozen_verdicts() {
    let vectors: Vec<_> = verify_vectors().into_iter().filter(|v| v.variant == "pure").collect();
    let engines = engines();
    let mut random = Random(1);
    for round in 0..rounds(4) {
        for rule in rules::ALL {
            // companies of accepted rows only, with few others, and of anything
            let (accepted, refused): (Vec<_>, Vec<_>) =
                vectors.iter().partition(|v| v.expected(rule) == "ok");
            let mut company = Vec::new();
            for _ in 0..1 + random.below(200) {
                company.push(match round % 3 {
                    0 => accepted[random.below(accepted.len())],
                    1 if random.below(40) > 0 => accepted[random.below(accepted.len())],
                    1 => refused[random.below(refused.len())],
                    _ => &vectors[random.below(vectors.len())],
                });
            }
            let rows: Vec<Row<'_>> =
                company.iter().map(|v| (&v.key[..], &v.message[..], &v.signature[..])).collect();
            let expected: Vec<_> = company.iter().map(|v| v.expected(rule)).collect();
            for engine in &engines {
                let (outcomes, report) = verify(engine, Spec::ed25519(rule, Variant::Pure), &rows);
                assert_eq!(outcomes.map_words(), expected, "{} {rule} {round}", name(engine));
                assert_eq!(report.single + report.lanes + report.combined, rows.len());
            }
        }
    }
}

/// A key A = [a]B + [i]T and signatures with R = [r]B + [j]T, S = r + k·a, so that [S]B − [k]A − R is
/// −[k·i + j]T: only its torsion part can be other than zero.
struct Torsion {
    /// Of each i in 0..8: the key's encoding.
    keys: Vec<[u8; 32]>,
    /// Of each j: R's encoding.
    rs: Vec<[u8; 32]>,
}

const A: u32 = 123_456_789;
const R: u32 = 987_654_321;

impl Torsion {
    fn new() -> Self {
        let small = BigUint::from(7_u8);
        // [ℓ]P of a point of the whole group has order 8 for some P
        let generator = (2_u8..)
            .filter_map(|y| {
                Point::decode(&{
                    let mut bytes = [0; 32];
                    bytes[0] = y;
                    bytes
                })
            })
            .map(|(point, _)| point.times(&reference::order()))
            .find(|point| point.torsion_order() == 8)
            .expect("a point of order 8");
        assert!(!generator.times(&small).is_identity());
        let shifted = |secret: u32| {
            let mut point = Point::base().times(&BigUint::from(secret));
            (0..8)
                .map(|_| {
                    let bytes = point.encode();
                    point = point.add(&generator);
                    bytes
                })
                .collect()
        };
        Torsion { keys: shifted(A), rs: shifted(R) }
    }

    /// Signs so that the residual is −(k·i + j) times a point of order 8.
    fn sign(&self, i: usize, j: usize, message: &[u8]) -> ([u8; 32], [u8; 64], usize) {
        let (key, r) = (self.keys[i], self.rs[j]);
        let digest = reference::sha512(&[&r, &key, message]);
        let k = reference::integer(&digest) % reference::order();
        let s = (BigUint::from(R) + &k * BigUint::from(A)) % reference::order();
        let eighth = (k % 8_u8).to_u32_digits().first().copied().unwrap_or(0) as usize;
        (key, reference::signature(&r, &s), (eighth * i + j) % 8)
    }
}

type Signed = ([u8; 32], Vec<u8>, [u8; 64]);

/// Rows of each residual class 0 to 7, with every pair of torsion in A and R where it can occur.
fn classes() -> Vec<Vec<Signed>> {
    let torsion = Torsion::new();
    let mut classes = vec![Vec::new(); 8];
    for message in 0..40_u32 {
        for i in 0..8 {
            for j in 0..8 {
                let message = message.to_le_bytes();
                let (key, signature, class) = torsion.sign(i, j, &message);
                classes[class].push((key, message.to_vec(), signature));
            }
        }
    }
    classes
}

/// Verifies a company in every engine under every rule and compares with the single verdicts, which
/// are compared with what the residual classes say.
fn check_company(engines: &[Engine], company: &[(&Signed, usize)], note: &str) {
    let rows: Vec<Row<'_>> = company
        .iter()
        .map(|((key, message, signature), _)| (&key[..], &message[..], &signature[..]))
        .collect();
    for rule in
        [&rules::COMMON, &rules::STRICT, &rules::RFC8032_EXACT, &rules::LEGACY, &rules::ZIP215]
    {
        let expected: Vec<Outcome> = company
            .iter()
            .map(|(_, class)| {
                let cofactored = rule.equation() == rules::Equation::Cofactored;
                Some(match *class == 0 || cofactored {
                    true => Verdict::Valid,
                    false => Verdict::Invalid(Reason::Equation),
                })
            })
            .collect();
        let ((key, message, signature), _) = company[0];
        let single = verify_bytes(rule, Variant::Pure, key, message, signature);
        assert_eq!(Some(single), expected[0], "{note} {rule}");
        for engine in engines {
            let (outcomes, _) = verify(engine, Spec::ed25519(rule, Variant::Pure), &rows);
            assert_eq!(outcomes, expected, "{note} {rule} {}", name(engine));
        }
    }
}

#[test]
fn torsion_in_keys_and_signatures_never_depends_on_company() {
    let classes = classes();
    for class in &classes {
        assert!(class.len() > 100);
    }
    let engines: Vec<Engine> = engines();
    let mut random = Random(2);
    // the sets of classes whose sums cancel, among valid rows; above and below the number of slices
    let cancelling: [&[usize]; 10] = [
        &[4],
        &[4, 4],
        &[1, 7],
        &[2, 6],
        &[3, 5],
        &[2, 2, 4],
        &[1; 8],
        &[4; 8],
        &[1, 2, 4, 4, 5],
        &[],
    ];
    for n in [1, 8, 40, 128, 129, 200] {
        for bad in cancelling {
            if bad.len() > n {
                continue;
            }
            let mut company: Vec<(&Signed, usize)> = Vec::new();
            for i in 0..n {
                let class = bad.get(i).copied().unwrap_or(0);
                company.push((&classes[class][random.below(classes[class].len())], class));
            }
            for i in (1..n).rev() {
                company.swap(i, random.below(i + 1));
            }
            check_company(&engines, &company, &format!("{bad:?} among {n}"));
        }
    }
    // copies of one row: coefficients must differ by position
    for (class, copies) in [(4, 2), (1, 8), (2, 4), (4, 160), (1, 136)] {
        let company: Vec<_> = (0..copies).map(|_| (&classes[class][0], class)).collect();
        check_company(&engines, &company, &format!("{copies} copies of class {class}"));
    }
    // anything
    for round in 0..rounds(3) {
        let n = 1 + random.below(300);
        let company: Vec<_> = (0..n)
            .map(|_| {
                let class = if random.below(3) == 0 { random.below(8) } else { 0 };
                (&classes[class][random.below(classes[class].len())], class)
            })
            .collect();
        check_company(&engines, &company, &format!("random company {round}"));
    }
}

#[test]
fn torsion_is_no_reason_to_leave_rows_to_lanes() {
    // the combined equation only accepts: without its factor of 8 no verdict is wrong, but all the work
    // of these rows is left to lanes
    let classes = classes();
    let torsion: Vec<&Signed> =
        classes[1..].iter().flat_map(|class| class.iter().take(40)).collect();
    for engine in engines() {
        for n in [1, 40, 128, 129, 200] {
            let cancelled: Vec<&Signed> = classes[0].iter().take(n).collect();
            for (rule, company) in [
                (&rules::COMMON, &cancelled[..]),
                (&rules::ZIP215, &cancelled[..]),
                (&rules::ZIP215, &torsion[..n]),
            ] {
                let rows: Vec<Row<'_>> =
                    company.iter().map(|(k, m, s)| (&k[..], &m[..], &s[..])).collect();
                let (outcomes, report) = verify(&engine, Spec::ed25519(rule, Variant::Pure), &rows);
                let note = format!("{} {rule} {n}", name(&engine));
                assert_eq!(outcomes, vec![Some(Verdict::Valid); rows.len()], "{note}");
                let keys = company.iter().map(|(key, ..)| key).collect::<HashSet<_>>().len();
                if engine.strategy_with_keys(rule, n, keys) == Strategy::Combined {
                    assert_eq!(report, Report { combined: n, ..Report::default() }, "{note}");
                }
            }
        }
    }
}

#[test]
fn planted_rows_are_found_and_no_others() {
    // a whole chunk, and a short one
    let rows = if is_long() { 1 << 20 } else { 16384 + 77 };
    let keys: Vec<SigningKey> = (0..997_u32)
        .map(|i| SigningKey::from_bytes(&reference::bytes32(&BigUint::from(i))))
        .collect();
    let signed: Vec<Signed> = (0..rows)
        .map(|i| {
            let (key, message) = (&keys[i % keys.len()], vec![i as u8; i % 150]);
            (key.verifying_key().to_bytes(), message.clone(), key.sign(&message).to_bytes())
        })
        .collect();
    let mut random = Random(3);
    for (share, backend) in [
        (0, Backend::Ifma),
        (1, Backend::Ifma),
        (rows / 100, Backend::Ifma),
        (rows / 4, Backend::Ifma),
        (1, Backend::Avx2),
        (1, Backend::Simd128),
        (3, Backend::Portable),
    ] {
        let Ok(engine) = Engine::new().with_backend(backend) else {
            eprintln!("not run here: {backend}");
            continue;
        };
        let mut table = signed.clone();
        let mut planted = vec![false; rows];
        for _ in 0..share {
            let row = random.below(rows);
            planted[row] = true;
            match random.below(4) {
                0 => table[row].0 = [0; 32],
                1 => table[row].1.push(1),
                2 => table[row].2[random.below(32)] ^= 1 << random.below(8),
                _ => table[row].2[32 + random.below(31)] ^= 1 << random.below(8),
            }
        }
        let rows: Vec<Row<'_>> = table.iter().map(|(k, m, s)| (&k[..], &m[..], &s[..])).collect();
        for rule in [&rules::COMMON, &rules::ZIP215] {
            let (outcomes, report) = verify(&engine, Spec::ed25519(rule, Variant::Pure), &rows);
            for (row, (outcome, planted)) in outcomes.iter().zip(&planted).enumerate() {
                let (key, message, signature) = rows[row];
                // a row that was changed twice may be whole again
                let single = if *planted {
                    verify_bytes(rule, Variant::Pure, key, message, signature)
                } else {
                    Verdict::Valid
                };
                assert_eq!(*outcome, Some(single), "{backend} {rule} row {row}");
            }
            assert!(report.combined > 0, "{backend} {rule}: {report:?}");
        }
    }
}

/// Many wrong equations cost more in combinations than verifying one by one: they are seen in a sample of the rows. Its end
/// falls between the rows of one key.
#[test]
fn many_wrong_equations_are_seen_before_everything_is_combined() {
    const ROWS: usize = 16_384;
    const SAMPLE: usize = ROWS / 64;
    let keys: Vec<SigningKey> = (1..=97).map(|i| SigningKey::from_bytes(&[i; 32])).collect();
    let publics: Vec<[u8; 32]> = keys.iter().map(|key| key.verifying_key().to_bytes()).collect();
    let prepared: Vec<PreparedKey> =
        keys.iter().map(|key| PreparedKey::new(&key.verifying_key())).collect();
    let messages: Vec<[u8; 2]> = (0..ROWS).map(|i| (i as u16).to_le_bytes()).collect();
    // a key's rows are together and in order, however they are given
    let key_of = |row: usize| row % keys.len();
    let place = |row: usize| key_of(row) * ROWS.div_ceil(keys.len()) + row / keys.len();
    let mut by_place: Vec<usize> = (0..ROWS).collect();
    by_place.sort_by_key(|row| place(*row));
    let signed: Vec<[u8; 64]> =
        (0..ROWS).map(|i| keys[key_of(i)].sign(&messages[i]).to_bytes()).collect();
    // which are wrong, in that order, and how many are combined at most and at least
    let cases = [
        (0..0, ROWS, ROWS),
        (0..ROWS, 0, 0),
        (SAMPLE - 8..SAMPLE, SAMPLE, 0),
        (SAMPLE - 1..SAMPLE, ROWS - 1, 0),
        (SAMPLE..SAMPLE + 1, ROWS - 1, ROWS / 2),
    ];
    for (wrong, most, least) in cases {
        let mut signatures = signed.clone();
        let mut expected = vec![Verdict::Valid; ROWS];
        for row in &by_place[wrong] {
            signatures[*row][32] ^= 1;
            expected[*row] = Verdict::Invalid(Reason::Equation);
        }
        let [public, message, signature]: [Vec<&[u8]>; 3] = [
            (0..ROWS).map(|i| &publics[key_of(i)][..]).collect(),
            messages.iter().map(|message| &message[..]).collect(),
            signatures.iter().map(|signature| &signature[..]).collect(),
        ];
        let numbers: Vec<u32> = (0..ROWS).map(|row| key_of(row) as u32).collect();
        let columns = [
            Column::slices(&public),
            Column::prepared(&prepared, Some(Indices::U32(&numbers)), None).unwrap(),
        ];
        let [slices, prepared] = columns;
        let (common, zip215) = (&rules::COMMON, &rules::ZIP215);
        let mut cases = vec![(slices, common), (prepared, common), (prepared, zip215)];
        if is_long() {
            cases.push((slices, zip215));
        }
        for (keys, rule) in cases {
            let spec = Specs::Same(Spec::ed25519(rule, Variant::Pure));
            let columns = [&message, &signature].map(|rows| Column::slices(rows));
            let table = Table::new(keys, columns[0], columns[1], spec).unwrap();
            for backend in Backend::ALL {
                let Ok(engine) = Engine::new().with_backend(backend) else { continue };
                let (outcomes, report) = engine.verify(&table).unwrap();
                for (row, (outcome, expected)) in outcomes.iter().zip(&expected).enumerate() {
                    assert_eq!(*outcome, Some(*expected), "{backend} {rule} row {row}: {report:?}");
                }
                let combined = report.combined;
                assert!((least..=most).contains(&combined), "{backend} {rule}: {report:?}");
                assert_eq!(report.single + report.lanes + combined, ROWS);
            }
        }
    }
}

/// Rows of a table that are verified after others are combined in parts where those have shown that many are invalid: no verdict
/// depends on it, not even one that only torsion decides.
#[test]
fn a_rate_that_other_rows_have_shown_changes_no_verdict() {
    const ROWS: usize = 600;
    let classes = classes();
    let mut random = Random(3);
    for rule in [&rules::COMMON, &rules::ZIP215] {
        let mut rows: Vec<Signed> = Vec::new();
        let mut expected = Vec::new();
        for row in 0..ROWS {
            // every class of torsion, and a wrong S in one row of 300
            let class = if random.below(100) == 0 { random.below(8) } else { 0 };
            let mut signed = classes[class][random.below(classes[class].len())].clone();
            let wrong = row % 300 == 77;
            signed.2[32] ^= u8::from(wrong);
            let exact = rule.equation() == rules::Equation::Exact;
            expected.push(Some(match wrong || class != 0 && exact {
                true => Verdict::Invalid(Reason::Equation),
                false => Verdict::Valid,
            }));
            rows.push(signed);
        }
        let rows: Vec<Row<'_>> = rows.iter().map(|(k, m, s)| (&k[..], &m[..], &s[..])).collect();
        let columns = slices_of(&rows);
        let [keys, messages, signatures] = columns.each_ref().map(|rows| Column::slices(rows));
        let spec = Specs::Same(Spec::ed25519(rule, Variant::Pure));
        for engine in engines() {
            let rate = FailureRate::new();
            let table = Table::new(keys, messages, signatures, spec).unwrap();
            let table = table.with_failure_rate(&rate);
            let mut last = Report::default();
            for round in 0..10 {
                let (outcomes, report) = engine.verify(&table).unwrap();
                for (row, (outcome, expected)) in outcomes.iter().zip(&expected).enumerate() {
                    assert_eq!(outcome, expected, "{rule} {} {round} row {row}", name(&engine));
                }
                last = report;
            }
            if engine.strategy(rule, ROWS) == Strategy::Combined {
                assert!(last.combined > 32, "{} {last:?}", name(&engine));
            }
        }
    }
}

#[test]
fn few_keys_are_recognised_and_change_nothing() {
    let key = |i: u8| SigningKey::from_bytes(&[i; 32]);
    let signed: Vec<Signed> = (0..300_usize)
        .map(|i| {
            let key = key(match i % 7 {
                0..4 => 0,
                4..6 => 1,
                _ => i as u8,
            });
            let message = vec![i as u8; i % 40];
            let mut signature = key.sign(&message).to_bytes();
            if i % 50 == 49 {
                signature[40] ^= 1;
            }
            (key.verifying_key().to_bytes(), message, signature)
        })
        .collect();
    let rows: Vec<Row<'_>> = signed.iter().map(|(k, m, s)| (&k[..], &m[..], &s[..])).collect();
    for rule in rules::ALL {
        let expected: Vec<Outcome> = rows
            .iter()
            .map(|(key, message, signature)| {
                Some(verify_bytes(rule, Variant::Pure, key, message, signature))
            })
            .collect();
        for engine in engines() {
            let (outcomes, _) = verify(&engine, Spec::ed25519(rule, Variant::Pure), &rows);
            assert_eq!(outcomes, expected, "{rule} {}", name(&engine));
        }
    }
}

#[test]
fn a_combination_needs_its_memory_and_does_without_it() {
    let key = SigningKey::from_bytes(&[9; 32]);
    let (public, signature) = (key.verifying_key().to_bytes(), key.sign(b"good").to_bytes());
    for engine in engines() {
        for (rule, n) in [&rules::COMMON, &rules::ZIP215]
            .into_iter()
            .flat_map(|rule| [2, 20, 128, 129, 300, 700, 1023, 1024].map(|n| (rule, n)))
        {
            if engine.backend() != Backend::best() && n > 300 {
                continue;
            }
            let rows: Vec<Row<'_>> = vec![(&public, b"good", &signature); n];
            let (outcomes, report) = verify(&engine, Spec::ed25519(rule, Variant::Pure), &rows);
            assert_eq!(outcomes, vec![Some(Verdict::Valid); n]);
            let expected = match engine.strategy_with_keys(rule, n, 1) {
                Strategy::Lanes => Report { lanes: n, ..Report::default() },
                Strategy::Combined => Report { combined: n, ..Report::default() },
                _ => Report { single: n, ..Report::default() },
            };
            assert_eq!(report, expected, "{} {rule} {n}", name(&engine));
        }
    }
    assert_eq!(Engine::new().strategy(&rules::COMMON, 1), Strategy::Single);
}

#[test]
fn few_rows_beside_full_lanes_are_verified_alone() {
    // a key of its own for each row: those that occur often have tables, one row after the other
    let signed: Vec<_> = (0..19)
        .map(|i| {
            let key = SigningKey::from_bytes(&[i; 32]);
            let good = key.sign(b"good").to_bytes();
            let mut bad = good;
            bad[63] |= 0x80;
            (key.verifying_key().to_bytes(), good, bad)
        })
        .collect();
    for backend in [Backend::Simd128, Backend::Avx2, Backend::Ifma] {
        let Ok(engine) = Engine::new().with_backend(backend) else { continue };
        let lanes = if backend == Backend::Ifma { 8 } else { 4 };
        let few = 2;
        for n in 1..=2 * lanes + 3 {
            let mut rows: Vec<Row<'_>> = signed[..n]
                .iter()
                .map(|(key, good, _)| (&key[..], &b"good"[..], &good[..]))
                .collect();
            rows[n - 1].2 = &signed[n - 1].2;
            let spec = Spec::ed25519(&rules::COMMON, Variant::Pure);
            let (outcomes, report) = verify(&engine, spec, &rows);
            let mut expected = vec![Some(Verdict::Valid); n];
            expected[n - 1] = Some(Verdict::Invalid(Reason::SOutOfRange));
            assert_eq!(outcomes, expected, "{backend} {n}");
            let single = if n % lanes <= few { n % lanes } else { 0 };
            let expected = Report { single, lanes: n - single, ..Report::default() };
            assert_eq!(report, expected, "{backend} {n}");
        }
    }
}

/// Goes on with a table until it is done or so many steps were taken, each with the work that `work` says: the report if
/// it is done, and the steps.
fn in_steps(
    engine: &Engine,
    table: &Table<'_>,
    (codes, scratch): (&mut [u8], &mut [Scratch]),
    most: usize,
    mut work: impl FnMut() -> usize,
) -> (Option<Report>, usize) {
    let (mut progress, mut steps) = (Progress::new(), 0);
    while steps < most {
        steps += 1;
        let done =
            engine.verify_codes_step(table, 0, codes, scratch, &mut progress, work()).unwrap();
        if done.is_some() {
            return (done, steps);
        }
    }
    (None, steps)
}

/// Verifies a table at once, and in steps of one, many and any additions, in memory in which others were given up: the
/// codes, which are the same each time.
fn check_steps(engine: &Engine, table: &Table<'_>, random: &mut Random, note: &str) -> Vec<u8> {
    let mut scratch = vec![Scratch::new(); engine.scratch_len(table.len()).max(720)];
    let mut expected = vec![0; table.len()];
    let report = engine.verify_codes_into(table, &mut expected, &mut scratch).unwrap();
    let mut codes = vec![0; table.len()];
    let (done, steps) = in_steps(engine, table, (&mut codes, &mut scratch), !0, || 0);
    assert_eq!((done, &codes), (Some(report), &expected), "{note}, smallest steps");
    assert!(steps > table.len() / 64, "{note}: {steps} steps");
    for most in [5000, usize::MAX] {
        let given_up = random.below(steps + 1);
        codes.fill(0);
        in_steps(engine, table, (&mut codes, &mut scratch), given_up, || random.below(2000));
        let places = (&mut codes[..], &mut scratch[..]);
        let (done, _) = in_steps(engine, table, places, !0, || match most {
            usize::MAX => most,
            most => random.below(most),
        });
        assert_eq!((done, &codes), (Some(report), &expected), "{note}, {most} after {given_up}");
    }
    expected
}

#[test]
fn steps_of_every_size_give_the_verdicts_of_one_call() {
    let classes = classes();
    let mut random = Random(11);
    for rule in rules::ALL {
        for engine in engines() {
            // few enough for each Q to be tested, enough for slices, and for halves of halves
            let sizes: &[usize] = match engine.strategy(rule, 1) {
                Strategy::Combined => &[20, 128, 129, 420],
                _ if rule.id() > 1 => &[],
                _ => &[70],
            };
            for (turn, &n) in sizes.iter().enumerate() {
                // nothing wrong; torsion; what bytes show; a wrong equation
                for bad in 0..4 {
                    let chosen = [rules::COMMON.id(), rules::ZIP215.id()].contains(&rule.id());
                    if (turn + bad + usize::from(rule.id())) % 4 != 0 && !(chosen && n == 129) {
                        continue;
                    }
                    let mut signed: Vec<Signed> = (0..n)
                        .map(|i| classes[0][(7 * i + turn) % classes[0].len()].clone())
                        .collect();
                    let row = random.below(n);
                    match bad {
                        0 => {}
                        1 => signed[row] = classes[1 + random.below(7)][0].clone(),
                        2 => {
                            signed[row].0 = [0x77; 32];
                            signed[(row + 1) % n].2[32..].fill(0xff);
                            signed[(row + 2) % n].2[..32].fill(0xff);
                        }
                        _ => signed[row].1.push(1),
                    }
                    let mut rows: Vec<Row<'_>> =
                        signed.iter().map(|(k, m, s)| (&k[..], &m[..], &s[..])).collect();
                    rows[0].0 = &rows[0].0[..31];
                    let [keys, messages, signatures] = slices_of(&rows);
                    let table = Table::new(
                        Column::slices(&keys),
                        Column::slices(&messages),
                        Column::slices(&signatures),
                        Specs::Same(Spec::ed25519(rule, Variant::Pure)),
                    )
                    .unwrap();
                    let note = format!("{} {rule} {n} {bad}", name(&engine));
                    let codes = check_steps(&engine, &table, &mut random, &note);
                    for (code, (key, message, signature)) in codes.iter().zip(&rows) {
                        let single = verify_bytes(rule, Variant::Pure, key, message, signature);
                        assert_eq!(*code, single.code(), "{note}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_steps_have_learnt_of_the_rate_is_a_number() {
    const ROWS: usize = 600;
    let classes = classes();
    let good: Vec<Signed> =
        (0..ROWS).map(|i| classes[0][7 * i % classes[0].len()].clone()).collect();
    let mut bad = good.clone();
    bad.iter_mut().for_each(|row| row.2[32] ^= 1);
    for engine in engines() {
        let verified = |signed: &[Signed], rate: u64| {
            let rows: Vec<Row<'_>> =
                signed.iter().map(|(k, m, s)| (&k[..], &m[..], &s[..])).collect();
            let columns = slices_of(&rows);
            let [keys, messages, signatures] = columns.each_ref().map(|rows| Column::slices(rows));
            let spec = Specs::Same(Spec::ed25519(&rules::ZIP215, Variant::Pure));
            let table = Table::new(keys, messages, signatures, spec).unwrap();
            let (mut progress, mut codes) = (Progress::with_rate(rate), vec![0; ROWS]);
            assert_eq!(progress.rate(), rate);
            let mut scratch = vec![Scratch::new(); engine.scratch_len(ROWS)];
            for steps in 1.. {
                let places = (&mut codes[..], &mut scratch[..]);
                let done = engine
                    .verify_codes_step(&table, 0, places.0, places.1, &mut progress, 300)
                    .unwrap();
                if done.is_some() {
                    return (codes, steps, progress.rate());
                }
            }
            unreachable!()
        };
        let all_bad = [Reason::Equation.code(); ROWS];
        let (codes, unknown, rate) = verified(&bad, 0);
        assert_eq!(codes, all_bad, "{}", name(&engine));
        let (codes, known, _) = verified(&bad, rate);
        assert_eq!(codes, all_bad, "{}", name(&engine));
        if engine.strategy(&rules::ZIP215, ROWS) == Strategy::Combined {
            // the whole is not combined in vain
            assert!(known < unknown, "{}: {known} steps, {unknown} before", name(&engine));
        }
        for rate in [rate, u64::MAX, 1, 1 << 32, 0xffff_ffff, 0xdead_beef_0000_1234] {
            assert_eq!(verified(&good, rate).0, [0; ROWS], "{} {rate:x}", name(&engine));
        }
    }
}

#[test]
fn steps_with_arguments_of_another_length_are_errors() {
    const ROWS: usize = 64;
    let classes = classes();
    let rows: Vec<Row<'_>> = classes[0]
        .iter()
        .cycle()
        .take(ROWS + 1)
        .map(|(k, m, s)| (&k[..], &m[..], &s[..]))
        .collect();
    let columns = slices_of(&rows);
    let table = |rows: usize| {
        let [keys, messages, signatures] =
            columns.each_ref().map(|column| Column::slices(&column[..rows]));
        let spec = Specs::Same(Spec::ed25519(&rules::ZIP215, Variant::Pure));
        Table::new(keys, messages, signatures, spec).unwrap()
    };
    let needed_rows = |what, expected, got| Err(BulkError::Rows { what, expected, got });
    for engine in engines() {
        let len = engine.scratch_len(ROWS) + 1;
        let (mut codes, mut scratch) = ([0; ROWS + 1], vec![Scratch::new(); len + 1]);
        let mut progress = Progress::new();
        // the arguments and the engine of the first step, and what differs in another one
        let mut step = |engine: &Engine, rows: usize, first, codes_len, scratch_len, work| {
            let (codes, scratch) = (&mut codes[..codes_len], &mut scratch[..scratch_len]);
            engine.verify_codes_step(&table(rows), first, codes, scratch, &mut progress, work)
        };
        assert_eq!(step(&engine, ROWS, 0, ROWS, len, 1), Ok(None));
        let needed = needed_rows("table", ROWS, ROWS + 1);
        assert_eq!(step(&engine, ROWS + 1, 0, ROWS, len, 1), needed);
        let needed = needed_rows("table before `first`", 0, 1);
        assert_eq!(step(&engine, ROWS, 1, ROWS - 1, len, 1), needed);
        let needed = needed_rows("code buffer", ROWS, ROWS - 1);
        assert_eq!(step(&engine, ROWS, 0, ROWS - 1, len, 1), needed);
        let (what, expected, got) = ("scratch memory", len, len - 1);
        let needed = Err(BulkError::BufferLength { what, expected, got });
        assert_eq!(step(&engine, ROWS, 0, ROWS, len - 1, 1), needed);
        // a later step may have more scratch memory, and its engine does not count
        for other in engines().iter().cycle() {
            if step(other, ROWS, 0, ROWS, len + 1, 1).unwrap().is_some() {
                break;
            }
        }
        let mut expected = [0; ROWS];
        engine.verify_codes_into(&table(ROWS), &mut expected, &mut scratch).unwrap();
        assert_eq!(codes[..ROWS], expected, "{}", name(&engine));
    }
}

#[test]
fn steps_cross_specs_nulls_and_chunks() {
    let classes = classes();
    let mut random = Random(12);
    let ctx = ContextString::new(b"context").unwrap();
    let distinct = [
        Spec::ed25519(&rules::COMMON, Variant::Pure),
        Spec::ed25519(&rules::ZIP215, Variant::Pure),
        Spec::ed25519(&rules::STRICT, Variant::Ctx(ctx)),
        Spec::ed25519_prehashed(&rules::COMMON, ctx),
        Spec::Ecdsa(ecdsa::Scheme::P256),
    ];
    for rows in [600, 16384 + 300] {
        let signed: Vec<&Signed> =
            (0..rows).map(|i| &classes[i % 50 / 49][i % classes[0].len().min(100)]).collect();
        let rows: Vec<Row<'_>> = signed.iter().map(|(k, m, s)| (&k[..], &m[..], &s[..])).collect();
        let [keys, messages, signatures] = slices_of(&rows);
        let (mut offsets, mut bytes) = (vec![0], Vec::new());
        for signature in &signatures {
            bytes.extend_from_slice(signature);
            offsets.push(bytes.len() as i64);
        }
        let valid: Vec<u8> = (0..rows.len().div_ceil(8)).map(|i| !(1 << (i % 9)) as u8).collect();
        let index: Vec<u32> = (0..rows.len())
            .map(|i| match random.below(40) {
                0 => NULL_SPEC,
                1 => 2 + i as u32 % 3,
                spec => u32::from(spec < 20),
            })
            .collect();
        let table = Table::new(
            Column::slices(&keys),
            Column::slices(&messages),
            Column::large_binary(&offsets, &bytes, Some(Bitmap::new(&valid, 0))).unwrap(),
            Specs::PerRow { distinct: &distinct, index: &index },
        )
        .unwrap();
        let engines = engines();
        let engines = if rows.len() > 1000 { &engines[engines.len() - 1..] } else { &engines[..] };
        for engine in engines {
            let codes = check_steps(engine, &table, &mut random, &name(engine));
            for (i, code) in codes.iter().enumerate() {
                let null = index[i] == NULL_SPEC || valid[i / 8] >> (i % 8) & 1 == 0;
                assert_eq!(*code == NULL_CODE, null, "{} row {i}", name(engine));
            }
            assert!(codes.contains(&0) && codes.iter().any(|code| ![0, NULL_CODE].contains(code)));
        }
    }
}

fn slices_of<'a>(rows: &[Row<'a>]) -> [Vec<&'a [u8]>; 3] {
    [
        rows.iter().map(|row| row.0).collect(),
        rows.iter().map(|row| row.1).collect(),
        rows.iter().map(|row| row.2).collect(),
    ]
}

#[test]
fn prepared_keys_give_the_same_verdicts() {
    let vectors: Vec<_> = verify_vectors()
        .into_iter()
        .filter(|v| v.variant == "pure" && VerifyingKey::decode(&v.key).is_ok())
        .collect();
    let keys: Vec<_> = vectors
        .iter()
        .map(|v| PreparedKey::new(&VerifyingKey::decode(&v.key).expect("it decodes")))
        .collect();
    let mut random = Random(7);
    for engine in engines() {
        for rule in rules::ALL {
            for len in [1, 2, 7, 8, 9, 16, 17, 40, 150, 700] {
                let picked: Vec<u16> =
                    (0..len).map(|_| random.below(vectors.len()) as u16).collect();
                let of = |i: &u16| &vectors[usize::from(*i)];
                let (mut messages, mut offsets) = (Vec::new(), vec![0_i32]);
                for i in &picked {
                    messages.extend_from_slice(&of(i).message);
                    offsets.push(messages.len() as i32);
                }
                let (mut signatures, mut ends) = (Vec::new(), vec![0_i32]);
                for i in &picked {
                    signatures.extend_from_slice(&of(i).signature);
                    ends.push(signatures.len() as i32);
                }
                let keys = Column::prepared(&keys, Some(Indices::U16(&picked)), None).unwrap();
                let messages = Column::binary(&offsets, &messages, None).unwrap();
                let signatures = Column::binary(&ends, &signatures, None).unwrap();
                let specs = Specs::Same(Spec::ed25519(rule, Variant::Pure));
                let table = Table::new(keys, messages, signatures, specs).unwrap();
                let (outcomes, _) = engine.verify(&table).expect("random bytes");
                for (outcome, i) in outcomes.iter().zip(&picked) {
                    let (expected, id) = (of(i).expected(rule), &of(i).id);
                    let got = outcome.map(word);
                    assert_eq!(got, Some(expected), "{} {rule} {id}", name(&engine));
                }
            }
        }
    }
    let past = [0, keys.len() as u16];
    let error = Column::prepared(&keys, Some(Indices::U16(&past)), None).unwrap_err();
    assert_eq!(error, BulkError::Index { row: 1 });
}
