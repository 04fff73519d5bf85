//! `verify` of an envelope: its form, the key that it is verified by, and the verdict.
//!
//! Forms are told by their own headers, or by `--form`. A signature without a header is none of them: where `--sig` names
//! the file of an envelope, COSE needs `--form`, since a raw signature may begin with its tag.

use crate::alg::KeyArgs;
use crate::form::{Bytes, read_small};
use crate::keys;
use crate::message::{feed, open};
use crate::output;
use crate::status::{Failure, Result, Status, printable, shown};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use sigmill::Verdict;
use sigmill::ed25519::{Rule, StreamVerifier, Variant};
use sigmill_envelope::dsse::{self, Content, Envelope};
use sigmill_envelope::jose::{Token, Verifier};
use sigmill_envelope::{self as envelope, Error, Form, Key, Refusal, Signed, Trusted};
use sigmill_envelope::{minisign, signify, ssh};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// An envelope is held in memory whole, and so is a payload that lies beside one of JWS or COSE.
const LONGEST: u64 = 64 << 20;
/// The longest text of an envelope in the line of a verdict.
const LONGEST_DETAIL: usize = 120;

/// The options of envelopes.
#[derive(clap::Args)]
pub(crate) struct EnvelopeArgs {
    /// The form of the signature, if its own header should not tell it
    #[arg(long, value_enum)]
    pub(crate) form: Option<FormName>,
    /// ssh: the namespace that the signature must have been made for [default: file]
    #[arg(long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// ssh: --key is a file of allowed signers, one of which must be this principal
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// ssh: the time at which the allowed signer must have been valid, in seconds since 1970 [default: now]
    #[arg(long, value_name = "SECONDS", requires = "principal")]
    time: Option<u64>,
    /// dsse: the type that the payload must have
    #[arg(long, value_name = "TYPE")]
    payload_type: Option<String>,
    /// cose: the externally supplied data that is signed, too (RFC 9052 section 4.4)
    #[arg(long, value_name = "FILE")]
    pub(crate) external_data: Option<PathBuf>,
}

/// The name of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FormName(Form);

impl FormName {
    pub(crate) const fn form(self) -> Form {
        self.0
    }
}

