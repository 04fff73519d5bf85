//! Signing of messages that other code writes to meanwhile: what is signed is one message, or nothing is.

use sigmill::Error;
use sigmill::bulk::{Backend, BulkError, Engine, SharedRows, SigningKeys};
use sigmill::ed25519::{
    ContextString, Digest, Sha512, SharedMessage, Signature, SigningKey, Variant,
    sign_shared_with_hash, sign_shared_with_keypair, sign_shared_with_seed,
};
use std::cell::Cell;

const SEED: [u8; 32] = [7; 32];
const NOISE: [u8; 32] = [9; 32];
/// Longer than what is copied whole.
const LONG: usize = 5000;

fn key() -> SigningKey {
    SigningKey::from_bytes(&SEED)
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + 3) as u8).collect()
}

type Pieces<'a> = dyn FnMut(&mut dyn FnMut(&[u8])) + 'a;

fn own_hash(pieces: &mut Pieces<'_>) -> [u8; 64] {
    let mut hash = Sha512::new();
    pieces(&mut |piece| hash.update(piece));
    hash.finalize().into()
}

type Sign<'a> = dyn Fn(&SharedMessage<'_>) -> Result<Signature, Error> + 'a;

/// A way to sign a shared message.
struct Way {
    name: String,
    /// Whether the digest of the message is signed, so that one pass is enough.
    is_of_digest: bool,
}

/// `check(way, sign, expected)` for each way, and the signature that a slice has.
fn each_way(check: impl Fn(&Way, &Sign<'_>, &dyn Fn(&[u8]) -> Signature)) {
    let (key, pair) = (key(), key().to_keypair_bytes());
    let context = ContextString::new(b"context").expect("short");
    for variant in [Variant::Pure, Variant::Ctx(context), Variant::Ph(context)] {
        let check = |way: &str, sign: &Sign<'_>, expected: &dyn Fn(&[u8]) -> Signature| {
            let is_of_digest = matches!(variant, Variant::Ph(_)) && !way.starts_with("checked");
            check(&Way { name: format!("{way}, {variant:?}"), is_of_digest }, sign, expected);
        };
        let plain = |message: &[u8]| key.sign_with(variant, message);
        let hedged = |message: &[u8]| key.sign_hedged(variant, &NOISE, message);
        check("key", &|m| key.sign_shared(variant, m), &plain);
        check("hedged", &|m| key.sign_shared_hedged(variant, &NOISE, m), &hedged);
        check("checked", &|m| key.sign_shared_checked(variant, None, m), &plain);
        check("checked, hedged", &|m| key.sign_shared_checked(variant, Some(&NOISE), m), &hedged);
        check("seed", &|m| sign_shared_with_seed(&SEED, variant, m), &plain);
        check("pair", &|m| sign_shared_with_keypair(&pair, variant, m), &plain);
        if variant == Variant::Pure {
            check("own hash", &|m| sign_shared_with_hash(&own_hash, &SEED, m), &plain);
        }
    }
}

#[test]
fn a_message_that_stays_has_the_signature_of_a_slice() {
    for len in [0, 1, 32, 2047, 2048, 2049, 4096, LONG] {
        let message = bytes(len);
        let read = |offset: usize, piece: &mut [u8]| {
            piece.copy_from_slice(&message[offset..][..piece.len()]);
        };
        each_way(|way, sign, expected| {
            let signature = sign(&SharedMessage::new(len, &read));
            assert_eq!(signature, Ok(expected(&message)), "{}, {len} bytes", way.name);
        });
    }
    let mut pair = key().to_keypair_bytes();
    pair[40] ^= 1;
    for len in [10, LONG] {
        let read = |_: usize, piece: &mut [u8]| piece.fill(1);
        let message = SharedMessage::new(len, &read);
        let signature = sign_shared_with_keypair(&pair, Variant::Pure, &message);
        assert_eq!(signature, Err(Error::KeyPairMismatch));
    }
}

/// A bit of the message differs in the passes over it that `flips` names. Memory that changes and changes back is
/// among them: the first and the last read alike, one between them not.
#[test]
fn no_signature_is_of_two_messages() {
    for len in [100, LONG] {
        let message = bytes(len);
        let mut flipped = message.clone();
        flipped[50] ^= 1;
        for flips in 0..8_u32 {
            let passes = Cell::new(0);
            let read = |offset: usize, piece: &mut [u8]| {
                piece.copy_from_slice(&message[offset..][..piece.len()]);
                if offset == 0 {
                    piece[50] ^= (flips >> passes.get() & 1) as u8;
                    passes.set(passes.get() + 1);
                }
            };
            each_way(|way, sign, expected| {
                passes.set(0);
                let signature = sign(&SharedMessage::new(len, &read));
                let all = (1 << passes.get()) - 1;
                let Way { name: way, is_of_digest } = way;
                match flips & all {
                    0 => assert_eq!(signature, Ok(expected(&message)), "{way}, {len} bytes"),
                    seen if seen == all => {
                        assert_eq!(signature, Ok(expected(&flipped)), "{way}, {len} bytes");
                    }
                    seen => assert!(signature.is_err(), "{way}, {len} bytes, flips {seen:b}"),
                }
                assert_eq!(
                    passes.get() > 1,
                    len == LONG && !is_of_digest,
                    "{way}: passes over {len} bytes"
                );
            });
        }
    }
}

