//! Products of words that may be negative.

use super::{Trace, Word, pair_of};
use crate::error::{Error, Result};
use crate::number::{self, Int};
use crate::poly::Poly;

/// A bound of the absolute value of a word.
fn most(w: &Word) -> Int {
    number::magnitude(&w.lo).max(number::magnitude(&w.hi))
}

impl Trace {
    /// A product of two words, at most that of the bounds of their absolute values.
    pub fn signed_product(&mut self, a: &Word, b: &Word) -> Result<Word> {
        if let Some(n) = a.known() {
            return self.sum(&[(n, b)]);
        }
        if let Some(n) = b.known() {
            return self.sum(&[(n, a)]);
        }
        let mut sides = Vec::new();
        for w in [a, b] {
            let Some(bounds) = w.bounds else {
                return Err(Error::Derivation("a product of words without bounds".into()));
            };
            let limit = most(w);
            // limit + w >= 0 and limit - w >= 0
            let low = self.current(bounds.low)?;
            let low = self.weaker(low, w.p.plus(&limit))?;
            let high = self.current(bounds.high)?;
            let high = self.weaker(high, Poly::constant(limit.clone()).sub(&w.p))?;
            sides.push((limit, low, high));
        }
        let [(m, al, ah), (n, bl, bh)] = &sides[..] else {
            return Err(Error::Derivation("a product of other than two words".into()));
        };
        let (p, limit, two) = (a.p.mul(&b.p), m * n, Int::from(2));
        // (m + a)(n + b) + (m - a)(n - b) = 2(mn + ab), and (m + a)(n - b) + (m - a)(n + b) = 2(mn - ab)
        let same = [self.facts.product(*al, *bl)?, self.facts.product(*ah, *bh)?];
        let other = [self.facts.product(*al, *bh)?, self.facts.product(*ah, *bl)?];
        let terms = |f: [_; 2]| f.map(|f| (Int::ONE, Some(f)));
        let low = self.derive(&two, p.plus(&limit), &terms(same))?;
        let high = self.derive(&two, Poly::constant(limit.clone()).sub(&p), &terms(other))?;
        Ok(Word { p, lo: -limit.clone(), hi: limit, bounds: pair_of(low, high), parts: None })
    }
}
