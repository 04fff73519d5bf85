//! The proof of a slice: outputs as exact integers, and the linear or quadratic form of the inputs that they are.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::field::Field;
use super::run::{Run, unproven};
use super::slice::{Class, Part, Slice};
use crate::claim::{Effort, Goal, settle};
use crate::error::Result;
use crate::number::{self, Int};
use crate::poly::{Poly, Var};

/// One term of what a slice computes.
#[derive(Clone, Debug)]
pub enum Term {
    /// A factor and two of the slice's elements.
    Product(Int, usize, usize),
    /// A factor and an element.
    Element(Int, usize),
    /// A factor and columns: place in bits, and the part that is the input.
    Columns(Int, Vec<(usize, usize)>),
    /// A number.
    Constant(Int),
}

/// A sum of terms.
#[derive(Clone, Debug)]
pub struct Form {
    /// Terms.
    pub terms: Vec<Term>,
    /// Whether the sum is divided by R, as Montgomery's products are.
    pub divided: bool,
}

/// A proven slice.
#[derive(Clone, Debug)]
pub struct Proven {
    /// Its results in each variant, by elements.
    pub forms: Vec<Form>,
    /// Segments of the certificate.
    pub segments: String,
    /// Variables, at most.
    pub variables: usize,
}

pub(super) fn small(c: &Int) -> bool {
    number::magnitude(c) < Int::from(1 << 20)
}

/// A polynomial that terms are taken from, modulo the prime.
pub(super) struct Rest<'a> {
    pub(super) p: &'a Int,
    pub(super) left: Poly,
    pub(super) target: Poly,
}

impl Rest<'_> {
    /// Takes the multiple of a part by the coefficient of one of its monomials, if less is left then.
    pub(super) fn peel(&mut self, part: &Poly, lead: [Var; 2], degree: usize) -> Option<Int> {
        let mut lead = lead[..degree].to_vec();
        lead.sort_unstable();
        let c = number::symmetric(&self.left.coefficient(&lead), self.p);
        let rest = self.left.add_scaled(part, &-c.clone()).modulo(self.p);
        if c.is_zero() || rest.terms().len() >= self.left.terms().len() {
            return None;
        }
        self.left = rest;
        self.target = self.target.add_scaled(part, &c);
        Some(c)
    }
}

/// An exact target in inputs, the factor of outputs that gives it, and its terms.
pub(super) fn form(run: &Run, field: &Field, total: &Poly) -> Result<(Int, Poly, Form)> {
    let p = &field.p;
    let left = total.modulo(p);
    let quotients: Vec<Var> =
        left.variables().into_iter().filter(|&v| !run.trace.facts.is_input(v)).collect();
    if let (true, Some(v)) = (quotients.len() > 3, quotients.first()) {
        return unproven(format!("{} quotients are left, v{v:x} among them", quotients.len()));
    }
    // carries that have to be equal are left to the proof of the claim
    let known = |m: &[Var]| m.iter().all(|v| run.trace.facts.is_input(*v));
    let terms = left.terms().iter().filter(|(m, _)| known(m)).cloned().collect();
    let left = Poly::from_terms(terms);
    let total = &left;
    let r = number::power_of_two(field.radix * field.limbs);
    let quadratic = left.terms().iter().any(|(m, _)| m.len() > 1);
    let reduced = run.slice.outputs.len() == field.limbs;
    let divided = field.montgomery && quadratic && reduced;
    let factor = if divided { r } else { Int::ONE };
    let left = left.scale(&factor).modulo(p);
    let mut rest = Rest { p, left, target: Poly::default() };
    let mut terms = Vec::new();
    let mut elements = Vec::new();
    for (n, limbs) in run.slice.elements.iter().enumerate() {
        let mut sum = Poly::default();
        for (k, i) in limbs.iter().enumerate() {
            let v = Poly::var(run.inputs[i]);
            sum = sum.add_scaled(&v, &number::power_of_two(field.radix * k));
        }
        elements.push((n, run.inputs[&limbs[0]], sum));
    }
    for (i, (a, u, x)) in elements.iter().enumerate() {
        for (b, v, y) in &elements[i..] {
            if let Some(c) = rest.peel(&x.mul(y), [*u, *v], 2) {
                terms.push(Term::Product(c, *a, *b));
            }
        }
    }
    for (a, u, x) in &elements {
        if let Some(c) = rest.peel(x, [*u, *u], 1) {
            terms.push(Term::Element(c, *a));
        }
    }
    if let Some((m, _)) = rest.left.terms().iter().find(|(m, _)| m.len() > 1) {
        return unproven(format!("a product of v{:x} and v{:x} is left", m[0], m[1]));
    }
    // columns by their factor and place
    let parts: BTreeMap<Var, usize> = run.inputs.iter().map(|(i, v)| (*v, *i)).collect();
    let mut columns: BTreeMap<Int, Vec<(usize, usize)>> = BTreeMap::new();
    for (m, c) in rest.left.terms().iter().filter(|(m, _)| m.len() == 1) {
        let bits = (0..2 * field.limbs).map(|k| field.radix * k).chain((1..9).map(|k| 64 * k));
        let place = bits.into_iter().find_map(|k| {
            let unit = number::inverse(&number::modulo(&number::power_of_two(k), p), p)?;
            let c = number::symmetric(&(c * unit), p);
            small(&c).then_some((k, c))
        });
        // a product by a constant divides its columns by R, too
        let divided = || {
            let r = number::power_of_two(field.radix * field.limbs);
            let whole = number::modulo(&(c * r), p);
            let at = |k| whole == number::modulo(&number::power_of_two(field.radix * k), p);
            (field.montgomery && (0..field.limbs).any(at)).then(|| (0, c.clone()))
        };
        let Some((k, c)) = place.or_else(divided) else {
            return unproven(format!("an input with the factor {}", number::hex(c)));
        };
        let Some(&part) = parts.get(&m[0]) else {
            return unproven(format!("v{:x} is left, by which something is rounded", m[0]));
        };
        rest.target = rest.target.add_scaled(&Poly::var(m[0]), &(&c * number::power_of_two(k)));
        columns.entry(c).or_default().push((k, part));
    }
    terms.extend(columns.into_iter().map(|(c, places)| Term::Columns(c, places)));
    let Some(c) = total.scale(&factor).sub(&rest.target).modulo(p).as_constant() else {
        return unproven("a form that is not what it was");
    };
    let target = rest.target.plus(&number::symmetric(&c, p));
    // columns are inputs plus their least value
    let mut shift = Int::ZERO;
    for (i, v) in &run.inputs {
        if let Part::Input(class) = run.slice.parts[*i]
            && class.is_column()
        {
            shift += target.coefficient(&[*v]) * &Run::range(field, class).0;
        }
    }
    let c = number::symmetric(&(c - shift), p);
    if !c.is_zero() {
        terms.push(Term::Constant(c));
    }
    Ok((factor, target, Form { terms, divided }))
}

