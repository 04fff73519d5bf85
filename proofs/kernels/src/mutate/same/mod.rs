//! Mutants that compute the same as the code by their instructions alone.
//!
//! The code and the mutant run from the same unknown registers, flags and memory to the end of the basic block that was changed. Both have to leave
//! the same terms in each register and flag that is read afterwards, and the same stores. Bounds that callers promise are not used, and
//! nothing of the prover is.

mod symbols;
mod terms;

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, OpAccess, Register};

use self::symbols::{FLAGS, State, Symbols, number};
use self::terms::Terms;
use super::Change;
use crate::image::{Code, Image};
use crate::kernel::{Find, Kernel, Place};
use crate::machine::{Cell, Machine};
use crate::trace::Word;

/// Registers, by bits 0 to 15, and flags, by bits 16 to 19.
type Set = u32;

/// Basic blocks of a kernel, and what is read after each.
pub struct Blocks {
    code: Code,
    /// First addresses, and what is read behind the block.
    blocks: BTreeMap<u64, Set>,
    returns: bool,
}

/// General registers from which the kernel's outputs are read; all where that is not known.
fn outputs(kernel: &Kernel, image: &Image, place: &Place) -> Set {
    let mut m = Machine::new(image);
    let registers: Vec<Register> = Register::values().filter(|r| r.is_gpr64()).collect();
    for r in &registers {
        m.registers.insert(*r, Cell::Word(Word::constant(r.number() as u64)));
    }
    let Ok(words) = (kernel.results)(&mut m, &place.names) else { return 0xffff };
    let number = |w: &Word| w.known().and_then(|n| u32::try_from(n).ok());
    words.iter().fold(0, |set, w| set | number(w).map_or(0xffff, |n| 1 << n))
}

/// Registers that an instruction reads, and those that it surely writes.
fn uses(info: &mut InstructionInfoFactory, i: &Instruction) -> (Set, Set) {
    let (mut reads, mut writes) = (0, 0);
    for u in info.info(i).used_registers() {
        let Some(n) = number(u.register()) else { continue };
        if !matches!(u.access(), OpAccess::Write | OpAccess::CondWrite) {
            reads |= 1 << n;
        }
        let whole = u.register().size() >= 4;
        if whole && matches!(u.access(), OpAccess::Write | OpAccess::ReadWrite) {
            writes |= 1 << n;
        }
    }
    for (n, flag) in FLAGS.iter().enumerate() {
        reads |= u32::from(i.rflags_read() & iced(*flag) != 0) << (16 + n);
        writes |= u32::from(i.rflags_modified() & iced(*flag) != 0) << (16 + n);
    }
    (reads, writes)
}

/// A flag by the decoder's own bits.
fn iced(flag: u32) -> u32 {
    use iced_x86::RflagsBits as B;
    match flag {
        1 => B::CF,
        0x800 => B::OF,
        0x40 => B::ZF,
        _ => B::SF,
    }
}

impl Blocks {
    /// The blocks of a kernel's code.
    pub fn new(kernel: &Kernel, image: &Image, place: &Place) -> Self {
        let code = place.code.clone();
        let mut starts = BTreeSet::from([place.range.0]);
        for i in code.values().filter(|i| i.flow_control() != FlowControl::Next) {
            starts.insert(i.next_ip());
            starts.insert(i.near_branch_target());
        }
        starts.retain(|at| code.contains_key(at));
        let mut info = InstructionInfoFactory::new();
        let written = code.values().fold(0, |set, i| set | uses(&mut info, i).1);
        let preserved = kernel.preserved.iter().filter_map(|r| number(*r));
        let kept = preserved.fold(1 << 4, |set, n| set | 1 << n);
        // registers that the code writes, neither outputs nor preserved, are the callee's; so are flags
        let end = (outputs(kernel, image, place) | kept | !written) & 0xffff;
        let mut out = Self {
            code,
            blocks: starts.iter().map(|at| (*at, 0)).collect(),
            returns: matches!(kernel.find, Find::Function(_)),
        };
        loop {
            let before = out.blocks.clone();
            for at in starts.iter().rev() {
                let all = out.instructions(*at);
                let Some(last) = all.last() else { continue };
                let mut live = match last.flow_control() {
                    FlowControl::Return => end,
                    FlowControl::Next => out.live(&mut info, last.next_ip(), end),
                    FlowControl::ConditionalBranch => {
                        out.live(&mut info, last.next_ip(), end)
                            | out.live(&mut info, last.near_branch_target(), end)
                    }
                    FlowControl::UnconditionalBranch => {
                        out.live(&mut info, last.near_branch_target(), end)
                    }
                    _ => Set::MAX,
                };
                live |= out.blocks[at];
                out.blocks.insert(*at, live);
            }
            if out.blocks == before {
                return out;
            }
        }
    }

    /// Registers that are read from an address on.
    fn live(&self, info: &mut InstructionInfoFactory, at: u64, end: Set) -> Set {
        let Some(after) = self.blocks.get(&at) else { return end };
        self.instructions(at).iter().rev().fold(*after, |live, i| {
            let (reads, writes) = uses(info, i);
            live & !writes | reads
        })
    }

    /// The instructions of the block that starts there.
    fn instructions(&self, start: u64) -> Vec<Instruction> {
        let next = self.blocks.keys().find(|at| **at > start).copied().unwrap_or(u64::MAX);
        self.code.range(start..next).map(|x| *x.1).collect()
    }

    /// Whether a change leaves what is read afterwards as it was.
    pub fn same(&self, change: &Change) -> bool {
        self.compared(change).unwrap_or(false)
    }

    fn compared(&self, change: &Change) -> Option<bool> {
        let inside = |at: &&u64| self.code.contains_key(at);
        let mut places = change.edits.iter().map(|e| &e.0).filter(inside);
        let (start, after) = self.blocks.range(..=*places.next()?).next_back()?;
        let all = self.instructions(*start);
        let end = all.last()?;
        let own = |at: &u64| all.iter().any(|i| i.ip() == *at);
        let branch = end.flow_control() != FlowControl::Next;
        if !places.all(own) || branch && change.edits.iter().any(|e| e.0 == end.ip()) {
            return None;
        }
        let mutant = change.applied(&self.code);
        let mut terms = Terms::default();
        let (a, on_a) = run(&mut terms, &self.code, *start, end, branch)?;
        let (b, on_b) = run(&mut terms, &mutant, *start, end, branch)?;
        let live = |n: usize| *after >> n & 1 == 1;
        let registers = (0..16).all(|n| !live(n) || a.registers[n] == b.registers[n]);
        let flags = (0..4).all(|n| !live(16 + n) || a.flags[n] == b.flags[n]);
        let returns = self.returns && end.flow_control() == FlowControl::Return;
        let stores = a.left(&mut terms, returns) == b.left(&mut terms, returns);
        Some(registers && flags && stores && on_a == on_b)
    }
}

/// The state at the end of a block, and the condition of its branch.
fn run(
    terms: &mut Terms,
    code: &Code,
    start: u64,
    end: &Instruction,
    branch: bool,
) -> Option<(State, Option<terms::Term>)> {
    let s = State::start(terms);
    let mut run = Symbols { t: terms, s };
    let mut at = start;
    for _ in 0..=code.len() {
        if branch && at == end.ip() {
            let conditional = end.flow_control() == FlowControl::ConditionalBranch;
            let condition = if conditional { Some(run.condition(end)?) } else { None };
            return Some((run.s, condition));
        }
        if at == end.next_ip() {
            return Some((run.s, None));
        }
        let i = code.get(&at)?;
        run.step(i)?;
        at = i.next_ip();
    }
    None
}
