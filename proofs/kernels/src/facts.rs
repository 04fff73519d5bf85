//! Facts about integers, and the rules by which they follow from each other: those of `FORMAT.md`, and no others.
//!
//! A [`Fact`] comes from a rule of this file alone, and each rule checks its conditions. So the rest of the prover may search by any means:
//! a mistake there leaves something unproven. Each rule writes its line of the certificate.

use std::fmt::Write;
use std::rc::Rc;

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::number::{self, Int};
use crate::poly::{Poly, Var};

/// A fact of the segment: `P >= 0`, or `P = 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fact(u32);

/// A fact times a polynomial.
pub type Multiple = (Poly, Fact);

#[derive(Debug)]
struct Statement {
    poly: Poly,
    equation: bool,
}

/// The two facts that bound a variable or define it.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// `V - LO >= 0`; of a floor, `E - 2^k*V >= 0`.
    pub low: Fact,
    /// `HI - V >= 0`; of a floor, `2^k - 1 - E + 2^k*V >= 0`.
    pub high: Fact,
}

/// Facts of one segment, and the text of the certificate since the last [`Facts::take_text`].
#[derive(Clone, Default)]
pub struct Facts {
    statements: Vec<Rc<Statement>>,
    /// Each variable that is no input: floor(E / 2^k).
    floors: Vec<(Rc<Poly>, usize)>,
    variables: Var,
    inputs: Var,
    premises: [u8; 32],
    text: String,
    note: String,
}

fn failed<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Derivation(why.into()))
}

impl Facts {
    /// The polynomial P of a fact.
    pub fn poly(&self, f: Fact) -> &Poly {
        &self.statements[f.0 as usize].poly
    }

    /// Whether a fact is an equation.
    pub fn is_equation(&self, f: Fact) -> bool {
        self.statements[f.0 as usize].equation
    }

    /// The number of variables.
    pub fn variables(&self) -> Var {
        self.variables
    }

    /// Whether a variable is an input.
    pub fn is_input(&self, v: Var) -> bool {
        v < self.inputs
    }

    /// A hash of inputs, assumptions, definitions and cases so far, in their order: of all that facts are derived from.
    pub fn premises(&self) -> [u8; 32] {
        self.premises
    }

    fn premise(&mut self, line: &str) {
        self.premises =
            Sha256::new().chain_update(self.premises).chain_update(line).finalize().into();
    }

    /// The numbers of all variables, by those of inputs; or the fact that they break, which would be a flaw.
    pub fn evaluate(&self, inputs: &[Int]) -> Result<Vec<Int>> {
        let mut numbers = inputs.to_vec();
        for (e, k) in &self.floors {
            let value = e.evaluate(|v| numbers[v as usize].clone());
            numbers.push(number::floor_shift(&value, *k));
        }
        for s in &self.statements {
            let value = s.poly.evaluate(|v| numbers[v as usize].clone());
            if number::is_negative(&value) || s.equation && !value.is_zero() {
                return failed(format!("{} is {value}", s.poly));
            }
        }
        Ok(numbers)
    }

    /// A comment that the next lines end with.
    pub fn set_note(&mut self, note: String) {
        self.note = note;
    }

    /// Lines since the last call, which are the caller's from here on.
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// A line that derives nothing.
    pub fn line(&mut self, line: &str) {
        self.text.push_str(line);
        if !self.note.is_empty() {
            self.text.push_str(" ; ");
            self.text.push_str(&self.note);
        }
        self.text.push('\n');
    }

    fn state(&mut self, poly: Poly, equation: bool) -> Fact {
        self.statements.push(Rc::new(Statement { poly, equation }));
        Fact(self.statements.len() as u32 - 1)
    }

    fn inequality(&self, f: Fact) -> Result<&Poly> {
        if self.is_equation(f) {
            return failed(format!("f{:x} is an equation", f.0));
        }
        Ok(self.poly(f))
    }

    fn multiples(multiples: &[Multiple]) -> String {
        multiples.iter().fold(String::new(), |mut out, (p, f)| {
            let _ = write!(out, " {p}@f{:x}", f.0);
            out
        })
    }

