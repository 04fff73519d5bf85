//! GF(2^255 - 19) in four words.

use super::super::words25519::{loose, mask_of, prime, product, products_bound};
use super::super::{at_most, congruent, held, named, number_of, numbered, word_max};
use super::{add, block, carry_to, chain, each, operand, products, template, with_input};
use crate::arm::Arm;
use crate::claim::Goal;
use crate::kernel::{Cut, CutWord, Kernel, Point, Site};
use crate::number::{self, Int};
use crate::trace::Word;

const Y: [&str; 4] = ["y0", "y1", "y2", "y3"];
const Z: [&str; 4] = ["z0", "z1", "z2", "z3"];
const L: [&str; 4] = ["l0", "l1", "l2", "l3"];
const ZERO: [&str; 4] = ["zr"; 4];

/// Adds x times y to four words, and makes `top` of what is above them.
fn row(x: &str, s: [&str; 4], top: &str) -> String {
    let mut text = products("mul", x, &L, &Y);
    for (i, (s, l)) in s.iter().zip(L).enumerate() {
        let op = if i == 0 { "adds" } else { "adcs" };
        text += &format!("{op} {s} {s} {l}; umulh {l} {x} {}; ", Y[i]);
    }
    text += &carry_to("l3");
    text += &add(&s[1..], &L[..3]);
    text + &format!("adc {top} l3 zr; ")
}

fn times_19(q: &str) -> String {
    format!("add l0 {q} {q} lsl 3; add {q} {q} l0 lsl 1; ")
}

/// Adds 38 times the upper half to the lower one, and folds what is above bit 255.
fn fold([h0, h1, h2, h3]: [&str; 4]) -> String {
    let first = format!(
        "mov l3 38; mul l0 {h0} l3; mul l1 {h1} l3; mul l2 {h2} l3; \
         adds w0 w0 l0; umulh {h0} {h0} l3; mul l0 {h3} l3; \
         adcs w1 w1 l1; umulh {h1} {h1} l3; adcs w2 w2 l2; umulh {h2} {h2} l3; \
         adcs w3 w3 l0; umulh {h3} {h3} l3; adc {h3} {h3} zr; \
         adds w1 w1 {h0}; adcs w2 w2 {h1}; adcs w3 w3 {h2}; adc {h3} {h3} zr; \
         extr {h3} {h3} w3 63; and w3 w3 0x7fffffffffffffff; "
    );
    first + &times_19(h3) + &format!("adds w0 w0 {h3}; adcs w1 w1 zr; adcs w2 w2 zr; adc w3 w3 zr")
}

const FIRST_ROW: &str = "mul w0 x0 y0; umulh w1 x0 y0; mul l1 x0 y1; umulh w2 x0 y1; \
    mul l2 x0 y2; umulh w3 x0 y2; mul l3 x0 y3; umulh w4 x0 y3; \
    adds w1 w1 l1; adcs w2 w2 l2; adcs w3 w3 l3; adc w4 w4 zr; ";

const COLUMNS_OF_SQUARE: &str = "mul w1 x0 x1; umulh w2 x0 x1; mul l0 x0 x2; umulh w3 x0 x2; \
    mul l1 x0 x3; umulh h0 x0 x3; mul l2 x1 x3; umulh h1 x1 x3; mul l3 x2 x3; umulh h2 x2 x3; \
    adds w2 w2 l0; mul l0 x1 x2; adcs w3 w3 l1; umulh l1 x1 x2; adcs h0 h0 l2; mul w0 x0 x0; \
    adcs h1 h1 l3; umulh h3 x3 x3; adc h2 h2 zr; \
    adds w3 w3 l0; umulh l0 x0 x0; adcs h0 h0 l1; mul l1 x1 x1; adcs h1 h1 zr; umulh l2 x1 x1; \
    adc h2 h2 zr; mul l3 x2 x2; \
    adds w1 w1 w1; adcs w2 w2 w2; adcs w3 w3 w3; adcs h0 h0 h0; adcs h1 h1 h1; adcs h2 h2 h2; \
    adc h3 h3 zr; adds w1 w1 l0; umulh l0 x2 x2; adcs w2 w2 l1; mul l1 x3 x3; adcs w3 w3 l2; \
    adcs h0 h0 l3; adcs h1 h1 l0; adcs h2 h2 l1; adc h3 h3 zr; ";

