//! Every frozen vector under every rule through every way of verifying: one verdict, one reason.

use crate::vectors::{Vector, rows, unhex, variant, verify_vectors, word};
use sigmill::bulk::{self, Column, NULL_SPEC, Scratch, Spec, Specs, Table, scratch_len};
use sigmill::ed25519::{
    Explanation, PreparedKey, Rule, Signature, Signer, SigningKey, StreamSigner, StreamVerifier,
    Variant, VerifyingKey, rules, sign_with_keypair, sign_with_seed, verify_bytes,
};

/// Checks one way of verifying against all vectors and rules, and says how many rows it saw.
fn check(way: &str, verify: impl Fn(&Rule, &Vector) -> Option<&'static str>) -> usize {
    let mut seen = 0;
    for vector in verify_vectors() {
        for rule in rules::ALL {
            if let Some(got) = verify(rule, &vector) {
                seen += 1;
                let expected = vector.expected(rule);
                let Vector { id, group, note, .. } = &vector;
                assert_eq!(got, expected, "{way}, row {id} ({group}: {note}), rule {rule}");
            }
        }
    }
    seen
}

fn parsed(vector: &Vector) -> Option<(VerifyingKey, Signature)> {
    let key = VerifyingKey::try_from(&vector.key[..]).ok()?;
    let signature = Signature::try_from(&vector.signature[..]).ok()?;
    Some((key, signature))
}

#[test]
fn bytes_give_the_frozen_verdict_and_reason() {
    let seen = check("verify_bytes", |rule, v| {
        Some(word(verify_bytes(rule, v.variant(), &v.key, &v.message, &v.signature)))
    });
    assert_eq!(seen, 8 * verify_vectors().len());
}

#[test]
fn parsed_keys_give_the_frozen_verdict_and_reason() {
    let seen = check("VerifyingKey::verify_with", |rule, v| {
        let (key, signature) = parsed(v)?;
        Some(word(key.verify_with(rule, v.variant(), &v.message, &signature)))
    });
    assert!(seen > 8 * 1000);
}

#[test]
fn prepared_keys_give_the_frozen_verdict_and_reason() {
    let seen = check("PreparedKey::verify_with", |rule, v| {
        let (key, signature) = parsed(v)?;
        Some(word(PreparedKey::new(&key).verify_with(rule, v.variant(), &v.message, &signature)))
    });
    assert!(seen > 8 * 1000);
}

#[test]
fn streams_give_the_frozen_verdict_and_reason() {
    let seen = check("StreamVerifier", |rule, v| {
        let (key, signature) = parsed(v)?;
        let mut verifier = StreamVerifier::new(rule, v.variant(), &key, &signature);
        // pieces of 0, 1, 2, … bytes
        let mut rest = &v.message[..];
        let mut len = 0;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(len.min(rest.len()));
            verifier.update(piece);
            (rest, len) = (after, len + 1);
        }
        Some(word(verifier.finish()))
    });
    assert!(seen > 8 * 1000);
}

#[test]
fn explanations_give_the_frozen_verdict_and_reason() {
    let seen = check("Explanation", |rule, v| {
        let key = v.key[..].try_into().ok()?;
        let signature = v.signature[..].try_into().ok()?;
        Some(word(Explanation::new(v.variant(), key, &v.message, signature).verdict(rule)))
    });
    assert!(seen > 8 * 1000);
}

/// Columns with 32-bit offsets.
struct Binary {
    offsets: Vec<i32>,
    bytes: Vec<u8>,
}

impl Binary {
    fn of<'a>(values: impl Iterator<Item = &'a [u8]>) -> Binary {
        let mut column = Binary { offsets: vec![0], bytes: Vec::new() };
        for value in values {
            column.bytes.extend_from_slice(value);
            column.offsets.push(i32::try_from(column.bytes.len()).expect("a small column"));
        }
        column
    }

    fn column(&self) -> Column<'_> {
        Column::binary(&self.offsets, &self.bytes, None).expect("offsets go up")
    }
}

