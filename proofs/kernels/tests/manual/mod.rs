//! A second interpreter of vector instructions, by elements as the manual's pseudo-code has them. It shares nothing with the rules of `flow`, and
//! stands for the CPU where that lacks an instruction.

use iced_x86::{Instruction, Mnemonic as M, OpKind, Register};
use kernels::cosimulation::{GENERAL, State};

/// The state after an instruction, from the bytes that its memory operand has; none where it is not interpreted here.
pub fn after(i: &Instruction, before: &State, memory: &[u8]) -> Option<State> {
    Manual { i, before, memory }.run()
}

struct Manual<'a> {
    i: &'a Instruction,
    before: &'a State,
    memory: &'a [u8],
}

/// Elements of some bits each, the lowest first.
type Elements = Vec<u64>;

fn elements(bytes: &[u8], bits: usize) -> Elements {
    let element = |b: &[u8]| b.iter().rev().fold(0u64, |n, x| n << 8 | u64::from(*x));
    bytes.chunks(bits / 8).map(element).collect()
}

fn low(bits: usize, x: u64) -> u64 {
    if bits == 64 { x } else { x & ((1 << bits) - 1) }
}

fn signed(bits: usize, x: u64) -> i64 {
    (x << (64 - bits)) as i64 >> (64 - bits)
}

/// Zero where the count is as large as the element.
fn shifted(bits: u64, count: u64, x: u64) -> u64 {
    if count < bits { x } else { 0 }
}

