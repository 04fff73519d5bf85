//! Multiplications of general registers in a function, and those of them in proven slices.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use super::graph::{Graph, Node, Op, Origin, Value};
use super::groups;
use super::modulus::{Modulus, moduli};
use super::prove::{self, Proven};
use super::region::{Region, regions};
use super::slice::Slice;
use crate::error::Result;
use crate::image::{Function, Image};

/// Slices so far; equal ones are proven once.
pub struct Slices {
    moduli: Vec<Modulus>,
    tried: HashMap<String, std::result::Result<Proven, String>>,
    /// Certificates, by the hashes of slices.
    pub certificates: BTreeMap<String, String>,
}

impl Default for Slices {
    fn default() -> Self {
        Self { moduli: moduli(), tried: HashMap::new(), certificates: BTreeMap::new() }
    }
}

impl Slices {
    /// The number of slices that were tried.
    pub fn tried(&self) -> usize {
        self.tried.len()
    }

    /// Proves a slice modulo the first number that it is about, or exactly; its hash.
    fn prove(
        &mut self,
        s: &Slice,
        exact: bool,
        code: &str,
    ) -> (String, std::result::Result<Proven, String>) {
        let hash = format!("{}-{}", s.hash(), if exact { "exact" } else { "modulo" });
        if let Some(tried) = self.tried.get(&hash) {
            return (hash, tried.clone());
        }
        let mut result = Err("no modulus that it holds".to_owned());
        if exact {
            result = prove::prove(s, None).map_err(|e| e.to_string());
        } else {
            let constants = s.constants();
            let of = |m: &&Modulus| m.words == s.outputs.len() && m.is_in(&constants);
            let mut failures = String::new();
            for m in self.moduli.iter().filter(of) {
                match prove::prove(s, Some(m)) {
                    Ok(proven) => {
                        result = Ok(proven);
                        failures.clear();
                        break;
                    }
                    Err(e) => {
                        let _ = write!(failures, "{}: {e}; ", m.name);
                    }
                }
            }
            if !failures.is_empty() {
                result = Err(failures);
            }
        }
        if let Ok(proven) = &result {
            let head = format!("certificate 1\nkernel words {hash}\n{code}");
            let text = format!("{head}{}end certificate\n", proven.segment);
            self.certificates.insert(hash.clone(), text);
        }
        self.tried.insert(hash.clone(), result.clone());
        (hash, result)
    }
}

/// The result for a function.
#[derive(Default)]
pub struct Proof {
    /// Addresses of multiplications.
    pub multiplications: BTreeSet<u64>,
    /// Those of which each run in each region is in a proven slice.
    pub proven: BTreeSet<u64>,
    /// The forms of slices, a line each.
    pub text: String,
    /// Promises about inputs that no slice proves, by their origin.
    pub assumptions: BTreeMap<String, usize>,
}

/// A slice that is proven if its promises are kept.
struct Stand {
    name: String,
    slice: Slice,
    hash: String,
    proven: Proven,
}

/// Proves what slices of a function can be proven.
pub fn prove(image: &Image, f: &Function, slices: &mut Slices) -> Result<Proof> {
    prove_code(image, f, &image.code(f.start, f.size)?, slices)
}

/// The same of other code in the place of the function's own, for tests by mutation.
pub fn prove_code(
    image: &Image,
    f: &Function,
    code: &crate::image::Code,
    slices: &mut Slices,
) -> Result<Proof> {
    let head = format!("code {} {:x} {:x}\n", image.hash(f.start, f.size)?, f.start, f.size);
    let mut out = Proof::default();
    let mut left = BTreeSet::new();
    for region in regions(image, f, code)? {
        out.multiplications.extend(region.products.iter().map(|p| p.address));
        if region.products.is_empty() {
            continue;
        }
        let _ = writeln!(out.text, "region {:x}", region.start - f.start);
        let nodes = of_region(&region, slices, &head, &mut out);
        let used = used(&region.graph);
        for p in &region.products {
            let counts = |n: &Node| nodes.contains(n) || !used.contains(n);
            if !p.halves.iter().any(|n| nodes.contains(n)) || !p.halves.iter().all(counts) {
                left.insert(p.address);
            }
        }
    }
    out.proven = out.multiplications.difference(&left).copied().collect();
    Ok(out)
}

