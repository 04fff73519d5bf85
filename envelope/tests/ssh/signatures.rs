//! Signatures, both ways with `ssh-keygen -Y`.

use crate::tool::Tool;
use crate::{TYPES, secret};
use sigmill::bulk::Algorithm;
use sigmill::ed25519::rules::STRICT;
use sigmill_envelope::{Refusal, ssh};
use ssh::{Hash, Hasher, Signature};

const HASHES: [Hash; 2] = [Hash::Sha256, Hash::Sha512];

#[test]
fn signatures_verify() {
    for (algorithm, ..) in TYPES {
        let key = secret(algorithm);
        for hash in HASHES {
            let digest = hash.digest(b"message");
            assert_eq!(digest.len(), hash.len());
            let armored = ssh::sign(&key, "file", hash, &digest).unwrap();
            assert!(ssh::is_signature(armored.as_bytes()));
            let signature = Signature::read(armored.as_bytes()).unwrap();
            assert_eq!((&*signature.namespace, signature.hash), ("file", hash));
            signature.expect_key(&key.public_key()).unwrap();
            let signed = signature.signed("file", &digest).unwrap();
            assert!(signed.verify(&signature.key, &STRICT).unwrap().is_valid());
            let other = signature.signed("file", &hash.digest(b"massage")).unwrap();
            assert!(!other.verify(&signature.key, &STRICT).unwrap().is_valid());
        }
    }
}

#[test]
fn pieces_hash_like_the_whole() {
    let message: Vec<u8> = (0..=255).cycle().take(1000).collect();
    for hash in HASHES {
        for size in [1, 7, 64, 999, 1000] {
            let mut hasher = Hasher::new(hash);
            message.chunks(size).for_each(|piece| hasher.update(piece));
            assert_eq!(hasher.finish(), hash.digest(&message));
        }
    }
    // FIPS 180-4, the example `abc`.
    let hex = |hash: Hash| data_encoding::HEXLOWER.encode(&hash.digest(b"abc"));
    assert!(hex(Hash::Sha256).starts_with("ba7816bf8f01cfea414140de5dae2223"));
    assert!(hex(Hash::Sha512).starts_with("ddaf35a193617abacc417349ae204131"));
}

#[test]
fn misfits_are_refused() {
    let key = secret(Algorithm::P256);
    let digest = Hash::Sha512.digest(b"message");
    let refused = |namespace: &str, hash, digest: &[u8]| {
        ssh::sign(&key, namespace, hash, digest).unwrap_err().refusal()
    };
    assert_eq!(refused("", Hash::Sha512, &digest), Refusal::NotSsh);
    assert_eq!(refused("a\0b", Hash::Sha512, &digest), Refusal::NotSsh);
    assert_eq!(refused(&"a".repeat(5000), Hash::Sha512, &digest), Refusal::TooLarge);
    assert_eq!(refused("file", Hash::Sha256, &digest), Refusal::AlgMismatch);

    let armored = ssh::sign(&key, "file", Hash::Sha512, &digest).unwrap();
    let signature = Signature::read(armored.as_bytes()).unwrap();
    let refused = |namespace, digest| signature.signed(namespace, digest).unwrap_err().refusal();
    assert_eq!(refused("git", &digest), Refusal::NamespaceMismatch);
    assert_eq!(refused("", &digest), Refusal::NamespaceMismatch);
    assert_eq!(refused("file", &digest[1..]), Refusal::AlgMismatch);
    let refused =
        |algorithm| signature.expect_key(&secret(algorithm).public_key()).unwrap_err().refusal();
    assert_eq!(refused(Algorithm::P384), Refusal::AlgMismatch);
    let other = sigmill_envelope::SecretKey::new(Algorithm::P256, &[1; 32]).unwrap().public_key();
    assert_eq!(signature.expect_key(&other).unwrap_err().refusal(), Refusal::KeyUnknown);
}

#[test]
fn signatures_of_ssh_keygen_verify() {
    let Some(tool) = Tool::find("signatures of ssh-keygen") else { return };
    tool.write("message", b"a message\n");
    let mut count = 0;
    for (algorithm, name, ..) in TYPES {
        let key = secret(algorithm);
        tool.write("key", ssh::write_private(&key, "", None).unwrap().as_bytes());
        // Random s of ECDSA have leading zeros and signs now and then.
        for _ in 0..if algorithm == Algorithm::Ed25519 { 1 } else { 8 } {
            for (hash, namespace) in [(Hash::Sha256, "git"), (Hash::Sha512, "file")] {
                let _ = std::fs::remove_file(tool.path("message.sig"));
                let option = format!("hashalg={}", hash.name());
                tool.succeed(
                    &["-Y", "sign", "-f", "key", "-n", namespace, "-O", &option, "message"],
                    b"",
                );
                let armored = tool.read("message.sig");
                let signature = Signature::read(&armored).unwrap();
                assert_eq!((&*signature.namespace, signature.hash), (namespace, hash), "{name}");
                signature.expect_key(&key.public_key()).unwrap();
                let digest = hash.digest(b"a message\n");
                let signed = signature.signed(namespace, &digest).unwrap();
                assert!(signed.verify(&key.public_key(), &STRICT).unwrap().is_valid());
                if algorithm == Algorithm::Ed25519 {
                    let ours = ssh::sign(&key, namespace, hash, &digest).unwrap();
                    assert_eq!(ours.as_bytes(), armored, "armor differs");
                }
                count += 1;
            }
        }
    }
    println!("{count} signatures of ssh-keygen verified");
}

#[test]
fn ssh_keygen_verifies_our_signatures() {
    let Some(tool) = Tool::find("our signatures in ssh-keygen") else { return };
    let mut count = 0;
    for (algorithm, ..) in TYPES {
        let key = secret(algorithm);
        let line = ssh::write_public(&key.public_key(), "").unwrap();
        tool.write("allowed", format!("me@example.com {line}").as_bytes());
        for hash in HASHES {
            for (namespace, message) in [("git", &b"one"[..]), ("file", b""), ("file", &[7; 5000])]
            {
                let armored = ssh::sign(&key, namespace, hash, &hash.digest(message)).unwrap();
                tool.write("sig", armored.as_bytes());
                let check = ["-Y", "check-novalidate", "-n", namespace, "-s", "sig"];
                tool.succeed(&check, message);
                let mut verify = vec!["-Y", "verify", "-n", namespace, "-s", "sig"];
                verify.extend(["-f", "allowed", "-I", "me@example.com"]);
                tool.succeed(&verify, message);
                assert!(!tool.run(&verify, b"another message").status.success());
                let find = ["-Y", "find-principals", "-s", "sig", "-f", "allowed"];
                assert_eq!(tool.succeed(&find, b""), "me@example.com\n");
                count += 1;
            }
        }
    }
    println!("{count} signatures verified by ssh-keygen");
}
