use ed25519_dalek::{Signature, Signer, SigningKey};

fn main() {
    let key = SigningKey::from_bytes(&[7; 32]);
    let message = std::env::args().next().unwrap_or_default();
    let signature: Signature = key.sign(message.as_bytes());
    let verdict = key.verifying_key().verify_strict(message.as_bytes(), &signature);
    println!("{}", if verdict.is_ok() { "verified" } else { "refused" });
}
