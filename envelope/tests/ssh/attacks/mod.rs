//! Inputs that must be refused, and changes that must not verify.

mod keys;
mod signatures;

use crate::secret;
use sigmill::bulk::Algorithm;
use sigmill_envelope::ssh;

/// The blob of a public key.
fn blob(algorithm: Algorithm) -> Vec<u8> {
    let line = ssh::write_public(&secret(algorithm).public_key(), "").unwrap();
    data_encoding::BASE64.decode(line.trim_end().split_once(' ').unwrap().1.as_bytes()).unwrap()
}
