//! Elements: which limbs belong together, from the grids in which they are multiplied.
//!
//! All of this is a guess that proofs do not rest on: a wrong one gives slices that are not proven.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::graph::{Graph, Node, Op};
use super::radix_51;
use super::words::words;

/// Limbs of an element, the lowest first.
pub type Limbs = Vec<Node>;

/// The elements of a block.
#[derive(Default)]
pub struct Elements {
    /// Each once.
    pub all: Vec<Limbs>,
    /// Elements that a node is a limb of, and the place.
    pub of: HashMap<Node, Vec<(usize, usize)>>,
    /// Multiplications of two variable limbs: its column's place among those of its product, and the product.
    pub level: HashMap<Node, (usize, usize)>,
    /// Columns of each product, reduced or not.
    pub columns: Vec<Limbs>,
    /// The place of a node among the columns of its product, and their number.
    pub column: HashMap<Node, (usize, usize)>,
    /// Lowest columns of products that are no multiplication.
    pub first: HashMap<Node, usize>,
    /// Whether limbs have 51 bits.
    pub radix_51: bool,
    /// Limbs of an element, if products are Montgomery's.
    pub montgomery: Option<usize>,
    /// The lowest column that is left of Montgomery's products whose constant factor has limbs 0 below others.
    begins: HashMap<usize, usize>,
    /// Columns of such products.
    pub of_constants: BTreeSet<Node>,
    /// Columns of products that something was added to.
    pub wide: BTreeSet<Node>,
    /// Columns of products of which some lanes are doubled.
    pub double: BTreeSet<Node>,
    /// Upper bounds that nodes may have, in limbs of 51 bits: a guess, too, in units of 2^52.
    pub most: Vec<u64>,
    /// The product and the column that a node belongs to.
    pub tag: Vec<Option<(usize, usize)>>,
    /// Values that slices take as they are: any words.
    pub words: BTreeSet<Node>,
    /// Products whose grid is not complete.
    pub incomplete: usize,
}

#[derive(Clone, Copy)]
struct Times {
    node: Node,
    acc: Node,
    x: Node,
    y: Node,
    high: bool,
}

struct Union(Vec<usize>);

impl Union {
    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a] = b;
    }
}

fn multiplications(g: &Graph) -> Vec<Times> {
    let mut out = Vec::new();
    for node in 0..g.len() as Node {
        if let Some((op @ (Op::MulLow | Op::MulHigh), v)) = g.lanes(node) {
            out.push(Times { node, acc: v[0], x: v[1], y: v[2], high: op == Op::MulHigh });
        }
    }
    out
}

/// Constants that reductions multiply by.
const REDUCTION: [u64; 9] =
    [608, 19, 1 << 44, 1 << 36, (1 << 48) - (1 << 16), (1 << 32) - 1, 1 << 24, 1 << 20, 38];

/// Nodes that are multiplied by a constant besides those of reductions: limbs of an element.
fn times_constants(g: &Graph, all: &[Times]) -> BTreeSet<Node> {
    let mut seen: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
    for t in all {
        if g.constant(t.x).is_some() {
            seen.entry(t.y).or_default().insert(t.x);
        }
        if g.constant(t.y).is_some() {
            seen.entry(t.x).or_default().insert(t.y);
        }
    }
    let many = |c: &BTreeSet<Node>| c.len() >= 2 && c.iter().any(|&n| !is_splat(g, n, &REDUCTION));
    seen.into_iter().filter(|(_, c)| many(c)).map(|(n, _)| n).collect()
}