#[test]
fn bulk_gives_the_frozen_verdict_and_reason_for_every_rule_at_once() {
    // all rules, variants and contexts in one table, each row under each rule, in a mixed order
    let vectors = verify_vectors();
    let mut order: Vec<(usize, &Rule)> = Vec::new();
    for i in 0..vectors.len() {
        for (j, rule) in rules::ALL.into_iter().enumerate() {
            order.push(((i * 577 + j * 91) % vectors.len(), rule));
        }
    }
    let at = |i: &usize| &vectors[*i];
    let keys = Binary::of(order.iter().map(|(i, _)| &at(i).key[..]));
    let messages = Binary::of(order.iter().map(|(i, _)| &at(i).message[..]));
    let signatures = Binary::of(order.iter().map(|(i, _)| &at(i).signature[..]));
    let mut distinct: Vec<Spec<'_>> = Vec::new();
    let mut index = Vec::new();
    for (i, rule) in &order {
        let spec = Spec::ed25519(rule, at(i).variant());
        let found = distinct.iter().position(|other| *other == spec);
        index.push(found.unwrap_or(distinct.len()) as u32);
        if found.is_none() {
            distinct.push(spec);
        }
    }
    let specs = Specs::PerRow { distinct: &distinct, index: &index };
    let table = Table::new(keys.column(), messages.column(), signatures.column(), specs)
        .expect("columns of one length");
    let mut scratch = vec![Scratch::new(); scratch_len(table.len())];
    let mut outcomes = vec![None; table.len()];
    bulk::verify_into(&table, &mut outcomes, &mut scratch).expect("buffers of the right length");
    for ((i, rule), outcome) in order.iter().zip(&outcomes) {
        let got = outcome.map(word);
        assert_eq!(got, Some(at(i).expected(rule)), "row {} rule {rule}", at(i).id);
    }
    assert_eq!(bulk::verify(&table).expect("random bytes"), outcomes);
    #[cfg(feature = "rayon")]
    assert_eq!(bulk::verify_parallel(&table).expect("random bytes"), outcomes);
}

#[test]
fn bulk_of_one_to_eight_rows_gives_the_single_verdict_in_any_company() {
    let vectors: Vec<Vector> =
        verify_vectors().into_iter().filter(|v| v.variant == "pure").step_by(5).collect();
    for (i, vector) in vectors.iter().enumerate() {
        for n in 1..=8 {
            let place = (i + n) % n;
            let rows: Vec<&Vector> =
                (0..n)
                    .map(|j| {
                        if j == place { vector } else { &vectors[(i * 31 + j * 7) % vectors.len()] }
                    })
                    .collect();
            let keys = Binary::of(rows.iter().map(|v| &v.key[..]));
            let messages = Binary::of(rows.iter().map(|v| &v.message[..]));
            let signatures = Binary::of(rows.iter().map(|v| &v.signature[..]));
            let rule = rules::ALL[(i + n) % 8];
            let table = Table::new(
                keys.column(),
                messages.column(),
                signatures.column(),
                Specs::Same(Spec::ed25519(rule, Variant::Pure)),
            )
            .expect("columns of one length");
            for (row, outcome) in rows.iter().zip(bulk::verify(&table).expect("random bytes")) {
                assert_eq!(outcome.map(word), Some(row.expected(rule)), "row {} {rule}", row.id);
            }
        }
    }
}

#[test]
fn nulls_have_no_verdict_and_disturb_nobody() {
    let key = SigningKey::from_bytes(&[3; 32]);
    let (good, public) = (key.sign(b"m").to_bytes(), key.verifying_key().to_bytes());
    let rows = 70;
    let (keys, signatures) = (public.repeat(rows), good.repeat(rows));
    let messages = b"m".repeat(rows);
    // key null in rows 0 mod 5, message in 1 mod 5, signature in 2 mod 5, spec in 3 mod 5
    let bits = |n: usize| -> Vec<u8> {
        (0..rows.div_ceil(8) + 1)
            .map(|byte| {
                (0..8).fold(0, |acc, bit| acc | u8::from((8 * byte + bit + 5 - 3) % 5 != n) << bit)
            })
            .collect()
    };
    let (key_bits, message_bits, signature_bits) = (bits(0), bits(1), bits(2));
    let bitmap = |bytes| Some(bulk::Bitmap::new(bytes, 3)); // row r is bit r + 3
    let index: Vec<u32> = (0..rows).map(|r| if r % 5 == 3 { NULL_SPEC } else { 0 }).collect();
    let distinct = [Spec::ed25519(&rules::STRICT, Variant::Pure)];
    let table = Table::new(
        Column::fixed(&keys, 32, rows, bitmap(&key_bits)).expect("right length"),
        Column::fixed(&messages, 1, rows, bitmap(&message_bits)).expect("right length"),
        Column::fixed(&signatures, 64, rows, bitmap(&signature_bits)).expect("right length"),
        Specs::PerRow { distinct: &distinct, index: &index },
    )
    .expect("columns of one length");
    for (row, outcome) in bulk::verify(&table).expect("random bytes").into_iter().enumerate() {
        assert_eq!(outcome.is_some(), row % 5 == 4, "row {row}");
        assert!(outcome.is_none_or(|verdict| verdict.is_valid()));
    }
}

