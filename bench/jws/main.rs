//! Measures a column of JSON Web Signatures: the column reader of envelopes with the engine, the engine alone for the same rows,
//! and jsonwebtoken with aws-lc-rs, token by token; see `run`.
//!
//! All three take every row in each round, each round beginning with another one, on one thread. A figure is the median
//! of the processor time of the thread. jsonwebtoken has its keys prepared, one a `kid`, and validates no claim; it reads
//! the header for the `kid` and once more to verify, and the payload as JSON, which the column reader leaves alone.
//!
//! Before anything is measured, a token with another payload under its signature is refused by the column and by
//! jsonwebtoken, and all others are valid. Every verdict of every round is looked at.

use data_encoding::BASE64URL_NOPAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{DecodingKey, Validation, decode, decode_header, jwk};
use nix::time::{ClockId, clock_gettime};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use sigmill::bulk::{Column, Engine, Indices, Outcome, Scratch, Specs, Table};
use sigmill::ecdsa::{Encoding, p256};
use sigmill::ed25519::{self, Signer, rules};
use sigmill_envelope::{Candidates, ColumnReader, Form, Scheme, Trusted};
use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

#[allow(dead_code)] // there are no other libraries here to be told
#[path = "../src/cpu.rs"]
mod cpu;

/// A secret key of a row.
enum Secret {
    Ed25519(ed25519::SigningKey),
    P256(p256::SigningKey),
}

impl Secret {
    fn new(alg: &str, number: usize) -> Result<Secret, sigmill::Error> {
        let mut bytes = [7; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        match alg {
            "EdDSA" => Ok(Secret::Ed25519(ed25519::SigningKey::from_bytes(&bytes))),
            _ => p256::SigningKey::from_slice(&bytes).map(Secret::P256),
        }
    }

    fn jwk(&self, kid: &str) -> Value {
        let text = |bytes: &[u8]| BASE64URL_NOPAD.encode(bytes);
        match self {
            Secret::Ed25519(key) => {
                let x = text(&key.verifying_key().to_bytes());
                json!({ "kty": "OKP", "crv": "Ed25519", "x": x, "kid": kid })
            }
            Secret::P256(key) => {
                let point = key.verifying_key().to_sec1_bytes();
                let (x, y) = (text(&point[1..33]), text(&point[33..]));
                json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": kid })
            }
        }
    }

    fn token(&self, alg: &str, kid: &str, row: usize) -> String {
        let header = json!({ "alg": alg, "kid": kid }).to_string();
        let signed = format!("{}.{}", BASE64URL_NOPAD.encode(header.as_bytes()), payload(row));
        let signature = match self {
            Secret::Ed25519(key) => key.sign(signed.as_bytes()).to_bytes(),
            Secret::P256(key) => key.sign_message(signed.as_bytes()).to_bytes(),
        };
        format!("{signed}.{}", BASE64URL_NOPAD.encode(&signature))
    }
}

fn payload(row: usize) -> String {
    let claims =
        json!({ "sub": format!("user {row}"), "iat": 1_800_000_000 + row, "aud": "example" });
    BASE64URL_NOPAD.encode(claims.to_string().as_bytes())
}

/// Rows as the engine takes them.
struct Rows<'t> {
    keys: Vec<u32>,
    messages: Vec<Cow<'t, [u8]>>,
    signatures: Vec<u8>,
}

/// The verifier of a column: its keys, the engine and the engine's memory.
struct Verifier<'k> {
    column: &'k ColumnReader,
    keys: Vec<&'k [u8]>,
    scheme: Scheme,
    engine: Engine,
    scratch: Vec<Scratch>,
    outcomes: Vec<Outcome>,
}

impl<'k> Verifier<'k> {
    fn new(column: &'k ColumnReader, scheme: Scheme, rows: usize) -> Self {
        let keys = column.keys().iter().map(|key| key.bytes()).collect();
        let engine = Engine::new();
        let specs = Specs::Same(scheme.spec(&rules::COMMON));
        let scratch = vec![Scratch::new(); engine.scratch_len_for(rows, &specs)];
        Verifier { column, keys, scheme, engine, scratch, outcomes: vec![None; rows] }
    }

