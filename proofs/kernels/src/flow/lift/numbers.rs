//! Rules of lanes on numbers, to compare with a CPU: the values of a graph, where registers and memory hold those of a state.

use iced_x86::{Instruction, InstructionInfoFactory, Register};

use super::{Base, Constants, Lifted, Lifter, Store};
use crate::cosimulation::{Expected, GENERAL, MEMORY, Part, Rules, State};
use crate::error::Result;
use crate::flow::calls::Calls;
use crate::flow::graph::{Node, Op, Origin, Value};
use crate::image::Image;

const LOW_52: u64 = (1 << 52) - 1;

/// An operation on numbers; none where it has no value, or no rule here.
pub fn value(op: Op, v: &[u64]) -> Option<u64> {
    let operands = match op {
        Op::MulLow | Op::MulHigh | Op::Ternary(_) | Op::Select | Op::Fused => 3,
        Op::Srl(_) | Op::Sra(_) | Op::Sll(_) | Op::Rol(_) => 1,
        Op::Sign | Op::Abs | Op::SraPairs(_) => 1,
        _ => 2,
    };
    if v.len() < operands {
        return None;
    }
    let product = || u128::from(v[1] & LOW_52) * u128::from(v[2] & LOW_52);
    let signed = |x: u64| i64::from(x as i32);
    let double = |k: usize| f64::from_bits(v[k]);
    // which bits a result has that is no number, rules do not say
    let number = |x: f64| (!x.is_nan()).then(|| x.to_bits());
    Some(match op {
        Op::Add => v[0].wrapping_add(v[1]),
        Op::Sub => v[0].wrapping_sub(v[1]),
        Op::MulLow => v[0].wrapping_add(product() as u64 & LOW_52),
        Op::MulHigh => v[0].wrapping_add((product() >> 52) as u64),
        Op::Srl(k) => v[0] >> k,
        Op::Sra(k) => (v[0] as i64 >> k) as u64,
        Op::Sll(k) => v[0] << k,
        Op::Rol(k) => v[0].rotate_left(u32::from(k)),
        Op::SllEach => u32::try_from(v[1]).ok().and_then(|k| v[0].checked_shl(k)).unwrap_or(0),
        Op::And => v[0] & v[1],
        Op::Or => v[0] | v[1],
        Op::Xor => v[0] ^ v[1],
        Op::AndNot => !v[0] & v[1],
        Op::Ternary(table) => (0..64).fold(0, |all, bit| {
            let index = v[..3].iter().fold(0, |n, x| n << 1 | x >> bit & 1);
            all | u64::from(table >> index & 1) << bit
        }),
        Op::Select if v[0] == u64::MAX => v[1],
        Op::Select if v[0] == 0 => v[2],
        Op::SignedHalves => signed(v[0]).wrapping_mul(signed(v[1])) as u64,
        Op::Halves => (v[0] & 0xffff_ffff) * (v[1] & 0xffff_ffff),
        Op::AddPairs => halves(v, |a, b| a.wrapping_add(b)),
        Op::SubPairs => halves(v, |a, b| a.wrapping_sub(b)),
        Op::SraPairs(k) => halves(&[v[0], 0], |a, _| (a as i32 >> k.min(31)) as u32),
        Op::Times => v[0].wrapping_mul(v[1]),
        Op::Sign => (v[0] as i64 >> 63) as u64,
        Op::Abs => (v[0] as i64).unsigned_abs(),
        Op::AddDoubles => number(double(0) + double(1))?,
        Op::SubDoubles => number(double(0) - double(1))?,
        Op::Fused => number(double(0).mul_add(double(1), double(2)))?,
        _ => return None,
    })
}

/// A function of both halves of two words.
fn halves(v: &[u64], f: impl Fn(u32, u32) -> u32) -> u64 {
    let [low, high] = [0, 32].map(|k| u64::from(f((v[0] >> k) as u32, (v[1] >> k) as u32)));
    low | high << 32
}

/// The words that a lane may hold by the rules; any word, where there is none.
type Words = Vec<u64>;

/// Values of nodes, lane by lane.
type Values = Vec<[Words; 8]>;

/// The rules of `flow`. An operation is taken for another if `change` says so, by which a test breaks rules.
pub struct LaneRules<'a> {
    /// The text.
    pub image: &'a Image,
    /// An operation, and the one in its place.
    pub change: Option<(Op, Op)>,
    /// Functions that the text calls.
    calls: Calls,
}

/// Registers that a way knows as constants.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Unknown,
    Masks,
    Last,
    All,
}

/// The number of a vector register.
fn vector_number(r: Register) -> Option<usize> {
    r.is_vector_register().then(|| r.full_register().number())
}

impl<'a> LaneRules<'a> {
    /// The rules for instructions of a text.
    pub fn new(image: &'a Image, change: Option<(Op, Op)>) -> Self {
        Self { image, change, calls: Calls::default() }
    }

    /// Whether an instruction has a rule; if not, what it writes is not known.
    pub fn knows(&self, i: &Instruction) -> bool {
        let mut l = self.lifter(&Constants::default());
        l.simple(i) || l.lanes(i) || l.special(i)
    }

