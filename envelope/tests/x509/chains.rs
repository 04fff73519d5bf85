//! Chains that hold, and others.

use super::*;

#[test]
fn openssl_gives_the_same_verdicts() {
    if !has_openssl("openssl_gives_the_same_verdicts") {
        return;
    }
    let f = chains();
    // roots of the same names and other keys
    f.issue_as("apple-root2", "apple-root", "P-384", "apple-root2", "sha384", CA);
    f.issue("other-root", "ed25519", "other-root", "", CA);
    f.damage("apple-bit", "apple", 1);
    f.damage("apple-ca-bit", "apple-ca", 1);
    f.damage("ed-bit", "ed", 1);
    // inside the signed part: the last byte of the last extension
    let der = f.der("apple");
    let nonce = der.windows(4).position(|w| w == [4, 1, 0x0a, 0x30]).unwrap();
    f.damage("apple-tbs-bit", "apple", der.len() - nonce - 2);
    f.issue("below-zero-ca", "P-384", "apple-ca", "sha384", CA);
    f.issue("below-zero", "P-256", "below-zero-ca", "sha256", LEAF);
    f.issue("by-leaf", "ed25519", "ed", "", LEAF);
    f.issue(
        "no-sign-ca",
        "ed25519",
        "ed-root",
        "",
        "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,cRLSign\n",
    );
    f.issue("no-sign", "ed25519", "no-sign-ca", "", LEAF);
    f.issue("not-said-ca", "ed25519", "ed-root", "", "keyUsage=critical,keyCertSign\n");
    f.issue("not-said", "ed25519", "not-said-ca", "", LEAF);
    f.issue(
        "names-ca",
        "P-256",
        "apple-root",
        "sha384",
        &format!(
            "{CA}nameConstraints=critical,permitted;DNS:example.com,excluded;DNS:bad.example.com\n"
        ),
    );
    for (name, dns) in [
        ("inside", "www.example.com"),
        ("outside", "example.org"),
        ("excluded", "x.bad.example.com"),
    ] {
        f.issue(name, "P-256", "names-ca", "sha512", &format!("{LEAF}subjectAltName=DNS:{dns}\n"));
    }
    f.issue("critical", "ed25519", "ed-ca", "", &format!("{LEAF}1.2.3.4=critical,DER:0500\n"));
    f.issue("critical-ca", "ed25519", "ed-root", "", &format!("{CA}1.2.3.4=critical,DER:0500\n"));
    f.issue("below-critical", "ed25519", "critical-ca", "", LEAF);
    f.issue("code", "ed25519", "ed-ca", "", &format!("{LEAF}extendedKeyUsage=codeSigning\n"));
    // every curve with every hash function
    f.issue("mix-root", "P-256", "mix-root", "sha512", CA);
    f.issue("mix-ca1", "P-384", "mix-root", "sha384", CA);
    f.issue("mix-ca2", "P-384", "mix-ca1", "sha512", CA);
    f.issue("mix-ca3", "P-256", "mix-ca2", "sha256", CA);
    f.issue("mix", "ed25519", "mix-ca3", "sha256", LEAF);
    f.issue("rsa-root", "rsa", "rsa-root", "sha256", CA);
    f.issue("by-rsa", "P-256", "rsa-root", "sha256", LEAF);
    f.issue("rsa-leaf", "rsa", "ed-ca", "", LEAF);
    f.issue("by-sha224", "P-256", "apple-root", "sha224", LEAF);
    f.issue("ca1", "ed25519", "ed-root", "", CA);
    for i in 2..8 {
        f.issue(&format!("ca{i}"), "ed25519", &format!("ca{}", i - 1), "", CA);
    }
    f.issue("by-six", "ed25519", "ca6", "", LEAF);
    f.issue("by-seven", "ed25519", "ca7", "", LEAF);

    use Refusal::*;
    const NOW: u64 = DAY;
    type Row<'a> = (&'a str, &'a [&'a str], &'a [&'a str], u64, Option<Refusal>, bool);
    // seconds since yesterday; our refusal; whether OpenSSL accepts
    let table: &[Row] = &[
        ("App Attest", &["apple", "apple-ca"], &["apple-root"], NOW, None, true),
        ("its root beside", &["apple", "apple-ca", "apple-root"], &["apple-root"], NOW, None, true),
        (
            "among others",
            &["apple", "ed-ca", "apple-ca"],
            &["ed-root", "apple-root"],
            NOW,
            None,
            true,
        ),
        (
            "Key Attestation",
            &["android", "android-ca2", "android-ca1"],
            &["android-root"],
            NOW,
            None,
            true,
        ),
        (
            "in another order",
            &["android", "android-ca1", "android-ca2"],
            &["android-root"],
            NOW,
            None,
            true,
        ),
        ("an intermediate is the root", &["apple"], &["apple-root", "apple-ca"], NOW, None, true),
        ("Ed25519", &["ed", "ed-ca"], &["ed-root"], NOW, None, true),
        ("mixed", &["mix", "mix-ca3", "mix-ca2", "mix-ca1"], &["mix-root"], NOW, None, true),
        ("name inside", &["inside", "names-ca"], &["apple-root"], NOW, None, true),
        ("another purpose", &["code", "ed-ca"], &["ed-root"], NOW, None, true),
        (
            "six intermediates",
            &["by-six", "ca1", "ca2", "ca3", "ca4", "ca5", "ca6"],
            &["ed-root"],
            NOW,
            None,
            true,
        ),
        ("last day", &["apple", "apple-ca"], &["apple-root"], NOW + 29 * DAY, None, true),
        (
            "expired",
            &["apple", "apple-ca"],
            &["apple-root"],
            NOW + 31 * DAY,
            Some(OutsideValidity),
            false,
        ),
        ("not yet valid", &["apple", "apple-ca"], &["apple-root"], 0, Some(OutsideValidity), false),
        ("no intermediate", &["apple"], &["apple-root"], NOW, Some(KeyUnknown), false),
        ("other root", &["apple", "apple-ca"], &["ed-root"], NOW, Some(KeyUnknown), false),
        (
            "no root but its own",
            &["apple", "apple-ca", "apple-root"],
            &["ed-root"],
            NOW,
            Some(KeyUnknown),
            false,
        ),
        (
            "middle missing",
            &["android", "android-ca2"],
            &["android-root"],
            NOW,
            Some(KeyUnknown),
            false,
        ),
        (
            "root of the same name",
            &["apple", "apple-ca"],
            &["apple-root2"],
            NOW,
            Some(BadChain),
            false,
        ),
        (
            "bit in the leaf's signature",
            &["apple-bit", "apple-ca"],
            &["apple-root"],
            NOW,
            Some(BadChain),
            false,
        ),
        (
            "bit in the leaf",
            &["apple-tbs-bit", "apple-ca"],
            &["apple-root"],
            NOW,
            Some(BadChain),
            false,
        ),
        (
            "bit in the intermediate",
            &["apple", "apple-ca-bit"],
            &["apple-root"],
            NOW,
            Some(BadChain),
            false,
        ),
        ("bit in Ed25519", &["ed-bit", "ed-ca"], &["ed-root"], NOW, Some(BadChain), false),
        (
            "path length",
            &["below-zero", "below-zero-ca", "apple-ca"],
            &["apple-root"],
            NOW,
            Some(BadChain),
            false,
        ),
        ("issued by a leaf", &["by-leaf", "ed", "ed-ca"], &["ed-root"], NOW, Some(BadChain), false),
        (
            "may not sign certificates",
            &["no-sign", "no-sign-ca"],
            &["ed-root"],
            NOW,
            Some(BadChain),
            false,
        ),
        (
            "does not say it is a CA",
            &["not-said", "not-said-ca"],
            &["ed-root"],
            NOW,
            Some(BadChain),
            false,
        ),
        ("name outside", &["outside", "names-ca"], &["apple-root"], NOW, Some(BadChain), false),
        ("name excluded", &["excluded", "names-ca"], &["apple-root"], NOW, Some(BadChain), false),
        (
            "critical in the leaf",
            &["critical", "ed-ca"],
            &["ed-root"],
            NOW,
            Some(CritUnknown),
            false,
        ),
        (
            "critical in the intermediate",
            &["below-critical", "critical-ca"],
            &["ed-root"],
            NOW,
            Some(CritUnknown),
            false,
        ),
        // refused here, accepted by OpenSSL
        ("a CA as the leaf", &["apple-ca"], &["apple-root"], NOW, Some(BadChain), true),
        ("the root as the leaf", &["ed-root"], &["ed-root"], NOW, Some(BadChain), true),
        ("signed with RSA", &["by-rsa"], &["rsa-root"], NOW, Some(AlgUnknown), true),
        ("a leaf of RSA", &["rsa-leaf", "ed-ca"], &["ed-root"], NOW, Some(AlgUnknown), true),
        ("SHA-224", &["by-sha224"], &["apple-root"], NOW, Some(AlgUnknown), true),
        (
            "seven intermediates",
            &["by-seven", "ca1", "ca2", "ca3", "ca4", "ca5", "ca6", "ca7"],
            &["ed-root"],
            NOW,
            Some(TooDeep),
            true,
        ),
    ];
    let yesterday = now() - DAY;
    for &(name, chain, roots, time, refusal, openssl) in table {
        let outcome = f.ours(chain, roots, yesterday + time);
        println!(
            "{name}: {}",
            outcome.as_ref().err().map_or("holds".to_owned(), ToString::to_string)
        );
        assert_eq!(outcome.as_ref().err().map(|error| error.refusal()), refusal, "{name}");
        assert_eq!(f.openssl(chain, roots, yesterday + time), openssl, "openssl: {name}");
        if let Ok(found) = outcome {
            assert_eq!(found.leaf().der(), f.der(chain[0]), "{name}");
            assert_eq!(*found.key(), found.leaf().key().unwrap());
        }
    }

    let messages = [
        (
            f.ours(&["apple"], &["apple-root"], now()),
            "no root is the issuer `CN=apple-ca,O=Test`; 1 roots were given",
        ),
        (
            f.ours(&["apple", "apple-ca-bit"], &["apple-root"], now()),
            "the signature of certificate 1 (`CN=apple-ca,O=Test`) is not valid",
        ),
        (
            f.ours(&["by-leaf", "ed", "ed-ca"], &["ed-root"], now()),
            "certificate 1 (`CN=ed,O=Test`) issues, and is no CA's or may not sign certificates",
        ),
        (
            f.ours(&["below-critical", "critical-ca"], &["ed-root"], now()),
            "certificate 1 (`CN=critical-ca,O=Test`) has the critical extension 1.2.3.4, which is not understood",
        ),
        (
            f.ours(&["by-rsa"], &["rsa-root"], now()),
            "certificate 0 (`CN=by-rsa,O=Test`) is signed with RSA with SHA-256 (1.2.840.113549.1.1.11); ECDSA with SHA-256, SHA-384 and SHA-512, and Ed25519, are supported",
        ),
    ];
    for (outcome, words) in messages {
        assert_eq!(outcome.unwrap_err().detail(), words);
    }
}

