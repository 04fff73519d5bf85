//! Which room may use which: every `crate::…` and `super::…` path in the sources against the table
//! of ARCHITECTURE.md. DO NOT widen a row to make a change pass; move the code to its room.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A room and the rooms it may use, all of them above it in this table, so that there is no circle. A room is a
/// folder or file of `src/`, without `.rs`, and the longest entry that fits a file is its room; a folder that may be
/// used may be used with what is in it.
const ROOMS: &[(&str, &[&str])] = &[
    ("algorithms", &[]),
    ("word", &[]),
    ("cpu", &[]),
    ("ct", &["cpu"]),
    ("error", &[]),
    ("memory", &[]),
    ("random", &["error"]),
    ("encoding", &["error"]),
    ("file_kind", &["algorithms", "encoding"]),
    ("simd", &["cpu"]),
    ("hash", &["cpu", "simd"]),
    ("modular", &["word", "ct", "simd"]),
    ("field", &["word", "ct", "cpu", "memory", "modular", "simd"]),
    ("scalar", &["word", "ct", "cpu", "modular", "simd"]),
    ("curve", &["field", "scalar", "ct", "word", "memory", "modular", "simd"]),
    ("ed25519/bytes", &["error"]),
    ("ed25519/rules", &["error"]),
    ("ed25519/variant", &["hash", "error"]),
    ("ed25519/verify", &["curve", "scalar", "field", "simd", "error", "ed25519/rules"]),
    (
        "ed25519/explain",
        &[
            "curve",
            "scalar",
            "field",
            "error",
            "ed25519/rules",
            "ed25519/variant",
            "ed25519/verify",
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
            "ed25519/bytes",
            "ed25519/rules",
            "ed25519/variant",
            "ed25519/verify",
        ],
    ),
    ("ed25519/coefficients", &["hash", "cpu", "memory", "ed25519/rules"]),
    (
        "ed25519/lanes",
        &[
            "curve",
            "scalar",
            "field",
            "simd",
            "cpu",
            "error",
            "ed25519/rules",
            "ed25519/verify",
            "ed25519/verifying",
        ],
    ),
    ("ed25519/search", &[]),
    (
        "ed25519/combination",
        &[
            "curve",
            "scalar",
            "field",
            "simd",
            "memory",
            "cpu",
            "error",
            "ed25519/rules",
            "ed25519/verify",
            "ed25519/verifying",
            "ed25519/coefficients",
            "ed25519/search",
        ],
    ),
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
            "ed25519/rules",
            "ed25519/variant",
            "ed25519/verify",
            "ed25519/verifying",
            "ed25519/coefficients",
            "ed25519/lanes",
            "ed25519/combination",
        ],
    ),
    ("ed25519/sign", &["curve", "scalar", "field", "hash", "ct", "ed25519/variant"]),
    ("ed25519", &["curve", "scalar", "field", "hash", "ct", "error", "ed25519"]),
    ("ed25519/sign_lanes", &["curve", "scalar", "field", "hash", "cpu", "ct", "ed25519"]),
    ("x25519", &["curve", "ct", "error", "ed25519"]),
    ("x25519/lanes", &["curve", "field", "cpu", "ct", "x25519"]),
    ("ecdsa/rules", &["error"]),
    ("ecdsa/fault", &["modular"]),
    ("ecdsa/verify", &["curve", "modular", "ct", "ecdsa/rules"]),
    ("ecdsa/nonce", &["curve", "hash", "ct", "ecdsa/verify"]),
    ("ecdsa/sign", &["curve", "modular", "ct", "ecdsa/fault", "ecdsa/nonce", "ecdsa/verify"]),
    // fixed-width bytes and DER of signatures are both its own encodings
    (
        "ecdsa",
        &["algorithms", "curve", "modular", "hash", "ct", "error", "encoding", "random", "ecdsa"],
    ),
    ("ecdsa/nonce_lanes", &["hash"]),
    (
        "ecdsa/lanes",
        &["curve", "field", "modular", "cpu", "hash", "encoding", "error", "memory", "ecdsa"],
    ),
    ("ecdsa/sign_lanes", &["curve", "field", "simd", "modular", "cpu", "hash", "ct", "ecdsa"]),
    ("ecdh", &["curve", "modular", "ct", "error", "random", "ecdsa"]),
    // the names of other crates for what `ecdh` does
    ("ecdsa/names", &["ecdsa", "ecdh", "error"]),
    ("bulk", &["algorithms", "ed25519", "ecdsa", "x25519", "error", "memory", "cpu"]),
    // dalek's names for what `bulk` does
    ("ed25519/batch", &["ed25519", "bulk", "error"]),
    // types of another crate for those of ours
    ("dalek_types", &["ed25519", "x25519", "ct"]),
    ("elliptic_types", &["ct", "ecdsa", "ecdh", "modular", "error"]),
    ("keyfile", &["algorithms", "ct", "encoding", "ed25519", "x25519", "ecdsa", "ecdh", "error"]),
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

