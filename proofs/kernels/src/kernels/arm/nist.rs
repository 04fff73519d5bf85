//! The fields of P-256 and P-384: Montgomery products and squares, sums, differences and halves.

use super::super::nist_words::{Prime, relate_product};
use super::super::{at_most, congruent, number_of, numbered};
use super::{Operand, add, block, carry_to, chain, each, products, select, template};
use crate::arm::Arm;
use crate::kernel::Kernel;
use crate::number::{self, Int};
use crate::trace::Word;

const X: [&str; 6] = ["x0", "x1", "x2", "x3", "x4", "x5"];
const Y: [&str; 6] = ["y0", "y1", "y2", "y3", "y4", "y5"];
const W: [&str; 6] = ["w0", "w1", "w2", "w3", "w4", "w5"];
const T: [&str; 12] = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11"];
/// Halves of products, of P-256 and of P-384.
const L: [&str; 6] = ["l0", "l1", "l2", "l3", "k", "t"];

/// Adds p where m is all ones.
fn add_p(prime: Prime, w: &[&str]) -> String {
    match prime {
        Prime::P256 => {
            "and t m 0xffffffff; and u m 0xffffffff00000001; ".to_owned()
                + &add(w, &["m", "t", "zr", "u"])
        }
        Prime::P384 => {
            "and t m 0xffffffff; and u m 0xffffffff00000000; ".to_owned()
                + &add(&w[..2], &["t", "u"])
                + "and t m 0xfffffffffffffffe; "
                + &each("adcs", &w[2..], &["t", "m", "m", "m"])
        }
    }
}

/// w - p in d, then less the borrow from `top`, where differences are chosen.
fn reduced_once(prime: Prime, d: &[&str], w: &[&str], top: &str) -> String {
    let (first, ops, p): (&str, [&str; 2], &[&str]) = match prime {
        Prime::P256 => (
            "mov t 0xffffffff; mov u 0xffffffff00000001; ",
            ["adds", "sbcs"],
            &["1", "t", "zr", "u"],
        ),
        Prime::P384 => {
            let p = &["t", "t", "u", "zr", "zr", "zr"];
            ("mov t 0xffffffff; mov u 1; ", ["subs", "adcs"], p)
        }
    };
    let mut text = first.to_owned();
    for (i, ((d, w), p)) in d.iter().zip(w).zip(p).enumerate() {
        text += &format!("{} {d} {w} {p}; ", ops[usize::from(i > 0)]);
    }
    text + &format!("sbcs zr {top} zr; ") + &select(w, d)
}

/// Adds x times y to words; x becomes the word above them.
fn row(n: usize, x: &str, w: &[&str]) -> String {
    let high: Vec<&str> = L[..n - 1].iter().copied().chain([x]).collect();
    [
        products("mul", x, &L[..n], &Y),
        add(w, &L[..n]),
        products("umulh", x, &high, &Y),
        carry_to(x),
        add(&w[1..], &L[..n - 1]),
        carry_to(x),
    ]
    .concat()
}

/// Words t over 2^(64*n), and the words h, modulo p: left in h.
fn reduced(prime: Prime, h: &[&str]) -> String {
    let (n, t) = (prime.words(), &T[..prime.words()]);
    let words: Vec<&str> = t.iter().chain(h).copied().collect();
    let mut text = String::new();
    match prime {
        Prime::P256 => {
            for i in 0..n {
                let [t0, t1, t2, t3] = [0, 1, 2, 3].map(|j| t[(i + j) % n]);
                text += &format!(
                    "lsr l0 {t0} 32; subs l1 {t0} {t0} lsl 32; sbc l2 {t0} l0; \
                     adds {t1} {t1} {t0} lsl 32; adcs {t2} {t2} l0; adcs {t3} {t3} l1; \
                     adc {t0} l2 zr; "
                );
            }
            text += &add(h, t);
            text += "adc l0 zr zr; ";
            text + &reduced_once(prime, t, h, "l0")
        }
        Prime::P384 => {
            for i in 0..n {
                let [t0, t1, t2, t3] = [0, 1, 2, 3].map(|j| words[i + j]);
                let k = if i == 0 { "zr" } else { "k" };
                text += &format!(
                    "add {t0} {t0} {t0} lsl 32; lsl l0 {t0} 32; lsr l1 {t0} 32; cmp {t0} l0; \
                     sbcs l0 l0 l1; sbc l2 {t0} zr; adds l2 l2 l1; adc l3 {k} zr; \
                     subs {t1} {t1} l0; sbcs {t2} {t2} l2; sbcs {t3} {t3} l3; cset k lo; "
                );
            }
            text += &chain(("subs", "sbcs"), &h[3..], &["k", "zr", "zr"]);
            text += "sbc k zr zr; ";
            text += &add(h, t);
            text += &carry_to("k");
            text + &reduced_once(prime, t, h, "k")
        }
    }
}

