//! Kernels, and their proofs.

mod concrete;
mod run;

use std::collections::BTreeSet;

pub use self::concrete::Outcome;
use self::run::Run;
use crate::arch::{Arch, X86};
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

/// The start or end of a segment.
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

/// The place of a word: a register, or that which a block binds to a name.
#[derive(Clone, Copy, Debug)]
pub enum Site<A: Arch = X86> {
    /// A register.
    Register(A::Register),
    /// A name of the block's template.
    Named(&'static str),
}

impl<A: Arch> Site<A> {
    fn register(self, names: &Names<A>) -> Result<A::Register> {
        match self {
            Self::Register(r) => Ok(r),
            Self::Named(name) => names
                .get(name)
                .copied()
                .ok_or_else(|| Error::Unproven(format!("a template without {name}"))),
        }
    }
}

/// A word that a cut knows.
#[derive(Clone, Debug)]
pub struct CutWord<A: Arch = X86> {
    /// Its register.
    pub register: Site<A>,
    /// Least value.
    pub lo: Int,
    /// Greatest value.
    pub hi: Int,
    /// Whether branches may depend on it.
    pub public: bool,
}

/// The state at the head of a loop, besides addresses and saved registers, which are carried along by themselves.
#[derive(Clone, Debug, Default)]
pub struct Cut<A: Arch = X86> {
    /// Words with bounds.
    pub words: Vec<CutWord<A>>,
    /// Registers that hold a constant.
    pub constants: Vec<(A::Register, Int)>,
}

/// Places inputs at the entry.
pub type Enter<A = X86> = Box<dyn Fn(&mut Machine<'_, A>, &Names<A>) -> Result<Vec<Word>>>;
/// Derives what the proof needs of promises about inputs.
pub type Lemmas<A = X86> = Box<dyn Fn(&mut Machine<'_, A>, &[Word]) -> Result<()>>;
/// Reads outputs at the exit.
pub type Results<A = X86> = Box<dyn Fn(&mut Machine<'_, A>, &Names<A>) -> Result<Vec<Word>>>;
/// Goals of a segment about its inputs; bounds of a cut's words are goals by themselves.
pub type Goals = Box<dyn Fn(Point, Point, &[Word]) -> Vec<Goal>>;

/// An operation, and the claim about it.
pub struct Kernel<A: Arch = X86> {
    /// Its name.
    pub name: &'static str,
    /// Its code.
    pub find: Find,
    /// Registers that hold at the exit what they held at the entry; functions alone.
    pub preserved: &'static [A::Register],
    /// Places inputs.
    pub enter: Enter<A>,
    /// Facts to derive at the entry.
    pub lemmas: Option<Lemmas<A>>,
    /// Heads of loops.
    pub cuts: Vec<Cut<A>>,
    /// Reads outputs.
    pub results: Results<A>,
    /// Goals.
    pub goals: Goals,
}

/// Code that a kernel is about.
#[derive(Clone)]
pub struct Place<A: Arch = X86> {
    /// Its instructions.
    pub code: Code<A>,
    /// Its first address, and the one behind its last.
    pub range: (u64, u64),
    /// Registers of a block.
    pub names: Names<A>,
}

/// A proof.
pub struct Proof<A: Arch = X86> {
    /// The code: of a block, that of its first place.
    pub place: Place<A>,
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
    /// Its ends and its search.
    pub reference: Reference,
}

/// A proof that mutants are compared with.
#[derive(Clone, Default)]
pub struct Reference {
    /// Hashes of premises and outputs, where goals were proven: the same end needs no second proof.
    ends: BTreeSet<[u8; 32]>,
    /// Eliminations that the proof made.
    searches: u64,
}

impl Reference {
    fn of<A: Arch>(run: &Run<'_, A>) -> Self {
        Self { ends: run.settled.clone(), searches: u64::MAX - run.searches.get() }
    }
}

impl<A: Arch> Kernel<A> {
    /// Proves the kernel, or says why not.
    pub fn prove(&self, image: &Image) -> Result<Proof<A>> {
        match self.find {
            Find::Function(stem) => {
                let mut worst = (0, Error::Unproven(format!("no function is called {stem}")));
                for f in image.with_stem(stem) {
                    let code = A::code(image, f.start, f.size)?;
                    let range = (f.start, f.start + f.size);
                    let mut run = Run::new(self, image, &code, range);
                    match run.prove() {
                        Ok(certificate) => {
                            let reference = Reference::of(&run);
                            let (function, ran, effort) = (f.name.clone(), run.ran, run.effort);
                            let place = Place { code, range, names: Names::<A>::new() };
                            return Ok(Proof {
                                place,
                                function,
                                ran,
                                places: 1,
                                effort,
                                certificate,
                                reference,
                            });
                        }
                        Err(e) if run.ran.len() >= worst.0 => worst = (run.ran.len(), e),
                        Err(_) => {}
                    }
                }
                Err(worst.1)
            }
            Find::Block(text) => {
                let blocks = Template::parse(text)?.find::<A>(image)?;
                let Some(Block { function, start, stop, names }) = blocks.first() else {
                    return Err(Error::Unproven("the block stands nowhere".into()));
                };
                let code = A::code(image, *start, stop - start)?;
                let mut run = Run::new(self, image, &code, (*start, *stop));
                run.names = names.clone();
                let certificate = run.prove()?;
                let reference = Reference::of(&run);
                let mut ran = BTreeSet::new();
                for block in &blocks {
                    let shift = |at: &u64| block.start.wrapping_add(at.wrapping_sub(*start));
                    if block.stop - block.start == stop - start {
                        ran.extend(run.ran.iter().map(shift));
                    } else {
                        ran.extend(A::code(image, block.start, block.stop - block.start)?.keys());
                    }
                }
                let (function, places, effort) = (function.clone(), blocks.len(), run.effort);
                let place = Place { code, range: (*start, *stop), names: names.clone() };
                Ok(Proof { place, function, ran, places, effort, certificate, reference })
            }
        }
    }

    /// Code that the kernel may be about: functions of its name, or the first place of its block.
    pub fn candidates(&self, image: &Image) -> Result<Vec<Place<A>>> {
        match self.find {
            Find::Function(stem) => image
                .with_stem(stem)
                .map(|f| {
                    let code = A::code(image, f.start, f.size)?;
                    Ok(Place { code, range: (f.start, f.start + f.size), names: Names::<A>::new() })
                })
                .collect(),
            Find::Block(text) => {
                let blocks = Template::parse(text)?.find::<A>(image)?;
                blocks
                    .into_iter()
                    .take(1)
                    .map(|Block { start, stop, names, .. }| {
                        let code = A::code(image, start, stop - start)?;
                        Ok(Place { code, range: (start, stop), names })
                    })
                    .collect()
            }
        }
    }

    /// Whether a mutant is proven: code in the place of the kernel's own. An end that the reference proves needs no proof; the search at
    /// others is twice as long as that of the reference.
    pub fn proves(&self, image: &Image, place: &Place<A>, reference: &Reference) -> bool {
        let mut run = Run::new(self, image, &place.code, place.range);
        run.names = place.names.clone();
        run.known = reference.ends.clone();
        run.searches.set(2 * reference.searches + 100);
        run.prove().is_ok()
    }
}
