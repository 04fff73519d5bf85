//! Instructions as operations of the graph. What has no rule here makes everything that it writes new.

use iced_x86::{
    ConditionCode, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register,
};

use super::graph::{Graph, Node, Op, Origin};
use super::state::{State, low, width};
use crate::image::Image;

/// A multiply instruction that ran: its address, and the nodes of its result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Product {
    /// Its address.
    pub address: u64,
    /// Low word, and high word where there is one.
    pub halves: Vec<Node>,
}

/// Lifts instructions into a graph.
pub struct Lifter<'a> {
    image: &'a Image,
    info: InstructionInfoFactory,
    /// The graph.
    pub graph: Graph,
    /// Multiplications of words.
    pub products: Vec<Product>,
    /// Address of the instruction that a node was first computed by.
    pub made_at: Vec<u64>,
}

/// Whether an instruction only moves vectors.
fn moves(m: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        m,
        M::Movaps
            | M::Movups
            | M::Movdqa
            | M::Movdqu
            | M::Movapd
            | M::Movupd
            | M::Vmovaps
            | M::Vmovups
            | M::Vmovdqa
            | M::Vmovdqu
            | M::Vmovdqa64
            | M::Vmovdqu64
            | M::Vmovapd
            | M::Vmovupd
    )
}

/// Whether an instruction makes a vector 0 if its sources are one register.
fn clears(m: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        m,
        M::Xorps | M::Pxor | M::Vxorps | M::Vpxor | M::Vpxord | M::Vpxorq | M::Xorpd | M::Vxorpd
    )
}

impl<'a> Lifter<'a> {
    /// With an empty graph.
    pub fn new(image: &'a Image) -> Self {
        Self {
            image,
            info: InstructionInfoFactory::new(),
            graph: Graph::default(),
            products: Vec::new(),
            made_at: Vec::new(),
        }
    }

