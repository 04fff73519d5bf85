//! Bounds of polynomials by back substitution: for each quotient, the latest first, the side of its definition that its sign asks for.
//!
//! Each step adds a multiple of a fact, so that a bound found is a line `linear` of the certificate; nothing here has to be trusted.

use std::collections::HashSet;

use super::Trace;
use crate::error::Result;
use crate::facts::Fact;
use crate::number::{self, Int};
use crate::poly::{Monomial, Poly, Var};

/// n * P <= rest, as the terms say.
#[derive(Clone)]
struct Search {
    n: Int,
    rest: Poly,
    terms: Vec<(Int, Option<Fact>)>,
}

impl Search {
    /// Adds t * F after a multiplication by s.
    fn add(&mut self, s: &Int, t: Int, f: Fact, poly: &Poly) {
        self.n *= s;
        self.rest = self.rest.scale(s).add_scaled(poly, &t);
        for (c, _) in &mut self.terms {
            *c *= s;
        }
        self.terms.push((t, Some(f)));
    }
}

/// The best search so far, and the bound that it ends in.
struct Best {
    bound: Int,
    search: Search,
}

impl Trace {
    fn consider(&self, best: &mut Best, search: &Search) {
        let bound = number::floor_div(&self.interval(&search.rest).1, &search.n);
        if bound < best.bound {
            *best = Best { bound, search: search.clone() };
        }
    }

    /// Eliminates quotients by their definitions, the latest first.
    fn eliminate(&mut self, mut search: Search, best: &mut Best) -> Result<()> {
        self.consider(best, &search);
        let mut below = Var::MAX;
        loop {
            let variables = search.rest.variables();
            let Some(&v) = variables.range(..below).next_back() else { break };
            below = v;
            let Some(d) = self.definitions.get(&v) else { continue };
            let held = |m: &[Var]| m.len() > 1 && m.contains(&v);
            if search.rest.terms().iter().any(|(m, _)| held(m)) {
                continue;
            }
            let (unit, pair) = (number::power_of_two(d.k), d.pair);
            let c = search.rest.coefficient(&[v]);
            let f = if number::is_negative(&c) { pair.high } else { pair.low };
            let f = self.current(f)?;
            let g = number::gcd(&c, &unit);
            let t = number::magnitude(&c) / &g;
            let poly = self.facts.poly(f).clone();
            search.add(&(unit / g), t, f, &poly);
            self.consider(best, &search);
        }
        let mut facts = Vec::new();
        for f in self.relations.clone() {
            facts.push(self.current(f)?);
        }
        let mut improved = true;
        while improved {
            improved = false;
            for &f in &facts {
                let poly = self.facts.poly(f).clone();
                let leading = poly.terms().iter().filter(|(m, _)| !m.is_empty());
                let Some((m, b)) = leading.max_by_key(|(_, c)| number::magnitude(c)) else {
                    continue;
                };
                if let Some(next) = cancelled(&search, f, &poly, m, b) {
                    let (before, after) = (self.end(&search), self.end(&next));
                    if &after * &search.n < &before * &next.n {
                        search = next;
                        improved = true;
                    }
                }
            }
        }
        self.consider(best, &search);
        Ok(())
    }

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

    fn end(&self, search: &Search) -> Int {
        self.interval(&search.rest).1
    }

    /// A bound of p from above, and the fact `bound - p >= 0`. The search ends early where it reaches `enough`.
    pub fn upper(&mut self, p: &Poly, enough: Option<&Int>) -> Result<(Int, Fact)> {
        self.upper_by(p, enough, true)
    }

    /// The same; with or without facts that cases made sharper.
    fn upper_by(&mut self, p: &Poly, enough: Option<&Int>, cases: bool) -> Result<(Int, Fact)> {
        let start = Search { n: Int::ONE, rest: p.clone(), terms: Vec::new() };
        let mut best = Best { bound: self.end(&start), search: start.clone() };
        let reached = |best: &Best| enough.is_some_and(|n| best.bound <= *n);
        if !reached(&best) {
            self.eliminate(start.clone(), &mut best)?;
        }
        if cases {
            self.upper_by_cases(&start, &mut best, reached)?;
        }
        let Best { bound, search: Search { n, rest, mut terms } } = best;
        terms.extend(self.interval_terms(&rest)?);
        let fact = self.derive(&n, Poly::constant(bound.clone()).sub(p), &terms)?;
        Ok((bound, fact))
    }

    /// Searches that start with a fact that a case made sharper.
    fn upper_by_cases(
        &mut self,
        start: &Search,
        best: &mut Best,
        reached: impl Fn(&Best) -> bool,
    ) -> Result<()> {
        for cases_first in [false, true] {
            if !reached(best)
                && !self.sharpened.is_empty()
                && let Some(next) = self.follow(start.clone(), cases_first)?
            {
                self.eliminate(next, best)?;
            }
        }
        for (f, shift) in self.weighted() {
            if reached(best) {
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
            if reached(best) {
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
    pub fn lower(&mut self, p: &Poly, enough: Option<&Int>) -> Result<(Int, Fact)> {
        let enough = enough.map(|n| -n.clone());
        let (bound, fact) = self.upper(&p.scale(&Int::NEG_ONE), enough.as_ref())?;
        Ok((-bound, fact))
    }

    /// A fact that cannot be: `-n >= 0`, found among those that cases made sharper.
    pub fn contradiction(&mut self) -> Result<Option<Fact>> {
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
            let (most, fact) = self.upper(&poly, Some(&Int::NEG_ONE))?;
            if number::is_negative(&most) {
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
    pub fn determined(&mut self, p: &Poly) -> Result<Determined> {
        let (mut hi, mut above) = self.upper_by(p, None, false)?;
        let minus = p.scale(&Int::NEG_ONE);
        let (mut lo, mut below) = self.upper_by(&minus, None, false)?;
        lo = -lo;
        if lo < hi {
            (hi, above) = self.upper(p, Some(&lo))?;
        }
        if lo < hi {
            (lo, below) = self.lower(p, Some(&hi))?;
        }
        if lo > hi {
            let sum = [(Int::ONE, Some(above)), (Int::ONE, Some(below))];
            let f = self.derive(&Int::ONE, Poly::constant(hi - lo), &sum)?;
            return Ok(Determined::Impossible(f));
        }
        if lo == hi {
            return Ok(Determined::Equation(self.facts.equal(below, above)?));
        }
        Ok(Determined::Open)
    }
}

/// What bounds say of a polynomial.
pub enum Determined {
    /// It has one value.
    Equation(Fact),
    /// It has no value.
    Impossible(Fact),
    /// It may have several values.
    Open,
}

/// The search with a multiple of a fact that cancels its term b*m, where signs allow it.
fn cancelled(search: &Search, f: Fact, poly: &Poly, m: &[Var], b: &Int) -> Option<Search> {
    let a = search.rest.coefficient(m);
    if a.is_zero() || number::is_negative(&a) == number::is_negative(b) {
        return None;
    }
    let g = number::gcd(&a, b);
    let mut next = search.clone();
    next.add(&(number::magnitude(b) / &g), number::magnitude(&a) / &g, f, poly);
    Some(next)
}
