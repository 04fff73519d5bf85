//! `verify`, `find-principals` and `check-novalidate`.
//!
//! Git asks `find-principals` first, which looks neither at the message nor at the namespace, and then has each principal
//! verified. If there is none it asks `check-novalidate`, whose answer says whether the signature is good at all.

use super::time;
use crate::form::read_small;
use crate::message::feed;
use crate::output;
use crate::status::{Failure, Result, plain, quoted};
use crate::streams;
use clap::builder::NonEmptyStringValueParser;
use sigmill::ed25519::rules;
use sigmill_envelope::ssh::{AllowedSigners, Hasher, Signature, fingerprint, read_public};
use sigmill_envelope::{Key, Refusal};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The longest file of allowed signers or revoked keys, in bytes: the limit of [`AllowedSigners::read`].
const LONGEST_LIST: u64 = 1 << 24;

/// The first bytes of a key revocation list in OpenSSH's binary form.
const KRL_MAGIC: &[u8] = b"SSHKRL\n\0";

/// The types of keys that OpenSSH knows besides those of sigmill. No signature that is read here has such a key.
const OTHER_TYPES: [&str; 5] = [
    "ssh-rsa",
    "ssh-dss",
    "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
];

/// The options of all three.
#[derive(clap::Args)]
struct Common {
    /// The file with the signature
    #[arg(
        short = 's',
        value_name = "FILE",
        allow_hyphen_values = true,
        overrides_with = "signature"
    )]
    signature: PathBuf,
    /// verify-time=YYYYMMDD[HHMM[SS]][Z]: the time at which keys must be valid [default: now]
    #[arg(short = 'O', value_name = "OPTION", allow_hyphen_values = true)]
    options: Vec<String>,
    /// Nothing: Git adds an empty argument to calls without a time
    #[arg(value_parser = parse_nothing, hide = true)]
    nothing: Vec<OsString>,
}

/// The namespace.
#[derive(clap::Args)]
struct Purpose {
    /// The namespace that the signature must be for; `git` when Git calls
    #[arg(
        short = 'n',
        value_name = "NAMESPACE",
        allow_hyphen_values = true,
        overrides_with = "namespace",
        value_parser = NonEmptyStringValueParser::new()
    )]
    namespace: String,
}

/// The allowed signers.
#[derive(clap::Args)]
struct Signers {
    /// The file of allowed signers
    #[arg(
        short = 'f',
        value_name = "FILE",
        allow_hyphen_values = true,
        overrides_with = "allowed"
    )]
    allowed: PathBuf,
}

/// Verify standard input by a signature and the allowed signers
#[derive(clap::Args)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    purpose: Purpose,
    #[command(flatten)]
    signers: Signers,
    /// The principal that must have signed
    #[arg(
        short = 'I',
        value_name = "PRINCIPAL",
        allow_hyphen_values = true,
        overrides_with = "principal"
    )]
    principal: String,
    /// A file of keys that are revoked, each on a line: type, base64, comment
    #[arg(
        short = 'r',
        value_name = "FILE",
        allow_hyphen_values = true,
        overrides_with = "revoked"
    )]
    revoked: Option<PathBuf>,
}

/// Print the principals that allowed signers have for the key of a signature
#[derive(clap::Args)]
pub(super) struct FindArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    signers: Signers,
}

/// Verify standard input by a signature alone, whoever made it
#[derive(clap::Args)]
pub(super) struct NovalidateArgs {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    purpose: Purpose,
}

fn parse_nothing(text: &str) -> std::result::Result<OsString, String> {
    match text {
        "" => Ok(OsString::new()),
        _ => Err("the message is read from standard input, not from a file".to_owned()),
    }
}

pub(super) fn verify(args: &VerifyArgs) -> Result<()> {
    let check = || {
        if args.principal.chars().any(char::is_control) {
            let what = format!("-I `{}`: has a control character", quoted(&args.principal));
            return Err(Failure::new(what));
        }
        let time = time::of(&args.common.options)?;
        let signature = read_signature(&args.common.signature)?;
        let allowed = read_allowed(&args.signers.allowed)?;
        check_stdin(&args.common.signature, &signature, &args.purpose.namespace)?;
        if let Some(path) = &args.revoked {
            refuse_revoked(path, &signature.key)?;
        }
        let checked = allowed.check(&args.principal, &args.purpose.namespace, &signature.key, time);
        checked.map_err(|error| Failure::at(&args.signers.allowed, error))?;
        good(&args.purpose.namespace, &format!("for {} ", args.principal), &signature.key)
    };
    tell_git(check())
}

