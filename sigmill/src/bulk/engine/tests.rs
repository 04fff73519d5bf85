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
