//! Registers and memory that hold values modulo 2^64, and instructions of division steps.
//!
//! Memory is words of 8 bytes. A register or a word that was not written is unknown; it may be moved, but not be computed with.

use std::collections::BTreeMap;
use std::rc::Rc;

use iced_x86::{ConditionCode, FlowControl, Instruction, Mnemonic as M, OpKind, Register};

use super::values::{Value, Values};
use crate::error::{Error, Result};
use crate::number::{self, Int};

/// The contents of a register or a word of memory.
#[derive(Clone, Debug)]
pub enum Cell {
    /// An integer modulo 2^64.
    Value(Value),
    /// An address.
    Pointer(Rc<str>, i64),
    /// The content of a register at the entry.
    Saved(Register),
}

/// A place that holds a cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A general register.
    Register(Register),
    /// A word of a buffer.
    Memory(Rc<str>, i64),
}

/// The way that the code goes on.
#[derive(Debug, PartialEq, Eq)]
pub enum Flow {
    /// At this address.
    To(u64),
    /// At one of both: taken, not taken.
    Either(u64, u64),
    /// In a function; then at the second address.
    Call(u64, u64),
    /// `ret`.
    Return,
}

/// The machine.
#[derive(Default)]
pub struct Cpu {
    /// Values.
    pub values: Values,
    /// Registers and memory.
    pub cells: BTreeMap<Place, Cell>,
    carry: Vec<Value>,
    /// The result that the zero flag is about.
    pub zero: Option<Value>,
    /// Whether it is a word from -2^63 to 2^63 - 1, so that its sign is that of the word.
    pub(super) tested: bool,
    compared: Option<(Int, Int)>,
    zero_vectors: Vec<Register>,
}

pub(super) fn word() -> Int {
    number::power_of_two(64)
}

pub(super) fn failed<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Unsupported { address: 0, instruction: String::new(), why: why.into() })
}

impl Cpu {
    /// The same state, with values of another segment.
    pub fn with_cells(cells: BTreeMap<Place, Cell>) -> Self {
        Self { cells, ..Self::default() }
    }

    /// Runs one instruction.
    pub fn step(&mut self, i: &Instruction) -> Result<Flow> {
        self.values.facts.set_note(format!("{:x} {i}", i.ip()));
        let done = match i.flow_control() {
            FlowControl::Next => self.run(i).map(|()| Flow::To(i.next_ip())),
            FlowControl::UnconditionalBranch => Ok(Flow::To(i.near_branch_target())),
            FlowControl::ConditionalBranch => self.branch(i),
            FlowControl::Call => Ok(Flow::Call(i.near_branch_target(), i.next_ip())),
            FlowControl::Return => Ok(Flow::Return),
            _ => failed("no rule for this instruction"),
        };
        done.map_err(|e| match e {
            Error::Unsupported { why, .. } => {
                Error::Unsupported { address: i.ip(), instruction: i.to_string(), why }
            }
            Error::Derivation(why) => Error::Derivation(format!("{:x} {i}: {why}", i.ip())),
            other => other,
        })
    }

    fn branch(&mut self, i: &Instruction) -> Result<Flow> {
        Ok(match self.condition(i)? {
            Some(true) => Flow::To(i.near_branch_target()),
            Some(false) => Flow::To(i.next_ip()),
            None => Flow::Either(i.near_branch_target(), i.next_ip()),
        })
    }

    /// Whether a condition holds, if bounds show it.
    fn condition(&self, i: &Instruction) -> Result<Option<bool>> {
        let zero = || match &self.zero {
            Some(v) if v.known().is_some() => v.known().map(|n| n.is_zero()),
            _ => None,
        };
        let negative = || match &self.zero {
            Some(v) if v.hi < Int::ZERO => Some(true),
            Some(v) if v.lo >= Int::ZERO => Some(false),
            _ => None,
        };
        Ok(match i.condition_code() {
            ConditionCode::e => zero(),
            ConditionCode::ne => zero().map(|z| !z),
            ConditionCode::s if self.tested => negative(),
            ConditionCode::ns if self.tested => negative().map(|n| !n),
            ConditionCode::a => self.compared.as_ref().map(|(a, b)| a > b),
            _ => return failed("a condition that has no rule"),
        })
    }

