//! Signing with an expanded key, and streams.

use super::ed25519_dalek::hazmat::{
    ExpandedSecretKey, raw_sign, raw_sign_byupdate, raw_sign_prehashed, raw_verify,
    raw_verify_prehashed,
};
use super::ed25519_dalek::{
    Digest, Sha512, Signature, SignatureError, Signer, SigningKey, StreamVerifier, VerifyingKey,
};

fn hashed(message: &[u8]) -> Sha512 {
    Sha512::new().chain_update(message)
}

fn in_pieces(key: &VerifyingKey, signature: &Signature) -> Result<(), SignatureError> {
    let mut verifier: StreamVerifier = key.verify_stream(signature)?;
    verifier.update(b"mess");
    verifier.update("age");
    verifier.finalize_and_verify()
}

pub fn account() -> Vec<String> {
    let mut account = Vec::new();
    let mut say = |line: String| account.push(line);
    let seed = [5; 32];
    let key = SigningKey::from_bytes(&seed);
    let public = key.verifying_key();
    let expanded = ExpandedSecretKey::from(&seed);
    say(format!("{:?}", expanded.scalar.to_bytes()));
    say(format!("{:?}", expanded.hash_prefix));
    say(format!("{:?}", VerifyingKey::from(&expanded) == public));
    let signature = raw_sign::<Sha512>(&expanded, b"message", &public);
    say(format!("{signature} {}", signature == key.sign(b"message")));
    say(format!("{:?}", raw_verify::<Sha512>(&public, b"message", &signature).is_ok()));
    say(format!("{:?}", raw_verify::<Sha512>(&public, b"massage", &signature).is_ok()));
    let fed = raw_sign_byupdate(
        &expanded,
        |digest: &mut Sha512| {
            digest.update(b"mess");
            digest.update(b"age");
            Ok(())
        },
        &public,
    );
    say(format!("{:?}", fed.ok() == Some(signature)));
    let failed = raw_sign_byupdate(&expanded, |_: &mut Sha512| Err(SignatureError::new()), &public);
    say(format!("{:?}", failed.is_err()));
    for context in [None, Some(&b""[..]), Some(b"context"), Some(&[7; 256])] {
        let made = raw_sign_prehashed::<Sha512, Sha512>(&expanded, hashed(b"m"), &public, context);
        say(format!("{:?}", made.as_ref().map(Signature::to_bytes).ok()));
        let Ok(signature) = made else { continue };
        for context in [context, Some(&b"other"[..])] {
            let verified =
                raw_verify_prehashed::<Sha512, Sha512>(&public, hashed(b"m"), context, &signature);
            say(format!("{:?}", verified.is_ok()));
        }
    }
    // any 64 bytes are an expanded key; the first half is clamped
    for fill in [0, 1, 0x80, 0xff] {
        let expanded = ExpandedSecretKey::from_bytes(&[fill; 64]);
        let public = VerifyingKey::from(&expanded);
        let signature = raw_sign::<Sha512>(&expanded, b"m", &public);
        say(format!("{:?} {:?} {signature}", expanded.scalar.to_bytes(), public.to_bytes()));
        say(format!(
            "{:?}",
            ExpandedSecretKey::from_slice(&[fill; 64]).is_ok_and(|e| e == expanded)
        ));
        say(format!("{:?}", ExpandedSecretKey::try_from(&[fill; 63][..]).is_ok()));
    }
    say(format!("{:?}", in_pieces(&public, &signature).is_ok()));
    say(format!("{:?}", in_pieces(&public, &key.sign(b"massage")).is_ok()));
    let beyond = Signature::from_components(*signature.r_bytes(), [0xff; 32]);
    say(format!(
        "{:?} {:?}",
        in_pieces(&public, &beyond).is_ok(),
        key.verify_stream(&beyond).is_ok()
    ));
    account
}
