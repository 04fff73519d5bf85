//! Instructions that few functions have: sums and products of doubles, moves of doubles, signs, and products of whole words.

use iced_x86::{Instruction, Mnemonic as M, OpKind, Register, RoundingControl};

use super::graph::{Node, Op, Origin, Value};
use super::lift::{Lifted, Lifter, Store};

const LOW_51: u64 = (1 << 51) - 1;

/// Constants in lanes of doubles that functions keep in slots: of carries, of conversions, and limbs of 256p and of 512p.
const KEPT: [u64; 8] = [
    19,
    LOW_51,
    1075 << 52,
    1075 << 52 | 1 << 63,
    (LOW_51 - 18) << 8,
    LOW_51 << 8,
    (LOW_51 - 18) << 9,
    LOW_51 << 9,
];

impl Lifted {
    /// Whether a store leaves such a constant in a slot of the frame.
    pub(super) fn keeps(&self, s: &Store) -> bool {
        let constant = |n: Node| KEPT.iter().any(|&x| self.graph.constant(n) == Some([x; 8]));
        let slot = self.frames.contains(&s.base.0) && s.base.1.is_none() && s.size >= 32;
        slot && s.node.is_some_and(constant)
    }
}

impl Lifter<'_> {
    /// Memory may be anything, but for slots that hold such a constant.
    pub(super) fn forget_but_constants(&mut self) {
        let mut memory = std::mem::take(&mut self.out.memory);
        memory.retain(|s| self.out.keeps(s));
        self.out.memory = memory;
        self.out.changes.push(None);
    }

    /// Such an instruction; false if it is none.
    pub(super) fn special(&mut self, i: &Instruction) -> bool {
        if i.mnemonic() == M::Vpmovq2m && i.op1_register().is_zmm() {
            let n = self.vector(i.op1_register(), 8);
            let n = self.out.graph.apply(Op::Sign, &[n]);
            self.out.registers.insert(i.op0_register(), (n, 8));
            return true;
        }
        let vector = i.op0_kind() == OpKind::Register && i.op0_register().is_vector_register();
        if !vector || i.op_mask() != Register::None || i.rounding_control() != RoundingControl::None
        {
            return false;
        }
        let (op, operands): (Op, &[u32]) = match i.mnemonic() {
            M::Vaddpd => (Op::AddDoubles, &[1, 2]),
            M::Vsubpd => (Op::SubDoubles, &[1, 2]),
            M::Vfmadd132pd => (Op::Fused, &[0, 2, 1]),
            M::Vfmadd213pd => (Op::Fused, &[1, 0, 2]),
            M::Vfmadd231pd => (Op::Fused, &[1, 2, 0]),
            M::Vpmullq => (Op::Times, &[1, 2]),
            M::Vpabsq => (Op::Abs, &[1]),
            _ => return self.halves_of_two(i) || self.moved_doubles(i),
        };
        let width = Self::width(i);
        let v: Vec<Node> = operands.iter().map(|&n| self.operand(i, n, width)).collect();
        let n = self.out.graph.apply(op, &v);
        if op == Op::Fused {
            self.out.products.push((i.ip(), n));
        }
        self.set_vector(i.op0_register(), n, width);
        true
    }

    /// Doubles in another order: a leaf that names their sources.
    fn moved_doubles(&mut self, i: &Instruction) -> bool {
        let width = Self::width(i);
        let data: &[u32] = match i.mnemonic() {
            M::Vbroadcastsd if i.op1_kind() == OpKind::Memory => {
                let n = self.load(i, 8);
                self.set_vector(i.op0_register(), n, width);
                return true;
            }
            M::Vunpcklpd | M::Vunpckhpd | M::Vblendpd | M::Vperm2f128 | M::Vinsertf128 => &[1, 2],
            M::Vshufpd => &[1, 2],
            M::Vpermpd if i.op_kind(2) == OpKind::Immediate8 => &[1],
            M::Vbroadcastsd | M::Vbroadcastf128 | M::Vextractf128 | M::Vmovddup => &[1],
            _ => return false,
        };
        let mut sources = Vec::new();
        for &n in data {
            let from = match i.op_kind(n) {
                OpKind::Register => i.op_register(n).size() / 8,
                _ => i.memory_size().size() / 8,
            };
            if from == 0 {
                return false;
            }
            sources.push(self.operand(i, n, from));
        }
        sources.push(self.out.graph.splat(0));
        let n = self.out.graph.leaf(Origin::Result(i.ip(), 0, sources));
        self.set_vector(i.op0_register(), n, width);
        true
    }

    /// Words of 32 bits of two vectors, where each word of 64 bits takes those of its own place.
    fn halves_of_two(&mut self, i: &Instruction) -> bool {
        let width = Self::width(i);
        if i.mnemonic() != M::Vpermi2d || width != 8 {
            return false;
        }
        let index = self.vector(i.op0_register(), width);
        let Some(index) = self.out.graph.constant(index) else { return false };
        let of_own_place = |k: usize, x: u64| x >> 1 & 7 == k as u64 && x < 32;
        let local =
            |(k, x): (usize, &u64)| of_own_place(k, x & 0xffff_ffff) && of_own_place(k, x >> 32);
        // the vector and the half, which are the same in all places
        let kind = |x: u64| (x >> 4 & 1, x & 1);
        let same = |x: &u64| {
            kind(x & 0xffff_ffff) == kind(index[0] & 0xffff_ffff)
                && kind(x >> 32) == kind(index[0] >> 32)
        };
        if !index.iter().enumerate().all(local) || !index.iter().all(same) {
            return false;
        }
        let from = [self.operand(i, 1, width), self.operand(i, 2, width)];
        let g = &mut self.out.graph;
        let ((a, low), (b, high)) = (kind(index[0] & 0xffff_ffff), kind(index[0] >> 32));
        let (a, b) = (from[a as usize], from[b as usize]);
        let masks = [0xffff_ffff, 0xffff_ffff << 32].map(|x| g.node(Value::Constant([x; 8])));
        let low = match low {
            0 => g.apply(Op::And, &[a, masks[0]]),
            _ => g.apply(Op::Srl(32), &[a]),
        };
        let high = match high {
            0 => g.apply(Op::Sll(32), &[b]),
            _ => g.apply(Op::And, &[b, masks[1]]),
        };
        let n = g.apply(Op::Or, &[low, high]);
        self.set_vector(i.op0_register(), n, width);
        true
    }
}
