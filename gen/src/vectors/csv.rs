//! The text of the files.

use super::inputs::{
    hex, non_canonical_encodings, off_curve_encodings, scalar, seed, small_order_encodings,
    with_torsion,
};
use super::{Row, Signed, Verdicts};
use crate::File;
use crate::reference::{Point, RULES, bytes32, p, public_key, sign, sign_hedged};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) fn verify_csv(rows: &[Row], verdicts: &Verdicts) -> String {
    let mut text =
        format!("id,group,note,variant,context,key,message,signature,{}\n", RULES.join(","));
    for (id, (row, verdicts)) in rows.iter().zip(verdicts).enumerate() {
        let _ = writeln!(
            text,
            "{id},{},{},{},{},{},{},{},{}",
            row.group,
            row.note,
            row.variant.name(),
            hex(&row.context),
            hex(&row.key),
            hex(&row.message),
            hex(&row.signature),
            verdicts.join(",")
        );
    }
    text
}

pub(super) fn sign_csv(signed: &[Signed]) -> String {
    let mut text = "id,note,variant,context,seed,key,message,signature\n".to_owned();
    for (id, row) in signed.iter().enumerate() {
        let signature = sign(&row.seed, row.variant, &row.context, &row.message);
        add_signed(&mut text, id, row, &public_key(&row.seed), &signature);
    }
    text
}

/// A line of a signature; `by` is what stands after the seed.
fn add_signed(text: &mut String, id: usize, row: &Signed, by: &[u8; 32], signature: &[u8; 64]) {
    let _ = writeln!(
        text,
        "{id},{},{},{},{},{},{},{}",
        row.note,
        row.variant.name(),
        hex(&row.context),
        hex(&row.seed),
        hex(by),
        hex(&row.message),
        hex(signature)
    );
}

/// Hedged signatures: rows of `sign.csv` with all-zero noise, with all ones, and with other noise.
pub(super) fn sign_hedged_csv(signed: &[Signed]) -> String {
    let mut text = "id,note,variant,context,seed,noise,message,signature\n".to_owned();
    for (id, (row, noise)) in signed
        .iter()
        .step_by(5)
        .flat_map(|row| {
            [[0; 32], [0xff; 32], seed(&format!("noise of {}", row.note))].map(|noise| (row, noise))
        })
        .enumerate()
    {
        let signature = sign_hedged(&row.seed, &noise, row.variant, &row.context, &row.message);
        add_signed(&mut text, id, row, &noise, &signature);
    }
    text
}

pub(super) fn decode_csv() -> String {
    let mut text = "encoding,decodes,canonical,small,torsion_order,note\n".to_owned();
    let mut add = |bytes: &[u8; 32], note: &str| {
        let facts = match Point::decode(bytes) {
            Some((point, canonical)) => {
                format!(
                    "1,{},{},{}",
                    u8::from(canonical),
                    u8::from(point.is_small()),
                    point.torsion_order()
                )
            }
            None => "0,0,0,".to_owned(),
        };
        let _ = writeln!(text, "{},{facts},{note}", hex(bytes));
    };
    for encoding in small_order_encodings() {
        add(&encoding, "small order");
    }
    for encoding in non_canonical_encodings() {
        add(&encoding, "not canonical");
    }
    for encoding in off_curve_encodings(40) {
        add(&encoding, "no point");
    }
    for k in 0_u8..19 {
        for sign in [0, 0x80] {
            let mut bytes = bytes32(&(p() + k));
            bytes[31] |= sign;
            add(&bytes, "y from p up");
        }
    }
    for torsion in 0..8 {
        for i in 0..6 {
            let point = with_torsion(&scalar(&format!("decode {i}")), torsion);
            add(&point.encode(), &format!("[n]B + {torsion}T"));
            add(&point.neg().encode(), &format!("-[n]B - {torsion}T"));
        }
    }
    text
}

pub(super) fn rules_csv() -> String {
    let mut text = "id,name,s_bound,a_encoding,r_encoding,a_order,r_order,equation\n".to_owned();
    let rows = [
        "common,below_order,any,canonical,any,any,exact",
        "rfc8032_exact,below_order,canonical,canonical,any,any,exact",
        "rfc8032,below_order,canonical,canonical,any,any,cofactored",
        "zip215,below_order,any,any,any,any,cofactored",
        "strict,below_order,any,canonical,reject_small,reject_small,exact",
        "no_small_key,below_order,canonical,canonical,reject_small,any,cofactored",
        "no_small,below_order,any,canonical,reject_small,reject_small,cofactored",
        "legacy,top_three_bits_clear,any,canonical,any,any,exact",
    ];
    for (id, row) in (1..).zip(rows) {
        let _ = writeln!(text, "{id},{row}");
    }
    text
}

/// Counts, and the hash of every file with vectors.
pub(super) fn totals_md(rows: &[Row], verdicts: &Verdicts, files: &[File]) -> String {
    let mut groups: BTreeMap<&str, (usize, [usize; 8])> = BTreeMap::new();
    for (row, verdicts) in rows.iter().zip(verdicts) {
        for group in [row.group, "all"] {
            let (count, totals) = groups.entry(group).or_default();
            *count += 1;
            for (total, verdict) in totals.iter_mut().zip(verdicts) {
                *total += usize::from(*verdict == "ok");
            }
        }
    }
    let mut text = "<!-- Generated by `cargo run -p sigmill-gen -- vectors`; do not edit. -->\n\
        # Accepted rows of `ed25519/verify.csv`, by group and rule\n\n"
        .to_owned();
    let _ =
        writeln!(text, "| group | rows | {} |\n|---|---|{}", RULES.join(" | "), "---|".repeat(8));
    for (group, (count, totals)) in groups {
        let totals: Vec<String> = totals.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "| {group} | {count} | {} |", totals.join(" | "));
    }
    text += "\n# SHA-256 of the files\n\n| file | rows | SHA-256 |\n|---|---|---|\n";
    for (name, content) in files {
        let short = name.strip_prefix("vectors/").unwrap_or(name);
        let digest = hex(&Sha256::digest(content.as_bytes()));
        let _ = writeln!(text, "| `{short}` | {} | `{digest}` |", content.lines().count() - 1);
    }
    text
}
