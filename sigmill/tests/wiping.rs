//! After a secret operation its secrets are in no dead stack frame, and after a drop in no field.

#![allow(missing_docs)]

#[path = "reference/mod.rs"]
mod reference;

use sigmill::ed25519::{Signer, SigningKey, Variant};
use std::hint::black_box;
use std::mem::{ManuallyDrop, MaybeUninit};

/// How far below its own frame the search looks.
const DEPTH: usize = 48 * 1024;

/// Every secret of signing `message`, in the forms it has in memory. On the heap, so that the search
/// does not find the list itself.
fn secrets(seed: &[u8; 32], message: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let (a, prefix) = reference::expand(seed);
    let nonce = reference::sha512(&[&prefix, message]);
    let r = reference::integer(&nonce) % reference::order();
    let a_reduced = reference::bytes32(&(&a % reference::order()));
    vec![
        ("seed", seed.to_vec()),
        ("scalar", a_reduced.to_vec()),
        // its third word is also that of the reduced scalar, as ℓ has a zero there
        ("clamped scalar", reference::bytes32(&a)[..16].to_vec()),
        ("prefix", prefix.to_vec()),
        ("nonce hash, first half", nonce[..32].to_vec()),
        ("nonce hash, second half", nonce[32..].to_vec()),
        ("nonce", reference::bytes32(&r).to_vec()),
    ]
}

/// Overwrites the stack that the preparation used.
#[inline(never)]
fn clear_stack() {
    black_box([0xaa_u8; 2 * DEPTH]);
}

/// The names of the secrets of which eight bytes in a row lie in the dead stack.
#[inline(never)]
fn found_in_dead_stack(secrets: &[(&'static str, Vec<u8>)]) -> Vec<&'static str> {
    let here = MaybeUninit::<u8>::uninit();
    let top = here.as_ptr() as usize;
    // the copy goes to the heap before anything else is called
    let mut dead = Vec::with_capacity(DEPTH);
    for address in top - DEPTH..top {
        // SAFETY: `clear_stack` has used these pages of this thread's stack, so they are mapped;
        // any byte value is a `u8`.
        dead.push(unsafe { (address as *const u8).read_volatile() });
    }
    let is_there = |secret: &[u8]| {
        secret.chunks_exact(8).any(|part| dead.windows(8).any(|window| window == part))
    };
    secrets.iter().filter(|(_, secret)| is_there(secret)).map(|(name, _)| *name).collect()
}

fn check(operation: &str, run: impl Fn(&[u8; 32])) {
    let seed: Box<[u8; 32]> = Box::new(core::array::from_fn(|i| (i * 37 + 11) as u8 | 1));
    let secrets = secrets(&seed, b"wiping");
    clear_stack();
    run(&seed);
    let found = found_in_dead_stack(&secrets);
    assert!(found.is_empty(), "{operation} leaves on the stack: {found:?}");
}

#[test]
fn the_search_finds_what_is_there() {
    // a function that leaves the seed behind on purpose, below the frames of the search
    #[inline(never)]
    fn careless(seed: &[u8; 32], depth: u32) {
        let mut frame = [0_u8; 512];
        black_box(&mut frame);
        if depth > 0 {
            careless(seed, depth - 1);
        } else {
            frame[..32].copy_from_slice(seed);
        }
        black_box(&frame);
    }
    let seed = Box::new([0x5a_u8; 32]);
    let secrets = vec![("seed", seed.to_vec())];
    clear_stack();
    careless(&seed, 16);
    assert_eq!(found_in_dead_stack(&secrets), ["seed"]);
}

#[test]
fn signing_leaves_no_secret_on_the_stack() {
    let seed: Box<[u8; 32]> = Box::new(core::array::from_fn(|i| (i * 37 + 11) as u8 | 1));
    let key = Box::new(SigningKey::from_bytes(&seed));
    check("sign", |_| {
        black_box(key.sign(b"wiping"));
    });
    check("sign_with ph", |_| {
        black_box(key.sign_with(Variant::Ph(Default::default()), b"wiping"));
    });
}

#[test]
fn key_derivation_leaves_no_scalar_on_the_stack() {
    // the key itself is returned by value, so it is built in place on the heap
    let mut place: Vec<SigningKey> = Vec::with_capacity(4);
    let place = std::cell::RefCell::new(&mut place);
    let seed: Box<[u8; 32]> = Box::new(core::array::from_fn(|i| (i * 37 + 11) as u8 | 1));
    let secrets: Vec<_> = secrets(&seed, b"wiping")
        .into_iter()
        // seed, scalar and prefix are in the key, which passes through the caller's frame
        .filter(|(name, _)| !matches!(*name, "seed" | "scalar" | "prefix"))
        .collect();
    clear_stack();
    place.borrow_mut().push(SigningKey::from_bytes(&seed));
    let found = found_in_dead_stack(&secrets);
    assert!(found.is_empty(), "from_bytes leaves on the stack: {found:?}");
}

#[test]
fn a_dropped_key_is_zero() {
    let seed = [0x5b; 32];
    let expanded = secrets(&seed, b"");
    let mut key = ManuallyDrop::new(SigningKey::from_bytes(&seed));
    let bytes = |key: &ManuallyDrop<SigningKey>| {
        let start = (&raw const **key).cast::<u8>();
        // SAFETY: the memory of `key` stays allocated; its bytes are initialised or padding, which
        // a volatile read of a byte may see.
        (0..size_of::<SigningKey>())
            .map(|i| unsafe { start.wrapping_add(i).read_volatile() })
            .collect::<Vec<u8>>()
    };
    let holds =
        |memory: &[u8], secret: &[u8]| memory.windows(8).any(|window| window == &secret[..8]);
    assert!(holds(&bytes(&key), &seed), "the search finds the seed of a living key");
    // SAFETY: `key` is not used as a key again.
    unsafe { ManuallyDrop::drop(&mut key) };
    for (name, secret) in expanded {
        assert!(!holds(&bytes(&key), &secret), "a dropped key still holds its {name}");
    }
}
