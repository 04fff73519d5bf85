//! Integers modulo the order of edwards25519 in lanes of 52 bits: 2^252 folds, and the order is added where what is left is below zero.
//!
//! Three kinds of slices. A residue is five limbs of an integer from 0 to the order less 1, congruent to a sum of words or to a product. A sum is
//! columns and a product, exactly. A factor's highest limb has a bound. A sign is told apart by cases.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use super::field::Field;
use super::gather::between;
use super::graph::{Graph, Node, Op, Origin, Value};
use super::prove::{Form, Proven, Term};
use super::run::{Run, unproven};
use super::slice::{Class, Part, Slice};
use crate::claim::{Goal, by_cases, within};
use crate::error::Result;
use crate::number::{self, Int};
use crate::poly::{Poly, Var};
use crate::trace::{Trace, Word};

/// Its name.
pub(super) const NAME: &str = "the order of edwards25519";

const LOW_52: u64 = (1 << 52) - 1;

/// Limbs of the order.
const ORDER: [u64; 5] = {
    let w = [0x5812_631a_5cf5_d3ed_u64, 0x14de_f9de_a2f7_9cd6_u64];
    [w[0] & LOW_52, (w[0] >> 52 | w[1] << 12) & LOW_52, w[1] >> 40, 0, 1 << 44]
};

fn order() -> Int {
    let limbs = ORDER.iter().enumerate();
    limbs.fold(Int::ZERO, |sum, (i, &l)| sum + Int::from(l) * number::power_of_two(52 * i))
}

/// The order as a field: the highest limb of a factor below 2^144, and columns that 256 products leave below 2^63.
fn field() -> Field {
    let two = number::power_of_two;
    let columns = (Int::ZERO, Int::from((1 << 11) - 6) * two(52));
    Field {
        name: NAME,
        p: order(),
        limbs: 5,
        radix: 52,
        top: two(41),
        columns: columns.clone(),
        top_column: columns.clone(),
        top_product: columns.clone(),
        addends: columns.clone(),
        top_addend: columns.clone(),
        wide: columns,
        montgomery: false,
    }
}

