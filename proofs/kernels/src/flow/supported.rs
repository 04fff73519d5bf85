//! Slices that count: those whose inputs have the bounds that their proofs take.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use super::combinations;
use super::doubles;
use super::entry::{Proven as Shows, gives};
use super::field::LIMBS_51;
use super::function::Stand;
use super::graph::{Graph, Node};
use super::order;
use super::slice::{Class, Part};

/// Classes that slices prove of their outputs.
pub(super) fn bounded(stands: &[Stand]) -> Shows {
    let mut bounded = HashMap::new();
    for s in stands.iter() {
        let last = s.slice.outputs.len() - 1;
        for (k, &o) in s.slice.outputs.iter().enumerate() {
            let classes: &mut BTreeSet<Class> =
                bounded.entry((s.slice.nodes[o], s.field)).or_default();
            let addend = s.slice.parts.contains(&Part::Input(Class::Addend));
            let class = match s.slice.limbs {
                _ if s.pairs.is_some() => s.pairs.map_or(Class::Word, Class::Pair),
                true if s.field == doubles::NAME => Class::Top,
                _ if s.field == order::NAME && last > 0 => Class::Limb,
                true if k == last => Class::Top,
                true => Class::Limb,
                false if s.slice.outputs.len() > 8 || s.field == "P-256" && last > 4 => {
                    if k == last { Class::TopAddend } else { Class::Addend }
                }
                false if s.columns != Class::Column => s.columns,
                false if k == last => Class::TopProduct,
                false if addend => Class::Wide,
                false => Class::Column,
            };
            classes.insert(class);
            if s.field == LIMBS_51 && s.slice.limbs {
                // all limbs have the bound of the highest, and are columns
                classes.extend([Class::Limb, Class::Top, Class::Column, Class::TopColumn]);
            }
        }
    }
    bounded
}

/// Whether the bound of an input is assumed: the block does not compute it, or chooses a coefficient among such.
pub(super) fn is_assumed(g: &Graph, n: Node, class: Class) -> bool {
    g.lanes(n).is_none() || class == Class::Coefficient && combinations::is_chosen(g, n)
}

/// Keeps the slices whose inputs have the bounds that the proof takes: those that the block computes are outputs of slices
/// that are kept, of the same field and of that class.
pub(super) fn supported(g: &Graph, stands: &mut Vec<Stand>, text: &mut String) {
    loop {
        let bounded = bounded(stands);
        let before = stands.len();
        stands.retain(|s| {
            let missing = (0..s.slice.parts.len()).find(|&i| {
                let n = s.slice.nodes[i];
                let Some(class) = s.takes(i).filter(|c| !is_assumed(g, n, *c)) else {
                    return false;
                };
                !bounded.get(&(n, s.field)).is_some_and(|c| gives(c, class))
            });
            if let Some(i) = missing {
                let _ = writeln!(
                    text,
                    "  {} not proven: no bound of part {i}, {:?}",
                    s.name, s.slice.parts[i]
                );
            }
            missing.is_none()
        });
        if stands.len() == before {
            return;
        }
    }
}
