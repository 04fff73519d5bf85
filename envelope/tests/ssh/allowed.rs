//! Allowed signers, compared with `ssh-keygen -Y verify`.

use crate::secret;
use crate::tool::Tool;
use sigmill::bulk::Algorithm;
use sigmill_envelope::{Refusal, SecretKey, ssh};
use ssh::AllowedSigners;

/// 2024-06-15 12:00:00 UTC, in seconds since 1970 and as `ssh-keygen` takes it.
const NOW: u64 = 1_718_452_800;
const NOW_TEXT: &str = "verify-time=20240615120000";

const ME: &str = "me@example.com";

/// The answer expected of us; that of `ssh-keygen` is the same unless the case says otherwise.
enum Answer {
    Allowed,
    Refused(Refusal),
    /// We refuse the file or the line, and `ssh-keygen` accepts.
    Stricter(Refusal),
}
use Answer::{Allowed, Refused, Stricter};

/// Name, file, principal, namespace, answer. In the file, `{K}` is the line of the key that signed, `{O}` of another
/// key, and `{B}` the base64 of the first.
#[rustfmt::skip]
const CASES: &[(&str, &str, &str, &str, Answer)] = &[
    ("plain", "me@example.com {K}", ME, "file", Allowed),
    ("comment on the key", "me@example.com {K} of mine, 2024", ME, "file", Allowed),
    ("blank lines and comments", "\n# me\n  # me\n\t\nme@example.com {K}\n\n", ME, "file", Allowed),
    ("blanks and tabs", " \tme@example.com \t {K}", ME, "file", Allowed),
    ("lines end with CRLF", "# me\r\nme@example.com {K}\r\n", ME, "file", Allowed),
    ("second line", "you@example.com {O}\nme@example.com {K}", ME, "file", Allowed),
    ("same principal, other key first", "me@example.com {O}\nme@example.com {K}", ME, "file", Allowed),
    ("empty file", "", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("other key", "me@example.com {O}", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("other principal", "you@example.com {K}", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("commented out", "#me@example.com {K}", ME, "file", Refused(Refusal::PrincipalUnknown)),

    ("star", "* {K}", ME, "file", Allowed),
    ("star in front", "*@example.com {K}", ME, "file", Allowed),
    ("star within", "m*@*.com {K}", ME, "file", Allowed),
    ("star of nothing", "me*@example.com* {K}", ME, "file", Allowed),
    ("stars and marks", "**?@*?***.c?m {K}", ME, "file", Allowed),
    ("mark", "m?@example.com {K}", ME, "file", Allowed),
    ("mark of nothing", "me?@example.com {K}", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("mark after star of nothing", "me@example.com*? {K}", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("star goes back", "*com*com {K}", "a.com.co.comcom", "file", Allowed),
    ("star cannot go back", "*com*com {K}", "a.com.co", "file", Refused(Refusal::PrincipalUnknown)),
    ("marks are bytes", "?? {K}", "ä", "file", Allowed),
    ("case matters", "ME@example.com {K}", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("prefix", "me@example.co {K}", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("list", "you@example.com,me@example.com {K}", ME, "file", Allowed),
    ("list with gaps", ",,me@example.com, {K}", ME, "file", Allowed),
    ("excluded after", "*@example.com,!me@example.com {K}", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("excluded before", "!me@example.com,*@example.com {K}", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("other excluded", "!you@example.com,*@example.com {K}", ME, "file", Allowed),
    ("exclusion alone", "!you@example.com {K}", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("excluded twice", "*,!!me@example.com {K}", ME, "file", Allowed),
    ("excluded in one line, not in another", "!me@example.com,* {K}\nme@* {K}", ME, "file", Allowed),
    ("quoted", "\"me@example.com\" {K}", ME, "file", Allowed),
    ("quoted blanks", "\"you,My Self\" {K}", "My Self", "file", Allowed),
    ("quote not ended", "\"me@example.com {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("quote within", "me\"@example.com\" {K}", ME, "file", Stricter(Refusal::NotSsh)),
    ("no blank after the quote", "\"me@example.com\"{K}", ME, "file", Stricter(Refusal::NotSsh)),
    ("principal alone", "me@example.com", ME, "file", Refused(Refusal::NotSsh)),
    ("key without principal", "{K}", ME, "file", Refused(Refusal::CritUnknown)),

    ("namespace", "me@example.com namespaces=\"file\" {K}", ME, "file", Allowed),
    ("namespace in a list", "me@example.com namespaces=\"git,file\" {K}", ME, "file", Allowed),
    ("namespace by pattern", "me@example.com namespaces=\"f*e\" {K}", ME, "file", Allowed),
    ("keyword in capitals", "me@example.com NameSpaces=\"file\" {K}", ME, "file", Allowed),
    ("other namespace", "me@example.com namespaces=\"git\" {K}", ME, "file", Refused(Refusal::NamespaceMismatch)),
    ("namespace git", "me@example.com namespaces=\"git\" {K}", ME, "git", Allowed),
    ("namespace excluded", "me@example.com namespaces=\"*,!file\" {K}", ME, "file", Refused(Refusal::NamespaceMismatch)),
    ("no namespaces", "me@example.com namespaces=\"\" {K}", ME, "file", Refused(Refusal::NamespaceMismatch)),
    ("prefix of a namespace", "me@example.com namespaces=\"fil\" {K}", ME, "file", Refused(Refusal::NamespaceMismatch)),
    ("namespace with a quote", "me@example.com namespaces=\"a\\\"b c\" {K}", ME, "a\"b c", Allowed),
    ("namespace in another line", "me@example.com namespaces=\"git\" {K}\nme@example.com namespaces=\"file\" {K}", ME, "file", Allowed),
    ("namespace without quotes", "me@example.com namespaces=file {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("namespaces not ended", "me@example.com namespaces=\"file {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("namespaces without a value", "me@example.com namespaces {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("namespaces twice", "me@example.com namespaces=\"file\",namespaces=\"file\" {K}", ME, "file", Refused(Refusal::DuplicateMember)),

    ("after a day", "me@example.com valid-after=\"20240615\" {K}", ME, "file", Allowed),
    ("after the next day", "me@example.com valid-after=\"20240616\" {K}", ME, "file", Refused(Refusal::OutsideValidity)),
    ("after this minute", "me@example.com valid-after=\"202406151200\" {K}", ME, "file", Allowed),
    ("after this second", "me@example.com valid-after=\"20240615120000Z\" {K}", ME, "file", Allowed),
    ("after the next second", "me@example.com valid-after=\"20240615120001Z\" {K}", ME, "file", Refused(Refusal::OutsideValidity)),
    ("before this second", "me@example.com valid-before=\"20240615120000Z\" {K}", ME, "file", Allowed),
    ("before the last second", "me@example.com valid-before=\"20240615115959Z\" {K}", ME, "file", Refused(Refusal::OutsideValidity)),
    ("before a day", "me@example.com valid-before=\"20240615Z\" {K}", ME, "file", Refused(Refusal::OutsideValidity)),
    ("before the next day", "me@example.com valid-before=\"20240616Z\" {K}", ME, "file", Allowed),
    ("between", "me@example.com valid-after=\"20240229\",valid-before=\"20991231\" {K}", ME, "file", Allowed),
    ("all options", "me@example.com namespaces=\"file\",valid-after=\"20200101Z\",valid-before=\"20300101Z\" {K}", ME, "file", Allowed),
    ("ended, then again", "me@example.com valid-before=\"20200101\" {K}\nme@example.com valid-after=\"20200101\" {K}", ME, "file", Allowed),
    ("namespace and time", "me@example.com namespaces=\"git\",valid-before=\"20200101\" {K}", ME, "file", Refused(Refusal::NamespaceMismatch)),
    ("before precedes after", "me@example.com valid-after=\"20240616\",valid-before=\"20240614\" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("before equals after", "me@example.com valid-after=\"20240615120000\",valid-before=\"20240615120000\" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("after twice", "me@example.com valid-after=\"20200101\",valid-after=\"20200101\" {K}", ME, "file", Refused(Refusal::DuplicateMember)),
    ("before twice", "me@example.com valid-before=\"20300101\",valid-before=\"20300101\" {K}", ME, "file", Refused(Refusal::DuplicateMember)),
    ("month 13", "me@example.com valid-after=\"20241301\" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("February 30", "me@example.com valid-after=\"20230230\" {K}", ME, "file", Stricter(Refusal::NotSsh)),
    ("hour 24", "me@example.com valid-after=\"202401012400\" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("second 60", "me@example.com valid-after=\"20240101000060\" {K}", ME, "file", Stricter(Refusal::NotSsh)),
    ("ten digits", "me@example.com valid-after=\"2024010100\" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("no digits", "me@example.com valid-after=\"today\" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("blank among digits", "me@example.com valid-after=\"2024010 \" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("year 1969", "me@example.com valid-after=\"19690101\" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("no time", "me@example.com valid-after=\"\" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("Z alone", "me@example.com valid-after=\"Z\" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("Z twice", "me@example.com valid-after=\"20200101ZZ\" {K}", ME, "file", Refused(Refusal::NotSsh)),

    ("authority", "me@example.com cert-authority {K}", ME, "file", Refused(Refusal::Unsupported)),
    ("authority in capitals", "me@example.com CERT-AUTHORITY,namespaces=\"file\" {K}", ME, "file", Refused(Refusal::Unsupported)),
    ("authority, then the key", "me@example.com cert-authority {K}\nme@example.com {K}", ME, "file", Allowed),
    ("authority, and another key", "me@example.com cert-authority {K}\nme@example.com {O}", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("authority for others", "you@example.com cert-authority {K}", ME, "file", Refused(Refusal::PrincipalUnknown)),
    ("authority twice", "me@example.com cert-authority,cert-authority {K}", ME, "file", Refused(Refusal::DuplicateMember)),
    ("authority with a value", "me@example.com cert-authority=\"yes\" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("RSA", "me@example.com ssh-rsa AAAAB3NzaC1yc2E=", ME, "file", Refused(Refusal::AlgUnknown)),
    ("RSA, then the key", "me@example.com ssh-rsa AAAAB3NzaC1yc2E=\nme@example.com {K}", ME, "file", Allowed),
    ("security key", "me@example.com sk-ssh-ed25519@openssh.com {B}", ME, "file", Refused(Refusal::Unsupported)),
    ("certificate", "me@example.com ssh-ed25519-cert-v01@openssh.com {B}", ME, "file", Refused(Refusal::Unsupported)),
    ("unknown option", "me@example.com no-touch {K}", ME, "file", Refused(Refusal::CritUnknown)),
    ("unknown option after another", "me@example.com namespaces=\"file\",x=\"y\" {K}", ME, "file", Refused(Refusal::CritUnknown)),
    ("comma at the end of options", "me@example.com namespaces=\"file\", {K}", ME, "file", Refused(Refusal::CritUnknown)),
    ("options without commas", "me@example.com namespaces=\"file\"valid-after=\"20200101\" {K}", ME, "file", Refused(Refusal::NotSsh)),
    ("option with a longer name", "me@example.com namespaces2=\"file\" {K}", ME, "file", Refused(Refusal::CritUnknown)),
    ("options without a key", "me@example.com namespaces=\"file\"", ME, "file", Refused(Refusal::NotSsh)),
    ("type of another key", "me@example.com ecdsa-sha2-nistp256 {B}", ME, "file", Refused(Refusal::AlgMismatch)),
    ("a bad line before the good one", "me@example.com x {O}\nme@example.com {K}", ME, "file", Stricter(Refusal::CritUnknown)),
    ("control character in a comment", "me@example.com {K} a\u{1b}[2Jb", ME, "file", Stricter(Refusal::NotSsh)),
    ("vertical tab for a blank", "me@example.com\u{b}{K}", ME, "file", Refused(Refusal::NotSsh)),
];

fn filled(file: &str) -> String {
    let line =
        |key: &SecretKey| ssh::write_public(&key.public_key(), "").unwrap().trim_end().to_owned();
    let (key, other) = (secret(Algorithm::Ed25519), secret(Algorithm::P256));
    let base64 = line(&key).split_once(' ').unwrap().1.to_owned();
    file.replace("{K}", &line(&key)).replace("{O}", &line(&other)).replace("{B}", &base64)
}

#[test]
fn cases_have_their_answers() {
    let key = secret(Algorithm::Ed25519).public_key();
    for (name, file, principal, namespace, answer) in CASES {
        let answered = AllowedSigners::read(filled(file).as_bytes())
            .and_then(|allowed| allowed.check(principal, namespace, &key, NOW));
        match answer {
            Allowed => assert_eq!(answered, Ok(()), "{name}"),
            Refused(refusal) | Stricter(refusal) => {
                let error = answered.expect_err(name);
                assert_eq!(error.refusal(), *refusal, "{name}: {error}");
            }
        }
    }
}

#[test]
fn ssh_keygen_answers_the_same() {
    let Some(tool) = Tool::find("allowed signers in ssh-keygen") else { return };
    let key = secret(Algorithm::Ed25519);
    let (mut allowed_count, mut stricter) = (0, 0);
    for (name, file, principal, namespace, answer) in CASES {
        let hash = ssh::Hash::Sha512;
        let armored = ssh::sign(&key, namespace, hash, &hash.digest(b"message")).unwrap();
        tool.write("sig", armored.as_bytes());
        tool.write("allowed", filled(file).as_bytes());
        let mut args = vec!["-Y", "verify", "-f", "allowed", "-I", principal, "-n", namespace];
        args.extend(["-s", "sig", "-O", NOW_TEXT]);
        let output = tool.run(&args, b"message");
        let errors = String::from_utf8_lossy(&output.stderr);
        let expected = !matches!(answer, Refused(_));
        assert_eq!(output.status.success(), expected, "{name}: {errors}");
        allowed_count += usize::from(matches!(answer, Allowed));
        stricter += usize::from(matches!(answer, Stricter(_)));

        // One principal a line there, of the first line that fits.
        let find = ["-Y", "find-principals", "-s", "sig", "-f", "allowed", "-O", NOW_TEXT];
        let found = tool.run(&find, b"");
        if matches!(answer, Allowed) && !file.contains([',', '\n', '"']) {
            let ours = AllowedSigners::read(filled(file).as_bytes()).unwrap();
            let ours = ours.principals(&key.public_key(), namespace, NOW);
            let theirs = String::from_utf8(found.stdout).unwrap();
            assert_eq!(theirs.lines().collect::<Vec<_>>(), ours, "{name}");
        }
    }
    let count = CASES.len();
    println!("{count} cases: {allowed_count} allowed by both, {stricter} by ssh-keygen alone");
}

#[test]
fn principals_are_found() {
    let file = "a,b@* {K}\n!c,\"d\nx cert-authority {K}\ny {O}\n";
    assert!(AllowedSigners::read(filled(file).as_bytes()).is_err());
    let file = "a,b@* {K}\n\"!c,d e\" namespaces=\"git\" {K}\nx cert-authority {K}\ny {O}\n\
                z valid-before=\"20200101\" {K}\n";
    let allowed = AllowedSigners::read(filled(file).as_bytes()).unwrap();
    let key = secret(Algorithm::Ed25519).public_key();
    assert_eq!(allowed.principals(&key, "file", NOW), ["a", "b@*"]);
    assert_eq!(allowed.principals(&key, "git", NOW), ["a", "b@*", "!c", "d e"]);
    assert_eq!(allowed.principals(&key, "file", 0), ["a", "b@*", "z"]);
    assert!(allowed.principals(&secret(Algorithm::P384).public_key(), "file", NOW).is_empty());
}

#[test]
fn candidates_are_those_of_the_first_line_that_is_valid() {
    let file = "z valid-before=\"20200101\" {K}\nx cert-authority {K}\nb,c@* namespaces=\"git\" {K}\n\
                a {K}\n";
    let allowed = AllowedSigners::read(filled(file).as_bytes()).unwrap();
    let key = secret(Algorithm::Ed25519).public_key();
    assert_eq!(allowed.find_principals(&key, NOW).unwrap(), ["b", "c@*"]);
    assert_eq!(allowed.find_principals(&key, 0).unwrap(), ["z"]);
    let error = allowed.find_principals(&secret(Algorithm::P384).public_key(), NOW).unwrap_err();
    assert_eq!(error.refusal(), Refusal::PrincipalUnknown);
    let allowed = AllowedSigners::read(filled("\nz valid-before=\"20200101\" {K}\n").as_bytes());
    let error = allowed.unwrap().find_principals(&key, NOW).unwrap_err();
    assert_eq!(error.refusal(), Refusal::OutsideValidity);
    assert!(error.detail().starts_with("line 2: "), "{error}");
}

#[test]
fn errors_name_the_line() {
    let text = filled("# one\na {K}\n\nb namespaces=\"f\" ssh-ed25519 AAAA\n");
    let error = AllowedSigners::read(text.as_bytes()).unwrap_err();
    assert!(error.detail().starts_with("line 4: "), "{error}");
    let text = filled("# one\na namespaces=\"git\" {K}\n");
    let allowed = AllowedSigners::read(text.as_bytes()).unwrap();
    let error =
        allowed.check("a", "file", &secret(Algorithm::Ed25519).public_key(), NOW).unwrap_err();
    assert!(error.detail().starts_with("line 2: "), "{error}");
    assert!(allowed.check("", "git", &secret(Algorithm::Ed25519).public_key(), NOW).is_err());
}

#[test]
fn long_inputs_are_bounded() {
    let refusal = |text: &str| AllowedSigners::read(text.as_bytes()).unwrap_err().refusal();
    assert_eq!(refusal(&filled(&format!("{} {{K}}", "a".repeat(1023)))), Refusal::TooLarge);
    assert_eq!(
        refusal(&filled(&format!("a namespaces=\"{}\" {{K}}", "a".repeat(1023)))),
        Refusal::TooLarge
    );
    assert_eq!(refusal(&filled(&format!("a {{K}} {}", "a".repeat(9000)))), Refusal::TooLarge);
    assert_eq!(refusal(&"\n".repeat((1 << 24) + 1)), Refusal::TooLarge);
    // Backtracking from each star to all others would take longer than the age of the universe.
    let file = filled(&format!("{}b {{K}}", "*a".repeat(500)));
    let allowed = AllowedSigners::read(file.as_bytes()).unwrap();
    let key = secret(Algorithm::Ed25519).public_key();
    let refused = allowed.check(&"a".repeat(5000), "file", &key, NOW).unwrap_err();
    assert_eq!(refused.refusal(), Refusal::PrincipalUnknown);
}
