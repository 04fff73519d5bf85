//! ECDSA on one curve: keys, signatures, the traits, containers. The including module says which curve,
//! and has `SECRETS` and `DIGEST`, integers that are secret keys and a hash of the curve's length.

use crate::counter::Counter;
use super::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier, RandomizedPrehashSigner};
use super::ecdsa::signature::{
    DigestSigner, DigestVerifier, Error, Keypair, MultipartSigner, MultipartVerifier,
    RandomizedSigner, SignatureEncoding, Signer, Verifier,
};
use super::ecdsa::{DerSignature, Error as EcdsaError, Signature, SigningKey, VerifyingKey};
use super::pkcs8::spki::{
    AssociatedAlgorithmIdentifier, SignatureAlgorithmIdentifier, SignatureBitStringEncoding,
};
use super::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding};
use super::{DIGEST, SECRETS};
use sha2::{Digest, Sha256, Sha512};
use subtle::ConstantTimeEq;

fn import(bytes: &[u8]) -> Result<SigningKey, EcdsaError> {
    SigningKey::try_from(bytes)
}

fn check(key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Error> {
    let key = VerifyingKey::from_sec1_bytes(key)?;
    key.verify(message, &Signature::try_from(signature)?)
}

fn generic<K: Keypair + Signer<Signature>>(key: &K, message: &[u8]) -> bool
where
    K::VerifyingKey: Verifier<Signature>,
{
    key.verifying_key().verify(message, &key.sign(message)).is_ok()
}

/// Signatures in DER, messages in parts and hash functions of the caller's choosing.
fn besides(key: &SigningKey, say: &mut impl FnMut(String)) {
    let public = *key.verifying_key();
    let signature: Signature = key.sign(b"message");
    let der: DerSignature = key.sign(b"message");
    say(format!("{:?} {} {:?}", der.as_bytes(), der.len(), der.to_bytes()));
    say(format!("{}", DerSignature::from(signature).as_bytes() == der.as_bytes()));
    say(format!("{}", Signature::try_from(der.clone()).is_ok_and(|it| it == signature)));
    say(format!("{:?} {:?}", der.to_vec(), Box::<[u8]>::from(der.clone())));
    let check = |bytes: &[u8]| {
        let read = DerSignature::try_from(bytes)?;
        assert!(DerSignature::from_bytes(bytes).is_ok_and(|it| it.as_bytes() == read.as_bytes()));
        public.verify(b"message", &read)
    };
    say(format!("{} {}", check(der.as_bytes()).is_ok(), check(signature.to_bytes().as_ref()).is_ok()));
    for at in 0..der.len() {
        let mut changed = der.to_vec();
        changed[at] ^= 1;
        say(format!("{at} {} {}", check(&changed).is_ok(), check(&der.as_bytes()[..at]).is_ok()));
    }
    say(format!("{:?}", public.verify(b"massage", &der).is_ok()));
    let hashed: DerSignature = key.sign_prehash(&DIGEST).expect("a digest is signed");
    say(format!("{:?} {}", hashed.as_bytes(), public.verify_prehash(&DIGEST, &hashed).is_ok()));
    say(format!("{}", public.verify_prehash(&DIGEST[1..], &hashed).is_ok()));

    let parts: [&[u8]; 4] = [b"mes", b"", b"sag", b"e"];
    say(format!("{}", MultipartSigner::<Signature>::multipart_sign(key, &parts) == signature));
    say(format!("{}", public.multipart_verify(&parts, &signature).is_ok()));
    say(format!("{}", public.multipart_verify(&parts, &der).is_ok()));
    say(format!("{}", public.multipart_verify(&parts[1..], &der).is_ok()));
    say(format!("{}", public.multipart_verify(&parts[..3], &signature).is_ok()));

    let short: Signature = key.sign_digest(|hash: &mut Sha256| hash.update(b"message"));
    let long: DerSignature = key.sign_digest(|hash: &mut Sha512| hash.update(b"message"));
    say(format!("{short} {:?}", long.as_bytes()));
    for message in [&b"message"[..], b"massage"] {
        let feed_short = |hash: &mut Sha256| { hash.update(message); Ok(()) };
        let feed_long = |hash: &mut Sha512| { hash.update(message); Ok(()) };
        say(format!("{}", public.verify_digest(feed_short, &short).is_ok()));
        say(format!("{}", public.verify_digest(feed_short, &DerSignature::from(short)).is_ok()));
        say(format!("{}", public.verify_digest(feed_long, &short).is_ok()));
        say(format!("{}", public.verify_digest(feed_long, &long).is_ok()));
    }
    let fails = |_: &mut Sha256| Err(Error::new());
    let failed: Result<Signature, Error> = key.try_sign_digest(fails);
    say(format!("{} {}", failed.is_ok(), public.verify_digest(fails, &short).is_ok()));

    let random: DerSignature = key.sign_with_rng(&mut Counter(7), b"message");
    say(format!("{}", check(random.as_bytes()).is_ok() && random.as_bytes() != der.as_bytes()));
    let random: Result<DerSignature, _> = key.sign_prehash_with_rng(&mut Counter(7), &DIGEST);
    say(format!("{}", random.is_ok_and(|it| public.verify_prehash(&DIGEST, &it).is_ok())));

    // text
    let hex = format!("{signature:x}");
    for text in [hex.clone(), hex.to_uppercase(), format!("{}A", &hex[1..])] {
        say(format!("{:?}", text.parse::<Signature>().map(|it| it.to_string()).ok()));
    }
    for at in 0..hex.len() {
        for other in ["", "g", "+", " ", "00", "é"] {
            let mut changed = hex.clone();
            changed.replace_range(at..at + 1, other);
            say(format!("{at} {other} {:?}", changed.parse::<Signature>().is_ok()));
        }
    }
    for digit in ["0", "f", "F", "-"] {
        say(format!("{:?}", digit.repeat(hex.len()).parse::<Signature>().is_ok()));
    }
    let secret_text = key.to_pkcs8_pem(LineEnding::LF).expect("a key can be written");
    let public_text = public.to_public_key_pem(LineEnding::LF).expect("a key can be written");
    say(format!("{}", secret_text.parse::<SigningKey>().is_ok_and(|read| read == *key)));
    say(format!("{}", public_text.parse::<VerifyingKey>().is_ok_and(|read| read == public)));
    say(format!("{}", public_text.parse::<SigningKey>().is_ok()));
    say(format!("{}", secret_text.parse::<VerifyingKey>().is_ok()));
    say(format!("{}", public_text[1..].parse::<VerifyingKey>().is_ok()));

    // what a maker of certificates asks for
    say(format!("{:?}", SigningKey::ALGORITHM_IDENTIFIER));
    say(format!("{:?}", VerifyingKey::ALGORITHM_IDENTIFIER));
    say(format!("{:?}", Signature::ALGORITHM_IDENTIFIER));
    say(format!("{:?}", SigningKey::SIGNATURE_ALGORITHM_IDENTIFIER));
    say(format!("{:?}", VerifyingKey::SIGNATURE_ALGORITHM_IDENTIFIER));
    say(format!("{:?}", der.to_bitstring().ok()));

    let other = SigningKey::from_slice(&[3; DIGEST.len()]).expect("1 to n - 1");
    say(format!("{} {}", bool::from(key.ct_eq(key)), bool::from(key.ct_eq(&other))));
}

pub fn account() -> Vec<String> {
    let mut account = Vec::new();
    let mut say = |line: String| account.push(line);
    for secret in SECRETS {
        let key = SigningKey::from_bytes(&secret.into()).expect("1 to n - 1");
        let same = SigningKey::from_slice(&secret).expect("1 to n - 1");
        say(format!("{} {}", key == same, key.to_bytes() == same.to_bytes()));
        say(format!("{:?}", import(&secret).is_ok_and(|read| read == key)));
        let public: &VerifyingKey = key.verifying_key();
        let point = public.to_sec1_bytes();
        say(format!("{:?}", point.to_vec()));
        say(format!("{:?}", VerifyingKey::from_sec1_bytes(&point[..]).is_ok_and(|k| k == *public)));
        say(format!("{:?}", VerifyingKey::try_from(&point[..]).is_ok_and(|k| k == *public)));
        say(format!("{}", VerifyingKey::from(&key) == *public && key.as_ref() == public));
        say(format!("{}", generic(&key, b"generic")));
        besides(&key, &mut say);

        let signature: Signature = key.sign(b"message");
        say(format!("{signature} {signature:x} {signature:X}"));
        say(format!("{:?} {:?}", signature.to_bytes().to_vec(), signature.to_vec()));
        say(format!("{:?}", SignatureEncoding::encoded_len(&signature)));
        let (r, s) = signature.split_bytes();
        say(format!("{:?} {:?}", r.to_vec(), s.to_vec()));
        say(format!("{:?}", public.verify(b"message", &signature).is_ok()));
        say(format!("{:?}", public.verify(b"massage", &signature).is_ok()));
        let normal = signature.normalize_s();
        say(format!("{normal} {}", public.verify(b"message", &normal).is_ok()));
        let der = signature.to_der();
        say(format!("{:?}", der.as_bytes()));
        say(format!("{:?}", Signature::from_der(der.as_bytes()).is_ok_and(|read| read == signature)));
        say(format!("{:?}", Signature::from_bytes(&signature.to_bytes()).ok() == Some(signature)));
        let bytes = signature.to_vec();
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            say(format!("{bit} {:?}", check(&point[..], b"message", &changed).is_ok()));
        }
        for at in 0..der.as_bytes().len() {
            let mut changed = der.as_bytes().to_vec();
            changed[at] ^= 1;
            let read = Signature::from_der(&changed);
            say(format!("{at} {:?}", read.is_ok_and(|it| public.verify(b"message", &it).is_ok())));
        }

        let hashed: Signature = key.sign_prehash(&DIGEST).expect("a digest is signed");
        say(format!("{hashed} {:?}", public.verify_prehash(&DIGEST, &hashed).is_ok()));
        say(format!("{:?}", public.verify_prehash(&DIGEST[1..], &hashed).is_ok()));

        // containers: the bytes may differ, what they hold may not
        let container = key.to_pkcs8_der().expect("a key can be written");
        let read = SigningKey::from_pkcs8_der(container.as_bytes());
        say(format!("{:?}", read.is_ok_and(|read| read == key)));
        let pem = key.to_pkcs8_pem(LineEnding::LF).expect("a key can be written");
        say(format!("{:?}", SigningKey::from_pkcs8_pem(&pem).is_ok_and(|read| read == key)));
        for len in [0, 1, container.as_bytes().len() - 1] {
            say(format!("{:?}", SigningKey::from_pkcs8_der(&container.as_bytes()[..len]).is_ok()));
        }
        let spki = public.to_public_key_der().expect("a key can be written");
        say(format!("{:?}", spki.as_bytes()));
        say(public.to_public_key_pem(LineEnding::LF).expect("a key can be written"));
        for at in 0..spki.as_bytes().len() {
            let mut changed = spki.as_bytes().to_vec();
            changed[at] ^= 1;
            let read = VerifyingKey::from_public_key_der(&changed).ok();
            say(format!("{at} {:?}", read.map(|key| key.to_sec1_bytes().to_vec())));
        }
    }

    let random = SigningKey::random(&mut Counter(100));
    let again = SigningKey::random(&mut Counter(100));
    say(format!("{}", random == again && random != SigningKey::random(&mut Counter(101))));
    let mut keys = SECRETS.map(|secret| *SigningKey::from_slice(&secret).unwrap().verifying_key());
    keys.sort();
    say(format!("{}", keys.windows(2).all(|pair| pair[0] < pair[1])));
    let len = SECRETS[0].len();
    // (but for secret keys of 24 bytes and more, which the other crates take for integers with zeros
    // in front)
    for wrong in [0, 1, len / 3, len + 1, 2 * len, 2 * len + 1] {
        say(format!("{wrong} {:?}", import(&vec![1; wrong]).is_ok()));
        say(format!("{wrong} {:?}", VerifyingKey::from_sec1_bytes(&vec![2; wrong]).is_ok()));
    }
    for fill in [0, 1, 0xff] {
        say(format!("{fill} {:?}", import(&vec![fill; len]).is_ok()));
        say(format!("{fill} {:?}", Signature::from_slice(&vec![fill; 2 * len]).is_ok()));
        say(format!("{fill} {:?}", Signature::from_slice(&vec![fill; 2 * len - 1]).is_ok()));
    }
    account
}
