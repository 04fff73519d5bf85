//! CSV: delimiters, marks, other character sets.

use super::{VALID, assert_refused, assert_rows, folder, hex, json_line, row, rows, run, text};
use std::fs;

#[test]
fn cells_of_csv_stand_between_what_the_option_says() {
    let folder = folder();
    let with = |delimiter: &str| -> String {
        let line = |cells: [String; 4]| cells.join(delimiter) + "\n";
        let rows = rows().into_iter().map(|row| {
            let [key, msg, sig] = row.map(|bytes| hex(&bytes));
            line([key, msg, sig, format!("\"a{delimiter}b\"")])
        });
        line(["key", "msg", "sig", "note"].map(str::to_owned)) + &rows.collect::<String>()
    };
    for (name, delimiter, option) in [
        ("t.tsv", "\t", None),
        ("t.tab", "\t", None),
        ("t.csv", ";", Some(";")),
        ("u.csv", "|", Some("|")),
        ("v.csv", "\t", Some("tab")),
        ("w.csv", "\t", Some("\\t")),
        ("x.tsv", ";", Some(";")),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, with(delimiter)).expect("written");
        let options = option.map_or(vec![], |option| vec!["--delimiter", option]);
        assert_rows(&[&[text(&path)], &options[..]].concat(), &VALID);
        // an output is read the same way
        for output in [format!("o.{name}"), format!("{name}.out.tsv")] {
            let output = folder.path().join(output);
            assert_rows(&[&[text(&path), "-o", text(&output)], &options[..]].concat(), &VALID);
            assert_rows(&[&[text(&output)], &options[..]].concat(), &VALID);
        }
    }
    assert_eq!(run(&["-", "--format", "tsv"], with("\t").as_bytes()).0, 0);
    // without the option, the message says what may be missing
    for (name, delimiter, hint) in
        [("t.csv", ";", "';'"), ("w.csv", "\t", "tab"), ("x.tsv", ",", "','")]
    {
        let path = folder.path().join(name);
        fs::write(&path, with(delimiter)).expect("written");
        assert_refused(&[text(&path)], folder.path(), &format!("or say --delimiter {hint}"));
    }
    for delimiter in [",", ";"] {
        let path = folder.path().join("excel.csv");
        fs::write(&path, format!("sep={delimiter}\n{}", with(delimiter))).expect("written");
        assert_refused(&[text(&path)], folder.path(), "its first line is one of Excel");
    }
    let path = folder.path().join("t.csv");
    for wrong in ["", "ab", "\"", "\n", "é"] {
        assert_eq!(run(&[text(&path), "--delimiter", wrong], b"").0, 2, "{wrong:?}");
    }
    // Latin-1 in a column that nobody reads
    let latin: Vec<u8> = with(",").replace("a,b", "caf?").into_bytes();
    let latin: Vec<u8> =
        latin.into_iter().map(|byte| if byte == b'?' { 0xe9 } else { byte }).collect();
    fs::write(&path, latin).expect("written");
    assert_rows(&[text(&path)], &VALID);
    let output = folder.path().join("latin.jsonl");
    assert_rows(&[text(&path), "-o", text(&output)], &["unreadable"; 3]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_table() {
    let folder = folder();
    let [key, msg, sig] = row(0).map(|bytes| hex(&bytes));
    let csv = format!("\u{feff}key,msg,sig\n{key},{msg},{sig}\n");
    let jsonl = format!("\u{feff}{}", json_line(0, ""));
    for (name, content) in [("t.csv", &csv), ("t.jsonl", &jsonl)] {
        let path = folder.path().join(name);
        fs::write(&path, content).expect("written");
        assert_rows(&[text(&path)], &["valid"]);
        let output = folder.path().join(format!("o.{name}"));
        assert_rows(&[text(&path), "-o", text(&output)], &["valid"]);
    }
    assert_eq!(run(&["-"], jsonl.as_bytes()).0, 0);
}