impl ValueEnum for FormName {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [FormName; Form::ALL.len()] = {
            let mut all = [FormName(Form::Ssh); Form::ALL.len()];
            let mut i = 0;
            while i < all.len() {
                all[i] = FormName(Form::ALL[i]);
                i += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

impl EnvelopeArgs {
    /// The first option that says something of a form, and which.
    fn foreign(&self, form: Form) -> Option<(&'static str, &'static str)> {
        let given = [
            (self.namespace.is_some(), "--namespace", Form::Ssh),
            (self.principal.is_some(), "--principal", Form::Ssh),
            (self.payload_type.is_some(), "--payload-type", Form::Dsse),
            (self.external_data.is_some(), "--external-data", Form::Cose),
        ];
        let foreign = given.into_iter().find(|(given, _, of)| *given && *of != form);
        foreign.map(|(_, option, of)| (option, of.name()))
    }

    /// The option that only envelopes have, if one was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.namespace.is_some(), "--namespace"),
            (self.principal.is_some(), "--principal"),
            (self.payload_type.is_some(), "--payload-type"),
            (self.external_data.is_some(), "--external-data"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
    }

    /// The data that is signed beside a COSE_Sign1, empty by default.
    fn external(&self) -> Result<Vec<u8>> {
        self.external_data.as_deref().map_or_else(|| Ok(Vec::new()), read_whole)
    }
}

/// The files of a verification, and the rule for Ed25519.
pub(crate) struct Request<'a> {
    pub(crate) message: &'a Path,
    pub(crate) sig: Option<&'a Path>,
    pub(crate) key: &'a Path,
    pub(crate) key_args: &'a KeyArgs,
    pub(crate) envelope: &'a EnvelopeArgs,
    /// An option that envelopes do not have, if one was given.
    pub(crate) foreign: Option<&'static str>,
    pub(crate) rule: Rule,
    pub(crate) quiet: bool,
}

/// A verdict, the key that gave it, and what the envelope claims beside.
struct Outcome {
    verdict: Verdict,
    key: Key,
    claims: Vec<(&'static str, String)>,
}

/// Verifies an envelope. The bytes of `--sig`, if they are no envelope.
pub(crate) fn verify(request: &Request<'_>) -> Result<std::result::Result<Status, Bytes>> {
    let asked = request.envelope.form.map(|form| form.0);
    let path = request.sig.unwrap_or(request.message);
    let bytes = match request.sig {
        Some(sig) => read_small(sig, "a signature")?,
        None => Bytes::new(read_whole(request.message)?),
    };
    let told = || Form::of(&bytes).filter(|form| request.sig.is_none() || *form != Form::Cose);
    let form = match asked.or_else(told) {
        Some(form) => form,
        None if request.sig.is_some() => return Ok(Err(bytes)),
        None => {
            let what = "is no envelope that holds its signature (JWS, COSE, DSSE, signify); --sig names a signature beside it, --form an envelope without a header";
            return Err(Failure::at(path, what));
        }
    };
    if let Some((option, of)) = request.envelope.foreign(form) {
        let what = format!("is read as {}, but {option} is an option of {of}", form.name());
        return Err(Failure::at(path, what));
    }
    if let Some(option) = request.foreign {
        let what = format!("is read as {}, which {option} says nothing of", form.name());
        return Err(Failure::at(path, what));
    }
    let keys = Keys::read(request, form)?;
    let outcome = match form {
        Form::Ssh => ssh_signature(request, &bytes, &keys),
        Form::Minisign => minisign_signature(request, &bytes, &keys),
        Form::Signify => signify_signature(request, &bytes, &keys),
        Form::Jws => jws(request, &bytes, &keys),
        Form::Cose => cose(request, &bytes, &keys),
        Form::Dsse => dsse(request, &bytes, &keys),
        other => Err(Error::new(Refusal::Unsupported, other.name()).into()),
    };
    let (line, valid) = match outcome {
        Ok(outcome) => {
            let mut by = vec![form.name().to_owned()];
            let fingerprint = ssh::fingerprint(&outcome.key).unwrap_or_default();
            by.push(format!("key {} {fingerprint}", outcome.key.algorithm().name()));
            // nothing vouches for the claims of an envelope that is not valid
            for (name, value) in outcome.claims.iter().filter(|_| outcome.verdict.is_valid()) {
                by.push(format!("{name} {}", printable(value, LONGEST_DETAIL)));
            }
            if outcome.key.algorithm().curve().is_none() {
                by.push(format!("rule {}", request.rule));
            }
            (format!("{} ({})", outcome.verdict, by.join(", ")), outcome.verdict.is_valid())
        }
        Err(Stop::Refused(error)) => {
            let advice = match (error.refusal(), request.sig) {
                (Refusal::PayloadTwice, Some(sig)) => {
                    format!("; verify {} by itself, as FILE without --sig", shown(sig))
                }
                _ => String::new(),
            };
            (format!("invalid: {error}{advice} ({})", form.name()), false)
        }
        Err(Stop::Failed(failure)) => return Err(failure),
    };
    if !request.quiet {
        output::print(&format!("{}: {line}\n", shown(request.message)))?;
    }
    Ok(Ok(if valid { Status::AllValid } else { Status::SomeInvalid }))
}

/// Why there is no verdict: the envelope is refused, which is an answer; or something could not be done.
enum Stop {
    Refused(Error),
    Failed(Failure),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Refused(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failed(failure)
    }
}

type Read<T> = std::result::Result<T, Stop>;

/// The keys of the verifier.
enum Keys {
    Trusted(Trusted),
    Signers { signers: ssh::AllowedSigners, principal: String, time: u64 },
}

impl Keys {
    fn read(request: &Request<'_>, form: Form) -> Result<Self> {
        let path = request.key;
        let bytes = read_small(path, "a public key")?;
        let failure = |error: Error| Failure::at(path, error);
        if let Some(principal) = &request.envelope.principal {
            let signers = ssh::AllowedSigners::read(&bytes).map_err(failure)?;
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let now = now.map_or(0, |since| since.as_secs());
            let time = request.envelope.time.unwrap_or(now);
            return Ok(Keys::Signers { signers, principal: principal.clone(), time });
        }
        let asked = request.key_args.key_format.is_some() || request.key_args.alg.is_some();
        if !asked && let Some(trusted) = Trusted::read(&bytes).map_err(failure)? {
            return Ok(Keys::Trusted(trusted));
        }
        // of bytes without a header, those of a COSE_Key are a map or an array, and no key by itself is so long
        let is_cbor = matches!(bytes[0], 0x80..=0xbf) && bytes.len() > 36 && form == Form::Cose;
        if !asked && is_cbor && !matches!(bytes.len(), 49 | 65 | 97) {
            return Trusted::read_cose(&bytes).map(Keys::Trusted).map_err(failure);
        }
        let key_args = request.key_args;
        let key = keys::verifying_key_of(path, bytes, key_args.key_format, key_args.alg)?;
        let key = Key::new(key.alg.of_library(), &key.bytes).map_err(failure)?;
        Ok(Keys::Trusted(Trusted::Keys(vec![key])))
    }

