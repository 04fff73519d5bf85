//! The state of a CPU whose registers hold words, and the operands of instructions.
//!
//! A register, a flag or a place in memory that was not written is unknown, and an instruction that reads it is an error; so is an address
//! that is not a known offset from a named buffer, from the stack or from constants.

mod scalar;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use iced_x86::{Instruction, OpKind, Register};

use crate::arch::{Arch, X86};
use crate::error::Error;
use crate::image::Image;
use crate::number::{self, Int};
use crate::poly::Var;
use crate::trace::{Trace, Word};

/// The name of a buffer, or `stack`.
pub type Base = Rc<str>;

/// A place in memory: a buffer and an offset.
pub type Place = (Base, i64);

/// The contents of a general register, or of a place in memory.
#[derive(Clone, Debug)]
pub enum Cell<A: Arch = X86> {
    /// An integer.
    Word(Word),
    /// An address.
    Pointer(Base, i64),
    /// The value that a register had at the entry, which is nothing but that.
    Saved(A::Register),
}

/// A condition that the zero flag holds.
#[derive(Clone, Debug)]
pub enum Zero {
    /// A bit: 1 if the result was zero.
    Bit(Word),
    /// The result.
    Of(Word),
}

/// The reason why an instruction did not run.
#[derive(Debug)]
pub enum Stop {
    /// A word has to be known; it is not, and has few values. Nothing was changed.
    Fork(Box<Word>),
    /// Something that is not supported, or a flaw.
    Error(Error),
}

impl From<Error> for Stop {
    fn from(e: Error) -> Self {
        Self::Error(e)
    }
}

/// A result of an instruction.
pub type Step<T> = Result<T, Stop>;

/// The state.
#[derive(Clone)]
pub struct Machine<'a, A: Arch = X86> {
    /// Facts about words.
    pub trace: Trace,
    image: &'a Image,
    /// General registers, by their 64-bit name.
    pub registers: BTreeMap<A::Register, Cell<A>>,
    /// Memory: size in bytes, and contents.
    pub memory: BTreeMap<Place, (usize, Cell<A>)>,
    /// The carry flag.
    pub carry: Option<Word>,
    /// The overflow flag.
    pub overflow: Option<Word>,
    /// The zero flag.
    pub zero: Option<Zero>,
    /// Buffers that may be written, besides the stack.
    pub writable: BTreeSet<Base>,
    /// Inputs that a branch may depend on.
    pub public: BTreeSet<Var>,
    /// Addresses of instructions that ran.
    pub ran: BTreeSet<u64>,
}

/// An error about an instruction that the caller of [`Machine::step`] names.
pub(crate) fn unsupported<T>(why: impl Into<String>) -> Step<T> {
    let (address, instruction) = (0, String::new());
    Err(Error::Unsupported { address, instruction, why: why.into() }.into())
}

impl<'a, A: Arch> Machine<'a, A> {
    /// A machine at the entry of a function: the stack pointer alone is known.
    pub fn new(image: &'a Image) -> Self {
        Self {
            trace: Trace::default(),
            image,
            registers: BTreeMap::from([(A::STACK, Cell::Pointer("stack".into(), 0))]),
            memory: BTreeMap::new(),
            carry: None,
            overflow: None,
            zero: None,
            writable: BTreeSet::new(),
            public: BTreeSet::new(),
            ran: BTreeSet::new(),
        }
    }

    /// Runs one instruction that is no branch.
    pub fn step(&mut self, i: &A::Instruction) -> Step<()> {
        self.trace.facts.set_note(format!("{:x} {i}", A::address(i)));
        match A::run(self, i) {
            Ok(()) => {
                self.ran.insert(A::address(i));
                Ok(())
            }
            Err(Stop::Error(Error::Unsupported { why, .. })) => Err(Self::error(i, why).into()),
            Err(other) => Err(other),
        }
    }

    /// The error that an instruction is not supported.
    pub fn error(i: &A::Instruction, why: impl Into<String>) -> Error {
        Error::Unsupported { address: A::address(i), instruction: i.to_string(), why: why.into() }
    }

