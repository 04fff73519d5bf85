//! The operations by name. A new one is a line here, and an offer in each engine that has it.

use crate::patterns::{PATTERNS, Pattern};
use std::collections::BTreeSet;

/// The kind of answer for a row, and so what it is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The public key.
    PublicKey,
    /// The signature.
    Signature,
    /// A signature that may be another one each time, and must be valid.
    SomeSignature,
    /// The shared secret.
    SharedSecret,
    /// 1 for a valid signature; a damaged one must be refused.
    Valid,
    /// 1 for an encoding of a point; another encoding must be refused.
    Point,
}

/// How many rows an operation works on at once.
#[derive(Clone, Copy)]
pub(crate) enum Sizes {
    One,
    Batches(&'static [u32]),
}

/// How long messages are, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lengths {
    Fixed(usize),
    Between(usize, usize),
}

/// The keys behind the signatures of the rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Keys {
    /// Each row has a key of its own.
    Distinct,
    /// One key signed them all.
    One,
}

/// The scheme whose keys and signatures the rows hold; `inputs` makes them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    Ed25519,
    P256,
    P384,
    X25519,
}

impl Scheme {
    /// Bytes of a secret key.
    pub(crate) fn secret_width(self) -> usize {
        match self {
            Scheme::Ed25519 | Scheme::P256 | Scheme::X25519 => 32,
            Scheme::P384 => 48,
        }
    }

    /// Bytes of a public key.
    fn public_width(self) -> usize {
        match self {
            Scheme::Ed25519 | Scheme::X25519 => 32,
            Scheme::P256 | Scheme::P384 => 1 + 2 * self.secret_width(),
        }
    }

    /// Bytes of a signature or of a shared secret.
    fn signature_width(self) -> usize {
        match self {
            Scheme::X25519 => 32,
            Scheme::Ed25519 | Scheme::P256 | Scheme::P384 => 2 * self.secret_width(),
        }
    }
}

/// An operation.
pub(crate) struct Op {
    pub(crate) name: &'static str,
    /// The name by which engines offer it.
    pub(crate) offer: &'static str,
    pub(crate) scheme: Scheme,
    pub(crate) answer: Answer,
    pub(crate) sizes: Sizes,
    pub(crate) lengths: Lengths,
    pub(crate) keys: Keys,
    /// Threads that each engine may use; the program itself has one more where that is not one.
    pub(crate) threads: usize,
    /// The size at which the record keeps the distribution of the times, for plots.
    pub(crate) sampled: Option<usize>,
    /// The scalars of signatures, where they are chosen; each choice is measured by itself.
    pub(crate) patterns: &'static [Pattern],
    /// Whether each call comes after other work has had the caches.
    pub(crate) is_cold: bool,
    /// The sizes that the tables of the README and the plots show.
    readme: &'static [u32],
}

const BATCHES: &[u32] = &[4, 8, 16, 32, 64, 96, 128, 256, 1024, 4096, 16384];
const FEW_BATCHES: &[u32] = &[8, 64, 1024, 16384];
/// Some engines take a thousand times as long for ECDSA as the fastest for Ed25519.
const ECDSA_BATCHES: &[u32] = &[8, 64, 256, 1024];
const MIXED: Lengths = Lengths::Between(32, 128);

const fn single(name: &'static str, answer: Answer, length: usize) -> Op {
    Op {
        name,
        offer: name,
        scheme: Scheme::Ed25519,
        answer,
        sizes: Sizes::One,
        lengths: Lengths::Fixed(length),
        keys: Keys::Distinct,
        threads: 1,
        sampled: None,
        patterns: &[],
        is_cold: false,
        readme: &[],
    }
}

const fn batch(name: &'static str, keys: Keys) -> Op {
    Op { sizes: Sizes::Batches(BATCHES), lengths: MIXED, keys, ..single(name, Answer::Valid, 0) }
}

/// An operation in the sizes that the README or a plot shows.
const fn shown(readme: &'static [u32], op: Op) -> Op {
    Op { readme, ..op }
}

/// A single operation in the README.
const fn shown_alone(op: Op) -> Op {
    shown(&[1], op)
}

/// An operation after other work has had the caches, always in the README.
const fn cold(name: &'static str, op: Op) -> Op {
    Op { name, is_cold: true, sampled: None, ..shown_alone(op) }
}

/// The operations of ECDSA on one curve.
macro_rules! ecdsa {
    ($scheme:ident, $digest:literal, $name:literal) => {{
        const KEYGEN: Op = ecdsa(Scheme::$scheme, concat!($name, ".keygen"), Answer::PublicKey, 32);
        const SIGN: Op = ecdsa(Scheme::$scheme, concat!($name, ".sign"), Answer::SomeSignature, 32);
        const VERIFY: Op = ecdsa(Scheme::$scheme, concat!($name, ".verify"), Answer::Valid, 32);
        const RAW: Op = ecdsa(Scheme::$scheme, concat!($name, ".verify_raw"), Answer::Valid, 32);
        const SIGN_BULK: Op = Op { name: concat!($name, ".sign_bulk"), ..SIGN }.by_own_name();
        const VERIFY_BULK: Op = Op { name: concat!($name, ".verify_bulk"), ..RAW }.by_own_name();
        const PATTERNED: Op =
            ecdsa(Scheme::$scheme, concat!($name, ".verify_patterns"), Answer::Valid, $digest);
        [
            shown_alone(KEYGEN),
            shown_alone(SIGN),
            shown_alone(VERIFY),
            RAW,
            cold(concat!($name, ".sign_cold"), SIGN),
            cold(concat!($name, ".verify_cold"), VERIFY),
            shown(&[1024], in_sizes(ECDSA_BATCHES, SIGN_BULK)),
            shown(&[1024], in_sizes(ECDSA_BATCHES, VERIFY_BULK)),
            Op { patterns: PATTERNS, ..PATTERNED },
        ]
    }};
}

