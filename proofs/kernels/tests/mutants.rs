//! A part of the mutants of each kind of kernel: none is proven but those that `equivalent.txt` lists. `kernels mutate` goes through all.

mod text;

use kernels::mutate::{LISTED, mutate};

fn mutants(name: &str, stride: usize) {
    let image = text::image();
    let kernel = kernels::kernels::all().into_iter().find(|k| k.name == name).expect("a kernel");
    let report = mutate(&kernel, &image, LISTED, (stride, 8)).expect("the kernel is proven");
    println!("{name}: {report:#?}");
    assert!(report.mutants > 20, "{} mutants are too few to say anything", report.mutants);
    assert!(report.passes(), "{name}: {report:#?}");
}

#[test]
fn products_in_words() {
    mutants("25519 mul adx", 7);
}

#[test]
fn powers_in_a_loop() {
    mutants("25519 power adx", 13);
}

#[test]
fn montgomery_products() {
    mutants("p256 mul adx", 17);
}

#[test]
fn blocks_of_inline_assembly() {
    mutants("p256 halve", 1);
}