    /// Runs an instruction that is no branch.
    pub fn step(&mut self, s: &mut State, i: &Instruction) {
        if matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall) {
            self.call(s);
        } else if self.known(s, i).is_none() {
            self.unknown(s, i);
        }
        self.made_at.resize(self.graph.nodes().count(), i.ip());
    }

    /// Registers that a callee may change are new, and so is all memory.
    fn call(&mut self, s: &mut State) {
        use Register::{R8, R9, R10, R11, RAX, RCX, RDI, RDX, RSI};
        for r in [RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11] {
            s.forget(&mut self.graph, r);
        }
        for r in Register::values().filter(|r| r.is_zmm()) {
            s.forget(&mut self.graph, r);
        }
        s.forget_memory();
        (s.carry, s.result) = (None, None);
    }

    fn unknown(&mut self, s: &mut State, i: &Instruction) {
        let info = self.info.info(i).clone();
        for m in info.used_memory() {
            let writes =
                !matches!(m.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess);
            if writes {
                let size = m.memory_size().size();
                if size == 0
                    || i.op_count() > 0
                        && !(0..i.op_count()).any(|n| i.op_kind(n) == OpKind::Memory)
                {
                    s.forget_memory();
                } else {
                    s.forget_place(&mut self.graph, i, size);
                }
            }
        }
        for r in info.used_registers() {
            if !matches!(r.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess) {
                s.forget(&mut self.graph, r.register());
            }
        }
        if i.rflags_modified() != 0 {
            (s.carry, s.result) = (None, None);
        }
    }

    fn flag(&mut self, flag: Option<Node>) -> Node {
        flag.unwrap_or_else(|| self.graph.leaf(Origin::Result, 1))
    }

    /// The condition of a SETcc, a CMOVcc or a Jcc, as a bit.
    pub fn condition(&mut self, s: &State, i: &Instruction) -> Node {
        use ConditionCode as C;
        let g = &mut self.graph;
        let zero = s.result.map(|(r, _)| g.make(Op::IsZero, &[r]));
        let sign = s.result.map(|(r, w)| g.make(Op::Shr(w as u8 - 1), &[r]));
        let either = match (s.carry, zero) {
            (Some(a), Some(b)) => Some(g.make(Op::Or, &[a, b])),
            _ => None,
        };
        let code = i.condition_code();
        let bit = match code {
            C::b | C::ae => s.carry,
            C::e | C::ne => zero,
            C::be | C::a => either,
            C::s | C::ns => sign,
            _ => None,
        };
        let bit = self.flag(bit);
        match code {
            C::ae | C::ne | C::a | C::ns => self.graph.not_bit(bit),
            _ => bit,
        }
    }

    /// Sum or difference of operands of a width, and the carry.
    fn sum(&mut self, plus: bool, w: u32, v: [Node; 3]) -> (Node, Node) {
        let g = &mut self.graph;
        if !plus {
            let r = g.make(Op::Sub, &v);
            return (low(g, r, w), g.make(Op::Borrow, &v));
        }
        if w == 64 {
            return (g.make(Op::Add, &v), g.make(Op::Carry, &v));
        }
        let ones = (1 << w) - 1;
        // a bit plus all ones
        if g.bits(v[0]) == 1 && g.known(v[1]) == Some(ones) && g.known(v[2]) == Some(0) {
            let r = g.make(Op::Add, &v);
            return (low(g, r, w), v[0]);
        }
        let r = g.make(Op::Add, &v);
        let high = g.make(Op::Shr(w as u8), &[r]);
        let one = g.constant(1);
        (low(g, r, w), g.make(Op::And, &[high, one]))
    }

    /// Runs an instruction that has a rule.
    fn known(&mut self, s: &mut State, i: &Instruction) -> Option<()> {
        use Mnemonic as M;
        let image = self.image;
        let m = i.mnemonic();
        if i.has_lock_prefix()
            || i.has_rep_prefix()
            || i.has_repne_prefix()
            || i.segment_prefix() != Register::None
        {
            return None;
        }
        if moves(m) {
            return self.moved(s, i);
        }
        if clears(m) {
            let n = i.op_count();
            if i.has_op_mask()
                || i.op_kind(n - 1) != OpKind::Register
                || i.op_register(n - 1) != i.op_register(n - 2)
            {
                return None;
            }
            let zero = self.graph.constant(0);
            let lanes = if m == M::Pxor || m == M::Xorps || m == M::Xorpd { 2 } else { 8 };
            s.set_vector(i.op_register(0), vec![zero; lanes]);
            return Some(());
        }
        match m {
            M::Nop | M::Endbr64 | M::Vzeroupper => return Some(()),
            _ => {}
        }
        if i.op_count() == 0 || i.op_kind(0) == OpKind::Register && !i.op_register(0).is_gpr() {
            return None;
        }
        let w = width(i, 0);
        let g = &mut self.graph;
        let zero = g.constant(0);
        match m {
            M::Mov | M::Movzx => {
                if i.op_kind(1) == OpKind::Register && !i.op_register(1).is_gpr() {
                    return None;
                }
                let n = s.operand(g, image, i, 1);
                s.set_operand(g, i, 0, n);
            }
            M::Lea => {
                let at = s.address(g, i);
                let at = low(g, at, w);
                s.set_operand(g, i, 0, at);
            }
            M::Push => {
                let n = s.operand(g, image, i, 0);
                let sp = s.full(g, Register::RSP);
                let sp = g.offset(sp, -8);
                s.set(g, Register::RSP, sp);
                s.store(g, sp, 8, n);
            }
            M::Pop => {
                let sp = s.full(g, Register::RSP);
                let n = s.load(g, image, sp, 8);
                let sp = g.offset(sp, 8);
                s.set(g, Register::RSP, sp);
                s.set_operand(g, i, 0, n);
            }
            M::Add | M::Adc | M::Sub | M::Sbb | M::Cmp | M::Neg | M::Inc | M::Dec => {
                let plus = matches!(m, M::Add | M::Adc | M::Inc);
                let a = s.operand(g, image, i, 0);
                let b = if i.op_count() > 1 { s.operand(g, image, i, 1) } else { g.constant(1) };
                let carry = if matches!(m, M::Adc | M::Sbb) { self.flag(s.carry) } else { zero };
                let v = if m == M::Neg { [zero, a, zero] } else { [a, b, carry] };
                let (r, c) = self.sum(plus, w, v);
                if !matches!(m, M::Inc | M::Dec) {
                    s.carry = Some(c);
                }
                s.result = Some((r, w));
                if m != M::Cmp {
                    s.set_operand(&mut self.graph, i, 0, r);
                }
            }
            M::Adcx => {
                let (a, b) = (s.operand(g, image, i, 0), s.operand(g, image, i, 1));
                let carry = self.flag(s.carry);
                let (r, c) = self.sum(true, w, [a, b, carry]);
                s.carry = Some(c);
                s.set_operand(&mut self.graph, i, 0, r);
            }
            M::Mulx if w == 64 => {
                let (a, b) = (s.full(g, Register::RDX), s.operand(g, image, i, 2));
                let halves = [g.make(Op::MulLow, &[a, b]), g.make(Op::MulHigh, &[a, b])];
                s.set(g, i.op_register(1), halves[0]);
                s.set(g, i.op_register(0), halves[1]);
                self.products.push(Product { address: i.ip(), halves: halves.to_vec() });
            }
            M::Mul if w == 64 => {
                let (a, b) = (s.full(g, Register::RAX), s.operand(g, image, i, 0));
                let halves = [g.make(Op::MulLow, &[a, b]), g.make(Op::MulHigh, &[a, b])];
                s.set(g, Register::RAX, halves[0]);
                s.set(g, Register::RDX, halves[1]);
                (s.carry, s.result) = (None, None);
                self.products.push(Product { address: i.ip(), halves: halves.to_vec() });
            }
            M::Imul if w == 64 && i.op_count() > 1 => {
                let n = i.op_count();
                let (a, b) = (s.operand(g, image, i, n - 2), s.operand(g, image, i, n - 1));
                let r = g.make(Op::MulLow, &[a, b]);
                s.set_operand(g, i, 0, r);
                (s.carry, s.result) = (None, None);
                self.products.push(Product { address: i.ip(), halves: vec![r] });
            }
            M::And | M::Or | M::Xor | M::Test => {
                let (a, b) = (s.operand(g, image, i, 0), s.operand(g, image, i, 1));
                let op = match m {
                    M::Or => Op::Or,
                    M::Xor => Op::Xor,
                    _ => Op::And,
                };
                let sp = m == M::And
                    && i.op_kind(0) == OpKind::Register
                    && i.op_register(0) == Register::RSP;
                let r = g.make(op, &[a, b]);
                if sp {
                    s.frames.insert(r);
                }
                (s.carry, s.result) = (Some(zero), Some((r, w)));
                if m != M::Test {
                    s.set_operand(g, i, 0, r);
                }
            }
            M::Not => {
                let a = s.operand(g, image, i, 0);
                let ones = g.constant(u64::MAX);
                let r = g.make(Op::Xor, &[a, ones]);
                let r = low(g, r, w);
                s.set_operand(g, i, 0, r);
            }
            M::Shl | M::Shr | M::Shlx | M::Shrx | M::Shld | M::Shrd => self.shift(s, i, w)?,
            _ if i.condition_code() != ConditionCode::None && i.op_count() == 1 && w == 8 => {
                let bit = self.condition(s, i);
                s.set_operand(&mut self.graph, i, 0, bit);
            }
            _ if i.condition_code() != ConditionCode::None && i.op_count() == 2 => {
                let (a, b) = (s.operand(g, image, i, 1), s.operand(g, image, i, 0));
                let bit = self.condition(s, i);
                let r = self.graph.make(Op::Select, &[bit, a, b]);
                s.set_operand(&mut self.graph, i, 0, r);
            }
            _ => return None,
        }
        Some(())
    }

    fn shift(&mut self, s: &mut State, i: &Instruction, w: u32) -> Option<()> {
        use Mnemonic as M;
        let (g, image) = (&mut self.graph, self.image);
        let m = i.mnemonic();
        let double = matches!(m, M::Shld | M::Shrd);
        let apart = matches!(m, M::Shlx | M::Shrx);
        let by = if double || apart {
            Some(s.operand(g, image, i, 2))
        } else if i.op_count() == 2 {
            Some(s.operand(g, image, i, 1))
        } else {
            None
        };
        let k = match by {
            Some(n) => g.known(n)? as u32 & if w == 64 { 63 } else { 31 },
            None => 1,
        };
        if k == 0 || k >= w || double && w != 64 {
            return None;
        }
        let a = s.operand(g, image, i, u32::from(apart));
        let r = match m {
            M::Shl | M::Shlx => {
                let kept = low(g, a, w - k);
                g.make(Op::Shl(k as u8), &[kept])
            }
            M::Shr | M::Shrx => g.make(Op::Shr(k as u8), &[a]),
            M::Shld => {
                let b = s.operand(g, image, i, 1);
                g.make(Op::Funnel(k as u8), &[a, b])
            }
            _ => {
                let b = s.operand(g, image, i, 1);
                g.make(Op::Funnel(64 - k as u8), &[b, a])
            }
        };
        if !apart {
            s.carry = None;
            s.result = Some((r, w));
        }
        s.set_operand(g, i, 0, r);
        Some(())
    }

    /// Moves of whole vectors.
    fn moved(&mut self, s: &mut State, i: &Instruction) -> Option<()> {
        let (g, image) = (&mut self.graph, self.image);
        let size = match (i.op_kind(0), i.op_kind(1)) {
            _ if i.op_count() != 2 || i.has_op_mask() => return None,
            (OpKind::Register, _) => i.op_register(0).size(),
            (_, OpKind::Register) => i.op_register(1).size(),
            _ => return None,
        };
        let lanes = match i.op_kind(1) {
            OpKind::Register => s.vector(g, i.op_register(1)),
            _ => {
                let at = s.address(g, i);
                let mut load = |k: usize| {
                    let at = g.offset(at, 8 * k as i64);
                    s.load(g, image, at, 8)
                };
                (0..size / 8).map(&mut load).collect()
            }
        };
        if i.op_kind(0) == OpKind::Register {
            s.set_vector(i.op_register(0), lanes);
        } else {
            let at = s.address(g, i);
            for (k, n) in lanes.into_iter().enumerate() {
                let at = g.offset(at, 8 * k as i64);
                s.store(g, at, 8, n);
            }
        }
        Some(())
    }
}
