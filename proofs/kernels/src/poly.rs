//! Polynomials over the integers.

use std::collections::BTreeSet;
use std::fmt;

use smallvec::SmallVec;

use crate::number::{self, Int};

/// The number of a variable.
pub type Var = u32;

/// A product of variables, sorted; the empty one is 1.
pub type Monomial = SmallVec<[Var; 4]>;

/// A polynomial: terms sorted by monomial, none of them zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Poly {
    terms: Vec<(Monomial, Int)>,
}

impl Poly {
    /// A constant.
    pub fn constant(n: impl Into<Int>) -> Self {
        Self::term(Monomial::new(), n.into())
    }

    /// A variable.
    pub fn var(v: Var) -> Self {
        Self::term(Monomial::from_slice(&[v]), Int::ONE)
    }

    /// A coefficient and a monomial.
    pub fn term(m: Monomial, c: Int) -> Self {
        Self { terms: if c.is_zero() { Vec::new() } else { vec![(m, c)] } }
    }

    /// The sum of terms in any order.
    pub fn from_terms(mut terms: Vec<(Monomial, Int)>) -> Self {
        terms.sort_by(|a, b| a.0.cmp(&b.0));
        let mut out: Vec<(Monomial, Int)> = Vec::with_capacity(terms.len());
        for (m, c) in terms {
            match out.last_mut() {
                Some(last) if last.0 == m => last.1 += c,
                _ => out.push((m, c)),
            }
        }
        out.retain(|(_, c)| !c.is_zero());
        Self { terms: out }
    }

    /// Terms, sorted by monomial.
    pub fn terms(&self) -> &[(Monomial, Int)] {
        &self.terms
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Its value, if it holds no variable.
    pub fn as_constant(&self) -> Option<Int> {
        match self.terms.as_slice() {
            [] => Some(Int::ZERO),
            [(m, c)] if m.is_empty() => Some(c.clone()),
            _ => None,
        }
    }

    /// The variable that it is, if it is one.
    pub fn as_var(&self) -> Option<Var> {
        match self.terms.as_slice() {
            [(m, c)] if m.len() == 1 && c.is_one() => Some(m[0]),
            _ => None,
        }
    }

    /// The coefficient of a monomial.
    pub fn coefficient(&self, m: &[Var]) -> Int {
        match self.terms.binary_search_by(|t| t.0.as_slice().cmp(m)) {
            Ok(i) => self.terms[i].1.clone(),
            Err(_) => Int::ZERO,
        }
    }

    /// self + s * other.
    pub fn add_scaled(&self, other: &Self, s: &Int) -> Self {
        if s.is_zero() {
            return self.clone();
        }
        let mut out = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(x), Some(y)) => x.0.cmp(&y.0),
            };
            match order {
                std::cmp::Ordering::Less => out.extend(a.next().cloned()),
                std::cmp::Ordering::Greater => {
                    out.extend(b.next().map(|(m, c)| (m.clone(), c * s)));
                }
                std::cmp::Ordering::Equal => {
                    if let (Some((m, c)), Some((_, d))) = (a.next(), b.next()) {
                        let sum = c + d * s;
                        if !sum.is_zero() {
                            out.push((m.clone(), sum));
                        }
                    }
                }
            }
        }
        Self { terms: out }
    }

    /// self + other.
    pub fn add(&self, other: &Self) -> Self {
        self.add_scaled(other, &Int::ONE)
    }

    /// self - other.
    pub fn sub(&self, other: &Self) -> Self {
        self.add_scaled(other, &Int::NEG_ONE)
    }

    /// self + n.
    pub fn plus(&self, n: &Int) -> Self {
        self.add(&Self::constant(n.clone()))
    }

    /// n * self.
    pub fn scale(&self, n: &Int) -> Self {
        self.map(|c| c * n)
    }

    /// Each coefficient by a function of it.
    pub fn map(&self, f: impl Fn(&Int) -> Int) -> Self {
        let terms = self.terms.iter().map(|(m, c)| (m.clone(), f(c)));
        Self { terms: terms.filter(|(_, c)| !c.is_zero()).collect() }
    }

    /// self * other.
    pub fn mul(&self, other: &Self) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (m, c) in &self.terms {
            for (n, d) in &other.terms {
                let mut product = m.clone();
                product.extend_from_slice(n);
                product.sort_unstable();
                terms.push((product, c * d));
            }
        }
        Self::from_terms(terms)
    }

    /// Coefficients modulo m, each in [0, m).
    pub fn modulo(&self, m: &Int) -> Self {
        self.map(|c| number::modulo(c, m))
    }

    /// self / n, if every coefficient is a multiple of n.
    pub fn divided(&self, n: &Int) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len());
        for (m, c) in &self.terms {
            let q = number::floor_div(c, n);
            if &q * n != *c {
                return None;
            }
            terms.push((m.clone(), q));
        }
        Some(Self { terms })
    }

    /// Variables that stand in it.
    pub fn variables(&self) -> BTreeSet<Var> {
        self.terms.iter().flat_map(|(m, _)| m.iter().copied()).collect()
    }

    /// Whether a variable stands in it.
    pub fn contains(&self, v: Var) -> bool {
        self.terms.iter().any(|(m, _)| m.contains(&v))
    }

    /// (P, Q) with self = P + Q * (v - e), where P is self with e in the place of v.
    pub fn substitute(&self, v: Var, e: &Self) -> (Self, Self) {
        let (mut rest, mut value, mut quotient) = (Vec::new(), Self::default(), Self::default());
        for (m, c) in &self.terms {
            let degree = m.iter().filter(|&&x| x == v).count();
            if degree == 0 {
                rest.push((m.clone(), c.clone()));
                continue;
            }
            // v^n - e^n = (v - e) * (v^(n-1) + v^(n-2)*e + … + e^(n-1))
            let others: Monomial = m.iter().copied().filter(|&x| x != v).collect();
            let others = Self::term(others, c.clone());
            let (mut sum, mut power) = (Self::default(), Self::constant(1));
            for _ in 0..degree {
                sum = sum.mul(&Self::var(v)).add(&power);
                power = power.mul(e);
            }
            value = value.add(&others.mul(&power));
            quotient = quotient.add(&others.mul(&sum));
        }
        (value.add(&Self { terms: rest }), quotient)
    }

    /// Its value at a point.
    pub fn evaluate(&self, at: impl Fn(Var) -> Int) -> Int {
        let term = |(m, c): &(Monomial, Int)| m.iter().fold(c.clone(), |x, &v| x * at(v));
        self.terms.iter().map(term).fold(Int::ZERO, |a, b| a + b)
    }
}

