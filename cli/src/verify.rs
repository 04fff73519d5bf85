//! `verify`: one signature over a message of any size, in constant memory.

use crate::alg::{Alg, Hash, KeyArgs, SigFormat};
use crate::envelope::{self, EnvelopeArgs, Request};
use crate::form::Bytes;
use crate::keys::{self, PublicKey};
use crate::message::{feed, open};
use crate::output;
use crate::status::{Failure, Result, Status, shown};
use crate::variant::{VariantArgs, parse_rule};
use sha2::{Digest, Sha256, Sha384, Sha512};
use sigmill::ed25519::{
    ContextString, Rule, Signature, StreamVerifier, Variant, VerifyingKey, rules,
};
use sigmill::{Reason, Verdict};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Verify one signature over a file, or an envelope
///
/// The key says which algorithm verifies. Signatures of ECDSA are r and s one after the other unless
/// --sig-format says der, which is what `openssl dgst -sign` writes. Envelopes (signatures of OpenSSH, minisign and
/// signify, JWS, COSE, DSSE) are told by their own headers, or by --form; of JWS and DSSE with several signatures one that
/// is valid under the key is enough.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The message, or the envelope that holds it. `-`: standard input
    message: PathBuf,
    /// The public key. Of envelopes also keys of OpenSSH, minisign and signify, JSON Web Keys, COSE keys, a certificate
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The signature: raw, in hexadecimal or in base64 (64 bytes, those of p384 96, DER of any length), or an envelope
    /// beside its message
    #[arg(long, value_name = "FILE")]
    sig: Option<PathBuf>,
    #[command(flatten)]
    key_args: KeyArgs,
    #[command(flatten)]
    envelope: EnvelopeArgs,
    /// Ed25519: the verification rule [default: common]
    #[arg(long, value_parser = parse_rule)]
    rule: Option<Rule>,
    #[command(flatten)]
    variant: VariantArgs,
    /// The message is a digest made elsewhere, raw, in hexadecimal or in base64, and the signature is that of what
    /// was hashed: with --variant ph one of SHA-512; of ECDSA one of --hash, or of the curve's own hash
    #[arg(long)]
    digest: bool,
    /// Print nothing; the exit code answers
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(args: &Args) -> Result<Status> {
    let stdin = Path::new("-");
    let external = args.envelope.external_data.as_ref();
    let paths = [Some(&args.message), Some(&args.key), args.sig.as_ref(), external];
    if paths.iter().flatten().filter(|path| path.as_path() == stdin).count() > 1 {
        return Err(Failure::new(
            "only one of message, key, signature and external data can be standard input",
        ));
    }
    let digest = args.digest.then_some("--digest");
    let request = Request {
        message: &args.message,
        sig: args.sig.as_deref(),
        key: &args.key,
        key_args: &args.key_args,
        envelope: &args.envelope,
        foreign: args.variant.given().or(args.key_args.ecdsa.given()).or(digest),
        rule: args.rule.unwrap_or(rules::COMMON),
        quiet: args.quiet,
    };
    let signature = match envelope::verify(&request)? {
        Ok(status) => return Ok(status),
        Err(signature) => signature,
    };
    let sig = args.sig.as_deref().unwrap_or(stdin);
    if let Some(option) = args.envelope.given() {
        let what = format!("is no envelope, but {option} is an option of envelopes");
        return Err(Failure::at(sig, what));
    }
    let key = keys::verifying_key(&args.key, args.key_args.key_format, args.key_args.alg)?;
    let said_by = format!("{} is read as a key of", shown(&args.key));
    let ed25519 = args.rule.map(|_| "--rule").or(args.variant.given());
    key.alg.refuse_others(&said_by, ed25519, args.key_args.ecdsa.given())?;
    let (verdict, by) = match key.alg.curve() {
        None => verify_ed25519(args, &key, (sig, signature))?,
        Some(curve) => {
            let scheme = args.key_args.ecdsa.scheme(curve);
            let signature = keys::signature_of(sig, signature, key.alg, scheme.format)?;
            let path = &args.message;
            let digest = match args.digest {
                true => digest_in(path, scheme.hash)?,
                false => digest_of(path, &mut open(path)?, scheme.hash)?,
            };
            (scheme.verify(&key.bytes, &digest, &signature), scheme.to_string())
        }
    };
    if !args.quiet {
        let line = format!("{}: {verdict} ({by})\n", shown(&args.message));
        output::print(&line)?;
    }
    Ok(if verdict.is_valid() { Status::AllValid } else { Status::SomeInvalid })
}

/// The signed input, as it was given.
enum Input<'a> {
    Message(Box<dyn Read>),
    /// SHA-512 of it, and the context.
    Digest((ContextString<'a>, [u8; 64])),
}

/// The verdict and by which rule.
fn verify_ed25519(
    args: &Args,
    key: &PublicKey<Alg>,
    (sig, signature): (&Path, Bytes),
) -> Result<(Verdict, String)> {
    let context = args.variant.context()?;
    let variant = args.variant.around(&context)?;
    let rule = args.rule.unwrap_or(rules::COMMON);
    let signature = keys::signature_of(sig, signature, key.alg, SigFormat::Raw)?;
    let signature = keys::exactly("signature", &signature);
    let signature = signature.map_err(|error| Failure::at(sig, error))?;
    let signature = Signature::from_bytes(signature);
    let message = match args.digest {
        true => Input::Digest(prehashed(&args.message, variant)?),
        false => Input::Message(open(&args.message)?),
    };
    let bytes = keys::exactly::<32>("public key", &key.bytes);
    let bytes = bytes.map_err(|error| Failure::at(&args.key, error))?;
    let verdict = match (VerifyingKey::decode(bytes), message) {
        (Err(_), _) => Verdict::Invalid(Reason::KeyNotAPoint),
        (Ok(key), Input::Digest((context, digest))) => {
            key.verify_prehashed_with(&rule, context, &digest, &signature)
        }
        (Ok(key), Input::Message(mut message)) => {
            let mut verifier = StreamVerifier::new(&rule, variant, &key, &signature);
            feed(&args.message, &mut message, |piece| verifier.update(piece))?;
            verifier.finish()
        }
    };
    Ok((verdict, format!("rule {rule}")))
}

/// The digest in a file that another program made with this hash.
pub(crate) fn digest_in(path: &Path, hash: Hash) -> Result<Vec<u8>> {
    match hash.digest_size() {
        Some((name, size)) => keys::digest(path, name, size),
        None => digest_of(path, &mut open(path)?, hash),
    }
}

/// Context and digest of Ed25519ph, which alone signs one.
pub(crate) fn prehashed<'a>(
    path: &Path,
    variant: Variant<'a>,
) -> Result<(ContextString<'a>, [u8; 64])> {
    let Variant::Ph(context) = variant else {
        return Err(Failure::new(
            "--digest: Ed25519 has signatures of digests with --variant ph alone",
        ));
    };
    let digest = digest_in(path, Hash::Sha512)?;
    let digest = keys::exactly("SHA-512 digest", &digest);
    Ok((context, *digest.map_err(|error| Failure::at(path, error))?))
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
