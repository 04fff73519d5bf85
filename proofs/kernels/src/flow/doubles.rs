//! Lanes of doubles that hold integers: limbs of 51 bits, whose products a fused multiplication cuts in two.
//!
//! A lane of doubles is the integer that it stands for. A sum or a product that 53 bits hold, times a power of two, is exact. Another one in
//! [2^k, 2^(k+1)] becomes one of the two multiples of 2^(k-52) beside it: an input, 0 or 1, says which, so that nothing rests on the rounding
//! mode. The bits of a double in [2^k, 2^(k+1)) are (1023 + k)*2^52 and its distance from 2^k in units of 2^(k-52).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use super::field::Field;
use super::gather::{between, chosen};
use super::graph::{Graph, Node, Op, Origin, Value};
use super::prove::{self, Proven};
use super::run::{Run, unproven};
use super::slice::{Class, Part, Slice};
use crate::claim::{Effort, Goal, settle};
use crate::error::Result;
use crate::number::{self, Int};
use crate::poly::Poly;
use crate::trace::Word;

/// Its name.
pub(super) const NAME: &str = "2^255-19 in doubles";

const LOW_51: u64 = (1 << 51) - 1;

/// The field, and the bounds that the types of these lanes promise.
pub(super) fn field() -> Field {
    let two = number::power_of_two;
    let columns = (Int::ZERO, two(51) * 253 - 1);
    Field {
        name: NAME,
        p: two(255) - 19,
        limbs: 5,
        radix: 51,
        top: two(51) + two(15) - 1,
        columns: columns.clone(),
        top_column: columns.clone(),
        top_product: columns.clone(),
        addends: columns.clone(),
        top_addend: columns.clone(),
        wide: columns,
        montgomery: false,
    }
}

/// A product that was rounded: the remainder, and 1 where it was rounded up to the next multiple of 2^k.
#[derive(Clone)]
struct Rounded {
    rest: Word,
    up: Word,
    k: usize,
}

/// Integers that doubles hold, in one run.
#[derive(Clone, Default)]
pub struct Doubles {
    values: BTreeMap<usize, Word>,
    up: BTreeMap<usize, Word>,
    rounded: Vec<Rounded>,
}

/// The integer that the bits of a double stand for.
fn integer(bits: u64) -> Result<Int> {
    if bits >> 63 == 1 {
        return integer(bits & (u64::MAX >> 1)).map(|n| -n);
    }
    let (exponent, fraction) = ((bits >> 52) as usize, bits & ((1 << 52) - 1));
    let whole = Int::from(fraction | 1 << 52);
    match exponent {
        0 if fraction == 0 => Ok(Int::ZERO),
        1075..=2046 => Ok(whole * number::power_of_two(exponent - 1075)),
        1023..=1074 if fraction.trailing_zeros() as usize >= 1075 - exponent => {
            Ok(number::floor_shift(&whole, 1075 - exponent))
        }
        _ => unproven(format!("the double of bits {bits:x}, which is no integer")),
    }
}

/// k for numbers in [2^k, 2^(k+1)).
fn binade(w: &Word) -> Option<usize> {
    let bits = |n: &Int| (0..1100).find(|&k| *n < number::power_of_two(k));
    let (lo, hi) = (bits(&w.lo)?, bits(&w.hi)?);
    (lo == hi && lo > 0 && !number::is_negative(&w.lo)).then(|| lo - 1)
}

/// Whether a double holds each value of a word.
fn is_exact(w: &Word) -> bool {
    let zeros = w.p.terms().iter().filter_map(|(_, c)| c.trailing_zeros()).min().unwrap_or(0);
    let most = number::power_of_two(53 + zeros.min(900));
    number::magnitude(&w.lo) <= most && number::magnitude(&w.hi) <= most
}