/// The elements of a block.
pub fn find(g: &Graph) -> Elements {
    let all = multiplications(g);
    let by_constants = times_constants(g, &all);
    let is_pair = |t: &Times| {
        let (cx, cy) = (g.constant(t.x).is_some(), g.constant(t.y).is_some());
        (!cx && !cy) || (cx && by_constants.contains(&t.y)) || (cy && by_constants.contains(&t.x))
    };
    let pairs: Vec<Times> = all.iter().filter(|t| is_pair(t)).copied().collect();
    let number: HashMap<Node, usize> = pairs.iter().enumerate().map(|(i, t)| (t.node, i)).collect();
    let limbs: BTreeSet<Node> =
        pairs.iter().flat_map(|t| [t.x, t.y]).filter(|&n| g.constant(n).is_none()).collect();
    // chains: multiplications whose sums go on into one another
    let mut chains = Union((0..pairs.len()).collect());
    // chains that a row's lowest column is added to, and how many places above
    let mut rows: Vec<(usize, usize, i32)> = Vec::new();
    // lowest columns that no multiplication is left of: limbs times 1
    let mut starts: Vec<(Node, usize, i32)> = Vec::new();
    // chains of low halves alone, or of high halves alone
    let mut pure = vec![true; pairs.len()];
    let mut reach: Vec<Vec<usize>> = vec![Vec::new(); g.len()];
    for n in 0..g.len() as Node {
        if limbs.contains(&n) {
            continue;
        }
        if let Some(&i) = number.get(&n) {
            for j in reach[pairs[i].acc as usize].clone() {
                let same = pairs[i].high == pairs[j].high;
                let both = same && pure[chains.root(i)] && pure[chains.root(j)];
                chains.join(i, j);
                let root = chains.root(i);
                pure[root] = both;
            }
            reach[n as usize] = vec![i];
            continue;
        }
        let from: Vec<Node> = match g.lanes(n) {
            Some((Op::MulLow | Op::MulHigh, v)) => {
                if let Some((q, by)) = row(g, n) {
                    let (from, to) = (reach[q as usize].first(), reach[v[0] as usize].first());
                    match (from.copied(), to.copied()) {
                        (Some(a), Some(b)) => rows.push((a, b, by)),
                        (None, Some(b)) => starts.push((q, b, by)),
                        _ => {}
                    }
                }
                // a reduction adds to one column, whose low and high halves may have been apart
                if v[1..].iter().any(|&m| is_splat(g, m, &REDUCTION) && !is_splat(g, m, &[19])) {
                    for pair in reach[v[0] as usize].windows(2) {
                        chains.join(pair[0], pair[1]);
                    }
                }
                vec![v[0]]
            }
            Some((Op::Add, v)) => v.to_vec(),
            Some((Op::Sub, v)) if g.constant(v[1]).is_some() => vec![v[0]],
            Some((Op::Sll(1..=3), v)) => vec![v[0]],
            _ => continue,
        };
        if let (Some((Op::Add, v)), [a, b]) = (g.lanes(n), &from[..]) {
            let kind = |m: Node| match &reach[m as usize][..] {
                [] => None,
                r => r
                    .iter()
                    .all(|&i| pairs[i].high == pairs[r[0]].high)
                    .then_some((r.len(), pairs[r[0]].high)),
            };
            if let (Some((1, x)), Some((1, y))) = (kind(v[0]), kind(v[1]))
                && x != y
                && pure[chains.root(reach[*a as usize][0])]
                && pure[chains.root(reach[*b as usize][0])]
            {
                chains.join(reach[*a as usize][0], reach[*b as usize][0]);
            }
        }
        let mut all: Vec<usize> = from.iter().flat_map(|&m| reach[m as usize].clone()).collect();
        all.sort_unstable();
        all.dedup();
        reach[n as usize] = all;
    }
    // the low half of a product stands a column below its high half
    let mut halves: BTreeMap<(Node, Node), [Vec<usize>; 2]> = BTreeMap::new();
    for (i, t) in pairs.iter().enumerate() {
        halves.entry((t.x, t.y)).or_default()[usize::from(t.high)].push(chains.root(i));
    }
    let mut edges: BTreeMap<usize, Vec<(usize, i32)>> = BTreeMap::new();
    for [low, high] in halves.values() {
        for &a in low {
            for &b in high {
                edges.entry(a).or_default().push((b, 1));
                edges.entry(b).or_default().push((a, -1));
            }
        }
    }
    for (a, b, by) in rows {
        let (a, b) = (chains.root(a), chains.root(b));
        edges.entry(a).or_default().push((b, by));
        edges.entry(b).or_default().push((a, -by));
    }
    let mut place: HashMap<usize, (usize, i32)> = HashMap::new();
    let mut products: Vec<i32> = Vec::new();
    for i in 0..pairs.len() {
        let root = chains.root(i);
        if place.contains_key(&root) {
            continue;
        }
        let product = products.len();
        let mut least = 0;
        let mut queue = vec![(root, 0)];
        while let Some((c, at)) = queue.pop() {
            if place.insert(c, (product, at)).is_some() {
                continue;
            }
            least = least.min(at);
            for &(d, by) in edges.get(&c).into_iter().flatten() {
                if !place.contains_key(&d) {
                    queue.push((d, at + by));
                }
            }
        }
        products.push(least);
    }
    let mut out = Elements::default();
    let mut first = HashMap::new();
    for (q, b, by) in starts {
        if let Some(&(product, at)) = place.get(&chains.root(b)) {
            products[product] = products[product].min(at - by);
            first.insert(q, (product, at - by));
        }
    }
    first.retain(|_, (product, at)| *at == products[*product]);
    out.first = first.into_iter().map(|(q, (product, _))| (q, product)).collect();
    let mut grids: Vec<BTreeMap<usize, BTreeSet<(Node, Node)>>> =
        vec![BTreeMap::new(); products.len()];
    for (i, t) in pairs.iter().enumerate() {
        let (product, at) = place[&chains.root(i)];
        let at = (at - products[product]) as usize;
        out.level.insert(t.node, (product, at));
        if !t.high {
            grids[product].entry(at).or_default().insert((t.x, t.y));
        }
    }
    let mut elements: BTreeMap<Limbs, usize> = BTreeMap::new();
    for grid in &grids {
        // from the lowest pair up, or from the highest down
        let Some(&end) = grid.keys().max() else {
            out.incomplete += 1;
            continue;
        };
        for (from, up, &(a, b)) in grid
            .get(&0)
            .into_iter()
            .flatten()
            .map(|p| (0, true, p))
            .chain(grid[&end].iter().map(|p| (end, false, p)))
        {
            let partner = |at: usize, of: Node| -> Vec<Node> {
                let other = |&(x, y): &(Node, Node)| {
                    if x == of {
                        Some(y)
                    } else if y == of {
                        Some(x)
                    } else {
                        None
                    }
                };
                grid.get(&at).into_iter().flatten().filter_map(other).collect()
            };
            for (first, other) in [(a, b), (b, a)] {
                let mut limbs = vec![first];
                loop {
                    let at = if up { from + limbs.len() } else { from.wrapping_sub(limbs.len()) };
                    let mut next = partner(at, other);
                    next.retain(|n| !limbs.contains(n));
                    let [n] = next[..] else { break };
                    limbs.push(n);
                }
                if g.constant(first).is_some() {
                    continue;
                }
                if !up {
                    limbs.reverse();
                }
                if !matches!(limbs.len(), 5 | 8) {
                    out.incomplete += 1;
                } else if limbs.iter().any(|&n| g.constant(n).is_none()) {
                    *elements.entry(limbs).or_default() += 1;
                }
            }
        }
    }
    // of two orders of the same limbs, the one that more grids tell
    let mut orders: BTreeMap<Limbs, (usize, Limbs)> = BTreeMap::new();
    for (limbs, votes) in elements {
        let mut set = limbs.clone();
        set.sort_unstable();
        let best = orders.entry(set).or_insert((0, Vec::new()));
        if votes > best.0 {
            *best = (votes, limbs);
        }
    }
    let by_constants = radix_51::by_constants(g);
    let multiplied = by_constants.iter().map(|x| x.0.clone());
    for limbs in radix_51::elements(g).into_iter().chain(multiplied).chain(radix_51::carried(g)) {
        let mut set = limbs.clone();
        set.sort_unstable();
        orders.insert(set, (usize::MAX, limbs));
    }
    out.all = orders.into_values().map(|x| x.1).collect();
    out.all.sort();
    out.tag = vec![None; g.len()];
    out.words = words(g);
    out.radix_51 = radix_51::columns(g, &mut out, &by_constants);
    if !out.radix_51 {
        columns(g, &all, &mut out);
    }
    for (e, limbs) in out.all.iter().enumerate() {
        for (k, &n) in limbs.iter().enumerate() {
            out.of.entry(n).or_default().push((e, k));
        }
    }
    out
}

