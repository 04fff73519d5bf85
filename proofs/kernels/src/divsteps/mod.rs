//! Division steps: functions that compute factor/x modulo m by batches of 60 steps (`sigmill/src/modular/divsteps.rs`).
//!
//! A function is proven in pieces, for each modulus that it is called with. Up to the loop: limbs are those of the words. From the head of the loop
//! to the matrix: it is the product of those of three parts, takes 2^60 out of f and g, and its rows sum up to at most 2^60.
//! From there to the head: f, g, d and e are the matrix times those before, over 2^60, d and e modulo m, in their bounds.
//! The 20 steps of a part, a function of their own, are the same code 20 times: it is proven to be one step.
//! A run on numbers finds the places of limbs at the head; a wrong guess gives a piece that is not proven.

mod cpu;
mod head;
mod lemmas;
mod logic;
mod matrix;
mod pieces;
mod segment;
mod step;
mod steps;
mod turn;
mod values;

use std::collections::BTreeSet;

use self::pieces::{Piece, Task};
use crate::error::{Error, Result};
use crate::image::{Code, Function, Image};
use crate::number::{self, Int};

/// A modulus of the library.
struct Modulus {
    name: &'static str,
    words: usize,
    digits: &'static str,
}

const MODULI: [Modulus; 4] = [
    Modulus {
        name: "p256",
        words: 4,
        digits: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
    },
    Modulus {
        name: "n256",
        words: 4,
        digits: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    },
    Modulus {
        name: "p384",
        words: 6,
        digits: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
    },
    Modulus {
        name: "n384",
        words: 6,
        digits: "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    },
];

fn integer(digits: &str) -> Int {
    digits.chars().filter_map(|c| c.to_digit(16)).fold(Int::ZERO, |n, d| (n << 4) + Int::from(d))
}

/// Steps that are enough for 0 <= g <= f <= 2^bits (`docs/division-steps.md`).
fn enough_steps(bits: usize) -> usize {
    (45907 * bits + 26313) / 19929
}

/// A proof of a function for one modulus.
pub struct Proof {
    /// Addresses of instructions that ran.
    pub ran: BTreeSet<u64>,
    /// Certificates, each with its name.
    pub certificates: Vec<(String, String)>,
}

/// Functions that divide, and the one that makes 20 steps.
pub fn functions(image: &Image) -> impl Iterator<Item = &Function> {
    let calls = |f: &&Function| {
        let code = image.code(f.start, f.size).unwrap_or_default();
        code.values().any(|i| {
            i.is_call_near()
                && steps::Callee::at(image, i.near_branch_target())
                    .is_some_and(|c| c != steps::Callee::Compare)
        })
    };
    let steps = |f: &&Function| f.stem() == step::STEM;
    image.functions().iter().filter(move |f| calls(f) || steps(f))
}

/// Proves a function for each modulus that its code may be about.
///
/// # Errors
/// The reason why a modulus of its length is not proven.
pub fn prove(image: &Image, f: &Function) -> Result<Vec<Proof>> {
    prove_code(image, f, &image.code(f.start, f.size)?)
}

/// The same of other code in the place of the function's.
///
/// # Errors
/// The reason why a modulus of its length is not proven.
pub fn prove_code(image: &Image, f: &Function, code: &Code) -> Result<Vec<Proof>> {
    if f.stem() == step::STEM {
        return Ok(vec![proof("division step".into(), vec![step::prove(image, f, code)?])]);
    }
    let (mut proofs, mut why) = (Vec::new(), Vec::new());
    for modulus in &MODULI {
        let m = integer(modulus.digits);
        let found = Task::new(image, f, code, &m, modulus.words)
            .and_then(|task| Ok((task.vartime, task.prove()?)));
        match found {
            Ok((vartime, pieces)) => {
                let time = if vartime { " vartime" } else { "" };
                let name = format!("{}{time} {}", f.stem().replace('_', " "), modulus.name);
                proofs.push(proof(name, pieces));
            }
            Err(e) => why.push(format!("{}: {e}", modulus.name)),
        }
    }
    // functions that take the modulus are called with both of their length
    let both = f.stem() == "divsteps_quotient";
    if proofs.len() == if both { 2 } else { 1 } {
        return Ok(proofs);
    }
    Err(Error::Unproven(why.join("; ")))
}

fn proof(name: String, pieces: Vec<Piece>) -> Proof {
    let mut out = Proof { ran: BTreeSet::new(), certificates: Vec::new() };
    for piece in pieces {
        out.ran.extend(&piece.ran);
        let full = format!("{name} {}", piece.name);
        let text = format!("certificate 1\nkernel {full}\n{}", piece.text);
        out.certificates.push((full, text));
    }
    out
}

/// The number of words below 2^64.
fn words_of(n: &Int, count: usize) -> Vec<Int> {
    (0..count)
        .map(|i| number::modulo(&number::floor_shift(n, 64 * i), &number::power_of_two(64)))
        .collect()
}
