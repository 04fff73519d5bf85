//! Which room may use which: every `crate::…` and `super::…` path in the sources against the tables of
//! ARCHITECTURE.md. DO NOT widen a row to make a change pass; move the code to its room.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A room of the library and the rooms it may use, all of them above it in the table, so that there is no circle. A room
/// is a folder or file of `src/`, without `.rs`, and the longest entry that fits a file is its room; a folder that may be
/// used may be used with what is in it.
struct Room {
    name: String,
    may_use: Vec<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// The rows of the table of ARCHITECTURE.md that begins so, each in cells.
fn table(begins: &str) -> Vec<Vec<String>> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page of the house");
    let (_, table) = page.split_once(begins).unwrap_or_else(|| panic!("no table {begins}"));
    let cells = |row: &str| -> Vec<String> {
        row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
    };
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let rows: Vec<Vec<String>> = rows.map(cells).collect();
    assert!(rows.len() > 2, "the table {begins} has {} rows", rows.len());
    rows
}

/// What a cell names between backticks.
fn named(cell: &str) -> &str {
    let name = cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
    name.unwrap_or_else(|| panic!("{cell} is no name in backticks"))
}

fn rooms() -> Vec<Room> {
    let rows = table("| room | what it is | may use |");
    rows.iter()
        .map(|cells| {
            let may_use = match cells[cells.len() - 1].as_str() {
                "–" => Vec::new(),
                list => list.split(", ").map(str::to_owned).collect(),
            };
            Room { name: named(&cells[0]).to_owned(), may_use }
        })
        .collect()
}

/// The other packages, and the files of each from the ground up, without `.rs`: each uses only those before it. The file
/// of a folder itself stands after what is in it.
fn packages() -> Vec<(String, Vec<String>)> {
    let rows = table("| package | files, from the ground up |");
    rows.iter().map(|cells| (named(&cells[0]).to_owned(), files_of_list(&cells[1]))).collect()
}

/// `a, b/{c, d}` as `a`, `b/c`, `b/d`, `b`.
fn files_of_list(list: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut folder: Option<&str> = None;
    for item in list.split(", ") {
        let mut file = item;
        if let Some((name, first)) = item.split_once("/{") {
            (folder, file) = (Some(name), first);
        }
        let ends = file.ends_with('}');
        let file = file.trim_end_matches('}');
        match folder {
            Some(folder) => files.push(format!("{folder}/{file}")),
            None => files.push(file.to_owned()),
        }
        if ends {
            files.extend(folder.take().map(str::to_owned));
        }
    }
    files
}

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

/// The sources of a package.
fn source_files(package: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("a folder entry").path();
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(&root().join(package).join("src"), &mut files);
    files.sort();
    files
}

/// `ed25519/rules` for `src/ed25519/rules.rs`, `bulk` for `src/bulk/mod.rs`.
fn module(package: &str, file: &Path) -> String {
    let source = root().join(package).join("src");
    let relative = file.strip_prefix(source).expect("below src").with_extension("");
    let name = relative.to_string_lossy().replace('\\', "/");
    name.strip_suffix("/mod").unwrap_or(&name).to_owned()
}

/// Whether a module holds tests: those of a file lie in `tests.rs` or `tests/` beside it.
fn is_of_tests(module: &str) -> bool {
    module.split('/').any(|part| part == "tests")
}

/// The place in the table of the room of a module.
fn place(rooms: &[Room], module: &str) -> Option<usize> {
    let is_in = |name: &str| module == name || module.starts_with(&format!("{name}/"));
    let found = rooms.iter().enumerate().filter(|(_, room)| is_in(&room.name));
    found.max_by_key(|(_, room)| room.name.len()).map(|(place, _)| place)
}

/// The modules of a package and what each of them imports or hands on: the way from a name in the code to
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
    fn read(package: &str) -> Self {
        let files: Vec<_> = source_files(package)
            .iter()
            .map(|file| {
                let code = without_texts(&fs::read_to_string(file).expect("a readable source"));
                (module(package, file), one_module(&code.replace(char::is_whitespace, " ")))
            })
            .map(|(module, code)| match module.as_str() {
                "lib" | "main" => (String::new(), code),
                _ => (module, code),
            })
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

/// Code without comments and without what is in strings, in which words mean nothing.
fn without_texts(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if c == '"' {
            code.push_str("\"\"");
            string_end(rest)
        } else if let Some(end) = raw_string_end(rest).filter(|_| !code.ends_with(is_of_name)) {
            code.push_str("\"\"");
            end
        } else if c == '\'' && (rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'')) {
            // a character, and not a lifetime
            let escaped = usize::from(rest[1..].starts_with('\\'));
            let inside: usize = rest[1..].chars().take(1 + escaped).map(char::len_utf8).sum();
            let end = rest[1 + inside..].find('\'').unwrap_or(0);
            code.push_str("''");
            1 + inside + end + 1
        } else {
            code.push(c);
            c.len_utf8()
        };
        rest = &rest[len..];
    }
    code
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Behind the string that a text begins with.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The same of a string without escapes, if the text begins with one.
fn raw_string_end(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let inside = rest[hashes..].strip_prefix('"')?;
    let end = inside.find(&format!("\"{}", "#".repeat(hashes)))?;
    Some(text.len() - inside.len() + end + 1 + hashes)
}

