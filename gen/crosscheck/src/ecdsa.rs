//! ECDSA: verdicts of sigmill, AWS-LC and OpenSSL on random signatures and what becomes of them by small
//! changes, and readings of mutated DER by sigmill and OpenSSL.

use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey, EcPoint};
use openssl::ecdsa::EcdsaSig;
use openssl::nid::Nid;
use sha2::{Digest, Sha256, Sha384, Sha512};
use sigmill::ecdsa::{LowS, p256, p384};
use random::Random;
use std::fmt::Debug;

#[path = "../../../sigmill/tests/ecdsa/random.rs"]
mod random;

/// What is asked of a curve: keys in SEC1, signatures in DER.
trait Curve {
    const NAME: &'static str;
    const WIDTH: usize;
    const NID: Nid;
    /// r ‖ s of DER, by sigmill.
    fn parse(der: &[u8]) -> Option<Vec<u8>>;
    /// The public key and the signature of a secret key; none if it is none.
    fn sign(secret: &[u8], hash: usize, message: &[u8]) -> Option<(Vec<u8>, Vec<u8>)>;
    fn we_accept(key: &[u8], hash: usize, message: &[u8], der: &[u8]) -> bool;
    fn aws_lc_accepts(key: &[u8], hash: usize, message: &[u8], der: &[u8]) -> bool;
}

/// The hash functions, by their place here.
fn digest(hash: usize, message: &[u8]) -> Vec<u8> {
    match hash {
        0 => Sha256::digest(message).to_vec(),
        1 => Sha384::digest(message).to_vec(),
        _ => Sha512::digest(message).to_vec(),
    }
}

