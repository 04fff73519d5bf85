//! Vector instructions as lane operations.

use iced_x86::{Instruction, Mnemonic as M, OpKind, Register};

use super::graph::{Node, Op, Origin, Value};
use super::lift::{Lifter, replicated};

/// Instructions that move whole words, and their data operands.
fn moves_words(i: &Instruction) -> Option<&'static [u32]> {
    let n = i.op_count();
    let imm = if n > 0 && i.op_kind(n - 1) == OpKind::Immediate8 { i.immediate8() } else { 0 };
    Some(match i.mnemonic() {
        M::Vpermq if i.op_kind(2) == OpKind::Immediate8 => &[1],
        M::Vpermq => &[2],
        M::Vpshufd if matches!(imm, 0x4e | 0x44 | 0xee | 0xe4) => &[1],
        M::Vpalignr if imm == 8 => &[1, 2],
        M::Vpsrldq | M::Vpslldq if imm == 8 => &[1],
        M::Vshufi64x2 | M::Vpunpcklqdq | M::Vpunpckhqdq | M::Valignq | M::Vperm2i128 => &[1, 2],
        M::Vinserti64x4 | M::Vinserti32x4 | M::Vinserti128 | M::Vinserti64x2 => &[1, 2],
        M::Vpermt2q => &[0, 2],
        M::Vpermi2q => &[1, 2],
        M::Vextracti64x4 | M::Vextracti32x4 | M::Vextracti128 | M::Vextracti64x2 => &[1],
        M::Vpexpandq | M::Vmovq => &[1],
        M::Vpbroadcastq | M::Vbroadcasti64x4 | M::Vbroadcasti32x4 | M::Vbroadcasti128 => &[1],
        _ => return None,
    })
}

/// The source and its lane that an instruction takes for a lane of its result, or a zero; none where that is not known.
fn place(
    i: &Instruction,
    (width, k): (usize, usize),
    widths: &[usize],
    index: &[u64; 8],
) -> Option<Option<(usize, usize)>> {
    let immediate = i.op_kind(i.op_count() - 1) == OpKind::Immediate8;
    let imm = if immediate { usize::from(i.immediate8()) } else { 0 };
    Some(Some(match i.mnemonic() {
        M::Vpermq if immediate => (0, k / 4 * 4 + (imm >> (2 * (k % 4)) & 3)),
        M::Vpermq => (0, index[k] as usize % width),
        M::Vpermt2q | M::Vpermi2q => {
            let at = index[k] as usize % (2 * width);
            (at / width, at % width)
        }
        M::Vpunpcklqdq => (k % 2, k / 2 * 2),
        M::Vpunpckhqdq => (k % 2, k / 2 * 2 + 1),
        M::Vpalignr => match k % 2 {
            // the second source's upper word, and the first's lower one
            0 => (1, k + 1),
            _ => (0, k - 1),
        },
        M::Vshufi64x2 if width == 8 => (k / 4, 2 * (imm >> (2 * (k / 2)) & 3) + k % 2),
        M::Vextracti32x4 | M::Vextracti128 | M::Vextracti64x2 => (0, 2 * imm + k),
        M::Vextracti64x4 => (0, 4 * imm + k),
        M::Vinserti64x4 | M::Vinserti32x4 | M::Vinserti128 | M::Vinserti64x2 => {
            let part = widths[1];
            if k / part == imm { (1, k % part) } else { (0, k) }
        }
        M::Vbroadcasti64x4 | M::Vbroadcasti32x4 | M::Vbroadcasti128 => (0, k % widths[0]),
        M::Vmovq if k > 0 => return Some(None),
        M::Vmovq => (0, 0),
        _ => return None,
    }))
}

/// The operand that says where each word comes from, if it is a register.
fn index_operand(i: &Instruction) -> Option<u32> {
    match i.mnemonic() {
        M::Vpermq if i.op_kind(2) != OpKind::Immediate8 => Some(1),
        M::Vpermt2q => Some(1),
        M::Vpermi2q => Some(0),
        _ => None,
    }
}

