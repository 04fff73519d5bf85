//! `sign`: signs a file by reading it twice, or standard input where that is possible.
//!
//! Ed25519 reads a message twice. A seekable file is read twice, and the library refuses if the two
//! readings differ. Either reading is a copy in memory of our own, which all hashes take alike, so a
//! message may change at any moment. Standard input cannot be read twice: Ed25519ph needs only its digest, and for
//! the other variants `--max-stdin` allows to hold it in memory. ECDSA reads a message once, from
//! anywhere.

use crate::alg::{KeyAlg, KeyArgs};
use crate::form::{Form, encode};
use crate::key_forms::PassphraseArgs;
use crate::keys::{self, SecretKey};
use crate::message::{feed, open};
use crate::output::{self, Rights};
use crate::status::{Failure, Result, Status, plain, shown};
use crate::streams;
use crate::variant::{Kind, VariantArgs};
use crate::verify::{digest_in, digest_of, prehashed};
use crate::wrap::{self, WrapArgs};
use sha2::Sha512;
use sigmill::ed25519::{Signature, SigningKey, StreamSigner, Variant};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

/// Sign a file
///
/// The key says which algorithm signs; it may be one of OpenSSH, minisign or a JSON Web Key. ECDSA is deterministic (RFC 6979); its signatures are r and s one
/// after the other unless --sig-format says der, which is what `openssl dgst -verify` reads (with
/// --format raw).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The message. `-`: standard input, of Ed25519 with --variant ph or --max-stdin
    message: PathBuf,
    /// The secret key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    key_args: KeyArgs,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    #[command(flatten)]
    wrap: WrapArgs,
    #[command(flatten)]
    variant: VariantArgs,
    /// The message is a digest made elsewhere, raw, in hexadecimal or in base64, and has the signature of what
    /// was hashed: with --variant ph one of SHA-512; of ECDSA one of --hash, or of the curve's own hash
    #[arg(long, conflicts_with = "max_stdin")]
    digest: bool,
    /// Ed25519: hold up to this many bytes of standard input in memory
    #[arg(long, value_name = "BYTES")]
    max_stdin: Option<u64>,
    /// File for the signature. `-`: standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// How the signature is written: raw, hex or base64
    #[arg(long, value_enum, default_value = "hex")]
    format: Form,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &Args) -> Result<Status> {
    if !matches!(args.format, Form::Raw | Form::Hex | Form::Base64) {
        return Err(Failure::new(
            "--format: a signature is written as raw, hex or base64 (of DER with --sig-format der)",
        ));
    }
    let stdin = Path::new("-");
    let read = [Some(&args.message), Some(&args.key), args.wrap.external_data.as_ref()];
    if read.into_iter().flatten().filter(|path| path.as_path() == stdin).count() > 1 {
        return Err(Failure::new(
            "only one of message, key and external data can be standard input",
        ));
    }
    let (key, id) = keys::secret_key_with_id(
        &args.key,
        args.key_args.key_format,
        args.key_args.alg.map(KeyAlg::Signs),
        &args.passphrase,
    )?;
    let inputs: Vec<&Path> = read.into_iter().flatten().map(PathBuf::as_path).collect();
    let rights = Rights { force: args.force, is_secret: false, inputs: &inputs };
    if let Some(form) = args.wrap.form() {
        let digest = args.digest.then_some("--digest");
        let foreign = args.variant.given().or(args.key_args.ecdsa.given()).or(digest);
        if let Some(option) = foreign {
            return Err(Failure::new(format!("{option} says nothing of --form {}", form.name())));
        }
        let wrapped = wrap::wrapped(&args.wrap, form, &args.message, (&args.key, &key, id))?;
        output::write(&args.out, &wrapped, rights)?;
        return Ok(Status::AllValid);
    }
    let alg = keys::signing_alg(&args.key, key.alg())?;
    let said_by = format!("{} is read as a key of", shown(&args.key));
    let ed25519 = args.variant.given().or(args.max_stdin.map(|_| "--max-stdin"));
    alg.refuse_others(&said_by, ed25519, args.key_args.ecdsa.given())?;
    let signature = match &key {
        SecretKey::Ed25519(key) => {
            let context = args.variant.context()?;
            let variant = args.variant.around(&context)?;
            let signature = if args.digest {
                sign_digest(&args.message, key, variant)?
            } else if args.message == stdin {
                sign_stdin(args, key, variant)?
            } else {
                sign_file(&args.message, key, variant)?
            };
            signature.to_bytes().to_vec()
        }
        SecretKey::Ecdsa(key) => {
            let scheme = args.key_args.ecdsa.scheme(key.curve());
            let path = &args.message;
            let digest = if args.digest {
                digest_in(path, scheme.hash)?
            } else {
                digest_of(path, &mut open(path)?, scheme.hash)?
            };
            key.sign(&scheme, &digest).map_err(|error| Failure::at(path, error))?
        }
        SecretKey::X25519(_) => return Err(keys::signs_nothing(&args.key)),
    };
    output::write(&args.out, &encode(args.format, &signature), rights)?;
    Ok(Status::AllValid)
}

fn sign_digest(path: &Path, key: &SigningKey, variant: Variant<'_>) -> Result<Signature> {
    let (context, digest) = prehashed(path, variant)?;
    Ok(key.sign_prehashed_with(context, &digest))
}

fn sign_file(path: &Path, key: &SigningKey, variant: Variant<'_>) -> Result<Signature> {
    let failure = |error: io::Error| Failure::at(path, plain(&error));
    let mut file = File::open(path).map_err(failure)?;
    let kind = file.metadata().map_err(failure)?;
    if kind.is_dir() {
        return Err(Failure::at(path, "is a directory"));
    }
    if !kind.is_file() {
        return Err(Failure::at(
            path,
            "cannot be read twice; give it as `-` with --variant ph or --max-stdin",
        ));
    }
    let mut first = StreamSigner::new(key, variant);
    feed(path, &mut file, |piece| first.update(piece))?;
    file.rewind().map_err(failure)?;
    let mut second = first.second_pass();
    feed(path, &mut file, |piece| second.update(piece))?;
    second.finish().map_err(|error| Failure::at(path, error))
}

fn sign_stdin(args: &Args, key: &SigningKey, variant: Variant<'_>) -> Result<Signature> {
    let path = Path::new("-");
    streams::check_stdin()?;
    let stdin = io::stdin().lock();
    if let (Variant::Ph(context), None) = (variant, args.max_stdin) {
        let mut digest = Sha512::default();
        feed(path, &mut { stdin }, |piece| sha2::Digest::update(&mut digest, piece))?;
        let digest: [u8; 64] = sha2::Digest::finalize(digest).into();
        return Ok(key.sign_prehashed_with(context, &digest));
    }
    let Some(limit) = args.max_stdin else {
        let kind = args.variant.variant;
        debug_assert!(kind != Kind::Ph);
        let what = format!(
            "standard input can be read only once and the variant `{}` reads twice: use --variant ph, \
             or --max-stdin BYTES to hold the message in memory",
            kind.name()
        );
        return Err(Failure::new(what));
    };
    let mut message = Vec::new();
    let read = stdin.take(limit.saturating_add(1)).read_to_end(&mut message);
    read.map_err(|error| Failure::at(path, plain(&error)))?;
    if message.len() as u64 > limit {
        return Err(Failure::at(path, format!("is longer than --max-stdin {limit}")));
    }
    Ok(key.sign_with(variant, &message))
}
