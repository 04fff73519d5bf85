//! Keys, signatures and files on the command line: OpenSSL in both directions, bad input, and what
//! is left on the disk afterwards.

use nix::fcntl::OFlag;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of one test, in which its commands run.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder of our own");
        Folder(path)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.0
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::write(&path, bytes).expect("written");
        // a secret key may be in it
        chmod(&path, 0o600);
    }

    pub(crate) fn get(&self, name: &str) -> Vec<u8> {
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

    pub(crate) fn run(&self, program: &str, args: &str, stdin: &[u8]) -> Output {
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

    pub(crate) fn sigmill(&self, args: &str) -> (i32, String) {
        self.sigmill_with(args, b"")
    }

    pub(crate) fn expect(&self, code: i32, args: &str) -> String {
        let (got, text) = self.sigmill(args);
        assert_eq!(got, code, "sigmill {args}: {text}");
        text
    }

    /// One message that names what it should, and exit code 2.
    pub(crate) fn refuses(&self, args: &str, words: &[&str]) {
        let text = self.expect(2, args);
        for word in words {
            assert!(text.contains(word), "sigmill {args}: no `{word}` in {text}");
        }
        assert_eq!(text.trim_end().lines().count(), 1, "sigmill {args}: {text}");
    }

    /// `sigmill` behind redirections.
    fn shell(&self, args: &str) -> (i32, String) {
        let line = format!("exec {} {args}", env!("CARGO_BIN_EXE_sigmill"));
        let output = Command::new("sh").args(["-c", &line]).current_dir(&self.0).output();
        let output = output.expect("runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().expect("no signal"), text)
    }

    pub(crate) fn openssl(&self, args: &str) -> bool {
        self.run("openssl", args, b"").status.success()
    }
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a file of ours");
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
fn a_secret_key_goes_to_a_new_file_or_to_standard_output() {
    let folder = Folder::new("new");
    folder.put("file", "theirs");
    assert!(folder.run("mkfifo", "pipe", b"").status.success());
    for (name, to) in [
        ("to-pipe", "pipe"),
        ("to-file", "file"),
        ("to-nothing", "missing"),
        ("to-null", "/dev/null"),
    ] {
        symlink(to, folder.path(name)).expect("a link");
    }
    let _socket = UnixListener::bind(folder.path("socket")).expect("a socket");
    fs::create_dir(folder.path("folder")).expect("a folder");
    // both ends: whoever writes need not wait for a reader
    let mut pipe = File::options();
    let pipe = pipe.read(true).write(true).custom_flags(OFlag::O_NONBLOCK.bits());
    let mut pipe = pipe.open(folder.path("pipe")).expect("a pipe");
    let names = folder.names();
    for (name, what) in [
        ("file", "exists already; --force"),
        ("pipe", "is a pipe; a secret key goes to a new file"),
        ("to-pipe", "is a link; "),
        ("to-file", "is a link; "),
        ("to-nothing", "is a link; "),
        ("to-null", "is a link; "),
        ("/dev/null", "is a device; "),
        ("/dev/stdout", "is a link; "),
        ("socket", "is a socket; "),
        ("folder", "is a directory"),
    ] {
        folder.refuses(&format!("keygen -o {name}"), &[&format!("{name}: {what}")]);
    }
    for name in ["file", "to-file", "to-nothing", "folder"] {
        folder.refuses(&format!("keygen -o new --public {name}"), &[name]);
    }
    let mut bytes = [0; 200];
    let nothing = pipe.read(&mut bytes).expect_err("nothing is in the pipe");
    assert_eq!(nothing.kind(), ErrorKind::WouldBlock);
    assert_eq!((folder.get("file"), folder.names()), (b"theirs".to_vec(), names.clone()));

    let asked_for = |name: &str| folder.expect(0, &format!("keygen --force -o {name}"));
    for name in ["pipe", "to-pipe"] {
        asked_for(name);
        let len = pipe.read(&mut bytes).expect("a key");
        assert!(bytes[..len].ends_with(b"-----END PRIVATE KEY-----\n"));
    }
    ["/dev/null", "to-null", "to-file"].into_iter().for_each(|name| drop(asked_for(name)));
    assert!(folder.path("to-file").is_symlink());
    assert_eq!(mode(&folder.path("file")), 0o600);
    folder.expect(0, "pubkey --key file");
    assert_eq!(folder.names(), names);
    // what is not secret goes into a pipe that is there
    folder.expect(0, "pubkey --key file -o pipe");
    assert!(pipe.read(&mut bytes).is_ok());
}

#[test]
fn what_a_command_reads_it_never_overwrites() {
    let folder = Folder::new("inputs");
    folder.expect(0, "keygen -o k --public p");
    folder.put("m", "message");
    folder.put("t.csv", "key,msg,sig\n00,00,00\n");
    fs::create_dir(folder.path("folder")).expect("a folder");
    for name in ["k", "p", "m", "t.csv"] {
        let (link, hard) = (format!("soft-{name}"), format!("hard-{name}"));
        symlink(name, folder.path(&link)).expect("a link");
        fs::hard_link(folder.path(name), folder.path(&hard)).expect("a link");
    }
    let names = folder.names();
    let before = names.iter().map(|name| fs::read(folder.path(name)).ok()).collect::<Vec<_>>();
    for (command, input) in [
        ("sign m --key k -o", "k"),
        ("sign m --key soft-k -o", "k"),
        ("sign m --key k -o", "m"),
        ("pubkey --key k -o", "k"),
        ("pubkey --public --key p -o", "p"),
        ("keygen --seed k -o", "k"),
        ("keygen --seed k -o new --public", "k"),
    ] {
        for way in ["", "./", "folder/../", "soft-", "hard-"] {
            folder.refuses(
                &format!("{command} {way}{input} --force"),
                &[&format!("{way}{input}: is an input of this command")],
            );
        }
    }
    for option in ["-o", "--report"] {
        for way in ["", "soft-", "hard-"] {
            let args = format!("{option} {way}t.csv --force");
            folder.refuses(&format!("check t.csv {args}"), &["t.csv: is an input"]);
            let (code, text) = folder.shell(&format!("check - --format csv {args} < t.csv"));
            assert!(code == 2 && text.contains("t.csv: is an input"), "{text}");
        }
    }
    for (args, what) in [
        ("pubkey --key - -o k --force < k", "k: is an input"),
        ("sign --key - m -o soft-k --force < hard-k", "soft-k: is an input"),
        ("sign --key k --max-stdin 99 - -o m --force < m", "m: is an input"),
        ("pubkey --key k >> k", "standard output: is an input"),
        ("check t.csv -o - >> t.csv", "standard output: is an input"),
    ] {
        let (code, text) = folder.shell(args);
        assert!(code == 2 && text.contains(what), "{args}: {text}");
    }
    // a place for the public key that is the one for the secret key
    for public in ["new", "./new", "folder/../new"] {
        folder.refuses(&format!("keygen -o new --public {public} --force"), &["the same file"]);
    }
    let after = names.iter().map(|name| fs::read(folder.path(name)).ok()).collect::<Vec<_>>();
    assert!(before == after && folder.names() == names, "{:?}", folder.names());
    // another name of another file
    folder.expect(0, "sign m --key k -o soft-p --force");
    assert_ne!(folder.get("p"), folder.get("hard-p"));
}

#[test]
fn a_secret_key_that_others_can_read_gets_a_warning() {
    let folder = Folder::new("shared");
    folder.put("m", "message");
    folder.expect(0, "keygen -o k --public p");
    folder.expect(0, "sign m --key k -o s");
    chmod(&folder.path("p"), 0o666);
    for (mode, is_shared) in [
        (0o600, false),
        (0o400, false),
        (0o700, false),
        (0o640, true),
        (0o604, true),
        (0o620, true),
        (0o601, true),
        (0o644, true),
    ] {
        chmod(&folder.path("k"), mode);
        for args in ["sign m --key k", "pubkey --key k", "keygen --seed k -o -"] {
            let (code, text) = folder.sigmill(args);
            let warning = format!(
                "sigmill: warning: k: others have access to this secret key (mode {mode:04o}); `chmod 600` ends that\n"
            );
            assert_eq!(code, 0, "{args}: {text}");
            assert_eq!(text.matches("warning").count(), usize::from(is_shared), "{args}: {text}");
            assert_eq!(text.contains(&warning), is_shared, "{args}: {text}");
        }
    }
    for args in ["verify m --key p --sig s", "pubkey --public --key p", "sign m --key p"] {
        let (_, text) = folder.sigmill(args);
        assert!(!text.contains("warning"), "{args}: {text}");
    }
    let (code, text) = folder.sigmill_with("pubkey --key -", &folder.get("k"));
    assert!(code == 0 && !text.contains("warning"), "{text}");
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

/// Our name, OpenSSL's, the hash function of its own, and bytes of a scalar.
const CURVES: [(&str, &str, &str, usize); 2] =
    [("p256", "P-256", "sha256", 32), ("p384", "P-384", "sha384", 48)];

#[test]
fn openssl_and_we_accept_each_other_in_ecdsa() {
    for (alg, curve, own, _) in CURVES {
        let folder = Folder::new(&format!("openssl-{alg}"));
        folder.put("m", "attack at dawn");
        folder.put("other", "attack at noon");
        for form in ["pem", "der"] {
            assert!(folder.openssl(&format!(
                "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:{curve} -out theirs.pem"
            )));
            let pkcs8 = format!("pkcs8 -topk8 -nocrypt -in theirs.pem -outform {form}");
            assert!(folder.openssl(&format!("{pkcs8} -out theirs")));
            let public = format!("pkey -inform {form} -in theirs -pubout -outform {form}");
            assert!(folder.openssl(&format!("{public} -out theirs.pub")));
            assert!(folder.openssl(&format!(
                "ec -inform {form} -in theirs -outform {form} -out theirs.sec1"
            )));
            assert!(folder.openssl(&format!(
                "ec -inform {form} -in theirs -pubout -conv_form compressed -outform {form} \
                 -out compressed.pub"
            )));
            for key in ["theirs", "theirs.sec1"] {
                folder.expect(0, &format!("pubkey --key {key} --format {form} -o derived --force"));
                assert_eq!(folder.get("derived"), folder.get("theirs.pub"), "{key}");
            }
            folder.expect(
                0,
                &format!("pubkey --public --key compressed.pub --format {form} -o derived --force"),
            );
            assert_eq!(folder.get("derived"), folder.get("theirs.pub"));
            // the same key, written by us
            folder.expect(0, &format!("keygen --seed theirs --format {form} -o ours --force"));
            assert_eq!(folder.get("ours"), folder.get("theirs"));

            folder.expect(
                0,
                &format!("keygen --alg {alg} -o ours --public ours.pub --format {form} --force"),
            );
            for hash in ["sha256", "sha384", "sha512"] {
                assert!(folder.openssl(&format!(
                    "dgst -{hash} -sign theirs -keyform {form} -out theirs.sig m"
                )));
                let sign = "sign --key ours --sig-format der --format raw -o ours.sig --force";
                folder.expect(0, &format!("{sign} --hash {hash} m"));
                let dgst =
                    format!("dgst -{hash} -keyform {form} -verify ours.pub -signature ours.sig");
                // with --hash, and without it where the curve's own is meant
                for (option, is_meant) in
                    [(format!("--hash {hash}"), true), ("".into(), hash == own)]
                {
                    let verify = format!("verify --sig theirs.sig --sig-format der {option}");
                    let code = i32::from(!is_meant);
                    for public in ["theirs.pub", "compressed.pub"] {
                        folder.expect(code, &format!("{verify} --key {public} m"));
                        folder.expect(1, &format!("{verify} --key {public} other"));
                    }
                    folder.expect(0, &format!("{sign} {option} m"));
                    assert_eq!(folder.openssl(&format!("{dgst} m")), is_meant, "{hash} {option}");
                    assert!(!folder.openssl(&format!("{dgst} other")));
                }
                // DER is not found out
                folder.refuses(
                    &format!("verify --sig theirs.sig --key theirs.pub --hash {hash} m"),
                    &["theirs.sig", "--sig-format"],
                );
            }
        }
    }
}

#[test]
fn signatures_of_ecdsa_are_those_of_rfc_6979() {
    let folder = Folder::new("rfc6979");
    folder.put("m", "sample");
    for (alg, hash, secret, r, s, low) in [
        (
            "p256",
            "",
            "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
            "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
            // n less it
            "0834e36ad29a83bf2bc9385e491d6099c8fdf9d1ed67aa7ea5f51f93782857a9",
        ),
        (
            "p256",
            "--hash sha512",
            "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
            "8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f00",
            "2362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe",
            "2362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe",
        ),
        (
            "p384",
            "",
            "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d8\
             96d5724e4c70a825f872c9ea60d2edf5",
            "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c\
             81a648152e44acf96e36dd1e80fabe46",
            "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94f\
             a329c145786e679e7b82c71a38628ac8",
            "6610b514ea0e87315e01bf24d9fcec70ecf18bf5e69dbad9a727ea302393848f\
             b4f04c6cd0423fdc7169525094629eab",
        ),
    ] {
        folder.put("k", secret);
        let args = format!("--key k --alg {alg} {hash}");
        folder.expect(
            0,
            &format!("keygen --alg {alg} --seed k --format hex -o x --public p --force"),
        );
        assert_eq!(folder.expect(0, &format!("sign {args} m")), format!("{r}{s}\n"));
        let low_sign = folder.expect(0, &format!("sign {args} --low-s m"));
        assert_eq!(low_sign, format!("{r}{low}\n"));
        folder.put("s", format!("{r}{s}"));
        folder.put("low", low_sign);
        let verify = format!("verify --key p --alg {alg} {hash} m");
        for (sig, option, code) in [
            ("s", "", 0),
            ("low", "", 0),
            ("low", "--low-s", 0),
            ("s", "--low-s", i32::from(s != low)),
        ] {
            let text = folder.expect(code, &format!("{verify} --sig {sig} {option}"));
            assert!(code == 0 || text.contains("s is above half of the order"), "{text}");
        }
    }
    // of a digest, with the nonce of the curve's own function
    folder.put("k", "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721");
    assert!(folder.openssl("dgst -sha256 -binary -out digest m"));
    let args = "--key k --alg p256";
    let signature = folder.expect(0, &format!("sign {args} m"));
    assert_eq!(folder.expect(0, &format!("sign {args} --hash none digest")), signature);
    folder.put("s", &signature);
    folder.expect(0, "keygen --alg p256 --seed k --format hex -o x --public p --force");
    folder.expect(0, "verify --key p --alg p256 --hash none --sig s digest");
    folder.expect(1, "verify --key p --alg p256 --hash none --sig s m");
    folder.put("empty", "");
    folder.put("long", [7; 65]);
    folder.refuses(&format!("sign {args} --hash none empty"), &["empty: digest is empty"]);
    folder.refuses(&format!("sign {args} --hash none long"), &["long", "over 64 bytes"]);
    let text = folder.expect(1, "verify --key p --alg p256 --hash none --sig s empty");
    assert!(text.contains("digest is empty"), "{text}");
}

#[test]
fn a_digest_made_elsewhere_has_the_signature_of_what_was_hashed() {
    let folder = Folder::new("digest");
    folder.put("m", "a message");
    folder.put("k", "07".repeat(32));
    for hash in ["sha256", "sha384", "sha512"] {
        assert!(folder.openssl(&format!("dgst -{hash} -binary -out {hash} m")));
        let args = format!("--key k --alg p256 --hash {hash}");
        let signature = folder.expect(0, &format!("sign {args} m"));
        assert_eq!(folder.expect(0, &format!("sign {args} --digest {hash}")), signature);
    }
    let own = folder.expect(0, "sign --key k --alg p256 m");
    assert_eq!(folder.expect(0, "sign --key k --alg p256 --digest sha256"), own);
    let what = "sha384: SHA-256 digest has 48 bytes, not 32";
    folder.refuses("sign --key k --alg p256 --digest sha384", &[what]);
    for context in ["", " --context c"] {
        let args = format!("--key k --variant ph{context}");
        let signature = folder.expect(0, &format!("sign {args} m"));
        assert_eq!(folder.expect(0, &format!("sign {args} --digest sha512")), signature);
    }
    folder.refuses(
        "sign --key k --variant ph --digest sha256",
        &["sha256: SHA-512 digest has 32 bytes, not 64"],
    );
    folder.refuses("sign --key k --digest sha512", &["--variant ph"]);
    folder.refuses("sign --key k --variant ctx --context c --digest sha512", &["--variant ph"]);
}

#[test]
fn a_digest_made_elsewhere_is_verified_as_what_was_hashed() {
    let folder = Folder::new("digest-verified");
    folder.put("m", "a message");
    folder.put("other", "another message");
    folder.put("k", "07".repeat(32));
    for (options, hash) in [
        ("--alg p256", "sha256"),
        ("--alg p256 --hash sha384 --sig-format der", "sha384"),
        ("--alg p256 --hash sha512 --low-s", "sha512"),
        ("--variant ph", "sha512"),
        ("--variant ph --context c", "sha512"),
    ] {
        let alg = if options.contains("p256") { "p256" } else { "ed25519" };
        folder.expect(0, &format!("keygen --alg {alg} --seed k -o x --public p --force"));
        folder.expect(0, &format!("sign --key k {options} -o s --force m"));
        for of in ["m", "other"] {
            assert!(folder.openssl(&format!("dgst -{hash} -binary -out digest.{of} {of}")));
        }
        let hex = folder.run("xxd", "-p -c 64 digest.m", b"").stdout;
        folder.put("hex", &hex);
        folder.put("base64", folder.run("base64", "digest.m", b"").stdout);
        let verify = format!("verify --key p {options} --sig s --digest");
        for form in ["digest.m", "hex", "base64"] {
            folder.expect(0, &format!("{verify} {form}"));
            folder.expect(0, &format!("sign --key k {options} --digest -o again --force {form}"));
            assert_eq!(folder.get("again"), folder.get("s"), "{options} of {form}");
        }
        let (code, text) = folder.sigmill_with(&format!("{verify} -"), &folder.get("digest.m"));
        assert_eq!(code, 0, "{text}");
        let text = folder.expect(1, &format!("{verify} digest.other"));
        assert!(text.contains("invalid"), "{text}");

        // a file that is no digest is named
        folder.put("empty", "");
        folder.put("short", &folder.get("digest.m")[1..]);
        folder.put("words", [&hex[..hex.len() - 1], b"  m\n"].concat());
        folder.put("text", "z".repeat(folder.get("digest.m").len()));
        folder.put("half", &hex[..hex.len() / 2]);
        folder.put("cut", &hex[2..]);
        let size = folder.get("digest.m").len();
        let (digits, fewer) = (2 * size, size - 1);
        for command in [&verify[..], &format!("sign --key k {options} --digest")] {
            for (file, what) in [
                ("empty", "empty: is empty; expected a digest".to_owned()),
                ("short", format!("digest has {fewer} bytes, not {size}")),
                ("words", format!("has more than the {digits} hexadecimal digits of a digest")),
                ("half", format!("{size} hexadecimal digits may be {size} raw bytes")),
                ("text", format!("{size} characters of text are not a SHA-")),
                ("cut", format!("{} characters of text are not a SHA-", digits - 2)),
                ("p", "p: is a public key".to_owned()),
            ] {
                folder.refuses(&format!("{command} {file}"), &[&what]);
            }
        }
    }
    folder.refuses("verify --key p --sig s --digest digest.m", &["--digest", "--variant ph"]);
    let ctx = "verify --key p --sig s --variant ctx --context c --digest digest.m";
    folder.refuses(ctx, &["--digest", "--variant ph"]);
}

#[test]
fn every_form_of_an_ecdsa_key_and_signature_is_found_out() {
    for (alg, _, _, width) in CURVES {
        let folder = Folder::new(&format!("forms-{alg}"));
        folder.put("m", "message");
        folder.put("seed", "07".repeat(width));
        for form in ["pem", "der", "raw", "hex", "base64"] {
            folder.expect(
                0,
                &format!(
                    "keygen --alg {alg} --seed seed --format {form} -o k.{form} --public p.{form}"
                ),
            );
            assert_eq!(mode(&folder.path(&format!("k.{form}"))), 0o600);
            // only a container says what it holds
            let is_container = matches!(form, "pem" | "der");
            let alg_option = if is_container { String::new() } else { format!("--alg {alg}") };
            for (sig_format, sig) in [
                ("raw", "raw"),
                ("raw", "hex"),
                ("raw", "base64"),
                ("der", "raw"),
                ("der", "hex"),
                ("der", "base64"),
            ] {
                let sign = format!("sign --key k.{form} {alg_option} --sig-format {sig_format}");
                folder.expect(0, &format!("{sign} --format {sig} -o s --force m"));
                let verify = format!("verify --sig s --sig-format {sig_format} --alg {alg} m");
                folder.expect(0, &format!("{verify} --key p.{form}"));
                folder.expect(0, &format!("{verify} --key p.{form} --key-format {form}"));
                let (code, text) = folder
                    .sigmill_with(&format!("{sign} --format {sig} -o s2 --force -"), b"message");
                assert_eq!(code, 0, "{text}");
                assert_eq!(folder.get("s2"), folder.get("s"));
            }
        }
        assert_eq!(folder.get("p.raw").len(), 1 + 2 * width);
        assert_eq!(folder.get("k.raw"), vec![7; width]);
    }
}

#[test]
fn what_does_not_fit_the_algorithm_is_one_message_and_exit_code_2() {
    let folder = Folder::new("ecdsa-bad");
    folder.put("m", "message");
    for alg in ["ed25519", "p256", "p384"] {
        folder.expect(0, &format!("keygen --alg {alg} -o {alg} --public {alg}.pub"));
        folder.expect(0, &format!("sign --key {alg} -o {alg}.sig m"));
        for other in ["ed25519", "p256", "p384"].into_iter().filter(|other| *other != alg) {
            let holds = format!("holds a key of {alg}, but --alg says {other}");
            let words = [alg, &holds];
            folder.refuses(&format!("sign --key {alg} --alg {other} m"), &words);
            folder.refuses(&format!("pubkey --key {alg} --alg {other}"), &words);
            folder.refuses(&format!("keygen --seed {alg} --alg {other} -o new"), &words);
            folder.refuses(
                &format!("verify --key {alg}.pub --alg {other} --sig {alg}.sig m"),
                &words,
            );
            folder.refuses(
                &format!("explain --key @{alg}.pub --alg {other} --sig 00 --msg 00"),
                &words,
            );
        }
        let text =
            folder.expect(0, &format!("verify --key {alg}.pub --alg {alg} --sig {alg}.sig m"));
        assert!(text.starts_with("m: valid"), "{text}");
    }
    // PKCS#8 of Ed25519 is as long as an integer of P-384
    folder.expect(0, "keygen --alg ed25519 --format der -o ed25519.der");
    assert_eq!(folder.get("ed25519.der").len(), 48);
    folder.refuses("sign --key ed25519.der --alg p384 m", &["ed25519.der", "--alg says p384"]);
    // options of the other algorithm
    for option in ["--hash sha256", "--sig-format raw", "--sig-format der", "--low-s"] {
        let name = option.split(' ').next().expect("a name");
        let words = [name, "is an option of ECDSA", "ed25519.pub is read as a key of ed25519"];
        folder.refuses(&format!("verify --key ed25519.pub --sig ed25519.sig {option} m"), &words);
        folder.refuses(&format!("sign --key ed25519 {option} m"), &words[..2]);
    }
    for option in ["--rule zip215", "--variant ph", "--context x"] {
        let name = option.split(' ').next().expect("a name");
        let words = [name, "is an option of Ed25519", "p256.pub is read as a key of p256"];
        folder.refuses(&format!("verify --key p256.pub --sig p256.sig {option} m"), &words);
    }
    folder.refuses("sign --key p384 --variant ph m", &["--variant", "p384"]);
    folder.refuses("sign --key p384 --max-stdin 5 m", &["--max-stdin", "p384"]);
    // values that nothing has
    for (command, value) in [
        ("keygen -o new --alg p521", "p521"),
        ("sign --key p256 --hash sha1 m", "sha1"),
        ("sign --key p256 --sig-format ber m", "ber"),
    ] {
        let text = folder.expect(2, command);
        assert!(text.contains(&format!("invalid value '{value}'")), "{text}");
    }
    folder.refuses("sign --key p256 --sig-format der --format der m", &["--format"]);
    // lengths
    folder.put("short", "07".repeat(31));
    folder.put("bytes", [7; 47]);
    folder.put("hex", "07".repeat(32));
    folder.put("zero", "00".repeat(32));
    folder.refuses("sign --key short --alg p256 m", &["short", "62", "p256", "64 of hex"]);
    folder
        .refuses("sign --key bytes --alg p384 --key-format raw m", &["bytes", "47 bytes, not 48"]);
    // as long as the base64 of 48 bytes, or of 96
    folder.refuses(
        "sign --key hex --alg p384 m",
        &["hex", "64", "p384", "96 of hex", "64 of base64"],
    );
    folder
        .refuses("verify --key p384.pub --sig p256.sig m", &["p256.sig", "p384", "128 of base64"]);
    folder.refuses("sign --key zero --alg p256 m", &["zero", "0 or not below the order"]);
    folder.refuses(
        "verify --key hex --alg p256 --sig p256.sig m",
        &["hex", "66 or 130 of hex", "44 or 88 of base64"],
    );
    // as many bytes as an uncompressed key has
    folder.put("line", "07".repeat(32) + "\n");
    folder.refuses("verify --key line --alg p256 --sig p256.sig m", &["line", "66 or 130 of hex"]);
    folder.refuses(
        "verify --key hex --alg p256 --key-format hex --sig p256.sig m",
        &["hex", "64 characters of hex, not 66 or 130"],
    );
    folder.refuses("verify --key p384.pub --sig p256.sig m", &["p256.sig", "p384", "96 raw"]);
    // keys of no algorithm that is known, and one that names no curve
    assert!(folder.openssl("ecparam -name secp256k1 -genkey -noout -out k1"));
    assert!(folder.openssl("ec -in k1 -pubout -out k1.pub"));
    folder.refuses("sign --key k1 m", &["k1", "another algorithm", "P-384"]);
    folder.refuses("verify --key k1.pub --sig p256.sig m", &["k1.pub", "another algorithm"]);
    let mut unnamed = vec![0x30, 37, 2, 1, 1, 4, 32];
    unnamed.extend([7; 32]);
    folder.put("unnamed", unnamed);
    folder.refuses("pubkey --key unnamed", &["unnamed", "does not name the curve", "--alg"]);
    folder.expect(0, "pubkey --key unnamed --alg p256");
    folder.refuses("pubkey --key unnamed --alg p384", &["unnamed", "wrong length"]);
    // a key that is no point, and a signature that is no DER, are verdicts
    folder.put("odd", "02".to_owned() + &"00".repeat(31) + "01");
    folder.put("der", "3000");
    for (key, option, sig, what) in [
        ("odd", "--alg p256", "p256.sig", "the curve"),
        ("p256.pub", "--sig-format der", "der", "strict DER"),
    ] {
        let text = folder.expect(1, &format!("verify --key {key} {option} --sig {sig} m"));
        assert!(text.contains(what), "{text}");
    }
}
