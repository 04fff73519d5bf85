//! The forms of envelopes, told by their own headers.

use crate::json::{Json, parse};
use crate::{Refusal, ssh};

/// The media types of bundles of sigstore begin so.
const BUNDLE: &str = "application/vnd.dev.sigstore.bundle";

/// A form of envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// A signature by `ssh-keygen -Y sign`, beside its message.
    Ssh,
    /// A signature by minisign, beside its file.
    Minisign,
    /// A signature by signify, beside its file or in front of it.
    Signify,
    /// A JSON Web Signature, compact or JSON.
    Jws,
    /// A COSE_Sign1.
    Cose,
    /// A DSSE envelope, or a sigstore bundle.
    Dsse,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 6] =
        [Form::Ssh, Form::Minisign, Form::Signify, Form::Jws, Form::Cose, Form::Dsse];

    /// The name, such as `jws`.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Ssh => "ssh",
            Form::Minisign => "minisign",
            Form::Signify => "signify",
            Form::Jws => "jws",
            Form::Cose => "cose",
            Form::Dsse => "dsse",
        }
    }

    /// The form whose header these bytes begin with. `None`: they name no form; an untagged COSE_Sign1 names none.
    ///
    /// | form | header |
    /// |---|---|
    /// | `ssh` | `-----BEGIN SSH SIGNATURE-----` |
    /// | `minisign`, `signify` | `untrusted comment: `; of minisign a third line `trusted comment: ` |
    /// | `jws` | `ey` or `ew`, three parts, the first and last in base64url; or an object with `signature` or `signatures` |
    /// | `dsse` | an object with `payloadType`, or with the `mediaType` of a bundle of sigstore |
    /// | `cose` | the tag 18, alone or inside the tag 61 of a CWT |
    pub fn of(bytes: &[u8]) -> Option<Form> {
        if ssh::is_signature(bytes) {
            return Some(Form::Ssh);
        }
        if bytes.starts_with(b"untrusted comment: ") {
            let third = bytes.split(|byte| *byte == b'\n').nth(2);
            let is_trusted = third.is_some_and(|line| line.starts_with(b"trusted comment: "));
            return Some(if is_trusted { Form::Minisign } else { Form::Signify });
        }
        let untagged = bytes.strip_prefix(&[0xd8, 61]).unwrap_or(bytes);
        // an array follows the tag
        if matches!(untagged, [0xd2, 0x80..=0x9f, ..] | [0xd8, 18, ..]) {
            return Some(Form::Cose);
        }
        let text = bytes.trim_ascii();
        if text.starts_with(b"{") {
            let Ok(object @ Json::Object(_)) = parse(text, Refusal::NotJws) else { return None };
            let has = |name| object.get(name).is_some();
            let is_bundle = matches!(object.get("mediaType"), Some(Json::Text(text)) if text.starts_with(BUNDLE));
            return match (has("payloadType") || is_bundle, has("signature")) {
                (true, _) => Some(Form::Dsse),
                (false, signature) => (signature || has("signatures")).then_some(Form::Jws),
            };
        }
        let mut parts = text.split(|byte| *byte == b'.');
        let is_base64url = |part: &[u8]| {
            part.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        };
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some([b'e', b'y' | b'w', header @ ..]), Some(_), Some(signature), None) => {
                (is_base64url(header) && is_base64url(signature)).then_some(Form::Jws)
            }
            _ => None,
        }
    }
}
