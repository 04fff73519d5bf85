//! Fields of a line: numbers, names, polynomials.

use crate::polynomial::{BITS, DEGREE, Polynomial};
use num_bigint::{BigInt, BigUint, Sign};
use std::collections::HashSet;
use std::iter::Peekable;
use std::str::Split;

/// The fields of a line that are still to be read.
pub(crate) struct Fields<'a>(Peekable<Split<'a, char>>);

impl<'a> Fields<'a> {
    /// The fields of a line without its comment; none where nothing else is on the line.
    pub(crate) fn new(line: &'a str) -> Option<Fields<'a>> {
        let statement = match line.split_once(';') {
            Some((statement, _)) => statement.trim_end_matches(' '),
            None => line,
        };
        (!statement.is_empty()).then(|| Fields(statement.split(' ').peekable()))
    }

    /// Whether no field is left.
    pub(crate) fn is_empty(&mut self) -> bool {
        self.0.peek().is_none()
    }

    /// The next field, which the message calls `name`.
    pub(crate) fn field(&mut self, name: &str) -> Result<&'a str, String> {
        match self.0.next() {
            Some("") => Err(format!("{name} is empty; one space stands between fields")),
            Some(field) => Ok(field),
            None => Err(format!("the line ends; {name} is expected")),
        }
    }

    pub(crate) fn number(&mut self, name: &str) -> Result<BigInt, String> {
        number(self.field(name)?)
    }

    /// A number that counts bits or words.
    pub(crate) fn count(&mut self, name: &str) -> Result<u32, String> {
        count(self.field(name)?)
    }

    /// The number of a variable (`v1f`) or a fact (`f2a`).
    pub(crate) fn name(&mut self, letter: char) -> Result<u32, String> {
        name(self.field(&format!("{letter}…"))?, letter)
    }

    pub(crate) fn polynomial(
        &mut self,
        name: &str,
        known: &HashSet<u32>,
    ) -> Result<Polynomial, String> {
        polynomial(self.field(name)?, known)
    }

    /// LO and HI, with a number between them.
    pub(crate) fn range(&mut self) -> Result<(BigInt, BigInt), String> {
        let [low, high] = [self.number("LO")?, self.number("HI")?];
        if low > high {
            return Err(format!("LO is {low:x} and HI is {high:x}; LO <= HI is expected"));
        }
        Ok((low, high))
    }

    /// The line ends here.
    pub(crate) fn end(&mut self) -> Result<(), String> {
        match self.0.next() {
            Some(field) => Err(format!("{field:?} follows; the end of the line is expected")),
            None => Ok(()),
        }
    }
}

/// Hexadecimal digits of a number that is not negative.
fn digits(text: &str) -> Result<BigUint, String> {
    let plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !plain || text.is_empty() || (text.len() > 1 && text.starts_with('0')) {
        return Err(format!(
            "{text:?} is no number; lower-case hexadecimal digits without leading zeros are expected"
        ));
    }
    if text.len() as u64 * 4 > BITS {
        return Err(format!(
            "a number has {} digits; at most {} are allowed",
            text.len(),
            BITS / 4
        ));
    }
    Ok(BigUint::parse_bytes(text.as_bytes(), 16).unwrap_or_default())
}

fn number(text: &str) -> Result<BigInt, String> {
    match text.strip_prefix('-') {
        Some("0") => Err("-0 is no number; 0 is expected".into()),
        Some(text) => Ok(BigInt::from_biguint(Sign::Minus, digits(text)?)),
        None => Ok(digits(text)?.into()),
    }
}

/// A number of bits or of a word: at most [`BITS`].
pub(crate) fn count(text: &str) -> Result<u32, String> {
    u32::try_from(digits(text)?)
        .ok()
        .filter(|&count| u64::from(count) <= BITS)
        .ok_or(format!("{text} is too large; at most {BITS:x} is allowed"))
}

/// The number in the name of a variable or a fact.
pub(crate) fn name(text: &str, letter: char) -> Result<u32, String> {
    let number = text.strip_prefix(letter).and_then(|text| digits(text).ok());
    number
        .and_then(|number| u32::try_from(number).ok())
        .ok_or(format!("{text:?} is no name; {letter} and a number below 2^32 is expected"))
}

/// A polynomial in variables that are known: terms with a sign between them, each monomial once.
pub(crate) fn polynomial(text: &str, known: &HashSet<u32>) -> Result<Polynomial, String> {
    let mut sum = Polynomial::default();
    if text == "0" {
        return Ok(sum);
    }
    let (mut sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (Sign::Minus, rest),
        None => (Sign::Plus, text),
    };
    loop {
        let end = rest.find(['+', '-']).unwrap_or(rest.len());
        let mut factors = rest[..end].split('*').peekable();
        let coefficient = match factors.next_if(|factor| !factor.starts_with('v')) {
            Some(factor) => digits(factor)?,
            None => BigUint::from(1u32),
        };
        let mut monomial =
            factors.map(|factor| name(factor, 'v')).collect::<Result<Vec<_>, _>>()?;
        if let Some(v) = monomial.iter().find(|v| !known.contains(v)) {
            return Err(format!("v{v:x} has not been introduced"));
        }
        if coefficient == BigUint::ZERO || monomial.len() > DEGREE {
            return Err(format!(
                "a term has the coefficient {coefficient:x} and the degree {:x}; not 0, and at most {DEGREE:x}, are allowed",
                monomial.len()
            ));
        }
        monomial.sort_unstable();
        if sum.has(&monomial) {
            return Err(format!("{:?} has a second term of these variables", &rest[..end]));
        }
        sum.add_term(monomial, BigInt::from_biguint(sign, coefficient));
        let Some(byte) = rest.as_bytes().get(end) else { return Ok(sum) };
        sign = if *byte == b'-' { Sign::Minus } else { Sign::Plus };
        rest = &rest[end + 1..];
    }
}
