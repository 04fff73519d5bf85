//! Rules of the machine on numbers, to compare with a CPU: one instruction, from one state.
//!
//! A test runs the instruction on the CPU; [`Rules`] says which parts of the state it has to find there. Rules of other instructions, such as
//! those of vectors, take part by an implementation of their own.

use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};

use crate::error::{Error, Result};
use crate::image::Image;
use crate::machine::{Cell, Machine, Place, Stop, Zero};
use crate::number::{self, Int};
use crate::trace::Word;

/// Bytes of memory: the stack pointer is at [`STACK`], another address register at [`DATA`].
pub const MEMORY: usize = 8192;
/// The address in the stack pointer.
pub const STACK: usize = 2048;
/// The address in another address register.
pub const DATA: usize = 6144;

/// Bits of the flags register.
pub const CARRY: u64 = 1;
/// The zero flag.
pub const ZERO: u64 = 1 << 6;
/// The overflow flag.
pub const OVERFLOW: u64 = 1 << 11;

/// General registers in the order of their encoding.
pub const GENERAL: [Register; 16] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RBX,
    Register::RSP,
    Register::RBP,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

/// Registers of a CPU, in the layout that a test's assembly loads and stores.
#[repr(C)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// General registers in the order of [`GENERAL`].
    pub general: [u64; 16],
    /// Flags.
    pub flags: u64,
    /// Bytes of a vector register that are loaded and stored: 0, 32 (16 registers) or 64 (32 registers).
    pub width: u64,
    /// Nothing.
    pub reserved: [u64; 6],
    /// Vector registers, by lanes of 64 bits.
    pub vectors: [[u64; 8]; 32],
    /// Mask registers; loaded and stored with vector registers of 64 bytes.
    pub masks: [u64; 8],
}

/// A state of the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Registers.
    pub registers: Registers,
    /// Memory, [`MEMORY`] bytes.
    pub memory: Vec<u8>,
    /// Address of the memory.
    pub address: u64,
}

/// A part of a state that a rule defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A general register, by its number.
    General(usize),
    /// A lane of a vector register, and the words that it may hold; none for any. Vector registers that no part names keep their values.
    Lane(usize, usize, Vec<u64>),
    /// A mask register that may hold anything.
    Mask(usize),
    /// The low 8 bits of a mask register.
    KnownMask(usize),
    /// Flags under a mask.
    Flag(u64),
    /// Bytes of memory: offset and size, at most 8.
    Memory(usize, usize),
    /// Memory that may hold anything: offset and size.
    Anything(usize, usize),
}

/// A part, and its value where it has one.
pub type Expected = (Part, u64);

/// Rules of instructions.
pub trait Rules {
    /// Parts of the state after the instruction, by each way in which the rules take it; a way is named.
    fn expected(
        &self,
        i: &Instruction,
        before: &State,
    ) -> Result<Vec<(&'static str, Vec<Expected>)>>;
}

/// Parts that the CPU left otherwise, and memory that it changed where the rules name no change.
pub fn differences(expected: &[Expected], before: &State, after: &State) -> Vec<String> {
    let mut memory = before.memory.clone();
    let (mut rest, mut masks) = (before.registers.vectors, before.registers.masks);
    let lanes = before.registers.width as usize / 8;
    let mut out = Vec::new();
    for (part, value) in expected {
        let found = match part {
            Part::General(n) => after.registers.general[*n],
            Part::Lane(n, lane, words) => {
                let found = after.registers.vectors[*n][*lane];
                rest[*n][*lane] = found;
                if *lane < lanes && !words.is_empty() && !words.contains(&found) {
                    out.push(format!("{part:x?}: the CPU gives {found:x}"));
                }
                continue;
            }
            Part::Mask(n) => {
                masks[*n] = after.registers.masks[*n];
                continue;
            }
            Part::KnownMask(n) => {
                masks[*n] = after.registers.masks[*n];
                masks[*n] & 0xff
            }
            Part::Anything(at, size) => {
                memory[*at..at + size].copy_from_slice(&after.memory[*at..at + size]);
                continue;
            }
            Part::Flag(mask) => u64::from(after.registers.flags & mask != 0),
            Part::Memory(at, size) => {
                memory[*at..at + size].copy_from_slice(&value.to_le_bytes()[..*size]);
                continue;
            }
        };
        if found != *value {
            out.push(format!("{part:?}: the rule gives {value:x}, the CPU {found:x}"));
        }
    }
    for (n, (rule, found)) in rest.iter().zip(&after.registers.vectors).enumerate() {
        if rule[..lanes] != found[..lanes] {
            out.push(format!(
                "vector register {n} was {rule:x?}, no rule changes it, the CPU gives {found:x?}"
            ));
        }
    }
    if masks != after.registers.masks {
        out.push(format!("masks were {masks:x?}, the CPU gives {:x?}", after.registers.masks));
    }
    if let Some(at) = (0..MEMORY).find(|&at| memory[at] != after.memory[at]) {
        let (rule, cpu) = (memory[at], after.memory[at]);
        out.push(format!("memory at {at}: the rule gives {rule:x}, the CPU {cpu:x}"));
    }
    out
}

/// The ways in which the machine takes operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Registers and memory are unknown words.
    Unknown,
    /// The last operand is a known number.
    LastKnown,
    /// The last operand is 0 or 2^64 - 1 by an unknown bit.
    LastMask,
    /// Everything is known.
    Known,
}