#[test]
fn paths_say_where_they_went() {
    if !has_openssl("paths_say_where_they_went") {
        return;
    }
    let f = chains();
    let file = |names: &[&str]| -> Vec<u8> {
        names.iter().flat_map(|n| f.read(&format!("{n}.pem"))).collect()
    };
    let chain = file(&["android", "ed-ca", "android-ca1", "android-ca2"]);
    let roots = [file(&["ed-root", "apple-root"]), f.der("android-root")];
    let found = x509::verify_chain(&[chain], &roots, now(), &STRICT).unwrap();
    assert_eq!(found.root(), 2);
    let names: Vec<_> = found.intermediates().iter().map(Certificate::subject).collect();
    assert_eq!(names, ["CN=android-ca2,O=Test", "CN=android-ca1,O=Test"]);
    assert_eq!(*found.key(), f.public("android", Algorithm::P256));

    let none: [&[u8]; 0] = [];
    let ed = file(&["ed", "ed-ca"]);
    let refusal = |outcome: Result<Chain>| outcome.unwrap_err().refusal();
    assert_eq!(refusal(x509::verify_chain(&none, &roots, now(), &STRICT)), Refusal::NotX509);
    assert_eq!(refusal(x509::verify_chain(&[&ed], &none, now(), &STRICT)), Refusal::KeyUnknown);
    let many = file(&["ed"]).repeat(33);
    assert_eq!(refusal(x509::verify_chain(&[many], &roots, now(), &STRICT)), Refusal::TooLarge);
    assert_eq!(
        refusal(x509::verify_chain(&[&ed], &roots, u64::MAX, &STRICT)),
        Refusal::OutsideValidity
    );
    assert_eq!(refusal(x509::verify_chain(&[&ed], &roots, 0, &STRICT)), Refusal::OutsideValidity);
}