impl Elements {
    /// The lowest column that is left of a Montgomery product of so many limbs.
    pub fn begin(&self, product: usize, limbs: usize) -> usize {
        self.begins.get(&product).copied().unwrap_or(limbs)
    }
}

fn is_splat(g: &Graph, n: Node, one_of: &[u64]) -> bool {
    one_of.iter().any(|&x| g.constant(n) == Some([x; 8]))
}

/// The columns that products end in: the last sums of each column before sums with other products, carries or stores.
fn columns(g: &Graph, all: &[Times], out: &mut Elements) {
    let Some(limbs) = out.all.iter().map(Vec::len).max() else { return };
    let constant = |t: &Times, of: &[u64]| is_splat(g, t.x, of) || is_splat(g, t.y, of);
    let montgomery = limbs == 8 || !all.iter().any(|t| constant(t, &[608, 19]));
    out.montgomery = montgomery.then_some(limbs);
    let (mut last, mut reduced) = tagged(g, all, limbs, out);
    if montgomery {
        let variable = |n: Node| {
            g.lanes(n).is_some_and(|(_, v)| v[1..].iter().all(|&m| g.constant(m).is_none()))
        };
        let variables: BTreeSet<usize> =
            out.level.iter().filter(|x| variable(*x.0)).map(|x| x.1.0).collect();
        for &product in reduced.difference(&variables) {
            let top = last.keys().filter(|t| t.0 == product).map(|t| t.1).max().unwrap_or(0);
            if let Some(begin) = (top + 1).checked_sub(limbs).filter(|b| *b < limbs) {
                out.begins.insert(product, begin);
            }
        }
        if !out.begins.is_empty() {
            (last, reduced) = tagged(g, all, limbs, out);
        }
    }
    let products: BTreeSet<usize> = last.keys().map(|t| t.0).collect();
    for product in products {
        let column = |level: usize| last.get(&(product, level)).copied();
        let from = if montgomery {
            let begin = out.begin(product, limbs);
            if reduced.contains(&product) { begin..begin + limbs } else { 0..2 * limbs }
        } else {
            0..limbs
        };
        let columns: Option<Vec<Node>> = from.map(column).collect();
        match columns {
            Some(c) => {
                for (k, &n) in c.iter().enumerate() {
                    out.column.insert(n, (k, c.len()));
                }
                if out.begins.contains_key(&product) {
                    out.of_constants.extend(c.iter().copied());
                }
                out.columns.push(c);
            }
            None => out.incomplete += 1,
        }
    }
}

