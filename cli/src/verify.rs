//! `verify`: one signature over a message of any size, in constant memory.
//!
//! Reach: `keys`, `variant`, `status`.

use crate::keys::{self, Form};
use crate::status::{Failure, Result, Status, plain, shown};
use crate::variant::{VariantArgs, parse_rule};
use sigmill::ed25519::{Rule, StreamVerifier, VerifyingKey};
use sigmill::{Reason, Verdict};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Verify one signature over a file
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The message. `-`: standard input
    message: PathBuf,
    /// The public key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// How the key is written, if it should not be found out
    #[arg(long, value_enum)]
    key_format: Option<Form>,
    /// The signature: 64 bytes raw, in hexadecimal or in base64
    #[arg(long, value_name = "FILE")]
    sig: PathBuf,
    /// The verification rule
    #[arg(long, default_value = "common", value_parser = parse_rule)]
    rule: Rule,
    #[command(flatten)]
    variant: VariantArgs,
    /// Print nothing; the exit code answers
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(args: &Args) -> Result<Status> {
    let stdin = Path::new("-");
    if [&args.message, &args.key, &args.sig].iter().filter(|path| path.as_path() == stdin).count()
        > 1
    {
        return Err(Failure::new("only one of message, key and signature can be standard input"));
    }
    let context = args.variant.context()?;
    let variant = args.variant.around(&context)?;
    let key = keys::public_key(&args.key, args.key_format)?;
    let signature = keys::signature(&args.sig)?;
    let mut message = open(&args.message)?;
    let verdict = match VerifyingKey::decode(&key) {
        Err(_) => Verdict::Invalid(Reason::KeyNotAPoint),
        Ok(key) => {
            let mut verifier = StreamVerifier::new(&args.rule, variant, &key, &signature);
            feed(&args.message, &mut message, |piece| verifier.update(piece))?;
            verifier.finish()
        }
    };
    if !args.quiet {
        let line = format!("{}: {verdict} (rule {})\n", shown(&args.message), args.rule);
        crate::output::write(stdin, line.as_bytes(), false, false)?;
    }
    Ok(if verdict.is_valid() { Status::AllValid } else { Status::SomeInvalid })
}

/// Opens a message.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let failure = |error: io::Error| Failure::at(path, plain(&error));
    let file = File::open(path).map_err(failure)?;
    if file.metadata().map_err(failure)?.is_dir() {
        return Err(Failure::at(path, "is a directory"));
    }
    Ok(Box::new(file))
}

/// Reads a message to its end, piece by piece.
pub(crate) fn feed(path: &Path, source: &mut dyn Read, mut take: impl FnMut(&[u8])) -> Result<u64> {
    let mut buffer = vec![0; 256 * 1024];
    let mut total = 0;
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(total),
            Ok(len) => {
                total += len as u64;
                take(&buffer[..len]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::at(path, plain(&error))),
        }
    }
}
