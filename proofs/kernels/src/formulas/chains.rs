//! Powers that calls compute: arrays of elements in a stack frame, squared n times and multiplied by callees, and copied.
//!
//! Of each element it is known which monomial it is in the elements that were there before. Anything else that is written there, or
//! that may be, makes a new one. A callee is known by its name: `repeat_squares` squares an array's elements n times, `multiply_each`
//! multiplies them by those of another. The blocks of those of `ifma_x8` are proven squares and products; that they do so for each
//! element, and n times, is not. Nothing is proven of those of `fma_x4`.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{
    FlowControl, Instruction, InstructionInfoFactory, Mnemonic as M, OpAccess, OpKind, Register,
};

use crate::error::Result;
use crate::flow::blocks;
use crate::flow::entry::predecessors;
use crate::image::{Function, Image};
use crate::number::{self, Int};

/// A monomial: exponents by element.
type Monomial = BTreeMap<u32, Int>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Number(u64),
    /// A place in a stack frame.
    Place(u32, i64),
    /// The address of `memcpy`.
    Copy,
}

#[derive(Clone, Default)]
struct State {
    registers: BTreeMap<Register, Value>,
    elements: BTreeMap<(u32, i64), Monomial>,
}

/// Callees whose arrays have elements of so many bytes, and what they compute.
const CALLEES: [(&str, i64, &str); 2] = [
    ("ifma_x8", 0x140, "RFC 8032 5.1.3: u*v^3*(u*v^7)^((p-5)/8), by calls of ifma_x8"),
    ("fma_x4", 0xa0, "RFC 8032 5.1.3: u*v^3*(u*v^7)^((p-5)/8), by calls of fma_x4"),
];

const SAVED: [Register; 7] = [
    Register::RBX,
    Register::RBP,
    Register::RSP,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

struct Run<'a> {
    image: &'a Image,
    state: State,
    next: u32,
    size: i64,
    /// The beginnings of callees' names.
    callees: &'static str,
    info: InstructionInfoFactory,
    found: BTreeSet<u64>,
    calls: usize,
}