    /// After a case: every word with the variable that it fixed replaced.
    pub fn refresh(&mut self) {
        let trace = &self.trace;
        let cells = self.registers.values_mut().chain(self.memory.values_mut().map(|m| &mut m.1));
        for cell in cells {
            if let Cell::Word(w) = cell {
                *w = trace.refresh(w);
            }
        }
        for flag in [&mut self.carry, &mut self.overflow].into_iter().flatten() {
            *flag = trace.refresh(flag);
        }
        if let Some(Zero::Bit(w) | Zero::Of(w)) = &mut self.zero {
            *w = trace.refresh(w);
        }
    }

    /// The low k bits.
    pub fn low(&mut self, w: &Word, k: usize) -> Step<Word> {
        Ok(self.trace.halves(w, k)?.0)
    }

    /// Bits from k on.
    pub fn high(&mut self, w: &Word, k: usize) -> Step<Word> {
        Ok(self.trace.halves(w, k)?.1)
    }

    /// A word that has to be known; if it is not, by cases of it, or of a bit that it holds.
    pub(crate) fn choose(&mut self, w: &Word) -> Step<Int> {
        if let Some(n) = w.known() {
            return Ok(n);
        }
        if !w.is_bit() {
            return unsupported("a choice by something that is no bit");
        }
        if Trace::unit(&w.p).is_some() {
            return Err(Stop::Fork(Box::new(w.clone())));
        }
        self.fork_bit(w)
    }

    /// A fork of the latest variable of a word.
    fn fork_bit<T>(&mut self, w: &Word) -> Step<T> {
        match w.p.variables().last() {
            Some(&v) if self.trace.variable(v).is_bit() => {
                Err(Stop::Fork(Box::new(self.trace.variable(v))))
            }
            _ => unsupported("a choice by something that is no bit"),
        }
    }
}

