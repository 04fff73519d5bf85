//! Runs of a kernel's code on numbers, by the same rules of the machine as its proof.

use super::run::fixed;
use super::{Find, Kernel, Place, Point};
use crate::arch::{Arch, Flow};
use crate::error::{Error, Result};
use crate::image::Image;
use crate::machine::{Cell, Machine, Stop};
use crate::samples::Samples;
use crate::trace::Word;

/// A run makes at most so many steps.
const STEPS: usize = 20_000;

/// The end of a run on numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The numbers break a promise of the caller, so the run says nothing.
    Outside,
    /// Outputs, and whether the goals hold; of a loop, whose goals are about one turn, that is not known.
    Ended(Vec<crate::number::Int>, Option<bool>),
}

impl<A: Arch> Kernel<A> {
    /// Runs code in the place of the kernel's own.
    pub fn execute(&self, image: &Image, place: &Place<A>, samples: Samples) -> Result<Outcome> {
        let mut m = Machine::<A>::new(image);
        m.trace.samples = Some(samples);
        for r in self.preserved {
            m.registers.insert(*r, Cell::Saved(*r));
        }
        let inputs = (self.enter)(&mut m, &place.names)?;
        if m.trace.samples.as_ref().is_some_and(|s| s.broken) {
            return Ok(Outcome::Outside);
        }
        let mut at = place.range.0;
        for _ in 0..STEPS {
            if at == place.range.1 && matches!(self.find, Find::Block(_)) {
                return self.outcome(&mut m, place, &inputs);
            }
            let Some(i) = place.code.get(&at) else {
                return Err(Error::Unproven(format!("no instruction at {at:x}")));
            };
            let next = match A::flow(i) {
                Flow::Next(next) => m.step(i).map(|()| next),
                Flow::Jump(to) => Ok(to),
                Flow::Branch(to, next) => A::condition(&mut m, i).map(|bit| match bit.known() {
                    Some(n) if n.is_zero() => next,
                    _ => to,
                }),
                Flow::Return => {
                    self.returned(&m, i)?;
                    return self.outcome(&mut m, place, &inputs);
                }
                _ => Err(Machine::<A>::error(i, "no rule for this instruction").into()),
            };
            at = next.map_err(|stop| match stop {
                Stop::Error(e) => e,
                Stop::Fork(_) => Machine::<A>::error(i, "a number that is not known"),
            })?;
        }
        Err(Error::Unproven(format!("no end after {STEPS} steps")))
    }

    fn outcome(
        &self,
        m: &mut Machine<'_, A>,
        place: &Place<A>,
        inputs: &[Word],
    ) -> Result<Outcome> {
        let outs = (self.results)(m, &place.names)?;
        let numbers: Option<Vec<_>> = outs.iter().map(Word::known).collect();
        let numbers =
            numbers.ok_or_else(|| Error::Unproven("an output that is no number".into()))?;
        if !self.cuts.is_empty() {
            return Ok(Outcome::Ended(numbers, None));
        }
        let mut holds = true;
        for goal in (self.goals)(Point::Entry, Point::Exit, inputs) {
            holds &= goal.holds(&outs)?;
        }
        Ok(Outcome::Ended(numbers, Some(holds)))
    }

    /// That `ret` leaves the stack and the caller's registers as they were.
    pub(super) fn returned(&self, m: &Machine<'_, A>, i: &A::Instruction) -> Result<()> {
        let stack = m.registers.get(&A::STACK).and_then(fixed);
        if stack != Some(("stack".into(), 0)) || m.memory.contains_key(&("stack".into(), 0)) {
            return Err(Machine::<A>::error(i, "the stack pointer is not that of the entry"));
        }
        for r in self.preserved {
            let now = m.registers.get(r).and_then(fixed);
            if now != fixed(&Cell::<A>::Saved(*r)) {
                return Err(Machine::<A>::error(i, format!("{r:?} is not restored")));
            }
        }
        Ok(())
    }
}
