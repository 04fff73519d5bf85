//! Integers that words of 64 bits stand for, modulo 2^64, with bounds, and their floors in a normal form.
//!
//! A value is a polynomial; a register holds it modulo 2^64. Code that adds numbers of 128 bits takes the floor of one sum in several ways: of its low
//! word, of its high one, of a part of a sum that holds an earlier floor. All of these come to one variable: floor(E / 2^k) of the whole sum E.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::facts::{Fact, Facts, Pair};
use crate::number::{self, Int};
use crate::poly::{Monomial, Poly, Var};

/// A value and its bounds; a constant needs no facts.
#[derive(Clone, Debug)]
pub struct Value {
    /// The integer.
    pub p: Poly,
    /// It is at least this.
    pub lo: Int,
    /// It is at most this.
    pub hi: Int,
    bounds: Option<Pair>,
}

impl Value {
    /// A constant.
    pub fn constant(n: impl Into<Int>) -> Self {
        let n = n.into();
        Self { p: Poly::constant(n.clone()), lo: n.clone(), hi: n, bounds: None }
    }

    /// Its number, if it is a constant.
    pub fn known(&self) -> Option<Int> {
        self.p.as_constant()
    }

    /// Whether it lies between these.
    pub fn within(&self, lo: &Int, hi: &Int) -> bool {
        self.lo >= *lo && self.hi <= *hi
    }
}

/// v = floor(e / 2^k).
#[derive(Clone)]
struct Floor {
    e: Poly,
    k: usize,
    pair: Pair,
}

/// An equation that takes a monomial to other terms.
struct Rule {
    left: Monomial,
    equation: Fact,
}

/// A floor: q, and the facts e - 2^k*q >= 0 and 2^k - 1 - e + 2^k*q >= 0.
struct Quotient {
    q: Poly,
    pair: Pair,
}

/// Values of one segment.
#[derive(Default)]
pub struct Values {
    /// Their facts.
    pub facts: Facts,
    ranges: Vec<Value>,
    floors: HashMap<Var, Floor>,
    known: HashMap<(Poly, usize), Var>,
    /// Floors that are -1 or 0 for each larger k as well.
    signs: HashMap<Poly, (Var, usize)>,
    monomials: HashMap<Monomial, Value>,
    rules: Vec<Rule>,
    /// Remainders.
    pub remainders: HashMap<Poly, Value>,
}

type Terms = Vec<(Int, Fact)>;

fn valuation(n: &Int) -> usize {
    (0..).find(|k| !number::modulo(n, &number::power_of_two(k + 1)).is_zero()).unwrap_or(0)
}

impl Values {
    /// An input.
    pub fn input(&mut self, lo: &Int, hi: &Int) -> Result<Value> {
        let (v, pair) = self.facts.input(lo, hi)?;
        let value = Value { p: Poly::var(v), lo: lo.clone(), hi: hi.clone(), bounds: Some(pair) };
        self.ranges.push(value.clone());
        Ok(value)
    }

    /// The promise that two polynomials in inputs are equal; `left`, a monomial of the first, is replaced from here on.
    pub fn promise_equal(&mut self, p: &Poly, left: Option<&[Var]>) -> Result<(Fact, Fact)> {
        let low = self.facts.assume(p.clone())?;
        let high = self.facts.assume(p.scale(&Int::NEG_ONE))?;
        if let Some(left) = left
            && !p.coefficient(left).is_one()
        {
            return Err(Error::Derivation(format!("{p} does not give a monomial")));
        }
        Ok((low, high))
    }

    /// Makes an equation of a promise, after all inputs.
    pub fn rule(&mut self, (low, high): (Fact, Fact), left: &[Var]) -> Result<Fact> {
        let equation = self.facts.equal(low, high)?;
        let left = Monomial::from_slice(left);
        self.rules.push(Rule { left, equation });
        Ok(equation)
    }

