//! Errors and reasons, two kinds that never mix.
//!
//! *Building* something (a key, a context, a column) fails with an [`Error`] that says what and
//! where. *Verifying* never fails: it gives a [`Verdict`], and an invalid one carries its
//! [`Reason`].

use crate::impls::errors;
use core::fmt;

errors! {
    /// Why a key, signature, context or stream could not be made.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Error {
        /// The bytes have the wrong length.
        Length {
            /// The name of the value.
            what: &'static str,
            /// The length it has, in bytes.
            expected: usize,
            /// The length that was given, in bytes.
            got: usize,
        } = "{what} has {got} bytes, not {expected}";
        /// The bytes of a public key do not decode to a point on the curve.
        NotAPoint = "public key is not a point on the curve";
        /// The public half of a 64-byte key pair does not belong to its secret half.
        KeyPairMismatch = "public half of the key pair does not belong to its secret half";
        /// A context is longer than 255 bytes (RFC 8032 section 5.1).
        ContextTooLong {
            /// Its length in bytes.
            got: usize,
        } = "context has {got} bytes; at most 255 are allowed";
        /// Text that should be hexadecimal is not.
        Hex {
            /// The first byte that is not a hexadecimal digit, counted from 0; the length of the text if
            /// it has an odd number of digits.
            position: usize,
        } = "expected a hexadecimal digit at position {position}";
        /// Text that should be base64 (RFC 4648 section 4, padded) is not, or is not the one text of its bytes.
        Base64 = "text is not canonical base64 with padding";
        /// A message read twice for signing was not the same the second time. No signature is made:
        /// two different ones under one nonce would give the key away.
        MessageChanged = "message changed between the two passes of signing";
        /// A signature did not verify under its own key, or came out differently when it was made again:
        /// something went wrong while it was computed. It is not given out.
        Fault = "fault while signing: the signature failed its check and was discarded";
        /// A shared secret is all zeros, because the public key has small order: everybody knows it (RFC 7748
        /// section 6.1). It is not given out.
        NotContributory = "public key has small order: the shared secret is zero";
        /// The random source failed. Nothing was signed or verified.
        Randomness = "random source failed";
        /// A scalar is 0 or not below the order of the group: a secret key, or r or s of a signature.
        ScalarOutOfRange {
            /// The name of the value.
            what: &'static str,
        } = "{what} is 0 or not below the order of the group";
        /// A key or scalar of another library is on another curve than the one that was asked for.
        AnotherCurve = "key is on another curve than the one that was asked for";
        /// A digest to be signed is empty.
        DigestEmpty = "digest is empty";
        /// The slices of a batch differ in length.
        BatchLength {
            /// How many messages there are.
            messages: usize,
            /// How many signatures there are.
            signatures: usize,
            /// How many keys there are.
            keys: usize,
        } = "batch has {messages} messages, {signatures} signatures and {keys} keys, not the same number";
        /// A signature is not DER, or not one of this curve.
        SignatureDer(error: SignatureDerError) = "{error}";
        /// A trait of the crate `signature` failed: `signature::Error` as one of ours. Verification tells the reason if
        /// there is an allocator (feature `alloc`); without one that error carries nothing.
        Signature {
            /// Why a signature was refused, where that is known.
            reason: Option<Reason>,
        } = "{}"(reason.map_or("signature error", Reason::text));
        /// A key container is not DER, not PEM, or not a key of the kind that was asked for.
        #[cfg(feature = "containers")]
        KeyFormat(error: KeyFormatError) = "{error}";
    }
}

errors! {
    /// The fault of an ECDSA signature in DER (RFC 3279 section 2.2.3).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum SignatureDerError {
        /// Not a SEQUENCE of two INTEGERs in strict DER, or bytes after its end.
        Der = "signature is not a SEQUENCE of two INTEGERs in strict DER, or bytes follow it";
        /// r or s is negative. A program that leaves out the zero before a first byte of 128 or more writes
        /// such a signature.
        Negative = "signature in DER has a negative integer";
        /// r or s has more bytes than the integers of the curve.
        TooLong = "signature in DER has an integer that is too long for the curve";
    }
}