    fn read<'t>(&self, tokens: &'t [String]) -> Result<Rows<'t>, Box<dyn Error>> {
        let (mut reader, len) = (self.column.rows(), tokens.len());
        let (mut keys, mut messages) = (Vec::with_capacity(len), Vec::with_capacity(len));
        let mut candidates =
            Candidates { signatures: Vec::with_capacity(64 * len), list: Vec::with_capacity(len) };
        for token in tokens {
            messages.push(reader.read(token.as_bytes(), None, &mut candidates)?);
        }
        if candidates.list.len() != len {
            return Err("a token has more than one candidate".into());
        }
        for candidate in &candidates.list {
            if candidate.scheme != self.scheme {
                return Err("a row is of another scheme".into());
            }
            keys.push(candidate.key as u32);
        }
        Ok(Rows { keys, messages, signatures: candidates.signatures })
    }

    /// The rows that are valid.
    fn verify(&mut self, rows: &Rows<'_>) -> Result<usize, Box<dyn Error>> {
        let messages: Vec<&[u8]> = rows.messages.iter().map(|message| &message[..]).collect();
        let keys = Column::slices(&self.keys);
        let table = Table::new(
            Column::dictionary(Indices::U32(&rows.keys), &keys, None)?,
            Column::slices(&messages),
            Column::fixed(&rows.signatures, 64, messages.len(), None)?,
            Specs::Same(self.scheme.spec(&rules::COMMON)),
        )?;
        self.engine.verify_into(&table, &mut self.outcomes, &mut self.scratch)?;
        let valid = |outcome: &&Outcome| outcome.is_some_and(|verdict| verdict.is_valid());
        Ok(self.outcomes.iter().filter(valid).count())
    }

    /// The tokens that are valid.
    fn verify_tokens(&mut self, tokens: &[String]) -> Result<usize, Box<dyn Error>> {
        let rows = self.read(tokens)?;
        self.verify(&rows)
    }
}

/// jsonwebtoken with the keys of a set.
struct Host {
    keys: HashMap<String, DecodingKey>,
    validation: Validation,
}

impl Host {
    fn new(alg: &str, set: &str) -> Result<Host, Box<dyn Error>> {
        let set: jwk::JwkSet = serde_json::from_str(set)?;
        let mut keys = HashMap::new();
        for key in &set.keys {
            let kid = key.common.key_id.clone().ok_or("a key has no kid")?;
            keys.insert(kid, DecodingKey::from_jwk(key)?);
        }
        let mut validation = Validation::new(alg.parse()?);
        validation.required_spec_claims.clear();
        validation.validate_exp = false;
        validation.validate_aud = false;
        Ok(Host { keys, validation })
    }

    /// Whether the signature of a token is valid. Any other refusal is an error.
    fn accepts(&self, token: &str) -> Result<bool, Box<dyn Error>> {
        let kid = decode_header(token)?.kid.ok_or("a token has no kid")?;
        let key = self.keys.get(&kid).ok_or("a token has an unknown kid")?;
        match decode::<IgnoredAny>(token, key, &self.validation) {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), ErrorKind::InvalidSignature) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The tokens that are valid.
    fn verify(&self, tokens: &[String]) -> Result<usize, Box<dyn Error>> {
        tokens.iter().try_fold(0, |valid, token| Ok(valid + usize::from(self.accepts(token)?)))
    }
}

/// Nanoseconds of this thread a row. All rows are valid.
fn spent(
    rows: usize,
    work: impl FnOnce() -> Result<usize, Box<dyn Error>>,
) -> Result<f64, Box<dyn Error>> {
    let now = || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from);
    let start = now()?;
    let valid = work()?;
    let time = now()? - start;
    if valid != rows {
        return Err(format!("{valid} of {rows} tokens are valid; all should be").into());
    }
    Ok(time.as_secs_f64() * 1e9 / rows as f64)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A row of the record.
