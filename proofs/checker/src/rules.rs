//! The rules. Each takes facts that hold and gives facts that hold, or refuses.
//!
//! A fact holds if it is true of every choice of integers for the inputs that satisfies their bounds, the assumptions, and the equations of the
//! case blocks around it. Every other variable is a floor, so the inputs determine it, and it is an integer as they are.

use crate::polynomial::Polynomial;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// The statement of a fact about its polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The polynomial is at least zero.
    Inequality,
    /// The polynomial is zero.
    Equation,
}
use Relation::{Equation, Inequality};

/// A statement about the values of one polynomial.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The polynomial.
    pub polynomial: Polynomial,
    /// The statement about it.
    pub relation: Relation,
}

impl Fact {
    /// The polynomial is at least zero.
    pub fn inequality(polynomial: Polynomial) -> Fact {
        Fact { polynomial, relation: Inequality }
    }

    /// The polynomial is zero.
    pub fn equation(polynomial: Polynomial) -> Fact {
        Fact { polynomial, relation: Equation }
    }
}

/// Facts, each with the polynomial that multiplies it.
pub type Combination<'a> = [(Polynomial, &'a Fact)];

/// `LO <= P` and `P <= HI` as two facts. True of an input by its declaration.
pub fn bounds(p: &Polynomial, low: &BigInt, high: &BigInt) -> [Fact; 2] {
    [Fact::inequality(p.above(low)), Fact::inequality(p.below(high))]
}

/// Two facts are exactly `P - LO >= 0` and `HI - P >= 0`, so that P lies between LO and HI.
pub fn within(p: &Polynomial, range: [&BigInt; 2], f: &Fact, g: &Fact) -> Result<(), String> {
    expect("F", f, Inequality, &p.above(range[0]))?;
    expect("G", g, Inequality, &p.below(range[1]))
}

/// `floor`: for every integer E there is exactly one integer V with `0 <= E - 2^K*V <= 2^K - 1`, E below zero included. V stands for it,
/// and both facts are its definition. E may not hold V: the caller reads E before V has its name.
pub fn floor(v: u32, k: u32, e: &Polynomial) -> [Fact; 2] {
    let power = BigInt::from(1) << k;
    let mut rest = e.clone();
    rest.add_scaled(&Polynomial::variable(v), &-&power);
    bounds(&rest, &BigInt::ZERO, &(power - 1))
}

/// `linear`: the sum is at least zero, since each of its parts is: an inequality times a constant that is not negative, or an equation times anything.
/// N*P is that sum less c, so `N*P >= -c > -N`, and `P > -1` after division by N, which is positive. P is an integer, hence `P >= 0`.
/// A negative c only makes N*P larger.
pub fn linear(n: &BigInt, p: Polynomial, combination: &Combination<'_>) -> Result<Fact, String> {
    if *n < BigInt::from(1) {
        return Err(format!("N is {n:x}; at least 1 is allowed"));
    }
    let mut rest = Polynomial::default();
    for (multiplier, fact) in combination {
        let constant = multiplier.as_constant().is_some_and(|value| value >= BigInt::ZERO);
        if fact.relation == Inequality && !constant {
            return Err(format!(
                "an inequality has the multiplier {multiplier:.6}; a constant >= 0 is allowed"
            ));
        }
        rest.add_product(multiplier, &fact.polynomial)?;
    }
    rest.add_scaled(&p, &-n);
    match rest.as_constant() {
        Some(c) if c < *n => Ok(Fact::inequality(p)),
        Some(c) => Err(format!("sum - N*P is {c:x}; less than N = {n:x} is expected")),
        None => Err(format!("sum - N*P is {rest:.6}; a constant is expected")),
    }
}

/// `equal`: a number that is at least zero, as its negative is, is zero.
pub fn equal(p: Polynomial, f: &Fact, g: &Fact) -> Result<Fact, String> {
    expect("F", f, Inequality, &p)?;
    expect("G", g, Inequality, &p.below(&BigInt::ZERO))?;
    Ok(Fact::equation(p))
}

/// The sum of equations times polynomials. Its value is zero, since each equation's is.
fn sum_of_equations(combination: &Combination<'_>) -> Result<Polynomial, String> {
    let mut sum = Polynomial::default();
    for (multiplier, fact) in combination {
        if fact.relation != Equation {
            return Err(format!(
                "{:.6} >= 0 is an inequality; only equations are allowed",
                fact.polynomial
            ));
        }
        sum.add_product(multiplier, &fact.polynomial)?;
    }
    Ok(sum)
}

/// `equation`: P is a sum of equations times polynomials, and such a sum is zero.
pub fn equation(p: Polynomial, combination: &Combination<'_>) -> Result<Fact, String> {
    let sum = sum_of_equations(combination)?;
    if sum != p {
        return Err(format!("the sum is {sum:.6}; P = {p:.6} is expected"));
    }
    Ok(Fact::equation(p))
}

/// `product`: two numbers that are not negative have a product that is not negative.
pub fn product(f: &Fact, g: &Fact) -> Result<Fact, String> {
    if f.relation != Inequality || g.relation != Inequality {
        return Err("a factor is an equation; two inequalities are expected".into());
    }
    let mut product = Polynomial::default();
    product.add_product(&f.polynomial, &g.polynomial)?;
    Ok(Fact::inequality(product))
}

/// Most points of a table.
const POINTS: u32 = 0x1000;

