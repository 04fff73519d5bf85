//! Bundles of sigstore.

use super::envelope::{
    Envelope, TrustedKey, base64, check_size, member, optional, optional_text, text,
};
use crate::error::{Error, Refusal, Result, quoted};
use crate::json::{self, Json};
use crate::signed::Signed;
use std::borrow::Cow;

const FORM: Refusal = Refusal::NotDsse;

/// The types of media of versions 0.1 to 0.3, which has two.
const MEDIA_TYPES: [&str; 4] = [
    "application/vnd.dev.sigstore.bundle+json;version=0.1",
    "application/vnd.dev.sigstore.bundle+json;version=0.2",
    "application/vnd.dev.sigstore.bundle+json;version=0.3",
    "application/vnd.dev.sigstore.bundle.v0.3+json",
];

/// A bundle of sigstore, versions 0.1 to 0.3 in JSON (`sigstore_bundle.proto` at
/// <https://github.com/sigstore/protobuf-specs>), for a verifier who has the key.
///
/// Certificates (Fulcio), entries of the transparency log (Rekor) and time stamps are not looked at: no bundle is refused
/// or accepted because of them. Names of members are in lower camel case, as all tools write them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The type of media, with the version.
    pub media_type: String,
    /// The hint to the public key, which nothing signs; `None` where it is empty or certificates are there instead.
    pub key_hint: Option<String>,
    /// Certificates of X.509 in DER, the signer's first, unverified.
    pub certificates: Vec<Vec<u8>>,
    /// The signature with or without its message.
    pub content: Content,
}

/// The signed part of a bundle, or an envelope outside a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A DSSE envelope, which has one signature.
    Envelope(Envelope),
    /// A signature of an artifact that lies elsewhere.
    Message {
        /// The digest of the artifact, a hint that nothing signs and that is not compared.
        digest: Option<MessageDigest>,
        /// The bytes of the signature.
        signature: Vec<u8>,
    },
}

/// A digest as the bundle states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageDigest {
    /// Such as `SHA2_256`; `None` where it is missing.
    pub algorithm: Option<String>,
    /// The bytes.
    pub digest: Vec<u8>,
}

impl Bundle {
    /// Reads the JSON.
    ///
    /// # Errors
    /// [`Refusal::NotDsse`]: another form, or an envelope without exactly one signature. [`Refusal::Unsupported`]: another
    /// type of media. [`Refusal::NoSignature`]: neither an envelope nor a signature. [`Refusal::TooLarge`],
    /// [`Refusal::TooDeep`], [`Refusal::DuplicateMember`]: as the module says.
    pub fn read(json: &[u8]) -> Result<Self> {
        check_size(json)?;
        Bundle::of(&json::parse(json, FORM)?)
    }

    fn of(json: &Json) -> Result<Self> {
        let place = "the bundle";
        let media_type = text(json, "mediaType", place)?;
        if !MEDIA_TYPES.contains(&media_type) {
            let detail = format!(
                "`mediaType` is {}; bundles of versions 0.1 to 0.3 are read",
                quoted(media_type)
            );
            return Err(Error::new(Refusal::Unsupported, detail));
        }
        let material = member(json, "verificationMaterial", place)?;
        let (key_hint, certificates) = read_material(material)?;
        let envelope = optional(json, "dsseEnvelope", place)?;
        let message = optional(json, "messageSignature", place)?;
        let content = match (envelope, message) {
            (Some(envelope), None) => {
                let envelope = Envelope::of(envelope, "`dsseEnvelope`")?;
                let signatures = envelope.signatures().len();
                if signatures != 1 {
                    let detail =
                        format!("`dsseEnvelope` has {signatures} signatures; a bundle has one");
                    return Err(Error::new(FORM, detail));
                }
                Content::Envelope(envelope)
            }
            (None, Some(message)) => read_message(message)?,
            (Some(_), Some(_)) => {
                let detail = "the bundle has both `dsseEnvelope` and `messageSignature`";
                return Err(Error::new(FORM, detail));
            }
            (None, None) => {
                let detail = "the bundle has neither `dsseEnvelope` nor `messageSignature`";
                return Err(Error::new(Refusal::NoSignature, detail));
            }
        };
        Ok(Bundle { media_type: media_type.to_owned(), key_hint, certificates, content })
    }
}

