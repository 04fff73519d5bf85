//! Scratch memory that is shorter than `scratch_len` asks for: an error that says which rows it was for.
//! The source of coefficients, and an engine without anything random.

use super::*;
use crate::Verdict;
use crate::bulk::results::{Report, Results};
use crate::bulk::{Column, Spec, Specs, Table};
use crate::ed25519::{Signer, SigningKey, Variant, rules};
use std::string::ToString;

#[test]
fn scratch_memory_that_runs_out_is_named_with_its_rows() {
    const ROWS: usize = 300;
    let key = SigningKey::from_bytes(&[7; 32]);
    let keys = key.verifying_key().to_bytes().repeat(ROWS);
    let signatures = key.sign(b"m").to_bytes().repeat(ROWS);
    let messages = [b'm'; ROWS];
    let table = Table::new(
        Column::fixed(&keys, 32, ROWS, None).unwrap(),
        Column::fixed(&messages, 1, ROWS, None).unwrap(),
        Column::fixed(&signatures, 64, ROWS, None).unwrap(),
        Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure)),
    )
    .unwrap();
    let mut scratch = std::vec![Scratch::new(); scratch_len(ROWS)];
    let mut few_were_too_few = 0;
    for strategy in Strategy::ALL {
        let engine = Engine::new().with_strategy(strategy);
        for len in (0..scratch.len()).step_by(3) {
            let (mut outcomes, mut report) = ([None; ROWS - 20], Report::default());
            let results = Results::Outcomes(&mut outcomes);
            match engine.run_chunk(
                &table,
                20,
                results,
                &mut scratch[..len],
                (&mut report, &mut Rate::default()),
            ) {
                Ok(()) => assert!(
                    outcomes.iter().all(|outcome| outcome.is_some_and(Verdict::is_valid)),
                    "{strategy} {len}"
                ),
                Err(error) => {
                    few_were_too_few += 1;
                    assert_eq!(error, BulkError::ScratchExhausted { row: 20, rows: ROWS - 20 });
                    assert_eq!(
                        error.to_string(),
                        "scratch memory ran out while 280 rows from row 20 on were verified"
                    );
                }
            }
        }
    }
    assert!(few_were_too_few > 0);
}

#[test]
fn entropy_comes_from_where_the_caller_says() {
    let engine = Engine::new();
    let drawn = [engine.entropy(), engine.entropy()].map(|bytes| bytes.unwrap().unwrap());
    assert_ne!(drawn[0], drawn[1], "the system is asked each time");
    assert_eq!(engine.with_entropy([9; 32]).entropy(), Ok(Some([9; 32])));
    assert_eq!(engine.deterministic().entropy(), Ok(None));
    assert_eq!(engine.deterministic().with_entropy([9; 32]).entropy(), Ok(Some([9; 32])));
    assert_eq!(engine.with_entropy([9; 32]).deterministic().entropy(), Ok(None));
}

#[test]
fn without_anything_random_nothing_is_combined_and_nobody_is_told_otherwise() {
    const ROWS: usize = 1000;
    let key = SigningKey::from_bytes(&[7; 32]);
    let keys = key.verifying_key().to_bytes().repeat(ROWS);
    let mut signatures = key.sign(b"m").to_bytes().repeat(ROWS);
    signatures[64 * 500] ^= 1;
    let messages = [b'm'; ROWS];
    let table = |rule| {
        Table::new(
            Column::fixed(&keys, 32, ROWS, None).unwrap(),
            Column::fixed(&messages, 1, ROWS, None).unwrap(),
            Column::fixed(&signatures, 64, ROWS, None).unwrap(),
            Specs::Same(Spec::ed25519(rule, Variant::Pure)),
        )
        .unwrap()
    };
    for backend in Backend::ALL.into_iter().filter(|backend| backend.is_available()) {
        let with_system = Engine::new().with_backend(backend).unwrap();
        // as `Engine::new` makes it where there is no system
        let engine = Engine { entropy: Entropy::None, ..with_system };
        for rule in rules::ALL {
            let (expected, report) = with_system.verify(&table(rule)).unwrap();
            assert!(report.combined > 0, "{backend} {rule}");
            for rows in 0..CHUNK_ROWS {
                assert_ne!(engine.strategy(rule, rows), Strategy::Combined);
            }
            let (outcomes, report) = engine.verify(&table(rule)).unwrap();
            assert_eq!((report.combined, report.single + report.lanes), (0, ROWS));
            assert!(outcomes == expected, "{backend} {rule}");
            let combining = engine.with_strategy(Strategy::Combined);
            assert_eq!(combining.verify(&table(rule)), Err(BulkError::Randomness));
            for engine in [combining.deterministic(), engine.with_entropy([1; 32])] {
                let (outcomes, report) = engine.verify(&table(rule)).unwrap();
                assert!(report.combined > 0 && outcomes == expected, "{backend} {rule}");
            }
        }
    }
    assert_eq!(
        BulkError::Randomness.to_string(),
        "no random bytes: none were given, and the system provided none"
    );
}

#[test]
fn the_rate_of_the_rows_before_says_how_a_table_begins() {
    let of = |rows, bad| {
        let mut rate = Rate::default();
        rate.add(rows, bad);
        rate
    };
    let load = |rows| Load { rows, keys: rows, prepared: false };
    let (few, many) = (load(8192), load(16_384));
    for backend in Backend::ALL.into_iter().filter(|backend| backend.is_available()) {
        let engine = Engine::new().with_backend(backend).unwrap();
        let own = engine.strategy_of_own(&rules::ZIP215, few);
        let begin = |load, rate| engine.begin(&rules::ZIP215, load, &rate);
        // nothing known: a sample, but of few rows all
        assert_eq!(begin(few, of(0, 0)), (Strategy::Combined, 8192), "{backend}");
        assert_eq!(begin(many, of(0, 0)), (Strategy::Combined, 256), "{backend}");
        assert_eq!(begin(many, of(3000, 3)), (Strategy::Combined, 256), "{backend}");
        // few are bad
        assert_eq!(begin(many, of(8192, 3)), (Strategy::Combined, 16_384), "{backend}");
        // many are
        for rate in [of(300, 30), of(8192, 200), of(8192, 8192)] {
            assert_eq!(begin(few, rate), (own, 8192), "{backend}");
            assert_eq!(begin(many, rate), (own, 16_384), "{backend}");
            // a caller's choice stands
            let chosen = engine.with_strategy(Strategy::Combined);
            let begun = chosen.begin(&rules::ZIP215, many, &rate);
            assert_eq!(begun, (Strategy::Combined, 16_384), "{backend}");
        }
    }
}

#[test]
fn more_rows_never_need_less_memory() {
    let engines = Strategy::ALL.map(|strategy| Engine::new().with_strategy(strategy));
    for engine in engines.into_iter().chain([Engine::new()]) {
        for rows in 1..=CHUNK_ROWS + 1 {
            let (less, len) = (engine.scratch_len(rows - 1), engine.scratch_len(rows));
            assert!(less <= len, "{engine:?}: {rows} rows need {len}, one fewer {less}");
        }
    }
}
