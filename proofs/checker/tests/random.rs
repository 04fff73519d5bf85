//! Rules against numbers: random derivations, right ones and wrong ones. Each that the checker accepts is true at every choice of the inputs.

mod common;

use check::Certificate;
use check::polynomial::Polynomial;
use check::rules::Relation;
use common::{HEAD, Random, walk};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// A certificate under way.
struct Writer {
    random: Random,
    certificate: Certificate,
    text: String,
    /// Names in scope; each block's begin where the lengths say.
    variables: Vec<u32>,
    facts: Vec<u32>,
    blocks: Vec<(usize, usize)>,
    next: u32,
    /// Lines accepted and refused, by statement.
    counts: BTreeMap<String, [u32; 2]>,
}

impl Writer {
    /// Adds a line if the checker accepts it.
    fn line(&mut self, line: &str) -> bool {
        let word = line.split(' ').next().unwrap_or("").to_string();
        let counts = self.counts.entry(word).or_default();
        match self.certificate.clone().line(line) {
            Ok(certificate) => {
                self.certificate = certificate;
                self.text += line;
                self.text += "\n";
                counts[0] += 1;
                true
            }
            Err(_) => {
                counts[1] += 1;
                false
            }
        }
    }

    fn small(&mut self, low: i64, high: i64) -> i64 {
        low + self.random.below((high - low + 1) as usize) as i64
    }

    fn variable(&mut self) -> u32 {
        self.variables[self.random.below(self.variables.len())]
    }

    fn fact(&mut self) -> u32 {
        // Later facts are more interesting.
        let n = self.facts.len();
        let i = self.random.below(n).max(self.random.below(n));
        self.facts[i]
    }

    fn said(&self, name: u32) -> (Polynomial, Relation) {
        let fact = self.certificate.fact(name).expect("in scope");
        (fact.polynomial.clone(), fact.relation)
    }

    fn polynomial(&mut self) -> Polynomial {
        let mut sum = Polynomial::constant(self.small(-4, 4));
        for _ in 0..self.small(1, 3) {
            let mut term = Polynomial::constant(self.small(-3, 3));
            for _ in 0..self.small(1, 2) {
                let mut product = Polynomial::default();
                product.add_product(&term, &Polynomial::variable(self.variable())).unwrap();
                term = product;
            }
            sum.add_scaled(&term, &1.into());
        }
        sum
    }

