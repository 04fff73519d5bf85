//! Signing (deterministic, hedged, checked, in two passes, with expanded keys), key generation, seed
//! and pair import with every secret marked for Valgrind.
//!
//! `make ct` builds this in release mode with `--cfg sigmill_valgrind` and runs it under Memcheck:
//! any branch or index that depends on a secret, in this library or in a dependency, is an error.
//! `constant_time leak` branches on a secret on purpose: the check must then fail.

#[cfg(not(sigmill_valgrind))]
fn main() {
    eprintln!("build with RUSTFLAGS='--cfg sigmill_valgrind' and run under valgrind: make ct");
    std::process::exit(2);
}

#[cfg(sigmill_valgrind)]
fn main() {
    valgrind::run();
}

#[cfg(sigmill_valgrind)]
mod valgrind {
    #[cfg(feature = "rand_core")]
    use sigmill::ed25519::RandomizedSigner;
    use sigmill::ed25519::{ContextString, Signer, SigningKey, StreamSigner, Variant};
    #[cfg(feature = "hazmat")]
    use sigmill::ed25519::{
        Sha512, VerifyingKey,
        hazmat::{ExpandedSecretKey, raw_sign},
    };
    use sigmill::make_secret;
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

    pub(super) fn run() {
        if std::env::args().nth(1).as_deref() == Some("leak") {
            let mut secret = [7_u8; 32];
            make_secret(&mut secret);
            if black_box(secret)[0] == 7 {
                println!("leaked");
            }
            return;
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
    }
}
