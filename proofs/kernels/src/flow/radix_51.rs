//! Columns of products in limbs of 51 bits: high halves count twice in the column above, columns 5 to 9 count 19 times.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::elements::{Elements, Limbs};
use super::graph::{Graph, Node, Op};

/// 2^255 modulo the prime.
const FOLD: u64 = 19;
/// Bits of a limb.
const LOW_51: u64 = (1 << 51) - 1;

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

/// The factor of each half in each node: of products of two variables, or of a variable and a constant but for the carry's.
fn forms(g: &Graph, constants: bool) -> Vec<Rc<Form>> {
    let empty = Rc::new(Form::new());
    let mut all: Vec<Rc<Form>> = Vec::with_capacity(g.len());
    for n in 0..g.len() as Node {
        let at = |m: Node| &all[m as usize];
        let form = match g.lanes(n) {
            Some((op @ (Op::MulLow | Op::MulHigh), v)) => {
                let known = v[1..].iter().any(|&m| g.constant(m).is_some());
                let fold = v[1..].iter().any(|&m| g.constant(m) == Some([FOLD; 8]));
                if known != constants || fold || at(v[0]).len() > 20 {
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

fn has_times_16(g: &Graph) -> bool {
    (0..g.len() as Node).any(|n| matches!(g.lanes(n), Some((Op::Rol(4) | Op::Sll(4), _))))
}

/// Elements that are multiplied by a constant in limbs, and that constant: five sums with all halves of products of the same limbs.
pub fn by_constants(g: &Graph) -> Vec<(Limbs, Limbs)> {
    if !has_times_16(g) {
        return Vec::new();
    }
    let mut products: BTreeMap<BTreeSet<Node>, [Places; 5]> = BTreeMap::new();
    for form in forms(g, true) {
        let form = reduced(&form);
        if form.len() == 10
            && let Some((place, found)) = places(&form)
        {
            let limbs = form.keys().flat_map(|k| [k.0, k.1]).collect();
            products.entry(limbs).or_default()[place as usize] = found;
        }
    }
    let mut out = Vec::new();
    for (limbs, columns) in products {
        let constant = |n: &Node| g.constant(*n).is_some();
        let variables: BTreeSet<Node> = limbs.iter().copied().filter(|n| !constant(n)).collect();
        // limbs of a constant may be the same
        let pairs: Vec<(Node, Node, i64)> = columns
            .iter()
            .flatten()
            .map(|(&(a, b), &place)| if constant(&a) { (b, a, place) } else { (a, b, place) })
            .collect();
        let mut by_place = BTreeMap::new();
        for &n in &variables {
            let own = pairs.iter().filter(|p| p.0 == n);
            by_place.insert(own.map(|p| p.2).sum::<i64>(), n);
        }
        let a: Option<Limbs> = (0..5).map(|i| by_place.get(&(5 * i + 10)).copied()).collect();
        let Some(a) = a.filter(|_| variables.len() == 5 && pairs.len() == 25) else { continue };
        let at = |k| pairs.iter().find(|p| p.0 == a[0] && p.2 == k).map(|p| p.1);
        if let Some(b) = (0..5).map(at).collect() {
            out.push((a, b));
        }
    }
    out
}

/// Elements that carries leave: each limb from its own column and the one below, or one after the other.
pub fn carried(g: &Graph) -> Vec<Limbs> {
    if !has_times_16(g) {
        return Vec::new();
    }
    let low = |n: Node| match g.lanes(n) {
        Some((Op::And, v)) if g.constant(v[0]) == Some([LOW_51; 8]) => Some(v[1]),
        Some((Op::And, v)) if g.constant(v[1]) == Some([LOW_51; 8]) => Some(v[0]),
        _ => None,
    };
    let high = |n: Node| match g.lanes(n) {
        Some((Op::Srl(51), v)) => Some(v[0]),
        _ => None,
    };
    // by the column below: the column, and the limb
    let mut above: HashMap<Node, Vec<(Node, Node)>> = HashMap::new();
    let mut masked: HashMap<Node, Node> = HashMap::new();
    for n in 0..g.len() as Node {
        if let Some(of) = low(n) {
            masked.insert(of, n);
        }
    }
    for n in 0..g.len() as Node {
        let Some((Op::Add, v)) = g.lanes(n) else { continue };
        for (a, b) in [(v[0], v[1]), (v[1], v[0])] {
            let Some(below) = high(b) else { continue };
            let next = above.entry(below).or_default();
            next.extend(low(a).map(|column| (column, n)));
            next.extend(masked.get(&n).map(|limb| (n, *limb)));
        }
    }
    let mut out = Vec::new();
    for n in 0..g.len() as Node {
        let Some((Op::MulLow, v)) = g.lanes(n) else { continue };
        let factor = if g.constant(v[1]) == Some([FOLD; 8]) { v[2] } else { v[1] };
        let (Some(first), Some(last)) = (low(v[0]), high(factor)) else { continue };
        let mut ways = vec![(first, vec![n])];
        while let Some((column, limbs)) = ways.pop() {
            if limbs.len() == 5 {
                if column == last {
                    out.push(limbs);
                    break;
                }
                continue;
            }
            for &(next, limb) in above.get(&column).into_iter().flatten() {
                ways.push((next, limbs.iter().copied().chain([limb]).collect()));
            }
        }
    }
    out
}

/// Elements that whole products tell: five sums with all halves of products of the same limbs.
pub fn elements(g: &Graph) -> Vec<Limbs> {
    if !has_times_16(g) {
        return Vec::new();
    }
    let mut products: BTreeMap<BTreeSet<Node>, [Places; 5]> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for form in forms(g, false) {
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

/// The five sums of all halves of products of two elements.
fn sums(a: &[Node], b: &[Node]) -> [Form; 5] {
    let mut wanted: [Form; 5] = Default::default();
    for (j, &x) in a.iter().enumerate() {
        for (k, &y) in b.iter().enumerate() {
            for high in [false, true] {
                let place = j + k + usize::from(high);
                let factor = if high { 2 } else { 1 } * if place >= 5 { 19 } else { 1 };
                *wanted[place % 5].entry((x.min(y), x.max(y), high)).or_default() += factor;
            }
        }
    }
    wanted
}

/// Adds the columns of products of elements in this radix, those by constants included; whether there are some.
pub fn columns(g: &Graph, e: &mut Elements, by_constants: &[(Limbs, Limbs)]) -> bool {
    let fives: Vec<Vec<Node>> = e.all.iter().filter(|l| l.len() == 5).cloned().collect();
    if fives.is_empty() {
        return false;
    }
    let mut pairs: Vec<(bool, &[Node], &[Node])> = Vec::new();
    for (i, a) in fives.iter().enumerate() {
        pairs.extend(fives[i..].iter().map(|b| (false, &a[..], &b[..])));
    }
    pairs.extend(by_constants.iter().map(|(a, b)| (true, &a[..], &b[..])));
    let first: [HashMap<Rc<Form>, Node>; 2] = [false, true].map(|constants| {
        let mut first = HashMap::new();
        for (n, form) in forms(g, constants).iter().enumerate().filter(|f| f.1.len() >= 6) {
            first.entry(reduced(form)).or_insert(n as Node);
        }
        first
    });
    let mut found = false;
    for (constants, a, b) in pairs {
        let first = &first[usize::from(constants)];
        let columns: Option<Vec<Node>> =
            sums(a, b).into_iter().map(|w| first.get(&Rc::new(w)).copied()).collect();
        if let Some(columns) = columns {
            found = true;
            for (k, &n) in columns.iter().enumerate() {
                e.column.insert(n, (k, 5));
            }
            e.columns.push(columns);
        }
    }
    found
}