impl Lifter<'_> {
    pub(super) fn mask(&mut self, r: Register, width: usize) -> Node {
        let n = self.vector(r, 8);
        match self.out.graph.constant(n) {
            Some(lanes) => self.out.graph.node(Value::Constant(replicated(lanes, width))),
            None => n,
        }
    }

    /// Vector instructions.
    pub(super) fn lanes(&mut self, i: &Instruction) -> bool {
        let moves = matches!(
            i.mnemonic(),
            M::Vmovdqa64
                | M::Vmovdqu64
                | M::Vmovdqa
                | M::Vmovdqu
                | M::Vmovaps
                | M::Vmovups
                | M::Vmovapd
                | M::Vmovupd
                | M::Vmovdqa32
                | M::Vmovdqu32
        );
        if moves && i.op0_kind() == OpKind::Memory {
            if i.op_mask() != Register::None {
                return false;
            }
            let width = i.op1_register().size() / 8;
            let n = self.vector(i.op1_register(), width);
            self.store_operand(i, 8 * width, n);
            return true;
        }
        if i.op0_kind() != OpKind::Register || !i.op0_register().is_vector_register() {
            return false;
        }
        let width = Self::width(i);
        let imm = || i.immediate8();
        let shift = |n: u32| i.op_kind(n) == OpKind::Immediate8 && i.immediate8() < 64;
        let words64 = !matches!(
            i.mnemonic(),
            M::Vmovdqa32
                | M::Vmovdqu32
                | M::Vmovaps
                | M::Vmovups
                | M::Vpandd
                | M::Vpord
                | M::Vpxord
                | M::Vandps
                | M::Vxorps
                | M::Vorps
                | M::Vpternlogd
                | M::Vpaddd
                | M::Vpsubd
                | M::Vpshufd
                | M::Vpsrlvd
                | M::Vpsrad
                | M::Vbroadcasti32x4
                | M::Vinserti32x4
                | M::Vextracti32x4
                | M::Vpalignr
        );
        let half = i.is_broadcast() && i.memory_size().element_size() != 8;
        if half || i.op_mask() != Register::None && !words64 {
            return false;
        }
        let two = |op: Op| Some((op, vec![1, 2]));
        let known = match i.mnemonic() {
            _ if moves => None,
            M::Vpaddq => two(Op::Add),
            M::Vpsubq => two(Op::Sub),
            M::Vpaddd => two(Op::AddPairs),
            M::Vpsubd => two(Op::SubPairs),
            M::Vpshufd if imm() == 0xb1 => Some((Op::Rol(32), vec![1])),
            M::Vpsrad if shift(2) && imm() < 32 => Some((Op::SraPairs(imm()), vec![1])),
            M::Vpsrlvd => return self.halves_shifted(i, width),
            M::Vpand | M::Vpandq | M::Vpandd | M::Vandps | M::Vandpd => two(Op::And),
            M::Vpor | M::Vporq | M::Vpord | M::Vorps | M::Vorpd => two(Op::Or),
            M::Vpxor | M::Vpxorq | M::Vpxord | M::Vxorps | M::Vxorpd => two(Op::Xor),
            M::Vpandn | M::Vpandnq | M::Vpandnd => two(Op::AndNot),
            M::Vpmuldq => two(Op::SignedHalves),
            M::Vpmuludq => two(Op::Halves),
            M::Vpsllvq => two(Op::SllEach),
            M::Vpmadd52luq => Some((Op::MulLow, vec![0, 1, 2])),
            M::Vpmadd52huq => Some((Op::MulHigh, vec![0, 1, 2])),
            M::Vpsrlq if shift(2) => Some((Op::Srl(imm()), vec![1])),
            M::Vpsraq if shift(2) => Some((Op::Sra(imm()), vec![1])),
            M::Vpsllq if shift(2) => Some((Op::Sll(imm()), vec![1])),
            M::Vprolq if shift(2) => Some((Op::Rol(imm()), vec![1])),
            M::Vpternlogq | M::Vpternlogd => Some((Op::Ternary(imm()), vec![0, 1, 2])),
            M::Vpblendmq => {
                let mask = self.mask(i.op_mask(), width);
                let (a, b) = (self.operand(i, 1, width), self.operand(i, 2, width));
                let a = if i.zeroing_masking() { self.out.graph.splat(0) } else { a };
                let n = self.out.graph.apply(Op::Select, &[mask, b, a]);
                self.set_vector(i.op0_register(), n, width);
                return true;
            }
            M::Vpblendd => {
                let m = imm();
                let pair = |k: usize| m >> (2 * k % 8) & 3;
                if (0..width).any(|k| !matches!(pair(k), 0 | 3)) {
                    return self.halves_blended(i, width);
                }
                let lanes =
                    std::array::from_fn(|k| if pair(k % width) == 3 { u64::MAX } else { 0 });
                let mask = self.out.graph.node(Value::Constant(lanes));
                let (a, b) = (self.operand(i, 1, width), self.operand(i, 2, width));
                let n = self.out.graph.apply(Op::Select, &[mask, b, a]);
                self.set_vector(i.op0_register(), n, width);
                return true;
            }
            M::Vpbroadcastq => return self.broadcast(i, width),
            M::Vpshufb => return self.shuffled(i, width),
            _ => return self.moved(i, width),
        };
        let n = match known {
            None => self.operand(i, 1, width),
            Some((op, operands)) => {
                let v: Vec<Node> = operands.iter().map(|&n| self.operand(i, n, width)).collect();
                let n = self.out.graph.apply(op, &v);
                if let (Op::Srl(k), Some(lanes)) = (op, self.out.partial.get(&v[0])) {
                    let lanes = lanes.map(|x| x.map(|x| x >> k));
                    self.out.partial.insert(n, lanes);
                }
                if matches!(op, Op::MulLow | Op::MulHigh | Op::SignedHalves | Op::Halves) {
                    self.out.products.push((i.ip(), n));
                }
                n
            }
        };
        self.set_masked(i, n, width);
        true
    }

    fn set_masked(&mut self, i: &Instruction, n: Node, width: usize) {
        let mut n = n;
        if i.op_mask() != Register::None {
            let mask = self.mask(i.op_mask(), width);
            let old = if i.zeroing_masking() {
                self.out.graph.splat(0)
            } else {
                self.vector(i.op0_register(), width)
            };
            n = self.out.graph.apply(Op::Select, &[mask, n, old]);
        }
        self.set_vector(i.op0_register(), n, width);
    }

    fn broadcast(&mut self, i: &Instruction, width: usize) -> bool {
        let n = match i.op1_kind() {
            OpKind::Memory => self.load(i, 8),
            _ if i.op1_register().is_gpr64() => {
                let n = self.gpr(i.op1_register());
                match self.out.graph.constant(n) {
                    Some(c) => self.out.graph.splat(c[0]),
                    None => self.out.graph.leaf(Origin::Result(0, 9, vec![n])),
                }
            }
            _ => {
                let n = self.vector(i.op1_register(), 2);
                match self.out.graph.constant(n) {
                    Some(c) => self.out.graph.splat(c[0]),
                    None => self.out.graph.leaf(Origin::Result(0, 8, vec![n])),
                }
            }
        };
        self.set_masked(i, n, width);
        true
    }

    /// Bytes in another order, where a constant moves whole words, or leaves zeros.
    fn shuffled(&mut self, i: &Instruction, width: usize) -> bool {
        let (n, by) = (self.operand(i, 1, width), self.operand(i, 2, width));
        let Some(by) = self.out.graph.constant(by) else { return false };
        let words = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        let clear = |x: u64| x & 0x8080_8080_8080_8080 == 0x8080_8080_8080_8080;
        if !by[..width].iter().all(|x| words.contains(x) || clear(*x)) {
            return false;
        }
        let zero = self.out.graph.splat(0);
        let kept = replicated(by.map(|x| if clear(x) { 0 } else { u64::MAX }), width);
        let mask = self.out.graph.node(Value::Constant(kept));
        let n = self.out.graph.leaf(Origin::Result(i.ip(), 0, vec![n, zero]));
        let n = self.out.graph.apply(Op::Select, &[mask, n, zero]);
        self.set_masked(i, n, width);
        true
    }

    /// The indices of an instruction that takes them from a vector; zeros for others.
    fn indices(&mut self, i: &Instruction, width: usize) -> Option<[u64; 8]> {
        let operand = match i.mnemonic() {
            M::Vpermq if i.op_kind(2) != OpKind::Immediate8 => 1,
            M::Vpermt2q => 1,
            M::Vpermi2q => 0,
            _ => return Some([0; 8]),
        };
        let n = self.operand(i, operand, width);
        self.out.graph.constant(n)
    }

    /// The source with zeros in the lanes that an instruction does not take from it, if those are known.
    fn taken(&mut self, i: &Instruction, width: usize, sources: &mut [Node], widths: &[usize]) {
        let Some(index) = self.indices(i, width) else { return };
        let all: Option<Vec<_>> =
            (0..width).map(|k| place(i, (width, k), widths, &index)).collect();
        let Some(all) = all else { return };
        for (n, source) in sources.iter_mut().enumerate() {
            let uses = |k: usize| all.contains(&Some((n, k % widths[n])));
            if !(0..widths[n]).all(uses) {
                let lanes = std::array::from_fn(|k| if uses(k) { u64::MAX } else { 0 });
                let (mask, zero) =
                    (self.out.graph.node(Value::Constant(lanes)), self.out.graph.splat(0));
                *source = self.out.graph.apply(Op::Select, &[mask, *source, zero]);
            }
        }
    }

    /// Halves of words, each shifted right by its own constant, the same in all lanes.
    fn halves_shifted(&mut self, i: &Instruction, width: usize) -> bool {
        let counts = self.operand(i, 2, width);
        let Some(c) = self.out.graph.constant(counts).filter(|c| *c == [c[0]; 8]) else {
            return false;
        };
        let (low, high) = (c[0] & 0xffff_ffff, c[0] >> 32);
        if low > 31 || high > 31 || i.is_broadcast() {
            return false;
        }
        let x = self.operand(i, 1, width);
        let g = &mut self.out.graph;
        let masks = [u64::from(u32::MAX >> low), u64::from(u32::MAX >> high) << 32];
        let mut halves = [x; 2];
        for (half, (count, mask)) in halves.iter_mut().zip([low, high].into_iter().zip(masks)) {
            let (shifted, mask) = (g.apply(Op::Srl(count as u8), &[x]), g.splat(mask));
            *half = g.apply(Op::And, &[shifted, mask]);
        }
        let n = g.apply(Op::Or, &halves);
        self.set_vector(i.op0_register(), n, width);
        true
    }

    /// Halves of words, each from one of two vectors.
    fn halves_blended(&mut self, i: &Instruction, width: usize) -> bool {
        let m = i.immediate8();
        let half = |k: usize| if m >> (k % 8) & 1 == 1 { u64::from(u32::MAX) } else { 0 };
        let chosen: [u64; 8] =
            std::array::from_fn(|k| half(2 * (k % width)) | half(2 * (k % width) + 1) << 32);
        let (a, b) = (self.operand(i, 1, width), self.operand(i, 2, width));
        let g = &mut self.out.graph;
        // low halves of a logical shift and high ones of an arithmetic one: an arithmetic shift of the word
        if let (Some((Op::Srl(k), v)), Some((Op::SraPairs(j), w))) = (g.lanes(a), g.lanes(b))
            && (k, v, chosen) == (j, w, [0xffff_ffff_0000_0000; 8])
            && k < 32
        {
            let n = g.apply(Op::Sra(k), &[v[0]]);
            self.set_vector(i.op0_register(), n, width);
            return true;
        }
        let (yes, no) =
            (g.node(Value::Constant(chosen)), g.node(Value::Constant(chosen.map(|x| !x))));
        let (a, b) = (g.apply(Op::And, &[no, a]), g.apply(Op::And, &[yes, b]));
        let n = g.apply(Op::Or, &[a, b]);
        self.set_vector(i.op0_register(), n, width);
        true
    }

    /// Words of constants in another order.
    fn known_moves(
        &mut self,
        i: &Instruction,
        width: usize,
        sources: &[Node],
        widths: &[usize],
    ) -> Option<[u64; 8]> {
        let known = |n: &Node| match self.out.graph.constant(*n) {
            Some(lanes) => Some(lanes.map(Some)),
            None => self.out.partial.get(n).copied(),
        };
        let c: Vec<[Option<u64>; 8]> = sources.iter().map(known).collect::<Option<_>>()?;
        let index = self.indices(i, width)?;
        let lane = |k: usize| -> Option<u64> {
            match place(i, (width, k), widths, &index)? {
                Some((source, at)) => *c.get(source)?.get(at)?,
                None => Some(0),
            }
        };
        let mut out = [0; 8];
        for (k, out) in out.iter_mut().enumerate().take(width) {
            *out = lane(k)?;
        }
        Some(replicated(out, width))
    }

    /// Words in another order: a leaf that names their sources.
    fn moved(&mut self, i: &Instruction, width: usize) -> bool {
        let Some(data) = moves_words(i) else { return false };
        let (mut sources, mut widths) = (Vec::new(), Vec::new());
        for &n in data {
            let from = match i.op_kind(n) {
                OpKind::Register if !i.op_register(n).is_vector_register() => return false,
                OpKind::Register => (i.op_register(n).size() / 8).max(1),
                _ => i.memory_size().size() / 8,
            };
            if from == 0 {
                return false;
            }
            let n = self.operand(i, n, from);
            widths.push(from);
            sources.push(n);
        }
        if let Some(lanes) = self.known_moves(i, width, &sources, &widths) {
            let n = self.out.graph.node(Value::Constant(lanes));
            self.set_masked(i, n, width);
            return true;
        }
        if i.mnemonic() == M::Vmovq && i.op1_kind() == OpKind::Register {
            let n = self.extended(sources[0], 1, width);
            self.set_masked(i, n, width);
            return true;
        }
        self.taken(i, width, &mut sources, &widths);
        sources.push(self.out.graph.splat(0));
        // the same instruction may have another index in another turn of a loop
        let by = match index_operand(i) {
            Some(n) => self.operand(i, n, width),
            None if i.op_mask() != Register::None => self.mask(i.op_mask(), width),
            None => 0,
        };
        let n = self.out.graph.leaf(Origin::Result(i.ip(), by, sources));
        self.set_masked(i, n, width);
        true
    }
}
