//! The options that say which Ed25519 is meant: variant and context, and the rule.

use crate::status::{Failure, Result};
use crate::text::Encoding;
use clap::ValueEnum;
use sigmill::ed25519::{ContextString, Rule, Variant};

/// The variant of Ed25519 (RFC 8032).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Ed25519
    Pure,
    /// Ed25519ctx
    Ctx,
    /// Ed25519ph
    Ph,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Pure => "pure",
            Kind::Ctx => "ctx",
            Kind::Ph => "ph",
        }
    }
}

/// Variant and context of single operations.
#[derive(clap::Args)]
pub(crate) struct VariantArgs {
    /// Ed25519: which variant
    #[arg(long, value_enum, default_value = "pure")]
    pub(crate) variant: Kind,
    /// Ed25519: the context, for ctx and ph
    #[arg(long, default_value = "")]
    context: String,
    /// How --context is written
    #[arg(long, value_enum, default_value = "raw")]
    context_encoding: Encoding,
}

impl VariantArgs {
    /// The first of these options that says something.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given =
            [(self.variant != Kind::Pure, "--variant"), (!self.context.is_empty(), "--context")];
        given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
    }

    /// The bytes of the context.
    pub(crate) fn context(&self) -> Result<Vec<u8>> {
        let decoded = self.context_encoding.decode(self.context.as_bytes());
        decoded.map_err(|what| Failure::new(format!("--context: {what}")))
    }

    /// The variant, around the bytes of the context.
    pub(crate) fn around<'a>(&self, context: &'a [u8]) -> Result<Variant<'a>> {
        let checked =
            ContextString::new(context).map_err(|error| Failure::new(error.to_string()))?;
        match self.variant {
            Kind::Pure if !context.is_empty() => {
                Err(Failure::new("--context needs --variant ctx or ph"))
            }
            Kind::Pure => Ok(Variant::Pure),
            Kind::Ctx => Ok(Variant::Ctx(checked)),
            Kind::Ph => Ok(Variant::Ph(checked)),
        }
    }
}

/// Reads the name of a rule; the message lists all names.
pub(crate) fn parse_rule(name: &str) -> std::result::Result<Rule, String> {
    Rule::from_name(name).copied().ok_or_else(|| {
        let known = sigmill::ed25519::rules::ALL.map(|rule| rule.name());
        format!("unknown rule; known are {}", known.join(", "))
    })
}
