//! Columns of DSSE envelopes with several signatures, and of bundles: the verdicts and reasons that `verify` gives singly.

use crate::envelopes::{keys, parquet, reasons};
use crate::keys_files::Folder;
use arrow_array::{ArrayRef, BinaryArray};
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::Encoding;
use sigmill_envelope::{Refusal, SecretKey, dsse, ssh};
use std::sync::Arc;

fn sign(keys: &[(&SecretKey, &str)]) -> String {
    let keys: Vec<_> = keys
        .iter()
        .map(|(key, keyid)| {
            let keyid = Some(*keyid).filter(|keyid| !keyid.is_empty());
            dsse::SigningKey { keyid, key, encoding: Encoding::Der }
        })
        .collect();
    dsse::sign(&keys, dsse::IN_TOTO, b"{}").unwrap()
}

fn bundle(content: &str) -> String {
    format!(
        "{{\"mediaType\":\"application/vnd.dev.sigstore.bundle.v0.3+json\",\
         \"verificationMaterial\":{{\"publicKey\":{{}}}},{content}}}"
    )
}

fn of_signatures(signatures: &[String]) -> String {
    let signatures: Vec<String> =
        signatures.iter().map(|signature| format!("{{\"sig\":\"{signature}\"}}")).collect();
    let signatures = signatures.join(",");
    format!("{{\"payload\":\"e30=\",\"payloadType\":\"t\",\"signatures\":[{signatures}]}}")
}

/// The reason that `verify` gives.
fn singly(folder: &Folder, keys: &str) -> String {
    let (code, line) = folder.sigmill(&format!("verify e --key {keys} --form dsse"));
    let line = line.strip_prefix("e: ").unwrap_or_else(|| panic!("{line}"));
    if line.starts_with("valid ") {
        assert_eq!(code, 0, "{line}");
        return "valid".to_owned();
    }
    assert_eq!(code, 1, "{line}");
    let said = line.strip_prefix("invalid: ").unwrap_or_else(|| panic!("{line}"));
    let is_said = |text: &str| {
        said.strip_prefix(text).is_some_and(|rest| rest.starts_with(": ") || rest.starts_with(" ("))
    };
    let refusal = Refusal::ALL.iter().find(|refusal| is_said(refusal.text()));
    let reason =
        sigmill::Reason::ALL.iter().find(|reason| is_said(reason.name()) || is_said(reason.text()));
    let name = refusal.map(|refusal| refusal.name()).or(reason.map(|reason| reason.name()));
    name.unwrap_or_else(|| panic!("{line}")).to_owned()
}

#[test]
fn a_column_says_what_verify_says_singly() {
    let folder = Folder::new("dsse_tables_singly");
    let (secrets, set) = keys();
    folder.put("keys", set);
    let lines = secrets.iter().map(|secret| ssh::write_public(&secret.public_key(), "").unwrap());
    folder.put("lines", lines.collect::<String>());
    let [ed25519, p256, p384] = &secrets[..] else { unreachable!() };
    let stranger = &SecretKey::new(Algorithm::Ed25519, &[9; 32]).unwrap();
    let stranger_p256 = &SecretKey::new(Algorithm::P256, &[9; 32]).unwrap();
    let one = sign(&[(p384, "k2")]);
    let not_canonical = format!("{}==", "/".repeat(85) + "w");
    let rows = [
        sign(&[(ed25519, "k0"), (p256, "k1")]),
        sign(&[(ed25519, "k0"), (ed25519, "k0"), (stranger, "k0")]),
        sign(&[(stranger, "k0"), (p384, "k2")]),
        sign(&[(stranger, "k0"), (stranger, "k1"), (stranger, "k2")]),
        sign(&[(stranger, "k1"), (stranger, "k0")]),
        sign(&[(stranger, ""), (p256, "")]),
        sign(&[(ed25519, "nobody")]),
        sign(&[(p256, "k0")]),
        sign(&[(stranger_p256, ""), (p384, "k0")]),
        sign(&[(stranger_p256, ""), (stranger, "")]),
        of_signatures(&[not_canonical.clone(), not_canonical.clone()]),
        of_signatures(&["AAAA".to_owned(), "".to_owned()]),
        of_signatures(&[]),
        of_signatures(&vec![not_canonical; 257]),
        bundle(&format!("\"dsseEnvelope\":{one}")),
        bundle(&format!("\"dsseEnvelope\":{}", one.replace("e30=", "W10="))),
        bundle(&format!("\"dsseEnvelope\":{}", sign(&[(ed25519, "k0"), (p256, "k1")]))),
        bundle(&format!("\"dsseEnvelope\":{one}")).replace("v0.3", "v0.9"),
        bundle("\"a\":1"),
        one.replace("\"payload\"", "\"payload\":\"\",\"payload\""),
        "{}".to_owned(),
    ];
    let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(&rows));
    parquet(&folder, "t", vec![("envelope", column)]);
    let mut valid = [0, 0];
    for (keys, valid) in ["keys", "lines"].into_iter().zip(&mut valid) {
        let by_column =
            reasons(&folder, 1, &format!("t --format parquet --envelope dsse --keys {keys}"));
        assert_eq!(by_column.len(), rows.len());
        for (row, reason) in rows.iter().zip(&by_column) {
            folder.put("e", row);
            assert_eq!(singly(&folder, keys), *reason, "{keys}: {row}");
            *valid += usize::from(reason == "valid");
        }
        println!("{keys}: {by_column:?}");
    }
    assert_eq!(valid, [6, 8]);
    // the artifact of such a bundle lies elsewhere, which a column has no place for
    let artifact = bundle("\"messageSignature\":{\"signature\":\"AAAA\"}");
    let column: ArrayRef = Arc::new(BinaryArray::from_iter_values([&artifact]));
    parquet(&folder, "t", vec![("envelope", column)]);
    let reason = reasons(&folder, 1, "t --format parquet --envelope dsse --keys keys");
    assert_eq!(reason, ["payload_missing"]);
}

