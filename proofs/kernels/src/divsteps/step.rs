//! One division step in assembly, for f odd: on delta - 1/2 in RDI, f in RSI and g in RDX.

use std::collections::BTreeSet;

use iced_x86::Register;

use super::cpu::{Cell, Cpu, Flow, Place};
use super::pieces::{Piece, unit, unproven};
use super::segment::{End, within};
use super::steps::PART;
use super::values::Value;
use crate::error::Result;
use crate::image::{Code, Function, Image};
use crate::number::Int;
use crate::poly::Poly;

/// The function that makes 20 of them.
pub const STEM: &str = "x86_64_stepped";

/// Proves that the function makes 20 steps: it is one step, 20 times, and `ret`.
pub fn prove(image: &Image, f: &Function, code: &Code) -> Result<Piece> {
    let bytes = image.code(f.start, f.size)?;
    let instructions: Vec<_> = code.values().collect();
    let Some((last, steps)) = instructions.split_last() else { return unproven("no code") };
    let n = steps.len() / PART;
    let again = |i: usize| {
        let (a, b) = (steps[i], steps[i % n.max(1)]);
        let mut b = *b;
        b.set_ip(a.ip());
        a == &b
    };
    if n == 0 || steps.len() != PART * n || !(0..steps.len()).all(again) {
        return unproven(format!(
            "{} instructions that are not {PART} times the same",
            bytes.len()
        ));
    }
    if last.mnemonic() != iced_x86::Mnemonic::Ret {
        return unproven(format!("{last} at the end"));
    }
    let mut body = String::new();
    for odd in [false, true] {
        for positive in [false, true] {
            body.push_str(&case(&steps[..n], odd, positive)?);
        }
    }
    let ran: BTreeSet<u64> = code.keys().copied().collect();
    Piece::new("in assembly", (image, f.start, steps[n].ip() - f.start), ran, body)
}

/// A step for g odd or even, and delta - 1/2 negative or not.
fn case(code: &[&iced_x86::Instruction], odd: bool, positive: bool) -> Result<String> {
    let mut cpu = Cpu::default();
    let (zero, one, half, most) = (Int::ZERO, Value::constant(1), unit(61), unit(62));
    let values = &mut cpu.values;
    let delta = match positive {
        true => values.input(&zero, &(&most - 1))?,
        false => values.input(&-most.clone(), &Int::NEG_ONE)?,
    };
    let halves =
        [values.input(&-half.clone(), &(&half - 1))?, values.input(&-half.clone(), &(half - 1))?];
    let twice = |n: &Value| [(Int::from(2), n.clone()), (Int::ONE, one.clone())];
    let mut numbers = Vec::new();
    for (n, odd) in halves.iter().zip([true, odd]) {
        let terms = twice(n);
        let terms: Vec<_> = terms.iter().map(|(c, v)| (c.clone(), v)).collect();
        numbers.push(values.sum(&terms[..1 + usize::from(odd)])?);
    }
    let [f, g] = [numbers[0].clone(), numbers[1].clone()];
    let registers = [Register::RDI, Register::RSI, Register::RDX];
    for (r, v) in registers.into_iter().zip([&delta, &f, &g]) {
        cpu.cells.insert(Place::Register(r), Cell::Value(v.clone()));
    }
    for i in code {
        if cpu.step(i)? != Flow::To(i.next_ip()) {
            return unproven(format!("{:x} {i}: a branch", i.ip()));
        }
    }
    let (mut end, mut outs) = (End::default(), Vec::new());
    for r in registers {
        let Some(Cell::Value(v)) = cpu.cells.get(&Place::Register(r)).cloned() else {
            return unproven(format!("{r:?} holds no value after a step"));
        };
        let v = cpu.signed(&v)?;
        outs.push((end.out(&v.p), v));
    }
    // what the step leaves: delta - 1/2, f, and twice g
    let more = delta.p.plus(&Int::ONE);
    let expected = match (odd, positive) {
        (false, _) => [more, f.p.clone(), g.p.clone()],
        (true, false) => [more, f.p.clone(), g.p.add(&f.p)],
        (true, true) => [Poly::default().sub(&delta.p), g.p.clone(), g.p.sub(&f.p)],
    };
    for (i, target) in expected.into_iter().enumerate() {
        let (name, out) = (["delta", "f", "g"][i], outs[i].0);
        let factor = if i == 2 { Int::from(2) } else { Int::ONE };
        end.zero(name, (Int::ZERO, factor), target, vec![(out, 0)], Vec::new());
        let hi = if i == 0 { most.clone() } else { &most - 1 };
        let pair = within(&mut cpu.values, &outs[i].1, &-most.clone(), &hi)?;
        end.limb(&format!("{name}_range"), out, (-most.clone(), hi), pair);
    }
    let parity = if odd { "odd" } else { "even" };
    let sign = if positive { "positive" } else { "negative" };
    end.text(&format!("{parity}-{sign}"), &mut cpu.values)
}
