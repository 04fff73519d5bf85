//! Elements of ten limbs in radix 2^25.5, two limbs a word, in four lanes of AVX2.
//!
//! Word k of five holds limb 2k in its low half and limb 2k + 1 in its high half. Elements are guessed from where they are
//! stored: five words in a row. All of this is a guess that proofs do not rest on.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::calls::RESULT;
use super::elements::{Elements, Limbs};
use super::field::Field;
use super::function::Stand;
use super::graph::{Graph, Node, Op, Origin, Value};
use super::lift::Lifted;
use super::prove::{Form, Proven, Rest, Term, small, variants};
use super::run::{Run, unproven};
use super::slice::{Class, Slice};
use super::slices::Slices;
use crate::claim::{Effort, Goal, settle};
use crate::error::Result;
use crate::number::{self, Int};
use crate::poly::{Poly, Var};
use crate::trace::Word;

/// The name of the field in this form.
pub const NAME: &str = "2^255-19 in ten limbs";

/// Bits at which limbs stand.
const PLACES: [usize; 10] = [0, 26, 51, 77, 102, 128, 153, 179, 204, 230];

/// Parts of a slice, at most.
const PARTS: usize = 1000;

/// Bounds of the limbs of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// A product: 2^26 + 2^11 and 2^25 + 2^11.
    Product,
    /// An operand: twice that.
    Operand,
    /// An input of a carry: an operand and 4p.
    Sum,
}

impl Level {
    /// The largest even limb, or the largest odd one.
    pub fn most(self, odd: bool) -> Int {
        let unit = number::power_of_two(if odd { 25 } else { 26 });
        let product = &unit + number::power_of_two(11);
        match self {
            Self::Product => product,
            Self::Operand => product * 2,
            Self::Sum => product * 2 + (unit - 1) * 4,
        }
    }

    /// Whether both halves of a word are at most this.
    pub fn holds(self, word: u64) -> bool {
        Int::from(word & 0xffff_ffff) <= self.most(false)
            && Int::from(word >> 32) <= self.most(true)
    }
}

/// The value of ten limbs, the lowest first.
fn value(limbs: impl Iterator<Item = Poly>) -> Poly {
    limbs.zip(PLACES).fold(Poly::default(), |sum, (limb, place)| {
        sum.add_scaled(&limb, &number::power_of_two(place))
    })
}

/// The target in inputs that ten limbs are, and its terms.
fn form(run: &Run, field: &Field, total: &Poly) -> Result<(Poly, Form)> {
    let p = &field.p;
    let left = total.modulo(p);
    let known = |m: &[Var]| m.iter().all(|v| run.trace.facts.is_input(*v));
    let quotients = left.variables().into_iter().filter(|&v| !run.trace.facts.is_input(v)).count();
    if quotients > 3 {
        return unproven(format!("{quotients} quotients are left"));
    }
    // carries that have to be equal are left to the proof of the claim
    let terms = left.terms().iter().filter(|(m, _)| known(m)).cloned().collect();
    let mut rest = Rest { p, left: Poly::from_terms(terms), target: Poly::default() };
    let mut terms = Vec::new();
    let elements: Vec<(usize, Var, Poly)> = run
        .slice
        .elements
        .iter()
        .enumerate()
        .filter_map(|(n, parts)| {
            let pairs: Option<Vec<[Var; 2]>> =
                parts.iter().map(|i| run.pairs.get(i).copied()).collect();
            let pairs = pairs?;
            Some((n, pairs.first()?[0], value(pairs.into_iter().flatten().map(Poly::var))))
        })
        .collect();
    for (i, (a, u, x)) in elements.iter().enumerate() {
        for (b, v, y) in &elements[i..] {
            if let Some(c) = rest.peel(&x.mul(y), [*u, *v], 2) {
                terms.push(Term::Product(c, *a, *b));
            }
        }
    }
    for (a, u, x) in &elements {
        if let Some(c) = rest.peel(x, [*u, *u], 1) {
            if !small(&c) {
                return unproven(format!("an element with the factor {}", number::hex(&c)));
            }
            terms.push(Term::Element(c, *a));
        }
    }
    if let Some((m, _)) = rest.left.terms().iter().find(|(m, _)| m.len() > 1) {
        return unproven(format!("a product of v{:x} and v{:x} is left", m[0], m[1]));
    }
    // limbs by their factor and place
    let halves = run.pairs.iter().flat_map(|(i, [a, b])| [(*a, *i), (*b, *i)]);
    let parts: BTreeMap<Var, usize> =
        halves.chain(run.inputs.iter().map(|(i, v)| (*v, *i))).collect();
    let mut limbs: BTreeMap<Int, Vec<(usize, usize)>> = BTreeMap::new();
    for (m, c) in rest.left.terms().iter().filter(|(m, _)| m.len() == 1) {
        let place = PLACES.iter().find_map(|&k| {
            let unit = number::inverse(&number::modulo(&number::power_of_two(k), p), p)?;
            let c = number::symmetric(&(c * unit), p);
            small(&c).then_some((k, c))
        });
        let Some((k, c)) = place else {
            return unproven(format!("an input with the factor {}", number::hex(c)));
        };
        rest.target = rest.target.add_scaled(&Poly::var(m[0]), &(&c * number::power_of_two(k)));
        limbs.entry(c).or_default().push((k, parts[&m[0]]));
    }
    for (c, places) in &limbs {
        let count = |k: &usize| places.iter().filter(|x| x.0 == *k).count();
        if PLACES.iter().any(|k| count(k) != count(&0)) {
            return unproven(format!("limbs of no element with the factor {}", number::hex(c)));
        }
    }
    terms.extend(limbs.into_iter().map(|(c, places)| Term::Columns(c, places)));
    let c = number::symmetric(&rest.left.coefficient(&[]), p);
    if !c.is_zero() {
        terms.push(Term::Constant(c.clone()));
    }
    Ok((rest.target.plus(&c), Form { terms, divided: false }))
}

