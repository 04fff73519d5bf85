//! General instructions that move, or add to addresses and constants.

use iced_x86::{Instruction, Mnemonic as M, OpKind, Register};

use super::graph::Value;
use super::lift::Lifter;

impl Lifter<'_> {
    /// Moves and sums of addresses.
    pub(super) fn simple(&mut self, i: &Instruction) -> bool {
        let register = |n: u32| i.op_kind(n) == OpKind::Register && i.op_register(n).is_gpr64();
        match i.mnemonic() {
            M::Nop | M::Endbr64 => true,
            M::Vzeroupper => {
                let clears = |r: &Register| r.is_zmm() && r.number() < 16;
                for r in Register::values().filter(clears) {
                    let n = self.vector(r, 2);
                    self.set_vector(r, n, 2);
                }
                true
            }
            M::Mov if register(0) && register(1) => {
                let n = self.gpr(i.op1_register());
                self.out.registers.insert(i.op0_register(), (n, 1));
                true
            }
            M::Mov if register(0) && i.op1_kind() == OpKind::Memory => {
                let n = self.load(i, 8);
                self.out.registers.insert(i.op0_register(), (n, 1));
                true
            }
            M::Mov if register(1) && i.op0_kind() == OpKind::Memory => {
                let n = self.gpr(i.op1_register());
                self.store_operand(i, 8, n);
                true
            }
            M::Mov
                if i.op0_kind() == OpKind::Register
                    && i.op0_register().size() >= 4
                    && i.try_immediate(1).is_ok() =>
            {
                let mut x = i.immediate(1);
                if i.op0_register().size() == 4 {
                    x &= 0xffff_ffff;
                }
                let n = self.out.graph.splat(x);
                self.out.registers.insert(i.op0_register().full_register(), (n, 1));
                true
            }
            M::Xor
                if i.op0_kind() == OpKind::Register
                    && i.op1_kind() == OpKind::Register
                    && i.op0_register() == i.op1_register()
                    && i.op0_register().size() >= 4 =>
            {
                let n = self.out.graph.splat(0);
                self.out.registers.insert(i.op0_register().full_register(), (n, 1));
                true
            }
            M::Lea
                if register(0)
                    && i.memory_index() == Register::None
                    && i.memory_base().is_gpr64() =>
            {
                let n = self.gpr(i.memory_base());
                let n = self.out.graph.offset(n, i.memory_displacement64() as i64);
                self.out.registers.insert(i.op0_register(), (n, 1));
                true
            }
            M::Add | M::Sub if register(0) && i.try_immediate(1).is_ok() => {
                let by = i.immediate(1) as i64;
                let by = if i.mnemonic() == M::Add { by } else { by.wrapping_neg() };
                let n = self.gpr(i.op0_register());
                let n = self.out.graph.offset(n, by);
                self.out.registers.insert(i.op0_register(), (n, 1));
                true
            }
            M::And if i.op0_register() == Register::RSP && i.try_immediate(1).is_ok() => {
                let n = self.fresh(i, 0);
                self.out.frames.push(n);
                self.out.registers.insert(Register::RSP, (n, 1));
                true
            }
            M::Push if register(0) => {
                let n = self.gpr(i.op0_register());
                let sp = self.gpr(Register::RSP);
                let sp = self.out.graph.offset(sp, -8);
                self.out.registers.insert(Register::RSP, (sp, 1));
                let (base, at) = self.out.graph.place(sp);
                self.store((base, None), at, 8, Some(n));
                true
            }
            M::Pop if register(0) => {
                let sp = self.gpr(Register::RSP);
                let sp = self.out.graph.offset(sp, 8);
                let n = self.fresh(i, 0);
                self.out.registers.insert(i.op0_register(), (n, 1));
                self.out.registers.insert(Register::RSP, (sp, 1));
                true
            }
            M::Vmovq if register(1) && i.op0_kind() == OpKind::Register => {
                let n = self.gpr(i.op1_register());
                let Some(c) = self.out.graph.constant(n) else { return false };
                let lanes = [c[0], 0, c[0], 0, c[0], 0, c[0], 0];
                let n = self.out.graph.node(Value::Constant(lanes));
                self.out.registers.insert(i.op0_register().full_register(), (n, 2));
                true
            }
            M::Vmovq | M::Vpextrq if register(0) && i.op1_kind() == OpKind::Register => {
                let n = self.vector(i.op1_register(), 2);
                let Some(c) = self.out.graph.constant(n) else { return false };
                let lane = if i.mnemonic() == M::Vpextrq { i.immediate8() & 1 } else { 0 };
                let n = self.out.graph.splat(c[usize::from(lane)]);
                self.out.registers.insert(i.op0_register(), (n, 1));
                true
            }
            M::Shld | M::Shrd
                if register(0) && register(1) && i.op2_kind() == OpKind::Immediate8 =>
            {
                let (a, b) = (self.gpr(i.op0_register()), self.gpr(i.op1_register()));
                let (Some(a), Some(b)) = (self.out.graph.constant(a), self.out.graph.constant(b))
                else {
                    return false;
                };
                let k = u32::from(i.immediate8()) & 63;
                let n = match (k, i.mnemonic()) {
                    (0, _) => a[0],
                    (k, M::Shld) => a[0] << k | b[0] >> (64 - k),
                    (k, _) => a[0] >> k | b[0] << (64 - k),
                };
                let n = self.out.graph.splat(n);
                self.out.registers.insert(i.op0_register(), (n, 1));
                true
            }
            M::Kmovb | M::Kmovw | M::Kmovd | M::Kmovq
                if i.op0_kind() == OpKind::Register
                    && i.op0_register().is_k()
                    && i.op1_kind() == OpKind::Register
                    && i.op1_register().is_gpr() =>
            {
                let n = self.gpr(i.op1_register());
                let mask = match self.out.graph.constant(n) {
                    Some(c) => {
                        let lanes =
                            std::array::from_fn(|k| if c[0] >> k & 1 == 1 { u64::MAX } else { 0 });
                        self.out.graph.node(Value::Constant(lanes))
                    }
                    None => self.fresh(i, 0),
                };
                self.out.registers.insert(i.op0_register(), (mask, 8));
                true
            }
            M::Vpcmpuq if i.op0_register().is_k() && i.op_mask() == Register::None => {
                let width = i.op1_register().size() / 8;
                let (a, b) = (self.operand(i, 1, width), self.operand(i, 2, width));
                let (a, b) = (self.out.graph.constant(a), self.out.graph.constant(b));
                let (Some(a), Some(b)) = (a, b) else { return false };
                let holds = |a: u64, b: u64| match i.immediate8() & 7 {
                    0 => a == b,
                    1 => a < b,
                    2 => a <= b,
                    3 => false,
                    4 => a != b,
                    5 => a >= b,
                    6 => a > b,
                    _ => true,
                };
                let lanes =
                    std::array::from_fn(
                        |k| {
                            if k < width && holds(a[k], b[k]) { u64::MAX } else { 0 }
                        },
                    );
                let mask = self.out.graph.node(Value::Constant(lanes));
                self.out.registers.insert(i.op0_register(), (mask, 8));
                true
            }
            _ => false,
        }
    }
}