fn product(prime: Prime) -> String {
    let n = prime.words();
    let high: Vec<&str> = L[..n - 1].iter().copied().chain(["x0"]).collect();
    let words: Vec<&str> = T[..n].iter().chain(&X[..n]).copied().collect();
    let mut text = products("mul", "x0", &T[..n], &Y) + &products("umulh", "x0", &high, &Y);
    text += &add(&T[1..n], &L[..n - 1]);
    text += &carry_to("x0");
    for i in 1..n {
        text += &row(n, X[i], &words[i..i + n]);
    }
    text + &reduced(prime, &X[..n])
}

/// Twice the products of different words, which are in t, plus the squares.
fn with_squares(n: usize, reuse: &[&str]) -> String {
    let mut text = add(&T[1..2 * n - 1], &T[1..2 * n - 1]);
    text += &format!("adc t{} zr zr; ", 2 * n - 1);
    let mut added = Vec::new();
    for (i, (x, low)) in X[..n].iter().zip(reuse).enumerate() {
        let low = if i == 0 { "t0" } else { low };
        text += &format!("mul {low} {x} {x}; umulh {x} {x} {x}; ");
        if i > 0 {
            added.push(low);
        }
        added.push(x);
    }
    text + &add(&T[1..2 * n], &added)
}

fn square_p256() -> String {
    [
        &products("mul", "x0", &T[1..4], &X[1..]),
        &products("umulh", "x0", &["l0", "l1", "t4"], &X[1..]),
        &add(&T[2..4], &L),
        &carry_to("t4"),
        &products("mul", "x1", &L[..2], &X[2..]),
        &products("umulh", "x1", &["l2", "t5"], &X[2..]),
        &add(&T[3..5], &L),
        &carry_to("t5"),
        "mul l0 x2 x3; umulh t6 x2 x3; ",
        &add(&T[4..6], &["l2", "l0"]),
        &carry_to("t6"),
        &with_squares(4, &["t0", "l0", "l1", "l2"]),
        &reduced(Prime::P256, &T[4..8]),
    ]
    .concat()
}

fn square_p384() -> String {
    [
        &products("mul", "x0", &T[1..6], &X[1..]),
        &products("umulh", "x0", &["l0", "l1", "l2", "l3", "t6"], &X[1..]),
        &add(&T[2..6], &L),
        &carry_to("t6"),
        &products("mul", "x1", &L[..4], &X[2..]),
        &add(&T[3..7], &L),
        &products("umulh", "x1", &["l0", "l1", "l2", "t7"], &X[2..]),
        &carry_to("t7"),
        &add(&T[4..7], &L),
        &carry_to("t7"),
        &products("mul", "x2", &L[..3], &X[3..]),
        &add(&T[5..8], &L),
        &products("umulh", "x2", &["l0", "l1", "t8"], &X[3..]),
        &carry_to("t8"),
        &add(&T[6..8], &L),
        &carry_to("t8"),
        &products("mul", "x3", &L[..2], &X[4..]),
        &add(&T[7..9], &L),
        &products("umulh", "x3", &["l0", "t9"], &X[4..]),
        &carry_to("t9"),
        "mul l1 x4 x5; umulh t10 x4 x5; ",
        &add(&T[8..10], &L),
        &carry_to("t10"),
        &with_squares(6, &["t0", "l0", "l1", "l2", "l3", "k"]),
        &reduced(Prime::P384, &T[6..12]),
    ]
    .concat()
}

