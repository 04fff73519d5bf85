//! The forms of envelopes, told by their own headers.

use crate::json::{Json, parse};
use crate::{Refusal, ssh};

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
    /// | `jws` | `ey` and two dots between parts of base64url; or an object with `signature` or `signatures` |
    /// | `dsse` | an object with `payloadType`, or with `mediaType` (sigstore) |
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
        if matches!(bytes, [0xd2, ..] | [0xd8, 0x3d, 0xd2, ..]) {
            return Some(Form::Cose);
        }
        let text = bytes.trim_ascii();
        if text.starts_with(b"{") {
            let Ok(object @ Json::Object(_)) = parse(text, Refusal::NotJws) else { return None };
            let has = |name| object.get(name).is_some();
            return match (has("payloadType") || has("mediaType"), has("signature")) {
                (true, _) => Some(Form::Dsse),
                (false, signature) => (signature || has("signatures")).then_some(Form::Jws),
            };
        }
        let dots = text.iter().filter(|byte| **byte == b'.').count();
        (text.starts_with(b"ey") && dots == 2).then_some(Form::Jws)
    }
}
