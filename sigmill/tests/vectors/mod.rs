//! Reads the frozen vectors of `vectors/`: comma-separated values without quoting.

#![allow(dead_code, unreachable_pub, missing_docs)]

use sigmill::ed25519::{ContextString, Rule, Variant};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The rows of a file, each a map from column to text.
pub fn rows(file: &str) -> Vec<BTreeMap<String, String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors").join(file);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let rows: Vec<_> = lines
        .map(|line| {
            let values: Vec<&str> = line.split(',').collect();
            assert_eq!(values.len(), columns.len(), "{file}: {line}");
            columns.iter().zip(values).map(|(c, v)| ((*c).to_owned(), v.to_owned())).collect()
        })
        .collect();
    assert!(!rows.is_empty(), "{file} has no rows");
    rows
}

pub fn unhex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2) && text.is_ascii(), "{text} is not hexadecimal");
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hexadecimal digits"))
        .collect()
}

/// One row of `ed25519/verify.csv`.
pub struct Vector {
    pub id: String,
    pub group: String,
    pub note: String,
    pub variant: String,
    pub context: Vec<u8>,
    pub key: Vec<u8>,
    pub message: Vec<u8>,
    pub signature: Vec<u8>,
    verdicts: BTreeMap<String, String>,
}

impl Vector {
    pub fn variant(&self) -> Variant<'_> {
        variant(&self.variant, &self.context)
    }

    /// `ok` or the name of a reason.
    pub fn expected(&self, rule: &Rule) -> &str {
        &self.verdicts[rule.name()]
    }
}

pub fn variant<'a>(name: &str, context: &'a [u8]) -> Variant<'a> {
    let context = ContextString::new(context).expect("contexts of vectors are short");
    match name {
        "pure" => Variant::Pure,
        "ctx" => Variant::Ctx(context),
        "ph" => Variant::Ph(context),
        _ => panic!("no variant is called {name}"),
    }
}

pub fn verify_vectors() -> Vec<Vector> {
    rows("ed25519/verify.csv")
        .into_iter()
        .map(|row| Vector {
            id: row["id"].clone(),
            group: row["group"].clone(),
            note: row["note"].clone(),
            variant: row["variant"].clone(),
            context: unhex(&row["context"]),
            key: unhex(&row["key"]),
            message: unhex(&row["message"]),
            signature: unhex(&row["signature"]),
            verdicts: row,
        })
        .collect()
}

/// The word of the vectors for a verdict.
pub fn word(verdict: sigmill::Verdict) -> &'static str {
    match verdict {
        sigmill::Verdict::Valid => "ok",
        sigmill::Verdict::Invalid(reason) => reason.name(),
    }
}
