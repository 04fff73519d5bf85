//! E = 2^k*q + r with 0 <= r < 2^k, and the ways to know q without a new variable.

use super::{Definition, Range, Trace, Word, pair_of};
use crate::error::{Error, Result};
use crate::facts::{Fact, Pair};
use crate::number::{self, Int};
use crate::poly::{Monomial, Poly, Var};

/// Remainder and quotient.
pub type Halves = (Word, Word);

impl Trace {
    /// (r, q) with E = 2^k*q + r and 0 <= r < 2^k.
    pub fn split(&mut self, e: &Word, k: usize) -> Result<Halves> {
        let (r, q) = self.split_unwritten(e, k)?;
        if q.known().is_none_or(|q| !q.is_zero()) && r.known().is_none() {
            let b = self.bounds_of(&r)?;
            let unit = number::power_of_two(k);
            let one = Int::ONE;
            let low = self.facts.linear(&one, r.p.clone(), &[(Poly::constant(1), b.low)])?;
            let high = Poly::constant(unit - 1).sub(&r.p);
            let high = self.facts.linear(&one, high, &[(Poly::constant(1), b.high)])?;
            self.facts.split(k, &e.p, &q.p, &r.p, Pair { low, high })?;
        }
        Ok((r, q))
    }

    fn split_unwritten(&mut self, e: &Word, k: usize) -> Result<Halves> {
        let unit = number::power_of_two(k);
        let e = &self.tightened(e, k)?;
        let (lo, hi) = (number::floor_shift(&e.lo, k), number::floor_shift(&e.hi, k));
        if lo == hi {
            let base = &lo * &unit;
            let r = Word {
                p: e.p.plus(&-base.clone()),
                lo: &e.lo - &base,
                hi: &e.hi - &base,
                bounds: e.bounds,
                parts: if lo.is_zero() { e.parts.clone() } else { None },
            };
            self.note(&r);
            return Ok((r, Word::constant(lo)));
        }
        if let Some(halves) = self.split_bits(e, k)? {
            return Ok(halves);
        }
        if let Some(v) = e.p.as_var()
            && let Some(d) = self.definitions.get(&v).cloned()
        {
            return self.split_floor(e, k, &d);
        }
        if let Some(r) = self.remainder(&e.p, k)? {
            let q = self.exact_quotient(e, &r, k)?;
            return Ok((r, q));
        }
        if lo == Int::NEG_ONE && hi.is_zero() {
            let minus = self.sum(&[(Int::ONE, &Word::constant(&unit - 1)), (Int::NEG_ONE, e)])?;
            let (rest, b) = self.split_new(&minus, k)?; // minus = 2^k*b + rest, so e = -2^k*b + (2^k - 1 - rest)
            let r = self.sum(&[(Int::ONE, &Word::constant(unit - 1)), (Int::NEG_ONE, &rest)])?;
            let q = self.sum(&[(Int::NEG_ONE, &b)])?;
            self.note(&r);
            self.note(&b);
            return Ok((r, q));
        }
        let shifted = self.sum(&[(Int::ONE, e), (Int::NEG_ONE, &Word::constant(&lo * &unit))])?;
        let (r, v) = self.split_new(&shifted, k)?;
        let q = self.sum(&[(Int::ONE, &v), (Int::ONE, &Word::constant(lo))])?;
        self.note(&r);
        self.note(&q);
        Ok((r, q))
    }

    /// A split by a new variable, of e that is not negative. Zeros that all coefficients end in are left out of its definition.
    fn split_new(&mut self, e: &Word, k: usize) -> Result<Halves> {
        let zeros = |(m, c): &(Monomial, Int)| if m.is_empty() { None } else { c.trailing_zeros() };
        let j = e.p.terms().iter().filter_map(zeros).min().unwrap_or(0).min(k);
        let rest = number::modulo(&e.p.coefficient(&[]), &number::power_of_two(j));
        let rest = Word::constant(rest);
        let inner = if j > 0 { self.exact_quotient(e, &rest, j)? } else { e.clone() };
        let (v, pair) = self.quotient(&inner, k - j)?;
        let unit = number::power_of_two(k - j);
        let p = inner.p.add_scaled(&v.p, &-unit.clone());
        let r = Word {
            p,
            lo: Int::ZERO,
            hi: unit - 1,
            bounds: pair_of(pair.low, pair.high),
            parts: None,
        };
        Ok((self.sum(&[(number::power_of_two(j), &r), (Int::ONE, &rest)])?, v))
    }

    /// The same word, with bounds of its monomials where they leave fewer quotients.
    fn tightened(&mut self, e: &Word, k: usize) -> Result<Word> {
        let at = |n: &Int| number::floor_shift(n, k);
        let mut e = e.clone();
        if at(&e.lo) == at(&e.hi) {
            return Ok(e);
        }
        let (lo, hi) = self.interval(&e.p);
        let b = self.bounds_of(&e)?;
        let (mut low, mut high) = (b.low, b.high);
        if at(&lo) > at(&e.lo) {
            low = self.interval_bound(&e.p.scale(&Int::NEG_ONE), &-lo.clone())?;
            e.lo = lo;
        }
        if at(&hi) < at(&e.hi) {
            high = self.interval_bound(&e.p, &hi)?;
            e.hi = hi;
        }
        e.bounds = pair_of(low, high);
        Ok(e)
    }

