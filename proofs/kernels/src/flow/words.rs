//! Values whose bits are put together in ways that integers do not follow: words chosen by masks, for one. A slice takes such a value as it
//! is, any word of 64 bits.

use std::collections::BTreeSet;

use super::graph::{Graph, Node, Op, Value};

/// Bits that may be set in some lane, by shifts and masks alone; operands' bits are known.
fn bits(g: &Graph, n: Node, known: &[u64]) -> u64 {
    let at = |m: Node| known[m as usize];
    match g.value(n) {
        Value::Constant(lanes) => lanes.iter().fold(0, |all, x| all | x),
        Value::Lanes(op, v) => match op {
            Op::Srl(k) => at(v[0]) >> k,
            Op::Sll(k) => at(v[0]) << k,
            Op::Rol(k) => at(v[0]).rotate_left(u32::from(*k)),
            Op::And => at(v[0]) & at(v[1]),
            Op::Or | Op::Xor => at(v[0]) | at(v[1]),
            Op::Select => at(v[1]) | at(v[2]),
            _ => u64::MAX,
        },
        _ => u64::MAX,
    }
}

/// The nodes that are such values.
pub fn words(g: &Graph) -> BTreeSet<Node> {
    let mut known: Vec<u64> = Vec::with_capacity(g.len());
    let mut out = BTreeSet::new();
    for n in 0..g.len() as Node {
        known.push(bits(g, n, &known));
        let Some((op, v)) = g.lanes(n) else { continue };
        let constant = |m: Node| g.constant(m).is_some();
        // all bits of a lane or none
        let whole =
            |m: Node| g.constant(m).is_some_and(|c| c.iter().all(|x| x.wrapping_add(1) <= 1));
        let apart = |a: Node, b: Node| {
            let zeros = known[b as usize].trailing_zeros();
            known[a as usize].checked_shr(zeros).unwrap_or(0) == 0
        };
        let is = match op {
            Op::Or => !apart(v[0], v[1]) && !apart(v[1], v[0]),
            Op::And => !constant(v[0]) && !constant(v[1]),
            Op::Xor => !whole(v[0]) && !whole(v[1]),
            Op::AndNot => true,
            Op::Ternary(table) => !matches!(table, 0x0f | 0x33 | 0x55),
            Op::Select => out.contains(&v[1]) || out.contains(&v[2]),
            Op::AddDoubles | Op::SubDoubles | Op::Fused | Op::Times | Op::Sign | Op::Abs => true,
            _ => false,
        };
        if is {
            out.insert(n);
        }
    }
    out
}
