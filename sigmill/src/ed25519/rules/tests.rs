//! The decision, over every combination of facts, against a reading of the rules sentence by
//! sentence.

#[path = "../../../tests/reference/facts.rs"]
mod facts;

use super::{
    ALL, Facts, States, decide, of_digest_length, of_lengths, verdict, verdicts as lane_verdicts,
    without_key,
};
use crate::error::{Reason, Verdict};

/// `docs/rules.md`, row by row, as plain questions. Knows nothing of `Rule`'s fields.
fn interpret(rule: &str, f: &Facts<bool>) -> Verdict {
    let a_must_be_canonical = matches!(rule, "rfc8032_exact" | "rfc8032" | "no_small_key");
    let r_must_be_canonical = rule != "zip215";
    let small_a_is_refused = matches!(rule, "strict" | "no_small_key" | "no_small");
    let small_r_is_refused = matches!(rule, "strict" | "no_small");
    let cofactored = matches!(rule, "rfc8032" | "zip215" | "no_small_key" | "no_small");
    let s_in_range = if rule == "legacy" { f.s_top_bits_clear } else { f.s_below_order };
    let refused = if !f.a_decodes {
        Reason::KeyNotAPoint
    } else if a_must_be_canonical && !f.a_canonical {
        Reason::KeyNotCanonical
    } else if small_a_is_refused && f.a_small {
        Reason::KeySmallOrder
    } else if !f.r_decodes {
        Reason::RNotAPoint
    } else if r_must_be_canonical && !f.r_canonical {
        Reason::RNotCanonical
    } else if small_r_is_refused && f.r_small {
        Reason::RSmallOrder
    } else if !s_in_range {
        Reason::SOutOfRange
    } else if !(if cofactored { f.cofactored } else { f.exact }) {
        Reason::Equation
    } else {
        return Verdict::Valid;
    };
    Verdict::Invalid(refused)
}

fn facts(bits: u32) -> Facts<bool> {
    facts::facts(|n| bits >> n & 1 == 1)
}

#[test]
fn the_decision_is_the_specification_for_every_combination_of_facts() {
    for rule in ALL {
        for bits in 0..1 << 10 {
            let facts = facts(bits);
            let got = verdict(&decide(rule, &facts));
            assert_eq!(got, interpret(rule.name(), &facts), "{rule} {facts:?}");
        }
    }
}

/// Facts of many lanes: `lane` has a bit for each, by a fact of it.
fn of_lanes<M>(lane: impl Fn(fn(&Facts<bool>) -> bool) -> M) -> Facts<M> {
    Facts {
        a_decodes: lane(|f| f.a_decodes),
        a_canonical: lane(|f| f.a_canonical),
        a_small: lane(|f| f.a_small),
        r_decodes: lane(|f| f.r_decodes),
        r_canonical: lane(|f| f.r_canonical),
        r_small: lane(|f| f.r_small),
        s_below_order: lane(|f| f.s_below_order),
        s_top_bits_clear: lane(|f| f.s_top_bits_clear),
        exact: lane(|f| f.exact),
        cofactored: lane(|f| f.cofactored),
    }
}

#[test]
fn lanes_decide_as_single_facts_do() {
    // 64 combinations of facts in the bits of one word
    for rule in ALL {
        for block in 0..16 {
            let lane = |pick: fn(&Facts<bool>) -> bool| {
                (0..64).fold(0_u64, |word, i| word | u64::from(pick(&facts(block * 64 + i))) << i)
            };
            let lanes = of_lanes(lane);
            let refused = decide(rule, &lanes).iter().fold(0, |acc, (_, mask)| acc | mask);
            for i in 0..64 {
                let single = verdict(&decide(rule, &facts(block * 64 + i)));
                assert_eq!(refused >> i & 1 == 0, single.is_valid(), "{rule}");
            }
            // 8 lanes at a time, with bits above them that mean nothing
            for first in (0..64).step_by(8) {
                let single = |i: usize| facts(block * 64 + first + i as u32);
                let bits = |mask: u64| (mask >> first) as u32;
                let mut found = [None; 8];
                lane_verdicts(&decide(rule, &lanes), bits, &mut found);
                for (i, found) in found.into_iter().enumerate() {
                    assert_eq!(found, Some(verdict(&decide(rule, &single(i)))), "{rule} {i}");
                }
            }
        }
    }
}

