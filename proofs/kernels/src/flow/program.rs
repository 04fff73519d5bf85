//! The field-level program of a block: its proven slices as sums of products, in a form that other modules evaluate.

use std::collections::BTreeSet;

use super::function::Stand;
use super::graph::{Graph, Node};
use super::prove::Term;
use super::slice::{Part, Slice};
use crate::number::Int;

/// The program of a block.
#[derive(Clone, Debug)]
pub struct Program {
    /// Address of the block.
    pub block: u64,
    /// Results of proven slices.
    pub lines: Vec<Line>,
}

/// One proven slice: a value, and the sum that it is.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name in the block's text.
    pub name: String,
    /// The field in which it is proven.
    pub field: &'static str,
    /// The nodes that hold it, the lowest first.
    pub outputs: Vec<Node>,
    /// Whether they are limbs, or columns.
    pub limbs: bool,
    /// Addresses of the instructions that make them.
    pub made_at: Vec<u64>,
    /// Masks that choose.
    pub masks: Vec<Node>,
    /// The first lane that has the same constants, lane by lane.
    pub lanes: [usize; 8],
    /// The sum in each of those lanes, for each value of the masks, as numbers count.
    pub sums: Vec<Sum>,
}

/// A sum modulo the prime.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// Whether it is divided by R.
    pub divided: bool,
    /// Factors, and limbs of two elements.
    pub products: Vec<(Int, Limbs, Limbs)>,
    /// Factors, and limbs of an element.
    pub elements: Vec<(Int, Limbs)>,
    /// Factors, places in bits, and columns.
    pub columns: Vec<(Int, usize, Node)>,
    /// A number.
    pub constant: Int,
}

impl Sum {
    /// Whether it is a number alone.
    pub fn is_constant(&self) -> bool {
        self.products.is_empty() && self.elements.is_empty() && self.columns.is_empty()
    }
}

/// Nodes that are limbs of an element, the lowest first.
pub type Limbs = Vec<Node>;

/// The first lane with the same constants, for each lane.
fn lanes(slice: &Slice) -> [usize; 8] {
    let key = |lane: usize| -> Vec<u64> {
        let constant = |p: &Part| if let Part::Constant(c) = p { Some(c[lane]) } else { None };
        slice.parts.iter().filter_map(constant).collect()
    };
    std::array::from_fn(|lane| (0..lane).find(|&before| key(before) == key(lane)).unwrap_or(lane))
}

impl Line {
    /// The line of a slice that stands in a block; none if no sum is known.
    pub(super) fn new(g: &Graph, stand: &Stand) -> Option<Self> {
        let slice = &stand.slice;
        let element =
            |n: usize| -> Limbs { slice.elements[n].iter().map(|&i| slice.nodes[i]).collect() };
        let mut sums = Vec::new();
        for form in &stand.forms {
            let mut sum = Sum { divided: form.divided, ..Sum::default() };
            for term in &form.terms {
                match term {
                    Term::Product(c, a, b) => {
                        sum.products.push((c.clone(), element(*a), element(*b)));
                    }
                    Term::Element(c, a) => sum.elements.push((c.clone(), element(*a))),
                    Term::Columns(c, places) => {
                        for (bit, part) in places {
                            sum.columns.push((c.clone(), *bit, slice.nodes[*part]));
                        }
                    }
                    Term::Constant(c) => sum.constant += c,
                }
            }
            sums.push(sum);
        }
        let outputs: Vec<Node> = slice.outputs.iter().map(|&o| slice.nodes[o]).collect();
        let made_at: Vec<u64> = outputs.iter().map(|&n| g.made_at(n)).collect();
        let masks = slice.masks().into_iter().map(|i| slice.nodes[i]).collect();
        (!sums.is_empty()).then(|| Self {
            name: stand.name.clone(),
            field: stand.field,
            limbs: slice.limbs,
            outputs,
            made_at,
            masks,
            lanes: lanes(slice),
            sums,
        })
    }

    /// The sum in a lane, where some masks are set.
    pub fn sum(&self, lane: usize, set: &BTreeSet<Node>) -> Option<&Sum> {
        let mut variants: Vec<usize> = self.lanes.to_vec();
        variants.sort_unstable();
        variants.dedup();
        let lane = variants.iter().position(|&v| v == self.lanes[lane])?;
        let bit = |(k, m): (usize, &Node)| usize::from(set.contains(m)) << k;
        let choice: usize = self.masks.iter().enumerate().map(bit).sum();
        self.sums.get((lane << self.masks.len()) + choice)
    }

    /// Whether it holds a product of two values that both vary.
    pub fn multiplies(&self) -> bool {
        self.sums.iter().any(|s| !s.products.is_empty())
    }
}
