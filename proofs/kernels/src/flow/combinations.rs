//! Combinations p·x + q·y of integers in limbs of 31 bits, one integer a lane: the steps by which scalars are halved.
//!
//! Column k is the sum of p·x_k, q·y_k and what column k - 1 has above its low 31 bits; products are those of signed halves. The
//! claim is exact, not modulo a prime: the low bits of the columns, and the highest column as it is, are p·x + q·y. Limbs may be
//! any signed halves; coefficients are at most 2^30 in absolute value.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::field::Field;
use super::function::Stand;
use super::graph::{Graph, Node, Op};
use super::lift::Lifted;
use super::prove::{Form, Proven, Term, variants};
use super::run::{Run, unproven};
use super::slice::{Class, Slice};
use super::slices::Slices;
use crate::claim::{Effort, Goal, settle};
use crate::error::Result;
use crate::number::{self, Int};
use crate::poly::Poly;
use crate::trace::Word;

/// The name of these integers.
pub const NAME: &str = "integers in limbs of 31 bits";

/// Bits of a limb.
const BITS: u8 = 31;

/// Coefficients are at most 2 to this power, in absolute value.
const COEFFICIENT: usize = 30;

/// Whether the signed low half of a word is a coefficient.
pub fn is_coefficient(word: u64) -> bool {
    (word as u32 as i32).unsigned_abs() <= 1 << COEFFICIENT
}

/// The least value of the signed half that an input is, and the range above it.
pub(super) fn range(class: Class) -> Option<(Int, Int)> {
    let bits = match class {
        Class::Signed => 31,
        Class::Coefficient => COEFFICIENT,
        _ => return None,
    };
    let most = number::power_of_two(bits);
    let width = if class == Class::Signed { &most * 2 - 1 } else { &most * 2 };
    Some((-most, width))
}

/// Whether a value is one that masks choose of others that the block does not compute, or that it computes of doubles.
pub(super) fn is_chosen(g: &Graph, n: Node) -> bool {
    match g.lanes(n) {
        None => true,
        Some((Op::Select, v)) => v[1..].iter().all(|&m| is_chosen(g, m)),
        Some((Op::AddDoubles | Op::SubDoubles | Op::Fused, _)) => true,
        _ => false,
    }
}

/// One combination: its columns, the lowest first, its coefficients, and the limbs that they multiply.
struct Combination {
    columns: Vec<Node>,
    coefficients: [Node; 2],
    limbs: [Vec<Node>; 2],
}

/// A column: two products of signed halves, and the column before.
fn column(g: &Graph, n: Node) -> Option<([[Node; 2]; 2], Option<Node>)> {
    let (mut products, mut before, mut todo) = (Vec::new(), None, vec![n]);
    while let Some(n) = todo.pop() {
        match g.lanes(n)? {
            (Op::Add, v) => todo.extend(v),
            (Op::SignedHalves, v) => products.push([v[0], v[1]]),
            (Op::Sra(BITS), v) if before.is_none() => before = Some(v[0]),
            _ => return None,
        }
    }
    Some((products.try_into().ok()?, before))
}

/// Combinations of a block.
fn find(g: &Graph) -> Vec<Combination> {
    let mut columns = BTreeMap::new();
    let mut uses: BTreeMap<Node, usize> = BTreeMap::new();
    for n in 0..g.len() as Node {
        if let Some((Op::SignedHalves, v)) = g.lanes(n) {
            for &m in v {
                *uses.entry(m).or_default() += 1;
            }
        }
        if let Some(found) = column(g, n) {
            columns.insert(n, found);
        }
    }
    let inner: BTreeSet<Node> = columns.values().filter_map(|c| c.1).collect();
    let mut out = Vec::new();
    for &last in columns.keys().filter(|n| !inner.contains(n)) {
        let (mut chain, mut at) = (vec![last], columns[&last].1);
        while let Some(n) = at.filter(|n| columns.contains_key(n)) {
            chain.push(n);
            at = columns[&n].1;
        }
        chain.reverse();
        // a limb is multiplied once for each vector, a coefficient once for each limb
        let coefficient = |[a, b]: [Node; 2]| if uses[&a] >= uses[&b] { [a, b] } else { [b, a] };
        let [first, second] = columns[&chain[0]].0;
        let ([p, _], [q, _]) = (coefficient(first), coefficient(second));
        let other = |of: Node, [a, b]: [Node; 2]| match () {
            () if a == of => Some(b),
            () if b == of => Some(a),
            () => None,
        };
        let limbs = |n: &Node| {
            let [a, b] = columns[n].0;
            let straight = other(p, a).zip(other(q, b));
            straight.or_else(|| other(p, b).zip(other(q, a)))
        };
        let pairs: Option<Vec<(Node, Node)>> = chain.iter().map(limbs).collect();
        if let (Some(pairs), None) = (pairs, at) {
            let (x, y) = pairs.into_iter().unzip();
            out.push(Combination { columns: chain, coefficients: [p, q], limbs: [x, y] });
        }
    }
    out
}

