//! Bulk signing with checks, of signatures that differ or do not verify.

use super::*;
use crate::bulk::Engine;
use crate::ed25519::Signer;
use core::cell::Cell;
use std::vec::Vec;
use zeroize::Zeroizing;

const ROWS: usize = 20;

/// Runs the checks while `made(time, row)` is the message that is signed, the first and the second time.
fn run(
    engine: &Engine,
    made: impl Fn(usize, usize) -> u8,
) -> Result<Zeroizing<Vec<[u8; 64]>>, BulkError> {
    let key = SigningKey::from_bytes(&[7; 32]);
    let messages: Vec<u8> = (0..ROWS as u8).collect();
    let column = Column::fixed(&messages, 1, ROWS, None)?;
    let time = Cell::new(0);
    let sign = |signatures: &mut [[u8; 64]]| {
        for (row, signature) in signatures.iter_mut().enumerate() {
            *signature = key.sign(&[made(time.get(), row)]).to_bytes();
        }
        time.set(time.get() + 1);
        Ok(())
    };
    let checked = Engine::checked(SigningKeys::One(&key), Variant::Pure, &column);
    checked.run(sign, |table| engine.verify(table))
}

#[test]
fn signatures_that_differ_or_do_not_verify_are_not_given_out() {
    for backend in Backend::ALL {
        let Ok(engine) = Engine::new().with_backend(backend) else { continue };
        assert_eq!(run(&engine, |_, row| row as u8).map(|made| made.len()), Ok(ROWS));
        for wrong in [0, 7, ROWS - 1] {
            for times in [0..1, 1..2, 0..2] {
                let flip = |time: usize, row: usize| {
                    u8::from(times.contains(&time) && row == wrong) << 7 ^ row as u8
                };
                let result = run(&engine, flip).map(|_| ());
                assert_eq!(result, Err(BulkError::Fault { row: wrong }), "{backend} {times:?}");
            }
        }
    }
}
