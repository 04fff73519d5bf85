//! The proof of a slice: the polynomial in inputs that its outputs are, modulo a prime or exactly, and their bounds.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

use super::graph::evaluate;
use super::modulus::Modulus;
use super::run::{Run, Stop};
use super::slice::{Part, Slice};
use crate::claim::{Effort, Goal, by_cases, settle};
use crate::error::{Error, Result};
use crate::number::{self, Int};
use crate::poly::{Poly, Var};
use crate::trace::Effort as Search;

/// A proven slice.
#[derive(Clone, Debug)]
pub struct Proven {
    /// The modulus; none for an exact value.
    pub modulus: Option<&'static str>,
    /// Parts that are words of a number which has to be below the modulus.
    pub promised: Vec<Vec<usize>>,
    /// The value, as a reader understands it.
    pub form: String,
    /// The segment of the certificate.
    pub segment: String,
    /// Cases.
    pub cases: usize,
}

/// Inputs of a slice whose form is looked for.
const MOST_INPUTS: usize = 24;

/// Terms of a product of two numbers modulo a prime: those of four words each are proven in seconds, of six words not in a minute.
const MOST_TERMS: usize = 20;

/// Eliminations that a proof may make.
const MOST: u64 = 20_000;

fn unproven<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Unproven(why.into()))
}

fn small(c: &Int) -> bool {
    number::magnitude(c) < Int::from(1 << 20)
}

/// The value of outputs: factor * out = target modulo m.
struct Form {
    factor: Int,
    target: Poly,
}

/// The number of places in words by which a coefficient differs from a small one, and that.
fn placed(c: &Int, m: &Int) -> Option<(usize, Int)> {
    if m.is_zero() {
        let zeros = number::magnitude(c).trailing_zeros().unwrap_or(0) / 64;
        let rest = number::floor_shift(c, 64 * zeros);
        return small(&rest).then_some((zeros, rest));
    }
    (0..12).find_map(|k| {
        let inverse = number::inverse(&number::modulo(&number::power_of_two(64 * k), m), m)?;
        let rest = number::symmetric(&(c * inverse), m);
        small(&rest).then_some((k, rest))
    })
}

/// The value of a slice's outputs where some inputs are numbers and all others are 0.
fn value(slice: &Slice, at: &[(usize, u64)]) -> Result<Int> {
    let mut words: Vec<u64> = Vec::with_capacity(slice.parts.len());
    for (i, part) in slice.parts.iter().enumerate() {
        words.push(match part {
            Part::Constant(c) => *c,
            Part::Input(_) => at.iter().filter(|(j, _)| *j == i).map(|a| a.1).sum(),
            Part::Of(op, v) => {
                let v: Vec<u64> = v.iter().map(|&j| words[j]).collect();
                match evaluate(*op, &v) {
                    Some(x) => x,
                    None => return unproven(format!("part {i}: {op:?} of {v:x?}")),
                }
            }
        });
    }
    Ok(slice.outputs.iter().rev().fold(Int::ZERO, |n, &o| (n << 64) + Int::from(words[o])))
}

