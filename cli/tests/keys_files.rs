//! Keys, signatures and files on the command line: OpenSSL in both directions, bad input, and what
//! is left on the disk afterwards.

#![allow(missing_docs)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of one test, in which its commands run.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder of our own");
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).expect("written");
    }

    fn get(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("readable");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn run(&self, program: &str, args: &str, stdin: &[u8]) -> Output {
        let mut child = Command::new(program)
            .args(args.split_whitespace())
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        // A program that fails early does not read.
        let _ = child.stdin.take().expect("piped").write_all(stdin);
        child.wait_with_output().expect("it ends")
    }

    fn sigmill_with(&self, args: &str, stdin: &[u8]) -> (i32, String) {
        let output = self.run(env!("CARGO_BIN_EXE_sigmill"), args, stdin);
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().expect("no signal"), String::from_utf8_lossy(&text).into_owned())
    }

    fn sigmill(&self, args: &str) -> (i32, String) {
        self.sigmill_with(args, b"")
    }

    fn expect(&self, code: i32, args: &str) -> String {
        let (got, text) = self.sigmill(args);
        assert_eq!(got, code, "sigmill {args}: {text}");
        text
    }

    /// One message that names what it should, and exit code 2.
    fn refuses(&self, args: &str, words: &[&str]) {
        let text = self.expect(2, args);
        for word in words {
            assert!(text.contains(word), "sigmill {args}: no `{word}` in {text}");
        }
        assert_eq!(text.trim_end().lines().count(), 1, "sigmill {args}: {text}");
    }

    fn openssl(&self, args: &str) -> bool {
        self.run("openssl", args, b"").status.success()
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o777
}

#[test]
fn openssl_and_we_accept_each_other_in_pem_and_der() {
    let folder = Folder::new("openssl");
    folder.put("m", "attack at dawn");
    folder.put("other", "attack at noon");
    for form in ["pem", "der"] {
        assert!(folder.openssl(&format!("genpkey -algorithm ed25519 -outform {form} -out theirs")));
        assert!(folder.openssl(&format!(
            "pkey -inform {form} -in theirs -pubout -outform {form} -out theirs.pub"
        )));
        assert!(folder.openssl(&format!(
            "pkeyutl -sign -rawin -keyform {form} -inkey theirs -in m -out theirs.sig"
        )));
        folder.expect(0, "verify --key theirs.pub --sig theirs.sig m");
        folder.expect(1, "verify --key theirs.pub --sig theirs.sig other");
        folder.expect(0, "sign --key theirs --format raw -o ours.sig --force m");
        assert_eq!(folder.get("ours.sig"), folder.get("theirs.sig"));
        folder.expect(0, &format!("pubkey --key theirs --format {form} -o derived --force"));
        assert_eq!(folder.get("derived"), folder.get("theirs.pub"));

        folder.expect(0, &format!("keygen -o ours --public ours.pub --format {form} --force"));
        folder.expect(0, "sign --key ours --format raw -o ours.sig --force m");
        let verify = format!(
            "pkeyutl -verify -rawin -pubin -keyform {form} -inkey ours.pub -sigfile ours.sig"
        );
        assert!(folder.openssl(&format!("{verify} -in m")));
        assert!(!folder.openssl(&format!("{verify} -in other")));
    }
}

#[test]
fn every_form_of_key_and_signature_is_found_out() {
    let folder = Folder::new("forms");
    folder.put("m", "message");
    folder.put("seed", "07".repeat(32));
    for form in ["pem", "der", "raw", "hex", "base64"] {
        folder.expect(
            0,
            &format!("keygen --seed seed --format {form} -o k.{form} --public p.{form}"),
        );
        assert_eq!(mode(&folder.path(&format!("k.{form}"))), 0o600);
        for sig in ["raw", "hex", "base64"] {
            folder.expect(0, &format!("sign --key k.{form} --format {sig} -o s.{sig} --force m"));
            folder.expect(0, &format!("verify --key p.{form} --sig s.{sig} m"));
            folder.expect(0, &format!("verify --key p.{form} --key-format {form} --sig s.{sig} m"));
        }
    }
}

