//! Signing: compact and JSON serialization, detached, and with an unencoded payload.

use super::compact::is_unencoded;
use super::header::Alg;
use crate::error::{Error, Refusal, Result};
use crate::json::string;
use crate::secret::SecretKey;
use data_encoding::BASE64URL_NOPAD;

/// The protected header of a signature to be made. `alg` is that of the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headers<'h> {
    /// `kid`: the name of the key.
    pub kid: Option<&'h str>,
    /// `typ`: the type, such as `JWT`.
    pub typ: Option<&'h str>,
    /// Whether `alg` of Ed25519 is `Ed25519` (RFC 9864) in place of `EdDSA`, which every verifier knows.
    pub ed25519: bool,
    /// Whether the payload is signed as it is, in place of base64url: `b64` is false (RFC 7797). Not for JWTs.
    pub unencoded: bool,
}

impl Headers<'_> {
    /// A compact token with its payload.
    ///
    /// # Errors
    /// [`Refusal::PayloadMissing`]: an empty payload, which is read only as a detached one. [`Refusal::NotJws`]: an
    /// unencoded payload has a dot, or a character that is not printable ASCII.
    pub fn compact(&self, key: &SecretKey, payload: &[u8]) -> Result<String> {
        if payload.is_empty() {
            let detail = "an empty payload reads as a detached one; sign it so";
            return Err(Error::new(Refusal::PayloadMissing, detail));
        }
        if self.unencoded && !payload.iter().all(|&b| is_unencoded(b)) {
            let detail =
                "an unencoded payload in a token is printable ASCII without dots; detach it";
            return Err(Error::new(Refusal::NotJws, detail));
        }
        let (header, signature) = self.sign(key, payload)?;
        Ok(format!("{header}.{}.{signature}", self.text_of(payload)?))
    }

    /// A compact token without its payload, which travels beside it.
    ///
    /// # Errors
    /// None for keys that there are.
    pub fn detached(&self, key: &SecretKey, payload: &[u8]) -> Result<String> {
        let (header, signature) = self.sign(key, payload)?;
        Ok(format!("{header}..{signature}"))
    }

    /// The flattened JSON serialization, with its payload or without.
    ///
    /// # Errors
    /// [`Refusal::NotJws`]: an unencoded payload that is not detached is not in UTF-8.
    pub fn flattened(&self, key: &SecretKey, payload: &[u8], detached: bool) -> Result<String> {
        let payload_member = self.payload_member(payload, detached)?;
        let (header, signature) = self.sign(key, payload)?;
        Ok(format!(r#"{{{payload_member}"protected":"{header}","signature":"{signature}"}}"#))
    }

    /// `"payload":…,`, or nothing.
    fn payload_member(&self, payload: &[u8], detached: bool) -> Result<String> {
        if detached {
            return Ok(String::new());
        }
        Ok(format!("\"payload\":{},", string(&self.text_of(payload)?)))
    }

    /// The payload as text: in base64url, or as it is.
    fn text_of(&self, payload: &[u8]) -> Result<String> {
        if !self.unencoded {
            return Ok(BASE64URL_NOPAD.encode(payload));
        }
        let text = std::str::from_utf8(payload).map_err(|error| {
            let at = error.valid_up_to();
            let detail = format!("an unencoded payload is not in UTF-8 at byte {at}; detach it");
            Error::new(Refusal::NotJws, detail)
        })?;
        Ok(text.to_owned())
    }

    /// The protected header and the signature, in base64url.
    fn sign(&self, key: &SecretKey, payload: &[u8]) -> Result<(String, String)> {
        let alg = match key {
            SecretKey::Ed25519(_) if self.ed25519 => Alg::Ed25519,
            SecretKey::Ed25519(_) => Alg::EdDsa,
            SecretKey::P256(_) => Alg::Es256,
            SecretKey::P384(_) => Alg::Es384,
        };
        let mut header = format!("{{\"alg\":\"{}\"", alg.name());
        for (name, text) in [("kid", self.kid), ("typ", self.typ)] {
            if let Some(text) = text {
                header.push_str(&format!(",\"{name}\":{}", string(text)));
            }
        }
        header.push_str(if self.unencoded { ",\"b64\":false,\"crit\":[\"b64\"]}" } else { "}" });
        let header = BASE64URL_NOPAD.encode(header.as_bytes());
        let mut message = format!("{header}.").into_bytes();
        match self.unencoded {
            true => message.extend_from_slice(payload),
            false => message.extend_from_slice(BASE64URL_NOPAD.encode(payload).as_bytes()),
        }
        let signature = key.sign(alg.scheme(), &message)?;
        Ok((header, BASE64URL_NOPAD.encode(&signature)))
    }
}

/// A compact token; `alg` is that of the key, and `EdDSA` of Ed25519.
///
/// # Errors
/// Those of [`Headers::compact`].
pub fn sign_compact(
    key: &SecretKey,
    kid: Option<&str>,
    typ: Option<&str>,
    payload: &[u8],
) -> Result<String> {
    Headers { kid, typ, ..Headers::default() }.compact(key, payload)
}

/// The general JSON serialization: a signature a signer, with the payload or without.
///
/// # Errors
/// [`Refusal::NoSignature`]: there is no signer. [`Refusal::NotJws`]: some signers leave the payload unencoded and
/// others do not; an unencoded payload that is not detached is not in UTF-8.
pub fn sign_general(
    signers: &[(&SecretKey, Headers<'_>)],
    payload: &[u8],
    detached: bool,
) -> Result<String> {
    let Some((_, first)) = signers.first() else {
        return Err(Error::new(Refusal::NoSignature, "there is no signer"));
    };
    if signers.iter().any(|(_, headers)| headers.unencoded != first.unencoded) {
        return Err(Error::new(Refusal::NotJws, "`b64` differs between the signers"));
    }
    let payload_member = first.payload_member(payload, detached)?;
    let mut signatures = Vec::with_capacity(signers.len());
    for (key, headers) in signers {
        let (header, signature) = headers.sign(key, payload)?;
        signatures.push(format!(r#"{{"protected":"{header}","signature":"{signature}"}}"#));
    }
    Ok(format!(r#"{{{payload_member}"signatures":[{}]}}"#, signatures.join(",")))
}