/// `table`: the facts put each variable of P between two integers, so the variables are a point of that box; P is at least zero at each of them.
/// `spend` is asked before so many terms are evaluated.
pub fn table(
    p: Polynomial,
    pairs: &[(&Fact, &Fact)],
    spend: impl Fn(usize) -> Result<(), String>,
) -> Result<Fact, String> {
    // Each variable with its least value and the number of its values.
    let mut axes: BTreeMap<u32, (BigInt, u32)> = BTreeMap::new();
    let mut points = 1u32;
    for (f, g) in pairs {
        let (v, low) = bound(f, 1)?;
        let (w, high) = bound(g, -1)?;
        let width = u32::try_from(&high - &low + 1).unwrap_or(0);
        points = points.checked_mul(width).filter(|&n| 0 < n && n <= POINTS).ok_or(format!(
            "v{v:x} from {low:x} to {high:x} leaves the range of 1 to {POINTS:x} points"
        ))?;
        if v != w || axes.insert(v, (low, width)).is_some() {
            return Err(format!("a pair is of v{v:x} and v{w:x}; one variable, once, is expected"));
        }
    }
    let variables: BTreeSet<u32> = p.variables().collect();
    if let Some(v) = variables.iter().find(|v| !axes.contains_key(v)) {
        return Err(format!("no pair bounds v{v:x} of P"));
    }
    if let Some(v) = axes.keys().find(|v| !variables.contains(v)) {
        return Err(format!("a pair bounds v{v:x}, which P does not hold"));
    }
    spend(p.size().saturating_mul(points as usize))?;
    for point in 0..points {
        // The digits of `point` in the mixed base of the widths are the place on each axis.
        let mut rest = point;
        let mut values: BTreeMap<u32, BigInt> = BTreeMap::new();
        for (v, (low, width)) in &axes {
            values.insert(*v, low + rest % width);
            rest /= width;
        }
        let value = p.evaluate(|v| values[&v].clone());
        if value < BigInt::ZERO {
            let place: Vec<_> = values.iter().map(|(v, x)| format!("v{v:x}={x:x}")).collect();
            return Err(format!("P is {value:x} at {}; >= 0 is expected", place.join(" ")));
        }
    }
    Ok(Fact::inequality(p))
}

/// The variable and the bound that an inequality states: `V - LO >= 0` with sign 1, `HI - V >= 0` with sign -1.
fn bound(fact: &Fact, sign: i32) -> Result<(u32, BigInt), String> {
    let p = &fact.polynomial;
    if let Some(v) = p.variables().next() {
        let constant = p.evaluate(|_| BigInt::ZERO);
        let mut expected = Polynomial::constant(constant.clone());
        expected.add_scaled(&Polynomial::variable(v), &sign.into());
        if fact.relation == Inequality && *p == expected {
            return Ok((v, constant * -sign));
        }
    }
    let form = if sign > 0 { "V - LO" } else { "HI - V" };
    Err(format!("a fact says {}; {form} >= 0 is expected", show(fact)))
}

/// `split`: E is `2^K*Q + R` as a polynomial, and R lies between 0 and 2^K - 1. So Q is the floor of E / 2^K and R the remainder.
pub fn split(k: u32, [e, q, r]: [&Polynomial; 3], a: &Fact, b: &Fact) -> Result<(), String> {
    let power = BigInt::from(1) << k;
    let mut sum = r.clone();
    sum.add_scaled(q, &power);
    if *e != sum {
        return Err(format!("2^K*Q + R is {sum:.6}; E = {e:.6} is expected"));
    }
    within(r, [&BigInt::ZERO, &(power - 1)], a, b)
}

/// `contradiction`: no integers satisfy a fact about a constant that the constant denies. So none reach this block, and all that is said of them holds.
pub fn contradiction(fact: &Fact) -> Result<(), String> {
    let value = fact.polynomial.as_constant();
    match fact.relation {
        Inequality if value.as_ref().is_some_and(|value| *value < BigInt::ZERO) => Ok(()),
        Equation if value.as_ref().is_some_and(|value| *value != BigInt::ZERO) => Ok(()),
        _ => Err(format!("F says {}; a false statement about a constant is expected", show(fact))),
    }
}

/// `zero`: equations times polynomials are zero, so they leave the value of the claim as it is. If M divides each coefficient of the sum, it
/// divides its value at all integers; if all coefficients are zero, so is the value.
pub fn vanishes(
    claim: Polynomial,
    modulus: &BigInt,
    combination: &Combination<'_>,
) -> Result<(), String> {
    let mut sum = sum_of_equations(combination)?;
    sum.add_scaled(&claim, &BigInt::from(1));
    if !sum.is_divisible_by(modulus) {
        return Err(format!(
            "the claim is {sum:.6}; 0 modulo {modulus:x} is expected of each coefficient"
        ));
    }
    Ok(())
}

/// The fact is of this relation and of this polynomial.
fn expect(
    name: &str,
    fact: &Fact,
    relation: Relation,
    polynomial: &Polynomial,
) -> Result<(), String> {
    if fact.relation == relation && fact.polynomial == *polynomial {
        return Ok(());
    }
    let expected = Fact { polynomial: polynomial.clone(), relation };
    Err(format!("{name} says {}; {} is expected", show(fact), show(&expected)))
}

fn show(fact: &Fact) -> String {
    let relation = if fact.relation == Inequality { ">=" } else { "=" };
    format!("{:.6} {relation} 0", fact.polynomial)
}
