//! Certificates in numbers: what an accepted certificate says, computed at chosen inputs.
#![allow(dead_code)]

use check::Certificate;
use check::rules::Relation;
use num_bigint::BigInt;
use std::collections::HashMap;

pub(crate) const HEAD: &str = "certificate 1\nkernel k\ncode 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef 0 1\n";

/// A certificate with one segment.
pub(crate) fn certificate(segment: &str) -> String {
    format!("{HEAD}segment s entry exit\n{segment}\nend segment\nend certificate\n")
}

pub(crate) fn check(text: &str) -> Result<Certificate, String> {
    check::check(text.as_bytes())
}

/// Numbers from a seed (xorshift, Marsaglia 2003).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// From low to high; the ends and their neighbours more often than others.
    pub(crate) fn within(&mut self, low: &BigInt, high: &BigInt) -> BigInt {
        let size: BigInt = high - low + 1;
        let digits = (0..=size.bits() / 32).map(|_| self.next() as u32).collect();
        let spread = BigInt::from(num_bigint::BigUint::new(digits)) % &size;
        let near = BigInt::from(self.below(3)) % &size;
        match self.below(4) {
            0 => low + near,
            1 => high - near,
            _ => low + spread,
        }
    }
}

pub(crate) fn number(text: &str) -> BigInt {
    BigInt::parse_bytes(text.as_bytes(), 16).unwrap_or_else(|| panic!("{text} is no number"))
}

/// Values of variables, by the text of the name.
type Values<'a> = HashMap<&'a str, BigInt>;

/// The value of a polynomial's text; it shares nothing with the checker's parser.
pub(crate) fn value(text: &str, at: &Values<'_>) -> BigInt {
    let mut sum = BigInt::ZERO;
    for term in text.replace('-', "+-").split('+').filter(|term| !term.is_empty()) {
        let (sign, term) = match term.strip_prefix('-') {
            Some(term) => (-1, term),
            None => (1, term),
        };
        sum += term
            .split('*')
            .map(|x| at.get(x).cloned().unwrap_or_else(|| number(x)))
            .fold(BigInt::from(sign), |a, b| a * b);
    }
    sum
}

/// One choice of the inputs of a segment.
#[derive(Default)]
struct Sample<'a> {
    values: Values<'a>,
    outputs: HashMap<&'a str, BigInt>,
    /// Depth of the case that the sample is not in.
    outside: Option<usize>,
    /// For each `cases` around: how many of its blocks the sample was in.
    taken: Vec<usize>,
    proved: usize,
}

/// Counts of a walk: facts evaluated, and samples that ended in proofs.
#[derive(Default, Debug)]
pub(crate) struct Walk {
    pub(crate) facts: u64,
    pub(crate) proofs: u64,
    pub(crate) samples: u64,
}

