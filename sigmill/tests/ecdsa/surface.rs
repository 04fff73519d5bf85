//! What the types promise beside verdicts.

use sigmill::ecdsa::{LowS, PrehashSigner, PrehashVerifier, Signer, Verifier, p256, p384};
use sigmill::{Error, Reason};

macro_rules! surface {
    ($test:ident, $module:ident) => {
        #[test]
        fn $test() {
            const WIDTH: usize = $module::FIELD_LENGTH;
            let secret = [0x9c; WIDTH];
            let key = $module::SigningKey::from_slice(&secret).unwrap();
            let public = *key.verifying_key();
            // neither form of a secret key shows its digits
            for text in [format!("{key}"), format!("{key:?}"), format!("{key:#?}")] {
                assert!(!text.to_lowercase().contains("9c9c9c"), "{text}");
            }
            assert_eq!(key.to_bytes(), secret);
            // the traits, and both orders of s
            let signature: $module::Signature = key.sign(b"message");
            assert!(public.verify(b"message", &signature).is_ok());
            assert!(public.verify(b"massage", &signature).is_err());
            let mut orders = [0; 2];
            for counter in 0..40_u8 {
                let signature = key.sign_message(&[counter]);
                let normal = signature.normalize_s();
                orders[usize::from(signature.is_low_s())] += 1;
                assert!(normal.is_low_s());
                assert_eq!(normal == signature, signature.is_low_s());
                assert_eq!(normal.normalize_s(), normal);
                // each way to the same signature gives the same verdict
                let (r, s) = signature.split_bytes();
                let made = [
                    signature,
                    $module::Signature::from_slice(signature.as_ref()).unwrap(),
                    $module::Signature::from_der(signature.to_der().as_bytes()).unwrap(),
                    $module::Signature::from_scalars(r.try_into().unwrap(), s.try_into().unwrap())
                        .unwrap(),
                ];
                for made in made {
                    let verdict = |low_s| public.verify_with(low_s, &[counter], &made);
                    assert!(verdict(LowS::Any).is_valid());
                    let refused = verdict(LowS::Required).ok() == Err(Reason::SHigh);
                    assert_eq!(refused, !signature.is_low_s());
                }
                assert!(public.verify_with(LowS::Required, &[counter], &normal).is_valid());
            }
            assert!(orders.iter().all(|count| *count > 5), "{orders:?}");
            // nothing is guessed: r begins like DER, and DER is no r and s
            let mut bytes = signature.to_bytes();
            (bytes[0], bytes[1]) = (0x30, 2 * WIDTH as u8 - 2);
            assert_eq!($module::Signature::from_slice(&bytes).unwrap().to_bytes(), bytes);
            assert!($module::Signature::from_der(&bytes).is_err());
            let der = signature.to_der();
            let length =
                Error::Length { what: "signature", expected: 2 * WIDTH, got: der.as_bytes().len() };
            assert_eq!($module::Signature::from_slice(der.as_bytes()), Err(length));
            // an empty digest
            assert_eq!(key.sign_digest(b""), Err(Error::DigestEmpty));
            let nonce_hash = key.sign_digest_with_nonce_hash::<sha2::Sha512>(b"");
            assert_eq!(nonce_hash, Err(Error::DigestEmpty));
            assert!(key.sign_prehash(b"").is_err());
            assert!(public.verify_prehash(b"", &signature).is_err());
            // secrets out of range
            let out_of_range = Err(Error::ScalarOutOfRange { what: "secret key" });
            for bytes in [[0; WIDTH], [0xff; WIDTH]] {
                assert_eq!($module::SigningKey::from_bytes(&bytes).map(|_| ()), out_of_range);
            }
            // keys are ordered and compared by value, whichever way they came
            let compressed = public.to_sec1_compressed();
            let again = $module::VerifyingKey::from_sec1_bytes(&compressed).unwrap();
            assert_eq!((again, again.cmp(&public)), (public, std::cmp::Ordering::Equal));
            let other = $module::SigningKey::from_slice(&[1; WIDTH]).unwrap();
            assert!(other != key && other.verifying_key() != key.verifying_key());
        }
    };
}

surface!(p256_keeps_its_promises, p256);
surface!(p384_keeps_its_promises, p384);
