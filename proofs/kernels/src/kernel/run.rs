//! Segments of a kernel from cut to cut, each in all cases, and the certificate that they make.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

use sha2::{Digest, Sha256};

use super::{CutWord, Find, Kernel, Point};
use crate::arch::{Arch, Flow};
use crate::certificate;
use crate::claim::{self, Effort, Goal};
use crate::error::{Error, Result};
use crate::image::{Code, Image};
use crate::machine::{Cell, Machine, Place, Stop};
use crate::number;
use crate::template::Names;
use crate::trace::Word;

/// Cells that a cut carries along: addresses and saved registers.
#[derive(Clone, Debug, PartialEq)]
struct Frame<A: Arch> {
    registers: BTreeMap<A::Register, (String, i64)>,
    memory: BTreeMap<Place, (usize, (String, i64))>,
}

/// The first arrival at a cut: what of it all later ones agree with, and its cells.
struct Arrival<A: Arch> {
    frame: Frame<A>,
    registers: BTreeMap<A::Register, Cell<A>>,
    memory: BTreeMap<Place, (usize, Cell<A>)>,
}

/// A cell that depends on no input, comparable.
pub(super) fn fixed<A: Arch>(cell: &Cell<A>) -> Option<(String, i64)> {
    match cell {
        Cell::Word(_) => None,
        Cell::Pointer(base, at) => Some((base.to_string(), *at)),
        Cell::Saved(r) => Some((format!("saved {r:?}"), 0)),
    }
}

/// The path of a segment: what public branches do, one after the other.
type Path = Vec<bool>;

/// The reason why a segment's run ended early.
enum Halt {
    /// A public branch that the path says nothing of.
    Branch,
    /// An error.
    Error(Error),
}

impl From<Error> for Halt {
    fn from(e: Error) -> Self {
        Self::Error(e)
    }
}

/// One segment while it runs.
struct Segment {
    from: Point,
    path: Path,
    inputs: Vec<Word>,
    /// The end, and the goals there, once a case has come to it.
    end: Option<(Point, Vec<Goal>)>,
}

/// A proof under way.
pub(super) struct Run<'a, A: Arch> {
    kernel: &'a Kernel<A>,
    image: &'a Image,
    code: &'a Code<A>,
    range: (u64, u64),
    pub(super) names: Names<A>,
    heads: Vec<u64>,
    frames: BTreeMap<usize, Arrival<A>>,
    changed: bool,
    pub(super) effort: Effort,
    pub(super) ran: BTreeSet<u64>,
    /// Ends whose goals are proven elsewhere: of code that a mutant is compared with.
    pub(super) known: BTreeSet<[u8; 32]>,
    /// Ends whose goals are proven here.
    pub(super) settled: BTreeSet<[u8; 32]>,
    /// Eliminations that the proof may still make.
    pub(super) searches: Rc<std::cell::Cell<u64>>,
}

impl<'a, A: Arch> Run<'a, A> {
    pub(super) fn new(
        kernel: &'a Kernel<A>,
        image: &'a Image,
        code: &'a Code<A>,
        range: (u64, u64),
    ) -> Self {
        Self {
            kernel,
            image,
            code,
            range,
            names: Names::<A>::new(),
            heads: Vec::new(),
            frames: BTreeMap::new(),
            changed: false,
            effort: Effort::default(),
            ran: BTreeSet::new(),
            known: BTreeSet::new(),
            settled: BTreeSet::new(),
            searches: Rc::new(std::cell::Cell::new(u64::MAX)),
        }
    }

    /// Addresses that a back edge leads to, in a depth-first walk of the code.
    fn loop_heads(&self) -> Vec<u64> {
        let mut heads = BTreeSet::new();
        let (mut done, mut open) = (BTreeSet::new(), BTreeSet::new());
        let mut stack = vec![(self.range.0, false)];
        while let Some((at, left)) = stack.pop() {
            if left {
                open.remove(&at);
                done.insert(at);
                continue;
            }
            if open.contains(&at) {
                heads.insert(at);
                continue;
            }
            let Some(i) = self.code.get(&at).filter(|_| !done.contains(&at)) else { continue };
            open.insert(at);
            stack.push((at, true));
            let next = match A::flow(i) {
                Flow::Next(to) | Flow::Call(to) | Flow::Jump(to) => vec![to],
                Flow::Branch(taken, next) => vec![next, taken],
                _ => vec![],
            };
            stack.extend(next.into_iter().map(|to| (to, false)));
        }
        heads.into_iter().collect()
    }

