//! Bounds of what registers and stack slots hold where a block starts, shown from the ends of all blocks before it.
//!
//! A bound at a start holds if each block before leaves a value there that a slice proves to have it, a constant that has it, or what it
//! held itself at its start with that bound: the largest set of bounds that support each other this way, given that the function's start
//! has none.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::blocks::Blocks;
use super::field::Field;
use super::graph::{Node, Op, Origin, Value};
use super::lift::Lifted;
use super::slice::Class;

/// A register by name, or an offset from the stack pointer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    /// A register.
    Register(String),
    /// Offset and size.
    Slot(i64, usize),
}

/// A bound where a block starts.
pub type Bound = (u64, Location, Class, &'static str);

/// Classes of nodes that slices of a block prove, by node and field.
pub type Proven = HashMap<(Node, &'static str), BTreeSet<Class>>;

/// Classes that slices of a block prove.
pub struct Shown {
    /// The number of a node in the block's graph as slices see it.
    pub to: Option<Vec<Node>>,
    /// Classes that are proven.
    pub proven: Proven,
}

/// Whether a class that is proven gives one that is needed.
pub fn gives(proven: &BTreeSet<Class>, needed: Class) -> bool {
    proven.contains(&needed)
        || match needed {
            Class::Wide => proven.contains(&Class::Column),
            Class::TopColumn => proven.contains(&Class::TopProduct),
            // columns of products of limbs of 51 bits are below all of these
            Class::Below(n) => proven.iter().any(|c| match c {
                Class::Column | Class::TopProduct => true,
                Class::Below(m) => *m <= n,
                _ => false,
            }),
            Class::Pair(most) => {
                proven.iter().any(|c| matches!(c, Class::Pair(level) if *level <= most))
            }
            _ => false,
        }
}

/// The location that a leaf is the value of, where its block starts.
pub fn location(lifted: &Lifted, value: &Value) -> Option<Location> {
    match value {
        Value::Leaf(Origin::Entry(r)) => Some(Location::Register(r.clone())),
        Value::Leaf(Origin::Load(base, None, at, size, 0)) if *base == lifted.stack => {
            Some(Location::Slot(*at, *size))
        }
        _ => None,
    }
}

/// Blocks of a function, and what is shown of them.
pub struct Flow<'a> {
    /// The start of the function.
    pub start: u64,
    /// Blocks that each block follows.
    pub before: BTreeMap<u64, Vec<u64>>,
    /// Their values.
    pub lifts: &'a BTreeMap<u64, Lifted>,
    /// Classes that slices show, block by block.
    pub shown: &'a BTreeMap<u64, Shown>,
    /// Fields.
    pub fields: &'a [Field],
}

/// Blocks that each block follows.
pub fn predecessors(blocks: &Blocks) -> BTreeMap<u64, Vec<u64>> {
    let mut before: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for b in blocks.values() {
        for &next in &b.next {
            let all = before.entry(next).or_default();
            if !all.contains(&b.start) {
                all.push(b.start);
            }
        }
    }
    before
}

impl Flow<'_> {
    /// Blocks that a block follows.
    pub fn before(&self, at: u64) -> &[u64] {
        self.before.get(&at).map_or(&[], Vec::as_slice)
    }

    /// The block whose start a block's leaves speak of: back while there is one block before.
    pub fn root(&self, mut at: u64) -> u64 {
        loop {
            match self.before(at) {
                [one] if at != self.start && *one != at => at = *one,
                _ => return at,
            }
        }
    }

    /// The nodes at ends of blocks that locations at a start are the values of.
    pub fn sources(&self, root: u64, locations: &[Location]) -> Vec<(u64, Vec<Node>)> {
        let (mut out, mut seen) = (Vec::new(), BTreeSet::new());
        let mut todo = vec![(root, locations.to_vec())];
        while let Some((root, locations)) = todo.pop() {
            if !seen.insert((root, locations.clone())) || root == self.start {
                continue;
            }
            for &end in self.before(root) {
                let Some(lifted) = self.lifts.get(&end) else { continue };
                let (mut nodes, mut same) = (Vec::new(), Vec::new());
                for l in &locations {
                    match lifted.at_end(l) {
                        Some(Ok(n)) => match location(lifted, lifted.graph.value(n)) {
                            Some(l) => same.push(l),
                            None => nodes.push(n),
                        },
                        Some(Err(l)) => same.push(l),
                        None => {}
                    }
                }
                if nodes.len() == locations.len() {
                    out.push((end, nodes));
                } else if same.len() == locations.len() {
                    todo.push((self.root(end), same));
                }
            }
        }
        out
    }

    /// The classes at starts of blocks from which a node has a class at the end of a block; none if nothing shows it.
    pub fn node(&self, end: u64, n: Node, class: Class, field: &'static str) -> Option<Vec<Bound>> {
        let lifted = &self.lifts[&end];
        // a block without slices of its own goes on with the graph of the one before
        let mut at = end;
        while !self.shown.contains_key(&at) && at != self.root(end) {
            at = *self.before(at).first()?;
        }
        if let Some(shown) = self.shown.get(&at) {
            let m = match &shown.to {
                Some(to) => to.get(n as usize).copied(),
                None => Some(n),
            };
            let found = m.and_then(|m| shown.proven.get(&(m, field)));
            if found.is_some_and(|classes| gives(classes, class)) {
                return Some(Vec::new());
            }
        }
        match lifted.graph.value(n) {
            Value::Constant(lanes) => {
                let field = self.fields.iter().find(|f| f.name == field)?;
                lanes.iter().all(|&x| field.holds(class, x)).then(Vec::new)
            }
            Value::Lanes(Op::Select, v) if lifted.graph.constant(v[0]).is_some() => {
                let mut all = self.node(end, v[1], class, field)?;
                all.extend(self.node(end, v[2], class, field)?);
                Some(all)
            }
            Value::Leaf(Origin::Result(_, _, sources)) if !sources.is_empty() => {
                let mut all = Vec::new();
                for &s in sources {
                    all.extend(self.node(end, s, class, field)?);
                }
                Some(all)
            }
            value => {
                let location = location(lifted, value)?;
                Some(vec![(self.root(end), location, class, field)])
            }
        }
    }

    /// The bounds that a bound at a start rests on; none if nothing shows it.
    fn rests_on(&self, (root, location, class, field): &Bound) -> Option<Vec<Bound>> {
        if *root == self.start {
            return None;
        }
        let mut all = Vec::new();
        for &end in self.before(*root) {
            let lifted = self.lifts.get(&end)?;
            match lifted.at_end(location)? {
                Ok(n) => all.extend(self.node(end, n, *class, field)?),
                Err(same) => all.push((self.root(end), same, *class, *field)),
            }
        }
        Some(all)
    }

    /// Those of some bounds that hold.
    pub fn hold(&self, needed: &BTreeSet<Bound>) -> BTreeSet<Bound> {
        let mut reasons: BTreeMap<Bound, Option<Vec<Bound>>> = BTreeMap::new();
        let mut todo: Vec<Bound> = needed.iter().cloned().collect();
        while let Some(b) = todo.pop() {
            if reasons.contains_key(&b) {
                continue;
            }
            let why = self.rests_on(&b);
            todo.extend(why.iter().flatten().cloned());
            reasons.insert(b, why);
        }
        let mut holds: BTreeSet<Bound> =
            reasons.iter().filter(|(_, why)| why.is_some()).map(|(b, _)| b.clone()).collect();
        loop {
            let before = holds.len();
            let now = holds.clone();
            holds.retain(|b| reasons[b].iter().flatten().all(|w| now.contains(w)));
            if holds.len() == before {
                return holds.into_iter().filter(|b| needed.contains(b)).collect();
            }
        }
    }
}