impl Run<'_> {
    /// Operations that stand beside signs; none for others.
    pub(super) fn beside_signs(&mut self, i: usize) -> Result<Option<Word>> {
        let Part::Lanes(op, v) = &self.slice.parts[i] else { return Ok(None) };
        if let Some(w) = self.of_pieces(i)? {
            return Ok(Some(w));
        }
        let constant = |n: usize| match &self.slice.parts[v[n]] {
            Part::Constant(c) => Some((c[self.lane], v[1 - n])),
            _ => None,
        };
        match op {
            Op::Times | Op::SignedHalves => {
                let Some((c, x)) = constant(0).or_else(|| constant(1)) else { return Ok(None) };
                let w = self.word(x)?;
                let half = number::power_of_two(31);
                let c = if *op == Op::Times {
                    Int::from(c as i64)
                } else if w.lo >= -half.clone() && w.hi < half {
                    Int::from(c as i32)
                } else {
                    return unproven(format!("part {i}: a product of more than 31 bits"));
                };
                self.trace.sum(&[(c, &w), (Int::ONE, &Word::constant(0))]).map(Some)
            }
            Op::And => match constant(0).or_else(|| constant(1)) {
                Some((mask, x)) => self.field_of_bits(x, mask),
                None => Ok(None),
            },
            Op::Srl(k) => {
                let w = self.lane(v[0])?;
                Ok(Some(self.trace.halves(&w, usize::from(*k))?.1))
            }
            // parts stay parts
            Op::Sll(k) => {
                let w = self.word(v[0])?;
                self.trace.joined(vec![(usize::from(*k), w)]).map(Some)
            }
            Op::Abs => {
                let w = self.word(v[0])?;
                if number::is_negative(&w.hi) {
                    return self.trace.sum(&[(Int::NEG_ONE, &w)]).map(Some);
                }
                if number::is_negative(&w.lo) {
                    return unproven(format!("part {i}: a number whose sign is not known"));
                }
                Ok(Some(w))
            }
            _ => Ok(None),
        }
    }

    /// A lane as an integer below 2^64, of parts if it has some.
    fn lane(&mut self, i: usize) -> Result<Word> {
        let w = self.word(i)?;
        if number::is_negative(&w.lo) || w.hi < number::power_of_two(64) {
            return self.within(i, Int::ZERO);
        }
        Ok(self.trace.halves(&w, 64)?.0)
    }

    /// Bits of a lane in a row, as parts: of the word that a shift is of, where it is one. None for other masks.
    fn field_of_bits(&mut self, x: usize, mask: u64) -> Result<Option<Word>> {
        let (below, bits) = (mask.trailing_zeros() as usize, mask.count_ones() as usize);
        if mask == 0 || mask.leading_zeros() as usize + below + bits != 64 || mask == LOW_52 {
            return Ok(None);
        }
        let (w, shift) = match &self.slice.parts[x] {
            Part::Lanes(Op::Srl(k), v) => (self.lane(v[0])?, usize::from(*k)),
            _ => (self.word(x)?, 0),
        };
        let high = if shift + below > 0 { self.trace.halves(&w, shift + below)?.1 } else { w };
        let low = self.trace.halves(&high, bits)?.0;
        self.trace.joined(vec![(below, low)]).map(Some)
    }

    fn refresh(&mut self) {
        for w in self.full.iter_mut().chain(&mut self.low).flatten() {
            *w = self.trace.refresh(w);
        }
        for (low, high) in self.products.values_mut() {
            (*low, *high) = (self.trace.refresh(low), self.trace.refresh(high));
        }
    }

    /// The end of a run in each case of the signs.
    fn by_signs(
        mut self,
        signs: &[(usize, usize)],
        end: &mut dyn FnMut(Self) -> Result<String>,
    ) -> Result<String> {
        let Some((&(mask, of), signs)) = signs.split_first() else { return end(self) };
        let w = self.word(of)?;
        if !number::is_negative(&w.lo) || number::is_negative(&w.hi) {
            self.masks.insert(mask, number::is_negative(&w.hi));
            return self.by_signs(signs, end);
        }
        let half = number::power_of_two(63);
        if w.hi >= half || w.lo < -half {
            return unproven(format!("part {of}: the sign of a number above 2^63"));
        }
        let (rest, sign) = self.trace.split(&w, 63)?;
        let bounds = self.trace.bounds_of(&sign)?;
        by_cases(self.trace.clone(), &sign.p, bounds, |t: Trace| {
            let mut run = self.clone();
            run.trace = t;
            run.refresh();
            let (w, rest) = (run.trace.refresh(&w), run.trace.refresh(&rest));
            run.full[of] = Some(run.trace.sharpened(&w, &rest)?);
            let set = !run.trace.now(&sign.p).is_zero();
            run.masks.insert(mask, set);
            run.by_signs(signs, end)
        })
    }
}

/// The results of a run: outputs, and the words that their sum is of, before they were carried.
fn outputs(run: &mut Run) -> Result<(Vec<Word>, Word)> {
    let slice = run.slice;
    let last = slice.outputs.len() - 1;
    let mut out = Vec::new();
    for (k, &o) in slice.outputs.iter().enumerate() {
        out.push(if slice.limbs && k < last { run.low(o)? } else { run.within(o, Int::ZERO)? });
    }
    let mut before = Vec::new();
    for &i in slice.elements.first().into_iter().flatten() {
        before.push(run.word(i)?);
    }
    if before.len() != out.len() {
        before.clone_from(&out);
    }
    let place = |(k, w)| (number::power_of_two(52 * k), w);
    let terms: Vec<_> = before.iter().enumerate().map(place).collect();
    let whole = run.trace.sum(&terms)?;
    Ok((out, whole))
}