macro_rules! curve {
    ($type:ident, $module:ident, $name:literal, $width:literal, $nid:ident, $algorithms:expr) => {
        struct $type;

        impl Curve for $type {
            const NAME: &'static str = $name;
            const WIDTH: usize = $width;
            const NID: Nid = Nid::$nid;

            fn parse(der: &[u8]) -> Option<Vec<u8>> {
                $module::Signature::from_der(der)
                    .ok()
                    .map(|signature| signature.to_bytes().to_vec())
            }

            fn sign(secret: &[u8], hash: usize, message: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
                let key = $module::SigningKey::from_slice(secret).ok()?;
                let signature = key.sign_digest_bytes(&digest(hash, message)).ok()?;
                Some((
                    key.verifying_key().to_sec1_bytes().to_vec(),
                    signature.to_der().as_bytes().to_vec(),
                ))
            }

            fn we_accept(key: &[u8], hash: usize, message: &[u8], der: &[u8]) -> bool {
                let Ok(key) = $module::VerifyingKey::from_sec1_bytes(key) else { return false };
                let Ok(signature) = $module::Signature::from_der(der) else { return false };
                key.verify_digest_with(LowS::Any, &digest(hash, message), &signature).is_valid()
            }

            fn aws_lc_accepts(key: &[u8], hash: usize, message: &[u8], der: &[u8]) -> bool {
                use aws_lc_rs::signature::*;
                let algorithms: [&'static EcdsaVerificationAlgorithm; 3] = $algorithms;
                UnparsedPublicKey::new(algorithms[hash], key).verify(message, der).is_ok()
            }
        }
    };
}

curve!(
    P256,
    p256,
    "P-256",
    32,
    X9_62_PRIME256V1,
    [&ECDSA_P256_SHA256_ASN1, &ECDSA_P256_SHA384_ASN1, &ECDSA_P256_SHA512_ASN1]
);
curve!(
    P384,
    p384,
    "P-384",
    48,
    SECP384R1,
    [&ECDSA_P384_SHA256_ASN1, &ECDSA_P384_SHA384_ASN1, &ECDSA_P384_SHA512_ASN1]
);

/// OpenSSL's signature of DER in its one form, which `ECDSA_verify` wants as well.
fn openssl_reads(der: &[u8]) -> Option<EcdsaSig> {
    let signature = EcdsaSig::from_der(der).ok()?;
    (signature.to_der().ok()? == der).then_some(signature)
}

fn openssl_accepts<C: Curve>(key: &[u8], hash: usize, message: &[u8], der: &[u8]) -> bool {
    let accepts = || {
        let group = EcGroup::from_curve_name(C::NID)?;
        let mut numbers = openssl::bn::BigNumContext::new()?;
        let point = EcPoint::from_bytes(&group, key, &mut numbers)?;
        let key = EcKey::from_public_key(&group, &point)?;
        let signature = EcdsaSig::from_der(der)?;
        signature.verify(&digest(hash, message), &key)
    };
    openssl_reads(der).is_some() && accepts().unwrap_or(false)
}

fn der(r: &[u8], s: &[u8]) -> Vec<u8> {
    let integer = |bytes: &[u8]| BigNum::from_slice(bytes).expect("OpenSSL has memory");
    let signature = EcdsaSig::from_private_components(integer(r), integer(s));
    signature.and_then(|signature| signature.to_der()).expect("OpenSSL writes a signature")
}

/// Keys, messages and signatures: how many were accepted and refused by all.
fn verdicts<C: Curve>(random: &mut Random, rounds: usize) -> Result<[usize; 2], String> {
    let group = EcGroup::from_curve_name(C::NID).map_err(|error| error.to_string())?;
    let (mut n, mut numbers) = (
        BigNum::new().map_err(|error| error.to_string())?,
        openssl::bn::BigNumContext::new().map_err(|error| error.to_string())?,
    );
    group.order(&mut n, &mut numbers).map_err(|error| error.to_string())?;
    let n_bytes = n.to_vec();
    let plus = |add: bool| {
        let mut moved = n.to_owned().expect("OpenSSL has memory");
        let moving = if add { moved.add_word(1) } else { moved.sub_word(1) };
        moving.expect("OpenSSL adds");
        moved.to_vec()
    };
    let edges = [vec![], vec![1], plus(false), n_bytes.clone(), plus(true), vec![0xff; C::WIDTH]];
    let mut counts = [0; 2];
    for round in 0..rounds {
        let hash = round % 3;
        let len = random.below(300);
        let message = random.bytes(len);
        let Some((key, signature)) = C::sign(&random.bytes(C::WIDTH), hash, &message) else {
            continue;
        };
        let Some((other, _)) = C::sign(&random.bytes(C::WIDTH), hash, &message) else { continue };
        let fixed = C::parse(&signature).ok_or("sigmill does not read its own signature")?;
        let (r, s) = fixed.split_at(C::WIDTH);
        let s_integer = BigNum::from_slice(s).map_err(|error| error.to_string())?;
        let mut high = BigNum::new().map_err(|error| error.to_string())?;
        high.checked_sub(&n, &s_integer).map_err(|error| error.to_string())?;
        let flipped = |bytes: &[u8], bit: usize| {
            let mut bytes = bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        };
        let mut cases = vec![
            (key.clone(), message.clone(), signature.clone()),
            (key.clone(), message.clone(), der(r, &high.to_vec())),
            (other, message.clone(), signature.clone()),
            (key.clone(), [&message[..], b"."].concat(), signature.clone()),
            (key.clone(), message.clone(), flipped(&signature, random.below(8 * signature.len()))),
            // (but for the tag: the others read the hybrid forms, 6 and 7, which sigmill refuses)
            (flipped(&key, 8 + random.below(16 * C::WIDTH)), message.clone(), signature.clone()),
            (key.clone(), message.clone(), der(&random.bytes(C::WIDTH), &random.bytes(C::WIDTH))),
        ];
        let edge = &edges[round % edges.len()];
        cases.push((key.clone(), message.clone(), der(edge, s)));
        cases.push((key.clone(), message.clone(), der(r, edge)));
        cases.push((key, message, der(edge, &edges[random.below(edges.len())])));
        for (i, (key, message, signature)) in cases.iter().enumerate() {
            let answers = [
                C::we_accept(key, hash, message, signature),
                C::aws_lc_accepts(key, hash, message, signature),
                openssl_accepts::<C>(key, hash, message, signature),
            ];
            if answers != [i < 2; 3] {
                return Err(format!(
                    "{} round {round} case {i}: sigmill, AWS-LC, OpenSSL say {answers:?}\n\
                     key {key:02x?}\nmessage {message:02x?}\nsignature {signature:02x?}",
                    C::NAME
                ));
            }
            counts[usize::from(!answers[0])] += 1;
        }
    }
    Ok(counts)
}

/// An integer of 0 to `width` significant bytes, its first one often at an edge.
fn integer(random: &mut Random, width: usize) -> Vec<u8> {
    let len = if random.below(4) == 0 { random.below(width + 1) } else { width };
    let mut bytes = random.bytes(len);
    if let Some(first) = bytes.first_mut() {
        *first = [1, 0x7f, 0x80, 0xff, *first | 1][random.below(5)];
    }
    bytes
}

/// Changes one to three bytes, most often those that are not an integer's.
fn mutate(random: &mut Random, der: &mut Vec<u8>) {
    for _ in 0..1 + random.below(3) {
        let second = 4 + usize::from(*der.get(3).unwrap_or(&0));
        let at = match random.below(4) {
            0 if second + 3 < der.len() => second + random.below(3),
            1 | 2 => random.below(der.len().clamp(1, 6)),
            _ => random.below(der.len().max(1)),
        };
        match random.below(6) {
            _ if at >= der.len() => der.push(random.below(256) as u8),
            0 => der[at] ^= 1 << random.below(8),
            1 => der[at] = [0, 1, 0x7f, 0x80, 0x81, 0xff][random.below(6)],
            2 => der[at] = der[at].wrapping_add(1),
            3 => der[at] = der[at].wrapping_sub(1),
            4 => der.insert(at, [0, random.below(256) as u8][random.below(2)]),
            _ => drop(der.remove(at)),
        }
        // often the length is right again
        if random.below(2) == 0 && der.len() > 2 {
            der[1] = (der.len() - 2) as u8;
        }
    }
}

/// Encodings: how many both read, how many are DER of integers out of range, how many neither reads.
fn encodings<C: Curve>(random: &mut Random, rounds: usize) -> Result<[usize; 3], String> {
    fn text(error: impl Debug) -> String {
        format!("{error:?}")
    }
    let group = EcGroup::from_curve_name(C::NID).map_err(text)?;
    let (mut n, mut numbers) =
        (BigNum::new().map_err(text)?, openssl::bn::BigNumContext::new().map_err(text)?);
    group.order(&mut n, &mut numbers).map_err(text)?;
    let zero = BigNum::new().map_err(text)?;
    let mut counts = [0; 3];
    for _ in 0..rounds {
        let mut bytes = der(&integer(random, C::WIDTH), &integer(random, C::WIDTH));
        mutate(random, &mut bytes);
        let (expected, kind) = match openssl_reads(&bytes) {
            None => (None, 2),
            Some(it) if [it.r(), it.s()].iter().any(|x| **x <= *zero || **x >= *n) => (None, 1),
            Some(it) => {
                let width = C::WIDTH as i32;
                let r = it.r().to_vec_padded(width).map_err(text)?;
                (Some([r, it.s().to_vec_padded(width).map_err(text)?].concat()), 0)
            }
        };
        let read = C::parse(&bytes);
        if read != expected {
            return Err(format!(
                "{}: sigmill reads {read:02x?}, OpenSSL {expected:02x?} of {bytes:02x?}",
                C::NAME
            ));
        }
        counts[kind] += 1;
    }
    Ok(counts)
}

/// Compares, prints counts, and fails at the first difference.
pub fn run(rounds: usize, der_rounds: usize, seed: u64) -> Result<(), String> {
    println!("ECDSA: seed {seed}");
    fn curve<C: Curve>(rounds: usize, der_rounds: usize, seed: u64) -> Result<(), String> {
        let mut random = Random::new(seed);
        let [accepted, refused] = verdicts::<C>(&mut random, rounds)?;
        println!(
            "{}: {accepted} signatures accepted and {refused} refused by sigmill, AWS-LC and OpenSSL alike",
            C::NAME
        );
        let [read, out_of_range, none] = encodings::<C>(&mut random, der_rounds)?;
        println!(
            "{}: of {der_rounds} mutated encodings sigmill and OpenSSL both read {read}, find {out_of_range} \
             out of range, and refuse {none}",
            C::NAME
        );
        // else the comparison says nothing
        let enough = [
            (accepted, rounds),
            (refused, rounds),
            (read, der_rounds / 50),
            (none, der_rounds / 50),
        ];
        match enough.iter().all(|(count, least)| count >= least) && out_of_range > 0 {
            true => Ok(()),
            false => Err(format!("{}: too few of a kind", C::NAME)),
        }
    }
    curve::<P256>(rounds, der_rounds, seed)?;
    curve::<P384>(rounds, der_rounds, seed)
}