#[test]
fn changed_certificates_never_hold() {
    if !has_openssl("changed_certificates_never_hold") {
        return;
    }
    let f = chains();
    let roots = [f.der("ed-root"), f.der("android-ca2")];
    let intermediate = f.der("ed-ca");
    let holds = |chain: &[&[u8]]| x509::verify_chain(chain, &roots, now(), &STRICT).is_ok();
    for (good, others) in [(f.der("ed"), &[&intermediate[..]][..]), (f.der("android"), &[])] {
        let chain = |leaf: &[u8]| holds(&[&[leaf], others].concat());
        assert!(chain(&good));
        for at in 0..good.len() {
            assert!(!chain(&good[..at]), "{at} bytes");
            let mut changed = good.clone();
            changed[at] ^= 1 << (at % 8);
            assert!(!chain(&changed), "byte {at}");
        }
    }
    let leaf = f.der("ed");
    for at in 0..intermediate.len() {
        let mut changed = intermediate.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(!holds(&[&leaf, &changed]), "byte {at} of the intermediate");
    }
}

#[test]
fn roots_are_trusted_as_they_are() {
    if !has_openssl("roots_are_trusted_as_they_are") {
        return;
    }
    let f = chains();
    // neither the signature of a root on itself nor its validity counts
    f.damage("ed-root-bit", "ed-root", 1);
    assert!(f.ours(&["ed", "ed-ca"], &["ed-root-bit"], now()).is_ok());
    // but its name constraints do
    let constraint = format!("{CA}nameConstraints=critical,permitted;DNS:example.com\n");
    f.issue("names-root", "ed25519", "names-root", "", &constraint);
    f.issue("out", "ed25519", "names-root", "", &format!("{LEAF}subjectAltName=DNS:example.org\n"));
    let error = f.ours(&["out"], &["names-root"], now()).unwrap_err();
    assert_eq!(error.refusal(), Refusal::BadChain);
    assert!(!f.openssl(&["out"], &["names-root"], now()));
}