    pub(super) fn prove(&mut self) -> Result<String> {
        self.heads = self.loop_heads();
        if self.heads.len() != self.kernel.cuts.len() {
            let (found, known) = (self.heads.len(), self.kernel.cuts.len());
            let at: Vec<String> = self.heads.iter().map(|a| format!("{a:x}")).collect();
            let why = format!("{found} loops at {at:?}, {known} cuts");
            return Err(Error::Unproven(why));
        }
        loop {
            self.changed = false;
            self.effort = Effort::default();
            self.settled.clear();
            let text = self.segments()?;
            if !self.changed {
                return self.certificate(&text);
            }
        }
    }

    fn certificate(&self, segments: &str) -> Result<String> {
        let size = self.range.1 - self.range.0;
        let mut text = format!(
            "certificate 1\nkernel {}\ncode {} {:x} {size:x}\n",
            self.kernel.name,
            self.image.hash(self.range.0, size)?,
            self.range.0
        );
        for (i, cut) in self.kernel.cuts.iter().enumerate() {
            let _ = write!(text, "state {} {:x}", Point::Cut(i).name(), cut.words.len());
            for w in &cut.words {
                let _ = write!(text, " {} {}", number::hex(&w.lo), number::hex(&w.hi));
            }
            text.push('\n');
        }
        text.push_str(segments);
        text.push_str("end certificate\n");
        Ok(text)
    }

    /// All segments: from the entry, and from each cut that one of them comes to.
    fn segments(&mut self) -> Result<String> {
        let mut text = String::new();
        let (mut todo, mut seen) = (vec![(Point::Entry, Path::new())], BTreeSet::new());
        while let Some((from, path)) = todo.pop() {
            match self.segment(from, path.clone()) {
                Ok((to, part)) => {
                    text.push_str(&part);
                    if let Point::Cut(i) = to
                        && seen.insert(i)
                    {
                        todo.push((to, Path::new()));
                    }
                }
                Err(Halt::Branch) => {
                    for way in [true, false] {
                        let mut longer = path.clone();
                        longer.push(way);
                        todo.push((from, longer));
                    }
                }
                Err(Halt::Error(e)) => return Err(e),
            }
        }
        Ok(text)
    }

    /// The machine at a point, and the address there.
    fn start(&self, from: Point) -> Result<(Machine<'a, A>, Vec<Word>, u64)> {
        let mut m = Machine::new(self.image);
        m.trace.searches = Some(self.searches.clone());
        let mut inputs = Vec::new();
        let at = match from {
            Point::Cut(n) => {
                let Some(Arrival { frame, registers, memory }) = self.frames.get(&n) else {
                    return Err(Error::Unproven("a cut that was not come to".into()));
                };
                m.registers.clear();
                for r in frame.registers.keys() {
                    m.registers.insert(*r, registers[r].clone());
                }
                for place in frame.memory.keys() {
                    m.memory.insert(place.clone(), memory[place].clone());
                }
                let cut = &self.kernel.cuts[n];
                for w in &cut.words {
                    let word = m.trace.input(&w.lo, &w.hi)?;
                    if w.public {
                        m.public.extend(word.p.variables());
                    }
                    let register = w.register.register(&self.names)?;
                    m.registers.insert(register, Cell::Word(word.clone()));
                    inputs.push(word);
                }
                for (r, n) in &cut.constants {
                    m.registers.insert(*r, Cell::Word(Word::constant(n.clone())));
                }
                self.heads[n]
            }
            _ => {
                for r in self.kernel.preserved {
                    m.registers.insert(*r, Cell::Saved(*r));
                }
                inputs = (self.kernel.enter)(&mut m, &self.names)?;
                self.range.0
            }
        };
        Ok((m, inputs, at))
    }

