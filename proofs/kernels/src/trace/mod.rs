//! Exact integers that code computes: polynomials in its inputs and in quotients, with bounds that are facts.
//!
//! One rule makes a variable besides inputs: E = 2^k*q + r with 0 <= r < 2^k, in [`Trace::split`]. Cases put a polynomial in the place
//! of a variable from then on; facts that still hold the variable are rewritten when they are used.

mod bounds;
mod elimination;
mod sharpen;
mod signed;
mod simplex;
mod split;

pub use bounds::{Determined, Effort};

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::error::{Error, Result};
use crate::facts::{Fact, Facts, Pair};
use crate::number::{self, Int};
use crate::poly::{Monomial, Poly, Var};
use crate::samples::Samples;

/// An integer of which bounds are known.
#[derive(Clone, Debug)]
pub struct Word {
    /// Its value.
    pub p: Poly,
    /// It is at least this.
    pub lo: Int,
    /// It is at most this.
    pub hi: Int,
    /// The facts that say so; a constant has none.
    bounds: Option<Pair>,
    /// Words that it is put together of, each with the place of its lowest bit; they do not overlap.
    parts: Option<Rc<Vec<(usize, Word)>>>,
}

impl Word {
    /// A constant.
    pub fn constant(n: impl Into<Int>) -> Self {
        let n = n.into();
        Self { p: Poly::constant(n.clone()), lo: n.clone(), hi: n, bounds: None, parts: None }
    }

    /// Its value, if it is a constant.
    pub fn known(&self) -> Option<Int> {
        self.p.as_constant()
    }

    /// Whether it is 0 or 1.
    pub fn is_bit(&self) -> bool {
        !number::is_negative(&self.lo) && self.hi <= Int::ONE
    }
}

/// The bounds of a variable.
#[derive(Clone)]
struct Range {
    lo: Int,
    hi: Int,
    pair: Pair,
}

/// v = floor(e / 2^k).
#[derive(Clone)]
struct Definition {
    e: Word,
    k: usize,
    pair: Pair,
}

/// v = e from here on, as the equation v - e = 0 says.
#[derive(Clone)]
struct Substitution {
    v: Var,
    e: Poly,
    equation: Fact,
}

/// The state of a run: its facts, and what is remembered of its words.
#[derive(Clone, Default)]
pub struct Trace {
    /// Facts, and the certificate.
    pub facts: Facts,
    ranges: Vec<Range>,
    definitions: HashMap<Var, Definition>,
    substitutions: Vec<Substitution>,
    rewritten: HashMap<Fact, (usize, Fact)>,
    /// Words in [0, 2^64), by which a split may be known.
    noted: Vec<Word>,
    known: HashMap<usize, HashMap<Poly, usize>>,
    /// Bounds of quotients that no variable stands for.
    observed: Vec<Fact>,
    /// Facts that a case made sharper: they held a variable that is fixed.
    sharpened: Vec<Fact>,
    /// Places of words in the sum that is to be bounded.
    weights: Vec<usize>,
    /// Promises about inputs.
    relations: Vec<Fact>,
    monomials: HashMap<Monomial, Word>,
    /// Eliminations that a proof may still make, shared by its cases.
    pub(crate) searches: Option<Rc<Cell<u64>>>,
    /// Numbers that inputs have in a run on numbers.
    pub(crate) samples: Option<Samples>,
}

/// Two bounds of a word that is no constant.
fn pair_of(low: Fact, high: Fact) -> Option<Pair> {
    Some(Pair { low, high })
}

impl Trace {
    /// An input in [lo, hi].
    pub fn input(&mut self, lo: &Int, hi: &Int) -> Result<Word> {
        if let Some(samples) = &mut self.samples {
            return Ok(Word::constant(samples.draw(lo, hi)));
        }
        let (v, pair) = self.facts.input(lo, hi)?;
        self.ranges.push(Range { lo: lo.clone(), hi: hi.clone(), pair });
        let word = self.variable(v);
        self.note(&word);
        Ok(word)
    }

