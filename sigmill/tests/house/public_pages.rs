//! What a user reads of the Rust packages: their public pages say nothing that only somebody who works here
//! understands, and what a program begins with has an example.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Packages whose pages are published.
const PACKAGES: [&str; 3] = ["sigmill", "dalek2", "rustls"];

/// What means something in this repository alone. Names of source files are found besides.
const INSIDE: &[&str] =
    &["Reach:", "ARCHITECTURE", "CONTRIBUTING", "tests/", "| file |", "room", "rooms", "house"];

/// What a README, which lies beside them, may name; elsewhere they are links.
const FOLDERS: [&str; 2] = ["`docs/", "`vectors/"];

/// Types that a program is given, or names in passing, and does not begin with: errors, answers, options.
const WITHOUT_EXAMPLE: &[&str] = &[
    // errors and what they hold
    "BulkError",
    "Error",
    "KeyFormatError",
    "SignatureDerError",
    "SpecError",
    // answers, steps of what has an example, and what has no fields
    "Keys",
    "PointReport",
    "Report",
    "ResidualReport",
    "SecondPass",
    // fields of what has one: of a scheme, of a rule
    "Curve",
    "Prehash",
    "Encoding",
    "Equation",
    "Facts",
    "Order",
    "ScalarBound",
    // what a public bound needs; nobody implements it
    "ByteArray",
    "CurveKey",
    "KeyOperations",
    "Width",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

fn sources(package: &str) -> Vec<PathBuf> {
    let mut folders = vec![root().join(package).join("src")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the sources") {
            let path = entry.expect("a folder entry").path();
            if path.is_dir() {
                if !path.ends_with("tests") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The files whose header is a page: those of modules that `pub mod` leads to from the root.
fn public_modules(package: &str) -> BTreeSet<PathBuf> {
    let source = root().join(package).join("src");
    let mut open = vec![(source.join("lib.rs"), source)];
    let mut found = BTreeSet::new();
    while let Some((file, folder)) = open.pop() {
        let text = fs::read_to_string(&file).expect("a readable source");
        for line in text.lines() {
            let Some(name) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';'))
            else {
                continue;
            };
            let folder = folder.join(name);
            let file = [folder.with_extension("rs"), folder.join("mod.rs")];
            let file = file.into_iter().find(|file| file.exists()).expect("the module's file");
            open.push((file, folder));
        }
        found.insert(file);
    }
    found
}

const README: &str = "README";

/// One text of a public page: where it begins, what it says, and the line of code below it.
struct Text {
    place: String,
    lines: Vec<String>,
    item: String,
}

/// How a line below a comment begins if it is on no page. What is left are public items, implementations,
/// variants and fields.
const PRIVATE: &[&str] = &[
    "pub(",
    "fn ",
    "const ",
    "static ",
    "struct ",
    "enum ",
    "mod ",
    "trait ",
    "type ",
    "union ",
    "use ",
    "unsafe ",
    "macro_rules!",
    "let ",
];

fn texts(package: &str) -> Vec<Text> {
    let public = public_modules(package);
    let readme = if package == "sigmill" { root().to_owned() } else { root().join(package) };
    let readme = fs::read_to_string(readme.join("README.md")).expect("the package's README");
    let lines = readme.lines().map(str::to_owned).collect();
    let place = format!("README.md of {package}");
    let mut texts = vec![Text { place, lines, item: README.to_owned() }];
    for file in sources(package) {
        let text = fs::read_to_string(&file).expect("a readable source");
        let name = file.strip_prefix(root()).expect("below the root").display().to_string();
        let header = text.lines().filter_map(|line| line.strip_prefix("//!")).map(str::to_owned);
        if public.contains(&file) {
            let lines = header.collect();
            texts.push(Text { place: name.clone(), lines, item: "//!".to_owned() });
        }
        let mut lines: Vec<String> = Vec::new();
        let mut begin = 0;
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.starts_with("///") || line.starts_with("#[doc") {
                if lines.is_empty() {
                    begin = i + 1;
                }
                lines.push(line.trim_start_matches("///").to_owned());
            } else if !line.starts_with("#[") && !lines.is_empty() {
                let lines = std::mem::take(&mut lines);
                if !PRIVATE.iter().any(|start| line.starts_with(start)) {
                    texts.push(Text {
                        place: format!("{name}:{begin}"),
                        lines,
                        item: line.to_owned(),
                    });
                }
            }
        }
    }
    texts
}

/// Whether a word of the line, or a part of it, is one of `INSIDE`, or the name of a source file.
fn inside_talk(line: &str) -> Option<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = line.split(|c: char| !(is_word(c) || c == '.' || c == '/'));
    let file = words.map(|word| word.trim_end_matches('.')).find(|word| {
        word.ends_with(".rs") && !line.contains("https://docs.rs") && *word != "docs.rs"
    });
    file.or_else(|| {
        INSIDE.iter().copied().find(|inside| {
            line.match_indices(inside).any(|(at, _)| {
                let before = line[..at].chars().next_back().is_some_and(is_word);
                let after = line[at + inside.len()..].chars().next().is_some_and(is_word);
                !inside.chars().all(is_word) || !(before || after)
            })
        })
    })
}

