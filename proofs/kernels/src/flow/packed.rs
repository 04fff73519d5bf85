//! Limbs of 51 bits, of which vectors hold values of one formula: lanes of a product are doubled, permuted, and added to other lanes.
//!
//! A slice is tried with the greatest bound of what the block does not compute first: sums of columns, columns, limbs.

use std::collections::{BTreeMap, BTreeSet};

use super::elements::Elements;
use super::field::LIMBS_51;
use super::function::{Stand, bounded};
use super::graph::{Graph, Node, Origin, Value};
use super::prove::Term;
use super::slice::{Class, Slice};
use super::slices::Slices;

/// Bits of a limb.
const RADIX: usize = 51;

/// Proves a slice; none in limbs of other sizes. Columns that are not in the bound of products may be doubled, or sums.
pub fn prove(
    g: &Graph,
    e: &mut Elements,
    (name, limbs, outputs): (&str, bool, &[Node]),
    slices: &mut Slices,
    code: &str,
) -> Option<Result<Stand, String>> {
    if !e.radix_51 || outputs.len() != 5 {
        return None;
    }
    let inputs: &[Class] = match limbs {
        true => &[Class::Sum, Class::Column, Class::Top],
        false => &[Class::Sum, Class::Column],
    };
    let kinds: &[Class] = match (limbs, name.starts_with('p')) {
        (true, _) => &[Class::Column],
        (false, true) => &[Class::Column, Class::Double],
        (false, false) => &[Class::Column, Class::Double, Class::Sum],
    };
    let (mut reasons, mut tried) = (String::new(), BTreeSet::new());
    for &columns in kinds {
        for &other in inputs {
            let slice = Slice::of(g, e, outputs, (limbs, other));
            let (hash, result) = slices.prove(&slice, (RADIX, columns), code);
            match result {
                Ok((field, proven, taken)) => {
                    if columns == Class::Double && name.starts_with('p') {
                        e.double.extend(outputs);
                    }
                    let (name, forms) = (name.to_owned(), proven.forms.clone());
                    let (field, taken) = (*field, *taken);
                    return Some(Ok(Stand { name, slice, hash, field, forms, taken, columns }));
                }
                Err(why) if tried.insert(hash) => reasons.push_str(why),
                Err(_) => {}
            }
        }
    }
    Some(Err(reasons))
}

/// Sources of permuted words among the inputs of a slice that no slice shows a bound of, five places together.
fn sources(g: &Graph, s: &Stand, known: &BTreeSet<Node>) -> Vec<Vec<Node>> {
    let mut places: BTreeMap<usize, Vec<Node>> = BTreeMap::new();
    for term in s.forms.iter().flat_map(|f| &f.terms) {
        let Term::Columns(_, columns) = term else { continue };
        for (bit, part) in columns {
            let Value::Leaf(Origin::Result(_, _, from)) = g.value(s.slice.nodes[*part]) else {
                continue;
            };
            let place = places.entry(*bit).or_default();
            for n in from.iter().filter(|n| g.lanes(**n).is_some() && !known.contains(n)) {
                if !place.contains(n) {
                    place.push(*n);
                }
            }
        }
    }
    let most = places.values().map(Vec::len).max().unwrap_or(0);
    let at = |i: usize| (0..5).map(|k| places.get(&(RADIX * k))?.get(i).copied()).collect();
    (0..most).filter_map(at).collect()
}

/// Proves what other slices take permuted; whether there is something new.
pub fn prove_moved(
    g: &Graph,
    e: &mut Elements,
    slices: &mut Slices,
    code: &str,
    stands: &mut Vec<Stand>,
) -> bool {
    if !e.radix_51 {
        return false;
    }
    let known: BTreeSet<Node> =
        bounded(stands).keys().filter(|k| k.1 == LIMBS_51).map(|k| k.0).collect();
    let mut wanted: BTreeSet<Vec<Node>> = BTreeSet::new();
    wanted.extend(stands.iter().flat_map(|s| sources(g, s, &known)));
    let before = stands.len();
    for outputs in wanted {
        let name = format!("m{}", stands.len());
        let proven = prove(g, e, (&name, false, &outputs), slices, code);
        stands.extend(proven.and_then(Result::ok));
    }
    stands.len() > before
}
