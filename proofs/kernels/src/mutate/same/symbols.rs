//! Instructions on terms.

use iced_x86::Register::{AH, BH, CH, DH};
use iced_x86::{ConditionCode, FlowControl, Instruction, Mnemonic as M, OpKind, Register};

use super::terms::{Of, Term, Terms};

/// Flags that instructions here read or write, by number: carry, overflow, zero, sign.
pub const FLAGS: [u32; 4] = [1, 1 << 11, 1 << 6, 1 << 7];
const CF: usize = 0;
const OF: usize = 1;
const ZF: usize = 2;
const SF: usize = 3;

/// Registers and flags by number, and stores in order.
#[derive(Clone, PartialEq, Eq)]
pub struct State {
    /// General registers.
    pub registers: [Term; 16],
    /// Flags in the order of [`FLAGS`].
    pub flags: [Term; 4],
    /// Addresses and words of 64 bits.
    pub stores: Vec<(Term, Term)>,
    memory: Term,
}

/// The number of a general register.
pub fn number(r: Register) -> Option<usize> {
    let full = r.full_register();
    full.is_gpr64().then(|| full.number())
}

impl State {
    /// A state of which nothing is known.
    pub fn start(t: &mut Terms) -> Self {
        Self {
            registers: std::array::from_fn(|n| t.start(n as u32, u64::MAX)),
            flags: std::array::from_fn(|n| t.start(16 + n as u32, 1)),
            stores: Vec::new(),
            memory: t.start(20, u64::MAX),
        }
    }

    /// Whether an address is one of the stack, whose pointer is this at the start.
    fn on_stack(t: &mut Terms, address: Term) -> bool {
        let pointer = t.start(4, u64::MAX);
        t.adds(address, pointer)
    }

    /// Stores that the stack pointer at the end does not leave behind; the latest at each address.
    pub fn left(&self, t: &mut Terms, returns: bool) -> Vec<(Term, Term)> {
        let mut out: Vec<(Term, Term)> = Vec::new();
        for &(address, word) in &self.stores {
            out.retain(|s| s.0 != address);
            let pointer = t.start(4, u64::MAX);
            let below = t.difference(address, pointer).is_some_and(|d| (d as i64) < 0);
            if !(returns && below) {
                out.push((address, word));
            }
        }
        out
    }
}

/// A run on terms.
pub struct Symbols<'a> {
    /// The terms.
    pub t: &'a mut Terms,
    /// The state.
    pub s: State,
}

