//! A block's program on numbers modulo the prime, or on polynomials.

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::field::Field;
use crate::flow::graph::Node;
use crate::flow::program::{Limbs, Line, Program};
use crate::number::{self, Int};
use crate::poly::{Poly, Var};

/// A product of two values that stands in a line.
#[derive(Clone, Debug)]
pub struct Product {
    /// Its line.
    pub line: usize,
    /// Its factors.
    pub factors: [Place; 2],
}

/// A value of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The value of a line.
    Line(usize),
    /// An input: an element, or a sum of columns.
    Input(Var),
}

/// A block in one lane, for some masks.
pub struct Block<'a> {
    /// Lines that are proven in the field.
    pub lines: Vec<&'a Line>,
    /// The prime.
    pub field: &'a Field,
    /// Products of two values.
    pub products: Vec<Product>,
    /// Variables that stand for an input of the block as a whole.
    pub inputs: Vec<Var>,
    sums: Vec<&'a crate::flow::program::Sum>,
    elements: BTreeMap<Limbs, Place>,
    columns: BTreeMap<Node, (usize, usize)>,
    variables: BTreeMap<Node, Var>,
    /// Columns as what stands for the sum that they are part of.
    instead: BTreeMap<Var, Poly>,
    next: Var,
    inverse_r: Int,
    /// Lines that count as inputs: those that a mask makes a constant.
    free: BTreeMap<usize, Var>,
}

impl<'a> Block<'a> {
    /// The block in a lane, where masks are set; none if it has no line in the field.
    pub fn new(
        program: &'a Program,
        field: &'a Field,
        lane: usize,
        set: &BTreeSet<Node>,
    ) -> Option<Self> {
        let lines: Vec<&Line> = program.lines.iter().filter(|l| l.field == field.name).collect();
        let sums: Option<Vec<_>> = lines.iter().map(|l| l.sum(lane, set)).collect();
        let r = number::power_of_two(field.radix * field.limbs);
        let inverse_r = if field.montgomery { number::inverse(&r, &field.p)? } else { Int::ONE };
        let mut block = Self {
            sums: sums?,
            field,
            products: Vec::new(),
            inputs: Vec::new(),
            elements: BTreeMap::new(),
            columns: BTreeMap::new(),
            variables: BTreeMap::new(),
            instead: BTreeMap::new(),
            next: 0,
            inverse_r,
            free: BTreeMap::new(),
            lines,
        };
        for (i, l) in block.lines.clone().iter().enumerate() {
            if l.sums.iter().any(|s| s.is_constant()) {
                let v = block.fresh();
                block.free.insert(i, v);
            }
        }
        for (i, l) in block.lines.iter().enumerate() {
            if l.limbs {
                block.elements.entry(l.outputs.clone()).or_insert(Place::Line(i));
            } else {
                for (k, &n) in l.outputs.iter().enumerate() {
                    block.columns.entry(n).or_insert((i, k));
                }
            }
        }
        let sums = block.sums.clone();
        for (line, sum) in sums.iter().enumerate() {
            for (_, limbs) in &sum.elements {
                block.element(limbs);
            }
            for (_, a, b) in &sum.products {
                let factors = [block.element(a), block.element(b)];
                block.products.push(Product { line, factors });
            }
        }
        block.group(&sums);
        (!block.lines.is_empty()).then_some(block)
    }

    fn fresh(&mut self) -> Var {
        self.next += 1;
        self.next - 1
    }

    fn element(&mut self, limbs: &Limbs) -> Place {
        if let Some(place) = self.elements.get(limbs) {
            return *place;
        }
        let v = self.fresh();
        self.inputs.push(v);
        self.elements.insert(limbs.clone(), Place::Input(v));
        Place::Input(v)
    }

    /// Makes each sum of columns that the block takes a variable, those of fewest columns first: one column is that less the others.
    fn group(&mut self, sums: &[&crate::flow::program::Sum]) {
        let mut groups: BTreeSet<(usize, Vec<(Int, Node)>)> = BTreeSet::new();
        for sum in sums {
            let mut by_factor: BTreeMap<&Int, Vec<(Int, Node)>> = BTreeMap::new();
            for (c, bit, n) in sum.columns.iter().filter(|c| !self.columns.contains_key(&c.2)) {
                by_factor.entry(c).or_default().push((number::power_of_two(*bit), *n));
            }
            groups.extend(by_factor.into_values().map(|g| (g.len(), g)));
        }
        for (_, group) in groups.into_iter().filter(|g| g.0 > 1) {
            let mut sum = Poly::default();
            for (c, n) in &group {
                let column = self.column(*n);
                sum = sum.add_scaled(&column, c).modulo(&self.field.p);
            }
            let grouped = |m: &[Var]| m.iter().any(|v| self.inputs.contains(v));
            let pivot = sum.terms().iter().find(|(m, _)| m.len() == 1 && !grouped(m)).cloned();
            let Some((m, c)) = pivot else { continue };
            let Some(inverse) = number::inverse(&c, &self.field.p) else { continue };
            let whole = self.fresh();
            self.inputs.push(whole);
            // column = (whole - rest)/c
            let rest = sum.sub(&Poly::term(m.clone(), c));
            let value = Poly::var(whole).sub(&rest).scale(&inverse).modulo(&self.field.p);
            for poly in self.instead.values_mut() {
                *poly = poly.substitute(m[0], &value).0.modulo(&self.field.p);
            }
            self.instead.insert(m[0], value);
        }
    }