/// The form of a slice: constant, linear and quadratic terms, by its values at small numbers. A wrong one is not proven.
fn form(slice: &Slice, modulus: Option<&Modulus>, run: &Run) -> Result<Form> {
    let inputs: BTreeMap<usize, Var> = run.inputs.iter().map(|(i, v)| (*i, *v)).collect();
    if inputs.len() > MOST_INPUTS {
        return unproven(format!("{} inputs, more than {MOST_INPUTS}", inputs.len()));
    }
    let m = modulus.map_or(Int::ZERO, |m| m.m.clone());
    let wrap = if m.is_zero() { number::power_of_two(64 * slice.outputs.len()) } else { m.clone() };
    let origin = value(slice, &[])?;
    let mut terms = vec![(Poly::constant(1), origin.clone())];
    let mut alone = BTreeMap::new();
    for (&i, &v) in &inputs {
        let (one, two) = (value(slice, &[(i, 1)])? - &origin, value(slice, &[(i, 2)])? - &origin);
        // l + q and 2*l + 4*q
        let twice = number::symmetric(&(two - &one * Int::from(2)), &wrap);
        let half = if m.is_zero() {
            Int::ONE
        } else {
            number::inverse(&Int::from(2), &m).unwrap_or_default()
        };
        let square = if slice.parts[i] == Part::Input(1) {
            Int::ZERO // a bit is its own square
        } else if m.is_zero() {
            number::floor_shift(&twice, 1)
        } else {
            twice * half
        };
        terms.push((Poly::var(v).mul(&Poly::var(v)), square.clone()));
        terms.push((Poly::var(v), &one - &square));
        alone.insert(i, one);
    }
    for (&i, &v) in &inputs {
        for (&j, &w) in inputs.range(i + 1..) {
            let both = value(slice, &[(i, 1), (j, 1)])? - &origin;
            terms.push((Poly::var(v).mul(&Poly::var(w)), both - &alone[&i] - &alone[&j]));
        }
    }
    let factors = match modulus {
        Some(m) => vec![Int::ONE, number::power_of_two(64 * m.words)],
        None => vec![Int::ONE],
    };
    let mut failure = None;
    'factors: for factor in factors {
        let mut target = Poly::default();
        for (p, c) in &terms {
            let c = number::symmetric(&(c * &factor), &wrap);
            if c.is_zero() {
                continue;
            }
            match placed(&c, &m) {
                Some((k, c)) => target = target.add_scaled(p, &(c * number::power_of_two(64 * k))),
                None => {
                    failure = Some(format!("{p} with the factor {}", number::hex(&c)));
                    continue 'factors;
                }
            }
        }
        if target.variables().is_empty() {
            return unproven("no input in its value");
        }
        return Ok(Form { factor, target });
    }
    unproven(failure.unwrap_or_default())
}

/// Inputs that are the words of one number, by the places of the products that they stand in.
fn factors(target: &Poly, words: usize) -> Vec<Vec<Var>> {
    let place = |c: &Int| number::magnitude(c).trailing_zeros().unwrap_or(0) as i64 / 64;
    let mut edges: BTreeMap<Var, Vec<(Var, i64)>> = BTreeMap::new();
    let mut squares = BTreeMap::new();
    for (m, c) in target.terms() {
        if let [u, v] = m.as_slice() {
            if u == v {
                squares.insert(*u, place(c));
            } else {
                edges.entry(*u).or_default().push((*v, place(c)));
                edges.entry(*v).or_default().push((*u, place(c)));
            }
        }
    }
    let mut out = Vec::new();
    let mut seen: BTreeMap<Var, (i64, bool)> = BTreeMap::new();
    let mut add = |of: BTreeMap<Var, i64>| {
        let mut by: Vec<(i64, Var)> = of.into_iter().map(|(v, k)| (k, v)).collect();
        by.sort_unstable();
        let least = by.first().map_or(0, |b| b.0);
        if by.len() == words && by.iter().enumerate().all(|(k, b)| b.0 - least == k as i64) {
            out.push(by.into_iter().map(|b| b.1).collect());
        }
    };
    if squares.len() == words {
        add(squares.into_iter().map(|(v, k)| (v, k / 2)).collect());
        return out;
    }
    for &start in edges.keys() {
        if seen.contains_key(&start) {
            continue;
        }
        let (mut sides, mut todo) =
            ([BTreeMap::new(), BTreeMap::new()], vec![(start, 0i64, false)]);
        while let Some((v, k, side)) = todo.pop() {
            if seen.insert(v, (k, side)).is_some() {
                continue;
            }
            sides[usize::from(side)].insert(v, k);
            todo.extend(edges[&v].iter().map(|(w, at)| (*w, at - k, !side)));
        }
        for side in sides {
            add(side);
        }
    }
    out
}

