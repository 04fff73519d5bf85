//! Blocks of inline assembly for aarch64: their instructions as the source's macros put them together, and the claims about them.

mod nist;
mod words25519;

use super::{and_words, held, hold, named, numbered, words};
use crate::arm::Arm;
use crate::claim::Goal;
use crate::error::Result;
use crate::kernel::{Find, Kernel};
use crate::machine::{Cell, Machine};
use crate::number::{self, Int};
use crate::poly::Poly;
use crate::trace::Word;

/// An instruction in the form of a template; `zr` is the zero register.
fn line(text: &str) -> String {
    match text.split(' ').collect::<Vec<_>>()[..] {
        ["mul", d, a, b] => format!("madd {d} {a} {b} zr"),
        ["cmp", a, b] => format!("subs zr {a} {b}"),
        ["lsr", d, a, n] => format!("ubfm {d} {a} {n} 63"),
        ["lsl", d, a, "32"] => format!("ubfm {d} {a} 32 31"),
        ["cset", d, "lo"] => format!("csinc {d} zr zr hs"),
        ["csetm", d, "lo"] => format!("csinv {d} zr zr hs"),
        ["mov", d, n] if n.len() < 4 => format!("movz {d} {n}"),
        ["mov", d, n] => format!("orr {d} zr {n}"),
        _ => text.to_owned(),
    }
}

/// Instructions separated by `;`, as a template.
fn template(parts: &[&str]) -> &'static str {
    let lines = parts.iter().flat_map(|part| part.split(';')).map(str::trim);
    let lines: Vec<String> = lines.filter(|l| !l.is_empty()).map(line).collect();
    lines.join("; ").leak()
}

/// The same instruction on words and words.
fn each(op: &str, to: &[&str], words: &[&str]) -> String {
    to.iter().zip(words).map(|(a, b)| format!("{op} {a} {a} {b}; ")).collect()
}

/// Each word is the low or the high half of x times a word of y.
fn products(op: &str, x: &str, words: &[&str], y: &[&str]) -> String {
    words.iter().zip(y).map(|(w, y)| format!("{op} {w} {x} {y}; ")).collect()
}

/// A chain of carries: `ops` are the first instruction and the others.
fn chain(ops: (&str, &str), to: &[&str], words: &[&str]) -> String {
    each(ops.0, &to[..1], words) + &each(ops.1, &to[1..], &words[1..])
}

/// Adds to each word another, with carries.
fn add(to: &[&str], words: &[&str]) -> String {
    chain(("adds", "adcs"), to, words)
}

/// Adds the carry to a word.
fn carry_to(word: &str) -> String {
    format!("adc {word} {word} zr; ")
}

/// Differences where the flags hold no borrow.
fn select(words: &[&str], differences: &[&str]) -> String {
    words.iter().zip(differences).map(|(w, d)| format!("csel {w} {d} {w} hs; ")).collect()
}

/// Words that a register holds for a caller.
struct Operand {
    /// The names of its registers: this and a number.
    name: &'static str,
    /// The number of its words.
    words: usize,
    /// A bound that callers promise, if they do.
    below: Option<Int>,
}

fn operand(name: &'static str, words: usize) -> Operand {
    Operand { name, words, below: None }
}

/// A block: operands in registers, constants in others, and results in registers.
fn block(
    name: &'static str,
    template: &'static str,
    operands: Vec<Operand>,
    constants: &'static [(&'static str, u64)],
    out: Vec<String>,
    goals: impl Fn(&[Word]) -> Vec<Goal> + 'static,
) -> Kernel<Arm> {
    let n = out.len();
    Kernel {
        name,
        find: Find::Block(template),
        preserved: &[],
        enter: Box::new(move |m, names| {
            let mut inputs = Vec::new();
            for o in &operands {
                let x = words(m, o.words)?;
                hold(m, &named(names, &numbered(o.name, o.words))?, &x);
                if let Some(p) = &o.below {
                    super::below(m, &x, p)?;
                }
                inputs.extend(x);
            }
            for (name, n) in constants {
                hold(m, &named(names, &[(*name).into()])?, &[Word::constant(*n)]);
            }
            Ok(inputs)
        }),
        lemmas: None,
        cuts: vec![],
        results: Box::new(move |m, names| held(m, &named(names, &out)?)),
        goals: Box::new(move |_, _, x| and_words(n, goals(x))),
    }
}

/// Adds an input to a kernel: what `make` gives, placed in a register of the block.
fn with_input(
    kernel: Kernel<Arm>,
    register: &'static str,
    make: impl Fn(&mut Machine<'_, Arm>) -> Result<(Word, Word)> + 'static,
) -> Kernel<Arm> {
    let enter = kernel.enter;
    let enter = Box::new(move |m: &mut Machine<'_, Arm>, names: &_| {
        let mut x = enter(m, names)?;
        let (input, held) = make(m)?;
        m.registers.insert(named(names, &[register.into()])?[0], Cell::Word(held));
        x.push(input);
        Ok(x)
    });
    Kernel { enter, ..kernel }
}

/// a - b of n words and no borrow, 1 or 0: a - b + 2^(64*n) exactly.
fn difference_of_words(name: &'static str, n: usize) -> Kernel<Arm> {
    let (a, b) = (numbered("a", n), numbered("b", n));
    let names = |of: &[String]| of.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(" ");
    let (a_names, b_names) = (names(&a), names(&b));
    let (a_names, b_names): (Vec<_>, Vec<_>) =
        (a_names.split(' ').collect(), b_names.split(' ').collect());
    let text = chain(("subs", "sbcs"), &a_names, &b_names) + "cset borrow lo";
    let operands = vec![operand("a", n), operand("b", n)];
    let mut kernel = block(name, template(&[&text]), operands, &[], a.clone(), |_| vec![]);
    kernel.results = Box::new(move |m, names| {
        let mut out = held(m, &named(names, &a)?)?;
        let borrow = held(m, &named(names, &["borrow".into()])?)?;
        out.push(m.trace.sum(&[(Int::ONE, &Word::constant(1)), (Int::NEG_ONE, &borrow[0])])?);
        Ok(out)
    });
    kernel.goals = Box::new(move |_, _, x| {
        let all = number::power_of_two(64 * n);
        let (a, b): (Poly, Poly) = (super::number_of(&x[..n], 64), super::number_of(&x[n..], 64));
        let value = super::congruent(n + 1, &Int::ZERO, Int::ONE, a.sub(&b).plus(&all));
        let (lo, hi) = (Int::ZERO, Int::ONE);
        and_words(n, vec![value, Goal::Limb { name: "borrow".into(), output: n, lo, hi }])
    });
    kernel
}

pub(super) fn kernels() -> Vec<Kernel<Arm>> {
    let mut all = words25519::kernels();
    all.extend(nist::kernels());
    all.extend([
        difference_of_words("words sub x3 aarch64", 3),
        difference_of_words("words sub x4 aarch64", 4),
        difference_of_words("words sub x6 aarch64", 6),
    ]);
    all
}
