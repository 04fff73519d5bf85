//! Slices of compiled functions of the shipped text are proven; changed copies compute something else, or are not proven.

mod text;

use std::collections::BTreeSet;

use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use kernels::flow::function::{Proof, prove, prove_code};
use kernels::flow::slices::Slices;
use kernels::image::{Code, Function, Image};

/// The lines of a program, without the names of slices: `p1 = e0*e1`.
fn program(proof: &Proof) -> BTreeSet<String> {
    let line = |l: &str| l.split_once("  ; ").map(|x| x.0.to_owned());
    proof.text.lines().filter_map(line).collect()
}

/// Neighbours of a vector instruction: another source register, and another immediate number.
fn changed(i: &Instruction) -> Vec<Instruction> {
    let mut out = Vec::new();
    for n in 1..i.op_count() {
        if i.op_kind(n) == OpKind::Register && i.op_register(n).is_vector_register() {
            let r = i.op_register(n);
            let other = |a: Register, b: Register| if r == a { b } else { a };
            let mut j = *i;
            j.set_op_register(
                n,
                match r.size() {
                    64 => other(Register::ZMM7, Register::ZMM9),
                    32 => other(Register::YMM7, Register::YMM9),
                    _ => continue,
                },
            );
            out.push(j);
        }
        if i.op_kind(n) == OpKind::Immediate8 {
            let mut j = *i;
            j.set_immediate8(i.immediate8() ^ 1);
            out.push(j);
        }
    }
    out
}

/// Changes of instructions of which some are tried; each has to be seen.
fn mutants(image: &Image, f: &Function, every: usize, of: &[&str]) -> usize {
    let mut slices = Slices::default();
    let code = image.code(f.start, f.size).expect("code");
    let right = prove(image, f, &mut slices).expect("a function");
    let (expected, mut tried) = (program(&right), 0);
    let vectors = code.values().filter(|i| {
        let name = i.to_string();
        let left = right.multiplications.contains(&i.ip()) && !right.proven.contains(&i.ip());
        !left && i.op0_register().is_vector_register() && of.iter().any(|l| name.starts_with(l))
    });
    for i in vectors.step_by(every) {
        for j in changed(i) {
            let mut mutant: Code = code.clone();
            mutant.insert(i.ip(), j);
            let proof = prove_code(image, f, &mutant, &mut slices).expect("a function");
            let same = program(&proof) == expected && proof.proven.len() == right.proven.len();
            assert!(!same, "{:x} {i} as {j} is not seen", i.ip());
            tried += 1;
        }
    }
    tried
}

#[test]
fn squares_of_a_loop_are_proven_and_mutants_seen() {
    let image = text::image();
    let mut slices = Slices::default();
    let squares = |f: &&Function| {
        let code = image.code(f.start, f.size).expect("code");
        code.values().any(|i| format!("{i}").starts_with("vpmadd52luq zmm"))
    };
    let f = image.with_stem("repeat_squares_with_features").find(squares).expect("IFMA squares");
    let proof = prove(&image, f, &mut slices).expect("a function");
    assert!(!proof.multiplications.is_empty());
    assert_eq!(proof.proven, proof.multiplications);
    assert!(program(&proof).iter().any(|l| l.contains("p0 = e0*e0")), "{}", proof.text);
    let lanes = ["vpmadd", "vpadd", "vpsub", "vpsrl", "vpsra", "vpsll", "vpand"];
    assert!(mutants(&image, f, 3, &lanes) > 40);
}

fn in_lanes(i: &Instruction) -> bool {
    i.to_string().starts_with("vpmadd52luq zmm")
}

#[test]
fn rows_of_a_loop_are_proven_and_mutants_seen() {
    let image = text::image();
    let mut slices = Slices::default();
    let compared = |f: &Function| {
        let code = image.code(f.start, f.size).expect("code");
        let pairs: Vec<_> = code.values().copied().collect();
        let back = |w: &[Instruction]| {
            w[0].mnemonic() == Mnemonic::Cmp
                && w[1].mnemonic() == Mnemonic::Jne
                && w[1].near_branch_target() < w[1].ip()
        };
        let found = pairs.windows(2).find(|w| back(w)).map(|w| w[0]);
        found.filter(|_| code.values().any(in_lanes))
    };
    let mut functions = image.with_stem("mul_pair_with_features");
    let (f, end) = functions.find_map(|f| Some((f, compared(f)?))).expect("a loop of rows");
    let proof = prove(&image, f, &mut slices).expect("a function");
    assert_eq!(proof.proven, proof.multiplications);
    assert!(!proof.multiplications.is_empty());
    assert!(mutants(&image, f, 31, &["vpmadd"]) > 5);
    // a row less
    let mut fewer = end;
    fewer.set_immediate32to64(end.immediate32to64() - 64);
    let mut code = image.code(f.start, f.size).expect("code");
    code.insert(end.ip(), fewer);
    let mutant = prove_code(&image, f, &code, &mut slices).expect("a function");
    assert_ne!((program(&mutant), mutant.proven), (program(&proof), proof.proven));
}

