//! aws-lc-rs: assembly for CPUs with BMI2 and ADX, or for others.

use aws_lc_rs::agreement::{self, ECDH_P256, ECDH_P384, PrivateKey, X25519, agree};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED,
    ECDSA_P384_SHA384_FIXED_SIGNING, ED25519, EcdsaKeyPair, EcdsaSigningAlgorithm,
    EcdsaVerificationAlgorithm, Ed25519KeyPair, KeyPair, ParsedPublicKey, UnparsedPublicKey,
};
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};

pub(crate) fn engine() -> &'static Engine {
    let rule = "rfc8032_exact";
    let mut offers = Vec::from(Offer::ed25519_signing(keygen, key_pair, sign));
    offers.extend([
        Offer::each("ed25519.verify_raw", rule, |rows, row, answer| {
            let key = UnparsedPublicKey::new(&ED25519, rows.publics.row::<32>(row));
            let valid = key.verify(rows.messages.row(row), rows.signatures.row::<64>(row)).is_ok();
            answer[0] = valid.into();
        }),
        Offer::prepared("ed25519.verify_parsed", rule, public_key, |key, rows, row, answer| {
            let (message, signature) = (rows.messages.row(row), rows.signatures.row::<64>(row));
            answer[0] = key.verify_sig(message, signature).is_ok().into();
        }),
        Offer::each("x25519.base", "", x25519_base),
        Offer::each("x25519.base_bulk", "", x25519_base),
        Offer::prepared("x25519.shared", "", x25519_key, x25519_shared),
        Offer::prepared("x25519.shared_bulk", "", x25519_key, x25519_shared),
    ]);
    offers.extend(P256.offers());
    offers.extend(P384.offers());
    let versions = ["aws-lc-rs", "aws-lc-sys"].map(locked_version);
    Engine::new(versions.join(", "), super::entrant::assembly(), offers)
}

fn key_pair(rows: &Rows<'_>, row: usize) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(rows.secrets.row::<32>(row)).expect("any seed is a key")
}

fn public_key(rows: &Rows<'_>, row: usize) -> ParsedPublicKey {
    ParsedPublicKey::new(&ED25519, rows.publics.row::<32>(row)).expect("a key")
}

fn keygen(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(key_pair(rows, row).public_key().as_ref());
}

fn sign(pair: &Ed25519KeyPair, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    answer.copy_from_slice(pair.sign(rows.messages.row(row)).as_ref());
}

/// The algorithms of ECDSA on one curve.
struct Curve {
    name: &'static str,
    private: &'static agreement::Algorithm,
    signing: &'static EcdsaSigningAlgorithm,
    verification: &'static EcdsaVerificationAlgorithm,
}

static P256: Curve = Curve {
    name: "p256",
    private: &ECDH_P256,
    signing: &ECDSA_P256_SHA256_FIXED_SIGNING,
    verification: &ECDSA_P256_SHA256_FIXED,
};
static P384: Curve = Curve {
    name: "p384",
    private: &ECDH_P384,
    signing: &ECDSA_P384_SHA384_FIXED_SIGNING,
    verification: &ECDSA_P384_SHA384_FIXED,
};

impl Curve {
    fn offers(&'static self) -> Vec<Offer> {
        let op = |name| format!("{}.{name}", self.name);
        let keygen = |rows: &Rows<'_>, row: usize, answer: &mut [u8]| {
            let key = PrivateKey::from_private_key(self.private, rows.secrets.get(row));
            let public = key.expect("a secret key").compute_public_key().expect("a public key");
            answer.copy_from_slice(public.as_ref());
        };
        let pair = |rows: &Rows<'_>, row: usize| {
            let (secret, public) = (rows.secrets.get(row), rows.publics.get(row));
            EcdsaKeyPair::from_private_key_and_public_key(self.signing, secret, public)
                .expect("a pair of keys")
        };
        let sign = |pair: &EcdsaKeyPair, rows: &Rows<'_>, row: usize, answer: &mut [u8]| {
            let signature = pair.sign(&SystemRandom::new(), rows.messages.row(row));
            answer.copy_from_slice(signature.expect("a signature").as_ref());
        };
        let parsed = |rows: &Rows<'_>, row: usize| {
            ParsedPublicKey::new(self.verification, rows.publics.get(row)).expect("a point")
        };
        let verify = |key: &ParsedPublicKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]| {
            let valid = key.verify_sig(rows.messages.row(row), rows.signatures.get(row));
            answer[0] = valid.is_ok().into();
        };
        let verify_raw = |rows: &Rows<'_>, row: usize, answer: &mut [u8]| {
            let key = UnparsedPublicKey::new(self.verification, rows.publics.get(row));
            let valid = key.verify(rows.messages.row(row), rows.signatures.get(row));
            answer[0] = valid.is_ok().into();
        };
        vec![
            Offer::each(&op("keygen"), "", keygen),
            Offer::prepared(&op("sign"), "", pair, sign),
            Offer::prepared(&op("sign_bulk"), "", pair, sign),
            Offer::prepared(&op("verify"), "", parsed, verify),
            Offer::each(&op("verify_raw"), "", verify_raw),
            Offer::each(&op("verify_bulk"), "", verify_raw),
        ]
    }
}

fn x25519_key(rows: &Rows<'_>, row: usize) -> PrivateKey {
    PrivateKey::from_private_key(&X25519, rows.secrets.get(row)).expect("32 bytes")
}

fn x25519_base(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let public = x25519_key(rows, row).compute_public_key().expect("a public key");
    answer.copy_from_slice(public.as_ref());
}

fn x25519_shared(key: &PrivateKey, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let other = agreement::UnparsedPublicKey::new(&X25519, rows.messages.row(row));
    let write = |shared: &[u8]| {
        answer.copy_from_slice(shared);
        Ok(())
    };
    agree(key, other, (), write).expect("not zero");
}
