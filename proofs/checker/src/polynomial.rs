//! Polynomials with integer coefficients in integer variables.

use num_bigint::BigInt;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

/// Most factors of a term.
pub const DEGREE: usize = 0x20;
/// Most terms of a sum, and of a product before like terms are joined.
pub const TERMS: usize = 1 << 18;
/// Every number of a certificate is below 2^BITS, and so is a number of bits or words.
pub const BITS: u64 = 0x1000;

/// A sum of terms. The key of a term is its variables in order, each as often as it is a factor: `v1*v1*v2` is `[1, 1, 2]`,
/// a constant is `[]`. No coefficient is zero, so equal polynomials have equal maps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polynomial(BTreeMap<Vec<u32>, BigInt>);

impl Polynomial {
    /// The polynomial that is this number everywhere.
    pub fn constant(value: impl Into<BigInt>) -> Polynomial {
        let mut polynomial = Polynomial::default();
        polynomial.add_term(Vec::new(), value.into());
        polynomial
    }

    /// The polynomial of one variable alone.
    pub fn variable(name: u32) -> Polynomial {
        Polynomial(BTreeMap::from([(vec![name], BigInt::from(1))]))
    }

    /// Whether a term has these variables, in order.
    pub(crate) fn has(&self, monomial: &[u32]) -> bool {
        self.0.contains_key(monomial)
    }

    /// Adds a term; its variables are in order.
    pub(crate) fn add_term(&mut self, monomial: Vec<u32>, coefficient: BigInt) {
        match self.0.entry(monomial) {
            Entry::Vacant(_) if coefficient == BigInt::ZERO => {}
            Entry::Vacant(place) => {
                place.insert(coefficient);
            }
            Entry::Occupied(mut place) => {
                *place.get_mut() += coefficient;
                if *place.get() == BigInt::ZERO {
                    place.remove();
                }
            }
        }
    }

    /// Adds `factor * other`.
    pub fn add_scaled(&mut self, other: &Polynomial, factor: &BigInt) {
        for (monomial, coefficient) in &other.0 {
            self.add_term(monomial.clone(), coefficient * factor);
        }
    }

    /// Adds `f * g`.
    ///
    /// # Errors
    /// The product or the sum has more terms than [`TERMS`], or a higher degree than [`DEGREE`].
    pub fn add_product(&mut self, f: &Polynomial, g: &Polynomial) -> Result<(), String> {
        let terms = f.0.len().saturating_mul(g.0.len()).max(self.0.len());
        if terms > TERMS {
            return Err(format!("a product or sum has {terms} terms; at most {TERMS} are allowed"));
        }
        for (a, c) in &f.0 {
            for (b, d) in &g.0 {
                let mut monomial = [a.as_slice(), b].concat();
                if monomial.len() > DEGREE {
                    return Err(format!("a product has degree {}, above {DEGREE}", monomial.len()));
                }
                monomial.sort_unstable();
                self.add_term(monomial, c * d);
            }
        }
        Ok(())
    }

    /// `self - low`: not negative where the polynomial is at least `low`.
    pub fn above(&self, low: &BigInt) -> Polynomial {
        let mut difference = self.clone();
        difference.add_term(Vec::new(), -low);
        difference
    }

    /// `high - self`: not negative where the polynomial is at most `high`.
    pub fn below(&self, high: &BigInt) -> Polynomial {
        let mut difference = Polynomial::constant(high.clone());
        difference.add_scaled(self, &BigInt::from(-1));
        difference
    }

    /// The number that the polynomial is everywhere, if its terms show that it is one.
    pub fn as_constant(&self) -> Option<BigInt> {
        match self.0.len() {
            0 => Some(BigInt::ZERO),
            1 => self.0.get([].as_slice()).cloned(),
            _ => None,
        }
    }

    /// Whether a number divides every coefficient; zero divides zero alone.
    pub fn is_divisible_by(&self, modulus: &BigInt) -> bool {
        if *modulus == BigInt::ZERO {
            return self.0.is_empty();
        }
        self.0.values().all(|coefficient| coefficient % modulus == BigInt::ZERO)
    }

    /// Every variable of every term; some more than once.
    pub fn variables(&self) -> impl Iterator<Item = u32> {
        self.0.keys().flatten().copied()
    }

    /// The value where each variable has the value of `at`.
    pub fn evaluate(&self, at: impl Fn(u32) -> BigInt) -> BigInt {
        let term = |(monomial, coefficient): (&Vec<u32>, &BigInt)| {
            monomial.iter().fold(coefficient.clone(), |product, name| product * at(*name))
        };
        self.0.iter().map(term).sum()
    }

    /// The number of terms.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// Bits of the longest coefficient.
    pub fn bits(&self) -> u64 {
        self.0.values().map(BigInt::bits).max().unwrap_or(0)
    }

    /// About how many bytes of memory the polynomial takes.
    pub fn bytes(&self) -> u64 {
        let term = |(monomial, coefficient): (&Vec<u32>, &BigInt)| {
            112 + 4 * monomial.len() as u64 + coefficient.bits() / 8
        };
        self.0.iter().map(term).sum()
    }
}

/// The text of the format; with a precision, as in `{:.6}`, at most so many terms of it.
impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (monomial, coefficient)) in self.0.iter().rev().enumerate() {
            if f.precision() == Some(i) {
                return write!(f, "+… ({} terms)", self.0.len());
            }
            let sign = if i > 0 && *coefficient > BigInt::ZERO { "+" } else { "" };
            let variables: Vec<_> = monomial.iter().map(|name| format!("v{name:x}")).collect();
            match (variables.is_empty(), coefficient.magnitude() == &1u32.into()) {
                (true, _) => write!(f, "{sign}{coefficient:x}")?,
                (false, true) if *coefficient > BigInt::ZERO => write!(f, "{sign}")?,
                (false, true) => write!(f, "-")?,
                (false, false) => write!(f, "{sign}{coefficient:x}*")?,
            }
            write!(f, "{}", variables.join("*"))?;
        }
        if self.0.is_empty() { write!(f, "0") } else { Ok(()) }
    }
}
