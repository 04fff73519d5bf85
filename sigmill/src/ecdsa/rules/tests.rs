//! The decision about ECDSA, over every combination of facts, against a reading sentence by sentence.

use super::{Facts, KeyFault, LowS, SignatureFault, decide, of_bytes, refusal_without_equation};
use crate::error::{Reason, Verdict};

fn facts(bits: u32) -> Facts {
    let bit = |n: u32| bits >> n & 1 == 1;
    Facts {
        digest_empty: bit(0),
        r_in_range: bit(1),
        s_in_range: bit(2),
        s_low: bit(3),
        equation: bit(4),
    }
}

fn interpret(low_s: LowS, f: &Facts) -> Verdict {
    Verdict::Invalid(if f.digest_empty {
        Reason::DigestEmpty
    } else if !f.r_in_range {
        Reason::ROutOfRange
    } else if !f.s_in_range {
        Reason::SOutOfRange
    } else if low_s == LowS::Required && !f.s_low {
        Reason::SHigh
    } else if !f.equation {
        Reason::Equation
    } else {
        return Verdict::Valid;
    })
}

#[test]
fn the_decision_is_the_specification_for_every_combination_of_facts() {
    for low_s in [LowS::Any, LowS::Required] {
        for bits in 0..1 << 5 {
            let facts = facts(bits);
            let expected = interpret(low_s, &facts);
            assert_eq!(decide(low_s, &facts), expected, "{low_s:?} {bits:05b}");
            // what is known before the equation is what is said after it
            let early = refusal_without_equation(low_s, &facts);
            let hangs_on_it = [Verdict::Valid, Verdict::Invalid(Reason::Equation)];
            let without = (!hangs_on_it.contains(&expected)).then_some(expected);
            assert_eq!(early, without, "{low_s:?} {bits:05b}");
        }
    }
}

#[test]
fn lengths_come_before_encodings_and_the_key_before_the_signature() {
    let keys = [
        (Ok(1), None),
        (Err(KeyFault::Length), Some(Reason::KeyLength)),
        (Err(KeyFault::NotAPoint), Some(Reason::KeyNotAPoint)),
    ];
    let signatures = [
        (Ok(2), None),
        (Err(SignatureFault::Length), Some(Reason::SignatureLength)),
        (Err(SignatureFault::Der), Some(Reason::SignatureDer)),
    ];
    for (key, of_key) in keys {
        for (signature, of_signature) in signatures {
            // as docs/rules.md has them
            let order = [
                Reason::KeyLength,
                Reason::SignatureLength,
                Reason::KeyNotAPoint,
                Reason::SignatureDer,
            ];
            let applies = |reason: &Reason| [of_key, of_signature].contains(&Some(*reason));
            let first = order.into_iter().find(applies);
            let expected = first.map_or(Ok((1, 2)), |reason| Err(Verdict::Invalid(reason)));
            assert_eq!(of_bytes(key, signature), expected);
        }
    }
}