/// The modules of the library and what each of them imports or hands on: the way from a name in the code to
/// the file that it comes from.
struct Library {
    /// What a module calls by a name of another: `Rule` of `ed25519` is `ed25519/rules/Rule`. The root is "".
    /// None is a name of another crate.
    names: BTreeMap<String, BTreeMap<String, Option<Segments>>>,
    files: Vec<(String, String)>,
}

/// A path in segments, from the root.
type Segments = Vec<String>;

impl Library {
    fn read() -> Self {
        let files: Vec<_> = source_files()
            .iter()
            .map(|file| {
                (module(file), one_module(&code_of(file).replace(char::is_whitespace, " ")))
            })
            .map(|(module, code)| (if module == "lib" { String::new() } else { module }, code))
            .collect();
        let mut library = Library { names: BTreeMap::new(), files };
        for (module, _) in &library.files {
            library.names.insert(module.clone(), BTreeMap::new());
        }
        for (module, code) in library.files.clone() {
            for (path, name) in imports(&code) {
                let path = library.path_from_root(&module, &path);
                library.names.get_mut(&module).expect("inserted above").insert(name, path);
            }
        }
        library
    }

    /// A path as a module writes it, from the root; none for one into another crate.
    fn path_from_root(&self, module: &str, path: &[String]) -> Option<Segments> {
        let segments = |module: &str| -> Segments {
            module.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let (first, rest) = path.split_first()?;
        let mut base = match first.as_str() {
            "crate" => Vec::new(),
            "self" => segments(module),
            "super" => {
                let mut base = segments(module);
                base.pop();
                base
            }
            name => {
                let child = format!("{module}/{name}");
                if self.names.contains_key(child.trim_start_matches('/')) {
                    segments(&child)
                } else {
                    self.names.get(module)?.get(name)?.clone()?
                }
            }
        };
        for segment in rest {
            if segment == "super" {
                base.pop();
            } else {
                base.push(segment.clone());
            }
        }
        Some(base)
    }

    /// The module that a path from the root leads to, by way of what modules hand on, and whether a name of
    /// that module was left.
    fn resolve(&self, path: &[String]) -> (String, bool) {
        let (mut module, mut rest) = (String::new(), path.to_vec());
        let mut seen = BTreeSet::new();
        loop {
            let Some(segment) = rest.first().cloned() else { return (module, false) };
            let child = format!("{module}/{segment}").trim_start_matches('/').to_owned();
            if self.names.contains_key(&child) {
                rest.remove(0);
                module = child;
                continue;
            }
            // a module within the file may import what its own file has, by a way that comes back here
            match self.names[&module].get(&segment) {
                Some(None) => return (module, false),
                Some(Some(target)) if seen.insert((module.clone(), segment.clone())) => {
                    rest.splice(0..1, target.iter().cloned());
                    module = String::new();
                }
                _ => return (module, true),
            }
        }
    }

    /// The modules that the code of one names something of, with the first name.
    fn used(&self, module: &str, code: &str) -> BTreeMap<String, String> {
        let mut used = BTreeMap::new();
        let words: BTreeSet<_> = code_without_imports(code)
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .map(str::to_owned)
            .collect();
        // what is only handed on is not used
        let imported =
            imports(code).into_iter().filter(|(_, name)| name == "*" || words.contains(name));
        for path in imported.map(|(path, _)| path).chain(paths(&code_without_imports(code))) {
            let Some(path) = self.path_from_root(module, &path) else { continue };
            // a module by itself is only a shorter word; what is named of it counts
            if let (target, true) = self.resolve(&path) {
                let name = path.join("::");
                used.entry(target).or_insert(name);
            }
        }
        used
    }
}

/// The code of a file with what is in its inline modules written as the file itself would write it: `super::a`
/// is `self::a` there.
fn one_module(code: &str) -> String {
    let mut text = String::with_capacity(code.len());
    // of each open brace whether it is that of a module
    let mut braces = Vec::new();
    let (mut at, mut words) = (0, ["", ""]);
    while let Some(c) = code[at..].chars().next() {
        let end =
            code[at..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(0);
        let token = &code[at..at + end.max(c.len_utf8())];
        at += token.len();
        match token {
            "{" => braces.push(words[0] == "mod"),
            "}" => drop(braces.pop()),
            _ => {}
        }
        let inside = braces.iter().filter(|module| **module).count();
        let begins = token == "super" && !text.ends_with("::");
        if begins && inside > 0 {
            let mut supers = 1_usize;
            while code[at..].starts_with("::super") {
                at += "::super".len();
                supers += 1;
            }
            let left = vec!["super"; supers.saturating_sub(inside)].join("::");
            text.push_str(if left.is_empty() { "self" } else { &left });
        } else {
            text.push_str(token);
        }
        if token != " " {
            words = [words[1], token];
        }
    }
    text
}

/// Every `use` of the code: the path, and the name that it gets. Of a glob the path ends in `*`.
fn imports(code: &str) -> Vec<(Segments, String)> {
    fn tree(text: &str, prefix: &[String], found: &mut Vec<(Segments, String)>) {
        let (mut depth, mut start) = (0, 0);
        let mut items = Vec::new();
        for (at, c) in text.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    items.push(&text[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        items.push(&text[start..]);
        for item in items.into_iter().map(str::trim).filter(|item| !item.is_empty()) {
            let mut path = prefix.to_vec();
            if let Some((before, group)) = item.split_once('{') {
                path.extend(
                    before.split("::").map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned),
                );
                tree(group.trim_end().trim_end_matches('}'), &path, found);
                continue;
            }
            let (item, alias) = item.split_once(" as ").unwrap_or((item, ""));
            path.extend(item.split("::").map(|segment| segment.trim().to_owned()));
            if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            let name =
                if alias.is_empty() { path.last().cloned() } else { Some(alias.trim().to_owned()) };
            found.push((path, name.unwrap_or_default()));
        }
    }
    let mut found = Vec::new();
    for range in ranges_of_imports(code) {
        tree(&code[range], &[], &mut found);
    }
    found
}

/// Where the trees of `use` are.
fn ranges_of_imports(code: &str) -> Vec<Range<usize>> {
    let begins = |at: usize| code[..at].ends_with([' ', ';', '{', '}']) || at == 0;
    let tree = |(at, word): (usize, &str)| {
        let end = code[at..].find(';')?;
        begins(at).then_some(at + word.len()..at + end)
    };
    code.match_indices("use ").filter_map(tree).collect()
}

fn code_without_imports(code: &str) -> String {
    let mut text = code.to_owned();
    for range in ranges_of_imports(code).into_iter().rev() {
        text.replace_range(range, "");
    }
    text
}

/// Every path of more than one segment.
fn paths(code: &str) -> Vec<Segments> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    code.split(|c: char| !is_part(c))
        .filter(|path| path.contains("::") && !path.starts_with("::"))
        .map(|path| path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect())
        .collect()
}

/// Sources without comments, so that prose does not count.
fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a readable source");
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The place in the table of the room of a module.
fn place(module: &str) -> Option<usize> {
    let (own, _) = room(module)?;
    ROOMS.iter().position(|(room, _)| room == own)
}

/// Each room may use what stands above it in the table, and of that what its row says: a circle could not be
/// written down.
#[test]
fn arrows_point_one_way() {
    let library = Library::read();
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (module, code) in &library.files {
        if module.is_empty() || module == "tests" || module.starts_with("tests/") {
            continue; // the table of contents, and tests
        }
        let Some((own, may_use)) = room(module) else {
            faults.push(format!("src/{module} is in no room of the table"));
            continue;
        };
        seen.insert(*own);
        for (used, name) in library.used(module, code) {
            let Some((other, _)) = room(&used) else { continue };
            if other == own {
                continue;
            }
            if !may_use.iter().any(|room| other == room || other.starts_with(&format!("{room}/"))) {
                faults.push(format!(
                    "src/{module} uses {used} ({name}); {own} may use only {may_use:?}"
                ));
            } else if place(&used) > place(module) {
                faults.push(format!("src/{module} uses {used} ({name}), which stands below {own}"));
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
fn architecture_has_this_table() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ARCHITECTURE.md");
    let page = fs::read_to_string(page).expect("the page of the house");
    let (_, table) = page.split_once("| room | what it is | may use |").expect("its table");
    let rows: Vec<_> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), ROOMS.len(), "rows");
    for (row, (room, may_use)) in rows.iter().zip(ROOMS) {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let may_use = if may_use.is_empty() { "–".to_owned() } else { may_use.join(", ") };
        assert_eq!([cells[0], cells[cells.len() - 1]], [&format!("`{room}`"), &may_use[..]]);
    }
}

#[test]
fn names_are_followed_to_the_file_that_has_them() {
    let library = Library::read();
    let used =
        |module, code| library.used(module, &one_module(code)).into_keys().collect::<Vec<_>>();
    // by way of what `mod.rs` hands on, of nested lists, and of modules within a file
    assert_eq!(
        used("bulk/chunk", "use crate::ed25519::verify_batch; verify_batch()"),
        ["ed25519/batch"]
    );
    assert_eq!(used("bulk/verify", "crate::ed25519::verify_batch()"), ["ed25519/batch"]);
    let nested = "use super::{rules::{decide, Rule}, verify_bytes as v}; Rule + decide() + v()";
    assert_eq!(used("ed25519/sign", nested), ["ed25519", "ed25519/rules"]);
    assert_eq!(used("ed25519", "rules::decide()"), ["ed25519/rules"]);
    let inline = "mod m { use super::super::rules::of; mod n { super::super::x(of) } }";
    assert_eq!(used("ecdsa/lanes", inline), ["ecdsa/lanes", "ecdsa/rules"]);
    assert_eq!(
        used("curve", "$crate::Verdict::x(); use ::ed25519::Signature; Signature"),
        ["error"]
    );
    // what is only handed on is not used
    assert_eq!(used("ed25519", "pub use crate::bulk::Engine;"), [""; 0]);
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
