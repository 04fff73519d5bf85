//! Columns of products in limbs of 51 bits: high halves count twice in the column above, columns 5 to 9 count 19 times.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::elements::{Elements, Limbs};
use super::graph::{Graph, Node, Op};

/// Places of products of limbs.
type Places = BTreeMap<(Node, Node), i64>;

/// Factors of halves of products: two limbs, and whether it is the high half.
type Form = BTreeMap<(Node, Node, bool), i64>;

fn scaled(form: &Rc<Form>, by: i64) -> Rc<Form> {
    Rc::new(form.iter().map(|(k, c)| (*k, c * by)).collect())
}

fn sum(a: &Rc<Form>, b: &Rc<Form>) -> Rc<Form> {
    if a.is_empty() {
        return b.clone();
    }
    let mut out = (**a).clone();
    for (k, c) in &**b {
        *out.entry(*k).or_default() += c;
    }
    Rc::new(out)
}

/// The factor of each half in each node.
fn forms(g: &Graph) -> Vec<Rc<Form>> {
    let empty = Rc::new(Form::new());
    let mut all: Vec<Rc<Form>> = Vec::with_capacity(g.len());
    for n in 0..g.len() as Node {
        let at = |m: Node| &all[m as usize];
        let form = match g.lanes(n) {
            Some((op @ (Op::MulLow | Op::MulHigh), v)) => {
                let known = v[1..].iter().any(|&m| g.constant(m).is_some());
                if known || at(v[0]).len() > 20 {
                    at(v[0]).clone()
                } else {
                    let own = Form::from([((v[1], v[2], op == Op::MulHigh), 1)]);
                    sum(at(v[0]), &Rc::new(own))
                }
            }
            Some((Op::Add, v)) if at(v[0]).len() + at(v[1]).len() <= 20 => sum(at(v[0]), at(v[1])),
            Some((Op::Sll(k @ 1..=5) | Op::Rol(k @ 1..=5), v)) => scaled(at(v[0]), 1 << k),
            // by lane: the first lane stands for all
            Some((Op::SllEach, v)) => match g.constant(v[1]) {
                Some([k @ 0..=5, ..]) => scaled(at(v[0]), 1 << k),
                _ => empty.clone(),
            },
            _ => empty.clone(),
        };
        all.push(form);
    }
    all
}

/// A form without a power of two that all factors have.
fn reduced(form: &Rc<Form>) -> Rc<Form> {
    let zeros = form.values().map(|c| c.trailing_zeros()).min().unwrap_or(0);
    if zeros == 0 {
        form.clone()
    } else {
        Rc::new(form.iter().map(|(k, c)| (*k, c >> zeros)).collect())
    }
}

/// Of a column: its place, and the places of the products of limbs whose low halves it adds. Of five products in either half, place + 1
/// low ones and as many high ones as the place count once, the others 19 times.
fn places(form: &Form) -> Option<(i64, Places)> {
    let (mut once, mut all) = ([0, 0], [0, 0]);
    for (&(_, _, high), &c) in form {
        let c = if high { c / 2 } else { c };
        let folded = matches!(c, 19 | 38);
        if !folded && !matches!(c, 1 | 2) {
            return None;
        }
        let n = if folded { c / 19 } else { c };
        all[usize::from(high)] += n;
        once[usize::from(high)] += if folded { 0 } else { n };
    }
    let place = once[1];
    if all != [5, 5] || once[0] != place + 1 {
        return None;
    }
    let low = form.iter().filter(|(k, _)| !k.2);
    let at = low.map(|(k, &c)| ((k.0, k.1), if c < 19 { place } else { place + 5 }));
    Some((place, at.collect()))
}

/// The limbs on one side of a product, by the places of products: those of limb i have 5*i + 10 as their sum.
fn ordered(side: &BTreeSet<Node>, levels: &Places) -> Option<Limbs> {
    let mut by_place = BTreeMap::new();
    for &n in side {
        let own = |(k, place): (&(Node, Node), &i64)| (k.0 == n || k.1 == n).then_some(*place);
        by_place.insert(levels.iter().filter_map(own).sum::<i64>(), n);
    }
    let limbs: Option<Limbs> = (0..5).map(|i| by_place.get(&(5 * i + 10)).copied()).collect();
    limbs.filter(|_| side.len() == 5)
}

/// Elements that whole products tell: five sums with all halves of products of the same limbs.
pub fn elements(g: &Graph) -> Vec<Limbs> {
    let times_16 = |n| matches!(g.lanes(n), Some((Op::Rol(4) | Op::Sll(4), _)));
    if !(0..g.len() as Node).any(times_16) {
        return Vec::new();
    }
    let mut products: BTreeMap<BTreeSet<Node>, [Places; 5]> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for form in forms(g) {
        let form = reduced(&form);
        if !matches!(form.len(), 6 | 10) || !seen.insert(form.clone()) {
            continue;
        }
        let limbs: BTreeSet<Node> = form.keys().flat_map(|k| [k.0, k.1]).collect();
        if let Some((place, found)) = places(&form) {
            products.entry(limbs).or_default()[place as usize] = found;
        }
    }
    let mut out = Vec::new();
    for (limbs, columns) in products {
        let levels: Places = columns.into_iter().flatten().collect();
        let Some(&one) = limbs.first() else { continue };
        let other = |k: &(Node, Node)| match k {
            _ if k.0 == one => Some(k.1),
            _ if k.1 == one => Some(k.0),
            _ => None,
        };
        let b: BTreeSet<Node> = levels.keys().filter_map(other).collect();
        let a: BTreeSet<Node> = limbs.difference(&b).copied().collect();
        let complete = (limbs.len(), levels.len());
        if complete == (5, 15) || complete == (10, 25) {
            out.extend(ordered(&b, &levels));
            out.extend(ordered(&a, &levels));
        }
    }
    out
}

/// Adds the columns of products of elements in this radix; whether there are some.
pub fn columns(g: &Graph, e: &mut Elements) -> bool {
    let fives: Vec<Vec<Node>> = e.all.iter().filter(|l| l.len() == 5).cloned().collect();
    if fives.is_empty() {
        return false;
    }
    let forms = forms(g);
    let mut first: HashMap<Rc<Form>, Node> = HashMap::new();
    for n in 0..g.len() as Node {
        if forms[n as usize].len() >= 6 {
            first.entry(reduced(&forms[n as usize])).or_insert(n);
        }
    }
    let mut found = false;
    for (i, a) in fives.iter().enumerate() {
        for b in &fives[i..] {
            let mut wanted = vec![Form::new(); 5];
            for (j, &x) in a.iter().enumerate() {
                for (k, &y) in b.iter().enumerate() {
                    for high in [false, true] {
                        let place = j + k + usize::from(high);
                        let factor = if high { 2 } else { 1 } * if place >= 5 { 19 } else { 1 };
                        *wanted[place % 5].entry((x.min(y), x.max(y), high)).or_default() += factor;
                    }
                }
            }
            let columns: Option<Vec<Node>> =
                wanted.into_iter().map(|w| first.get(&Rc::new(w)).copied()).collect();
            if let Some(columns) = columns {
                found = true;
                for (k, &n) in columns.iter().enumerate() {
                    e.column.insert(n, (k, 5));
                }
                e.columns.push(columns);
            }
        }
    }
    found
}
