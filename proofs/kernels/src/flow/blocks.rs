//! Basic blocks of a function, and which registers live where they end.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, OpAccess, Register};

use crate::error::{Error, Result};
use crate::image::{Code, Function};

/// Instructions in a row, entered at the first alone and left at the last alone.
pub struct Block {
    /// Address of the first instruction.
    pub start: u64,
    /// Instructions.
    pub code: Vec<Instruction>,
    /// Addresses of blocks that may follow.
    pub next: Vec<u64>,
    /// Registers that a later block may read before it writes them.
    pub live: BTreeSet<Register>,
}

/// Blocks by address.
pub type Blocks = BTreeMap<u64, Block>;

fn is_end(i: &Instruction) -> bool {
    !matches!(i.flow_control(), FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall)
}

/// The blocks of a function's code. A jump to an address that is not known is an error: it might enter anywhere.
pub fn of_code(code: &Code, f: &Function) -> Result<Blocks> {
    let end = f.start + f.size;
    let inside = |a: u64| (f.start..end).contains(&a);
    let mut leaders = BTreeSet::from([f.start]);
    for i in code.values() {
        match i.flow_control() {
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                leaders.extend(Some(i.near_branch_target()).filter(|&a| inside(a)));
            }
            FlowControl::IndirectBranch => {
                return Err(Error::Object(format!("{}: a jump to a computed address", f.name)));
            }
            _ => {}
        }
        if is_end(i) && inside(i.next_ip()) {
            leaders.insert(i.next_ip());
        }
    }
    if let Some(a) = leaders.iter().find(|a| !code.contains_key(a)) {
        return Err(Error::Object(format!("{}: a jump to {a:x}, inside an instruction", f.name)));
    }
    let starts: Vec<u64> = leaders.into_iter().collect();
    let mut blocks = Blocks::new();
    for (n, &start) in starts.iter().enumerate() {
        let stop = starts.get(n + 1).copied().unwrap_or(end);
        let code: Vec<Instruction> = code.range(start..stop).map(|(_, i)| *i).collect();
        let mut next = Vec::new();
        if let Some(last) = code.last() {
            match last.flow_control() {
                FlowControl::ConditionalBranch => {
                    next.extend([last.near_branch_target(), last.next_ip()]);
                }
                FlowControl::UnconditionalBranch => next.push(last.near_branch_target()),
                _ if !is_end(last) => next.push(last.next_ip()),
                _ => {}
            }
        }
        next.retain(|&a| inside(a));
        blocks.insert(start, Block { start, code, next, live: BTreeSet::new() });
    }
    // padding, which nothing leads to
    let (mut reached, mut todo) = (BTreeSet::new(), vec![f.start]);
    while let Some(at) = todo.pop() {
        if reached.insert(at) {
            todo.extend(blocks.get(&at).into_iter().flat_map(|b| &b.next));
        }
    }
    blocks.retain(|at, _| reached.contains(at));
    liveness(&mut blocks);
    Ok(blocks)
}

/// Registers that an instruction reads, and those that it writes as a whole.
pub fn uses(info: &mut InstructionInfoFactory, i: &Instruction) -> (Vec<Register>, Vec<Register>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for used in info.info(i).used_registers() {
        let full = used.register().full_register();
        if !full.is_zmm() && !full.is_k() {
            continue;
        }
        match used.access() {
            OpAccess::Write => writes.push(full),
            OpAccess::None | OpAccess::NoMemAccess => {}
            _ => reads.push(full),
        }
    }
    (reads, writes)
}

/// Fills in the vector and mask registers that live at the ends of blocks.
fn liveness(blocks: &mut Blocks) {
    let mut info = InstructionInfoFactory::new();
    let mut own = BTreeMap::new();
    for b in blocks.values() {
        let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
        for i in &b.code {
            let (r, w) = uses(&mut info, i);
            reads.extend(r.into_iter().filter(|r| !writes.contains(r)));
            writes.extend(w);
        }
        own.insert(b.start, (reads, writes));
    }
    let mut changed = true;
    while changed {
        changed = false;
        let starts: Vec<u64> = blocks.keys().rev().copied().collect();
        for start in starts {
            let mut live = BTreeSet::new();
            for next in &blocks[&start].next {
                let (reads, writes) = &own[next];
                live.extend(reads.iter().copied());
                live.extend(blocks[next].live.iter().filter(|r| !writes.contains(r)).copied());
            }
            if let Some(b) = blocks.get_mut(&start)
                && b.live != live
            {
                b.live = live;
                changed = true;
            }
        }
    }
}
