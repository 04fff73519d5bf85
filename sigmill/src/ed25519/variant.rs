//! The three variants of Ed25519 and what they put in front of a message (RFC 8032 section 5.1).

use crate::error::Error;
use crate::hash::Sha512;

/// A context of at most 255 bytes (RFC 8032 section 5.1).
///
/// ```
/// use sigmill::ed25519::{ContextString, SigningKey, Variant, rules};
///
/// let context = ContextString::new(b"example.org/login 1")?;
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let signature = key.sign_with(Variant::Ctx(context), b"hello");
/// let valid = |variant| key.verify_with(&rules::COMMON, variant, b"hello", &signature).is_valid();
/// assert!(valid(Variant::Ctx(context)) && !valid(Variant::Pure));
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextString<'a>(&'a [u8]);

impl<'a> ContextString<'a> {
    /// The empty context.
    pub const EMPTY: ContextString<'static> = ContextString(&[]);

    /// Takes a context.
    ///
    /// # Errors
    /// [`Error::ContextTooLong`] over 255 bytes.
    pub const fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        if bytes.len() > 255 {
            return Err(Error::ContextTooLong { got: bytes.len() });
        }
        Ok(ContextString(bytes))
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0
    }
}

/// The variant of Ed25519. Signatures of one variant and context never verify under another.
///
/// ```
/// use sigmill::ed25519::{ContextString, SigningKey, Variant};
///
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let empty = ContextString::EMPTY;
/// let [pure, ctx, ph] = [Variant::Pure, Variant::Ctx(empty), Variant::Ph(empty)]
///     .map(|variant| key.sign_with(variant, b"hello"));
/// assert!(pure != ctx && ctx != ph && ph != pure);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variant<'a> {
    /// Ed25519: the message as it is.
    Pure,
    /// Ed25519ctx: the message under a context. An empty context is legal and is not `Pure`.
    Ctx(ContextString<'a>),
    /// Ed25519ph: SHA-512 of the message, under a context that may be empty.
    Ph(ContextString<'a>),
}

/// The meaning of a row's bytes: a message, or a digest in the place of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given<'a> {
    /// A message.
    Message(Variant<'a>),
    /// SHA-512 of a message, for Ed25519ph.
    Digest(ContextString<'a>),
}

impl<'a> Given<'a> {
    /// The variant.
    pub(crate) const fn variant(self) -> Variant<'a> {
        match self {
            Given::Message(variant) => variant,
            Given::Digest(context) => Variant::Ph(context),
        }
    }
}

/// Gives dom to a hash: nothing for pure, else dom2(F, C) = "SigEd25519 no Ed25519 collisions" ‖
/// octet(F) ‖ octet(|C|) ‖ C (RFC 8032 section 2).
pub(crate) fn write_dom(variant: Variant<'_>, mut update: impl FnMut(&[u8])) {
    if let Variant::Ctx(context) | Variant::Ph(context) = variant {
        let flag = u8::from(matches!(variant, Variant::Ph(_)));
        let context = context.as_bytes();
        update(b"SigEd25519 no Ed25519 collisions");
        update(&[flag, context.len() as u8]);
        update(context);
    }
}

/// dom2(F, C) is 34 bytes and a context of at most 255.
pub(crate) const MAX_DOM_LEN: usize = 34 + 255;

/// dom as one slice, written to the buffer.
pub(crate) fn dom_bytes<'b>(variant: Variant<'_>, buffer: &'b mut [u8; MAX_DOM_LEN]) -> &'b [u8] {
    let mut len = 0;
    write_dom(variant, |bytes| {
        buffer[len..len + bytes.len()].copy_from_slice(bytes);
        len += bytes.len();
    });
    &buffer[..len]
}

/// SHA-512(dom ‖ prefix ‖ PH(M)), fed with M.
#[derive(Clone)]
pub(crate) struct MessageHash {
    /// dom ‖ prefix, then M itself unless the message is prehashed.
    outer: Sha512,
    /// SHA-512(M), for Ed25519ph.
    prehash: Option<Sha512>,
}

impl MessageHash {
    pub(crate) fn new(variant: Variant<'_>, prefix: &[&[u8]]) -> Self {
        let mut outer = Sha512::new();
        let mut prehash = None;
        write_dom(variant, |bytes| outer.update(bytes));
        if let Variant::Ph(_) = variant {
            prehash = Some(Sha512::new());
        }
        MessageHash { outer, prehash }.with_prefix(prefix)
    }

    /// The same with more of a prefix, before any of the message.
    pub(crate) fn with_prefix(mut self, prefix: &[&[u8]]) -> Self {
        for part in prefix {
            self.outer.update(part);
        }
        self
    }

    pub(crate) fn update(&mut self, message: &[u8]) {
        self.prehash.as_mut().unwrap_or(&mut self.outer).update(message);
    }

    /// Takes SHA-512 of the message, computed by the caller, in the message's place (Ed25519ph).
    pub(crate) fn fed_with_digest(mut self, digest: &[u8; 64]) -> Self {
        self.outer.update(digest);
        self.prehash = None;
        self
    }

    pub(crate) fn finish(self) -> [u8; 64] {
        match self.prehash {
            Some(prehash) => self.outer.chain(&prehash.finish()).finish(),
            None => self.outer.finish(),
        }
    }
}

/// SHA-512(dom ‖ R ‖ A ‖ PH(M)), to be fed with M: the hash behind k.
pub(crate) fn challenge_hash(variant: Variant<'_>, r: &[u8; 32], a: &[u8; 32]) -> MessageHash {
    MessageHash::new(variant, &[r, a])
}
