//! The options that say which algorithm is meant: Ed25519, or ECDSA on a curve with its hash function
//! and the form of its signatures.

use crate::form::Form;
use crate::status::{Failure, Result};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use sha2::{Digest, Sha256, Sha384, Sha512};
use sigmill::Verdict;
use sigmill::bulk::Algorithm;
use sigmill::ecdsa::{self, Curve, LowS, Prehash};
use std::borrow::Cow;
use std::fmt::{self, Display};

/// A signature scheme: one that the library verifies by the column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alg(Algorithm);

impl Default for Alg {
    fn default() -> Self {
        Alg::ED25519
    }
}

impl ValueEnum for Alg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Alg; Algorithm::ALL.len()] = {
            let mut all = [Alg::ED25519; Algorithm::ALL.len()];
            let mut i = 0;
            while i < all.len() {
                all[i] = Alg(Algorithm::ALL[i]);
                i += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.curve() {
            None => "Ed25519 (RFC 8032)".to_owned(),
            Some(curve) => format!("ECDSA on {} (FIPS 186-5)", curve.name()),
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl Alg {
    pub(crate) const ED25519: Alg = Alg(Algorithm::Ed25519);

    /// An algorithm of the library.
    pub(crate) const fn of(algorithm: Algorithm) -> Self {
        Alg(algorithm)
    }

    /// ECDSA on a curve.
    pub(crate) const fn of_curve(curve: Curve) -> Self {
        Alg(Algorithm::of_curve(curve))
    }

    /// The library's name for it.
    pub(crate) const fn of_library(self) -> Algorithm {
        self.0
    }

    /// The name, in options and in columns.
    pub(crate) const fn name(self) -> &'static str {
        self.0.name()
    }

    /// Reads a name; the message lists all names.
    pub(crate) fn from_name(name: &str) -> std::result::Result<Alg, String> {
        let known = Alg::value_variants();
        known.iter().find(|alg| alg.name() == name).copied().ok_or_else(|| {
            let known: Vec<&str> = known.iter().map(|alg| alg.name()).collect();
            format!("unknown algorithm `{name}` (known: {})", known.join(" "))
        })
    }

    /// The curve, if the scheme is ECDSA.
    pub(crate) const fn curve(self) -> Option<Curve> {
        self.0.curve()
    }

    /// Refuses options of the other schemes: the first of either kind that was given, and what says
    /// that this scheme is meant.
    pub(crate) fn refuse_others(
        self,
        said_by: &str,
        ed25519: Option<&str>,
        ecdsa: Option<&str>,
    ) -> Result<()> {
        let (foreign, of) = match self.curve() {
            None => (ecdsa, "ECDSA"),
            Some(_) => (ed25519, "Ed25519"),
        };
        match foreign {
            None => Ok(()),
            Some(option) => Err(Failure::new(format!(
                "{option} is an option of {of}, but {said_by} {}",
                self.name()
            ))),
        }
    }
}

impl Display for Alg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The purpose of a key: a signature scheme, or agreement, which signs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyAlg {
    Signs(Alg),
    X25519,
}

impl Default for KeyAlg {
    fn default() -> Self {
        KeyAlg::Signs(Alg::default())
    }
}

impl ValueEnum for KeyAlg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [KeyAlg; Algorithm::ALL.len() + 1] = {
            let mut all = [KeyAlg::X25519; Algorithm::ALL.len() + 1];
            let mut i = 0;
            while i < Algorithm::ALL.len() {
                all[i] = KeyAlg::Signs(Alg(Algorithm::ALL[i]));
                i += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            KeyAlg::Signs(alg) => alg.to_possible_value(),
            KeyAlg::X25519 => {
                Some(PossibleValue::new("x25519").help("X25519 (RFC 7748), which signs nothing"))
            }
        }
    }
}

impl KeyAlg {
    /// The curve, if it is ECDSA.
    pub(crate) const fn curve(self) -> Option<Curve> {
        match self {
            KeyAlg::Signs(alg) => alg.curve(),
            KeyAlg::X25519 => None,
        }
    }
}

impl Display for KeyAlg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyAlg::Signs(alg) => alg.fmt(f),
            KeyAlg::X25519 => f.write_str("x25519"),
        }
    }
}

/// The hash function that makes the digest of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Hash {
    /// SHA-256
    Sha256,
    /// SHA-384
    Sha384,
    /// SHA-512
    Sha512,
    /// Nothing: the message is a digest already
    None,
}

impl Hash {
    /// That of a curve's own size.
    fn own(curve: Curve) -> Self {
        let is_own = |hash: &&Hash| hash.of_library() == curve.own_hash();
        Hash::value_variants().iter().find(is_own).copied().unwrap_or(Hash::None)
    }

