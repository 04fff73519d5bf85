use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

fn main() {
    let key = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a seed of 32 bytes");
    let message = std::env::args().next().unwrap_or_default();
    let signature = key.sign(message.as_bytes());
    let verdict = UnparsedPublicKey::new(&ED25519, key.public_key())
        .verify(message.as_bytes(), signature.as_ref());
    println!("{}", if verdict.is_ok() { "verified" } else { "refused" });
}
