//! Terms: words that instructions compute, as sums of others modulo 2^64 or as functions of them. Equal terms have one number.

use std::collections::{BTreeMap, HashMap};

/// The number of a term.
pub type Term = u32;

/// A function of terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Of {
    /// 1 if the sum of words is 2^64 or more; the quotient, if there are many.
    Carry,
    /// The same of words of 32 bits.
    Carry32,
    /// 1 if the first is less than the sum of the others.
    Borrow,
    /// The same of 32 bits.
    Borrow32,
    /// 1 if a word is not 0.
    NonZero,
    /// One bit of a word.
    Bit,
    /// Low half of a product.
    ProductLow,
    /// High half of a product.
    ProductHigh,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Logical shift right.
    Right,
    /// The word modulo 2^32.
    Low32,
    /// The second where the first is 1, the third where it is 0.
    Select,
    /// A word of memory at an address, after stores.
    Load,
    /// Memory after a store: memory before, address, word.
    Store,
    /// The overflow flag of a sum or difference.
    Overflow,
    /// Arithmetic shift right.
    RightSigned,
    /// A shift by a register.
    Shift,
    /// A flag of an instruction that nothing here follows.
    Flag,
}

/// A term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Value {
    /// A register or flag at the start.
    Start(u32),
    /// sum(factor * term) + constant modulo 2^64; not one term alone.
    Sum(Vec<(Term, u64)>, u64),
    /// A function.
    Of(Of, Vec<Term>, u64),
}

/// All terms.
#[derive(Default)]
pub struct Terms {
    values: Vec<Value>,
    /// The greatest value of each.
    most: Vec<u64>,
    known: HashMap<Value, Term>,
}

impl Terms {
    fn term(&mut self, value: Value, most: u64) -> Term {
        if let Some(&t) = self.known.get(&value) {
            return t;
        }
        let t = self.values.len() as Term;
        self.values.push(value.clone());
        self.most.push(most);
        self.known.insert(value, t);
        t
    }

    /// A register or flag at the start, at most `most`.
    pub fn start(&mut self, n: u32, most: u64) -> Term {
        self.term(Value::Start(n), most)
    }

    /// A number.
    pub fn number(&mut self, n: u64) -> Term {
        self.term(Value::Sum(Vec::new(), n), n)
    }

    /// The number that a term is.
    pub fn as_number(&self, t: Term) -> Option<u64> {
        match &self.values[t as usize] {
            Value::Sum(terms, n) if terms.is_empty() => Some(*n),
            _ => None,
        }
    }

    /// The greatest value that is known of a term.
    pub fn most(&self, t: Term) -> u64 {
        self.most[t as usize]
    }

    /// sum(factor * term) + constant modulo 2^64.
    pub fn sum(&mut self, terms: &[(Term, u64)], constant: u64) -> Term {
        let (mut all, mut constant) = (BTreeMap::new(), constant);
        let mut add = |t: Term, factor: u64| {
            let f = all.entry(t).or_insert(0u64);
            *f = f.wrapping_add(factor);
        };
        for &(t, factor) in terms {
            match &self.values[t as usize] {
                Value::Sum(inner, c) => {
                    constant = constant.wrapping_add(c.wrapping_mul(factor));
                    inner.iter().for_each(|(t, f)| add(*t, f.wrapping_mul(factor)));
                }
                _ => add(t, factor),
            }
        }
        let terms: Vec<(Term, u64)> = all.into_iter().filter(|x| x.1 != 0).collect();
        if let ([(t, 1)], 0) = (terms.as_slice(), constant) {
            return *t;
        }
        let most = terms
            .iter()
            .try_fold(constant, |sum, (t, f)| sum.checked_add(self.most(*t).checked_mul(*f)?));
        self.term(Value::Sum(terms, constant), most.unwrap_or(u64::MAX))
    }

    /// Whether two words differ by a number, and that.
    pub fn difference(&mut self, a: Term, b: Term) -> Option<u64> {
        let d = self.sum(&[(a, 1), (b, u64::MAX)], 0);
        self.as_number(d)
    }

