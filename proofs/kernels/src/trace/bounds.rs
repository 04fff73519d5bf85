//! Bounds of polynomials by back substitution: for each quotient, the latest first, the side of its definition that its sign asks for.
//!
//! Each step adds a multiple of a fact, so that a bound found is a line `linear` of the certificate; nothing here has to be trusted.

use std::collections::HashSet;

use super::elimination::{Best, Search, cancelled};
use super::{Trace, Word};
use crate::error::Result;
use crate::facts::Fact;
use crate::number::{self, Int};
use crate::poly::{Monomial, Poly, Var};

impl Trace {
    /// Follows carries to the sums that take them up: each is cancelled by a bound of what the sum leaves.
    fn follow(&mut self, mut search: Search, cases_first: bool) -> Result<Option<Search>> {
        let mut moved = false;
        let mut above = None::<Var>;
        loop {
            let later = |v: &Var| above.is_none_or(|a| *v > a);
            let Some(v) = search.rest.variables().into_iter().find(later) else { break };
            above = Some(v);
            if !self.ranges[v as usize].hi.is_one() {
                continue;
            }
            let takes = |d: &super::Definition| !d.e.p.coefficient(&[v]).is_zero();
            let next = self.definitions.iter().filter(|(_, d)| takes(d)).map(|(w, _)| *w).min();
            let mut facts: Vec<Fact> = next.iter().fold(Vec::new(), |mut facts, w| {
                let pair = self.definitions[w].pair;
                facts.extend([pair.low, pair.high]);
                facts
            });
            let at = if cases_first { 0 } else { facts.len() };
            facts.splice(at..at, self.sharpened.iter().rev().copied());
            for f in facts {
                let f = self.current(f)?;
                let poly = self.facts.poly(f).clone();
                let b = poly.coefficient(&[v]);
                if self.facts.is_equation(f) || b.is_zero() {
                    continue;
                }
                if let Some(n) = cancelled(&search, f, &poly, &[v], &b) {
                    search = n;
                    moved = true;
                    break;
                }
            }
        }
        Ok(moved.then_some(search))
    }

    /// Facts that cases made sharper, the latest first, times the place of each output in a sum, the highest first.
    fn weighted(&self) -> Vec<(Fact, usize)> {
        let facts = || self.sharpened.iter().rev();
        self.weights.iter().rev().flat_map(|w| facts().map(|f| (*f, *w))).collect()
    }

    /// Says in which places the words of a sum stand that is to be bounded next.
    pub fn set_weights(&mut self, weights: Vec<usize>) {
        self.weights = weights;
    }

    /// A bound of p from above, and the fact `bound - p >= 0`. The search ends early where it reaches `enough`.
    pub fn upper(&mut self, p: &Poly, enough: Option<&Int>, effort: Effort) -> Result<(Int, Fact)> {
        let best = self.search(p, enough, effort)?;
        let bound = best.bound.clone();
        Ok((bound, self.found(p, best)?))
    }

    /// The same word, with better bounds where a search finds some; it ends early where it reaches `lo` and `hi`.
    pub fn narrowed(&mut self, w: &Word, lo: &Int, hi: &Int) -> Result<Word> {
        let own = self.bounds_of(w)?;
        let mut out =
            Word { p: w.p.clone(), lo: w.lo.clone(), hi: w.hi.clone(), bounds: None, parts: None };
        let (mut low, mut high) = (own.low, own.high);
        if w.lo < *lo {
            let (least, fact) = self.lower(&w.p, Some(lo), Effort::Quick)?;
            if least > w.lo {
                (out.lo, low) = (least, fact);
            }
        }
        if w.hi > *hi {
            let (most, fact) = self.upper(&w.p, Some(hi), Effort::Quick)?;
            if most < w.hi {
                (out.hi, high) = (most, fact);
            }
        }
        out.bounds = super::pair_of(low, high);
        Ok(out)
    }

    /// The search for a bound of p from above.
    fn search(&mut self, p: &Poly, enough: Option<&Int>, effort: Effort) -> Result<Best> {
        let start = Search { n: Int::ONE, rest: p.clone(), terms: Vec::new() };
        let mut best = Best::new(self.end(&start), start.clone(), enough);
        if !best.reached() {
            self.eliminate(start.clone(), &mut best)?;
        }
        if effort == Effort::Thorough {
            self.upper_by_cases(&start, &mut best)?;
        }
        Ok(best)
    }

    /// The fact `bound - p >= 0` that a search found.
    fn found(&mut self, p: &Poly, best: Best) -> Result<Fact> {
        let Search { mut n, rest, mut terms } = best.search;
        terms.extend(self.interval_terms(&rest)?);
        let factor = terms.iter().fold(n.clone(), |g, (c, _)| number::gcd(&g, c));
        n = number::floor_div(&n, &factor);
        for (c, _) in &mut terms {
            *c = number::floor_div(c, &factor);
        }
        self.derive(&n, Poly::constant(best.bound).sub(p), &terms)
    }

