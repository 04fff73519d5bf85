//! A function: the slices of its blocks, the elements that they compute, and what is taken for granted of their inputs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use super::attempts;
use super::blocks;
use super::calls::RESULT;
use super::combinations;
use super::doubles;
use super::elements::{self, Elements};
use super::entry::{Flow, Location, Shown, location, predecessors};
use super::field::fields;
use super::graph::{Graph, Node, Op, Origin, Value};
use super::lift::Lifted;
use super::order;
use super::packed;
use super::pairs::{self, Level};
use super::program::{Line, Program};
use super::prove::{Form, Term};
use super::regroup::regroup;
use super::results::results;
use super::slice::{Class, Part, Slice};
use super::slices::Slices;
use super::supported::{bounded, is_assumed, supported};
use super::unroll::unrolled;
use crate::error::Result;
use crate::image::{Code, Function, Image};
use crate::number::{self, Int};

/// The proof of a function, as far as it goes.
#[derive(Default)]
pub struct Proof {
    /// Addresses of vector instructions that multiply.
    pub multiplications: BTreeSet<u64>,
    /// Those in proven slices.
    pub proven: BTreeSet<u64>,
    /// The program of each block, in elements.
    pub text: String,
    /// The same as sums of products.
    pub programs: Vec<Program>,
    /// Bounds of registers and stack slots where blocks start that are shown from the blocks before.
    pub shown: usize,
    /// Bounds of words in another order that are shown, since all their sources have them.
    pub moved: usize,
    /// Assumptions, with the number of times that each is made.
    pub assumptions: BTreeMap<String, usize>,
}

/// One slice of a block.
pub(super) struct Stand {
    pub(super) name: String,
    pub(super) slice: Slice,
    pub(super) hash: String,
    pub(super) field: &'static str,
    pub(super) forms: Vec<Form>,
    /// The class of the columns that it reads: columns, any words, or highest limbs.
    pub(super) taken: &'static str,
    /// The class of its outputs, where they are columns.
    pub(super) columns: Class,
    /// The bounds of its outputs, if they are pairs of limbs.
    pub(super) pairs: Option<Level>,
}

impl Stand {
    /// A slice with its proof, whose outputs are limbs or columns of the field's own bound.
    pub(super) fn new(
        name: String,
        slice: Slice,
        hash: String,
        (field, forms, taken): (&'static str, Vec<Form>, &'static str),
    ) -> Self {
        Self { name, slice, hash, field, forms, taken, columns: Class::Column, pairs: None }
    }

    /// The nodes that are its outputs.
    pub(super) fn outputs(&self) -> Vec<Node> {
        self.slice.outputs.iter().map(|&o| self.slice.nodes[o]).collect()
    }

    /// The class that the proof takes of a part, if it is an input and more than any word.
    pub(super) fn takes(&self, part: usize) -> Option<Class> {
        let Part::Input(class) = self.slice.parts[part] else { return None };
        match (class, self.taken) {
            (Class::Limb | Class::Mask | Class::Word | Class::Signed, _) => None,
            (Class::Column | Class::TopColumn, "words") => None,
            (Class::Column | Class::TopColumn, "tops") => Some(Class::Top),
            _ => Some(class),
        }
    }
}

/// Names of elements and of products of a block.
struct Names<'a> {
    g: &'a Graph,
    e: &'a Elements,
    columns: HashMap<Node, usize>,
    pairs: Vec<(String, Vec<Node>)>,
}

impl Names<'_> {
    fn element(&self, s: &Slice, n: usize) -> String {
        let limbs: Vec<Node> = s.elements[n].iter().map(|&i| s.nodes[i]).collect();
        match self.e.all.iter().position(|l| *l == limbs) {
            Some(i) => format!("e{i}"),
            None => match self.pairs.iter().find(|x| x.1 == limbs) {
                Some((name, _)) => name.clone(),
                None => format!("?{n}"),
            },
        }
    }

    /// Columns by the product that they are of.
    fn columns(&self, s: &Slice, places: &[(usize, usize)]) -> Vec<String> {
        let mut of: BTreeMap<Option<usize>, Vec<String>> = BTreeMap::new();
        for (bit, part) in places {
            let n = s.nodes[*part];
            let name = match self.g.value(n) {
                Value::Leaf(Origin::Entry(r)) => r.to_lowercase(),
                _ => format!("n{n}"),
            };
            of.entry(self.columns.get(&n).copied()).or_default().push(format!("{name}<<{bit}"));
        }
        of.into_iter()
            .map(|(product, names)| match product {
                Some(p) => format!("p{p}"),
                None => format!("({})", names.join("+")),
            })
            .collect()
    }

    fn form(&self, s: &Slice, form: &Form) -> String {
        let mut text = String::new();
        let mut add = |c: &Int, what: &str| {
            let sign = if number::is_negative(c) {
                "-"
            } else if text.is_empty() {
                ""
            } else {
                "+"
            };
            let size = number::magnitude(c);
            let gap = if text.is_empty() { "" } else { " " };
            let factor = if size.is_one() && !what.is_empty() {
                String::new()
            } else if what.is_empty() {
                number::hex(&size)
            } else {
                format!("{}*", number::hex(&size))
            };
            let _ = write!(text, "{gap}{sign}{gap}{factor}{what}");
        };
        for term in &form.terms {
            match term {
                Term::Product(c, a, b) => {
                    add(c, &format!("{}*{}", self.element(s, *a), self.element(s, *b)));
                }
                Term::Element(c, a) => add(c, &self.element(s, *a)),
                Term::Columns(c, places) => {
                    for name in self.columns(s, places) {
                        add(c, &name);
                    }
                }
                Term::Constant(c) => add(c, ""),
            }
        }
        if form.divided { format!("({text})/R") } else { text }
    }
}