    /// The terms that a sum adds once each.
    pub fn adds(&self, sum: Term, part: Term) -> bool {
        match &self.values[sum as usize] {
            Value::Sum(terms, _) => terms.contains(&(part, 1)),
            _ => sum == part,
        }
    }

    fn most_of(&self, of: Of, t: &[Term], n: u64) -> u64 {
        let most = |k: usize| self.most(t[k]);
        match of {
            Of::Carry | Of::Carry32 | Of::Borrow | Of::Borrow32 | Of::NonZero | Of::Bit => 1,
            Of::ProductHigh => ((u128::from(most(0)) * u128::from(most(1))) >> 64) as u64,
            Of::ProductLow => most(0).saturating_mul(most(1)),
            Of::And => most(0).min(most(1)),
            Of::Right => most(0) >> n,
            Of::Low32 => most(0).min(0xffff_ffff),
            Of::Select => most(1).max(most(2)),
            _ => u64::MAX,
        }
    }

    /// A function of terms as it is.
    pub fn other(&mut self, of: Of, terms: Vec<Term>, n: u64) -> Term {
        let most = self.most_of(of, &terms, n);
        self.term(Value::Of(of, terms, n), most)
    }

    /// The carry out of a sum of words of so many bits; at most one of three is more than a bit.
    pub fn carry(&mut self, words: &[Term], bits: u32) -> Term {
        let mut terms: Vec<Term> =
            words.iter().copied().filter(|t| self.as_number(*t) != Some(0)).collect();
        let most: u128 = terms.iter().map(|t| u128::from(self.most(*t))).sum();
        if most >> bits == 0 {
            return self.number(0);
        }
        terms.sort_unstable();
        self.other(if bits == 64 { Of::Carry } else { Of::Carry32 }, terms, 0)
    }

    /// The borrow out of a - b - c.
    pub fn borrow(&mut self, a: Term, b: Term, c: Term, bits: u32) -> Term {
        let zero = |s: &Self, t: Term| s.as_number(t) == Some(0);
        if a == b {
            return c;
        }
        if zero(self, b) && zero(self, c) {
            return b;
        }
        if zero(self, a) && zero(self, c) {
            return self.non_zero(b);
        }
        self.other(if bits == 64 { Of::Borrow } else { Of::Borrow32 }, vec![a, b, c], 0)
    }

    /// 1 if a word is not 0.
    pub fn non_zero(&mut self, t: Term) -> Term {
        if let Some(n) = self.as_number(t) {
            return self.number(u64::from(n != 0));
        }
        if let Value::Sum(terms, 0) = &self.values[t as usize]
            && let [(bit, _)] = terms.as_slice()
            && self.most(*bit) <= 1
        {
            return *bit;
        }
        if self.most(t) <= 1 {
            return t;
        }
        let minus = self.sum(&[(t, u64::MAX)], 0);
        self.other(Of::NonZero, vec![t.min(minus)], 0)
    }

    /// 1 where a bit is 0.
    pub fn not_bit(&mut self, bit: Term) -> Term {
        self.sum(&[(bit, u64::MAX)], 1)
    }

    /// The low half of a product.
    pub fn product_low(&mut self, a: Term, b: Term) -> Term {
        match (self.as_number(a), self.as_number(b)) {
            (Some(n), _) => self.sum(&[(b, n)], 0),
            (_, Some(n)) => self.sum(&[(a, n)], 0),
            _ => self.other(Of::ProductLow, vec![a.min(b), a.max(b)], 0),
        }
    }

    /// The high half of a product.
    pub fn product_high(&mut self, a: Term, b: Term) -> Term {
        let terms = vec![a.min(b), a.max(b)];
        if self.most_of(Of::ProductHigh, &terms, 0) == 0 {
            return self.number(0);
        }
        self.other(Of::ProductHigh, terms, 0)
    }