#[test]
fn bad_input_gives_one_message_and_exit_code_2() {
    let folder = Folder::new("bad");
    folder.put("m", "message");
    folder.expect(0, "keygen -o k --public p");
    folder.expect(0, "sign --key k --format hex -o s m");
    folder.put("empty", "");
    folder.put("short", [7; 31]);
    folder.put("digit", "0123x".to_owned() + &"0".repeat(59));
    folder.put("half", "ab".repeat(16));
    fs::create_dir(folder.path("dir")).expect("a folder");
    folder.refuses("verify --key missing --sig s m", &["missing"]);
    folder.refuses("verify --key p --sig missing m", &["missing"]);
    folder.refuses("verify --key p --sig s missing", &["missing"]);
    folder.refuses("verify --key dir --sig s m", &["dir"]);
    folder.refuses("verify --key p --sig s dir", &["dir"]);
    folder.refuses("verify --key empty --sig s m", &["empty"]);
    folder.refuses("verify --key digit --sig s m", &["digit", "4"]);
    folder.refuses("verify --key half --sig s m", &["half", "--key-format"]);
    folder.refuses("verify --key short --sig s m", &["short"]);
    folder.refuses("verify --key k --sig s m", &["k"]);
    folder.refuses("verify --key p --sig short m", &["short"]);
    folder.refuses("sign --key p m", &["p"]);
    assert!(folder.expect(2, "verify --rule strictest --key p --sig s m").contains("zip215"));
}

#[test]
fn nothing_is_overwritten_and_nothing_partial_is_left() {
    let folder = Folder::new("overwrite");
    folder.put("m", "message");
    folder.expect(0, "keygen -o k --public p");
    let key = folder.get("k");
    folder.refuses("keygen -o k", &["k", "--force"]);
    folder.refuses("keygen -o new --public p", &["p", "--force"]);
    folder.refuses("sign --key k -o p m", &["p", "--force"]);
    folder.refuses("sign --key k -o /dev/full m", &["/dev/full"]);
    folder.refuses("sign --key k -o missing/s m", &["missing/s"]);
    assert_eq!(folder.get("k"), key);
    assert_eq!(folder.names(), ["k", "m", "p"]);
    folder.expect(0, "keygen -o k --force");
    assert_ne!(folder.get("k"), key);
}

#[test]
fn standard_input_is_signed_in_one_pass_or_up_to_a_limit() {
    let folder = Folder::new("stdin");
    let message = vec![7; 100_000];
    folder.put("m", &message);
    folder.expect(0, "keygen -o k --public p");
    for (sign, verify) in [("--variant ph", "--variant ph"), ("--max-stdin 100000", "")] {
        let (code, text) =
            folder.sigmill_with(&format!("sign --key k {sign} -o s --force -"), &message);
        assert_eq!(code, 0, "{text}");
        folder.expect(0, &format!("verify --key p --sig s {verify} m"));
        let (code, text) =
            folder.sigmill_with(&format!("verify --key p --sig s {verify} -"), &message);
        assert_eq!(code, 0, "{text}");
    }
    assert_eq!(folder.sigmill_with("sign --key k -", &message).0, 2);
    assert_eq!(folder.sigmill_with("sign --key k --max-stdin 99999 -", &message).0, 2);
}

#[test]
fn a_file_that_changes_between_the_passes_is_not_signed() {
    let folder = Folder::new("changing");
    folder.expect(0, "keygen -o k");
    // reads differently every time
    folder.refuses("sign --key k -o s /proc/sys/kernel/random/uuid", &["uuid", "changed"]);
    assert_eq!(folder.names(), ["k"]);
}
