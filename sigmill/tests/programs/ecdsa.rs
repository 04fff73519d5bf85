//! ECDSA on one curve: keys, signatures, the traits, containers. The including module says which curve,
//! and has `SECRETS` and `DIGEST`, integers that are secret keys and a hash of the curve's length.

use super::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use super::ecdsa::signature::{Error, Keypair, SignatureEncoding, Signer, Verifier};
use super::ecdsa::{Signature, SigningKey, VerifyingKey};
use super::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding};
use super::{DIGEST, SECRETS};

/// A random source for tests: a counter.
struct Counter(u8);

impl rand_core::TryRng for Counter {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.0 = self.0.wrapping_add(1);
        Ok(u32::from(self.0))
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        self.try_next_u32().map(u64::from)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        for byte in bytes {
            *byte = self.try_next_u32()? as u8;
        }
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Counter {}

fn import(bytes: &[u8]) -> Result<SigningKey, Error> {
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
