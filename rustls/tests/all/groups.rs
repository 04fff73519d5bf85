//! Key exchange against *ring*, and key shares that are refused.

use rustls::crypto::SupportedKxGroup;
use rustls::{Error, PeerMisbehaved};
use sigmill_rustls::kx::{ALL, SECP256R1, SECP384R1, X25519};

/// The u-coordinates below 2^255 of small order (RFC 7748 section 6.1): 0, 1, two of order 8, p − 1, and p, p + 1 for
/// those who do not reduce.
const SMALL: [&str; 7] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks_exact(2);
    digits
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).expect("text"), 16).expect("hex"))
        .collect()
}

fn complete(group: &dyn SupportedKxGroup, theirs: &[u8]) -> Result<Vec<u8>, Error> {
    let ours = group.start().expect("random bytes");
    ours.complete(theirs).map(|secret| secret.secret_bytes().to_vec())
}

#[test]
fn both_sides_have_one_secret() {
    let of_ring = rustls::crypto::ring::ALL_KX_GROUPS;
    assert_eq!(ALL.len(), of_ring.len());
    for ours in ALL {
        let theirs = of_ring.iter().find(|theirs| theirs.name() == ours.name());
        let theirs = theirs.expect("a group of that name");
        for _ in 0..20 {
            let (a, b) =
                (ours.start().expect("random bytes"), theirs.start().expect("random bytes"));
            assert_eq!((a.group(), b.group()), (ours.name(), ours.name()));
            let (a_public, b_public) = (a.pub_key().to_vec(), b.pub_key().to_vec());
            assert_ne!(a_public, b_public);
            let a = a.complete(&b_public).expect("a secret");
            let b = b.complete(&a_public).expect("a secret");
            assert_eq!(a.secret_bytes(), b.secret_bytes());
        }
    }
}

#[test]
fn only_uncompressed_points_of_the_curve_are_agreed_with() {
    let refused = || Err(Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare));
    for (group, other, len) in [(SECP256R1, SECP384R1, 65), (SECP384R1, SECP256R1, 97)] {
        let whole = group.start().expect("random bytes").pub_key().to_vec();
        assert_eq!(whole.len(), len);
        assert!(complete(group, &whole).is_ok());
        let mut compressed = whole[..=len / 2].to_vec();
        compressed[0] = 2 + (whole[len - 1] & 1);
        assert_eq!(complete(group, &compressed), refused(), "compressed");
        let mut hybrid = whole.clone();
        hybrid[0] = 6 + (whole[len - 1] & 1);
        assert_eq!(complete(group, &hybrid), refused(), "hybrid");
        let mut beside = whole.clone();
        beside[len - 1] ^= 1;
        assert_eq!(complete(group, &beside), refused(), "beside the curve");
        assert_eq!(complete(group, &[0]), refused(), "infinity");
        assert_eq!(complete(group, &vec![0xff; len]), refused(), "no coordinates");
        let foreign = other.start().expect("random bytes").pub_key().to_vec();
        assert_eq!(complete(group, &foreign), refused(), "the other curve's");
        for len in (0..len).chain([len + 1]) {
            let mut other = whole.clone();
            other.resize(len, 0);
            assert_eq!(complete(group, &other), refused(), "{len} bytes");
        }
    }
}

#[test]
fn keys_of_small_order_and_of_other_lengths_are_refused() {
    let refused = || Err(Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare));
    for small in SMALL {
        let mut small = bytes(small);
        assert_eq!(complete(X25519, &small), refused(), "{small:x?}");
        // the highest bit does not count
        small[31] |= 0x80;
        assert_eq!(complete(X25519, &small), refused(), "{small:x?}");
    }
    let whole = X25519.start().expect("random bytes").pub_key().to_vec();
    assert!(complete(X25519, &whole).is_ok());
    for len in (0..32).chain([33, 64, 65]) {
        let mut other = whole.clone();
        other.resize(len, 0);
        assert_eq!(complete(X25519, &other), refused(), "{len} bytes");
    }
}
