//! Both ways with other implementations, where they are installed.

use super::{ALGORITHMS, compact, json, named, secret};
use sigmill_envelope::SecretKey;
use sigmill_envelope::jose::{Headers, Jwk, JwkSet, private_to_json, read_private, sign_general};
use std::path::Path;
use std::process::Command;

const PAYLOAD: &[u8] = br#"{"sub":"alice","n":1}"#;

/// `make FOLDER` writes a key pair (`ALG.private`, `ALG.public`), a token and a thumbprint for each algorithm.
/// `check FOLDER` verifies `ALG.ours` with `ALG.jwk`.
const NODE: &str = r#"
const crypto = require('crypto'), fs = require('fs');
const [mode, dir] = process.argv.slice(1);
const kinds = {EdDSA: ['ed25519', {}], ES256: ['ec', {namedCurve: 'P-256'}], ES384: ['ec', {namedCurve: 'P-384'}]};
const hash = {EdDSA: null, ES256: 'sha256', ES384: 'sha384'};
const b64 = data => Buffer.from(data).toString('base64url');
const print = jwk => {
  const names = ['crv', 'kty', 'x', 'y'].filter(name => name in jwk);
  return b64(crypto.createHash('sha256').update(JSON.stringify(jwk, names)).digest());
};
for (const [alg, [kind, options]] of Object.entries(kinds)) {
  const path = name => `${dir}/${alg}.${name}`;
  if (mode === 'make') {
    const {publicKey, privateKey} = crypto.generateKeyPairSync(kind, options);
    const jwk = publicKey.export({format: 'jwk'});
    const message = b64(JSON.stringify({alg, kid: 'theirs'})) + '.' + b64('{"sub":"alice","n":1}');
    const signature = crypto.sign(hash[alg], message, {key: privateKey, dsaEncoding: 'ieee-p1363'});
    fs.writeFileSync(path('private'), JSON.stringify({...privateKey.export({format: 'jwk'}), kid: 'theirs'}));
    fs.writeFileSync(path('public'), JSON.stringify({...jwk, kid: 'theirs', use: 'sig', alg}));
    fs.writeFileSync(path('token'), message + '.' + b64(signature));
    fs.writeFileSync(path('print'), print(jwk));
  } else {
    for (const format of ['jwk', 'ours.private']) {
      const jwk = JSON.parse(fs.readFileSync(path(format)));
      const key = format === 'jwk' ? crypto.createPublicKey({key: jwk, format: 'jwk'})
        : crypto.createPublicKey(crypto.createPrivateKey({key: jwk, format: 'jwk'}));
      const token = fs.readFileSync(path('ours'), 'utf8');
      const [header, payload, signature] = token.split('.');
      if (JSON.parse(Buffer.from(header, 'base64url')).alg !== alg) throw new Error(alg);
      const good = crypto.verify(hash[alg], header + '.' + payload, {key, dsaEncoding: 'ieee-p1363'},
        Buffer.from(signature, 'base64url'));
      if (!good) throw new Error(`${alg} does not verify`);
    }
    console.log(alg, 'verified');
  }
}
"#;

/// The same with PyJWT, and with joserfc if it is installed.
const PYTHON: &str = r#"
import json, sys, jwt
mode, folder = sys.argv[1:]
def path(alg, name): return f"{folder}/{alg}.{name}"
def read(alg, name): return open(path(alg, name)).read()
def write(alg, name, text): open(path(alg, name), "w").write(text)
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
makers = {"EdDSA": ed25519.Ed25519PrivateKey.generate,
          "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
          "ES384": lambda: ec.generate_private_key(ec.SECP384R1())}
try:
    from joserfc import jwk, jws
except ImportError:
    jws = None
