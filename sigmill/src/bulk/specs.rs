//! Specs of rows: algorithm, rule, variant, context.

use super::error::BulkError;
use crate::algorithms;
#[cfg(feature = "ecdsa")]
use crate::ecdsa::{Curve, Scheme};
use crate::ed25519::{ContextString, Rule, Variant};

/// The signature scheme of a row.
///
/// ```
/// use sigmill::bulk::Algorithm;
///
/// assert_eq!(Algorithm::from_name("p384"), Some(Algorithm::P384));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// Ed25519: keys of 32 bytes, signatures of 64.
    Ed25519,
    /// ECDSA on P-256: keys in SEC1 bytes, signatures of 64 bytes or DER.
    P256,
    /// ECDSA on P-384: keys in SEC1 bytes, signatures of 96 bytes or DER.
    P384,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Algorithm; 3] = [Algorithm::Ed25519, Algorithm::P256, Algorithm::P384];

    /// The name, such as `ed25519`.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Ed25519 => algorithms::ED25519.name,
            Algorithm::P256 => algorithms::P256.name,
            Algorithm::P384 => algorithms::P384.name,
        }
    }

    /// ECDSA on a curve.
    #[cfg(feature = "ecdsa")]
    pub const fn of_curve(curve: Curve) -> Self {
        match curve {
            Curve::P256 => Algorithm::P256,
            Curve::P384 => Algorithm::P384,
        }
    }

    /// The curve, if the algorithm is ECDSA.
    #[cfg(feature = "ecdsa")]
    pub const fn curve(self) -> Option<Curve> {
        match self {
            Algorithm::Ed25519 => None,
            Algorithm::P256 => Some(Curve::P256),
            Algorithm::P384 => Some(Curve::P384),
        }
    }

    /// The algorithm with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }
}

/// How to verify a row.
///
/// ```
/// use sigmill::bulk::{Algorithm, Spec};
/// use sigmill::ecdsa::Scheme;
/// use sigmill::ed25519::{Variant, rules};
///
/// assert_eq!(Spec::ed25519(&rules::ZIP215, Variant::Pure).algorithm(), Algorithm::Ed25519);
/// assert_eq!(Spec::Ecdsa(Scheme::P384).algorithm(), Algorithm::P384);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spec<'a> {
    /// Ed25519.
    #[non_exhaustive]
    Ed25519 {
        /// The verification rule.
        rule: Rule,
        /// The variant of the scheme, with its context.
        variant: Variant<'a>,
    },
    /// Ed25519ph with SHA-512 of each message, 64 bytes, in the place of the message.
    #[non_exhaustive]
    Ed25519Prehashed {
        /// The verification rule.
        rule: Rule,
        /// The context.
        context: ContextString<'a>,
    },
    /// ECDSA.
    #[cfg(feature = "ecdsa")]
    Ecdsa(Scheme),
}

impl<'a> Spec<'a> {
    /// Ed25519 under a rule.
    pub const fn ed25519(rule: &Rule, variant: Variant<'a>) -> Self {
        Spec::Ed25519 { rule: *rule, variant }
    }

    /// Ed25519ph under a rule, given digests: the verdicts are those of
    /// [`verify_prehashed_bytes`](crate::ed25519::verify_prehashed_bytes).
    pub const fn ed25519_prehashed(rule: &Rule, context: ContextString<'a>) -> Self {
        Spec::Ed25519Prehashed { rule: *rule, context }
    }

    /// The signature scheme.
    pub const fn algorithm(&self) -> Algorithm {
        match self {
            Spec::Ed25519 { .. } | Spec::Ed25519Prehashed { .. } => Algorithm::Ed25519,
            #[cfg(feature = "ecdsa")]
            Spec::Ecdsa(scheme) => Algorithm::of_curve(scheme.curve),
        }
    }
}

/// In [`Specs::PerRow`], the index of a row without a spec: its outcome is null.
pub const NULL_SPEC: u32 = u32::MAX;

/// One spec for all rows, or a dictionary of them.
///
/// ```
/// use sigmill::bulk::{NULL_SPEC, Spec, Specs};
/// use sigmill::ecdsa::Scheme;
/// use sigmill::ed25519::{Variant, rules};
///
/// let all = Specs::Same(Spec::ed25519(&rules::COMMON, Variant::Pure));
/// // two rows of ECDSA around one of Ed25519, and one that nobody can say anything about
/// let distinct = [Spec::Ecdsa(Scheme::P256), Spec::ed25519(&rules::COMMON, Variant::Pure)];
/// let mixed = Specs::PerRow { distinct: &distinct, index: &[0, 1, 0, NULL_SPEC] };
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Specs<'a> {
    /// The same for every row.
    Same(Spec<'a>),
    /// Row i is verified as `distinct[index[i]]`.
    PerRow {
        /// The specs that occur.
        distinct: &'a [Spec<'a>],
        /// The number of each row's spec, or [`NULL_SPEC`].
        index: &'a [u32],
    },
}

impl<'a> Specs<'a> {
    /// The specs of rows as a set has collected them: with an index row i has `distinct[index[i]]`; without one all rows
    /// have the only spec.
    ///
    /// ```
    /// use sigmill::bulk::{SpecSet, Specs};
    ///
    /// let mut set = SpecSet::new();
    /// let number = set.intern("ed25519", "zip215", "pure", b"")?;
    /// let distinct = set.specs();
    /// assert!(matches!(Specs::of_rows(&distinct, None), Specs::Same(_)));
    /// assert!(matches!(Specs::of_rows(&distinct, Some(&[number, number])), Specs::PerRow { .. }));
    /// # Ok::<(), sigmill::bulk::SpecError>(())
    /// ```
    pub fn of_rows(distinct: &'a [Spec<'a>], index: Option<&'a [u32]>) -> Self {
        match (index, distinct) {
            (None, [only]) => Specs::Same(*only),
            (index, _) => Specs::PerRow { distinct, index: index.unwrap_or_default() },
        }
    }

    pub(super) fn check(&self, rows: usize) -> Result<(), BulkError> {
        let Specs::PerRow { distinct, index } = self else { return Ok(()) };
        if index.len() != rows {
            let got = index.len();
            return Err(BulkError::Rows { what: "spec index", expected: rows, got });
        }
        let names_none = |i: &u32| *i != NULL_SPEC && *i as usize >= distinct.len();
        match index.iter().position(names_none) {
            Some(row) => Err(BulkError::Index { row }),
            None => Ok(()),
        }
    }

    /// Whether some rows may be ECDSA's.
    #[cfg(feature = "ecdsa")]
    pub(super) fn have_ecdsa(&self) -> bool {
        match self {
            Specs::Same(spec) => matches!(spec, Spec::Ecdsa(_)),
            Specs::PerRow { distinct, .. } => {
                distinct.iter().any(|spec| matches!(spec, Spec::Ecdsa(_)))
            }
        }
    }

    /// Whether all rows have the same spec.
    pub(super) fn are_same(&self) -> bool {
        matches!(self, Specs::Same(_))
    }

    /// The number of the spec of a row, by which rows are grouped.
    pub(super) fn group(&self, row: usize) -> u32 {
        match self {
            Specs::Same(_) => 0,
            Specs::PerRow { index, .. } => index.get(row).copied().unwrap_or(NULL_SPEC),
        }
    }

    /// The spec of a group.
    pub(super) fn spec(&self, group: u32) -> Option<Spec<'a>> {
        match self {
            Specs::Same(spec) => Some(*spec),
            Specs::PerRow { distinct, .. } => distinct.get(group as usize).copied(),
        }
    }
}
