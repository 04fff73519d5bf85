//! Specs from columns of names, as files have them.

use super::specs::{Algorithm, Spec};
#[cfg(feature = "ecdsa")]
use crate::ecdsa::Scheme;
use crate::ed25519::{ContextString, Rule, Variant};
use crate::error::Error;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A variant without its context.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Pure,
    Ctx,
    Ph,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Ed25519(u8, Kind, Vec<u8>),
    #[cfg(feature = "ecdsa")]
    Ecdsa(Scheme),
}

/// The distinct specs of a table, collected from names row by row.
///
/// ```
/// use sigmill::bulk::{SpecError, SpecSet, Specs};
///
/// let mut set = SpecSet::new();
/// let index = ["common", "zip215", "common"].map(|rule| set.intern("ed25519", rule, "pure", b""));
/// let index = index.into_iter().collect::<Result<Vec<u32>, SpecError>>()?;
/// assert_eq!(index, [0, 1, 0]);
/// let distinct = set.specs();
/// let specs = Specs::PerRow { distinct: &distinct, index: &index };
/// # Ok::<(), SpecError>(())
/// ```
#[derive(Default)]
pub struct SpecSet {
    numbers: BTreeMap<Key, u32>,
    specs: Vec<(Key, Option<&'static Rule>)>,
}

/// Why names do not make a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecError {
    /// The name of the algorithm is not known.
    Algorithm(String),
    /// The algorithm does not have rules, variants or contexts; [`SpecSet::intern_ecdsa`] is for its rows.
    NotEd25519(Algorithm),
    /// The name of the rule is not known.
    Rule(String),
    /// The name of the variant is not known.
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
                write!(f, "unknown algorithm `{name}` (known:")?;
                Algorithm::ALL.iter().try_for_each(|known| write!(f, " {}", known.name()))?;
                f.write_str(")")
            }
            SpecError::NotEd25519(algorithm) => write!(
                f,
                "the algorithm `{}` does not have the rules and variants of `ed25519`",
                algorithm.name()
            ),
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
                f.write_str("the variant `pure` does not take a context; use `ctx` or `ph`")
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

    /// The number of the spec of Ed25519 with these names, for the index of
    /// [`Specs::PerRow`](super::Specs::PerRow).
    ///
    /// # Errors
    /// The first name that is not known, or a context that does not fit: [`SpecError::Context`] for one
    /// of more than 255 bytes.
    pub fn intern(
        &mut self,
        algorithm: &str,
        rule: &str,
        variant: &str,
        context: &[u8],
    ) -> Result<u32, SpecError> {
        match Algorithm::from_name(algorithm) {
            Some(Algorithm::Ed25519) => {}
            Some(other) => return Err(SpecError::NotEd25519(other)),
            None => return Err(SpecError::Algorithm(algorithm.to_owned())),
        }
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
        Ok(self.number(Key::Ed25519(rule.id(), kind, context.to_owned()), Some(rule)))
    }

    /// The number of the spec of this scheme of ECDSA.
    #[cfg(feature = "ecdsa")]
    pub fn intern_ecdsa(&mut self, scheme: &Scheme) -> u32 {
        self.number(Key::Ecdsa(*scheme), None)
    }

    fn number(&mut self, key: Key, rule: Option<&'static Rule>) -> u32 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.specs.len() as u32;
        self.specs.push((key.clone(), rule));
        self.numbers.insert(key, number);
        number
    }

    /// The specs, in the order of their numbers.
    pub fn specs(&self) -> Vec<Spec<'_>> {
        self.specs
            .iter()
            .filter_map(|(key, rule)| {
                let (kind, context) = match key {
                    #[cfg(feature = "ecdsa")]
                    Key::Ecdsa(scheme) => return Some(Spec::Ecdsa(*scheme)),
                    Key::Ed25519(_, kind, context) => (kind, context),
                };
                // `intern` has checked the length
                let context = ContextString::new(context).unwrap_or_default();
                let variant = match kind {
                    Kind::Pure => Variant::Pure,
                    Kind::Ctx => Variant::Ctx(context),
                    Kind::Ph => Variant::Ph(context),
                };
                rule.map(|rule| Spec::ed25519(rule, variant))
            })
            .collect()
    }
}

impl fmt::Debug for SpecSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.specs()).finish()
    }
}