    /// A new variable, floor(e / 2^k), of e that is not negative.
    fn quotient(&mut self, e: &Word, k: usize) -> Result<(Word, Pair)> {
        let unit = number::power_of_two(k);
        let (v, pair) = self.facts.floor(&e.p, k)?;
        let (lo, hi) = (number::floor_shift(&e.lo, k), number::floor_shift(&e.hi, k));
        let one = || Int::ONE;
        let least = Poly::var(v).plus(&-lo.clone());
        let low = self.derive(&unit, least, &[(one(), Some(pair.high)), (one(), Self::low(e))])?;
        let most = Poly::constant(hi.clone()).sub(&Poly::var(v));
        let high = self.derive(&unit, most, &[(one(), Some(pair.low)), (one(), Self::high(e))])?;
        self.ranges.push(Range { lo, hi, pair: Pair { low, high } });
        self.definitions.insert(v, Definition { e: e.clone(), k, pair });
        Ok((self.variable(v), pair))
    }

    /// The bit variables of a polynomial that holds no others, each at most once a term.
    fn bits(&self, p: &Poly) -> Option<Vec<Var>> {
        let vs: Vec<Var> = p.variables().into_iter().collect();
        let few = match vs.len() {
            1 => true,
            2 | 3 => p.terms().iter().any(|(_, c)| number::magnitude(c) >= Int::from(1 << 16)),
            _ => false,
        };
        let bit = |v: &Var| self.ranges[*v as usize].hi.is_one();
        let multilinear = p.terms().iter().all(|(m, _)| m.windows(2).all(|w| w[0] != w[1]));
        (few && vs.iter().all(bit) && multilinear).then_some(vs)
    }

    /// The polynomial in bits with such values, and its bounds.
    pub(crate) fn tabulated(
        &mut self,
        vs: &[Var],
        value: impl Fn(&dyn Fn(Var) -> Int) -> Int,
    ) -> Result<Word> {
        let (mut p, mut range) = (Poly::default(), None::<(Int, Int)>);
        for point in 0..1usize << vs.len() {
            let bit = |v: Var| vs.iter().position(|x| *x == v).map_or(0, |i| point >> i & 1);
            let x = value(&|v| Int::from(bit(v)));
            range = Some(match range {
                None => (x.clone(), x.clone()),
                Some((lo, hi)) => (lo.min(x.clone()), hi.max(x.clone())),
            });
            let mut term = Poly::constant(x);
            for &v in vs {
                let v_or_not =
                    if bit(v) == 1 { Poly::var(v) } else { Poly::constant(1).sub(&Poly::var(v)) };
                term = term.mul(&v_or_not);
            }
            p = p.add(&term);
        }
        let (lo, hi) = range.unwrap_or_default();
        if let Some(n) = p.as_constant() {
            return Ok(Word::constant(n));
        }
        let pairs: Vec<(Var, Pair)> = vs
            .iter()
            .filter(|v| p.contains(**v))
            .map(|v| (*v, self.ranges[*v as usize].pair))
            .collect();
        let low = self.facts.table(p.plus(&-lo.clone()), &pairs)?;
        let high = self.facts.table(Poly::constant(hi.clone()).sub(&p), &pairs)?;
        Ok(Word { p, lo, hi, bounds: pair_of(low, high), parts: None })
    }

    /// A split of few bits: remainder and quotient by their tables.
    fn split_bits(&mut self, e: &Word, k: usize) -> Result<Option<Halves>> {
        let Some(vs) = self.bits(&e.p) else { return Ok(None) };
        let unit = number::power_of_two(k);
        let r = self.tabulated(&vs, |at| number::modulo(&e.p.evaluate(at), &unit))?;
        let q = self.tabulated(&vs, |at| number::floor_shift(&e.p.evaluate(at), k))?;
        Ok(Some((r, q)))
    }

    /// A split of v = floor(e / 2^j): floor(v / 2^k) = floor(e / 2^(j + k)).
    fn split_floor(&mut self, v: &Word, k: usize, d: &Definition) -> Result<Halves> {
        let (rest, q) = self.split_unwritten(&d.e, d.k + k)?;
        let (unit, inner) = (number::power_of_two(k), number::power_of_two(d.k));
        let p = v.p.add_scaled(&q.p, &-unit.clone());
        if let Some(n) = p.as_constant() {
            return Ok((Word::constant(n), q));
        }
        let one = || Int::ONE;
        let lows = [(one(), Self::low(&rest)), (one(), Some(d.pair.high))];
        let low = self.derive(&inner, p.clone(), &lows)?;
        let highs = [(one(), Self::high(&rest)), (one(), Some(d.pair.low))];
        let high = self.derive(&inner, Poly::constant(&unit - 1).sub(&p), &highs)?;
        let r = Word { p, lo: Int::ZERO, hi: unit - 1, bounds: pair_of(low, high), parts: None };
        self.note(&r);
        Ok((r, q))
    }