/// Each room may use what stands above it in the table, and of that what its row says: a circle could not be
/// written down.
#[test]
fn arrows_point_one_way() {
    let (library, rooms) = (Library::read("sigmill"), rooms());
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (module, code) in &library.files {
        if module.is_empty() || is_of_tests(module) {
            continue; // the table of contents, and tests
        }
        let Some(own) = place(&rooms, module) else {
            faults.push(format!("src/{module} is in no room of the table"));
            continue;
        };
        seen.insert(own);
        let Room { name: room, may_use } = &rooms[own];
        for (used, name) in library.used(module, code) {
            let Some(other) = place(&rooms, &used).filter(|other| *other != own) else { continue };
            let of = &rooms[other].name;
            if !may_use.iter().any(|room| of == room || of.starts_with(&format!("{room}/"))) {
                faults.push(format!(
                    "src/{module} uses {used} ({name}); {room} may use only {may_use:?}"
                ));
            } else if other > own {
                faults
                    .push(format!("src/{module} uses {used} ({name}), which stands below {room}"));
            }
        }
    }
    for (number, room) in rooms.iter().enumerate() {
        if !seen.contains(&number) {
            faults.push(format!("no source file is in the room {}", room.name));
        }
        for used in &room.may_use {
            let is_room =
                |other: &Room| other.name == *used || other.name.starts_with(&format!("{used}/"));
            if !rooms.iter().any(is_room) {
                faults.push(format!("{} may use {used}, which is no room", room.name));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Each file of the other packages uses only what stands before it in its row: a circle could not be written down.
#[test]
fn files_of_other_packages_stand_above_what_they_use() {
    let mut faults = Vec::new();
    for (package, row) in packages() {
        let library = Library::read(&package);
        let place = |module: &str| row.iter().position(|file| file == module);
        for (module, code) in library.files.iter().filter(|(module, _)| !module.is_empty()) {
            let Some(own) = place(module) else {
                faults.push(format!("{package}/src/{module} is not in the row of {package}"));
                continue;
            };
            for (used, name) in library.used(module, code) {
                if place(&used).is_some_and(|other| other > own) {
                    faults.push(format!(
                        "{package}/src/{module} uses {used} ({name}), which stands after it"
                    ));
                }
                if used.is_empty() {
                    faults.push(format!("{package}/src/{module} uses the root ({name})"));
                }
            }
        }
        for (i, file) in row.iter().enumerate() {
            if row[..i].contains(file) {
                faults.push(format!("{file} is twice in the row of {package}"));
            }
            if !library.names.contains_key(file) {
                faults.push(format!("{package} has no file {file}"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn lists_of_files_are_read() {
    let files = files_of_list("a, b/{c, d}, e/f/{g}, h");
    assert_eq!(files, ["a", "b/c", "b/d", "b", "e/f/g", "e/f", "h"]);
    let code = without_texts("a(\"x // \\\" use b;\", 'c', '\\'', &'l d, r#\"e\"f\"#) // g");
    assert_eq!(code, "a(\"\", '', '', &'l d, \"\") ");
}

#[test]
fn names_are_followed_to_the_file_that_has_them() {
    let library = Library::read("sigmill");
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
    for file in source_files("sigmill") {
        let module = module("sigmill", &file);
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
    for file in source_files("sigmill") {
        let module = module("sigmill", &file);
        if is_of_tests(&module) {
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
    let others = packages().into_iter().map(|(package, _)| package);
    for file in others.chain(["sigmill".to_owned()]).flat_map(|package| source_files(&package)) {
        let text = fs::read_to_string(&file).expect("a readable source");
        let first = text.lines().find(|line| !line.starts_with("// Generated")).unwrap_or_default();
        assert!(first.starts_with("//! "), "{} has no module header", file.display());
        // what a room may use stands in ARCHITECTURE.md and nowhere else, as copies decay
        assert!(!text.contains("Reach:"), "{} has a copy of the table", file.display());
    }
}