    /// The keys of a form that does not know allowed signers.
    fn trusted(&self) -> Read<&Trusted> {
        match self {
            Keys::Trusted(trusted) => Ok(trusted),
            Keys::Signers { .. } => {
                Err(Error::new(Refusal::Unsupported, "allowed signers are keys of ssh").into())
            }
        }
    }

    /// The only key of Ed25519, for forms that have no other.
    fn ed25519(&self) -> Read<&Key> {
        let keys = self.trusted()?.keys();
        let mut fitting = keys.into_iter().filter(|key| key.algorithm().curve().is_none());
        match (fitting.next(), fitting.next()) {
            (Some(key), None) => Ok(key),
            (None, _) => {
                let detail = "the signature is one of ed25519; --key holds no such key";
                Err(Error::new(Refusal::AlgMismatch, detail).into())
            }
            (Some(_), Some(_)) => {
                Err(Error::new(Refusal::KidMissing, "--key holds several keys of ed25519").into())
            }
        }
    }
}

/// Reads what is held in memory whole.
pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut too_long = false;
    feed(path, &mut std::io::Read::take(open(path)?, LONGEST + 1), |piece| {
        too_long |= (bytes.len() + piece.len()) as u64 > LONGEST;
        if !too_long {
            bytes.extend_from_slice(piece);
        }
    })?;
    if too_long {
        let what = format!(
            "over {LONGEST} bytes; an envelope is held in memory whole, and a message beside it needs --sig"
        );
        return Err(Failure::at(path, what));
    }
    Ok(bytes)
}

/// Verifies a signature of pure Ed25519 over a file of any size.
fn stream(request: &Request<'_>, key: &Key, signature: &[u8]) -> Read<Verdict> {
    let path = request.message;
    let verifier = StreamVerifier::from_bytes(&request.rule, Variant::Pure, key.bytes(), signature);
    let mut verifier = match verifier {
        Ok(verifier) => verifier,
        Err(verdict) => return Ok(verdict),
    };
    feed(path, &mut open(path)?, |piece| verifier.update(piece))?;
    Ok(verifier.finish())
}

fn decide(signed: &Signed<'_>, key: &Key, rule: &Rule) -> Read<Verdict> {
    Ok(signed.verify(key, rule)?)
}

/// The message beside a signature, which needs `--sig`.
fn beside(request: &Request<'_>) -> Read<()> {
    match request.sig {
        Some(_) => Ok(()),
        None => {
            let what =
                "is a signature beside its message; give it with --sig, and the message as FILE";
            Err(Failure::at(request.message, what).into())
        }
    }
}

fn ssh_signature(request: &Request<'_>, bytes: &[u8], keys: &Keys) -> Read<Outcome> {
    beside(request)?;
    let signature = ssh::Signature::read(bytes)?;
    let claims = trust(request, &signature, keys)?;
    let (path, mut hasher) = (request.message, ssh::Hasher::new(signature.hash));
    feed(path, &mut open(path)?, |piece| hasher.update(piece))?;
    let digest = hasher.finish();
    let signed = signature.signed(namespace(request), &digest)?;
    let verdict = decide(&signed, &signature.key, &request.rule)?;
    Ok(Outcome { verdict, key: signature.key.clone(), claims })
}

fn namespace<'a>(request: &Request<'a>) -> &'a str {
    request.envelope.namespace.as_deref().unwrap_or("file")
}

