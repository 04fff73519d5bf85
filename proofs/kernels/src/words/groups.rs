//! Values that are the words of one number, by the choice between a sum and that less the modulus. This is a guess: a wrong one gives a slice
//! that is not proven.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{Graph, Node, Op};

/// Words of a number, the lowest first.
pub type Group = Vec<Node>;

/// Nodes that a node is computed from, itself included, not beyond a smallest number.
fn ancestors(g: &Graph, n: Node, from: Node) -> BTreeSet<Node> {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![n]);
    while let Some(n) = todo.pop() {
        if n >= from && seen.insert(n) {
            todo.extend(g.of(n).into_iter().flat_map(|(_, v)| v));
        }
    }
    seen
}

/// Groups of 4 or 6 words that one bit chooses, in the order of their computation; those that another group chooses from are left out.
pub fn chosen(g: &Graph) -> Vec<Group> {
    let mut by_bit: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
    for n in g.nodes() {
        if let Some((Op::Select, v)) = g.of(n)
            && g.known(v[1]).is_none()
            && g.known(v[2]).is_none()
        {
            by_bit.entry(v[0]).or_default().push(n);
        }
    }
    let mut groups = Vec::new();
    for nodes in by_bit.values().filter(|n| matches!(n.len(), 4 | 6)) {
        // a difference is computed from the words of its own place and of those below
        let pairs: Vec<(Node, Node)> =
            nodes.iter().filter_map(|&n| g.of(n).map(|(_, v)| (v[1], v[2]))).collect();
        for ways in [0, 1] {
            let words: Vec<Node> =
                pairs.iter().map(|p| if ways == 0 { p.0 } else { p.1 }).collect();
            let least = words.iter().copied().min().unwrap_or(0);
            let mut order: Vec<(usize, Node)> = Vec::new();
            for (pair, &n) in pairs.iter().zip(nodes) {
                let (word, less) = if ways == 0 { (pair.0, pair.1) } else { (pair.1, pair.0) };
                let mut own = ancestors(g, less, least);
                own.insert(word);
                order.push((words.iter().filter(|w| own.contains(w)).count(), n));
            }
            order.sort_unstable();
            if order.iter().enumerate().all(|(k, o)| o.0 == k + 1) {
                groups.push(order.into_iter().map(|o| o.1).collect::<Group>());
            }
        }
    }
    let used: BTreeSet<Node> = groups
        .iter()
        .flatten()
        .filter_map(|&n| g.of(n))
        .flat_map(|(_, v)| v[1..].to_vec())
        .collect();
    groups.retain(|group| !group.iter().all(|n| used.contains(n)));
    groups.sort_by_key(|group| group.iter().max().copied());
    groups
}