    /// A promise P >= 0 about inputs.
    pub fn assume(&mut self, p: Poly) -> Result<Fact> {
        if let Some(samples) = &mut self.samples {
            samples.broken |= p.as_constant().is_none_or(|n| number::is_negative(&n));
        }
        let f = self.facts.assume(p)?;
        self.relations.push(f);
        Ok(f)
    }

    /// Remembers a fact about inputs that follows from promises.
    pub fn relate(&mut self, f: Fact) {
        self.relations.push(f);
    }

    /// Promises, and what was derived of them.
    pub fn relations(&self) -> &[Fact] {
        &self.relations
    }

    /// The word of a variable.
    pub fn variable(&self, v: Var) -> Word {
        let range = &self.ranges[v as usize];
        Word {
            p: Poly::var(v),
            lo: range.lo.clone(),
            hi: range.hi.clone(),
            bounds: Some(range.pair),
            parts: None,
        }
    }

    /// Variables of the facts that cases made sharper.
    pub fn sharpened_variables(&mut self) -> Result<BTreeSet<Var>> {
        let mut out = BTreeSet::new();
        for f in self.sharpened.clone() {
            let f = self.current(f)?;
            out.extend(self.facts.poly(f).variables());
        }
        Ok(out)
    }

    /// Greatest less least value of a variable.
    pub fn width(&self, v: Var) -> Int {
        let range = &self.ranges[v as usize];
        &range.hi - &range.lo
    }

    /// P >= 0, which a fact says of P less a constant that is not negative.
    pub fn weaker(&mut self, f: Fact, p: Poly) -> Result<Fact> {
        self.derive(&Int::ONE, p, &[(Int::ONE, Some(f))])
    }

    /// Whether a word depends on such inputs alone.
    pub fn depends_only_on(&self, p: &Poly, inputs: &BTreeSet<Var>) -> bool {
        p.variables().iter().all(|v| {
            inputs.contains(v)
                || self.definitions.get(v).is_some_and(|d| self.depends_only_on(&d.e.p, inputs))
        })
    }

    /// A fact with every substitution so far.
    fn current(&mut self, f: Fact) -> Result<Fact> {
        let (mut done, mut g) = self.rewritten.get(&f).copied().unwrap_or((0, f));
        while done < self.substitutions.len() {
            let s = self.substitutions[done].clone();
            done += 1;
            if !self.facts.poly(g).contains(s.v) {
                continue;
            }
            let (p, quotient) = self.facts.poly(g).substitute(s.v, &s.e);
            let multiples = [(Poly::constant(1), g), (quotient.scale(&Int::NEG_ONE), s.equation)];
            g = if self.facts.is_equation(g) {
                self.facts.equation(&multiples)?
            } else {
                self.facts.linear(&Int::ONE, p, &multiples)?
            };
        }
        self.rewritten.insert(f, (done, g));
        Ok(g)
    }

    /// n*P + c = the sum of terms, c < n: so P >= 0. Terms without a fact or a multiplier are left out.
    fn derive(&mut self, n: &Int, p: Poly, terms: &[(Int, Option<Fact>)]) -> Result<Fact> {
        let mut multiples = Vec::with_capacity(terms.len());
        for (c, f) in terms {
            if let (false, Some(f)) = (c.is_zero(), f) {
                multiples.push((Poly::constant(c.clone()), self.current(*f)?));
            }
        }
        self.facts.linear(n, p, &multiples)
    }

    fn low(w: &Word) -> Option<Fact> {
        w.bounds.map(|b| b.low)
    }

    fn high(w: &Word) -> Option<Fact> {
        w.bounds.map(|b| b.high)
    }

    /// P >= 0, of which the terms are the bounds of a word: its word.
    fn bounded(
        &mut self,
        p: Poly,
        lo: Int,
        hi: Int,
        terms: [&[(Int, Option<Fact>)]; 2],
    ) -> Result<Word> {
        if let Some(n) = p.as_constant() {
            return Ok(Word::constant(n));
        }
        let one = Int::ONE;
        let low = self.derive(&one, p.plus(&-lo.clone()), terms[0])?;
        let high = self.derive(&one, Poly::constant(hi.clone()).sub(&p), terms[1])?;
        Ok(Word { p, lo, hi, bounds: pair_of(low, high), parts: None })
    }