/// The origin of an input that no slice of the block computes.
fn kind(g: &Graph, stack: Node, n: Node) -> &'static str {
    match g.value(n) {
        Value::Leaf(Origin::Entry(_)) => "a register where a block starts",
        Value::Leaf(Origin::Load(base, None, ..)) if *base == stack => {
            "a stack slot where a block starts"
        }
        Value::Leaf(Origin::Load(..)) => "memory behind a pointer",
        Value::Leaf(Origin::Result(_, _, sources)) if !sources.is_empty() => {
            "words in another order"
        }
        Value::Leaf(Origin::Result(_, RESULT.., _)) => "a result of a call",
        Value::Leaf(Origin::Result(..)) => "a result of an instruction without a rule",
        Value::Lanes(Op::Select, _) => "words that masks choose",
        _ => "a value of the block",
    }
}

/// Proves what slices of a function can be proven.
pub fn prove(image: &Image, f: &Function, slices: &mut Slices) -> Result<Proof> {
    prove_code(image, f, &image.code(f.start, f.size)?, slices)
}

/// The same of other code in the place of the function's own, for tests by mutation.
pub fn prove_code(image: &Image, f: &Function, text: &Code, slices: &mut Slices) -> Result<Proof> {
    let mut blocks = blocks::of_code(text, f)?;
    let code = format!("code {} {:x} {:x}\n", image.hash(f.start, f.size)?, f.start, f.size);
    let mut out = Proof::default();
    let lifts = unrolled(image, &mut blocks, f.start);
    let nothing = BTreeMap::new();
    let mut flow = Flow {
        start: f.start,
        before: predecessors(&blocks),
        lifts: &lifts,
        shown: &nothing,
        fields: &[fields(), vec![doubles::field()]].concat(),
    };
    // elements that a block takes are looked for at the ends of those before it
    let mut extra: BTreeMap<u64, BTreeSet<(Vec<Node>, bool)>> = BTreeMap::new();
    let (mut shown, mut needs) = (BTreeMap::new(), Vec::new());
    for last in [false, true] {
        (shown, needs) = (BTreeMap::new(), Vec::new());
        (out.text, out.proven, out.programs) = (String::new(), BTreeSet::new(), Vec::new());
        let mut wanted = BTreeSet::new();
        for (&start, lifted) in &lifts {
            out.multiplications.extend(lifted.products.iter().map(|p| p.0));
            let also = extra.get(&start);
            if also.is_some() || lifted.products.iter().any(|p| p.1 as usize >= lifted.before) {
                let _ = writeln!(out.text, "block {:x}", start - f.start);
                let result = block((start, lifted), also, slices, &code, &mut out);
                shown.insert(start, result.shown);
                needs.extend(result.needs.into_iter().map(|n| (start, n)));
                wanted.extend(
                    result.wanted.into_iter().map(|(l, limbs)| (flow.root(start), l, limbs)),
                );
            }
        }
        for (root, locations, limbs) in wanted.into_iter().filter(|_| !last) {
            for (end, nodes) in flow.sources(root, &locations) {
                extra.entry(end).or_default().insert((nodes, limbs));
            }
        }
    }
    flow.shown = &shown;
    let bounds = |(start, n): &(u64, Need)| match &n.location {
        Some(l) => Some(vec![(flow.root(*start), l.clone(), n.class, n.field)]),
        None => flow.node(*start, n.node, n.class, n.field),
    };
    let holds = flow.hold(&needs.iter().filter_map(bounds).flatten().collect());
    for need in &needs {
        if bounds(need).is_some_and(|all| all.iter().all(|b| holds.contains(b))) {
            if need.1.location.is_some() {
                out.shown += 1;
            } else {
                out.moved += 1;
            }
        } else {
            let what = format!("{:?} of {} from {}", need.1.class, need.1.field, need.1.kind);
            *out.assumptions.entry(what).or_default() += 1;
        }
    }
    Ok(out)
}

