//! Every combination of options, and what each program answers.

use super::{BIN, KEYGEN, TYPES, command, has_tools, prepared, run, words};

/// Calls, with whether `m` is signed as they ask. `K` stands for the name of a key.
const CALLS: &[(&str, i32)] = &[
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.sig", 0),
    ("verify -n git -f DIR/allowed -I K@y -s DIR/K.sig -Overify-time=20240101", 0),
    ("verify -ngit -fDIR/allowed -IK@y -sDIR/K.sig", 0),
    ("verify -s DIR/K.sig -I K@x -f DIR/allowed -n git ''", 0),
    ("verify -n file -n git -f DIR/none -f DIR/allowed -I x -I K@x -s x -s DIR/K.sig", 0),
    ("verify -n file -f DIR/allowed -I K@x -s DIR/K.file", 0),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.file", 255),
    ("verify -n file -f DIR/allowed -I K@x -s DIR/K.sig", 255),
    ("verify -n git -f DIR/allowed -I K@z -s DIR/K.sig", 255),
    ("verify -n git -f DIR/allowed -I '' -s DIR/K.sig", 255),
    ("verify -n git -f DIR/allowed -I -x -s DIR/K.sig", 255),
    ("verify -n git -f DIR/none -I K@x -s DIR/K.sig", 255),
    ("verify -n git -f DIR -I K@x -s DIR/K.sig", 255),
    ("verify -n git -f DIR/empty -I K@x -s DIR/K.sig", 255),
    ("verify -n git -f DIR/garbage -I K@x -s DIR/K.sig", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/none", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/empty", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/garbage", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/huge", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/none.sig", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.pub", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.sig -Overify-time=", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.sig -Overify-time=2024", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.sig -Overify-time=20241301", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.sig -Overify-time=20240101+0Z", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.sig -Ohashalg=sha512", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.sig -O verify-time", 255),
    ("verify -n git -f DIR/K.limits -I K@x -s DIR/K.sig -O verify-time=20240101Z", 0),
    ("verify -n git -f DIR/K.limits -I K@x -s DIR/K.sig -O VERIFY-TIME=20240101Z", 0),
    ("verify -n git -f DIR/K.limits -I K@x -s DIR/K.sig -Overify-time=202412312359z", 0),
    ("verify -n git -f DIR/K.limits -I K@x -s DIR/K.sig -Overify-time=20250101000000Z", 0),
    ("verify -n git -f DIR/K.limits -I K@x -s DIR/K.sig -Overify-time=20250101000001Z", 255),
    ("verify -n git -f DIR/K.limits -I K@x -s DIR/K.sig -Overify-time=20231231235959Z", 255),
    (
        "verify -n git -f DIR/K.limits -I K@x -s DIR/K.sig -Overify-time=1Z -Overify-time=20240101Z",
        255,
    ),
    ("verify -n file -f DIR/K.limits -I K@x -s DIR/K.file -Overify-time=20240101Z", 255),
    ("verify -n git -f DIR/K.limits -I K@x -s DIR/K.sig", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.sig -r DIR/empty", 0),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.sig -r DIR/K.pub", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.sig -r DIR/none", 255),
    ("verify -n git -f DIR/allowed -I K@x -s DIR/K.sig -r DIR/garbage", 255),
    ("verify -n git -f DIR/allowed -I K@x", 1),
    ("verify -n git -f DIR/allowed -s DIR/K.sig", 1),
    ("verify -n git -I K@x -s DIR/K.sig", 1),
    ("verify -f DIR/allowed -I K@x -s DIR/K.sig", 1),
    ("verify -n '' -f DIR/allowed -I K@x -s DIR/K.sig", 1),
    ("verify -n git -f DIR/allowed -I K@x -s", 1),
    ("verify -1 -n git -f DIR/allowed -I K@x -s DIR/K.sig", 1),
    ("find-principals -f DIR/allowed -s DIR/K.sig", 0),
    ("find-principals -f DIR/allowed -s DIR/K.file ''", 0),
    ("find-principals -f DIR/allowed -s DIR/K.sig -Overify-time=20240101000000", 0),
    ("find-principals -f DIR/K.limits -s DIR/K.file -Overify-time=20240101000000Z", 0),
    ("find-principals -f DIR/K.limits -s DIR/K.sig -Overify-time=20230101Z", 255),
    ("find-principals -f DIR/K.limits -s DIR/K.sig", 255),
    ("find-principals -f DIR/none -s DIR/K.sig", 255),
    ("find-principals -f DIR/empty -s DIR/K.sig", 255),
    ("find-principals -f DIR/allowed -s DIR/none", 255),
    ("find-principals -f DIR/allowed -s DIR/empty", 255),
    ("find-principals -f DIR/allowed -s DIR/huge", 255),
    ("find-principals -f DIR/allowed -s DIR/K.sig -Ox", 255),
    ("find-principals -f DIR/allowed", 1),
    ("find-principals -s DIR/K.sig", 1),
    ("check-novalidate -n git -s DIR/K.sig", 0),
    ("check-novalidate -n git -s DIR/K.sig -Overify-time=19700102000000", 0),
    ("check-novalidate -n git -s DIR/K.file", 255),
    ("check-novalidate -n file -s DIR/K.file", 0),
    ("check-novalidate -n git -s DIR/none", 255),
    ("check-novalidate -n git -s DIR/empty", 255),
    ("check-novalidate -n git -s DIR/none.sig", 255),
    ("check-novalidate -n git -s DIR/K.sig -Overify-time=x", 255),
    ("check-novalidate -n git", 1),
    ("check-novalidate -s DIR/K.sig", 1),
    ("sign -n git -f DIR/K", 0),
    ("sign -n git -f DIR/K.pub -", 0),
    ("sign -n git -f DIR/K -O hashalg=sha256", 0),
    ("sign -n git -f DIR/K -O hashalg=sha1", 255),
    ("sign -n git -f DIR/K -O x", 255),
    ("sign -n git -f DIR/K - DIR/m", 255),
    ("sign -n git -f DIR/K DIR/none", 255),
    ("sign -n git -f DIR/none -", 255),
    ("sign -n git -f DIR/garbage -", 255),
    ("sign -n git -f DIR/empty -", 255),
    ("sign -n git -U -f DIR/K.pub DIR/m", 255),
    ("sign -f DIR/K DIR/m", 1),
    ("sign -n git DIR/m", 1),
    ("sign -n '' -f DIR/K DIR/m", 1),
    ("other", 1),
];

#[test]
fn each_call_is_answered_as_ssh_keygen_answers_it() {
    if !has_tools() {
        return;
    }
    let folder = prepared();
    let dir = folder.path("m").parent().expect("a folder").to_owned();
    let mut compared = 0;
    for (name, _) in TYPES {
        for (line, wanted) in CALLS {
            let line = format!("-Y {}", line.replace('K', name));
            let args = words(&dir, &line);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let reads = line.contains("verify -") || line.contains("novalidate");
            // another message turns a good answer of these calls into a bad one
            let messages: &[&[u8]] = match reads && *wanted == 0 {
                true => &[b"message", b"massage", b""],
                false => &[b"message"],
            };
            for message in messages {
                let [theirs, ours] = [KEYGEN, BIN]
                    .map(|program| run(command(program).args(&args).env("TZ", "UTC"), message));
                let is_signed = message == b"message";
                let wanted = if is_signed { *wanted } else { 255 };
                assert_eq!(theirs.0, wanted, "ssh-keygen {line}: {theirs:?}");
                assert_eq!(ours.0, wanted, "{line}: {ours:?}");
                if line.contains("sign ") && !name.starts_with("ed") && wanted == 0 {
                    // OpenSSH signs ECDSA at random
                    assert_eq!(ours.1.lines().next(), theirs.1.lines().next(), "{line}");
                } else {
                    assert_eq!(ours.1, theirs.1, "{line}");
                }
                assert!(wanted == 0 || !ours.2.is_empty(), "{line}: no message");
                assert!(!ours.2.contains("usage:") && !ours.2.contains("internal"), "{}", ours.2);
                compared += 1;
            }
        }
    }
    println!("{compared} calls were compared");
    assert!(compared > 3 * CALLS.len());
}