/// Limbs of the outputs, the lowest first.
fn limbs(run: &mut Run) -> Result<Vec<Word>> {
    let slice = run.slice;
    let mut out = Vec::new();
    for &o in &slice.outputs {
        out.extend([run.field(o, 0, 32)?, run.field(o, 32, 32)?]);
    }
    Ok(out)
}

fn goals(field: &Field, target: &Poly, level: Level) -> Vec<Goal> {
    let mut goals = vec![Goal::Zero {
        name: "value".into(),
        modulus: field.p.clone(),
        factor: Int::ONE,
        target: target.clone(),
        places: PLACES.into_iter().enumerate().collect(),
    }];
    for output in 0..PLACES.len() {
        let (name, hi) = (format!("limb{output}"), level.most(output % 2 == 1));
        goals.push(Goal::Limb { name, output, lo: Int::ZERO, hi });
    }
    goals
}

fn prove_bounded(slice: &Slice, field: &Field, level: Level) -> Result<Proven> {
    let mut proven = Proven { forms: Vec::new(), segments: String::new(), variables: 0 };
    for (n, (lane, chosen)) in variants(slice, &[]).into_iter().enumerate() {
        let mut run = Run::new(slice, field, lane, chosen.clone())?;
        let out = limbs(&mut run)?;
        let (target, form) = form(&run, field, &value(out.iter().map(|w| w.p.clone())))?;
        let goals = goals(field, &target, level);
        let mut run = Run::new(slice, field, lane, chosen)?;
        for goal in &goals {
            run.trace.facts.set_note(String::new());
            run.trace.facts.line(&goal.line());
        }
        let out = limbs(&mut run)?;
        let mut effort = Effort::default();
        let text = settle(run.trace, &out, &goals, &mut effort, 4)?;
        proven.variables = proven.variables.max(effort.variables);
        let _ = writeln!(proven.segments, "segment variant{n} entry exit\n{text}end segment");
        proven.forms.push(form);
    }
    Ok(proven)
}

/// Proves that the outputs of a slice are the ten limbs of an element, with the least bounds that can be proven.
pub fn prove(slice: &Slice, field: &Field) -> Result<(Proven, Level)> {
    let mut why = None;
    for level in [Level::Product, Level::Operand, Level::Sum] {
        match prove_bounded(slice, field, level) {
            Ok(proven) => return Ok((proven, level)),
            Err(e) => why = Some(e),
        }
    }
    why.map_or_else(|| unproven("there is no bound"), Err)
}

/// Words of five, in a row in memory, in the order in which rows are completed.
fn stored(lifted: &Lifted) -> Vec<Limbs> {
    let mut at: BTreeMap<_, Node> = BTreeMap::new();
    let mut out = Vec::new();
    for s in lifted.written.iter().filter(|s| s.size == 32) {
        match s.node {
            Some(n) => at.insert((s.base, s.at), n),
            None => at.remove(&(s.base, s.at)),
        };
        for first in 0..5 {
            let row = (0..5).map(|k| at.get(&(s.base, s.at + 32 * (k - first))).copied());
            out.extend(row.collect::<Option<Limbs>>());
        }
    }
    out
}

