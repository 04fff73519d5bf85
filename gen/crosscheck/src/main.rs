//! Compares `vectors/ed25519/verify.csv` with outside programs, row by row; with the argument `ecdsa`,
//! ECDSA and its DER with OpenSSL and AWS-LC: `ecdsa [ROUNDS [ENCODINGS [SEED]]]`, for each curve.
//!
//! Each program is known to follow one rule (`docs/rules.md` says which library follows which). A
//! row where a program answers otherwise must be in [`EXPLAINED`], or this program fails.

mod ecdsa;

use std::ffi::CStr;
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

/// Fewer rows of the variant pure than this mean that the file is not the whole one.
const PURE_ROWS_AT_LEAST: usize = 1800;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match &arguments[..] {
        [first, numbers @ ..] if first == "ecdsa" => ecdsa_with(numbers).map(|()| true),
        [] => run(),
        _ => Err("arguments: none, or ecdsa [ROUNDS [ENCODINGS [SEED]]]".to_owned()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("crosscheck: {message}");
            ExitCode::from(2)
        }
    }
}

fn ecdsa_with(numbers: &[String]) -> Result<(), String> {
    let number = |i: usize, default: u64| match numbers.get(i) {
        Some(text) => text.parse().map_err(|_| format!("`{text}` is no number")),
        None => Ok(default),
    };
    ecdsa::run(number(0, 2_000)? as usize, number(1, 100_000)? as usize, number(2, 1)?)
}

fn run() -> Result<bool, String> {
    let rows = rows()?;
    // every program has a function for these
    let pure = rows.iter().filter(|row| row.variant == "pure").count();
    if pure < PURE_ROWS_AT_LEAST {
        return Err(format!("{pure} rows are pure, at least {PURE_ROWS_AT_LEAST} expected"));
    }
    let programs = programs()?;
    let mut agreed = true;
    println!("| program | version | rule | rows compared | agree | differ as explained | differ |");
    println!("|---|---|---|---|---|---|---|");
    for program in programs {
        let (mut agree, mut explained, mut differ) = (0, 0, Vec::new());
        for row in &rows {
            let Some(got) = (program.verify)(row) else { continue };
            let frozen = row.verdicts.iter().find(|(rule, _)| rule == program.rule);
            let (_, verdict) = frozen.ok_or_else(|| format!("no column `{}`", program.rule))?;
            let expected = verdict == "ok";
            if got == expected {
                agree += 1;
            } else if EXPLAINED.iter().any(|(name, fits, _)| *name == program.name && fits(row)) {
                explained += 1;
            } else {
                differ.push(format!(
                    "{} ({}): {}",
                    row.id,
                    row.group,
                    if got { "accepts" } else { "refuses" }
                ));
            }
        }
        println!(
            "| {} | {} | `{}` | {} | {agree} | {explained} | {} |",
            program.name,
            program.version,
            program.rule,
            agree + explained + differ.len(),
            differ.len()
        );
        for line in &differ {
            eprintln!("{}: row {line}", program.name);
        }
        let compared = agree + explained + differ.len();
        if compared < pure {
            eprintln!("{}: {compared} rows compared, but {pure} are pure", program.name);
        }
        agreed &= differ.is_empty() && compared >= pure;
    }
    for (name, _, reason) in EXPLAINED {
        println!("{name} differs: {reason}");
    }
    Ok(agreed)
}

fn rows() -> Result<Vec<Row>, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/ed25519/verify.csv");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().ok_or("verify.csv has no header")?.split(',').collect();
    lines
        .map(|line| {
            let values: Vec<&str> = line.split(',').collect();
            let [id, group, _, variant, context, key, message, signature, verdicts @ ..] =
                &values[..]
            else {
                return Err(format!("verify.csv: a row with {} columns", values.len()));
            };
            if values.len() != header.len() {
                let (found, expected) = (values.len(), header.len());
                return Err(format!("verify.csv, row {id}: {found} columns, not {expected}"));
            }
            Ok(Row {
                id: (*id).to_owned(),
                group: (*group).to_owned(),
                variant: (*variant).to_owned(),
                context: unhex(context)?,
                key: unhex(key)?,
                message: unhex(message)?,
                signature: unhex(signature)?,
                verdicts: header[8..]
                    .iter()
                    .zip(verdicts)
                    .map(|(r, v)| ((*r).to_owned(), (*v).to_owned()))
                    .collect(),
            })
        })
        .collect()
}

fn unhex(text: &str) -> Result<Vec<u8>, String> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return Err(format!("`{text}` is not hexadecimal"));
    }
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).map_err(|error| error.to_string()))
        .collect()
}

fn programs() -> Result<Vec<Program>, String> {
    let openssl = openssl::version::version().split(' ').nth(1).unwrap_or("?").to_owned();
    let sodium = sodium_version()?;
    Ok(vec![
        Program { name: "OpenSSL", version: openssl, rule: "common", verify: with_openssl },
        Program {
            name: "ed25519-dalek `verify`",
            version: "2.2.0".into(),
            rule: "common",
            verify: with_dalek,
        },
        Program { name: "ring", version: "0.17.14".into(), rule: "common", verify: with_ring },
        Program {
            name: "aws-lc-rs",
            version: "1.19.0".into(),
            rule: "rfc8032_exact",
            verify: with_aws_lc,
        },
        Program {
            name: "ed25519-zebra",
            version: "4.2.0".into(),
            rule: "zip215",
            verify: with_zebra,
        },
        Program { name: "libsodium", version: sodium, rule: "strict", verify: with_sodium },
        Program {
            name: "ed25519-dalek `verify_strict`",
            version: "2.2.0".into(),
            rule: "strict",
            verify: with_dalek_strict,
        },
    ])
}

fn with_openssl(row: &Row) -> Option<bool> {
    use openssl::pkey::{Id, PKey};
    use openssl::sign::Verifier;
    if row.variant != "pure" {
        return None;
    }
    let Ok(key) = PKey::public_key_from_raw_bytes(&row.key, Id::ED25519) else {
        return Some(false);
    };
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
    let Some((key, signature)) = dalek_parts(row) else {
        return (row.variant != "ctx").then_some(false);
    };
    let digest = || sha2::Sha512::new().chain_update(&row.message);
    match row.variant.as_str() {
        "pure" => Some(key.verify(&row.message, &signature).is_ok()),
        "ph" => Some(key.verify_prehashed(digest(), Some(&row.context), &signature).is_ok()),
        _ => None,
    }
}

fn with_dalek_strict(row: &Row) -> Option<bool> {
    use ed25519_dalek::Digest;
    let Some((key, signature)) = dalek_parts(row) else {
        return (row.variant != "ctx").then_some(false);
    };
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

/// The version of the linked library, which need not be that of the headers the crate brings along.
fn sodium_version() -> Result<String, String> {
    // SAFETY: no arguments; it may be called any number of times.
    if unsafe { libsodium_sys::sodium_init() } < 0 {
        return Err("libsodium does not start".to_owned());
    }
    // SAFETY: no arguments; the library is initialised.
    let text = unsafe { libsodium_sys::sodium_version_string() };
    // SAFETY: libsodium returns a constant C string.
    let text = unsafe { CStr::from_ptr(text) };
    Ok(text.to_string_lossy().into_owned())
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
