//! Random keys, messages and signatures, made by one library (ring) for all engines; and damaged
//! copies, which every engine must refuse.

use crate::ops::{Answer, Keys, Lengths, Op, Scheme};
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

/// What can be damaged in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Damage {
    R,
    S,
    Message,
    /// The public key becomes an encoding of no point.
    Key,
}

impl Inputs {
    fn ed25519(count: usize, keys: Keys, lengths: Lengths, random: &mut Random) -> Inputs {
        let mut inputs = Inputs { offsets: vec![0], count, ..Inputs::default() };
        let one: [u8; 32] = random.bytes();
        for _ in 0..count {
            let secret = if keys == Keys::One { one } else { random.bytes() };
            let pair = Ed25519KeyPair::from_seed_unchecked(&secret).expect("any seed is a key");
            let length = match lengths {
                Lengths::Fixed(length) => length,
                Lengths::Between(from, to) => from + random.next() as usize % (to - from + 1),
            };
            let message: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            inputs.secrets.extend(secret);
            inputs.publics.extend(pair.public_key().as_ref());
            inputs.signatures.extend(pair.sign(&message).as_ref());
            inputs.messages.extend(message);
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

    /// The right answers for all rows.
    pub(crate) fn answers(&self, answer: Answer) -> Vec<u8> {
        match answer {
            Answer::PublicKey => self.publics.clone(),
            Answer::Signature => self.signatures.clone(),
            Answer::Valid | Answer::Point => vec![1; self.count],
        }
    }

    /// A copy in which one row is damaged.
    pub(crate) fn damaged(&self, row: usize, damage: Damage) -> Inputs {
        let mut copy = self.clone();
        match damage {
            Damage::R => copy.signatures[row * 64 + 5] ^= 4,
            Damage::S => copy.signatures[row * 64 + 37] ^= 4,
            Damage::Message => copy.messages[self.offsets[row] as usize] ^= 4,
            Damage::Key => {
                copy.publics[row * 32..][..32].fill(0);
                copy.publics[row * 32] = 2; // no point of the curve has y = 2
            }
        }
        copy
    }
}

/// Inputs of each kind, made once.
pub(crate) struct Store {
    seed: u64,
    made: HashMap<(Scheme, Keys, Lengths, usize), Rc<Inputs>>,
}

impl Store {
    pub(crate) fn new(seed: u64) -> Self {
        Store { seed, made: HashMap::new() }
    }

    /// `count` rows for an operation.
    pub(crate) fn get(&mut self, op: &Op, count: usize) -> Rc<Inputs> {
        let key = (op.scheme, op.keys, op.lengths, count);
        let make = || match op.scheme {
            Scheme::Ed25519 => Inputs::ed25519(count, op.keys, op.lengths, &mut Random(self.seed)),
        };
        Rc::clone(self.made.entry(key).or_insert_with(|| Rc::new(make())))
    }
}

/// SplitMix64: inputs are distinct and can be made again from the seed; they need no secrecy.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn bytes(&mut self) -> [u8; 32] {
        std::array::from_fn(|_| self.next() as u8)
    }
}