fn goals(slice: &Slice, modulus: Option<&Modulus>, form: &Form) -> Vec<Goal> {
    let n = slice.outputs.len();
    let places = || (0..n).map(|k| (k, 64 * k)).collect();
    let mut goals = vec![Goal::Zero {
        name: "value".into(),
        modulus: modulus.map_or(Int::ZERO, |m| m.m.clone()),
        factor: form.factor.clone(),
        target: form.target.clone(),
        places: places(),
    }];
    for output in 0..n {
        let hi = number::power_of_two(64) - 1;
        goals.push(Goal::Limb { name: format!("word{output}"), output, lo: Int::ZERO, hi });
    }
    if let Some(m) = modulus {
        let hi = &m.m - Int::ONE;
        goals.push(Goal::Whole { name: "range".into(), lo: Int::ZERO, hi, places: places() });
    }
    goals
}

/// sum(v * 2^(64*i)).
fn number_of(vs: &[Var]) -> Poly {
    let terms = vs.iter().enumerate();
    terms.fold(Poly::default(), |p, (i, &v)| {
        p.add_scaled(&Poly::var(v), &number::power_of_two(64 * i))
    })
}

/// Bounds of the products of numbers, one of which at least is promised to be below the modulus.
fn relate(
    run: &mut Run,
    target: &Poly,
    promised: &[(Vec<Var>, crate::facts::Fact)],
    m: &Int,
) -> Result<()> {
    let bilinear = factors(target, promised.first().map_or(0, |p| p.0.len()));
    let most = m - Int::ONE;
    for a in &bilinear {
        for (b, below) in promised {
            let shared = target.terms().iter().any(|(t, _)| {
                matches!(t.as_slice(), [u, v] if a.contains(u) && b.contains(v) || a.contains(v) && b.contains(u))
            });
            if !shared {
                continue;
            }
            let (mut lows, mut highs, mut top) = (Vec::new(), Vec::new(), Int::ZERO);
            for (i, &v) in a.iter().enumerate() {
                let w = run.trace.variable(v);
                let bounds = run.trace.bounds_of(&w)?;
                let unit = number::power_of_two(64 * i);
                top += &w.hi * &unit;
                lows.push((Poly::constant(unit.clone()), bounds.low));
                highs.push((Poly::constant(unit), bounds.high));
            }
            let number = number_of(a);
            let promise = promised.iter().find(|p| p.0 == *a).map(|p| p.1);
            let facts = &mut run.trace.facts;
            let positive = facts.linear(&Int::ONE, number.clone(), &lows)?;
            let (top, high) = match promise {
                Some(f) => (most.clone(), f),
                None => {
                    let p = Poly::constant(top.clone()).sub(&number);
                    (top, facts.linear(&Int::ONE, p, &highs)?)
                }
            };
            let product = facts.product(*below, positive)?; // (m - 1 - b) * a
            let p = Poly::constant(&most * &top).sub(&number.mul(&number_of(b)));
            let sum = [(Poly::constant(1), product), (Poly::constant(most.clone()), high)];
            let f = facts.linear(&Int::ONE, p, &sum)?;
            run.trace.relate(f);
        }
    }
    Ok(())
}

/// All cases of a run, to the proofs of its goals.
fn explore(mut run: Run, goals: &[Goal], effort: &mut Effort, depth: usize) -> Result<String> {
    match run.outputs() {
        Ok(out) => settle(run.trace, &out, goals, effort, 4),
        Err(Stop::Error(e)) => Err(e),
        Err(Stop::Impossible) => {
            let mut t = run.trace;
            let found = match t.contradiction(Search::Thorough)? {
                Some(f) => Some(f),
                None => t.infeasible()?,
            };
            let Some(f) = found else { return unproven("a bit that is neither 0 nor 1") };
            t.facts.contradiction(f)?;
            effort.cases += 1;
            Ok(t.facts.take_text())
        }
        Err(Stop::Fork(_)) if depth == 0 => unproven("choices by more bits than are tried"),
        Err(Stop::Fork(word)) => {
            let bounds = run.trace.bounds_of(&word)?;
            let trace = run.trace.clone();
            by_cases(trace, &word.p, bounds, |t| {
                let mut case = run.clone();
                case.trace = t;
                case.refresh();
                explore(case, goals, effort, depth - 1)
            })
        }
    }
}

