//! The shipped text for aarch64: kernels are proven, and changed copies of them are not.

mod aarch64;

use kernels::arch::Arch;
use kernels::arm::{Arm, Instruction};
use kernels::claim::Goal;
use kernels::image::Image;
use kernels::kernel::Kernel;
use kernels::mutate::mutate;
use kernels::number::Int;

fn kernel(name: &str) -> Kernel<Arm> {
    Arm::kernels().into_iter().find(|k| k.name == name).expect("a kernel")
}

fn mutants(image: &Image, name: &str, stride: usize) {
    let report = mutate(&kernel(name), image, Arm::EQUIVALENT, (stride, 8)).expect("it is proven");
    assert!(report.mutants > 20, "{} mutants are too few to say anything", report.mutants);
    assert!(report.passes(), "{name}: {report:#?}");
}

#[test]
fn mutants_of_each_kind_of_kernel_are_seen() {
    let Some(image) = aarch64::shipped("mutants of aarch64") else { return };
    mutants(&image, "25519 mul aarch64", 7);
    mutants(&image, "25519 power aarch64", 13);
    mutants(&image, "p256 mul aarch64", 17);
    mutants(&image, "p256 halve aarch64", 1);
}

#[test]
fn another_claim_is_refused() {
    let Some(image) = aarch64::shipped("claims of aarch64") else { return };
    for name in ["25519 folded aarch64", "p256 sub aarch64", "words sub x4 aarch64"] {
        let mut changed = kernel(name);
        let goals = changed.goals;
        changed.goals = Box::new(move |from, to, x| {
            let mut goals = goals(from, to, x);
            let targets = goals.iter_mut().filter_map(|g| match g {
                Goal::Zero { target, .. } => Some(target),
                _ => None,
            });
            targets.for_each(|t| *t = t.plus(&Int::ONE));
            goals
        });
        assert!(kernel(name).prove(&image).is_ok() && changed.prove(&image).is_err(), "{name}");
    }
}

#[test]
fn places_are_those_of_the_template() {
    let Some(image) = aarch64::shipped("places of aarch64") else { return };
    let proof = kernel("words sub x6 aarch64").prove(&image).expect("it is proven");
    let places = proof.ran.len() / proof.place.code.len();
    assert_eq!(places, proof.places);
    assert_eq!(proof.place.code.len(), 7);
}

#[test]
fn encodings_are_those_of_the_manual() {
    let shown = |word: u32| Instruction::decode(64, word).map(|i| i.to_string());
    assert_eq!(shown(0x9bc7_7cc5).as_deref(), Some("umulh x5, x6, x7"));
    assert_eq!(shown(0xba07_00c5).as_deref(), Some("adcs x5, x6, x7"));
    assert_eq!(shown(0xd65f_03c0).as_deref(), Some("ret"));
    // of 32 bits with a field of 64: AND, MOVZ and AND with a shift
    assert_eq!([0x1240_7c85, 0x52c0_0005, 0x0a07_80c5].map(shown), [None, None, None]);
    let jump = Instruction::decode(64, 0xb5ff_ffe5).expect("cbnz x5, 60");
    assert_eq!(Arm::flow(&jump), kernels::arch::Flow::Branch(60, 68));
}