/// Refuses a signature that names another key than one of the verifier's. The claims that hold if it is valid.
fn trust(
    request: &Request<'_>,
    signature: &ssh::Signature,
    keys: &Keys,
) -> Read<Vec<(&'static str, String)>> {
    let namespace = namespace(request);
    let mut claims = vec![("namespace", namespace.to_owned())];
    match keys {
        Keys::Signers { signers, principal, time } => {
            signers.check(principal, namespace, &signature.key, *time)?;
            claims.push(("principal", principal.clone()));
        }
        Keys::Trusted(trusted) => {
            let keys = trusted.keys();
            let known = keys.iter().any(|key| signature.expect_key(key).is_ok());
            match keys[..] {
                [only] => signature.expect_key(only)?,
                _ if known => {}
                _ => {
                    let named = ssh::fingerprint(&signature.key)?;
                    let detail = format!("the signature is by {named}, which is none of --key");
                    return Err(Error::new(Refusal::KeyUnknown, detail).into());
                }
            }
        }
    }
    Ok(claims)
}

/// Refuses a signature of signify that names another key than the verifier's.
fn check_signify(signature: &signify::Signature, keys: &Keys) -> Read<()> {
    if let Trusted::Minisign(minisign::PublicKey { key, id, .. }) = keys.trusted()? {
        let (key, id) = (key.clone(), *id);
        let key = signify::PublicKey { key, id, untrusted_comment: String::new() };
        signature.check_key(&key)?;
    }
    Ok(())
}

/// Reads a signature of minisign, and refuses one that names another key than the verifier's.
fn read_minisign(bytes: &[u8], keys: &Keys) -> Read<minisign::Signature> {
    let signature = minisign::Signature::read(bytes)?;
    if let Trusted::Minisign(key) = keys.trusted()? {
        signature.check_key(key)?;
    }
    Ok(signature)
}

fn minisign_signature(request: &Request<'_>, bytes: &[u8], keys: &Keys) -> Read<Outcome> {
    beside(request)?;
    let signature = read_minisign(bytes, keys)?;
    let key = keys.ed25519()?.clone();
    let mut verdict = decide(&signature.signed_comment(), &key, &request.rule)?;
    if verdict.is_valid() {
        verdict = match signature.prehashed {
            false => stream(request, &key, &signature.signature)?,
            true => {
                let (path, mut hasher) = (request.message, minisign::Hasher::new());
                feed(path, &mut open(path)?, |piece| hasher.update(piece))?;
                let digest = hasher.finish();
                decide(&signature.signed_digest(&digest)?, &key, &request.rule)?
            }
        };
    }
    Ok(Outcome { verdict, key, claims: vec![("comment", signature.trusted_comment)] })
}

fn signify_signature(request: &Request<'_>, bytes: &[u8], keys: &Keys) -> Read<Outcome> {
    let key = keys.ed25519()?.clone();
    let verdict = match request.sig {
        Some(_) => {
            let signature = signify::Signature::read(bytes)?;
            check_signify(&signature, keys)?;
            stream(request, &key, &signature.signature)?
        }
        None => {
            let (signature, message) = signify::Signature::read_embedded(bytes)?;
            check_signify(&signature, keys)?;
            decide(&signature.signed(message), &key, &request.rule)?
        }
    };
    Ok(Outcome { verdict, key, claims: Vec::new() })
}

