//! The names of `p256` and `p384`: ways in and out, wrong use, errors.

use sha2::digest::Digest;
use sigmill::ecdsa::p256::signature;
use sigmill::ecdsa::{PrehashSigner, Signer, Verifier, p256, p384};
use sigmill::{Error, Reason, SignatureDerError};
use std::error::Error as StdError;

macro_rules! names {
    ($module:ident, $other:ident, $hash:ty, $generate:ident, $arrays:ident, $short:ident, $text:ident, $constructors:ident, $hkdf:ident, $errors:ident, $curves:ident) => {
        #[test]
        #[cfg(feature = "getrandom")]
        fn $generate() {
            use $module::ecdh::EphemeralSecret;
            use $module::{SecretKey, SigningKey};
            assert!(SigningKey::generate() != SigningKey::generate());
            assert!(SigningKey::try_generate().is_ok_and(|key| key != SigningKey::generate()));
            assert!(SecretKey::generate() != SecretKey::try_generate().unwrap());
            let (a, b) = (EphemeralSecret::generate(), EphemeralSecret::try_generate().unwrap());
            let [ours, theirs] =
                [a.diffie_hellman(&b.public_key()), b.diffie_hellman(&a.public_key())];
            assert!(ours == theirs);
        }

        /// Arrays of the crate `hybrid-array`, which hash functions return, go in.
        #[test]
        fn $arrays() {
            use $module::{FieldBytes, Signature, SigningKey};
            let digest = <$hash>::digest(b"a secret, for once");
            let bytes: FieldBytes = digest.into();
            let key = SigningKey::from_bytes(&bytes).unwrap();
            assert!(key == SigningKey::from_bytes(&digest.into()).unwrap());
            assert!(key == SigningKey::from_slice(&digest).unwrap());
            let (r, s) = key.sign_message(b"message").split_bytes();
            type Array = sha2::digest::Output<$hash>;
            let made = Signature::from_scalars(Array::from(r), Array::from(s));
            assert_eq!(made, Signature::from_scalars(r, s));
            assert_eq!(made, Ok(key.sign_message(b"message")));
        }

        /// Zeros in front of a secret key may be missing, in bytes and in containers.
        #[test]
        fn $short() {
            use $module::{FIELD_LENGTH, SigningKey};
            for len in 0..=FIELD_LENGTH + 1 {
                let mut padded = [0; FIELD_LENGTH + 1];
                padded[FIELD_LENGTH + 1 - len..].fill(0xa5);
                let bytes = &padded[FIELD_LENGTH + 1 - len..];
                let read = SigningKey::from_slice(bytes);
                if (24..=FIELD_LENGTH).contains(&len) {
                    assert_eq!(read.unwrap().to_bytes(), padded[1..], "{len}");
                } else {
                    let length =
                        Error::Length { what: "secret key", expected: FIELD_LENGTH, got: len };
                    assert_eq!(read.err(), Some(length));
                }
            }
            #[cfg(feature = "pkcs8")]
            for len in 0..=FIELD_LENGTH + 1 {
                // ECPrivateKey without parameters and public key
                let mut sec1 = vec![0x30, len as u8 + 5, 2, 1, 1, 4, len as u8];
                sec1.extend(vec![0xa5; len]);
                let pkcs8 = {
                    let whole = SigningKey::from_slice(&[1; FIELD_LENGTH]).unwrap();
                    let whole = whole.to_private_key_der().unwrap();
                    // the algorithm identifier stands behind the version
                    let at = whole.windows(3).position(|w| w == [2, 1, 0]).unwrap() + 3;
                    let algorithm = &whole[at..at + 2 + usize::from(whole[at + 1])];
                    let inner = [&[2, 1, 0], algorithm, &[4, sec1.len() as u8], &sec1].concat();
                    [&[0x30, inner.len() as u8][..], &inner].concat()
                };
                let expected = (24..=FIELD_LENGTH)
                    .contains(&len)
                    .then(|| SigningKey::from_slice(&vec![0xa5; len]).unwrap().to_bytes());
                // nothing but its length tells the curve, unless there is a public key
                let read = SigningKey::from_sec1_der(&sec1);
                let whole = expected.filter(|_| len == FIELD_LENGTH);
                assert_eq!(read.map(|key| key.to_bytes()).ok(), whole, "{len}");
                if let Some(bytes) = expected {
                    let public = SigningKey::from_bytes(&bytes)
                        .unwrap()
                        .verifying_key()
                        .to_sec1_compressed();
                    let mut named = sec1.clone();
                    named.extend([0xa1, public.len() as u8 + 3, 3, public.len() as u8 + 1, 0]);
                    named.extend(public);
                    named[1] = named.len() as u8 - 2;
                    let read = SigningKey::from_sec1_der(&named);
                    assert_eq!(read.map(|key| key.to_bytes()).ok(), expected, "{len}");
                }
                let read = SigningKey::from_private_key_der(&pkcs8);
                assert_eq!(read.map(|key| key.to_bytes()).ok(), expected, "{len}");
                let read = $module::SecretKey::from_der(&pkcs8);
                assert_eq!(read.map(|key| key.to_bytes()).ok(), expected, "{len}");
            }
        }

        /// What is displayed is read back.
        #[test]
        fn $text() {
            use $module::{Sec1Point, Signature, SigningKey, VerifyingKey};
            let key = SigningKey::from_slice(&[0x3b; $module::FIELD_LENGTH]).unwrap();
            let public = *key.verifying_key();
            assert!(public.to_string().parse::<VerifyingKey>().is_ok_and(|read| read == public));
            for compress in [false, true] {
                let point = public.to_sec1_point(compress);
                assert_eq!(point.to_string().parse(), Ok(point));
                for text in [format!("{point:x}"), format!("{point:X}")] {
                    assert!(text.parse::<VerifyingKey>().is_ok_and(|read| read == public));
                    assert_eq!(text.parse::<Sec1Point>(), Ok(point));
                }
            }
            let signature = key.sign_message(b"message");
            assert!(signature.to_string().parse::<Signature>().is_ok_and(|read| read == signature));
            let text = public.to_string();
            let read = |text: &str| text.parse::<VerifyingKey>();
            let bad = format!("x{}", &text[1..]);
            assert_eq!(read(&bad).err(), Some(Error::Hex { position: 0 }));
            for at in 0..text.len() {
                assert!(read(&text[..at]).is_err(), "{at}");
            }
        }

        /// All that is made of bytes or text fails with the one error, which says what is wrong.
        #[test]
        fn $constructors() {
            use $module::{DerSignature, FIELD_LENGTH, Signature, SigningKey, VerifyingKey};
            type Made<T> = Result<T, $module::ecdsa::Error>;
            let no_point = [4; 2 * FIELD_LENGTH + 1];
            let out_of_range = |what| Some(Error::ScalarOutOfRange { what });
            let key: Made<SigningKey> = SigningKey::try_from(&[0; FIELD_LENGTH][..]);
            assert_eq!(key.err(), out_of_range("secret key"));
            let key: Made<VerifyingKey> = VerifyingKey::try_from(&no_point[..]);
            assert_eq!(key.err(), Some(Error::NotAPoint));
            let signature: Made<Signature> = Signature::try_from(&[0; 2 * FIELD_LENGTH][..]);
            assert_eq!(signature.err(), out_of_range("r of the signature"));
            let signature: Made<Signature> = "0".repeat(4 * FIELD_LENGTH).parse();
            assert_eq!(signature.err(), out_of_range("r of the signature"));
            let signature: Made<DerSignature> = DerSignature::try_from(&[0x30, 0][..]);
            assert_eq!(signature.err(), Some(SignatureDerError::Der.into()));
            let key: Made<VerifyingKey> = "0".parse();
            assert_eq!(key.err(), Some(Error::Hex { position: 1 }));
            #[cfg(feature = "pem")]
            {
                let key: Made<SigningKey> = "-----BEGIN".parse();
                assert_eq!(key.err(), Some(sigmill::KeyFormatError::Pem.into()));
                let key: Made<VerifyingKey> = "-----BEGIN".parse();
                assert_eq!(key.err(), Some(sigmill::KeyFormatError::Pem.into()));
            }
        }

        /// HKDF of a shared secret, as the crates' `SharedSecret::extract` has it.
        #[test]
        fn $hkdf() {
            use $module::{FIELD_LENGTH, SecretKey};
            let secrets = [[0x3b; FIELD_LENGTH], [0x5c; FIELD_LENGTH]];
            let [ours, other] = secrets.map(|bytes| SecretKey::from_slice(&bytes).unwrap());
            let shared = ours.diffie_hellman(&other.public_key());
            let hkdf = hkdf::Hkdf::<$hash>::new(Some(b"salt"), shared.raw_secret_bytes());
            let [ours, other] =
                secrets.map(|bytes| ::$module::SecretKey::from_slice(&bytes).unwrap());
            let shared = ours.diffie_hellman(&other.public_key());
            let theirs = shared.extract::<$hash>(Some(b"salt"));
            let (mut a, mut b) = ([0; 40], [1; 40]);
            hkdf.expand(b"info", &mut a).unwrap();
            theirs.expand(b"info", &mut b).unwrap();
            assert_eq!(a, b);
        }

        /// `?` makes one error of another, and nothing of it is lost where there is an allocator.
        #[test]
        fn $errors() {
            use $module::{Error as EcdsaError, Signature, SigningKey, VerifyingKey};
            fn ours(key: &[u8], signature: &[u8]) -> Result<(), EcdsaError> {
                let key = VerifyingKey::try_from(key)?;
                let signature = Signature::from_slice(signature)?;
                key.verify(b"message", &signature)?;
                Ok(())
            }
            fn theirs(key: &[u8], signature: &[u8]) -> Result<(), signature::Error> {
                let key = VerifyingKey::from_sec1_bytes(key)?;
                let signature = Signature::try_from(signature)?;
                key.verify(b"message", &signature)
            }
            fn anybodys(
                key: &[u8],
                signature: &[u8],
            ) -> Result<(), Box<dyn StdError + Send + Sync>> {
                ours(key, signature)?;
                Ok(theirs(key, signature)?)
            }
            let key = SigningKey::from_slice(&[0x3b; $module::FIELD_LENGTH]).unwrap();
            let public = key.verifying_key().to_sec1_bytes();
            let good: Signature = key.sign(b"message");
            let other: Signature = key.sign(b"massage");
            for (public, signature, error) in [
                (&public[..], good.as_ref(), None),
                (
                    &public,
                    other.as_ref(),
                    Some(Error::Signature { reason: Some(Reason::Equation) }),
                ),
                (&[4; 2 * $module::FIELD_LENGTH + 1], good.as_ref(), Some(Error::NotAPoint)),
                (
                    &public,
                    &[0; $module::SIGNATURE_LENGTH],
                    Some(Error::ScalarOutOfRange { what: "r of the signature" }),
                ),
            ] {
                let (ours, theirs) = (ours(public, signature), theirs(public, signature));
                assert_eq!(anybodys(public, signature).is_ok(), error.is_none());
                assert_eq!(ours.is_ok(), error.is_none());
                if cfg!(feature = "alloc") {
                    assert_eq!(ours.err(), error);
                    assert_eq!(theirs.err().map(Error::from), error);
                }
            }
            let empty: Result<Signature, signature::Error> = key.sign_prehash(b"");
            assert!(empty.is_err());
            let text = Error::from(signature::Error::new()).to_string();
            assert_eq!(text, signature::Error::new().to_string());
        }

        /// A key of the other curve is refused, with a word about what is wrong.
        #[test]
        fn $curves() {
            use $module::{FIELD_LENGTH, PublicKey, SecretKey, SigningKey, VerifyingKey};
            let other = $other::SigningKey::from_slice(&[1; $other::FIELD_LENGTH]).unwrap();
            let other_public = other.verifying_key();
            let refused = VerifyingKey::from_sec1_bytes(&other_public.to_sec1_bytes());
            let (expected, got) = (2 * FIELD_LENGTH + 1, 2 * $other::FIELD_LENGTH + 1);
            assert_eq!(refused.err(), Some(Error::Length { what: "public key", expected, got }));
            let refused = PublicKey::from_sec1_bytes(&other_public.to_sec1_compressed());
            let (expected, got) = (FIELD_LENGTH + 1, $other::FIELD_LENGTH + 1);
            assert_eq!(refused.err(), Some(Error::Length { what: "public key", expected, got }));
            if FIELD_LENGTH < $other::FIELD_LENGTH {
                let length = Error::Length {
                    what: "secret key",
                    expected: FIELD_LENGTH,
                    got: $other::FIELD_LENGTH,
                };
                assert_eq!(SigningKey::from_slice(&other.to_bytes()).err(), Some(length));
                assert_eq!(SecretKey::from_slice(&other.to_bytes()).err(), Some(length));
            }
            #[cfg(feature = "pem")]
            {
                use sigmill::KeyFormatError;
                let another = Some(Error::KeyFormat(KeyFormatError::AnotherCurve));
                let is_told = |error: &dyn std::fmt::Display| {
                    let text = error.to_string();
                    assert!(text.contains("another curve"), "{text}");
                };
                let pkcs8 = other.to_private_key_pem().unwrap();
                let sec1 = other.to_sec1_pem().unwrap();
                let public = other_public.to_spki_pem().unwrap();
                is_told(&another.unwrap());
                assert_eq!(SigningKey::from_private_key_pem(&pkcs8).err(), another);
                assert_eq!(SigningKey::from_sec1_pem(&sec1).err(), another);
                assert_eq!(SecretKey::from_pem(&pkcs8).err(), another);
                assert_eq!(SecretKey::from_pem(&sec1).err(), another);
                assert_eq!(SecretKey::from_sec1_pem(&sec1).err(), another);
                assert_eq!(pkcs8.parse::<SecretKey>().err(), another);
                assert_eq!(public.parse::<PublicKey>().err(), another);
                assert_eq!(VerifyingKey::from_spki_pem(&public).err(), another);
                assert_eq!(pkcs8.parse::<SigningKey>().err(), another);
                assert_eq!(public.parse::<VerifyingKey>().err(), another);
                // one kind of text for another
                assert_eq!(SecretKey::from_pem(&public).err(), Some(KeyFormatError::Pem.into()));
                assert_eq!(pkcs8.parse::<PublicKey>().err(), Some(KeyFormatError::Pem.into()));
            }
        }
    };
}

