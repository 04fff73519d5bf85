//! `keygen` and `pubkey`: making key pairs and getting at their public half.
//!
//! Secrets: seeds and encoded secret keys live in memory that is wiped.

use crate::alg::KeyAlg;
use crate::form::Form;
use crate::key_forms::PassphraseArgs;
use crate::keys::{self, SecretKey};
use crate::output::{self, Output, Rights, place_of};
use crate::status::{Failure, Result, Status};
use std::path::{Path, PathBuf};

/// Make a new key pair from the system's randomness
#[derive(clap::Args)]
pub(crate) struct KeygenArgs {
    /// The algorithm; with --seed the one that a container in its file names [default: ed25519]
    #[arg(long, value_enum)]
    alg: Option<KeyAlg>,
    /// File for the secret key, created readable by its owner only. `-`: standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// File for the public key
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// How keys are written
    #[arg(long, value_enum, default_value = "pem")]
    format: Form,
    /// Use the secret key in this file instead of randomness: the 32 bytes of Ed25519 or X25519, or
    /// the integer of ECDSA, 32 or 48 bytes (raw, hex or base64), or any container
    #[arg(long, value_name = "FILE")]
    seed: Option<PathBuf>,
    /// Encrypt the secret key with the passphrase in the first line of this file; of openssh and minisign
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
    /// The passphrase of an encrypted key in --seed: the first line of this file
    #[arg(long, value_name = "FILE", requires = "seed")]
    seed_passphrase_file: Option<PathBuf>,
    /// Overwrite existing files; print a secret key to a terminal
    #[arg(long)]
    force: bool,
}

pub(crate) fn keygen(args: &KeygenArgs) -> Result<Status> {
    if args.public.as_ref().is_some_and(|public| place_of(public) == place_of(&args.out)) {
        return Err(Failure::new("--out and --public name the same file"));
    }
    let inputs = [&args.seed, &args.passphrase_file, &args.seed_passphrase_file];
    let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
    if inputs.iter().filter(|path| **path == Path::new("-")).count() > 1 {
        return Err(Failure::new("only one of key and passphrases can be standard input"));
    }
    let rights = Rights { force: args.force, is_secret: true, inputs: &inputs };
    // both places are looked at before anything is written
    let mut out = Output::create(&args.out, rights)?;
    let create = |path: &PathBuf| Output::create(path, Rights { is_secret: false, ..rights });
    let mut public = args.public.as_ref().map(create).transpose()?;
    let key = match &args.seed {
        Some(path) => {
            let passphrase = PassphraseArgs::of(args.seed_passphrase_file.clone());
            keys::secret_key(path, None, args.alg, &passphrase)?
        }
        None => SecretKey::generate(args.alg.unwrap_or_default())?,
    };
    let encoded = match PassphraseArgs::of(args.passphrase_file.clone()).read()? {
        Some(passphrase) => key.encrypted(args.format, &passphrase)?,
        None => key.encoded(args.format)?,
    };
    out.put(&encoded)?;
    if let Some(public) = &mut public {
        public.put(&key.public_key().encoded(args.format)?)?;
    }
    output::finish([Some(out), public].into_iter().flatten())?;
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
    #[command(flatten)]
    passphrase: PassphraseArgs,
    /// The algorithm, which must be that of a container; raw, hex and base64 name none [default: that of
    /// the container, else ed25519]
    #[arg(long, value_enum)]
    alg: Option<KeyAlg>,
    /// How the public key is written. As bytes a key of ECDSA is in the uncompressed form of SEC1
    #[arg(long, value_enum, default_value = "pem")]
    format: Form,
    /// File for the public key. `-`: standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

pub(crate) fn pubkey(args: &PubkeyArgs) -> Result<Status> {
    let key = if args.public {
        keys::public_key(&args.key, args.key_format, args.alg)?
    } else {
        keys::secret_key(&args.key, args.key_format, args.alg, &args.passphrase)?.public_key()
    };
    let encoded = key.encoded(args.format).map_err(|error| Failure::at(&args.key, error))?;
    let rights = Rights { force: args.force, is_secret: false, inputs: &[&args.key] };
    output::write(&args.out, &encoded, rights)?;
    Ok(Status::AllValid)
}
