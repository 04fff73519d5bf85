//! COSE_Key and COSE_KeySet.

use super::*;

#[test]
fn keys_round_trip() {
    for secret in secrets() {
        let key = secret.public_key();
        for kid in [None, Some(b"k".to_vec())] {
            let public = PublicKey { kid: kid.clone(), key: key.clone() };
            let written = public.write().unwrap();
            assert_eq!(public_key(&written).unwrap(), public);
            assert_eq!(public_keys(&written).unwrap(), std::slice::from_ref(&public));
            assert!(coset::CoseKey::from_slice(&written).is_ok());
            let private = write_secret_key(kid.as_deref(), &secret).unwrap();
            let (read_kid, read) = secret_key(&private).unwrap();
            assert_eq!((read_kid, read.to_bytes()), (kid, secret.to_bytes()));
            assert_eq!(public_key(&private).unwrap_err().refusal(), Refusal::KeyUse);
            assert_eq!(secret_key(&written).unwrap_err().refusal(), Refusal::KeyUse);
            for length in 0..private.len() {
                assert!(secret_key(&private[..length]).is_err());
                assert!(public_key(&private[..length]).is_err());
            }
        }
    }
}

#[test]
fn published_keys_are_read() {
    // RFC 9052 appendix C.7.2, the key 11
    let d = "57c92077664146e876760c9520d054aa93c3afb04e306705db6090308507b4d3";
    let private = encoded(&map(&[
        (1, int(2)),
        (2, bytes(b"11")),
        (-1, int(1)),
        (-2, bytes(&hex(RFC9052_X))),
        (-3, bytes(&hex(RFC9052_Y))),
        (-4, bytes(&hex(d))),
    ]));
    let (kid, secret) = secret_key(&private).unwrap();
    assert_eq!(kid.as_deref(), Some(&b"11"[..]));
    assert_eq!(secret.public_key(), p256(RFC9052_X, RFC9052_Y));
    // EdDSA is deterministic: the published message comes out again
    let seed = hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
    let secret = SecretKey::new(Algorithm::Ed25519, &seed).unwrap();
    let again =
        message(&secret, &hex("a201270300"), map(&[(4, bytes(b"11"))]), b"This is the content.");
    assert_eq!(again, hex(EDDSA_01));
}

#[test]
fn points_may_be_compressed() {
    for secret in &secrets()[1..] {
        let key = secret.public_key();
        let (x, y) = key.coordinates().unwrap();
        let crv = if secret.algorithm() == Algorithm::P256 { 1 } else { 2 };
        let odd = y.last().unwrap() & 1 == 1;
        let written = |odd, d: &[u8]| {
            let mut entries =
                vec![(1, int(2)), (-1, int(crv)), (-2, bytes(&x)), (-3, Value::Bool(odd))];
            if !d.is_empty() {
                entries.push((-4, bytes(d)));
            }
            encoded(&map(&entries))
        };
        let read = public_key(&written(odd, b"")).unwrap().key;
        assert_eq!(read.coordinates(), key.coordinates());
        let message = sign(secret, None, b"hello", false, true, b"").unwrap();
        assert_eq!(is_valid(&message, &read, None, b""), Ok(true));
        let wrong = public_key(&written(!odd, b"")).unwrap().key;
        assert_eq!(is_valid(&message, &wrong, None, b""), Ok(false));
        assert!(secret_key(&written(odd, &secret.to_bytes())).is_ok());
        let error = secret_key(&written(!odd, &secret.to_bytes())).unwrap_err();
        assert_eq!(error.refusal(), Refusal::NotCose);
    }
}

