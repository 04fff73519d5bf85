//! A slice: the computation of one element from the nearest elements, without regard to the order of its instructions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::combinations;
use super::elements::{Elements, Limbs};
use super::graph::{Graph, Node, Op, Value};
use super::packed;
use super::pairs::Level;
use crate::number::Int;

/// The class of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Its low 52 bits alone are looked at.
    Limb,
    /// The highest limb of an element.
    Top,
    /// A column of a product, or a sum.
    Column,
    /// The highest column.
    TopColumn,
    /// The highest column of a product, which is not negative.
    TopProduct,
    /// A column of a product that is not reduced, or that something was added to.
    Addend,
    /// The highest column that is not reduced.
    TopAddend,
    /// A column of a reduced product that something was added to.
    Wide,
    /// A doubled column, or a sum or difference of columns, in limbs of 51 bits: below so many times 2^52.
    Below(u16),
    /// All bits of a lane or none.
    Mask,
    /// Any word of 64 bits.
    Word,
    /// A double that holds a limb of an element.
    Double,
    /// The third word of an integer below 2^144.
    Short,
    /// Two limbs, a half of a word each.
    Pair(Level),
    /// Any word, whose low half is a signed number.
    Signed,
    /// The same, and the number is at most 2^30 in absolute value.
    Coefficient,
}

impl Class {
    /// Whether it is a column, whose bounds the field says.
    pub fn is_column(self) -> bool {
        !matches!(
            self,
            Self::Limb | Self::Top | Self::Mask | Self::Pair(_) | Self::Signed | Self::Coefficient
        )
    }
}

/// A node of a slice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// An input.
    Input(Class),
    /// A constant by lane.
    Constant([u64; 8]),
    /// An operation on earlier parts.
    Lanes(Op, Vec<usize>),
}

/// A slice.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Parts; operands stand before results.
    pub parts: Vec<Part>,
    /// The parts that are its outputs, the lowest limb first.
    pub outputs: Vec<usize>,
    /// Whether the outputs are limbs, of which the low 52 bits alone mean something, but for the highest.
    pub limbs: bool,
    /// Inputs that are limbs of one element.
    pub elements: Vec<Vec<usize>>,
    /// The block's node of each part.
    pub nodes: Vec<Node>,
    /// Address of the instruction of each part.
    pub addresses: Vec<u64>,
}

const LOW_52: u64 = (1 << 52) - 1;

fn only_low(g: &Graph, op: Op, operands: &[Node], n: Node) -> bool {
    match op {
        Op::MulLow | Op::MulHigh => operands[0] != n,
        Op::And => {
            operands.iter().any(|&m| g.constant(m).is_some_and(|c| c.iter().all(|x| *x <= LOW_52)))
        }
        _ => false,
    }
}

/// A hash of the computation of each node, inputs known by their class alone: the order of operands that commute.
fn ranks(g: &Graph, nodes: &[Node], inputs: &BTreeMap<Node, (Class, usize)>) -> HashMap<Node, u64> {
    let mut rank: HashMap<Node, u64> = HashMap::new();
    let digest = |text: String| {
        let d = Sha256::digest(text.as_bytes());
        u64::from_le_bytes([d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]])
    };
    for &n in nodes {
        let text = match (inputs.get(&n), g.value(n)) {
            (Some(class), _) => format!("{class:?}"),
            (None, Value::Lanes(op, v)) => {
                let mut r: Vec<u64> = v.iter().map(|m| rank[m]).collect();
                match op {
                    Op::Add | Op::And | Op::Or | Op::Xor | Op::Halves | Op::AddPairs => {
                        r.sort_unstable()
                    }
                    Op::MulLow | Op::MulHigh => r[1..].sort_unstable(),
                    _ => {}
                }
                format!("{op:?}{r:?}")
            }
            (None, other) => format!("{other:?}"),
        };
        rank.insert(n, digest(text));
    }
    rank
}

