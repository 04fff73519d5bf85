//! The coefficients of combinations depend on every input, and on nothing else.

use super::Coefficients;
use crate::cpu::Backend;
use crate::ed25519::many::rows::hash_challenges;
use crate::ed25519::variant::{ContextString, Given, Variant};
use crate::ed25519::{Rule, rules};
use crate::memory::{Memory, Scratch};
use crate::tests::Expander;
use std::vec;
use std::vec::Vec;

/// More rows than are hashed together, and a last leaf that is not full.
const ROWS: usize = 261;

/// Everything that the verdicts depend on.
#[derive(Clone)]
struct Inputs {
    rule: &'static Rule,
    context: Vec<u8>,
    keys: Vec<[u8; 32]>,
    messages: Vec<Vec<u8>>,
    signatures: Vec<[u8; 64]>,
    system: Option<[u8; 32]>,
}

impl Inputs {
    fn new() -> Self {
        let mut expander = Expander::new("coefficients");
        Inputs {
            rule: &rules::COMMON,
            context: vec![1, 2, 3],
            keys: (0..ROWS).map(|_| expander.bytes()).collect(),
            messages: (0..ROWS).map(|i| (0..i).map(|_| expander.byte()).collect()).collect(),
            signatures: (0..ROWS).map(|_| expander.bytes()).collect(),
            system: Some(expander.bytes()),
        }
    }

    fn source(&self, backend: Backend) -> Coefficients {
        let len = self.keys.len();
        let mut hashes = vec![[0; 8]; len];
        let variant = match &self.context[..] {
            [] => Variant::Pure,
            context => Variant::Ctx(ContextString::new(context).expect("short")),
        };
        let row = |i: usize| (&self.keys[i], &self.messages[i][..], &self.signatures[i]);
        hash_challenges(backend, Given::Message(variant), len, row, &mut hashes);
        let s = |i: usize| self.signatures[i].last_chunk().expect("32 of 64 bytes");
        let mut scratch = [Scratch::new(); 128];
        let memory = Memory::new(&mut scratch);
        Coefficients::new(backend, self.rule, &hashes, s, self.system.as_ref(), memory)
            .expect("enough memory")
    }

    fn drawn(&self, backend: Backend) -> Vec<[u64; 3]> {
        draw(&mut self.source(backend))
    }
}

fn draw(source: &mut Coefficients) -> Vec<[u64; 3]> {
    let mut words = vec![[0; 3]; ROWS];
    source.draw(&mut words);
    words
}

/// Every coefficient is another one, and each of its words.
fn assert_all_differ(a: &[[u64; 3]], b: &[[u64; 3]], what: &str) {
    for (row, (a, b)) in a.iter().zip(b).enumerate() {
        assert!(a.iter().zip(b).all(|(a, b)| a != b), "{what}: coefficient {row} stays");
    }
}

#[test]
fn coefficients_bind_every_byte_of_every_input() {
    let inputs = Inputs::new();
    let drawn = inputs.drawn(Backend::best());
    let changed = |what: &str, change: &dyn Fn(&mut Inputs)| {
        let mut other = inputs.clone();
        change(&mut other);
        assert_all_differ(&drawn, &other.drawn(Backend::best()), what);
    };
    for row in [0, 1, 7, 8, 63, 64, ROWS - 1] {
        (0..32).for_each(|i| changed("key", &|inputs| inputs.keys[row][i] ^= 1));
        (0..64).for_each(|i| changed("signature", &|inputs| inputs.signatures[row][i] ^= 128));
        (0..row).for_each(|i| changed("message", &|inputs| inputs.messages[row][i] ^= 16));
        changed("longer message", &|inputs| inputs.messages[row].push(0));
    }
    (0..3).for_each(|i| changed("context", &|inputs| inputs.context[i] ^= 1));
    changed("variant", &|inputs| inputs.context.clear());
    (0..32)
        .for_each(|i| changed("random bytes", &|inputs| inputs.system.as_mut().unwrap()[i] ^= 1));
    changed("no random bytes", &|inputs| inputs.system = None);
    changed("zeros for random bytes", &|inputs| inputs.system = Some([0; 32]));
    for rule in rules::ALL.into_iter().filter(|rule| **rule != rules::COMMON) {
        changed("rule", &|inputs| inputs.rule = rule);
    }
    changed("order", &|inputs| {
        inputs.keys.swap(3, 4);
        inputs.messages.swap(3, 4);
        inputs.signatures.swap(3, 4);
    });
    changed("one row less", &|inputs| {
        inputs.keys.pop();
        inputs.messages.pop();
        inputs.signatures.pop();
    });
}

#[test]
fn coefficients_are_drawn_once_and_alike_in_every_backend() {
    let inputs = Inputs::new();
    let drawn = inputs.drawn(Backend::Portable);
    for backend in Backend::ALL.into_iter().filter(|backend| backend.is_available()) {
        let mut source = inputs.source(backend);
        let first = draw(&mut source);
        assert_eq!(first, drawn, "{backend}");
        // a retry has fresh ones
        assert_all_differ(&first, &draw(&mut source), "second draw");
    }
    let mut words: Vec<u64> = drawn.as_flattened().to_vec();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), 3 * ROWS);
}