/// As certificates have it.
impl fmt::Display for Poly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        for (i, (m, c)) in self.terms.iter().enumerate() {
            let size = number::magnitude(c);
            if number::is_negative(c) {
                f.write_str("-")?;
            } else if i > 0 {
                f.write_str("+")?;
            }
            let mut first = true;
            if m.is_empty() || !size.is_one() {
                f.write_str(&number::hex(&size))?;
                first = false;
            }
            for v in m {
                write!(f, "{}v{v:x}", if first { "" } else { "*" })?;
                first = false;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x() -> Poly {
        Poly::var(0)
    }

    fn y() -> Poly {
        Poly::var(1)
    }

    #[test]
    fn products_and_sums() {
        let square = x().add(&y()).mul(&x().sub(&y()));
        assert_eq!(square, x().mul(&x()).sub(&y().mul(&y())));
        assert_eq!(square.to_string(), "v0*v0-v1*v1");
        assert!(square.sub(&square).is_zero());
        assert_eq!(x().scale(&Int::from(-255)).plus(&Int::from(3)).to_string(), "3-ff*v0");
    }

    #[test]
    fn substitution_leaves_a_multiple_of_the_equation() {
        let p = x().mul(&x()).mul(&y()).add(&x().scale(&Int::from(7))).plus(&Int::from(5));
        let e = y().plus(&Int::from(2));
        let (value, quotient) = p.substitute(0, &e);
        assert!(!value.contains(0));
        assert_eq!(p, value.add(&quotient.mul(&x().sub(&e))));
    }

    #[test]
    fn exact_division_alone() {
        let p = x().scale(&Int::from(6)).plus(&Int::from(-9));
        assert_eq!(p.divided(&Int::from(3)).map(|p| p.to_string()).as_deref(), Some("-3+2*v0"));
        assert_eq!(p.divided(&Int::from(2)), None);
    }
}
