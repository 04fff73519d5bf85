//! A slice whose inputs are known.

use std::collections::{BTreeMap, HashMap};

use super::graph::{Graph, Node, Value};
use super::slice::{Class, Part, Slice};

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
        let part = match (self.inputs.get(&n), self.g.value(n)) {
            (Some(class), _) => Part::Input(*class),
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
