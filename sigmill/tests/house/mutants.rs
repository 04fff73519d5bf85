//! What mutation testing found untested (`docs/mutants.md` names the changes that these notice).

use sigmill::ed25519::{SigningKey, VerifyingKey};

#[test]
fn the_bytes_in_a_public_pem_are_those_of_the_key() {
    let key = SigningKey::from_bytes(&[7; 32]).verifying_key();
    let pem = key.to_spki_pem().unwrap();
    assert_eq!(VerifyingKey::bytes_from_spki_pem(&pem), Ok(key.to_bytes()));
}
