//! Signatures built of honest, torsion-carrying and arbitrary parts: every way of verifying gives,
//! under every rule it can take, the verdict and reason of the slow reference.

#![no_main]

#[path = "../shared/judges.rs"]
mod judges;
#[path = "../shared/material.rs"]
mod material;
#[path = "../../sigmill/tests/reference/mod.rs"]
mod reference;

use arbitrary::Arbitrary;
use judges::{Case, Judged};
use libfuzzer_sys::fuzz_target;
use material::PointBytes;
use num_bigint::BigUint;

/// What S is.
#[derive(Arbitrary, Debug)]
enum Scalar {
    /// What the key and the nonce ask for, plus so many times ℓ.
    Right { orders: u8 },
    /// The same, wrong by this much.
    Off { by: u64 },
    /// Anything.
    Any([u8; 32]),
}

/// One signature, as the parts it is made of.
#[derive(Arbitrary, Debug)]
struct Parts {
    key: PointBytes,
    r: R,
    s: Scalar,
    message: Vec<u8>,
    /// Another message is given to the verifier.
    other_message: Option<Vec<u8>>,
}

/// What R is.
#[derive(Arbitrary, Debug)]
enum R {
    /// A nonce times B, plus torsion.
    Nonce { nonce: u8, torsion: u8 },
    /// Independent of the nonce.
    Point(PointBytes),
}

#[derive(Arbitrary, Debug)]
struct Input {
    variant: u8,
    context: Vec<u8>,
    first: Parts,
    second: Option<Parts>,
    /// Which of the two each row of a table is.
    rows: [bool; 8],
    row_count: u8,
    /// Where a message is cut into pieces.
    cut: u8,
    /// Lengths that are not 32 and 64.
    lengths: Option<(u8, u8)>,
}

impl Parts {
    fn case(&self, variant: reference::Variant, context: &[u8]) -> Case {
        let key = self.key.bytes();
        let (nonce, r) = match &self.r {
            R::Nonce { nonce, torsion } => {
                let point = material::nonce_point(*nonce).add(material::torsion(*torsion));
                (material::nonce(*nonce), point.encode())
            }
            R::Point(bytes) => (BigUint::ZERO, bytes.bytes()),
        };
        // the discrete logarithm of the key, where the parts say it
        let a = match self.key {
            PointBytes::Key { secret, .. } => material::secret(secret).0.clone(),
            _ => BigUint::ZERO,
        };
        let k = reference::challenge(variant, context, &r, &key, &self.message);
        let right = (nonce + k * a) % reference::order();
        let s = match &self.s {
            Scalar::Right { orders } => right + reference::order() * (orders % 16),
            Scalar::Off { by } => right + *by,
            Scalar::Any(bytes) => reference::integer(bytes),
        };
        Case {
            key,
            message: self.other_message.as_ref().unwrap_or(&self.message).clone(),
            signature: reference::signature(&r, &s),
        }
    }
}

fuzz_target!(|input: Input| {
    let variant = match input.variant % 3 {
        0 => reference::Variant::Pure,
        1 => reference::Variant::Ctx,
        _ => reference::Variant::Ph,
    };
    let context = match variant {
        reference::Variant::Pure => &[],
        _ => &input.context[..input.context.len().min(255)],
    };
    let cases: Vec<Judged> = [Some(&input.first), input.second.as_ref()]
        .into_iter()
        .flatten()
        .map(|parts| Judged::new(variant, context, parts.case(variant, context)))
        .collect();
    for case in &cases {
        case.one_by_one();
        case.in_pieces(usize::from(input.cut));
        if let Some((key, signature)) = input.lengths {
            case.with_lengths(usize::from(key), usize::from(signature));
        }
    }
    let count = 1 + usize::from(input.row_count % 8);
    let rows: Vec<&Judged> = input.rows[..count]
        .iter()
        .map(|second| &cases[usize::from(*second) % cases.len()])
        .collect();
    judges::batch(&rows);
    judges::table(&rows);
});