    fn segment(&mut self, from: Point, path: Path) -> std::result::Result<(Point, String), Halt> {
        let (mut m, inputs, at) = self.start(from)?;
        let entered = m.trace.facts.take_text();
        let stated = |l: &&str| l.starts_with("input ") || l.starts_with("assume ");
        let (head, derived): (Vec<&str>, Vec<&str>) = entered.lines().partition(stated);
        if let (Point::Entry, Some(lemmas)) = (from, &self.kernel.lemmas) {
            lemmas(&mut m, &inputs)?;
        }
        let mut segment = Segment { from, path, inputs, end: None };
        let body = self.explore(m, at, (true, 0), &mut segment)?;
        let Some((to, goals)) = segment.end else {
            return Err(Error::Unproven("a segment that has no end".into()).into());
        };
        let mut text = format!("segment {} {} {}\n", self.name(from, to), from.name(), to.name());
        for line in head.into_iter().map(str::to_owned).chain(goals.iter().map(Goal::line)) {
            text.push_str(&line);
            text.push('\n');
        }
        let body = derived.into_iter().chain(body.lines()).collect();
        text.push_str(&certificate::needed(body)?);
        text.push_str("end segment\n");
        Ok((to, text))
    }

    fn name(&self, from: Point, to: Point) -> String {
        format!("{}-{}", from.name(), to.name())
    }

    /// Runs from an address to the end of the segment, in all cases.
    fn explore(
        &mut self,
        mut m: Machine<'a, A>,
        mut at: u64,
        (mut first, mut turn): (bool, usize),
        segment: &mut Segment,
    ) -> std::result::Result<String, Halt> {
        loop {
            if at == self.range.1 && matches!(self.kernel.find, Find::Block(_)) {
                return self.finish(m, Point::Exit, segment);
            }
            if let (false, Some(i)) = (first, self.heads.iter().position(|h| *h == at)) {
                return self.finish(m, Point::Cut(i), segment);
            }
            let Some(i) = self.code.get(&at) else {
                return Err(Error::Unproven(format!("no instruction at {at:x}")).into());
            };
            let public = A::decider(&m, i).is_some_and(|p| m.is_public(&p));
            let step = match A::flow(i) {
                Flow::Next(next) => m.step(i).map(|()| next),
                Flow::Jump(to) => Ok(to),
                Flow::Branch(to, next) if public => {
                    let Some(&taken) = segment.path.get(turn) else { return Err(Halt::Branch) };
                    turn += 1;
                    m.trace.facts.set_note(String::new());
                    let way = if taken { "taken" } else { "not taken" };
                    m.trace.facts.line(&format!("; {:x} {i}: {way}", A::address(i)));
                    Ok(if taken { to } else { next })
                }
                Flow::Branch(to, next) => match A::condition(&mut m, i) {
                    Ok(bit) => match bit.known() {
                        Some(n) if n.is_zero() => Ok(next),
                        Some(_) => Ok(to),
                        None => {
                            Err(Machine::<A>::error(i, "a branch that depends on an input").into())
                        }
                    },
                    Err(Stop::Error(Error::Unsupported { why, .. })) => {
                        Err(Machine::<A>::error(i, why).into())
                    }
                    Err(stop) => Err(stop),
                },
                Flow::Return => {
                    self.kernel.returned(&m, i)?;
                    return self.finish(m, Point::Exit, segment);
                }
                _ => Err(Machine::<A>::error(i, "no rule for this instruction").into()),
            };
            match step {
                Ok(next) => {
                    self.ran.insert(at);
                    first = false;
                    at = next;
                }
                Err(Stop::Fork(word)) => {
                    return self.fork(m, &word, at, (first, turn), segment);
                }
                Err(Stop::Error(e)) => return Err(e.into()),
            }
        }
    }