    fn new_name(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// A sum of facts with multipliers, and the fields that say so; few of the multipliers are wrong.
    fn combination(&mut self, equations: bool) -> (Polynomial, String) {
        let mut sum = Polynomial::default();
        let mut fields = String::new();
        for _ in 0..self.small(1, 4) {
            let name = self.fact();
            let (p, relation) = self.said(name);
            let multiplier = match relation {
                Relation::Equation if self.random.below(2) == 0 => self.polynomial(),
                Relation::Equation => Polynomial::constant(self.small(-3, 3)),
                Relation::Inequality if equations && self.random.below(8) > 0 => continue,
                Relation::Inequality if self.random.below(40) == 0 => self.polynomial(),
                Relation::Inequality => {
                    Polynomial::constant(self.small(0, 3) - i64::from(self.random.below(40) == 0))
                }
            };
            if sum.add_product(&multiplier, &p).is_ok() {
                fields += &format!(" {}@f{name:x}", multiplier);
            }
        }
        (sum, fields)
    }

    fn step(&mut self) {
        let name = self.new_name();
        match self.random.below(12) {
            0 | 1 => {
                let v = self.new_name();
                let k = self.small(0, 3);
                let e = self.polynomial().to_string();
                let other = self.new_name();
                if self.line(&format!("floor v{v:x} {k:x} {e} f{name:x} f{other:x}")) {
                    self.variables.push(v);
                    self.facts.extend([name, other]);
                    if k == 0 {
                        let p = format!("{e}-v{v:x}");
                        let third = self.new_name();
                        if e != "0"
                            && self.line(&format!("equal f{third:x} {p} f{name:x} f{other:x}"))
                        {
                            self.facts.push(third);
                        }
                    }
                }
            }
            2..=4 => {
                let (sum, fields) = self.combination(false);
                // N is the largest that divides all but the constant, and c is about where P would be true no more.
                let zero = |_| BigInt::ZERO;
                let constant = sum.evaluate(zero);
                let n = [4, 3, 2, 1]
                    .map(BigInt::from)
                    .into_iter()
                    .find(|n| sum.above(&constant).is_divisible_by(n))
                    .unwrap();
                let mut p = divide(&sum.above(&constant), &n);
                let floor = (&constant - ((&constant % &n) + &n) % &n) / &n;
                p.add_scaled(&Polynomial::constant(floor + self.small(-1, 2)), &1.into());
                self.derive(name, &format!("linear f{name:x} {n:x} {}{fields}", p));
            }
            5 => {
                let (f, g) = (self.fact(), self.fact());
                self.derive(name, &format!("product f{name:x} f{f:x} f{g:x}"));
            }
            6 => {
                let (mut sum, fields) = self.combination(true);
                if self.random.below(8) == 0 {
                    sum.add_scaled(&self.polynomial(), &1.into());
                }
                self.derive(name, &format!("equation f{name:x} {}{fields}", sum));
            }
            7 => {
                let (f, g) = (self.fact(), self.fact());
                let p = self.said(f).0;
                self.derive(name, &format!("equal f{name:x} {p} f{f:x} f{g:x}"));
            }
            8 | 9 => {
                // P in inputs, whose bounds are f1 to f6, near its least value.
                let mut p = Polynomial::constant(self.small(-2, 30));
                let mut pairs = String::new();
                for v in 1..=3u32 {
                    if self.random.below(2) == 0 {
                        let mut square = Polynomial::default();
                        let x = Polynomial::variable(v);
                        square.add_product(&x, &x).unwrap();
                        p.add_scaled(&square, &self.small(-2, 3).into());
                        p.add_scaled(&x, &self.small(-4, 4).into());
                        pairs += &format!(" f{:x} f{:x}", 2 * v - 1, 2 * v);
                    }
                }
                self.derive(name, &format!("table f{name:x} {}{pairs}", p));
            }
            10 if self.blocks.len() < 3 => self.cases(name),
            _ => {
                // A wrong one is refused; where a right one is found, no input reaches the block, or the walk fails.
                let f = self.fact();
                self.line(&format!("contradiction f{f:x}"));
            }
        }
    }

    fn derive(&mut self, name: u32, line: &str) {
        if self.line(line) {
            self.facts.push(name);
        }
    }

    /// Cases of an input or of any fact's polynomial, with the right range or another.
    fn cases(&mut self, name: u32) {
        let v = self.small(1, 3) as u32;
        let (f, g) = (2 * v - 1, 2 * v);
        let zero = |_| BigInt::ZERO;
        let low = -self.said(f).0.evaluate(zero) + i64::from(self.random.below(8) == 0);
        let high = self.said(g).0.evaluate(zero) - i64::from(self.random.below(8) == 0);
        if !self.line(&format!("cases v{v:x} {low:x} {high:x} f{f:x} f{g:x}")) {
            return;
        }
        let mut n = low;
        while !self.line("end cases") {
            if !self.line(&format!("case {n:x} f{name:x}")) {
                panic!("neither a case nor an end: {}", self.text);
            }
            self.blocks.push((self.variables.len(), self.facts.len()));
            self.facts.push(name);
            for _ in 0..self.small(0, 8) {
                self.step();
                if self.ended() {
                    break;
                }
            }
            self.finish();
            assert!(self.line("end case"));
            let (variables, facts) = self.blocks.pop().unwrap();
            self.variables.truncate(variables);
            self.facts.truncate(facts);
            n += 1;
        }
    }

    /// Whether the last line ended the block.
    fn ended(&self) -> bool {
        self.text.ends_with("end cases\n")
            || self.text.lines().last().is_some_and(|line| line.starts_with("contradiction"))
    }

    /// Ends a block, by a contradiction if a fact is one.
    fn finish(&mut self) {
        if self.ended() {
            return;
        }
        // Two equations whose difference is a number, as of cases in cases, or a fact that is one.
        let equations = |name: &&u32| self.said(**name).1 == Relation::Equation;
        let equations: Vec<u32> = self.facts.iter().filter(equations).copied().collect();
        for (f, g) in equations.iter().zip(&equations[1.min(equations.len())..]) {
            let mut difference = self.said(*f).0;
            difference.add_scaled(&self.said(*g).0, &(-1).into());
            let name = self.new_name();
            if difference.as_constant().is_some_and(|c| c != BigInt::ZERO) {
                self.derive(name, &format!("equation f{name:x} {difference} 1@f{f:x} -1@f{g:x}"));
            }
        }
        for name in self.facts.clone().into_iter().rev() {
            if self.line(&format!("contradiction f{name:x}")) {
                return;
            }
        }
        let _ = self.line("out 0 v1") && self.line("limb g f1 f2");
    }
}

fn divide(p: &Polynomial, n: &BigInt) -> Polynomial {
    // There is no division of polynomials; coefficients are found by trial, as they are small.
    let text = p.to_string();
    let known: String = text.replace('-', "+-");
    let mut sum = Polynomial::default();
    for term in known.split('+').filter(|term| !term.is_empty()) {
        let (sign, term) = term.strip_prefix('-').map_or((1, term), |term| (-1, term));
        let mut product = Polynomial::constant(sign);
        let mut coefficient = BigInt::from(1);
        for factor in term.split('*') {
            match factor.strip_prefix('v') {
                Some(v) => {
                    let mut next = Polynomial::default();
                    next.add_product(
                        &product,
                        &Polynomial::variable(u32::from_str_radix(v, 16).unwrap()),
                    )
                    .unwrap();
                    product = next;
                }
                None => coefficient = common::number(factor),
            }
        }
        assert_eq!(&coefficient % n, BigInt::ZERO);
        sum.add_scaled(&product, &(coefficient / n));
    }
    sum
}

#[test]
fn accepted_facts_hold() {
    let mut totals: BTreeMap<String, [u32; 2]> = BTreeMap::new();
    let (mut facts, mut samples, mut proofs) = (0, 0, 0);
    for seed in 1..=certificates() {
        let mut writer = Writer {
            random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            certificate: Certificate::default(),
            text: String::new(),
            variables: vec![1, 2, 3],
            facts: (1..=6).collect(),
            blocks: vec![(0, 0)],
            next: 0x10,
            counts: BTreeMap::new(),
        };
        for line in HEAD.lines() {
            assert!(writer.line(line));
        }
        assert!(writer.line("segment s entry exit"));
        let mut ranges = Vec::new();
        for v in 1..=3u32 {
            let low = writer.small(-4, 2);
            let high = low + writer.small(0, 4);
            ranges.push((low, high));
            let (low, high) = (BigInt::from(low), BigInt::from(high));
            assert!(writer.line(&format!(
                "input v{v:x} {low:x} {high:x} f{:x} f{:x}",
                2 * v - 1,
                2 * v
            )));
        }
        let (low, high) = (BigInt::from(ranges[0].0), BigInt::from(ranges[0].1));
        assert!(writer.line(&format!("goal limb g 0 {low:x} {high:x}")));
        for _ in 0..40 {
            writer.step();
            if writer.ended() {
                break;
            }
        }
        writer.finish();
        assert!(writer.line("end segment") && writer.line("end certificate"), "{}", writer.text);
        let every = |bounds: &[(BigInt, BigInt)]| {
            assert_eq!(bounds.len(), 3);
            let mut points = vec![vec![]];
            for (low, high) in &ranges {
                points = points
                    .iter()
                    .flat_map(|point: &Vec<BigInt>| {
                        (*low..=*high).map(|x| [point.clone(), vec![x.into()]].concat())
                    })
                    .collect();
            }
            points
        };
        let walked = walk(&writer.text, every)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", writer.text));
        facts += walked.facts;
        samples += walked.samples;
        proofs += walked.proofs;
        for (word, counts) in writer.counts {
            let total = totals.entry(word).or_default();
            total[0] += counts[0];
            total[1] += counts[1];
        }
    }
    println!(
        "{facts} facts at {samples} choices of inputs; lines accepted and refused: {totals:?}"
    );
    assert_eq!(samples, proofs);
    // Each rule has been accepted and refused many times, so the test sees both.
    for word in ["linear", "equation", "equal", "product", "table", "cases", "contradiction"] {
        assert!(
            totals[word].iter().all(|&n| u64::from(n) * 20 > certificates()),
            "{word}: {totals:?}"
        );
    }
}

/// The number of certificates that are written; CERTIFICATES asks for more.
fn certificates() -> u64 {
    std::env::var("CERTIFICATES").map_or(300, |number| number.parse().expect("a number"))
}