impl Manual<'_> {
    fn register(&self, r: Register) -> Option<Vec<u8>> {
        if r.is_vector_register() {
            let words = &self.before.registers.vectors[r.full_register().number()];
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            return Some(bytes[..r.size()].to_vec());
        }
        let n = GENERAL.iter().position(|g| *g == r.full_register())?;
        Some(self.before.registers.general[n].to_le_bytes()[..r.size()].to_vec())
    }

    /// An operand of so many bytes.
    fn bytes(&self, n: u32, size: usize) -> Option<Vec<u8>> {
        match self.i.op_kind(n) {
            OpKind::Register => Some(self.register(self.i.op_register(n))?.get(..size)?.to_vec()),
            OpKind::Memory if self.i.is_broadcast() => {
                let one = self.memory.get(..self.i.memory_size().element_size())?;
                Some(one.iter().copied().cycle().take(size).collect())
            }
            OpKind::Memory => Some(self.memory.get(..size)?.to_vec()),
            _ => None,
        }
    }

    fn source(&self, n: u32, bits: usize) -> Option<Elements> {
        Some(elements(&self.bytes(n, self.size())?, bits))
    }

    /// Bytes of the destination.
    fn size(&self) -> usize {
        self.i.op0_register().size()
    }

    fn mask_bit(&self, k: usize) -> bool {
        match self.i.op_mask() {
            Register::None => true,
            r => self.before.registers.masks[r.number()] >> k & 1 == 1,
        }
    }

    fn run(&self) -> Option<State> {
        let i = self.i;
        let mut after = self.before.clone();
        if i.op0_kind() == OpKind::Memory {
            let at = self.address()?.wrapping_sub(self.before.address) as usize;
            let bytes = match i.mnemonic() {
                m if moved(m).is_some() && i.op_mask() == Register::None => {
                    self.register(i.op1_register())?
                }
                M::Vmovq | M::Vmovsd | M::Vmovlps => self.register(i.op1_register())?[..8].to_vec(),
                _ => return None,
            };
            after.memory.get_mut(at..at + bytes.len())?.copy_from_slice(&bytes);
            return Some(after);
        }
        if i.mnemonic() == M::Vpmovq2m {
            let words = elements(&self.register(i.op1_register())?, 64);
            let bits = words.iter().enumerate().map(|(k, x)| x >> 63 << k);
            after.registers.masks[i.op0_register().number()] = bits.sum();
            return Some(after);
        }
        if i.op0_register().is_k() {
            let bits = match i.mnemonic() {
                M::Kmovb => 8,
                M::Kmovw => 16,
                M::Kmovd => 32,
                M::Kmovq => 64,
                _ => return None,
            };
            let from = i.op1_register();
            let word = match i.op1_kind() {
                OpKind::Register if from.is_k() => self.before.registers.masks[from.number()],
                OpKind::Register => elements(&self.register(from)?, 64)[0],
                _ => return None,
            };
            after.registers.masks[i.op0_register().number()] = low(bits, word);
            return Some(after);
        }
        if !i.op0_register().is_vector_register() {
            return None;
        }
        let (bits, result) = self.result()?;
        let old = elements(&self.register(i.op0_register())?, bits);
        let merged = (0..self.size() * 8 / bits).map(|k| {
            if self.mask_bit(k) || i.mnemonic() == M::Vpblendmq {
                result[k]
            } else if i.zeroing_masking() {
                0
            } else {
                old[k]
            }
        });
        let mut bytes: Vec<u8> =
            merged.flat_map(|x| x.to_le_bytes()[..bits / 8].to_vec()).collect();
        bytes.resize(64, 0);
        let out = &mut after.registers.vectors[i.op0_register().full_register().number()];
        out.copy_from_slice(&elements(&bytes, 64));
        Some(after)
    }

    fn address(&self) -> Option<u64> {
        let general = |r: Register| {
            let n = GENERAL.iter().position(|g| *g == r)?;
            Some(self.before.registers.general[n])
        };
        let index = match self.i.memory_index() {
            Register::None => 0,
            r => general(r)?.wrapping_mul(u64::from(self.i.memory_index_scale())),
        };
        let base = general(self.i.memory_base())?;
        Some(base.wrapping_add(index).wrapping_add(self.i.memory_displacement64()))
    }

    /// Bits of an element, by which masks count, and the elements.
    fn result(&self) -> Option<(usize, Elements)> {
        let i = self.i;
        let bits = element_bits(i.mnemonic())?;
        let last = i.op_count().checked_sub(1)?;
        let immediate = (i.op_kind(last) == OpKind::Immediate8).then(|| u64::from(i.immediate8()));
        let imm = immediate.unwrap_or(0);
        if moved(i.mnemonic()).is_some() {
            return Some((bits, self.source(1, bits)?));
        }
        if let Some(out) = self.placed(imm, immediate.is_some()) {
            return Some((bits, out));
        }
        let two = |f: fn(u64, u64) -> u64| -> Option<Elements> {
            let (a, b) = (self.source(1, bits)?, self.source(2, bits)?);
            Some(a.into_iter().zip(b).map(|(a, b)| low(bits, f(a, b))).collect())
        };
        let each = |f: &dyn Fn(u64) -> u64| -> Option<Elements> {
            immediate?;
            Some(self.source(1, bits)?.into_iter().map(|x| low(bits, f(x))).collect())
        };
        let n = bits as u64;
        let out = match i.mnemonic() {
            M::Vpaddq | M::Vpaddd => two(|a, b| a.wrapping_add(b)),
            M::Vpsubq | M::Vpsubd => two(|a, b| a.wrapping_sub(b)),
            M::Vpand | M::Vpandd | M::Vpandq | M::Vandps | M::Vandpd => two(|a, b| a & b),
            M::Vpor | M::Vpord | M::Vporq | M::Vorps | M::Vorpd => two(|a, b| a | b),
            M::Vpxor | M::Vpxord | M::Vpxorq | M::Vxorps | M::Vxorpd => two(|a, b| a ^ b),
            M::Vpandn | M::Vpandnd | M::Vpandnq | M::Vandnps | M::Vandnpd => two(|a, b| !a & b),
            M::Vpmuldq => two(|a, b| signed(32, a).wrapping_mul(signed(32, b)) as u64),
            M::Vpmuludq => two(|a, b| low(32, a) * low(32, b)),
            M::Vpmullq => two(|a, b| a.wrapping_mul(b)),
            M::Vpsllvq => two(|a, b| if b > 63 { 0 } else { a << b }),
            M::Vpsrlvq => two(|a, b| if b > 63 { 0 } else { a >> b }),
            M::Vpcmpeqq => two(|a, b| if a == b { u64::MAX } else { 0 }),
            M::Vpcmpgtq => two(|a, b| if a as i64 > b as i64 { u64::MAX } else { 0 }),
            M::Vpsllq | M::Vpslld => each(&|x| shifted(n, imm, x << (imm % 64))),
            M::Vpsrlq | M::Vpsrld => each(&|x| shifted(n, imm, x >> (imm % 64))),
            M::Vpabsq => {
                Some(self.source(1, 64)?.into_iter().map(|x| (x as i64).unsigned_abs()).collect())
            }
            M::Vpsraq | M::Vpsrad => each(&|x| (signed(bits, x) >> imm.min(n - 1)) as u64),
            M::Vprolq | M::Vprold => each(&|x| {
                let count = imm % n;
                x << count | shifted(n, n - count, x >> ((n - count) % 64))
            }),
            M::Vpmadd52luq | M::Vpmadd52huq => {
                let (acc, a, b) = (self.source(0, 64)?, self.source(1, 64)?, self.source(2, 64)?);
                let at = if i.mnemonic() == M::Vpmadd52luq { 0 } else { 52 };
                let term = |(a, b): (u64, u64)| {
                    let product = u128::from(low(52, a)) * u128::from(low(52, b));
                    low(52, (product >> at) as u64)
                };
                let terms = a.into_iter().zip(b).map(term);
                Some(acc.into_iter().zip(terms).map(|(x, y)| x.wrapping_add(y)).collect())
            }
            M::Vpternlogq | M::Vpternlogd => {
                let v = [self.source(0, bits)?, self.source(1, bits)?, self.source(2, bits)?];
                let element = |k: usize| {
                    let bit = |j: usize| {
                        let of = |x: usize| v[x][k] >> j & 1;
                        (imm >> (of(0) * 4 + of(1) * 2 + of(2)) & 1) << j
                    };
                    (0..bits).map(bit).sum()
                };
                Some((0..v[0].len()).map(element).collect())
            }
            M::Vpblendmq => {
                // an element that the mask leaves out comes from the first source
                let (a, b) = (self.source(1, 64)?, self.source(2, 64)?);
                let keeps = |k: usize| if i.zeroing_masking() { 0 } else { a[k] };
                Some((0..a.len()).map(|k| if self.mask_bit(k) { b[k] } else { keeps(k) }).collect())
            }
            M::Vpblendd => {
                let (a, b) = (self.source(1, 32)?, self.source(2, 32)?);
                Some((0..a.len()).map(|k| if imm >> k & 1 == 1 { b[k] } else { a[k] }).collect())
            }
            _ => None,
        };
        out.map(|out| (bits, out))
    }

    /// Instructions that place elements elsewhere.
    fn placed(&self, imm: u64, immediate: bool) -> Option<Elements> {
        let i = self.i;
        let lanes = self.size() / 16;
        let imm = imm as usize;
        let two = || Some((self.source(1, 64)?, self.source(2, 64)?));
        match i.mnemonic() {
            M::Vpermq if immediate => {
                let a = self.source(1, 64)?;
                let from = |k: usize| (k & !3) + (imm >> (2 * (k & 3)) & 3);
                Some((0..a.len()).map(|k| a[from(k)]).collect())
            }
            M::Vpermq => {
                let (index, a) = two()?;
                Some(index.iter().map(|x| a[*x as usize & (a.len() - 1)]).collect())
            }
            M::Vpermt2q | M::Vpermi2q => {
                let (first, index) = if i.mnemonic() == M::Vpermt2q { (0, 1) } else { (1, 0) };
                let mut table = self.source(first, 64)?;
                table.extend(self.source(2, 64)?);
                let index = self.source(index, 64)?;
                Some(index.iter().map(|x| table[*x as usize & (table.len() - 1)]).collect())
            }
            M::Vpshufd => {
                let a = self.source(1, 32)?;
                let from = |k: usize| (k & !3) + (imm >> (2 * (k & 3)) & 3);
                Some((0..a.len()).map(|k| a[from(k)]).collect())
            }
            M::Vpalignr => {
                let (a, b) = (self.source(1, 8)?, self.source(2, 8)?);
                let byte = |lane: usize, k: usize| match k + imm {
                    at @ 0..16 => b[16 * lane + at],
                    at @ 16..32 => a[16 * lane + at - 16],
                    _ => 0,
                };
                Some(
                    (0..lanes)
                        .flat_map(|l| (0..16).map(move |k| (l, k)))
                        .map(|(l, k)| byte(l, k))
                        .collect(),
                )
            }
            M::Vpsrldq | M::Vpslldq => {
                let a = self.source(1, 8)?;
                let byte = |n: usize| {
                    let (lane, k) = (n & !15, n & 15);
                    if i.mnemonic() == M::Vpsrldq {
                        if k + imm < 16 { a[lane + k + imm] } else { 0 }
                    } else if k >= imm {
                        a[lane + k - imm]
                    } else {
                        0
                    }
                };
                Some((0..a.len()).map(byte).collect())
            }
            M::Vpunpcklqdq | M::Vunpcklpd => {
                let (a, b) = two()?;
                Some((0..lanes).flat_map(|l| [a[2 * l], b[2 * l]]).collect())
            }
            M::Vpunpckhqdq | M::Vunpckhpd => {
                let (a, b) = two()?;
                Some((0..lanes).flat_map(|l| [a[2 * l + 1], b[2 * l + 1]]).collect())
            }
            M::Vshufi64x2 => {
                let (a, b) = two()?;
                let choices = if lanes == 2 { 1 } else { 2 };
                let lane = |l: usize| {
                    let from = imm >> (choices * l) & (lanes - 1);
                    let source = if l < lanes / 2 { &a } else { &b };
                    [source[2 * from], source[2 * from + 1]]
                };
                Some((0..lanes).flat_map(lane).collect())
            }
            M::Valignq => {
                let (a, mut both) = two()?;
                both.extend(a.iter().copied());
                Some((0..a.len()).map(|k| both[(imm & (a.len() - 1)) + k]).collect())
            }
            M::Vperm2i128 | M::Vperm2f128 => {
                let (a, b) = two()?;
                let half = |control: usize| match control & 11 {
                    0 => [a[0], a[1]],
                    1 => [a[2], a[3]],
                    2 => [b[0], b[1]],
                    3 => [b[2], b[3]],
                    _ => [0, 0],
                };
                Some([half(imm & 15), half(imm >> 4)].concat())
            }
            M::Vinserti128
            | M::Vinserti32x4
            | M::Vinserti64x2
            | M::Vinserti64x4
            | M::Vinsertf128 => {
                let part = if i.mnemonic() == M::Vinserti64x4 { 4 } else { 2 };
                let mut a = self.source(1, 64)?;
                let b = elements(&self.bytes(2, 8 * part)?, 64);
                let at = imm & (a.len() / part - 1);
                a[part * at..part * (at + 1)].copy_from_slice(&b);
                Some(a.into_iter().flat_map(|x| split(x, i.mnemonic())).collect())
            }
            M::Vextracti128 | M::Vextracti32x4 | M::Vextracti64x2 | M::Vextracti64x4 => {
                let part = if i.mnemonic() == M::Vextracti64x4 { 4 } else { 2 };
                let a = elements(&self.register(i.op1_register())?, 64);
                let at = imm & (a.len() / part - 1);
                let out = a[part * at..part * (at + 1)].iter();
                Some(out.flat_map(|x| split(*x, i.mnemonic())).collect())
            }
            M::Vbroadcasti128 | M::Vbroadcasti32x4 | M::Vbroadcasti64x2 | M::Vbroadcasti64x4 => {
                let part = if i.mnemonic() == M::Vbroadcasti64x4 { 32 } else { 16 };
                let bits = element_bits(i.mnemonic())?;
                let all = self.bytes(1, part)?.into_iter().cycle().take(self.size());
                Some(elements(&all.collect::<Vec<u8>>(), bits))
            }
            M::Vpbroadcastq | M::Vbroadcastsd => {
                let one = elements(&self.bytes(1, 8)?, 64)[0];
                Some(vec![one; self.size() / 8])
            }
            M::Vpexpandq => {
                let a = self.source(1, 64)?;
                let rank = |k: usize| (0..k).filter(|j| self.mask_bit(*j)).count();
                Some((0..a.len()).map(|k| a[rank(k)]).collect())
            }
            M::Vmovq => Some(vec![elements(&self.bytes(1, 8)?, 64)[0], 0]),
            _ => None,
        }
    }
}

