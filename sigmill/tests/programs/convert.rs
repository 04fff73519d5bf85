//! Ed25519 keys as X25519 keys, and the types of the `digest` world.

use super::ed25519_dalek::{SigningKey, VerifyingKey};

pub fn account() -> Vec<String> {
    let mut account = Vec::new();
    for n in 0..20 {
        let key = SigningKey::from_bytes(&[n; 32]);
        account.push(format!("{:?}", key.to_scalar_bytes()));
        account.push(format!("{:?}", key.to_scalar().to_bytes()));
        let montgomery = key.verifying_key().to_montgomery();
        account.push(format!("{:?} {:?}", montgomery.to_bytes(), montgomery.as_bytes()));
    }
    for y in 0..60 {
        for sign in [0, 0x80] {
            let mut bytes = [0; 32];
            bytes[0] = y;
            bytes[31] = sign;
            let key = VerifyingKey::from_bytes(&bytes).ok();
            account.push(format!("{y} {:?}", key.map(|key| key.to_montgomery().to_bytes())));
        }
    }
    account
}
