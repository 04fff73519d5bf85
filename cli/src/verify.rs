//! `verify`: one signature over a message of any size, in constant memory.

use crate::alg::{Alg, EcdsaArgs, Hash, SigFormat};
use crate::form::Form;
use crate::keys::{self, PublicKey};
use crate::output;
use crate::status::{Failure, Result, Status, plain, shown};
use crate::variant::{VariantArgs, parse_rule};
use sha2::{Digest, Sha256, Sha384, Sha512};
use sigmill::ed25519::{Rule, Signature, StreamVerifier, VerifyingKey, rules};
use sigmill::{Reason, Verdict};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Verify one signature over a file
///
/// The key says which algorithm verifies. Signatures of ECDSA are r and s one after the other unless
/// --sig-format says der, which is what `openssl dgst -sign` writes.
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
    /// The signature, raw, in hexadecimal or in base64: 64 bytes, those of p384 96, DER of any length
    #[arg(long, value_name = "FILE")]
    sig: PathBuf,
    /// The algorithm, which must be that of a container; raw, hex and base64 name none [default: that of
    /// the container, else ed25519]
    #[arg(long, value_enum)]
    alg: Option<Alg>,
    #[command(flatten)]
    ecdsa: EcdsaArgs,
    /// Ed25519: the verification rule [default: common]
    #[arg(long, value_parser = parse_rule)]
    rule: Option<Rule>,
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
    let key = keys::verifying_key(&args.key, args.key_format, args.alg)?;
    let said_by = format!("{} is read as a key of", shown(&args.key));
    let ed25519 = args.rule.map(|_| "--rule").or(args.variant.given());
    key.alg.refuse_others(&said_by, ed25519, args.ecdsa.given())?;
    let (verdict, by) = match key.alg.curve() {
        None => verify_ed25519(args, &key)?,
        Some(curve) => {
            let scheme = args.ecdsa.scheme(curve);
            let signature = keys::signature(&args.sig, key.alg, scheme.format)?;
            let digest = digest_of(&args.message, &mut open(&args.message)?, scheme.hash)?;
            (scheme.verify(&key.bytes, &digest, &signature), scheme.to_string())
        }
    };
    if !args.quiet {
        let line = format!("{}: {verdict} ({by})\n", shown(&args.message));
        output::print(&line)?;
    }
    Ok(if verdict.is_valid() { Status::AllValid } else { Status::SomeInvalid })
}

/// The verdict and by which rule.
fn verify_ed25519(args: &Args, key: &PublicKey<Alg>) -> Result<(Verdict, String)> {
    let context = args.variant.context()?;
    let variant = args.variant.around(&context)?;
    let rule = args.rule.unwrap_or(rules::COMMON);
    let signature = keys::signature(&args.sig, key.alg, SigFormat::Raw)?;
    let signature = Signature::try_from(signature.as_slice())
        .map_err(|_| Failure::at(&args.sig, "the signature does not have 64 bytes"))?;
    let mut message = open(&args.message)?;
    let bytes: [u8; 32] = key
        .bytes
        .as_slice()
        .try_into()
        .map_err(|_| Failure::at(&args.key, "the public key does not have 32 bytes"))?;
    let verdict = match VerifyingKey::decode(&bytes) {
        Err(_) => Verdict::Invalid(Reason::KeyNotAPoint),
        Ok(key) => {
            let mut verifier = StreamVerifier::new(&rule, variant, &key, &signature);
            feed(&args.message, &mut message, |piece| verifier.update(piece))?;
            verifier.finish()
        }
    };
    Ok((verdict, format!("rule {rule}")))
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

/// More bytes than any hash function has: what was given as a digest is none.
const MOST_DIGEST: usize = 64;

/// The digest of a message of any size.
pub(crate) fn digest_of(path: &Path, source: &mut dyn Read, hash: Hash) -> Result<Vec<u8>> {
    fn read<D: Digest>(path: &Path, source: &mut dyn Read) -> Result<Vec<u8>> {
        let mut digest = D::new();
        feed(path, source, |piece| digest.update(piece))?;
        Ok(digest.finalize().to_vec())
    }
    match hash {
        Hash::Sha256 => read::<Sha256>(path, source),
        Hash::Sha384 => read::<Sha384>(path, source),
        Hash::Sha512 => read::<Sha512>(path, source),
        Hash::None => {
            let mut digest = Vec::new();
            feed(path, &mut source.take(MOST_DIGEST as u64 + 1), |piece| {
                digest.extend_from_slice(piece);
            })?;
            if digest.len() > MOST_DIGEST {
                let what =
                    format!("is not a digest (--hash none): it has over {MOST_DIGEST} bytes");
                return Err(Failure::at(path, what));
            }
            Ok(digest)
        }
    }
}