/// The slice of the columns of a combination, back to the factors of its products.
fn slice(g: &Graph, c: &Combination) -> Slice {
    let mut inputs = BTreeMap::new();
    inputs.extend(c.limbs.iter().flatten().map(|n| (*n, (Class::Signed, 0))));
    inputs.extend(c.coefficients.map(|n| (n, (Class::Coefficient, 0))));
    let (mut seen, mut todo) = (BTreeSet::new(), c.columns.clone());
    while let Some(n) = todo.pop() {
        if seen.insert(n) && !inputs.contains_key(&n) {
            todo.extend(g.lanes(n).iter().flat_map(|x| x.1));
        }
    }
    let order: Vec<Node> = seen.into_iter().collect();
    Slice::of_inputs(g, &[], &c.columns, true, (&order, &inputs))
}

/// The low bits of all columns but the highest, and that one.
fn outputs(run: &mut Run) -> Result<Vec<Word>> {
    let slice = run.slice;
    let (mut out, last) = (Vec::new(), slice.outputs.len() - 1);
    for (k, &o) in slice.outputs.iter().enumerate() {
        let w = run.within(o, -number::power_of_two(63))?;
        out.push(if k < last { run.trace.halves(&w, usize::from(BITS))?.0 } else { w });
    }
    Ok(out)
}

/// Proves that the outputs of a slice are p·x + q·y, exactly; p, q, x and y by their parts.
pub(super) fn prove(
    slice: &Slice,
    field: &Field,
    [p, q, x, y]: &[Vec<usize>; 4],
) -> Result<Proven> {
    let mut proven = Proven { forms: Vec::new(), segments: String::new(), variables: 0 };
    let places = |k: usize| k * usize::from(BITS);
    for (n, (lane, chosen)) in variants(slice, &[]).into_iter().enumerate() {
        let mut run = Run::new(slice, field, lane, chosen)?;
        let value = |parts: &[usize]| {
            parts.iter().enumerate().try_fold(Poly::default(), |sum, (k, i)| {
                match run.inputs.get(i).zip(slice.range_of(*i)) {
                    Some((v, (lo, _))) => {
                        let w = Poly::var(*v).plus(&lo);
                        Ok(sum.add_scaled(&w, &number::power_of_two(places(k))))
                    }
                    None => unproven(format!("part {i} is no signed half")),
                }
            })
        };
        let target = value(p)?.mul(&value(x)?).add(&value(q)?.mul(&value(y)?));
        let count = slice.outputs.len();
        let mut goals = vec![Goal::Zero {
            name: "value".into(),
            modulus: Int::ZERO,
            factor: Int::ONE,
            target,
            places: (0..count).map(|k| (k, places(k))).collect(),
        }];
        for output in 0..count {
            let most =
                number::power_of_two(if output + 1 < count { usize::from(BITS) } else { 63 });
            let lo = if output + 1 < count { Int::ZERO } else { -most.clone() };
            goals.push(Goal::Limb { name: format!("limb{output}"), output, lo, hi: most - 1 });
        }
        for goal in &goals {
            run.trace.facts.set_note(String::new());
            run.trace.facts.line(&goal.line());
        }
        let out = outputs(&mut run)?;
        let mut effort = Effort::default();
        let text = settle(run.trace, &out, &goals, &mut effort, 0)?;
        proven.variables = proven.variables.max(effort.variables);
        let _ = writeln!(proven.segments, "segment variant{n} entry exit\n{text}end segment");
        let terms = vec![Term::Product(Int::ONE, 0, 2), Term::Product(Int::ONE, 1, 3)];
        proven.forms.push(Form { terms, divided: false });
    }
    Ok(proven)
}

/// Proves the combinations of a block; their operands by name.
pub(super) fn stands(
    lifted: &Lifted,
    g: &Graph,
    slices: &mut Slices,
    code: &str,
    stands: &mut Vec<Stand>,
) -> Vec<(String, Vec<Node>)> {
    let signed = |n: Node| matches!(g.lanes(n), Some((Op::SignedHalves, _)));
    if !lifted.products.iter().any(|p| signed(p.1)) {
        return Vec::new();
    }
    let mut names: Vec<(String, Vec<Node>)> = Vec::new();
    for c in find(g) {
        let mut slice = slice(g, &c);
        let [[p, q], [x, y]] = [c.coefficients.map(|n| vec![n]), c.limbs.clone()];
        let operands = [p, q, x, y];
        let part = |n: &Node| slice.nodes.iter().position(|m| m == n);
        let parts =
            operands.clone().map(|nodes| nodes.iter().map(part).collect::<Option<Vec<_>>>());
        let [Some(p), Some(q), Some(x), Some(y)] = parts else { continue };
        slice.elements = vec![p, q, x, y];
        if let (hash, Ok(proven)) = slices.prove_combination(&slice, code) {
            let forms = proven.forms.clone();
            for operand in operands {
                if !names.iter().any(|(_, known)| *known == operand) {
                    names.push((format!("i{}", names.len()), operand));
                }
            }
            let name = format!("c{}", stands.len());
            let (field, taken) = (NAME, "combination");
            stands.push(Stand::new(name, slice, hash, (field, forms, taken)));
        }
    }
    names
}