/// The rules of [`Machine`].
pub struct MachineRules<'a>(pub &'a Image);

impl Rules for MachineRules<'_> {
    fn expected(
        &self,
        i: &Instruction,
        before: &State,
    ) -> Result<Vec<(&'static str, Vec<Expected>)>> {
        let mut out = Vec::new();
        let ways = [
            ("unknown words", Way::Unknown),
            ("last known", Way::LastKnown),
            ("last a mask", Way::LastMask),
            ("numbers", Way::Known),
        ];
        for (name, way) in ways {
            let run = Run { machine: Machine::new(self.0), way, inputs: Vec::new() };
            if let Some(expected) = run.expected(i, before)? {
                out.push((name, expected));
            }
        }
        Ok(out)
    }
}

struct Run<'a> {
    machine: Machine<'a>,
    way: Way,
    inputs: Vec<Int>,
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

fn offset(place: &Place) -> usize {
    let middle = if &*place.0 == "stack" { STACK } else { DATA };
    middle.wrapping_add_signed(place.1 as isize)
}

impl Run<'_> {
    fn unknown(&mut self, n: u64, hi: Int) -> Result<Word> {
        if self.way == Way::Known {
            return Ok(Word::constant(n));
        }
        self.inputs.push(Int::from(n));
        self.machine.trace.input(&Int::ZERO, &hi)
    }

    /// The last operand, if it is a register.
    fn last(i: &Instruction) -> Option<Register> {
        let n = i.op_count().checked_sub(1)?;
        (i.op_kind(n) == OpKind::Register).then(|| i.op_register(n).full_register())
    }

    /// Places the state; whether the operands suit the way.
    fn enter(&mut self, i: &Instruction, before: &State) -> Result<bool> {
        let special = match self.way {
            Way::LastKnown | Way::LastMask => match Self::last(i) {
                Some(r) => Some(r),
                None => return Ok(false),
            },
            _ => None,
        };
        let base = i.memory_base().full_register();
        for (n, r) in GENERAL.into_iter().enumerate() {
            let value = before.registers.general[n];
            let cell = if r == Register::RSP {
                Cell::Pointer("stack".into(), 0)
            } else if r == base && i.mnemonic() != Mnemonic::Lea {
                Cell::Pointer("data".into(), 0)
            } else if Some(r) == special && self.way == Way::LastKnown {
                Cell::Word(Word::constant(value))
            } else if Some(r) == special {
                if value != 0 && value != u64::MAX {
                    return Ok(false);
                }
                let bit = self.unknown(value & 1, Int::ONE)?;
                let ones = number::power_of_two(64) - 1;
                Cell::Word(self.machine.trace.sum(&[(ones, &bit)])?)
            } else {
                Cell::Word(self.unknown(value, number::power_of_two(64) - 1)?)
            };
            self.machine.registers.insert(r, cell);
        }
        let flag = |mask| u64::from(before.registers.flags & mask != 0);
        self.machine.carry = Some(self.unknown(flag(CARRY), Int::ONE)?);
        self.machine.overflow = Some(self.unknown(flag(OVERFLOW), Int::ONE)?);
        self.machine.zero = Some(Zero::Bit(self.unknown(flag(ZERO), Int::ONE)?));
        self.machine.writable.insert("data".into());
        let place = if i.mnemonic() == Mnemonic::Pop {
            Some((("stack".into(), 0), 8))
        } else if base != Register::None && i.mnemonic() != Mnemonic::Lea {
            let buffer = if base == Register::RSP { "stack" } else { "data" };
            let at = i.memory_displacement64() as i64;
            Some(((buffer.into(), at), i.memory_size().size()))
        } else {
            None
        };
        if let Some((place, size)) = place {
            let n = little_endian(&before.memory[offset(&place)..offset(&place) + size]);
            let word = self.unknown(n, number::power_of_two(8 * size) - 1)?;
            self.machine.memory.insert(place, (size, Cell::Word(word)));
        }
        Ok(true)
    }

    fn number(&self, w: &Word) -> Result<Int> {
        let numbers = self.machine.trace.facts.evaluate(&self.inputs)?;
        Ok(w.p.evaluate(|v| numbers[v as usize].clone()))
    }

    fn expected(mut self, i: &Instruction, before: &State) -> Result<Option<Vec<Expected>>> {
        if !self.enter(i, before)? {
            return Ok(None);
        }
        let branch = i.flow_control() == FlowControl::ConditionalBranch;
        loop {
            let step = if branch {
                // a test runs SETcc AL in the place of Jcc
                self.machine.condition(i).and_then(|bit| {
                    let value = self.number(&bit)? + Int::from(before.registers.general[0] & !0xff);
                    self.machine.registers.insert(Register::RAX, Cell::Word(Word::constant(value)));
                    Ok(())
                })
            } else {
                self.machine.step(i)
            };
            match step {
                Ok(()) => break,
                Err(Stop::Fork(word)) => {
                    let n = self.number(&word)?;
                    let equation = self.machine.trace.facts.case(&word.p, &n);
                    self.machine.trace.fix(equation)?;
                    self.machine.refresh();
                }
                Err(Stop::Error(Error::Unsupported { .. })) => return Ok(None),
                Err(Stop::Error(e)) => return Err(e),
            }
        }
        self.parts(before).map(Some)
    }

    /// The parts that the machine knows, on the numbers of the state.
    fn parts(&self, before: &State) -> Result<Vec<Expected>> {
        let m = &self.machine;
        let numbers = m.trace.facts.evaluate(&self.inputs)?;
        let value = |w: &Word, what: &str| {
            let n = w.p.evaluate(|v| numbers[v as usize].clone());
            u64::try_from(n).map_err(|_| Error::Derivation(format!("{what} is no word: {}", w.p)))
        };
        let contents = |cell: &Cell, what: &str| match cell {
            Cell::Word(w) => value(w, what),
            Cell::Pointer(base, at) => Ok(before.address + offset(&(base.clone(), *at)) as u64),
            Cell::Saved(_) => Err(Error::Derivation(format!("{what} is a saved register"))),
        };
        let mut out = Vec::new();
        for (n, r) in GENERAL.iter().enumerate() {
            if let Some(cell) = m.registers.get(r) {
                out.push((Part::General(n), contents(cell, &format!("{r:?}"))?));
            }
        }
        for (place, (size, cell)) in &m.memory {
            out.push((Part::Memory(offset(place), *size), contents(cell, "memory")?));
        }
        for (mask, flag) in [(CARRY, &m.carry), (OVERFLOW, &m.overflow)] {
            if let Some(w) = flag {
                out.push((Part::Flag(mask), value(w, "a flag")?));
            }
        }
        match &m.zero {
            Some(Zero::Bit(w)) => out.push((Part::Flag(ZERO), value(w, "a flag")?)),
            Some(Zero::Of(w)) => {
                out.push((Part::Flag(ZERO), u64::from(value(w, "a result")? == 0)));
            }
            None => {}
        }
        Ok(out)
    }
}