names!(
    p256,
    p384,
    sha2::Sha256,
    p256_generates,
    p256_takes_arrays,
    p256_pads_secrets,
    p256_reads_what_it_shows,
    p256_constructors_have_one_error,
    p256_shared_secrets_in_hkdf,
    p256_errors_are_one,
    p256_refuses_keys_of_p384
);
names!(
    p384,
    p256,
    sha2::Sha384,
    p384_generates,
    p384_takes_arrays,
    p384_pads_secrets,
    p384_reads_what_it_shows,
    p384_constructors_have_one_error,
    p384_shared_secrets_in_hkdf,
    p384_errors_are_one,
    p384_refuses_keys_of_p256
);

/// What the crates show in their documentation, for either curve, with the lines as they stand in a program but for the
/// first.
#[cfg(feature = "getrandom")]
macro_rules! documentation {
    ($test:ident, $curve:ident, $length:literal) => {
        #[test]
        fn $test() -> Result<(), Box<dyn StdError>> {
            use sigmill::ecdsa::$curve as curve;

            // ECDSA
            use curve::ecdsa::{Signature, SigningKey, VerifyingKey};
            let signing_key = SigningKey::generate();
            let verifying_key_bytes = signing_key.verifying_key().to_sec1_point(false);
            assert_eq!(verifying_key_bytes.len(), $length);
            let signature: Signature = signing_key.sign(b"a message");
            let verifying_key = VerifyingKey::from_sec1_bytes(verifying_key_bytes.as_ref())?;
            verifying_key.verify(b"a message", &signature)?;
            assert!(verifying_key.verify(b"another", &signature).is_err());

            // ECDH
            use curve::ecdh::EphemeralSecret;
            use curve::{PublicKey, Sec1Point};
            let (alice, bob) = (EphemeralSecret::generate(), EphemeralSecret::generate());
            let sent_by_alice = Sec1Point::from(alice.public_key());
            let sent_by_bob = Sec1Point::from(bob.public_key());
            let shared = alice.diffie_hellman(&PublicKey::from_sec1_bytes(sent_by_bob.as_ref())?);
            let theirs = bob.diffie_hellman(&PublicKey::from_sec1_bytes(sent_by_alice.as_ref())?);
            assert_eq!(shared.raw_secret_bytes(), theirs.raw_secret_bytes());
            Ok(())
        }
    };
}

#[cfg(feature = "getrandom")]
documentation!(examples_for_p256, p256, 65);
#[cfg(feature = "getrandom")]
documentation!(examples_for_p384, p384, 97);