/// A byte that differs in each read, whatever reads it: a fourth read, if there is one, would see another message.
#[test]
fn a_long_message_is_read_once_a_pass() {
    let reads = Cell::new(0_u8);
    let read = |offset: usize, piece: &mut [u8]| {
        piece.fill(0);
        if (offset..offset + piece.len()).contains(&3000) {
            piece[3000 - offset] = reads.get();
            reads.set(reads.get() + 1);
        }
    };
    each_way(|way, sign, _| {
        reads.set(0);
        let signature = sign(&SharedMessage::new(LONG, &read));
        let Way { name: way, is_of_digest } = way;
        if *is_of_digest {
            assert_eq!((signature.is_ok(), reads.get()), (true, 1), "{way}");
        } else {
            assert_eq!((signature, reads.get()), (Err(Error::MessageChanged), 2), "{way}");
        }
    });
}

/// Messages of these lengths, whose bytes are the number of times that the row was read.
struct Counted<'a> {
    lens: &'a [usize],
    reads: Vec<Cell<u8>>,
}

impl SharedRows for Counted<'_> {
    fn message_len(&self, row: usize) -> usize {
        self.lens[row]
    }

    fn read(&self, row: usize, _: usize, piece: &mut [u8]) {
        self.reads[row].set(self.reads[row].get() + 1);
        piece.fill(self.reads[row].get());
    }
}

#[test]
fn rows_in_bulk_are_copied_once() {
    let keys: Vec<_> = (0..400).map(|i| SigningKey::from_bytes(&[(i % 251) as u8; 32])).collect();
    let lens: Vec<_> = (0..400).map(|i| [0, 1, 32, 100, 700][i % 5]).collect();
    for backend in Backend::ALL.into_iter().filter(|backend| backend.is_available()) {
        let engine = Engine::new().with_backend(backend).expect("available");
        for variant in [Variant::Pure, Variant::Ph(ContextString::EMPTY)] {
            for size in [699, 700, 701, 5000, 200_000] {
                let rows = Counted { lens: &lens, reads: vec![Cell::new(0); 400] };
                let mut signatures = vec![[0; 64]; 400];
                let (mut buffer, keys) = (vec![0; size], SigningKeys::Each(&keys));
                let done =
                    engine.sign_shared_into(keys, variant, &rows, &mut buffer, &mut signatures);
                assert_eq!(done, Ok(()));
                for (i, signature) in signatures.iter().enumerate() {
                    let SigningKeys::Each(keys) = keys else { unreachable!() };
                    let expected = keys[i].sign_with(variant, &vec![1; lens[i]]);
                    assert_eq!(*signature, expected.to_bytes(), "{backend}, {size}, row {i}");
                }
            }
        }
    }
}

#[test]
fn a_row_in_bulk_that_changes_is_named() {
    let lens = [10, 20, LONG, 30];
    let rows = Counted { lens: &lens, reads: vec![Cell::new(0); 4] };
    let (key, mut buffer, mut signatures) = (key(), [0; 100], [[0; 64]; 4]);
    let sign = |rows: &Counted<'_>, buffer: &mut [u8], signatures: &mut [[u8; 64]]| {
        Engine::new().sign_shared_into(
            SigningKeys::One(&key),
            Variant::Pure,
            rows,
            buffer,
            signatures,
        )
    };
    let done = sign(&rows, &mut buffer, &mut signatures);
    // each pass over the long row has read other bytes than the one before
    assert_eq!(done, Err(BulkError::MessageChanged { row: 2 }));
    assert_eq!(signatures[1], key.sign_with(Variant::Pure, &[1; 20]).to_bytes());
    assert_eq!(signatures[2..], [[0; 64]; 2]);
    // a buffer of nothing: each row alone
    let rows = Counted { lens: &lens[..2], reads: vec![Cell::new(0); 2] };
    assert_eq!(sign(&rows, &mut [], &mut signatures[..2]), Ok(()));
    assert_eq!(signatures[1], key.sign_with(Variant::Pure, &[1; 20]).to_bytes());

    let wrong = Engine::new().sign_shared_into(
        SigningKeys::Each(std::slice::from_ref(&key)),
        Variant::Pure,
        &rows,
        &mut [],
        &mut signatures,
    );
    assert!(matches!(wrong, Err(BulkError::Rows { expected: 4, got: 1, .. })));
}
