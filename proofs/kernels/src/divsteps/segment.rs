//! One piece of a loop: its certificate, from inputs and promises to outputs and goals.

use super::values::{Value, Values};
use crate::certificate;
use crate::claim::{Goal, Places};
use crate::error::Result;
use crate::facts::{Fact, Pair};
use crate::number::Int;
use crate::poly::Poly;

/// The outputs of a piece, goals about them, and their proofs.
#[derive(Default)]
pub struct End {
    outs: Vec<Poly>,
    goals: Vec<(Goal, Proof)>,
}

enum Proof {
    Zero(Poly, Vec<(Poly, Fact)>),
    Within(Poly, Pair),
}

impl End {
    /// Adds an output.
    pub fn out(&mut self, p: &Poly) -> usize {
        self.outs.push(p.clone());
        self.outs.len() - 1
    }

    fn total(&self, places: &Places) -> Poly {
        places.iter().fold(Poly::default(), |sum, (i, s)| {
            sum.add_scaled(&self.outs[*i], &crate::number::power_of_two(*s))
        })
    }

    /// factor * sum = target modulo a number, or exactly; equations times polynomials take the difference to zero.
    pub fn zero(
        &mut self,
        name: &str,
        (modulus, factor): (Int, Int),
        target: Poly,
        places: Places,
        multiples: Vec<(Poly, Fact)>,
    ) {
        let p = self.total(&places).scale(&factor).sub(&target);
        let goal = Goal::Zero { name: name.into(), modulus, factor, target, places };
        self.goals.push((goal, Proof::Zero(p, multiples)));
    }

    /// lo <= out <= hi.
    pub fn limb(&mut self, name: &str, output: usize, (lo, hi): (Int, Int), pair: Pair) {
        let goal = Goal::Limb { name: name.into(), output, lo, hi };
        self.goals.push((goal, Proof::Within(self.outs[output].clone(), pair)));
    }

    /// lo <= sum <= hi.
    pub fn whole(&mut self, name: &str, places: Places, (lo, hi): (Int, Int), pair: Pair) {
        let p = self.total(&places);
        let goal = Goal::Whole { name: name.into(), lo, hi, places };
        self.goals.push((goal, Proof::Within(p, pair)));
    }

    /// The text of the segment.
    pub fn text(self, name: &str, values: &mut Values) -> Result<String> {
        let facts = &mut values.facts;
        facts.set_note(String::new());
        for (i, p) in self.outs.iter().enumerate() {
            facts.line(&format!("out {i:x} {p}"));
        }
        for (goal, proof) in &self.goals {
            match (goal, proof) {
                (Goal::Zero { name, modulus, .. }, Proof::Zero(p, multiples)) => {
                    facts.zero(name, modulus, p, multiples)?;
                }
                (Goal::Limb { name, lo, hi, .. }, Proof::Within(p, pair)) => {
                    facts.within(&format!("limb {name}"), p, lo, hi, *pair)?;
                }
                (Goal::Whole { name, lo, hi, .. }, Proof::Within(p, pair)) => {
                    facts.within(&format!("whole {name}"), p, lo, hi, *pair)?;
                }
                _ => {}
            }
        }
        let all = facts.take_text();
        let stated = |l: &&str| l.starts_with("input ") || l.starts_with("assume ");
        let (head, derived): (Vec<&str>, Vec<&str>) = all.lines().partition(stated);
        let mut text = format!("segment {name} entry exit\n");
        let goals: Vec<String> = self.goals.iter().map(|(g, _)| g.line()).collect();
        for line in head.into_iter().chain(goals.iter().map(String::as_str)) {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(&certificate::needed(derived)?);
        text.push_str("end segment\n");
        Ok(text)
    }
}

/// Facts that a value lies between these, weaker than its own.
pub fn within(values: &mut Values, v: &Value, lo: &Int, hi: &Int) -> Result<Pair> {
    let own = values.pair(v)?;
    let low = values.derive(&Int::ONE, v.p.plus(&-lo.clone()), &[(Int::ONE, own.low)])?;
    let above = Poly::constant(hi.clone()).sub(&v.p);
    let high = values.derive(&Int::ONE, above, &[(Int::ONE, own.high)])?;
    Ok(Pair { low, high })
}
