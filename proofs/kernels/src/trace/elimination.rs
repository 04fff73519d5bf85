//! Elimination of quotients: a bound of a polynomial, step by step, without copies of what is left.

use std::collections::{BTreeSet, HashMap};

use super::Trace;
use crate::error::{Error, Result};
use crate::facts::Fact;
use crate::number::{self, Int};
use crate::poly::{Monomial, Poly, Var};

/// n * P <= rest, as the terms say.
#[derive(Clone)]
pub(super) struct Search {
    pub(super) n: Int,
    pub(super) rest: Poly,
    pub(super) terms: Vec<(Int, Option<Fact>)>,
}

impl Search {
    /// Adds t * F after a multiplication by s.
    pub(super) fn add(&mut self, s: &Int, t: Int, f: Fact, poly: &Poly) {
        self.n *= s;
        self.rest = self.rest.scale(s).add_scaled(poly, &t);
        for (c, _) in &mut self.terms {
            *c *= s;
        }
        self.terms.push((t, Some(f)));
    }
}

/// The best search so far, and the bound that it ends in.
pub(super) struct Best {
    pub(super) bound: Int,
    pub(super) search: Search,
    enough: Option<Int>,
}

impl Best {
    pub(super) fn new(bound: Int, search: Search, enough: Option<&Int>) -> Self {
        Self { bound, search, enough: enough.cloned() }
    }

    /// Whether a better bound is worth nothing.
    pub(super) fn reached(&self) -> bool {
        self.enough.as_ref().is_some_and(|n| self.bound <= *n)
    }
}

/// A step of an elimination: the multiplier of a fact, and n after the step.
struct Step {
    multiplier: Int,
    fact: Fact,
    n: Int,
}

/// The rest of a polynomial while quotients are eliminated.
struct Rest {
    n: Int,
    coefficients: HashMap<Monomial, Int>,
    /// Upper end of the interval.
    top: Int,
    /// Variables that may stand alone.
    alone: BTreeSet<Var>,
    /// Variables that may stand in products.
    multiplied: BTreeSet<Var>,
}

impl Rest {
    fn insert(&mut self, m: &Monomial) {
        match m.as_slice() {
            [] => {}
            [v] => {
                self.alone.insert(*v);
            }
            vs => self.multiplied.extend(vs),
        }
    }

    fn holds_product(&self, v: Var) -> bool {
        let holds = |(m, c): (&Monomial, &Int)| m.len() > 1 && !c.is_zero() && m.contains(&v);
        self.multiplied.contains(&v) && self.coefficients.iter().any(holds)
    }

    fn scale(&mut self, s: &Int) {
        if !s.is_one() {
            self.n *= s;
            self.top *= s;
            for c in self.coefficients.values_mut() {
                *c *= s;
            }
        }
    }

    fn poly(self) -> Poly {
        Poly::from_terms(self.coefficients.into_iter().collect())
    }
}

impl Trace {
    /// Upper end of the interval of what is left.
    pub(super) fn end(&self, search: &Search) -> Int {
        self.interval(&search.rest).1
    }

    fn consider(&self, best: &mut Best, search: &Search) {
        let bound = number::floor_div(&self.end(search), &search.n);
        if bound < best.bound {
            best.bound = bound;
            best.search = search.clone();
        }
    }

    /// The greatest value of c*m; no variable is negative.
    fn greatest(&self, m: &Monomial, c: &Int) -> Int {
        let negative = number::is_negative(c);
        m.iter().fold(c.clone(), |x, &v| {
            let range = &self.ranges[v as usize];
            x * if negative { &range.lo } else { &range.hi }
        })
    }

    fn add_to(&self, rest: &mut Rest, p: &Poly, t: &Int) {
        for (m, b) in p.terms() {
            let by = b * t;
            let Some(c) = rest.coefficients.get_mut(m) else {
                rest.top += self.greatest(m, &by);
                rest.coefficients.insert(m.clone(), by);
                rest.insert(m);
                continue;
            };
            rest.top -= self.greatest(m, c);
            *c += by;
            rest.top += self.greatest(m, c);
            if let [v] = m.as_slice() {
                rest.alone.insert(*v);
            }
        }
    }

