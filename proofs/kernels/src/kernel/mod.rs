//! Kernels, and their proofs.

mod run;

use std::collections::BTreeSet;

use iced_x86::Register;

use self::run::Run;
use crate::claim::{Effort, Goal};
use crate::error::{Error, Result};
use crate::image::{Code, Image};
use crate::machine::Machine;
use crate::number::Int;
use crate::template::{Block, Names, Template};
use crate::trace::Word;

/// The code of a kernel.
#[derive(Clone, Debug)]
pub enum Find {
    /// A function by its symbol without number; where several have the same, the one that is proven.
    Function(&'static str),
    /// Blocks of inline assembly by their template.
    Block(&'static str),
}

/// Where a segment starts or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// The entry of the function or the block.
    Entry,
    /// The head of a loop, by number in the order of addresses.
    Cut(usize),
    /// `ret`, or the end of the block.
    Exit,
}

impl Point {
    fn name(self) -> String {
        match self {
            Self::Entry => "entry".into(),
            Self::Cut(i) => format!("cut{i:x}"),
            Self::Exit => "exit".into(),
        }
    }
}

/// A word that a cut knows.
#[derive(Clone, Debug)]
pub struct CutWord {
    /// Its register.
    pub register: Register,
    /// Least value.
    pub lo: Int,
    /// Greatest value.
    pub hi: Int,
    /// Whether branches may depend on it.
    pub public: bool,
}

/// What holds at the head of a loop, besides addresses and saved registers, which are carried along by themselves.
#[derive(Clone, Debug, Default)]
pub struct Cut {
    /// Words with bounds.
    pub words: Vec<CutWord>,
    /// Registers that hold a constant.
    pub constants: Vec<(Register, Int)>,
}

/// Places inputs at the entry.
pub type Enter = Box<dyn Fn(&mut Machine<'_>, &Names) -> Result<Vec<Word>>>;
/// Derives what the proof needs of promises about inputs.
pub type Lemmas = Box<dyn Fn(&mut Machine<'_>, &[Word]) -> Result<()>>;
/// Reads outputs at the exit.
pub type Results = Box<dyn Fn(&mut Machine<'_>, &Names) -> Result<Vec<Word>>>;
/// Goals of a segment about its inputs; bounds of a cut's words are goals by themselves.
pub type Goals = Box<dyn Fn(Point, Point, &[Word]) -> Vec<Goal>>;

/// An operation, and the claim about it.
pub struct Kernel {
    /// Its name.
    pub name: &'static str,
    /// Its code.
    pub find: Find,
    /// Registers that hold at the exit what they held at the entry; functions alone.
    pub preserved: &'static [Register],
    /// Places inputs.
    pub enter: Enter,
    /// Facts to derive at the entry.
    pub lemmas: Option<Lemmas>,
    /// Heads of loops.
    pub cuts: Vec<Cut>,
    /// Reads outputs.
    pub results: Results,
    /// Goals.
    pub goals: Goals,
}

/// A proof.
pub struct Proof {
    /// The function, or the function of the first block.
    pub function: String,
    /// Addresses of instructions that ran, in each place of the code.
    pub ran: BTreeSet<u64>,
    /// Places of a block; 1 for a function.
    pub places: usize,
    /// Variables and cases.
    pub effort: Effort,
    /// The certificate.
    pub certificate: String,
}

impl Kernel {
    /// Proves the kernel, or says why not.
    pub fn prove(&self, image: &Image) -> Result<Proof> {
        match self.find {
            Find::Function(stem) => {
                let mut worst = (0, Error::Unproven(format!("no function is called {stem}")));
                for f in image.with_stem(stem) {
                    let code = image.code(f.start, f.size)?;
                    let mut run = Run::new(self, image, &code, (f.start, f.start + f.size));
                    match run.prove() {
                        Ok(certificate) => {
                            return Ok(Proof {
                                function: f.name.clone(),
                                ran: run.ran,
                                places: 1,
                                effort: run.effort,
                                certificate,
                            });
                        }
                        Err(e) if run.ran.len() >= worst.0 => worst = (run.ran.len(), e),
                        Err(_) => {}
                    }
                }
                Err(worst.1)
            }
            Find::Block(text) => {
                let blocks = Template::parse(text)?.find(image)?;
                let Some(Block { function, start, stop, names }) = blocks.first() else {
                    return Err(Error::Unproven("the block stands nowhere".into()));
                };
                let code = image.code(*start, stop - start)?;
                let mut run = Run::new(self, image, &code, (*start, *stop));
                run.names = names.clone();
                let certificate = run.prove()?;
                let mut ran = BTreeSet::new();
                for block in &blocks {
                    let shift = |at: &u64| block.start.wrapping_add(at.wrapping_sub(*start));
                    if block.stop - block.start == stop - start {
                        ran.extend(run.ran.iter().map(shift));
                    } else {
                        ran.extend(image.code(block.start, block.stop - block.start)?.keys());
                    }
                }
                let (function, places, effort) = (function.clone(), blocks.len(), run.effort);
                Ok(Proof { function, ran, places, effort, certificate })
            }
        }
    }

    /// Proves a changed code in the place of the kernel's own, for tests by mutation: (instructions, bounds of the code, registers of a block).
    pub fn prove_code(
        &self,
        image: &Image,
        code: &Code,
        range: (u64, u64),
        names: Names,
    ) -> Result<String> {
        let mut run = Run::new(self, image, code, range);
        run.names = names;
        run.prove()
    }
}
