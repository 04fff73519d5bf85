//! Instruction sets: the parts of the prover that differ between them.

use std::fmt::{Debug, Display};

use iced_x86::{FlowControl, Instruction, Register};

use crate::error::Result;
use crate::image::{Code, Image};
use crate::kernel::{Kernel, Place};
use crate::machine::{Machine, Step};
use crate::mutate::{self, Change};
use crate::poly::Poly;
use crate::template::{self, Names, Operand};
use crate::trace::Word;

/// The addresses at which code goes on after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The next instruction.
    Next(u64),
    /// A call, after which the next instruction runs.
    Call(u64),
    /// Another address.
    Jump(u64),
    /// A conditional branch: the address where it is taken, and the one where it is not.
    Branch(u64, u64),
    /// The caller.
    Return,
    /// An address that the instruction does not name.
    Unknown,
}

/// Whether a change is one of a kind.
pub type Changes<A> = Box<dyn Fn(&Change<A>) -> bool>;

/// An instruction set.
pub trait Arch: Copy + Debug + Default + PartialEq + 'static {
    /// A register, under the name of all of its bits.
    type Register: Copy + Ord + Debug + 'static;
    /// An instruction, with its address.
    type Instruction: Copy + Debug + Display + 'static;

    /// The stack pointer.
    const STACK: Self::Register;
    /// The list of proven mutants.
    const EQUIVALENT: &str;

    /// All kernels in code of this instruction set.
    fn kernels() -> Vec<Kernel<Self>>;

    /// Instructions of a text.
    ///
    /// # Errors
    /// No code stands there.
    fn code(image: &Image, start: u64, size: u64) -> Result<Code<Self>>;

    /// The address of an instruction.
    fn address(i: &Self::Instruction) -> u64;

    /// The addresses at which code goes on.
    fn flow(i: &Self::Instruction) -> Flow;

    /// Runs an instruction that is no branch.
    fn run(m: &mut Machine<'_, Self>, i: &Self::Instruction) -> Step<()>;

    /// The condition of a branch, as a bit.
    fn condition(m: &mut Machine<'_, Self>, i: &Self::Instruction) -> Step<Word>;

    /// A value whose being zero decides a branch, if that is known.
    fn decider(m: &Machine<'_, Self>, i: &Self::Instruction) -> Option<Poly>;

    /// Whether an instruction of a block that starts at an address fits a line of a template, and the registers that it binds.
    fn fits(
        i: &Self::Instruction,
        start: u64,
        line: (&str, &[Operand]),
        names: &mut Names<Self>,
    ) -> bool;

    /// A register that instructions of these mnemonics use without a name.
    fn implicit(mnemonic: &str) -> Option<Self::Register>;

    /// All changes of single instructions of a code.
    fn changes(place: &Place<Self>) -> Vec<Change<Self>>;

    /// Whether a change leaves all that the code computes as it is, by its instructions alone; false where that is not known.
    fn same(kernel: &Kernel<Self>, image: &Image, place: &Place<Self>) -> Changes<Self>;

    /// Whether an instruction multiplies integers of at least 32 bits, or numbers that stand for such.
    fn multiplies(i: &Self::Instruction) -> bool;
}

/// The instruction set x86-64.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct X86;

impl Arch for X86 {
    type Register = Register;
    type Instruction = Instruction;

    const STACK: Register = Register::RSP;
    const EQUIVALENT: &str = mutate::LISTED;

    fn kernels() -> Vec<Kernel> {
        crate::kernels::all()
    }

    fn code(image: &Image, start: u64, size: u64) -> Result<Code> {
        image.code(start, size)
    }

    fn address(i: &Instruction) -> u64 {
        i.ip()
    }

    fn flow(i: &Instruction) -> Flow {
        match i.flow_control() {
            FlowControl::Next => Flow::Next(i.next_ip()),
            FlowControl::Call => Flow::Call(i.next_ip()),
            FlowControl::UnconditionalBranch => Flow::Jump(i.near_branch_target()),
            FlowControl::ConditionalBranch => Flow::Branch(i.near_branch_target(), i.next_ip()),
            FlowControl::Return => Flow::Return,
            _ => Flow::Unknown,
        }
    }

    fn run(m: &mut Machine<'_>, i: &Instruction) -> Step<()> {
        m.scalar(i)
    }

    fn condition(m: &mut Machine<'_>, i: &Instruction) -> Step<Word> {
        m.condition(i)
    }

    fn decider(m: &Machine<'_>, _: &Instruction) -> Option<Poly> {
        m.zero_flag()
    }

    fn fits(i: &Instruction, _: u64, line: (&str, &[Operand]), names: &mut Names) -> bool {
        template::fits_x86(i, line, names)
    }

    fn implicit(mnemonic: &str) -> Option<Register> {
        ["mulx", "mul"].contains(&mnemonic).then_some(Register::RDX)
    }

    fn changes(place: &Place) -> Vec<Change> {
        mutate::changes(place)
    }

    fn same(kernel: &Kernel, image: &Image, place: &Place) -> Changes<Self> {
        let blocks = mutate::Blocks::new(kernel, image, place);
        Box::new(move |change| blocks.same(change))
    }

    fn multiplies(i: &Instruction) -> bool {
        crate::coverage::multiplies(i)
    }
}
