use graviola::signing::eddsa::{Ed25519SigningKey, Ed25519VerifyingKey};

fn main() {
    let key = Ed25519SigningKey::from_bytes(&[7; 32]).expect("a seed of 32 bytes");
    let message = std::env::args().next().unwrap_or_default();
    let signature = key.sign(message.as_bytes());
    let verdict = Ed25519VerifyingKey::from_bytes(&key.public_key().as_bytes())
        .and_then(|key| key.verify(&signature, message.as_bytes()));
    println!("{}", if verdict.is_ok() { "verified" } else { "refused" });
}
