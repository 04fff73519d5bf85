//! `sign --form`: a signature in an envelope.

use crate::envelope::{FormName, read_whole};
use crate::form::Bytes;
use crate::key_forms::minisign_id;
use crate::keys::{self, SecretKey};
use crate::message::{feed, open};
use crate::status::{Failure, Result};
use sigmill::ecdsa::Encoding;
use sigmill_envelope::jose::Headers;
use sigmill_envelope::{Error, Form, cose, dsse, minisign, signify, ssh};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The options of envelopes.
#[derive(clap::Args)]
pub(crate) struct WrapArgs {
    /// Write an envelope of this form: ssh, minisign and signify beside the message, jws, cose and dsse around it
    #[arg(long, value_enum)]
    form: Option<FormName>,
    /// ssh: the namespace that the signature is for [default: file]
    #[arg(long, value_name = "NAMESPACE", requires = "form")]
    namespace: Option<String>,
    /// jws, cose, dsse: the identifier of the key
    #[arg(long, value_name = "KID", requires = "form")]
    kid: Option<String>,
    /// minisign: the comment that is signed [default: the time and the name of the file]
    #[arg(long, value_name = "TEXT", requires = "form")]
    comment: Option<String>,
    /// dsse: the type of the payload
    #[arg(long, value_name = "TYPE", requires = "form")]
    payload_type: Option<String>,
    /// cose: data that is signed beside the message and is not in the envelope (RFC 9052 section 4.4)
    #[arg(long, value_name = "FILE", requires = "form")]
    pub(crate) external_data: Option<PathBuf>,
}

impl WrapArgs {
    /// The form, if an envelope is asked for.
    pub(crate) fn form(&self) -> Option<Form> {
        self.form.map(FormName::form)
    }

    fn refuse_others(&self, form: Form) -> Result<()> {
        let named = [Form::Jws, Form::Cose, Form::Dsse];
        let given = [
            (self.namespace.is_some(), "--namespace", form == Form::Ssh),
            (self.kid.is_some(), "--kid", named.contains(&form)),
            (self.comment.is_some(), "--comment", form == Form::Minisign),
            (self.payload_type.is_some(), "--payload-type", form == Form::Dsse),
            (self.external_data.is_some(), "--external-data", form == Form::Cose),
        ];
        match given.into_iter().find(|(given, _, fits)| *given && !fits) {
            Some((_, option, _)) => {
                Err(Failure::new(format!("{option} says nothing of --form {}", form.name())))
            }
            None => Ok(()),
        }
    }
}

/// The envelope of a message.
pub(crate) fn wrapped(
    args: &WrapArgs,
    form: Form,
    message: &Path,
    key: (&Path, &SecretKey, Option<[u8; 8]>),
) -> Result<Bytes> {
    args.refuse_others(form)?;
    let (path, key, id) = key;
    let key = key.for_envelopes().ok_or_else(|| keys::signs_nothing(path))?;
    let id = id.unwrap_or_else(|| minisign_id(&key.public_key()));
    let failure = |error: Error| Failure::new(format!("--form {}: {error}", form.name()));
    let kid = args.kid.as_deref();
    let text = match form {
        Form::Ssh => {
            let mut hasher = ssh::Hasher::new(ssh::Hash::Sha512);
            feed(message, &mut open(message)?, |piece| hasher.update(piece))?;
            let namespace = args.namespace.as_deref().unwrap_or("file");
            ssh::sign(&key, namespace, ssh::Hash::Sha512, &hasher.finish()).map(String::into_bytes)
        }
        Form::Minisign => {
            let mut hasher = minisign::Hasher::new();
            feed(message, &mut open(message)?, |piece| hasher.update(piece))?;
            let comment = args.comment.clone().unwrap_or_else(|| comment_of(message));
            let untrusted = format!("signature from key {}", minisign::id_text(&id));
            let signed = minisign::sign(&key, id, &hasher.finish(), &comment, &untrusted);
            signed.map(String::into_bytes)
        }
        Form::Signify => {
            let comment = format!("signature from key {}", signify::id_text(&id));
            let signed = signify::sign(&key, id, &read_whole(message)?, &comment);
            signed.and_then(|signature| signature.write()).map(String::into_bytes)
        }
        Form::Jws => {
            let headers = Headers { kid, ..Headers::default() };
            let token = headers.compact(&key, &read_whole(message)?);
            token.map(|token| (token + "\n").into_bytes())
        }
        Form::Cose => {
            let external = args.external_data.as_deref().map(read_whole).transpose()?;
            let (external, payload) = (external.unwrap_or_default(), read_whole(message)?);
            cose::sign(&key, kid.map(str::as_bytes), &payload, false, true, &external)
        }
        Form::Dsse => {
            let Some(payload_type) = &args.payload_type else {
                return Err(Failure::new("--form dsse needs --payload-type, which is signed, too"));
            };
            let signer = dsse::SigningKey { keyid: kid, key: &key, encoding: Encoding::Der };
            dsse::sign(&[signer], payload_type, &read_whole(message)?).map(String::into_bytes)
        }
        other => return Err(Failure::new(format!("--form {}: not written", other.name()))),
    };
    text.map(Bytes::new).map_err(failure)
}

/// The trusted comment that minisign writes by itself.
fn comment_of(message: &Path) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let name = message.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().filter(|character| !character.is_control()).collect();
    format!("timestamp:{now}\tfile:{name}\thashed")
}
