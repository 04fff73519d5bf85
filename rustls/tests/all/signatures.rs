//! Verification against *ring*'s through webpki, on signatures that are valid, changed and malformed.

use rustls::pki_types::SignatureVerificationAlgorithm;
use sha2::{Sha256, Sha384, Sha512};
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519::{self, Signer};
use sigmill_rustls::verify;
use std::fmt::Write;

type Algorithm = &'static dyn SignatureVerificationAlgorithm;

const MESSAGE: &[u8] = b"to be signed";

/// The orders of P-256 and P-384.
const N256: &str = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const N384: &str = "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973";

fn bytes(hex: &str) -> Vec<u8> {
    let at = |i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex");
    (0..hex.len()).step_by(2).map(at).collect()
}

/// Bytes that are compared, and what is expected of them.
struct Comparison {
    ours: Algorithm,
    rings: Option<Algorithm>,
    seen: [usize; 2],
}

impl Comparison {
    fn new(ours: Algorithm, rings: Option<Algorithm>) -> Self {
        if let Some(rings) = rings {
            assert_eq!(ours.public_key_alg_id(), rings.public_key_alg_id());
            assert_eq!(ours.signature_alg_id(), rings.signature_alg_id());
        }
        Comparison { ours, rings, seen: [0; 2] }
    }

    fn compare(&mut self, key: &[u8], message: &[u8], signature: &[u8]) -> bool {
        let ours = self.ours.verify_signature(key, message, signature).is_ok();
        if let Some(rings) = self.rings {
            let rings = rings.verify_signature(key, message, signature).is_ok();
            let mut text = String::new();
            for byte in key.iter().chain(&[0]).chain(signature) {
                write!(text, "{byte:02x}").expect("memory");
            }
            assert_eq!(ours, rings, "{:?}: {text}", self.ours);
        }
        self.seen[usize::from(ours)] += 1;
        ours
    }
}

/// An INTEGER in DER of a number without a sign, big-endian.
fn integer(number: &[u8]) -> Vec<u8> {
    let first = number.iter().position(|byte| *byte != 0).unwrap_or(number.len() - 1);
    let mut content = number[first..].to_vec();
    if content[0] >= 0x80 {
        content.insert(0, 0);
    }
    raw_integer(&content)
}

fn raw_integer(content: &[u8]) -> Vec<u8> {
    let mut der = vec![2, u8::try_from(content.len()).expect("a length")];
    der.extend(content);
    der
}

fn sequence(r: &[u8], s: &[u8]) -> Vec<u8> {
    let len = u8::try_from(r.len() + s.len()).expect("a length");
    let head: &[u8] = if len < 0x80 { &[0x30, len] } else { &[0x30, 0x81, len] };
    [head, r, s].concat()
}

/// number − other, modulo their width.
fn minus(number: &[u8], other: &[u8]) -> Vec<u8> {
    let mut difference = number.to_vec();
    let mut borrow = 0;
    for (i, byte) in difference.iter_mut().enumerate().rev() {
        let value = i16::from(*byte) - i16::from(other[i]) - borrow;
        borrow = i16::from(value < 0);
        *byte = value.rem_euclid(256) as u8;
    }
    difference
}

/// Forms of one valid signature: r and s of the width of n, big-endian.
fn forms(n: &[u8], r: &[u8], s: &[u8]) -> Vec<Vec<u8>> {
    let mut one = vec![0; n.len()];
    *one.last_mut().expect("a width") = 1;
    let zero = vec![0; n.len()];
    let below = minus(n, &one);
    let all_ones = vec![0xff; n.len()];
    let mut numbers = vec![];
    for number in [&zero, &one, &below, n, &all_ones, r, s, &minus(n, r), &minus(n, s)] {
        numbers.push(integer(number));
    }
    let mut forms = vec![];
    for r in &numbers {
        for s in &numbers {
            forms.push(sequence(r, s));
        }
    }
    let (r, s) = (integer(r), integer(s));
    let whole = sequence(&r, &s);
    // not minimal, negative, empty integers
    for (i, other) in [(0, &s), (1, &r)] {
        let this = if i == 0 { &r } else { &s };
        let content = &this[2..];
        let mut padded = vec![0];
        padded.extend(content);
        let mut negative = content.to_vec();
        negative[0] |= 0x80;
        for form in [padded, negative, vec![], [content, &[0]].concat(), content[1..].to_vec()] {
            let form = raw_integer(&form);
            forms.push(if i == 0 { sequence(&form, other) } else { sequence(other, &form) });
        }
        let mut tag = this.clone();
        tag[0] = 3;
        forms.push(if i == 0 { sequence(&tag, other) } else { sequence(other, &tag) });
    }
    // lengths in other forms, of other size, bytes after the end
    let content = &whole[2..];
    let len = whole[1];
    for head in [
        vec![0x30, 0x81, len],
        vec![0x30, 0x82, 0, len],
        vec![0x30, len + 1],
        vec![0x30, len - 1],
        vec![0x30, 0x80],
        vec![0x31, len],
        vec![0x30],
        vec![],
    ] {
        forms.push([&head, content].concat());
        forms.push([&head, content, &[0, 0]].concat());
    }
    forms.push([whole.as_slice(), &[0]].concat());
    forms.push([&[0x30, len + 2], content, &[5, 0]].concat());
    forms.push(sequence(&r, &[]));
    forms.push(sequence(&[r.as_slice(), &s].concat(), &s));
    // r and s side by side, as other formats have them
    forms.push([&r[2..], &s[2..]].concat());
    for len in 0..whole.len() {
        forms.push(whole[..len].to_vec());
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << bit;
            forms.push(flipped);
        }
    }
    forms
}