/// The sum of words and the product of two integers that a polynomial is, modulo the order or exactly.
fn target(run: &Run, total: &Poly, modulus: &Int) -> Result<(Poly, Form)> {
    let reduced = |p: &Poly| if modulus.is_zero() { p.clone() } else { p.modulo(modulus) };
    let total = reduced(total);
    let place = |c: &Int| {
        let places = (0..16).flat_map(|k| [52 * k, 64 * k]);
        let unit = |k: usize| reduced(&Poly::constant(number::power_of_two(k)));
        places.into_iter().find(|&k| unit(k) == Poly::constant(c.clone()))
    };
    let lead = total.terms().iter().find(|(m, c)| m.len() == 2 && c.is_one());
    let (mut target, mut terms) = (Poly::default(), Vec::new());
    if let Some((m, _)) = lead {
        let factor = |other: Var| {
            let mut sum = Poly::default();
            for (m, c) in total.terms().iter().filter(|(m, _)| m.len() == 2 && m.contains(&other)) {
                let v = if m[0] == other { m[1] } else { m[0] };
                let unit = number::power_of_two(place(c).unwrap_or(0));
                sum = sum.add_scaled(&Poly::var(v), &unit);
            }
            sum
        };
        target = factor(m[0]).mul(&factor(m[1]));
        terms.push(Term::Product(Int::ONE, 0, 1));
    }
    let parts: BTreeMap<Var, usize> = run.inputs.iter().map(|(i, v)| (*v, *i)).collect();
    let mut columns = Vec::new();
    for (m, c) in reduced(&total.sub(&target)).terms() {
        match (&m[..], place(c)) {
            ([v], Some(k)) if parts.contains_key(v) => {
                target = target.add_scaled(&Poly::var(*v), &number::power_of_two(k));
                columns.push((k, parts[v]));
            }
            _ => {
                let name: Vec<String> = m.iter().map(|v| format!("v{v:x}")).collect();
                return unproven(format!("{} times {} is left", number::hex(c), name.join("*")));
            }
        }
    }
    if !columns.is_empty() {
        terms.push(Term::Columns(Int::ONE, columns));
    }
    Ok((target, Form { terms, divided: false }))
}

/// Goals of a slice.
fn goals(slice: &Slice, field: &Field, modulus: &Int, target: &Poly) -> Vec<Goal> {
    let mut goals = Vec::new();
    let places: Vec<_> = (0..slice.outputs.len()).map(|k| (k, 52 * k)).collect();
    if slice.outputs.len() > 1 {
        let (factor, target) = (Int::ONE, target.clone());
        let (modulus, places) = (modulus.clone(), places.clone());
        goals.push(Goal::Zero { name: "value".into(), modulus, factor, target, places });
    }
    for output in 0..slice.outputs.len() {
        let two = number::power_of_two;
        let hi = match (slice.outputs.len(), slice.limbs) {
            (1, _) => field.top.clone(),
            (_, false) => two(63) - 1,
            _ if output + 1 == slice.outputs.len() => two(44),
            _ => two(52) - 1,
        };
        goals.push(Goal::Limb { name: format!("limb{output}"), output, lo: Int::ZERO, hi });
    }
    if slice.outputs.len() > 1 && slice.limbs {
        goals.push(Goal::Whole { name: "residue".into(), lo: Int::ZERO, hi: &field.p - 1, places });
    }
    goals
}

/// The proofs of goals at the end of a run.
fn conclude(run: &mut Run, goals: &[Goal]) -> Result<String> {
    let (out, whole) = outputs(run)?;
    let t = &mut run.trace;
    t.facts.set_note(String::new());
    let mut total = Poly::default();
    for (i, w) in out.iter().enumerate() {
        t.facts.line(&format!("out {i:x} {}", w.p));
        total = total.add_scaled(&w.p, &number::power_of_two(52 * i));
    }
    for goal in goals {
        match goal {
            Goal::Zero { name, modulus, target, .. } => {
                let multiples = t.rewriting(target, &Int::ONE);
                t.facts.zero(name, modulus, &total.sub(target), &multiples)?;
            }
            Goal::Limb { name, output, lo, hi } => {
                within(t, &format!("limb {name}"), &out[*output], lo, hi)?;
            }
            Goal::Whole { name, lo, hi, .. } => {
                if whole.p != total {
                    return unproven("limbs whose sum is not that of the words before");
                }
                within(t, &format!("whole {name}"), &whole, lo, hi)?;
            }
        }
    }
    Ok(t.facts.take_text())
}

