//! The library behind a few functions that JavaScript can call. Arguments are bytes: the caller
//! writes them one after the other at [`reserve`]'s address and passes their lengths; results come
//! back at the same address. A panic is a trap, which the caller sees as an exception.

use sigmill::Verdict;
use sigmill::bulk::{Column, Engine, Outcome, Spec, Specs, Table};
use sigmill::ed25519::{ContextString, Rule, SigningKey, Variant, rules, verify_bytes};
use std::sync::{Mutex, MutexGuard};

static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ROWS: Mutex<Rows> = Mutex::new(Rows::new());

/// Rows for bulk verification.
struct Rows {
    keys: Cells,
    messages: Cells,
    signatures: Cells,
    /// Rule, variant and context of each row.
    specs: Vec<(u32, u32, Vec<u8>)>,
    outcomes: Vec<Outcome>,
}

/// A column of byte strings: all bytes, and where each cell ends.
struct Cells {
    bytes: Vec<u8>,
    ends: Vec<i32>,
}

impl Cells {
    const fn new() -> Self {
        Cells { bytes: Vec::new(), ends: Vec::new() }
    }

    fn push(&mut self, cell: &[u8]) {
        self.bytes.extend_from_slice(cell);
        self.ends.push(i32::try_from(self.bytes.len()).expect("a small column"));
    }

    fn offsets(&self) -> Vec<i32> {
        [&[0], &self.ends[..]].concat()
    }
}

impl Rows {
    const fn new() -> Self {
        Rows {
            keys: Cells::new(),
            messages: Cells::new(),
            signatures: Cells::new(),
            specs: Vec::new(),
            outcomes: Vec::new(),
        }
    }
}

fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().expect("one thread, and a panic ends it")
}

fn rule(index: u32) -> &'static Rule {
    rules::ALL[index as usize]
}

/// 0 is Ed25519, 1 Ed25519ctx, 2 Ed25519ph.
fn variant(number: u32, context: &[u8]) -> Variant<'_> {
    let context = ContextString::new(context).expect("at most 255 bytes");
    match number {
        0 => Variant::Pure,
        1 => Variant::Ctx(context),
        2 => Variant::Ph(context),
        _ => panic!("no such variant"),
    }
}

/// 0, or the number of the reason.
fn code(verdict: Verdict) -> u32 {
    match verdict {
        Verdict::Valid => 0,
        Verdict::Invalid(reason) => u32::from(reason.code()),
    }
}

/// Cuts the buffer into parts of the given lengths.
fn parts<const N: usize>(mut buffer: &[u8], lengths: [usize; N]) -> [&[u8]; N] {
    lengths.map(|length| {
        let (part, rest) = buffer.split_at(length);
        buffer = rest;
        part
    })
}

fn give(bytes: &[u8]) -> usize {
    *lock(&BUFFER) = bytes.to_vec();
    bytes.len()
}

/// Makes room for arguments; also the address of the last result.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *const u8 {
    let mut buffer = lock(&BUFFER);
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    buffer.as_ptr()
}

/// Writes the name of rule number `index`; 0 bytes if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn rule_name(index: u32) -> usize {
    give(rules::ALL.get(index as usize).map_or("", |rule| rule.name()).as_bytes())
}

/// Writes the word of the vectors for what [`verify`] returns; 0 bytes if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn word(code: u32) -> usize {
    let reason = sigmill::Reason::ALL.iter().find(|reason| u32::from(reason.code()) == code);
    give(if code == 0 { "ok" } else { reason.map_or("", |reason| reason.name()) }.as_bytes())
}

/// One verification of context ‖ key ‖ message ‖ signature.
#[unsafe(no_mangle)]
pub extern "C" fn verify(
    rule_index: u32,
    variant_number: u32,
    context: usize,
    key: usize,
    message: usize,
    signature: usize,
) -> u32 {
    let buffer = lock(&BUFFER);
    let [context, key, message, signature] = parts(&buffer, [context, key, message, signature]);
    let variant = variant(variant_number, context);
    code(verify_bytes(rule(rule_index), variant, key, message, signature))
}

/// Adds the same as a row for [`bulk`].
#[unsafe(no_mangle)]
pub extern "C" fn push(
    rule_index: u32,
    variant_number: u32,
    context: usize,
    key: usize,
    message: usize,
    signature: usize,
) {
    let buffer = lock(&BUFFER);
    let [context, key, message, signature] = parts(&buffer, [context, key, message, signature]);
    let mut rows = lock(&ROWS);
    rows.keys.push(key);
    rows.messages.push(message);
    rows.signatures.push(signature);
    rows.specs.push((rule_index, variant_number, context.to_vec()));
}

/// Verifies all rows as one table; returns their number.
#[unsafe(no_mangle)]
pub extern "C" fn bulk() -> usize {
    let mut rows = lock(&ROWS);
    let mut distinct: Vec<Spec<'_>> = Vec::new();
    let mut index = Vec::new();
    for (rule_index, variant_number, context) in &rows.specs {
        let spec = Spec::ed25519(rule(*rule_index), variant(*variant_number, context));
        let found = distinct.iter().position(|other| *other == spec);
        index.push(found.unwrap_or(distinct.len()) as u32);
        if found.is_none() {
            distinct.push(spec);
        }
    }
    let offsets = [&rows.keys, &rows.messages, &rows.signatures].map(Cells::offsets);
    let column = |offsets, cells| Column::binary(offsets, cells, None).expect("offsets go up");
    let table = Table::new(
        column(&offsets[0], &rows.keys.bytes),
        column(&offsets[1], &rows.messages.bytes),
        column(&offsets[2], &rows.signatures.bytes),
        Specs::PerRow { distinct: &distinct, index: &index },
    )
    .expect("columns of one length");
    // there is no system to ask for random bytes, and combinations are to run
    let outcomes = Engine::new().deterministic().verify_parallel(&table);
    rows.outcomes = outcomes.expect("no random bytes are wanted").0;
    rows.outcomes.len()
}

/// What [`bulk`] found for a row, as [`verify`] says it.
#[unsafe(no_mangle)]
pub extern "C" fn outcome(row: usize) -> u32 {
    code(lock(&ROWS).outcomes[row].expect("no row has a null"))
}

/// Signs; seed ‖ context ‖ message becomes public key ‖ signature.
#[unsafe(no_mangle)]
pub extern "C" fn sign(variant_number: u32, seed: usize, context: usize, message: usize) -> usize {
    let result = {
        let buffer = lock(&BUFFER);
        let [seed, context, message] = parts(&buffer, [seed, context, message]);
        let key = SigningKey::try_from(seed).expect("32 bytes");
        let signature = key.sign_with(variant(variant_number, context), message);
        [&key.verifying_key().to_bytes()[..], &signature.to_bytes()].concat()
    };
    give(&result)
}
