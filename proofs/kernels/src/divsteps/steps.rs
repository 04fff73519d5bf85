//! Division steps on integers, and a run of a function on numbers: which places hold which limbs at the head of its loop.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use iced_x86::Register;

use super::cpu::{Cell, Cpu, Flow, Place};
use super::values::Value;
use crate::error::{Error, Result};
use crate::image::{Code, Image};
use crate::number::{self, Int};

/// Bits of a limb, and steps of a batch.
pub const BITS: usize = 60;
/// Bits and steps of a part of a batch.
pub const PART: usize = 20;

/// Functions that loops call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// 20 steps on words, in assembly.
    Twenty,
    /// A batch of 60, in variable time.
    Batch,
    /// `memcmp`.
    Compare,
}

/// Registers that a call of a function in C changes.
const CALLER_SAVED: [Register; 9] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];

/// Registers that it keeps.
pub const CALLEE_SAVED: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

impl Callee {
    /// The function at an address.
    pub fn at(image: &Image, at: u64) -> Option<Self> {
        let f = image.functions().iter().find(|f| f.start == at)?;
        match f.stem() {
            "x86_64_stepped" => Some(Self::Twenty),
            "divsteps_steps_vartime" => Some(Self::Batch),
            "sigmill_local_memcmp" => Some(Self::Compare),
            _ => None,
        }
    }

    /// Forgets registers that the call may change.
    pub fn forget(self, cpu: &mut Cpu) {
        let few = [Register::RAX, Register::RCX, Register::R8, Register::R9];
        let changed = if self == Self::Twenty { &few[..] } else { &CALLER_SAVED[..] };
        for r in changed {
            cpu.cells.remove(&Place::Register(*r));
        }
        cpu.zero = None;
    }
}

/// A matrix [u v; q r].
pub type Matrix = [Int; 4];

/// n steps from twice delta, f and g; the matrix is 2^n times the map.
pub fn divsteps(n: usize, mut twice: Int, mut f: Int, mut g: Int) -> (Int, Int, Int, Matrix) {
    let [mut u, mut v, mut q, mut r] = [Int::ONE, Int::ZERO, Int::ZERO, Int::ONE];
    let two = Int::from(2);
    for _ in 0..n {
        if number::modulo(&g, &two).is_one() {
            let swap = twice > Int::ZERO;
            let (sum_g, sum_q, sum_r) = match swap {
                true => (&g - &f, &q - &u, &r - &v),
                false => (&g + &f, &q + &u, &r + &v),
            };
            if swap {
                (twice, f, u, v) = (-twice, g, q, r);
            }
            (g, q, r) = (sum_g, sum_q, sum_r);
        }
        (twice, g, u, v) = (twice + 2, number::floor_div(&g, &two), u * 2, v * 2);
    }
    (twice, f, g, [u, v, q, r])
}

/// f, g, d and e, and delta as the code has it.
#[derive(Clone)]
pub struct State {
    numbers: [Int; 4],
    twice: Int,
}

impl State {
    /// At the first arrival at the head.
    pub fn new(m: &Int, x: &Int, factor: &Int, vartime: bool) -> Self {
        let numbers = [m.clone(), x.clone(), Int::ZERO, factor.clone()];
        Self { numbers, twice: Int::from(if vartime { 2 } else { 1 }) }
    }

    fn next(&self, m: &Int) -> Result<Self> {
        let [f, g, d, e] = self.numbers.clone();
        let (twice, f, g, t) = divsteps(BITS, self.twice.clone(), f, g);
        let unit = number::power_of_two(BITS);
        let Some(inverse) = number::inverse(m, &unit) else {
            return Err(Error::Unproven(format!("{m} is even")));
        };
        let lifted = |n: Int| if number::is_negative(&n) { n + m } else { n };
        let (d, e) = (lifted(d), lifted(e));
        let row = |a: &Int, b: &Int| {
            let sum = a * &d + b * &e;
            number::floor_div(&(&sum - m * number::modulo(&(&sum * &inverse), &unit)), &unit)
        };
        let numbers = [f, g, row(&t[0], &t[1]), row(&t[2], &t[3])];
        Ok(Self { numbers, twice })
    }