/// Proves a slice.
pub(super) fn prove(slice: &Slice) -> Result<Proven> {
    let field = field();
    let modulus = if slice.limbs { field.p.clone() } else { Int::ZERO };
    let mut proven = Proven { forms: Vec::new(), segments: String::new(), variables: 0 };
    let signs: Vec<(usize, usize)> = slice
        .parts
        .iter()
        .enumerate()
        .filter_map(|(i, p)| match p {
            Part::Lanes(Op::Sign, v) => Some((i, v[0])),
            _ => None,
        })
        .collect();
    for (n, lane) in slice.lanes().into_iter().enumerate() {
        let start = || {
            let mut run = Run::new(slice, &field, lane, BTreeMap::new())?;
            run.signed = true;
            Ok::<_, crate::error::Error>(run)
        };
        let mut found = (Poly::default(), Form { terms: Vec::new(), divided: false });
        if slice.outputs.len() > 1 {
            start()?.by_signs(&signs, &mut |mut run| {
                let (out, _) = outputs(&mut run)?;
                let total = out.iter().enumerate().fold(Poly::default(), |sum, (k, w)| {
                    sum.add_scaled(&w.p, &number::power_of_two(52 * k))
                });
                found = target(&run, &total, &modulus)?;
                Ok(String::new())
            })?;
        }
        let goals = goals(slice, &field, &modulus, &found.0);
        let mut run = start()?;
        run.trace.facts.set_note(String::new());
        for goal in &goals {
            run.trace.facts.line(&goal.line());
        }
        let mut variables = 0;
        let text = run.by_signs(&signs, &mut |mut run| {
            let text = conclude(&mut run, &goals)?;
            variables = variables.max(run.trace.facts.variables() as usize);
            Ok(text)
        })?;
        proven.variables = proven.variables.max(variables);
        let _ = writeln!(proven.segments, "segment variant{n} entry exit\n{text}end segment");
        proven.forms.push(found.1);
    }
    Ok(proven)
}

fn is_splat(g: &Graph, n: Node, x: u64) -> bool {
    g.constant(n) == Some([x; 8])
}

