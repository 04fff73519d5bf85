//! Faults while signing: a bit that flips between the passes over the message, or in the key, must
//! suppress the output of `sign_checked`.

use super::{SigningKey, Variant};
use crate::ed25519::Signer;
use crate::error::Error;
use core::cell::Cell;

const MESSAGE: &[u8] = b"attack at dawn";

/// Signs while `message(pass)` gives the message of passes 1, 2 and 3.
fn sign<'m>(message: impl Fn(u32) -> &'m [u8]) -> Result<super::Signature, Error> {
    let pass = Cell::new(0);
    SigningKey::from_bytes(&[7; 32]).sign_checked_reading(Variant::Pure, None, || {
        pass.set(pass.get() + 1);
        message(pass.get())
    })
}

#[test]
fn without_a_fault_the_signature_is_the_deterministic_one() {
    let key = SigningKey::from_bytes(&[7; 32]);
    assert_eq!(sign(|_| MESSAGE), Ok(key.sign(MESSAGE)));
    assert_eq!(key.sign_checked(Variant::Pure, None, MESSAGE), Ok(key.sign(MESSAGE)));
    let noise = [9; 32];
    let hedged = key.sign_hedged(Variant::Pure, &noise, MESSAGE);
    assert_eq!(key.sign_checked(Variant::Pure, Some(&noise), MESSAGE), Ok(hedged));
}

#[test]
fn a_bit_of_the_message_that_flips_between_two_passes_suppresses_the_signature() {
    for bit in 0..8 * MESSAGE.len() {
        let mut flipped = MESSAGE.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        for (first_flipped, expected) in [(2, Error::MessageChanged), (3, Error::Fault)] {
            let message = |pass| if pass >= first_flipped { &flipped[..] } else { MESSAGE };
            assert_eq!(sign(message), Err(expected), "bit {bit} from pass {first_flipped} on");
        }
        // and back again
        let message = |pass| if pass == 2 { &flipped[..] } else { MESSAGE };
        assert_eq!(sign(message), Err(Error::MessageChanged));
    }
}

#[test]
fn a_bit_that_flips_in_the_public_key_suppresses_the_signature() {
    for bit in 0..256 {
        let mut key = SigningKey::from_bytes(&[7; 32]);
        key.verifying_key.bytes[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(key.sign_checked(Variant::Pure, None, MESSAGE), Err(Error::Fault), "bit {bit}");
    }
}

#[test]
fn a_bit_that_flips_in_the_scalar_suppresses_the_signature() {
    for bit in 0..252 {
        let mut key = SigningKey::from_bytes(&[7; 32]);
        let mut bytes = key.expanded.a.to_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        key.expanded.a = crate::scalar::l25519::Scalar::reduce_narrow(&bytes);
        assert_eq!(key.sign_checked(Variant::Pure, None, MESSAGE), Err(Error::Fault), "bit {bit}");
    }
}

/// The result of bulk signing with checks if one key has gone wrong.
#[cfg(feature = "alloc")]
fn sign_in_bulk(spoil: impl Fn(&mut SigningKey), row: usize) {
    use crate::bulk::{Backend, BulkError, Column, Engine, SigningKeys};
    let mut keys: std::vec::Vec<_> = (0..12).map(|i| SigningKey::from_bytes(&[i; 32])).collect();
    let messages = Column::fixed(&MESSAGE[..12], 1, 12, None).unwrap();
    for spoiled in [false, true] {
        for backend in Backend::ALL {
            let Ok(engine) = Engine::new().with_backend(backend) else { continue };
            let mut place = [[0xee; 64]; 12];
            let signers = SigningKeys::Each(&keys);
            let made = engine.sign_checked_into(signers, Variant::Pure, &messages, &mut place);
            let expected = if spoiled { Err(BulkError::Fault { row }) } else { Ok(()) };
            assert_eq!(made, expected, "{backend}");
            assert_eq!(spoiled, place == [[0xee; 64]; 12]);
        }
        spoil(&mut keys[row]);
    }
}

#[cfg(feature = "alloc")]
#[test]
fn a_bit_that_flips_in_a_key_suppresses_all_signatures_in_bulk() {
    for (bit, row) in [(0, 0), (100, 5), (251, 11)] {
        sign_in_bulk(|key| key.verifying_key.bytes[bit / 8] ^= 1 << (bit % 8), row);
        sign_in_bulk(
            |key| {
                let mut bytes = key.expanded.a.to_bytes();
                bytes[bit / 8] ^= 1 << (bit % 8);
                key.expanded.a = crate::scalar::l25519::Scalar::reduce_narrow(&bytes);
            },
            row,
        );
    }
}