    /// One case for each value of a word, from the same instruction on.
    fn fork(
        &mut self,
        mut m: Machine<'a, A>,
        word: &Word,
        at: u64,
        flow: (bool, usize),
        segment: &mut Segment,
    ) -> std::result::Result<String, Halt> {
        let bounds = m.trace.bounds_of(word)?;
        let (lo, hi) = m.trace.facts.cases(&word.p, bounds)?;
        let mut text = m.trace.facts.take_text();
        let mut n = lo;
        while n <= hi {
            let mut case = m.clone();
            let equation = case.trace.facts.case(&word.p, &n);
            case.trace.fix(equation)?;
            case.refresh();
            text.push_str(&self.explore(case, at, flow, segment)?);
            text.push_str("end case\n");
            n += 1;
        }
        text.push_str("end cases\n");
        Ok(text)
    }

    /// The end of a case: its frame, its goals, and their proofs.
    fn finish(
        &mut self,
        mut m: Machine<'a, A>,
        to: Point,
        segment: &mut Segment,
    ) -> std::result::Result<String, Halt> {
        let outs = match to {
            Point::Cut(n) => self.cut_words(&m, n)?,
            _ => (self.kernel.results)(&mut m, &self.names)?,
        };
        if segment.end.is_none() {
            let mut goals = Vec::new();
            if let Point::Cut(n) = to {
                for (output, w) in self.kernel.cuts[n].words.iter().enumerate() {
                    let (name, lo, hi) = (format!("state{output}"), w.lo.clone(), w.hi.clone());
                    goals.push(Goal::Limb { name, output, lo, hi });
                }
            }
            goals.extend((self.kernel.goals)(segment.from, to, &segment.inputs));
            segment.end = Some((to, goals));
        }
        match &segment.end {
            Some((end, goals)) if *end == to => {
                let goals = goals.clone();
                let mut end = Sha256::new();
                end.update(m.trace.facts.premises());
                end.update(format!("{:?} {to:?}", segment.from));
                outs.iter().for_each(|w| end.update(format!(" {}", w.p)));
                let end = end.finalize().into();
                if self.known.contains(&end) {
                    // the proof of the same outputs from the same premises is a proof here
                    return Ok(String::new());
                }
                self.settled.insert(end);
                Ok(claim::settle(m.trace, &outs, &goals, &mut self.effort, 4)?)
            }
            _ => {
                Err(Error::Unproven("cases of one segment that end in different places".into())
                    .into())
            }
        }
    }

    /// The words of a cut, whose constants and frame have to be there.
    fn cut_words(&mut self, m: &Machine<'a, A>, n: usize) -> Result<Vec<Word>> {
        let mut frame = Frame::<A> { registers: BTreeMap::new(), memory: BTreeMap::new() };
        for (r, cell) in &m.registers {
            frame.registers.extend(fixed(cell).map(|f| (*r, f)));
        }
        for (place, (size, cell)) in &m.memory {
            frame.memory.extend(fixed(cell).map(|f| (place.clone(), (*size, f))));
        }
        match self.frames.get_mut(&n) {
            None => {
                let (registers, memory) = (m.registers.clone(), m.memory.clone());
                self.frames.insert(n, Arrival { frame, registers, memory });
            }
            Some(Arrival { frame: known, .. }) => {
                let before = known.clone();
                known.registers.retain(|r, f| frame.registers.get(r) == Some(f));
                known.memory.retain(|p, f| frame.memory.get(p) == Some(f));
                self.changed |= before != *known;
            }
        }
        let cut = &self.kernel.cuts[n];
        for (r, value) in &cut.constants {
            let known = match m.registers.get(r) {
                Some(Cell::Word(w)) => w.known(),
                _ => None,
            };
            if known.as_ref() != Some(value) {
                return Err(Error::Unproven(format!("{r:?} is not {value} at the head of a loop")));
            }
        }
        let word = |w: &CutWord<A>| match m.registers.get(&w.register.register(&self.names)?) {
            Some(Cell::Word(x)) => Ok(x.clone()),
            _ => Err(Error::Unproven(format!("no word in {:?} at the head of a loop", w.register))),
        };
        cut.words.iter().map(word).collect()
    }
}