    /// Lane operations that instructions are taken as.
    pub fn operations(&self, code: &[Instruction]) -> Vec<Op> {
        let out = self.lifted(code, &Constants::default());
        (0..out.graph.len() as Node).filter_map(|n| Some(out.graph.lanes(n)?.0)).collect()
    }

    /// The number of values that instructions leave unknown, or take as they come.
    pub fn leaves(&self, code: &[Instruction]) -> usize {
        let g = self.lifted(code, &Constants::default()).graph;
        (0..g.len() as Node).filter(|n| matches!(g.value(*n), Value::Leaf(_))).count()
    }

    fn lifter(&self, known: &Constants) -> Lifter<'_> {
        let (image, info) = (self.image, InstructionInfoFactory::new());
        Lifter { image, calls: &self.calls, info, out: Lifted::new(known) }
    }

    fn lifted(&self, code: &[Instruction], known: &Constants) -> Lifted {
        let mut l = self.lifter(known);
        code.iter().for_each(|i| l.step(i));
        l.out
    }

    /// The state after instructions in a row, by each way in which the rules take it.
    pub fn run(
        &self,
        code: &[Instruction],
        before: &State,
    ) -> Result<Vec<(&'static str, Vec<Expected>)>> {
        let ways = [
            ("registers unknown", Way::Unknown),
            ("masks known", Way::Masks),
            ("last operand known", Way::Last),
            ("registers known", Way::All),
        ];
        let mut out = Vec::new();
        for (name, way) in ways {
            if let Some(known) = constants(code, before, way) {
                let lifted = self.lifted(code, &known);
                let values = self.values(&lifted, before);
                out.push((name, parts(&lifted, &values, before)));
            }
        }
        Ok(out)
    }

    fn values(&self, lifted: &Lifted, before: &State) -> Values {
        let g = &lifted.graph;
        let mut values: Values = Vec::with_capacity(g.len());
        for n in 0..g.len() as Node {
            let at = |m: &Node| &values[*m as usize];
            let words = match g.value(n) {
                Value::Constant(lanes) => lanes.map(|x| vec![x]),
                Value::Offset(base, by) => {
                    let moved = |x: &u64| x.wrapping_add(*by as u64);
                    at(base).each_ref().map(|w| w.iter().map(moved).collect())
                }
                Value::Lanes(op, v) => {
                    let op = self.change.filter(|c| c.0 == *op).map_or(*op, |c| c.1);
                    let v: Vec<&[Words; 8]> = v.iter().map(at).collect();
                    std::array::from_fn(|k| lane(op, &v.iter().map(|w| &w[k]).collect::<Vec<_>>()))
                }
                Value::Leaf(Origin::Entry(name)) => entry(name, before),
                Value::Leaf(Origin::Load(base, index, by, size, 0)) => {
                    let place = place(&values, &(*base, *index), *by, before);
                    place.map_or_else(Default::default, |at| loaded(before, at, *size))
                }
                Value::Leaf(Origin::Result(_, _, sources)) => {
                    let all: Option<Vec<&[Words; 8]>> = sources
                        .iter()
                        .map(|m| Some(at(m)).filter(|w| w.iter().all(|x| !x.is_empty())))
                        .collect();
                    let words: Words =
                        all.into_iter().flatten().flatten().flatten().copied().collect();
                    std::array::from_fn(|_| words.clone())
                }
                Value::Leaf(Origin::Load(..)) => Default::default(),
            };
            values.push(words);
        }
        values
    }
}

impl Rules for LaneRules<'_> {
    fn expected(
        &self,
        i: &Instruction,
        before: &State,
    ) -> Result<Vec<(&'static str, Vec<Expected>)>> {
        self.run(std::slice::from_ref(i), before)
    }
}

/// One lane of a result. A select passes on whatever it takes.
fn lane(op: Op, v: &[&Words]) -> Words {
    if let (Op::Select, [mask]) = (op, v[0].as_slice()) {
        return if *mask == 0 { v[2].clone() } else { v[1].clone() };
    }
    let one: Option<Vec<u64>> =
        v.iter().map(|w| if let [x] = w.as_slice() { Some(*x) } else { None }).collect();
    one.and_then(|v| value(op, &v)).into_iter().collect()
}

/// A register where the state is that of its start.
fn entry(name: &str, before: &State) -> [Words; 8] {
    let r = &before.registers;
    let number = |start| name.strip_prefix(start).and_then(|n| n.parse::<usize>().ok());
    if let Some(n) = GENERAL.iter().position(|g| format!("{g:?}") == name) {
        std::array::from_fn(|_| vec![r.general[n]])
    } else if let Some(lanes) = number("ZMM").and_then(|n| r.vectors.get(n)) {
        lanes.map(|x| vec![x])
    } else if let Some(&mask) = number("K").and_then(|n| r.masks.get(n)) {
        spread(mask).map(|x| vec![x])
    } else {
        Default::default()
    }
}