    /// A sum of words, each with its coefficient.
    pub fn sum(&mut self, terms: &[(Int, &Word)]) -> Result<Word> {
        if let [(c, w)] = terms
            && c.is_one()
        {
            return Ok((*w).clone());
        }
        let (mut p, mut lo, mut hi) = (Poly::default(), Int::ZERO, Int::ZERO);
        let (mut lows, mut highs) = (Vec::new(), Vec::new());
        for (c, w) in terms {
            p = p.add_scaled(&w.p, c);
            let size = number::magnitude(c);
            let (a, b) = if number::is_negative(c) {
                lows.push((size.clone(), Self::high(w)));
                highs.push((size, Self::low(w)));
                (&w.hi, &w.lo)
            } else {
                lows.push((size.clone(), Self::low(w)));
                highs.push((size, Self::high(w)));
                (&w.lo, &w.hi)
            };
            lo += c * a;
            hi += c * b;
        }
        self.bounded(p, lo, hi, [&lows, &highs])
    }

    /// A product of words, neither of which is negative, or of one and a constant.
    pub fn product(&mut self, a: &Word, b: &Word) -> Result<Word> {
        if let Some(n) = a.known() {
            return self.sum(&[(n, b)]);
        }
        if let Some(n) = b.known() {
            return self.sum(&[(n, a)]);
        }
        let (Some(x), Some(y)) = (a.bounds, b.bounds) else {
            return Err(Error::Derivation("a product of words without bounds".into()));
        };
        if number::is_negative(&a.lo) || number::is_negative(&b.lo) {
            return Err(Error::Derivation("a product of words that may be negative".into()));
        }
        let (xl, xh) = (self.current(x.low)?, self.current(x.high)?);
        let (yl, yh) = (self.current(y.low)?, self.current(y.high)?);
        let least = Some(self.facts.product(xl, yl)?);
        let most = Some(self.facts.product(xh, yl)?);
        let one = Int::ONE;
        // a*b - la*lb = (a - la)*(b - lb) + lb*(a - la) + la*(b - lb)
        let lows = [(one.clone(), least), (b.lo.clone(), Some(xl)), (a.lo.clone(), Some(yl))];
        // ha*hb - a*b = (ha - a)*(b - lb) + lb*(ha - a) + ha*(hb - b)
        let highs = [(one, most), (b.lo.clone(), Some(xh)), (a.hi.clone(), Some(yh))];
        self.bounded(a.p.mul(&b.p), &a.lo * &b.lo, &a.hi * &b.hi, [&lows, &highs])
    }

    /// A word put together of others, each shifted to its place; they may not overlap.
    pub fn joined(&mut self, parts: Vec<(usize, Word)>) -> Result<Word> {
        let mut flat = Vec::new();
        for (at, w) in parts {
            match &w.parts {
                Some(inner) => flat.extend(inner.iter().map(|(i, x)| (at + i, x.clone()))),
                None => flat.push((at, w)),
            }
        }
        flat.retain(|(_, w)| !w.known().is_some_and(|n| n.is_zero()));
        flat.sort_by_key(|(at, _)| *at);
        let terms: Vec<_> = flat.iter().map(|(at, w)| (number::power_of_two(*at), w)).collect();
        let mut word = self.sum(&terms)?;
        if word.known().is_none() && (flat.len() > 1 || flat[0].0 > 0) {
            word.parts = Some(Rc::new(flat));
        }
        Ok(word)
    }

    /// Remembers a word that is not negative, and below 2^64.
    fn note(&mut self, w: &Word) {
        if number::is_negative(&w.lo) || w.hi >= number::power_of_two(64) || w.known().is_some() {
            return;
        }
        let i = self.noted.len();
        for (k, table) in &mut self.known {
            let unit = number::power_of_two(*k);
            if w.hi < unit {
                table.entry(w.p.modulo(&unit)).or_insert(i);
            }
        }
        self.noted.push(w.clone());
    }

    /// The remembered word that is congruent to p modulo 2^k in every coefficient.
    fn congruent(&mut self, p: &Poly, k: usize) -> Option<Word> {
        let unit = number::power_of_two(k);
        let noted = &self.noted;
        let table = self.known.entry(k).or_insert_with(|| {
            let mut table = HashMap::new();
            for (i, w) in noted.iter().enumerate() {
                if w.hi < unit {
                    table.entry(w.p.modulo(&unit)).or_insert(i);
                }
            }
            table
        });
        table.get(&p.modulo(&unit)).map(|&i| noted[i].clone())
    }

