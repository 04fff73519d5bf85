//! The head of the loop: its state as inputs, and the limbs that places hold there.

use std::collections::BTreeMap;

use super::cpu::{Cell, Cpu, Place};
use super::pieces::{NAMES, Task, unit, unproven};
use super::steps::{BITS, PART};
use super::values::{Value, Values};
use crate::error::Result;
use crate::number::Int;
use crate::poly::Poly;

/// A state at the head: inputs for limbs and for the bits above them.
pub(super) struct Head {
    pub cells: BTreeMap<Place, Cell>,
    pub limbs: [Vec<Value>; 4],
    /// Parts of 20 bits of the low limbs of f and g.
    pub parts: [Vec<Value>; 2],
    pub delta: Value,
    /// The number of inputs.
    pub inputs: usize,
}

impl Task<'_> {
    /// Limbs at the head: one value for all places of each.
    pub(super) fn limbs(&self, cpu: &mut Cpu) -> Result<[Vec<Value>; 4]> {
        let mut out: [Vec<Value>; 4] = Default::default();
        for (number, limbs) in self.layout.limbs.iter().enumerate() {
            for (i, places) in limbs.iter().enumerate() {
                let mut found: Option<Value> = None;
                for (place, clean) in places {
                    let Some(Cell::Value(v)) = cpu.cells.get(place).cloned() else {
                        return unproven(format!("{place:?} holds no limb at the head"));
                    };
                    let v = if i == self.top {
                        cpu.signed(&v)?
                    } else {
                        let v = cpu.unsigned(&v)?;
                        let (low, high) = cpu.values.split(&v, BITS)?;
                        if *clean && !high.known().is_some_and(|n| n.is_zero()) {
                            return unproven(format!("{place:?} holds more than a limb"));
                        }
                        low
                    };
                    match &found {
                        Some(known) if known.p != v.p => {
                            return unproven(format!(
                                "{place:?} holds {} for limb {i} of {}, others {}",
                                v.p, NAMES[number], known.p
                            ));
                        }
                        _ => found = Some(v),
                    }
                }
                match found {
                    Some(v) => out[number].push(v),
                    None => return unproven(format!("limb {i} of {} has no place", NAMES[number])),
                }
            }
        }
        Ok(out)
    }

    /// Inputs of the head, and its cells.
    pub(super) fn head(&self, values: &mut Values, frame: &BTreeMap<Place, Cell>) -> Result<Head> {
        let mut cells = frame.clone();
        let counter = values.input(&Int::ZERO, &unit(10))?;
        let delta = values.input(&-unit(62), &unit(62))?;
        let mut put =
            |place: &Place, v: &Value| cells.insert(place.clone(), Cell::Value(v.clone()));
        self.layout.counter.iter().for_each(|p| drop(put(p, &counter)));
        self.layout.delta.iter().for_each(|p| drop(put(p, &delta)));
        let (mut limbs, mut parts): ([Vec<Value>; 4], [Vec<Value>; 2]) = Default::default();
        let mut inputs = 2;
        for number in 0..4 {
            for i in 0..=self.top {
                if i == 0 && number < 2 {
                    for _ in 0..BITS / PART {
                        parts[number].push(values.input(&Int::ZERO, &(unit(PART) - 1))?);
                        inputs += 1;
                    }
                    continue;
                }
                let (lo, hi) = self.limb_range(number, i);
                limbs[number].push(values.input(&lo, &hi)?);
                inputs += 1;
            }
        }
        let mut places = Vec::new();
        for (number, all) in self.layout.limbs.iter().enumerate() {
            for (i, (place, clean)) in
                all.iter().enumerate().flat_map(|(i, p)| p.iter().map(move |p| (i, p)))
            {
                let more = if *clean || i == self.top {
                    None
                } else {
                    Some(values.input(&Int::ZERO, &Int::from(15))?)
                };
                inputs += usize::from(more.is_some());
                places.push((number, i, place, more));
            }
        }
        for (parts, limbs) in parts.iter().zip(&mut limbs) {
            let low = parts.iter().enumerate();
            let low =
                low.fold(Poly::default(), |sum, (i, v)| sum.add_scaled(&v.p, &unit(PART * i)));
            limbs.insert(0, values.of(&low)?);
        }
        for (number, i, place, more) in places {
            let mut limb = limbs[number][i].clone();
            if let Some(more) = more {
                limb = values.plus(&limb, unit(BITS), &more)?;
            }
            cells.insert(place.clone(), Cell::Value(limb));
        }
        Ok(Head { cells, limbs, parts, delta, inputs })
    }
}