    /// Searches that start with a fact that a case made sharper.
    fn upper_by_cases(&mut self, start: &Search, best: &mut Best) -> Result<()> {
        for cases_first in [false, true] {
            if !best.reached()
                && !self.sharpened.is_empty()
                && let Some(next) = self.follow(start.clone(), cases_first)?
            {
                self.eliminate(next, best)?;
            }
        }
        for (f, shift) in self.weighted() {
            if best.reached() {
                break;
            }
            let f = self.current(f)?;
            if !self.facts.is_equation(f) && !self.facts.poly(f).variables().is_empty() {
                let poly = self.facts.poly(f).clone();
                let mut next = start.clone();
                next.add(&Int::ONE, number::power_of_two(shift), f, &poly);
                self.eliminate(next, best)?;
            }
        }
        let tries = if self.weights.is_empty() { 8 } else { 0 };
        let sharpened = self.sharpened.clone();
        for f in sharpened.into_iter().rev() {
            if best.reached() {
                break;
            }
            let f = self.current(f)?;
            if self.facts.is_equation(f) {
                continue;
            }
            let poly = self.facts.poly(f).clone();
            let shared =
                |(m, _): &&(Monomial, Int)| m.len() == 1 && !start.rest.coefficient(m).is_zero();
            for (m, b) in poly.terms().iter().rev().filter(shared).take(tries) {
                if let Some(next) = cancelled(start, f, &poly, m, b) {
                    self.eliminate(next, best)?;
                }
            }
        }
        Ok(())
    }

    /// A bound of p from below, and the fact `p - bound >= 0`.
    pub fn lower(&mut self, p: &Poly, enough: Option<&Int>, effort: Effort) -> Result<(Int, Fact)> {
        let enough = enough.map(|n| -n.clone());
        let (bound, fact) = self.upper(&p.scale(&Int::NEG_ONE), enough.as_ref(), effort)?;
        Ok((-bound, fact))
    }

    /// A fact that cannot be: `-n >= 0`, found among those that cases made sharper.
    pub fn contradiction(&mut self, effort: Effort) -> Result<Option<Fact>> {
        let mut seen = HashSet::new();
        for f in self.sharpened.clone().into_iter().rev() {
            let f = self.current(f)?;
            if self.facts.is_equation(f) {
                continue;
            }
            let poly = self.facts.poly(f).clone();
            if poly.as_constant().is_some_and(|n| !number::is_negative(&n)) || !seen.insert(f) {
                continue;
            }
            let best = self.search(&poly, Some(&Int::NEG_ONE), effort)?;
            if number::is_negative(&best.bound) {
                let most = best.bound.clone();
                let fact = self.found(&poly, best)?;
                let sum = [(Int::ONE, Some(f)), (Int::ONE, Some(fact))];
                return Ok(Some(self.derive(&Int::ONE, Poly::constant(most), &sum)?));
            }
        }
        Ok(None)
    }

    /// Variables of which a fact that a case made sharper leaves one value: those that it alone bounds.
    pub fn forced(&mut self) -> Result<Vec<Var>> {
        let mut out = Vec::new();
        for f in self.sharpened.clone() {
            let f = self.current(f)?;
            let poly = self.facts.poly(f).clone();
            if let [v] = poly.variables().into_iter().collect::<Vec<_>>()[..]
                && self.interval(&poly).1.is_zero()
                && self.ranges[v as usize].hi.is_one()
            {
                out.push(v);
            }
        }
        Ok(out)
    }

    /// The equation p = n, if bounds leave no other value; a contradiction, if they leave none.
    pub fn determined(&mut self, p: &Poly, effort: Effort) -> Result<Determined> {
        let minus = p.scale(&Int::NEG_ONE);
        let mut above = self.search(p, None, Effort::Quick)?;
        let mut below = self.search(&minus, None, Effort::Quick)?;
        let open = |above: &Best, below: &Best| -below.bound.clone() < above.bound;
        if open(&above, &below) && effort == Effort::Thorough {
            above = self.search(p, Some(&-below.bound.clone()), effort)?;
            if open(&above, &below) {
                below = self.search(&minus, Some(&-above.bound.clone()), effort)?;
            }
        }
        if open(&above, &below) {
            return Ok(Determined::Open);
        }
        let (hi, lo) = (above.bound.clone(), -below.bound.clone());
        let (above, below) = (self.found(p, above)?, self.found(&minus, below)?);
        if lo > hi {
            let sum = [(Int::ONE, Some(above)), (Int::ONE, Some(below))];
            let f = self.derive(&Int::ONE, Poly::constant(hi - lo), &sum)?;
            return Ok(Determined::Impossible(f));
        }
        Ok(Determined::Equation(self.facts.equal(below, above)?))
    }
}

/// The searches that a bound is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// One elimination.
    Quick,
    /// Eliminations from each fact that a case made sharper.
    Thorough,
}

/// The sign or value that bounds give a polynomial.
pub enum Determined {
    /// It has one value.
    Equation(Fact),
    /// It has no value.
    Impossible(Fact),
    /// It may have several values.
    Open,
}
