//! Elements that a block leaves in memory and that are sums of its products: no multiplication stands in their slices.

use std::collections::BTreeSet;

use super::elements::Elements;
use super::function::Stand;
use super::graph::{Graph, Node};
use super::slice::{Class, Part, Slice};
use super::slices::Slices;

/// Parts of such a slice at most.
const PARTS: usize = 250;

/// Places in a row that are tried and fail, at most.
const FAILED: usize = 8;

/// Such elements among values that stand in a row in memory, with the limbs of an element a field has: proven as others are.
pub(super) fn results(
    g: &Graph,
    e: &Elements,
    rows: &[Vec<Node>],
    slices: &mut Slices,
    code: &str,
    stands: &mut Vec<Stand>,
) {
    let radix = if e.radix_51 { 51 } else { 52 };
    let mut known: BTreeSet<Vec<Node>> = stands.iter().map(Stand::outputs).collect();
    let limbs = e.all.iter().map(Vec::len).max().unwrap_or(0);
    for row in rows {
        let (mut at, mut failed) = (0, 0);
        while let Some(outputs) = row.get(at..at + limbs).filter(|_| limbs > 0) {
            at += 1;
            if failed >= FAILED || outputs.iter().any(|&n| g.lanes(n).is_none()) {
                continue;
            }
            if known.contains(outputs) {
                at += limbs - 1;
                continue;
            }
            let slice = Slice::new(g, e, outputs, true);
            let of_products = slice.parts.contains(&Part::Input(Class::TopProduct));
            if !of_products || slice.parts.len() > PARTS {
                continue;
            }
            failed += 1;
            if let (hash, Ok((field, proven, taken))) =
                slices.prove(&slice, (radix, Class::Column), code)
            {
                known.insert(outputs.to_vec());
                let (name, forms) = (format!("s{}", stands.len()), proven.forms.clone());
                stands.push(Stand::new(name, slice, hash, (field, forms, taken)));
                at += limbs - 1;
                failed = 0;
            }
        }
    }
}
