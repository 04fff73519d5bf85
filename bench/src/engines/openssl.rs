//! OpenSSL, as its crate builds it from source. Curves but for Edwards ones are computed with ADX where there is ADX.

use super::entrant::{Loaded, assembly};
use openssl::bn::{BigNum, BigNumContext};
use openssl::derive::Deriver;
use openssl::ec::{EcGroup, EcKey, EcPoint, PointConversionForm};
use openssl::ecdsa::EcdsaSig;
use openssl::nid::Nid;
use openssl::pkey::{Id, PKey, Private, Public};
use openssl::sha::{sha256, sha384};
use openssl::sign::{Signer, Verifier};
use sigmill_bench_abi::{Engine, Offer, Rows};

pub(crate) fn engine() -> Loaded {
    let mut offers = Vec::from(Offer::ed25519_signing(keygen, signing_key, sign));
    offers.extend([
        Offer::each("ed25519.verify_raw", "common", |rows, row, answer| {
            let key = PKey::public_key_from_raw_bytes(rows.publics.row::<32>(row), Id::ED25519);
            answer[0] = key.is_ok_and(|key| verify(&key, rows, row)).into();
        }),
        Offer::prepared("ed25519.verify_parsed", "common", public_key, |key, rows, row, answer| {
            answer[0] = verify(key, rows, row).into();
        }),
        Offer::each("x25519.base", "", x25519_base),
        Offer::each("x25519.base_bulk", "", x25519_base),
        Offer::prepared("x25519.shared", "", x25519_key, x25519_shared).on(assembly()),
        Offer::prepared("x25519.shared_bulk", "", x25519_key, x25519_shared).on(assembly()),
    ]);
    offers.extend(ecdsa("p256", Nid::X9_62_PRIME256V1, |message| sha256(message).to_vec()));
    offers.extend(ecdsa("p384", Nid::SECP384R1, |message| sha384(message).to_vec()));
    Ok(Engine::new(openssl::version::version().to_owned(), "portable", offers))
}

fn signing_key(rows: &Rows<'_>, row: usize) -> PKey<Private> {
    let seed = rows.secrets.row::<32>(row);
    PKey::private_key_from_raw_bytes(seed, Id::ED25519).expect("any seed is a key")
}

fn public_key(rows: &Rows<'_>, row: usize) -> PKey<Public> {
    PKey::public_key_from_raw_bytes(rows.publics.row::<32>(row), Id::ED25519).expect("32 bytes")
}

fn keygen(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let public = signing_key(rows, row).raw_public_key().expect("a public key");
    answer.copy_from_slice(&public);
}

fn sign(key: &PKey<Private>, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let mut signer = Signer::new_without_digest(key).expect("a context");
    let written = signer.sign_oneshot(answer, rows.messages.row(row)).expect("a signature");
    assert_eq!(written, answer.len(), "a whole signature");
}

fn verify(key: &PKey<Public>, rows: &Rows<'_>, row: usize) -> bool {
    let mut verifier = Verifier::new_without_digest(key).expect("a context");
    let (signature, message) = (rows.signatures.row::<64>(row), rows.messages.row(row));
    verifier.verify_oneshot(signature, message).unwrap_or(false)
}

fn x25519_key(rows: &Rows<'_>, row: usize) -> PKey<Private> {
    let secret = rows.secrets.row::<32>(row);
    PKey::private_key_from_raw_bytes(secret, Id::X25519).expect("any secret is a key")
}

fn x25519_base(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let public = x25519_key(rows, row).raw_public_key().expect("a public key");
    answer.copy_from_slice(&public);
}

fn x25519_shared(key: &PKey<Private>, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let other =
        PKey::public_key_from_raw_bytes(rows.messages.row(row), Id::X25519).expect("32 bytes");
    let mut deriver = Deriver::new(key).expect("a context");
    deriver.set_peer(&other).expect("a key of the same kind");
    let written = deriver.derive(answer).expect("not zero");
    assert_eq!(written, answer.len(), "a whole shared secret");
}

