//! A slice: the computation of one number's words from the nearest numbers, without regard to the order of its instructions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::graph::{Graph, Node, Op, Value};

/// A node of a slice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Any integer below 2 to this power.
    Input(u32),
    /// A number.
    Constant(u64),
    /// An operation on earlier parts.
    Of(Op, Vec<usize>),
}

/// A slice.
pub struct Slice {
    /// Parts; operands stand before results.
    pub parts: Vec<Part>,
    /// The parts that are its outputs, the lowest word first.
    pub outputs: Vec<usize>,
    /// Inputs that are the words of one number, and the modulus that it is proven to be below.
    pub elements: Vec<(Vec<usize>, &'static str)>,
    /// Other inputs that the region computes: nothing may be promised of them.
    pub computed: BTreeSet<usize>,
    /// The region's node of each part.
    pub nodes: Vec<Node>,
}

/// Whether a run of a slice may find a rule for an operation.
fn has_rule(g: &Graph, op: Op, v: &[Node]) -> bool {
    let bit = |n: Node| g.bits(n) <= 1;
    match op {
        Op::And => {
            let mask = |n: &Node| {
                g.known(*n).is_some_and(|c| {
                    c != 0
                        && (c >> c.trailing_zeros()).wrapping_add(1) & (c >> c.trailing_zeros())
                            == 0
                })
            };
            bit(v[0]) && bit(v[1]) || v.iter().any(mask)
        }
        Op::Xor => bit(v[0]) && bit(v[1]) || v.iter().any(|&n| g.known(n) == Some(u64::MAX)),
        Op::Or => bit(v[0]) && bit(v[1]) || disjoint(g, v[0], v[1]) || disjoint(g, v[1], v[0]),
        Op::IsZero => false,
        _ => true,
    }
}

/// Whether one node lies below the zeros that another ends in.
fn disjoint(g: &Graph, a: Node, b: Node) -> bool {
    matches!(g.of(b), Some((Op::Shl(k), _)) if g.bits(a) <= u32::from(k))
}

struct Cone<'a> {
    g: &'a Graph,
    stops: &'a BTreeSet<Node>,
    outputs: BTreeSet<Node>,
    multiplies: HashMap<Node, bool>,
}

impl Cone<'_> {
    fn is_input(&self, n: Node) -> bool {
        match self.g.value(n) {
            Value::Constant(_) => false,
            Value::Leaf(..) => true,
            Value::Of(op, v) => {
                self.stops.contains(&n) && !self.outputs.contains(&n) || !has_rule(self.g, *op, v)
            }
        }
    }

    /// Whether a node is computed by a multiplication of the slice.
    fn multiplies(&mut self, n: Node) -> bool {
        if let Some(&m) = self.multiplies.get(&n) {
            return m;
        }
        let m = match self.g.of(n) {
            Some((op, v)) if !self.is_input(n) => {
                let v = v.to_vec();
                matches!(op, Op::MulLow | Op::MulHigh) || v.into_iter().any(|m| self.multiplies(m))
            }
            _ => false,
        };
        self.multiplies.insert(n, m);
        m
    }
}

