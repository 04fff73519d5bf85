//! A slice whose inputs are known.

use std::collections::{BTreeMap, HashMap};

use super::graph::{Graph, Node, Op, Value};
use super::slice::{Class, Part, Slice};

/// a ^ (mask & (a ^ b)): the mask, b and a.
pub(super) fn chosen(g: &Graph, n: Node) -> Option<[Node; 3]> {
    let Some((Op::Xor, v)) = g.lanes(n) else { return None };
    for (a, masked) in [(v[0], v[1]), (v[1], v[0])] {
        let Some((Op::And, w)) = g.lanes(masked) else { continue };
        for (mask, both) in [(w[0], w[1]), (w[1], w[0])] {
            let Some((Op::Xor, x)) = g.lanes(both) else { continue };
            if x[0] == a || x[1] == a {
                return Some([mask, if x[0] == a { x[1] } else { x[0] }, a]);
            }
        }
    }
    None
}

struct Gather<'a> {
    g: &'a Graph,
    inputs: &'a BTreeMap<Node, Class>,
    at: HashMap<Node, usize>,
    slice: Slice,
}

impl Gather<'_> {
    fn add(&mut self, n: Node) -> usize {
        if let Some(&i) = self.at.get(&n) {
            return i;
        }
        let of_mask = |v: &[Node; 3]| self.inputs.get(&v[0]) == Some(&Class::Mask);
        let choice = chosen(self.g, n).filter(of_mask);
        let part = match (self.inputs.get(&n), self.g.value(n)) {
            (Some(class), _) => Part::Input(*class),
            (None, _) if choice.is_some() => {
                Part::Lanes(Op::Select, choice.iter().flatten().map(|&m| self.add(m)).collect())
            }
            (None, Value::Constant(c)) => Part::Constant(*c),
            (None, Value::Lanes(op, v)) => {
                Part::Lanes(*op, v.iter().map(|&m| self.add(m)).collect())
            }
            (None, _) => Part::Input(Class::Word),
        };
        self.slice.parts.push(part);
        self.slice.nodes.push(n);
        self.slice.addresses.push(self.g.made_at(n));
        self.at.insert(n, self.slice.parts.len() - 1);
        self.slice.parts.len() - 1
    }
}

/// The slice from inputs to outputs; elements are kept of which all limbs are inputs.
pub(super) fn between(
    g: &Graph,
    outputs: &[Node],
    inputs: &BTreeMap<Node, Class>,
    limbs: bool,
    elements: &[Vec<Node>],
) -> Slice {
    let slice = Slice {
        parts: Vec::new(),
        outputs: Vec::new(),
        limbs,
        elements: Vec::new(),
        nodes: Vec::new(),
        addresses: Vec::new(),
    };
    let mut gather = Gather { g, inputs, at: HashMap::new(), slice };
    for &n in outputs {
        let o = gather.add(n);
        gather.slice.outputs.push(o);
    }
    for element in elements {
        let places: Option<Vec<usize>> =
            element.iter().map(|n| gather.at.get(n).copied()).collect();
        gather.slice.elements.extend(places);
    }
    gather.slice
}