macro_rules! ecdsa {
    ($test:ident, $curve:ident, $n:expr, $($hash:ident: $ours:ident, $rings:expr;)*) => {
        #[test]
        fn $test() {
            let n = bytes($n);
            let secret: Vec<u8> = (1..=$curve::FIELD_LENGTH as u8).collect();
            let secret = $curve::SigningKey::from_slice(&secret).expect("below n");
            let key = secret.verifying_key().to_sec1_bytes();
            $(
            let mut comparison = Comparison::new(verify::$ours, $rings);
            let signature = secret.sign_with_hash::<$hash>(MESSAGE);
            let whole = signature.to_der();
            assert!(comparison.compare(&key, MESSAGE, whole.as_bytes()));
            let (r, s) = signature.split_bytes();
            for form in forms(&n, &r, &s) {
                comparison.compare(&key, MESSAGE, &form);
            }
            // low s and high s, twice each: once among the forms as it is, once with n − s
            let [refused, accepted] = comparison.seen;
            assert!(accepted == 3 && refused > 600, "{accepted} accepted, {refused} refused");
            assert!(!comparison.compare(&key, b"another message", whole.as_bytes()));
            // keys: each bit, each length, infinity, other encodings
            for at in 0..key.len() {
                let mut flipped = key;
                flipped[at] ^= 0x10;
                assert!(!comparison.compare(&flipped, MESSAGE, whole.as_bytes()));
                assert!(!comparison.compare(&key[..at], MESSAGE, whole.as_bytes()));
            }
            for first in 0..=u8::MAX {
                let mut other = key;
                other[0] = first;
                assert_eq!(comparison.compare(&other, MESSAGE, whole.as_bytes()), first == 4);
            }
            // of compressed keys ring knows nothing
            let compressed = secret.verifying_key().to_sec1_compressed();
            let ours = verify::$ours;
            assert!(ours.verify_signature(&compressed, MESSAGE, whole.as_bytes()).is_ok());
            )*
        }
    };
}

ecdsa! {
    ecdsa_on_p256_as_ring, p256, N256,
    Sha256: ECDSA_P256_SHA256, Some(webpki::ring::ECDSA_P256_SHA256);
    Sha384: ECDSA_P256_SHA384, Some(webpki::ring::ECDSA_P256_SHA384);
    Sha512: ECDSA_P256_SHA512, None;
}

ecdsa! {
    ecdsa_on_p384_as_ring, p384, N384,
    Sha256: ECDSA_P384_SHA256, Some(webpki::ring::ECDSA_P384_SHA256);
    Sha384: ECDSA_P384_SHA384, Some(webpki::ring::ECDSA_P384_SHA384);
    Sha512: ECDSA_P384_SHA512, None;
}

#[test]
fn keys_of_one_curve_are_none_of_the_other() {
    let one = p256::SigningKey::from_bytes(&[1; 32]).expect("below n");
    let other = p384::SigningKey::from_bytes(&[1; 48]).expect("below n");
    let (one_key, other_key) =
        (one.verifying_key().to_sec1_bytes(), other.verifying_key().to_sec1_bytes());
    let (one, other) = (one.sign_message(MESSAGE).to_der(), other.sign_message(MESSAGE).to_der());
    for signature in [one.as_bytes(), other.as_bytes()] {
        for (algorithm, key) in [
            (verify::ECDSA_P384_SHA384, one_key.as_slice()),
            (verify::ECDSA_P256_SHA256, other_key.as_slice()),
            (verify::ED25519, &one_key[..32]),
        ] {
            assert!(algorithm.verify_signature(key, MESSAGE, signature).is_err());
        }
    }
}

#[test]
fn ed25519_as_ring_but_for_points_of_small_order() {
    let mut comparison = Comparison::new(verify::ED25519, Some(webpki::ring::ED25519));
    let secret = ed25519::SigningKey::from_bytes(&[7; 32]);
    let key = secret.verifying_key().to_bytes();
    let whole = secret.sign(MESSAGE).to_bytes();
    assert!(comparison.compare(&key, MESSAGE, &whole));
    for at in 0..64 {
        for bit in 0..8 {
            let mut flipped = whole;
            flipped[at] ^= 1 << bit;
            assert!(!comparison.compare(&key, MESSAGE, &flipped));
        }
        assert!(!comparison.compare(&key, MESSAGE, &whole[..at]));
    }
    for at in 0..32 {
        for bit in 0..8 {
            let mut flipped = key;
            flipped[at] ^= 1 << bit;
            assert!(!comparison.compare(&flipped, MESSAGE, &whole));
        }
        assert!(!comparison.compare(&key[..at], MESSAGE, &whole));
    }
    assert!(!comparison.compare(&key, b"another message", &whole));
    assert!(!comparison.compare(&key, MESSAGE, &[whole.as_slice(), &[0]].concat()));
    // S + order, once and as often as it fits
    let order = bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let mut larger = whole;
    for _ in 0..15 {
        let mut carry = 0;
        for (byte, add) in larger[32..].iter_mut().zip(&order) {
            carry += u16::from(*byte) + u16::from(*add);
            *byte = carry as u8;
            carry >>= 8;
        }
        assert!(!comparison.compare(&key, MESSAGE, &larger));
    }
    // [S]B = R + [k]A with A and R the neutral element, S = 0: valid for every message by the exact equation alone
    let mut neutral = [0; 32];
    neutral[0] = 1;
    let mut of_nobody = [0; 64];
    of_nobody[0] = 1;
    for message in [MESSAGE, b"another message"] {
        let ring = webpki::ring::ED25519.verify_signature(&neutral, message, &of_nobody);
        assert!(ring.is_ok());
        assert!(verify::ED25519.verify_signature(&neutral, message, &of_nobody).is_err());
    }
}