pub(super) fn check_novalidate(args: &NovalidateArgs) -> Result<()> {
    let check = || {
        time::of(&args.common.options)?;
        let signature = read_signature(&args.common.signature)?;
        check_stdin(&args.common.signature, &signature, &args.purpose.namespace)?;
        good(&args.purpose.namespace, "", &signature.key)
    };
    tell_git(check())
}

pub(super) fn find_principals(args: &FindArgs) -> Result<()> {
    let time = time::of(&args.common.options)?;
    let signature = read_signature(&args.common.signature)?;
    let allowed = read_allowed(&args.signers.allowed)?;
    let principals = allowed.find_principals(&signature.key, time);
    let principals = principals.map_err(|error| {
        Failure::at(&args.signers.allowed, format!("no principal matched: {error}"))
    })?;
    // as for `ssh-keygen`, an empty principal ends the list
    let lines = principals.into_iter().take_while(|principal| !principal.is_empty());
    output::print(&lines.map(|principal| format!("{principal}\n")).collect::<String>())
}

/// The line that Git looks for.
fn good(namespace: &str, whose: &str, key: &Key) -> Result<String> {
    let name = match key.algorithm().curve() {
        None => "ED25519",
        Some(_) => "ECDSA",
    };
    let fingerprint = fingerprint(key).map_err(|error| Failure::new(error.to_string()))?;
    Ok(format!("Good \"{namespace}\" signature {whose}with {name} key {fingerprint}\n"))
}

fn tell_git(line: Result<String>) -> Result<()> {
    match line {
        Ok(line) => output::print(&line),
        Err(failure) => {
            // the failure itself is the one to tell
            let _ = output::print("Could not verify signature.\n");
            Err(failure)
        }
    }
}

fn read_signature(path: &Path) -> Result<Signature> {
    let bytes = read_small(path, "a signature of OpenSSH")?;
    Signature::read(&bytes).map_err(|error| Failure::at(path, error))
}

fn read_allowed(path: &Path) -> Result<AllowedSigners> {
    AllowedSigners::read(&read_list(path)?).map_err(|error| Failure::at(path, error))
}

fn read_list(path: &Path) -> Result<Vec<u8>> {
    let failure = |error: io::Error| Failure::at(path, plain(&error));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failure)?;
    file.take(LONGEST_LIST + 1).read_to_end(&mut bytes).map_err(failure)?;
    if bytes.len() as u64 > LONGEST_LIST {
        return Err(Failure::at(path, format!("is over {LONGEST_LIST} bytes")));
    }
    Ok(bytes)
}

/// Verifies standard input under the rule of OpenSSH for Ed25519.
fn check_stdin(path: &Path, signature: &Signature, namespace: &str) -> Result<()> {
    streams::check_stdin()?;
    let mut hasher = Hasher::new(signature.hash);
    feed(Path::new("-"), &mut io::stdin().lock(), |piece| hasher.update(piece))?;
    let signed = signature.signed(namespace, &hasher.finish());
    let verdict = signed.and_then(|signed| signed.verify(&signature.key, &rules::COMMON));
    match verdict.map_err(|error| Failure::at(path, error))? {
        verdict if verdict.is_valid() => Ok(()),
        verdict => Err(Failure::at(path, format!("{verdict} for this message"))),
    }
}

/// Refuses a key that a file lists. A line that is not understood is refused too: its key may be the one.
fn refuse_revoked(path: &Path, key: &Key) -> Result<()> {
    let bytes = read_list(path)?;
    if bytes.starts_with(KRL_MAGIC) {
        let what = "is a key revocation list in binary form (KRL), which is not read; list public keys, one a line";
        return Err(Failure::at(path, what));
    }
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        match read_public(line) {
            Ok((revoked, _)) if revoked == *key => {
                return Err(Failure::at(path, format!("line {number}: the key is revoked")));
            }
            Ok(_) => {}
            Err(error) if is_of_other_type(line, error.refusal()) => {}
            Err(error) => return Err(Failure::at(path, format!("line {number}: {error}"))),
        }
    }
    Ok(())
}

/// Whether a line that is refused has a key of a type that no signature here has.
fn is_of_other_type(line: &[u8], refusal: Refusal) -> bool {
    let word = line.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    matches!(refusal, Refusal::AlgUnknown | Refusal::Unsupported)
        && OTHER_TYPES.iter().any(|name| name.as_bytes() == word)
}
