//! Git with `gpg.ssh.program=sigmill`: commits and tags, and what Git says of them, against `ssh-keygen`.

use crate::folder::{Folder, text};
use crate::ssh_keygen::{BIN, KEYGEN, TYPES, call, has_tools, key, public};
use std::fs;
use std::path::Path;
use std::process::Command;

/// When commits are made, in seconds since 1970: 2024-01-15 17:00 UTC.
const TIME: u64 = 1_705_338_000;

/// A repository with a key of each type, and a file of allowed signers that is made anew for each question.
struct Repository {
    folder: Folder,
    zone: &'static str,
}

impl Repository {
    fn new() -> Self {
        let repository = Repository { folder: Folder::new(), zone: "UTC" };
        for (name, kind) in TYPES {
            key(&repository.folder, name, kind);
        }
        fs::create_dir(repository.folder.path("r")).expect("made");
        assert_eq!(repository.git(KEYGEN, "init -q").0, 0);
        repository.allow("");
        repository
    }

    fn allow(&self, lines: &str) {
        self.folder.put("allowed", lines);
    }

    /// The code, standard output and standard error of `git` with this program for signatures.
    fn git(&self, program: &str, args: &str) -> (i32, String, String) {
        let config = |name: &str, value: &str| ["-c".to_owned(), format!("{name}={value}")];
        let allowed = self.folder.path("allowed");
        let mut command = Command::new("git");
        command.args(config("gpg.format", "ssh")).args(config("gpg.ssh.program", program));
        command.args(config("gpg.ssh.allowedSignersFile", text(&allowed)));
        let revoked = self.folder.path("revoked");
        if revoked.exists() {
            command.args(config("gpg.ssh.revocationFile", text(&revoked)));
        }
        command.args(args.split(' ')).current_dir(self.folder.path("r")).envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_COMMITTER_DATE", &format!("{TIME} +0000")),
            ("GIT_AUTHOR_DATE", &format!("{TIME} +0000")),
            ("GIT_AUTHOR_NAME", "A"),
            ("GIT_AUTHOR_EMAIL", "a@example.com"),
            ("GIT_COMMITTER_NAME", "A"),
            ("GIT_COMMITTER_EMAIL", "a@example.com"),
            ("LC_ALL", "C"),
            ("TZ", self.zone),
        ]);
        let command = command.env_remove("SSH_AUTH_SOCK").env("HOME", self.folder.path("r"));
        let output = command.output().expect("git runs");
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().expect("ends"), lossy(&output.stdout), lossy(&output.stderr))
    }

    /// Makes a commit that the key of this name signs; returns its identifier.
    fn commit(&self, program: &str, key: &Path) -> String {
        let args = format!("commit -q --allow-empty -m m -S{}", text(key));
        let (code, _, err) = self.git(program, &args);
        assert_eq!(code, 0, "{program} {}: {err}", key.display());
        self.git(program, "rev-parse HEAD").1.trim().to_owned()
    }

    /// Stores a changed commit; returns its identifier.
    fn changed(&self, commit: &str, change: impl Fn(&str) -> String) -> String {
        let (code, object, _) = self.git(KEYGEN, &format!("cat-file commit {commit}"));
        assert_eq!(code, 0);
        let changed = change(&object);
        assert_ne!(changed, object);
        self.folder.put("object", changed);
        let path = self.folder.path("object");
        let stored = self.git(KEYGEN, &format!("hash-object -t commit -w {}", text(&path)));
        assert_eq!(stored.0, 0, "{}", stored.2);
        stored.1.trim().to_owned()
    }

    /// The status letter, signer, key and fingerprint that Git shows, and the exit code of `verify-commit`. Both
    /// programs must answer alike.
    fn said_of(&self, commit: &str, name: &str) -> (String, i32) {
        let [theirs, ours] = [KEYGEN, BIN].map(|program| {
            let shown = self.git(program, &format!("log -1 --format=%G?|%GS|%GK|%GF|%GT {commit}"));
            assert_eq!(shown.0, 0, "{name} {program}: {}", shown.2);
            let code = self.git(program, &format!("verify-commit {commit}")).0;
            (shown.1.trim().to_owned(), code)
        });
        assert_eq!(ours, theirs, "{name}: sigmill says {ours:?}, ssh-keygen {theirs:?}");
        ours
    }
}

