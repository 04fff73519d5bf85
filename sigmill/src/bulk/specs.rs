//! What a row is verified as: algorithm, rule, variant, context.
//!
//! Reach: `ed25519` rules and variants.

use super::BulkError;
use crate::ed25519::{Rule, Variant};

/// The signature scheme of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// Ed25519: keys of 32 bytes, signatures of 64.
    Ed25519,
}

impl Algorithm {
    /// The name, such as `ed25519`.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Ed25519 => "ed25519",
        }
    }

    /// The algorithm with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        (name == Algorithm::Ed25519.name()).then_some(Algorithm::Ed25519)
    }
}

/// How to verify a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec<'a> {
    /// The signature scheme.
    pub algorithm: Algorithm,
    /// The verification rule.
    pub rule: Rule,
    /// The variant of the scheme, with its context.
    pub variant: Variant<'a>,
}

impl<'a> Spec<'a> {
    /// Ed25519 under a rule.
    pub const fn ed25519(rule: &Rule, variant: Variant<'a>) -> Self {
        Spec { algorithm: Algorithm::Ed25519, rule: *rule, variant }
    }
}

/// In [`Specs::PerRow`], the index of a row that has no spec: its outcome is null.
pub const NULL_SPEC: u32 = u32::MAX;

/// One spec for all rows, or a dictionary of them.
#[derive(Clone, Copy, Debug)]
pub enum Specs<'a> {
    /// The same for every row.
    Same(Spec<'a>),
    /// Row i is verified as `distinct[index[i]]`.
    PerRow {
        /// The specs that occur.
        distinct: &'a [Spec<'a>],
        /// Which of them each row has, or [`NULL_SPEC`].
        index: &'a [u32],
    },
}

impl<'a> Specs<'a> {
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

#[cfg(feature = "alloc")]
pub use set::{SpecError, SpecSet};

#[cfg(feature = "alloc")]
mod set {
    //! Specs from columns of names, as files have them.

    use super::{Algorithm, Spec};
    use crate::ed25519::{ContextString, Rule, Variant};
    use crate::error::Error;
    use alloc::borrow::ToOwned;
    use alloc::collections::BTreeMap;
    use alloc::string::String;
    use alloc::vec::Vec;
    use core::fmt;

    /// Which of the three variants, apart from its context.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Kind {
        Pure,
        Ctx,
        Ph,
    }

    type Key = (Algorithm, u8, Kind, Vec<u8>);

    /// The distinct specs of a table, collected from names row by row.
    #[derive(Default)]
    pub struct SpecSet {
        numbers: BTreeMap<Key, u32>,
        specs: Vec<(Key, &'static Rule)>,
    }

    /// Why names do not make a spec.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum SpecError {
        /// No algorithm has this name.
        Algorithm(String),
        /// No rule has this name.
        Rule(String),
        /// No variant has this name.
        Variant(String),
        /// The variant `pure` was given with a context that is not empty.
        ContextOfPure,
        /// The context is too long.
        Context(Error),
    }

    impl fmt::Display for SpecError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                SpecError::Algorithm(name) => {
                    write!(f, "unknown algorithm `{name}` (known: ed25519)")
                }
                SpecError::Rule(name) => {
                    write!(f, "unknown rule `{name}` (known:")?;
                    for rule in crate::ed25519::rules::ALL {
                        write!(f, " {rule}")?;
                    }
                    f.write_str(")")
                }
                SpecError::Variant(name) => {
                    write!(f, "unknown variant `{name}` (known: pure ctx ph)")
                }
                SpecError::ContextOfPure => {
                    f.write_str("the variant `pure` has no context; use `ctx` or `ph`")
                }
                SpecError::Context(error) => error.fmt(f),
            }
        }
    }

    impl core::error::Error for SpecError {}

    impl SpecSet {
        /// An empty set.
        pub fn new() -> Self {
            Self::default()
        }

        /// The number of the spec with these names, for the index of [`super::Specs::PerRow`].
        ///
        /// # Errors
        /// The first name that nothing has, or a context that does not fit.
        pub fn intern(
            &mut self,
            algorithm: &str,
            rule: &str,
            variant: &str,
            context: &[u8],
        ) -> Result<u32, SpecError> {
            let algorithm = Algorithm::from_name(algorithm)
                .ok_or_else(|| SpecError::Algorithm(algorithm.to_owned()))?;
            let rule = Rule::from_name(rule).ok_or_else(|| SpecError::Rule(rule.to_owned()))?;
            let kind = match variant {
                "pure" => Kind::Pure,
                "ctx" => Kind::Ctx,
                "ph" => Kind::Ph,
                _ => return Err(SpecError::Variant(variant.to_owned())),
            };
            if kind == Kind::Pure && !context.is_empty() {
                return Err(SpecError::ContextOfPure);
            }
            ContextString::new(context).map_err(SpecError::Context)?;
            let key = (algorithm, rule.id(), kind, context.to_owned());
            if let Some(number) = self.numbers.get(&key) {
                return Ok(*number);
            }
            let number = self.specs.len() as u32;
            self.specs.push((key.clone(), rule));
            self.numbers.insert(key, number);
            Ok(number)
        }

        /// The specs, in the order of their numbers.
        pub fn specs(&self) -> Vec<Spec<'_>> {
            self.specs
                .iter()
                .map(|((algorithm, _, kind, context), rule)| {
                    // `intern` has checked the length
                    let context = ContextString::new(context).unwrap_or_default();
                    let variant = match kind {
                        Kind::Pure => Variant::Pure,
                        Kind::Ctx => Variant::Ctx(context),
                        Kind::Ph => Variant::Ph(context),
                    };
                    Spec { algorithm: *algorithm, rule: **rule, variant }
                })
                .collect()
        }
    }

    impl fmt::Debug for SpecSet {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_list().entries(self.specs()).finish()
        }
    }
}
