//! The search of a formula in a block: on numbers modulo the prime first, and then as polynomials.
//!
//! Each factor of a formula's product, if it is that of a product of the block, is a linear equation for the formula's inputs.
//! A search over pairs of products solves those; inputs that no product tells are tried among the block's values. All this is a guess.
//! The proof is `Search::proof`: outputs of the formula, as polynomials, are values of the block.

use std::collections::{BTreeMap, BTreeSet};

use super::block::{Block, Place};
use super::formula::{Formula, Linear, Symbol};
use crate::number::{self, Int};
use crate::poly::{Poly, Var};

/// A sum of values of the block.
type Combination = BTreeMap<Place, Int>;

/// A number, and the sum of values that it is.
#[derive(Clone, Debug, Default)]
struct Known {
    number: Int,
    sum: Combination,
}

impl Known {
    fn add_scaled(&mut self, other: &Self, by: &Int, p: &Int) {
        self.number = number::modulo(&(&self.number + &other.number * by), p);
        for (place, c) in &other.sum {
            let x = self.sum.entry(*place).or_default();
            *x = number::modulo(&(&*x + c * by), p);
        }
        self.sum.retain(|_, c| !c.is_zero());
    }
}

/// Equations for inputs: of each, the others that it depends on, and the rest.
#[derive(Clone, Debug, Default)]
struct System {
    rows: BTreeMap<usize, (BTreeMap<usize, Int>, Known)>,
}

/// A formula that a block computes.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its inputs, as sums of values of the block.
    pub inputs: Vec<BTreeMap<Place, Int>>,
    /// Values that are its outputs.
    pub outputs: Vec<Place>,
    /// Products of the block that belong to it.
    pub products: BTreeSet<usize>,
    /// Lines of the block that belong to it.
    pub lines: BTreeSet<usize>,
}

/// A block with numbers in the place of its inputs.
pub struct Search<'a, 'b> {
    block: &'b mut Block<'a>,
    p: Int,
    r: Int,
    inverse_r: Int,
    values: BTreeMap<Place, Int>,
    places: BTreeMap<Int, Place>,
    /// Products by their number, or the number's negative.
    products: BTreeMap<Int, usize>,
    steps: usize,
}

/// Steps of one search at most.
const STEPS: usize = 60_000;

impl<'a, 'b> Search<'a, 'b> {
    /// The block with numbers that a seed tells.
    pub fn new(block: &'b mut Block<'a>) -> Option<Self> {
        let p = block.field.p.clone();
        let mut numbers = Vec::new();
        let mut x = Int::from(0x9e37_79b9_7f4a_7c15_u64);
        for _ in 0..block.variables() {
            // powers of a number are as good as random
            x = number::modulo(&(&x * &x + 7), &p);
            numbers.push(x.clone());
        }
        let at = |v: Var| Poly::constant(numbers.get(v as usize).cloned().unwrap_or_default());
        let lines = block.evaluate(&at, &|_, x| x)?;
        let mut values = BTreeMap::new();
        for (i, poly) in lines.iter().enumerate() {
            values.insert(Place::Line(i), poly.as_constant()?);
        }
        for &v in &block.inputs {
            values.insert(Place::Input(v), numbers[v as usize].clone());
        }
        let mut places = BTreeMap::new();
        for (place, x) in &values {
            if *x != Int::ZERO {
                places.entry(x.clone()).or_insert(*place);
            }
        }
        let r = number::power_of_two(block.field.radix * block.field.limbs);
        let montgomery = block.field.montgomery;
        let (r, inverse_r) = if montgomery {
            (number::modulo(&r, &p), number::inverse(&r, &p)?)
        } else {
            (Int::ONE, Int::ONE)
        };
        let mut products = BTreeMap::new();
        for (i, x) in block.products.iter().enumerate() {
            let [a, b] = x.factors.map(|f| &values[&f]);
            let ab = number::modulo(&(a * b * &inverse_r), &p);
            products.insert(number::modulo(&-ab.clone(), &p), i);
            products.insert(ab, i);
        }
        Some(Self { block, p, r, inverse_r, values, places, products, steps: 0 })
    }