fn goals(
    slice: &Slice,
    (field, columns): (&Field, Class),
    factor: &Int,
    target: &Poly,
) -> Vec<Goal> {
    let places = (0..slice.outputs.len()).map(|k| (k, field.radix * k)).collect();
    let mut goals = vec![Goal::Zero {
        name: "value".into(),
        modulus: field.p.clone(),
        factor: factor.clone(),
        target: target.clone(),
        places,
    }];
    for output in 0..slice.outputs.len() {
        let last = output + 1 == slice.outputs.len();
        let (lo, hi) = if !slice.limbs && columns != Class::Column {
            field.range(columns)
        } else if last && slice.outputs.len() > field.limbs {
            field.top_addend.clone()
        } else if slice.outputs.len() > field.limbs {
            field.addends.clone()
        } else if !slice.limbs && output + 1 == slice.outputs.len() {
            field.top_product.clone()
        } else if !slice.limbs && slice.parts.contains(&Part::Input(Class::Addend)) {
            field.wide.clone()
        } else if !slice.limbs {
            field.columns.clone()
        } else if output + 1 < slice.outputs.len() {
            (Int::ZERO, number::power_of_two(52) - 1)
        } else {
            (Int::ZERO, field.top.clone())
        };
        goals.push(Goal::Limb { name: format!("limb{output}"), output, lo, hi });
    }
    goals
}

/// Proves that the one output of a slice is at most the highest limb of an element.
pub fn prove_top(slice: &Slice, field: &Field) -> Result<Proven> {
    let masks = slice.masks();
    if masks.len() > 8 {
        return unproven(format!("{} masks", masks.len()));
    }
    let mut proven = Proven { forms: Vec::new(), segments: String::new(), variables: 0 };
    let (lo, hi) = (Int::ZERO, field.top.clone());
    let goals = [Goal::Limb { name: "top".into(), output: 0, lo, hi }];
    for (n, (lane, chosen)) in variants(slice, &masks).into_iter().enumerate() {
        let mut run = Run::new(slice, field, lane, chosen)?;
        run.trace.facts.set_note(String::new());
        run.trace.facts.line(&goals[0].line());
        let out = run.outputs(field)?;
        let mut effort = Effort::default();
        let text = settle(run.trace, &out, &goals, &mut effort, 0)?;
        proven.variables = proven.variables.max(effort.variables);
        let _ = writeln!(proven.segments, "segment variant{n} entry exit\n{text}end segment");
    }
    Ok(proven)
}

/// Lanes whose constants differ, and all values of masks.
pub(super) fn variants(slice: &Slice, masks: &[usize]) -> Vec<(usize, BTreeMap<usize, bool>)> {
    let mut all = Vec::new();
    for lane in slice.lanes() {
        for choice in 0..1usize << masks.len() {
            let set = |k: usize| choice >> k & 1 == 1;
            all.push((lane, masks.iter().enumerate().map(|(k, &i)| (i, set(k))).collect()));
        }
    }
    all
}

/// Proves a slice in a field, whose bounds are goals; the field with the bounds of inputs; the class of outputs that are columns.
pub fn prove(slice: &Slice, (field, inputs): (&Field, &Field), columns: Class) -> Result<Proven> {
    let masks = slice.masks();
    if masks.len() > if slice.parts.len() < 200 { 8 } else { 4 } {
        return unproven(format!("{} masks", masks.len()));
    }
    let mut proven = Proven { forms: Vec::new(), segments: String::new(), variables: 0 };
    for (n, (lane, chosen)) in variants(slice, &masks).into_iter().enumerate() {
        let mut run = Run::new(slice, inputs, lane, chosen.clone())?;
        let out = run.outputs(inputs)?;
        let total = out.iter().enumerate().fold(Poly::default(), |sum, (k, w)| {
            sum.add_scaled(&w.p, &number::power_of_two(field.radix * k))
        });
        let (factor, target, form) = form(&run, inputs, &total)?;
        let goals = goals(slice, (field, columns), &factor, &target);
        let mut run = Run::new(slice, inputs, lane, chosen)?;
        for goal in &goals {
            run.trace.facts.set_note(String::new());
            run.trace.facts.line(&goal.line());
        }
        let out = run.outputs(inputs)?;
        let mut effort = Effort::default();
        let text = settle(run.trace, &out, &goals, &mut effort, 4)?;
        proven.variables = proven.variables.max(effort.variables);
        let _ = writeln!(proven.segments, "segment variant{n} entry exit\n{text}end segment");
        proven.forms.push(form);
    }
    Ok(proven)
}
