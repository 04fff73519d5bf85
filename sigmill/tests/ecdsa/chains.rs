//! Signatures of real certificates: the roots that this machine trusts, and a chain like that of Apple's
//! App Attest, which the program openssl makes: a root and an intermediate on P-384, a leaf on P-256, whose
//! key signs the hash of a nonce. `examples/certificates.rs` does the reading and verifying.

use crate::certificates::{Signed, bundle, read};
use sha2::{Digest, Sha256};
use sigmill::ecdsa::{LowS, p256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The signature is one, and with any of its bytes changed, with a byte more or less, or with another
/// message it is none.
fn accepts_this_alone(message: &[u8], der: &[u8], accepts: impl Fn(&[u8], &[u8]) -> bool) {
    assert!(accepts(message, der));
    for at in 0..der.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut changed = der.to_vec();
            changed[at] ^= change;
            assert!(!accepts(message, &changed), "byte {at} xor {change:#x} of {der:02x?}");
        }
    }
    assert!(!accepts(message, &der[..der.len() - 1]) && !accepts(message, &[der, &[0]].concat()));
    for at in [0, message.len() / 2, message.len() - 1] {
        let mut changed = message.to_vec();
        changed[at] ^= 1;
        assert!(!accepts(&changed, der), "byte {at} of the message");
    }
}

fn check(signed: &Signed) {
    println!("{}: {}", signed.kind(), signed.subject);
    accepts_this_alone(&signed.message, &signed.signature, |m, s| signed.accepts(m, s));
}

#[test]
fn roots_of_this_machine_have_signed_themselves() {
    let Some(path) = bundle() else {
        eprintln!("not run here: signatures of roots (this machine has no bundle of certificates)");
        return;
    };
    let pem = fs::read(path).expect("a readable bundle");
    let roots = read(&pem).expect("a bundle of certificates");
    assert_eq!(roots.all, pem.windows(10).filter(|window| window == b"-----BEGIN").count());
    assert_eq!(roots.without_issuer, [""; 0], "no roots");
    for root in &roots.signed {
        check(root);
    }
    // each bundle has had both curves for ten years
    for kind in ["P-256 with Sha256", "P-384 with Sha384"] {
        assert!(roots.signed.iter().any(|root| root.kind() == kind), "{path} has no {kind}");
    }
    println!("{path}: {} of {} roots", roots.signed.len(), roots.all);
}

/// A folder of this test's own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for files");
        Folder(path)
    }

    fn openssl(&self, args: &str) {
        let mut command = Command::new("openssl");
        command.args(args.split_whitespace()).current_dir(&self.0);
        let output = command.output().expect("this test needs the program openssl");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "openssl {args}: {message}");
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), bytes).expect("a file is written");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).expect("a file is read")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_chain_like_that_of_an_attested_key() {
    let folder = Folder::new("attested_key");
    let client_data = Sha256::digest(b"challenge of the server");
    let nonce = Sha256::digest([&b"authenticator data"[..], &client_data].concat());
    let hex: String = nonce.iter().map(|byte| format!("{byte:02x}")).collect();
    folder.write("ca.cnf", "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n");
    // where Apple has it: a SEQUENCE of [1] of an OCTET STRING with the nonce
    folder.write("leaf.cnf", format!("1.2.840.113635.100.8.2=DER:3024a1220420{hex}\n"));
    for (name, curve) in [("root", "P-384"), ("intermediate", "P-384"), ("leaf", "P-256")] {
        folder.openssl(&format!(
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:{curve} -out {name}.key"
        ));
        folder.openssl(&format!("req -new -key {name}.key -subj /CN={name} -out {name}.csr"));
    }
    let sign = "x509 -req -days 30 -set_serial 7";
    folder.openssl(&format!(
        "{sign} -in root.csr -signkey root.key -sha384 -extfile ca.cnf -out root.pem"
    ));
    folder.openssl(&format!(
        "{sign} -in intermediate.csr -CA root.pem -CAkey root.key -sha384 -extfile ca.cnf \
         -out intermediate.pem"
    ));
    folder.openssl(&format!(
        "{sign} -in leaf.csr -CA intermediate.pem -CAkey intermediate.key -sha256 \
         -extfile leaf.cnf -out leaf.pem"
    ));
    let files = ["leaf.pem", "intermediate.pem", "root.pem"].map(|name| folder.read(name));
    let chain = read(&files.concat()).expect("certificates");
    assert_eq!((chain.all, chain.signed.len(), chain.without_issuer.len()), (3, 3, 0));
    let kinds = chain.signed.iter().map(Signed::kind).collect::<Vec<_>>();
    assert_eq!(kinds, ["P-384 with Sha256", "P-384 with Sha384", "P-384 with Sha384"]);
    for signed in &chain.signed {
        check(signed);
    }
    let leaf = &chain.signed[0];
    assert!(leaf.message.windows(nonce.len()).any(|window| *window == *nonce), "the extension");
    // a chain without its end, and one from another root of the same name
    let open = read(&files[..2].concat()).expect("certificates");
    assert_eq!(open.without_issuer, ["CN=intermediate"]);
    folder.openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out other.key");
    folder.openssl("req -x509 -new -key other.key -sha384 -subj /CN=root -days 30 -out other.pem");
    let other = read(&[&files[0][..], &files[1], &folder.read("other.pem")].concat()).unwrap();
    let accepted =
        other.signed.iter().map(|signed| signed.accepts(&signed.message, &signed.signature));
    assert_eq!(accepted.collect::<Vec<_>>(), [true, false, true]);
    // what the attested key signs afterwards: SHA-256 of the nonce of an assertion
    folder.write("nonce", nonce);
    folder.openssl("dgst -sha256 -sign leaf.key -out assertion nonce");
    folder.openssl("x509 -in leaf.pem -noout -pubkey -out leaf.pub");
    folder.openssl("pkey -pubin -in leaf.pub -outform DER -out leaf.spki");
    let key = p256::VerifyingKey::from_spki_der(&folder.read("leaf.spki")).expect("a key on P-256");
    accepts_this_alone(&nonce, &folder.read("assertion"), |message, der| {
        let signature = p256::Signature::from_der(der);
        signature.is_ok_and(|it| key.verify_with(LowS::Any, message, &it).is_valid())
    });
}
