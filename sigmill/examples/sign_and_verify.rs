//! A new key, a signature, and what becomes of it when a letter changes:
//!
//!     cargo run --release -p sigmill --example sign_and_verify [MESSAGE]

use sigmill::Error;
use sigmill::ed25519::{Signature, Signer, SigningKey, Variant, VerifyingKey, rules, verify_bytes};
use std::process::ExitCode;

fn main() -> ExitCode {
    let message = std::env::args().nth(1).unwrap_or_else(|| "attack at dawn".into());
    match run(message.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sign_and_verify: {error}");
            ExitCode::from(2)
        }
    }
}

/// Signs, and verifies twice.
pub fn run(message: &[u8]) -> Result<(), Error> {
    // a seed of 32 bytes from the system; key and seed are wiped when they are dropped
    let mut seed = zeroize::Zeroizing::new([0; 32]);
    getrandom::fill(&mut *seed).map_err(|_| Error::Randomness)?;
    let key = SigningKey::from_bytes(&seed);

    // what the other side gets: 32 bytes and 64 bytes
    let public = key.verifying_key().to_bytes();
    let signature = key.sign(message).to_bytes();

    // from bytes to a verdict in one call, under a rule that has a name
    let verdict = verify_bytes(&rules::COMMON, Variant::Pure, &public, message, &signature);
    println!("as it was signed:   {verdict}");
    if !verdict.is_valid() {
        return Err(Error::Fault);
    }

    // a key that has been read serves many signatures
    let public = VerifyingKey::decode(&public)?;
    let signature = Signature::from_bytes(&signature);
    let other = [message, b"!"].concat();
    let verdict = public.verify_with(&rules::STRICT, Variant::Pure, &other, &signature);
    println!("with a '!' behind:  {verdict}");
    if verdict.is_valid() { Err(Error::Fault) } else { Ok(()) }
}
