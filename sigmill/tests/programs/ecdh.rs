//! ECDH and the conversions among keys on one curve, by the names of the crate's root. The including module says
//! which crate that is and how many bytes its field has (`WIDTH`).

use crate::counter::Counter;
use super::root::ecdh::EphemeralSecret;
use super::root::ecdsa::signature::{Signer, Verifier};
use super::root::ecdsa::{Signature, SigningKey, VerifyingKey};
use super::root::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding,
};
use super::root::{FieldBytes, NonZeroScalar, PublicKey, SecretKey, ecdh};
use super::{Generate, WIDTH};
use subtle::ConstantTimeEq;

/// A generic function over what can be generated.
fn made<T: Generate>(counter: u8) -> T {
    T::generate_from_rng(&mut Counter(counter))
}

fn conversions(key: &SecretKey, say: &mut impl FnMut(String)) {
    let public = key.public_key();
    let signing = SigningKey::from(key);
    let verifying = VerifyingKey::from(&public);
    say(format!("{}", SigningKey::from(key.clone()) == signing));
    say(format!("{}", SecretKey::from(&signing) == *key && SecretKey::from(signing.clone()) == *key));
    say(format!("{}", *signing.verifying_key() == verifying && VerifyingKey::from(public) == verifying));
    say(format!("{}", PublicKey::from(verifying) == public && PublicKey::from(&verifying) == public));
    say(format!("{}", PublicKey::from(key.clone()) == public && PublicKey::from(key) == public));
    let signature: Signature = signing.sign(b"message");
    say(format!("{signature} {:?}", verifying.verify(b"message", &signature).is_ok()));
    let (r, s) = signature.split_bytes();
    let again = Signature::from_scalars(r, s);
    say(format!("{}", again.is_ok_and(|it| it == signature)));
    let as_arrays: [[u8; WIDTH]; 2] = [r.into(), s.into()];
    let again = Signature::from_scalars(as_arrays[0], as_arrays[1]);
    say(format!("{}", again.is_ok_and(|it| it == signature)));
    // scalars
    let (as_scalars, r_bytes) = (signature.split_scalars(), FieldBytes::from(signature.r()));
    say(format!("{:?} {:?}", r_bytes.to_vec(), signature.s().to_bytes().to_vec()));
    say(format!("{}", as_scalars.0 == signature.r() && as_scalars.1 == signature.s()));
    let again = Signature::from_scalars(as_scalars.0, as_scalars.1);
    say(format!("{}", again.is_ok_and(|it| it == signature)));
    let scalar = key.to_nonzero_scalar();
    say(format!("{:?} {}", scalar.to_bytes().to_vec(), scalar == NonZeroScalar::from(key.clone())));
    say(format!("{}", SecretKey::from(scalar.clone()) == *key && SecretKey::from(&scalar) == *key));
    say(format!("{}", SigningKey::from(scalar.clone()) == signing));
    say(format!("{}", bool::from(scalar.ct_eq(&signature.r()))));
    let shared = ecdh::diffie_hellman(key.to_nonzero_scalar(), public.as_affine());
    say(format!("{:?}", shared.raw_secret_bytes().to_vec()));
    let shared = ecdh::diffie_hellman(&scalar, public.as_affine());
    say(format!("{}", shared.raw_secret_bytes() == key.diffie_hellman(&public).raw_secret_bytes()));

    for compress in [false, true] {
        let point = verifying.to_sec1_point(compress);
        say(format!("{:?} {}", point.as_bytes(), point.is_compressed()));
        say(format!("{point} {point:x} {point:X} {}", point.len()));
        say(format!("{:?} {:?}", point.x().map(|x| x.to_vec()), point.y().map(|y| y.to_vec())));
        say(format!("{}", VerifyingKey::from_sec1_point(&point).is_ok_and(|it| it == verifying)));
        let made: Option<PublicKey> = Option::from(PublicKey::try_from(point).ok());
        say(format!("{}", made == Some(public)));
        say(format!("{:?}", VerifyingKey::from_sec1_bytes(point.as_ref()).is_ok()));
        let read = super::root::Sec1Point::from_bytes(point.as_bytes());
        say(format!("{}", read.is_ok_and(|it| it == point && it.compress() == verifying.to_sec1_point(true))));
        for len in 0..point.len() {
            say(format!("{:?}", super::root::Sec1Point::from_bytes(&point.as_bytes()[..len]).is_err()));
        }
    }
    let point = super::root::Sec1Point::from(public);
    let (x, y) = (point.x().expect("x"), point.y().expect("y"));
    for compress in [false, true] {
        let made = super::root::Sec1Point::from_affine_coordinates(x, y, compress);
        say(format!("{made}"));
    }

    // containers and text
    let der = key.to_pkcs8_der().expect("a key can be written");
    say(format!("{:?}", der.as_bytes()));
    say(format!("{}", SecretKey::from_pkcs8_der(der.as_bytes()).is_ok_and(|it| it == *key)));
    say(format!("{}", SecretKey::from_der(der.as_bytes()).is_ok_and(|it| it == *key)));
    let der = key.to_sec1_der().expect("a key can be written");
    say(format!("{:?}", der.as_slice()));
    say(format!("{}", SecretKey::from_der(&der).is_ok_and(|it| it == *key)));
    say(format!("{}", SecretKey::from_sec1_der(&der).is_ok_and(|it| it == *key)));
    for ends in [LineEnding::LF, LineEnding::CRLF] {
        // sigmill reads either container under either label, which the others do not
        let text = key.to_pkcs8_pem(ends).expect("a key can be written");
        say(text.to_string());
        say(format!("{}", SecretKey::from_pem(&text).is_ok_and(|it| it == *key)));
        say(format!("{}", text.parse::<SecretKey>().is_ok_and(|it| it == *key)));
        let text = key.to_sec1_pem(ends).expect("a key can be written");
        say(text.to_string());
        say(format!("{}", SecretKey::from_pem(&text).is_ok_and(|it| it == *key)));
        say(format!("{}", SecretKey::from_sec1_pem(&text).is_ok_and(|it| it == *key)));
        let text = public.to_public_key_pem(ends).expect("a key can be written");
        say(text.clone());
        say(format!("{}", text.parse::<PublicKey>().is_ok_and(|it| it == public)));
        say(format!("{}", PublicKey::from_public_key_pem(&text).is_ok_and(|it| it == public)));
        say(format!("{}", SecretKey::from_pem(&text).is_ok()));
    }
    say(public.to_string());
    say(format!("{}", public.to_string().parse::<PublicKey>().is_ok_and(|it| it == public)));
}