    /// All places in the block where a formula stands, none of whose products is one of those used.
    pub fn find(&mut self, formula: &Formula, used: &BTreeSet<usize>) -> Vec<Found> {
        let mut all = Vec::new();
        let is_square = |f: &[Place; 2]| self.values[&f[0]] == self.values[&f[1]];
        let squares = self.block.products.iter().filter(|x| is_square(&x.factors)).count();
        let needed = formula.products.iter().filter(|(a, b)| a == b).count();
        let free = self.block.products.len() - used.len().min(self.block.products.len());
        if free < formula.products.len() || squares < needed {
            return all;
        }
        self.steps = 0;
        self.step(formula, 0, &System::default(), &mut Vec::new(), used, &mut all);
        // of several ways the one that ends last
        all.sort_by_key(|f| std::cmp::Reverse(f.products.iter().sum::<usize>()));
        all
    }

    /// A linear form in the inputs that are not known yet, and the rest.
    fn value(
        &self,
        linear: &Linear,
        system: &System,
        products: &[Int],
    ) -> (BTreeMap<usize, Int>, Known) {
        let mut known = Known {
            number: number::modulo(&(&linear.constant * &self.r), &self.p),
            sum: Combination::new(),
        };
        let mut open: BTreeMap<usize, Int> = BTreeMap::new();
        for (symbol, c) in &linear.terms {
            match symbol {
                Symbol::Product(k) => known.number += &products[*k] * c,
                Symbol::Input(i) => match system.rows.get(i) {
                    Some((rest, of)) => {
                        known.add_scaled(of, c, &self.p);
                        for (j, d) in rest {
                            *open.entry(*j).or_default() += d * c;
                        }
                    }
                    None => *open.entry(*i).or_default() += c,
                },
            }
        }
        known.number = number::modulo(&known.number, &self.p);
        for c in open.values_mut() {
            *c = number::modulo(c, &self.p);
        }
        open.retain(|_, c| !c.is_zero());
        (open, known)
    }

    /// The system with one more equation: a linear form is a value of the block times a sign. None if that cannot be.
    fn with(
        &self,
        system: &System,
        linear: &Linear,
        products: &[Int],
        (is, sign): (Place, &Int),
    ) -> Option<System> {
        let value = &number::modulo(&(&self.values[&is] * sign), &self.p);
        let (open, known) = self.value(linear, system, products);
        let Some((&pivot, c)) = open.iter().next() else {
            return (known.number == *value).then(|| system.clone());
        };
        let inverse = number::inverse(c, &self.p)?;
        // pivot = (value - known - others)/c
        let mut right = Known { number: value.clone(), sum: BTreeMap::from([(is, sign.clone())]) };
        right.add_scaled(&known, &Int::NEG_ONE, &self.p);
        let mut solved = Known::default();
        solved.add_scaled(&right, &inverse, &self.p);
        let minus = -inverse;
        let rest: BTreeMap<usize, Int> = open
            .iter()
            .filter(|(j, _)| **j != pivot)
            .map(|(j, d)| (*j, number::modulo(&(d * &minus), &self.p)))
            .collect();
        let mut next = system.clone();
        for (others, of) in next.rows.values_mut() {
            if let Some(by) = others.remove(&pivot) {
                of.add_scaled(&solved, &by, &self.p);
                for (j, d) in &rest {
                    let x = others.entry(*j).or_default();
                    *x = number::modulo(&(&*x + d * &by), &self.p);
                }
                others.retain(|_, c| !c.is_zero());
            }
        }
        next.rows.insert(pivot, (rest, solved));
        Some(next)
    }

