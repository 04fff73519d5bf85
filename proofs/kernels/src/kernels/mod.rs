//! The kernels: operands, claims and bounds of each operation, as its source documents them.

mod arm;
mod nist_words;
mod words25519;

use std::collections::BTreeMap;

use crate::arch::Arch;
use crate::arm::Arm;
use crate::claim::{Goal, Places};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::machine::{Cell, Machine};
use crate::number::{self, Int};
use crate::poly::Poly;
use crate::trace::Word;

/// All kernels, in the order in which they are proven.
pub fn all() -> Vec<Kernel> {
    let mut kernels = words25519::kernels();
    kernels.extend(nist_words::kernels());
    kernels
}

/// All kernels in code for aarch64.
pub fn arm() -> Vec<Kernel<Arm>> {
    arm::kernels()
}

/// 2^64 - 1.
fn word_max() -> Int {
    number::power_of_two(64) - 1
}

/// Words of 64 bits, of any value.
fn words<A: Arch>(m: &mut Machine<'_, A>, n: usize) -> Result<Vec<Word>> {
    (0..n).map(|_| m.trace.input(&Int::ZERO, &word_max())).collect()
}

/// sum(words * 2^(bits * i)).
fn number_of(words: &[Word], bits: usize) -> Poly {
    let terms = words.iter().enumerate();
    terms.fold(Poly::default(), |sum, (i, w)| sum.add_scaled(&w.p, &number::power_of_two(bits * i)))
}

/// Outputs from `first` on, each shifted by `bits` more than the one before.
fn places(first: usize, n: usize, bits: usize) -> Places {
    (0..n).map(|i| (first + i, bits * i)).collect()
}

/// Words at a buffer that a register points to.
fn place<A: Arch>(m: &mut Machine<'_, A>, register: A::Register, base: &str, words: &[Word]) {
    m.registers.insert(register, Cell::Pointer(base.into(), 0));
    for (i, w) in words.iter().enumerate() {
        m.memory.insert((base.into(), 8 * i as i64), (8, Cell::Word(w.clone())));
    }
}

/// Words in registers.
fn hold<A: Arch>(m: &mut Machine<'_, A>, registers: &[A::Register], words: &[Word]) {
    for (r, w) in registers.iter().zip(words) {
        m.registers.insert(*r, Cell::Word(w.clone()));
    }
}

/// Words that registers hold at the end.
fn held<A: Arch>(m: &Machine<'_, A>, registers: &[A::Register]) -> Result<Vec<Word>> {
    let word = |r: &A::Register| match m.registers.get(r) {
        Some(Cell::Word(w)) => Ok(w.clone()),
        _ => Err(Error::Unproven(format!("{r:?} holds no word at the end"))),
    };
    registers.iter().map(word).collect()
}

/// Registers of a block by the names of its template.
fn named<R: Copy>(names: &BTreeMap<String, R>, wanted: &[String]) -> Result<Vec<R>> {
    let register = |n: &String| {
        names.get(n).copied().ok_or_else(|| Error::Unproven(format!("a template without {n}")))
    };
    wanted.iter().map(register).collect()
}

/// NAME0, NAME1, …
fn numbered(name: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{name}{i}")).collect()
}

/// The promise that a number of words is below p.
fn below<A: Arch>(m: &mut Machine<'_, A>, words: &[Word], p: &Int) -> Result<crate::facts::Fact> {
    m.trace.assume(Poly::constant(p.clone()).plus(&Int::NEG_ONE).sub(&number_of(words, 64)))
}

/// factor * out = target modulo p, of outputs in words.
fn congruent(n: usize, modulus: &Int, factor: Int, target: Poly) -> Goal {
    let (name, places) = ("value".into(), places(0, n, 64));
    Goal::Zero { name, modulus: modulus.clone(), factor, target, places }
}

/// Goals, and that each output is a word.
fn and_words(n: usize, mut goals: Vec<Goal>) -> Vec<Goal> {
    goals.extend((0..n).map(|output| {
        let (name, lo, hi) = (format!("word{output}"), Int::ZERO, word_max());
        Goal::Limb { name, output, lo, hi }
    }));
    goals
}

/// 0 <= out <= hi, of outputs in words.
fn at_most(n: usize, hi: Int) -> Goal {
    Goal::Whole { name: "range".into(), lo: Int::ZERO, hi, places: places(0, n, 64) }
}
