use crate::install;
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519;
use sigmill_sigstore::PROVIDER;
use sigstore_crypto::{
    CryptoProvider, Error, KeyAlgorithm, KeyPair, SigningScheme, VerificationKey, sha256, sha384,
    sha512,
};
use sigstore_types::SignatureBytes;

const ALGORITHMS: [KeyAlgorithm; 3] =
    [KeyAlgorithm::Ed25519, KeyAlgorithm::EcdsaP256, KeyAlgorithm::EcdsaP384];

#[track_caller]
fn says<T>(result: Result<T, Error>, part: &str) {
    let text = result.err().expect("an error").to_string();
    assert!(text.contains(part), "{part:?} is not in {text:?}");
}

#[test]
fn new_keys_sign_and_verify() {
    install();
    for algorithm in ALGORITHMS {
        let key = KeyPair::generate(algorithm).unwrap();
        assert_eq!(key.algorithm(), algorithm);
        let spki = key.public_key_der().unwrap();
        let public = VerificationKey::from_spki(&spki).unwrap();
        let signature = key.sign(b"text").unwrap();
        public.verify(b"text", &signature).unwrap();
        says(public.verify(b"next", &signature), "signature: ");
        let other = KeyPair::generate(algorithm).unwrap().public_key_der().unwrap();
        assert_ne!(other, spki);
        says(
            VerificationKey::from_spki(&other).unwrap().verify(b"text", &signature),
            "signature: ",
        );
        let mut longer = signature.as_bytes().to_vec();
        longer.push(0);
        says(public.verify(b"text", &SignatureBytes::new(longer)), "signature: ");
    }
}

#[test]
fn digests_are_signed_and_verified_as_their_message() {
    install();
    for (algorithm, digest) in [
        (KeyAlgorithm::EcdsaP256, sha256(b"text").as_bytes().to_vec()),
        (KeyAlgorithm::EcdsaP384, sha384(b"text").as_bytes().to_vec()),
    ] {
        let key = KeyPair::generate(algorithm).unwrap();
        let public = VerificationKey::from_spki(&key.public_key_der().unwrap()).unwrap();
        public.verify_prehashed(&digest, &key.sign(b"text").unwrap()).unwrap();
        let pair = PROVIDER.generate_key_pair(algorithm).unwrap();
        let scheme = algorithm.default_signing_scheme();
        let signature = pair.sign_prehashed(&digest).unwrap();
        assert_eq!(signature, pair.sign_raw(b"text").unwrap(), "signing is deterministic");
        PROVIDER.verify_raw(scheme, pair.public_key_bytes(), b"text", &signature).unwrap();
        for length in [0, digest.len() - 1, digest.len() + 1, 64] {
            let digest = vec![7; length];
            says(pair.sign_prehashed(&digest), &format!("digest has {length} bytes"));
            let key = pair.public_key_bytes();
            let verified = PROVIDER.verify_prehashed(scheme, key, &digest, &signature);
            says(verified, &format!("digest has {length} bytes"));
        }
    }
    let pair = PROVIDER.generate_key_pair(KeyAlgorithm::Ed25519).unwrap();
    says(pair.sign_prehashed(&[7; 32]), "Ed25519 of a digest");
    let key = pair.public_key_bytes();
    says(PROVIDER.verify_prehashed(SigningScheme::Ed25519, key, &[7; 32], &[0; 64]), "of a digest");
    assert_eq!(sha512(b"text").as_bytes()[..4], [0xea, 0xf2, 0xc1, 0x27]);
}

/// Every scheme under every key: only that of the key's own curve verifies, and with the hash function that signed.
#[test]
fn the_scheme_is_that_of_the_key() {
    let schemes = [
        SigningScheme::Ed25519,
        SigningScheme::EcdsaP256Sha256,
        SigningScheme::EcdsaP256Sha384,
        SigningScheme::EcdsaP384Sha256,
        SigningScheme::EcdsaP384Sha384,
    ];
    for algorithm in ALGORITHMS {
        let pair = PROVIDER.generate_key_pair(algorithm).unwrap();
        let signature = pair.sign_raw(b"text").unwrap();
        for scheme in schemes {
            let verified =
                PROVIDER.verify_raw(scheme, pair.public_key_bytes(), b"text", &signature);
            let is_own = scheme == algorithm.default_signing_scheme();
            assert_eq!(verified.is_ok(), is_own, "{algorithm:?}, {scheme:?}");
        }
        for scheme in
            [SigningScheme::RsaPssSha256, SigningScheme::RsaPkcs1Sha512, SigningScheme::MlDsa65]
        {
            let key = pair.public_key_bytes();
            says(PROVIDER.verify_raw(scheme, key, b"text", &signature), scheme.name());
            says(PROVIDER.verify_prehashed(scheme, key, &[7; 32], &signature), scheme.name());
        }
    }
    for algorithm in [KeyAlgorithm::Rsa, KeyAlgorithm::MlDsa44] {
        says(PROVIDER.generate_key_pair(algorithm).map(|_| ()), &format!("{algorithm:?}"));
    }
}

#[test]
fn keys_in_pkcs8() {
    install();
    let ed = ed25519::SigningKey::from_bytes(&[7; 32]);
    let p256 = p256::SigningKey::from_slice(&[7; 32]).unwrap();
    let p384 = p384::SigningKey::from_slice(&[7; 48]).unwrap();
    for (der, algorithm, public) in [
        (
            ed.to_private_key_der().unwrap().to_vec(),
            KeyAlgorithm::Ed25519,
            ed.verifying_key().to_bytes().to_vec(),
        ),
        (
            p256.to_private_key_der().unwrap().to_vec(),
            KeyAlgorithm::EcdsaP256,
            p256.verifying_key().to_sec1_bytes().to_vec(),
        ),
        (
            p384.to_private_key_der().unwrap().to_vec(),
            KeyAlgorithm::EcdsaP384,
            p384.verifying_key().to_sec1_bytes().to_vec(),
        ),
    ] {
        let key = KeyPair::from_pkcs8_der(&der).unwrap();
        assert_eq!(key.algorithm(), algorithm);
        let pair = PROVIDER.key_pair_from_pkcs8_der(&der).unwrap();
        assert_eq!(pair.public_key_bytes(), public);
        for cut in [0, 1, der.len() / 2, der.len() - 1] {
            let read = PROVIDER.key_pair_from_pkcs8_der(&der[..cut]).map(|_| ());
            says(read, "Invalid key format");
        }
    }
}
