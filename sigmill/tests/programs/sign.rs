//! Keys, signing, verifying, and what is refused.

use crate::counter::Counter;
use super::ed25519_dalek::{
    KEYPAIR_LENGTH, PUBLIC_KEY_LENGTH, SECRET_KEY_LENGTH, SIGNATURE_LENGTH, SecretKey, Signature,
    SignatureError, Signer, SigningKey, Verifier, VerifyingKey,
};
use super::ed25519_dalek::ed25519::signature::MultipartSigner;
use std::collections::HashSet;

fn import(bytes: &[u8]) -> Result<SigningKey, SignatureError> {
    SigningKey::try_from(bytes)
}

fn check(key: &[u8; 32], message: &[u8], signature: &Signature) -> Result<(), SignatureError> {
    let key = VerifyingKey::from_bytes(key)?;
    key.verify(message, signature)?;
    key.verify_strict(message, signature)
}

pub fn account() -> Vec<String> {
    let mut account = Vec::new();
    let mut say = |line: String| account.push(line);
    say(format!("{KEYPAIR_LENGTH} {PUBLIC_KEY_LENGTH} {SECRET_KEY_LENGTH} {SIGNATURE_LENGTH}"));

    for start in [0, 100, 200] {
        let key: SigningKey = SigningKey::generate(&mut Counter(start));
        let secret: SecretKey = key.to_bytes();
        let public: VerifyingKey = key.verifying_key();
        say(format!("{secret:?} {:?} {:?}", key.as_bytes(), public.as_bytes()));
        let signature: Signature = key.sign(b"message");
        let parts: Signature = key.multipart_sign(&[b"mess", b"", b"age"]);
        say(format!("{} {}", signature, signature == parts));
        say(format!("{:?}", signature.to_bytes()));
        say(format!("{:?}", key.verify(b"message", &signature).is_ok()));
        say(format!("{:?}", key.verify(b"massage", &signature).is_ok()));
        say(format!("{:?}", key.verify_strict(b"message", &signature).is_ok()));
        say(format!("{:?}", public.verify_strict(b"massage", &signature).is_ok()));
        say(format!("{:?}", check(public.as_bytes(), b"message", &signature).is_ok()));
        for bit in 0..512 {
            let mut bytes = signature.to_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let changed = Signature::from_bytes(&bytes);
            say(format!("{:?}", public.verify(b"message", &changed).is_ok()));
        }
        let pair = key.to_keypair_bytes();
        say(format!("{pair:?} {:?}", SigningKey::from_keypair_bytes(&pair).is_ok()));
        let mut wrong = pair;
        wrong[40] ^= 1;
        say(format!("{:?}", SigningKey::from_keypair_bytes(&wrong).is_err()));
        say(format!("{:?}", SigningKey::from(secret) == key && SigningKey::from(&secret) == key));
        say(format!("{:?}", public == VerifyingKey::from(&key) && !public.is_weak()));
        let borrowed: &VerifyingKey = key.as_ref();
        say(format!("{:?} {:?}", borrowed.to_bytes(), HashSet::from([public]).contains(borrowed)));
    }

    for len in [0, 1, 31, 32, 33, 64] {
        say(format!("{len} {:?}", import(&vec![1; len]).is_ok()));
        say(format!("{len} {:?}", VerifyingKey::try_from(&vec![1; len][..]).is_ok()));
        say(format!("{len} {:?}", Signature::from_slice(&vec![1; len]).is_ok()));
    }

    // every y up to 50, both signs: which are points, which are weak, and a forgery for each
    for y in 0..50 {
        for sign in [0, 0x80] {
            let mut bytes = [0; 32];
            bytes[0] = y;
            bytes[31] |= sign;
            let Ok(key) = VerifyingKey::from_bytes(&bytes) else {
                say(format!("{y} {sign} is no point"));
                continue;
            };
            let mut forged = [0; 64];
            forged[0] = 1; // R is the neutral point and S is 0
            let forged = Signature::from_bytes(&forged);
            for message in [b"0", b"1", b"2", b"3", b"4", b"5", b"6", b"7"] {
                let (loose, strict) =
                    (key.verify(message, &forged), key.verify_strict(message, &forged));
                say(format!("{y} {sign} {} {} {}", key.is_weak(), loose.is_ok(), strict.is_ok()));
            }
        }
    }
    account
}