#[test]
fn public_pages_are_for_users() {
    let mut faults = Vec::new();
    let mut seen = 0;
    for package in PACKAGES {
        for text in texts(package) {
            seen += 1;
            for line in &text.lines {
                let folder = FOLDERS.into_iter().find(|name| line.contains(name));
                let folder = folder.filter(|_| text.item != README);
                if let Some(word) = inside_talk(line).or(folder) {
                    faults.push(format!("{}: `{word}` in `{}`", text.place, line.trim()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(seen > 500, "{seen} texts found: they are not recognised any more");
}

#[test]
fn what_a_program_begins_with_has_an_example() {
    let mut faults = Vec::new();
    let mut examples = 0;
    let mut unused: BTreeSet<&str> = WITHOUT_EXAMPLE.iter().copied().collect();
    for text in PACKAGES.into_iter().flat_map(texts) {
        let Some(name) = ["pub struct ", "pub enum ", "pub trait ", "//!"]
            .iter()
            .find_map(|start| text.item.strip_prefix(start))
        else {
            continue;
        };
        let name =
            name.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        if text.lines.iter().any(|line| line.contains("```")) {
            examples += 1;
        } else if !unused.remove(name) && !WITHOUT_EXAMPLE.contains(&name) {
            faults.push(format!("{}: `{}` has no example", text.place, text.item));
        }
    }
    for name in unused {
        faults.push(format!("`{name}` has an example or is not there: take it off the list"));
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(examples > 40, "{examples} examples found: they are not recognised any more");
}

/// What the column `here` of a table of calls says is in an example of its page, which is compiled.
#[test]
fn calls_of_migration_pages_are_compiled() {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let mut faults = Vec::new();
    let mut calls = 0;
    for name in ["dalek-2", "x25519-dalek", "ring", "aws-lc-rs"] {
        let page = format!("docs/migrating-from-{name}.md");
        let text = fs::read_to_string(root().join(&page)).expect("the page");
        let examples: String =
            text.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        let examples = dense(&examples);
        for row in text.lines().filter(|line| line.starts_with('|')) {
            // a bar inside of code is no end of a cell
            let cells: Vec<&str> = row.split(" | ").collect();
            for code in cells.get(1).into_iter().flat_map(|cell| cell.split('`').skip(1).step_by(2))
            {
                if code.contains('(') || code.contains('{') {
                    calls += 1;
                    if !examples.contains(&dense(code)) {
                        faults.push(format!("{page}: `{code}` is in no example"));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(calls > 50, "{calls} calls found: they are not recognised any more");
}

#[test]
fn the_first_page_lists_every_feature() {
    let manifest = fs::read_to_string(root().join("sigmill/Cargo.toml")).expect("the manifest");
    let features = manifest.split_once("\n[features]\n").expect("features").1;
    let features = features.split_once("\n[").expect("what follows them").0;
    let features: BTreeSet<&str> = features
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .filter(|name| *name != "default")
        .collect();
    let page = fs::read_to_string(root().join("sigmill/src/lib.rs")).expect("the first page");
    let table = page.split_once("//! | feature |").expect("the table of features").1;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with("//! |"));
    let listed: BTreeSet<&str> = rows
        .flat_map(|row| row.split('|').nth(1).unwrap_or_default().split(','))
        .map(|name| name.trim().trim_matches('`'))
        .collect();
    assert_eq!(features, listed, "left: sigmill/Cargo.toml; right: sigmill/src/lib.rs");
}
