//! The instruction set aarch64: instructions as the decoder gives them, and what the prover asks of them.

mod changes;
pub mod cosimulation;
mod scalar;

use std::fmt;

use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Opcode, Operand as Field, ShiftStyle, SizeCode};

use crate::arch::{Arch, Changes, Flow};
use crate::error::{Error, Result};
use crate::image::{Code, Image};
use crate::kernel::{Kernel, Place};
use crate::machine::{Cell, Machine, Step};
use crate::mutate::Change;
use crate::poly::Poly;
use crate::template::{Names, Operand};
use crate::trace::Word;

/// The instruction set aarch64.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arm;

/// A general register, 0 to 30, or the stack pointer, 31. The zero register is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub u8);

impl fmt::Debug for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 31 { f.write_str("sp") } else { write!(f, "x{}", self.0) }
    }
}

/// Whether the manual reserves an encoding that the decoder takes: of 32 bits, with a field that 64 bits alone have.
fn reserved(word: u32) -> bool {
    let bit = |n: u32| word >> n & 1 == 1;
    let wide_field = match word >> 23 & 0x3f {
        0b10_0100 | 0b10_0101 => bit(22),
        class if class >> 1 == 0b0_1010 => bit(15),
        _ => false,
    };
    !bit(31) && wide_field
}

/// NOP.
const NOTHING: u32 = 0xd503_201f;

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Its address.
    pub address: u64,
    /// The address behind it.
    next: u64,
    /// Its encoding.
    pub word: u32,
    pub(crate) opcode: Opcode,
    pub(crate) fields: [Field; 4],
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { opcode, fields: operands, .. } = *self;
        yaxpeax_arm::armv8::a64::Instruction { opcode, operands }.fmt(f)
    }
}

impl Instruction {
    /// Decodes an instruction; `None` if it is none.
    pub fn decode(address: u64, word: u32) -> Option<Self> {
        if reserved(word) {
            return None;
        }
        let bytes = word.to_le_bytes();
        let decoded = InstDecoder::default().decode(&mut U8Reader::new(&bytes)).ok()?;
        let (opcode, fields) = (decoded.opcode, decoded.operands);
        Some(Self { address, next: address + 4, word, opcode, fields })
    }

    /// The condition of a conditional branch.
    fn branch_condition(&self) -> Option<u8> {
        match self.opcode {
            Opcode::Bcc(c) => Some(c),
            _ => None,
        }
    }

    /// The address that a branch leads to.
    fn target(&self) -> Option<u64> {
        self.fields.iter().find_map(|x| match x {
            Field::PCOffset(by) => Some(self.address.wrapping_add_signed(*by)),
            _ => None,
        })
    }
}

/// Names of conditions by their number.
const CONDITIONS: [&str; 16] = [
    "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv",
];

/// A part of an operand, as a template has it.
enum Piece {
    Register(u8, usize),
    Number(u64),
    Word(&'static str),
}

/// Operands piece by piece, of a block that starts at an address; `None` if templates have no form for one.
fn pieces(i: &Instruction, start: u64) -> Option<Vec<Piece>> {
    let register = |size: SizeCode, n: u16, at_31: &'static str| {
        let bytes = if size == SizeCode::X { 8 } else { 4 };
        if n == 31 { Piece::Word(at_31) } else { Piece::Register(n as u8, bytes) }
    };
    let mut out = Vec::new();
    for field in i.fields {
        match field {
            Field::Nothing => {}
            Field::Register(size, n) => out.push(register(size, n, "zr")),
            Field::RegisterOrSP(size, n) => out.push(register(size, n, "sp")),
            Field::Immediate(n) => out.push(Piece::Number(n.into())),
            Field::Imm16(n) => out.push(Piece::Number(n.into())),
            Field::Imm64(n) => out.push(Piece::Number(n)),
            Field::ImmShift(n, by) => out.push(Piece::Number(u64::from(n) << by)),
            Field::ConditionCode(c) => out.push(Piece::Word(CONDITIONS.get(usize::from(c))?)),
            Field::RegShift(style, by, size, n) => {
                out.push(register(size, n, "zr"));
                let name = match style {
                    ShiftStyle::LSL if by == 0 => continue,
                    ShiftStyle::LSL => "lsl",
                    ShiftStyle::LSR => "lsr",
                    ShiftStyle::ASR => "asr",
                    _ => return None,
                };
                out.extend([Piece::Word(name), Piece::Number(by.into())]);
            }
            Field::PCOffset(_) if i.target() == Some(start) => out.push(Piece::Word("start")),
            _ => return None,
        }
    }
    Some(out)
}

