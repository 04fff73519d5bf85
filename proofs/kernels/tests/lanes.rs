//! Lanes of doubles, and residues modulo the order, of the shipped text are proven; changed copies are not.

mod text;

use iced_x86::{Instruction, OpKind, Register};
use kernels::flow::function::{Proof, prove, prove_code};
use kernels::flow::slices::Slices;
use kernels::image::{Code, Function, Image};

/// The copies of an instruction with another source register, another immediate number, or another operation.
fn changed(i: &Instruction) -> Vec<Instruction> {
    let mut out = Vec::new();
    for n in 1..i.op_count() {
        let r = if i.op_kind(n) == OpKind::Register { i.op_register(n) } else { Register::None };
        let other = match r.size() {
            64 if r.is_zmm() => [Register::ZMM6, Register::ZMM12],
            32 if r.is_ymm() => [Register::YMM6, Register::YMM12],
            _ => continue,
        };
        let mut j = *i;
        j.set_op_register(n, if r == other[0] { other[1] } else { other[0] });
        out.push(j);
    }
    if i.op_kind(i.op_count() - 1) == OpKind::Immediate8 {
        let mut j = *i;
        j.set_immediate8(i.immediate8() ^ 1);
        out.push(j);
    }
    out
}

fn is_whole(proof: &Proof) -> bool {
    !proof.multiplications.is_empty() && proof.proven == proof.multiplications
}

/// Changes some of a function's instructions of these names; none of the copies may be proven as a whole. The number of copies.
fn refused(image: &Image, f: &Function, every: usize, of: &[&str]) -> usize {
    let mut slices = Slices::default();
    let code = image.code(f.start, f.size).expect("code");
    let mut tried = 0;
    let arithmetic = code.values().filter(|i| of.iter().any(|m| i.to_string().starts_with(m)));
    for i in arithmetic.step_by(every) {
        for j in changed(i) {
            let mut mutant: Code = code.clone();
            mutant.insert(i.ip(), j);
            let proof = prove_code(image, f, &mutant, &mut slices).expect("a function");
            assert!(!is_whole(&proof), "{:x} {i} as {j} is proven", i.ip());
            tried += 1;
        }
    }
    tried
}

/// The functions of a stem with an instruction of this name that are proven as a whole.
fn whole<'a>(image: &'a Image, stem: &'a str, name: &str) -> Vec<&'a Function> {
    let mut slices = Slices::default();
    let has = |f: &&Function| {
        let code = image.code(f.start, f.size).expect("code");
        code.values().any(|i| i.to_string().starts_with(name))
    };
    let functions = image.with_stem(stem).filter(has);
    functions.filter(|f| is_whole(&prove(image, f, &mut slices).expect("a function"))).collect()
}

#[test]
fn products_of_doubles_are_proven_and_mutants_refused() {
    let image = text::image();
    for (stem, every) in [
        ("outlined_mul_with_features", 9),
        ("outlined_square_with_features", 7),
        ("multiply_each_with_features", 11),
        ("repeat_squares_with_features", 9),
    ] {
        let found = whole(&image, stem, "vfmadd");
        assert_eq!(found.len(), 1, "{stem}");
        // the doubles that limbs become are in no slice
        let of = ["vfmadd", "vsubpd", "vpaddq", "vpsrlq", "vpand"];
        assert!(refused(&image, found[0], every, &of) > 10, "{stem}");
    }
}

#[test]
fn residues_modulo_the_order_are_proven_and_mutants_refused() {
    let image = text::image();
    for stem in ["product_group_with_features", "reduce_group_with_features"] {
        let found = whole(&image, stem, "vpmadd52");
        assert_eq!(found.len(), 1, "{stem}");
        // the words that limbs become are in no slice, and the last multiple of 2^252 of a short product is 0
        let of = ["vpaddq", "vpsubq", "vpmull", "vpmuldq"];
        assert!(refused(&image, found[0], 3, &of) > 10, "{stem}");
    }
}