/// Words of five, in a row in memory, that a block reads or that a call leaves.
fn loaded(g: &Graph) -> Vec<Limbs> {
    let (mut at, mut left) = (BTreeMap::new(), BTreeMap::new());
    for n in 0..g.len() as Node {
        if let Value::Leaf(Origin::Load(base, index, place, 32, epoch)) = g.value(n) {
            at.insert((*base, *index, *epoch, *place), n);
        }
        if let Value::Leaf(Origin::Result(address, k @ RESULT.., _)) = g.value(n) {
            left.insert((*address, *k), n);
        }
    }
    let row = |&(base, index, epoch, place): &(_, _, _, i64)| {
        (0..5).map(|k| at.get(&(base, index, epoch, place + 32 * k)).copied()).collect()
    };
    let result =
        |&(address, k): &(u64, u32)| (0..5).map(|j| left.get(&(address, k + j)).copied()).collect();
    at.keys().filter_map(row).chain(left.keys().filter_map(result)).collect()
}

fn multiplies(g: &Graph, n: Node) -> bool {
    matches!(g.lanes(n), Some((Op::Halves | Op::SignedHalves, _)))
}

/// The slice of five words, back to words that are proven and to what the block does not compute.
fn slice(
    g: &Graph,
    e: &Elements,
    outputs: &[Node],
    (known, level): (&BTreeMap<Node, Level>, Level),
    groups: &[Limbs],
) -> Slice {
    let (mut seen, mut inputs) = (BTreeSet::new(), BTreeMap::new());
    let mut todo = outputs.to_vec();
    while let Some(n) = todo.pop() {
        if !seen.insert(n) {
            continue;
        }
        match g.value(n) {
            Value::Constant(_) => {}
            _ if e.words.contains(&n) => {
                inputs.insert(n, (Class::Word, 0));
            }
            _ if known.contains_key(&n) => {
                inputs.insert(n, (Class::Pair(known[&n]), 0));
            }
            Value::Lanes(_, v) => todo.extend(v),
            _ => {
                inputs.insert(n, (Class::Pair(level), 0));
            }
        }
    }
    let order: Vec<Node> = seen.into_iter().collect();
    Slice::of_inputs(g, groups, outputs, false, (&order, &inputs))
}

/// Proves elements that a block stores; their words by name.
pub(super) fn stands(
    lifted: &Lifted,
    g: &Graph,
    e: &Elements,
    slices: &mut Slices,
    code: &str,
    stands: &mut Vec<Stand>,
) -> Vec<(String, Limbs)> {
    let unsigned = |n: Node| matches!(g.lanes(n), Some((Op::Halves, _)));
    if !lifted.products.iter().any(|p| unsigned(p.1)) {
        return Vec::new();
    }
    let mut groups = loaded(g);
    let mut names: Vec<(String, Limbs)> =
        groups.iter().enumerate().map(|(k, l)| (format!("m{k}"), l.clone())).collect();
    let mut known: BTreeMap<Node, Level> = BTreeMap::new();
    let mut done = BTreeSet::new();
    for outputs in stored(lifted) {
        if outputs.iter().any(|n| known.contains_key(n) || g.lanes(*n).is_none()) {
            continue;
        }
        for level in [Level::Sum, Level::Operand, Level::Product] {
            let slice = slice(g, e, &outputs, (&known, level), &groups);
            let new = |n: &Node| multiplies(g, *n) && !done.contains(n);
            if slice.parts.len() > PARTS || !slice.nodes.iter().any(new) {
                break;
            }
            if let (hash, Ok((proven, shown))) = slices.prove_pairs(&slice, code) {
                done.extend(slice.nodes.iter().copied());
                known.extend(outputs.iter().map(|n| (*n, *shown)));
                let name = format!("q{}", stands.len());
                groups.push(outputs.clone());
                names.push((name.clone(), outputs));
                let (forms, pairs) = (proven.forms.clone(), Some(*shown));
                let columns = Class::Column;
                stands.push(Stand {
                    name,
                    slice,
                    hash,
                    field: NAME,
                    forms,
                    taken: "pairs",
                    columns,
                    pairs,
                });
                break;
            }
        }
    }
    names
}
