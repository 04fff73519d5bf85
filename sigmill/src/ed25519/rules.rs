//! Which signatures are accepted: a [`Rule`] is data, [`decide`] applies it to facts, and every way of verifying makes its
//! verdicts of what it says. The [specification](https://github.com/sigmill/sigmill/blob/main/docs/rules.md) says the same in
//! words, and which other programs behave so.
//!
//! ```
//! use sigmill::ed25519::{rules};
//!
//! for rule in rules::ALL {
//!     println!("{}: {rule}, {:?}", rule.id(), rule.equation());
//! }
//! assert_eq!(rules::COMMON.equation(), rules::Equation::Exact);
//! ```

// THE DECISION: verdicts are made here and nowhere else: for one signature (`verdict`), for lanes (`verdicts`) and for the
// rows of a combination (`States`). What has a wrong length is refused here as well (`of_lengths`). No arithmetic happens
// here and no policy anywhere else. `sigmill/tests/house/layers.rs` forbids every other module to name a verdict or a reason.

use crate::error::{Reason, Verdict};
use core::fmt;
use core::ops::{BitAnd, BitOr, Not, Range};

/// The requirement on S.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScalarBound {
    /// S < ℓ (RFC 8032 section 5.1.7).
    BelowOrder,
    /// S < 2^253: only the three highest bits are looked at, and signatures are malleable.
    TopThreeBitsClear,
}

/// The encodings of a point that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// Every encoding that decodes.
    Any,
    /// Only y < p, and x = 0 only with sign bit 0.
    Canonical,
}

/// Whether points of order 1, 2, 4 and 8 are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// Points of every order.
    Any,
    /// No point of small order.
    RejectSmall,
}

/// The equation that must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Equation {
    /// The encoding of [S]B − [k]A is R, byte for byte.
    Exact,
    /// [8]([S]B − [k]A − R) is the identity.
    Cofactored,
}

/// A verification rule: what a signature must satisfy to be valid. The eight constants of this
/// module are all there are; a rule never changes its verdicts once released.
///
/// ```
/// use sigmill::ed25519::{Rule, rules};
///
/// assert_eq!(Rule::from_name("zip215"), Some(&rules::ZIP215));
/// assert_eq!(rules::STRICT.to_string(), "strict");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    id: u8,
    s_bound: ScalarBound,
    a_encoding: Encoding,
    r_encoding: Encoding,
    a_order: Order,
    r_order: Order,
    equation: Equation,
}

// plain data: a table of rules needs no relocation
const _: () = assert!(align_of::<Rule>() == 1, "no pointer is in a rule");

impl Rule {
    /// A rule that cannot hold does not compile.
    const fn checked(self) -> Rule {
        assert!(
            !matches!((self.equation, self.r_encoding), (Equation::Exact, Encoding::Any)),
            "comparing bytes never accepts an R that is not canonical"
        );
        self
    }

    /// The name, such as `zip215`: what logs, files and every language call it.
    pub const fn name(&self) -> &'static str {
        name(self.id)
    }

    /// The number, for interfaces that pass a byte: 1 to 8, in the order of [`ALL`].
    pub const fn id(&self) -> u8 {
        self.id
    }

    /// The rule with this name.
    pub fn from_name(name: &str) -> Option<&'static Rule> {
        ALL.into_iter().find(|rule| rule.name() == name)
    }

    /// The rule with this number.
    pub fn from_id(id: u8) -> Option<&'static Rule> {
        ALL.into_iter().find(|rule| rule.id == id)
    }

    /// The bound of S.
    pub const fn s_bound(&self) -> ScalarBound {
        self.s_bound
    }

    /// The encodings of the public key that are accepted.
    pub const fn a_encoding(&self) -> Encoding {
        self.a_encoding
    }

    /// The encodings of R that are accepted.
    pub const fn r_encoding(&self) -> Encoding {
        self.r_encoding
    }

    /// The orders of the public key that are accepted.
    pub const fn a_order(&self) -> Order {
        self.a_order
    }

    /// The orders of R that are accepted.
    pub const fn r_order(&self) -> Order {
        self.r_order
    }

    /// The equation that must hold.
    pub const fn equation(&self) -> Equation {
        self.equation
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({})", self.name())
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $constant:ident = $id:literal, $name:literal:
        $s:ident, A $a:ident, R $r:ident, A $a_order:ident, R $r_order:ident, $equation:ident;)*) => {
        $($(#[$doc])*
        pub const $constant: Rule = Rule {
            id: $id,
            s_bound: ScalarBound::$s,
            a_encoding: Encoding::$a,
            r_encoding: Encoding::$r,
            a_order: Order::$a_order,
            r_order: Order::$r_order,
            equation: Equation::$equation,
        }.checked();)*

        /// The name of a number.
        const fn name(id: u8) -> &'static str {
            match id {
                $($id => $name,)*
                // no rule has another number
                _ => "",
            }
        }

        /// The eight rules, in the order of their numbers.
        pub const ALL: [&Rule; 8] = [$(&$constant),*];
    };
}