    /// Bitwise and.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        for (x, y) in [(a, b), (b, a)] {
            if let Some(n) = self.as_number(x) {
                if n == 0 {
                    return x;
                }
                if (n.wrapping_add(1) & n) == 0 && self.most(y) <= n {
                    return y;
                }
            }
            // a mask twice
            if let Value::Of(Of::And, inner, _) = &self.values[y as usize]
                && inner.contains(&x)
            {
                return y;
            }
        }
        if a == b { a } else { self.other(Of::And, vec![a.min(b), a.max(b)], 0) }
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.number(0);
        }
        self.other(Of::Xor, vec![a.min(b), a.max(b)], 0)
    }

    /// Logical shift right by a number below 64.
    pub fn right(&mut self, t: Term, by: u32) -> Term {
        if by == 0 {
            return t;
        }
        if self.most(t) >> by == 0 {
            return self.number(0);
        }
        if let (63, Value::Sum(terms, 0)) = (by, &self.values[t as usize])
            && let [(bit, u64::MAX)] = terms.as_slice()
            && self.most(*bit) <= 1
        {
            return *bit;
        }
        self.other(Of::Right, vec![t], u64::from(by))
    }

    /// The word modulo 2^32.
    pub fn low32(&mut self, t: Term) -> Term {
        const LOW: u64 = 0xffff_ffff;
        if self.most(t) <= LOW {
            return t;
        }
        let (terms, constant) = match &self.values[t as usize] {
            Value::Sum(terms, c) => (terms.clone(), *c),
            _ => (vec![(t, 1)], 0),
        };
        let whole = |s: &Self, t: Term| match &s.values[t as usize] {
            Value::Of(Of::Low32, inner, _) => inner[0],
            _ => t,
        };
        let terms: Vec<(Term, u64)> = terms.iter().map(|(t, f)| (whole(self, *t), *f)).collect();
        let again = self.sum(&terms, constant);
        let terms = match &self.values[again as usize] {
            Value::Sum(terms, c) => {
                let reduced: Vec<(Term, u64)> = terms.iter().map(|(t, f)| (*t, f & LOW)).collect();
                (reduced, c & LOW)
            }
            _ => (vec![(again, 1)], 0),
        };
        let sum = self.sum(&terms.0, terms.1);
        if self.most(sum) <= LOW { sum } else { self.other(Of::Low32, vec![sum], 0) }
    }

    /// The second where the condition is 1, the third where it is 0.
    pub fn select(&mut self, condition: Term, a: Term, b: Term) -> Term {
        let inner = |s: &Self, t: Term, k: usize| match &s.values[t as usize] {
            Value::Of(Of::Select, v, _) if v[0] == condition => v[k],
            _ => t,
        };
        let (a, b) = (inner(self, a, 1), inner(self, b, 2));
        match self.as_number(condition) {
            _ if a == b => a,
            Some(0) => b,
            Some(_) => a,
            None => self.other(Of::Select, vec![condition, a, b], 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_are_one_term() {
        let t = &mut Terms::default();
        let (x, y, bit) = (t.start(0, u64::MAX), t.start(1, u64::MAX), t.start(2, 1));
        let (xy, yx) = (t.sum(&[(x, 1), (y, 1)], 3), t.sum(&[(y, 1), (x, 1)], 3));
        assert_eq!(xy, yx);
        assert_eq!(t.sum(&[(xy, 1), (y, u64::MAX)], 0), t.sum(&[(x, 1)], 3));
        // the high word of a product takes a carry, two words do not
        let high = t.product_high(x, y);
        let (a, b) = (t.carry(&[high, bit], 64), t.carry(&[x, bit], 64));
        assert!(t.as_number(a) == Some(0) && t.as_number(b).is_none());
        // -bit is a mask: its low half says as much
        let mask = t.sum(&[(bit, u64::MAX)], 0);
        let low = t.low32(mask);
        assert!(low != mask && t.non_zero(low) == bit && t.non_zero(mask) == bit);
        assert_eq!(t.select(bit, x, x), x);
        assert_ne!(t.select(bit, x, y), t.select(bit, y, x));
        assert_ne!(t.borrow(x, y, bit, 64), t.borrow(y, x, bit, 64));
    }
}
