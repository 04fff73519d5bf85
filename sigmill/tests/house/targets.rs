//! The targets of the Makefile: `make help` lists few, and pages name targets that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rules of a makefile as names and what follows the colon.
fn rules(makefile: &str) -> Vec<(String, String)> {
    let text = read(&root().join(makefile));
    let mut found = Vec::new();
    for line in text.lines() {
        let Some((name, rest)) = line.split_once(':') else { continue };
        let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
        if !name.is_empty() && name.chars().all(is_name) && !rest.starts_with('=') {
            found.push((name.into(), rest.into()));
        }
    }
    assert!(!found.is_empty(), "{makefile} has no rules");
    found
}

/// Markdown pages of the repository, builds and dependencies aside.
fn pages() -> Vec<PathBuf> {
    let mut folders = vec![root().to_path_buf()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("a folder entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() {
                if !name.starts_with('.')
                    && !["target", "node_modules", "artifacts"].contains(&name)
                {
                    folders.push(path);
                }
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found
}

/// The targets that a page names in code: the words after `make` that are neither variables nor options.
fn named(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // code between backticks, and indented blocks
    let in_lines = page.split('`').skip(1).step_by(2).flat_map(str::lines);
    let in_blocks = page.lines().filter_map(|line| line.strip_prefix("    "));
    for code in in_lines.chain(in_blocks) {
        let code = code.split('#').next().unwrap_or_default();
        for command in code.split("&&") {
            let mut words = command.split_whitespace().skip_while(|word| word.contains('='));
            if words.next() != Some("make") {
                continue;
            }
            let mut words = words.peekable();
            if words.peek() == Some(&"-C") {
                words.nth(1);
            }
            found.extend(
                words.take_while(|word| !word.contains(['=', '"', '(', '['])).map(String::from),
            );
        }
    }
    found
}

#[test]
fn help_lists_at_most_twelve_targets() {
    let listed = rules("Makefile").into_iter().filter(|(_, rest)| rest.contains("## ")).count();
    assert!(
        (1..=12).contains(&listed),
        "`make help` lists {listed} targets; others belong in tools/steps.mk"
    );
    let steps = rules("tools/steps.mk");
    let shown: Vec<_> = steps.iter().filter(|(_, rest)| rest.contains("## ")).collect();
    assert!(shown.is_empty(), "`make help` does not read tools/steps.mk: {shown:?}");
}

#[test]
fn pages_name_targets_that_exist() {
    let targets: BTreeSet<String> = ["Makefile", "tools/steps.mk", "capi/Makefile"]
        .iter()
        .flat_map(|makefile| rules(makefile))
        .map(|(name, _)| name)
        .collect();
    let mut count = 0;
    for page in pages() {
        for name in named(&read(&page)) {
            count += 1;
            assert!(targets.contains(&name), "{}: there is no target `{name}`", page.display());
        }
    }
    assert!(count > 30, "only {count} targets are named in pages");
}

#[test]
fn targets_are_found_in_pages() {
    let page = "`make demo` and `TURN=3 make test`, `make bench ARGS=\"x\"`,\n    make -C capi install   # all\n\n    cd x && make go\nmake it";
    let expected = ["bench", "demo", "go", "install", "test"].map(String::from);
    assert_eq!(named(page), BTreeSet::from(expected));
}