    fn limb(&self, number: usize, i: usize, top: usize) -> Int {
        let n = number::floor_shift(&self.numbers[number], BITS * i);
        if i == top { n } else { number::modulo(&n, &number::power_of_two(BITS)) }
    }

    fn delta(&self) -> Int {
        number::floor_div(&self.twice, &Int::from(2))
    }
}

/// Places at the head of the loop.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The head.
    pub head: u64,
    /// Of each limb of f, g, d and e: places, and whether upper bits are zero there.
    pub limbs: [Vec<Vec<(Place, bool)>>; 4],
    /// Of delta.
    pub delta: Vec<Place>,
    /// Of a counter of turns.
    pub counter: Vec<Place>,
}

impl Layout {
    /// Places that both have.
    pub fn common(&self, other: &Self) -> Self {
        let mut out = self.clone();
        for (limbs, others) in out.limbs.iter_mut().zip(&other.limbs) {
            for (places, others) in limbs.iter_mut().zip(others) {
                places.retain(|(p, _)| others.iter().any(|(q, _)| p == q));
                for (p, clean) in places {
                    *clean &= others.contains(&(p.clone(), true));
                }
            }
        }
        out.delta.retain(|p| other.delta.contains(p));
        out.counter.retain(|p| other.counter.contains(p));
        out
    }
}

/// Names of buffers at the entry, by register; each holds words.
pub type Buffers<T> = Vec<(Register, Rc<str>, Vec<T>)>;

/// Cells at the entry of a function.
pub fn entry(buffers: &Buffers<Value>) -> BTreeMap<Place, Cell> {
    let mut cells = BTreeMap::new();
    cells.insert(Place::Register(Register::RSP), Cell::Pointer("stack".into(), 0));
    for r in CALLEE_SAVED {
        cells.insert(Place::Register(r), Cell::Saved(r));
    }
    for (register, name, words) in buffers {
        cells.insert(Place::Register(*register), Cell::Pointer(name.clone(), 0));
        for (i, w) in words.iter().enumerate() {
            cells.insert(Place::Memory(name.clone(), 8 * i as i64), Cell::Value(w.clone()));
        }
    }
    cells
}

fn number_in(cpu: &Cpu, r: Register) -> Result<Int> {
    match cpu.cells.get(&Place::Register(r)) {
        Some(Cell::Value(v)) if v.known().is_some() => Ok(v.lo.clone()),
        _ => Err(Error::Unproven(format!("{r:?} holds no number in a run on numbers"))),
    }
}

fn put(cpu: &mut Cpu, place: Place, n: Int) {
    let n = number::symmetric(&n, &number::power_of_two(64));
    cpu.cells.insert(place, Cell::Value(Value::constant(n)));
}

/// A call, on numbers.
fn call(cpu: &mut Cpu, callee: Callee) -> Result<()> {
    use Register as R;
    match callee {
        Callee::Twenty => {
            let (delta, f, g) =
                (number_in(cpu, R::RDI)?, number_in(cpu, R::RSI)?, number_in(cpu, R::RDX)?);
            let (twice, f, g, _) = divsteps(PART, delta * 2 + 1, f, g);
            callee.forget(cpu);
            put(cpu, Place::Register(R::RDI), number::floor_shift(&twice, 1));
            put(cpu, Place::Register(R::RSI), f);
            put(cpu, Place::Register(R::RDX), g);
        }
        Callee::Batch => {
            let (delta, f, g) =
                (number_in(cpu, R::RSI)?, number_in(cpu, R::RDX)?, number_in(cpu, R::RCX)?);
            let Some(Cell::Pointer(out, at)) = cpu.cells.get(&Place::Register(R::RDI)).cloned()
            else {
                return Err(Error::Unproven("a batch without a place for its result".into()));
            };
            let (twice, _, _, matrix) = divsteps(BITS, delta * 2, f, g);
            callee.forget(cpu);
            put(cpu, Place::Memory(out.clone(), at), number::floor_shift(&twice, 1));
            for (i, n) in (1..).zip(matrix) {
                put(cpu, Place::Memory(out.clone(), at + 8 * i), n);
            }
        }
        Callee::Compare => {
            callee.forget(cpu);
            put(cpu, Place::Register(R::RAX), Int::ONE);
        }
    }
    Ok(())
}