    /// `input`: a new variable in [lo, hi].
    pub fn input(&mut self, lo: &Int, hi: &Int) -> Result<(Var, Pair)> {
        if self.inputs != self.variables || lo > hi {
            return failed("an input that follows a floor, or that has no value");
        }
        let v = self.variables;
        self.variables += 1;
        self.inputs += 1;
        let low = self.state(Poly::var(v).plus(&-lo.clone()), false);
        let high = self.state(Poly::constant(hi.clone()).sub(&Poly::var(v)), false);
        let (l, h) = (number::hex(lo), number::hex(hi));
        let line = format!("input v{v:x} {l} {h}");
        self.premise(&line);
        self.line(&format!("{line} f{:x} f{:x}", low.0, high.0));
        Ok((v, Pair { low, high }))
    }

    /// `assume`: P >= 0 is the caller's promise.
    pub fn assume(&mut self, p: Poly) -> Result<Fact> {
        if p.variables().iter().any(|&v| !self.is_input(v)) {
            return failed("a promise about something that is no input");
        }
        let line = format!("assume f{:x} {p}", self.statements.len());
        self.premise(&format!("assume {p}"));
        self.line(&line);
        Ok(self.state(p, false))
    }

    /// `floor`: a new variable, floor(e / 2^k).
    pub fn floor(&mut self, e: &Poly, k: usize) -> Result<(Var, Pair)> {
        let v = self.variables;
        self.variables += 1;
        self.floors.push((Rc::new(e.clone()), k));
        let unit = number::power_of_two(k);
        let low = e.add_scaled(&Poly::var(v), &-unit.clone());
        let high = Poly::constant(unit - 1).sub(&low);
        let (low, high) = (self.state(low, false), self.state(high, false));
        let line = format!("floor v{v:x} {k:x} {e}");
        self.premise(&line);
        self.line(&format!("{line} f{:x} f{:x}", low.0, high.0));
        Ok((v, Pair { low, high }))
    }

    fn sum(&self, multiples: &[Multiple], equations_only: bool) -> Result<Poly> {
        let mut terms = Vec::new();
        for (m, f) in multiples {
            if !self.is_equation(*f) {
                let sign = m.as_constant().is_some_and(|c| !number::is_negative(&c));
                if equations_only || !sign {
                    return failed(format!("the multiplier {m} of f{:x}", f.0));
                }
            }
            terms.extend_from_slice(m.mul(self.poly(*f)).terms());
        }
        Ok(Poly::from_terms(terms))
    }

    /// `linear`: P >= 0, as the sum less n*P is a constant below n.
    pub fn linear(&mut self, n: &Int, p: Poly, multiples: &[Multiple]) -> Result<Fact> {
        let rest = self.sum(multiples, false)?.add_scaled(&p, &-n.clone());
        match rest.as_constant() {
            Some(c) if *n >= Int::ONE && c < *n => {
                if let [(m, f)] = multiples
                    && n.is_one()
                    && c.is_zero()
                    && m.as_constant().is_some_and(|m| m.is_one())
                    && !self.is_equation(*f)
                {
                    return Ok(*f);
                }
                let multiples = Self::multiples(multiples);
                let id = self.statements.len();
                self.line(&format!("linear f{id:x} {} {p}{multiples}", number::hex(n)));
                Ok(self.state(p, false))
            }
            _ => failed(format!("linear {p}: what is left is {rest}, divided by {n}")),
        }
    }

    /// `equal`: P = 0, as P >= 0 and -P >= 0.
    pub fn equal(&mut self, f: Fact, g: Fact) -> Result<Fact> {
        let p = self.inequality(f)?.clone();
        if !p.add(self.inequality(g)?).is_zero() {
            return failed("two bounds that are no equation");
        }
        self.line(&format!("equal f{:x} {p} f{:x} f{:x}", self.statements.len(), f.0, g.0));
        Ok(self.state(p, true))
    }

    /// `equation`: P = 0, a sum of equations.
    pub fn equation(&mut self, multiples: &[Multiple]) -> Result<Fact> {
        let p = self.sum(multiples, true)?;
        let id = self.statements.len();
        self.line(&format!("equation f{id:x} {p}{}", Self::multiples(multiples)));
        Ok(self.state(p, true))
    }