/// The place of inputs among columns: that of the output which they are added to without a shift.
fn places_of(
    g: &Graph,
    outputs: &[Node],
    inputs: &BTreeMap<Node, (Class, usize)>,
) -> HashMap<Node, usize> {
    let mut places = HashMap::new();
    for (k, &o) in outputs.iter().enumerate() {
        let (mut todo, mut seen) = (vec![o], BTreeSet::new());
        while let Some(n) = todo.pop() {
            if !seen.insert(n) {
                continue;
            }
            if inputs.contains_key(&n) {
                places.entry(n).or_insert(k);
                continue;
            }
            match g.lanes(n) {
                Some((Op::Add | Op::Sub | Op::And, v)) => todo.extend(v),
                Some((Op::MulLow | Op::MulHigh | Op::Sll(1..=4), v)) => todo.push(v[0]),
                Some((Op::Select, v)) => todo.extend(&v[1..]),
                _ => {}
            }
        }
    }
    places
}

impl Slice {
    /// The slice of outputs: back to limbs of other elements, and to what the block does not compute.
    pub fn new(g: &Graph, e: &Elements, outputs: &[Node], limbs: bool) -> Self {
        Self::of(g, e, outputs, (limbs, Class::Column), &BTreeSet::new())
    }

    /// The same, that does not end at some columns; what the block does not compute is of the class `other` where it is looked at beyond
    /// its low bits: in limbs of 51 bits; in others the highest limb alone, if `other` is that.
    pub fn of(
        g: &Graph,
        e: &Elements,
        outputs: &[Node],
        (limbs, other): (bool, Class),
        columns: &BTreeSet<Node>,
    ) -> Self {
        let own: BTreeSet<Node> = outputs.iter().copied().collect();
        let mut seen = BTreeSet::new();
        let mut inputs: BTreeMap<Node, (Class, usize)> = BTreeMap::new();
        let mut raw = BTreeSet::new();
        let mut masks = BTreeSet::new();
        let mut todo: Vec<Node> = outputs.to_vec();
        let stops = |n: Node| {
            let column = e.column.contains_key(&n) && !columns.contains(&n);
            let known = e.of.contains_key(&n) || column;
            e.words.contains(&n) || known && !own.contains(&n)
        };
        while let Some(n) = todo.pop() {
            if !seen.insert(n) {
                continue;
            }
            match g.value(n) {
                Value::Constant(_) => {}
                Value::Lanes(op, v) if !stops(n) => {
                    if *op == Op::Select {
                        masks.insert(v[0]);
                    }
                    todo.extend(v);
                }
                _ => {
                    inputs.insert(n, (Class::Column, 0));
                }
            }
        }
        for (i, &n) in outputs.iter().enumerate() {
            if !limbs || e.radix_51 || i + 1 == outputs.len() {
                raw.insert(n);
            }
        }
        // users have greater numbers than what they use
        for &n in seen.iter().rev().filter(|n| !inputs.contains_key(n)) {
            match g.lanes(n) {
                Some((Op::Select, v)) if raw.contains(&n) => raw.extend(&v[1..]),
                Some((Op::Select, _)) | None => {}
                Some((op, v)) => raw.extend(v.iter().filter(|&&m| !only_low(g, op, v, m))),
            }
        }
        let highest = places_of(g, outputs, &inputs);
        for (&n, class) in &mut inputs {
            let places = e.of.get(&n).into_iter().flatten();
            let top = |&(e_, k): &(usize, usize)| k + 1 == e.all[e_].len();
            let place = places.clone().map(|p| p.1).min().unwrap_or(0);
            *class = if own.contains(&n) && raw.contains(&n) && e.words.contains(&n) {
                // nothing is known of its own output
                (Class::Word, place)
            } else if masks.contains(&n) {
                (Class::Mask, 0)
            } else if let Some(&(k, all)) = e.column.get(&n).filter(|_| !e.of.contains_key(&n)) {
                let class = if e.montgomery.is_some_and(|n| all > n) {
                    if k + 1 == all { Class::TopAddend } else { Class::Addend }
                } else if e.double.contains(&n) {
                    Class::Below(packed::DOUBLE)
                } else if k + 1 == all {
                    Class::TopProduct
                } else if e.wide.contains(&n) {
                    Class::Wide
                } else {
                    Class::Column
                };
                (class, k)
            } else if places.clone().any(|p| top(p) || e.radix_51 && raw.contains(&n)) {
                // in limbs of 51 bits all have the bound of the highest
                (Class::Top, place)
            } else if raw.contains(&n) && e.words.contains(&n) {
                (Class::Word, place)
            } else if let Some(class) = packed::class(g, e, n, other).filter(|_| raw.contains(&n)) {
                (class, highest.get(&n).copied().unwrap_or(place))
            } else if raw.contains(&n) && !limbs && e.montgomery.is_some() {
                let top = highest.get(&n) == Some(&(outputs.len() - 1));
                (if top { Class::TopAddend } else { Class::Addend }, place)
            } else if raw.contains(&n) && highest.get(&n) == Some(&(outputs.len() - 1)) {
                let class = if other == Class::Top { other } else { Class::TopColumn };
                (class, outputs.len() - 1)
            } else if raw.contains(&n) {
                (Class::Column, place)
            } else {
                (Class::Limb, place)
            };
        }
        let order: Vec<Node> = seen.iter().copied().collect();
        Self::of_inputs(g, &e.all, outputs, limbs, (&order, &inputs))
    }