    /// p with every rule, and the multiples of equations that take p there.
    fn rewritten(&self, p: &Poly) -> (Poly, Vec<(Poly, Fact)>) {
        let (mut p, mut multiples) = (p.clone(), Vec::new());
        'again: loop {
            for rule in &self.rules {
                for (m, c) in p.terms() {
                    let mut rest = m.clone();
                    let holds = rule.left.iter().all(|v| {
                        rest.iter().position(|w| w == v).map(|i| rest.remove(i)).is_some()
                    });
                    if holds {
                        let factor = Poly::term(rest, -c.clone());
                        let equation = self.facts.poly(rule.equation);
                        p = p.add(&factor.mul(equation));
                        multiples.push((factor, rule.equation));
                        continue 'again;
                    }
                }
            }
            return (p, multiples);
        }
    }

    /// Multiples of equations that take p to its form by all rules.
    pub fn equations(&self, p: &Poly) -> Vec<(Poly, Fact)> {
        self.rewritten(p).1
    }

    /// P >= 0, as n*P + c is a sum of facts, c < n.
    pub fn derive(&mut self, n: &Int, p: Poly, terms: &[(Int, Fact)]) -> Result<Fact> {
        self.derive_with(n, p, terms, &[], 1)
    }

    fn derive_with(
        &mut self,
        n: &Int,
        p: Poly,
        terms: &[(Int, Fact)],
        equations: &[(Poly, Fact)],
        sign: i32,
    ) -> Result<Fact> {
        let used = terms.iter().filter(|(c, _)| !c.is_zero());
        let mut multiples: Vec<_> = used.map(|(c, f)| (Poly::constant(c.clone()), *f)).collect();
        multiples.extend(equations.iter().map(|(m, f)| (m.scale(&Int::from(sign)), *f)));
        self.facts.linear(n, p, &multiples)
    }

    fn bounded(&mut self, p: &Poly, lo: Int, hi: Int, low: &Terms, high: &Terms) -> Result<Value> {
        let (p, equations) = self.rewritten(p);
        if let Some(n) = p.as_constant() {
            return Ok(Value::constant(n));
        }
        let one = Int::ONE;
        let low = self.derive_with(&one, p.plus(&-lo.clone()), low, &equations, 1)?;
        let above = Poly::constant(hi.clone()).sub(&p);
        let high = self.derive_with(&one, above, high, &equations, -1)?;
        Ok(Value { p, lo, hi, bounds: Some(Pair { low, high }) })
    }

    /// A value from its bounds.
    pub fn with_bounds(&self, p: Poly, lo: Int, hi: Int, low: Fact, high: Fact) -> Value {
        Value { p, lo, hi, bounds: Some(Pair { low, high }) }
    }

    /// The facts that bound a value.
    pub fn pair(&self, v: &Value) -> Result<Pair> {
        v.bounds.ok_or_else(|| Error::Derivation(format!("bounds of the constant {}", v.p)))
    }

    fn push(terms: &mut Terms, c: &Int, f: Option<Fact>) {
        if let Some(f) = f {
            terms.push((c.clone(), f));
        }
    }

    /// A sum.
    pub fn sum(&mut self, terms: &[(Int, &Value)]) -> Result<Value> {
        let (mut p, mut lo, mut hi) = (Poly::default(), Int::ZERO, Int::ZERO);
        let (mut lows, mut highs) = (Terms::new(), Terms::new());
        for (c, w) in terms {
            p = p.add_scaled(&w.p, c);
            let size = number::magnitude(c);
            let (low, high) = (w.bounds.map(|b| b.low), w.bounds.map(|b| b.high));
            let negative = number::is_negative(c);
            Self::push(&mut lows, &size, if negative { high } else { low });
            Self::push(&mut highs, &size, if negative { low } else { high });
            lo += c * if negative { &w.hi } else { &w.lo };
            hi += c * if negative { &w.lo } else { &w.hi };
        }
        self.bounded(&p, lo, hi, &lows, &highs)
    }

    /// a + c*b.
    pub fn plus(&mut self, a: &Value, c: impl Into<Int>, b: &Value) -> Result<Value> {
        self.sum(&[(Int::ONE, a), (c.into(), b)])
    }

    /// A product.
    pub fn product(&mut self, a: &Value, b: &Value) -> Result<Value> {
        let (x, y) = match (a.bounds, b.bounds) {
            (None, _) => return self.sum(&[(a.lo.clone(), b)]),
            (_, None) => return self.sum(&[(b.lo.clone(), a)]),
            (Some(x), Some(y)) => (x, y),
        };
        let p = a.p.mul(&b.p);
        let (hi, high) = self.upper([(a, x), (b, y)], false)?;
        let (lo, low) = self.upper([(a, x), (b, y)], true)?;
        self.bounded(&p, -lo, hi, &low, &high)
    }

    /// A bound of a*b from above, or of -a*b: of two products of bounds, or half of both, the one that gives less.
    fn upper(
        &mut self,
        [(a, x), (b, y)]: [(&Value, Pair); 2],
        minus: bool,
    ) -> Result<(Int, Terms)> {
        // (g, h): multipliers of a and b in e*a*b <= g*a + h*b - n
        let (e, mut tries) = (if minus { Int::NEG_ONE } else { Int::ONE }, Vec::new());
        let sides = if minus {
            [(x.low, y.low), (x.high, y.high)]
        } else {
            [(x.high, y.low), (x.low, y.high)]
        };
        for (i, (f, g)) in sides.into_iter().enumerate() {
            let (s, t) = match (minus, i) {
                (false, 0) => (&a.hi, &b.lo),
                (false, _) => (&a.lo, &b.hi),
                (true, 0) => (&a.lo, &b.lo),
                (true, _) => (&a.hi, &b.hi),
            };
            tries.push((Some(self.facts.product(f, g)?), &e * t, &e * s, s * t * &e));
        }
        let both =
            (&tries[0].1 + &tries[1].1, &tries[0].2 + &tries[1].2, &tries[0].3 + &tries[1].3);
        let end = |c: &Int, v: &Value| c * if number::is_negative(c) { &v.lo } else { &v.hi };
        let total = |g: &Int, h: &Int, n: &Int| end(g, a) + end(h, b) - n;
        let singles: Vec<Int> = tries.iter().map(|(_, g, h, n)| total(g, h, n)).collect();
        let half = total(&both.0, &both.1, &both.2);
        let best = if singles[0] <= singles[1] { 0 } else { 1 };
        let side = |c: &Int, p: Pair| if number::is_negative(c) { p.low } else { p.high };
        if half < &singles[best] * 2 {
            let two = Int::from(2);
            let mut terms = Terms::new();
            // the sum of both products is twice the bound: rounding is left to one rule
            let products: Terms = tries.iter().filter_map(|t| t.0).map(|f| (Int::ONE, f)).collect();
            for (c, pair) in [(&both.0, x), (&both.1, y)] {
                terms.push((number::magnitude(c), side(c, pair)));
            }
            terms.extend(products);
            let bound = number::floor_div(&half, &two);
            let p = Poly::constant(bound.clone()).sub(&a.p.mul(&b.p).scale(&e));
            let f = self.derive(&two, p, &terms)?;
            return Ok((bound, vec![(Int::ONE, f)]));
        }
        let (f, g, h, _) = &tries[best];
        let mut terms: Terms = f.iter().map(|f| (Int::ONE, *f)).collect();
        terms.push((number::magnitude(g), side(g, x)));
        terms.push((number::magnitude(h), side(h, y)));
        Ok((singles[best].clone(), terms))
    }

    fn monomial(&mut self, m: &Monomial) -> Result<Value> {
        if let Some(w) = self.monomials.get(m) {
            return Ok(w.clone());
        }
        let mut w = Value::constant(1);
        for &v in m {
            let next = self.ranges[v as usize].clone();
            w = self.product(&w, &next)?;
        }
        self.monomials.insert(m.clone(), w.clone());
        Ok(w)
    }

    /// A value with the bounds of its monomials.
    pub fn of(&mut self, p: &Poly) -> Result<Value> {
        let monomials: Vec<(Int, Value)> = p
            .terms()
            .iter()
            .map(|(m, c)| Ok((c.clone(), self.monomial(m)?)))
            .collect::<Result<_>>()?;
        let terms: Vec<(Int, &Value)> = monomials.iter().map(|(c, w)| (c.clone(), w)).collect();
        self.sum(&terms)
    }

    /// A floor of a constant, or one that bounds show.
    fn fixed(&mut self, e: &Value, k: usize) -> Result<Option<Quotient>> {
        let (lo, hi) = (number::floor_shift(&e.lo, k), number::floor_shift(&e.hi, k));
        if lo != hi {
            return Ok(None);
        }
        let (q, unit) = (Poly::constant(lo), number::power_of_two(k));
        let r = e.p.add_scaled(&q, &-unit.clone());
        let (mut lows, mut highs) = (Terms::new(), Terms::new());
        Self::push(&mut lows, &Int::ONE, e.bounds.map(|b| b.low));
        Self::push(&mut highs, &Int::ONE, e.bounds.map(|b| b.high));
        let low = self.derive(&Int::ONE, r.clone(), &lows)?;
        let high = self.derive(&Int::ONE, Poly::constant(unit - 1).sub(&r), &highs)?;
        Ok(Some(Quotient { q, pair: Pair { low, high } }))
    }

    fn quotient(&mut self, e: &Value, k: usize) -> Result<Quotient> {
        if let Some(q) = self.fixed(e, k)? {
            return Ok(q);
        }
        let (unit, one) = (number::power_of_two(k), || Int::ONE);
        let inner = e.p.terms().iter().rev().find_map(|(m, c)| {
            let floor = self.floors.get(m.first()?).filter(|_| m.len() == 1 && c.is_one())?;
            Some((m[0], floor.clone()))
        });
        if let Some((v, inner)) = inner {
            // floor((x + floor(y / 2^j)) / 2^k) = floor((2^j*x + y) / 2^(j + k))
            let (scale, b) = (number::power_of_two(inner.k), self.pair(e)?);
            let p = e.p.sub(&Poly::var(v)).scale(&scale).add(&inner.e);
            let low = vec![(scale.clone(), b.low), (one(), inner.pair.low)];
            let high = vec![(scale.clone(), b.high), (one(), inner.pair.high)];
            let hi = &e.hi * &scale + &scale - 1;
            let whole = self.bounded(&p, &e.lo * &scale, hi, &low, &high)?;
            let outer = self.quotient(&whole, k + inner.k)?;
            let o = outer.pair;
            let r = e.p.add_scaled(&outer.q, &-unit.clone());
            let low =
                self.derive(&scale, r.clone(), &[(one(), o.low), (one(), inner.pair.high)])?;
            let above = Poly::constant(unit - 1).sub(&r);
            let high = self.derive(&scale, above, &[(one(), o.high), (one(), inner.pair.low)])?;
            return Ok(Quotient { q: outer.q, pair: Pair { low, high } });
        }
        self.narrowed(e, k)
    }

    /// A floor of a sum that is not joined with an earlier one.
    fn narrowed(&mut self, e: &Value, k: usize) -> Result<Quotient> {
        if let Some(q) = self.fixed(e, k)? {
            return Ok(q);
        }
        let unit = number::power_of_two(k);
        let low = e.p.map(|c| number::symmetric(c, &unit));
        let Some(whole) = e.p.sub(&low).divided(&unit) else {
            return Err(Error::Derivation(format!("{} less {low}", e.p)));
        };
        if whole.is_zero() {
            return self.reduced(e, k);
        }
        let e = self.of(&low)?;
        let rest = match self.fixed(&e, k)? {
            Some(rest) => rest,
            None => self.reduced(&e, k)?,
        };
        Ok(Quotient { q: rest.q.add(&whole), pair: rest.pair })
    }

    /// A floor of a sum whose coefficients are below 2^k: without low terms that do not count.
    fn reduced(&mut self, e: &Value, k: usize) -> Result<Quotient> {
        let mut at: Vec<usize> =
            e.p.terms().iter().filter(|(m, _)| !m.is_empty()).map(|(_, c)| valuation(c)).collect();
        at.sort_unstable();
        at.dedup();
        for &j in at.iter().take(2).filter(|j| **j > 0) {
            let unit = number::power_of_two(j);
            let low = e.p.terms().iter().fold(Poly::default(), |sum, (m, c)| {
                let c = match m.is_empty() {
                    true => number::modulo(c, &unit),
                    false if valuation(c) < j => c.clone(),
                    false => Int::ZERO,
                };
                sum.add(&Poly::term(m.clone(), c))
            });
            let low = self.of(&low)?;
            if !low.within(&Int::ZERO, &(&unit - 1)) {
                continue;
            }
            let Some(p) = e.p.sub(&low.p).divided(&unit) else { continue };
            // floor((2^j*x + y) / 2^k) = floor(x / 2^(k - j)) for 0 <= y < 2^j
            let b = self.pair(e)?;
            let (floor, most) = (number::floor_shift(&e.lo, j), number::floor_shift(&e.hi, j));
            let mut lows = vec![(Int::ONE, b.low)];
            let mut highs = vec![(Int::ONE, b.high)];
            Self::push(&mut lows, &Int::ONE, low.bounds.map(|b| b.high));
            Self::push(&mut highs, &Int::ONE, low.bounds.map(|b| b.low));
            let least = self.derive(&unit, p.plus(&-floor.clone()), &lows)?;
            let greatest = self.derive(&unit, Poly::constant(most.clone()).sub(&p), &highs)?;
            let x = self.with_bounds(p, floor, most, least, greatest);
            let inner = self.narrowed(&x, k - j)?;
            let i = inner.pair;
            let r = e.p.add_scaled(&inner.q, &-number::power_of_two(k));
            let (mut lows, mut highs) = (vec![(unit.clone(), i.low)], vec![(unit.clone(), i.high)]);
            Self::push(&mut lows, &Int::ONE, low.bounds.map(|b| b.low));
            Self::push(&mut highs, &Int::ONE, low.bounds.map(|b| b.high));
            let low = self.derive(&Int::ONE, r.clone(), &lows)?;
            let above = Poly::constant(number::power_of_two(k) - 1).sub(&r);
            let high = self.derive(&Int::ONE, above, &highs)?;
            return Ok(Quotient { q: inner.q, pair: Pair { low, high } });
        }
        self.atom(e, k)
    }

    /// The variable of a floor.
    fn atom(&mut self, e: &Value, k: usize) -> Result<Quotient> {
        let fits = |j: usize| {
            let unit = number::power_of_two(j);
            e.within(&-unit.clone(), &(unit - 1))
        };
        let sign = match self.signs.get(&e.p) {
            Some((v, j)) if *j <= k => Some((*v, *j)),
            _ if fits(k) => {
                let j = (0..k).find(|j| fits(*j)).unwrap_or(k);
                let v = self.floor(e, j)?;
                self.signs.insert(e.p.clone(), (v, j));
                Some((v, j))
            }
            _ => None,
        };
        let Some((v, j)) = sign else {
            let v = self.floor(e, k)?;
            return Ok(Quotient { q: Poly::var(v), pair: self.floors[&v].pair });
        };
        let (pair, range) = (self.floors[&v].pair, self.ranges[v as usize].clone());
        let (b, more) = (self.pair(&range)?, number::power_of_two(k) - number::power_of_two(j));
        let r = e.p.add_scaled(&Poly::var(v), &-number::power_of_two(k));
        let low =
            self.derive(&Int::ONE, r.clone(), &[(Int::ONE, pair.low), (more.clone(), b.high)])?;
        let above = Poly::constant(number::power_of_two(k) - 1).sub(&r);
        let high = self.derive(&Int::ONE, above, &[(Int::ONE, pair.high), (more, b.low)])?;
        Ok(Quotient { q: Poly::var(v), pair: Pair { low, high } })
    }

    fn floor(&mut self, e: &Value, k: usize) -> Result<Var> {
        if let Some(v) = self.known.get(&(e.p.clone(), k)) {
            return Ok(*v);
        }
        let (v, pair) = self.facts.floor(&e.p, k)?;
        self.known.insert((e.p.clone(), k), v);
        self.floors.insert(v, Floor { e: e.p.clone(), k, pair });
        let range = self.divided(e, &Poly::var(v), k, pair)?;
        self.ranges.push(range);
        Ok(v)
    }

    /// The value of a floor, with bounds that those of e leave.
    fn divided(&mut self, e: &Value, q: &Poly, k: usize, pair: Pair) -> Result<Value> {
        let (lo, hi) = (number::floor_shift(&e.lo, k), number::floor_shift(&e.hi, k));
        let (b, unit) = (self.pair(e)?, number::power_of_two(k));
        let lows = [(Int::ONE, b.low), (Int::ONE, pair.high)];
        let low = self.derive(&unit, q.plus(&-lo.clone()), &lows)?;
        let highs = [(Int::ONE, b.high), (Int::ONE, pair.low)];
        let high = self.derive(&unit, Poly::constant(hi.clone()).sub(q), &highs)?;
        Ok(self.with_bounds(q.clone(), lo, hi, low, high))
    }

    /// (e mod 2^k, floor(e / 2^k)).
    pub fn split(&mut self, e: &Value, k: usize) -> Result<(Value, Value)> {
        let unit = number::power_of_two(k);
        if let Some(n) = e.known() {
            let (r, q) = (number::modulo(&n, &unit), number::floor_shift(&n, k));
            return Ok((Value::constant(r), Value::constant(q)));
        }
        let quotient = self.quotient(e, k)?;
        let pair = quotient.pair;
        let r = e.p.add_scaled(&quotient.q, &-unit.clone());
        self.facts.split(k, &e.p, &quotient.q, &r, pair)?;
        let q = match quotient.q.as_constant() {
            Some(n) => Value::constant(n),
            None => self.divided(e, &quotient.q, k, pair)?,
        };
        let most = unit - 1;
        let (low, high) = (vec![(Int::ONE, pair.low)], vec![(Int::ONE, pair.high)]);
        let r = self.bounded(&r, Int::ZERO, most, &low, &high)?;
        self.remainders.insert(r.p.clone(), r.clone());
        Ok((r, q))
    }
}
