//! Batches of signatures.

use super::ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey, verify_batch};

pub fn account() -> Vec<String> {
    let mut account = Vec::new();
    for n in [0_usize, 1, 2, 5, 64, 97] {
        let keys: Vec<SigningKey> =
            (0..n).map(|i| SigningKey::from_bytes(&[i as u8; 32])).collect();
        let texts: Vec<Vec<u8>> = (0..n).map(|i| vec![i as u8; i % 40]).collect();
        let messages: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        let signatures: Vec<Signature> =
            keys.iter().zip(&messages).map(|(key, message)| key.sign(message)).collect();
        let publics: Vec<VerifyingKey> = keys.iter().map(SigningKey::verifying_key).collect();
        account.push(format!("{n} {:?}", verify_batch(&messages, &signatures, &publics).is_ok()));
        if n == 0 {
            continue;
        }
        // one wrong message, signature or key, at both ends
        for wrong in [0, n - 1] {
            let mut changed = messages.clone();
            changed[wrong] = b"something else entirely";
            account.push(format!("{:?}", verify_batch(&changed, &signatures, &publics).is_ok()));
            let mut changed = signatures.clone();
            let mut bytes = changed[wrong].to_bytes();
            bytes[33] ^= 4;
            changed[wrong] = Signature::from_bytes(&bytes);
            account.push(format!("{:?}", verify_batch(&messages, &changed, &publics).is_ok()));
            let mut changed = publics.clone();
            changed[wrong] = SigningKey::from_bytes(&[255; 32]).verifying_key();
            account.push(format!("{:?}", verify_batch(&messages, &signatures, &changed).is_ok()));
        }
        // lengths that differ
        account.push(format!("{:?}", verify_batch(&messages[1..], &signatures, &publics).is_ok()));
        account.push(format!("{:?}", verify_batch(&messages, &signatures[1..], &publics).is_ok()));
        account.push(format!("{:?}", verify_batch(&messages, &signatures, &publics[1..]).is_ok()));
    }
    account
}