/// A word as elements of the mnemonic's masks.
fn split(x: u64, m: M) -> Elements {
    match element_bits(m) {
        Some(32) => vec![x & 0xffff_ffff, x >> 32],
        _ => vec![x],
    }
}

/// Bits of an element that is moved as it is.
fn moved(m: M) -> Option<usize> {
    Some(match m {
        M::Vmovdqu8 => 8,
        M::Vmovdqa32 | M::Vmovdqu32 | M::Vmovaps | M::Vmovups => 32,
        M::Vmovdqa | M::Vmovdqu | M::Vmovdqa64 | M::Vmovdqu64 | M::Vmovapd | M::Vmovupd => 64,
        _ => return None,
    })
}

/// Bits of the elements that an instruction's mask counts.
fn element_bits(m: M) -> Option<usize> {
    let name = format!("{m:?}");
    Some(match m {
        m if moved(m).is_some() => moved(m)?,
        M::Vpalignr | M::Vpsrldq | M::Vpslldq => 8,
        M::Vpshufd | M::Vpblendd => 32,
        M::Vpand | M::Vpor | M::Vpxor | M::Vpandn | M::Vmovq => 64,
        M::Vextracti128 | M::Vinserti128 | M::Vbroadcasti128 | M::Vperm2i128 => 64,
        M::Vperm2f128 | M::Vinsertf128 | M::Vbroadcastsd => 64,
        M::Vpmuldq | M::Vpmuludq | M::Vpmadd52luq | M::Vpmadd52huq => 64,
        _ if name.contains("32x4") || name.ends_with('d') && !name.ends_with("pd") => 32,
        _ if name.ends_with("ps") => 32,
        _ if name.contains("64x") || name.ends_with('q') || name.ends_with("pd") => 64,
        _ => return None,
    })
}