impl Symbols<'_> {
    fn register(&mut self, r: Register) -> Option<Term> {
        let word = self.s.registers[number(r)?];
        match r.size() {
            8 => Some(word),
            4 => Some(self.t.low32(word)),
            _ => None,
        }
    }

    fn address(&mut self, i: &Instruction) -> Option<Term> {
        if i.segment_prefix() != Register::None {
            return None;
        }
        let mut terms = Vec::new();
        match i.memory_base() {
            Register::None | Register::RIP => {}
            r => terms.push((self.register(r).filter(|_| r.is_gpr64())?, 1)),
        }
        match i.memory_index() {
            Register::None => {}
            r => {
                let n = self.register(r).filter(|_| r.is_gpr64())?;
                terms.push((n, u64::from(i.memory_index_scale())));
            }
        }
        Some(self.t.sum(&terms, i.memory_displacement64()))
    }

    fn load(&mut self, address: Term) -> Term {
        let stack = State::on_stack(self.t, address);
        let mut memory = self.t.start(20, u64::MAX);
        let mut word = None;
        for (to, stored) in self.s.stores.clone() {
            match self.t.difference(address, to) {
                Some(0) => word = Some(stored),
                Some(d) if d.min(d.wrapping_neg()) >= 8 => {}
                None if State::on_stack(self.t, to) != stack => {}
                _ => {
                    memory = self.t.other(Of::Store, vec![memory, to, stored], 0);
                    word = None;
                }
            }
        }
        word.unwrap_or_else(|| self.t.other(Of::Load, vec![memory, address], 0))
    }

    fn store(&mut self, address: Term, word: Term) {
        self.s.stores.push((address, word));
    }

    /// An operand of 64 or 32 bits.
    fn read(&mut self, i: &Instruction, n: u32) -> Option<Term> {
        let wide = i.op0_register().size() == 8 || i.op0_kind() == OpKind::Memory;
        match i.op_kind(n) {
            OpKind::Register => self.register(i.op_register(n)),
            OpKind::Memory if i.memory_size().size() == 8 => {
                let address = self.address(i)?;
                Some(self.load(address))
            }
            OpKind::Memory => None,
            _ => {
                let x = i.try_immediate(n).ok()?;
                Some(self.t.number(if wide { x } else { x & 0xffff_ffff }))
            }
        }
    }

    fn write(&mut self, i: &Instruction, n: u32, word: Term) -> Option<()> {
        match i.op_kind(n) {
            OpKind::Register => {
                let r = i.op_register(n);
                let word = match r.size() {
                    8 => word,
                    4 => self.t.low32(word),
                    _ => return None,
                };
                self.s.registers[number(r)?] = word;
            }
            OpKind::Memory if i.memory_size().size() == 8 => {
                let address = self.address(i)?;
                self.store(address, word);
            }
            _ => return None,
        }
        Some(())
    }

    /// Flags of a result besides carry and overflow.
    fn result(&mut self, word: Term, bits: u32) {
        let not_zero = self.t.non_zero(word);
        self.s.flags[ZF] = self.t.not_bit(not_zero);
        self.s.flags[SF] = self.t.right(word, bits - 1);
    }

    /// A sum or difference, with its flags.
    fn arithmetic(&mut self, a: Term, b: Term, c: Term, minus: bool, bits: u32) -> Term {
        let sign = if minus { u64::MAX } else { 1 };
        let sum = self.t.sum(&[(a, 1), (b, sign), (c, sign)], 0);
        let word = if bits == 64 { sum } else { self.t.low32(sum) };
        self.s.flags[CF] =
            if minus { self.t.borrow(a, b, c, bits) } else { self.t.carry(&[a, b, c], bits) };
        let (x, y) = if minus { (a, b) } else { (a.min(b), a.max(b)) };
        let kind = u64::from(bits) + u64::from(minus);
        self.s.flags[OF] = self.t.other(Of::Overflow, vec![x, y, c], kind);
        self.result(word, bits);
        word
    }

    /// Flags that the instruction leaves undefined, or that nothing here follows: as its operands decide.
    fn unknown(&mut self, i: &Instruction, operands: &[Term], flags: &[usize]) {
        for f in flags {
            let n = 8 * i.code() as u64 + *f as u64;
            self.s.flags[*f] = self.t.other(Of::Flag, operands.to_vec(), n);
        }
    }

    fn shift(&mut self, i: &Instruction, x: Term, by: u32, bits: u32) -> Option<Term> {
        if by == 0 || by >= bits {
            return None;
        }
        let n = self.t.number(u64::from(by));
        let (word, carry) = match i.mnemonic() {
            M::Shl => (self.t.sum(&[(x, 1 << by)], 0), bits - by),
            M::Shr => (self.t.right(x, by), by - 1),
            M::Sar if by == 63 => {
                let sign = self.t.right(x, 63);
                (self.t.sum(&[(sign, u64::MAX)], 0), 62)
            }
            M::Sar => (self.t.other(Of::RightSigned, vec![x], u64::from(bits * 64 + by)), by - 1),
            _ => return None,
        };
        let word = if bits == 64 { word } else { self.t.low32(word) };
        self.unknown(i, &[x, n], &[OF]);
        self.s.flags[CF] = self.t.other(Of::Bit, vec![x], u64::from(carry));
        self.result(word, bits);
        Some(word)
    }

    /// The condition of a branch, a move or a set.
    pub fn condition(&mut self, i: &Instruction) -> Option<Term> {
        let [c, o, z, s] = self.s.flags;
        let t = &mut *self.t;
        use ConditionCode as C;
        Some(match i.condition_code() {
            C::b => c,
            C::ae => t.not_bit(c),
            C::e => z,
            C::ne => t.not_bit(z),
            C::o => o,
            C::no => t.not_bit(o),
            C::s => s,
            C::ns => t.not_bit(s),
            C::be => t.other(Of::Or, vec![c, z], 0),
            C::a => {
                let either = t.other(Of::Or, vec![c, z], 0);
                t.not_bit(either)
            }
            _ => return None,
        })
    }

    /// One instruction that is no branch; none where it is not followed.
    pub fn step(&mut self, i: &Instruction) -> Option<()> {
        let zero = self.t.number(0);
        let size = match i.op0_kind() {
            OpKind::Register => i.op0_register().size(),
            OpKind::Memory => i.memory_size().size(),
            _ => 8,
        };
        let bits = if size == 4 { 32 } else { 64 };
        if i.flow_control() != FlowControl::Next {
            return None;
        }
        match i.mnemonic() {
            M::Nop | M::Endbr64 => {}
            M::Mov => {
                let word = self.read(i, 1)?;
                self.write(i, 0, word)?;
            }
            M::Lea => {
                let word = self.address(i)?;
                self.write(i, 0, word)?;
            }
            M::Push | M::Pop => {
                let rsp = self.s.registers[4];
                if i.mnemonic() == M::Push {
                    let word = self.register(i.op0_register()).filter(|_| size == 8)?;
                    let rsp = self.t.sum(&[(rsp, 1)], 8u64.wrapping_neg());
                    self.s.registers[4] = rsp;
                    self.store(rsp, word);
                } else {
                    let word = self.load(rsp);
                    self.s.registers[4] = self.t.sum(&[(rsp, 1)], 8);
                    self.write(i, 0, word).filter(|()| size == 8)?;
                }
            }
            M::Add | M::Adc | M::Sub | M::Sbb | M::Cmp => {
                let (a, b) = (self.read(i, 0)?, self.read(i, 1)?);
                let carried = matches!(i.mnemonic(), M::Adc | M::Sbb);
                let c = if carried { self.s.flags[CF] } else { zero };
                let minus = !matches!(i.mnemonic(), M::Add | M::Adc);
                let word = self.arithmetic(a, b, c, minus, bits);
                if i.mnemonic() != M::Cmp {
                    self.write(i, 0, word)?;
                }
            }
            M::Adcx | M::Adox => {
                let f = if i.mnemonic() == M::Adcx { CF } else { OF };
                let (a, b, c) = (self.read(i, 0)?, self.read(i, 1)?, self.s.flags[f]);
                self.s.flags[f] = self.t.carry(&[a, b, c], bits);
                let word = self.t.sum(&[(a, 1), (b, 1), (c, 1)], 0);
                self.write(i, 0, word)?;
            }
            M::Neg => {
                let x = self.read(i, 0)?;
                let word = self.arithmetic(zero, x, zero, true, bits);
                self.write(i, 0, word)?;
            }
            M::Not => {
                let x = self.read(i, 0)?;
                let word = self.t.sum(&[(x, u64::MAX)], u64::MAX);
                self.write(i, 0, word)?;
            }
            M::Inc | M::Dec => {
                let (x, one, carry) = (self.read(i, 0)?, self.t.number(1), self.s.flags[CF]);
                let word = self.arithmetic(x, one, zero, i.mnemonic() == M::Dec, bits);
                self.s.flags[CF] = carry;
                self.write(i, 0, word)?;
            }
            M::And | M::Or | M::Xor | M::Test => {
                let (a, b) = (self.read(i, 0)?, self.read(i, 1)?);
                let word = match i.mnemonic() {
                    M::Or if a == b => a,
                    M::Or => self.t.other(Of::Or, vec![a.min(b), a.max(b)], 0),
                    M::Xor => self.t.xor(a, b),
                    _ => self.t.and(a, b),
                };
                self.s.flags[CF] = zero;
                self.s.flags[OF] = zero;
                self.result(word, bits);
                if i.mnemonic() != M::Test {
                    self.write(i, 0, word)?;
                }
            }
            M::Shl | M::Shr | M::Sar => {
                let (x, by) = (self.read(i, 0)?, i.try_immediate(1).ok()?);
                let word = self.shift(i, x, (by & 63) as u32, bits)?;
                self.write(i, 0, word)?;
            }
            M::Shld | M::Shrd if bits == 64 => {
                let (a, b) = (self.read(i, 0)?, self.read(i, 1)?);
                let by = (i.try_immediate(2).ok()? & 63) as u32;
                if by == 0 {
                    return None;
                }
                let (a, b) = if i.mnemonic() == M::Shld { (a, b) } else { (b, a) };
                let up = if i.mnemonic() == M::Shld { by } else { 64 - by };
                let below = self.t.right(b, 64 - up);
                let word = self.t.sum(&[(a, 1 << up), (below, 1)], 0);
                let n = self.t.number(u64::from(by));
                self.unknown(i, &[a, b, n], &[CF, OF]);
                self.result(word, bits);
                self.write(i, 0, word)?;
            }
            M::Shlx | M::Shrx | M::Sarx => {
                let (x, by) = (self.read(i, 1)?, self.read(i, 2)?);
                let n = 64 * i.mnemonic() as u64 + u64::from(bits == 64);
                let word = self.t.other(Of::Shift, vec![x, by], n);
                self.write(i, 0, word)?;
            }
            M::Mul if bits == 64 => {
                let (a, b) = (self.s.registers[0], self.read(i, 0)?);
                let (low, high) = (self.t.product_low(a, b), self.t.product_high(a, b));
                self.s.registers[0] = low;
                self.s.registers[2] = high;
                let carry = self.t.non_zero(high);
                self.s.flags[CF] = carry;
                self.s.flags[OF] = carry;
                self.unknown(i, &[a, b], &[ZF, SF]);
            }
            M::Mulx if bits == 64 => {
                let (a, b) = (self.s.registers[2], self.read(i, 2)?);
                let (low, high) = (self.t.product_low(a, b), self.t.product_high(a, b));
                self.write(i, 1, low)?;
                self.write(i, 0, high)?;
            }
            M::Imul if i.op_count() > 1 => {
                let last = i.op_count() - 1;
                let (a, b) = (self.read(i, last - 1)?, self.read(i, last)?);
                let word = self.t.product_low(a, b);
                self.unknown(i, &[a.min(b), a.max(b)], &[CF, OF, ZF, SF]);
                self.write(i, 0, word)?;
            }
            M::Bt | M::Btr => {
                let (x, n) = (self.read(i, 0)?, i.try_immediate(1).ok()? & u64::from(bits - 1));
                let bit = self.t.other(Of::Bit, vec![x], n);
                self.unknown(i, &[x], &[OF, SF]);
                self.s.flags[CF] = bit;
                if i.mnemonic() == M::Btr {
                    let rest = self.t.number(!(1 << n));
                    let word = self.t.and(x, rest);
                    self.write(i, 0, word)?;
                }
            }
            _ if i.condition_code() != ConditionCode::None && size == 1 => {
                // SETcc
                let bit = self.condition(i)?;
                let n = number(i.op0_register())?;
                if matches!(i.op0_register(), AH | BH | CH | DH) {
                    return None;
                }
                let (old, low) = (self.s.registers[n], self.t.number(0xff));
                let byte = self.t.and(old, low);
                self.s.registers[n] = self.t.sum(&[(old, 1), (byte, u64::MAX), (bit, 1)], 0);
            }
            _ if i.condition_code() != ConditionCode::None => {
                // CMOVcc
                let (old, new) = (self.read(i, 0)?, self.read(i, 1)?);
                let condition = self.condition(i)?;
                let word = self.t.select(condition, new, old);
                self.write(i, 0, word)?;
            }
            _ => return None,
        }
        Some(())
    }
}
