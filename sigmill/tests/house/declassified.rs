//! The names given to `declassify` in the sources are exactly those of `docs/declassified.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn collect(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a folder entry").path();
        if path.is_dir() {
            collect(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a readable source");
            for (at, word) in text.match_indices("declassify(\"") {
                let rest = &text[at + word.len()..];
                names.insert(rest.split('"').next().unwrap_or_default().to_owned());
            }
        }
    }
}

#[test]
fn every_declassified_value_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = BTreeSet::new();
    collect(&root.join("src"), &mut names);
    let document = fs::read_to_string(root.join("../docs/declassified.md")).expect("the list");
    let rows = document.lines().filter_map(|line| line.strip_prefix("| `"));
    let listed: BTreeSet<String> =
        rows.map(|row| row.split('`').next().unwrap_or_default().to_owned()).collect();
    assert!(!names.is_empty());
    assert_eq!(names, listed, "left: in the sources; right: docs/declassified.md");
}