const fn ecdsa(scheme: Scheme, name: &'static str, answer: Answer, length: usize) -> Op {
    Op { scheme, ..single(name, answer, length) }
}

const fn x25519(name: &'static str, answer: Answer) -> Op {
    Op { scheme: Scheme::X25519, ..single(name, answer, 32) }
}

const fn sampled(n: usize, op: Op) -> Op {
    Op { sampled: Some(n), ..op }
}

const fn in_sizes(sizes: &'static [u32], op: Op) -> Op {
    Op { sizes: Sizes::Batches(sizes), ..op }
}

/// All operations.
pub(crate) fn all() -> impl Iterator<Item = &'static Op> {
    [ED25519, &P256, &P384, X25519].into_iter().flatten()
}

const KEYGEN: Op = single("ed25519.keygen", Answer::PublicKey, 32);
const SIGN32: Op = single("ed25519.sign32", Answer::Signature, 32);
const VERIFY_RAW: Op = single("ed25519.verify_raw", Answer::Valid, 32);
const X25519_SHARED: Op = x25519("x25519.shared", Answer::SharedSecret);

const ED25519: &[Op] = &[
    shown_alone(KEYGEN),
    shown_alone(sampled(1, SIGN32)),
    single("ed25519.sign1k", Answer::Signature, 1024),
    shown_alone(sampled(1, VERIFY_RAW)),
    shown_alone(single("ed25519.verify_parsed", Answer::Valid, 32)),
    single("ed25519.verify_strict_raw", Answer::Valid, 32),
    single("ed25519.decompress", Answer::Point, 32),
    cold("ed25519.keygen_cold", KEYGEN),
    cold("ed25519.sign32_cold", SIGN32),
    cold("ed25519.verify_raw_cold", VERIFY_RAW),
    shown(BATCHES, sampled(1024, batch("ed25519.batch_raw", Keys::Distinct))),
    batch("ed25519.batch_parsed", Keys::Distinct),
    in_sizes(FEW_BATCHES, batch("ed25519.batch_prepared", Keys::Distinct)),
    batch("ed25519.batch_onekey", Keys::One),
    shown(&[8, 1024], in_sizes(FEW_BATCHES, single("ed25519.sign_bulk", Answer::Signature, 32))),
    shown(&[8, 1024], in_sizes(FEW_BATCHES, single("ed25519.keygen_bulk", Answer::PublicKey, 32))),
    Op {
        threads: 2,
        sizes: Sizes::Batches(&[16384, 65536]),
        ..shown(&[16384, 65536], batch("ed25519.batch_raw_2threads", Keys::Distinct))
    },
];

const P256: [Op; 9] = ecdsa!(P256, 32, "p256");
const P384: [Op; 9] = ecdsa!(P384, 48, "p384");

const X25519: &[Op] = &[
    shown_alone(x25519("x25519.base", Answer::PublicKey)),
    shown_alone(X25519_SHARED),
    cold("x25519.shared_cold", X25519_SHARED),
    shown(&[1024], in_sizes(FEW_BATCHES, x25519("x25519.base_bulk", Answer::PublicKey))),
    shown(&[1024], in_sizes(FEW_BATCHES, x25519("x25519.shared_bulk", Answer::SharedSecret))),
];

/// The names of all operations.
pub(crate) fn names() -> Vec<&'static str> {
    all().map(|op| op.name).collect()
}

impl Op {
    /// The same under the name that it has been given last.
    const fn by_own_name(self) -> Op {
        Op { offer: self.name, ..self }
    }

    /// The sizes that the README or a plot shows.
    pub(crate) fn readme_sizes(&self) -> Vec<usize> {
        self.readme.iter().map(|&n| n as usize).collect()
    }

    /// The sizes to measure, when `asked` were asked for.
    pub(crate) fn sizes(&self, asked: &[u32]) -> Vec<usize> {
        let sizes = match self.sizes {
            Sizes::One => &[1][..],
            Sizes::Batches(_) if !asked.is_empty() => asked,
            Sizes::Batches(usual) => usual,
        };
        let sizes: BTreeSet<usize> = sizes.iter().map(|&n| n as usize).collect();
        sizes.into_iter().collect()
    }

    /// Whether the record keeps the distribution of the times in this size.
    pub(crate) fn is_sampled(&self, n: usize) -> bool {
        self.sampled == Some(n)
    }

    /// Bytes of one row's answer.
    pub(crate) fn answer_width(&self) -> usize {
        match (self.answer, self.scheme) {
            (Answer::Valid | Answer::Point, _) => 1,
            (Answer::PublicKey, scheme) => scheme.public_width(),
            (Answer::Signature | Answer::SomeSignature | Answer::SharedSecret, scheme) => {
                scheme.signature_width()
            }
        }
    }
}