#[test]
fn limbs_of_words_that_masks_choose_are_proven_and_mutants_seen() {
    let image = text::image();
    let mut slices = Slices::default();
    let chosen = |i: &Instruction| {
        i.mnemonic() == Mnemonic::Vporq && i.op_mask() != Register::None && !i.zeroing_masking()
    };
    let f = image.functions().iter().find(|f| {
        let code = image.code(f.start, f.size).expect("code");
        code.values().any(in_lanes) && code.values().filter(|i| chosen(i)).count() > 20
    });
    let f = f.expect("a function that chooses table words");
    let proof = prove(&image, f, &mut slices).expect("a function");
    assert!(proof.proven.len() * 5 > proof.multiplications.len() * 4);
    assert!(mutants(&image, f, 60, &["vpmadd"]) > 5);
}

/// The function of this stem that multiplies halves of words, in lanes that have no instruction for limbs.
fn of_halves<'a>(image: &'a Image, stem: &'a str, name: &str) -> &'a Function {
    let multiplies = |f: &&Function| {
        let code = image.code(f.start, f.size).expect("code");
        let count = |name: &str| code.values().filter(|i| i.to_string().starts_with(name)).count();
        count(name) > 50 && count("vpmadd") == 0
    };
    image.with_stem(stem).find(multiplies).expect("a function")
}

#[test]
fn products_of_pairs_of_limbs_are_proven_and_mutants_seen() {
    let image = text::image();
    let mut slices = Slices::default();
    for (stem, product) in [
        ("outlined_mul_with_features", "q0 = m0*m1"),
        ("outlined_square_with_features", "q0 = m0*m0"),
    ] {
        let f = of_halves(&image, stem, "vpmuludq");
        let proof = prove(&image, f, &mut slices).expect("a function");
        assert_eq!(proof.proven, proof.multiplications);
        assert!(program(&proof).iter().any(|l| l.contains(product)), "{}", proof.text);
        let lanes = ["vpmul", "vpadd", "vpsub", "vpsrl", "vpsll", "vpand", "vpblend", "vpor"];
        assert!(mutants(&image, f, 5, &lanes) > 20);
    }
}

#[test]
fn combinations_of_integers_are_proven_and_mutants_seen() {
    let image = text::image();
    let mut slices = Slices::default();
    let f = of_halves(&image, "enter_with_features", "vpmuldq");
    let proof = prove(&image, f, &mut slices).expect("a function");
    assert!(proof.proven.len() * 10 > proof.multiplications.len() * 8);
    assert!(program(&proof).iter().any(|l| l.contains("i0*i2 + i1*i3")), "{}", proof.text);
    assert!(mutants(&image, f, 29, &["vpmuldq"]) > 5);
}

#[test]
fn packed_products_are_proven_and_mutants_seen() {
    let image = text::image();
    let mut slices = Slices::default();
    // lanes are doubled by a shift of each; one formula in four lanes
    let f = image.functions().iter().find(|f| {
        let code = image.code(f.start, f.size).expect("code");
        let with = |m: Mnemonic| {
            code.values().filter(|i| i.mnemonic() == m && i.op0_register().is_ymm()).count()
        };
        with(Mnemonic::Vpsllvq) > 4 && with(Mnemonic::Vpmadd52luq) > 20 && code.len() < 700
    });
    let f = f.expect("a function whose lanes are doubled");
    let proof = prove(&image, f, &mut slices).expect("a function");
    // carries into words are left
    assert!(proof.multiplications.len() - proof.proven.len() <= 2);
    // a step of the ladder: 2*(e5*e4 + 243331*e3) in one lane, columns in the bound of doubled ones
    let step = |l: &str| l.contains("| 2*e5*e4 + 76d06*e3 |") && l.ends_with("-51-618");
    assert!(proof.text.lines().any(step), "{}", proof.text);
    assert!(proof.moved > 0);
    assert!(mutants(&image, f, 5, &["vpmadd", "vpsllv", "vprol"]) > 25);
}

#[test]
fn the_largest_functions_have_few_multiplications_left() {
    let image = text::image();
    let mut slices = Slices::default();
    let (mut all, mut proven) = (0, 0);
    let mut whole = None;
    for f in image.functions() {
        if let Ok(proof) = prove(&image, f, &mut slices) {
            all += proof.multiplications.len();
            proven += proof.proven.len();
            if proof.multiplications.len() > 300 && proof.multiplications == proof.proven {
                whole = Some(f);
            }
        }
    }
    assert!(proven * 10 >= all * 9, "{proven} of {all} vector multiplications are proven");
    let whole = whole.expect("a function that is proven");
    assert!(mutants(&image, whole, 25, &["vpmadd"]) > 10);
}
