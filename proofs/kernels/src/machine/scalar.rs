//! General instructions of x86-64, as splits of exact integers.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::{Cell, Machine, Step, Zero, unsupported};
use crate::arch::Arch;
use crate::number::{self, Int};
use crate::poly::Poly;
use crate::trace::Word;

/// Sign of the second operand of an addition or a subtraction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

impl Machine<'_> {
    pub(crate) fn scalar(&mut self, i: &Instruction) -> Step<()> {
        use Mnemonic as M;
        match i.mnemonic() {
            M::Nop | M::Endbr64 | M::Vzeroupper => Ok(()),
            M::Mov => {
                let cell = self.cell(i, 1)?;
                self.set(i, 0, cell)
            }
            M::Movzx => {
                let w = self.word(i, 1)?;
                self.set_word(i, 0, w)
            }
            M::Lea => self.lea(i),
            M::Add => self.addition(i, Sign::Plus, false),
            M::Adc => self.addition(i, Sign::Plus, true),
            M::Sub | M::Cmp => self.addition(i, Sign::Minus, false),
            M::Sbb => self.addition(i, Sign::Minus, true),
            M::Adcx => {
                let (r, q) = self.with_carry(i, self.carry.clone())?;
                self.carry = Some(q);
                self.set_word(i, 0, r)
            }
            M::Adox => {
                let (r, q) = self.with_carry(i, self.overflow.clone())?;
                self.overflow = Some(q);
                self.set_word(i, 0, r)
            }
            M::Mulx if Self::width(i, 0) == 64 => {
                let (a, b) = (self.register_word(Register::RDX)?, self.word(i, 2)?);
                let (low, high) = self.split_product(&a, &b)?;
                self.set_word(i, 1, low)?;
                self.set_word(i, 0, high)
            }
            M::Mul if Self::width(i, 0) == 64 => {
                let (a, b) = (self.register_word(Register::RAX)?, self.word(i, 0)?);
                let (low, high) = self.split_product(&a, &b)?;
                self.set_register(Register::RAX, Cell::Word(low))?;
                self.set_register(Register::RDX, Cell::Word(high))?;
                self.no_flags();
                Ok(())
            }
            M::Imul if Self::width(i, 0) == 64 && i.op_count() > 1 => {
                let n = i.op_count();
                let (a, b) = (self.word(i, n - 2)?, self.word(i, n - 1)?);
                let low = self.split_product(&a, &b)?.0;
                self.no_flags();
                self.set_word(i, 0, low)
            }
            M::Xor if Self::same(i) => {
                (self.carry, self.overflow) = (Some(Word::constant(0)), Some(Word::constant(0)));
                self.zero = Some(Zero::Bit(Word::constant(1)));
                self.set_word(i, 0, Word::constant(0))
            }
            M::And => {
                let (a, b) = (self.word(i, 0)?, self.word(i, 1)?);
                let r = self.conjunction(&a, &b)?;
                self.logic_flags(&r);
                self.set_word(i, 0, r)
            }
            M::Test if Self::same(i) => {
                let a = self.word(i, 0)?;
                self.logic_flags(&a);
                Ok(())
            }
            M::Not => {
                let w = self.word(i, 0)?;
                let r = self.complement(&w, Self::width(i, 0))?;
                self.set_word(i, 0, r)
            }
            M::Neg => {
                let mut a = self.word(i, 0)?;
                if a.is_bit() && a.p.terms().len() > 1 {
                    a = Word::constant(self.choose(&a)?);
                }
                let e = self.trace.sum(&[(Int::NEG_ONE, &a)])?;
                let (r, q) = self.trace.split(&e, Self::width(i, 0))?;
                self.no_flags();
                self.carry = Some(self.trace.sum(&[(Int::NEG_ONE, &q)])?);
                self.zero = Some(Zero::Of(r.clone()));
                self.set_word(i, 0, r)
            }
            M::Inc | M::Dec => {
                let by = if i.mnemonic() == M::Inc { Int::ONE } else { Int::NEG_ONE };
                let a = self.word(i, 0)?;
                let e = self.trace.sum(&[(Int::ONE, &a), (by, &Word::constant(1))])?;
                let r = self.trace.split(&e, Self::width(i, 0))?.0;
                self.overflow = None;
                self.zero = Some(Zero::Of(r.clone()));
                self.set_word(i, 0, r)
            }
            M::Shl | M::Shr | M::Sar | M::Shlx | M::Shrx | M::Shld | M::Shrd => self.shift(i),
            M::Bt | M::Btr => self.bit(i),
            M::Setb | M::Setae | M::Sete | M::Setne => {
                let bit = self.condition(i)?;
                self.set_word(i, 0, bit)
            }
            M::Cmovb | M::Cmovae | M::Cmove | M::Cmovne => {
                let bit = self.condition(i)?;
                if self.choose(&bit)?.is_one() {
                    let cell = self.cell(i, 1)?;
                    return self.set(i, 0, cell);
                }
                if Self::width(i, 0) == 32 {
                    let cell = self.cell(i, 0)?;
                    return self.set(i, 0, cell);
                }
                Ok(())
            }
            M::Push if i.op_kind(0) == OpKind::Register => {
                let cell = self.register(i.op_register(0))?;
                let place = self.moved_stack(-8)?;
                self.store_at(place, 8, cell)
            }
            M::Pop if i.op_kind(0) == OpKind::Register => {
                let place = self.moved_stack(0)?;
                let cell = self.load_at(&place, 8)?;
                self.moved_stack(8)?;
                self.set_register(i.op_register(0), cell)
            }
            _ => unsupported("no rule for this instruction"),
        }
    }

    fn same(i: &Instruction) -> bool {
        i.op_kind(0) == OpKind::Register
            && i.op_kind(1) == OpKind::Register
            && i.op_register(0) == i.op_register(1)
    }
}

