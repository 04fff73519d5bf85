//! Compares `vectors/ed25519/verify.csv` with outside programs, row by row.
//!
//! Each program is known to follow one rule (`docs/rules.md` says which library follows which). A
//! row where a program answers otherwise must be in [`EXPLAINED`], or this program fails.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// One frozen row.
struct Row {
    id: String,
    group: String,
    variant: String,
    context: Vec<u8>,
    key: Vec<u8>,
    message: Vec<u8>,
    signature: Vec<u8>,
    verdicts: Vec<(String, String)>,
}

/// A program that answers for one rule; `None` where it has no such function.
struct Program {
    name: &'static str,
    version: String,
    rule: &'static str,
    verify: fn(&Row) -> Option<bool>,
}

/// Program, what the row must have, and why the answers differ.
type Explained = (&'static str, fn(&Row) -> bool, &'static str);

const EXPLAINED: &[Explained] = &[];

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("crosscheck: {message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let rows = rows()?;
    let mut agreed = true;
    println!("| program | version | rule | rows compared | agree | differ as explained | differ |");
    println!("|---|---|---|---|---|---|---|");
    for program in programs() {
        let (mut agree, mut explained, mut differ) = (0, 0, Vec::new());
        for row in &rows {
            let Some(got) = (program.verify)(row) else { continue };
            let frozen = row.verdicts.iter().find(|(rule, _)| rule == program.rule);
            let expected = frozen.is_some_and(|(_, verdict)| verdict == "ok");
            if got == expected {
                agree += 1;
            } else if EXPLAINED.iter().any(|(name, fits, _)| *name == program.name && fits(row)) {
                explained += 1;
            } else {
                differ.push(format!("{} ({}): {}", row.id, row.group, if got { "accepts" } else { "refuses" }));
            }
        }
        println!(
            "| {} | {} | `{}` | {} | {agree} | {explained} | {} |",
            program.name, program.version, program.rule, agree + explained + differ.len(), differ.len()
        );
        for line in &differ {
            eprintln!("{}: row {line}", program.name);
        }
        agreed &= differ.is_empty() && agree > 1000;
    }
    Ok(agreed)
}

fn rows() -> Result<Vec<Row>, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/ed25519/verify.csv");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().ok_or("no header")?.split(',').collect();
    lines
        .map(|line| {
            let values: Vec<&str> = line.split(',').collect();
            let [id, group, _, variant, context, key, message, signature, verdicts @ ..] = &values[..] else {
                return Err(format!("a row with {} columns", values.len()));
            };
            Ok(Row {
                id: (*id).to_owned(),
                group: (*group).to_owned(),
                variant: (*variant).to_owned(),
                context: unhex(context)?,
                key: unhex(key)?,
                message: unhex(message)?,
                signature: unhex(signature)?,
                verdicts: header[8..].iter().zip(verdicts).map(|(r, v)| ((*r).to_owned(), (*v).to_owned())).collect(),
            })
        })
        .collect()
}

fn unhex(text: &str) -> Result<Vec<u8>, String> {
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).map_err(|error| error.to_string()))
        .collect()
}

fn programs() -> Vec<Program> {
    let openssl = openssl::version::version().split(' ').nth(1).unwrap_or("?").to_owned();
    let sodium = unsafe_free_sodium_version();
    vec![
        Program { name: "OpenSSL", version: openssl, rule: "common", verify: with_openssl },
        Program { name: "ed25519-dalek `verify`", version: "2.2.0".into(), rule: "common", verify: with_dalek },
        Program { name: "ring", version: "0.17.14".into(), rule: "common", verify: with_ring },
        Program { name: "aws-lc-rs", version: "1.19.0".into(), rule: "rfc8032_exact", verify: with_aws_lc },
        Program { name: "ed25519-zebra", version: "4.2.0".into(), rule: "zip215", verify: with_zebra },
        Program { name: "libsodium", version: sodium, rule: "strict", verify: with_sodium },
        Program { name: "ed25519-dalek `verify_strict`", version: "2.2.0".into(), rule: "strict", verify: with_dalek_strict },
    ]
}

