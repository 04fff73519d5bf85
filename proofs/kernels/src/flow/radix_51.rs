//! Columns of products in limbs of 51 bits: high halves count twice in the column above, columns 5 to 9 count 19 times.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::elements::Elements;
use super::graph::{Graph, Node, Op};

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
            _ => empty.clone(),
        };
        all.push(form);
    }
    all
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
            first.entry(forms[n as usize].clone()).or_insert(n);
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
