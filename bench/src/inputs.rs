//! Random keys, messages and signatures, of each scheme made by one library for all engines (Ed25519
//! by ring, ECDSA by RustCrypto, X25519 by aws-lc-rs); and damaged copies, which every engine must
//! refuse.

use crate::ecdsa;
use crate::ops::{Answer, Keys, Lengths, Op, Scheme};
use crate::patterns::Pattern;
use crate::random::Random;
use crate::row::Row;
use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use aws_lc_rs::signature::{self, ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED};
use ring::signature::{Ed25519KeyPair, KeyPair};
use sigmill_bench_abi::{Column, Messages, Rows};
use std::collections::HashMap;
use std::rc::Rc;

/// Rows with all their columns.
#[derive(Clone, Default)]
pub(crate) struct Inputs {
    secrets: Vec<u8>,
    publics: Vec<u8>,
    offsets: Vec<i32>,
    messages: Vec<u8>,
    signatures: Vec<u8>,
    count: usize,
}

/// A kind of damage to a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Damage {
    R,
    S,
    Message,
    /// The public key becomes an encoding of no point.
    Key,
}

impl Inputs {
    fn new(op: &Op, pattern: Option<&Pattern>, count: usize, random: &mut Random) -> Inputs {
        let mut inputs = Inputs { offsets: vec![0], count, ..Inputs::default() };
        let one = random.bytes(op.scheme.secret_width());
        for _ in 0..count {
            let row = loop {
                let secret = match op.keys {
                    Keys::One => one.clone(),
                    Keys::Distinct => random.bytes(op.scheme.secret_width()),
                };
                let length = match op.lengths {
                    Lengths::Fixed(length) => length,
                    Lengths::Between(from, to) => from + random.next() as usize % (to - from + 1),
                };
                // of a curve's secrets one in 2^32 is above the order
                if let Some(row) = new_row(op.scheme, pattern, secret, length, random) {
                    break row;
                }
            };
            inputs.secrets.extend(row.secret);
            inputs.publics.extend(row.public);
            inputs.signatures.extend(row.signature);
            inputs.messages.extend(row.message);
            inputs.offsets.push(inputs.messages.len().try_into().expect("less than 2 GiB"));
        }
        inputs
    }

    /// The columns.
    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows {
            secrets: Column::new(&self.secrets, self.secrets.len() / self.count),
            publics: Column::new(&self.publics, self.publics.len() / self.count),
            messages: Messages::new(&self.offsets, &self.messages),
            signatures: Column::new(&self.signatures, self.signatures.len() / self.count),
            count: self.count,
        }
    }

    /// Whether the answers for the rows from `first` on are right. Signatures that may be other ones
    /// each time are verified, every `step`-th of them after the `skipped` first.
    pub(crate) fn are_right(
        &self,
        op: &Op,
        first: usize,
        got: &[u8],
        skipped: usize,
        step: usize,
    ) -> bool {
        let (rows, width) = (self.rows(), op.answer_width());
        let right = match op.answer {
            Answer::PublicKey => &self.publics,
            Answer::Signature | Answer::SharedSecret => &self.signatures,
            Answer::Valid | Answer::Point => return got.iter().all(|answer| *answer == 1),
            Answer::SomeSignature => {
                let signatures = got.chunks_exact(width).zip(first..).skip(skipped);
                return signatures.step_by(step).all(|(signature, row)| {
                    let (key, message) = (rows.publics.get(row), rows.messages.row(row));
                    is_signature(op.scheme, key, message, signature)
                });
            }
        };
        got == &right[first * width..][..got.len()]
    }

    /// A copy in which one row is damaged.
    pub(crate) fn damaged(&self, row: usize, damage: Damage) -> Inputs {
        let mut copy = self.clone();
        let width = self.signatures.len() / self.count;
        match damage {
            Damage::R => copy.signatures[row * width + 5] ^= 4,
            Damage::S => copy.signatures[row * width + width / 2 + 5] ^= 4,
            Damage::Message => copy.messages[self.offsets[row] as usize] ^= 4,
            // only keys of Ed25519 are decompressed
            Damage::Key => {
                copy.publics[row * 32..][..32].fill(0);
                copy.publics[row * 32] = 2; // no point of the curve has y = 2
            }
        }
        copy
    }
}

/// A row with a signature of a message of that length, or one after a pattern; nothing if the
/// secret is none.
fn new_row(
    scheme: Scheme,
    pattern: Option<&Pattern>,
    secret: Vec<u8>,
    length: usize,
    random: &mut Random,
) -> Option<Row> {
    match (scheme, pattern) {
        (Scheme::Ed25519, _) => Some(ed25519_row(secret, random.bytes(length))),
        (Scheme::X25519, _) => Some(x25519_row(secret, &random.bytes(length))),
        (Scheme::P256, None) => ecdsa::p256::signed(&secret, random.bytes(length)),
        (Scheme::P384, None) => ecdsa::p384::signed(&secret, random.bytes(length)),
        (Scheme::P256, Some(pattern)) => Some(ecdsa::p256::patterned(pattern, random)),
        (Scheme::P384, Some(pattern)) => Some(ecdsa::p384::patterned(pattern, random)),
    }
}

fn ed25519_row(secret: Vec<u8>, message: Vec<u8>) -> Row {
    let pair = Ed25519KeyPair::from_seed_unchecked(&secret).expect("any seed is a key");
    let signature = pair.sign(&message).as_ref().to_vec();
    Row { secret, public: pair.public_key().as_ref().to_vec(), message, signature }
}

fn x25519_row(secret: Vec<u8>, other_secret: &[u8]) -> Row {
    let key = |secret: &[u8]| PrivateKey::from_private_key(&X25519, secret).expect("32 bytes");
    let public =
        |key: &PrivateKey| key.compute_public_key().expect("any secret has one").as_ref().to_vec();
    let (ours, message) = (key(&secret), public(&key(other_secret)));
    let other = UnparsedPublicKey::new(&X25519, &message);
    let signature = agree(&ours, other, (), |shared| Ok(shared.to_vec())).expect("not zero");
    Row { secret, public: public(&ours), message, signature }
}

/// Whether it is a signature, of a scheme whose signatures cannot be compared.
fn is_signature(scheme: Scheme, key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let algorithm = match scheme {
        Scheme::P256 => &ECDSA_P256_SHA256_FIXED,
        Scheme::P384 => &ECDSA_P384_SHA384_FIXED,
        Scheme::Ed25519 | Scheme::X25519 => return false,
    };
    signature::UnparsedPublicKey::new(algorithm, key).verify(message, signature).is_ok()
}

/// The kind of rows that an operation works on.
type Kind = (Scheme, Keys, Lengths, Option<&'static str>, usize);

/// Inputs of each kind, made once.
pub(crate) struct Store {
    seed: u64,
    made: HashMap<Kind, Rc<Inputs>>,
}

impl Store {
    pub(crate) fn new(seed: u64) -> Self {
        Store { seed, made: HashMap::new() }
    }

    /// `count` rows for an operation.
    pub(crate) fn get(
        &mut self,
        op: &Op,
        pattern: Option<&'static Pattern>,
        count: usize,
    ) -> Rc<Inputs> {
        let kind = (op.scheme, op.keys, op.lengths, pattern.map(|pattern| pattern.name), count);
        let make = || Inputs::new(op, pattern, count, &mut Random::new(self.seed));
        Rc::clone(self.made.entry(kind).or_insert_with(|| Rc::new(make())))
    }
}
