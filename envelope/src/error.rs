//! Why an envelope is refused before its signature is looked at.

use std::borrow::Cow;
use std::fmt;

macro_rules! refusals {
    ($($(#[$doc:meta])* $refusal:ident = $name:literal, $text:literal;)*) => {
        /// Why an envelope or a key is refused before a rule is asked. The names stand beside those of
        /// [`sigmill::Reason`] in columns of reasons.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Refusal {
            $($(#[$doc])* $refusal,)*
        }

        impl Refusal {
            /// All of them.
            pub const ALL: &[Refusal] = &[$(Refusal::$refusal,)*];

            /// The code of a row, from 128 on: [`sigmill::Reason`] has those below.
            pub const fn code(self) -> u8 {
                128 + self as u8
            }

            /// The name in columns, such as `kid_unknown`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Refusal::$refusal => $name,)*
                }
            }

            /// The name in words.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Refusal::$refusal => $text,)*
                }
            }
        }
    };
}

refusals! {
    /// The bytes are no key or signature of OpenSSH.
    NotSsh = "not_ssh", "not an OpenSSH key or signature";
    /// The bytes are no key or signature of minisign.
    NotMinisign = "not_minisign", "not a minisign key or signature";
    /// The bytes are no key or signature of signify.
    NotSignify = "not_signify", "not a signify key or signature";
    /// The bytes are no JSON Web Key and no set of them.
    NotJwk = "not_jwk", "not a JSON Web Key";
    /// The bytes are no JSON Web Signature.
    NotJws = "not_jws", "not a JSON Web Signature";
    /// The bytes are no COSE_Sign1 and no COSE_Key.
    NotCose = "not_cose", "not a COSE_Sign1 or COSE_Key";
    /// The bytes are no DSSE envelope and no sigstore bundle.
    NotDsse = "not_dsse", "not a DSSE envelope";
    /// The bytes are no certificate.
    NotX509 = "not_x509", "not an X.509 certificate";
    /// A known form of a kind that is refused: certificates of SSH, security keys, several signers.
    Unsupported = "unsupported", "not supported";
    /// No algorithm is named where the form demands one.
    AlgMissing = "alg_missing", "no algorithm is named";
    /// The algorithm that is named is none of Ed25519, ECDSA on P-256 and on P-384.
    AlgUnknown = "alg_unknown", "unknown algorithm";
    /// The algorithm that is named does not fit the key.
    AlgMismatch = "alg_mismatch", "the algorithm does not fit the key";
    /// The key that is named is not among those of the verifier.
    KidUnknown = "kid_unknown", "no key has this identifier";
    /// No key is named, and the verifier has several that fit.
    KidMissing = "kid_missing", "no key is named, and several fit";
    /// The key of the envelope is not the one that the verifier trusts.
    KeyUnknown = "key_unknown", "another key than the trusted one";
    /// The key does not serve for verification: by its use or its operations.
    KeyUse = "key_use", "the key is not for signatures";
    /// A header that must be understood is not known.
    CritUnknown = "crit_unknown", "unknown critical header";
    /// A member of an object or an entry of a map occurs twice.
    DuplicateMember = "duplicate_member", "a member occurs twice";
    /// The signature was made for another namespace.
    NamespaceMismatch = "namespace_mismatch", "another namespace";
    /// No line of allowed signers has this principal with this key.
    PrincipalUnknown = "principal_unknown", "no such principal";
    /// The key is not valid at the time that was given.
    OutsideValidity = "outside_validity", "not valid at this time";
    /// The payload is detached, and none was given beside it.
    PayloadMissing = "payload_missing", "the payload is detached";
    /// The envelope holds its payload, and another was given beside it.
    PayloadTwice = "payload_twice", "the envelope has a payload of its own";
    /// The payload has another type than the one that was asked for.
    PayloadType = "payload_type", "another type of payload";
    /// There is no signature.
    NoSignature = "no_signature", "no signature";
    /// A chain of certificates does not hold: a signature, a name, a length or the kind of a certificate in it.
    BadChain = "bad_chain", "the chain of certificates does not hold";
    /// Something is longer than the form allows.
    TooLarge = "too_large", "too large";
    /// Values lie too deep in one another.
    TooDeep = "too_deep", "nested too deep";
    /// The key is encrypted, and no passphrase was given.
    PassphraseMissing = "passphrase_missing", "encrypted, and no passphrase was given";
    /// The passphrase does not decrypt the key.
    PassphraseWrong = "passphrase_wrong", "wrong passphrase";
    /// The system gives no random bytes.
    NoRandomness = "no_randomness", "no random bytes";
}

/// An envelope or key that is refused: why, and what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    refusal: Refusal,
    detail: Cow<'static, str>,
}

impl Error {
    /// A refusal with what was seen, what was expected and where. The detail is a sentence without a capital and
    /// without a full stop; text of the envelope in it goes through [`quoted`].
    pub fn new(refusal: Refusal, detail: impl Into<Cow<'static, str>>) -> Self {
        Error { refusal, detail: detail.into() }
    }

    /// Why.
    pub const fn refusal(&self) -> Refusal {
        self.refusal
    }

    /// The finding, the expectation and the place.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.refusal.text(), self.detail)
    }
}

impl std::error::Error for Error {}

/// The result of reading.
pub type Result<T> = std::result::Result<T, Error>;

/// The longest text of an envelope in a message, in characters.
const LONGEST_QUOTE: usize = 64;

/// Text of an envelope for a message: in backquotes, without controls, not longer than a line.
pub fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST_QUOTE).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST_QUOTE).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}
