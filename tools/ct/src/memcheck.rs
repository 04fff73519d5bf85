//! Signing (deterministic, hedged, checked, in two passes, with expanded keys, in bulk), key generation,
//! seed and pair import, X25519 alone and in bulk, with every secret marked for Valgrind: any branch or index
//! that depends on a secret, in the library or in a dependency, is an error of Memcheck's.

use crate::c_face;
use sigmill::bulk::{Backend, Column, Engine, SigningKeys, StaticSecrets};
use sigmill::cpu::{self, Feature};
use sigmill::ed25519::RandomizedSigner;
use sigmill::ed25519::{ContextString, SharedMessage, Signer, SigningKey, StreamSigner, Variant};
use sigmill::ed25519::{
    Digest, Sha512, VerifyingKey,
    hazmat::{ExpandedSecretKey, raw_sign},
    public_key_with_hash, sign_shared_with_seed, sign_with_hash, sign_with_keypair, sign_with_seed,
};
use sigmill::make_secret;
use sigmill::x25519::{EphemeralSecret, PublicKey, StaticSecret, x25519};
use std::cell::Cell;
use std::convert::Infallible;
use std::hint::black_box;

/// A random source whose output is secret.
struct SecretRandom(u8);

impl rand_core::TryRng for SecretRandom {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0 = self.0.wrapping_mul(5).wrapping_add(1);
        bytes.fill(self.0);
        make_secret(bytes);
        Ok(())
    }
}

impl rand_core::TryCryptoRng for SecretRandom {}

pub(crate) fn leak() {
    let mut secret = [7_u8; 32];
    make_secret(&mut secret);
    if black_box(secret)[0] == 7 {
        println!("leaked");
    }
}

/// Signing, key generation and import with each hash function on one curve.
macro_rules! ecdsa {
    ($module:ident, $round:expr) => {{
        use sigmill::ecdsa::{PrehashSigner, $module};
        let round: u8 = $round;
        let mut bytes = [round.wrapping_mul(51); $module::FIELD_LENGTH];
        // the extremes of the range, with leading zeros and ones
        bytes[0] = [0, 0xff, 0x7f, 0x80, 1, 0][usize::from(round) % 6];
        bytes[$module::FIELD_LENGTH - 1] |= 1;
        make_secret(&mut bytes);
        let key = $module::SigningKey::from_bytes(&bytes).expect("1 to n - 1");
        for message in [&b""[..], b"message", &[round; 300]] {
            black_box(key.sign_message(message));
            black_box(key.sign_with_hash::<sha2::Sha256>(message));
            black_box(key.sign_with_hash::<sha2::Sha384>(message));
            black_box(key.sign_with_hash::<sha2::Sha512>(message));
        }
        let mut noise = [round; 32];
        make_secret(&mut noise);
        black_box(key.sign_hedged_with_hash::<sha2::Sha384>(&noise, b"message"));
        assert!(PrehashSigner::<$module::Signature>::sign_prehash(&key, &[round; 20]).is_ok());
        {
            use sigmill::ecdsa::RandomizedSigner as _;
            let signature = key.sign_with_rng(&mut SecretRandom(round), b"message");
            let _: $module::Signature = black_box(signature);
        }
        {
            let der = key.to_private_key_der().expect("it is encoded");
            assert!($module::SigningKey::from_private_key_der(&der).is_ok());
            let der = key.to_sec1_der().expect("it is encoded");
            assert!($module::SigningKey::from_sec1_der(&der).is_ok());
        }
        let generated = $module::SigningKey::random(&mut SecretRandom(round));
        assert!(generated != key);
        {
            use sigmill::ecdh::$module::{EphemeralSecret, PublicKey, SecretKey};
            let secret = SecretKey::from_bytes(&bytes).expect("1 to n - 1");
            assert!(secret == SecretKey::from(&key) && key == (&secret).into());
            let short = SecretKey::from_slice(&bytes[1..]).expect("below n, and not 0");
            let ephemeral = EphemeralSecret::random(&mut SecretRandom(round));
            let theirs: PublicKey = ephemeral.public_key();
            let shared = secret.diffie_hellman(&theirs);
            assert!(shared == ephemeral.diffie_hellman(&secret.public_key()));
            black_box(short.diffie_hellman(&theirs));
        }
    }};
}

