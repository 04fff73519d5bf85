//! Certificates and chains, from outside. OpenSSL makes them and gives its own verdict.

mod chains;
mod files;

use sigmill::bulk::Algorithm;
use sigmill::ed25519::rules::STRICT;
use sigmill::{ecdsa, ed25519};
use sigmill_envelope::x509::{self, Certificate, Chain};
use sigmill_envelope::{Key, Refusal, Result};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// Whether there is an OpenSSL; says so if there is none.
fn has_openssl(test: &str) -> bool {
    let found =
        Command::new("openssl").arg("version").output().is_ok_and(|out| out.status.success());
    if !found {
        println!("not run here: {test} (no openssl)");
    }
    found
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

const CA: &str = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n";
const LEAF: &str = "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n";

/// A folder in which OpenSSL makes keys and certificates, each by a name that is its subject, too.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let config = self.path("empty.cnf");
        fs::write(&config, "[req]\ndistinguished_name=dn\n[dn]\n").unwrap();
        Command::new("openssl")
            .args(arguments)
            .env("OPENSSL_CONF", config)
            .current_dir(self.0.path())
            .output()
            .unwrap()
    }

    fn must(&self, arguments: &[&str]) {
        let out = self.run(arguments);
        assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    }

    /// A key `NAME.key`: of a curve, `ed25519` or `rsa`.
    fn key(&self, name: &str, kind: &str) {
        let out = format!("{name}.key");
        let curve = format!("ec_paramgen_curve:{kind}");
        let arguments: &[&str] = match kind {
            "ed25519" => &["-algorithm", "ed25519"],
            "ed448" => &["-algorithm", "ed448"],
            "rsa" => &["-algorithm", "rsa", "-pkeyopt", "rsa_keygen_bits:2048"],
            _ => &["-algorithm", "ec", "-pkeyopt", &curve],
        };
        self.must(&[&["genpkey", "-out", &out], arguments].concat());
    }

    /// A certificate `NAME.pem` over a new key, by an issuer, or by itself. Its subject is CN=SUBJECT.
    fn issue_as(
        &self,
        name: &str,
        subject: &str,
        kind: &str,
        issuer: &str,
        hash: &str,
        extensions: &str,
    ) {
        self.key(name, kind);
        let (key, csr, pem) = (format!("{name}.key"), format!("{name}.csr"), format!("{name}.pem"));
        // none for Ed25519, which has its own
        let hash = format!("-{hash}");
        self.must(&[
            "req",
            "-new",
            "-key",
            &key,
            "-subj",
            &format!("/O=Test/CN={subject}"),
            "-out",
            &csr,
        ]);
        fs::write(self.path("extensions"), extensions).unwrap();
        let mut arguments = vec!["x509", "-req", "-in", &csr, "-days", "30", "-out", &pem];
        arguments.extend(["-extfile", "extensions", "-set_serial", "0x1234"]);
        if hash != "-" {
            arguments.push(&hash);
        }
        let (ca, ca_key) = (format!("{issuer}.pem"), format!("{issuer}.key"));
        if issuer == name {
            arguments.extend(["-signkey", &key]);
        } else {
            arguments.extend(["-CA", &ca, "-CAkey", &ca_key]);
        }
        self.must(&arguments);
    }

    fn issue(&self, name: &str, kind: &str, issuer: &str, hash: &str, extensions: &str) {
        self.issue_as(name, name, kind, issuer, hash, extensions);
    }

    fn der(&self, name: &str) -> Vec<u8> {
        let (pem, der) = (format!("{name}.pem"), format!("{name}.der"));
        self.must(&["x509", "-in", &pem, "-outform", "der", "-out", &der]);
        self.read(&der)
    }

    /// The public key as OpenSSL writes it, read by the library itself.
    fn public(&self, name: &str, algorithm: Algorithm) -> Key {
        let (key, out) = (format!("{name}.key"), format!("{name}.spki"));
        self.must(&["pkey", "-in", &key, "-pubout", "-out", &out]);
        let text = String::from_utf8(self.read(&out)).unwrap();
        let bytes = match algorithm {
            Algorithm::P256 => ecdsa::p256::VerifyingKey::bytes_from_spki_pem(&text).unwrap(),
            Algorithm::P384 => ecdsa::p384::VerifyingKey::bytes_from_spki_pem(&text).unwrap(),
            _ => ed25519::VerifyingKey::bytes_from_spki_pem(&text).unwrap().to_vec(),
        };
        Key::new(algorithm, &bytes).unwrap()
    }

    /// The verdict of OpenSSL.
    fn openssl(&self, chain: &[&str], roots: &[&str], time: u64) -> bool {
        let join = |names: &[&str]| {
            names.iter().flat_map(|n| self.read(&format!("{n}.pem"))).collect::<Vec<_>>()
        };
        let (leaf, others) = chain.split_first().unwrap();
        fs::write(self.path("untrusted"), join(others)).unwrap();
        fs::write(self.path("trusted"), join(roots)).unwrap();
        let (leaf, time) = (format!("{leaf}.pem"), time.to_string());
        let mut arguments =
            vec!["verify", "-attime", &time, "-no-CApath", "-no-CAstore", "-CAfile", "trusted"];
        if !others.is_empty() {
            arguments.extend(["-untrusted", "untrusted"]);
        }
        arguments.push(&leaf);
        self.run(&arguments).status.success()
    }

    fn ours(&self, chain: &[&str], roots: &[&str], time: u64) -> Result<Chain> {
        let files = |names: &[&str]| -> Vec<_> {
            names.iter().map(|n| self.read(&format!("{n}.pem"))).collect()
        };
        x509::verify_chain(&files(chain), &files(roots), time, &STRICT)
    }

    /// A copy of a certificate with one bit changed, that many bytes from the end.
    fn damage(&self, name: &str, from: &str, back: usize) {
        let mut der = self.der(from);
        let at = der.len() - back;
        der[at] ^= 1;
        fs::write(self.path("damaged"), der).unwrap();
        self.must(&["x509", "-inform", "der", "-in", "damaged", "-out", &format!("{name}.pem")]);
    }
}

/// Apple App Attest: P-384, P-384, P-256. Android Key Attestation: P-384, two of P-384, P-256. And one of Ed25519.
fn chains() -> Folder {
    let f = Folder::new();
    f.issue("apple-root", "P-384", "apple-root", "sha384", CA);
    let zero =
        "basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign,cRLSign\n";
    f.issue("apple-ca", "P-384", "apple-root", "sha384", zero);
    // the nonce of App Attest
    let apple = format!("{LEAF}1.2.840.113635.100.8.2=DER:3005a10304010a\n");
    f.issue("apple", "P-256", "apple-ca", "sha256", &apple);

    f.issue("android-root", "P-384", "android-root", "sha384", CA);
    f.issue("android-ca1", "P-384", "android-root", "sha384", CA);
    f.issue("android-ca2", "P-384", "android-ca1", "sha256", CA);
    // the attestation, which no verifier of chains knows
    let android = "keyUsage=critical,digitalSignature\n1.3.6.1.4.1.11129.2.1.17=DER:3003020104\n";
    f.issue("android", "P-256", "android-ca2", "sha256", android);

    f.issue("ed-root", "ed25519", "ed-root", "", CA);
    f.issue("ed-ca", "ed25519", "ed-root", "", CA);
    f.issue("ed", "ed25519", "ed-ca", "", LEAF);
    f
}
