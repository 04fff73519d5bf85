//! Scratch memory that is shorter than `scratch_len` asks for: an error that says which rows it was for.

use super::*;
use crate::bulk::{Column, Specs};
use crate::ed25519::{Signer, SigningKey, rules};
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
            match engine.run_chunk(&table, 20, results, &mut scratch[..len], &mut report) {
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