/// The features that single operations may use, and how many keys are then taken.
const CLASSES: [(&[Feature], u8); 4] =
    [(&[], 2), (&[Feature::Adx], 2), (&[Feature::Avx2], 2), (&Feature::ALL, 6)];

pub(crate) fn run() {
    let context = ContextString::new(b"context").expect("it is short");
    for (features, rounds) in CLASSES {
        cpu::force(features);
        if !features.is_empty() && !features.iter().any(|feature| cpu::has(*feature)) {
            let names = features.iter().map(|feature| feature.name()).collect::<Vec<_>>();
            println!("not run, without its instructions: {}", names.join(", "));
            continue;
        }
        alone(rounds, context);
        let names: Vec<_> =
            Feature::ALL.into_iter().filter(|f| cpu::has(*f)).map(Feature::name).collect();
        println!(
            "constant time: {rounds} keys, {} signatures, {} imports, {rounds} generated keys; of the CPU {}",
            22 * u32::from(rounds),
            2 * rounds,
            if names.is_empty() { "nothing".into() } else { names.join(", ") },
        );
        agreement(rounds.into());
    }
    c_face::run();
    for backend in Backend::ALL {
        match Engine::new().with_backend(backend) {
            Ok(engine) => {
                bulk(&engine, context);
                bulk_agreement(&engine);
                bulk_ecdsa!(p256, engine);
                bulk_ecdsa!(p384, engine);
            }
            // Valgrind has no AVX-512; the clock and the object code stand in
            Err(_) => println!(
                "not run under Valgrind, which lacks its instructions: backend {backend}, in bulk and alone"
            ),
        }
    }
}