    /// `product`: of two facts.
    pub fn product(&mut self, f: Fact, g: Fact) -> Result<Fact> {
        let p = self.inequality(f)?.mul(self.inequality(g)?);
        self.line(&format!("product f{:x} f{:x} f{:x}", self.statements.len(), f.0, g.0));
        Ok(self.state(p, false))
    }

    /// `table`: P >= 0, as it is at each point of the box that the pairs span.
    pub fn table(&mut self, p: Poly, pairs: &[(Var, Pair)]) -> Result<Fact> {
        let mut sides = Vec::new();
        for (v, pair) in pairs {
            let lo = Poly::var(*v).sub(self.inequality(pair.low)?);
            let hi = self.inequality(pair.high)?.add(&Poly::var(*v));
            match (lo.as_constant(), hi.as_constant()) {
                (Some(lo), Some(hi)) => sides.push((*v, lo, hi)),
                _ => return failed(format!("the bounds of v{v:x} in a table")),
            }
        }
        let named = p.variables().iter().all(|v| sides.iter().filter(|s| s.0 == *v).count() == 1);
        let size = sides.iter().fold(Int::ONE, |n, (_, lo, hi)| n * (hi - lo + 1));
        if !named || size > Int::from(0x1000) {
            return failed("a table that lacks a variable, or is too large");
        }
        let mut at: Vec<Int> = sides.iter().map(|s| s.1.clone()).collect();
        'points: loop {
            let value = p.evaluate(|v| match sides.iter().position(|s| s.0 == v) {
                Some(i) => at[i].clone(),
                None => Int::ZERO,
            });
            if number::is_negative(&value) {
                return failed(format!("a table: {p} has the value {value}"));
            }
            for (x, (_, lo, hi)) in at.iter_mut().zip(&sides) {
                if *x < *hi {
                    *x += 1;
                    continue 'points;
                }
                *x = lo.clone();
            }
            break;
        }
        let mut line = format!("table f{:x} {p}", self.statements.len());
        for (_, pair) in pairs {
            let _ = write!(line, " f{:x} f{:x}", pair.low.0, pair.high.0);
        }
        self.line(&line);
        Ok(self.state(p, false))
    }

    /// `split`: which integers the machine holds.
    pub fn split(&mut self, k: usize, e: &Poly, q: &Poly, r: &Poly, bounds: Pair) -> Result<()> {
        let unit = number::power_of_two(k);
        let high = Poly::constant(&unit - 1).sub(r);
        if *e != r.add_scaled(q, &unit)
            || self.inequality(bounds.low)? != r
            || *self.inequality(bounds.high)? != high
        {
            return failed(format!("split of {e}"));
        }
        let (low, high) = (bounds.low.0, bounds.high.0);
        self.line(&format!("split {k:x} {e} {q} {r} f{low:x} f{high:x}"));
        Ok(())
    }

    /// `cases`: P has a value from lo to hi, which the facts bound.
    pub fn cases(&mut self, p: &Poly, bounds: Pair) -> Result<(Int, Int)> {
        let lo = p.sub(self.inequality(bounds.low)?).as_constant();
        let hi = p.add(self.inequality(bounds.high)?).as_constant();
        match (lo, hi) {
            (Some(lo), Some(hi)) => {
                let (l, h) = (number::hex(&lo), number::hex(&hi));
                self.line(&format!("cases {p} {l} {h} f{:x} f{:x}", bounds.low.0, bounds.high.0));
                Ok((lo, hi))
            }
            _ => failed(format!("cases of {p}, whose bounds the facts are not")),
        }
    }

    /// `case`: P = n, in a clone of the facts at `cases`.
    pub fn case(&mut self, p: &Poly, n: &Int) -> Fact {
        self.premise(&format!("case {p} {n}"));
        self.line(&format!("case {} f{:x}", number::hex(n), self.statements.len()));
        self.state(p.plus(&-n.clone()), true)
    }

    /// `contradiction`: the case cannot be.
    pub fn contradiction(&mut self, f: Fact) -> Result<()> {
        let c = self.poly(f).as_constant();
        if !c.is_some_and(
            |c| if self.is_equation(f) { !c.is_zero() } else { number::is_negative(&c) },
        ) {
            return failed(format!("f{:x} is no contradiction", f.0));
        }
        self.line(&format!("contradiction f{:x}", f.0));
        Ok(())
    }

    /// `zero`: p and the multiples have coefficients that m divides (0: that are zero).
    pub fn zero(&mut self, name: &str, m: &Int, p: &Poly, multiples: &[Multiple]) -> Result<()> {
        let sum = self.sum(multiples, true)?.add(p);
        let rest = if m.is_zero() { sum } else { sum.modulo(m) };
        if !rest.is_zero() {
            return Err(Error::Unproven(format!("{name}: what is left is {rest}")));
        }
        self.line(&format!("zero {name}{}", Self::multiples(multiples)));
        Ok(())
    }

    /// `limb` or `whole`: lo <= p <= hi.
    pub fn within(&mut self, goal: &str, p: &Poly, lo: &Int, hi: &Int, bounds: Pair) -> Result<()> {
        if *self.inequality(bounds.low)? != p.plus(&-lo.clone())
            || *self.inequality(bounds.high)? != Poly::constant(hi.clone()).sub(p)
        {
            return failed(format!("{goal}: bounds of something else"));
        }
        self.line(&format!("{goal} f{:x} f{:x}", bounds.low.0, bounds.high.0));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn byte() -> (Facts, Var, Pair) {
        let mut facts = Facts::default();
        let (v, pair) = facts.input(&Int::ZERO, &Int::from(255)).expect("an input");
        (facts, v, pair)
    }

    #[test]
    fn linear_rounds_and_refuses_more() {
        let (mut facts, v, pair) = byte();
        let one = || Poly::constant(1);
        // 255 - v >= 0; so 16*(15 - q) >= 0 for q = v/16, but not 16*(14 - q)
        let (q, floor) = facts.floor(&Poly::var(v), 4).expect("a floor");
        let sum = [(one(), pair.high), (one(), floor.low)];
        let at_most = |n: i32| Poly::constant(n).sub(&Poly::var(q));
        assert!(facts.linear(&Int::from(16), at_most(15), &sum).is_ok());
        assert!(facts.linear(&Int::from(16), at_most(14), &sum).is_err());
        let five = [(Poly::constant(5), pair.high)];
        let below = |n: i32| Poly::constant(n).sub(&Poly::var(v));
        assert!(facts.linear(&Int::from(5), below(255), &five).is_ok());
        assert!(facts.linear(&Int::from(5), below(254), &five).is_err());
        let minus = [(Poly::constant(-1), pair.high)];
        assert!(facts.linear(&Int::ONE, Poly::var(v).plus(&Int::from(-255)), &minus).is_err());
    }

    #[test]
    fn equations_take_two_bounds() {
        let (mut facts, v, pair) = byte();
        assert!(facts.equal(pair.low, pair.high).is_err());
        let case = facts.case(&Poly::var(v), &Int::from(7));
        let square = facts.equation(&[(Poly::var(v), case)]).expect("a multiple of an equation");
        assert_eq!(facts.poly(square).to_string(), "-7*v0+v0*v0");
        assert!(facts.contradiction(case).is_err());
    }

    #[test]
    fn tables_look_at_every_point() {
        let (mut facts, v, pair) = byte();
        let square = Poly::var(v).mul(&Poly::var(v));
        let p = square.add_scaled(&Poly::var(v), &Int::from(-3)).plus(&Int::from(2)); // (v-1)*(v-2)
        assert!(facts.table(p.clone(), &[(v, pair)]).is_ok());
        assert!(facts.table(p.plus(&Int::NEG_ONE), &[(v, pair)]).is_err());
        assert!(facts.table(p, &[]).is_err());
    }

    #[test]
    fn bounds_are_of_their_polynomial() {
        let (mut facts, v, pair) = byte();
        let (lo, hi) = (Int::ZERO, Int::from(255));
        let p = Poly::var(v);
        assert!(facts.within("limb a", &p, &lo, &hi, pair).is_ok());
        assert!(facts.within("limb a", &p, &lo, &Int::from(254), pair).is_err());
        assert!(facts.split(8, &p, &Poly::default(), &p, pair).is_ok());
        assert!(facts.split(7, &p, &Poly::default(), &p, pair).is_err());
    }
}