#[test]
fn many_issuers_of_one_name_take_bounded_time() {
    if !has_openssl("many_issuers_of_one_name_take_bounded_time") {
        return;
    }
    let f = Folder::new();
    let names: Vec<String> = (0..31).map(|i| format!("ca{i}")).collect();
    for name in &names {
        f.issue_as(name, "x", "ed25519", name, "", CA);
    }
    f.issue_as("leaf", "leaf", "ed25519", "ca0", "", LEAF);
    let file = |names: &[&str]| -> Vec<u8> {
        names.iter().flat_map(|name| f.read(&format!("{name}.pem"))).collect()
    };
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let chain = [file(&["leaf"]), file(&all)];
    f.issue_as("other", "y", "ed25519", "other", "", CA);
    f.issue_as("wrong", "x", "ed25519", "wrong", "", CA);
    for root in ["other", "wrong"] {
        let start = std::time::Instant::now();
        let refused = x509::verify_chain(&chain, &[file(&[root])], now(), &STRICT).unwrap_err();
        println!("{root}: {refused} after {:?}", start.elapsed());
        assert_eq!(refused.refusal(), Refusal::TooLarge, "{refused}");
        // 31^6 paths would take days
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    }
    assert!(x509::verify_chain(&chain, &[file(&["ca0"])], now(), &STRICT).is_ok());
}