const FOLD_OF_POWER: &str = "mov l3 38; mul l0 h3 l3; umulh h3 h3 l3; mul x0 h0 l3; umulh h0 h0 l3; \
    mul l1 h1 l3; umulh h1 h1 l3; mul l2 h2 l3; umulh h2 h2 l3; \
    adds w3 w3 l0; adc h3 h3 zr; extr h3 h3 w3 63; and w3 w3 0x7fffffffffffffff; ";

const END_OF_POWER: &str = "adds w0 w0 h3; adcs w1 w1 h0; adcs w2 w2 h1; adc w3 w3 h2; \
    adds x0 w0 x0; adcs x1 w1 l1; adcs x2 w2 l2; adc x3 w3 zr; sub n n 1; cbnz n start";

/// A product or a square, below 2^255 + 2^23.
fn multiplied(name: &'static str, text: &'static str, operands: &[&'static str]) -> Kernel<Arm> {
    let operands = operands.iter().map(|name| operand(name, 4)).collect();
    block(name, text, operands, &[], numbered("w", 4), |x| {
        let y = if x.len() > 4 { &x[4..] } else { x };
        let value = congruent(4, &prime(), Int::ONE, product(&x[..4], y));
        vec![value, at_most(4, loose())]
    })
}

/// x to the power 2^n: each turn of the loop squares. The loop leaves words below 2^256; another block folds them.
fn power() -> Kernel<Arm> {
    let text = [COLUMNS_OF_SQUARE, FOLD_OF_POWER, &times_19("h3"), END_OF_POWER];
    let out = numbered("x", 4);
    let operands = vec![operand("x", 4)];
    let name = "25519 power aarch64";
    let kernel = block(name, template(&text), operands, &[], out.clone(), |_| vec![]);
    let mut kernel = with_input(kernel, "n", |m| {
        let n = m.trace.input(&Int::ZERO, &(number::power_of_two(32) - 1))?;
        m.public.extend(n.p.variables());
        Ok((n.clone(), n))
    });
    let word = |name, public| CutWord {
        register: Site::Named(name),
        lo: Int::ZERO,
        hi: word_max(),
        public,
    };
    let mut state: Vec<_> = ["x0", "x1", "x2", "x3"].map(|name| word(name, false)).into();
    state.push(word("n", true));
    kernel.cuts = vec![Cut { words: state, constants: vec![] }];
    kernel.results = Box::new(move |m, names| held(m, &named(names, &out)?));
    kernel.goals = Box::new(|_, to, x| {
        let target = product(&x[..4], &x[..4]);
        let goals = vec![congruent(4, &prime(), Int::ONE, target)];
        match to {
            Point::Exit => super::and_words(4, goals),
            _ => [goals, vec![turns(x)]].concat(),
        }
    });
    kernel
}

/// A turn takes 1 from n.
fn turns(x: &[Word]) -> Goal {
    Goal::Zero {
        name: "turns".into(),
        modulus: number::power_of_two(64),
        factor: Int::ONE,
        target: x[4].p.plus(&Int::NEG_ONE),
        places: vec![(4, 0)],
    }
}

/// z + y or z - y, with 38 in c.
fn of_two(name: &'static str, text: &[&str], sign: i32, of_products: bool) -> Kernel<Arm> {
    let operands = vec![operand("z", 4), operand("y", 4)];
    let mut kernel =
        block(name, template(text), operands, &[("c", 38)], numbered("z", 4), move |x| {
            let (a, b) = (number_of(&x[..4], 64), number_of(&x[4..], 64));
            vec![congruent(4, &prime(), Int::ONE, a.add_scaled(&b, &Int::from(sign)))]
        });
    if of_products {
        let enter = kernel.enter;
        kernel.enter = Box::new(move |m, names| {
            let x = enter(m, names)?;
            let (a, b) = (number_of(&x[..4], 64), number_of(&x[4..], 64));
            for promise in products_bound(&a, &b, sign) {
                m.trace.assume(promise)?;
            }
            Ok(x)
        });
    }
    kernel
}

/// y if the mask is all ones, z if it is 0.
fn selected() -> Kernel<Arm> {
    let text: String = (0..4).map(|i| format!("csel z{i} y{i} z{i} ne; ")).collect();
    let operands = vec![operand("z", 4), operand("y", 4)];
    let text = template(&["cmp m 0; ", &text]);
    let kernel = block("select x4 aarch64", text, operands, &[], numbered("z", 4), |x| {
        let (z, y, c) = (number_of(&x[..4], 64), number_of(&x[4..8], 64), &x[8].p);
        vec![congruent(4, &Int::ZERO, Int::ONE, z.add(&c.mul(&y.sub(&z))))]
    });
    with_input(kernel, "m", |m| {
        let c = m.trace.input(&Int::ZERO, &Int::ONE)?;
        let mask = mask_of(&mut m.trace, &c)?;
        Ok((c, mask))
    })
}

pub(super) fn kernels() -> Vec<Kernel<Arm>> {
    let rows = [
        row("x1", ["w1", "w2", "w3", "w4"], "x0"),
        row("x2", ["w2", "w3", "w4", "x0"], "x1"),
        row("x3", ["w3", "w4", "x0", "x1"], "x2"),
        fold(["w4", "x0", "x1", "x2"]),
    ];
    let square = [COLUMNS_OF_SQUARE, &fold(["h0", "h1", "h2", "h3"])];
    let sum = add(&Z, &Y) + "csel t c zr hs; ";
    let difference = chain(("subs", "sbcs"), &Z, &Y) + "csel t c zr lo; ";
    let less = "subs z0 z0 t; ".to_owned() + &each("sbcs", &Z[1..3], &ZERO);
    let more = "adds z0 z0 t; ".to_owned() + &each("adcs", &Z[1..], &ZERO);
    let folded = "and t t z3 asr 63; and z3 z3 0x7fffffffffffffff; adds z0 z0 t; \
        adcs z1 z1 zr; adcs z2 z2 zr; adc z3 z3 zr";
    vec![
        multiplied(
            "25519 mul aarch64",
            template(&[FIRST_ROW, &rows[0], &rows[1], &rows[2], &rows[3]]),
            &["x", "y"],
        ),
        multiplied("25519 square aarch64", template(&square), &["x"]),
        power(),
        of_two("25519 sum aarch64", &[&sum, &more, "csel t c zr hs; add z0 z0 t"], 1, false),
        of_two(
            "25519 difference aarch64",
            &[&difference, &less, "sbcs z3 z3 zr; csel t c zr lo; sub z0 z0 t"],
            -1,
            false,
        ),
        of_two("25519 sum of products aarch64", &[&sum, "add z0 z0 t"], 1, true),
        of_two(
            "25519 difference of products aarch64",
            &[&difference, &less, "sbc z3 z3 zr"],
            -1,
            true,
        ),
        block(
            "25519 folded aarch64",
            template(&[folded]),
            vec![operand("z", 4)],
            &[("t", 19)],
            numbered("z", 4),
            |x| {
                let most = number::power_of_two(255) + 18;
                vec![congruent(4, &prime(), Int::ONE, number_of(x, 64)), at_most(4, most)]
            },
        ),
        selected(),
    ]
}
