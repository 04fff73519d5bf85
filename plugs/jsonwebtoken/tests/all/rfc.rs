//! The examples of the RFCs.

use crate::install;
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Validation,
    crypto::{sign, verify},
    decode,
};
use serde_json::Value;
use sigmill::ed25519;

/// RFC 7515 appendix A.3.
#[test]
fn rfc_7515_es256() {
    install();
    let key = DecodingKey::from_ec_components(
        "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    )
    .unwrap();
    let token = "eyJhbGciOiJFUzI1NiJ9.\
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
        DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    let mut validation = Validation::new(Algorithm::ES256);
    validation.validate_exp = false; // it has expired in 2011
    let read = decode::<Value>(token, &key, &validation).unwrap();
    assert_eq!(read.claims["iss"], "joe");
    let changed = token.replace(".DtEh", ".EtEh");
    let error = decode::<Value>(changed, &key, &validation).unwrap_err();
    assert_eq!(error.to_string(), "InvalidSignature");
}

/// RFC 8037 appendix A.4, whose payload is no JSON, and A.5.
#[test]
fn rfc_8037_ed25519() {
    install();
    let message = b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
    let signature =
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    let key =
        DecodingKey::from_ed_components("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap();
    assert!(verify(signature, message, &key, Algorithm::EdDSA).unwrap());
    assert!(!verify(signature, &message[1..], &key, Algorithm::EdDSA).unwrap());

    let seed = [
        0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c,
        0xc4, 0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae,
        0x7f, 0x60,
    ];
    let secret = ed25519::SigningKey::from_bytes(&seed).to_private_key_der().unwrap();
    let secret = EncodingKey::from_ed_der(&secret);
    assert_eq!(sign(message, &secret, Algorithm::EdDSA).unwrap(), signature);
}
