//! Batches that are wholly an attacker's, with scalars that he has chosen: a combination of valid rows holds.

use num_bigint::BigUint;
use sigmill::bulk::{Backend, Column, Engine, Scratch, Spec, Specs, Strategy, Table};
use sigmill::ed25519::hazmat::{ExpandedSecretKey, Scalar};
use sigmill::ed25519::{Rule, Variant, VerifyingKey, rules, verify_bytes};

/// A row with the identity as its key, and this S: R = [S]B, whatever the message.
fn signature(s: &BigUint) -> [u8; 64] {
    let mut bytes = s.to_bytes_le();
    bytes.resize(32, 0);
    let s: [u8; 32] = bytes.try_into().expect("below ℓ");
    let scalar = Scalar::from_bytes_mod_order(s);
    let r = VerifyingKey::from(&ExpandedSecretKey { scalar, hash_prefix: [0; 32] });
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(r.as_bytes());
    signature[32..].copy_from_slice(&s);
    signature
}

/// Runs batches of `rows` with S = −1/(2^width − 1) in the first row and 0 in the others, of which every one in
/// 2^width − 1 has a coefficient of B with bit 252 set when the offset of windows of that width is added.
fn combine(engine: Engine, rule: &Rule, width: u32, rows: usize, batches: usize) {
    let order = (BigUint::from(1_u8) << 252) + 27742317777372353535851937790883648493_u128;
    let part = BigUint::from((1_u32 << width) - 1).modinv(&order).expect("prime");
    let mut identity = [0; 32];
    identity[0] = 1;
    let (first, other) = (signature(&(order - part)), signature(&BigUint::ZERO));
    let signatures: Vec<&[u8]> =
        (0..rows).map(|row| if row == 0 { &first[..] } else { &other[..] }).collect();
    let (keys, messages) = (vec![&identity[..]; rows], vec![&b"m"[..]; rows]);
    assert!(verify_bytes(rule, Variant::Pure, &identity, b"m", &first).is_valid());
    let [keys, messages, signatures] = [&keys, &messages, &signatures].map(|c| Column::slices(c));
    let specs = Specs::Same(Spec::ed25519(rule, Variant::Pure));
    let table = Table::new(keys, messages, signatures, specs).expect("of one length");
    let (mut codes, mut scratch) = (vec![0; rows], vec![Scratch::new(); engine.scratch_len(rows)]);
    for batch in 0..batches {
        let report =
            engine.verify_codes_into(&table, &mut codes, &mut scratch).expect("random bytes");
        let what = format!("{} {rule} width {width}, {rows} rows, batch {batch}", engine.backend());
        assert!(codes.iter().all(|code| *code == 0), "{what}: an invalid row");
        assert_eq!(report.combined, rows, "{what}: the combination of valid rows has failed");
    }
}

#[test]
fn combinations_of_chosen_scalars_hold() {
    let times = if std::env::var_os("SIGMILL_LONG").is_some() { 100 } else { 1 };
    let lets_small_keys_in =
        [&rules::COMMON, &rules::RFC8032_EXACT, &rules::RFC8032, &rules::ZIP215, &rules::LEGACY];
    for backend in Backend::ALL {
        let Ok(engine) = Engine::new().with_backend(backend) else { continue };
        let engine = engine.with_strategy(Strategy::Combined);
        for rule in lets_small_keys_in {
            for rows in [16, 100, 129, 200] {
                combine(engine, rule, 4, rows, 40 * times);
            }
        }
        combine(engine, &rules::ZIP215, 6, 500, 60 * times);
        combine(engine, &rules::ZIP215, 7, 1000, 20 * times);
        combine(engine, &rules::ZIP215, 9, 7000, 2 * times);
    }
}