    /// A column that the block takes.
    fn column(&mut self, n: Node) -> Poly {
        let v = match self.variables.get(&n) {
            Some(&v) => v,
            None => {
                let v = self.fresh();
                self.variables.insert(n, v);
                v
            }
        };
        self.instead.get(&v).cloned().unwrap_or_else(|| Poly::var(v))
    }

    /// Variables: fewer than this.
    pub fn variables(&self) -> Var {
        self.next
    }

    /// Values of lines. `at` gives those of variables, `product` those of products of two values, given what they are.
    pub fn evaluate(
        &mut self,
        at: &dyn Fn(Var) -> Poly,
        product: &dyn Fn(usize, Poly) -> Poly,
    ) -> Option<Vec<Poly>> {
        let mut values: Vec<Option<Poly>> = vec![None; self.lines.len()];
        let mut open = vec![false; self.lines.len()];
        for i in 0..self.lines.len() {
            self.line(i, at, product, &mut values, &mut open)?;
        }
        values.into_iter().collect()
    }

    fn line(
        &mut self,
        i: usize,
        at: &dyn Fn(Var) -> Poly,
        product: &dyn Fn(usize, Poly) -> Poly,
        values: &mut [Option<Poly>],
        open: &mut [bool],
    ) -> Option<Poly> {
        if let Some(v) = &values[i] {
            return Some(v.clone());
        }
        if let Some(&v) = self.free.get(&i) {
            values[i] = Some(at(v));
            return values[i].clone();
        }
        if std::mem::replace(&mut open[i], true) {
            return None; // a circle
        }
        let p = self.field.p.clone();
        let sum = self.sums[i];
        let mut total = Poly::constant(sum.constant.clone());
        let first = self.products.iter().position(|x| x.line == i).unwrap_or(0);
        for (k, (c, _, _)) in sum.products.iter().enumerate() {
            let [a, b] = self.products[first + k].factors;
            let a = self.place(a, at, product, values, open)?;
            let b = self.place(b, at, product, values, open)?;
            let ab = product(first + k, a.mul(&b).modulo(&p));
            total = total.add_scaled(&ab, c).modulo(&p);
        }
        for (c, limbs) in &sum.elements {
            let place = self.element(limbs);
            let x = self.place(place, at, product, values, open)?;
            total = total.add_scaled(&x, c).modulo(&p);
        }
        for (c, bit, n) in &sum.columns {
            let c = c * number::power_of_two(*bit);
            let x = match self.columns.get(n).copied() {
                None => {
                    let column = self.column(*n);
                    apply(&column, at, &p)
                }
                Some((l, k)) => {
                    let outputs = self.lines[l].outputs.clone();
                    if k > 0 {
                        let column = self.column(*n);
                        apply(&column, at, &p)
                    } else {
                        // the lowest is the sum less the others
                        let mut x = self.line(l, at, product, values, open)?;
                        for (k, m) in outputs.iter().enumerate().skip(1) {
                            let column = self.column(*m);
                            let unit = -number::power_of_two(self.field.radix * k);
                            x = x.add_scaled(&apply(&column, at, &p), &unit).modulo(&p);
                        }
                        x
                    }
                }
            };
            total = total.add_scaled(&x, &c).modulo(&p);
        }
        if sum.divided {
            total = total.scale(&self.inverse_r).modulo(&p);
        }
        values[i] = Some(total.clone());
        open[i] = false;
        Some(total)
    }

    fn place(
        &mut self,
        place: Place,
        at: &dyn Fn(Var) -> Poly,
        product: &dyn Fn(usize, Poly) -> Poly,
        values: &mut [Option<Poly>],
        open: &mut [bool],
    ) -> Option<Poly> {
        match place {
            Place::Input(v) => Some(at(v)),
            Place::Line(l) => self.line(l, at, product, values, open),
        }
    }

    /// Products that a line depends on, and lines.
    pub fn behind(&self, places: &BTreeSet<Place>) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let (mut products, mut lines) = (BTreeSet::new(), BTreeSet::new());
        let mut todo: Vec<Place> = places.iter().copied().collect();
        while let Some(place) = todo.pop() {
            let Place::Line(l) = place else { continue };
            if self.free.contains_key(&l) {
                continue;
            }
            if !lines.insert(l) {
                continue;
            }
            for (i, x) in self.products.iter().enumerate().filter(|x| x.1.line == l) {
                products.insert(i);
                todo.extend(x.factors);
            }
            let sum = self.sums[l];
            todo.extend(sum.elements.iter().filter_map(|(_, e)| self.elements.get(e)));
            let of = |n: &Node| self.columns.get(n).map(|c| Place::Line(c.0));
            todo.extend(sum.columns.iter().filter_map(|(_, _, n)| of(n)));
        }
        (products, lines)
    }
}

/// A linear polynomial at values.
fn apply(linear: &Poly, at: &dyn Fn(Var) -> Poly, p: &Int) -> Poly {
    linear.terms().iter().fold(Poly::default(), |sum, (m, c)| {
        let x = m.first().map_or_else(|| Poly::constant(1), |&v| at(v));
        sum.add_scaled(&x, c).modulo(p)
    })
}