impl Arch for Arm {
    type Register = Register;
    type Instruction = Instruction;

    const STACK: Register = Register(31);
    const EQUIVALENT: &str = include_str!("../../equivalent-aarch64.txt");

    fn kernels() -> Vec<Kernel<Self>> {
        crate::kernels::arm()
    }

    fn code(image: &Image, start: u64, size: u64) -> Result<Code<Self>> {
        let bytes = image
            .constant(start, size as usize)
            .ok_or_else(|| Error::Object(format!("no code of {size} bytes at {start:x}")))?;
        let words = bytes.chunks_exact(4).zip((start..).step_by(4)).filter_map(|(word, at)| {
            let word = u32::from_le_bytes(word.try_into().ok()?);
            Some((at, Instruction::decode(at, word)?))
        });
        Ok(words.collect())
    }

    fn address(i: &Instruction) -> u64 {
        i.address
    }

    fn flow(i: &Instruction) -> Flow {
        match (i.opcode, i.target()) {
            (Opcode::CBZ | Opcode::CBNZ | Opcode::TBZ | Opcode::TBNZ, Some(to)) => {
                Flow::Branch(to, i.next)
            }
            (Opcode::Bcc(_), Some(to)) => Flow::Branch(to, i.next),
            (Opcode::B, Some(to)) => Flow::Jump(to),
            (Opcode::BL, _) => Flow::Call(i.next),
            (Opcode::RET, _) => Flow::Return,
            (Opcode::BR | Opcode::BLR | Opcode::UDF | Opcode::BRK, _) => Flow::Unknown,
            _ => Flow::Next(i.next),
        }
    }

    fn run(m: &mut Machine<'_, Self>, i: &Instruction) -> Step<()> {
        m.run(i)
    }

    fn condition(m: &mut Machine<'_, Self>, i: &Instruction) -> Step<Word> {
        m.branch(i)
    }

    fn decider(m: &Machine<'_, Self>, i: &Instruction) -> Option<Poly> {
        match (i.opcode, i.fields[0]) {
            (Opcode::CBZ | Opcode::CBNZ, Field::Register(_, n)) => {
                match m.registers.get(&Register(n as u8)) {
                    Some(Cell::Word(w)) => Some(w.p.clone()),
                    _ => None,
                }
            }
            (Opcode::Bcc(0 | 1), _) => m.zero_flag(),
            _ => None,
        }
    }

    fn fits(
        i: &Instruction,
        start: u64,
        (mnemonic, operands): (&str, &[Operand]),
        names: &mut Names<Self>,
    ) -> bool {
        if !format!("{:?}", i.opcode).eq_ignore_ascii_case(mnemonic) {
            return false;
        }
        let Some(pieces) = pieces(i, start) else { return false };
        pieces.len() == operands.len()
            && operands.iter().zip(pieces).all(|(wanted, piece)| match (wanted, piece) {
                (Operand::Register(name, 8), Piece::Word(word)) => name == word,
                (Operand::Register(name, size), Piece::Register(n, bytes)) => {
                    let full = Register(n);
                    !["zr", "sp"].contains(&name.as_str())
                        && *size == bytes
                        && *names.entry(name.clone()).or_insert(full) == full
                }
                (Operand::Number(n), Piece::Number(found)) => *n as u64 == found,
                _ => false,
            })
    }

    fn implicit(_: &str) -> Option<Register> {
        None
    }

    fn changes(place: &Place<Self>) -> Vec<Change<Self>> {
        changes::changes(place)
    }

    fn same(_: &Kernel<Self>, _: &Image, _: &Place<Self>) -> Changes<Self> {
        Box::new(|_| false)
    }

    fn multiplies(i: &Instruction) -> bool {
        use Opcode as O;
        match i.opcode {
            O::MADD | O::MSUB => i.word >> 31 == 1,
            O::UMULH | O::SMULH | O::UMADDL | O::UMSUBL | O::SMADDL | O::SMSUBL => true,
            other => {
                let name = format!("{other:?}");
                ["UMULL", "UMLAL", "UMLSL", "SMULL", "SMLAL", "SMLSL", "FMUL", "FMLA", "FMLS"]
                    .iter()
                    .any(|start| name.starts_with(start))
            }
        }
    }
}