    /// The place of a memory operand.
    fn place(&self, i: &Instruction) -> Result<Place> {
        let mut at = i.memory_displacement64() as i64;
        if i.memory_index() != Register::None {
            let index = self.cells.get(&Place::Register(i.memory_index()));
            match index {
                Some(Cell::Value(v)) => match v.known().and_then(|n| i64::try_from(n).ok()) {
                    Some(n) => at += n * i64::from(i.memory_index_scale()),
                    None => return failed("an index that is not known"),
                },
                _ => return failed("an index that is not known"),
            }
        }
        match self.cells.get(&Place::Register(i.memory_base())) {
            Some(Cell::Pointer(base, offset)) => Ok(Place::Memory(base.clone(), offset + at)),
            _ => failed("an address that is no known offset of a buffer"),
        }
    }

    fn operand(&self, i: &Instruction, n: u32) -> Result<Option<Cell>> {
        match i.op_kind(n) {
            OpKind::Register => {
                let full = i.op_register(n).full_register();
                Ok(self.cells.get(&Place::Register(full)).cloned())
            }
            OpKind::Memory => {
                if i.is_ip_rel_memory_operand() || i.memory_size().size() != 8 {
                    return failed("memory that is no word");
                }
                Ok(self.cells.get(&self.place(i)?).cloned())
            }
            _ => match i.try_immediate(n) {
                Ok(x) => Ok(Some(Cell::Value(Value::constant(Int::from(x as i64))))),
                Err(e) => failed(e.to_string()),
            },
        }
    }

    pub(super) fn size(i: &Instruction, n: u32) -> usize {
        if i.op_kind(n) == OpKind::Register { i.op_register(n).size() } else { 8 }
    }

    /// An operand that is a value; its low 32 bits, of a register of that size.
    pub(super) fn value(&mut self, i: &Instruction, n: u32) -> Result<Value> {
        match (self.operand(i, n)?, Self::size(i, n)) {
            (Some(Cell::Value(v)), 8) => Ok(v),
            (Some(Cell::Value(v)), 4) => Ok(self.values.split(&v, 32)?.0),
            (Some(Cell::Value(v)), 1) if i.op_register(n) == Register::DL => {
                Ok(self.values.split(&v, 8)?.0)
            }
            (None, _) => failed(format!("operand {n}, of which nothing is known")),
            _ => failed("arithmetic with an address or a part of a word"),
        }
    }

    pub(super) fn count(&mut self, i: &Instruction, n: u32) -> Result<usize> {
        match self.value(i, n)?.known().and_then(|x| u16::try_from(x).ok()) {
            Some(x) if (1..64).contains(&x) => Ok(usize::from(x)),
            _ => failed("a count that is not known"),
        }
    }

    fn set(&mut self, i: &Instruction, n: u32, cell: Option<Cell>) -> Result<()> {
        let place = match i.op_kind(n) {
            OpKind::Register => Place::Register(i.op_register(n).full_register()),
            _ if i.memory_size().size() == 8 => self.place(i)?,
            _ => return failed("memory that is no word"),
        };
        let cell = match (cell, Self::size(i, n)) {
            (cell, 8) => cell,
            (Some(Cell::Value(v)), 4) => Some(Cell::Value(self.values.split(&v, 32)?.0)),
            (None, 4) => None,
            _ => return failed("a part of a word"),
        };
        self.write(place, cell)
    }

    fn write(&mut self, place: Place, cell: Option<Cell>) -> Result<()> {
        if let Place::Memory(base, at) = &place
            && at % 8 != 0
        {
            return failed(format!("{base}{at:+} is not aligned"));
        }
        match cell {
            Some(cell) => self.cells.insert(place, cell),
            None => self.cells.remove(&place),
        };
        Ok(())
    }

    pub(super) fn result(&mut self, i: &Instruction, v: Value) -> Result<()> {
        let v = self.wrapped(v)?;
        self.set(i, 0, Some(Cell::Value(v)))
    }