#[cfg(feature = "containers")]
errors! {
    /// The fault of a PKCS#8, SubjectPublicKeyInfo or ECPrivateKey container.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum KeyFormatError {
        /// Not the DER structure that was expected, or bytes after its end.
        Der = "container is not the expected DER structure, or bytes follow it";
        /// No whole block of PEM with the expected label.
        Pem = "text has no whole block of PEM with the expected label";
        /// The algorithm identifier is not 1.3.101.112 (Ed25519, RFC 8410).
        NotEd25519 = "algorithm is not Ed25519 (1.3.101.112)";
        /// The algorithm identifier has parameters; RFC 8410 section 3 forbids them.
        Parameters = "algorithm identifier has parameters; RFC 8410 allows none";
        /// The algorithm identifier is not the one that was asked for.
        Algorithm = "algorithm is not the one that was asked for";
        /// The curve is given by explicit parameters, which RFC 5480 section 2.1.1 forbids: they can make
        /// anybody's public key one's own (CVE-2020-0601).
        ExplicitCurve = "curve is given by explicit parameters; only named curves are read";
        /// The key is on another curve than the one that was asked for.
        AnotherCurve = "key is on another curve than the one that was asked for";
        /// The container does not say on which curve the key is.
        NoCurve = "container does not name the curve of its key";
        /// The key inside has another length than the keys of its algorithm.
        KeyLength = "key in the container has the wrong length for its algorithm";
        /// A container in PEM does not fit into the memory that the functions without an allocator have for it.
        TooLong {
            /// How many bytes it would have in DER, by the length of the text.
            got: usize,
            /// How many bytes there are for it.
            max: usize,
        } = "container has {got} bytes; at most {max} are read";
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "containers")]
impl From<KeyFormatError> for Error {
    fn from(error: KeyFormatError) -> Self {
        Error::KeyFormat(error)
    }
}

/// Takes the source of a `signature::Error`, if it is one of ours.
impl From<signature::Error> for Error {
    fn from(error: signature::Error) -> Self {
        let source = core::error::Error::source(&error);
        match source.and_then(|source| source.downcast_ref::<Error>()) {
            Some(error) => *error,
            None => Error::Signature {
                reason: source.and_then(|source| source.downcast_ref::<Reason>()).copied(),
            },
        }
    }
}

impl From<SignatureDerError> for Error {
    fn from(error: SignatureDerError) -> Self {
        Error::SignatureDer(error)
    }
}

/// The answer of verification under one rule.
///
/// ```
/// use sigmill::{Reason, Verdict};
///
/// fn log(verdict: Verdict) -> Result<(), Reason> {
///     println!("{verdict}"); // valid, or: invalid: public key has small order
///     verdict.ok()
/// }
/// # assert_eq!(log(Verdict::Valid), Ok(()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[must_use = "a verdict that nobody looks at accepts everything"]
pub enum Verdict {
    /// The rule accepts the signature.
    Valid,
    /// The rule refuses it; the reason is the first that applies in the order that [`Reason`] states.
    Invalid(Reason),
}

impl Verdict {
    /// True for [`Verdict::Valid`].
    pub const fn is_valid(self) -> bool {
        matches!(self, Verdict::Valid)
    }

    /// The number used where a byte is wanted: 0 for a valid signature, else the reason's.
    pub const fn code(self) -> u8 {
        match self {
            Verdict::Valid => 0,
            Verdict::Invalid(reason) => reason.code(),
        }
    }