/// The last node of each column, by product and place, and the products that are reduced; the tags of all nodes.
fn tagged(
    g: &Graph,
    all: &[Times],
    limbs: usize,
    out: &mut Elements,
) -> (BTreeMap<(usize, usize), Node>, BTreeSet<usize>) {
    let constant = |t: &Times, of: &[u64]| is_splat(g, t.x, of) || is_splat(g, t.y, of);
    let montgomery = out.montgomery.is_some();
    let times: HashMap<Node, &Times> = all.iter().map(|t| (t.node, t)).collect();
    let mut tag: Vec<Option<(usize, usize)>> = vec![None; g.len()];
    let carry = |n: Node| matches!(g.lanes(n), Some((Op::Srl(52), _)));
    let carried = |n: Node| {
        carry(n) || matches!(g.lanes(n), Some((Op::Add, v)) if v.iter().any(|&m| carry(m)))
    };
    // addends that leave a column what it is
    let goes_on = |n: Node, (product, level): (usize, usize)| {
        let constant = level < out.begin(product, limbs) && g.constant(n).is_some();
        constant || carried(n) || is_splat(g, n, &FINISH)
    };
    let mut reduced = BTreeSet::new();
    let mut last: BTreeMap<(usize, usize), Node> = BTreeMap::new();
    for n in 0..g.len() as Node {
        let at = |m: Node| tag[m as usize];
        let found = match (out.level.get(&n), g.lanes(n)) {
            (Some(l), _) => Some(*l),
            (None, _) if out.first.contains_key(&n) => Some((out.first[&n], 0)),
            (None, Some((Op::MulLow | Op::MulHigh, v))) => {
                let t = times[&n];
                let reduces = (montgomery
                    && (g.constant(t.x).is_some() || g.constant(t.y).is_some()))
                    || constant(t, &[608]);
                let found = match at(v[0]) {
                    None if montgomery && g.constant(v[0]).is_some() => {
                        row(g, n).and_then(|(q, by)| {
                            let (product, at) = tag[q as usize]?;
                            Some((product, at + by as usize))
                        })
                    }
                    found => found.filter(|_| reduces),
                };
                reduced.extend(found.map(|t| t.0));
                found
            }
            (None, Some((Op::Add, v))) if v[0] != v[1] => match (at(v[0]), at(v[1])) {
                (Some(a), Some(b)) if a == b => Some(a),
                (Some(a), None) if montgomery && goes_on(v[1], a) => Some(a),
                (None, Some(a)) if montgomery && goes_on(v[0], a) => Some(a),
                _ => None,
            },
            (None, Some((Op::Sub, v))) if montgomery && is_splat(g, v[1], &FINISH) => at(v[0]),
            _ => None,
        };
        tag[n as usize] = found;
        if let Some(t) = found {
            last.insert(t, n);
        }
    }
    out.tag = tag;
    (last, reduced)
}

