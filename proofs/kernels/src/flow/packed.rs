//! Limbs of 51 bits, of which vectors hold values of one formula: lanes of a product are doubled, permuted, and added to other lanes.

use std::collections::{BTreeMap, BTreeSet};

use super::elements::Elements;
use super::field::LIMBS_51;
use super::function::Stand;
use super::graph::{Graph, Node, Op, Origin, Value};
use super::prove::Term;
use super::slice::{Class, Slice};
use super::slices::Slices;
use super::supported::bounded;

/// Bits of a limb.
const RADIX: usize = 51;
/// Columns of products are below so many times 2^52; doubled ones.
const PRODUCT: u16 = 309;
pub const DOUBLE: u16 = 618;
/// Differences of products; sums with them; differences of sums; what is carried.
const SUMS: [u16; 5] = [DOUBLE, 1024, 1333, 2048, 3381];

/// Words are below so many times 2^52.
const WORD: u64 = 1 << 12;

/// The least class with a bound, in units of 2^52.
fn least(most: u64) -> Class {
    match most {
        0 | 1 => Class::Top,
        n if n <= u64::from(PRODUCT) => Class::Column,
        n => SUMS.into_iter().find(|s| n <= u64::from(*s)).map_or(Class::Word, Class::Below),
    }
}

/// Upper bounds that nodes may have, in units of 2^52, where what the block does not compute has the class `other`.
fn guesses(g: &Graph, e: &Elements, other: Class) -> Vec<u64> {
    let other = match other {
        Class::Below(n) => u64::from(n),
        Class::Top => 1,
        Class::Word => WORD,
        _ => u64::from(PRODUCT),
    };
    let mut all: Vec<u64> = Vec::with_capacity(g.len());
    for n in 0..g.len() as Node {
        let at = |m: Node| all[m as usize];
        let most = match g.value(n) {
            _ if e.of.contains_key(&n) => 1,
            _ if e.column.contains_key(&n) => {
                u64::from(if e.double.contains(&n) { DOUBLE } else { PRODUCT })
            }
            Value::Constant(lanes) => lanes.iter().map(|x| x.div_ceil(1 << 52)).max().unwrap_or(0),
            Value::Leaf(Origin::Result(_, _, from)) if !from.is_empty() => {
                from.iter().map(|&m| at(m)).max().unwrap_or(0)
            }
            Value::Lanes(op, v) => match op {
                Op::Add => at(v[0]).saturating_add(at(v[1])),
                Op::Sub => at(v[0]),
                Op::And => at(v[0]).min(at(v[1])),
                Op::Or | Op::Xor => at(v[0]).max(at(v[1])),
                Op::Select => at(v[1]).max(at(v[2])),
                Op::MulLow | Op::MulHigh => at(v[0]).saturating_add(1),
                Op::Srl(k) => at(v[0]).checked_shr(u32::from(*k)).unwrap_or(0).max(1),
                Op::Sll(k) | Op::Rol(k) => at(v[0]).saturating_mul(1 << k.min(&12)),
                _ => WORD,
            },
            _ => other,
        };
        all.push(most);
    }
    all
}

/// The class of an input that the block does not compute, in limbs of 51 bits.
pub fn class(g: &Graph, e: &Elements, n: Node, other: Class) -> Option<Class> {
    let permuted =
        matches!(g.value(n), Value::Leaf(Origin::Result(_, _, from)) if !from.is_empty());
    match e.most.get(n as usize) {
        Some(&most) if permuted => Some(least(most)).filter(|c| *c != Class::Column),
        Some(_) => Some(other).filter(|c| *c != Class::Column),
        None => None,
    }
}

/// Proves a slice; none in limbs of other sizes. What the block does not compute is taken to have the greatest bound with which that
/// is possible.
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
    let mut inputs = vec![Class::Word];
    inputs.extend(SUMS.iter().rev().map(|&n| Class::Below(n)));
    inputs.push(Class::Column);
    inputs.extend(limbs.then_some(Class::Top));
    let product = !limbs && outputs.iter().all(|n| e.column.contains_key(n));
    let (mut reasons, mut tried) = (String::new(), BTreeSet::new());
    for other in inputs {
        e.most = guesses(g, e, other);
        let most = outputs.iter().map(|&n| e.most[n as usize]).max().unwrap_or(0);
        let kinds = match least(most) {
            _ if limbs => vec![Class::Column],
            // lanes that are doubled; starts that keep differences positive
            _ if product => vec![Class::Column, Class::Below(DOUBLE), Class::Below(2048)],
            Class::Top => vec![Class::Column],
            Class::Word => continue,
            least => vec![least],
        };
        for columns in kinds {
            let slice = Slice::of(g, e, outputs, (limbs, other), &BTreeSet::new());
            let (hash, result) = slices.prove(&slice, (RADIX, columns), code);
            match result {
                Ok((field, proven, taken)) => {
                    if product && columns != Class::Column {
                        e.double.extend(outputs);
                    }
                    let (name, forms) = (name.to_owned(), proven.forms.clone());
                    let (field, taken) = (*field, *taken);
                    return Some(Ok(Stand {
                        columns,
                        ..Stand::new(name, slice, hash, (field, forms, taken))
                    }));
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
            for &n in from.iter().filter(|n| g.lanes(**n).is_some()) {
                // of some lanes
                let whole = match g.lanes(n) {
                    Some((Op::Select, v)) if g.constant(v[0]).is_some() => v[1],
                    _ => n,
                };
                let shown = known.contains(&n) || known.contains(&whole);
                if !shown && g.lanes(whole).is_some() && !place.contains(&n) {
                    place.push(n);
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