/// The payload that `--sig` has beside it.
fn payload(request: &Request<'_>) -> Read<Option<Vec<u8>>> {
    Ok(request.sig.map(|_| read_whole(request.message)).transpose()?)
}

fn jws(request: &Request<'_>, bytes: &[u8], keys: &Keys) -> Read<Outcome> {
    let set = keys.trusted()?.jwk_set()?;
    let (text, payload) = (bytes.trim_ascii(), payload(request)?);
    let mut verifier = Verifier::new(&set);
    let tokens: Vec<envelope::Result<Token<'_>>> = match (text.first(), &payload) {
        (Some(b'{'), payload) => verifier.read_json(text, payload.as_deref())?,
        (_, None) => vec![verifier.read_compact(text)],
        (_, Some(payload)) => vec![verifier.read_detached(text, payload)],
    };
    // one valid signature by a key of the verifier is enough
    let (mut first, mut refused) = (None, None);
    for token in tokens {
        let token = match token {
            Ok(token) => token,
            Err(error) => {
                refused = refused.or(Some(error));
                continue;
            }
        };
        let Some(key) = set.key(token.key) else { continue };
        let kid = set.jwk(token.key).and_then(|jwk| jwk.kid.clone());
        let verdict = decide(&token.signed, key, &request.rule)?;
        let claims = kid.map(|kid| ("kid", kid)).into_iter().collect();
        let outcome = Outcome { verdict, key: key.clone(), claims };
        if verdict.is_valid() {
            return Ok(outcome);
        }
        first = first.or(Some(outcome));
    }
    let none = || Error::new(Refusal::NoSignature, "no signature is by a key of the verifier");
    first.ok_or_else(|| refused.unwrap_or_else(none).into())
}

fn cose(request: &Request<'_>, bytes: &[u8], keys: &Keys) -> Read<Outcome> {
    let (keys, payload) = (keys.trusted()?.cose_keys(), payload(request)?);
    let external = request.envelope.external()?;
    let (key, signed) = keys.signed(bytes, payload.as_deref(), &external)?;
    let verdict = decide(&signed, key, &request.rule)?;
    Ok(Outcome { verdict, key: key.clone(), claims: Vec::new() })
}

fn dsse(request: &Request<'_>, bytes: &[u8], keys: &Keys) -> Read<Outcome> {
    let keys = keys.trusted()?.dsse_keys();
    let content = Content::read(bytes.trim_ascii())?;
    if let Content::Envelope(envelope) = &content {
        return dsse_envelope(request, envelope, &keys);
    }
    beside(request)?;
    let message = read_whole(request.message)?;
    let signed = keys.iter().map(|key| Ok((&key.key, content.signed_artifact(&message, key)?)));
    first_valid(signed, &[], &request.rule)
}

fn dsse_envelope(
    request: &Request<'_>,
    envelope: &Envelope,
    keys: &[dsse::TrustedKey],
) -> Read<Outcome> {
    if let Some(expected) = &request.envelope.payload_type {
        envelope.check_type(expected)?;
    }
    if request.sig.is_some() {
        let detail = "a payload was given beside the envelope, which holds one";
        return Err(Error::new(Refusal::PayloadTwice, detail).into());
    }
    let claims = [("payload type", envelope.payload_type().to_owned())];
    let candidates = envelope.candidates(keys)?;
    let signed = candidates.into_iter().map(|one| Ok((&keys[one.key].key, one.signed)));
    first_valid(signed, &claims, &request.rule)
}