/// Limbs of a residue, and the words that they are carried from: those that the order is added to where the highest is below zero.
fn residues(g: &Graph) -> Vec<[Vec<Node>; 2]> {
    // by mask and limb
    let mut added: BTreeMap<Node, BTreeMap<usize, Node>> = BTreeMap::new();
    let mut sums: HashMap<Node, Vec<(Node, Node)>> = HashMap::new();
    let mut over: HashMap<Node, Node> = HashMap::new();
    for n in 0..g.len() as Node {
        match g.lanes(n) {
            Some((Op::Select, v)) if matches!(g.lanes(v[0]), Some((Op::Sign, _))) => {
                let Some((Op::Add, sum)) = g.lanes(v[1]) else { continue };
                let c = if sum[0] == v[2] { sum[1] } else { sum[0] };
                if let Some(k) = ORDER.iter().position(|&l| is_splat(g, c, l)) {
                    added.entry(v[0]).or_default().insert(k, n);
                }
            }
            Some((Op::Add, v)) => {
                sums.entry(v[0]).or_default().push((n, v[1]));
                sums.entry(v[1]).or_default().push((n, v[0]));
            }
            Some((Op::Srl(52), v)) => {
                over.insert(v[0], n);
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    for limbs in added.into_values() {
        let Some(&first) = limbs.get(&0) else { continue };
        let (mut carried, mut before) = (vec![first], vec![first]);
        while carried.len() < 5 {
            let k = carried.len();
            let next = over.get(&carried[k - 1]).and_then(|c| sums.get(c)).into_iter().flatten();
            let Some(&(sum, word)) =
                next.clone().find(|(_, w)| limbs.get(&k).is_none_or(|l| l == w))
            else {
                break;
            };
            carried.push(sum);
            before.push(word);
        }
        if carried.len() == 5 {
            out.push([carried, before]);
        }
    }
    out
}

/// The inputs of outputs: leaves, and factors if those are cut off; none if a leaf's origin is not known.
fn inputs(
    g: &Graph,
    outputs: &[Node],
    cut: &BTreeMap<Node, Class>,
) -> Option<BTreeMap<Node, Class>> {
    let mut found = BTreeMap::new();
    let mut whole: BTreeSet<Node> = BTreeSet::new();
    let (mut todo, mut seen) = (outputs.to_vec(), BTreeSet::new());
    while let Some(n) = todo.pop() {
        if !seen.insert(n) {
            continue;
        }
        match (cut.get(&n).filter(|_| !outputs.contains(&n)), g.value(n)) {
            (Some(class), _) => {
                found.insert(n, *class);
            }
            (_, Value::Constant(_)) => {}
            (_, Value::Lanes(op, v)) => {
                if *op != Op::Sll(24) {
                    whole.extend(v);
                }
                todo.extend(v);
            }
            (_, Value::Leaf(Origin::Result(_, _, sources))) if sources.is_empty() => return None,
            _ => {
                found.insert(n, Class::Word);
            }
        }
    }
    for (n, class) in &mut found {
        if *class == Class::Word && !whole.contains(n) {
            *class = Class::Short;
        }
    }
    Some(found)
}

/// Factors of products of two variables. The highest limb of three is not masked; it has a bound of its own.
fn factors(g: &Graph) -> BTreeMap<Node, Class> {
    let mut partners: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
    for n in 0..g.len() as Node {
        if let Some((Op::MulLow | Op::MulHigh, v)) = g.lanes(n)
            && g.constant(v[1]).is_none()
            && g.constant(v[2]).is_none()
        {
            partners.entry(v[1]).or_default().insert(v[2]);
            partners.entry(v[2]).or_default().insert(v[1]);
        }
    }
    let masked = |n: Node| match g.lanes(n) {
        Some((Op::And, v)) => v.iter().any(|&m| is_splat(g, m, LOW_52)),
        _ => false,
    };
    let class = |(n, with): (&Node, &BTreeSet<Node>)| {
        let top = with.len() > 3 && !masked(*n);
        (*n, if top { Class::Top } else { Class::Limb })
    };
    partners.iter().map(class).collect()
}

/// Slices of a block: residues, the highest limbs of factors, and sums of columns and products that are left in memory in a row.
pub(super) fn slices(g: &Graph, rows: &[Vec<Node>]) -> Vec<Slice> {
    let mut out = Vec::new();
    let factors = factors(g);
    for [limbs, before] in residues(g) {
        let of = |cut: &BTreeMap<Node, Class>| {
            let inputs = inputs(g, &limbs, cut)?;
            Some(between(g, &limbs, &inputs, true, &[before.clone(), Vec::new()]))
        };
        let signs = |s: &Slice| {
            s.parts.iter().filter(|p| matches!(p, Part::Lanes(Op::Sign, _))).count() == 1
        };
        if let Some(slice) = of(&BTreeMap::new()).filter(signs) {
            out.push(slice);
            continue;
        }
        let Some(slice) = of(&factors) else { continue };
        out.push(slice);
        for (&n, _) in factors.iter().filter(|(_, class)| **class == Class::Top) {
            let of_limb = inputs(g, &[n], &BTreeMap::new());
            out.extend(of_limb.map(|i| between(g, &[n], &i, true, &[])));
        }
        // any limbs will do for sums
        let cut: BTreeMap<Node, Class> = factors.keys().map(|n| (*n, Class::Limb)).collect();
        for sum in rows.iter().flat_map(|r| r.windows(8)) {
            let adds = |n: &Node| matches!(g.lanes(*n), Some((Op::MulLow | Op::MulHigh, _)));
            let Some(mut inputs) = inputs(g, sum, &cut).filter(|_| sum.iter().all(adds)) else {
                continue;
            };
            for class in inputs.values_mut().filter(|c| **c != Class::Limb) {
                *class = Class::Column;
            }
            out.push(between(g, sum, &inputs, false, &[Vec::new(), Vec::new()]));
        }
    }
    out
}
