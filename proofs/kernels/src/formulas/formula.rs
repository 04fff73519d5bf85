//! A formula as text: steps over inputs, and what it gives.
//!
//! `X, Y = steps` stand on lines of their own: `E = 2*X*Y`. A step is a sum of products of numbers, names and sums in parentheses.
//! Products of two values that both vary are numbered; everything else is linear in inputs and products.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::number::{self, Int};
use crate::poly::Poly;

/// An input of a formula, by its place, or a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// An input.
    Input(usize),
    /// A product.
    Product(usize),
}

/// A sum of symbols with factors, and a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    /// Factors by symbol.
    pub terms: BTreeMap<Symbol, Int>,
    /// The number, a field element.
    pub constant: Int,
}

impl Linear {
    fn of(symbol: Symbol) -> Self {
        Self { terms: BTreeMap::from([(symbol, Int::ONE)]), constant: Int::ZERO }
    }

    fn add_scaled(&mut self, other: &Self, by: &Int) {
        for (s, c) in &other.terms {
            let sum = self.terms.entry(*s).or_default();
            *sum += c * by;
            if sum.is_zero() {
                self.terms.remove(s);
            }
        }
        self.constant += &other.constant * by;
    }

    fn number(&self) -> Option<&Int> {
        self.terms.is_empty().then_some(&self.constant)
    }
}

/// A formula as a page has it.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its name, and where it stands.
    pub name: &'static str,
    /// Names of the fields.
    pub fields: &'static [&'static str],
    /// Names of its inputs.
    pub inputs: &'static str,
    /// One assignment a line, or with semicolons.
    pub steps: &'static str,
    /// Names of what it gives.
    pub outputs: &'static str,
    /// Whether inputs may be negatives of what the block multiplies.
    pub signs: bool,
}

/// A formula, read.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Its source.
    pub source: Source,
    /// Names of inputs.
    pub inputs: Vec<&'static str>,
    /// Factors of each product.
    pub products: Vec<(Linear, Linear)>,
    /// Outputs.
    pub outputs: Vec<(&'static str, Linear)>,
}

struct Reader<'a> {
    rest: &'a str,
    names: &'a BTreeMap<&'static str, Linear>,
    products: &'a mut Vec<(Linear, Linear)>,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.rest = &self.rest[c.len_utf8()..];
        }
        found
    }

    fn refused<T>(&self, what: &str) -> Result<T> {
        Err(Error::Formula(format!("{what} is expected before {:?}", self.rest)))
    }

    fn sum(&mut self) -> Result<Linear> {
        let mut sum = Linear::default();
        let mut sign = if self.take('-') { Int::NEG_ONE } else { Int::ONE };
        loop {
            let term = self.term()?;
            sum.add_scaled(&term, &sign);
            sign = if self.take('+') {
                Int::ONE
            } else if self.take('-') {
                Int::NEG_ONE
            } else {
                return Ok(sum);
            };
        }
    }

    fn term(&mut self) -> Result<Linear> {
        let mut all = self.factor()?;
        while self.take('*') {
            let next = self.factor()?;
            all = match (all.number(), next.number()) {
                (Some(c), _) => scaled(&next, c),
                (_, Some(c)) => scaled(&all, c),
                _ => {
                    let pair = (all, next);
                    let known = self.products.iter().position(|p| *p == pair);
                    let n = known.unwrap_or(self.products.len());
                    if known.is_none() {
                        self.products.push(pair);
                    }
                    Linear::of(Symbol::Product(n))
                }
            };
        }
        Ok(all)
    }

    fn factor(&mut self) -> Result<Linear> {
        if self.take('(') {
            let sum = self.sum()?;
            return if self.take(')') { Ok(sum) } else { self.refused("`)`") };
        }
        let Some(first) = self.peek() else { return self.refused("a factor") };
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let value = if first.is_ascii_digit() {
            let value = Int::from_str_radix(word, 10).ok();
            value.map(|constant| Linear { constant, ..Linear::default() })
        } else {
            self.names.get(word).cloned()
        };
        let Some(value) = value else { return self.refused("a number or a known name") };
        self.rest = rest;
        Ok(value)
    }
}

fn scaled(of: &Linear, by: &Int) -> Linear {
    let mut out = Linear::default();
    out.add_scaled(of, by);
    out
}

/// d of edwards25519: −121665/121666.
fn d(p: &Int) -> Int {
    let inverse = number::inverse(&Int::from(121_666), p).unwrap_or_default();
    number::modulo(&(Int::from(-121_665) * inverse), p)
}

impl Formula {
    /// Reads a formula of a field; `d` is a number modulo 2^255 − 19.
    pub fn read(source: &Source, p: &Int) -> Result<Self> {
        let inputs: Vec<&'static str> = source.inputs.split_whitespace().collect();
        let mut names: BTreeMap<&'static str, Linear> = BTreeMap::new();
        names.insert("d", Linear { constant: d(p), ..Linear::default() });
        for (i, name) in inputs.iter().enumerate() {
            names.insert(name, Linear::of(Symbol::Input(i)));
        }
        let mut products = Vec::new();
        for step in source.steps.split([';', '\n']).map(str::trim).filter(|s| !s.is_empty()) {
            let wrong = || Error::Formula(format!("{}: {step:?} is no assignment", source.name));
            let (name, rest) = step.split_once('=').ok_or_else(wrong)?;
            let mut reader = Reader { rest, names: &names, products: &mut products };
            let value = reader.sum()?;
            if reader.peek().is_some() {
                return Err(wrong());
            }
            names.insert(name.trim(), value);
        }
        let output = |name: &'static str| match names.get(name) {
            Some(value) => Ok((name, value.clone())),
            None => Err(Error::Formula(format!("{}: no step gives {name}", source.name))),
        };
        let outputs: Result<Vec<_>> = source.outputs.split_whitespace().map(output).collect();
        Ok(Self { source: *source, inputs, products, outputs: outputs? })
    }
}

impl Formula {
    /// Its outputs for inputs that are polynomials; products are divided by R, numbers stand times R.
    pub fn polynomials(&self, inputs: &[Poly], r: &Int, inverse_r: &Int, p: &Int) -> Vec<Poly> {
        let mut products: Vec<Poly> = Vec::new();
        let value = |linear: &Linear, products: &[Poly]| {
            let constant = Poly::constant(&linear.constant * r);
            let sum = linear.terms.iter().fold(constant, |sum, (symbol, c)| match symbol {
                Symbol::Input(i) => sum.add_scaled(&inputs[*i], c),
                Symbol::Product(k) => sum.add_scaled(&products[*k], c),
            });
            sum.modulo(p)
        };
        for (a, b) in &self.products {
            let ab = value(a, &products).mul(&value(b, &products));
            products.push(ab.scale(inverse_r).modulo(p));
        }
        self.outputs.iter().map(|(_, l)| value(l, &products)).collect()
    }
}
