//! Combinations with too little memory, and their traces.

use super::{
    Given, Lanes, Limits, Rate, RowsByKey, Search, begin_combination, combine, hash_challenges,
    reduce_rows, verify,
};
use crate::cpu::Backend;
use crate::ed25519::{PreparedKey, Signature, Signer, SigningKey, Variant, rules};
use crate::error::Verdict;
use crate::memory::{Memory, Scratch};
use std::vec;
use std::vec::Vec;

/// Rows with a key each.
struct Rows<'t> {
    keys: &'t [[u8; 32]],
    signatures: &'t [[u8; 64]],
}

impl<'t> RowsByKey<'t> for Rows<'t> {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn keys(&self) -> usize {
        self.keys.len()
    }

    fn key(&self, key: usize) -> &'t [u8; 32] {
        &self.keys[key]
    }

    fn prepared_key(&self, _: usize) -> Option<&'t PreparedKey> {
        None
    }

    fn key_of(&self, row: usize) -> usize {
        row
    }

    fn signature(&self, row: usize) -> &'t [u8; 64] {
        &self.signatures[row]
    }
}

#[test]
fn too_little_memory_leaves_rows_for_lanes_with_their_k() {
    const ROWS: usize = 9;
    let keys: Vec<SigningKey> = (0..ROWS).map(|i| SigningKey::from_bytes(&[i as u8; 32])).collect();
    let publics: Vec<[u8; 32]> = keys.iter().map(|key| key.verifying_key().to_bytes()).collect();
    let mut signatures: Vec<[u8; 64]> =
        keys.iter().map(|key| Signature::to_bytes(&key.sign(b"message"))).collect();
    signatures[4][40] ^= 1;
    for rule in [&rules::COMMON, &rules::ZIP215] {
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
                    Search::new(ROWS, Rate::default(), Limits { least: 32, gap: 100 }),
                    Memory::new(&mut scratch),
                );
                let combined = state.and_then(|mut state| {
                    combine(
                        backend,
                        rule,
                        Rows { keys: &publics, signatures: &signatures },
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
