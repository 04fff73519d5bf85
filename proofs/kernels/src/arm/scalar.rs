//! General instructions of aarch64, as splits of exact integers.

use yaxpeax_arm::armv8::a64::{Opcode, Operand as Field, ShiftStyle, SizeCode};

use super::{Arm, Instruction, NOTHING, Register};
use crate::machine::{Cell, Machine, Step, Zero, unsupported};
use crate::number::{self, Int};
use crate::trace::Word;

/// Bits of a register.
fn bits(size: SizeCode) -> usize {
    if size == SizeCode::X { 64 } else { 32 }
}

/// A number modulo 2^k.
fn constant(n: u64, k: usize) -> Word {
    Word::constant(number::modulo(&Int::from(n), &number::power_of_two(k)))
}

impl Machine<'_, Arm> {
    pub(super) fn run(&mut self, i: &Instruction) -> Step<()> {
        use Opcode as O;
        let k = Self::width(i)?;
        match i.opcode {
            O::HINT if i.word == NOTHING => Ok(()),
            O::ADD | O::ADDS | O::SUB | O::SUBS | O::ADC | O::ADCS | O::SBC | O::SBCS => {
                self.addition(i, k)
            }
            O::MADD | O::MSUB => {
                let (a, b, c) = (self.source(i, 1)?, self.source(i, 2)?, self.source(i, 3)?);
                let product = self.trace.product(&a, &b)?;
                let sign = if i.opcode == O::MADD { Int::ONE } else { Int::NEG_ONE };
                let e = self.trace.sum(&[(Int::ONE, &c), (sign, &product)])?;
                let r = self.trace.split(&e, k)?.0;
                self.write(i, r)
            }
            O::UMADDL => {
                let (a, b, c) = (self.source(i, 1)?, self.source(i, 2)?, self.source(i, 3)?);
                let product = self.trace.product(&a, &b)?;
                let e = self.trace.sum(&[(Int::ONE, &c), (Int::ONE, &product)])?;
                let r = self.trace.split(&e, 64)?.0;
                self.write(i, r)
            }
            O::UMULH => {
                let (a, b) = (self.source(i, 1)?, self.source(i, 2)?);
                let high = self.split_product(&a, &b)?.1;
                self.write(i, high)
            }
            O::AND | O::ANDS | O::BIC | O::BICS => {
                let (a, mut b) = (self.source(i, 1)?, self.source(i, 2)?);
                if matches!(i.opcode, O::BIC | O::BICS) {
                    b = self.complement(&b, k)?;
                }
                let r = self.conjunction(&a, &b)?;
                if matches!(i.opcode, O::ANDS | O::BICS) {
                    self.logic_flags(&r);
                }
                self.write(i, r)
            }
            O::ORR | O::ORN if matches!(i.fields[1], Field::Register(_, 31)) => {
                let b = self.source(i, 2)?;
                let r = if i.opcode == O::ORN { self.complement(&b, k)? } else { b };
                self.write(i, r)
            }
            O::MOVZ | O::MOVN | O::MOVK => self.moved(i, k),
            O::UBFM | O::SBFM => self.bit_field(i, k),
            O::EXTR => {
                let (upper, lower) = (self.source(i, 1)?, self.source(i, 2)?);
                let Field::Immediate(by) = i.fields[3] else {
                    return unsupported("a count that is not known");
                };
                let by = by as usize;
                let high = self.above(&lower, by)?;
                let low = self.below(&upper, by)?;
                let r = self.trace.joined(vec![(0, high), (k - by, low)])?;
                self.write(i, r)
            }
            O::CSEL | O::CSINC | O::CSINV | O::CSNEG => self.select(i, k),
            _ => unsupported("no rule for this instruction"),
        }
    }

    /// Bits of the result.
    fn width(i: &Instruction) -> Step<usize> {
        match i.fields[0] {
            Field::Register(size, _) | Field::RegisterOrSP(size, _) => Ok(bits(size)),
            _ if i.word == NOTHING => Ok(64),
            _ => unsupported("no rule for this instruction"),
        }
    }

    /// Bits from n on.
    fn above(&mut self, w: &Word, n: usize) -> Step<Word> {
        if n == 0 { Ok(w.clone()) } else { self.high(w, n) }
    }

    /// Bits below n.
    fn below(&mut self, w: &Word, n: usize) -> Step<Word> {
        if n == 0 { Ok(Word::constant(0)) } else { self.low(w, n) }
    }

    /// The word in a register.
    fn word_of(&mut self, n: u16, size: SizeCode) -> Step<Word> {
        match self.registers.get(&Register(n as u8)).cloned() {
            Some(Cell::Word(w)) if size == SizeCode::X => Ok(w),
            Some(Cell::Word(w)) => self.low(&w, 32),
            Some(_) => unsupported("arithmetic with an address or a saved register"),
            None => unsupported(format!("{:?}, of which nothing is known", Register(n as u8))),
        }
    }

    /// An operand that is read.
    fn source(&mut self, i: &Instruction, n: usize) -> Step<Word> {
        let k = match i.fields[n] {
            Field::Register(size, _) | Field::RegShift(_, _, size, _) => bits(size),
            _ => Self::width(i)?,
        };
        match i.fields[n] {
            Field::Register(_, 31) => Ok(Word::constant(0)),
            Field::Register(size, r) | Field::RegisterOrSP(size, r) => self.word_of(r, size),
            Field::Immediate(x) => Ok(constant(x.into(), k)),
            Field::Imm64(x) => Ok(constant(x, k)),
            Field::ImmShift(x, by) => Ok(constant(u64::from(x) << by, k)),
            Field::RegShift(style, by, size, r) => {
                let w = if r == 31 { Word::constant(0) } else { self.word_of(r, size)? };
                let by = usize::from(by);
                match style {
                    ShiftStyle::LSL | ShiftStyle::LSR | ShiftStyle::ASR if by == 0 => Ok(w),
                    _ if by >= k || k != Self::width(i)? => unsupported("a shift that has no rule"),
                    ShiftStyle::LSL => self.shifted_left(&w, by, k),
                    ShiftStyle::LSR => self.high(&w, by),
                    ShiftStyle::ASR => {
                        let high = self.high(&w, by)?;
                        self.extended(&high, k - by, k)
                    }
                    _ => unsupported("a shift that has no rule"),
                }
            }
            _ => unsupported("an operand that has no rule"),
        }
    }

    /// The first operand becomes a word.
    fn write(&mut self, i: &Instruction, w: Word) -> Step<()> {
        match i.fields[0] {
            Field::Register(_, 31) => Ok(()),
            Field::RegisterOrSP(_, 31) => unsupported("a write of the stack pointer"),
            Field::Register(_, r) | Field::RegisterOrSP(_, r) => {
                self.registers.insert(Register(r as u8), Cell::Word(w));
                Ok(())
            }
            _ => unsupported("an operand that has no rule"),
        }
    }

    /// A number of n bits with its sign, modulo 2^k.
    fn extended(&mut self, w: &Word, n: usize, k: usize) -> Step<Word> {
        let mut sign = self.above(w, n - 1)?;
        if sign.is_bit() && sign.p.terms().len() > 1 {
            sign = Word::constant(self.choose(&sign)?);
        }
        let above = number::power_of_two(k) - number::power_of_two(n);
        if n == 1 {
            return Ok(self.trace.sum(&[(above + Int::ONE, &sign)])?);
        }
        Ok(self.trace.sum(&[(Int::ONE, w), (above, &sign)])?)
    }

    /// Sums and differences. After a difference the carry flag is set if there is no borrow.
    fn addition(&mut self, i: &Instruction, k: usize) -> Step<()> {
        use Opcode as O;
        let (a, b) = (self.source(i, 1)?, self.source(i, 2)?);
        let minus = matches!(i.opcode, O::SUB | O::SUBS | O::SBC | O::SBCS);
        let sign = if minus { Int::NEG_ONE } else { Int::ONE };
        let mut terms = vec![(Int::ONE, &a), (sign, &b)];
        let (one, carry);
        if matches!(i.opcode, O::ADC | O::ADCS | O::SBC | O::SBCS) {
            carry = Self::flag(self.carry.clone())?;
            one = Word::constant(1);
            terms.push((Int::ONE, &carry));
            if minus {
                terms.push((Int::NEG_ONE, &one));
            }
        }
        let e = self.trace.sum(&terms)?;
        let (r, q) = self.trace.split(&e, k)?;
        if matches!(i.opcode, O::ADDS | O::ADCS | O::SUBS | O::SBCS) {
            self.no_flags();
            let at_zero = Word::constant(i32::from(minus));
            self.carry = Some(self.trace.sum(&[(Int::ONE, &at_zero), (Int::ONE, &q)])?);
            self.zero = Some(Zero::Of(r.clone()));
        }
        self.write(i, r)
    }

    fn moved(&mut self, i: &Instruction, k: usize) -> Step<()> {
        let Field::ImmShift(x, by) = i.fields[1] else {
            return unsupported("an operand that has no rule");
        };
        let by = usize::from(by);
        if by + 16 > k {
            return unsupported("a shift that has no rule");
        }
        let mut w = Word::constant(Int::from(x) << by);
        if i.opcode == Opcode::MOVN {
            w = self.complement(&w, k)?;
        }
        if i.opcode == Opcode::MOVK {
            let old = self.source(i, 0)?;
            let (low, high) = (self.below(&old, by)?, self.above(&old, by + 16)?);
            let new = Word::constant(x);
            w = self.trace.joined(vec![(0, low), (by, new), (by + 16, high)])?;
        }
        self.write(i, w)
    }

    /// Shifts by a number, and fields of bits.
    fn bit_field(&mut self, i: &Instruction, k: usize) -> Step<()> {
        let (Field::Immediate(r), Field::Immediate(s)) = (i.fields[2], i.fields[3]) else {
            return unsupported("a count that is not known");
        };
        let (r, s, w) = (r as usize, s as usize, self.source(i, 1)?);
        let signed = i.opcode == Opcode::SBFM;
        let out = if s >= r {
            let high = self.above(&w, r)?;
            let field = self.low(&high, s - r + 1)?;
            if signed { self.extended(&field, s - r + 1, k)? } else { field }
        } else if signed {
            return unsupported("a shift that has no rule");
        } else {
            let field = self.low(&w, s + 1)?;
            self.trace.joined(vec![(k - r, field)])?
        };
        self.write(i, out)
    }

    /// A condition of the flags, as a bit.
    fn flag_condition(&mut self, c: u8) -> Step<Word> {
        let bit = match c {
            0 | 1 => match self.zero.clone() {
                Some(Zero::Bit(w)) => w,
                Some(Zero::Of(w)) => self.is_zero(&w)?,
                None => return unsupported("a flag that is not defined"),
            },
            2 | 3 => Self::flag(self.carry.clone())?,
            _ => return unsupported("a condition that has no rule"),
        };
        if c.is_multiple_of(2) { Ok(bit) } else { self.complement(&bit, 1) }
    }

    fn select(&mut self, i: &Instruction, k: usize) -> Step<()> {
        let Field::ConditionCode(c) = i.fields[3] else {
            return unsupported("a condition that has no rule");
        };
        let bit = self.flag_condition(c)?;
        let (a, b) = (self.source(i, 1)?, self.source(i, 2)?);
        if bit.known().is_none() && (a.known().is_none() || b.known().is_none()) {
            self.choose(&bit)?;
        }
        let b = match i.opcode {
            Opcode::CSINC => {
                let e = self.trace.sum(&[(Int::ONE, &b), (Int::ONE, &Word::constant(1))])?;
                self.trace.split(&e, k)?.0
            }
            Opcode::CSINV => self.complement(&b, k)?,
            Opcode::CSNEG => {
                let e = self.trace.sum(&[(Int::NEG_ONE, &b)])?;
                self.trace.split(&e, k)?.0
            }
            _ => b,
        };
        let r = match (bit.known(), a.known(), b.known()) {
            (Some(bit), ..) => {
                if bit.is_zero() {
                    b
                } else {
                    a
                }
            }
            (None, Some(x), Some(y)) => self.trace.sum(&[(x - y, &bit), (Int::ONE, &b)])?,
            _ => return unsupported("a choice of words that are not known"),
        };
        self.write(i, r)
    }

    /// The condition of a branch, as a bit.
    pub(super) fn branch(&mut self, i: &Instruction) -> Step<Word> {
        if let Some(c) = i.branch_condition() {
            return self.flag_condition(c);
        }
        let w = self.source(i, 0)?;
        let bit = self.is_zero(&w)?;
        match i.opcode {
            Opcode::CBZ => Ok(bit),
            Opcode::CBNZ => self.complement(&bit, 1),
            _ => unsupported("a branch that has no rule"),
        }
    }
}