impl Machine<'_> {
    /// The place that a memory operand names, or an address of constants.
    fn address(&self, i: &Instruction) -> Step<Result<Place, u64>> {
        if i.is_ip_rel_memory_operand() {
            return Ok(Err(i.ip_rel_memory_address()));
        }
        if i.memory_index() != Register::None || i.segment_prefix() != Register::None {
            return unsupported("an address with an index or a segment");
        }
        match self.registers.get(&i.memory_base().full_register()) {
            Some(Cell::Pointer(base, offset)) => {
                Ok(Ok((base.clone(), offset + i.memory_displacement64() as i64)))
            }
            _ => unsupported("an address that is no known offset of a buffer"),
        }
    }

    /// Little-endian bytes of a constant.
    fn constant(&self, at: u64, size: usize) -> Step<Int> {
        match self.image.constant(at, size) {
            Some(bytes) => Ok(bytes.iter().rev().fold(Int::ZERO, |n, &b| (n << 8) + Int::from(b))),
            None => unsupported(format!("a load of {at:x}, where no constant stands")),
        }
    }

    fn load(&mut self, i: &Instruction, size: usize) -> Step<Cell> {
        let place = match self.address(i)? {
            Ok(place) => place,
            Err(at) => return Ok(Cell::Word(Word::constant(self.constant(at, size)?))),
        };
        self.load_at(&place, size)
    }

    fn load_at(&mut self, place: &Place, size: usize) -> Step<Cell> {
        match self.memory.get(place) {
            Some((n, cell)) if *n == size => Ok(cell.clone()),
            Some((n, _)) => unsupported(format!("a load of {size} bytes where {n} were stored")),
            None => unsupported(format!(
                "a load of {}{:+}, of which nothing is known",
                place.0, place.1
            )),
        }
    }

    fn store(&mut self, i: &Instruction, size: usize, cell: Cell) -> Step<()> {
        match self.address(i)? {
            Ok(place) => self.store_at(place, size, cell),
            Err(_) => unsupported("a store to constants"),
        }
    }

    fn store_at(&mut self, place: Place, size: usize, cell: Cell) -> Step<()> {
        let (base, at) = &place;
        if &**base != "stack" && !self.writable.contains(base) {
            return unsupported(format!("a store to {base}, which is not to be written"));
        }
        let end = at + size as i64;
        let nearby = self.memory.range((base.clone(), at - 64)..(base.clone(), end));
        let overlaps = |(p, (n, _)): &(&Place, &(usize, Cell))| {
            p.1 + *n as i64 > *at && (p.1, *n) != (*at, size)
        };
        if nearby.into_iter().any(|x| overlaps(&x)) {
            return unsupported("stores that overlap");
        }
        self.memory.insert(place, (size, cell));
        Ok(())
    }

    /// Width of an operand in bits.
    fn width(i: &Instruction, n: u32) -> usize {
        match i.op_kind(n) {
            OpKind::Register => 8 * i.op_register(n).size(),
            _ => 8 * i.memory_size().size(),
        }
    }

    /// An operand.
    fn cell(&mut self, i: &Instruction, n: u32) -> Step<Cell> {
        match i.op_kind(n) {
            OpKind::Register => self.register(i.op_register(n)),
            OpKind::Memory => self.load(i, i.memory_size().size()),
            _ => match i.try_immediate(n) {
                Ok(x) => {
                    let unit = number::power_of_two(Self::width(i, 0));
                    Ok(Cell::Word(Word::constant(number::modulo(&Int::from(x), &unit))))
                }
                Err(e) => unsupported(e.to_string()),
            },
        }
    }

    fn register(&mut self, r: Register) -> Step<Cell> {
        let full = r.full_register();
        let low = matches!(r, Register::AH | Register::BH | Register::CH | Register::DH);
        if low || !full.is_gpr64() {
            return unsupported(format!("the register {r:?}"));
        }
        match (self.registers.get(&full).cloned(), r.size()) {
            (None, _) => unsupported(format!("{full:?}, of which nothing is known")),
            (Some(cell), 8) => Ok(cell),
            (Some(Cell::Word(w)), size) => Ok(Cell::Word(self.low(&w, 8 * size)?)),
            (Some(_), _) => unsupported("a part of an address or a saved register"),
        }
    }

    /// An operand that is a word.
    fn word(&mut self, i: &Instruction, n: u32) -> Step<Word> {
        match self.cell(i, n)? {
            Cell::Word(w) => Ok(w),
            _ => unsupported("arithmetic with an address or a saved register"),
        }
    }

    /// An operand that is a known number below 2^16.
    fn count(&mut self, i: &Instruction, n: u32) -> Step<usize> {
        let known = self.word(i, n)?.known().and_then(|x| u16::try_from(x).ok());
        known.map_or_else(|| unsupported("a count that is not known"), |x| Ok(usize::from(x)))
    }

    fn set(&mut self, i: &Instruction, n: u32, cell: Cell) -> Step<()> {
        if i.op_kind(n) == OpKind::Memory {
            return self.store(i, i.memory_size().size(), cell);
        }
        self.set_register(i.op_register(n), cell)
    }

    fn set_register(&mut self, r: Register, cell: Cell) -> Step<()> {
        let full = r.full_register();
        if !full.is_gpr64() {
            return unsupported(format!("the register {r:?}"));
        }
        let cell = match (r.size(), cell) {
            (4 | 8, cell) => cell,
            (1, Cell::Word(w))
                if !matches!(r, Register::AH | Register::BH | Register::CH | Register::DH) =>
            {
                let Some(Cell::Word(old)) = self.registers.get(&full).cloned() else {
                    return unsupported("a byte of a register of which nothing is known");
                };
                let high = self.trace.halves(&old, 8)?.1;
                Cell::Word(self.trace.joined(vec![(0, w), (8, high)])?)
            }
            _ => return unsupported(format!("a write of {r:?}")),
        };
        self.registers.insert(full, cell);
        Ok(())
    }

    fn set_word(&mut self, i: &Instruction, n: u32, w: Word) -> Step<()> {
        self.set(i, n, Cell::Word(w))
    }
}
