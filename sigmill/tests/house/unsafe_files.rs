//! The files that hold `unsafe` are exactly those that `docs/unsafe.md` lists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn collect_holders(root: &Path, folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a folder entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" {
                collect_holders(root, &path, found);
            }
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).expect("a readable source");
            let holds = text.lines().any(|line| {
                let code = line.split("//").next().unwrap_or_default();
                [" {", " fn", " impl", " extern", "("]
                    .iter()
                    .any(|end| code.contains(&format!("unsafe{end}")))
            });
            if holds {
                let relative = path.strip_prefix(root).expect("below the root");
                found.insert(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }
}

#[test]
fn the_files_that_hold_unsafe_are_the_documented_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let document = fs::read_to_string(root.join("docs/unsafe.md")).expect("docs/unsafe.md");
    let listed: BTreeSet<String> = document
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next().map(str::to_owned))
        .collect();
    let mut found = BTreeSet::new();
    collect_holders(root, root, &mut found);
    assert_eq!(found, listed, "left: files that hold `unsafe`; right: docs/unsafe.md");
}

/// The C face hands its pointers to one folder, and gives no verdicts of its own.
#[test]
fn the_c_face_carries_and_does_not_decide() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let sources = root.join("capi/src");
    let mut folders = vec![sources.clone()];
    let mut faults = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a folder entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&sources).expect("below it").to_string_lossy();
            let text = fs::read_to_string(&path).expect("a readable source");
            for (i, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                let code = code.replace(concat!("#[", "unsafe", "(no_mangle)]"), "");
                let forbidden = [
                    ("unsafe", &["pointer/", "local.rs"][..]),
                    ("Verdict::Valid", &[]),
                    ("Verdict::Invalid", &[]),
                    ("Reason::", &["abi.rs", "names.rs"]),
                ];
                for (word, places) in forbidden {
                    let has_place = places.iter().any(|place| name.starts_with(place));
                    if code.contains(word) && !has_place {
                        faults.push(format!("{}:{}: `{word}`", path.display(), i + 1));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// A reason that points at another one goes on saying so when that one has changed.
#[test]
fn every_reason_stands_by_itself() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut found = BTreeSet::new();
    collect_holders(root, root, &mut found);
    let mut faults = Vec::new();
    for file in &found {
        let text = fs::read_to_string(root.join(file)).expect("a readable source");
        for (i, line) in text.lines().enumerate() {
            let Some((_, reason)) = line.split_once("// SAFETY: ") else { continue };
            let reason = reason.to_lowercase();
            if ["as above", "as below", "as before", "see ", "likewise", "the same"]
                .iter()
                .any(|word| reason.starts_with(word))
            {
                faults.push(format!("{file}:{}: {reason}", i + 1));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
