//! The rows that share a specification, and that of another rule.

use sigmill::bulk::Spec;
use sigmill::ecdsa::Scheme;
use sigmill::ed25519::{Rule, Variant};

/// The specification of rows, apart from contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Ed25519(Rule, &'static str),
    Ecdsa(Scheme),
    Other,
}

impl Kind {
    pub(crate) fn of(spec: &Spec<'_>) -> Self {
        match spec {
            Spec::Ed25519 { rule, variant: Variant::Pure, .. } => Kind::Ed25519(*rule, "pure"),
            Spec::Ed25519 { rule, variant: Variant::Ctx(_), .. } => Kind::Ed25519(*rule, "ctx"),
            Spec::Ed25519 { rule, variant: Variant::Ph(_), .. } => Kind::Ed25519(*rule, "ph"),
            Spec::Ed25519Prehashed { rule, .. } => Kind::Ed25519(*rule, "ph, of digests"),
            Spec::Ecdsa(scheme) => Kind::Ecdsa(*scheme),
            _ => Kind::Other,
        }
    }
}

/// The spec that differs by the rule alone, where there are rules.
pub(crate) fn under<'a>(spec: &Spec<'a>, rule: &Rule) -> Option<Spec<'a>> {
    match spec {
        Spec::Ed25519 { variant, .. } => Some(Spec::ed25519(rule, *variant)),
        Spec::Ed25519Prehashed { context, .. } => Some(Spec::ed25519_prehashed(rule, *context)),
        _ => None,
    }
}