fn reduced_operand(name: &'static str, prime: Prime) -> Operand {
    Operand { name, words: prime.words(), below: Some(prime.value()) }
}

/// x*y/2^(64*n) modulo p, reduced, of reduced operands; x*x of one.
fn montgomery(
    name: &'static str,
    prime: Prime,
    text: &str,
    operands: &[&'static str],
    out: Vec<String>,
) -> Kernel<Arm> {
    let (p, n) = (prime.value(), prime.words());
    let second = move |x: &[Word]| if x.len() > n { x[n..].to_vec() } else { x.to_vec() };
    let operands = operands.iter().map(|name| reduced_operand(name, prime)).collect();
    let mut kernel = block(name, template(&[text]), operands, &[], out, move |x| {
        let target = number_of(&x[..n], 64).mul(&number_of(&second(x), 64));
        let value = congruent(n, &prime.value(), number::power_of_two(64 * n), target);
        vec![value, at_most(n, prime.value() - Int::ONE)]
    });
    kernel.lemmas = Some(Box::new(move |m, x| relate_product(m, &x[..n], &second(x), &p)));
    kernel
}

/// factor times the result is w, or w + sign*y.
fn linear(name: &'static str, prime: Prime, text: &str, factor: i32, sign: i32) -> Kernel<Arm> {
    let (p, n) = (prime.value(), prime.words());
    let mut operands = vec![reduced_operand("w", prime)];
    if sign != 0 {
        operands.push(reduced_operand("y", prime));
    }
    block(name, template(&[text]), operands, &[], numbered("w", n), move |x| {
        let target = number_of(&x[..n], 64).add_scaled(&number_of(&x[n..], 64), &Int::from(sign));
        vec![congruent(n, &p, Int::from(factor), target), at_most(n, &p - Int::ONE)]
    })
}

fn sum(prime: Prime) -> String {
    let n = prime.words();
    add(&W[..n], &Y) + "adc m zr zr; " + &reduced_once(prime, &Y[..n], &W[..n], "m")
}

fn difference(prime: Prime) -> String {
    let n = prime.words();
    chain(("subs", "sbcs"), &W[..n], &Y) + "csetm m lo; " + &add_p(prime, &W[..n])
}

fn half(prime: Prime) -> String {
    let n = prime.words();
    let mut text = "sbfm m w0 0 0; ".to_owned() + &add_p(prime, &W[..n]) + "adc m zr zr; ";
    for i in 0..n {
        let next = if i + 1 < n { W[i + 1] } else { "m" };
        text += &format!("extr {} {next} {} 1; ", W[i], W[i]);
    }
    text
}

pub(super) fn kernels() -> Vec<Kernel<Arm>> {
    use Prime::{P256, P384};
    let outs = |first: usize, n: usize| T[first..first + n].iter().map(|t| (*t).into()).collect();
    vec![
        montgomery("p256 mul aarch64", P256, &product(P256), &["x", "y"], numbered("x", 4)),
        montgomery("p256 square aarch64", P256, &square_p256(), &["x"], outs(4, 4)),
        linear("p256 add aarch64", P256, &sum(P256), 1, 1),
        linear("p256 sub aarch64", P256, &difference(P256), 1, -1),
        linear("p256 halve aarch64", P256, &half(P256), 2, 0),
        montgomery("p384 mul aarch64", P384, &product(P384), &["x", "y"], numbered("x", 6)),
        montgomery("p384 square aarch64", P384, &square_p384(), &["x"], outs(6, 6)),
        linear("p384 add aarch64", P384, &sum(P384), 1, 1),
        linear("p384 sub aarch64", P384, &difference(P384), 1, -1),
        linear("p384 halve aarch64", P384, &half(P384), 2, 0),
    ]
}
