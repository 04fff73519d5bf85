//! Sums in another order, where the compiler adds the last carry of a Montgomery product to something else first.
//!
//! Additions and subtractions modulo 2^64 may be put in any order, so each node keeps its value.

use super::elements::Elements;
use super::graph::{Graph, Node, Op, Value};

/// Signed terms of a sum; terms that belong to a product's column are not taken apart.
fn terms(g: &Graph, e: &Elements, n: Node, plus: bool, depth: usize, out: &mut Vec<(Node, bool)>) {
    match g.lanes(n) {
        Some((Op::Add, v)) if depth > 0 && e.tag[n as usize].is_none() && v[0] != v[1] => {
            terms(g, e, v[0], plus, depth - 1, out);
            terms(g, e, v[1], plus, depth - 1, out);
        }
        Some((Op::Sub, v)) if depth > 0 && e.tag[n as usize].is_none() => {
            terms(g, e, v[0], plus, depth - 1, out);
            terms(g, e, v[1], !plus, depth - 1, out);
        }
        _ => out.push((n, plus)),
    }
}

/// The product whose last row adds a term to its lowest column.
fn last_carry(g: &Graph, e: &Elements, n: Node, limbs: usize) -> Option<usize> {
    let of = |n: Node| e.tag[n as usize].filter(|t| t.1 + 1 == e.begin(t.0, limbs)).map(|t| t.0);
    match g.lanes(n)? {
        (Op::Srl(52), v) => of(v[0]),
        (Op::MulLow, v) if g.constant(v[0]).is_some() => {
            let mut q = if g.constant(v[1]).is_some() { v[2] } else { v[1] };
            if let Some((Op::Xor, w)) = g.lanes(q) {
                q = if g.constant(w[0]).is_some() { w[1] } else { w[0] };
            }
            match g.lanes(q) {
                Some((Op::Add, w)) => of(w[0]).or(of(w[1])),
                _ => of(q),
            }
        }
        _ => None,
    }
}

/// The graph with such sums put together, and the new number of each node; none if there is no such sum.
pub fn regroup(g: &Graph, e: &Elements) -> Option<(Graph, Vec<Node>)> {
    let limbs = e.montgomery?;
    let mut out = Graph::default();
    let mut to: Vec<Node> = Vec::with_capacity(g.len());
    let mut changed = false;
    for n in 0..g.len() as Node {
        out.address = g.made_at(n);
        let new = match g.value(n) {
            Value::Lanes(op @ (Op::Add | Op::Sub), v) => {
                let mut all = Vec::new();
                terms(g, e, n, true, 6, &mut all);
                let lowest = all.iter().find_map(|&(m, plus)| {
                    let (product, level) = e.tag[m as usize]?;
                    let carries: Vec<Node> = all
                        .iter()
                        .map(|x| (x.0, x.1))
                        .filter(|&(x, p)| {
                            let same = e.tag[x as usize] == Some((product, level)) && x != m;
                            p == plus && (same || last_carry(g, e, x, limbs) == Some(product))
                        })
                        .map(|x| x.0)
                        .collect();
                    (level == e.begin(product, limbs) && !carries.is_empty() && all.len() > 2)
                        .then_some((m, plus, carries))
                });
                match lowest {
                    Some((m, plus, mut carries)) => {
                        changed = true;
                        carries.sort_by_key(|x| matches!(g.lanes(*x), Some((Op::Srl(_), _))));
                        let mut carry = to[carries[0] as usize];
                        for x in &carries[1..] {
                            carry = out.apply(Op::Add, &[carry, to[*x as usize]]);
                        }
                        let mut sum = out.apply(Op::Add, &[to[m as usize], carry]);
                        let rest: Vec<_> =
                            all.iter().filter(|(x, _)| *x != m && !carries.contains(x)).collect();
                        if !plus {
                            let zero = out.splat(0);
                            sum = out.apply(Op::Sub, &[zero, sum]);
                        }
                        for (x, plus) in rest {
                            let op = if *plus { Op::Add } else { Op::Sub };
                            sum = out.apply(op, &[sum, to[*x as usize]]);
                        }
                        sum
                    }
                    None => out.apply(*op, &[to[v[0] as usize], to[v[1] as usize]]),
                }
            }
            Value::Lanes(op, v) => {
                let v: Vec<Node> = v.iter().map(|&m| to[m as usize]).collect();
                out.apply(*op, &v)
            }
            Value::Offset(b, by) => out.node(Value::Offset(to[*b as usize], *by)),
            Value::Constant(lanes) => out.node(Value::Constant(*lanes)),
            // leaves keep the numbers that they name: each is known by where it is from alone
            Value::Leaf(origin) => out.leaf(origin.clone()),
        };
        to.push(new);
    }
    changed.then_some((out, to))
}