impl<A: Arch> Machine<'_, A> {
    pub(crate) fn no_flags(&mut self) {
        (self.carry, self.overflow, self.zero) = (None, None, None);
    }

    pub(crate) fn logic_flags(&mut self, r: &Word) {
        (self.carry, self.overflow) = (Some(Word::constant(0)), Some(Word::constant(0)));
        self.zero = Some(Zero::Of(r.clone()));
    }
}

impl Machine<'_> {
    fn register_word(&mut self, r: Register) -> Step<Word> {
        match self.register(r)? {
            Cell::Word(w) => Ok(w),
            _ => unsupported(format!("{r:?}, which is an address or a saved register")),
        }
    }
}

impl<A: Arch> Machine<'_, A> {
    pub(crate) fn flag(flag: Option<Word>) -> Step<Word> {
        flag.map_or_else(|| unsupported("a flag that is not defined"), Ok)
    }
}

impl Machine<'_> {
    /// Moves the stack pointer; the place that it points to then.
    fn moved_stack(&mut self, by: i64) -> Step<super::Place> {
        let Some(Cell::Pointer(base, at)) = self.registers.get_mut(&Register::RSP) else {
            return unsupported("a stack pointer that is not known");
        };
        *at += by;
        Ok((base.clone(), *at))
    }

    fn lea(&mut self, i: &Instruction) -> Step<()> {
        if i.is_ip_rel_memory_operand() {
            return unsupported("the address of a constant");
        }
        let displacement = i.memory_displacement64() as i64;
        let base = match i.memory_base() {
            Register::None => Cell::Word(Word::constant(0)),
            r => self.register(r)?,
        };
        let index = match i.memory_index() {
            Register::None => Word::constant(0),
            r => self.register_word(r)?,
        };
        let cell = match base {
            Cell::Pointer(base, at) => match index.known().and_then(|n| i64::try_from(n).ok()) {
                Some(n) => {
                    let scale = i64::from(i.memory_index_scale());
                    Cell::Pointer(base, at + displacement + n * scale)
                }
                None => return unsupported("an address with an index that is not known"),
            },
            Cell::Word(w) => {
                let scale = Int::from(i.memory_index_scale());
                let constant = Word::constant(displacement);
                let terms = [(Int::ONE, &w), (scale, &index), (Int::ONE, &constant)];
                let e = self.trace.sum(&terms)?;
                Cell::Word(self.trace.split(&e, Self::width(i, 0))?.0)
            }
            Cell::Saved(_) => return unsupported("arithmetic with a saved register"),
        };
        self.set(i, 0, cell)
    }

    fn addition(&mut self, i: &Instruction, sign: Sign, with_carry: bool) -> Step<()> {
        let coefficient = if sign == Sign::Plus { Int::ONE } else { Int::NEG_ONE };
        let write = i.mnemonic() != Mnemonic::Cmp;
        let nothing = (Word::constant(0), Word::constant(0));
        let (a, b) = if sign == Sign::Minus && Self::same(i) {
            nothing
        } else {
            match self.cell(i, 0)? {
                Cell::Word(w) => (w, self.word(i, 1)?),
                Cell::Pointer(base, at) if write && !with_carry => {
                    let by = self.word(i, 1)?.known();
                    let by = by.map(|n| number::symmetric(&n, &number::power_of_two(64)));
                    let Some(by) = by.and_then(|n| i64::try_from(n * &coefficient).ok()) else {
                        return unsupported("an address by an offset that is not known");
                    };
                    self.no_flags();
                    return self.set(i, 0, Cell::Pointer(base, at + by));
                }
                _ => return unsupported("arithmetic with an address or a saved register"),
            }
        };
        let mut terms = vec![(Int::ONE, &a), (coefficient.clone(), &b)];
        let carry = if with_carry { Self::flag(self.carry.clone())? } else { Word::constant(0) };
        terms.push((coefficient.clone(), &carry));
        let e = self.trace.sum(&terms)?;
        let (r, q) = self.trace.split(&e, Self::width(i, 0))?;
        self.carry = Some(self.trace.sum(&[(coefficient, &q)])?);
        self.overflow = None;
        self.zero = Some(Zero::Of(r.clone()));
        if write { self.set_word(i, 0, r) } else { Ok(()) }
    }

    /// ADCX and ADOX: the sum with a flag, and the flag that it leaves.
    fn with_carry(&mut self, i: &Instruction, flag: Option<Word>) -> Step<(Word, Word)> {
        let (a, b, c) = (self.word(i, 0)?, self.word(i, 1)?, Self::flag(flag)?);
        let e = self.trace.sum(&[(Int::ONE, &a), (Int::ONE, &b), (Int::ONE, &c)])?;
        Ok(self.trace.split(&e, Self::width(i, 0))?)
    }
}

