//! Primes, and what the types of lanes promise of their limbs.

use super::combinations;
use super::pairs;
use super::slice::Class;
use crate::number::{self, Int};

/// A prime and the representation of its elements.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The prime.
    pub p: Int,
    /// Limbs.
    pub limbs: usize,
    /// Bits of a limb.
    pub radix: usize,
    /// The highest limb of an element is at most this.
    pub top: Int,
    /// Columns lie between these.
    pub columns: (Int, Int),
    /// The highest column lies between these.
    pub top_column: (Int, Int),
    /// The highest column of a product lies between these.
    pub top_product: (Int, Int),
    /// Columns that are not reduced lie between these.
    pub addends: (Int, Int),
    /// The highest column that is not reduced lies between these.
    pub top_addend: (Int, Int),
    /// Columns of a product that something was added to lie between these.
    pub wide: (Int, Int),
    /// Whether products are divided by 2^(52*limbs).
    pub montgomery: bool,
}

/// The name of 2^255 - 19 in limbs of 51 bits.
pub const LIMBS_51: &str = "2^255-19 in limbs of 51 bits";

impl Field {
    /// A form whose bounds and claims are in a module of its own; no other form has these limbs.
    fn of_claims(name: &'static str, p: Int) -> Self {
        let none = || (Int::ZERO, Int::ZERO);
        Self {
            name,
            p,
            limbs: 0,
            radix: 0,
            top: Int::ZERO,
            columns: none(),
            top_column: none(),
            top_product: none(),
            addends: none(),
            top_addend: none(),
            wide: none(),
            montgomery: false,
        }
    }

    /// Bounds of a class of values.
    pub fn range(&self, class: Class) -> (Int, Int) {
        match class {
            Class::Limb => (Int::ZERO, number::power_of_two(52) - 1),
            Class::Mask | Class::Word => (Int::ZERO, number::power_of_two(64) - 1),
            Class::Top | Class::Double => (Int::ZERO, self.top.clone()),
            Class::Short => (Int::ZERO, number::power_of_two(16) - 1),
            Class::Column => self.columns.clone(),
            Class::TopColumn => self.top_column.clone(),
            Class::TopProduct => self.top_product.clone(),
            Class::Addend => self.addends.clone(),
            Class::TopAddend => self.top_addend.clone(),
            Class::Wide => self.wide.clone(),
            Class::Below(n) => (Int::ZERO, number::power_of_two(52) * n - 1),
            // not as one number
            Class::Pair(_) | Class::Signed | Class::Coefficient => (Int::ONE, Int::ZERO),
        }
    }

    /// Whether a word has the bounds of a class.
    pub fn holds(&self, class: Class, word: u64) -> bool {
        match class {
            Class::Pair(level) => return level.holds(word),
            Class::Coefficient => return combinations::is_coefficient(word),
            _ => {}
        }
        let (lo, hi) = self.range(class);
        (lo..=hi).contains(&Int::from(word))
    }

    /// The same, of inputs that are words of 64 bits.
    pub fn of_words(&self) -> Self {
        let word = (Int::ZERO, number::power_of_two(64) - 1);
        Self { columns: word.clone(), top_column: word, ..self.clone() }
    }

    /// The same, of inputs that are highest limbs.
    pub fn of_tops(&self) -> Self {
        let top = (Int::ZERO, self.top.clone());
        Self { columns: top.clone(), top_column: top, ..self.clone() }
    }
}

/// Fields in lanes of 52 bits.
pub fn fields() -> Vec<Field> {
    let two = number::power_of_two;
    let signed = (-two(59), two(59));
    vec![
        Field {
            name: "2^255-19",
            p: two(255) - 19,
            limbs: 5,
            radix: 52,
            top: two(47) + 63,
            columns: (Int::ZERO, two(52) * 12 - 1),
            top_column: (Int::ZERO, two(52) * 12 - 1),
            top_product: (Int::ZERO, two(52) * 12 - 1),
            addends: (Int::ZERO, two(52) * 12 - 1),
            top_addend: (Int::ZERO, two(52) * 12 - 1),
            wide: (Int::ZERO, two(52) * 12 - 1),
            montgomery: false,
        },
        Field {
            name: "P-256",
            p: two(256) - two(224) + two(192) + two(96) - 1,
            limbs: 5,
            radix: 52,
            top: two(49) + two(26),
            columns: signed.clone(),
            addends: (Int::ZERO, two(52) * 88),
            top_addend: (Int::ZERO, two(49) + two(28)),
            wide: (-two(59), two(59)),
            top_column: (-two(50), two(50)),
            top_product: (Int::ZERO, two(50)),
            montgomery: true,
        },
        Field {
            name: "P-384",
            p: two(384) - two(128) - two(96) + two(32) - 1,
            limbs: 8,
            radix: 52,
            top: two(21) + two(11),
            columns: signed,
            addends: (Int::ZERO, two(59)),
            top_addend: (Int::ZERO, Int::from(8)),
            wide: (-two(59), two(52) * 177),
            top_column: (-two(22), two(22)),
            top_product: (Int::ZERO, two(22)),
            montgomery: true,
        },
        Field::of_claims(pairs::NAME, two(255) - 19),
        Field::of_claims(combinations::NAME, Int::ZERO),
        Field {
            name: LIMBS_51,
            p: two(255) - 19,
            limbs: 5,
            radix: 51,
            top: two(52) - 1,
            columns: (Int::ZERO, two(52) * 309 - 1),
            top_column: (Int::ZERO, two(52) * 309 - 1),
            top_product: (Int::ZERO, two(52) * 309 - 1),
            addends: (Int::ZERO, two(52) * 309 - 1),
            top_addend: (Int::ZERO, two(52) * 309 - 1),
            wide: (Int::ZERO, two(52) * 309 - 1),
            montgomery: false,
        },
    ]
}
