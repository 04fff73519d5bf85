//! Bulk verification as other languages call it: values that lie anywhere, a byte for each row, parts of
//! a table, digests in the place of messages, entropy from the caller.
//!
//! A backend that this CPU does not have is named on standard error and left out.

use crate::reference::sha512;
use crate::vectors::{Vector, verify_vectors, word};
use sigmill::bulk::{
    BulkError, Column, Engine, Indices, NULL_CODE, NULL_SPEC, Outcome, Rows, Scratch, SigningKeys,
    Spec, Specs, Strategy, Table,
};
use sigmill::ed25519::{
    ContextString, PreparedKey, Rule, Signature, SigningKey, Variant, VerifyingKey, rules,
    verify_prehashed_bytes,
};
use sigmill::{Reason, Verdict};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Every backend that can run here by its own choice of strategy, and the best by each.
fn engines() -> Vec<Engine> {
    let mut engines = crate::engines::engines();
    engines.extend(Strategy::ALL.map(|strategy| Engine::new().with_strategy(strategy)));
    engines
}

/// Values with nulls among them, each in memory of its own.
struct Anywhere(Vec<Option<Vec<u8>>>);

impl Rows for Anywhere {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.0[row].as_deref()
    }
}

/// Every vector under every rule in a mixed order, with a null now and then in each place.
struct Mixed {
    vectors: Vec<Vector>,
    order: Vec<(usize, &'static Rule)>,
}

/// Which place of a row is null, if one is.
fn null_of(row: usize) -> Option<usize> {
    [3, 5, 7, 9].into_iter().position(|place| row % 97 == place)
}

impl Mixed {
    fn new() -> Self {
        let vectors = verify_vectors();
        let order = (0..vectors.len())
            .flat_map(|i| rules::ALL.into_iter().enumerate().map(move |(j, rule)| (i, j, rule)))
            .map(|(i, j, rule)| ((i * 577 + j * 91) % vectors.len(), rule))
            .collect();
        Mixed { vectors, order }
    }

    fn column(&self, place: usize, value: impl Fn(&Vector) -> &Vec<u8>) -> Anywhere {
        let values = self.order.iter().enumerate().map(|(row, (i, _))| {
            (null_of(row) != Some(place)).then(|| value(&self.vectors[*i]).clone())
        });
        Anywhere(values.collect())
    }

    fn columns(&self) -> [Anywhere; 3] {
        [
            self.column(0, |v| &v.key),
            self.column(1, |v| &v.message),
            self.column(2, |v| &v.signature),
        ]
    }

