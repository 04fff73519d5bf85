//! The list of formulas against the steps of the pages that name them, and programs that are no formula.

use std::collections::BTreeMap;

use kernels::flow::field::fields;
use kernels::flow::program::{Line, Program, Sum};
use kernels::formulas::Formulas;
use kernels::formulas::formula::{Formula, Source};
use kernels::formulas::list::FORMULAS;
use kernels::number::Int;
use kernels::poly::Poly;

fn prime(field: &str) -> Int {
    fields().into_iter().find(|f| f.name == field).expect("a field").p
}

/// Outputs of a formula, by name.
fn given(source: &Source, outputs: &'static str) -> BTreeMap<&'static str, Poly> {
    let p = prime(source.fields[0]);
    let formula = Formula::read(&Source { outputs, ..*source }, &p).expect("a formula");
    let inputs: Vec<Poly> = (0..formula.inputs.len()).map(|i| Poly::var(i as u32)).collect();
    let values = formula.polynomials(&inputs, &Int::ONE, &Int::ONE, &p);
    formula.outputs.iter().map(|o| o.0).zip(values).collect()
}

/// Compares outputs of a formula of the list with a page's: pairs of names, and the sign.
fn compare(name: &str, steps: &'static str, outputs: &[(&'static str, &'static str, i32)]) {
    let listed = FORMULAS.iter().find(|f| f.name == name).expect("a formula of the list");
    let p = prime(listed.fields[0]);
    let page = Source { steps, ..*listed };
    for (ours, theirs, sign) in outputs {
        let (x, y) = (&given(listed, ours)[ours], &given(&page, theirs)[theirs]);
        assert!(!x.is_zero());
        assert!(x.add_scaled(y, &Int::from(-*sign)).modulo(&p).is_zero(), "{name}: {ours}");
    }
}

#[test]
fn steps_of_pages() {
    compare(
        "dbl-2008-hwcd, projective to extended",
        "A = X1*X1; B = Y1*Y1; C = 2*(Z1*Z1); D = -A; E = (X1 + Y1)*(X1 + Y1) - A - B; G = D + B; F = G - C
         H = D - B; X3 = E*F; Y3 = G*H; T3 = E*H; Z3 = F*G",
        &[("X3", "X3", -1), ("Y3", "Y3", -1), ("Z3", "Z3", -1), ("T3", "T3", -1)],
    );
    compare(
        "add-2008-hwcd-3, extended to extended",
        "A = (Y1 - X1)*(Y2 - X2); B = (Y1 + X1)*(Y2 + X2); k = 2*d; C = T1*(k*T2); D = Z1*(2*Z2)
         E = B - A; F = D - C; G = D + C; H = B + A; X3 = E*F; Y3 = G*H; T3 = E*H; Z3 = F*G",
        &[("X3", "X3", 1), ("Y3", "Y3", 1), ("Z3", "Z3", 1), ("T3", "T3", 1)],
    );
    compare(
        "dbl-2001-b, the opposite point, half of Z",
        "delta = Z*Z; gamma = Y*Y; beta = X*gamma; alpha = 3*((X - delta)*(X + delta)); X3 = alpha*alpha - 8*beta
         Z3 = (Y + Z)*(Y + Z) - gamma - delta; half = Y*Z; none = Z3 - 2*half
         Y3 = alpha*(4*beta - X3) - 8*(gamma*gamma)",
        &[("X3", "X3", 1), ("minusY3", "Y3", -1), ("YZ", "half", 1)],
    );
    compare(
        "madd-2004-hmv",
        "T1 = Z1*Z1; T2 = T1*Z1; S1 = T1*X2; S2 = T2*Y2; S3 = S1 - X1; S4 = S2 - Y1; Z3 = Z1*S3; T3 = S3*S3
         T4 = T3*S3; T5 = T3*X1; X3 = S4*S4 - 2*T5 - T4; Y3 = (T5 - X3)*S4 - T4*Y1",
        &[("X3", "X3", 1), ("Y3", "Y3", 1), ("Z3", "Z3", 1)],
    );
    let complete = "xy = X1*Y2 + X2*Y1; xz = X1*Z2 + X2*Z1; yz = Y1*Z2 + Y2*Z1; xx = X1*X2; yy = Y1*Y2; zz = Z1*Z2
         l = yy + 3*xz - 3*(b*zz); r = yy - 3*xz + 3*(b*zz); m = -3*xx + 3*(b*xz) - 9*zz; q = 3*xx - 3*zz
         X3 = xy*l - yz*m; Y3 = r*l + q*m; Z3 = yz*r + xy*q";
    let same = [("X3", "X3", 1), ("Y3", "Y3", 1), ("Z3", "Z3", 1)];
    compare("Renes-Costello-Batina 2016, algorithm 4", complete, &same);
    compare(
        "Renes-Costello-Batina 2016, algorithm 5",
        "xy = X1*Y2 + X2*Y1; xz = X1 + X2*Z1; yz = Y1 + Y2*Z1; xx = X1*X2; yy = Y1*Y2
         l = yy + 3*xz - 3*(b*Z1); r = yy - 3*xz + 3*(b*Z1); m = -3*xx + 3*(b*xz) - 9*Z1; q = 3*xx - 3*Z1
         X3 = xy*l - yz*m; Y3 = r*l + q*m; Z3 = yz*r + xy*q",
        &same,
    );
}

/// The program of a block by its text, without masks: `p0 = e0*e1`, `e2 = p0 - 2*p1 + d*e3`.
fn program(text: &str) -> Program {
    let nodes = |name: &str| -> Vec<u32> {
        let n: u32 = name[1..].parse().expect("a number");
        let base = if name.starts_with('p') { 10_000 } else { 0 };
        (0..5).map(|k| base + 10 * n + k).collect()
    };
    let mut lines = Vec::new();
    for (number, line) in text.lines().map(str::trim).filter(|l| !l.is_empty()).enumerate() {
        let (name, rest) = line.split_once(" = ").expect("an assignment");
        let mut sum = Sum::default();
        let mut sign = Int::ONE;
        for word in rest.split(' ') {
            match word {
                "+" => sign = Int::ONE,
                "-" => sign = Int::NEG_ONE,
                _ => {
                    let mut c = sign.clone();
                    let mut names = Vec::new();
                    for factor in word.split('*') {
                        match factor.parse::<i64>() {
                            Ok(n) => c *= n,
                            Err(_) if factor == "2d" => c *= twice_d(),
                            Err(_) => names.push(factor),
                        }
                    }
                    match names[..] {
                        [] => sum.constant += c,
                        [a, b] => sum.products.push((c, nodes(a), nodes(b))),
                        [p] if p.starts_with('p') => {
                            let of = nodes(p).into_iter().enumerate();
                            sum.columns.extend(of.map(|(k, n)| (c.clone(), 52 * k, n)));
                        }
                        [e] => sum.elements.push((c, nodes(e))),
                        _ => panic!("{word}"),
                    }
                }
            }
        }
        let outputs = nodes(name);
        lines.push(Line {
            name: name.into(),
            field: "2^255-19",
            limbs: name.starts_with('e'),
            made_at: outputs.iter().map(|n| u64::from(*n)).collect(),
            outputs,
            masks: Vec::new(),
            lanes: [0; 8],
            sums: vec![sum],
        });
        assert!(number < 100);
    }
    Program { block: 0, lines }
}

fn twice_d() -> Int {
    let p = prime("2^255-19");
    let inverse = kernels::number::inverse(&Int::from(121_666), &p).expect("p is prime");
    kernels::number::modulo(&(Int::from(-2 * 121_665) * inverse), &p)
}

fn names(text: &str) -> Vec<&'static str> {
    let formulas = Formulas::new().expect("the list can be read");
    formulas.names(&[program(text)]).named.iter().map(|n| n.name).collect()
}