rules! {
    /// S < ℓ; A any encoding; R canonical; exact. What most deployed libraries do: ed25519-dalek
    /// `verify`, ring, BoringSSL, OpenSSL, Go, Node.
    COMMON = 1, "common": BelowOrder, A Any, R Canonical, A Any, R Any, Exact;
    /// RFC 8032 section 5.1.7 read without the cofactor: S < ℓ; A and R canonical; exact.
    /// aws-lc-rs, graviola, circl, JDK.
    RFC8032_EXACT = 2, "rfc8032_exact": BelowOrder, A Canonical, R Canonical, A Any, R Any, Exact;
    /// RFC 8032 section 5.1.7 as written, and FIPS 186-5: S < ℓ; A and R canonical; cofactored.
    RFC8032 = 3, "rfc8032": BelowOrder, A Canonical, R Canonical, A Any, R Any, Cofactored;
    /// ZIP 215: S < ℓ; A and R any encoding; cofactored. ed25519-zebra, ed25519-consensus.
    ZIP215 = 4, "zip215": BelowOrder, A Any, R Any, A Any, R Any, Cofactored;
    /// S < ℓ; R canonical; neither A nor R of small order; exact. ed25519-dalek `verify_strict`,
    /// libsodium.
    STRICT = 5, "strict": BelowOrder, A Any, R Canonical, A RejectSmall, R RejectSmall, Exact;
    /// S < ℓ; A and R canonical; A not of small order; cofactored. Algorithm 2 of "Taming the many
    /// EdDSAs"; curve25519-voi's default.
    NO_SMALL_KEY = 6, "no_small_key":
        BelowOrder, A Canonical, R Canonical, A RejectSmall, R Any, Cofactored;
    /// S < ℓ; R canonical; neither A nor R of small order; cofactored. oasisprotocol/ed25519's
    /// default, ed25519-compact.
    NO_SMALL = 7, "no_small": BelowOrder, A Any, R Canonical, A RejectSmall, R RejectSmall, Cofactored;
    /// S < 2^253 only, so signatures are malleable; R canonical; exact. ed25519-donna,
    /// ed25519-dalek with `legacy_compatibility`. For old data, not for new protocols.
    LEGACY = 8, "legacy": TopThreeBitsClear, A Any, R Canonical, A Any, R Any, Exact;
}

/// The facts about one signature (`M` = `bool`) or one per lane (a mask), as arithmetic found them.
///
/// Facts about a point mean nothing where it does not decode; [`decide`] never lets them matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts<M> {
    /// The public key decodes to a point A.
    pub a_decodes: M,
    /// Its encoding is the canonical one.
    pub a_canonical: M,
    /// [8]A is the identity.
    pub a_small: M,
    /// The first half of the signature decodes to a point R.
    pub r_decodes: M,
    /// Its encoding is the canonical one.
    pub r_canonical: M,
    /// [8]R is the identity.
    pub r_small: M,
    /// S < ℓ.
    pub s_below_order: M,
    /// S < 2^253.
    pub s_top_bits_clear: M,
    /// The encoding of [S]B − [k]A is R.
    pub exact: M,
    /// [8]([S]B − [k]A − R) is the identity.
    pub cofactored: M,
}