    /// The same modulo 2^64, with small coefficients if it is large.
    fn wrapped(&mut self, v: Value) -> Result<Value> {
        let unit = word();
        if let Some(n) = v.known() {
            return Ok(Value::constant(number::symmetric(&n, &unit)));
        }
        if v.within(&-number::power_of_two(63), &(unit.clone() - 1)) {
            return Ok(v);
        }
        let p = v.p.map(|c| number::symmetric(c, &unit));
        if p == v.p { Ok(v) } else { self.values.of(&p) }
    }

    /// The word from 0 to 2^64 - 1.
    pub fn unsigned(&mut self, v: &Value) -> Result<Value> {
        if v.within(&Int::ZERO, &(word() - 1)) {
            return Ok(v.clone());
        }
        Ok(self.values.split(v, 64)?.0)
    }

    /// The word from -2^63 to 2^63 - 1.
    pub fn signed(&mut self, v: &Value) -> Result<Value> {
        let half = number::power_of_two(63);
        if v.within(&-half.clone(), &(&half - 1)) {
            return Ok(v.clone());
        }
        let half = Value::constant(half);
        let moved = self.values.plus(v, 1, &half)?;
        let low = self.values.split(&moved, 64)?.0;
        self.values.plus(&low, -1, &half)
    }

    fn carried(&mut self) -> Result<Value> {
        let mut words = Vec::new();
        for v in self.carry.clone() {
            words.push(self.unsigned(&v)?);
        }
        if words.is_empty() {
            return failed("a flag that is not defined");
        }
        let terms: Vec<_> = words.iter().map(|w| (Int::ONE, w)).collect();
        let sum = self.values.sum(&terms)?;
        Ok(self.values.split(&sum, 64)?.1)
    }

    fn vector(&mut self, i: &Instruction) -> Result<()> {
        match i.mnemonic() {
            M::Xorps if i.op1_register() == i.op0_register() => {
                self.zero_vectors.push(i.op0_register());
                Ok(())
            }
            _ if i.op_kind(0) == OpKind::Memory
                && self.zero_vectors.contains(&i.op1_register()) =>
            {
                let Place::Memory(base, at) = self.place(i)? else { return failed("a register") };
                for at in [at, at + 8] {
                    let zero = Some(Cell::Value(Value::constant(0)));
                    self.write(Place::Memory(base.clone(), at), zero)?;
                }
                Ok(())
            }
            _ => failed("no rule for this use of vectors"),
        }
    }

    fn run(&mut self, i: &Instruction) -> Result<()> {
        match i.mnemonic() {
            M::Nop => Ok(()),
            M::Xorps | M::Movups | M::Movaps => self.vector(i),
            M::Mov => {
                let cell = match i.op_kind(1) {
                    OpKind::Register if i.op1_register().size() == 4 => {
                        match self.operand(i, 1)? {
                            None => None,
                            Some(_) => Some(Cell::Value(self.value(i, 1)?)),
                        }
                    }
                    _ => self.operand(i, 1)?,
                };
                self.set(i, 0, cell)
            }
            M::Cmovs | M::Cmovns | M::Cmove | M::Cmovne if Self::size(i, 0) == 8 => {
                match self.condition(i)? {
                    Some(true) => {
                        let cell = self.operand(i, 1)?;
                        self.set(i, 0, cell)
                    }
                    Some(false) => Ok(()),
                    None => failed("a choice by something that is not known"),
                }
            }
            M::Push => {
                let cell = self.operand(i, 0)?;
                let place = self.moved_stack(-8)?;
                self.write(place, cell)
            }
            M::Lea => self.lea(i),
            M::Add | M::Sub | M::Adc | M::Cmp => self.addition(i),
            M::Inc | M::Dec | M::Neg | M::Not => self.unary(i),
            M::Imul if i.op_count() > 1 => {
                let n = i.op_count();
                let (a, b) = (self.value(i, n - 2)?, self.value(i, n - 1)?);
                let r = self.values.product(&a, &b)?;
                self.no_flags();
                self.result(i, r)
            }
            M::Imul | M::Mul => {
                let a = self.cells.get(&Place::Register(Register::RAX)).cloned();
                let Some(Cell::Value(a)) = a else { return failed("RAX, which is no value") };
                let b = self.value(i, 0)?;
                let (a, b) = match i.mnemonic() {
                    M::Imul => (self.signed(&a)?, self.signed(&b)?),
                    _ => (self.unsigned(&a)?, self.unsigned(&b)?),
                };
                let e = self.values.product(&a, &b)?;
                let (low, high) = self.values.split(&e, 64)?;
                self.no_flags();
                self.write(Place::Register(Register::RAX), Some(Cell::Value(low)))?;
                self.write(Place::Register(Register::RDX), Some(Cell::Value(high)))
            }
            M::And | M::Or | M::Xor | M::Test => self.logic(i),
            M::Shl | M::Shr | M::Sar | M::Shld | M::Shrd => self.shift(i),
            _ => failed("no rule for this instruction"),
        }
    }

