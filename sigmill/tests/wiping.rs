//! After a secret operation its secrets are in no dead stack frame, and after a drop in no field.

#![allow(missing_docs)]

mod cpu;
#[path = "reference/mod.rs"]
mod reference;

use num_bigint::BigUint;
use reference::weierstrass;
use sigmill::bulk::{
    Backend, Column, Engine, Scratch, SharedRows, SigningKeys, Spec, Specs, StaticSecrets, Table,
};
use sigmill::cpu::{Feature, has};
use sigmill::ecdsa;
use sigmill::ed25519::{
    ContextString, PreparedKey, SharedMessage, Signer, SigningKey, Variant, rules,
    sign_shared_with_keypair, sign_shared_with_seed, sign_with_keypair, sign_with_seed,
};
use sigmill::x25519::{PublicKey, StaticSecret, x25519};
use std::cell::Cell;
use std::collections::HashSet;
use std::hint::black_box;
use std::mem::{ManuallyDrop, MaybeUninit};

/// Names of secrets and their bytes.
type Secrets = Vec<(&'static str, Vec<u8>)>;

/// How far below its own frame the search looks: three times as far as a computation in lanes was seen to
/// reach.
const DEPTH: usize = 192 * 1024;

/// The paint of `clear_stack`.
const PAINT: u8 = 0xaa;

/// Every secret of signing `message`, in the forms it has in memory. On the heap, so that the search
/// does not find the list itself.
fn secrets(seed: &[u8; 32], message: &[u8]) -> Secrets {
    secrets_with_dom(seed, &[], message)
}

fn secrets_with_dom(seed: &[u8; 32], dom: &[u8], message: &[u8]) -> Secrets {
    let (a, prefix) = reference::expand(seed);
    let nonce = reference::sha512(&[dom, &prefix, message]);
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
        // what lanes cut windows from
        ("scalar with offset", with_offset(&(a % reference::order()))),
        ("nonce with offset", with_offset(&r)),
    ]
}

/// Σ 16·32ⁱ added, which makes windows of five bits signed.
fn with_offset(scalar: &BigUint) -> Vec<u8> {
    let offset = (0..51).fold(BigUint::ZERO, |sum, i| sum + (BigUint::from(16_u8) << (5 * i)));
    reference::bytes32(&(scalar + offset)).to_vec()
}

/// Overwrites the stack that the preparation used.
#[inline(never)]
fn clear_stack() {
    black_box([PAINT; 2 * DEPTH]);
}

/// A copy of the dead stack. It goes to the heap before anything else is called.
#[inline(never)]
fn dead_stack() -> Vec<u8> {
    let here = MaybeUninit::<u8>::uninit();
    let top = here.as_ptr() as usize;
    let mut dead = Vec::with_capacity(DEPTH);
    for address in top - DEPTH..top {
        // SAFETY: `clear_stack` has used these pages of this thread's stack, so they are mapped;
        // any byte value is a `u8`.
        dead.push(unsafe { (address as *const u8).read_volatile() });
    }
    dead
}