    /// Whether sums of products that are known since the last one are values of the block, or negatives: outputs, and factors of later
    /// products.
    fn fits(&self, formula: &Formula, system: &System, products: &[Int]) -> bool {
        let last = Symbol::Product(products.len() - 1);
        let later = formula.products.iter().skip(products.len()).flat_map(|(a, b)| [a, b]);
        let forms = formula.outputs.iter().map(|o| &o.1).chain(later);
        let known = |l: &&Linear| {
            let of = |s: &Symbol| matches!(s, Symbol::Product(k) if *k < products.len());
            l.terms.contains_key(&last) && l.terms.keys().all(of)
        };
        forms.filter(known).all(|l| {
            let x = self.value(l, system, products).1.number;
            let minus = number::modulo(&-x.clone(), &self.p);
            self.places.contains_key(&x) || self.places.contains_key(&minus)
        })
    }

    /// Whether a product, or its negative, stands for another product of the formula.
    fn is_taken(&self, ab: &Int, products: &[Int]) -> bool {
        products.iter().any(|x| x == ab || (x + ab) == self.p)
    }

    fn step(
        &mut self,
        formula: &Formula,
        at: usize,
        system: &System,
        products: &mut Vec<Int>,
        used: &BTreeSet<usize>,
        all: &mut Vec<Found>,
    ) {
        self.steps += 1;
        if self.steps > STEPS || all.len() >= 64 {
            return;
        }
        if let Some((a, b)) = formula.products.get(at) {
            let (x, y) = (self.value(a, system, products), self.value(b, system, products));
            if x.0.is_empty() && y.0.is_empty() {
                let ab = number::modulo(&(x.1.number * y.1.number * &self.inverse_r), &self.p);
                let is_new = |i: &usize| !used.contains(i) && !self.is_taken(&ab, products);
                if self.products.get(&ab).is_some_and(is_new) {
                    products.push(ab);
                    if self.fits(formula, system, products) {
                        self.step(formula, at + 1, system, products, used, all);
                    }
                    products.pop();
                }
                return;
            }
            // a sum of an input and products is no equation for the input: it is tried as one of the values
            let mixed = |l: &Linear, open: &BTreeMap<usize, Int>| {
                let of_products = l.terms.keys().any(|s| matches!(s, Symbol::Product(_)));
                open.keys().next().copied().filter(|_| of_products || !l.constant.is_zero())
            };
            if let Some(i) = mixed(a, &x.0).or_else(|| mixed(b, &y.0)) {
                self.guess(formula, at, i, system, products, used, all);
                return;
            }
            let (one, minus) = (Int::ONE, Int::NEG_ONE);
            let mut signs = vec![(one.clone(), one.clone())];
            if formula.source.signs {
                signs.extend([(minus.clone(), one.clone()), (one, minus)]);
            }
            let mut tried = BTreeSet::new();
            for i in 0..self.block.products.len() {
                if used.contains(&i) {
                    continue;
                }
                let [f, g] = self.block.products[i].factors;
                let orders = if a == b || f == g { vec![(f, g)] } else { vec![(f, g), (g, f)] };
                for ((f, g), (s, t)) in
                    orders.iter().flat_map(|o| signs.iter().map(move |s| (*o, s)))
                {
                    if !tried.insert((f, g, s.clone(), t.clone())) {
                        continue;
                    }
                    let next = self.with(system, a, products, (f, s));
                    let next = next.and_then(|n| self.with(&n, b, products, (g, t)));
                    let Some(next) = next else { continue };
                    let ab = &self.values[&f] * &self.values[&g] * &self.inverse_r * s * t;
                    let ab = number::modulo(&ab, &self.p);
                    if self.is_taken(&ab, products) {
                        continue;
                    }
                    products.push(ab);
                    if self.fits(formula, system, products) {
                        self.step(formula, at + 1, &next, products, used, all);
                    }
                    products.pop();
                }
            }
            return;
        }
        // outputs, as far as inputs are known; an input that none of them has is not one
        let mut open = None;
        for (_, linear) in &formula.outputs {
            let (inputs, known) = self.value(linear, system, products);
            match inputs.first_key_value() {
                Some((i, _)) => open = open.or(Some(*i)),
                None if !self.places.contains_key(&known.number) => return,
                None => {}
            }
        }
        match open {
            Some(i) => self.guess(formula, at, i, system, products, used, all),
            None => all.extend(self.proof(formula, system, products, used)),
        }
    }

