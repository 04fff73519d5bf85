//! Which room may use which: every `crate::…` and `super::…` path in the sources against the table
//! of ARCHITECTURE.md. DO NOT widen a row to make a change pass; move the code to its room.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A room and the rooms it may use. A room is a folder or file of `src/`, without `.rs`; the
/// longest entry that fits a file is its room.
const ROOMS: &[(&str, &[&str])] = &[
    ("algorithms", &[]),
    ("word", &[]),
    ("ct", &[]),
    ("cpu", &[]),
    ("error", &[]),
    ("memory", &[]),
    ("random", &["error"]),
    ("simd", &["cpu"]),
    ("hash", &["cpu", "simd"]),
    ("modular", &["word", "ct"]),
    ("field", &["word", "ct", "cpu", "memory", "modular", "simd"]),
    ("scalar", &["word", "ct", "cpu", "scalar", "modular", "simd"]),
    ("curve", &["field", "scalar", "ct", "word", "memory", "modular", "simd"]),
    ("ed25519/rules", &["error"]),
    ("ed25519/variant", &["hash", "error"]),
    ("ed25519/verify", &["curve", "scalar", "field", "simd", "ed25519/rules", "error"]),
    ("ed25519/sign", &["curve", "scalar", "field", "hash", "ct", "ed25519/variant"]),
    (
        "ed25519/sign_lanes",
        &["curve", "scalar", "field", "hash", "cpu", "ct", "ed25519/sign", "ed25519/variant"],
    ),
    (
        "ed25519/lanes",
        &[
            "curve",
            "scalar",
            "field",
            "simd",
            "cpu",
            "ed25519/rules",
            "ed25519/verify",
            "ed25519/verifying",
            "error",
        ],
    ),
    (
        "ed25519/combination",
        &[
            "curve",
            "scalar",
            "field",
            "simd",
            "word",
            "memory",
            "cpu",
            "ed25519/rules",
            "ed25519/verify",
            "ed25519/verifying",
            "ed25519/coefficients",
            "error",
        ],
    ),
    ("ed25519/coefficients", &["hash", "cpu", "memory", "ed25519/rules"]),
    // nothing of `sign`: what verifies does not meet what has secrets
    (
        "ed25519/rows",
        &[
            "field",
            "scalar",
            "hash",
            "cpu",
            "memory",
            "error",
            "ed25519/coefficients",
            "ed25519/combination",
            "ed25519/lanes",
            "ed25519/rules",
            "ed25519/variant",
            "ed25519/verify",
            "ed25519/verifying",
        ],
    ),
    (
        "ed25519/verifying",
        &[
            "curve",
            "scalar",
            "field",
            "error",
            "encoding",
            "ed25519/rules",
            "ed25519/variant",
            "ed25519/verify",
        ],
    ),
    (
        "ed25519/explain",
        &["scalar", "field", "error", "ed25519/rules", "ed25519/variant", "ed25519/verify"],
    ),
    // dalek's names for what `bulk` does
    ("ed25519/batch", &["ed25519", "bulk", "error"]),
    ("ed25519", &["curve", "scalar", "field", "hash", "ct", "error", "ed25519"]),
    ("ecdsa/rules", &["error"]),
    ("ecdsa/verify", &["curve", "modular", "ct", "ecdsa/rules"]),
    ("ecdsa/nonce", &["curve", "hash", "ct", "ecdsa/verify"]),
    ("ecdsa/sign", &["curve", "modular", "ct", "ecdsa/nonce", "ecdsa/verify"]),
    (
        "ecdsa/lanes",
        &[
            "curve",
            "field",
            "modular",
            "cpu",
            "hash",
            "encoding",
            "error",
            "memory",
            "ecdsa/rules",
            "ecdsa/curves",
            "ecdsa/types",
            "ecdsa/verify",
        ],
    ),
    ("ecdsa/nonce_lanes", &["hash"]),
    (
        "ecdsa/sign_lanes",
        &[
            "curve",
            "field",
            "simd",
            "modular",
            "cpu",
            "hash",
            "ct",
            "ecdsa/curves",
            "ecdsa/nonce_lanes",
            "ecdsa/sign",
            "ecdsa/types",
            "ecdsa/verify",
        ],
    ),
    // fixed-width bytes and DER of signatures are both its own encodings
    (
        "ecdsa",
        &["algorithms", "curve", "modular", "hash", "ct", "error", "encoding", "random", "ecdsa"],
    ),
    ("ecdh", &["curve", "modular", "ct", "error", "random", "ecdsa"]),
    // the names of other crates for what `ecdh` does
    ("ecdsa/names", &["ecdsa", "ecdh", "error"]),
    ("x25519/lanes", &["curve", "field", "cpu", "ct"]),
    ("x25519", &["curve", "ct", "error", "ed25519", "x25519"]),
    ("bulk", &["algorithms", "ed25519", "ecdsa", "x25519", "error", "bulk", "memory", "cpu"]),
    ("encoding", &["error", "encoding"]),
    // types of another crate for those of ours
    ("dalek_types", &["ed25519", "x25519", "ct"]),
    ("elliptic_types", &["ct", "ecdsa", "ecdh", "modular", "error"]),
    ("keyfile", &["algorithms", "ct", "encoding", "ed25519", "ecdsa", "ecdh", "error"]),
];

