//! Signing (deterministic, hedged, checked, in two passes, with expanded keys, in bulk), key generation,
//! seed and pair import, X25519 alone and in bulk, with every secret marked for Valgrind.
//!
//! `make ct` builds this in release mode with `--cfg sigmill_valgrind` and runs it under Memcheck:
//! any branch or index that depends on a secret, in this library or in a dependency, is an error.
//! `constant_time leak` branches on a secret on purpose: the check must then fail.
//!
//! `constant_time clock` runs without Valgrind, which has no AVX-512, and compares the times of bulk
//! signing, key generation and agreement for secrets that stay the same with those for secrets that change.
//! `constant_time clock leak` adds work that depends on a secret: the comparison must then fail.

#[cfg(not(sigmill_valgrind))]
fn main() {
    eprintln!("build with RUSTFLAGS='--cfg sigmill_valgrind' and run under valgrind: make ct");
    std::process::exit(2);
}

#[cfg(sigmill_valgrind)]
fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["clock"] => return clock::run(false),
        ["clock", "leak"] => return clock::run(true),
        ["leak"] => valgrind::leak(),
        _ => valgrind::run(),
    }
    std::process::ExitCode::SUCCESS
}

#[cfg(sigmill_valgrind)]
mod clock {
    //! Welch's t-test on two classes of inputs that are measured in random order (Reparaz, Balasch and
    //! Verbauwhede 2017, "Dude, is my code constant time?"). Before each measurement the inputs of both
    //! classes are read and one is copied to the place where the measured code works; then other memory
    //! is read until the nearest cache holds nothing else, so that it does not matter which one it was.

    use sigmill::bulk::{Column, Engine, SigningKeys, StaticSecrets};
    use sigmill::ed25519::{SigningKey, Variant};
    use sigmill::x25519::{PublicKey, StaticSecret};
    use std::hint::black_box;
    use std::process::ExitCode;
    use std::time::{Duration, Instant};

    /// Rows of one measurement: two vectors of eight lanes.
    const ROWS: usize = 16;
    /// Sets of inputs of each class.
    const SETS: usize = 64;
    const SECONDS_EACH: u64 = 10;
    /// Without a leak t stays below 4; the planted one, half a percent, goes above 30.
    const LIMIT: f64 = 10.0;
    /// Slower ones than these parts of all measurements are left out, in tests of their own.
    const CROPS: [f64; 6] = [0.1, 0.3, 0.5, 0.8, 0.95, 1.0];

    /// Good enough to choose classes and seeds.
    struct Random(u64);

    impl Random {
        fn word(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let word = (self.0 ^ self.0 >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            word ^ word >> 32
        }

        fn bytes(&mut self) -> [u8; 32] {
            let mut bytes = [0; 32];
            for chunk in bytes.chunks_exact_mut(8) {
                chunk.copy_from_slice(&self.word().to_le_bytes());
            }
            bytes
        }
    }

    type Rows = [[u8; 32]; ROWS];

    /// Sets of rows: all the same, and all different.
    fn classes(random: &mut Random) -> [Vec<Rows>; 2] {
        let mut fixed: Rows = core::array::from_fn(|_| random.bytes());
        fixed.iter_mut().for_each(|row| row[0] = 0); // no work in a planted leak
        let changing = (0..SETS).map(|_| core::array::from_fn(|_| random.bytes())).collect();
        [vec![fixed; SETS], changing]
    }

    /// Times of both classes, in nanoseconds. `prepare` reads a set of both classes and copies the one
    /// of the given class to where `measured` works on it.
    fn measure(
        random: &mut Random,
        seconds: u64,
        mut prepare: impl FnMut(usize, usize),
        mut measured: impl FnMut(),
    ) -> Vec<(u32, usize)> {
        let mut times = Vec::new();
        let elsewhere = vec![1_u8; 1 << 17]; // more than any nearest cache of today holds
        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end {
            for _ in 0..256 {
                let choice = random.word() as usize;
                let class = choice & 1;
                prepare(class, choice >> 1 & (SETS - 1));
                black_box(black_box(&elsewhere).iter().step_by(64).fold(0, |sum, byte| sum ^ byte));
                let start = Instant::now();
                measured();
                times.push((u32::try_from(start.elapsed().as_nanos()).unwrap_or(u32::MAX), class));
            }
        }
        times
    }