#[test]
fn states_say_what_single_facts_do() {
    // a combination knows everything but the equation first; rows around the lanes stay as they are
    for rule in ALL {
        for block in (0..1 << 10).step_by(8) {
            let lane = |pick: fn(&Facts<bool>) -> bool| {
                (0..8).fold(0_u32, |word, i| word | u32::from(pick(&facts(block + i))) << i)
            };
            let lanes = Facts { exact: !0, cofactored: !0, ..of_lanes(lane) };
            // open around the lanes, and whatever was there before in them
            let mut memory = [7; 10];
            (memory[0], memory[9]) = (0, 0);
            let mut states = States::new(&mut memory);
            assert!(
                states.are_open(1..9).all(|open| !open) && states.is_open(0) && states.is_open(9)
            );
            states.open(1..9, &decide(rule, &lanes), |mask| mask);
            let expected = |i: usize, equation: bool| {
                let (exact, cofactored) = (equation, equation);
                let facts = Facts { exact, cofactored, ..facts(block + i as u32) };
                verdict(&decide(rule, &facts))
            };
            for i in 0..8 {
                let refused = expected(i, true);
                let refused = (!refused.is_valid()).then_some(refused);
                assert_eq!(states.verdict(1 + i), refused, "{rule} {block} {i}");
                assert_eq!(states.is_open(1 + i), refused.is_none());
            }
            // what is said about equations reaches open rows only, and the first word stands
            (1..5).for_each(|row| states.equation_fails(row));
            states.equations_hold(1..9);
            (1..9).for_each(|row| states.equation_fails(row));
            for i in 0..8 {
                assert_eq!(states.verdict(1 + i), Some(expected(i, i >= 4)), "{rule} {block} {i}");
            }
            assert!(states.is_open(0) && states.is_open(9) && states.verdict(9).is_none());
        }
    }
}

#[test]
fn lengths_come_first_and_a_key_without_a_point_is_refused_by_every_rule() {
    let refused = |reason| Err(Verdict::Invalid(reason));
    assert_eq!(of_lengths(Some(1), Some(2)), Ok((1, 2)));
    assert_eq!(of_lengths(None::<u8>, Some(2)), refused(Reason::KeyLength));
    assert_eq!(of_lengths(Some(1), None::<u8>), refused(Reason::SignatureLength));
    assert_eq!(of_lengths(None::<u8>, None::<u8>), refused(Reason::KeyLength));
    assert_eq!(of_digest_length(Some(3)), Ok(3));
    assert_eq!(of_digest_length(None::<u8>), Err(Verdict::Invalid(Reason::DigestLength)));
    for rule in ALL {
        assert_eq!(without_key(rule), Verdict::Invalid(Reason::KeyNotAPoint));
        assert_eq!(verdict(&decide(rule, &Facts::FAULTLESS)), Verdict::Valid);
    }
}

#[test]
fn names_and_numbers_find_their_rule() {
    for (i, rule) in ALL.into_iter().enumerate() {
        assert_eq!(usize::from(rule.id()), i + 1);
        assert_eq!(super::Rule::from_id(rule.id()), Some(rule));
        assert_eq!(super::Rule::from_name(rule.name()), Some(rule));
    }
    assert_eq!(super::Rule::from_name("Common"), None);
    assert_eq!(super::Rule::from_id(0), None);
    assert_eq!(super::Rule::from_id(9), None);
}