#[test]
fn each_program_verifies_commits_and_tags_of_the_other() {
    if !has_tools() {
        return;
    }
    let repository = Repository::new();
    let mut verified = 0;
    for (name, _) in TYPES {
        let (key, public) = (repository.folder.path(name), public(&repository.folder, name));
        repository.allow(&format!("# signers\nb@example.com,a@example.com {public}"));
        for (signer, key) in
            [(BIN, key.clone()), (BIN, key.with_extension("pub")), (KEYGEN, key.clone())]
        {
            let commit = repository.commit(signer, &key);
            let (said, code) = repository.said_of(&commit, name);
            assert_eq!(code, 0, "{name} {said}");
            assert!(said.starts_with("G|b@example.com|SHA256:"), "{name} {said}");
            let tag = format!("tag -f -u {} -m m t", text(&key));
            assert_eq!(repository.git(signer, &tag).0, 0, "{name}");
            let shown = [KEYGEN, BIN].map(|program| {
                let (code, out, err) = repository.git(program, "log -1 --show-signature");
                assert_eq!(code, 0, "{name} {program} {err}");
                let (code, _, tag) = repository.git(program, "verify-tag t");
                assert_eq!(code, 0, "{name} {program} {tag}");
                (out, err, tag)
            });
            assert_eq!(shown[1], shown[0], "{name}");
            assert!(
                shown[1].0.contains("Good \"git\" signature for b@example.com with "),
                "{name}"
            );
            assert!(shown[1].2.starts_with("Good \"git\" signature for b@example.com with "));
            verified += 1;
        }
        // Ed25519 signs deterministically: the commits are one
        if name == "ed25519" {
            let made = [BIN, KEYGEN].map(|signer| {
                let amended = format!("commit -q --amend --allow-empty -m n -S{}", text(&key));
                assert_eq!(repository.git(signer, &amended).0, 0);
                repository.git(signer, "rev-parse HEAD").1
            });
            assert_eq!(made[0], made[1]);
        }
    }
    assert_eq!(verified, 9);
}

#[test]
fn git_says_the_same_of_commits_that_are_not_good() {
    if !has_tools() {
        return;
    }
    let repository = Repository::new();
    let other = public(&repository.folder, "p256");
    for (name, _) in TYPES.into_iter().filter(|(name, _)| *name != "p256") {
        let (path, own) = (repository.folder.path(name), public(&repository.folder, name));
        let commit = repository.commit(BIN, &path);
        let changed = repository.changed(&commit, |object| object.replace("\nm", "\nM"));
        let object = repository.git(KEYGEN, &format!("cat-file commit {commit}")).1;
        let begin = object.find("gpgsig ").expect("signed");
        let end = object.find(" -----END SSH SIGNATURE-----\n").expect("signed") + 29;
        let payload = format!("{}{}", &object[..begin], &object[end..]);
        repository.folder.put("payload", payload);
        // the signature of this very commit for another namespace
        let (payload, sig) =
            (repository.folder.path("payload"), repository.folder.path("payload.sig"));
        let _ = fs::remove_file(&sig);
        let args = ["-Y", "sign", "-n", "file", "-f", text(&path), text(&payload)];
        assert_eq!(call(KEYGEN, &args, b"").0, 0);
        let sig = fs::read_to_string(&sig).expect("text").trim_end().replace('\n', "\n ");
        let for_file = repository.changed(&commit, |object| {
            format!("{}gpgsig {sig}\n{}", &object[..begin], &object[end..])
        });
        let empty = repository.changed(&commit, |object| {
            let sig = "-----BEGIN SSH SIGNATURE-----\n -----END SSH SIGNATURE-----";
            format!("{}gpgsig {sig}\n{}", &object[..begin], &object[end..])
        });
        let good = format!("a@example.com {own}");
        let line = |options: &str| format!("a@example.com {options} {own}");
        let listed = format!("# revoked\n{other}{own}");
        for (what, lines, revoked, commit, letter) in [
            ("good", good.clone(), "", &commit, "G"),
            ("among others", format!("x@example.com {other}{good}"), &other, &commit, "G"),
            ("pattern", format!("*@example.com {own}"), "", &commit, "G"),
            ("quoted", format!("\"a b\" {own}"), "", &commit, "G"),
            ("unknown signer", format!("a@example.com {other}"), "", &commit, "U"),
            ("nobody", String::new(), "", &commit, "U"),
            ("changed", good.clone(), "", &changed, "B"),
            ("changed, unknown", String::new(), "", &changed, "B"),
            ("empty signature", good.clone(), "", &empty, "B"),
            ("for files", good.clone(), "", &for_file, "B"),
            ("key of files", line("namespaces=\"file\""), "", &commit, "B"),
            ("key of all", line("namespaces=\"file,g*\""), "", &commit, "G"),
            ("expired", line("valid-before=\"20240115165959Z\""), "", &commit, "U"),
            ("last second", line("valid-before=\"20240115170000Z\""), "", &commit, "G"),
            ("not yet", line("valid-after=\"20240115170001Z\""), "", &commit, "U"),
            ("first second", line("valid-after=\"20240115170000Z\""), "", &commit, "G"),
            ("authority", line("cert-authority"), "", &commit, "U"),
            ("revoked", good.clone(), &listed, &commit, "B"),
            ("later line", format!("{}{good}", line("namespaces=\"file\"")), "", &commit, "G"),
        ] {
            repository.allow(&lines);
            if revoked.is_empty() {
                let _ = fs::remove_file(repository.folder.path("revoked"));
            } else {
                repository.folder.put("revoked", revoked);
            }
            let (said, code) = repository.said_of(commit, what);
            assert!(said.starts_with(letter), "{name} {what}: {said}");
            assert_eq!(code == 0, letter == "G", "{name} {what}: {said}");
        }
        let _ = fs::remove_file(repository.folder.path("revoked"));
    }
}