/// The names of the secrets of which eight bytes in a row, or in a row backwards as the words of a hash
/// are, lie in the dead stack.
#[inline(always)]
fn found_in_dead_stack(secrets: &[(&'static str, Vec<u8>)]) -> Vec<&'static str> {
    names_in(&dead_stack(), secrets)
}

fn names_in(dead: &[u8], secrets: &[(&'static str, Vec<u8>)]) -> Vec<&'static str> {
    let words: HashSet<[u8; 8]> =
        dead.windows(8).filter_map(|window| window.try_into().ok()).collect();
    let is_there = |secret: &[u8]| {
        secret.as_chunks::<8>().0.iter().any(|part| {
            let mut backwards = *part;
            backwards.reverse();
            words.contains(part) || words.contains(&backwards)
        })
    };
    secrets.iter().filter(|(_, secret)| is_there(secret)).map(|(name, _)| *name).collect()
}

/// Frames of the search, of the wiping and of work on public values reach so far down.
const SHALLOW: usize = 6 * 1024;
/// Bytes further down that these leave; 357 were seen. A computation in lanes that is not wiped leaves 1,138 or more.
const FEW: usize = 768;

/// The same, and whether a computation's frames lie there unwiped. The compiler and the processor decide which
/// secrets a computation spills, so that a search for some of them may find nothing where nothing is wiped.
#[inline(always)]
fn found_or_unwiped(secrets: &[(&'static str, Vec<u8>)]) -> Vec<&'static str> {
    let dead = dead_stack();
    let mut found = names_in(&dead, secrets);
    let deep = &dead[..DEPTH - SHALLOW];
    if deep.iter().filter(|byte| !matches!(**byte, 0 | PAINT)).count() > FEW {
        found.push("frames that are not wiped");
    }
    found
}

fn check(operation: &str, run: impl Fn(&[u8; 32])) {
    check_message(operation, b"wiping", run);
}

/// The same for an operation that signs this message.
fn check_message(operation: &str, message: &[u8], run: impl Fn(&[u8; 32])) {
    let seed: Box<[u8; 32]> = Box::new(core::array::from_fn(|i| (i * 37 + 11) as u8 | 1));
    let secrets = secrets(&seed, message);
    clear_stack();
    run(&seed);
    let found = found_or_unwiped(&secrets);
    assert!(found.is_empty(), "{operation} leaves on the stack: {found:?}");
}

#[test]
fn the_search_finds_what_is_there() {
    // a function that leaves the seed behind on purpose, below the frames of the search
    #[inline(never)]
    fn careless(seed: &[u8; 32], depth: u32) {
        let mut frame = [1_u8; 512];
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
    clear_stack();
    careless(&[0x3c; 32], 16);
    assert_eq!(found_or_unwiped(&secrets), ["frames that are not wiped"]);
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
    let pair = Box::new(key.to_keypair_bytes());
    let mut wrong = pair.clone();
    wrong[63] ^= 1;
    for len in [100, 5000] {
        let message = vec![0x33; len];
        let read = |offset: usize, piece: &mut [u8]| {
            piece.copy_from_slice(&message[offset..][..piece.len()]);
        };
        let shared = SharedMessage::new(len, &read);
        let reads = Cell::new(0);
        let read_changing = |_: usize, piece: &mut [u8]| {
            reads.set(reads.get() + 1);
            piece.fill(if reads.get() > 3 { 0x34 } else { 0x33 });
        };
        let changing = SharedMessage::new(len, &read_changing);
        check_message(&format!("sign_shared, {len} bytes"), &message, |_| {
            assert!(black_box(key.sign_shared(Variant::Pure, &shared)).is_ok());
        });
        check_message(&format!("sign_shared_checked, {len} bytes"), &message, |_| {
            assert!(black_box(key.sign_shared_checked(Variant::Pure, None, &shared)).is_ok());
        });
        check_message(&format!("sign_shared_with_seed, {len} bytes"), &message, |seed| {
            assert!(black_box(sign_shared_with_seed(seed, Variant::Pure, &shared)).is_ok());
        });
        check_message(&format!("sign_shared_with_keypair, {len} bytes"), &message, |_| {
            assert!(black_box(sign_shared_with_keypair(&pair, Variant::Pure, &shared)).is_ok());
            let refused = sign_shared_with_keypair(&wrong, Variant::Pure, &shared);
            assert!(black_box(refused).is_err());
        });
        check_message(&format!("sign_shared of what changes, {len} bytes"), &message, |seed| {
            reads.set(0);
            assert_eq!(key.sign_shared(Variant::Pure, &changing).is_ok(), len == 100);
            reads.set(0);
            let signature = sign_shared_with_seed(seed, Variant::Pure, &changing);
            assert_eq!(black_box(signature).is_ok(), len == 100);
        });
    }
    check("sign_with_seed", |seed| {
        black_box(sign_with_seed(seed, Variant::Pure, b"wiping"));
    });
    check("sign_with_keypair", |_| {
        black_box(sign_with_keypair(&pair, Variant::Pure, b"wiping")).expect("its own key");
    });
    check("sign_with_keypair that refuses", |_| {
        black_box(sign_with_keypair(&wrong, Variant::Pure, b"wiping")).expect_err("another key");
    });
}

#[cfg(feature = "hazmat")]
#[test]
fn signing_a_message_that_fails_or_changes_leaves_no_secret_on_the_stack() {
    use sigmill::ed25519::hazmat::{ExpandedSecretKey, raw_sign, raw_sign_byupdate};
    use sigmill::ed25519::{Digest, Sha512, SignatureError};
    use std::cell::Cell;

    let seed: Box<[u8; 32]> = Box::new(core::array::from_fn(|i| (i * 37 + 11) as u8 | 1));
    let key = SigningKey::from_bytes(&seed);
    let public = key.verifying_key();
    let secret = Box::new(ExpandedSecretKey::from(&*seed));
    let other = secret.clone();
    check("raw_sign", |_| {
        black_box(raw_sign::<Sha512>(&secret, b"wiping", &public));
    });
    for (ending, fails) in [("fails", true), ("changes", false)] {
        // the message is asked for three times; a fourth is not asked for
        for last in 1..=4 {
            let calls = Cell::new(0);
            let update = |digest: &mut Sha512| {
                calls.set(calls.get() + 1);
                digest.update(b"wiping");
                match (calls.get() == last, fails) {
                    (true, true) => return Err(SignatureError::new()),
                    (true, false) => digest.update(b"!"),
                    _ => {}
                }
                Ok(())
            };
            let signed = Cell::new(false);
            check(&format!("raw_sign_byupdate that {ending} at call {last}"), |_| {
                signed.set(black_box(raw_sign_byupdate(&secret, update, &public)).is_ok());
            });
            // the second is the one behind k, which may be anything
            assert_eq!(signed.get(), last == 4 || (last == 2 && !fails), "{ending} {last}");
        }
    }
    let ph = Variant::Ph(Default::default());
    check("sign_with of an expanded secret", |_| {
        black_box(secret.sign_with(Variant::Pure, b"wiping"));
    });
    check("sign_with of an expanded secret, ph", |_| {
        black_box(secret.sign_with(ph, b"wiping"));
    });
    let message = vec![0x33; 5000];
    let read = |offset: usize, piece: &mut [u8]| {
        piece.copy_from_slice(&message[offset..][..piece.len()]);
    };
    for len in [100, 5000] {
        let shared = SharedMessage::new(len, &read);
        check_message("sign_shared of an expanded secret", &message[..len], |_| {
            assert!(black_box(secret.sign_shared(Variant::Pure, &shared)).is_ok());
        });
    }
    check("comparison", |_| {
        assert!(black_box(secret.scalar == other.scalar) && black_box(secret == other));
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

/// Engines of every backend that can run here.
fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.into_iter().filter_map(|backend| Engine::new().with_backend(backend).ok())
}

/// Seeds of some rows, and the secrets of all of them.
fn rows(n: usize, message: &[u8]) -> (Vec<[u8; 32]>, Secrets) {
    let seeds: Vec<[u8; 32]> =
        (0..n).map(|row| core::array::from_fn(|i| (i * 37 + row * 11 + 5) as u8 | 1)).collect();
    let secrets = seeds.iter().flat_map(|seed| secrets(seed, message)).collect();
    (seeds, secrets)
}

#[test]
fn bulk_signing_leaves_no_secret_on_the_stack() {
    for (engine, n) in engines().flat_map(|engine| [1, 2, 20, 300].map(|n| (engine, n))) {
        // of the message or, for Ed25519ph, of its hash
        let message = b"wiping".to_vec();
        let context = ContextString::EMPTY;
        let mut dom = b"SigEd25519 no Ed25519 collisions".to_vec();
        dom.extend([1, 0]);
        let (seeds, secrets) = rows(n, &message);
        let prehashed = reference::sha512(&[&message]);
        let ph_secrets: Vec<_> =
            seeds.iter().flat_map(|seed| secrets_with_dom(seed, &dom, &prehashed)).collect();
        let keys: Vec<SigningKey> = seeds.iter().map(SigningKey::from_bytes).collect();
        let bytes = message.repeat(n);
        let mut signatures = vec![[0; 64]; n];
        for (variant, secrets) in [(Variant::Pure, &secrets), (Variant::Ph(context), &ph_secrets)] {
            for signers in [SigningKeys::One(&keys[0]), SigningKeys::Each(&keys)] {
                let column = Box::new(Column::fixed(&bytes, message.len(), n, None).unwrap());
                clear_stack();
                let done = engine.sign_into(signers, variant, &column, &mut signatures);
                let found = found_or_unwiped(secrets);
                assert!(done.is_ok());
                assert!(found.is_empty(), "{engine:?}, {n} rows, {variant:?}: {found:?}");
                // copies of all, of a few at a time, and none
                for len in [bytes.len(), 9 * message.len(), 1] {
                    let (mut buffer, shared) = (vec![0; len], Same(&message));
                    let mut made = vec![[0; 64]; n];
                    clear_stack();
                    let done =
                        engine.sign_shared_into(signers, variant, &shared, &mut buffer, &mut made);
                    let found = found_or_unwiped(secrets);
                    assert!(done.is_ok() && made == signatures);
                    assert!(found.is_empty(), "{engine:?}, {n} rows, {len} bytes: {found:?}");
                }
            }
        }
    }
}

/// One message for all rows.
struct Same<'a>(&'a [u8]);

impl SharedRows for Same<'_> {
    fn message_len(&self, _: usize) -> usize {
        self.0.len()
    }

    fn read(&self, _: usize, offset: usize, piece: &mut [u8]) {
        piece.copy_from_slice(&self.0[offset..][..piece.len()]);
    }
}

#[test]
fn bulk_key_generation_leaves_no_secret_on_the_stack() {
    for (engine, n) in engines().flat_map(|engine| [1, 2, 20, 300].map(|n| (engine, n))) {
        let (seeds, secrets) = rows(n, b"wiping");
        let mut publics = vec![[0; 32]; n];
        clear_stack();
        let done = engine.public_keys_into(&seeds, &mut publics);
        let found = found_or_unwiped(&secrets);
        assert!(done.is_ok());
        assert!(found.is_empty(), "{engine:?}, {n} public keys: {found:?}");
        #[cfg(feature = "alloc")]
        {
            clear_stack();
            let keys = engine.signing_keys(&seeds);
            let found = found_or_unwiped(&secrets);
            assert_eq!(keys.len(), n);
            assert!(found.is_empty(), "{engine:?}, {n} keys: {found:?}");
        }
    }
}

/// Runs something so far down that the frames of the search do not cover its own, which may be small.
#[inline(never)]
fn deep_down<T>(run: impl FnOnce() -> T) -> T {
    let mut frame = [0_u8; 4096];
    black_box(&mut frame);
    let result = run();
    black_box(&frame);
    result
}

/// The bytes of stack that something uses that is run deep down, more than nothing does: how far down the paint
/// of `clear_stack` is gone.
fn stack_used(run: impl FnOnce()) -> usize {
    #[inline(never)]
    fn painted() -> usize {
        let here = MaybeUninit::<u8>::uninit();
        let top = here.as_ptr() as usize;
        let is_paint = |address: &usize| {
            // SAFETY: `clear_stack` has used these pages of this thread's stack, so they are mapped;
            // any byte value is a `u8`.
            unsafe { (*address as *const u8).read_volatile() == PAINT }
        };
        (top - DEPTH..top).take_while(is_paint).count()
    }
    clear_stack();
    deep_down(run);
    let deepest = DEPTH - painted();
    clear_stack();
    deep_down(|| ());
    deepest.saturating_sub(DEPTH - painted())
}

/// Runs something under a name, and notes it if it uses more stack than that.
fn noting(exceeded: &mut Vec<String>) -> impl FnMut(&str, usize, &mut dyn FnMut()) {
    |name, most, run| {
        // the first time something is looked up that stays known
        run();
        let used = stack_used(&mut *run);
        println!("{name}: {used}");
        if used > most {
            exceeded.push(format!("{name}: {used} bytes, {most} allowed"));
        }
    }
}

#[test]
fn the_measure_of_stack_sees_what_is_used() {
    #[inline(never)]
    fn uses<const BYTES: usize>() {
        black_box([0_u8; BYTES]);
    }
    let used = [stack_used(uses::<1000>), stack_used(uses::<50_000>), stack_used(uses::<150_000>)];
    assert!(used[0] < 2_000, "{used:?}");
    assert!((50_000..51_000).contains(&used[1]), "{used:?}");
    assert!((150_000..151_000).contains(&used[2]), "{used:?}");
}

/// Bytes of stack that every operation may use. The library is compiled with checks here, and optimised
/// for less: what is shipped uses no more than half as much of it again.
const VERIFY: usize = 12 * 1024;
const BULK: usize = 64 * 1024;

/// The copy that is made of a message which other code may write to, in a frame above the wiped ones.
const COPIED: usize = 2 * 1024;

/// What a single secret operation wipes, without AVX-512 IFMA or with it, and the frames down to that: whatever uses more
/// leaves something behind.
fn wiped([without, with]: [usize; 2]) -> usize {
    1024 + 1024 * if has(Feature::Ifma) { with } else { without }
}

const CURVE25519: [usize; 2] = [12, 12];
const DERIVING: [usize; 2] = [12, 14];
const ANY_CURVE: [usize; 2] = [20, 32];

#[test]
fn no_operation_needs_much_stack() {
    const ROWS: usize = 300;
    let mut exceeded = Vec::new();
    let mut check = noting(&mut exceeded);
    let seeds: Vec<[u8; 32]> = (0..ROWS).map(|row| [row as u8 | 1; 32]).collect();
    let keys: Vec<SigningKey> = seeds.iter().map(SigningKey::from_bytes).collect();
    let publics: Vec<u8> = keys.iter().flat_map(|key| key.verifying_key().to_bytes()).collect();
    let signatures: Vec<u8> = keys.iter().flat_map(|key| key.sign(b"wiping").to_bytes()).collect();
    let messages = b"wiping".repeat(ROWS);
    let key = &keys[0];
    let public = key.verifying_key();
    let signature = key.sign(b"wiping");
    check("from_bytes", wiped(CURVE25519), &mut || {
        black_box(SigningKey::from_bytes(&seeds[0]));
    });
    check("sign", wiped(CURVE25519), &mut || {
        black_box(key.sign(b"wiping"));
    });
    let pair = key.to_keypair_bytes();
    let long = [0x33; 5000];
    let read = |offset: usize, piece: &mut [u8]| {
        piece.copy_from_slice(&long[offset..][..piece.len()]);
    };
    let noise = [0x6d; 32];
    check("sign_hedged", wiped(CURVE25519), &mut || {
        black_box(key.sign_hedged(Variant::Pure, &noise, b"wiping"));
    });
    check("sign ph", wiped(CURVE25519), &mut || {
        black_box(key.sign_with(Variant::Ph(Default::default()), b"wiping"));
    });
    check("sign_checked", wiped(ANY_CURVE), &mut || {
        black_box(key.sign_checked(Variant::Pure, None, b"wiping")).unwrap();
    });
    check("sign_with_seed", wiped(DERIVING), &mut || {
        black_box(sign_with_seed(&seeds[0], Variant::Pure, b"wiping"));
    });
    check("sign_with_keypair", wiped(DERIVING), &mut || {
        black_box(sign_with_keypair(&pair, Variant::Pure, b"wiping")).unwrap();
    });
    for len in [6, 5000] {
        let shared = SharedMessage::new(len, &read);
        let of = |name: &str| format!("{name}, {len} bytes");
        check(&of("sign_shared"), wiped(CURVE25519) + COPIED, &mut || {
            black_box(key.sign_shared(Variant::Pure, &shared)).unwrap();
        });
        check(&of("sign_shared_checked"), wiped(ANY_CURVE) + COPIED, &mut || {
            black_box(key.sign_shared_checked(Variant::Pure, None, &shared)).unwrap();
        });
        check(&of("sign_shared_with_seed"), wiped(DERIVING) + COPIED, &mut || {
            black_box(sign_shared_with_seed(&seeds[0], Variant::Pure, &shared)).unwrap();
        });
        check(&of("sign_shared_with_keypair"), wiped(DERIVING) + COPIED, &mut || {
            black_box(sign_shared_with_keypair(&pair, Variant::Pure, &shared)).unwrap();
        });
    }
    for rule in [&rules::COMMON, &rules::STRICT, &rules::ZIP215] {
        check(rule.name(), VERIFY, &mut || {
            let verdict = public.verify_with(rule, Variant::Pure, b"wiping", &signature);
            assert!(black_box(verdict).is_valid());
        });
    }
    // what other words than the default ones take more in a build that is not optimised throughout
    let more = if sigmill::field_backend() == "u64x4" { 8 } else { 9 };
    check("preparing", 3 * 1024 * more, &mut || {
        assert_eq!(PreparedKey::new(&public).verifying_key(), &public);
    });
    let mut prepared = PreparedKey::new(&keys[1].verifying_key());
    check("preparing in place", VERIFY / 8 * more, &mut || prepared.replace(&public));
    check("prepared", VERIFY, &mut || {
        let rule = &rules::COMMON;
        let verdict = prepared.verify_with(rule, Variant::Pure, b"wiping", &signature);
        assert!(black_box(verdict).is_valid());
    });
    let secrets: Vec<StaticSecret> = seeds.iter().map(|seed| StaticSecret::from(*seed)).collect();
    let others: Vec<PublicKey> = secrets.iter().map(PublicKey::from).collect();
    check("x25519", wiped(CURVE25519), &mut || {
        black_box(secrets[0].agree(&others[1])).ok();
    });
    check("x25519 public key", wiped(CURVE25519), &mut || {
        black_box(PublicKey::from(&secrets[0]));
    });
    for engine in engines() {
        let of = |name: &str| format!("{name}, {}", engine.backend());
        let mut scratch = vec![Scratch::new(); engine.scratch_len(ROWS)];
        let mut outcomes = vec![None; ROWS];
        let mut made = vec![[0; 64]; ROWS];
        let mut made_publics = vec![[0; 32]; ROWS];
        let mut shared: Vec<_> = (0..ROWS).map(|_| None).collect();
        let mut made_others = others.clone();
        for n in [1, 2, 8, 64, ROWS] {
            fn column(bytes: &[u8], width: usize, n: usize) -> Column<'_> {
                Column::fixed(bytes, width, n, None).unwrap()
            }
            for rule in [&rules::COMMON, &rules::ZIP215] {
                for bad in [false, true] {
                    let mut signatures = signatures[..64 * n].to_vec();
                    signatures[40] ^= u8::from(bad);
                    let table = Table::new(
                        column(&publics[..32 * n], 32, n),
                        column(&messages[..6 * n], 6, n),
                        column(&signatures, 64, n),
                        Specs::Same(Spec::ed25519(rule, Variant::Pure)),
                    );
                    check(&of(&format!("{n} rows, {}, {bad}", rule.name())), BULK, &mut || {
                        let outcomes = &mut outcomes[..n];
                        let table = table.as_ref().unwrap();
                        engine.verify_into(table, outcomes, &mut scratch).unwrap();
                        assert!(outcomes[0].unwrap().is_valid() != bad);
                    });
                }
            }
            let messages = column(&messages[..6 * n], 6, n);
            for variant in [Variant::Pure, Variant::Ph(ContextString::EMPTY)] {
                check(&of(&format!("{n} signatures, {variant:?}")), BULK, &mut || {
                    let signers = SigningKeys::Each(&keys[..n]);
                    engine.sign_into(signers, variant, &messages, &mut made[..n]).unwrap();
                });
            }
            check(&of(&format!("{n} public keys")), BULK, &mut || {
                engine.public_keys_into(&seeds[..n], &mut made_publics[..n]).unwrap();
            });
            check(&of(&format!("{n} agreements")), BULK, &mut || {
                let secrets = StaticSecrets::Each(&secrets[..n]);
                engine.x25519_into(secrets, &others[..n], &mut shared[..n]).unwrap();
            });
            check(&of(&format!("{n} public keys of X25519")), BULK, &mut || {
                engine.x25519_public_keys_into(&secrets[..n], &mut made_others[..n]).unwrap();
            });
        }
    }
    drop(check);
    assert!(exceeded.is_empty(), "{exceeded:#?}");
}

/// An X25519 secret as it came, clamped, reduced, and with what makes its windows signed.
fn scalar_forms(k: &[u8; 32]) -> Secrets {
    let mut clamped = *k;
    clamped[0] &= 248;
    clamped[31] = clamped[31] & 127 | 64;
    let reduced = reference::integer(&clamped) % reference::order();
    vec![
        ("secret", k.to_vec()),
        ("clamped", clamped.to_vec()),
        ("reduced", reference::bytes32(&reduced).to_vec()),
        ("with offset", with_offset(&reduced)),
    ]
}

#[test]
fn x25519_leaves_no_secret_on_the_stack() {
    let secret: Box<_> =
        Box::new(StaticSecret::from(core::array::from_fn(|i| (i * 37 + 11) as u8)));
    let public = Box::new(PublicKey::from([0x3b; 32]));
    let mut secrets = scalar_forms(secret.as_bytes());
    clear_stack();
    black_box(deep_down(|| PublicKey::from(&*secret)));
    assert_eq!(found_or_unwiped(&secrets), [""; 0], "of a public key");
    // what is agreed on is returned by value: it is looked for where it stays in its place
    secrets.push(("shared", x25519(secret.to_bytes(), public.to_bytes()).to_vec()));
    let mut shared = Box::new([const { None }; 1]);
    clear_stack();
    let done = deep_down(|| {
        let publics = core::slice::from_ref(&*public);
        Engine::new().x25519_into(StaticSecrets::One(&secret), publics, &mut *shared)
    });
    assert_eq!(found_or_unwiped(&secrets), [""; 0], "of one row");
    assert!(done.is_ok() && shared[0].is_some());
    secrets.pop();
    clear_stack();
    deep_down(|| shared[0] = Some(secret.diffie_hellman(&public)));
    assert_eq!(found_or_unwiped(&secrets), [""; 0], "of diffie_hellman");
    clear_stack();
    deep_down(|| shared[0] = secret.agree(&public).ok());
    assert_eq!(found_or_unwiped(&secrets), [""; 0], "of agree");
}

#[test]
fn bulk_x25519_leaves_no_secret_on_the_stack() {
    for (engine, n) in engines().flat_map(|engine| [1, 2, 20, 300].map(|n| (engine, n))) {
        let scalars = (0..n).map(|row| core::array::from_fn(|i| (i * 37 + row * 11 + 5) as u8 | 1));
        let keys: Vec<StaticSecret> = scalars.map(StaticSecret::from).collect();
        let mut publics = vec![PublicKey::from([0; 32]); n];
        let mut secrets: Secrets =
            keys.iter().flat_map(|key| scalar_forms(key.as_bytes())).collect();
        clear_stack();
        let done = engine.x25519_public_keys_into(&keys, &mut publics);
        let found = found_or_unwiped(&secrets);
        assert!(done.is_ok());
        assert!(found.is_empty(), "{engine:?}, {n} public keys: {found:?}");
        let agreed = |key: &StaticSecret| x25519(key.to_bytes(), publics[n / 2].to_bytes());
        secrets.extend(keys.iter().map(|key| ("shared", agreed(key).to_vec())));
        let publics = vec![publics[n / 2]; n];
        let mut shared: Vec<_> = (0..n).map(|_| None).collect();
        clear_stack();
        let done = engine.x25519_into(StaticSecrets::Each(&keys), &publics, &mut shared);
        let found = found_or_unwiped(&secrets);
        assert!(done.is_ok() && shared.iter().all(Option::is_some));
        assert!(found.is_empty(), "{engine:?}, {n} shared secrets: {found:?}");
    }
}

/// An integer mod n in the forms it has in memory: its words, and those of its Montgomery form.
fn residue_forms(
    names: [&'static str; 2],
    x: &BigUint,
    curve: &weierstrass::Curve,
) -> [(&'static str, Vec<u8>); 2] {
    let montgomery = (x << (64 * curve.words)) % &curve.n;
    let words = |x: &BigUint| {
        let mut bytes = x.to_bytes_le();
        bytes.resize(8 * curve.words, 0);
        bytes
    };
    [(names[0], words(x)), (names[1], words(&montgomery))]
}

/// Σ dᵢ·32ⁱ with −15 ≤ dᵢ ≤ 16: the digits by which multiples are taken from a table. None of the parts
/// that are looked for is all zeros.
fn digits(x: &BigUint) -> Vec<u8> {
    let mut carry = 0;
    let digit = |i: u64| (0..5).map(|bit| i8::from(x.bit(5 * i + bit)) << bit).sum::<i8>();
    let signed = (0..x.bits().div_ceil(40) * 8).map(|i| {
        let value = digit(i) + carry;
        carry = i8::from(value > 16);
        (value - 32 * carry) as u8
    });
    signed.collect()
}

/// What signing knows, from the signature: k = (e + r·d)/s.
fn ecdsa_secrets(curve: &weierstrass::Curve, d: &[u8], digest: &[u8], signature: &[u8]) -> Secrets {
    let n = &curve.n;
    let inverse = |x: &BigUint| x.modpow(&(n - 2_u8), n);
    let (r, s) = signature.split_at(signature.len() / 2);
    let [d, r, s] = [d, r, s].map(BigUint::from_bytes_be);
    let product = &r * &d % n;
    let sum = (curve.integer_of_digest(digest) + &product) % n;
    let k = &sum * inverse(&s) % n;
    let point = curve.times(&curve.g, &k).expect("not infinity");
    assert_eq!(point.0 % n, r, "k is the nonce");
    let digits = [("digits of k", digits(&k)), ("digits of d", digits(&d))];
    [
        residue_forms(["d", "d, Montgomery"], &d, curve),
        residue_forms(["k", "k, Montgomery"], &k, curve),
        residue_forms(["1/k", "1/k, Montgomery"], &inverse(&k), curve),
        residue_forms(["r·d", "r·d, Montgomery"], &product, curve),
        residue_forms(["e + r·d", "e + r·d, Montgomery"], &sum, curve),
        digits,
    ]
    .into_iter()
    .flatten()
    .collect()
}

macro_rules! ecdsa {
    ($signing:ident, $bulk:ident, $generation:ident, $stack:ident, $agreement:ident, $drop:ident, $module:ident, $hash:ty) => {
        #[test]
        fn $signing() {
            use sha2::Digest;
            let curve = weierstrass::$module();
            let bytes: Box<[u8; ecdsa::$module::FIELD_LENGTH]> =
                Box::new(core::array::from_fn(|i| (i * 37 + 11) as u8));
            let key = Box::new(ecdsa::$module::SigningKey::from_bytes(&bytes).expect("1 to n - 1"));
            let noise = Box::new([0x6d; 32]);
            let digest = Box::new(<$hash>::digest(b"wiping"));
            let ways: [(_, &dyn Fn() -> ecdsa::$module::Signature); 4] = [
                ("a message", &|| key.sign_message(b"wiping")),
                ("with another hash", &|| key.sign_with_hash::<sha2::Sha512>(b"wiping")),
                ("hedged", &|| key.sign_hedged_with_hash::<$hash>(&noise, b"wiping")),
                ("a digest", &|| key.sign_digest_bytes(&digest).expect("not empty")),
            ];
            for (way, sign) in ways {
                let hashed = match way {
                    "with another hash" => sha2::Sha512::digest(b"wiping").to_vec(),
                    _ => digest.to_vec(),
                };
                let signature = sign();
                let secrets = ecdsa_secrets(&curve, &*bytes, &hashed, signature.as_ref());
                clear_stack();
                let again = deep_down(sign);
                let found = found_or_unwiped(&secrets);
                assert_eq!(again, signature);
                assert!(found.is_empty(), "{}, {way}: {found:?}", curve.name);
            }
        }

        #[test]
        fn $bulk() {
            use sha2::Digest;
            const LEN: usize = ecdsa::$module::FIELD_LENGTH;
            let curve = weierstrass::$module();
            let bytes: Box<[u8; LEN]> = Box::new(core::array::from_fn(|i| (i * 37 + 11) as u8));
            let key = Box::new(ecdsa::$module::SigningKey::from_bytes(&bytes).expect("1 to n - 1"));
            let signature = key.sign_message(b"wiping");
            let digest = <$hash>::digest(b"wiping");
            let secrets = ecdsa_secrets(&curve, &*bytes, &digest, signature.as_ref());
            let [of_key, _] = residue_forms(["d", ""], &BigUint::from_bytes_be(&*bytes), &curve);
            let of_key = [of_key, ("digits of d", digits(&BigUint::from_bytes_be(&*bytes)))];
            let prehash = match LEN {
                32 => ecdsa::Prehash::Sha256,
                _ => ecdsa::Prehash::Sha384,
            };
            for (engine, n) in engines().flat_map(|engine| [1, 2, 20, 300].map(|n| (engine, n))) {
                let messages = b"wiping".repeat(n);
                let column = Box::new(Column::fixed(&messages, 6, n, None).expect("n rows"));
                let mut signatures = vec![[0; 2 * LEN]; n];
                clear_stack();
                let signer = SigningKeys::One(&*key);
                let done = engine.sign_ecdsa_into(signer, prehash, &column, &mut signatures);
                let found = found_or_unwiped(&secrets);
                assert!(done.is_ok() && signatures == vec![signature.to_bytes(); n]);
                assert!(found.is_empty(), "{engine:?}, {n} rows: {found:?}");
                let secret_keys = vec![*bytes; n];
                let mut publics = vec![[0; 2 * LEN + 1]; n];
                clear_stack();
                let done = engine.ecdsa_public_keys_into::<ecdsa::$module::SigningKey>(
                    &secret_keys,
                    &mut publics,
                );
                let found = found_or_unwiped(&of_key);
                assert!(done.is_ok());
                assert!(found.is_empty(), "{engine:?}, {n} public keys: {found:?}");
            }
        }

        #[test]
        fn $stack() {
            use sha2::Digest;
            const ROWS: usize = 200;
            const LEN: usize = ecdsa::$module::FIELD_LENGTH;
            let bytes = [1; LEN];
            let key = ecdsa::$module::SigningKey::from_bytes(&bytes).expect("1 to n - 1");
            let public = key.verifying_key();
            let digest = <$hash>::digest(b"wiping");
            let signature = key.sign_digest_bytes(&digest).expect("not empty");
            let mut exceeded = Vec::new();
            let mut check = noting(&mut exceeded);
            check("from_bytes", wiped(ANY_CURVE), &mut || {
                black_box(ecdsa::$module::SigningKey::from_bytes(&bytes)).ok();
            });
            check("sign", wiped(ANY_CURVE), &mut || {
                black_box(key.sign_digest_bytes(&digest)).ok();
            });
            check("verify", VERIFY, &mut || {
                let verdict = public.verify_digest_with(ecdsa::LowS::Any, &digest, &signature);
                assert!(black_box(verdict).is_valid());
            });
            let prehash = match LEN {
                32 => ecdsa::Prehash::Sha256,
                _ => ecdsa::Prehash::Sha384,
            };
            let scheme = match LEN {
                32 => ecdsa::Scheme::P256,
                _ => ecdsa::Scheme::P384,
            };
            let messages = b"wiping".repeat(ROWS);
            let sec1 = public.to_sec1_bytes().repeat(ROWS);
            let valid = key.sign_message(b"wiping").to_bytes().repeat(ROWS);
            let mut made = vec![[0; 2 * LEN]; ROWS];
            let mut publics = vec![[0; 2 * LEN + 1]; ROWS];
            let mut outcomes = vec![None; ROWS];
            let secrets = vec![bytes; ROWS];
            for engine in engines() {
                let mut scratch = vec![Scratch::new(); engine.scratch_len(ROWS)];
                for n in [1, 2, 8, ROWS] {
                    let of = |name: &str| format!("{n} {name}, {}", engine.backend());
                    let column =
                        |bytes, width: usize| Column::fixed(bytes, width, n, None).unwrap();
                    let messages = column(&messages[..6 * n], 6);
                    check(&of("signatures"), BULK, &mut || {
                        let signer = SigningKeys::One(&key);
                        engine.sign_ecdsa_into(signer, prehash, &messages, &mut made[..n]).unwrap();
                    });
                    check(&of("public keys"), BULK, &mut || {
                        type Key = ecdsa::$module::SigningKey;
                        let publics = &mut publics[..n];
                        engine.ecdsa_public_keys_into::<Key>(&secrets[..n], publics).unwrap();
                    });
                    let table = Table::new(
                        column(&sec1[..(2 * LEN + 1) * n], 2 * LEN + 1),
                        messages,
                        column(&valid[..2 * LEN * n], 2 * LEN),
                        Specs::Same(Spec::Ecdsa(scheme)),
                    );
                    check(&of("verifications"), BULK, &mut || {
                        let (table, outcomes) = (table.as_ref().unwrap(), &mut outcomes[..n]);
                        engine.verify_into(table, outcomes, &mut scratch).unwrap();
                        assert!(outcomes[0].unwrap().is_valid());
                    });
                }
            }
            drop(check);
            assert!(exceeded.is_empty(), "{exceeded:#?}");
        }

        #[test]
        fn $generation() {
            let curve = weierstrass::$module();
            let bytes: Box<[u8; ecdsa::$module::FIELD_LENGTH]> =
                Box::new(core::array::from_fn(|i| (i * 37 + 11) as u8));
            let d = BigUint::from_bytes_be(&*bytes);
            // the Montgomery form is in the key, which passes through the caller's frame
            let [secret, _] = residue_forms(["d", ""], &d, &curve);
            let secrets = [secret, ("digits of d", digits(&d))];
            let mut keys = Vec::with_capacity(2);
            clear_stack();
            deep_down(|| keys.push(ecdsa::$module::SigningKey::from_bytes(&bytes)));
            let found = found_in_dead_stack(&secrets);
            assert_eq!(found, [""; 0], "{}, from_bytes", curve.name);
            clear_stack();
            deep_down(|| keys.push(Ok(ecdsa::$module::SigningKey::random(&mut Source))));
            let found = found_in_dead_stack(&secrets);
            assert_eq!(found, [""; 0], "{}, random", curve.name);
            assert!(keys[0].is_ok() && keys[0] == keys[1]);
        }

        #[test]
        fn $agreement() {
            use sigmill::ecdh::$module::{EphemeralSecret, SecretKey};
            const LEN: usize = ecdsa::$module::FIELD_LENGTH;
            let curve = weierstrass::$module();
            let bytes: Box<[u8; LEN]> = Box::new(core::array::from_fn(|i| (i * 37 + 11) as u8));
            let d = BigUint::from_bytes_be(&*bytes);
            let key = Box::new(SecretKey::from_bytes(&bytes).expect("1 to n - 1"));
            let public =
                Box::new(SecretKey::from_slice(&[7; LEN]).expect("1 to n - 1").public_key());
            // an agreement multiplies by the lower of d and n - d
            let low = if &d + &d < curve.n { d.clone() } else { &curve.n - &d };
            let mut secrets = residue_forms(["d", "d, Montgomery"], &d, &curve).to_vec();
            secrets.extend(residue_forms(["low", "low, Montgomery"], &low, &curve));
            secrets.extend([("digits of d", digits(&d)), ("digits of low", digits(&low))]);
            let mut shared = Vec::with_capacity(1);
            clear_stack();
            deep_down(|| shared.push(key.diffie_hellman(&public)));
            let found = found_in_dead_stack(&secrets);
            assert_eq!(found, [""; 0], "{}, agreement", curve.name);
            let mut publics = Vec::with_capacity(1);
            clear_stack();
            deep_down(|| publics.push(key.public_key()));
            let found = found_in_dead_stack(&secrets);
            assert_eq!(found, [""; 0], "{}, public key", curve.name);
            // the Montgomery form is in the key, which passes through the caller's frame
            let secrets = [secrets[0].clone(), secrets[4].clone()];
            let mut made = Vec::with_capacity(1);
            clear_stack();
            deep_down(|| made.push(EphemeralSecret::random(&mut Source)));
            let found = found_in_dead_stack(&secrets);
            assert_eq!(found, [""; 0], "{}, ephemeral secret", curve.name);
            assert!(
                made[0].diffie_hellman(&public) == shared[0] && made[0].public_key() == publics[0]
            );
            let used = stack_used(|| _ = black_box(key.diffie_hellman(&public)));
            println!("diffie_hellman: {used}");
            assert!(used <= wiped(ANY_CURVE), "{used}");
        }

        #[test]
        fn $drop() {
            let curve = weierstrass::$module();
            let bytes: [u8; ecdsa::$module::FIELD_LENGTH] =
                core::array::from_fn(|i| (i * 37 + 11) as u8);
            let forms =
                residue_forms(["d", "d, Montgomery"], &BigUint::from_bytes_be(&bytes), &curve);
            let key = ecdsa::$module::SigningKey::from_bytes(&bytes).expect("1 to n - 1");
            fn memory<T>(key: &ManuallyDrop<T>) -> Vec<u8> {
                let start = (&raw const **key).cast::<u8>();
                let read = |i| {
                    // SAFETY: the memory of `key` stays allocated, and its bytes are initialised words.
                    unsafe { start.wrapping_add(i).read_volatile() }
                };
                (0..size_of::<T>()).map(read).collect()
            }
            fn check<T>(key: T, forms: &[(&str, Vec<u8>)]) {
                let holds = |memory: &[u8], secret: &[u8]| {
                    memory.windows(8).any(|window| secret.chunks(8).any(|word| word == window))
                };
                let mut key = ManuallyDrop::new(key);
                assert!(holds(&memory(&key), &forms[1].1), "the search finds d in a living key");
                // SAFETY: `key` is not used as a key again.
                unsafe { ManuallyDrop::drop(&mut key) };
                assert!(forms.iter().all(|(_, form)| !holds(&memory(&key), form)));
            }
            let secret = ecdsa::$module::SecretKey::from(&key);
            check(secret.to_nonzero_scalar(), &forms);
            check(secret, &forms);
            check(ecdsa::$module::KeyPair::from(key), &forms);
        }
    };
}

ecdsa!(
    p256_signing_leaves_no_secret_on_the_stack,
    bulk_p256_leaves_no_secret_on_the_stack,
    p256_key_generation_leaves_no_secret_on_the_stack,
    no_operation_on_p256_needs_much_stack,
    agreement_on_p256_leaves_no_secret_on_the_stack,
    a_dropped_p256_key_is_zero,
    p256,
    sha2::Sha256
);
ecdsa!(
    p384_signing_leaves_no_secret_on_the_stack,
    bulk_p384_leaves_no_secret_on_the_stack,
    p384_key_generation_leaves_no_secret_on_the_stack,
    no_operation_on_p384_needs_much_stack,
    agreement_on_p384_leaves_no_secret_on_the_stack,
    a_dropped_p384_key_is_zero,
    p384,
    sha2::Sha384
);

/// A random source that gives the bytes of the secret keys above, and keeps nothing.
struct Source;

impl rand_core::TryRng for Source {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(11)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(11)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = (i * 37 + 11) as u8;
        }
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Source {}

#[test]
fn dropped_x25519_secrets_are_zero() {
    fn bytes<T>(value: &ManuallyDrop<T>) -> Vec<u8> {
        let start = (&raw const **value).cast::<u8>();
        // SAFETY: the memory of `value` stays allocated, and its bytes are initialised.
        (0..size_of::<T>()).map(|i| unsafe { start.wrapping_add(i).read_volatile() }).collect()
    }
    let mut secret = ManuallyDrop::new(StaticSecret::from([0x5b; 32]));
    let mut shared = ManuallyDrop::new(secret.diffie_hellman(&PublicKey::from([0x3b; 32])));
    assert!(bytes(&secret) == [0x5b; 32] && bytes(&shared) == shared.as_bytes());
    // SAFETY: the secret is not used as what it was again.
    unsafe { ManuallyDrop::drop(&mut secret) };
    // SAFETY: the shared secret is not used as what it was again.
    unsafe { ManuallyDrop::drop(&mut shared) };
    assert!(bytes(&secret) == [0; 32] && bytes(&shared) == [0; 32]);
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

#[cfg(feature = "containers")]
macro_rules! containers {
    ($test:ident, $type:ty, $len:literal, $(($label:literal, $der:ident, $pem:ident, $read:ident)),*) => {
        #[test]
        fn $test() {
            use base64::{Engine as _, engine::general_purpose::STANDARD};
            let seed: Box<[u8; $len]> = Box::new(core::array::from_fn(|i| (i * 37 + 11) as u8 | 1));
            let key = Box::new(<$type>::try_from(&seed[..]).expect("1 to n - 1"));
            let mut out = Box::new([0; 512]);
            $(
                let len = key.$der(&mut *out).expect("there is room");
                let der = out[..len].to_vec();
                // the characters of PEM that stand for bytes of the key alone
                let start = der.windows($len).position(|part| part == *seed).expect("the key");
                let whole = &der[start.next_multiple_of(3)..(start + $len) / 3 * 3];
                let base64 = STANDARD.encode(whole).into_bytes();
                let secrets = vec![("key", seed.to_vec()), ("key in base64", base64)];
                for room in [512, 40] {
                    clear_stack();
                    let written = deep_down(|| key.$der(&mut out[..room])).is_ok();
                    assert_eq!(found_or_unwiped(&secrets), [""; 0], concat!($label, " in DER"));
                    clear_stack();
                    let text = deep_down(|| key.$pem(&mut out[..room])).is_ok();
                    assert_eq!(found_or_unwiped(&secrets), [""; 0], concat!($label, " in PEM"));
                    assert_eq!((written, text), (room == 512, room == 512));
                }
                // a key that is read passes through the caller's frame; this one breaks off behind it
                let cut = STANDARD.encode(&der[..len - 1]).into_bytes();
                let lines: Vec<&[u8]> = cut.chunks(64).collect();
                let (begin, end) = (concat!("-----BEGIN ", $label, "-----\n"), concat!("\n-----END ", $label, "-----"));
                let text = [begin.as_bytes(), &lines.join(&b"\n"[..]), end.as_bytes()].concat();
                clear_stack();
                let read = deep_down(|| <$type>::$read(&text).map(|_| ()));
                assert_eq!(found_or_unwiped(&secrets), [""; 0], concat!($label, " read"));
                assert_eq!(read, Err(sigmill::Error::KeyFormat(sigmill::KeyFormatError::Der)));
            )*
        }
    };
}

#[cfg(feature = "containers")]
containers!(
    containers_leave_no_seed_on_the_stack,
    SigningKey,
    32,
    ("PRIVATE KEY", write_private_key_der, write_private_key_pem, read_private_key_pem)
);
#[cfg(feature = "containers")]
macro_rules! containers_of_curves {
    ($($name:ident: $type:ty = $len:literal),+) => {$(
        containers!(
            $name,
            $type,
            $len,
            ("PRIVATE KEY", write_private_key_der, write_private_key_pem, read_private_key_pem),
            ("EC PRIVATE KEY", write_sec1_der, write_sec1_pem, read_sec1_pem)
        );
    )+};
}

#[cfg(feature = "containers")]
containers_of_curves!(
    containers_leave_no_p256_key_on_the_stack: ecdsa::p256::SigningKey = 32,
    containers_leave_no_p384_key_on_the_stack: ecdsa::p384::SigningKey = 48
);