#[test]
fn keys_that_do_not_fit_are_refused() {
    let okp = |entries: &[(i64, Value)]| {
        let mut all = vec![(1, int(1)), (-1, int(6)), (-2, bytes(&hex(EDDSA_01_X)))];
        for (label, value) in entries {
            all.retain(|(known, _)| known != label);
            all.push((*label, value.clone()));
        }
        encoded(&map(&all))
    };
    let ec2 = |crv: i64, x: &[u8], y: Value| {
        encoded(&map(&[(1, int(2)), (-1, int(crv)), (-2, bytes(x)), (-3, y)]))
    };
    let ops = |ops: Vec<Value>| okp(&[(4, Value::Array(ops))]);
    let table = [
        ("RSA", okp(&[(1, int(3))]), Refusal::AlgUnknown),
        ("symmetric", okp(&[(1, int(4))]), Refusal::AlgUnknown),
        ("kty by name", okp(&[(1, text("OKP"))]), Refusal::AlgUnknown),
        ("no kty", encoded(&map(&[(-1, int(6))])), Refusal::NotCose),
        ("X25519", okp(&[(-1, int(4))]), Refusal::AlgUnknown),
        ("Ed448", okp(&[(-1, int(7))]), Refusal::AlgUnknown),
        ("OKP on P-256", okp(&[(-1, int(1))]), Refusal::AlgUnknown),
        ("EC2 on Ed25519", okp(&[(1, int(2))]), Refusal::AlgUnknown),
        ("P-521", ec2(3, &[1; 66], bytes(&[1; 66])), Refusal::AlgUnknown),
        ("secp256k1", ec2(8, &[1; 32], bytes(&[1; 32])), Refusal::AlgUnknown),
        ("31 bytes", okp(&[(-2, bytes(&[1; 31]))]), Refusal::AlgMismatch),
        ("33 bytes", okp(&[(-2, bytes(&[1; 33]))]), Refusal::AlgMismatch),
        ("x of 31 bytes", ec2(1, &[1; 31], bytes(&[1; 32])), Refusal::AlgMismatch),
        ("x of 31 bytes, compressed", ec2(1, &[1; 31], Value::Bool(true)), Refusal::AlgMismatch),
        ("x and y together", ec2(1, &[1; 64], Value::Bool(true)), Refusal::AlgMismatch),
        ("y of 33 bytes", ec2(1, &[1; 32], bytes(&[1; 33])), Refusal::AlgMismatch),
        ("P-256 of 48 bytes", ec2(1, &[1; 48], bytes(&[1; 48])), Refusal::AlgMismatch),
        ("y is an integer", ec2(1, &[1; 32], int(1)), Refusal::NotCose),
        (
            "no y",
            encoded(&map(&[(1, int(2)), (-1, int(1)), (-2, bytes(&[1; 32]))])),
            Refusal::NotCose,
        ),
        ("no x", encoded(&map(&[(1, int(1)), (-1, int(6))])), Refusal::NotCose),
        ("x is a text", okp(&[(-2, text("x"))]), Refusal::NotCose),
        ("alg of P-256", okp(&[(3, int(-7))]), Refusal::AlgMismatch),
        ("alg HMAC", okp(&[(3, int(5))]), Refusal::AlgUnknown),
        ("key_ops sign", ops(vec![int(1)]), Refusal::KeyUse),
        ("key_ops MAC verify", ops(vec![int(10)]), Refusal::KeyUse),
        ("key_ops empty", ops(vec![]), Refusal::NotCose),
        ("key_ops no array", okp(&[(4, int(2))]), Refusal::NotCose),
        ("private", okp(&[(-4, bytes(&[1; 32]))]), Refusal::KeyUse),
        ("private and nil", okp(&[(-4, Value::Null)]), Refusal::KeyUse),
        ("kid is a text", okp(&[(2, text("a"))]), Refusal::NotCose),
        (
            "x twice",
            [&hex("a401012006")[..], &hex("215820"), &[1; 32], &hex("215820"), &[2; 32]].concat(),
            Refusal::DuplicateMember,
        ),
        ("trailing byte", [&okp(&[])[..], &[0]].concat(), Refusal::NotCose),
        ("a message", hex(RFC9052), Refusal::NotCose),
    ];
    for (name, key, refusal) in table {
        let error = public_key(&key).expect_err(name);
        assert_eq!(error.refusal(), refusal, "{name}: {error}");
    }
    for allowed in [
        okp(&[]),
        okp(&[(3, int(-8))]),
        okp(&[(3, int(-19))]),
        ops(vec![int(1), int(2)]),
        ops(vec![text("verify")]),
        okp(&[(99, int(1))]),
    ] {
        assert!(public_key(&allowed).is_ok());
    }

    // other keys of a set are left out, broken and private ones are not
    let set = |keys: &[&[u8]]| [&[0x80 | keys.len() as u8][..], &keys.concat()].concat();
    let (good, rsa) = (okp(&[]), okp(&[(1, int(3))]));
    assert_eq!(public_keys(&set(&[&rsa, &good, &ops(vec![int(1)])])).unwrap().len(), 1);
    let refusal = |bytes: &[u8]| public_keys(bytes).unwrap_err().refusal();
    assert_eq!(refusal(&set(&[&rsa])), Refusal::AlgUnknown);
    assert_eq!(refusal(&set(&[])), Refusal::NotCose);
    assert_eq!(refusal(&set(&[&good, &okp(&[(-4, bytes(&[1; 32]))])])), Refusal::KeyUse);
    assert_eq!(refusal(&set(&[&good, &okp(&[(-2, bytes(b""))])])), Refusal::AlgMismatch);
    assert_eq!(refusal(&[&set(&[&good])[..], &[0]].concat()), Refusal::NotCose);

    // a private key with the public part of another one, and with none
    let private = |entries: &[(i64, Value)]| {
        encoded(&map(&[&[(1, int(1)), (-1, int(6)), (-4, bytes(&[7; 32]))], entries].concat()))
    };
    assert!(secret_key(&private(&[])).is_ok());
    let refusal = |bytes: &[u8]| secret_key(bytes).unwrap_err().refusal();
    assert_eq!(refusal(&private(&[(-2, bytes(&[1; 32]))])), Refusal::NotCose);
    assert_eq!(refusal(&private(&[(4, Value::Array(vec![int(2)]))])), Refusal::KeyUse);
    assert_eq!(refusal(&okp(&[(-4, bytes(&[7; 31]))])), Refusal::AlgMismatch);
}