/// Keys and signatures one at a time.
fn alone(rounds: u8, context: ContextString<'_>) {
    // the last ones are those that are taken if few are
    for round in 6 - rounds..6 {
        ecdsa!(p256, round);
        ecdsa!(p384, round);
    }
    for round in 6 - rounds..6 {
        // seeds that drive the digits to their extremes as far as hashing lets them
        let mut seed = [round.wrapping_mul(51); 32];
        make_secret(&mut seed);
        let key = SigningKey::from_bytes(&seed);
        for message in [&b""[..], b"message", &[round; 300]] {
            black_box(key.sign(message));
            black_box(key.sign_with(Variant::Ctx(context), message));
            black_box(key.sign_with(Variant::Ph(context), message));
            let mut first = StreamSigner::new(&key, Variant::Pure);
            first.update(message);
            let mut second = first.second_pass();
            second.update(message);
            assert!(second.finish().is_ok());
        }
        for len in [300, 5000] {
            let read = |_: usize, piece: &mut [u8]| piece.fill(round);
            let message = SharedMessage::new(len, &read);
            assert!(key.sign_shared(Variant::Pure, &message).is_ok());
            assert!(sign_shared_with_seed(&seed, Variant::Ph(context), &message).is_ok());
            assert!(key.sign_shared_checked(Variant::Pure, None, &message).is_ok());
            let reads = Cell::new(0_u8);
            let changing = |_: usize, piece: &mut [u8]| {
                reads.set(reads.get() + 1);
                piece.fill(reads.get());
            };
            let changed = key.sign_shared(Variant::Pure, &SharedMessage::new(len, &changing));
            assert_eq!(changed.is_ok(), len == 300);
        }
        black_box(key.sign_prehashed_with(context, &[round; 64]));
        black_box(sign_with_seed(&seed, Variant::Ctx(context), b"message"));
        let hash = |pieces: &[&[u8]]| -> [u8; 64] {
            let mut hash = Sha512::new();
            pieces.iter().for_each(|piece| hash.update(piece));
            hash.finalize().into()
        };
        assert!(public_key_with_hash(&hash, &seed) == key.verifying_key().to_bytes());
        assert!(sign_with_hash(&hash, &seed, b"message") == key.sign(b"message"));
        let mut noise = [round; 32];
        make_secret(&mut noise);
        black_box(key.sign_hedged(Variant::Pure, &noise, b"message"));
        assert!(key.sign_checked(Variant::Ph(context), Some(&noise), b"message").is_ok());
        black_box(key.sign_with_rng(&mut SecretRandom(round), b"message"));
        black_box(key.to_scalar_bytes());
        {
            let mut bytes = [round.wrapping_mul(37); 64];
            make_secret(&mut bytes);
            let secret = ExpandedSecretKey::from_bytes(&bytes);
            let public = VerifyingKey::from(&secret);
            black_box(raw_sign::<Sha512>(&secret, b"message", &public));
            assert!(!secret.belongs_to(&key.verifying_key()));
            assert!(key.to_scalar() != secret.scalar);
        }
        // pair import: right and wrong
        let mut pair = key.to_keypair_bytes();
        assert!(SigningKey::from_keypair_bytes(&pair).is_ok());
        assert!(sign_with_keypair(&pair, Variant::Pure, b"message").is_ok());
        pair[40] ^= 1;
        assert!(sign_with_keypair(&pair, Variant::Pure, b"message").is_err());
        assert!(SigningKey::from_keypair_bytes(&pair).is_err());
        let generated = SigningKey::generate(&mut SecretRandom(round));
        black_box(generated.sign(b"message"));
        assert!(generated != key);
        drop(generated.clone());
    }
}

/// Scalars from all zeros to all ones.
fn secrets(rows: usize) -> Vec<StaticSecret> {
    let mut bytes: Vec<[u8; 32]> = (0..rows as u8).map(|i| [i.wrapping_mul(51); 32]).collect();
    bytes.iter_mut().for_each(|bytes| make_secret(bytes));
    bytes.into_iter().map(StaticSecret::from).collect()
}

/// Ladder, multiples of the base point, the decision about the result, comparison. The other side's
/// key is as secret as ours: a random one, one of small order and one that is not reduced.
fn agreement(rounds: usize) {
    for (round, secret) in secrets(6).into_iter().enumerate().skip(6 - rounds) {
        for point in [[round as u8 + 2; 32], [0; 32], [0xff; 32]] {
            let mut u = point;
            make_secret(&mut u);
            black_box(x25519(secret.to_bytes(), u));
            let shared = secret.diffie_hellman(&u.into());
            assert!(shared.was_contributory() == (point != [0; 32]));
            match secret.agree(&u.into()) {
                Ok(agreed) => assert!(agreed == shared && point != [0; 32]),
                Err(_) => assert!(point == [0; 32]),
            }
        }
        let ephemeral = EphemeralSecret::random_from_rng(&mut SecretRandom(round as u8));
        let theirs = PublicKey::from(&ephemeral);
        assert!(ephemeral.agree(&PublicKey::from(&secret)) == secret.agree(&theirs));
        assert!(secret != StaticSecret::from([7; 32]));
    }
    println!(
        "constant time: {} agreements on bytes, {} on types, {} public keys",
        3 * rounds,
        8 * rounds,
        2 * rounds
    );
}

