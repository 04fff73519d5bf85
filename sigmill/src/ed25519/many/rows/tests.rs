//! What combinations leave behind where there is too little memory for them.

use super::{
    Given, Lanes, SharedKeys, begin_combination, combine, hash_challenges, reduce_rows, verify,
};
use crate::cpu::Backend;
use crate::ed25519::{Signature, Signer, SigningKey, Variant, rules};
use crate::error::Verdict;
use crate::memory::{Memory, Scratch};
use std::vec;
use std::vec::Vec;

#[test]
fn too_little_memory_leaves_rows_for_lanes_with_their_k() {
    const ROWS: usize = 9;
    let keys: Vec<SigningKey> = (0..ROWS).map(|i| SigningKey::from_bytes(&[i as u8; 32])).collect();
    let publics: Vec<[u8; 32]> = keys.iter().map(|key| key.verifying_key().to_bytes()).collect();
    let mut signatures: Vec<[u8; 64]> =
        keys.iter().map(|key| Signature::to_bytes(&key.sign(b"message"))).collect();
    signatures[4][40] ^= 1;
    let numbers: Vec<u32> = (0..ROWS as u32).collect();
    for rule in [&rules::COMMON, &rules::ZIP215] {
        let combination = SharedKeys { rule, first: 0, key_of: &numbers, first_of: &numbers };
        for backend in Backend::ALL.into_iter().filter(|backend| backend.is_available()) {
            let mut hashes = [[0; 8]; ROWS];
            let row = |i: usize| (&publics[i], &b"message"[..], &signatures[i]);
            hash_challenges(backend, Given::Message(Variant::Pure), ROWS, row, &mut hashes);
            let mut expected = hashes;
            reduce_rows(backend, &mut expected);
            let mut too_little = 0;
            // from none at all to enough
            for rows_of_memory in 0.. {
                let mut scratch = vec![Scratch::new(); rows_of_memory];
                let mut scalars = hashes;
                let mut told = 0;
                let state = begin_combination(
                    backend,
                    rule,
                    |i| &signatures[i],
                    &mut scalars,
                    None,
                    Memory::new(&mut scratch),
                );
                let combined = state.and_then(|mut state| {
                    combine(
                        backend,
                        &combination,
                        |i| (&publics[i], None, &signatures[i]),
                        (&mut state, &mut usize::MAX.clone()),
                        &mut scalars,
                        Memory::new(&mut scratch),
                        |_, _| told += 1,
                    )
                });
                for (k, expected) in scalars.iter().zip(&expected) {
                    assert_eq!(k[..4], expected[..4], "{backend}, {rows_of_memory} rows of memory");
                }
                if combined == Some(true) {
                    assert_eq!(told, ROWS);
                    break;
                }
                assert_eq!(told, 0);
                too_little += 1;
                let lanes = Lanes { rule, scalars: &scalars };
                let row = |i: usize| (&publics[i], &signatures[i]);
                verify(backend, &lanes, row, |i, verdict| {
                    // without lanes rows are verified singly
                    let valid = (backend != Backend::Portable).then_some(i != 4);
                    assert_eq!(verdict.map(Verdict::is_valid), valid, "{backend}, row {i}");
                });
            }
            assert!(too_little > 2, "{too_little}");
        }
    }
}