/// Nodes that others are computed from.
fn used(g: &Graph) -> BTreeSet<Node> {
    g.nodes().filter_map(|n| g.of(n)).flat_map(|(_, v)| v.to_vec()).collect()
}

/// The origin of an input that no slice computes.
fn origin(g: &Graph, n: Node) -> &'static str {
    match g.value(n) {
        Value::Leaf(Origin::Entry(_), ..) => "a register where a region starts",
        Value::Leaf(Origin::Slot, ..) => "a stack slot where a region starts",
        Value::Leaf(Origin::Memory, ..) => "memory behind a pointer",
        Value::Leaf(Origin::Result, ..) => "a result of an instruction without a rule",
        _ => "a value of the region",
    }
}

/// Proves the slices of a region; the nodes of those that stand.
fn of_region(region: &Region, slices: &mut Slices, code: &str, out: &mut Proof) -> BTreeSet<Node> {
    let g = &region.graph;
    let mut stops = BTreeSet::new();
    let mut stands: Vec<Stand> = Vec::new();
    // numbers that a slice proves to be below a modulus
    let mut below: BTreeMap<Vec<Node>, &'static str> = BTreeMap::new();
    for (i, group) in groups::chosen(g).into_iter().enumerate() {
        let slice = Slice::new(g, &group, &stops, &below);
        let (hash, result) = slices.prove(&slice, false, code);
        let name = format!("n{i}");
        stops.extend(group.iter().copied());
        match result {
            Ok(proven) => {
                below.insert(group, proven.modulus.unwrap_or("none"));
                stands.push(Stand { name, slice, hash, proven });
            }
            Err(why) => {
                let _ = writeln!(out.text, "  {name} not proven, {hash}: {why}");
            }
        }
    }
    let mut nodes: BTreeSet<Node> = stands.iter().flat_map(|s| s.slice.nodes.clone()).collect();
    for group in stored(region, &nodes) {
        let slice = Slice::new(g, &group, &stops, &below);
        let new = |n: &Node| {
            matches!(g.of(*n), Some((Op::MulLow | Op::MulHigh, _))) && !nodes.contains(n)
        };
        if !slice.nodes.iter().any(new) {
            continue;
        }
        let (hash, result) = slices.prove(&slice, true, code);
        match result {
            Ok(proven) => {
                nodes.extend(slice.nodes.iter().copied());
                stands.push(Stand { name: format!("s{}", stands.len()), slice, hash, proven });
            }
            Err(why) => {
                let (n, why) = (group.len(), why.chars().take(200).collect::<String>());
                let _ = writeln!(out.text, "  {n} words in a row not proven, {hash}: {why}");
            }
        }
    }
    for s in &stands {
        let (name, form, hash) = (&s.name, &s.proven.form, &s.hash);
        let _ = writeln!(out.text, "  {name} = {form}  ; {hash}");
        for number in &s.proven.promised {
            let words: Vec<Node> = number.iter().map(|&p| s.slice.nodes[p]).collect();
            if below.get(&words) == s.proven.modulus.as_ref() {
                continue;
            }
            let what = origin(g, words[0]);
            let m = s.proven.modulus.unwrap_or("none");
            *out.assumptions.entry(format!("{what} is below {m}")).or_default() += 1;
        }
    }
    nodes
}

/// Words in a row that hold multiplications which no slice has yet.
fn stored(region: &Region, done: &BTreeSet<Node>) -> Vec<Vec<Node>> {
    let g = &region.graph;
    let mut multiplies: BTreeMap<Node, bool> = BTreeMap::new();
    for n in g.nodes() {
        let m = !done.contains(&n)
            && g.of(n).is_some_and(|(op, v)| {
                matches!(op, Op::MulLow | Op::MulHigh) || v.iter().any(|m| multiplies[m])
            });
        multiplies.insert(n, m);
    }
    let mut out = Vec::new();
    for row in &region.rows {
        for run in row.split(|n| !multiplies[n]) {
            for n in 4..=8.min(run.len()) {
                out.extend(run.windows(n).map(<[Node]>::to_vec));
            }
        }
    }
    out.sort_by_key(|r| (std::cmp::Reverse(r.len()), r.clone()));
    out.dedup();
    out.truncate(16);
    out
}