#[test]
fn hedged_signatures_are_the_frozen_ones() {
    for row in rows("ed25519/sign_hedged.csv") {
        let (seed, noise) = (unhex(&row["seed"]), unhex(&row["noise"]));
        let noise: &[u8; 32] = noise.as_slice().try_into().expect("32 bytes");
        let (message, context) = (unhex(&row["message"]), unhex(&row["context"]));
        let variant = variant(&row["variant"], &context);
        let key = SigningKey::decode(&seed).expect("32 bytes");
        let signature = key.sign_hedged(variant, noise, &message);
        assert_eq!(signature.to_bytes()[..], unhex(&row["signature"]), "{}", row["note"]);
        assert_ne!(signature, key.sign_with(variant, &message));
        assert_eq!(key.sign_checked(variant, Some(noise), &message), Ok(signature));
        let mut first = StreamSigner::hedged(&key, variant, noise);
        message.chunks(13).for_each(|piece| first.update(piece));
        let mut second = first.second_pass();
        message.chunks(5).for_each(|piece| second.update(piece));
        assert_eq!(second.finish(), Ok(signature), "{}", row["note"]);
        for rule in rules::ALL {
            assert!(key.verify_with(rule, variant, &message, &signature).is_valid());
        }
    }
}

#[test]
fn signatures_are_the_frozen_ones() {
    for row in rows("ed25519/sign.csv") {
        let (seed, message) = (unhex(&row["seed"]), unhex(&row["message"]));
        let context = unhex(&row["context"]);
        let variant = variant(&row["variant"], &context);
        let key = SigningKey::try_from(&seed[..]).expect("32 bytes");
        assert_eq!(key.verifying_key().to_string(), row["key"], "{}", row["note"]);
        let signature = key.sign_with(variant, &message);
        assert_eq!(signature.to_bytes()[..], unhex(&row["signature"]), "{}", row["note"]);
        assert_eq!(sign_with_seed(key.as_bytes(), variant, &message), signature, "{}", row["note"]);
        let pair = key.to_keypair_bytes();
        assert_eq!(sign_with_keypair(&pair, variant, &message), Ok(signature), "{}", row["note"]);
        let mut first = StreamSigner::new(&key, variant);
        message.chunks(7).for_each(|piece| first.update(piece));
        let mut second = first.second_pass();
        message.chunks(11).for_each(|piece| second.update(piece));
        assert_eq!(second.finish(), Ok(signature), "{}", row["note"]);
        for rule in rules::ALL {
            assert!(
                key.verifying_key().verify_with(rule, variant, &message, &signature).is_valid()
            );
        }
    }
}

#[test]
fn decoding_reports_the_frozen_facts() {
    for row in rows("ed25519/decode.csv") {
        let bytes: [u8; 32] = unhex(&row["encoding"]).try_into().expect("32 bytes");
        let flag = |column: &str| row[column] == "1";
        let note = format!("{} ({})", row["encoding"], row["note"]);
        let report = Explanation::new(Variant::Pure, &bytes, b"", &[0; 64]).a;
        assert_eq!(report.decodes, flag("decodes"), "{note}");
        match VerifyingKey::decode(&bytes) {
            Ok(key) => {
                assert!(flag("decodes"), "{note}");
                assert_eq!(key.is_canonical(), flag("canonical"), "{note}");
                assert_eq!(key.is_weak(), flag("small"), "{note}");
                assert_eq!((report.canonical, report.small), (flag("canonical"), flag("small")));
                assert_eq!(report.torsion_order.to_string(), row["torsion_order"], "{note}");
                for rule in rules::ALL {
                    let canonical = rule.a_encoding() == rules::Encoding::Any || flag("canonical");
                    let small = rule.a_order() == rules::Order::Any || !flag("small");
                    assert_eq!(key.check(rule).is_valid(), canonical && small, "{note}, {rule}");
                }
            }
            Err(error) => {
                assert_eq!(error, sigmill::Error::NotAPoint);
                assert!(!flag("decodes"), "{note}");
            }
        }
    }
}

#[test]
fn rules_are_the_frozen_ones() {
    let frozen = rows("rules.csv");
    assert_eq!(frozen.len(), rules::ALL.len());
    for (row, rule) in frozen.iter().zip(rules::ALL) {
        let encoding = |encoding| match encoding {
            rules::Encoding::Any => "any",
            rules::Encoding::Canonical => "canonical",
        };
        let order = |order| match order {
            rules::Order::Any => "any",
            rules::Order::RejectSmall => "reject_small",
        };
        let s_bound = match rule.s_bound() {
            rules::ScalarBound::BelowOrder => "below_order",
            rules::ScalarBound::TopThreeBitsClear => "top_three_bits_clear",
        };
        let equation = match rule.equation() {
            rules::Equation::Exact => "exact",
            rules::Equation::Cofactored => "cofactored",
        };
        for (column, value) in [
            ("id", rule.id().to_string().as_str()),
            ("name", rule.name()),
            ("s_bound", s_bound),
            ("a_encoding", encoding(rule.a_encoding())),
            ("r_encoding", encoding(rule.r_encoding())),
            ("a_order", order(rule.a_order())),
            ("r_order", order(rule.r_order())),
            ("equation", equation),
        ] {
            assert_eq!(row[column], value, "{rule} {column}");
        }
    }
}