    /// Tries each value of the block as an input.
    #[allow(clippy::too_many_arguments)] // the state of the search
    fn guess(
        &mut self,
        formula: &Formula,
        at: usize,
        input: usize,
        system: &System,
        products: &mut Vec<Int>,
        used: &BTreeSet<usize>,
        all: &mut Vec<Found>,
    ) {
        let terms = BTreeMap::from([(Symbol::Input(input), Int::ONE)]);
        let input = Linear { terms, constant: Int::ZERO };
        let places: Vec<Place> = self.places.values().copied().collect();
        for place in places {
            if let Some(next) = self.with(system, &input, products, (place, &Int::ONE)) {
                self.step(formula, at, &next, products, used, all);
            }
        }
    }

    /// The formula in the block, if its outputs are values of the block as polynomials: in the block's inputs, and in products that
    /// do not belong to it.
    fn proof(
        &mut self,
        formula: &Formula,
        system: &System,
        products: &[Int],
        used: &BTreeSet<usize>,
    ) -> Option<Found> {
        let mut inputs = Vec::new();
        for i in 0..formula.inputs.len() {
            let (rest, known) = system.rows.get(&i)?;
            if !rest.is_empty() || known.number.is_zero() {
                return None;
            }
            inputs.push(known.sum.clone());
        }
        let distinct: BTreeSet<&Int> = system.rows.values().map(|r| &r.1.number).collect();
        if distinct.len() < inputs.len() {
            return None;
        }
        let outputs: Option<Vec<Place>> = formula
            .outputs
            .iter()
            .map(|(_, l)| self.places.get(&self.value(l, system, products).1.number).copied())
            .collect();
        let outputs = outputs?;
        let before = self.block.behind(&inputs.iter().flat_map(|i| i.keys().copied()).collect());
        let behind = self.block.behind(&outputs.iter().copied().collect());
        let own: BTreeSet<usize> = behind.0.difference(&before.0).copied().collect();
        let lines: BTreeSet<usize> = behind.1.difference(&before.1).copied().collect();
        let all: BTreeSet<Place> = outputs.iter().copied().collect();
        let new = if own.is_empty() { lines.len() } else { all.len() };
        if own.len() < formula.products.len() || all.len() < outputs.len() || new < outputs.len() {
            return None;
        }
        if own.iter().any(|i| used.contains(i)) {
            return None;
        }
        let first = self.block.variables();
        let rest = |i: usize, x: Poly| {
            if own.contains(&i) { x } else { Poly::var(first + i as Var) }
        };
        let values = self.block.evaluate(&Poly::var, &rest)?;
        let of = |place: &Place| match place {
            Place::Line(l) => values[*l].clone(),
            Place::Input(v) => Poly::var(*v),
        };
        let mut known = Vec::new();
        for sum in &inputs {
            let value =
                sum.iter().fold(Poly::default(), |x, (place, c)| x.add_scaled(&of(place), c));
            known.push(value.modulo(&self.p));
        }
        let given = formula.polynomials(&known, &self.r, &self.inverse_r, &self.p);
        let equal = |(x, place): (&Poly, &Place)| x.sub(&of(place)).modulo(&self.p).is_zero();
        let equal = given.iter().zip(&outputs).all(equal);
        equal.then_some(Found { inputs, outputs, products: own, lines })
    }
}