    /// `Ok` for a valid signature, the reason as the error for an invalid one, for use with `?`.
    ///
    /// # Errors
    /// The reason why the rule refuses the signature.
    pub const fn ok(self) -> Result<(), Reason> {
        match self {
            Verdict::Valid => Ok(()),
            Verdict::Invalid(reason) => Err(reason),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Valid => f.write_str("valid"),
            Verdict::Invalid(reason) => write!(f, "invalid: {reason}"),
        }
    }
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $name:literal, $text:literal;)*) => {
        /// Why a rule refuses a signature. Of several reasons that apply, the first is reported, by every way of
        /// verifying. Codes and names never change.
        ///
        /// The order for Ed25519: `KeyLength`, `SignatureLength`, `DigestLength`, `KeyNotAPoint`,
        /// `KeyNotCanonical`, `KeySmallOrder`, `RNotAPoint`, `RNotCanonical`, `RSmallOrder`, `SOutOfRange`,
        /// `Equation`. For ECDSA: `KeyLength`, `SignatureLength`, `KeyNotAPoint`, `SignatureDer`,
        /// `DigestEmpty`, `ROutOfRange`, `SOutOfRange`, `SHigh`, `Equation`.
        ///
        /// ```
        /// use sigmill::Reason;
        ///
        /// let reason = Reason::KeySmallOrder;
        /// assert_eq!(reason.name(), "key_small_order");
        /// assert_eq!(reason.to_string(), "public key has small order");
        /// assert_ne!(reason.code(), 0); // a byte, where one is wanted
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Reason {
            $($(#[$doc])* $variant = $code,)*
        }

        impl Reason {
            /// Every reason, in the order of their codes.
            pub const ALL: &[Reason] = &[$(Reason::$variant),*];

            /// The name used in files and by every language, such as `key_small_order`.
            pub const fn name(self) -> &'static str {
                match self { $(Reason::$variant => $name,)* }
            }

            /// The text that is displayed, such as `public key has small order`.
            pub const fn text(self) -> &'static str {
                match self { $(Reason::$variant => $text,)* }
            }

            /// The number used where a byte is wanted: 1 and up.
            pub const fn code(self) -> u8 {
                self as u8
            }
        }

        impl fmt::Display for Reason {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}

reasons! {
    /// The public key does not have the length of the algorithm's keys.
    KeyLength = 1, "key_length", "public key has the wrong length";
    /// The signature does not have the length of the algorithm's signatures.
    SignatureLength = 2, "signature_length", "signature has the wrong length";
    /// The public key does not decode to a point.
    KeyNotAPoint = 3, "key_not_a_point", "public key is not a point on the curve";
    /// The rule wants the canonical encoding of the public key.
    KeyNotCanonical = 4, "key_not_canonical", "public key is not canonically encoded";
    /// The rule refuses public keys of order 1, 2, 4 or 8.
    KeySmallOrder = 5, "key_small_order", "public key has small order";
    /// R does not decode to a point.
    RNotAPoint = 6, "r_not_a_point", "R is not a point on the curve";
    /// The rule wants the canonical encoding of R.
    RNotCanonical = 7, "r_not_canonical", "R is not canonically encoded";
    /// The rule refuses R of order 1, 2, 4 or 8.
    RSmallOrder = 8, "r_small_order", "R has small order";
    /// S is above the rule's bound; ECDSA: s is 0 or not below the group's order.
    SOutOfRange = 9, "s_out_of_range", "S is out of range";
    /// The verification equation does not hold.
    Equation = 10, "equation", "verification equation does not hold";
    /// ECDSA: r is 0 or not below the group's order.
    ROutOfRange = 11, "r_out_of_range", "r is out of range";
    /// ECDSA: s is above half of the group's order, and the caller wants it low.
    SHigh = 12, "s_high", "s is above half of the order";
    /// ECDSA: the digest that the caller gave is empty.
    DigestEmpty = 13, "digest_empty", "digest is empty";
    /// ECDSA: a signature that was given as DER is not the strict DER of two integers of the curve's width.
    SignatureDer = 14, "signature_der", "signature is not strict DER of r and s";
    /// Ed25519ph: what the caller gave as the digest of the message does not have 64 bytes. Comes before all
    /// that is not a length.
    DigestLength = 15, "digest_length", "digest has the wrong length";
}

impl core::error::Error for Reason {}