    fn specs(&self) -> (Vec<Spec<'_>>, Vec<u32>) {
        let (mut distinct, mut index): (Vec<Spec<'_>>, _) = (Vec::new(), Vec::new());
        for (row, (i, rule)) in self.order.iter().enumerate() {
            let spec = Spec::ed25519(rule, self.vectors[*i].variant());
            let found = distinct.iter().position(|other| *other == spec);
            let number = found.unwrap_or(distinct.len()) as u32;
            index.push(if null_of(row) == Some(3) { NULL_SPEC } else { number });
            if found.is_none() {
                distinct.push(spec);
            }
        }
        (distinct, index)
    }

    /// The frozen word on a row.
    fn expected(&self, row: usize) -> Option<&str> {
        let (i, rule) = self.order[row];
        null_of(row).is_none().then(|| self.vectors[i].expected(rule))
    }

    fn check(&self, note: &str, outcomes: &[Outcome]) {
        assert_eq!(outcomes.len(), self.order.len());
        for (row, outcome) in outcomes.iter().enumerate() {
            let (i, rule) = self.order[row];
            let id = &self.vectors[i].id;
            assert_eq!(outcome.map(word), self.expected(row), "{note}, row {row} ({id}) {rule}");
        }
    }
}

#[test]
fn rows_anywhere_and_dictionaries_of_them_have_the_frozen_verdicts() {
    let mixed = Mixed::new();
    let [keys, messages, signatures] = mixed.columns();
    let [keys, messages, signatures] = [&keys, &messages, &signatures].map(|v| Column::rows(v));
    assert_eq!((keys.len(), keys.get(3), keys.get(keys.len())), (mixed.order.len(), None, None));
    let (distinct, index) = mixed.specs();
    let specs = Specs::PerRow { distinct: &distinct, index: &index };
    let table = Table::new(keys, messages, signatures, specs).unwrap();
    // a dictionary that turns the keys round twice
    let back: Vec<u32> = (0..keys.len() as u32).rev().collect();
    let turned = Anywhere(back.iter().map(|i| keys.get(*i as usize).map(<[u8]>::to_vec)).collect());
    let turned = Column::rows(&turned);
    let keys = Column::dictionary(Indices::U32(&back), &turned, None).unwrap();
    let by_dictionary = Table::new(keys, messages, signatures, specs).unwrap();
    for engine in engines() {
        mixed.check(&format!("{engine:?}"), &engine.verify(&table).expect("random bytes").0);
    }
    let (outcomes, _) = Engine::new().verify(&by_dictionary).expect("random bytes");
    mixed.check("by dictionary", &outcomes);
    #[cfg(feature = "rayon")]
    mixed.check("parallel", &Engine::new().verify_parallel(&table).expect("random bytes").0);
    #[cfg(feature = "rayon")]
    for threads in [1, 2, 3] {
        let pool = rayon_core::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        // with two threads each engine, else the one that a program gets
        let engines = if threads == 2 { engines() } else { vec![Engine::new()] };
        pool.install(|| {
            for engine in &engines {
                verify_with_memory_of_the_caller(&mixed, engine, &table, &specs, threads);
            }
        });
    }
    let past = [0, 5, keys.len() as u32];
    let error = Column::dictionary(Indices::U32(&past), &turned, None).unwrap_err();
    assert_eq!(error, BulkError::Index { row: 2 });
}

/// As many scratch memories as the engine asks for give the frozen verdicts; one less or another number of outcomes is an
/// error that leaves these as they are.
#[cfg(feature = "rayon")]
fn verify_with_memory_of_the_caller(
    mixed: &Mixed,
    engine: &Engine,
    table: &Table<'_>,
    specs: &Specs<'_>,
    threads: usize,
) {
    let rows = table.len();
    let len = engine.parallel_scratch_len(rows, specs);
    let mut scratch = vec![Scratch::new(); len + 1];
    let mut outcomes = vec![None; rows];
    let (_, report) = engine.verify_parallel(table).expect("random bytes");
    // more than is asked for, once
    let most = if threads == 3 { len + 1 } else { len };
    for len in len..=most {
        let scratch = &mut scratch[..len];
        outcomes.fill(None);
        let again = engine.verify_parallel_into(table, &mut outcomes, scratch).expect("random");
        mixed.check(&format!("{threads} threads, {engine:?}"), &outcomes);
        assert_eq!(report, again);
    }
    let marked = vec![Some(Verdict::Valid); rows + 1];
    for (outcomes_len, scratch_len, error) in [
        (
            rows,
            len - 1,
            BulkError::BufferLength { what: "scratch memory", expected: len, got: len - 1 },
        ),
        (rows, 0, BulkError::BufferLength { what: "scratch memory", expected: len, got: 0 }),
        (rows - 1, len, BulkError::Rows { what: "outcome buffer", expected: rows, got: rows - 1 }),
        (rows + 1, len, BulkError::Rows { what: "outcome buffer", expected: rows, got: rows + 1 }),
    ] {
        let mut outcomes = marked.clone();
        let (outcomes, scratch) = (&mut outcomes[..outcomes_len], &mut scratch[..scratch_len]);
        assert_eq!(engine.verify_parallel_into(table, outcomes, scratch), Err(error));
        assert!(outcomes.iter().all(|outcome| *outcome == Some(Verdict::Valid)));
    }
}

/// What a word is as a byte.
/// Runs a test on the table of all rows of [`Mixed`].
fn with_mixed_table(test: impl FnOnce(&Mixed, &Table<'_>)) {
    let mixed = Mixed::new();
    let [keys, messages, signatures] = mixed.columns();
    let [keys, messages, signatures] = [&keys, &messages, &signatures].map(|v| Column::rows(v));
    let (distinct, index) = mixed.specs();
    let specs = Specs::PerRow { distinct: &distinct, index: &index };
    let table = Table::new(keys, messages, signatures, specs).unwrap();
    test(&mixed, &table);
}

fn code(word: Option<&str>) -> u8 {
    match word {
        None => NULL_CODE,
        Some("ok") => 0,
        Some(name) => Reason::ALL.iter().find(|reason| reason.name() == name).unwrap().code(),
    }
}

#[test]
fn codes_of_tables_and_of_their_parts_are_the_frozen_verdicts() {
    with_mixed_table(|mixed, table| {
        let rows = table.len();
        let expected: Vec<u8> = (0..rows).map(|row| code(mixed.expected(row))).collect();
        assert!([0, NULL_CODE, 1, 10].iter().all(|code| expected.contains(code)));
        for engine in engines() {
            let mut scratch = vec![Scratch::new(); engine.scratch_len(rows)];
            let mut codes = vec![0; rows];
            let report = engine.verify_codes_into(table, &mut codes, &mut scratch).unwrap();
            assert!(codes == expected, "{engine:?}");
            let nulls = (0..rows).filter(|row| null_of(*row).is_some()).count();
            assert_eq!(report.single + report.lanes + report.combined, rows - nulls, "{engine:?}");
            for (first, end) in [
                (0, 1),
                (0, 0),
                (3, 4),
                (7, 20),
                (255, 513),
                (rows - 1, rows),
                (rows, rows),
                (5, 2222),
            ] {
                let mut codes = vec![0; end - first];
                let mut scratch = vec![Scratch::new(); engine.scratch_len(codes.len())];
                engine.verify_codes_of(table, first, &mut codes, &mut scratch).unwrap();
                assert!(codes == expected[first..end], "{engine:?} {first}..{end}");
            }
        }
    });
}

#[test]
fn codes_say_nothing_good_where_there_is_an_error() {
    let key = SigningKey::from_bytes(&[3; 32]);
    let (public, signature) = (key.verifying_key().to_bytes(), key.sign_with(Variant::Pure, b"m"));
    let (keys, signatures) = (public.repeat(40), signature.to_bytes().repeat(40));
    let table = Table::new(
        Column::fixed(&keys, 32, 40, None).unwrap(),
        Column::fixed(&[b'm'; 40], 1, 40, None).unwrap(),
        Column::fixed(&signatures, 64, 40, None).unwrap(),
        Specs::Same(Spec::ed25519(&rules::STRICT, Variant::Pure)),
    )
    .unwrap();
    let engine = Engine::new();
    let mut scratch = vec![Scratch::new(); engine.scratch_len(41)];
    for (first, len) in [(0, 41), (1, 40), (40, 1), (41, 0), (usize::MAX, 2), (usize::MAX, 0)] {
        let mut codes = vec![0; len];
        let (expected, got) = (first.saturating_add(len), 40);
        assert_eq!(
            engine.verify_codes_of(&table, first, &mut codes, &mut scratch),
            Err(BulkError::Rows { what: "table", expected, got })
        );
        assert!(codes.iter().all(|code| *code == NULL_CODE));
    }
    for got in [0, 39, 41] {
        let mut codes = vec![0; got];
        assert_eq!(
            engine.verify_codes_into(&table, &mut codes, &mut scratch),
            Err(BulkError::Rows { what: "code buffer", expected: 40, got })
        );
        assert!(codes.iter().all(|code| *code == NULL_CODE));
    }
    let (expected, got) = (engine.scratch_len(40), engine.scratch_len(40) - 1);
    let mut codes = [0; 40];
    assert_eq!(
        engine.verify_codes_into(&table, &mut codes, &mut scratch[..got]),
        Err(BulkError::BufferLength { what: "scratch memory", expected, got })
    );
    assert_eq!(codes, [NULL_CODE; 40]);
    assert!(engine.verify_codes_into(&table, &mut codes, &mut scratch).is_ok());
    assert_eq!(codes, [0; 40]);
}

#[test]
fn entropy_changes_no_verdict() {
    with_mixed_table(|mixed, table| {
        let engine = Engine::new().with_strategy(Strategy::Combined);
        for engine in
            [engine.with_entropy([0; 32]), engine.with_entropy([0xa5; 32]), engine.deterministic()]
        {
            let (outcomes, report) = engine.verify(table).expect("no random bytes are wanted");
            mixed.check(&format!("{engine:?}"), &outcomes);
            assert!(report.combined > 100);
            assert!(!format!("{engine:?}").contains("165"), "no entropy is shown");
        }
    });
}

#[test]
fn digests_in_the_place_of_messages_have_the_verdicts_of_their_messages() {
    let vectors: Vec<_> = verify_vectors().into_iter().filter(|v| v.variant == "ph").collect();
    assert!(vectors.len() > 30);
    let context_of = |v: &Vector| match v.variant() {
        Variant::Ph(context) => context.as_bytes().to_vec(),
        _ => unreachable!("the others are left out"),
    };
    let contexts: Vec<Vec<u8>> = vectors.iter().map(context_of).collect();
    let digests: Vec<[u8; 64]> = vectors.iter().map(|v| sha512(&[&v.message])).collect();
    let mut specs = Vec::new();
    for rule in rules::ALL {
        for ((v, context), digest) in vectors.iter().zip(&contexts).zip(&digests) {
            let context = ContextString::new(context).unwrap();
            let verify = |key: &[u8], digest: &[u8], signature: &[u8]| {
                word(verify_prehashed_bytes(rule, context, key, digest, signature))
            };
            let expected = v.expected(rule);
            assert_eq!(verify(&v.key, digest, &v.signature), expected, "{rule} {}", v.id);
            if let (Ok(key), Ok(signature)) =
                (VerifyingKey::decode(&v.key), Signature::try_from(&v.signature[..]))
            {
                let got = key.verify_prehashed_with(rule, context, digest, &signature);
                assert_eq!(word(got), expected, "{rule} {}", v.id);
                let key = PreparedKey::new(&key);
                let got = key.verify_prehashed_with(rule, context, digest, &signature);
                assert_eq!(word(got), expected, "prepared, {rule} {}", v.id);
            }
            // lengths come first, that of the digest last of them
            let long = [&digest[..], &[0]].concat();
            let off_curve = [2, 0].repeat(16);
            for wrong in [&long[..], &digest[..63], &[]] {
                assert_eq!(verify(&off_curve, wrong, &[0; 64]), "digest_length");
                assert_eq!(verify(&off_curve, wrong, &[0; 63]), "signature_length");
                assert_eq!(verify(&[0; 31], wrong, &[0; 63]), "key_length");
            }
            specs.push(Spec::ed25519_prehashed(rule, context));
        }
    }
    // all of them in one table, every fifth with a digest that is none
    let rows = specs.len();
    let index: Vec<u32> = (0..rows as u32).collect();
    let of = |row: usize| &vectors[row % vectors.len()];
    let keys: Vec<&[u8]> = (0..rows).map(|row| &of(row).key[..]).collect();
    let signatures: Vec<&[u8]> = (0..rows).map(|row| &of(row).signature[..]).collect();
    let len = |row: usize| if row % 5 == 4 { row % 64 } else { 64 };
    let given: Vec<&[u8]> =
        (0..rows).map(|row| &digests[row % vectors.len()][..len(row)]).collect();
    let specs = Specs::PerRow { distinct: &specs, index: &index };
    let [keys, given, signatures] = [&keys, &given, &signatures].map(|v| Column::slices(v));
    let table = Table::new(keys, given, signatures, specs).unwrap();
    for engine in engines() {
        let (outcomes, _) = engine.verify(&table).expect("random bytes");
        for (row, outcome) in outcomes.iter().enumerate() {
            let expected = match of(row).expected(rules::ALL[row / vectors.len()]) {
                length @ ("key_length" | "signature_length") => length,
                _ if row % 5 == 4 => "digest_length",
                other => other,
            };
            assert_eq!(outcome.map(word), Some(expected), "{engine:?} row {row}");
        }
    }
}

#[test]
fn many_digests_of_one_context_are_verified_together() {
    const ROWS: usize = 330;
    let context = ContextString::new(b"many").unwrap();
    let keys: Vec<SigningKey> = (0..7).map(|i| SigningKey::from_bytes(&[i; 32])).collect();
    let prepared: Vec<_> = keys.iter().map(|key| PreparedKey::new(&key.verifying_key())).collect();
    let index: Vec<u8> = (0..ROWS).map(|row| (row % 7) as u8).collect();
    let message = |row: usize| vec![row as u8; row % 200];
    let signature = |row: usize| keys[row % 7].sign_with(Variant::Ph(context), &message(row));
    let bad = |row: usize| row % 50 == 17;
    let digests: Vec<u8> = (0..ROWS)
        .flat_map(|row| {
            let mut digest = sha512(&[&message(row)]);
            digest[row % 64] ^= u8::from(bad(row));
            digest
        })
        .collect();
    let signatures: Vec<u8> = (0..ROWS).flat_map(|row| signature(row).to_bytes()).collect();
    let publics: Vec<u8> =
        (0..ROWS).flat_map(|row| keys[row % 7].verifying_key().to_bytes()).collect();
    for keys in [
        Column::fixed(&publics, 32, ROWS, None).unwrap(),
        Column::prepared(&prepared, Some(Indices::U8(&index)), None).unwrap(),
    ] {
        let table = Table::new(
            keys,
            Column::fixed(&digests, 64, ROWS, None).unwrap(),
            Column::fixed(&signatures, 64, ROWS, None).unwrap(),
            Specs::Same(Spec::ed25519_prehashed(&rules::STRICT, context)),
        )
        .unwrap();
        for engine in engines() {
            let (outcomes, _) = engine.verify(&table).expect("random bytes");
            for (row, outcome) in outcomes.into_iter().enumerate() {
                let expected =
                    if bad(row) { Verdict::Invalid(Reason::Equation) } else { Verdict::Valid };
                assert_eq!(outcome, Some(expected), "{engine:?} row {row}");
            }
        }
    }
}

/// Values that are another one whenever they are asked for.
struct Restless {
    values: Vec<Vec<u8>>,
    asked: AtomicUsize,
    /// Whether there are nulls and wrong lengths among them.
    wild: bool,
}

impl Restless {
    fn new(values: Vec<Vec<u8>>, wild: bool) -> Self {
        Restless { values, asked: AtomicUsize::new(0), wild }
    }
}

impl Rows for Restless {
    fn len(&self) -> usize {
        300
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let value = &self.values[asked % self.values.len()];
        match (asked * 31 + row) % 11 {
            0 if self.wild => None,
            1 if self.wild => value.get(1..),
            _ => Some(value),
        }
    }
}

#[test]
fn rows_that_answer_otherwise_each_time_do_no_harm() {
    let key = SigningKey::from_bytes(&[3; 32]);
    let public = key.verifying_key().to_bytes().to_vec();
    let messages = vec![vec![5; 70], vec![6; 70], vec![7; 70]];
    let signed = |message: &Vec<u8>| key.sign_with(Variant::Pure, message).to_bytes().to_vec();
    let signatures: Vec<Vec<u8>> = messages.iter().map(signed).collect();
    let distinct = [
        Spec::ed25519(&rules::ZIP215, Variant::Pure),
        Spec::ed25519_prehashed(&rules::COMMON, ContextString::EMPTY),
        Spec::Ecdsa(sigmill::ecdsa::Scheme::P256),
    ];
    let index: Vec<u32> = (0..300).map(|row| row / 100).collect();
    for engine in engines() {
        let keys = Restless::new(vec![public.clone(), vec![4; 32], vec![2; 32]], true);
        let texts = Restless::new(messages.clone(), true);
        let made = Restless::new(signatures.clone(), true);
        let [keys, texts, made] = [&keys, &texts, &made].map(|v| Column::rows(v));
        for specs in [
            Specs::Same(distinct[0]),
            Specs::Same(distinct[1]),
            Specs::PerRow { distinct: &distinct, index: &index },
        ] {
            let table = Table::new(keys, texts, made, specs).unwrap();
            let (outcomes, _) = engine.verify(&table).expect("random bytes");
            assert_eq!(outcomes.len(), 300);
        }
        // each signature is that of a message that was there, whole
        let texts = Restless::new(messages.clone(), false);
        let texts = Column::rows(&texts);
        let rows: Vec<u16> = (0..300).collect();
        let by_dictionary = Column::dictionary(Indices::U16(&rows), &texts, None).unwrap();
        for column in [texts, by_dictionary] {
            let mut made = vec![[0; 64]; 300];
            engine.sign_into(SigningKeys::One(&key), Variant::Pure, &column, &mut made).unwrap();
            assert!(made.iter().all(|one| signatures.iter().any(|other| other == one)));
            #[cfg(feature = "rayon")]
            {
                let keys = SigningKeys::One(&key);
                let made = engine.sign_parallel(keys, Variant::Pure, &column).unwrap();
                assert!(made.iter().all(|one| signatures.iter().any(|other| other == one)));
            }
        }
    }
}

/// Rows that take no memory may be more than memory has places: an error says so.
#[test]
fn more_rows_than_memory_has_places() {
    let key = SigningKey::from_bytes(&[7; 32]);
    for rows in [usize::MAX, usize::MAX / 2, usize::MAX >> 8] {
        let empty = Column::fixed(b"", 0, rows, None).unwrap();
        let specs = Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure));
        let table = Table::new(empty, empty, empty, specs).unwrap();
        let no_memory = BulkError::Memory { rows };
        let engine = Engine::new();
        assert_eq!(engine.verify(&table).unwrap_err(), no_memory);
        assert_eq!(engine.verify_parallel(&table).unwrap_err(), no_memory);
        let (one, pure) = (SigningKeys::One(&key), Variant::Pure);
        assert_eq!(engine.sign_parallel(one, pure, &empty).unwrap_err(), no_memory);
        assert_eq!(engine.sign_checked_parallel(one, pure, &empty).unwrap_err(), no_memory);
        let p256 = sigmill::ecdsa::p256::SigningKey::from_slice(&[7; 32]).unwrap();
        let (one, hash) = (SigningKeys::One(&p256), sigmill::ecdsa::Prehash::Sha256);
        assert_eq!(engine.sign_ecdsa_parallel(one, hash, &empty).unwrap_err(), no_memory);
    }
}
