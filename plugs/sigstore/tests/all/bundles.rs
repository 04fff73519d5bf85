use crate::install;
use serde_json::Value;
use sigstore_trust_root::{SIGSTORE_PRODUCTION_TRUSTED_ROOT, TrustedRoot};
use sigstore_types::DerPublicKey;
use sigstore_verify::types::Bundle;
use sigstore_verify::{PublicKeyVerificationPolicy, VerificationPolicy, verify};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The folder of data in the package of sigstore-verify. `None`: it is not here, and the test says so.
fn data() -> Option<PathBuf> {
    // packages of other platforms need not be here
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", host, "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .unwrap();
    let found = serde_json::from_slice::<Value>(&output.stdout).ok().and_then(|metadata| {
        let packages = metadata["packages"].as_array()?;
        let package = packages.iter().find(|package| package["name"] == "sigstore-verify")?;
        let folder = PathBuf::from(package["manifest_path"].as_str()?).with_file_name("test_data");
        folder.is_dir().then_some(folder)
    });
    if found.is_none() {
        println!("not run here: sigstore bundles (sigstore-verify's package is not unpacked here)");
    }
    found
}

fn root() -> TrustedRoot {
    TrustedRoot::from_json(SIGSTORE_PRODUCTION_TRUSTED_ROOT).unwrap()
}

/// A text with the byte in the middle of a value in base64 changed.
fn changed(bundle: &Value, path: &str) -> Bundle {
    let mut bundle = bundle.clone();
    let value = bundle.pointer_mut(path).unwrap_or_else(|| panic!("no {path}"));
    let mut text = value.as_str().unwrap().as_bytes().to_vec();
    let middle = text.len() / 2;
    text[middle] = if text[middle] == b'A' { b'B' } else { b'A' };
    *value = String::from_utf8(text).unwrap().into();
    Bundle::from_json(&bundle.to_string()).unwrap()
}

/// A certificate of Fulcio, with a chain on P-384, and the log's key on P-256.
#[test]
fn a_bundle_with_a_certificate() {
    let Some(data) = data() else { return };
    install();
    let text = fs::read_to_string(data.join("bundles/conda-attestation.sigstore.json")).unwrap();
    let artifact = fs::read(data.join("bundles/signed-package-2.1.0-hb0f4dca_0.conda")).unwrap();
    let policy = VerificationPolicy::any_identity()
        .require_issuer("https://token.actions.githubusercontent.com");
    let bundle = Bundle::from_json(&text).unwrap();
    let result = verify(&artifact[..], &bundle, &policy, &root()).unwrap();
    assert!(result.certificate_verified() && result.sct_verified() && result.tlog_verified());

    let json: Value = serde_json::from_str(&text).unwrap();
    for path in [
        "/dsseEnvelope/signatures/0/sig",
        "/verificationMaterial/certificate/rawBytes",
        "/verificationMaterial/tlogEntries/0/inclusionPromise/signedEntryTimestamp",
    ] {
        let refused = verify(&artifact[..], &changed(&json, path), &policy, &root());
        println!("{path}: {}", refused.expect_err(path));
    }
    verify(&artifact[1..], &bundle, &policy, &root()).unwrap_err();
}

/// A key of the signer's own, and a timestamp.
#[test]
fn a_bundle_with_a_key() {
    let Some(data) = data() else { return };
    install();
    let text = fs::read_to_string(data.join("managed-key/bundle.sigstore.json")).unwrap();
    let artifact = fs::read(data.join("managed-key/artifact.txt")).unwrap();
    let key = fs::read_to_string(data.join("managed-key/key.pub")).unwrap();
    let policy = PublicKeyVerificationPolicy::new(DerPublicKey::from_pem(&key).unwrap());
    let bundle = Bundle::from_json(&text).unwrap();
    let result = verify(&artifact[..], &bundle, &policy, &root()).unwrap();
    assert!(result.tlog_verified() && !result.verified_timestamps().is_empty());

    let json: Value = serde_json::from_str(&text).unwrap();
    let path = "/messageSignature/signature";
    verify(&artifact[..], &changed(&json, path), &policy, &root()).unwrap_err();
    verify(&artifact[1..], &bundle, &policy, &root()).unwrap_err();
    let other = sigstore_crypto::KeyPair::generate_ecdsa_p256().unwrap();
    let policy = PublicKeyVerificationPolicy::new(other.public_key_der().unwrap());
    verify(&artifact[..], &bundle, &policy, &root()).unwrap_err();
}