pub fn account() -> Vec<String> {
    let mut account = Vec::new();
    let mut say = |line: String| account.push(line);
    let mut keys = Vec::new();
    for byte in [1, 0x4f, 0xa3] {
        let bytes: FieldBytes = [byte; WIDTH].into();
        keys.push(SecretKey::from_bytes(&bytes).expect("1 to n - 1"));
    }
    // as many zeros as may be left out, and more
    for len in 0..WIDTH + 3 {
        let read = SecretKey::from_slice(&[7; WIDTH + 3][..len]);
        say(format!("{len} {:?}", read.map(|key| key.to_bytes().to_vec()).ok()));
        let read = SigningKey::from_slice(&[7; WIDTH + 3][..len]);
        say(format!("{len} {:?}", read.map(|key| key.to_bytes().to_vec()).ok()));
        let read = SigningKey::try_from(&[7; WIDTH + 3][..len]);
        say(format!("{len} {:?}", read.map(|key| key.to_bytes().to_vec()).ok()));
        say(format!("{:?}", SecretKey::from_slice(&[0; WIDTH + 3][..len]).is_ok()));
    }
    say(format!("{:?}", SecretKey::from_slice(&[0xff; WIDTH]).is_ok()));
    for byte in [0, 1, 0xff] {
        let read = NonZeroScalar::try_from(&[byte; WIDTH][..]);
        say(format!("{:?}", read.map(|it| it.to_bytes().to_vec()).ok()));
        let read = Option::from(NonZeroScalar::from_repr([byte; WIDTH].into()));
        say(format!("{:?}", read.map(|it: NonZeroScalar| it.to_bytes().to_vec())));
        for len in [0, WIDTH - 1, WIDTH + 1] {
            say(format!("{}", NonZeroScalar::try_from(&[byte; WIDTH + 1][..len]).is_ok()));
        }
    }
    keys.push(SecretKey::from_slice(&[9; 24]).expect("24 bytes"));
    // from the same random bytes the two do not make the same key
    assert!(made::<SecretKey>(5) != made::<SecretKey>(6));
    for key in &keys {
        conversions(key, &mut say);
        for other in &keys {
            let public = other.public_key();
            let shared = key.diffie_hellman(&public);
            say(format!("{:?}", shared.raw_secret_bytes().to_vec()));
            say(format!("{}", key == other));
            say(format!("{}", bool::from(key.ct_eq(other))));
        }
    }
    for counter in 0..200 {
        let (alice, bob) = (made::<EphemeralSecret>(counter), made::<SecretKey>(counter + 50));
        let bytes = super::root::Sec1Point::from(alice.public_key());
        let alice_public = PublicKey::from_sec1_bytes(bytes.as_ref()).expect("a point");
        let shared = alice.diffie_hellman(&bob.public_key());
        let theirs = bob.diffie_hellman(&alice_public);
        say(format!("{}", shared.raw_secret_bytes() == theirs.raw_secret_bytes()));
    }
    // what is no key: x of no point, infinity, the hybrid form, a coordinate above p
    for bytes in [vec![0], vec![2; 1 + WIDTH], vec![6; 1 + 2 * WIDTH], vec![4; 1 + 2 * WIDTH], vec![]] {
        say(format!("{:?}", PublicKey::from_sec1_bytes(&bytes).is_ok()));
    }
    for x in 0..=255 {
        let mut bytes = [x; 1 + WIDTH];
        bytes[0] = 2 + (x & 1);
        let key = PublicKey::from_sec1_bytes(&bytes);
        say(format!("{:?}", key.map(|key| super::root::Sec1Point::from(key).to_string()).ok()));
    }
    account
}
