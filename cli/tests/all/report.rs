//! `sigmill check --report` from outside: what the page says, and when there is none.

use sigmill::ecdsa::p256;
use sigmill::ed25519::{Signer, SigningKey};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BIN: &str = env!("CARGO_BIN_EXE_sigmill");
const HEADER: &str = "key,msg,sig\n";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A row of CSV by a key of its own number; the message may be another than the one that was signed.
fn row(number: u8, signed: &[u8], message: &[u8]) -> String {
    let key = SigningKey::from_bytes(&[number; 32]);
    let (public, signature) = (key.verifying_key().to_bytes(), key.sign(signed).to_bytes());
    format!("{},{},{}\n", hex(&public), hex(message), hex(&signature))
}

fn check(args: &[&Path], options: &[&str]) -> Output {
    Command::new(BIN).arg("check").args(args).args(options).output().expect("runs")
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Place(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("written");
        path
    }

    /// What lies here, by name.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The page about a table, which must end with this code.
    fn page(&self, table: &Path, options: &[&str], code: i32) -> String {
        let page = self.path("report.html");
        let options = [options, &["--force", "-q", "--report", page.to_str().expect("text")]];
        let output = check(&[table], &options.concat());
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{err}");
        fs::read_to_string(page).expect("a page")
    }

    /// There is no page, a message and this code, and nothing is left behind.
    fn assert_no_page(
        &self,
        table: &Path,
        page: &Path,
        options: &[&str],
        code: i32,
        message: &str,
    ) {
        let before = self.names();
        let options = [options, &["--report", page.to_str().expect("text")]].concat();
        let output = check(&[table], &options);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{err}");
        assert!(err.contains(message), "{err}");
        assert_eq!(self.names(), before);
    }
}

/// The page has a row with this reason and count.
fn assert_counts(page: &str, verdict: &str, reason: &str, count: &str) {
    let table = page.split("Verdicts and reasons").nth(1).expect("the table");
    let table = table.split("</section>").next().expect("its end");
    let rows = table.split("<tr>").filter(|row| row.contains(&format!("</i>{verdict}</td>")));
    let rows: Vec<&str> =
        rows.filter(|row| verdict == "valid" || row.contains(&format!(">{reason}<"))).collect();
    let [row] = rows[..] else { panic!("{verdict} {reason}: {table}") };
    assert!(row.contains(&format!("<td class=\"num\">{count}<")), "{count}: {row}");
}

