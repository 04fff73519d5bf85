//! Random keys, messages and signatures, and what becomes of them by small changes, against the crates
//! `p256` and `p384`: the same signatures and the same verdicts. Now and then the slow reference is asked
//! about one of them as well. `make test-long` has 250,000 rounds.

use crate::curves::{Curve, P256, P384, Random};
use num_bigint::BigUint;
use sha2::{Sha256, Sha384, Sha512};
use sigmill::ecdsa::{BlockSizeUser, Digest, LowS};

/// A number from the environment. `SECP384R1_FUZZ_ITERATIONS`: how many, for both curves together;
/// `SECP384R1_FUZZ_SEED`: where the random bytes start.
fn number(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")),
        Err(_) => default,
    }
}

/// The digest; the signatures, each after that of the crate.
fn signed<C: Curve, D: Digest + BlockSizeUser>(secret: &[u8], message: &[u8]) -> Vec<u8> {
    let digest = D::digest(message).to_vec();
    let noise = [digest[0]; 32];
    let ours = [
        C::sign_digest(secret, &digest).expect("not empty"),
        C::sign_digest_with::<D>(secret, &digest).expect("not empty"),
        C::sign_with_hash::<D>(secret, message),
        C::sign_hedged::<D>(secret, &noise, message),
    ];
    let theirs = C::their_sign_digest_with::<D>(secret, &digest, &[]);
    let hedged = C::their_sign_digest_with::<D>(secret, &digest, &noise);
    assert_eq!(ours, [C::their_sign_digest(secret, &digest), theirs.clone(), theirs, hedged]);
    digest
}

fn flip(bytes: &mut [u8], bit: usize) {
    bytes[bit / 8] ^= 1 << (bit % 8);
}

/// How many rounds of a curve go by without the slow reference, which takes as long as they do.
const REFERENCE_EVERY: usize = 50;

/// What the slow reference says; a key that is no point has no valid signatures.
fn reference_accepts<C: Curve>(key: &[u8], digest: &[u8], signature: &[u8]) -> bool {
    let curve = C::reference();
    let (x, y) = key[1..].split_at(C::WIDTH);
    let q = (BigUint::from_bytes_be(x), BigUint::from_bytes_be(y));
    let (r, s) = C::split(signature);
    curve.is_on_curve(&q) && curve.verifies(&Some(q), &curve.integer_of_digest(digest), &r, &s)
}

/// 0, 1, 2, n − 2, n − 1, n, n + 1, all ones.
fn edges<C: Curve>() -> Vec<BigUint> {
    let (n, one) = (C::reference().n, BigUint::from(1_u8));
    let largest = (&one << (8 * C::WIDTH)) - 1_u8;
    vec![BigUint::ZERO, one, 2_u8.into(), &n - 2_u8, &n - 1_u8, n.clone(), n + 1_u8, largest]
}

/// One key and message; which variants accept.
fn iteration<C: Curve>(random: &mut Random, edges: &[BigUint], round: usize) -> [bool; 8] {
    let secret = random.secret::<C>();
    let len = random.below(300);
    let message = random.bytes(len);
    let sign = [signed::<C, Sha256>, signed::<C, Sha384>, signed::<C, Sha512>][round % 3];
    let digest = sign(&secret, &message);
    assert_eq!(C::sign_message(&secret, &message), C::sign_with_hash::<C::Hash>(&secret, &message));
    let key = C::public_key(&secret);
    assert_eq!(key, C::their_public_key(&secret));
    let signature = C::sign_digest(&secret, &digest).expect("not empty");
    let half = 8 * C::WIDTH;
    let mut variants = vec![(key.clone(), digest.clone(), signature.clone()); 8];
    flip(&mut variants[1].2, random.below(half));
    flip(&mut variants[2].2, half + random.below(half));
    flip(&mut variants[3].1, random.below(8 * C::WIDTH.min(digest.len())));
    flip(&mut variants[4].0, 8 + random.below(2 * half));
    variants[5].0 = C::public_key(&random.secret::<C>());
    variants[6].2 = random.bytes(2 * C::WIDTH);
    let (r, s) = C::split(&signature);
    variants[7].2 = C::signature(&r, &(C::reference().n - &s));
    for edge in edges {
        variants.push((key.clone(), digest.clone(), C::signature(edge, &s)));
        variants.push((key.clone(), digest.clone(), C::signature(&r, edge)));
    }
    let other = &edges[random.below(edges.len())];
    let edge = &edges[round % edges.len()];
    variants.push((key, digest, C::signature(edge, other)));
    // in turn, so that each kind comes up on both curves
    let asked =
        round.is_multiple_of(REFERENCE_EVERY).then(|| round / REFERENCE_EVERY % variants.len());
    let accepted: Vec<bool> = variants
        .iter()
        .enumerate()
        .map(|(i, (key, digest, signature))| {
            let ours = C::verify(LowS::Any, key, digest, signature).is_valid();
            let theirs = C::they_accept(key, digest, signature);
            assert_eq!(ours, theirs, "{}: {key:x?} {digest:x?} {signature:x?}", C::NAME);
            if asked == Some(i) {
                assert_eq!(ours, reference_accepts::<C>(key, digest, signature), "{i}");
            }
            ours
        })
        .collect();
    assert!(!accepted[8..].contains(&true));
    accepted[..8].try_into().expect("eight variants")
}

#[test]
fn the_crates_sign_and_verify_alike_on_p256() {
    alike::<P256>();
}

#[test]
fn the_crates_sign_and_verify_alike_on_p384() {
    alike::<P384>();
}

fn alike<C: Curve>() {
    let iterations = number("SECP384R1_FUZZ_ITERATIONS", 300);
    let seed = number("SECP384R1_FUZZ_SEED", 1);
    println!(
        "SECP384R1_FUZZ_SEED={seed} SECP384R1_FUZZ_ITERATIONS={iterations}, half of them on {}",
        C::NAME
    );
    let edges = edges::<C>();
    let mut random = Random::new(seed);
    for round in 0..usize::try_from(iterations / 2).expect("a number that ends") {
        let accepted = iteration::<C>(&mut random, &edges, round);
        assert_eq!(accepted, [true, false, false, false, false, false, false, true]);
    }
}