    /// The library's name for it.
    const fn of_library(self) -> Prehash {
        match self {
            Hash::Sha256 => Prehash::Sha256,
            Hash::Sha384 => Prehash::Sha384,
            Hash::Sha512 => Prehash::Sha512,
            Hash::None => Prehash::None,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Hash::Sha256 => "sha256",
            Hash::Sha384 => "sha384",
            Hash::Sha512 => "sha512",
            Hash::None => "none",
        }
    }

    /// The name of its digests, and the bytes of one; `None`: any.
    pub(crate) const fn digest_size(self) -> Option<(&'static str, usize)> {
        match self {
            Hash::Sha256 => Some(("SHA-256 digest", 32)),
            Hash::Sha384 => Some(("SHA-384 digest", 48)),
            Hash::Sha512 => Some(("SHA-512 digest", 64)),
            Hash::None => None,
        }
    }

    /// The digest of a message.
    pub(crate) fn digest(self, message: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Hash::Sha256 => Cow::Owned(Sha256::digest(message).to_vec()),
            Hash::Sha384 => Cow::Owned(Sha384::digest(message).to_vec()),
            Hash::Sha512 => Cow::Owned(Sha512::digest(message).to_vec()),
            Hash::None => Cow::Borrowed(message),
        }
    }
}

/// How a signature holds r and s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SigFormat {
    /// r and s one after the other, big-endian, of the curve's width (IEEE P1363)
    #[default]
    Raw,
    /// A SEQUENCE of two INTEGERs in strict DER (RFC 3279), as OpenSSL has it
    Der,
}

impl SigFormat {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            SigFormat::Raw => "raw",
            SigFormat::Der => "der",
        }
    }
}

/// The options of a key in a file.
#[derive(clap::Args)]
pub(crate) struct KeyArgs {
    /// How the key is written, if it should not be found out
    #[arg(long, value_enum)]
    pub(crate) key_format: Option<Form>,
    /// The algorithm, which must be that of a container; raw, hex and base64 name none [default: that of
    /// the container, else ed25519]
    #[arg(long, value_enum)]
    pub(crate) alg: Option<Alg>,
    #[command(flatten)]
    pub(crate) ecdsa: EcdsaArgs,
}

/// The options of ECDSA.
#[derive(clap::Args, Default)]
pub(crate) struct EcdsaArgs {
    /// ECDSA: what hashes the message; `none`: it is a digest already [default: sha256 for p256, sha384
    /// for p384]
    #[arg(long, value_enum)]
    hash: Option<Hash>,
    /// ECDSA: how a signature holds r and s. It is never guessed [default: raw]
    #[arg(long, value_enum)]
    sig_format: Option<SigFormat>,
    /// ECDSA: only an s of at most half of the order. `sign` makes it so; the others refuse a higher
    /// one, which they accept without this option
    #[arg(long)]
    low_s: bool,
}

impl EcdsaArgs {
    /// The first of these options that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.hash.is_some(), "--hash"),
            (self.sig_format.is_some(), "--sig-format"),
            (self.low_s, "--low-s"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
    }

    /// The scheme that the options state for a curve.
    pub(crate) fn scheme(&self, curve: Curve) -> Scheme {
        Scheme {
            curve,
            hash: self.hash.unwrap_or_else(|| Hash::own(curve)),
            format: self.sig_format.unwrap_or_default(),
            low_s: if self.low_s { LowS::Required } else { LowS::Any },
        }
    }
}

/// How ECDSA signatures are made and verified.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scheme {
    pub(crate) curve: Curve,
    pub(crate) hash: Hash,
    pub(crate) format: SigFormat,
    pub(crate) low_s: LowS,
}

impl Scheme {
    /// The scheme of an envelope.
    pub(crate) fn of(scheme: &ecdsa::Scheme) -> Self {
        let format = match scheme.encoding {
            ecdsa::Encoding::Der => SigFormat::Der,
            _ => SigFormat::Raw,
        };
        Scheme { curve: scheme.curve, hash: Hash::own(scheme.curve), format, low_s: scheme.low_s }
    }

    /// The library's name for it.
    pub(crate) const fn of_library(&self) -> ecdsa::Scheme {
        ecdsa::Scheme {
            curve: self.curve,
            prehash: self.hash.of_library(),
            encoding: match self.format {
                SigFormat::Raw => ecdsa::Encoding::Fixed,
                SigFormat::Der => ecdsa::Encoding::Der,
            },
            low_s: self.low_s,
        }
    }

    /// The verdict over any bytes: a SEC1 key, a digest, and a signature of the format.
    pub(crate) fn verify(&self, key: &[u8], digest: &[u8], signature: &[u8]) -> Verdict {
        let digested = ecdsa::Scheme { prehash: Prehash::None, ..self.of_library() };
        digested.verify(key, digest, signature)
    }
}

impl Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Scheme { curve, hash, format, low_s } = self;
        write!(
            f,
            "{} with hash {}, {} signatures",
            Alg::of_curve(*curve),
            hash.name(),
            format.name()
        )?;
        match low_s {
            LowS::Any => Ok(()),
            LowS::Required => f.write_str(", low s only"),
        }
    }
}