impl Content {
    /// Reads JSON: of a bundle, which has a `mediaType`, else of a DSSE envelope.
    ///
    /// # Errors
    /// Those of [`Bundle::read`] and of [`Envelope::read`].
    pub fn read(json: &[u8]) -> Result<Self> {
        check_size(json)?;
        let json = json::parse(json, FORM)?;
        match json.get("mediaType") {
            Some(_) => Bundle::of(&json).map(|bundle| bundle.content),
            None => Envelope::of(&json, "the envelope").map(Content::Envelope),
        }
    }

    /// The envelope.
    ///
    /// # Errors
    /// [`Refusal::PayloadMissing`]: the bundle has a signature of an artifact.
    pub fn into_envelope(self) -> Result<Envelope> {
        match self {
            Content::Envelope(envelope) => Ok(envelope),
            Content::Message { .. } => {
                let detail = "the bundle has a signature of an artifact, and no envelope";
                Err(Error::new(Refusal::PayloadMissing, detail))
            }
        }
    }

    /// The signature of an artifact under a key: pure Ed25519, or ECDSA with the hash function of the curve. Ed25519ph, with
    /// which some tools sign artifacts, does not verify.
    ///
    /// # Errors
    /// [`Refusal::PayloadTwice`]: the bundle has an envelope with its own payload.
    pub fn signed_artifact<'a>(
        &'a self,
        artifact: &'a [u8],
        key: &TrustedKey,
    ) -> Result<Signed<'a>> {
        match self {
            Content::Message { signature, .. } => Ok(Signed {
                scheme: key.scheme(),
                message: Cow::Borrowed(artifact),
                signature: Cow::Borrowed(signature),
            }),
            Content::Envelope(_) => {
                let detail = "the bundle has an envelope, whose payload is what is signed";
                Err(Error::new(Refusal::PayloadTwice, detail))
            }
        }
    }
}

/// The hint to the key or the certificates: exactly one of three members.
fn read_material(material: &Json) -> Result<(Option<String>, Vec<Vec<u8>>)> {
    let place = "`verificationMaterial`";
    let key = optional(material, "publicKey", place)?;
    let certificate = optional(material, "certificate", place)?;
    let chain = optional(material, "x509CertificateChain", place)?;
    match (key, certificate, chain) {
        (Some(key), None, None) => Ok((optional_text(key, "hint", "`publicKey`")?, Vec::new())),
        (None, Some(certificate), None) => {
            Ok((None, vec![base64(certificate, "rawBytes", "`certificate`")?]))
        }
        (None, None, Some(chain)) => {
            let place = "`x509CertificateChain`";
            let Json::Array(chain) = member(chain, "certificates", place)? else {
                return Err(Error::new(FORM, format!("`certificates` of {place} is no array")));
            };
            let read = |certificate| base64(certificate, "rawBytes", "a certificate");
            Ok((None, chain.iter().map(read).collect::<Result<_>>()?))
        }
        _ => {
            let detail = format!(
                "{place} has not exactly one of `publicKey`, `certificate` and `x509CertificateChain`"
            );
            Err(Error::new(FORM, detail))
        }
    }
}

fn read_message(message: &Json) -> Result<Content> {
    let signature = base64(message, "signature", "`messageSignature`")?;
    let digest = match optional(message, "messageDigest", "`messageSignature`")? {
        None => None,
        Some(digest) => {
            let place = "`messageDigest`";
            Some(MessageDigest {
                algorithm: optional_text(digest, "algorithm", place)?,
                digest: base64(digest, "digest", place)?,
            })
        }
    };
    Ok(Content::Message { digest, signature })
}