/// The facts about one point, the public key or R.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PointFacts<M> {
    /// There is a point with this encoding. If not, the others mean nothing.
    pub(crate) decodes: M,
    /// The encoding is the canonical one.
    pub(crate) canonical: M,
    /// 8 times the point is the identity; not set where the rule does not ask.
    pub(crate) small: M,
}

impl<M> Facts<M> {
    /// Those about both points, S below ℓ and below 2^253, and the equation.
    pub(crate) fn of(
        a: PointFacts<M>,
        r: PointFacts<M>,
        [s_below_order, s_top_bits_clear]: [M; 2],
        exact: M,
        cofactored: M,
    ) -> Self {
        Facts {
            a_decodes: a.decodes,
            a_canonical: a.canonical,
            a_small: a.small,
            r_decodes: r.decodes,
            r_canonical: r.canonical,
            r_small: r.small,
            s_below_order,
            s_top_bits_clear,
            exact,
            cofactored,
        }
    }
}

impl Facts<bool> {
    /// Facts that no rule objects to: for a caller who asks about some of them only.
    pub(crate) const FAULTLESS: Facts<bool> = Facts {
        a_decodes: true,
        a_canonical: true,
        a_small: false,
        r_decodes: true,
        r_canonical: true,
        r_small: false,
        s_below_order: true,
        s_top_bits_clear: true,
        exact: true,
        cofactored: true,
    };
}

/// A key and a signature, each given where it has its length, or the verdict of every rule where one
/// has not: this comes before all that [`decide`] looks at.
#[inline]
pub(crate) fn of_lengths<K, S>(key: Option<K>, signature: Option<S>) -> Result<(K, S), Verdict> {
    match (key, signature) {
        (None, _) => Err(Verdict::Invalid(Reason::KeyLength)),
        (_, None) => Err(Verdict::Invalid(Reason::SignatureLength)),
        (Some(key), Some(signature)) => Ok((key, signature)),
    }
}

/// The digest in the place of a message, given where it has the length of SHA-512's, or the verdict of every
/// rule where it has not: this comes after the lengths of key and signature.
#[inline]
pub(crate) fn of_digest_length<D>(digest: Option<D>) -> Result<D, Verdict> {
    digest.ok_or(Verdict::Invalid(Reason::DigestLength))
}

/// Whether a row's equation is why it is refused: no combination with it in it holds. Nothing that is decided depends on this.
#[cfg(feature = "bulk")]
pub(crate) fn is_wrong_equation(verdict: Verdict) -> bool {
    verdict == Verdict::Invalid(Reason::Equation)
}

/// The lanes to which each reason to refuse applies, in the order in which reasons are reported.
pub type Refusals<M> = [(Reason, M); 8];

/// Every MUST of the rule, applied to the facts. A signature is valid where no reason applies.
pub fn decide<M>(rule: &Rule, facts: &Facts<M>) -> Refusals<M>
where
    M: Copy + BitAnd<Output = M> + BitOr<Output = M> + Not<Output = M>,
{
    let f = facts;
    let never = f.exact & !f.exact;
    let canonical = |encoding, is_canonical: M| match encoding {
        Encoding::Any => never,
        Encoding::Canonical => !is_canonical,
    };
    let small = |order, is_small| match order {
        Order::Any => never,
        Order::RejectSmall => is_small,
    };
    let s_in_range = match rule.s_bound {
        ScalarBound::BelowOrder => f.s_below_order,
        ScalarBound::TopThreeBitsClear => f.s_top_bits_clear,
    };
    let holds = match rule.equation {
        Equation::Exact => f.exact,
        Equation::Cofactored => f.cofactored,
    };
    [
        (Reason::KeyNotAPoint, !f.a_decodes),
        (Reason::KeyNotCanonical, canonical(rule.a_encoding, f.a_canonical)),
        (Reason::KeySmallOrder, small(rule.a_order, f.a_small)),
        (Reason::RNotAPoint, !f.r_decodes),
        (Reason::RNotCanonical, canonical(rule.r_encoding, f.r_canonical)),
        (Reason::RSmallOrder, small(rule.r_order, f.r_small)),
        (Reason::SOutOfRange, !s_in_range),
        (Reason::Equation, !holds),
    ]
}