impl Slice {
    /// The slice of outputs: back to words of other numbers, to what has no rule, and to two factors of which no multiplication computes one.
    pub fn new(
        g: &Graph,
        outputs: &[Node],
        stops: &BTreeSet<Node>,
        numbers: &BTreeMap<Vec<Node>, &'static str>,
    ) -> Self {
        let own = outputs.iter().copied().collect();
        let mut cone = Cone { g, stops, outputs: own, multiplies: HashMap::new() };
        let (mut seen, mut inputs, mut todo) = (BTreeSet::new(), BTreeSet::new(), outputs.to_vec());
        while let Some(n) = todo.pop() {
            if !seen.insert(n) {
                continue;
            }
            if cone.is_input(n) {
                inputs.insert(n);
            } else if let Some((op, v)) = g.of(n) {
                let factors = v.iter().all(|&m| g.known(m).is_none());
                if factors && matches!(op, Op::MulLow | Op::MulHigh) {
                    inputs.extend(v.iter().copied().filter(|&m| !cone.multiplies(m)));
                }
                todo.extend(v);
            }
        }
        // inputs are known now: what leads to them alone is left out
        let mut s = Self {
            parts: vec![],
            outputs: vec![],
            elements: vec![],
            computed: BTreeSet::new(),
            nodes: vec![],
        };
        let (mut at, mut rank) = (HashMap::new(), HashMap::new());
        for &n in outputs {
            let o = s.add(g, n, &inputs, &mut rank, &mut at);
            s.outputs.push(o);
        }
        for (number, modulus) in numbers {
            let parts: Option<Vec<usize>> = number
                .iter()
                .map(|n| at.get(n).copied().filter(|&p| matches!(s.parts[p], Part::Input(_))))
                .collect();
            s.elements.extend(parts.map(|p| (p, *modulus)));
        }
        s.elements.sort();
        let known: BTreeSet<usize> = s.elements.iter().flat_map(|e| e.0.clone()).collect();
        let computed = |i: &usize| {
            matches!(s.parts[*i], Part::Input(_))
                && g.of(s.nodes[*i]).is_some()
                && !known.contains(i)
        };
        s.computed = (0..s.parts.len()).filter(computed).collect();
        s
    }

    /// A hash of the computation of a node, inputs known by their bits alone: the order of operands that commute.
    fn rank(g: &Graph, n: Node, inputs: &BTreeSet<Node>, rank: &mut HashMap<Node, u64>) -> u64 {
        if let Some(&r) = rank.get(&n) {
            return r;
        }
        let text = match g.value(n) {
            _ if inputs.contains(&n) => format!("input {}", g.bits(n)),
            Value::Of(op, v) => {
                let mut r: Vec<u64> = v.iter().map(|&m| Self::rank(g, m, inputs, rank)).collect();
                if commutes(*op) {
                    r.sort_unstable();
                }
                format!("{op:?}{r:?}")
            }
            other => format!("{other:?}"),
        };
        let d = Sha256::digest(text.as_bytes());
        let r = u64::from_le_bytes([d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]]);
        rank.insert(n, r);
        r
    }

    fn add(
        &mut self,
        g: &Graph,
        n: Node,
        inputs: &BTreeSet<Node>,
        rank: &mut HashMap<Node, u64>,
        at: &mut HashMap<Node, usize>,
    ) -> usize {
        if let Some(&i) = at.get(&n) {
            return i;
        }
        let part = match g.value(n) {
            Value::Constant(c) => Part::Constant(*c),
            Value::Of(op, v) if !inputs.contains(&n) => {
                let mut v = v.clone();
                if commutes(*op) {
                    v.sort_by_key(|&m| (Self::rank(g, m, inputs, rank), m));
                }
                Part::Of(*op, v.into_iter().map(|m| self.add(g, m, inputs, rank, at)).collect())
            }
            _ => Part::Input(g.bits(n)),
        };
        self.parts.push(part);
        self.nodes.push(n);
        at.insert(n, self.parts.len() - 1);
        self.parts.len() - 1
    }

    /// The first 16 digits of the hash of its text: equal slices have equal ones.
    pub fn hash(&self) -> String {
        let mut text = String::new();
        for p in &self.parts {
            let _ = writeln!(text, "{p:?}");
        }
        let _ = writeln!(text, "{:?} {:?} {:?}", self.outputs, self.elements, self.computed);
        let digest = Sha256::digest(text.as_bytes());
        digest[..8].iter().map(|b| format!("{b:02x}")).collect()
    }

    /// The constants in it.
    pub fn constants(&self) -> BTreeSet<u64> {
        self.parts
            .iter()
            .filter_map(|p| if let Part::Constant(c) = p { Some(*c) } else { None })
            .collect()
    }
}

fn commutes(op: Op) -> bool {
    matches!(op, Op::Add | Op::Carry | Op::And | Op::Or | Op::Xor | Op::MulLow | Op::MulHigh)
}
