//! GF(2^255 - 19) in four words: products, squares and powers in assembly, and blocks of inline assembly.

use iced_x86::Register::{self, R8, R9, R10, R11, R13, R14, R15, RAX, RBP, RBX, RDI, RDX, RSI};

use super::{
    and_words, at_most, congruent, held, hold, named, number_of, numbered, place, word_max, words,
};
use crate::claim::Goal;
use crate::error::Result;
use crate::kernel::{Cut, CutWord, Find, Goals, Kernel, Point, Site};
use crate::machine::{Cell, Machine};
use crate::number::{self, Int};
use crate::poly::Poly;
use crate::template::Names;
use crate::trace::{Trace, Word};

const OUT: [Register; 4] = [R8, R9, R10, R11];

pub(super) fn prime() -> Int {
    number::power_of_two(255) - 19
}

/// The greatest value that a product leaves: bit 255 is clear but for the last addition.
pub(super) fn loose() -> Int {
    number::power_of_two(255) + number::power_of_two(23) - 1
}

pub(super) fn product(x: &[Word], y: &[Word]) -> Poly {
    number_of(x, 64).mul(&number_of(y, 64))
}

fn kernel(
    name: &'static str,
    stem: &'static str,
    preserved: &'static [Register],
    enter: impl Fn(&mut Machine<'_>, &Names) -> Result<Vec<Word>> + 'static,
    square: bool,
) -> Kernel {
    let goals: Goals = Box::new(move |_, _, x| {
        let y = if square { &x[..4] } else { &x[4..] };
        let value = congruent(4, &prime(), Int::ONE, product(&x[..4], y));
        and_words(4, vec![value, at_most(4, loose())])
    });
    Kernel {
        name,
        find: Find::Function(stem),
        preserved,
        enter: Box::new(enter),
        lemmas: None,
        cuts: vec![],
        results: Box::new(|m, _| held(m, &OUT)),
        goals,
    }
}

/// x to the power 2^n: a loop of squarings with n in EAX.
fn power(name: &'static str, stem: &'static str, preserved: &'static [Register]) -> Kernel {
    let word =
        |r| CutWord { register: Site::Register(r), lo: Int::ZERO, hi: word_max(), public: false };
    let turns = CutWord {
        register: Site::Register(RBX),
        lo: Int::ZERO,
        hi: number::power_of_two(32) - 1,
        public: true,
    };
    let mut state: Vec<CutWord> = OUT.iter().map(|r| word(*r)).collect();
    state.push(turns);
    let goals: Goals = Box::new(|from, to, x| {
        let (target, turned) = match from {
            Point::Entry => (number_of(&x[..4], 64), x[4].p.clone()),
            _ => (product(&x[..4], &x[..4]), x[4].p.plus(&Int::NEG_ONE)),
        };
        let mut goals = vec![congruent(4, &prime(), Int::ONE, target)];
        match to {
            Point::Exit => {
                goals.push(at_most(4, loose()));
                goals = and_words(4, goals);
            }
            _ => goals.push(Goal::Zero {
                name: "turns".into(),
                modulus: number::power_of_two(32),
                factor: Int::ONE,
                target: turned,
                places: vec![(4, 0)],
            }),
        }
        goals
    });
    Kernel {
        name,
        find: Find::Function(stem),
        preserved,
        enter: Box::new(|m, _| {
            let mut x = words(m, 4)?;
            let n = m.trace.input(&Int::ZERO, &(number::power_of_two(32) - 1))?;
            m.public.extend(n.p.variables());
            hold(m, &OUT, &x);
            m.registers.insert(RAX, Cell::Word(n.clone()));
            x.push(n);
            Ok(x)
        }),
        lemmas: None,
        cuts: vec![Cut { words: state, constants: vec![] }],
        results: Box::new(|m, _| held(m, &OUT)),
        goals,
    }
}

/// A block whose four words `z` are replaced.
fn block(
    name: &'static str,
    template: &'static str,
    second: Option<&'static str>,
    goals: impl Fn(&[Word]) -> Vec<Goal> + 'static,
) -> Kernel {
    Kernel {
        name,
        find: Find::Block(template),
        preserved: &[],
        enter: Box::new(move |m, names| {
            let mut x = words(m, 4)?;
            let z = named(names, &numbered("z", 4))?;
            hold(m, &z, &x);
            if let Some(second) = second {
                let y = words(m, 4)?;
                hold(m, &named(names, &numbered(second, 4))?, &y);
                x.extend(y);
            }
            if let Some(t) = names.get("t") {
                m.registers.insert(*t, Cell::Word(Word::constant(0)));
            }
            Ok(x)
        }),
        lemmas: None,
        cuts: vec![],
        results: Box::new(|m, names| held(m, &named(names, &numbered("z", 4))?)),
        goals: Box::new(move |_, _, x| and_words(4, goals(x))),
    }
}

fn of_two(name: &'static str, template: &'static str, sign: i32) -> Kernel {
    block(name, template, Some("y"), move |x| {
        let target = number_of(&x[..4], 64).add_scaled(&number_of(&x[4..], 64), &Int::from(sign));
        vec![congruent(4, &prime(), Int::ONE, target)]
    })
}

/// The same of words of products, whose sum or difference folds once.
fn of_two_products(name: &'static str, template: &'static str, sign: i32) -> Kernel {
    let mut kernel = of_two(name, template, sign);
    let enter = kernel.enter;
    kernel.enter = Box::new(move |m, names| {
        let x = enter(m, names)?;
        let (a, b) = (number_of(&x[..4], 64), number_of(&x[4..], 64));
        for promise in products_bound(&a, &b, sign) {
            m.trace.assume(promise)?;
        }
        Ok(x)
    });
    kernel
}

/// A sum is at most 2^256 + 2^64 - 39; a difference lies in [38 - 2^256, 2^256].
pub(super) fn products_bound(a: &Poly, b: &Poly, sign: i32) -> Vec<Poly> {
    let all = number::power_of_two(256);
    let value = a.add_scaled(b, &Int::from(sign));
    if sign > 0 {
        vec![Poly::constant(all + number::power_of_two(64) - 39).sub(&value)]
    } else {
        vec![value.plus(&(all - 38))]
    }
}

const SUM: &str = "add z0 y0; adc z1 y1; adc z2 y2; adc z3 y3; sbb t:d t:d; and t:d 38; \
    add z0 t; adc z1 0; adc z2 0; adc z3 0; sbb t:d t:d; and t:d 38; add z0 t";
const SUM_OF_PRODUCTS: &str =
    "add z0 y0; adc z1 y1; adc z2 y2; adc z3 y3; sbb t:d t:d; and t:d 38; add z0 t";
const DIFFERENCE: &str = "sub z0 y0; sbb z1 y1; sbb z2 y2; sbb z3 y3; sbb t:d t:d; and t:d 38; \
    sub z0 t; sbb z1 0; sbb z2 0; sbb z3 0; sbb t:d t:d; and t:d 38; sub z0 t";
const DIFFERENCE_OF_PRODUCTS: &str = "sub z0 y0; sbb z1 y1; sbb z2 y2; sbb z3 y3; sbb t:d t:d; \
    and t:d 38; sub z0 t; sbb z1 0; sbb z2 0; sbb z3 0";
const FOLDED: &str =
    "mov t z3; sar t 63; and t:d 19; btr z3 63; add z0 t; adc z1 0; adc z2 0; adc z3 0";
const SMALL: &str = "mulx a z0 z0; mulx c z1 z1; add z1 a; mulx a z2 z2; adc z2 c; mulx c z3 z3; \
    adc z3 a; adc c 0; add z3 z3; adc c c; shr z3 1; imul c c 19; add z0 c; adc z1 0; adc z2 0; adc z3 0";
const SELECTED: &str = "test m m; cmovne z0 y0; cmovne z1 y1; cmovne z2 y2; cmovne z3 y3";

fn small_product() -> Kernel {
    let mut kernel = block("25519 small product", SMALL, None, |x| {
        let target = number_of(&x[..4], 64).mul(&x[4].p);
        vec![congruent(4, &prime(), Int::ONE, target), at_most(4, loose())]
    });
    let enter = kernel.enter;
    kernel.enter = Box::new(move |m, names| {
        let mut x = enter(m, names)?;
        let n = m.trace.input(&Int::ZERO, &(number::power_of_two(17) - 1))?;
        m.registers.insert(RDX, Cell::Word(n.clone()));
        x.push(n);
        Ok(x)
    });
    kernel
}

/// y if the mask is all ones, z if it is 0.
fn select() -> Kernel {
    let mut kernel = block("select x4", SELECTED, Some("y"), |x| {
        let (z, y, c) = (number_of(&x[..4], 64), number_of(&x[4..8], 64), &x[8].p);
        vec![congruent(4, &Int::ZERO, Int::ONE, z.add(&c.mul(&y.sub(&z))))]
    });
    let enter = kernel.enter;
    kernel.enter = Box::new(move |m, names| {
        let mut x = enter(m, names)?;
        let c = m.trace.input(&Int::ZERO, &Int::ONE)?;
        let mask = mask_of(&mut m.trace, &c)?;
        hold(m, &named(names, &["m".into()])?, &[mask]);
        x.push(c);
        Ok(x)
    });
    kernel
}

/// 0 or 2^64 - 1.
pub(super) fn mask_of(trace: &mut Trace, bit: &Word) -> Result<Word> {
    trace.sum(&[(word_max(), bit)])
}

pub(super) fn kernels() -> Vec<Kernel> {
    vec![
        kernel(
            "25519 mul adx",
            "adx_multiplied",
            &[RBX, RBP],
            |m, _| {
                let (x, y) = (words(m, 4)?, words(m, 4)?);
                hold(m, &[RDX, R13, R14, R15], &x);
                place(m, RSI, "y", &y);
                Ok([x, y].concat())
            },
            false,
        ),
        kernel("25519 square adx", "adx_squared_once", &[RBX, RBP], one_in_registers, true),
        power("25519 power adx", "adx_squared", &[RBX, RBP]),
        kernel(
            "25519 mul x86-64",
            "x86_64_multiplied",
            &[RBX, RBP],
            |m, _| {
                let (x, y) = (words(m, 4)?, words(m, 4)?);
                place(m, RDI, "x", &x);
                place(m, RSI, "y", &y);
                Ok([x, y].concat())
            },
            false,
        ),
        kernel("25519 square x86-64", "x86_64_squared_once", &[RBX, RBP], one_in_registers, true),
        power("25519 power x86-64", "x86_64_squared", &[RBX, RBP]),
        of_two("25519 sum", SUM, 1),
        of_two("25519 difference", DIFFERENCE, -1),
        of_two_products("25519 sum of products", SUM_OF_PRODUCTS, 1),
        of_two_products("25519 difference of products", DIFFERENCE_OF_PRODUCTS, -1),
        block("25519 folded", FOLDED, None, |x| {
            let most = number::power_of_two(255) + 18;
            vec![congruent(4, &prime(), Int::ONE, number_of(x, 64)), at_most(4, most)]
        }),
        small_product(),
        select(),
    ]
}

fn one_in_registers(m: &mut Machine<'_>, _: &Names) -> Result<Vec<Word>> {
    let x = words(m, 4)?;
    hold(m, &OUT, &x);
    Ok(x)
}