    pub(super) fn no_flags(&mut self) {
        (self.carry, self.zero, self.compared, self.tested) = (Vec::new(), None, None, false);
    }

    fn moved_stack(&mut self, by: i64) -> Result<Place> {
        match self.cells.get_mut(&Place::Register(Register::RSP)) {
            Some(Cell::Pointer(base, at)) => {
                *at += by;
                Ok(Place::Memory(base.clone(), *at))
            }
            _ => failed("a stack pointer that is not known"),
        }
    }

    fn lea(&mut self, i: &Instruction) -> Result<()> {
        if i.is_ip_rel_memory_operand() {
            let cell = Cell::Pointer("constants".into(), i.ip_rel_memory_address() as i64);
            return self.set(i, 0, Some(cell));
        }
        if let Ok(Place::Memory(base, at)) = self.place(i) {
            return self.set(i, 0, Some(Cell::Pointer(base, at)));
        }
        let mut sum = Value::constant(i.memory_displacement64() as i64);
        let parts = [(i.memory_base(), 1), (i.memory_index(), i.memory_index_scale())];
        for (r, scale) in parts.into_iter().filter(|(r, _)| *r != Register::None) {
            match self.cells.get(&Place::Register(r)) {
                Some(Cell::Value(v)) => {
                    let v = v.clone();
                    sum = self.values.plus(&sum, scale, &v)?;
                }
                _ => return failed(format!("{r:?}, which is no value")),
            }
        }
        self.result(i, sum)
    }

    fn addition(&mut self, i: &Instruction) -> Result<()> {
        let sign = if matches!(i.mnemonic(), M::Sub | M::Cmp) { -1 } else { 1 };
        if let (Some(Cell::Pointer(base, at)), M::Add | M::Sub) =
            (self.operand(i, 0)?, i.mnemonic())
        {
            let by = self.value(i, 1)?.known().and_then(|n| i64::try_from(n).ok());
            let Some(by) = by else { return failed("an offset that is not known") };
            self.no_flags();
            return self.set(i, 0, Some(Cell::Pointer(base, at + i64::from(sign) * by)));
        }
        let (a, b) = (self.value(i, 0)?, self.value(i, 1)?);
        let mut carry = vec![a.clone(), b.clone()];
        let mut r = self.values.plus(&a, sign, &b)?;
        if i.mnemonic() == M::Adc {
            let c = self.carried()?;
            r = self.values.plus(&r, 1, &c)?;
            carry.push(c);
        }
        self.no_flags();
        if sign == 1 {
            self.carry = carry;
        }
        let word = |v: &Value| v.known().map(|n| number::modulo(&n, &word()));
        self.compared = word(&a).zip(word(&b)).filter(|_| i.mnemonic() == M::Cmp);
        self.zero = if sign == 1 { None } else { Some(self.wrapped(r.clone())?) };
        if i.mnemonic() == M::Cmp { Ok(()) } else { self.result(i, r) }
    }

    fn unary(&mut self, i: &Instruction) -> Result<()> {
        let (scale, more) = match i.mnemonic() {
            M::Inc => (1, 1),
            M::Dec => (1, -1),
            M::Neg => (-1, 0),
            _ => (-1, -1),
        };
        let a = self.value(i, 0)?;
        let r =
            self.values.sum(&[(Int::from(scale), &a), (Int::from(more), &Value::constant(1))])?;
        self.no_flags();
        self.result(i, r)
    }
}