const DOUBLE: &str = "
    p0 = e1*e1
    p1 = e2*e2
    p2 = e0*e0
    p3 = e0*e1
    e3 = p0 + p2
    e4 = p0 - p2
    e5 = 2*p3
    e6 = p2 - p0 + 2*p1
    p4 = e3*e4
    p5 = e4*e6
    p6 = e5*e6";

const CACHED: &str = "
    e10 = e0 + e1
    e11 = e0 - e1
    e12 = 2*e2
    e13 = 2d*e3";

const ADD: &str = "
    p0 = e0*e10
    p1 = e1*e11
    p2 = e2*e12
    p3 = e3*e13
    e4 = p0 - p1
    e5 = p3 - p2
    e6 = p3 + p2
    e7 = p0 + p1
    p4 = e4*e5
    p5 = e5*e6
    p6 = e6*e7
    p7 = e4*e7";

#[test]
fn programs_that_are_formulas() {
    assert_eq!(names(DOUBLE), ["dbl-2008-hwcd, projective to projective"]);
    assert_eq!(names(CACHED), ["extended to cached"]);
    assert_eq!(names(ADD), ["add-2008-hwcd-3, extended to extended"]);
}

#[test]
fn changed_programs_are_not() {
    let changes = [
        (DOUBLE, "e6 = p2 - p0 + 2*p1", "e6 = p2 - p0 - 2*p1"),
        (DOUBLE, "e6 = p2 - p0 + 2*p1", "e6 = p2 - p0 + p1"),
        (DOUBLE, "p5 = e4*e6", "p5 = e4*e5"),
        (DOUBLE, "p3 = e0*e1", "p3 = e0*e2"),
        (CACHED, "2d*e3", "-1*e3"),
        (CACHED, "e11 = e0 - e1", "e11 = e0 + 2*e1"),
        (ADD, "e5 = p3 - p2", "e5 = p3 - p1"),
        (ADD, "p7 = e4*e7", "p7 = e4*e6"),
        (ADD, "p4 = e4*e5", "p4 = e4*e6"),
        (ADD, "e7 = p0 + p1", "e7 = p0 + p1 + 1"),
    ];
    for (text, from, to) in changes {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        let whole = names(text)[0];
        assert!(!names(&changed).contains(&whole), "{from} -> {to}: {:?}", names(&changed));
    }
}
