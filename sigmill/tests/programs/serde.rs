//! Keys and signatures in JSON, bincode, postcard and TOML.

use super::ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use ::serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt::Debug;

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Record {
    key: VerifyingKey,
    secret: SigningKey,
    signature: Signature,
}

fn forms<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> Vec<String> {
    let json = serde_json::to_string(value).expect("JSON");
    let compact = bincode::serialize(value).expect("bincode");
    let post = postcard::to_allocvec(value).expect("postcard");
    assert_eq!(serde_json::from_str::<T>(&json).ok().as_ref(), Some(value));
    assert_eq!(bincode::deserialize::<T>(&compact).ok().as_ref(), Some(value));
    assert_eq!(postcard::from_bytes::<T>(&post).ok().as_ref(), Some(value));
    // cut short anywhere, it is an error
    for len in 0..post.len() {
        assert!(postcard::from_bytes::<T>(&post[..len]).is_err());
        assert!(bincode::deserialize::<T>(&compact[..len]).is_err());
    }
    vec![json, format!("{compact:?}"), format!("{post:?}")]
}

pub fn account() -> Vec<String> {
    let mut account = Vec::new();
    let secret = SigningKey::from_bytes(&[13; 32]);
    let (key, signature) = (secret.verifying_key(), secret.sign(b"message"));
    account.extend(forms(&key));
    account.extend(forms(&secret));
    account.extend(forms(&signature));
    let record = Record { key, secret, signature };
    account.extend(forms(&record));
    let toml = toml::to_string(&record).expect("TOML");
    assert_eq!(toml::from_str::<Record>(&toml).ok(), Some(record));
    account.push(toml);
    for len in [0, 31, 32, 33, 64] {
        let list = serde_json::to_string(&vec![1_u8; len]).expect("JSON");
        let key = serde_json::from_str::<VerifyingKey>(&list);
        let secret = serde_json::from_str::<SigningKey>(&list);
        account.push(format!("{len} {} {}", key.is_ok(), secret.is_ok()));
    }
    let mut off_curve = vec![0_u8; 32];
    off_curve[0] = 2;
    let list = serde_json::to_string(&off_curve).expect("JSON");
    account.push(format!("{:?}", serde_json::from_str::<VerifyingKey>(&list).is_ok()));
    for text in ["null", "[]", "\"key\"", "7", "{}", "[256]", "[-1]", "[1,"] {
        let (key, secret) =
            (serde_json::from_str::<VerifyingKey>(text), serde_json::from_str::<SigningKey>(text));
        account.push(format!("{text} {} {}", key.is_ok(), secret.is_ok()));
    }
    account
}
