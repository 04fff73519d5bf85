//! `sign`: writes `FILE.sig` beside a file.
//!
//! The key is a private key of OpenSSH, or a public key with the private one beside it, whose name lacks `.pub`. There is
//! no agent.
//!
//! A private key that others can read is refused, as `ssh-keygen` does it. `sigmill sign` only warns, but Git shows no
//! warnings of a program that succeeds.

use super::passphrase;
use crate::form::read_small;
use crate::message::{feed, open};
use crate::output::{self, Rights};
use crate::status::{Failure, Result, plain, quoted, shown, tell};
use clap::builder::NonEmptyStringValueParser;
use nix::unistd::getuid;
use sigmill_envelope::ssh::{self, Hash, Hasher};
use sigmill_envelope::{Key, Refusal, SecretKey};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const NO_AGENT: &str = "sigmill talks to no agent; name the file of a private key of OpenSSH, or of its public key beside it";

/// Sign files: each gets a signature beside it, FILE.sig
#[derive(clap::Args)]
pub(super) struct Args {
    /// The namespace that the signature is for; `git` when Git calls
    #[arg(
        short = 'n',
        value_name = "NAMESPACE",
        allow_hyphen_values = true,
        overrides_with = "namespace",
        value_parser = NonEmptyStringValueParser::new()
    )]
    namespace: String,
    /// A private key of OpenSSH, or its public key beside it, FILE.pub
    #[arg(short = 'f', value_name = "FILE", allow_hyphen_values = true, overrides_with = "key")]
    key: PathBuf,
    /// Sign with a key in an agent, which is refused
    #[arg(short = 'U')]
    agent: bool,
    /// hashalg=sha512 or hashalg=sha256
    #[arg(short = 'O', value_name = "OPTION", allow_hyphen_values = true)]
    options: Vec<String>,
    /// The files. `-` or none: standard input, signed to standard output
    files: Vec<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<()> {
    if args.agent {
        return Err(Failure::new(format!("-U asks for a key in an agent, and {NO_AGENT}")));
    }
    let stdin = Path::new("-");
    if args.files.len() > 1 && args.files.iter().any(|file| file == stdin) {
        return Err(Failure::new("files: standard input (`-`) is signed alone"));
    }
    let hash = hash(&args.options)?;
    let key = private_key(&args.key)?;
    let sign = |path: &Path, out: &Path| sign_one(args, hash, &key, path, out);
    match args.files.as_slice() {
        [] => sign(stdin, stdin),
        [file] if file == stdin => sign(stdin, stdin),
        files => files.iter().try_for_each(|file| {
            let mut out = OsString::from(file);
            out.push(".sig");
            sign(file, Path::new(&out))
        }),
    }
}

fn sign_one(args: &Args, hash: Hash, key: &SecretKey, path: &Path, out: &Path) -> Result<()> {
    let is_file = path != Path::new("-");
    tell(format_args!("Signing {}{}", if is_file { "file " } else { "" }, shown(path)));
    if is_file && fs::symlink_metadata(out).is_ok() {
        return Err(Failure::at(out, "exists already, and is not overwritten; remove it first"));
    }
    let mut hasher = Hasher::new(hash);
    feed(path, &mut open(path)?, |piece| hasher.update(piece))?;
    let armored = ssh::sign(key, &args.namespace, hash, &hasher.finish());
    let armored = armored.map_err(|error| Failure::at(path, error))?;
    let inputs = &[args.key.as_path(), path];
    output::write(out, armored.as_bytes(), Rights { force: false, is_secret: false, inputs })?;
    if is_file {
        tell(format_args!("Write signature to {}", shown(out)));
    }
    Ok(())
}

/// The hash function of these options. The last one counts.
fn hash(options: &[String]) -> Result<Hash> {
    let mut hash = Hash::Sha512;
    for option in options {
        let value = option.split_once('=').filter(|(name, _)| name.eq_ignore_ascii_case("hashalg"));
        hash = match value {
            Some((_, "sha512")) => Hash::Sha512,
            Some((_, "sha256")) => Hash::Sha256,
            _ => {
                let option = quoted(option);
                let what = format!("-O {option}: expected hashalg=sha512 or hashalg=sha256");
                return Err(Failure::new(what));
            }
        };
    }
    Ok(hash)
}

/// The private key that a path names, itself or by the public key beside it.
fn private_key(path: &Path) -> Result<SecretKey> {
    let stem = path.as_os_str().as_bytes().strip_suffix(b".pub").filter(|stem| !stem.is_empty());
    let Some(stem) = stem else {
        return read_private(path);
    };
    let public = read_public(path)?;
    let private = Path::new(OsStr::from_bytes(stem));
    if let Err(error) = fs::metadata(private)
        && error.kind() == io::ErrorKind::NotFound
    {
        let what = format!(
            "the private key {} is not there, and sigmill talks to no agent",
            shown(private)
        );
        return Err(Failure::at(path, what));
    }
    let key = read_private(private)?;
    if key.public_key() != public {
        let what = format!("is not the public key of {}", shown(private));
        return Err(Failure::at(path, what));
    }
    Ok(key)
}

fn read_public(path: &Path) -> Result<Key> {
    let bytes = read_small(path, "a public key of OpenSSH")?;
    let read = ssh::read_public(&bytes);
    read.map(|(key, _)| key).map_err(|error| Failure::at(path, error))
}

fn read_private(path: &Path) -> Result<SecretKey> {
    let bytes = read_small(path, "a private key of OpenSSH")?;
    if ssh::is_public_key(&bytes) {
        let what = format!("is a public key, and {NO_AGENT}");
        return Err(Failure::at(path, what));
    }
    if ssh::is_private_key(&bytes) {
        refuse_shared(path)?;
    }
    let read = match ssh::read_private(&bytes, None) {
        Err(error) if error.refusal() == Refusal::PassphraseMissing => {
            ssh::read_private(&bytes, Some(&passphrase::ask(path)?))
        }
        read => read,
    };
    read.map(|(key, _)| key).map_err(|error| Failure::at(path, error))
}

/// Refuses a file of our own that others can read.
fn refuse_shared(path: &Path) -> Result<()> {
    let found = fs::metadata(path).map_err(|error| Failure::at(path, plain(&error)))?;
    let mode = found.mode() & 0o7777;
    if found.is_file() && found.uid() == getuid().as_raw() && mode & 0o077 != 0 {
        let what = format!(
            "others have access to this private key (mode {mode:04o}); `chmod 600` ends that"
        );
        return Err(Failure::at(path, what));
    }
    Ok(())
}
