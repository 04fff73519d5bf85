//! The fields of P-256 and P-384 in words: Montgomery products and squares in assembly, and blocks of inline assembly.

use iced_x86::Register::{
    self, R8, R9, R10, R11, R12, R13, R14, R15, RAX, RBP, RBX, RCX, RDI, RSI,
};

use super::{
    and_words, at_most, below, congruent, held, hold, named, number_of, numbered, place, words,
};
use crate::arch::Arch;
use crate::claim::Goal;
use crate::error::{Error, Result};
use crate::kernel::{Find, Kernel};
use crate::machine::Machine;
use crate::number::{self, Int};
use crate::poly::Poly;
use crate::trace::Word;

#[derive(Clone, Copy)]
pub(super) enum Prime {
    P256,
    P384,
}

impl Prime {
    pub(super) fn value(self) -> Int {
        let two = number::power_of_two;
        match self {
            Self::P256 => two(256) - two(224) + two(192) + two(96) - 1,
            Self::P384 => two(384) - two(128) - two(96) + two(32) - 1,
        }
    }

    pub(super) fn words(self) -> usize {
        match self {
            Self::P256 => 4,
            Self::P384 => 6,
        }
    }
}

/// The place from which a function takes an operand.
#[derive(Clone, Copy)]
enum Operand {
    At(Register),
    In(&'static [Register]),
}

impl Operand {
    fn put(self, m: &mut Machine<'_>, base: &str, words: &[Word]) {
        match self {
            Self::At(r) => place(m, r, base, words),
            Self::In(registers) => hold(m, registers, words),
        }
    }
}

/// x*y <= (p - 1)^2, which follows from the promises x < p and y < p.
pub(super) fn relate_product<A: Arch>(
    m: &mut Machine<'_, A>,
    x: &[Word],
    y: &[Word],
    p: &Int,
) -> Result<()> {
    let most = p - Int::ONE;
    let (a, b) = (number_of(x, 64), number_of(y, 64));
    let relations = m.trace.relations();
    let (Some(&first), Some(&last)) = (relations.first(), relations.last()) else {
        return Err(Error::Unproven("operands without the promise that they are reduced".into()));
    };
    let mut lows = Vec::new();
    for (i, w) in y.iter().enumerate() {
        lows.push((Poly::constant(number::power_of_two(64 * i)), m.trace.bounds_of(w)?.low));
    }
    let facts = &mut m.trace.facts;
    let positive = facts.linear(&Int::ONE, b.clone(), &lows)?;
    let product = facts.product(first, positive)?; // (p - 1 - x) * y
    let bound = Poly::constant(&most * &most).sub(&a.mul(&b));
    let sum = [(Poly::constant(1), product), (Poly::constant(most), last)];
    let fact = facts.linear(&Int::ONE, bound, &sum)?;
    m.trace.relate(fact);
    Ok(())
}

/// x*y/2^(64*n) modulo p, reduced, of reduced operands.
fn montgomery(
    name: &'static str,
    stem: &'static str,
    prime: Prime,
    x: Operand,
    y: Option<Operand>,
    out: &'static [Register],
) -> Kernel {
    let (p, n) = (prime.value(), prime.words());
    let (reduced, modulus) = (p.clone(), p.clone());
    let second = move |x: &[Word]| if x.len() > n { x[n..].to_vec() } else { x.to_vec() };
    Kernel {
        name,
        find: Find::Function(stem),
        preserved: &[RBX, RBP],
        enter: Box::new(move |m, _| {
            let mut inputs = words(m, n)?;
            x.put(m, "x", &inputs);
            let b = if y.is_some() { words(m, n)? } else { Vec::new() };
            below(m, &inputs, &reduced)?;
            if let Some(y) = y {
                y.put(m, "y", &b);
                below(m, &b, &reduced)?;
                inputs.extend(b);
            }
            Ok(inputs)
        }),
        lemmas: Some(Box::new(move |m, x| relate_product(m, &x[..n], &second(x), &p))),
        cuts: vec![],
        results: Box::new(|m, _| held(m, out)),
        goals: Box::new(move |_, _, x| {
            let target = number_of(&x[..n], 64).mul(&number_of(&second(x), 64));
            let value = congruent(n, &modulus, number::power_of_two(64 * n), target);
            and_words(n, vec![value, at_most(n, &modulus - Int::ONE)])
        }),
    }
}

/// A block of reduced operands, the first in `w`, the second at `y`, with a reduced result in `w`.
fn block(
    name: &'static str,
    template: &'static str,
    prime: Prime,
    two: bool,
    goals: impl Fn(&Int, &[Word], usize) -> Vec<Goal> + 'static,
) -> Kernel {
    let (p, n) = (prime.value(), prime.words());
    let reduced = p.clone();
    Kernel {
        name,
        find: Find::Block(template),
        preserved: &[],
        enter: Box::new(move |m, names| {
            let mut x = words(m, n)?;
            hold(m, &named(names, &numbered("w", n))?, &x);
            let y = if two { words(m, n)? } else { Vec::new() };
            below(m, &x, &reduced)?;
            if two {
                place(m, named(names, &["y".into()])?[0], "y", &y);
                below(m, &y, &reduced)?;
                x.extend(y);
            }
            Ok(x)
        }),
        lemmas: None,
        cuts: vec![],
        results: Box::new(move |m, names| held(m, &named(names, &numbered("w", n))?)),
        goals: Box::new(move |_, _, x| and_words(n, goals(&p, x, n))),
    }
}

fn of_two(name: &'static str, template: &'static str, prime: Prime, sign: i32) -> Kernel {
    block(name, template, prime, true, move |p, x, n| {
        let target = number_of(&x[..n], 64).add_scaled(&number_of(&x[n..], 64), &Int::from(sign));
        vec![congruent(n, p, Int::ONE, target), at_most(n, p - Int::ONE)]
    })
}

fn halved(name: &'static str, template: &'static str, prime: Prime) -> Kernel {
    block(name, template, prime, false, |p, x, n| {
        vec![congruent(n, p, Int::from(2), number_of(x, 64)), at_most(n, p - Int::ONE)]
    })
}

const P256_ADD: &str = "add w0 [y+0]; adc w1 [y+8]; adc w2 [y+16]; adc w3 [y+24]; sbb m m; \
    mov t:d 0xffffffff; mov u 0xffffffff00000001; sub w0 -1; sbb w1 t; sbb w2 0; sbb w3 u; adc m 0; neg m; \
    mov t:d m:d; mov u m; shl u 32; sub u m; add w0 m; adc w1 t; adc w2 0; adc w3 u";
const P256_SUB: &str = "sub w0 [y+0]; sbb w1 [y+8]; sbb w2 [y+16]; sbb w3 [y+24]; sbb m m; \
    mov t:d m:d; mov u m; shl u 32; sub u m; add w0 m; adc w1 t; adc w2 0; adc w3 u";
const P256_HALVE: &str = "mov m w0; and m 1; neg m; \
    mov t:d m:d; mov u m; shl u 32; sub u m; add w0 m; adc w1 t; adc w2 0; adc w3 u; \
    sbb m m; shrd w0 w1 1; shrd w1 w2 1; shrd w2 w3 1; shrd w3 m 1";
const P384_ADD: &str = "add w0 [y+0]; adc w1 [y+8]; adc w2 [y+16]; adc w3 [y+24]; adc w4 [y+32]; \
    adc w5 [y+40]; sbb m m; mov t:d 0xffffffff; sub w0 t; not t; sbb w1 t; sbb w2 -2; sbb w3 -1; \
    sbb w4 -1; sbb w5 -1; adc m 0; neg m; \
    mov t:d m:d; mov u m; shl u 32; add w0 t; adc w1 u; lea t [m+m]; adc w2 t; adc w3 m; adc w4 m; adc w5 m";
const P384_SUB: &str = "sub w0 [y+0]; sbb w1 [y+8]; sbb w2 [y+16]; sbb w3 [y+24]; sbb w4 [y+32]; \
    sbb w5 [y+40]; sbb m m; \
    mov t:d m:d; mov u m; shl u 32; add w0 t; adc w1 u; lea t [m+m]; adc w2 t; adc w3 m; adc w4 m; adc w5 m";
const P384_HALVE: &str = "mov m w0; and m 1; neg m; \
    mov t:d m:d; mov u m; shl u 32; add w0 t; adc w1 u; lea t [m+m]; adc w2 t; adc w3 m; adc w4 m; adc w5 m; \
    sbb m m; shrd w0 w1 1; shrd w1 w2 1; shrd w2 w3 1; shrd w3 w4 1; shrd w4 w5 1; shrd w5 m 1";

pub(super) fn kernels() -> Vec<Kernel> {
    use Operand::{At, In};
    use Prime::{P256, P384};
    const LAST: &[Register] = &[RAX, RDI, R9, R10, R11, R12];
    const FOUR: &[Register] = &[R8, R9, R10, R11];
    vec![
        montgomery(
            "p256 mul adx",
            "adx_multiplied",
            P256,
            At(RSI),
            Some(At(RCX)),
            &[R12, R13, R8, R9],
        ),
        montgomery("p256 square adx", "adx_squared", P256, At(RSI), None, &[R8, R9, R10, RAX]),
        montgomery(
            "p256 mul x86-64",
            "x86_64_multiplied",
            P256,
            At(RDI),
            Some(At(RSI)),
            &[R12, R13, R14, R15],
        ),
        montgomery(
            "p256 square x86-64",
            "x86_64_squared",
            P256,
            In(FOUR),
            None,
            &[R15, RSI, RDI, RCX],
        ),
        montgomery(
            "p384 mul adx",
            "adx_multiplied",
            P384,
            At(RSI),
            Some(At(RCX)),
            &[R14, R15, R8, R9, R10, R11],
        ),
        montgomery(
            "p384 square adx",
            "adx_squared",
            P384,
            At(RSI),
            None,
            &[R15, R8, R9, R10, R11, RAX],
        ),
        montgomery("p384 mul x86-64", "x86_64_multiplied", P384, At(RDI), Some(At(RSI)), LAST),
        montgomery("p384 square x86-64", "x86_64_squared", P384, At(RDI), None, LAST),
        of_two("p256 add", P256_ADD, P256, 1),
        of_two("p256 sub", P256_SUB, P256, -1),
        halved("p256 halve", P256_HALVE, P256),
        of_two("p384 add", P384_ADD, P384, 1),
        of_two("p384 sub", P384_SUB, P384, -1),
        halved("p384 halve", P384_HALVE, P384),
    ]
}