/// The same by the column.
fn bulk_agreement(engine: &Engine) {
    const ROWS: usize = 19;
    for rows in [1, ROWS] {
        let secrets = secrets(rows);
        let mut publics = vec![PublicKey::from([0; 32]); rows];
        assert!(engine.x25519_public_keys_into(&secrets, &mut publics).is_ok());
        // known from here on: [k]B of each row, one of small order among them
        publics[rows / 2] = PublicKey::from([0; 32]);
        for secrets in [StaticSecrets::One(&secrets[0]), StaticSecrets::Each(&secrets)] {
            let mut shared: Vec<_> = (0..rows).map(|_| None).collect();
            assert!(engine.x25519_into(secrets, &publics, &mut shared).is_ok());
            assert!(shared.iter().filter(|shared| shared.is_none()).count() == 1);
            black_box(&shared);
        }
    }
    println!("constant time in bulk, backend {}: 20 public keys, 40 agreements", engine.backend());
}

/// Bulk signing and key generation on a curve.
macro_rules! bulk_ecdsa {
    ($module:ident, $engine:ident) => {{
        use sigmill::ecdsa::{Prehash, $module};
        const WIDTH: usize = $module::FIELD_LENGTH;
        const ROWS: usize = 3;
        let mut secrets: Vec<[u8; WIDTH]> = (1..=ROWS as u8).map(|i| [i * 51; WIDTH]).collect();
        secrets.iter_mut().for_each(|secret| make_secret(secret));
        let mut publics = vec![[0; 2 * WIDTH + 1]; ROWS];
        let derived = $engine.ecdsa_public_keys_into::<$module::SigningKey>(&secrets, &mut publics);
        assert!(derived.is_ok());
        let keys = $engine.ecdsa_signing_keys::<$module::SigningKey>(&secrets);
        let keys = keys.expect("1 to n - 1");
        assert!(keys.iter().zip(&publics).all(|(k, p)| k.verifying_key().to_sec1_bytes() == *p));
        let messages = Column::fixed(&[0x5a; 32 * ROWS], 32, ROWS, None).expect("whole rows");
        for prehash in [Prehash::Sha256, Prehash::Sha384, Prehash::None] {
            let mut signatures = vec![[0; 2 * WIDTH]; ROWS];
            let signers = SigningKeys::Each(&keys);
            assert!($engine.sign_ecdsa_into(signers, prehash, &messages, &mut signatures).is_ok());
            black_box(&signatures);
        }
        println!(
            "constant time in bulk, backend {}: 6 keys, 9 signatures on {}",
            $engine.backend(),
            stringify!($module)
        );
    }};
}
use bulk_ecdsa;

/// Bulk signing and key generation.
fn bulk(engine: &Engine, context: ContextString<'_>) {
    const ROWS: usize = 19;
    let mut seeds: Vec<[u8; 32]> = (0..ROWS as u8).map(|i| [i.wrapping_mul(51); 32]).collect();
    seeds.iter_mut().for_each(|seed| make_secret(seed));
    let bytes = [0x5a; 2000];
    let offsets: Vec<i32> = (0..=ROWS as i32).map(|i| i * i * 5).collect();
    let messages = Column::binary(&offsets, &bytes, None).expect("offsets go up");
    for rows in [1, ROWS] {
        let seeds = &seeds[..rows];
        let mut publics = vec![[0; 32]; rows];
        assert!(engine.public_keys_into(seeds, &mut publics).is_ok());
        let keys = engine.signing_keys(seeds);
        assert!(
            keys.iter().zip(&publics).all(|(key, bytes)| key.verifying_key().as_bytes() == bytes)
        );
        let messages = Column::binary(&offsets[..=rows], &bytes, None).unwrap_or(messages);
        let mut signatures = vec![[0; 64]; rows];
        for variant in [Variant::Pure, Variant::Ctx(context), Variant::Ph(context)] {
            for keys in [SigningKeys::One(&keys[0]), SigningKeys::Each(&keys)] {
                assert!(engine.sign_into(keys, variant, &messages, &mut signatures).is_ok());
                black_box(&signatures);
            }
        }
    }
    println!("constant time in bulk, backend {}: 40 keys, 120 signatures", engine.backend());
}
