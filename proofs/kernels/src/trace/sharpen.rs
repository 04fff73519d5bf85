//! Words whose bounds another word makes sharper.

use super::{Trace, Word};
use crate::error::{Error, Result};
use crate::number::Int;

impl Trace {
    /// A word with the bounds of another, which is it and a constant, where those are sharper.
    pub fn sharpened(&self, w: &Word, by: &Word) -> Result<Word> {
        let (p, q) = (self.now(&w.p), self.now(&by.p));
        let (Some(c), Some(own), Some(other)) = (q.sub(&p).as_constant(), w.bounds, by.bounds)
        else {
            return Err(Error::Derivation(format!("bounds of {q} for {p}")));
        };
        let (lo, hi): (Int, Int) = (&by.lo - &c, &by.hi - &c);
        let mut out = Word { p, parts: None, ..w.clone() };
        let mut bounds = own;
        if lo > out.lo {
            (out.lo, bounds.low) = (lo, other.low);
        }
        if hi < out.hi {
            (out.hi, bounds.high) = (hi, other.high);
        }
        out.bounds = Some(bounds);
        Ok(out)
    }
}
