//! In which ways a slice is tried.

use std::collections::{BTreeSet, HashMap};

use super::elements::Elements;
use super::function::Stand;
use super::graph::{Graph, Node, Op};
use super::packed;
use super::slice::{Class, Part, Slice};
use super::slices::Slices;

/// A slice with its proof, or why there is none.
pub fn prove(
    g: &Graph,
    e: &mut Elements,
    (name, limbs, outputs): (&str, bool, &[Node]),
    slices: &mut Slices,
    code: &str,
) -> Result<Stand, String> {
    if let Some(tried) = packed::prove(g, e, (name, limbs, outputs), slices, code) {
        return tried;
    }
    let radix = if e.radix_51 { 51 } else { 52 };
    let slice = Slice::new(g, e, outputs, limbs);
    if !limbs && slice.parts.contains(&Part::Input(Class::Addend)) {
        e.wide.extend(outputs.iter().copied());
    }
    let of_constants = limbs && slice.nodes.iter().any(|n| e.of_constants.contains(n));
    let mut tried = stand(name, slice, radix, slices, code);
    if of_constants && tried.is_err() {
        // a product by a constant may be proven as part of a sum alone
        let slice = Slice::of(g, e, outputs, (limbs, Class::Column), &e.of_constants);
        tried = stand(name, slice, radix, slices, code).or(tried);
    }
    match (limbs, &tried) {
        // of something whose highest limb is in its bound
        (true, Err(why)) => {
            let slice = Slice::of(g, e, outputs, (true, Class::Top), &BTreeSet::new());
            let multiplies = |p: &Part| matches!(p, Part::Lanes(Op::MulLow, _));
            if !slice.parts.iter().any(multiplies) {
                return tried;
            }
            stand(name, slice, radix, slices, code).map_err(|_| why.clone())
        }
        _ => tried,
    }
}

fn stand(
    name: &str,
    slice: Slice,
    radix: usize,
    slices: &mut Slices,
    code: &str,
) -> Result<Stand, String> {
    let columns = Class::Column;
    let (hash, tried) = slices.prove(&slice, (radix, columns), code);
    let (field, proven, taken) = tried.as_ref().map_err(Clone::clone)?;
    let (name, forms) = (name.to_owned(), proven.forms.clone());
    Ok(Stand { columns, ..Stand::new(name, slice, hash, (*field, forms, *taken)) })
}

/// Limbs of 52 bits that a fold modulo 2^255 - 19 leaves: 19 times what is above bit 255, added to the lowest, and the carries.
fn folds(g: &Graph) -> Vec<(Node, Vec<Node>)> {
    let mut above: HashMap<Node, Vec<Node>> = HashMap::new();
    let mut masked: HashMap<Node, Node> = HashMap::new();
    for n in 0..g.len() as Node {
        match g.lanes(n) {
            Some((Op::Add, v)) => {
                for &m in v {
                    if let Some((Op::Srl(52), w)) = g.lanes(m) {
                        above.entry(w[0]).or_default().push(n);
                    }
                }
            }
            Some((Op::And, v)) if g.constant(v[0]).is_some() => {
                masked.insert(v[1], n);
            }
            Some((Op::And, v)) if g.constant(v[1]).is_some() => {
                masked.insert(v[0], n);
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    for n in 0..g.len() as Node {
        let Some((Op::MulLow, v)) = g.lanes(n) else { continue };
        if v[1..].iter().all(|&m| g.constant(m) != Some([19; 8])) {
            continue;
        }
        let mut ways = vec![vec![n]];
        while let Some(limbs) = ways.pop() {
            let Some(last) = limbs.last() else { continue };
            if limbs.len() == 5 {
                let top = masked.get(last).copied();
                out.extend(top.map(|top| (n, limbs[..4].iter().copied().chain([top]).collect())));
                out.push((n, limbs));
                continue;
            }
            for &next in above.get(last).into_iter().flatten() {
                ways.push(limbs.iter().copied().chain([next]).collect());
            }
        }
    }
    out
}

/// Adds the slices of folds that no slice has yet, in limbs of 52 bits.
pub fn folded(
    g: &Graph,
    e: &mut Elements,
    slices: &mut Slices,
    code: &str,
    stands: &mut Vec<Stand>,
) {
    if e.radix_51 {
        return;
    }
    let mut done: BTreeSet<Node> =
        stands.iter().flat_map(|s| s.slice.nodes.iter().copied()).collect();
    for (n, limbs) in folds(g) {
        if done.contains(&n) {
            continue;
        }
        let name = format!("f{}", stands.len());
        if let Ok(stand) = prove(g, e, (&name, true, &limbs), slices, code) {
            done.extend(stand.slice.nodes.iter().copied());
            stands.push(stand);
        }
    }
}