/// Addresses that a back edge leads to.
fn loop_heads(code: &Code, start: u64) -> BTreeSet<u64> {
    let (mut heads, mut open, mut done) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut stack = vec![(start, false)];
    while let Some((at, left)) = stack.pop() {
        if left {
            open.remove(&at);
            done.insert(at);
        } else if open.contains(&at) {
            heads.insert(at);
        } else if let Some(i) = code.get(&at).filter(|_| !done.contains(&at)) {
            open.insert(at);
            stack.push((at, true));
            stack.extend(successors(i).into_iter().map(|to| (to, false)));
        }
    }
    heads
}

/// Addresses after an instruction.
pub fn successors(i: &iced_x86::Instruction) -> Vec<u64> {
    use iced_x86::FlowControl as F;
    match i.flow_control() {
        F::Next | F::Call => vec![i.next_ip()],
        F::UnconditionalBranch => vec![i.near_branch_target()],
        F::ConditionalBranch => vec![i.next_ip(), i.near_branch_target()],
        _ => vec![],
    }
}

/// Arrivals that a layout is read from.
const ARRIVALS: usize = 5;

/// Runs a function on numbers, and finds its layout.
pub fn layout(
    image: &Image,
    (code, start): (&Code, u64),
    buffers: &Buffers<Value>,
    mut state: State,
    (m, top): (&Int, usize),
) -> Result<Layout> {
    let heads = loop_heads(code, start);
    let mut cpu = Cpu::with_cells(entry(buffers));
    let (mut at, mut head, mut arrivals) = (start, None, Vec::new());
    while arrivals.len() < ARRIVALS {
        if heads.contains(&at) && *head.get_or_insert(at) == at {
            arrivals.push((cpu.cells.clone(), state.clone()));
            state = state.next(m)?;
        }
        let Some(i) = code.get(&at) else {
            return Err(Error::Unproven(format!("no instruction at {at:x}")));
        };
        at = match cpu.step(i)? {
            Flow::To(to) => to,
            Flow::Call(to, next) => {
                let Some(callee) = Callee::at(image, to) else {
                    return Err(Error::Unproven(format!("a call of {to:x}")));
                };
                call(&mut cpu, callee)?;
                next
            }
            Flow::Either(..) | Flow::Return => {
                return Err(Error::Unproven(format!("{at:x}: the loop ends early")));
            }
        };
    }
    read(head.unwrap_or_default(), &arrivals, top)
}

fn read(head: u64, arrivals: &[(BTreeMap<Place, Cell>, State)], top: usize) -> Result<Layout> {
    let mut out = Layout { head, ..Layout::default() };
    let Some((first, _)) = arrivals.first() else { return Ok(out) };
    let (word, limb) = (number::power_of_two(64), number::power_of_two(BITS));
    let mut values: Vec<(Place, Vec<Int>)> = Vec::new();
    for place in first.keys() {
        let number = |(cells, _): &(BTreeMap<Place, Cell>, State)| match cells.get(place) {
            Some(Cell::Value(v)) => v.known().map(|n| number::modulo(&n, &word)),
            _ => None,
        };
        if let Some(numbers) = arrivals.iter().map(number).collect() {
            values.push((place.clone(), numbers));
        }
    }
    let find = |unit: &Int, wanted: &dyn Fn(&State, usize) -> Int| {
        let holds = |numbers: &[Int]| {
            numbers.iter().zip(arrivals).enumerate().all(|(turn, (n, (_, state)))| {
                number::modulo(&(n - wanted(state, turn)), unit).is_zero()
            })
        };
        let places = values.iter().filter(|(_, numbers)| holds(numbers));
        places.map(|(p, n)| (p.clone(), n.iter().all(|n| *n < limb))).collect::<Vec<_>>()
    };
    for number in 0..4 {
        for i in 0..=top {
            let unit = if i == top { &word } else { &limb };
            let places = find(unit, &|state, _| state.limb(number, i, top));
            if places.is_empty() {
                return Err(Error::Unproven(format!("limb {i} of number {number} has no place")));
            }
            out.limbs[number].push(places);
        }
    }
    let only = |places: Vec<(Place, bool)>| places.into_iter().map(|(p, _)| p).collect();
    out.delta = only(find(&word, &|state, _| state.delta()));
    out.counter = only(find(&word, &|_, turn| Int::from(turn)));
    Ok(out)
}