/// A bound that a slice takes of an input that the block does not compute.
struct Need {
    node: Node,
    location: Option<Location>,
    class: Class,
    field: &'static str,
    kind: &'static str,
}

/// Facts about a block.
struct Known {
    shown: Shown,
    needs: Vec<Need>,
    /// Places of elements, or of columns, that it takes.
    wanted: Vec<(Vec<Location>, bool)>,
}

fn block(
    (start, lifted): (u64, &Lifted),
    also: Option<&BTreeSet<(Vec<Node>, bool)>>,
    slices: &mut Slices,
    code: &str,
    out: &mut Proof,
) -> Known {
    let mut needs = Vec::new();
    let mut e = elements::find(&lifted.graph);
    let regrouped = regroup(&lifted.graph, &e);
    let (g, to) = match &regrouped {
        Some((g, to)) => {
            e = elements::find(g);
            (g, Some(to))
        }
        None => (&lifted.graph, None),
    };
    let radix = if e.radix_51 { 51 } else { 52 };
    let mut stands = Vec::new();
    let products: Vec<_> =
        e.columns.iter().enumerate().map(|(i, c)| (format!("p{i}"), false, c.clone())).collect();
    let sums: Vec<_> =
        e.all.iter().enumerate().map(|(i, l)| (format!("e{i}"), true, l.clone())).collect();
    let now = |n: &Node| to.map_or(*n, |to| to[*n as usize]);
    let also = also.into_iter().flatten().enumerate().map(|(i, (nodes, limbs))| {
        (format!("x{i}"), *limbs, nodes.iter().map(now).collect::<Vec<_>>())
    });
    let known: BTreeSet<Vec<Node>> = e.all.iter().chain(&e.columns).cloned().collect();
    let also = also.filter(|x| !known.contains(&x.2));
    let wanted = e.all.iter().filter_map(|limbs| {
        let places: Option<Vec<Location>> =
            limbs.iter().map(|&n| location(lifted, g.value(n))).collect();
        Some((places?, true))
    });
    let mut wanted: Vec<_> = wanted.collect();
    let candidates: Vec<_> = products.into_iter().chain(sums).chain(also).collect();
    for (name, limbs, outputs) in candidates.iter().cloned() {
        if outputs.iter().all(|&n| g.lanes(n).is_none()) {
            continue;
        }
        match attempts::prove(g, &mut e, (&name, limbs, &outputs), slices, code) {
            Ok(stand) => stands.push(stand),
            Err(why) => {
                let _ = writeln!(out.text, "  {name} not proven: {why}");
                if let (true, Some(&top)) = (limbs, outputs.last()) {
                    let slice = Slice::new(g, &e, &[top], true);
                    for (hash, field, taken) in
                        slices.prove_top(&slice, (radix, outputs.len()), code, &mut out.text)
                    {
                        let (name, slice) = (name.clone(), slice.clone());
                        stands.push(Stand::new(name, slice, hash, (field, Vec::new(), taken)));
                    }
                }
            }
        }
    }
    stored(lifted, g, to, &e, slices, code, &mut stands);
    let rows: Vec<Vec<Node>> = lifted.rows().iter().map(|r| r.iter().map(now).collect()).collect();
    let all: BTreeSet<Node> = lifted.products.iter().map(|p| now(&p.1)).collect();
    let of_doubles = doubles::slices(g, &rows, &all).into_iter().map(|s| (s, doubles::NAME));
    let of_order = order::slices(g, &rows).into_iter().map(|s| (s, order::NAME));
    for (slice, field) in of_doubles.chain(of_order).collect::<Vec<_>>() {
        let name = format!("d{}", stands.len());
        let prove = if field == order::NAME { order::prove } else { doubles::prove };
        match slices.prove_as(&slice, field, code, prove) {
            (hash, Ok((_, proven, taken))) => {
                let (forms, taken) = (proven.forms.clone(), *taken);
                stands.push(Stand::new(name, slice, hash, (field, forms, taken)));
            }
            (_, Err(why)) => {
                let _ = writeln!(out.text, "  {name} not proven: {why}");
            }
        }
    }
    results(g, &e, &rows, slices, code, &mut stands);
    let mut pairs = pairs::stands(lifted, g, &e, slices, code, &mut stands);
    pairs.extend(combinations::stands(lifted, g, slices, code, &mut stands));
    supported(g, &mut stands, &mut out.text);
    attempts::folded(g, &mut e, slices, code, &mut stands);
    supported(g, &mut stands, &mut out.text);
    for _ in 0..4 {
        if !packed::prove_moved(g, &mut e, slices, code, &mut stands) {
            break;
        }
        supported(g, &mut stands, &mut out.text);
    }
    let names = Names {
        g,
        e: &e,
        columns: stands.iter().filter(|s| s.name.starts_with('p')).flat_map(columns_of).collect(),
        pairs,
    };
    let mut nodes = BTreeSet::new();
    for s in &stands {
        nodes.extend(s.slice.nodes.iter().copied());
        let mut forms: Vec<String> = s.forms.iter().map(|f| names.form(&s.slice, f)).collect();
        forms.dedup();
        if forms.is_empty() {
            forms.push(format!("limbs of another computation, {}", s.hash));
        }
        let _ =
            writeln!(out.text, "  {} = {}  ; {} {}", s.name, forms.join(" | "), s.field, s.hash);
        for i in 0..s.slice.parts.len() {
            let n = s.slice.nodes[i];
            if let Some(class) = s.takes(i).filter(|c| is_assumed(g, n, *c)) {
                let (location, field) = (location(lifted, g.value(n)), s.field);
                let kind = kind(g, lifted.stack, n);
                let node =
                    to.and_then(|to| to.iter().position(|&m| m == n)).map_or(n, |k| k as Node);
                needs.push(Need { node, location, class, field, kind });
            }
        }
    }
    let lines = stands.iter().filter_map(|s| Line::new(g, s)).collect();
    out.programs.push(Program { block: start, lines });
    for s in &stands {
        for term in s.forms.first().iter().flat_map(|f| &f.terms) {
            let Term::Columns(_, places) = term else { continue };
            let mut places = places.clone();
            places.sort_unstable();
            let even = places.iter().enumerate().all(|(k, (bit, _))| *bit == radix * k);
            let found: Option<Vec<Location>> = places
                .iter()
                .map(|(_, part)| location(lifted, g.value(s.slice.nodes[*part])))
                .collect();
            if let (true, Some(found)) = (even && matches!(places.len(), 5 | 8), found) {
                wanted.push((found, false));
            }
        }
    }
    let is_proven = |n: Node| {
        let n = to.map_or(n, |to| to[n as usize]);
        nodes.contains(&n) || g.constant(n).is_some()
    };
    // an instruction that a block runs more than once is proven if each run is
    let left: BTreeSet<u64> =
        lifted.products.iter().filter(|p| !is_proven(p.1)).map(|p| p.0).collect();
    out.proven.extend(lifted.products.iter().map(|p| p.0).filter(|a| !left.contains(a)));
    let proven = bounded(&stands);
    Known { shown: Shown { to: regrouped.map(|r| r.1), proven }, needs, wanted }
}

