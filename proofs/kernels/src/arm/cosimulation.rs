//! Rules of the machine on numbers, to compare with a CPU: one instruction of aarch64, from one state.

use yaxpeax_arm::armv8::a64::Operand as Field;

use super::{Arm, Instruction, Register};
use crate::arch::{Arch, Flow};
use crate::error::{Error, Result};
use crate::image::Image;
use crate::machine::{Cell, Machine, Stop, Zero};
use crate::number::{self, Int};
use crate::trace::Word;

/// The zero flag, in the layout of NZCV.
pub const ZERO: u64 = 1 << 30;
/// The carry flag.
pub const CARRY: u64 = 1 << 29;

/// General registers x0 to x30, and NZCV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// General registers.
    pub general: [u64; 31],
    /// Flags.
    pub flags: u64,
}

/// The ways in which the machine takes operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Registers are unknown words.
    Unknown,
    /// The last register is a known number.
    LastKnown,
    /// The last register is 0 or 2^64 - 1 by an unknown bit.
    LastMask,
    /// Everything is known.
    Known,
}

const WAYS: [(&str, Way); 4] = [
    ("unknown words", Way::Unknown),
    ("last known", Way::LastKnown),
    ("last a mask", Way::LastMask),
    ("numbers", Way::Known),
];

impl Instruction {
    /// The last general register among its operands.
    pub fn last_register(&self) -> Option<usize> {
        let register = |field: &Field| match field {
            Field::Register(_, n) | Field::RegShift(_, _, _, n) if *n < 31 => Some(usize::from(*n)),
            _ => None,
        };
        self.fields.iter().rev().find_map(register)
    }

    /// Four encodings to run in its place: of a branch, those that leave in x30 whether it is taken.
    pub fn comparable(&self) -> Option<[u32; 4]> {
        let nothing = super::NOTHING;
        match Arm::flow(self) {
            Flow::Next(_) => Some([self.word, nothing, nothing, nothing]),
            Flow::Branch(..) => {
                let by_three = self.word & !(0x7ffff << 5) | 3 << 5;
                Some([by_three, 0xd280_001e, 0x1400_0002, 0xd280_003e])
            }
            _ => None,
        }
    }
}

struct Run<'a> {
    machine: Machine<'a, Arm>,
    way: Way,
    inputs: Vec<Int>,
}

impl Run<'_> {
    fn unknown(&mut self, n: u64, hi: Int) -> Result<Word> {
        if self.way == Way::Known {
            return Ok(Word::constant(n));
        }
        self.inputs.push(Int::from(n));
        self.machine.trace.input(&Int::ZERO, &hi)
    }

    /// Places the state; whether the operands suit the way.
    fn enter(&mut self, i: &Instruction, before: &State) -> Result<bool> {
        let ones: Int = number::power_of_two(64) - 1;
        let special = match (self.way, i.last_register()) {
            (Way::LastKnown | Way::LastMask, None) => return Ok(false),
            (Way::LastKnown | Way::LastMask, last) => last,
            _ => None,
        };
        for (n, value) in before.general.iter().enumerate() {
            let word = match self.way {
                Way::LastKnown if Some(n) == special => Word::constant(*value),
                Way::LastMask if Some(n) == special => {
                    if *value != 0 && *value != u64::MAX {
                        return Ok(false);
                    }
                    let bit = self.unknown(value & 1, Int::ONE)?;
                    self.machine.trace.sum(&[(ones.clone(), &bit)])?
                }
                _ => self.unknown(*value, ones.clone())?,
            };
            self.machine.registers.insert(Register(n as u8), Cell::Word(word));
        }
        let flag = |mask| u64::from(before.flags & mask != 0);
        self.machine.carry = Some(self.unknown(flag(CARRY), Int::ONE)?);
        self.machine.zero = Some(Zero::Bit(self.unknown(flag(ZERO), Int::ONE)?));
        Ok(true)
    }

    fn number(&self, w: &Word) -> Result<Int> {
        let numbers = self.machine.trace.facts.evaluate(&self.inputs)?;
        Ok(w.p.evaluate(|v| numbers[v as usize].clone()))
    }

    fn differences(
        mut self,
        i: &Instruction,
        before: &State,
        after: &State,
    ) -> Result<Option<(usize, Vec<String>)>> {
        if !self.enter(i, before)? {
            return Ok(None);
        }
        loop {
            let step = match Arm::flow(i) {
                Flow::Branch(..) => Arm::condition(&mut self.machine, i).map(|bit| {
                    self.machine.registers.insert(Register(30), Cell::Word(bit));
                }),
                _ => self.machine.step(i),
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
        let m = &self.machine;
        let numbers = m.trace.facts.evaluate(&self.inputs)?;
        let value = |w: &Word| w.p.evaluate(|v| numbers[v as usize].clone());
        let mut compared = 0;
        let mut out = Vec::new();
        let mut compare = |part: String, rule: Int, cpu: u64| {
            compared += 1;
            if rule != Int::from(cpu) {
                out.push(format!("{part}: the rule gives {}, the CPU {cpu:x}", number::hex(&rule)));
            }
        };
        for (n, cpu) in after.general.iter().enumerate() {
            if let Some(Cell::Word(w)) = m.registers.get(&Register(n as u8)) {
                compare(format!("x{n}"), value(w), *cpu);
            }
        }
        let flag = |mask| u64::from(after.flags & mask != 0);
        if let Some(w) = &m.carry {
            compare("carry".into(), value(w), flag(CARRY));
        }
        match &m.zero {
            Some(Zero::Bit(w)) => compare("zero".into(), value(w), flag(ZERO)),
            Some(Zero::Of(w)) => {
                compare("zero".into(), Int::from(u8::from(value(w).is_zero())), flag(ZERO));
            }
            None => {}
        }
        Ok(Some((compared, out)))
    }
}

/// A comparison: the way in which the rules take the operands, the number of parts, and those that differ.
pub type Comparison = (&'static str, usize, Vec<String>);

/// Compares the state that a CPU left after an instruction with the rules, by each way in which they take it.
///
/// # Errors
/// A flaw of the rules.
pub fn compare(
    image: &Image,
    i: &Instruction,
    before: &State,
    after: &State,
) -> Result<Vec<Comparison>> {
    let mut out = Vec::new();
    for (name, way) in WAYS {
        let run = Run { machine: Machine::new(image), way, inputs: Vec::new() };
        if let Some((compared, faults)) = run.differences(i, before, after)? {
            out.push((name, compared, faults));
        }
    }
    Ok(out)
}