    /// A polynomial with every substitution so far.
    pub fn now(&self, p: &Poly) -> Poly {
        self.substitutions.iter().fold(p.clone(), |p, s| p.substitute(s.v, &s.e).0)
    }

    /// The same of a word.
    pub fn refresh(&self, w: &Word) -> Word {
        let mut out = w.clone();
        out.p = self.now(&w.p);
        out.parts = w
            .parts
            .as_ref()
            .map(|parts| Rc::new(parts.iter().map(|(at, x)| (*at, self.refresh(x))).collect()));
        match out.known() {
            Some(n) => Word::constant(n),
            None => out,
        }
    }

    /// The variable of a polynomial that an equation gives, and its sign: one of coefficient 1 or -1 that no other term holds.
    pub fn unit(p: &Poly) -> Option<(Var, Int)> {
        let units = p.terms().iter().filter(|(m, c)| m.len() == 1 && number::magnitude(c).is_one());
        let alone = |v: Var| p.terms().iter().filter(|(m, _)| m.contains(&v)).count() == 1;
        units.filter(|(m, _)| alone(m[0])).map(|(m, c)| (m[0], c.clone())).max_by_key(|(v, _)| *v)
    }

    /// Puts what an equation says in the place of a variable; words outside have to be refreshed.
    pub fn fix(&mut self, equation: Fact) -> Result<()> {
        let equation = self.current(equation)?;
        let Some((v, sign)) = Self::unit(self.facts.poly(equation)) else {
            return Err(Error::Unproven(format!("no variable in {}", self.facts.poly(equation))));
        };
        let equation = if sign.is_one() {
            equation
        } else {
            self.facts.equation(&[(Poly::constant(-1), equation)])?
        };
        let e = Poly::var(v).sub(self.facts.poly(equation));
        let range = self.ranges[v as usize].pair;
        self.sharpened.extend([range.low, range.high]);
        if let Some(d) = self.definitions.remove(&v) {
            self.sharpened.extend([d.pair.low, d.pair.high]);
        }
        for f in std::mem::take(&mut self.observed) {
            let sharper = self.facts.poly(f).contains(v);
            if sharper { &mut self.sharpened } else { &mut self.observed }.push(f);
        }
        self.substitutions.push(Substitution { v, e: e.clone(), equation });
        let noted = std::mem::take(&mut self.noted);
        for w in noted {
            let w = if w.p.contains(v) { self.refresh(&w) } else { w };
            if w.known().is_none() {
                self.noted.push(w);
            }
        }
        self.known.clear();
        let mut definitions = std::mem::take(&mut self.definitions);
        for d in definitions.values_mut().filter(|d| d.e.p.contains(v)) {
            d.e = self.refresh(&d.e);
        }
        // a case of an input may leave a definition that holds its own variable
        definitions.retain(|v, d| !d.e.p.contains(*v));
        self.definitions = definitions;
        Ok(())
    }

    /// Multiples of equations that take a polynomial of inputs to [`Trace::now`] of it.
    pub fn rewriting(&self, p: &Poly, factor: &Int) -> Vec<(Poly, Fact)> {
        let mut p = p.clone();
        let mut multiples = Vec::new();
        for s in &self.substitutions {
            if p.contains(s.v) {
                let (value, quotient) = p.substitute(s.v, &s.e);
                multiples.push((quotient.scale(factor), s.equation));
                p = value;
            }
        }
        multiples
    }

    /// The facts of a word's bounds, with every substitution so far.
    pub fn bounds_of(&mut self, w: &Word) -> Result<Pair> {
        match w.bounds {
            Some(b) => Ok(Pair { low: self.current(b.low)?, high: self.current(b.high)? }),
            None => {
                let zero = |t: &mut Self| t.facts.linear(&Int::ONE, Poly::default(), &[]);
                Ok(Pair { low: zero(self)?, high: zero(self)? })
            }
        }
    }
}
