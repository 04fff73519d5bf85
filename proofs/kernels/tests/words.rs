//! Products in general registers of compiled functions of the shipped text are proven; changed copies compute something else, or are not proven.

mod text;

use std::collections::BTreeSet;

use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use kernels::image::{Code, Function, Image};
use kernels::words::function::{Proof, Slices, prove, prove_code};

/// The lines of slices, without their hashes.
fn forms(proof: &Proof) -> BTreeSet<String> {
    proof.text.lines().filter_map(|l| l.split_once("  ; ").map(|x| x.0.to_owned())).collect()
}

/// Neighbours of an instruction: another source register, a number that differs by 1, another operation.
fn changed(i: &Instruction) -> Vec<Instruction> {
    let mut out = Vec::new();
    let last = i.op_count().saturating_sub(1);
    if last > 0 && i.op_kind(last) == OpKind::Register && i.op_register(last).is_gpr64() {
        let mut j = *i;
        let other =
            if i.op_register(last) == Register::RBX { Register::R10 } else { Register::RBX };
        j.set_op_register(last, other);
        out.push(j);
    }
    if i.op_kind(last) == OpKind::Immediate64 {
        let mut j = *i;
        j.set_immediate64(i.immediate64() ^ 1);
        out.push(j);
    }
    // ADD as ADC is left out: a low word that the reduction clears takes a carry without a change of its own
    let swapped = [
        (iced_x86::Code::Adc_r64_rm64, iced_x86::Code::Add_r64_rm64),
        (iced_x86::Code::Adc_rm64_r64, iced_x86::Code::Add_rm64_r64),
        (iced_x86::Code::Sbb_rm64_r64, iced_x86::Code::Sub_rm64_r64),
        (iced_x86::Code::Setb_rm8, iced_x86::Code::Setae_rm8),
    ];
    for (_, to) in swapped.iter().filter(|(from, _)| i.code() == *from) {
        let mut j = *i;
        j.set_code(*to);
        out.push(j);
    }
    out
}

/// Changes some instructions between the first and the last multiplication; those that are not seen.
fn unseen(image: &Image, f: &Function, every: usize) -> (usize, Vec<String>) {
    let mut slices = Slices::default();
    let code = image.code(f.start, f.size).expect("code");
    let right = prove(image, f, &mut slices).expect("a function");
    let (first, last) =
        (*right.multiplications.first().expect("one"), *right.multiplications.last().expect("one"));
    let (mut tried, mut same) = (0, Vec::new());
    let inside = code.range(first..=last).map(|(_, i)| i);
    for i in inside.filter(|i| i.mnemonic() != Mnemonic::Cmp).step_by(every) {
        for j in changed(i) {
            let mut mutant: Code = code.clone();
            mutant.insert(i.ip(), j);
            let proof = prove_code(image, f, &mutant, &mut slices).expect("a function");
            if forms(&proof) == forms(&right) && proof.proven == right.proven {
                same.push(format!("{:x} {i} as {j}", i.ip() - f.start));
            }
            tried += 1;
        }
    }
    (tried, same)
}

fn all_proven(stem: &str) {
    let image = text::image();
    let mut slices = Slices::default();
    let mut functions = 0;
    for f in image.with_stem(stem) {
        let proof = prove(&image, f, &mut slices).expect("a function");
        assert!(!proof.multiplications.is_empty(), "{}", f.name);
        assert_eq!(proof.proven, proof.multiplications, "{}:\n{}", f.name, proof.text);
        functions += 1;
    }
    assert!(functions > 0, "{stem}");
}

#[test]
fn products_of_scalars_are_proven() {
    for stem in ["from_be_bytes", "to_words", "Scalar_mul_add", "l25519_reduce"] {
        all_proven(stem);
    }
}

#[test]
fn mutants_of_a_product_are_seen() {
    let image = text::image();
    for f in image.with_stem("to_words") {
        let (tried, same) = unseen(&image, f, 9);
        assert!(
            tried > 8 && same.is_empty(),
            "{} of {tried} changes are not seen: {same:?}",
            same.len()
        );
    }
}
