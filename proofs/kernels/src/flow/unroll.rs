//! Loops of one block that run a number of times that is known, as straight code.
//!
//! Such a loop goes back while a register that each run changes by the same amount is not a constant, and every block before it leaves the
//! same constant in that register.

use std::collections::BTreeMap;

use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic as M, OpAccess};

use super::blocks::{Block, Blocks};
use super::calls::Calls;
use super::entry::predecessors;
use super::graph::{Origin, Value};
use super::lift::{Lifted, lift_all};
use crate::image::Image;

/// Runs of a loop that are put in a row, at most.
const RUNS: u64 = 64;

/// Instructions of a loop in a row, at most.
const INSTRUCTIONS: u64 = 4000;

/// The register, and the constant that it is compared with by the branch at a block's end, which goes back while they differ.
fn counter(block: &Block) -> Option<(iced_x86::Register, u64)> {
    let (last, rest) = block.code.split_last()?;
    let back = last.flow_control() == FlowControl::ConditionalBranch
        && last.near_branch_target() == block.start
        && last.mnemonic() == M::Jne;
    if !back {
        return None;
    }
    let mut info = InstructionInfoFactory::new();
    let flags = rest.iter().rposition(|i: &Instruction| i.rflags_modified() != 0)?;
    let test = &rest[flags];
    let register = test.op0_register();
    if !register.is_gpr64() || test.op_count() != 2 {
        return None;
    }
    let constant = test.try_immediate(1).ok()?;
    let end = match test.mnemonic() {
        M::Cmp => constant,
        M::Add | M::Sub => 0,
        _ => return None,
    };
    let keeps = |i: &Instruction| {
        info.info(i).used_registers().iter().all(|u| {
            let reads = matches!(u.access(), OpAccess::Read | OpAccess::CondRead);
            reads || u.register().full_register() != register
        })
    };
    rest[flags + 1..].iter().all(keeps).then_some((register, end))
}

/// The number of runs of a loop, if it is always the same.
fn runs(blocks: &Blocks, lifts: &BTreeMap<u64, Lifted>, at: u64, before: &[u64]) -> Option<u64> {
    let block = &blocks[&at];
    let (register, end) = counter(block)?;
    let lifted = &lifts[&at];
    let (now, by) = lifted.graph.place(lifted.registers.get(&register)?.0);
    let entry = Value::Leaf(Origin::Entry(format!("{register:?}")));
    if *lifted.graph.value(now) != entry || by == 0 {
        return None;
    }
    let mut first = None;
    for b in before.iter().filter(|b| **b != at) {
        let lifted = lifts.get(b)?;
        let value = lifted.graph.constant(lifted.registers.get(&register)?.0)?[0];
        if first.is_some_and(|f| f != value) {
            return None;
        }
        first = Some(value);
    }
    let mut value = first?;
    let most = RUNS.min(INSTRUCTIONS / block.code.len() as u64);
    (1..=most).find(|_| {
        value = value.wrapping_add(by as u64);
        value == end
    })
}

/// The values of all blocks, with such loops as straight code.
pub fn unrolled(image: &Image, blocks: &mut Blocks, start: u64) -> BTreeMap<u64, Lifted> {
    let calls = Calls::default();
    loop {
        let lifts = lift_all(image, &calls, blocks, start);
        let before = predecessors(blocks);
        let found: Vec<(u64, u64)> = blocks
            .keys()
            .filter(|at| **at != start)
            .filter_map(|&at| Some((at, runs(blocks, &lifts, at, before.get(&at)?)?)))
            .collect();
        if found.is_empty() {
            return lifts;
        }
        for (at, times) in found {
            if let Some(block) = blocks.get_mut(&at) {
                block.code = block.code.repeat(times as usize);
                block.next.retain(|next| *next != at);
            }
        }
    }
}