/// A mask by lanes.
fn spread(mask: u64) -> [u64; 8] {
    std::array::from_fn(|k| if mask >> k & 1 == 1 { u64::MAX } else { 0 })
}

/// The offset in the state's memory of an address.
fn place(values: &Values, base: &Base, by: i64, before: &State) -> Option<usize> {
    let one = |n: Node| values[n as usize][0].first().copied();
    let index = match base.1 {
        Some((n, scale)) => one(n)?.wrapping_mul(u64::from(scale)),
        None => 0,
    };
    let address = one(base.0)?.wrapping_add(index).wrapping_add(by as u64);
    Some(address.wrapping_sub(before.address) as usize).filter(|at| *at < MEMORY)
}

/// Lanes of memory; every lane holds a word that is loaded alone.
fn loaded(before: &State, at: usize, size: usize) -> [Words; 8] {
    let lanes = (size / 8).max(1);
    std::array::from_fn(|k| {
        let at = at + 8 * (k % lanes);
        let bytes = before.memory.get(at..at + 8.min(size));
        bytes.map(|b| b.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))).into_iter().collect()
    })
}

/// Constants of a way; none where the instructions have nothing that suits it.
fn constants(code: &[Instruction], before: &State, way: Way) -> Option<Constants> {
    let mut known = Constants::default();
    let mut add = |r: Register| {
        let full = r.full_register();
        let registers = &before.registers;
        let lanes = if let Some(n) = vector_number(r) {
            (registers.vectors[n], 8)
        } else if r.is_k() {
            (spread(registers.masks[r.number()]), 8)
        } else if let Some(n) = GENERAL.iter().position(|g| *g == full && *g != Register::RSP) {
            ([registers.general[n]; 8], 1)
        } else {
            return;
        };
        known.registers.insert(full, lanes);
    };
    match way {
        Way::Unknown => return Some(known),
        Way::Masks => code.iter().map(|i| i.op_mask()).for_each(&mut add),
        Way::Last => {
            for i in code {
                let last =
                    (0..i.op_count()).map(|n| i.op_register(n)).rfind(|r| *r != Register::None);
                last.into_iter().for_each(&mut add);
            }
        }
        Way::All => Register::values().for_each(&mut add),
    }
    if way == Way::All {
        let slots = code
            .iter()
            .filter(|i| i.memory_base() == Register::RSP && i.memory_index() == Register::None);
        for i in slots {
            let (at, size) = (i.memory_displacement64() as i64, i.memory_size().size());
            let offset = (before.registers.general[4].wrapping_sub(before.address)) as i64 + at;
            if size % 8 == 0 && size > 0 && (0..(MEMORY - 64) as i64).contains(&offset) {
                let lanes = loaded(before, offset as usize, size).map(|w| w.first().copied());
                known.slots.insert((at, size), lanes.map(|x| x.unwrap_or(0)));
            }
        }
    }
    (!known.registers.is_empty()).then_some(known)
}

/// All that the rules say of the state after instructions.
fn parts(lifted: &Lifted, values: &Values, before: &State) -> Vec<Expected> {
    let mut out = Vec::new();
    let mut general = before.registers.general.map(|x| vec![x]);
    for (r, (n, has)) in &lifted.registers {
        let words = &values[*n as usize];
        if let Some(k) = vector_number(*r) {
            for (lane, words) in words.iter().enumerate() {
                let zero = vec![0];
                let words = if lane < *has { words } else { &zero };
                out.push((Part::Lane(k, lane, words.clone()), 0));
            }
        } else if r.is_k() {
            let single = words.iter().map(|w| if let [x] = w[..] { Some(x & 1) } else { None });
            let bits: Option<Vec<u64>> = single.collect();
            let mask = bits.map(|b| b.iter().rev().fold(0, |n, x| n << 1 | x));
            out.push((Part::Mask(r.number()), 0));
            if let (Some((part, value)), Some(mask)) = (out.last_mut(), mask) {
                (*part, *value) = (Part::KnownMask(r.number()), mask);
            }
        } else if let Some(k) = GENERAL.iter().position(|g| g == r) {
            general[k] = words[0].clone();
        }
    }
    for (k, words) in general.into_iter().enumerate() {
        if let [x] = words[..] {
            out.push((Part::General(k), x));
        }
    }
    let whole = lifted.changes.iter().any(Option::is_none);
    for s in &lifted.written {
        stored(s, values, before, &mut out);
    }
    if whole {
        out.push((Part::Anything(0, MEMORY), 0));
    }
    out
}

fn stored(s: &Store, values: &Values, before: &State, out: &mut Vec<Expected>) {
    let Some(at) = place(values, &s.base, s.at, before) else {
        out.push((Part::Anything(0, MEMORY), 0));
        return;
    };
    for k in 0..s.size.div_ceil(8) {
        let (at, size) = (at + 8 * k, 8.min(s.size - 8 * k));
        let words = s.node.map(|n| &values[n as usize][k % 8]);
        match words.map(Vec::as_slice) {
            Some([x]) => out.push((Part::Memory(at, size), *x)),
            _ => out.push((Part::Anything(at, size), 0)),
        }
    }
}