    /// A word in [0, 2^k) that p is congruent to in every coefficient.
    fn remainder(&mut self, p: &Poly, k: usize) -> Result<Option<Word>> {
        let unit = number::power_of_two(k);
        let low = p.modulo(&unit);
        if let Some(n) = low.as_constant() {
            return Ok(Some(Word::constant(n)));
        }
        if let Some(w) = self.congruent(p, k) {
            return Ok(Some(w));
        }
        let most = Word::constant(&unit - 1);
        if let Some(w) = self.congruent(&most.p.sub(p), k) {
            return Ok(Some(self.sum(&[(Int::ONE, &most), (Int::NEG_ONE, &w)])?));
        }
        if p.terms().len() > 6 {
            return Ok(None);
        }
        let sum = low.map(|c| number::symmetric(c, &unit));
        let (lo, hi) = self.interval(&sum);
        if number::is_negative(&lo) || hi >= unit {
            return Ok(None);
        }
        let low = self.interval_bound(&sum.scale(&Int::NEG_ONE), &-lo.clone())?;
        let high = self.interval_bound(&sum, &hi)?;
        Ok(Some(Word { p: sum, lo, hi, bounds: pair_of(low, high), parts: None }))
    }

    /// (e - r) / 2^k, which has whole coefficients, with the bounds that those of e leave.
    fn exact_quotient(&mut self, e: &Word, r: &Word, k: usize) -> Result<Word> {
        let unit = number::power_of_two(k);
        let Some(p) = e.p.sub(&r.p).divided(&unit) else {
            return Err(Error::Derivation(format!("{} is not congruent to {}", e.p, r.p)));
        };
        if let Some(n) = p.as_constant() {
            return Ok(Word::constant(n));
        }
        let (lo, hi) = (number::floor_shift(&e.lo, k), number::floor_shift(&e.hi, k));
        let one = || Int::ONE;
        let lows = [(one(), Self::low(e)), (one(), Self::high(r))];
        let low = self.derive(&unit, p.plus(&-lo.clone()), &lows)?;
        let highs = [(one(), Self::high(e)), (one(), Self::low(r))];
        let high = self.derive(&unit, Poly::constant(hi.clone()).sub(&p), &highs)?;
        self.observed.extend([low, high]);
        Ok(Word { p, lo, hi, bounds: pair_of(low, high), parts: None })
    }

    /// The split of a word, part by part where it has some.
    pub fn halves(&mut self, w: &Word, k: usize) -> Result<Halves> {
        let Some(parts) = w.parts.clone() else { return self.split(w, k) };
        let unit = number::power_of_two(k);
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for (at, x) in parts.iter() {
            if *at >= k {
                high.push((at - k, x.clone()));
            } else if (&x.hi << *at) < unit {
                low.push((*at, x.clone()));
            } else {
                let (r, q) = self.halves(x, k - at)?;
                low.push((*at, r));
                high.push((0, q));
            }
        }
        let (low, high) = (self.joined(low)?, self.joined(high)?);
        if number::is_negative(&low.lo) || low.hi >= unit {
            return self.split(w, k);
        }
        Ok((low, high))
    }

    /// Least and greatest value of a polynomial, monomial by monomial; no variable is negative.
    pub(crate) fn interval(&self, p: &Poly) -> (Int, Int) {
        let (mut lo, mut hi) = (Int::ZERO, Int::ZERO);
        for (m, c) in p.terms() {
            let (mut a, mut b) = (c.clone(), c.clone());
            for &v in m {
                a *= &self.ranges[v as usize].lo;
                b *= &self.ranges[v as usize].hi;
            }
            if number::is_negative(c) {
                (a, b) = (b, a);
            }
            lo += a;
            hi += b;
        }
        (lo, hi)
    }

    /// The word of a monomial.
    fn monomial(&mut self, m: &Monomial) -> Result<Word> {
        if let Some(w) = self.monomials.get(m) {
            return Ok(w.clone());
        }
        let mut w = self.variable(m[0]);
        for &v in &m[1..] {
            let next = self.variable(v);
            w = self.product(&w, &next)?;
        }
        self.monomials.insert(m.clone(), w.clone());
        Ok(w)
    }

    /// Bounds of monomials that sum up to the upper end of [`Trace::interval`].
    pub(super) fn interval_terms(&mut self, p: &Poly) -> Result<Vec<(Int, Option<Fact>)>> {
        let mut terms = Vec::new();
        for (m, c) in p.terms().iter().filter(|(m, _)| !m.is_empty()) {
            let w = self.monomial(m)?;
            let f = if number::is_negative(c) { Self::low(&w) } else { Self::high(&w) };
            terms.push((number::magnitude(c), f));
        }
        Ok(terms)
    }

    /// hi - P >= 0, where hi is the upper end of the interval.
    fn interval_bound(&mut self, p: &Poly, hi: &Int) -> Result<Fact> {
        let terms = self.interval_terms(p)?;
        self.derive(&Int::ONE, Poly::constant(hi.clone()).sub(p), &terms)
    }
}
