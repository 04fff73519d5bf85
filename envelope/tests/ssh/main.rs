//! OpenSSH: keys, signatures and allowed signers, with `ssh-keygen` and against attacks.

mod allowed;
mod attacks;
mod keys;
mod signatures;
mod tool;

use sigmill::bulk::Algorithm;
use sigmill_envelope::SecretKey;

/// The algorithms with the names of their keys in OpenSSH, and `ssh-keygen -t … -b …`.
const TYPES: [(Algorithm, &str, &str, &str); 3] = [
    (Algorithm::Ed25519, "ssh-ed25519", "ed25519", "256"),
    (Algorithm::P256, "ecdsa-sha2-nistp256", "ecdsa", "256"),
    (Algorithm::P384, "ecdsa-sha2-nistp384", "ecdsa", "384"),
];

/// Private keys of RFC 8032 section 7.1 (test 1), and of RFC 6979 sections A.2.5 and A.2.6.
fn secret(algorithm: Algorithm) -> SecretKey {
    let hex = match algorithm {
        Algorithm::Ed25519 => "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        Algorithm::P256 => "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
        _ => concat!(
            "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d8",
            "96d5724e4c70a825f872c9ea60d2edf5"
        ),
    };
    SecretKey::new(algorithm, &data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap()).unwrap()
}

/// A `string` of SSH.
fn field(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat()
}

/// Fields one after another.
fn fields(all: &[&[u8]]) -> Vec<u8> {
    all.iter().flat_map(|bytes| field(bytes)).collect()
}

/// Armor with 70 columns.
fn armor(label: &str, bytes: &[u8]) -> Vec<u8> {
    let base64 = data_encoding::BASE64.encode(bytes);
    let mut text = format!("-----BEGIN {label}-----\n").into_bytes();
    for line in base64.as_bytes().chunks(70) {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text.extend(format!("-----END {label}-----\n").into_bytes());
    text
}

/// The bytes within armor.
fn dearmor(text: &[u8]) -> Vec<u8> {
    let lines = std::str::from_utf8(text).unwrap().lines();
    let base64: String = lines.filter(|line| !line.starts_with('-')).collect();
    data_encoding::BASE64.decode(base64.as_bytes()).unwrap()
}