impl Run<'_> {
    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn number(&self, r: Register) -> Option<u64> {
        match self.state.registers.get(&r)? {
            Value::Number(n) => Some(*n),
            _ => None,
        }
    }

    fn place(&self, r: Register) -> Option<(u32, i64)> {
        match self.state.registers.get(&r)? {
            Value::Place(base, at) => Some((*base, *at)),
            _ => None,
        }
    }

    fn element(&mut self, (base, at): (u32, i64)) -> Monomial {
        if let Some(m) = self.state.elements.get(&(base, at)) {
            return m.clone();
        }
        let new = Monomial::from([(self.fresh(), Int::ONE)]);
        // it may overlap what is there at other places
        self.forget(base, at, self.size);
        self.state.elements.insert((base, at), new.clone());
        new
    }

    fn forget(&mut self, base: u32, at: i64, size: i64) {
        let length = self.size;
        self.state.elements.retain(|(b, a), _| *b != base || *a + length <= at || *a >= at + size);
    }

    /// The address of a memory operand.
    fn address(&self, i: &Instruction) -> Option<(u32, i64)> {
        if i.memory_index() != Register::None {
            return None;
        }
        let (base, at) = self.place(i.memory_base())?;
        Some((base, at.wrapping_add(i.memory_displacement64() as i64)))
    }

    fn call(&mut self, i: &Instruction) {
        let name = if i.op0_kind() == OpKind::NearBranch64 {
            let to = i.near_branch_target();
            self.image.functions().iter().find(|f| f.start == to).map_or("", |f| f.name.as_str())
        } else if self.state.registers.get(&i.op0_register()) == Some(&Value::Copy) {
            "memcpy"
        } else {
            self.image.external(i).unwrap_or("")
        };
        let (to, n) = (self.place(Register::RDI), self.number(Register::RSI));
        let ours = name.starts_with(self.callees);
        let done = if ours && name.contains("repeat_squares") {
            self.squares(to, n, self.number(Register::RDX))
        } else if ours && name.contains("multiply_each") {
            self.products(to, n, self.place(Register::RDX), self.number(Register::RCX))
        } else if name == "memcpy" {
            self.copy(to, self.place(Register::RSI), self.number(Register::RDX))
        } else {
            None
        };
        if done.is_none() {
            self.state.elements.clear();
        }
        self.state.registers.retain(|r, _| SAVED.contains(r));
    }

    fn squares(
        &mut self,
        to: Option<(u32, i64)>,
        n: Option<u64>,
        times: Option<u64>,
    ) -> Option<()> {
        let ((base, at), n, times) = (to?, n?, times?);
        for k in 0..i64::try_from(n).ok()? {
            let place = (base, at + k * self.size);
            let mut m = self.element(place);
            for e in m.values_mut() {
                *e = &*e << usize::try_from(times).ok().filter(|t| *t <= 512)?;
            }
            self.state.elements.insert(place, m);
        }
        Some(())
    }

    fn products(
        &mut self,
        to: Option<(u32, i64)>,
        n: Option<u64>,
        by: Option<(u32, i64)>,
        m: Option<u64>,
    ) -> Option<()> {
        let ((base, at), n, (from, source)) = (to?, n?, by?);
        if m != Some(n) {
            return None;
        }
        for k in 0..i64::try_from(n).ok()? {
            let factor = self.element((from, source + k * self.size));
            let mut product = self.element((base, at + k * self.size));
            for (root, e) in factor {
                *product.entry(root).or_default() += e;
            }
            self.calls += 1;
            self.look(&product);
            self.state.elements.insert((base, at + k * self.size), product);
        }
        Some(())
    }

    fn copy(
        &mut self,
        to: Option<(u32, i64)>,
        from: Option<(u32, i64)>,
        bytes: Option<u64>,
    ) -> Option<()> {
        let ((base, at), (from, source), bytes) = (to?, from?, i64::try_from(bytes?).ok()?);
        let all: Vec<Monomial> =
            (0..bytes / self.size).map(|k| self.element((from, source + k * self.size))).collect();
        self.forget(base, at, bytes);
        for (k, m) in all.into_iter().enumerate() {
            self.state.elements.insert((base, at + k as i64 * self.size), m);
        }
        Some(())
    }

    /// Whether a product is u*v^3*(u*v^7)^((p-5)/8).
    fn look(&mut self, m: &Monomial) {
        let e = number::floor_shift(&(number::power_of_two(255) - 24), 3);
        let exponents: Vec<Int> = m.values().cloned().collect();
        let (u, v): (Int, Int) = (&e + 1, &e * 7 + 3);
        if exponents == [u.clone(), v.clone()] || exponents == [v, u] {
            self.found.insert(self.calls as u64);
        }
    }

    fn step(&mut self, i: &Instruction) {
        if matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall) {
            return self.call(i);
        }
        let to = i.op0_register();
        let full = to.full_register();
        let value = match i.mnemonic() {
            M::Lea => self.address(i).map(|(b, a)| Value::Place(b, a)),
            M::Mov if i.op1_kind() == OpKind::Memory => {
                (self.image.external(i) == Some("memcpy")).then_some(Value::Copy)
            }
            M::Mov if i.op1_kind() == OpKind::Register && to.is_gpr64() => {
                self.state.registers.get(&i.op1_register()).cloned()
            }
            M::Mov => i.try_immediate(1).ok().map(Value::Number),
            M::Xor if i.op1_register() == to => Some(Value::Number(0)),
            M::Add | M::Sub => match (self.place(to), i.try_immediate(1)) {
                (Some((b, a)), Ok(n)) => {
                    let n = n as i64;
                    Some(Value::Place(b, if i.mnemonic() == M::Add { a + n } else { a - n }))
                }
                _ => None,
            },
            _ => None,
        };
        let info = self.info.info(i);
        let writes = |a: OpAccess| {
            !matches!(
                a,
                OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess
            )
        };
        let registers: Vec<Register> = info
            .used_registers()
            .iter()
            .filter(|u| writes(u.access()))
            .map(|u| u.register().full_register())
            .collect();
        let stores: Vec<i64> = info
            .used_memory()
            .iter()
            .filter(|u| writes(u.access()))
            .map(|u| u.memory_size().size() as i64)
            .collect();
        let place = self.address(i);
        for size in stores {
            match place {
                Some((base, at)) => self.forget(base, at, size.max(8)),
                None if matches!(i.mnemonic(), M::Push) => {}
                None => self.state.elements.clear(),
            }
        }
        for r in registers {
            self.state.registers.remove(&r);
            if r == Register::RSP && value.is_none() {
                let frame = self.fresh();
                self.state.registers.insert(r, Value::Place(frame, 0));
            }
        }
        if let (Some(v), true) = (value, full.is_gpr64() && i.op0_kind() == OpKind::Register) {
            self.state.registers.insert(full, v);
        }
    }
}

/// Blocks of a function in which elements become u*v^3*(u*v^7)^((p-5)/8), modulo 2^255 - 19, by what callees; with their number.
pub fn decodings(image: &Image, f: &Function) -> Result<BTreeMap<(u64, &'static str), usize>> {
    let mut out = BTreeMap::new();
    let blocks = blocks::of_code(&image.code(f.start, f.size)?, f)?;
    let before = predecessors(&blocks);
    for (callees, size, what) in CALLEES {
        let mut ends: BTreeMap<u64, State> = BTreeMap::new();
        let mut run = Run {
            image,
            state: State::default(),
            next: 0,
            size,
            callees,
            info: InstructionInfoFactory::new(),
            found: BTreeSet::new(),
            calls: 0,
        };
        for (&start, block) in &blocks {
            let all = before.get(&start).map_or(&[][..], Vec::as_slice);
            let known: Vec<&State> = all.iter().filter_map(|b| ends.get(b)).collect();
            let mut state = known.first().map_or_else(State::default, |s| (*s).clone());
            for other in known.iter().skip(1) {
                state.registers.retain(|r, v| other.registers.get(r) == Some(v));
                state.elements.retain(|p, m| other.elements.get(p) == Some(m));
            }
            if known.len() < all.len() {
                // of a block before nothing is known yet; it leaves the stack pointer as it is
                state.registers.retain(|r, _| *r == Register::RSP);
                state.elements.clear();
            }
            let frame = run.fresh();
            state.registers.entry(Register::RSP).or_insert(Value::Place(frame, 0));
            run.state = state;
            run.found.clear();
            for i in &block.code {
                run.step(i);
            }
            if !run.found.is_empty() {
                out.insert((start, what), run.found.len());
            }
            ends.insert(start, std::mem::take(&mut run.state));
        }
    }
    Ok(out)
}