/// Of a multiplication in a reduction: the row's lowest column, and how many places above it this adds to.
fn row(g: &Graph, n: Node) -> Option<(Node, i32)> {
    let (op, v) = g.lanes(n)?;
    let high = match op {
        Op::MulLow => 0,
        Op::MulHigh => 1,
        _ => return None,
    };
    let (c, mut q) = if g.constant(v[1]).is_some() { (v[1], v[2]) } else { (v[2], v[1]) };
    let places: [(u64, i32); 6] = [
        ((1 << 32) - 1, 0),
        (1 << 44, 1),
        (1 << 24, 2),
        (1 << 36, 3),
        ((1 << 48) - (1 << 16), 4),
        (1 << 20, 7),
    ];
    let place = places.iter().find(|(x, _)| is_splat(g, c, &[*x]))?.1;
    if let Some((Op::Xor, v)) = g.lanes(q) {
        q = if g.constant(v[0]).is_some() { v[1] } else { v[0] };
    }
    // P-384 multiplies by q = 2^32*column + column
    if let Some((Op::Add, v)) = g.lanes(q) {
        for (a, b) in [(v[0], v[1]), (v[1], v[0])] {
            if matches!(g.lanes(b), Some((Op::Sll(32), w)) if w[0] == a) {
                q = a;
            }
        }
    }
    Some((q, place + high))
}

/// Constants that the last row of P-384 leaves too much.
const FINISH: [u64; 4] =
    [1 << 44, 1 << 24, (1u64 << 44).wrapping_neg(), (1u64 << 24).wrapping_neg()];