    /// Welch's t of the fastest part of the measurements.
    fn welch(sorted: &[(u32, usize)]) -> f64 {
        let [(n0, mean0, variance0), (n1, mean1, variance1)] = [0, 1].map(|class| {
            let times = || sorted.iter().filter(|(_, c)| *c == class).map(|(t, _)| f64::from(*t));
            let n = times().count() as f64;
            let mean = times().sum::<f64>() / n;
            (n, mean, times().map(|t| (t - mean) * (t - mean)).sum::<f64>() / (n - 1.0))
        });
        (mean0 - mean1) / (variance0 / n0 + variance1 / n1).sqrt()
    }

    /// Whether no t is above the limit.
    fn judge(what: &str, mut times: Vec<(u32, usize)>) -> bool {
        times.sort_unstable();
        let ts = CROPS.map(|part| welch(&times[..(times.len() as f64 * part) as usize]));
        let listed: Vec<String> = ts.iter().map(|t| format!("{t:.1}")).collect();
        let median = times[times.len() / 2].0;
        let worst = ts.iter().fold(0.0, |worst: f64, t| worst.max(t.abs()));
        println!(
            "clock: {what}: {} measurements, median {median} ns, t of the fastest {CROPS:?} = [{}], \
             limit {LIMIT}",
            times.len(),
            listed.join(", "),
        );
        worst < LIMIT // false for what is no number
    }

    /// A step for each bit of each first byte: some 64 for random bytes, as long as a few branches
    /// that are mispredicted.
    fn planted(rows: &Rows) {
        let bits: u32 = rows.iter().map(|row| row[0].count_ones()).sum();
        black_box((0..bits).fold(0, |sum, bit| black_box(sum) + bit));
    }

    /// Signing of one message with keys of both classes.
    macro_rules! ecdsa {
        (
            $module:ident, $width:literal, $prehash:ident,
            $engine:ident, $random:ident, $seeds:ident, $seconds:ident, $leak:ident
        ) => {{
            use sigmill::ecdsa::{Prehash, $module};
            let key = |seed: &[u8; 32]| {
                let mut bytes = [0x55; $width];
                bytes[$width - 31..].copy_from_slice(&seed[1..]);
                $module::SigningKey::from_bytes(&bytes).expect("1 to n - 1")
            };
            let keys: [Vec<Vec<$module::SigningKey>>; 2] = $seeds
                .each_ref()
                .map(|sets| sets.iter().map(|rows| rows.iter().map(key).collect()).collect());
            let place = std::cell::RefCell::new((keys[0][0].clone(), $seeds[0][0]));
            let mut both = [place.borrow().clone(), place.borrow().clone()];
            let mut signatures = [[0; 2 * $width]; ROWS];
            let message = [0x5a; 32 * ROWS];
            measure(
                &mut $random,
                $seconds,
                |class, set| {
                    for (class, (signers, secrets)) in black_box(&mut both).iter_mut().enumerate() {
                        signers.clone_from_slice(&keys[class][set]);
                        *secrets = $seeds[class][set];
                    }
                    let (signers, secrets) = &mut *place.borrow_mut();
                    signers.clone_from_slice(&both[class].0);
                    *secrets = both[class].1;
                },
                || {
                    let (signers, secrets) = &*place.borrow();
                    let column = Column::fixed(&message, 32, ROWS, None);
                    let done = column.and_then(|column| {
                        let signers = SigningKeys::Each(signers);
                        let prehash = Prehash::$prehash;
                        $engine.sign_ecdsa_into(signers, prehash, &column, &mut signatures)
                    });
                    assert!(done.is_ok());
                    if $leak {
                        planted(secrets);
                    }
                },
            )
        }};
    }

