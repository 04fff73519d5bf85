//! Instructions on bits: masks, parts of words, shifts.

use iced_x86::{Instruction, Mnemonic as M, OpKind};

use super::cpu::{Cpu, failed, word};
use super::values::Value;
use crate::error::Result;
use crate::number::{self, Int};

impl Cpu {
    pub(super) fn logic(&mut self, i: &Instruction) -> Result<()> {
        let same = i.op_kind(1) == OpKind::Register && i.op0_register() == i.op1_register();
        if i.mnemonic() == M::Xor && same {
            self.no_flags();
            return self.result(i, Value::constant(0));
        }
        if i.mnemonic() == M::Test && same {
            self.no_flags();
            self.zero = self.value(i, 0).ok();
            let (least, unit) = (-number::power_of_two(63), number::power_of_two(63));
            let word = |v: &Value| Self::size(i, 0) == 8 && v.within(&least, &(unit - 1));
            self.tested = self.zero.as_ref().is_some_and(word);
            return Ok(());
        }
        let (a, b) = (self.value(i, 0)?, self.value(i, 1)?);
        if i.mnemonic() == M::Test {
            let r = self.conjunction(&a, &b)?;
            self.no_flags();
            self.zero = Some(r);
            return Ok(());
        }
        let r = match i.mnemonic() {
            M::And => self.conjunction(&a, &b)?,
            M::Or => self.disjunction(&a, &b)?,
            _ => return failed("no rule for this use"),
        };
        self.no_flags();
        self.result(i, r)
    }

    /// a & b: of constants, with 2^k - 1, or with a mask that is -1 or 0.
    fn conjunction(&mut self, a: &Value, b: &Value) -> Result<Value> {
        for (x, m) in [(a, b), (b, a)] {
            let Some(n) = m.known().map(|n| number::modulo(&n, &word())) else { continue };
            if let Some(x) = x.known().map(|x| number::modulo(&x, &word())) {
                let (x, n) = (u64::try_from(x), u64::try_from(n));
                return match (x, n) {
                    (Ok(x), Ok(n)) => Ok(Value::constant(x & n)),
                    _ => failed("constants of more than 64 bits"),
                };
            }
            let Some(k) = (1..64).find(|k| number::power_of_two(*k) - 1 == n) else {
                return failed("a conjunction with a number that is no 2^k - 1");
            };
            return Ok(self.values.split(x, k)?.0);
        }
        for (x, m) in [(a, b), (b, a)] {
            if m.within(&Int::NEG_ONE, &Int::ZERO) {
                let r = self.values.product(x, m)?;
                return self.values.sum(&[(Int::NEG_ONE, &r)]);
            }
        }
        failed("a conjunction of two unknown words")
    }

    /// a | b, of which one is a multiple of 2^k and the other below it.
    fn disjunction(&mut self, a: &Value, b: &Value) -> Result<Value> {
        for (x, y) in [(a, b), (b, a)] {
            let low = |k: &usize| x.within(&Int::ZERO, &(number::power_of_two(*k) - 1));
            let Some(k) = (0..64).find(low) else { continue };
            if y.p.modulo(&number::power_of_two(k)).is_zero() {
                return self.values.plus(x, 1, y);
            }
        }
        failed("a disjunction of words that may share bits")
    }

    pub(super) fn shift(&mut self, i: &Instruction) -> Result<()> {
        if Self::size(i, 0) != 8 {
            return failed("a shift of a part of a word");
        }
        let double = matches!(i.mnemonic(), M::Shld | M::Shrd);
        let n = match i.op_count() {
            1 => 1,
            _ => self.count(i, if double { 2 } else { 1 })?,
        };
        let w = self.value(i, 0)?;
        let r = match i.mnemonic() {
            M::Shl => self.values.sum(&[(number::power_of_two(n), &w)])?,
            M::Sar => {
                let w = self.signed(&w)?;
                self.values.split(&w, n)?.1
            }
            M::Shr => {
                let w = self.unsigned(&w)?;
                self.values.split(&w, n)?.1
            }
            _ => {
                let other = self.value(i, 1)?;
                let (high, low, k) =
                    if i.mnemonic() == M::Shld { (w, other, 64 - n) } else { (other, w, n) };
                let low = self.unsigned(&low)?;
                let low = self.values.split(&low, k)?.1;
                self.values.sum(&[(number::power_of_two(64 - k), &high), (Int::ONE, &low)])?
            }
        };
        self.no_flags();
        self.result(i, r)
    }
}