impl<A: Arch> Machine<'_, A> {
    pub(crate) fn split_product(&mut self, a: &Word, b: &Word) -> Step<(Word, Word)> {
        let e = self.trace.product(a, b)?;
        Ok(self.trace.split(&e, 64)?)
    }

    /// 2^k - 1 - w.
    pub(crate) fn complement(&mut self, w: &Word, k: usize) -> Step<Word> {
        let ones = Word::constant(number::power_of_two(k) - 1);
        Ok(self.trace.sum(&[(Int::ONE, &ones), (Int::NEG_ONE, w)])?)
    }
}

impl Machine<'_> {
    /// The condition of a SETcc, a CMOVcc or a Jcc, as a bit.
    pub(crate) fn condition(&mut self, i: &Instruction) -> Step<Word> {
        use iced_x86::ConditionCode as C;
        let code = i.condition_code();
        let bit = match code {
            C::b | C::ae => Self::flag(self.carry.clone())?,
            C::e | C::ne => match self.zero.clone() {
                Some(Zero::Bit(w)) => w,
                Some(Zero::Of(w)) => self.is_zero(&w)?,
                None => return unsupported("a flag that is not defined"),
            },
            _ => return unsupported("a condition that has no rule"),
        };
        match code {
            C::ae | C::ne => {
                Ok(self.trace.sum(&[(Int::ONE, &Word::constant(1)), (Int::NEG_ONE, &bit)])?)
            }
            _ => Ok(bit),
        }
    }
}

impl<A: Arch> Machine<'_, A> {
    /// 1 if a word is zero: of constants, and of multiples of a bit.
    pub(crate) fn is_zero(&mut self, w: &Word) -> Step<Word> {
        if let Some(n) = w.known() {
            return Ok(Word::constant(i32::from(n.is_zero())));
        }
        if w.lo > Int::ZERO {
            return Ok(Word::constant(0));
        }
        let [(m, _)] = w.p.terms() else { return unsupported("whether a word is zero") };
        let [v] = m.as_slice() else { return unsupported("whether a word is zero") };
        let bit = self.trace.variable(*v);
        if !bit.is_bit() {
            return unsupported("whether a word is zero");
        }
        Ok(self.trace.sum(&[(Int::ONE, &Word::constant(1)), (Int::NEG_ONE, &bit)])?)
    }

    /// w * 2^n modulo 2^k.
    pub(crate) fn shifted_left(&mut self, w: &Word, n: usize, k: usize) -> Step<Word> {
        let low = self.low(w, k - n)?;
        Ok(self.trace.joined(vec![(n, low)])?)
    }
}