for alg, make in makers.items():
    of = jwt.get_algorithm_by_name(alg)
    if mode == "make":
        key = make()
        public = {**json.loads(of.to_jwk(key.public_key())), "kid": "theirs"}
        write(alg, "private", json.dumps({**json.loads(of.to_jwk(key)), "kid": "theirs"}))
        write(alg, "public", json.dumps(public))
        write(alg, "token", jwt.encode({"sub": "alice", "n": 1}, key, alg, headers={"kid": "theirs"}))
        if jws:
            write(alg, "print", jwk.import_key(public).thumbprint())
            write(alg, "general", json.dumps(jws.serialize_json(
                [{"protected": {"alg": alg, "kid": "theirs"}}], b"general",
                jwk.import_key(json.loads(read(alg, "private"))), algorithms=[alg])))
    else:
        for name in ["jwk", "ours.private"]:
            key = jwt.PyJWK(json.loads(read(alg, name)), algorithm=alg)
            if name == "jwk":
                assert jwt.decode(read(alg, "ours"), key, algorithms=[alg]) == {"sub": "alice", "n": 1}
        print(alg, "verified by PyJWT")
        if jws:
            key = jwk.import_key(json.loads(read(alg, "jwk")))
            of = jws.deserialize_json(json.loads(read(alg, "ours.general")), key, algorithms=[alg])
            assert of.payload == b'{"sub":"alice","n":1}'
            print(alg, "verified by joserfc")
"#;

fn run(program: &str, flag: &str, script: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).arg(flag).arg(script).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn there(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

fn read(folder: &Path, alg: &str, name: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(format!("{alg}.{name}"))).ok()
}

/// Reads their keys and tokens, and writes ours beside them: with a key of ours, and with theirs.
fn both_ways(program: &str, flag: &str, script: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let name = path.to_str().unwrap();
    run(program, flag, script, &["make", name]);
    let mut theirs: Vec<SecretKey> = Vec::new();
    for (_, alg) in ALGORITHMS {
        let public = read(path, alg, "public").unwrap();
        let keys = JwkSet::read(public.as_bytes()).unwrap();
        let token = read(path, alg, "token").unwrap();
        assert_eq!(compact(&keys, token.as_bytes()), Ok(true), "{alg}");
        let private = read(path, alg, "private").unwrap();
        let (secret, jwk) = read_private(private.as_bytes()).unwrap();
        assert_eq!(jwk.key, Jwk::read(public.as_bytes()).unwrap().key);
        if let Some(print) = read(path, alg, "print") {
            assert_eq!(jwk.thumbprint().unwrap(), print);
        }
        if let Some(text) = read(path, alg, "general") {
            assert_eq!(json(&keys, &text, None), Ok(vec![Ok(true)]), "{alg}");
        }
        theirs.push(secret);
    }
    let ours = ALGORITHMS.map(|(algorithm, _)| secret(algorithm, 7));
    for secrets in [&ours[..], &theirs[..]] {
        for (secret, (_, alg)) in secrets.iter().zip(ALGORITHMS) {
            let headers = Headers { kid: Some("ours"), typ: Some("JWT"), ..Headers::default() };
            let write = |name: &str, text: &str| {
                std::fs::write(path.join(format!("{alg}.{name}")), text).unwrap();
            };
            write("jwk", &named(secret.public_key(), "ours").to_json().unwrap());
            write("ours.private", &private_to_json(secret, Some("ours")).unwrap());
            write("ours", &headers.compact(secret, PAYLOAD).unwrap());
            write("ours.general", &sign_general(&[(secret, headers)], PAYLOAD, false).unwrap());
        }
        print!("{}", run(program, flag, script, &["check", name]));
    }
}

#[test]
fn node() {
    if !there("node", &["--version"]) {
        println!("not run here: there is no node");
        return;
    }
    both_ways("node", "-e", NODE);
}

#[test]
fn python() {
    if !there("python3", &["-c", "import jwt, cryptography"]) {
        println!("not run here: Python has no PyJWT or no cryptography");
        return;
    }
    both_ways("python3", "-c", PYTHON);
}