/// What no file of a room may name, whatever it imports.
const FORBIDDEN_WORDS: &[(&str, &[&str])] = &[
    ("curve", &["target_feature", "core::arch", "_mm256", "_mm512", "unsafe", "cpu::"]),
    ("ed25519/rules", &["curve", "scalar", "field", "u8; 32"]),
    ("ecdsa/rules", &["curve", "scalar", "field", "modular", "u8"]),
    ("ecdsa", &["core::arch", "target_feature", "unsafe", "_mm256", "_mm512"]),
    ("ed25519", &["core::arch", "target_feature", "unsafe", "_mm256", "_mm512"]),
    ("ecdh", &["core::arch", "target_feature", "unsafe", "_mm256", "_mm512"]),
    ("x25519", &["core::arch", "target_feature", "unsafe", "_mm256", "_mm512"]),
    ("bulk", &["curve::", "scalar::", "field::", "core::arch"]),
    ("encoding", &["ed25519", "1.3.101.112", "1.2.840.10045", "1.3.132.0"]),
];

/// What accepts or refuses a signature, or says why, and the only modules that may name it: the one that
/// defines the words and those that decide. Others ask a verdict by its methods. DO NOT add a module;
/// give `rules` the facts.
const DECIDING_WORDS: &[&str] = &[
    "Verdict::Valid",
    "Verdict::Invalid",
    "Reason::",
    // other ways to write them
    "Verdict::{",
    "Verdict::*",
    "Verdict as ",
    "Reason as ",
];
const DECIDING_MODULES: &[&str] = &["error", "ed25519/rules", "ecdsa/rules"];

fn source_files() -> Vec<PathBuf> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the sources are beside this test") {
            let path = entry.expect("a folder entry").path();
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    files.sort();
    files
}

/// `ed25519/rules` for `src/ed25519/rules.rs`, `bulk` for `src/bulk/mod.rs`.
fn module(file: &Path) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let relative = file.strip_prefix(source).expect("below src").with_extension("");
    let name = relative.to_string_lossy().replace('\\', "/");
    name.strip_suffix("/mod").unwrap_or(&name).to_owned()
}

fn room(module: &str) -> Option<&'static (&'static str, &'static [&'static str])> {
    ROOMS
        .iter()
        .filter(|(room, _)| module == *room || module.starts_with(&format!("{room}/")))
        .max_by_key(|(room, _)| room.len())
}

