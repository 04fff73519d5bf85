//! The operations by name. A new one is a line here, and an offer in each engine that has it.

use crate::patterns::{PATTERNS, Pattern};
use std::collections::BTreeSet;

/// What an engine answers for a row, and so what its answer is compared with.
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

/// Whose signatures the rows hold.
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
}

const BATCHES: Sizes = Sizes::Batches(&[4, 8, 16, 32, 64, 96, 128, 256, 1024, 4096, 16384]);
const FEW_BATCHES: &[u32] = &[8, 64, 1024, 16384];
/// Some engines take a thousand times as long for ECDSA as the fastest for Ed25519.
const ECDSA_BATCHES: &[u32] = &[8, 64, 256, 1024];
const MIXED: Lengths = Lengths::Between(32, 128);

const fn single(name: &'static str, answer: Answer, length: usize) -> Op {
    let lengths = Lengths::Fixed(length);
    let (scheme, keys) = (Scheme::Ed25519, Keys::Distinct);
    let sizes = Sizes::One;
    let patterns = &[];
    Op { name, scheme, answer, sizes, lengths, keys, threads: 1, sampled: None, patterns }
}

const fn batch(name: &'static str, keys: Keys) -> Op {
    let (scheme, answer, sizes) = (Scheme::Ed25519, Answer::Valid, BATCHES);
    let patterns = &[];
    let lengths = MIXED;
    Op { name, scheme, answer, sizes, lengths, keys, threads: 1, sampled: None, patterns }
}

const fn of(scheme: Scheme, op: Op) -> Op {
    Op { scheme, ..op }
}

/// The operations of ECDSA on one curve.
macro_rules! ecdsa {
    ($scheme:ident, $digest:literal, $name:literal) => {
        [
            of(Scheme::$scheme, single(concat!($name, ".keygen"), Answer::PublicKey, 32)),
            of(Scheme::$scheme, single(concat!($name, ".sign"), Answer::SomeSignature, 32)),
            of(Scheme::$scheme, single(concat!($name, ".verify"), Answer::Valid, 32)),
            of(Scheme::$scheme, single(concat!($name, ".verify_raw"), Answer::Valid, 32)),
            in_sizes(
                ECDSA_BATCHES,
                of(
                    Scheme::$scheme,
                    single(concat!($name, ".sign_bulk"), Answer::SomeSignature, 32),
                ),
            ),
            in_sizes(
                ECDSA_BATCHES,
                of(Scheme::$scheme, single(concat!($name, ".verify_bulk"), Answer::Valid, 32)),
            ),
            Op {
                patterns: PATTERNS,
                ..of(
                    Scheme::$scheme,
                    single(concat!($name, ".verify_patterns"), Answer::Valid, $digest),
                )
            },
        ]
    };
}

const fn x25519(name: &'static str, answer: Answer) -> Op {
    of(Scheme::X25519, single(name, answer, 32))
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

const ED25519: &[Op] = &[
    single("ed25519.keygen", Answer::PublicKey, 32),
    sampled(1, single("ed25519.sign32", Answer::Signature, 32)),
    single("ed25519.sign1k", Answer::Signature, 1024),
    sampled(1, single("ed25519.verify_raw", Answer::Valid, 32)),
    single("ed25519.verify_parsed", Answer::Valid, 32),
    single("ed25519.verify_strict_raw", Answer::Valid, 32),
    single("ed25519.decompress", Answer::Point, 32),
    sampled(1024, batch("ed25519.batch_raw", Keys::Distinct)),
    batch("ed25519.batch_parsed", Keys::Distinct),
    in_sizes(FEW_BATCHES, batch("ed25519.batch_prepared", Keys::Distinct)),
    batch("ed25519.batch_onekey", Keys::One),
    in_sizes(FEW_BATCHES, single("ed25519.sign_bulk", Answer::Signature, 32)),
    in_sizes(FEW_BATCHES, single("ed25519.keygen_bulk", Answer::PublicKey, 32)),
    Op {
        threads: 2,
        sizes: Sizes::Batches(&[16384, 65536]),
        ..batch("ed25519.batch_raw_2threads", Keys::Distinct)
    },
];

const P256: [Op; 7] = ecdsa!(P256, 32, "p256");
const P384: [Op; 7] = ecdsa!(P384, 48, "p384");

const X25519: &[Op] = &[
    x25519("x25519.base", Answer::PublicKey),
    x25519("x25519.shared", Answer::SharedSecret),
    in_sizes(FEW_BATCHES, x25519("x25519.base_bulk", Answer::PublicKey)),
    in_sizes(FEW_BATCHES, x25519("x25519.shared_bulk", Answer::SharedSecret)),
];

/// The names of all operations.
pub(crate) fn names() -> Vec<&'static str> {
    all().map(|op| op.name).collect()
}

impl Op {
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