/// Computes every fact and goal of an accepted certificate at samples of the inputs, and says which one is false.
/// `samples` gives the inputs of a segment from their bounds.
pub(crate) fn walk(
    text: &str,
    mut samples: impl FnMut(&[(BigInt, BigInt)]) -> Vec<Vec<BigInt>>,
) -> Result<Walk, String> {
    let mut walk = Walk::default();
    let mut certificate = Certificate::default();
    let mut inputs: Vec<(&str, BigInt, BigInt)> = Vec::new();
    let mut assumes: Vec<&str> = Vec::new();
    let mut goals: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut active: Vec<Sample> = Vec::new();
    let mut begun = false;
    let mut cases: Vec<&str> = Vec::new();
    let mut depth = 0;
    for (i, line) in text.lines().enumerate() {
        certificate = certificate.line(line).map_err(|error| format!("{}: {error}", i + 1))?;
        let fields: Vec<&str> = line.split(';').next().unwrap_or("").split_whitespace().collect();
        let fail = |what: &str, values: &Values<'_>| {
            let shown: Vec<_> =
                inputs.iter().map(|x| format!("{}={:x}", x.0, values[x.0])).collect();
            Err(format!("{}: {line}: {what} at {}", i + 1, shown.join(" ")))
        };
        let Some(&word) = fields.first() else { continue };
        match word {
            "segment" => {
                (begun, depth) = (false, 0);
                (inputs, assumes, goals) = Default::default();
                continue;
            }
            "input" => {
                inputs.push((fields[1], number(fields[2]), number(fields[3])));
                continue;
            }
            "assume" => {
                assumes.push(fields[2]);
                continue;
            }
            "goal" => {
                goals.insert(fields[2], fields.clone());
                continue;
            }
            "certificate" | "kernel" | "code" | "state" => continue,
            _ => {}
        }
        if !begun {
            begun = true;
            let ranges: Vec<_> = inputs.iter().map(|x| (x.1.clone(), x.2.clone())).collect();
            active = samples(&ranges)
                .into_iter()
                .map(|values| Sample {
                    values: inputs.iter().map(|x| x.0).zip(values).collect(),
                    ..Sample::default()
                })
                .collect();
            active
                .retain(|sample| assumes.iter().all(|p| value(p, &sample.values) >= BigInt::ZERO));
            walk.samples += active.len() as u64;
        }
        match (word, fields.get(1).copied()) {
            ("case", _) => depth += 1,
            ("cases", Some(p)) => cases.push(p),
            _ => {}
        }
        for sample in &mut active {
            if sample.outside.is_none() {
                match word {
                    "floor" => {
                        let e = value(fields[3], &sample.values);
                        let power = BigInt::from(1) << u32::from_str_radix(fields[2], 16).unwrap();
                        let rest: BigInt = ((&e % &power) + &power) % &power;
                        sample.values.insert(fields[1], (e - rest) / power);
                    }
                    "cases" => sample.taken.push(0),
                    "contradiction" => return fail("a contradiction is reached", &sample.values),
                    "out" => {
                        sample.outputs.insert(fields[1], value(fields[2], &sample.values));
                    }
                    "zero" | "limb" | "whole" => {
                        if !goal_holds(&goals[fields[1]], &sample.outputs, &sample.values) {
                            return fail("the goal is false", &sample.values);
                        }
                        sample.proved += 1;
                    }
                    "case" if value(cases.last().unwrap(), &sample.values) != number(fields[1]) => {
                        sample.outside = Some(depth)
                    }
                    "case" => *sample.taken.last_mut().unwrap() += 1,
                    "split" => {
                        let power = BigInt::from(1) << u32::from_str_radix(fields[1], 16).unwrap();
                        let [e, q, r] = [2, 3, 4].map(|i| value(fields[i], &sample.values));
                        if e != &power * q + &r || r < BigInt::ZERO || r >= power {
                            return fail("the split is false", &sample.values);
                        }
                    }
                    "end" if fields[1] == "cases" && sample.taken.pop() != Some(1) => {
                        return fail("not in one case", &sample.values);
                    }
                    "end" if fields[1] == "segment" && sample.proved != goals.len() => {
                        return fail("not all goals proved", &sample.values);
                    }
                    _ => {}
                }
            }
            let derived = match word {
                "floor" => &fields[4..6],
                "linear" | "equal" | "equation" | "product" | "table" => &fields[1..2],
                "case" => &fields[2..3],
                _ => &[],
            };
            if sample.outside.is_none() {
                for name in derived {
                    let fact =
                        certificate.fact(u32::from_str_radix(&name[1..], 16).unwrap()).unwrap();
                    let seen = fact
                        .polynomial
                        .evaluate(|v| sample.values[format!("v{v:x}").as_str()].clone());
                    walk.facts += 1;
                    let holds = if fact.relation == Relation::Equation {
                        seen == BigInt::ZERO
                    } else {
                        seen >= BigInt::ZERO
                    };
                    // P stands third or later where a line states it.
                    let stated = match word {
                        "linear" => Some(fields[3]),
                        "equal" | "equation" | "table" => Some(fields[2]),
                        _ => None,
                    };
                    if !holds || stated.is_some_and(|p| value(p, &sample.values) != seen) {
                        return fail(&format!("{name} is {seen:x}"), &sample.values);
                    }
                }
            }
            if word == "end" && fields[1] == "case" && sample.outside == Some(depth) {
                sample.outside = None;
            }
        }
        match (word, fields.get(1).copied()) {
            ("end", Some("case")) => depth -= 1,
            ("end", Some("cases")) => drop(cases.pop()),
            ("end", Some("segment")) => walk.proofs += active.len() as u64,
            _ => {}
        }
    }
    Ok(walk)
}

fn goal_holds(goal: &[&str], outputs: &HashMap<&str, BigInt>, values: &Values<'_>) -> bool {
    let sum = |list: &[&str]| -> BigInt {
        let term = |item: &&str| {
            let (i, s) = item.split_once(':').unwrap();
            &outputs[i] << u32::from_str_radix(s, 16).unwrap()
        };
        list.iter().map(term).sum()
    };
    match goal[1] {
        "zero" => {
            let rest = number(goal[4]) * sum(&goal[6..]) - value(goal[5], values);
            let modulus = number(goal[3]);
            if modulus == BigInt::ZERO { rest == modulus } else { rest % modulus == BigInt::ZERO }
        }
        "limb" => number(goal[4]) <= outputs[goal[3]] && outputs[goal[3]] <= number(goal[5]),
        _ => number(goal[3]) <= sum(&goal[5..]) && sum(&goal[5..]) <= number(goal[4]),
    }
}