    /// The search after some steps.
    fn after(&self, start: &Search, steps: &[Step]) -> Search {
        let Some(Step { n, .. }) = steps.last() else { return start.clone() };
        let scale = number::floor_div(n, &start.n);
        let mut terms: Vec<_> = start.terms.iter().map(|(c, f)| (c * &scale, *f)).collect();
        let mut sum: Vec<(Monomial, Int)> = start.rest.scale(&scale).terms().to_vec();
        for step in steps {
            let t = &step.multiplier * number::floor_div(n, &step.n);
            sum.extend(self.facts.poly(step.fact).terms().iter().map(|(m, c)| (m.clone(), c * &t)));
            terms.push((t, Some(step.fact)));
        }
        Search { n: n.clone(), rest: Poly::from_terms(sum), terms }
    }

    /// Eliminates quotients by their definitions, the latest first; then leading terms by promises.
    pub(super) fn eliminate(&mut self, start: Search, best: &mut Best) -> Result<()> {
        if let Some(left) = &self.searches {
            let fewer = left.get().checked_sub(1);
            left.set(fewer.ok_or_else(|| Error::Unproven("too long a search".into()))?);
        }
        let mut rest = Rest {
            n: start.n.clone(),
            coefficients: HashMap::new(),
            top: Int::ZERO,
            alone: BTreeSet::new(),
            multiplied: BTreeSet::new(),
        };
        self.add_to(&mut rest, &start.rest, &Int::ONE);
        let (mut steps, mut best_steps) = (Vec::new(), None);
        loop {
            let bound = number::floor_div(&rest.top, &rest.n);
            if bound < best.bound {
                best.bound = bound;
                best_steps = Some(steps.len());
                if best.reached() {
                    break;
                }
            }
            let Some((v, c, d)) = self.latest_quotient(&mut rest) else { break };
            let (k, pair) = d;
            let unit = number::power_of_two(k);
            let fact = self.current(if number::is_negative(&c) { pair.high } else { pair.low })?;
            let g = number::gcd(&c, &unit);
            let multiplier = number::floor_div(&number::magnitude(&c), &g);
            rest.scale(&number::floor_div(&unit, &g));
            self.add_to(&mut rest, self.facts.poly(fact), &multiplier);
            rest.alone.retain(|w| *w < v);
            steps.push(Step { multiplier, fact, n: rest.n.clone() });
        }
        if let Some(n) = best_steps {
            best.search = self.after(&start, &steps[..n]);
        }
        if best.reached() || self.relations.is_empty() {
            return Ok(());
        }
        let mut search = self.after(&start, &[]);
        if let Some(Step { n, .. }) = steps.last() {
            let scale = |s: &Step| number::floor_div(n, &s.n);
            let first = number::floor_div(n, &start.n);
            search.terms.iter_mut().for_each(|(c, _)| *c *= &first);
            search.terms.extend(steps.iter().map(|s| (&s.multiplier * scale(s), Some(s.fact))));
            (search.n, search.rest) = (rest.n.clone(), rest.poly());
        }
        self.add_promises(search, best)
    }

    /// The latest variable that stands alone, its coefficient, and its definition; it is taken from the list.
    fn latest_quotient(&self, rest: &mut Rest) -> Option<(Var, Int, (usize, crate::facts::Pair))> {
        while let Some(v) = rest.alone.pop_last() {
            let (Some(d), Some(c)) =
                (self.definitions.get(&v), rest.coefficients.get([v].as_slice()))
            else {
                continue;
            };
            if !c.is_zero() && !rest.holds_product(v) {
                return Some((v, c.clone(), (d.k, d.pair)));
            }
        }
        None
    }

    /// Cancels leading terms of promises as long as the bound gets better.
    fn add_promises(&mut self, mut search: Search, best: &mut Best) -> Result<()> {
        let mut facts = Vec::new();
        for f in self.relations.clone() {
            facts.push(self.current(f)?);
        }
        let mut improved = true;
        while improved {
            improved = false;
            for &f in &facts {
                let poly = self.facts.poly(f);
                let leading = poly.terms().iter().filter(|(m, _)| !m.is_empty());
                let Some((m, b)) = leading.max_by_key(|(_, c)| number::magnitude(c)) else {
                    continue;
                };
                if let Some(next) = cancelled(&search, f, poly, m, b) {
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
}

/// The search with a multiple of a fact that cancels its term b*m, where signs allow it.
pub(super) fn cancelled(
    search: &Search,
    f: Fact,
    poly: &Poly,
    m: &[Var],
    b: &Int,
) -> Option<Search> {
    let a = search.rest.coefficient(m);
    if a.is_zero() || number::is_negative(&a) == number::is_negative(b) {
        return None;
    }
    let g = number::gcd(&a, b);
    let mut next = search.clone();
    next.add(&(number::magnitude(b) / &g), number::magnitude(&a) / &g, f, poly);
    Some(next)
}