#[test]
fn page_has_the_planted_rows() {
    let place = Place::new();
    let mut rows = HEADER.to_owned();
    for number in 0..1500_u32 {
        rows += &match number {
            700..707 => row(3, b"signed", b"another"),
            900 => row(4, b"signed", b"another"),
            1000..1002 => row(5, b"signed", b"signed").replace("\n", "00\n"),
            1100 => row(5, b"signed", b"signed").replace("\n", "zz\n"),
            1200..1204 => ",,\n".to_owned(),
            _ => row((number % 3) as u8, b"signed", b"signed"),
        };
    }
    let table = place.file("t.csv", &rows);
    let page = place.page(&table, &["--null", "", "--rule", "strict"], 1);
    assert_counts(&page, "valid", "", "1,485");
    assert_counts(&page, "invalid", "equation", "8");
    assert_counts(&page, "invalid", "signature_length", "2");
    assert_counts(&page, "none", "unreadable", "1");
    assert_counts(&page, "none", "null", "4");
    let key = hex(&SigningKey::from_bytes(&[3; 32]).verifying_key().to_bytes());
    let most = page.split("Keys with the most invalid rows").nth(1).expect("keys");
    let first = most.split("</tr>").nth(1).expect("a key");
    assert!(first.contains(&key) && first.contains(">7</td>"), "{first}");
    for expected in [
        "<title>rows 700 to 703: 4 invalid, 0 without a verdict</title>",
        "<title>rows 1,200 to 1,203: 0 invalid, 4 without a verdict</title>",
        "all 10 invalid and no edge rows",
        "Invalid rows: all 10",
        "Rows without a verdict: all 5",
        "ed25519, rule strict, variant pure: 1,500 rows",
        "data-name=\"row\">900</td>",
        "t.csv",
        env!("CARGO_PKG_VERSION"),
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
}

#[test]
fn page_says_what_other_rules_say() {
    let place = Place::new();
    // the neutral point as key and as R, and S = 0
    let neutral = format!("01{}", "00".repeat(31));
    let rows = format!("{HEADER}{neutral},00,{neutral}{}\n", "00".repeat(32));
    let table = place.file("t.csv", &rows);
    let rule_row = |page: &str, rule: &str| {
        let row = page
            .split("<tr>")
            .find(|row| row.starts_with(&format!("<th scope=\"row\"><code>{rule}</code>")));
        row.expect("a rule").to_owned()
    };
    let page = place.page(&table, &["--rule", "common"], 0);
    assert!(page.contains("no invalid and all 1 edge rows"), "{page}");
    assert!(
        rule_row(&page, "strict")
            .contains("<td class=\"num\">1<span class=\"soft\">key_small_order 1<")
    );
    assert!(
        rule_row(&page, "zip215")
            .ends_with("<td class=\"num\">0</td><td class=\"num\">0</td></tr>\n")
    );
    let page = place.page(&table, &["--rule", "strict"], 1);
    assert!(page.contains("all 1 invalid and no edge rows"), "{page}");
    assert!(rule_row(&page, "zip215").contains("<td class=\"num\">1</td><td class=\"num\">0"));
    assert!(page.contains("<code>common</code>, <code>rfc8032_exact</code>"), "{page}");
}

#[test]
fn page_of_nothing_is_a_page() {
    let place = Place::new();
    let page = place.page(&place.file("empty.csv", HEADER), &[], 0);
    assert!(page.contains("The table has no rows."), "{page}");
    let nulls = format!("{HEADER}{}", ",,\n".repeat(2000));
    let table = place.file("nulls.csv", &nulls);
    let page = place.page(&table, &["--null", "", "--allow-null"], 0);
    assert_counts(&page, "none", "null", "2,000");
    assert!(page.contains("Rows without a verdict: the first 25 of 2,000"), "{page}");
    assert!(!page.contains("Keys with the most"), "{page}");
}

#[test]
fn page_knows_ecdsa() {
    let place = Place::new();
    let key = p256::SigningKey::from_slice(&[5; 32]).expect("a scalar");
    let public = hex(key.verifying_key().to_sec1_point(false).as_bytes());
    let signature: p256::Signature = key.sign(b"one");
    let signature = hex(&signature.to_bytes());
    let mut rows = "key,msg,sig,alg\n".to_owned();
    rows += &row(1, b"one", b"one").replace('\n', ",ed25519\n");
    rows += &format!("{public},{},{signature},p256\n", hex(b"one"));
    rows += &format!("{public},{},{signature},p256\n", hex(b"two"));
    rows += &format!("{public},{},{signature},p521\n", hex(b"two"));
    let page = place.page(&place.file("t.csv", &rows), &[], 1);
    assert_counts(&page, "valid", "", "2");
    assert_counts(&page, "invalid", "equation", "1");
    assert_counts(&page, "none", "unknown", "1");
    for expected in [
        "p256, hash sha256, raw signatures: 2 rows",
        "rule common, variant pure: 1 row<",
        "Rows of ECDSA have no other rule.",
        &public,
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
}

#[test]
fn names_are_text() {
    let place = Place::new();
    let name = "<script>alert('x')<script>\"&\u{202e}.csv";
    let rows = format!("<b>k,msg,sig\n{}", row(1, b"a", b"b"));
    let page = place.page(&place.file(name, &rows), &["--key", "<b>k"], 1);
    assert!(
        !page.contains("<script") && !page.contains("<b>k") && !page.contains('\u{202e}'),
        "{page}"
    );
    let shown = "&lt;script&gt;alert(&#39;x&#39;)&lt;script&gt;&quot;&amp;\\u{202e}.csv";
    assert!(page.contains(shown) && page.contains("<dd>&lt;b&gt;k, msg, sig</dd>"), "{page}");
}

#[test]
fn no_page_is_written_over_another_file() {
    let place = Place::new();
    let table = place.file("t.csv", &format!("{HEADER}{}", row(1, b"a", b"a")));
    let taken = place.file("taken.html", "mine");
    place.assert_no_page(&table, &taken, &[], 2, "taken.html: exists already");
    assert_eq!(fs::read_to_string(&taken).expect("read"), "mine");
    place.assert_no_page(&table, &table, &["--force"], 2, "is an input");
    let output = place.path("new.csv");
    // by another way
    let link = place.path("link");
    std::os::unix::fs::symlink(place.0.path(), &link).expect("linked");
    let same = link.join("new.csv");
    let options = ["--force", "-o", output.to_str().expect("text")];
    place.assert_no_page(&table, &same, &options, 2, "is the output");
    let page = place.path("new.html");
    let output = check(&[&table, &table], &["--report", page.to_str().expect("text")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--report takes one table"));
    assert!(!page.exists());
}

#[test]
fn no_page_of_a_table_that_breaks_off() {
    let place = Place::new();
    let rows = format!("{HEADER}{}{}", row(1, b"a", b"a").repeat(9), "one,two\n");
    let table = place.file("t.csv", &rows);
    let page = place.path("page.html");
    place.assert_no_page(&table, &page, &[], 2, "t.csv");
    let table = place.file("whole.csv", &format!("{HEADER}{}", row(1, b"a", b"b")));
    // an invalid row stays one
    place.assert_no_page(&table, &page, &["--expect-rows", "2"], 1, "has 1 rows");
    let nowhere = place.path("no/page.html");
    place.assert_no_page(&table, &nowhere, &[], 2, "there is no directory");
    place.assert_no_page(&table, Path::new("/dev/full"), &[], 1, "no space left");
}

#[test]
fn page_and_output_are_both_written() {
    let place = Place::new();
    let table = place.file("t.csv", &format!("{HEADER}{}", row(1, b"a", b"b")));
    let output = place.path("out.csv");
    place.page(&table, &["-o", output.to_str().expect("text")], 1);
    assert!(fs::read_to_string(output).expect("read").contains("invalid,equation"));
    assert_eq!(place.names(), ["out.csv", "report.html", "t.csv"]);
}