/// Every module path that the code names, from `crate::a::b`, `super::…` and grouped imports.
fn used_modules(module: &str, code: &str) -> BTreeSet<String> {
    let flat = code.replace(char::is_whitespace, " ");
    let mut paths = BTreeSet::new();
    for (start, word) in ["crate::", "super::"].iter().flat_map(|word| {
        flat.match_indices(word).map(|(at, word)| (at, word.to_owned())).collect::<Vec<_>>()
    }) {
        let before = flat[..start].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let mut rest = &flat[start..];
        let mut base: Vec<&str> = Vec::new();
        if word == "crate::" {
            rest = &rest["crate::".len()..];
        } else {
            base = module.split('/').collect();
            // a file `a/b.rs` is module a::b; `super` of a `mod.rs` leaves its folder as well
            while let Some(after) = rest.strip_prefix("super::") {
                base.pop();
                rest = after;
            }
        }
        let prefix = base.join("/");
        let group: Vec<String> = match rest.strip_prefix('{') {
            Some(list) => {
                let end = list.find("};").unwrap_or(list.len());
                list[..end].split(',').map(|item| item.trim().to_owned()).collect()
            }
            None => vec![
                rest.split(|c: char| !(c.is_alphanumeric() || "_:".contains(c)))
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            ],
        };
        for item in group {
            // `scalar as s` and `curve::{a` name scalar and curve
            let path = item.split(|c: char| !(c.is_alphanumeric() || "_:".contains(c))).next();
            let path = path.unwrap_or_default().replace("::", "/");
            let joined = if prefix.is_empty() { path } else { format!("{prefix}/{path}") };
            paths.insert(joined.trim_matches('/').to_owned());
        }
    }
    paths
}

/// Sources without comments, so that prose does not count.
fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a readable source");
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn arrows_point_one_way() {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for file in source_files() {
        let module = module(&file);
        if module == "lib" || module == "tests" || module.starts_with("tests/") {
            continue; // the table of contents, and tests
        }
        let Some((own, may_use)) = room(&module) else {
            faults.push(format!("src/{module} is in no room of the table"));
            continue;
        };
        seen.insert(*own);
        for used in used_modules(&module, &code_of(&file)) {
            let Some((other, _)) = room(&used) else { continue };
            let allowed = other == own
                || may_use.iter().any(|room| other == room || other.starts_with(&format!("{room}/")))
                // the words a folder's `mod` offers to its own files
                || own.split('/').next() == Some(other);
            if !allowed {
                faults.push(format!("src/{module} uses {other}; {own} may use only {may_use:?}"));
            }
        }
    }
    for (room, _) in ROOMS {
        if !seen.contains(room) {
            faults.push(format!("no source file is in the room {room}"));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn rooms_do_not_name_what_they_must_not_know() {
    let mut faults = Vec::new();
    for file in source_files() {
        let module = module(&file);
        let code = code_of(&file);
        for (own, words) in FORBIDDEN_WORDS {
            if module == *own || module.starts_with(&format!("{own}/")) {
                for word in words.iter().filter(|word| code.contains(**word)) {
                    // `ed25519/mod.rs` lists its own modules
                    faults.push(format!("src/{module} names `{word}`"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn only_rules_decide() {
    let mut faults = Vec::new();
    let mut deciding = BTreeSet::new();
    for file in source_files() {
        let module = module(&file);
        if module == "tests" || module.starts_with("tests/") {
            continue;
        }
        // as rustfmt would not write it: `Verdict :: Valid`
        let code = code_of(&file).replace(" ::", "::").replace(":: ", "::");
        for word in DECIDING_WORDS.iter().filter(|word| code.contains(**word)) {
            if DECIDING_MODULES.contains(&module.as_str()) {
                deciding.insert(module.clone());
            } else {
                faults.push(format!("src/{module} names `{word}`: that is for rules to say"));
            }
        }
    }
    for module in DECIDING_MODULES.iter().filter(|module| !deciding.contains(**module)) {
        faults.push(format!("src/{module} decides nothing: take it off the list"));
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_module_begins_with_what_it_is() {
    for file in source_files() {
        let text = fs::read_to_string(&file).expect("a readable source");
        let first = text.lines().find(|line| !line.starts_with("// Generated")).unwrap_or_default();
        assert!(first.starts_with("//! "), "{} has no module header", file.display());
        // what a room may use stands in this file and nowhere else, as copies decay
        assert!(!text.contains("Reach:"), "{} has a copy of the table", file.display());
    }
}