    pub(super) fn run(leak: bool) -> ExitCode {
        let engine = Engine::new();
        let seconds = if leak { 4 } else { SECONDS_EACH };
        let mut random = Random(1);
        let seeds = classes(&mut random);

        let place = std::cell::RefCell::new(seeds[0][0]);
        let mut both = [seeds[0][0]; 2];
        let mut publics = [[0; 32]; ROWS];
        let derived = measure(
            &mut random,
            seconds,
            |class, set| {
                black_box(&mut both).copy_from_slice(&[seeds[0][set], seeds[1][set]]);
                *place.borrow_mut() = both[class];
            },
            || {
                let seeds = place.borrow();
                assert!(engine.public_keys_into(&*seeds, &mut publics).is_ok());
                if leak {
                    planted(&seeds);
                }
            },
        );

        let keys: [Vec<Vec<SigningKey>>; 2] = seeds
            .each_ref()
            .map(|sets| sets.iter().map(|rows| engine.signing_keys(rows)).collect());
        let messages = classes(&mut random);
        let place = std::cell::RefCell::new((keys[0][0].clone(), messages[0][0], seeds[0][0]));
        let mut both = [place.borrow().clone(), place.borrow().clone()];
        let mut signatures = [[0; 64]; ROWS];
        let signed = measure(
            &mut random,
            seconds,
            |class, set| {
                for (class, (signers, rows, secrets)) in black_box(&mut both).iter_mut().enumerate()
                {
                    signers.clone_from_slice(&keys[class][set]);
                    (*rows, *secrets) = (messages[class][set], seeds[class][set]);
                }
                let (signers, rows, secrets) = &mut *place.borrow_mut();
                signers.clone_from_slice(&both[class].0); // not to another place of the heap
                (*rows, *secrets) = (both[class].1, both[class].2);
            },
            || {
                let (signers, rows, secrets) = &*place.borrow();
                let column = Column::fixed(rows.as_flattened(), 32, ROWS, None);
                let done = column.and_then(|column| {
                    let signers = SigningKeys::Each(signers);
                    engine.sign_into(signers, Variant::Pure, &column, &mut signatures)
                });
                assert!(done.is_ok());
                if leak {
                    planted(secrets);
                }
            },
        );

        let secrets: [Vec<Vec<StaticSecret>>; 2] = seeds.each_ref().map(|sets| {
            sets.iter().map(|rows| rows.iter().copied().map(StaticSecret::from).collect()).collect()
        });
        let theirs: [PublicKey; ROWS] = core::array::from_fn(|_| random.bytes().into());
        let place = std::cell::RefCell::new((secrets[0][0].clone(), seeds[0][0]));
        let mut both = [place.borrow().clone(), place.borrow().clone()];
        let mut shared = [const { None }; ROWS];
        let agreed = measure(
            &mut random,
            seconds,
            |class, set| {
                for (class, (keys, rows)) in black_box(&mut both).iter_mut().enumerate() {
                    keys.clone_from_slice(&secrets[class][set]);
                    *rows = seeds[class][set];
                }
                let (keys, rows) = &mut *place.borrow_mut();
                keys.clone_from_slice(&both[class].0);
                *rows = both[class].1;
            },
            || {
                let (keys, rows) = &*place.borrow();
                let keys = StaticSecrets::Each(keys);
                assert!(engine.x25519_into(keys, &theirs, &mut shared).is_ok());
                if leak {
                    planted(rows);
                }
            },
        );

        let p256 = ecdsa!(p256, 32, Sha256, engine, random, seeds, seconds, leak);
        let p384 = ecdsa!(p384, 48, Sha384, engine, random, seeds, seconds, leak);

        let backend = engine.backend();
        let derived = judge(&format!("bulk key generation, backend {backend}"), derived);
        let signed = judge(&format!("bulk signing, backend {backend}"), signed);
        let agreed = judge(&format!("bulk agreement, backend {backend}"), agreed);
        let p256 = judge(&format!("bulk ECDSA on P-256, backend {backend}"), p256);
        let p384 = judge(&format!("bulk ECDSA on P-384, backend {backend}"), p384);
        if derived && signed && agreed && p256 && p384 {
            return ExitCode::SUCCESS;
        }
        eprintln!("clock: times depend on secrets");
        ExitCode::from(1)
    }
}

#[cfg(sigmill_valgrind)]
mod valgrind {
    use sigmill::bulk::{Backend, Column, Engine, SigningKeys, StaticSecrets};
    #[cfg(feature = "rand_core")]
    use sigmill::ed25519::RandomizedSigner;
    use sigmill::ed25519::{ContextString, Signer, SigningKey, StreamSigner, Variant};
    #[cfg(feature = "hazmat")]
    use sigmill::ed25519::{
        Sha512, VerifyingKey,
        hazmat::{ExpandedSecretKey, raw_sign},
    };
    use sigmill::make_secret;
    use sigmill::x25519::{EphemeralSecret, PublicKey, StaticSecret, x25519};
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