impl Machine<'_> {
    fn shift(&mut self, i: &Instruction) -> Step<()> {
        use Mnemonic as M;
        let k = Self::width(i, 0);
        let double = matches!(i.mnemonic(), M::Shld | M::Shrd);
        let source = u32::from(matches!(i.mnemonic(), M::Shlx | M::Shrx));
        let count = if double || source == 1 {
            self.count(i, 2)?
        } else if i.op_count() == 2 {
            self.count(i, 1)?
        } else {
            1
        } % if k == 64 { 64 } else { 32 };
        if count == 0 || count >= k {
            return unsupported("a shift by nothing, or by the whole width");
        }
        let w = self.word(i, source)?;
        let (r, carry) = match i.mnemonic() {
            M::Shl => {
                let high = self.high(&w, k - count)?;
                (self.shifted_left(&w, count, k)?, Some(self.low(&high, 1)?))
            }
            M::Shlx => (self.shifted_left(&w, count, k)?, self.carry.clone()),
            M::Shrx => (self.high(&w, count)?, self.carry.clone()),
            M::Shr => (self.high(&w, count)?, None),
            M::Sar if count == k - 1 => {
                let sign = self.high(&w, k - 1)?;
                let minus = self.trace.sum(&[(Int::NEG_ONE, &sign)])?;
                (self.low(&minus, k)?, None)
            }
            M::Shrd | M::Shld => {
                let other = self.word(i, 1)?;
                let (upper, lower) = if i.mnemonic() == M::Shrd { (other, w) } else { (w, other) };
                let by = if i.mnemonic() == M::Shrd { count } else { k - count };
                let high = self.high(&lower, by)?;
                let low = self.low(&upper, by)?;
                (self.trace.joined(vec![(0, high), (k - by, low)])?, None)
            }
            _ => return unsupported("a shift that has no rule"),
        };
        if source == 0 {
            self.no_flags();
            self.carry = carry;
        }
        self.set_word(i, 0, r)
    }

    fn bit(&mut self, i: &Instruction) -> Step<()> {
        let n = self.count(i, 1)?;
        if i.op_kind(0) != OpKind::Register || n >= Self::width(i, 0) {
            return unsupported("a bit outside of its word");
        }
        let w = self.word(i, 0)?;
        let (low, rest) = self.trace.halves(&w, n)?;
        let (bit, high) = self.trace.halves(&rest, 1)?;
        self.no_flags();
        self.carry = Some(bit);
        if i.mnemonic() == Mnemonic::Bt {
            return Ok(());
        }
        let r = self.trace.joined(vec![(0, low), (n + 1, high)])?;
        self.set_word(i, 0, r)
    }
}

impl<A: Arch> Machine<'_, A> {
    /// Bits that a and b have in common: one a constant, or all of its bits the same.
    pub(crate) fn conjunction(&mut self, a: &Word, b: &Word) -> Step<Word> {
        let (a, b) = if a.known().is_some() { (b, a) } else { (a, b) };
        let Some(n) = b.known() else {
            for mask in [b, a] {
                let vs = mask.p.variables();
                if vs.len() == 1 && vs.iter().all(|v| self.trace.variable(*v).is_bit()) {
                    return self.fork_bit(mask);
                }
            }
            return unsupported("a conjunction of two unknown words");
        };
        let at = |m: &Int, k: usize| number::modulo(&number::floor_shift(m, k), &Int::from(2));
        let bits = |m: &Int| number::hex(m).len() * 4;
        let and = |x: &Int| {
            (0..bits(x).min(bits(&n))).fold(Int::ZERO, |r, k| r + ((at(x, k) * at(&n, k)) << k))
        };
        if let Some(x) = a.known() {
            return Ok(Word::constant(and(&x)));
        }
        let vs: Vec<_> = a.p.variables().into_iter().collect();
        if vs.len() <= 3 && vs.iter().all(|v| self.trace.variable(*v).is_bit()) {
            return Ok(self.trace.tabulated(&vs, |point| and(&a.p.evaluate(point)))?);
        }
        let (mut parts, mut from) = (Vec::new(), 0); // run by run of ones
        while from < bits(&n) {
            if at(&n, from).is_zero() {
                from += 1;
                continue;
            }
            let mut end = from;
            while end < bits(&n) && at(&n, end).is_one() {
                end += 1;
            }
            let high = self.high(a, from)?;
            parts.push((from, self.low(&high, end - from)?));
            from = end;
        }
        if parts.is_empty() {
            return Ok(Word::constant(0));
        }
        Ok(self.trace.joined(parts)?)
    }

    /// Whether a polynomial holds a variable that is no public input, or depends on one.
    pub(crate) fn is_public(&self, p: &Poly) -> bool {
        self.trace.depends_only_on(p, &self.public)
    }

    /// The value that the zero flag is about, if it is known.
    pub(crate) fn zero_flag(&self) -> Option<Poly> {
        match &self.zero {
            Some(Zero::Bit(w) | Zero::Of(w)) => Some(w.p.clone()),
            None => None,
        }
    }
}