/// The verdict on one signature: the first reason that applies, if any does.
pub fn verdict(refusals: &Refusals<bool>) -> Verdict {
    match refusals.iter().find(|(_, applies)| *applies) {
        Some((reason, _)) => Verdict::Invalid(*reason),
        None => Verdict::Valid,
    }
}

/// The verdict where no point has the key's bytes as its encoding.
pub(crate) fn without_key(rule: &Rule) -> Verdict {
    verdict(&decide(rule, &Facts { a_decodes: false, ..Facts::FAULTLESS }))
}

/// The verdict on each lane, where bit i of `bits` of a mask is lane i.
#[inline(always)]
pub(crate) fn verdicts<M: Copy>(
    refusals: &Refusals<M>,
    bits: impl Fn(M) -> u32,
    verdicts: &mut [Option<Verdict>],
) {
    let valid = refusals.iter().fold(!0, |valid, (_, applies)| valid & !bits(*applies));
    for (lane, verdict) in verdicts.iter_mut().enumerate() {
        let is = |mask: u32| mask >> lane & 1 == 1;
        *verdict = if is(valid) {
            Some(Verdict::Valid)
        } else {
            refusals
                .iter()
                .find(|(_, applies)| is(bits(*applies)))
                .map(|(reason, _)| Verdict::Invalid(*reason))
        };
    }
}

/// What has been decided about many rows, one byte a row: nothing yet, valid, or the code of the reason
/// against it. The caller finds out whether equations hold; a row that has been refused stays so.
pub(crate) struct States<'m>(&'m mut [u8]);

const OPEN: u8 = 0;
const VALID: u8 = 255;
const _: () = {
    let mut rest = Reason::ALL;
    while let [reason, others @ ..] = rest {
        assert!(reason.code() != OPEN && reason.code() != VALID);
        rest = others;
    }
};

impl<'m> States<'m> {
    /// States in this memory, a byte for each row: they mean nothing until the row is opened.
    pub(crate) fn new(memory: &'m mut [u8]) -> Self {
        States(memory)
    }

    /// Opens these rows, lane by lane as in [`verdicts`], but for those that are refused by facts in
    /// which every equation holds.
    #[inline(always)]
    pub(crate) fn open<M: Copy>(
        &mut self,
        rows: Range<usize>,
        refusals: &Refusals<M>,
        bits: impl Fn(M) -> u32,
    ) {
        let states = &mut self.0[rows];
        states.fill(OPEN);
        for (reason, applies) in refusals.iter().rev() {
            let applies = bits(*applies);
            if applies != 0 {
                for (lane, state) in states.iter_mut().enumerate() {
                    if applies >> lane & 1 == 1 {
                        *state = reason.code();
                    }
                }
            }
        }
    }

    /// The open ones of these rows.
    #[inline(always)]
    pub(crate) fn are_open(&self, rows: Range<usize>) -> impl Iterator<Item = bool> {
        self.0[rows].iter().map(|state| *state == OPEN)
    }

    /// Whether this row is open.
    #[inline(always)]
    pub(crate) fn is_open(&self, row: usize) -> bool {
        self.0[row] == OPEN
    }

    /// The equations of all these rows hold: those that are open are valid.
    pub(crate) fn equations_hold(&mut self, rows: Range<usize>) {
        for state in &mut self.0[rows] {
            if *state == OPEN {
                *state = VALID;
            }
        }
    }

    /// The equation of this row does not hold: it is refused if it is open.
    #[inline(always)]
    pub(crate) fn equation_fails(&mut self, row: usize) {
        if self.0[row] == OPEN {
            self.0[row] = Reason::Equation.code();
        }
    }

    /// The verdict on a row, if it is not open.
    pub(crate) fn verdict(&self, row: usize) -> Option<Verdict> {
        match self.0[row] {
            OPEN => None,
            VALID => Some(Verdict::Valid),
            code => Reason::ALL
                .iter()
                .find(|reason| reason.code() == code)
                .map(|reason| Verdict::Invalid(*reason)),
        }
    }
}

#[cfg(test)]
mod tests;
