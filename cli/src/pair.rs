//! `keygen` and `pubkey`: making key pairs and getting at their public half.
//!
//! Secrets: seeds and encoded secret keys live in memory that is wiped. Reach: `keys`, `output`.

use crate::keys::{self, Form, encode};
use crate::output;
use crate::status::{Failure, Result, Status};
use sigmill::ed25519::{SigningKey, VerifyingKey};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Make a new key pair from the system's randomness
#[derive(clap::Args)]
pub(crate) struct KeygenArgs {
    /// Where the secret key goes; it is created readable by its owner only. `-`: standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Where the public key goes
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// How keys are written
    #[arg(long, value_enum, default_value = "pem")]
    format: Form,
    /// Use the 32-byte seed in this file (raw, hex or base64) instead of randomness
    #[arg(long, value_name = "FILE")]
    seed: Option<PathBuf>,
    /// Overwrite existing files; print a secret key to a terminal
    #[arg(long)]
    force: bool,
}

pub(crate) fn keygen(args: &KeygenArgs) -> Result<Status> {
    if args.out == Path::new("-") && std::io::stdout().is_terminal() && !args.force {
        return Err(Failure::new("refusing to print a secret key to a terminal; use --force"));
    }
    if args.public.as_ref() == Some(&args.out) {
        return Err(Failure::new("--out and --public name the same file"));
    }
    let key = match &args.seed {
        Some(path) => keys::signing_key(path, None)?,
        None => SigningKey::try_generate(&mut getrandom::SysRng)
            .map_err(|error| Failure::new(format!("the system's randomness: {error}")))?,
    };
    // both places are looked at before anything is written
    if let Some(path) = args.public.as_deref().filter(|path| *path != Path::new("-")) {
        drop(output::Output::create(path, args.force, false)?);
    }
    output::write(&args.out, &secret(&key, args.format)?, args.force, true)?;
    if let Some(path) = &args.public {
        output::write(path, &public(&key.verifying_key(), args.format)?, args.force, false)?;
    }
    Ok(Status::AllValid)
}

/// Print the public key of a secret key, or write a public key in another form
#[derive(clap::Args)]
pub(crate) struct PubkeyArgs {
    /// The secret key, or with --public the public key. `-`: standard input
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The file holds a public key
    #[arg(long)]
    public: bool,
    /// How the key in the file is written, if it should not be found out
    #[arg(long, value_enum)]
    key_format: Option<Form>,
    /// How the public key is written
    #[arg(long, value_enum, default_value = "pem")]
    format: Form,
    /// Where it goes. `-`: standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

pub(crate) fn pubkey(args: &PubkeyArgs) -> Result<Status> {
    let key = if args.public {
        let bytes = keys::public_key(&args.key, args.key_format)?;
        VerifyingKey::decode(&bytes).map_err(|error| Failure::at(&args.key, error))?
    } else {
        keys::signing_key(&args.key, args.key_format)?.verifying_key()
    };
    output::write(&args.out, &public(&key, args.format)?, args.force, false)?;
    Ok(Status::AllValid)
}

fn secret(key: &SigningKey, form: Form) -> Result<Zeroizing<Vec<u8>>> {
    let encoded = match form {
        Form::Pem => key.to_private_key_pem().map(|text| Zeroizing::new(text.as_bytes().to_vec())),
        Form::Der => key.to_private_key_der(),
        _ => Ok(encode(form, Zeroizing::new(key.to_bytes()).as_slice())),
    };
    encoded.map_err(|error| Failure::new(error.to_string()))
}

fn public(key: &VerifyingKey, form: Form) -> Result<Vec<u8>> {
    let encoded = match form {
        Form::Pem => key.to_spki_pem().map(String::into_bytes),
        Form::Der => key.to_spki_der(),
        _ => Ok(encode(form, key.as_bytes()).to_vec()),
    };
    encoded.map_err(|error| Failure::new(error.to_string()))
}