/// The first that is valid, else the first of all: one valid signature by a key of the verifier is enough.
fn first_valid<'a>(
    signed: impl Iterator<Item = Read<(&'a Key, Signed<'a>)>>,
    claims: &[(&'static str, String)],
    rule: &Rule,
) -> Read<Outcome> {
    let mut first = None;
    for signed in signed {
        let (key, signed) = signed?;
        let verdict = decide(&signed, key, rule)?;
        let outcome = Outcome { verdict, key: key.clone(), claims: claims.to_vec() };
        if verdict.is_valid() {
            return Ok(outcome);
        }
        first = first.or(Some(outcome));
    }
    let none = || Error::new(Refusal::KeyUnknown, "no signature is by a key of the verifier");
    first.ok_or_else(|| none().into())
}

/// The signature in an envelope with the bytes that it is of, and the key that it is verified by, for `explain`. Of several
/// signatures it is the first that is by a key of the verifier.
pub(crate) fn signed(
    request: &Request<'_>,
    message: Option<&[u8]>,
) -> Result<(Key, Signed<'static>)> {
    let path = request.message;
    let bytes = read_whole(path)?;
    let asked = request.envelope.form.map(|form| form.0);
    let Some(form) = asked.or_else(|| Form::of(&bytes)) else {
        return Err(Failure::at(path, "is no envelope; --form names one without a header"));
    };
    let keys = Keys::read(request, form)?;
    let read = || -> Read<(Key, Signed<'static>)> {
        let beside =
            || message.ok_or_else(|| Failure::new("--msg is needed: the signature lies beside it"));
        let owned = |signed: Signed<'_>| Signed {
            scheme: signed.scheme,
            message: signed.message.into_owned().into(),
            signature: signed.signature.into_owned().into(),
        };
        let text = bytes.trim_ascii();
        Ok(match form {
            Form::Ssh => {
                let signature = ssh::Signature::read(&bytes)?;
                trust(request, &signature, &keys)?;
                let digest = signature.hash.digest(beside()?);
                (signature.key.clone(), owned(signature.signed(namespace(request), &digest)?))
            }
            Form::Minisign => {
                let signature = read_minisign(&bytes, &keys)?;
                (keys.ed25519()?.clone(), owned(signature.signed_file(beside()?)))
            }
            Form::Signify => {
                let signature = signify::Signature::read(&bytes)?;
                check_signify(&signature, &keys)?;
                (keys.ed25519()?.clone(), owned(signature.signed(beside()?)))
            }
            Form::Jws => {
                let set = keys.trusted()?.jwk_set()?;
                let mut verifier = Verifier::new(&set);
                let token = match (text.first(), message) {
                    (Some(b'{'), message) => {
                        let tokens = verifier.read_json(text, message)?;
                        let first = tokens.into_iter().find(|token| token.is_ok());
                        first.unwrap_or_else(|| {
                            Err(Error::new(
                                Refusal::KeyUnknown,
                                "no signature is by a key of --key",
                            ))
                        })?
                    }
                    (_, None) => verifier.read_compact(text)?,
                    (_, Some(message)) => verifier.read_detached(text, message)?,
                };
                let key = set.key(token.key).cloned();
                let none = || Error::new(Refusal::KidUnknown, "no such key");
                (key.ok_or_else(none)?, owned(token.signed))
            }
            Form::Cose => {
                let keys = keys.trusted()?.cose_keys();
                let (key, signed) = keys.signed(&bytes, message, &request.envelope.external()?)?;
                (key.clone(), signed)
            }
            Form::Dsse => {
                let envelope = Content::read(text)?.into_envelope()?;
                let keys = keys.trusted()?.dsse_keys();
                let candidates = envelope.candidates(&keys)?;
                let none = || Error::new(Refusal::KeyUnknown, "no signature is by a key of --key");
                let first = candidates.into_iter().next().ok_or_else(none)?;
                (keys[first.key].key.clone(), owned(first.signed))
            }
            other => return Err(Error::new(Refusal::Unsupported, other.name()).into()),
        })
    };
    read().map_err(|stop| match stop {
        Stop::Refused(error) => Failure::at(path, format!("{error} ({})", form.name())),
        Stop::Failed(failure) => failure,
    })
}