/// Elements that a block leaves in memory, where they hold multiplications that no slice has yet.
fn stored(
    lifted: &Lifted,
    g: &Graph,
    to: Option<&Vec<Node>>,
    e: &Elements,
    slices: &mut Slices,
    code: &str,
    stands: &mut Vec<Stand>,
) {
    let now = |n: Node| to.map_or(n, |to| to[n as usize]);
    let all: BTreeSet<Node> = lifted.products.iter().map(|p| now(p.1)).collect();
    let mut done: BTreeSet<Node> =
        stands.iter().flat_map(|s| s.slice.nodes.iter().copied()).collect();
    let radix = if e.radix_51 { 51 } else { 52 };
    for row in lifted.rows() {
        let row: Vec<Node> = row.into_iter().map(now).collect();
        let (mut at, mut failed) = (0, 0);
        while at < row.len() {
            let before = at;
            for (n, limbs) in
                [(5, true), (5, false), (8, true), (8, false), (10, false), (16, false)]
            {
                let Some(outputs) = row.get(at..at + n) else { continue };
                let slice = Slice::new(g, e, outputs, limbs);
                let new = |n: &Node| all.contains(n) && !done.contains(n);
                let known = |p: &Part| matches!(p, Part::Input(c) if *c != Class::Column);
                let of_limbs = slice.parts.iter().any(known) && slice.parts.len() < 500;
                if failed >= 24 || !of_limbs || !slice.nodes.iter().any(new) {
                    continue;
                }
                failed += 1;
                if let (hash, Ok((field, proven, taken))) =
                    slices.prove(&slice, (radix, Class::Column), code)
                {
                    done.extend(slice.nodes.iter().copied());
                    let name = format!("s{}", stands.len());
                    let (field, forms, taken) = (*field, proven.forms.clone(), *taken);
                    stands.push(Stand::new(name, slice, hash, (field, forms, taken)));
                    at += n;
                    failed = 0;
                    break;
                }
            }
            if at == before {
                at += 1;
            }
        }
    }
}

fn columns_of(s: &Stand) -> Vec<(Node, usize)> {
    let product = s.name[1..].parse().unwrap_or(usize::MAX);
    s.slice.outputs.iter().map(|&o| (s.slice.nodes[o], product)).collect()
}
