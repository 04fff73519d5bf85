//! Agreement: the function on bytes, the three kinds of secrets, what they give out and how they compare.

use crate::counter::Counter;
use super::x25519_dalek::{
    EphemeralSecret, PublicKey, ReusableSecret, SharedSecret, StaticSecret, X25519_BASEPOINT_BYTES,
    x25519,
};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::HashSet;
use zeroize::{Zeroize, ZeroizeOnDrop};

fn shown(shared: &SharedSecret) -> String {
    let bytes: &[u8] = shared.as_ref();
    assert!(bytes == shared.as_bytes() && bytes == shared.to_bytes());
    format!("{bytes:?} {}", shared.was_contributory())
}

fn forms<T: Serialize + DeserializeOwned>(value: &T) -> Vec<String> {
    let json = serde_json::to_string(value).expect("JSON");
    let compact = bincode::serialize(value).expect("bincode");
    let post = postcard::to_allocvec(value).expect("postcard");
    for again in [
        serde_json::from_str::<T>(&json).ok(),
        bincode::deserialize(&compact).ok(),
        postcard::from_bytes(&post).ok(),
    ] {
        assert_eq!(again.map(|again| serde_json::to_string(&again).ok()), Some(Some(json.clone())));
    }
    for len in 0..post.len() {
        assert!(postcard::from_bytes::<T>(&post[..len]).is_err());
        assert!(bincode::deserialize::<T>(&compact[..len]).is_err());
    }
    vec![json, format!("{compact:?}"), format!("{post:?}")]
}

fn wiped<T: ZeroizeOnDrop>(_: &T) {}

pub fn account() -> Vec<String> {
    let mut account = Vec::new();
    account.push(format!("{X25519_BASEPOINT_BYTES:?}"));

    let mut publics: Vec<PublicKey> = Vec::new();
    for start in 0..40 {
        let stored = StaticSecret::random_from_rng(&mut Counter(start * 6));
        let reusable = ReusableSecret::random_from_rng(&mut Counter(start * 6 + 1)).clone();
        let ephemeral = EphemeralSecret::random_from_rng(&mut Counter(start * 6 + 2));
        wiped(&stored);
        wiped(&reusable);
        wiped(&ephemeral);
        let bytes: &[u8] = stored.as_ref();
        account.push(format!("{bytes:?} {:?} {:?}", stored.to_bytes(), stored.as_bytes()));
        let own = [PublicKey::from(&stored), (&reusable).into(), PublicKey::from(&ephemeral)];
        account.push(format!("{:?}", own.map(|public| public.to_bytes())));
        account.push(format!("{:?}", x25519(stored.to_bytes(), X25519_BASEPOINT_BYTES)));
        publics.extend(own);
        let other = publics[usize::from(start) * 7 % publics.len()];
        let (shared, again) =
            (stored.diffie_hellman(&other), stored.clone().diffie_hellman(&other));
        assert!(shared.to_bytes() == again.to_bytes());
        account.push(shown(&shared));
        account.push(shown(&reusable.diffie_hellman(&other)));
        account.push(shown(&ephemeral.diffie_hellman(&other)));
    }

    // every small u and what lies about p, with and without the top bit
    let secret = StaticSecret::from([0x6b; 32]);
    let mut points = HashSet::new();
    for low in 0..=255 {
        for [middle, top] in [[0, 0], [0, 0x80], [0xff, 0x7f], [0xff, 0xff], [0, 0x40]] {
            let mut bytes = [middle; 32];
            (bytes[0], bytes[31]) = (low, top);
            let public = PublicKey::from(bytes);
            let slice: &[u8] = public.as_ref();
            account.push(format!("{slice:?} {}", shown(&secret.diffie_hellman(&public))));
            account.push(format!("{:?}", x25519([low; 32], public.to_bytes())));
            account.push(format!("{}", points.insert(public)));
            let mut residue = [0; 32];
            residue[0] = low.wrapping_add(19);
            account.push(format!("{}", PublicKey::from(residue) == public));
        }
    }
    account.push(points.len().to_string());

    account.extend(forms(&publics[0]));
    account.extend(forms(&secret));
    for len in [0, 31, 32, 33, 64] {
        let list = serde_json::to_string(&vec![1_u8; len]).expect("JSON");
        let public = serde_json::from_str::<PublicKey>(&list);
        let secret = serde_json::from_str::<StaticSecret>(&list);
        account.push(format!("{len} {} {}", public.is_ok(), secret.is_ok()));
    }
    let mut public = publics[0];
    public.zeroize();
    account.push(format!("{:?}", public.to_bytes()));
    account
}