fn measured(alg: &str, rows: usize, keys: usize, rounds: usize) -> Result<Value, Box<dyn Error>> {
    let secrets = (0..keys).map(|key| Secret::new(alg, key)).collect::<Result<Vec<_>, _>>()?;
    let kids: Vec<String> = (0..keys).map(|key| format!("k{key}")).collect();
    let jwks: Vec<Value> = secrets.iter().zip(&kids).map(|(key, kid)| key.jwk(kid)).collect();
    let set = json!({ "keys": jwks }).to_string();
    let mut tokens: Vec<String> =
        (0..rows).map(|row| secrets[row % keys].token(alg, &kids[row % keys], row)).collect();

    let trusted = Trusted::read(set.as_bytes())?.ok_or("the set names no form")?;
    let column = ColumnReader::new(Form::Jws, &trusted, None)?;
    let algorithm = column.keys()[0].algorithm();
    let mut ours = Verifier::new(&column, Scheme::of(algorithm, Encoding::Fixed), rows);
    let host = Host::new(alg, &set)?;

    let changed = rows / 2;
    let whole = tokens[changed].clone();
    tokens[changed] = whole.replacen(&payload(changed), &payload(rows), 1);
    let by_ours = ours.verify_tokens(&tokens)?;
    let refused = ours.outcomes[changed].is_some_and(|verdict| !verdict.is_valid());
    if by_ours != rows - 1
        || !refused
        || host.verify(&tokens)? != rows - 1
        || host.accepts(&tokens[changed])?
    {
        return Err(format!("{alg}: a token with another payload is not refused, it alone").into());
    }
    tokens[changed] = whole;

    let read = ours.read(&tokens)?;
    let mut times = Vec::new();
    for round in 0..rounds {
        let mut of = [0.0; 3];
        for turn in 0..3 {
            let contestant = (round + turn) % 3;
            of[contestant] = spent(rows, || match contestant {
                0 => ours.verify_tokens(&tokens),
                1 => ours.verify(&read),
                _ => host.verify(&tokens),
            })?;
        }
        times.push(of);
    }
    let [tokens_ns, engine_ns, host_ns] =
        [0, 1, 2].map(|contestant| median(times.iter().map(|of| of[contestant])));
    let more = median(times.iter().map(|[tokens, engine, _]| tokens - engine));
    let ratio = median(times.iter().map(|[tokens, _, host]| host / tokens));
    let [tokens_us, engine_us, more_us, host_us] =
        [tokens_ns, engine_ns, more, host_ns].map(|ns| ns / 1e3);
    println!(
        "{alg:<8}{tokens_us:>12.2}{engine_us:>12.2}{more_us:>12.2}{host_us:>16.2}{ratio:>10.2}"
    );
    Ok(json!({
        "alg": alg, "ns": tokens_ns, "engine_ns": engine_ns, "more_ns": more, "jsonwebtoken_ns": host_ns, "ratio": ratio,
        "ns_rounds": times,
    }))
}

fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [rows, keys, rounds, note, json, commit, date, rustc, others] = arguments else {
        return Err("called by bench/jws/run".into());
    };
    let (rows, keys, rounds): (usize, usize, usize) =
        (rows.parse()?, keys.parse()?, rounds.parse()?);
    let (cpu, backend) = (cpu::Cpu::this(), Engine::new().backend());
    println!("{} ({}), {backend}, {rustc}, {date}", cpu.name(), cpu.about());
    println!(
        "{rows} tokens, {keys} keys, {rounds} rounds, {others}; microseconds of processor time a row"
    );
    println!(
        "{:<8}{:>12}{:>12}{:>12}{:>16}{:>10}",
        "alg", "tokens", "rows alone", "more", "jsonwebtoken", "times"
    );
    let mut lines = vec![json!({
        "cpu": cpu.name(), "cpu_id": cpu.about(), "backend": backend.name(), "rustc": rustc, "commit": commit,
        "date": date, "rows": rows, "keys": keys, "rounds": rounds, "others": others, "note": note,
        "times": "processor time of one thread a row, medians; ratio: jsonwebtoken to the column, median of quotients",
    })];
    for alg in ["EdDSA", "ES256"] {
        lines.push(measured(alg, rows, keys, rounds)?);
    }
    if !json.is_empty() {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(json, text)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("jws: {error}");
            ExitCode::FAILURE
        }
    }
}