    /// The slice of outputs whose values and inputs are these.
    pub fn of_inputs(
        g: &Graph,
        all: &[Limbs],
        outputs: &[Node],
        limbs: bool,
        (order, inputs): (&[Node], &BTreeMap<Node, (Class, usize)>),
    ) -> Self {
        let rank = ranks(g, order, inputs);
        let mut s = Self {
            parts: Vec::new(),
            outputs: Vec::new(),
            limbs,
            elements: Vec::new(),
            nodes: Vec::new(),
            addresses: Vec::new(),
        };
        let mut at: HashMap<Node, usize> = HashMap::new();
        for &n in outputs {
            let o = s.add(g, n, inputs, &rank, &mut at);
            s.outputs.push(o);
        }
        let mut elements: Vec<Vec<usize>> = Vec::new();
        for limbs in all {
            let known: Option<Vec<usize>> = limbs
                .iter()
                .map(|n| if inputs.contains_key(n) { at.get(n).copied() } else { None })
                .collect();
            elements.extend(known);
        }
        elements.sort();
        s.elements = elements;
        s
    }

    fn add(
        &mut self,
        g: &Graph,
        n: Node,
        inputs: &BTreeMap<Node, (Class, usize)>,
        rank: &HashMap<Node, u64>,
        at: &mut HashMap<Node, usize>,
    ) -> usize {
        if let Some(&i) = at.get(&n) {
            return i;
        }
        let part = match (inputs.get(&n), g.value(n)) {
            (None, Value::Constant(c)) => Part::Constant(*c),
            (None, Value::Lanes(op, v)) => {
                let mut v = v.clone();
                let by = |m: &Node| (rank[m], *m);
                match op {
                    Op::Add | Op::And | Op::Or | Op::Xor | Op::Halves | Op::AddPairs => {
                        v.sort_by_key(by)
                    }
                    Op::MulLow | Op::MulHigh => v[1..].sort_by_key(by),
                    _ => {}
                }
                Part::Lanes(*op, v.iter().map(|&m| self.add(g, m, inputs, rank, at)).collect())
            }
            (class, _) => Part::Input(class.map_or(Class::Column, |c| c.0)),
        };
        self.parts.push(part);
        self.nodes.push(n);
        self.addresses.push(g.made_at(n));
        at.insert(n, self.parts.len() - 1);
        self.parts.len() - 1
    }

    /// Its text: equal slices have equal ones.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for p in &self.parts {
            let _ = writeln!(text, "{p:?}");
        }
        let _ = writeln!(text, "{:?} {} {:?}", self.outputs, self.limbs, self.elements);
        text
    }

    /// The first 16 digits of the hash of its text.
    pub fn hash(&self) -> String {
        let digest = Sha256::digest(self.text().as_bytes());
        digest[..8].iter().map(|b| format!("{b:02x}")).collect()
    }

    /// Lanes whose constants differ from those of the lanes before.
    pub fn lanes(&self) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        let key = |lane: usize| -> Vec<u64> {
            let constant = |p: &Part| if let Part::Constant(c) = p { Some(c[lane]) } else { None };
            self.parts.iter().filter_map(constant).collect()
        };
        (0..8).filter(|&lane| seen.insert(key(lane))).collect()
    }

    /// The least value of an input that is a signed half, and the range above it.
    pub(super) fn range_of(&self, part: usize) -> Option<(Int, Int)> {
        match self.parts[part] {
            Part::Input(class) => combinations::range(class),
            _ => None,
        }
    }

    /// Masks among its inputs.
    pub fn masks(&self) -> Vec<usize> {
        let is = |i: &usize| self.parts[*i] == Part::Input(Class::Mask);
        (0..self.parts.len()).filter(is).collect()
    }
}