type Hash = fn(&[u8]) -> Vec<u8>;

/// ECDSA by the functions for elliptic curves, which take digests: those for any algorithm cost more.
fn ecdsa(curve: &str, nid: Nid, hash: Hash) -> Vec<Offer> {
    let group: &'static EcGroup =
        Box::leak(Box::new(EcGroup::from_curve_name(nid).expect("a known curve")));
    let point = |bytes: &[u8]| {
        let mut context = BigNumContext::new().expect("memory");
        EcPoint::from_bytes(group, bytes, &mut context)
    };
    let keygen = |rows: &Rows<'_>, row: usize, answer: &mut [u8]| {
        let secret = BigNum::from_slice(rows.secrets.get(row)).expect("memory");
        let mut context = BigNumContext::new().expect("memory");
        let mut public = EcPoint::new(group).expect("memory");
        public.mul_generator2(group, &secret, &mut context).expect("a point");
        let form = PointConversionForm::UNCOMPRESSED;
        answer.copy_from_slice(&public.to_bytes(group, form, &mut context).expect("not infinity"));
    };
    let private = move |rows: &Rows<'_>, row: usize| {
        let secret = BigNum::from_slice(rows.secrets.get(row)).expect("memory");
        let public = point(rows.publics.get(row)).expect("a point");
        EcKey::from_private_components(group, &secret, &public).expect("a pair of keys")
    };
    let sign = move |key: &EcKey<Private>, rows: &Rows<'_>, row: usize, answer: &mut [u8]| {
        let signature = EcdsaSig::sign(&hash(rows.messages.row(row)), key).expect("a signature");
        let width = answer.len() / 2;
        let (r, s) = answer.split_at_mut(width);
        r.copy_from_slice(&signature.r().to_vec_padded(width as i32).expect("memory"));
        s.copy_from_slice(&signature.s().to_vec_padded(width as i32).expect("memory"));
    };
    let public = move |rows: &Rows<'_>, row: usize| {
        let point = point(rows.publics.get(row)).ok()?;
        EcKey::from_public_key(group, &point).ok()
    };
    let verify_digest = |key: &EcKey<Public>, digest: &[u8], signature: &[u8]| {
        let (r, s) = signature.split_at(signature.len() / 2);
        let number = |bytes| BigNum::from_slice(bytes).expect("memory");
        let signature = EcdsaSig::from_private_components(number(r), number(s)).expect("memory");
        signature.verify(digest, key).unwrap_or(false)
    };
    let verify = move |key: Option<&EcKey<Public>>, rows: &Rows<'_>, row: usize| {
        let (digest, signature) = (hash(rows.messages.row(row)), rows.signatures.get(row));
        key.is_some_and(|key| verify_digest(key, &digest, signature))
    };
    let op = |name| format!("{curve}.{name}");
    let raw = move |rows: &Rows<'_>, row: usize, answer: &mut [u8]| {
        answer[0] = verify(public(rows, row).as_ref(), rows, row).into();
    };
    let offers = vec![
        Offer::each(&op("keygen"), "", keygen),
        Offer::prepared(&op("sign"), "", private, sign),
        Offer::prepared(&op("sign_bulk"), "", private, sign),
        Offer::prepared(&op("verify"), "", public, move |key, rows, row, answer| {
            answer[0] = verify(key.as_ref(), rows, row).into();
        }),
        Offer::each(&op("verify_raw"), "", raw),
        Offer::each(&op("verify_bulk"), "", raw),
        Offer::prepared(&op("verify_patterns"), "", public, move |key, rows, row, answer| {
            let (digest, signature) = (rows.messages.row(row), rows.signatures.get(row));
            answer[0] =
                key.as_ref().is_some_and(|key| verify_digest(key, digest, signature)).into();
        }),
    ];
    offers.into_iter().map(|offer| offer.on(assembly())).collect()
}