#[test]
fn rows_of_many_candidates_come_in_parts() {
    let folder = Folder::new("dsse_tables_many");
    let secrets: Vec<SecretKey> =
        (1..=16).map(|i| SecretKey::new(Algorithm::Ed25519, &[i; 32]).unwrap()).collect();
    let lines = secrets.iter().map(|secret| ssh::write_public(&secret.public_key(), "").unwrap());
    folder.put("lines", lines.collect::<String>());
    // no equation is computed for it
    let bad = format!("{}==", "/".repeat(85) + "w");
    let row = |number: usize| {
        let mut signatures = vec![bad.clone(); 256];
        if number % 3 == 1 {
            let scheme = sigmill_envelope::Scheme::Ed25519;
            let signature = secrets[number % 16].sign(scheme, b"DSSEv1 1 t 2 {}").unwrap();
            signatures[number * 17 % 256] = data_encoding::BASE64.encode(&signature);
        }
        if number % 7 == 6 { None } else { Some(of_signatures(&signatures)) }
    };
    // 4096 candidates a row, and 16,384 at a time
    let rows: Vec<Option<String>> = (0..24).map(row).collect();
    let column: ArrayRef = Arc::new(arrow_array::StringArray::from(rows.clone()));
    parquet(&folder, "t", vec![("envelope", column)]);
    let args = "t --format parquet --envelope dsse --keys lines --encoding raw";
    for threads in [1, 2] {
        let found = reasons(&folder, 1, &format!("{args} --threads {threads}"));
        for (number, (row, reason)) in rows.iter().zip(&found).enumerate() {
            let expected = match (row, number % 3) {
                (None, _) => "null",
                (_, 1) => "valid",
                _ => "r_not_canonical",
            };
            assert_eq!(reason, expected, "row {number}");
        }
        assert_eq!(found.len(), 24);
    }
}

#[test]
fn a_page_has_the_reasons_of_envelopes_and_the_names_of_keys() {
    let folder = Folder::new("dsse_tables_report");
    let (secrets, set) = keys();
    folder.put("keys", set);
    let stranger = &SecretKey::new(Algorithm::Ed25519, &[9; 32]).unwrap();
    let rows = [
        Some(sign(&[(&secrets[0], "k0"), (&secrets[1], "k1")])),
        Some(sign(&[(stranger, "k0"), (&secrets[1], "k1")])),
        Some(sign(&[(stranger, "k0"), (stranger, "k1")])),
        Some(of_signatures(&["AAAA".to_owned()])),
        Some("{}".to_owned()),
        None,
    ];
    let column: ArrayRef = Arc::new(arrow_array::StringArray::from(rows.to_vec()));
    parquet(&folder, "t.parquet", vec![("attestation", column)]);
    let args = "check t.parquet --envelope dsse --column attestation --keys keys --quiet";
    folder.expect(1, &format!("{args} --report r.html -o out.csv"));
    let html = String::from_utf8(folder.get("r.html")).unwrap();
    let count = |name: &str, rows: u64| {
        let row = html.split("<tr>").skip(1).find(|row| row.contains(name)).unwrap_or_default();
        assert!(row.contains(&format!("<td class=\"num\">{rows}<")), "{name}: {row}");
    };
    count("dot v", 2);
    count("<code>equation</code>", 1);
    count("<code>key_unknown</code>", 1);
    count("<code>not_dsse</code>", 1);
    count("<code>null</code>", 1);
    // the key of the row that is invalid, and none for rows that are refused
    let public = secrets[0].public_key();
    let hex: String = public.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let key = format!("<code>{hex}</code><span class=\"soft\">k0</span>");
    assert_eq!(html.matches(&key).count(), 2, "{html}");
    assert_eq!(html.matches("<td class=\"key\">–</td>").count(), 3, "{html}");
    for said in ["dsse, column attestation", "<dt>Keys</dt><dd>keys</dd>", "ed25519, rule common"] {
        assert!(html.contains(said), "{said}: {html}");
    }
    assert!(html.contains("p256, hash sha256, DER signatures: 1 row<"), "{html}");
    let csv = String::from_utf8(folder.get("out.csv")).unwrap();
    let verdicts: Vec<&str> = csv
        .lines()
        .skip(1)
        .filter_map(|line| line.rsplit_once("\","))
        .map(|(_, said)| said)
        .collect();
    assert_eq!(verdicts[..3], ["valid,", "valid,", "invalid,equation"]);
}
