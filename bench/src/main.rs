//! Times of our own operations: nanoseconds each, minimum and median of 31 rounds, inputs distinct.
//! Comparison with other libraries is to come; a figure without its recorded run means nothing.

use sigmill::bulk::{self, Column, Spec, Specs, Table};
use sigmill::ed25519::{PreparedKey, SigningKey, Variant, rules, verify_bytes};
use std::hint::black_box;
use std::time::Instant;

const INPUTS: usize = 256;
const ROUNDS: usize = 31;

fn time(name: &str, mut round: impl FnMut() -> usize) {
    round();
    let mut times: Vec<u128> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let operations = round();
            start.elapsed().as_nanos() / operations as u128
        })
        .collect();
    times.sort_unstable();
    println!("{{\"engine\":\"sigmill\",\"op\":\"{name}\",\"ns_min\":{},\"ns_median\":{}}}", times[0], times[ROUNDS / 2]);
}

fn main() {
    let seeds: Vec<[u8; 32]> = (0..INPUTS).map(|i| core::array::from_fn(|j| (i * 7 + j * 31) as u8)).collect();
    let keys: Vec<SigningKey> = seeds.iter().map(SigningKey::from_bytes).collect();
    let publics: Vec<_> = keys.iter().map(|key| key.verifying_key()).collect();
    let messages: Vec<[u8; 32]> = seeds.iter().map(|seed| seed.map(|byte| byte ^ 0x5a)).collect();
    let signatures: Vec<_> = keys.iter().zip(&messages).map(|(key, m)| key.sign(m)).collect();
    let prepared: Vec<_> = publics.iter().map(PreparedKey::new).collect();
    time("ed25519.keygen", || seeds.iter().map(|seed| black_box(SigningKey::from_bytes(seed))).count());
    time("ed25519.sign32", || keys.iter().zip(&messages).map(|(key, m)| black_box(key.sign(m))).count());
    let rows = || publics.iter().zip(&messages).zip(&signatures);
    time("ed25519.verify_raw", || {
        rows().filter(|((key, m), s)| verify_bytes(&rules::COMMON, Variant::Pure, key.as_ref(), *m, s.as_ref()).is_valid()).count()
    });
    time("ed25519.verify_parsed", || rows().filter(|((key, m), s)| key.verify(*m, s).is_valid()).count());
    time("ed25519.verify_zip215_parsed", || {
        rows().filter(|((key, m), s)| key.verify_with(&rules::ZIP215, Variant::Pure, *m, s).is_valid()).count()
    });
    time("ed25519.verify_prepared", || {
        prepared.iter().zip(&messages).zip(&signatures).filter(|((key, m), s)| key.verify(*m, s).is_valid()).count()
    });
    time("ed25519.prepare", || publics.iter().map(|key| black_box(PreparedKey::new(key))).count());
    let key_column: Vec<u8> = publics.iter().flat_map(|key| key.to_bytes()).collect();
    let signature_column: Vec<u8> = signatures.iter().flat_map(|s| s.to_bytes()).collect();
    let message_column = messages.concat();
    let column = |bytes, width| Column::fixed(bytes, width, INPUTS, None).expect("the right length");
    let table = Table::new(
        column(&key_column, 32),
        column(&message_column, 32),
        column(&signature_column, 64),
        Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure)),
    )
    .expect("columns of one length");
    time("ed25519.bulk_raw", || bulk::verify(&table).iter().filter(|o| o.is_some_and(|v| v.is_valid())).count());
}