impl Run<'_> {
    /// Takes inputs that are doubles for such, and makes an input for each sum that may be rounded.
    fn with_doubles(mut self) -> Result<Self> {
        let mut doubles = Doubles::default();
        let slice = self.slice;
        for (i, p) in slice.parts.iter().enumerate() {
            match p {
                Part::Input(Class::Double) => {
                    doubles.values.extend(self.full[i].take().map(|w| (i, w)));
                }
                Part::Lanes(Op::Fused, v) if matches!(slice.parts[v[2]], Part::Constant(_)) => {
                    self.trace.facts.set_note(format!("part {i} is rounded up, or not"));
                    doubles.up.insert(i, self.trace.input(&Int::ZERO, &Int::ONE)?);
                }
                _ => {}
            }
        }
        self.doubles = Some(doubles);
        Ok(self)
    }

    fn state(&mut self) -> &mut Doubles {
        self.doubles.get_or_insert_default()
    }

    /// The integer that a lane stands for as a double.
    fn value(&mut self, i: usize) -> Result<Word> {
        if let Some(w) = self.state().values.get(&i) {
            return Ok(w.clone());
        }
        let slice = self.slice;
        let w = match &slice.parts[i] {
            Part::Constant(c) => Word::constant(integer(c[self.lane])?),
            Part::Lanes(op @ (Op::AddDoubles | Op::SubDoubles), v) => {
                let (a, b) = (self.value(v[0])?, self.value(v[1])?);
                let sign = if *op == Op::AddDoubles { Int::ONE } else { Int::NEG_ONE };
                let w = self.trace.sum(&[(Int::ONE, &a), (sign, &b)])?;
                if !is_exact(&w) {
                    return unproven(format!("part {i}: a sum of doubles that is rounded"));
                }
                w
            }
            Part::Lanes(Op::Fused, v) => self.fused(i, v)?,
            _ => {
                // 2^k and the distance from it
                let w = self.word(i)?;
                let exponent = |n: &Int| number::floor_shift(n, 52);
                let e = exponent(&w.lo);
                let k = (52..1023).find(|k| e == Int::from(1023 + k));
                let Some(k) = k.filter(|_| e == exponent(&w.hi)) else {
                    return unproven(format!("part {i}: bits of doubles of many sizes"));
                };
                let unit = number::power_of_two(k - 52);
                let base = number::power_of_two(k) - e * number::power_of_two(52) * &unit;
                self.trace.sum(&[(unit, &w), (Int::ONE, &Word::constant(base))])?
            }
        };
        self.state().values.insert(i, w.clone());
        Ok(w)
    }

    /// a*b + c.
    fn fused(&mut self, i: usize, v: &[usize]) -> Result<Word> {
        let (a, b, c) = (self.value(v[0])?, self.value(v[1])?, self.value(v[2])?);
        let p = a.p.mul(&b.p).add(&c.p);
        // less a product that was rounded: what it was rounded by
        for r in self.state().rounded.clone() {
            let unit = number::power_of_two(r.k);
            let by = p.sub(&r.rest.p).add_scaled(&r.up.p, &unit);
            if let Some(c) = by.as_constant() {
                let terms = [(Int::ONE, &r.rest), (-unit, &r.up), (Int::ONE, &Word::constant(c))];
                let w = self.trace.sum(&terms)?;
                if is_exact(&w) {
                    return Ok(w);
                }
            }
        }
        let product = self.trace.product(&a, &b)?;
        let w = self.trace.sum(&[(Int::ONE, &product), (Int::ONE, &c)])?;
        if is_exact(&w) {
            return Ok(w);
        }
        let up = self.state().up.get(&i).cloned();
        let (Some(up), Some(size)) = (up, binade(&w).filter(|k| *k > 52)) else {
            return unproven(format!("part {i}: a product of doubles that is rounded"));
        };
        let k = size - 52;
        let (rest, below) = self.trace.split(&w, k)?;
        let near = self.trace.sum(&[(Int::ONE, &below), (Int::ONE, &up)])?;
        self.state().rounded.push(Rounded { rest, up, k });
        self.trace.sum(&[(number::power_of_two(k), &near)])
    }

    /// The bits of a double in one binade.
    fn bits_of(&mut self, i: usize) -> Result<Word> {
        let w = self.value(i)?;
        let Some(k) = binade(&w).filter(|k| *k >= 52) else {
            return unproven(format!("part {i}: the bits of doubles of many sizes"));
        };
        let least = Word::constant(number::power_of_two(k));
        let above = self.trace.sum(&[(Int::ONE, &w), (Int::NEG_ONE, &least)])?;
        let distance = if k == 52 {
            above
        } else {
            let (rest, distance) = self.trace.split(&above, k - 52)?;
            if !rest.known().is_some_and(|n| n.is_zero()) {
                return unproven(format!("part {i}: the bits of a double that is rounded"));
            }
            distance
        };
        let base = Word::constant(Int::from(1023 + k) * number::power_of_two(52));
        self.trace.sum(&[(Int::ONE, &distance), (Int::ONE, &base)])
    }

    /// Operations on words that stand beside doubles; none for others.
    pub(super) fn beside_doubles(&mut self, i: usize) -> Result<Option<Word>> {
        let Part::Lanes(op, v) = &self.slice.parts[i] else { return Ok(None) };
        let constant = |n: usize| match &self.slice.parts[v[n]] {
            Part::Constant(c) => Some((c[self.lane], v[1 - n])),
            _ => None,
        };
        match op {
            Op::AddDoubles | Op::SubDoubles | Op::Fused => Ok(Some(self.bits_of(i)?)),
            Op::Or | Op::Xor => {
                let Some((c, x)) = constant(0).or_else(|| constant(1)) else { return Ok(None) };
                let w = self.within(x, Int::ZERO)?;
                let (bits, c) = (number::power_of_two(c.trailing_zeros() as usize), Int::from(c));
                let sign = if *op == Op::Or && w.hi < bits {
                    Int::ONE
                } else if *op == Op::Xor && w.lo >= c && w.hi < &c + bits {
                    Int::NEG_ONE
                } else {
                    return Ok(None);
                };
                self.trace.sum(&[(Int::ONE, &w), (sign, &Word::constant(c))]).map(Some)
            }
            Op::SignedHalves | Op::Halves => {
                let (a, b) = (self.word(v[0])?, self.word(v[1])?);
                let bits = if *op == Op::Halves { 32 } else { 31 };
                let small =
                    |w: &Word| !number::is_negative(&w.lo) && w.hi < number::power_of_two(bits);
                if !small(&a) || !small(&b) {
                    return unproven(format!("part {i}: a product of words above 2^{bits}"));
                }
                self.trace.product(&a, &b).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// Proves a slice: limbs of an element, or columns of a product. Its columns are any that a carry takes, or else those of one product.
pub(super) fn prove(slice: &Slice) -> Result<Proven> {
    let bounded = |n: u64| prove_of(slice, number::power_of_two(51) * n - 1);
    bounded(1021).or_else(|_| bounded(253))
}

fn prove_of(slice: &Slice, column: Int) -> Result<Proven> {
    let columns = (Int::ZERO, column);
    let field = Field { columns: columns.clone(), top_column: columns, ..field() };
    let masks = slice.masks();
    if masks.len() > 4 {
        return unproven(format!("{} masks", masks.len()));
    }
    let mut proven = Proven { forms: Vec::new(), segments: String::new(), variables: 0 };
    for (n, (lane, chosen)) in prove::variants(slice, &masks).into_iter().enumerate() {
        let start = || Run::new(slice, &field, lane, chosen.clone())?.with_doubles();
        let mut run = start()?;
        let out = run.outputs(&field)?;
        let total = out.iter().enumerate().fold(Poly::default(), |sum, (k, w)| {
            sum.add_scaled(&w.p, &number::power_of_two(field.radix * k))
        });
        let (factor, target, form) = prove::form(&run, &field, &total)?;
        let places = (0..out.len()).map(|k| (k, field.radix * k)).collect();
        let (name, modulus) = ("value".into(), field.p.clone());
        let mut goals = vec![Goal::Zero { name, modulus, factor, target, places }];
        let (lo, hi) = field.range(if slice.limbs { Class::Double } else { Class::TopProduct });
        for output in 0..out.len() {
            let (name, lo, hi) = (format!("limb{output}"), lo.clone(), hi.clone());
            goals.push(Goal::Limb { name, output, lo, hi });
        }
        let mut run = start()?;
        for goal in &goals {
            run.trace.facts.set_note(String::new());
            run.trace.facts.line(&goal.line());
        }
        let out = run.outputs(&field)?;
        let mut effort = Effort::default();
        let text = settle(run.trace, &out, &goals, &mut effort, 2)?;
        proven.variables = proven.variables.max(effort.variables);
        let _ = writeln!(proven.segments, "segment variant{n} entry exit\n{text}end segment");
        proven.forms.push(form);
    }
    Ok(proven)
}

fn is_splat(g: &Graph, n: Node, x: u64) -> bool {
    g.constant(n) == Some([x; 8])
}

/// The other operand of an operation, one of whose operands is a constant.
fn beside(g: &Graph, n: Node, op: &[Op], constant: u64) -> Option<Node> {
    let (_, v) = g.lanes(n).filter(|(o, _)| op.contains(o))?;
    let [a, b] = v else { return None };
    if is_splat(g, *a, constant) { Some(*b) } else { is_splat(g, *b, constant).then_some(*a) }
}

/// Limbs after one parallel carry, the highest column's around 19 times: the lowest first.
fn carries(g: &Graph) -> Vec<Vec<Node>> {
    let mut sums: HashMap<Node, Vec<(Node, Node)>> = HashMap::new();
    let mut carried: HashMap<Node, Node> = HashMap::new();
    for n in 0..g.len() as Node {
        match g.lanes(n) {
            Some((Op::Add, v)) => {
                sums.entry(v[0]).or_default().push((n, v[1]));
                sums.entry(v[1]).or_default().push((n, v[0]));
            }
            Some((Op::Srl(51), v)) => {
                carried.insert(v[0], n);
            }
            _ => {}
        }
    }
    // the sum of a carry and of the low bits of a column
    let limbs = |carry: Node| -> Vec<(Node, Node)> {
        let of = sums.get(&carry).into_iter().flatten();
        of.filter_map(|(n, low)| Some((*n, beside(g, *low, &[Op::And], LOW_51)?))).collect()
    };
    let mut out = Vec::new();
    for n in 0..g.len() as Node {
        let Some(top) = beside(g, n, &[Op::SignedHalves, Op::Halves], 19) else { continue };
        let Some((Op::Srl(51), last)) = g.lanes(top) else { continue };
        for (first, column) in limbs(n) {
            let (mut found, mut column) = (vec![first], column);
            while found.len() < 5 {
                let next = carried.get(&column).map(|c| limbs(*c)).unwrap_or_default();
                let [(limb, from)] = next[..] else { break };
                found.push(limb);
                column = from;
            }
            if found.len() == 5 && column == last[0] {
                out.push(found);
            }
        }
    }
    out
}

/// The leaves and the limbs of other elements that outputs are computed from; none if one of them has no bound by its type.
fn inputs(g: &Graph, outputs: &[Node], limbs: &BTreeSet<Node>) -> Option<BTreeMap<Node, Class>> {
    let mut found: BTreeMap<Node, Class> = BTreeMap::new();
    let (mut doubles, mut words): (BTreeSet<Node>, BTreeSet<Node>) = Default::default();
    let (mut todo, mut seen) = (outputs.to_vec(), BTreeSet::new());
    while let Some(n) = todo.pop() {
        if !seen.insert(n) {
            continue;
        }
        let inside = !limbs.contains(&n) || outputs.contains(&n);
        match g.value(n) {
            Value::Constant(_) => {}
            Value::Lanes(..) if inside && chosen(g, n).is_some() => {
                if let Some([mask, set, other]) = chosen(g, n) {
                    found.insert(mask, Class::Mask);
                    todo.extend([set, other]);
                    words.extend([set, other]);
                }
            }
            Value::Lanes(op, v) if inside => {
                todo.extend(v);
                match op {
                    Op::AddDoubles | Op::SubDoubles | Op::Fused => doubles.extend(v),
                    Op::Select if g.constant(v[0]).is_none() => {
                        todo.retain(|m| *m != v[0]);
                        found.insert(v[0], Class::Mask);
                    }
                    _ => words.extend(v),
                }
            }
            Value::Lanes(..) => {
                found.insert(n, Class::Top);
            }
            Value::Leaf(Origin::Result(_, _, sources)) if sources.is_empty() => return None,
            _ => {
                found.insert(n, Class::Column);
            }
        }
    }
    for (n, class) in &mut found {
        if *class == Class::Column && doubles.contains(n) {
            if words.contains(n) {
                return None;
            }
            *class = Class::Double;
        }
    }
    Some(found)
}

/// Doubles that stand in memory in a row, five to an element.
fn elements(g: &Graph, inputs: &BTreeMap<Node, Class>) -> Vec<Vec<Node>> {
    let mut at = BTreeMap::new();
    for (&n, _) in inputs.iter().filter(|(_, class)| **class == Class::Double) {
        if let Value::Leaf(Origin::Load(base, index, place, size, epoch)) = g.value(n) {
            at.insert((*base, *index, *epoch, *size, *place), n);
        }
    }
    let all: Vec<_> = at.into_iter().collect();
    all.chunks(5).filter(|c| c.len() == 5).map(|c| c.iter().map(|x| x.1).collect()).collect()
}

/// Slices of a block: limbs after carries; in one without, five words that are left in memory in a row: columns, or limbs.
pub(super) fn slices(g: &Graph, rows: &[Vec<Node>], products: &BTreeSet<Node>) -> Vec<Slice> {
    let carries = carries(g);
    let of_doubles = |n: Node| matches!(g.lanes(n), Some((Op::Fused | Op::AddDoubles, _)));
    if !(0..g.len() as Node).any(of_doubles) {
        return Vec::new();
    }
    let limbs: BTreeSet<Node> = carries.iter().flatten().copied().collect();
    let mut out = Vec::new();
    let mut done: BTreeSet<Node> = BTreeSet::new();
    let none = carries.is_empty();
    let five = rows.iter().filter(|_| none).flat_map(|r| r.windows(5).map(<[Node]>::to_vec));
    for outputs in carries.iter().cloned().chain(five) {
        let Some(inputs) = inputs(g, &outputs, &limbs) else { continue };
        let mut known = elements(g, &inputs);
        known.extend(carries.iter().filter(|c| c.iter().all(|n| inputs.contains_key(n))).cloned());
        let last = |n: &Node| beside(g, *n, &[Op::And], LOW_51).is_some();
        let are_limbs = limbs.contains(&outputs[0]) || outputs.iter().all(last);
        let slice = between(g, &outputs, &inputs, are_limbs, &known);
        if slice.nodes.iter().any(|n| products.contains(n) && !done.contains(n)) {
            done.extend(slice.nodes.iter().copied());
            out.push(slice);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_integers_or_refused() {
        let of = |x: f64| integer(x.to_bits()).ok();
        let power = |k: usize| Some(number::power_of_two(k));
        assert_eq!(of(0.0), Some(Int::ZERO));
        assert_eq!(of(19.0), Some(Int::from(19)));
        assert_eq!(of(-6.0), Some(Int::from(-6)));
        assert_eq!(of(f64::from_bits(1126 << 52)), power(103));
        assert_eq!(of((1u64 << 52) as f64 + 1.0), power(52).map(|n| n + 1));
        for x in [0.5, 19.25, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN] {
            assert_eq!(of(x), None, "{x}");
        }
    }
}
