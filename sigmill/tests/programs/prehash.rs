//! Ed25519ph, with and without a context.

use super::ed25519_dalek::{
    Context, Digest, DigestSigner, DigestVerifier, Sha512, Signature, SignatureError, SigningKey,
    VerifyingKey,
};

const MESSAGE: &[u8] = b"a message too long to be kept";

fn hashed(message: &[u8]) -> Sha512 {
    let mut digest = Sha512::new();
    digest.update(message);
    digest
}

fn roundtrip(key: &SigningKey, context: &[u8]) -> Result<Signature, SignatureError> {
    let signing: Context<'_, '_, SigningKey> = key.with_context(context)?;
    let signature = signing.sign_digest(|digest: &mut Sha512| digest.update(MESSAGE));
    let public = key.verifying_key();
    let verifying: Context<'_, '_, VerifyingKey> = public.with_context(context)?;
    let feed = |digest: &mut Sha512| {
        digest.update(MESSAGE);
        Ok(())
    };
    verifying.verify_digest(feed, &signature)?;
    assert_eq!((signing.value(), verifying.key().to_bytes()), (context, public.to_bytes()));
    Ok(signature)
}

pub fn account() -> Vec<String> {
    let mut account = vec![format!("{}", Context::<'_, '_, SigningKey>::MAX_LENGTH)];
    let mut say = |line: String| account.push(line);
    let key = SigningKey::from_bytes(&[3; 32]);
    let public = key.verifying_key();
    for len in [0, 1, 7, 254, 255, 256, 1000] {
        let context = vec![b'c'; len];
        let made = roundtrip(&key, &context);
        say(format!("{len} {:?}", made.as_ref().map(Signature::to_bytes).ok()));
        let other = key.sign_prehashed(hashed(MESSAGE), Some(&context));
        say(format!("{len} {:?}", other.as_ref().ok() == made.as_ref().ok()));
        let Ok(signature) = made else { continue };
        for (message, context) in [
            (MESSAGE, Some(&context[..])),
            (MESSAGE, None),
            (MESSAGE, Some(&b"another"[..])),
            (b"another", Some(&context[..])),
        ] {
            let loose = public.verify_prehashed(hashed(message), context, &signature);
            let strict = public.verify_prehashed_strict(hashed(message), context, &signature);
            let by_pair = key.verify_prehashed(hashed(message), context, &signature);
            say(format!("{} {} {}", loose.is_ok(), strict.is_ok(), by_pair.is_ok()));
        }
    }
    let plain = key.sign_digest(|digest: &mut Sha512| digest.update(MESSAGE));
    say(format!("{plain}"));
    let refused = public.verify_digest(|_: &mut Sha512| Err(SignatureError::new()), &plain);
    say(format!("{:?}", refused.is_err()));
    let feed = |digest: &mut Sha512| {
        digest.update(MESSAGE);
        Ok(())
    };
    say(format!("{:?}", public.verify_digest(feed, &plain).is_ok()));
    account
}
