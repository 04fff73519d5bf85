//! COSE_Sign1 and COSE_Key, from outside.

mod attacks;
mod keys;
mod messages;

use coset::cbor::{Value, ser};
use coset::{
    CborSerializable, CoseSign1, CoseSign1Builder, HeaderBuilder, ProtectedHeader,
    SignatureContext, TaggedCborSerializable, iana, sig_structure_data,
};
use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::Encoding;
use sigmill::ed25519::rules::STRICT;
use sigmill_envelope::cose::{
    ContentType, Keys, PublicKey, Sign1, public_key, public_keys, secret_key, sign,
    write_secret_key,
};
use sigmill_envelope::{Key, Refusal, Result, Scheme, SecretKey};

fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    HEX.decode(digits.as_bytes()).unwrap()
}

fn secrets() -> [SecretKey; 3] {
    Algorithm::ALL.map(|algorithm| {
        let length = if algorithm == Algorithm::P384 { 48 } else { 32 };
        SecretKey::new(algorithm, &[7; 48][..length]).unwrap()
    })
}

fn encoded(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    ser::into_writer(value, &mut out).unwrap();
    out
}

fn map(entries: &[(i64, Value)]) -> Value {
    Value::Map(entries.iter().map(|(label, value)| (Value::from(*label), value.clone())).collect())
}

fn int(number: i64) -> Value {
    Value::from(number)
}

fn bytes(bytes: &[u8]) -> Value {
    Value::Bytes(bytes.to_vec())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// A message of these parts, tagged, with the signature of a key over them.
fn message(secret: &SecretKey, protected: &[u8], unprotected: Value, payload: &[u8]) -> Vec<u8> {
    let header = ProtectedHeader { original_data: Some(protected.to_vec()), ..Default::default() };
    let message = sig_structure_data(SignatureContext::CoseSign1, header, None, b"", payload);
    let signature = secret.sign(Scheme::of(secret.algorithm(), Encoding::Fixed), &message).unwrap();
    let parts = vec![bytes(protected), unprotected, bytes(payload), bytes(&signature)];
    encoded(&Value::Tag(18, Box::new(Value::Array(parts))))
}

fn is_valid(message: &[u8], key: &Key, payload: Option<&[u8]>, aad: &[u8]) -> Result<bool> {
    let sign1 = Sign1::read(message)?;
    let signed = sign1.signed(key, payload, aad)?;
    Ok(signed.verify(key, &STRICT)?.is_valid())
}

// RFC 9052 appendix C.2.1; the key is of appendix C.7.1
const RFC9052: &str = "d28443a10126a10442313154546869732069732074686520636f6e74656e742e58408eb33e4ca31d1c46\
    5ab05aac34cc6b23d58fef5c083106c4d25a91aef0b0117e2af9a291aa32e14ab834dc56ed2a223444547e01f11d3b09\
    16e5a4c345cacb36";
const RFC9052_X: &str = "bac5b11cad8f99f9c72b05cf4b9e26d244dc189f745228255a219a86d6a09eff";
const RFC9052_Y: &str = "20138bf82dc1b6d562be0fa54ab7804a3a64b6d72ccfed6b6fb6ed28bbfc117e";

// RFC 8392 appendix A.3; the key is of appendix A.2.3
const RFC8392: &str = "d28443a10126a104524173796d6d657472696345434453413235365850a70175636f61703a2f2f61732e\
    6578616d706c652e636f6d02656572696b77037818636f61703a2f2f6c696768742e6578616d706c652e636f6d041a56\
    12aeb0051a5610d9f0061a5610d9f007420b7158405427c1ff28d23fbad1f29c4c7c6a555e601d6fa29f9179bc3d7438\
    bacaca5acd08c8d4d4f96131680c429a01f85951ecee743a52b9b63632c57209120e1c9e30";
const RFC8392_X: &str = "143329cce7868e416927599cf65a34f3ce2ffda55a7eca69ed8919a394d42f0f";
const RFC8392_Y: &str = "60f7f1a780d8a783bfb7a2dd6b2796e8128dbbcef9d3d168db9529971a36e7b9";

// github.com/cose-wg/Examples, eddsa-examples/eddsa-sig-01.json; the key is that of RFC 8032 section 7.1, test 1
const EDDSA_01: &str = "d28445a201270300a10442313154546869732069732074686520636f6e74656e742e58407142fd2ff96d\
    56db85bee905a76ba1d0b7321a95c8c4d3607c5781932b7afb8711497dfa751bf40b58b3bcc32300b1487f3db34085ee\
    f013bf08f4a44d6fef0d";
const EDDSA_01_X: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

fn p256(x: &str, y: &str) -> Key {
    Key::new(Algorithm::P256, &[vec![4], hex(x), hex(y)].concat()).unwrap()
}