/// Proves a slice modulo a number, or exactly: first of any words, then of numbers below the modulus.
pub fn prove(slice: &Slice, modulus: Option<&Modulus>) -> Result<Proven> {
    let form = form(slice, modulus, &Run::new(slice)?)?;
    let mut failure = None;
    // a product of any words is not below the modulus
    let bilinear = modulus.is_some() && form.target.terms().iter().any(|(m, _)| m.len() > 1);
    let terms = form.target.terms().len();
    if bilinear && terms > MOST_TERMS {
        return unproven(format!("a product of {terms} terms, more than {MOST_TERMS}: too long"));
    }
    for promise in [false, true].into_iter().filter(|p| *p || !bilinear) {
        match attempt(slice, modulus, &form, promise) {
            Ok(Some(proven)) => return Ok(proven),
            Ok(None) => {}
            Err(e) => failure = Some(e),
        }
    }
    Err(failure.unwrap_or_else(|| Error::Unproven("no number is promised".into())))
}

fn attempt(
    slice: &Slice,
    modulus: Option<&Modulus>,
    form: &Form,
    promise: bool,
) -> Result<Option<Proven>> {
    let mut run = Run::new(slice)?;
    run.trace.searches = Some(Rc::new(Cell::new(MOST)));
    let parts: BTreeMap<Var, usize> = run.inputs.iter().map(|(i, v)| (*v, *i)).collect();
    let mut numbers: Vec<Vec<Var>> = Vec::new();
    if let (true, Some(m)) = (promise, modulus) {
        let is_free = |v: &Var| !slice.computed.contains(&parts[v]);
        let of = |e: &(Vec<usize>, &str)| e.0.iter().map(|p| run.inputs[p]).collect::<Vec<Var>>();
        numbers = slice.elements.iter().filter(|e| e.1 == m.name).map(of).collect();
        let known: Vec<Var> = slice.elements.iter().flat_map(of).collect();
        // of what the region does not compute, a number may be promised
        let open = |vs: &Vec<Var>| vs.iter().all(|v| is_free(v) && !known.contains(v));
        numbers.extend(factors(&form.target, m.words).into_iter().filter(open));
        if numbers.is_empty() {
            return Ok(None);
        }
    } else if promise {
        return Ok(None);
    }
    run.trace.facts.set_note(String::new());
    let mut promised = Vec::new();
    if let Some(m) = modulus {
        for vs in &numbers {
            let f = run.trace.assume(Poly::constant(&m.m - Int::ONE).sub(&number_of(vs)))?;
            promised.push((vs.clone(), f));
        }
    }
    let goals = goals(slice, modulus, form);
    for goal in &goals {
        run.trace.facts.line(&goal.line());
    }
    if let Some(m) = modulus.filter(|_| !promised.is_empty()) {
        relate(&mut run, &form.target, &promised, &m.m)?;
    }
    let mut effort = Effort::default();
    let text = explore(run, &goals, &mut effort, 8)?;
    let (head, body): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|l| ["input ", "assume ", "goal "].iter().any(|s| l.starts_with(s)));
    let mut segment = String::from("segment slice entry exit\n");
    for line in head {
        let _ = writeln!(segment, "{line}");
    }
    segment.push_str(&crate::certificate::needed(body)?);
    segment.push_str("end segment\n");
    let part = |v: &Var| parts.get(v).copied().unwrap_or(usize::MAX);
    Ok(Some(Proven {
        modulus: modulus.map(|m| m.name),
        promised: numbers.iter().map(|vs| vs.iter().map(part).collect()).collect(),
        form: shown(form, modulus),
        segment,
        cases: effort.cases,
    }))
}

/// A form as a reader sees it.
fn shown(form: &Form, modulus: Option<&Modulus>) -> String {
    let degree = form.target.terms().iter().map(|(m, _)| m.len()).max().unwrap_or(0);
    let kind = ["a constant", "linear", "of products"].get(degree).unwrap_or(&"of higher degree");
    let over = if form.factor.is_one() { "" } else { ", over R" };
    let by = modulus.map_or("exact".into(), |m| format!("modulo {}", m.name));
    format!("{kind}{over}, {by}, {} terms", form.target.terms().len())
}
