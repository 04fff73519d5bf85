//! Bits and halves of lanes, as exact integers: where a lane holds two limbs, of 32 bits each.

use super::graph::Op;
use super::pairs::Level;
use super::run::{Run, unproven};
use super::slice::Part;
use crate::error::Result;
use crate::number::{self, Int};
use crate::trace::Word;

/// Consecutive bits that are set: the lowest, and their number.
fn runs(mut mask: u64) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut at = 0;
    while mask != 0 {
        let zeros = mask.trailing_zeros();
        mask >>= zeros;
        let ones = mask.trailing_ones();
        out.push((at + zeros as usize, ones as usize));
        mask = mask.checked_shr(ones).unwrap_or(0);
        at += (zeros + ones) as usize;
    }
    out
}

/// A mask of so many bits from one on.
fn bits_from(below: usize, count: usize) -> u64 {
    (u64::MAX >> (64 - count)) << below
}

impl Run<'_> {
    /// Two limbs as inputs.
    pub(super) fn pair(&mut self, i: usize, level: Level) -> Result<()> {
        let low = self.trace.input(&Int::ZERO, &level.most(false))?;
        let high = self.trace.input(&Int::ZERO, &level.most(true))?;
        let (Some(a), Some(b)) = (low.p.as_var(), high.p.as_var()) else {
            return unproven("an input that is a constant");
        };
        self.pairs.insert(i, [a, b]);
        self.halves.insert((i, false), low);
        self.halves.insert((i, true), high);
        Ok(())
    }

    /// An integer that a half of the lane is congruent to modulo 2^32.
    fn half(&mut self, i: usize, upper: bool) -> Result<Word> {
        if let Some(w) = self.halves.get(&(i, upper)) {
            return Ok(w.clone());
        }
        let slice = self.slice;
        let w = match &slice.parts[i] {
            Part::Lanes(op @ (Op::AddPairs | Op::SubPairs), v) => {
                let (a, b) = (self.half(v[0], upper)?, self.half(v[1], upper)?);
                let sign = if *op == Op::AddPairs { Int::ONE } else { Int::NEG_ONE };
                self.trace.sum(&[(Int::ONE, &a), (sign, &b)])?
            }
            _ => self.field(i, if upper { 32 } else { 0 }, 32)?,
        };
        self.halves.insert((i, upper), w.clone());
        Ok(w)
    }

    /// So many bits of the lane from one on, the lower ones left out.
    pub(super) fn field(&mut self, i: usize, below: usize, count: usize) -> Result<Word> {
        let slice = self.slice;
        let wanted = bits_from(below, count);
        let in_half = below / 32 == (below + count - 1) / 32;
        match &slice.parts[i] {
            Part::Constant(_) => {
                let c = self.constant(i).unwrap_or(0);
                return Ok(Word::constant((c & wanted) >> below));
            }
            Part::Lanes(Op::And, v) => {
                for (x, m) in [(v[0], v[1]), (v[1], v[0])] {
                    if let Some(m) = self.constant(m) {
                        return self.fields(x, m & wanted, below);
                    }
                }
            }
            Part::Lanes(Op::Or, v) => {
                for (a, b) in [(v[0], v[1]), (v[1], v[0])] {
                    if self.bits(a) & wanted == 0 {
                        return self.field(b, below, count);
                    }
                }
            }
            Part::Lanes(Op::Sll(k), v) => {
                let k = usize::from(*k);
                if below >= k {
                    return self.field(v[0], below - k, count);
                }
                let inner = (below + count).saturating_sub(k);
                if inner == 0 {
                    return Ok(Word::constant(0));
                }
                let w = self.field(v[0], 0, inner)?;
                return self.trace.joined(vec![(k - below, w)]);
            }
            Part::Lanes(Op::Srl(k), v) => {
                let at = below + usize::from(*k);
                return match 64_usize.checked_sub(at) {
                    None | Some(0) => Ok(Word::constant(0)),
                    Some(rest) => self.field(v[0], at, count.min(rest)),
                };
            }
            Part::Lanes(Op::Rol(32), v) if in_half => {
                return self.field(v[0], below ^ 32, count);
            }
            Part::Input(_) | Part::Lanes(Op::AddPairs | Op::SubPairs, _)
                if in_half && (self.pairs.contains_key(&i) || self.is_sum(i)) =>
            {
                let w = self.half(i, below >= 32)?;
                return self.low_field(&w, below % 32, count, 32);
            }
            Part::Lanes(Op::Rol(32) | Op::AddPairs | Op::SubPairs, _) => {
                return self.fields(i, wanted & bits_from(0, 32), below).and_then(|low| {
                    let high = self.fields(i, wanted & bits_from(32, 32), below)?;
                    self.trace.joined(vec![(0, low), (0, high)])
                });
            }
            _ => {}
        }
        let w = self.word(i)?;
        self.low_field(&w, below, count, 64)
    }

    fn is_sum(&self, i: usize) -> bool {
        matches!(&self.slice.parts[i], Part::Lanes(Op::AddPairs | Op::SubPairs, _))
    }

    /// The same of an integer that a word of `size` bits is congruent to.
    fn low_field(&mut self, w: &Word, below: usize, count: usize, size: usize) -> Result<Word> {
        if below == 0 {
            return Ok(self.trace.halves(w, count)?.0);
        }
        let whole = number::power_of_two(size);
        let inside = !number::is_negative(&w.lo) && w.hi < whole;
        let w = if inside { w.clone() } else { self.trace.split(w, size)?.0 };
        let w = self.trace.halves(&w, below)?.1;
        if below + count >= size { Ok(w) } else { Ok(self.trace.halves(&w, count)?.0) }
    }

    /// The bits that a mask sets, those below `below` left out.
    fn fields(&mut self, i: usize, mask: u64, below: usize) -> Result<Word> {
        let mut parts = Vec::new();
        for (at, count) in runs(mask) {
            parts.push((at - below, self.field(i, at, count)?));
        }
        match parts.is_empty() {
            true => Ok(Word::constant(0)),
            false => self.trace.joined(parts),
        }
    }

    /// The conjunction with a mask.
    pub(super) fn masked(&mut self, i: usize, mask: u64) -> Result<Word> {
        self.fields(i, mask, 0)
    }

    /// An input that is a signed half.
    fn signed(&mut self, i: usize) -> Result<Option<Word>> {
        let (Some(&v), Some((lo, _))) = (self.inputs.get(&i), self.slice.range_of(i)) else {
            return Ok(None);
        };
        let (w, lo) = (self.trace.variable(v), Word::constant(lo));
        Ok(Some(self.trace.sum(&[(Int::ONE, &w), (Int::ONE, &lo)])?))
    }

    /// The product of low halves; signed ones have to be below 2^31.
    pub(super) fn product_of_halves(&mut self, op: Op, v: &[usize]) -> Result<Word> {
        if let (Op::SignedHalves, Some(x), Some(y)) = (op, self.signed(v[0])?, self.signed(v[1])?) {
            return self.trace.signed_product(&x, &y);
        }
        let (x, y) = (self.field(v[0], 0, 32)?, self.field(v[1], 0, 32)?);
        let limit = number::power_of_two(31);
        if op == Op::SignedHalves && (x.hi >= limit || y.hi >= limit) {
            return unproven("a product of signed halves that may be negative");
        }
        self.trace.product(&x, &y)
    }
}