fn with_openssl(row: &Row) -> Option<bool> {
    use openssl::pkey::{Id, PKey};
    use openssl::sign::Verifier;
    if row.variant != "pure" {
        return None;
    }
    let Ok(key) = PKey::public_key_from_raw_bytes(&row.key, Id::ED25519) else { return Some(false) };
    let Ok(mut verifier) = Verifier::new_without_digest(&key) else { return Some(false) };
    Some(verifier.verify_oneshot(&row.signature, &row.message).unwrap_or(false))
}

fn dalek_parts(row: &Row) -> Option<(ed25519_dalek::VerifyingKey, ed25519_dalek::Signature)> {
    let key = ed25519_dalek::VerifyingKey::try_from(&row.key[..]).ok()?;
    Some((key, ed25519_dalek::Signature::from_slice(&row.signature).ok()?))
}

fn with_dalek(row: &Row) -> Option<bool> {
    use ed25519_dalek::Digest;
    use ed25519_dalek::Verifier;
    let Some((key, signature)) = dalek_parts(row) else { return (row.variant != "ctx").then_some(false) };
    let digest = || sha2::Sha512::new().chain_update(&row.message);
    match row.variant.as_str() {
        "pure" => Some(key.verify(&row.message, &signature).is_ok()),
        "ph" => Some(key.verify_prehashed(digest(), Some(&row.context), &signature).is_ok()),
        _ => None,
    }
}

fn with_dalek_strict(row: &Row) -> Option<bool> {
    use ed25519_dalek::Digest;
    let Some((key, signature)) = dalek_parts(row) else { return (row.variant != "ctx").then_some(false) };
    let digest = || sha2::Sha512::new().chain_update(&row.message);
    match row.variant.as_str() {
        "pure" => Some(key.verify_strict(&row.message, &signature).is_ok()),
        "ph" => Some(key.verify_prehashed_strict(digest(), Some(&row.context), &signature).is_ok()),
        _ => None,
    }
}

fn with_ring(row: &Row) -> Option<bool> {
    use ring::signature::{ED25519, UnparsedPublicKey};
    let key = UnparsedPublicKey::new(&ED25519, &row.key);
    (row.variant == "pure").then(|| key.verify(&row.message, &row.signature).is_ok())
}

fn with_aws_lc(row: &Row) -> Option<bool> {
    use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
    let key = UnparsedPublicKey::new(&ED25519, &row.key);
    (row.variant == "pure").then(|| key.verify(&row.message, &row.signature).is_ok())
}

fn with_zebra(row: &Row) -> Option<bool> {
    if row.variant != "pure" {
        return None;
    }
    let key = ed25519_zebra::VerificationKey::try_from(&row.key[..]);
    let signature = ed25519_zebra::Signature::try_from(&row.signature[..]);
    let (Ok(key), Ok(signature)) = (key, signature) else { return Some(false) };
    Some(key.verify(&signature, &row.message).is_ok())
}

fn unsafe_free_sodium_version() -> String {
    let bytes = libsodium_sys::SODIUM_VERSION_STRING;
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

fn with_sodium(row: &Row) -> Option<bool> {
    if row.variant != "pure" {
        return None;
    }
    if row.key.len() != 32 || row.signature.len() != 64 {
        return Some(false); // the function takes pointers to exactly these lengths
    }
    // SAFETY: the three pointers are valid for 64, message-length and 32 bytes.
    let code = unsafe {
        libsodium_sys::crypto_sign_verify_detached(
            row.signature.as_ptr(),
            row.message.as_ptr(),
            row.message.len() as u64,
            row.key.as_ptr(),
        )
    };
    Some(code == 0)
}
