//! Signs a file as a COSE_Sign1, or verifies one and writes its payload.
//!
//! ```text
//! head -c 32 /dev/urandom >seed
//! cargo run --example cose sign seed <text >message    # writes the public key in hexadecimal to standard error
//! cargo run --example cose verify HEXADECIMAL <message
//! ```

use coset::{CborSerializable, CoseSign1, TaggedCborSerializable};
use sigmill::ed25519::SigningKey;
use sigmill_coset_example::{PublicKey, SecretKey, sign, verify};
use std::error::Error;
use std::io::{Read, Write, stderr, stdin, stdout};
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cose: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let mut input = Vec::new();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["sign", seed] => {
            let key = SigningKey::decode(&fs::read(seed)?)?;
            writeln!(stderr(), "{}", key.verifying_key())?;
            stdin().read_to_end(&mut input)?;
            let message = sign(&SecretKey::Ed25519(key), input, b"");
            stdout().write_all(&message.to_tagged_vec().map_err(|why| why.to_string())?)?;
        }
        ["verify", key] => {
            let key: sigmill::ed25519::VerifyingKey = key.parse()?;
            stdin().read_to_end(&mut input)?;
            let read =
                CoseSign1::from_tagged_slice(&input).or_else(|_| CoseSign1::from_slice(&input));
            let message = read.map_err(|why| format!("not a COSE_Sign1: {why}"))?;
            verify(&message, b"", &PublicKey::Ed25519(key.to_bytes()))?;
            stdout().write_all(message.payload.as_deref().unwrap_or_default())?;
        }
        _ => return Err("usage: cose sign SEEDFILE | cose verify PUBLICKEY".into()),
    }
    Ok(())
}