    pub(super) fn leak() {
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
            #[cfg(feature = "rand_core")]
            {
                use sigmill::ecdsa::RandomizedSigner as _;
                let signature = key.sign_with_rng(&mut SecretRandom(round), b"message");
                let _: $module::Signature = black_box(signature);
            }
            #[cfg(feature = "pkcs8")]
            {
                let der = key.to_private_key_der().expect("it is encoded");
                assert!($module::SigningKey::from_private_key_der(&der).is_ok());
                let der = key.to_sec1_der().expect("it is encoded");
                assert!($module::SigningKey::from_sec1_der(&der).is_ok());
            }
            let generated = $module::SigningKey::random(&mut SecretRandom(round));
            assert!(generated != key);
        }};
    }

    pub(super) fn run() {
        for round in 0..6 {
            ecdsa!(p256, round);
            ecdsa!(p384, round);
        }
        let context = ContextString::new(b"context").expect("it is short");
        for round in 0..6_u8 {
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
            black_box(key.sign_prehashed_with(context, &[round; 64]));
            let mut noise = [round; 32];
            make_secret(&mut noise);
            black_box(key.sign_hedged(Variant::Pure, &noise, b"message"));
            assert!(key.sign_checked(Variant::Ph(context), Some(&noise), b"message").is_ok());
            #[cfg(feature = "rand_core")]
            black_box(key.sign_with_rng(&mut SecretRandom(round), b"message"));
            black_box(key.to_scalar_bytes());
            #[cfg(feature = "hazmat")]
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
            pair[40] ^= 1;
            assert!(SigningKey::from_keypair_bytes(&pair).is_err());
            let generated = SigningKey::generate(&mut SecretRandom(round));
            black_box(generated.sign(b"message"));
            assert!(generated != key);
            drop(generated.clone());
        }
        println!("constant time: 6 keys, 108 signatures, 12 imports, 6 generated keys");
        agreement();
        for backend in Backend::ALL {
            match Engine::new().with_backend(backend) {
                Ok(engine) => {
                    bulk(&engine, context);
                    bulk_agreement(&engine);
                    bulk_ecdsa!(p256, engine);
                    bulk_ecdsa!(p384, engine);
                }
                // Valgrind has no AVX-512; `clock` and the object code stand in
                Err(_) => println!("not run under Valgrind: bulk operations, backend {backend}"),
            }
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
    fn agreement() {
        for (round, secret) in secrets(6).into_iter().enumerate() {
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
        println!("constant time: 18 agreements on bytes, 48 on types, 12 public keys");
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
        println!(
            "constant time in bulk, backend {}: 20 public keys, 40 agreements",
            engine.backend()
        );
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
            let derived =
                $engine.ecdsa_public_keys_into::<$module::SigningKey>(&secrets, &mut publics);
            assert!(derived.is_ok());
            let keys = $engine.ecdsa_signing_keys::<$module::SigningKey>(&secrets);
            let keys = keys.expect("1 to n - 1");
            assert!(
                keys.iter().zip(&publics).all(|(k, p)| k.verifying_key().to_sec1_bytes() == *p)
            );
            let messages = Column::fixed(&[0x5a; 32 * ROWS], 32, ROWS, None).expect("whole rows");
            for prehash in [Prehash::Sha256, Prehash::Sha384, Prehash::None] {
                let mut signatures = vec![[0; 2 * WIDTH]; ROWS];
                let signers = SigningKeys::Each(&keys);
                assert!(
                    $engine.sign_ecdsa_into(signers, prehash, &messages, &mut signatures).is_ok()
                );
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
                keys.iter()
                    .zip(&publics)
                    .all(|(key, bytes)| key.verifying_key().as_bytes() == bytes)
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
}