/// Git writes the time of a commit as a clock in its zone shows it, in winter and in summer.
#[test]
fn the_time_of_a_commit_is_read_in_the_zone_of_the_system() {
    if !has_tools() {
        return;
    }
    let mut repository = Repository::new();
    let own = public(&repository.folder, "ed25519");
    let commit = repository.commit(BIN, &repository.folder.path("ed25519"));
    for zone in ["EST5EDT,M3.2.0,M11.1.0", "<+0530>-5:30", "UTC"] {
        repository.zone = zone;
        for (limit, letter) in [("20240115165959Z", "U"), ("20240115170000Z", "G")] {
            repository.allow(&format!("a@example.com valid-before=\"{limit}\" {own}"));
            let (said, _) = repository.said_of(&commit, zone);
            assert!(said.starts_with(letter), "{zone} {limit}: {said}");
        }
    }
    // 2024-07-15 16:00 UTC is 12:00 there; `ssh-keygen` reads it as an hour of winter
    let summer = repository.changed(&commit, |object| object.replace("1705338000", "1721059200"));
    repository.zone = "EST5EDT,M3.2.0,M11.1.0";
    for (limit, is_found) in [("20240715155959Z", false), ("20240715160000Z", true)] {
        repository.allow(&format!("a@example.com valid-before=\"{limit}\" {own}"));
        let shown = repository.git(BIN, &format!("verify-commit -v {summer}"));
        // the commit was changed, so its signature is bad; the key is found or not
        assert_eq!(shown.2.contains("not valid at this time"), !is_found, "{limit} {}", shown.2);
    }
}

#[test]
fn a_literal_key_and_a_missing_one_are_refused_by_name() {
    if !has_tools() {
        return;
    }
    let repository = Repository::new();
    let literal = public(&repository.folder, "ed25519").trim().to_owned();
    let config = repository.git(KEYGEN, "config commit.gpgSign true");
    assert_eq!(config.0, 0);
    for (key, message) in [
        (
            format!("key::{literal}"),
            "is a public key, and sigmill talks to no agent; name the file of a private key",
        ),
        (text(&repository.folder.path("none")).to_owned(), "none: no such file or directory"),
        (text(&repository.folder.path("r")).to_owned(), "r: is a directory"),
    ] {
        let set = Command::new("git")
            .args(["config", "user.signingKey", &key])
            .current_dir(repository.folder.path("r"))
            .status();
        assert!(set.expect("git runs").success());
        let (code, _, err) = repository.git(BIN, "commit --allow-empty -m m");
        assert!(code != 0 && err.contains(message), "{key}: {err}");
        assert!(!err.contains("available in openssh"), "{err}");
    }
}
