//! Each instruction of the kernels for aarch64 runs under QEMU, and leaves what the rules of the machine say; so does each other form that
//! has a rule, in `aarch64/forms.S`.
//!
//! The output is a record: `cargo test --release --test cosimulation_aarch64 -- --nocapture`.

mod aarch64;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use kernels::arch::Arch;
use kernels::arm::cosimulation::{CARRY, State, ZERO, compare};
use kernels::arm::{Arm, Instruction};
use kernels::samples::Samples;

/// States that each instruction starts from.
const RUNS: usize = 40;
/// Quads of a state.
const QUADS: usize = 34;
const EMULATOR: &str = "qemu-aarch64";

/// A state: extreme and random words; in every third, the last register is 0 or all ones.
fn state(i: &Instruction, run: usize) -> State {
    let mut samples = Samples::new(run);
    let flags = samples.bits() & (CARRY | ZERO);
    let mut general = [0; 31];
    general.fill_with(|| samples.word());
    if let Some(n) = i.last_register().filter(|_| run.is_multiple_of(3)) {
        general[n] = if run.is_multiple_of(2) { 0 } else { u64::MAX };
    }
    State { general, flags }
}

/// States after the instructions.
fn run_all(instructions: &[(&Instruction, [u32; 4])], states: &[State]) -> Vec<State> {
    let (mut slots, mut data) = (String::new(), Vec::new());
    for (_, [a, b, c, d]) in instructions {
        writeln!(slots, "slot {a}, {b}, {c}, {d}").expect("text grows");
    }
    for (n, s) in states.iter().enumerate() {
        let more = u64::from(!(n + 1).is_multiple_of(RUNS));
        let last = [0, s.flags, more];
        let quads = s.general.iter().chain(&last);
        data.extend(quads.flat_map(|q| q.to_le_bytes()));
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = |name: &str| folder.join(format!("{}-{name}", std::process::id()));
    let (slots_file, states_file) = (file("slots"), file("states"));
    fs::write(&slots_file, slots).expect("a file of instructions");
    fs::write(&states_file, data).expect("a file of states");
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/aarch64/harness.S");
    let define = |name: &str, path: &PathBuf| format!("-D{name}=\"{}\"", path.display());
    let (slots, states) = (define("SLOTS", &slots_file), define("STATES", &states_file));
    let arguments = ["-nostdlib", "-static", slots.as_str(), states.as_str()];
    let program = aarch64::compile(&source, &arguments, "harness");
    let done = Command::new(EMULATOR).arg(program).output().expect("the emulator runs");
    assert!(done.status.success(), "the harness ended with {}", done.status);
    let quads: Vec<u64> = done
        .stdout
        .chunks_exact(8)
        .map(|q| u64::from_le_bytes(q.try_into().expect("eight bytes")))
        .collect();
    let after = |q: &[u64]| State { general: q[..31].try_into().expect("31 words"), flags: q[32] };
    quads.chunks_exact(QUADS).map(after).collect()
}

#[test]
fn rules_agree_with_the_emulator() {
    let test = "co-simulation of aarch64";
    if !aarch64::has(test, &[EMULATOR]) {
        return;
    }
    let Some(image) = aarch64::shipped(test) else { return };
    let mut instructions = BTreeMap::new();
    for kernel in Arm::kernels() {
        for place in kernel.candidates(&image).expect("its code") {
            instructions.extend(place.code.into_values().map(|i| (i.word, i)));
        }
    }
    let of_kernels = instructions.len();
    let forms = aarch64::image("proofs/kernels/tests/aarch64/forms.S");
    let form = forms.functions().first().expect("the forms");
    let code = Arm::code(&forms, form.start, form.size).expect("their code");
    assert_eq!(code.len() as u64 * 4, form.size, "a form that the decoder does not know");
    instructions.extend(code.into_values().map(|i| (i.word, i)));
    let known: Vec<_> = instructions.values().filter_map(|i| Some((i, i.comparable()?))).collect();
    assert_eq!(known.len(), instructions.len(), "an instruction that cannot be compared");
    let before: Vec<State> =
        known.iter().flat_map(|(i, _)| (0..RUNS).map(|run| state(i, run))).collect();
    let after = run_all(&known, &before);
    assert_eq!(after.len(), before.len(), "states that the harness left");
    let (mut table, mut faults) = (BTreeMap::new(), Vec::new());
    let states = before.iter().zip(&after);
    for ((i, _), states) in known.iter().zip(states.collect::<Vec<_>>().chunks(RUNS)) {
        let name = i.to_string().split(' ').next().unwrap_or_default().to_owned();
        let row = table.entry(name).or_insert((0, 0, BTreeMap::new()));
        row.0 += 1;
        let mut compared = 0;
        for (before, after) in states {
            let found = compare(&image, i, before, after).unwrap_or_else(|e| panic!("{i}: {e}"));
            for (way, parts, differences) in found {
                compared += parts;
                *row.2.entry(way).or_insert(0) += 1;
                faults.extend(differences.into_iter().map(|d| format!("{i}, {way}: {d}")));
            }
        }
        if compared == 0 {
            faults.push(format!("{i}: no rule took it"));
        }
        row.1 += compared;
    }
    let version = Command::new(EMULATOR).arg("--version").output().expect("its version").stdout;
    println!("{}", String::from_utf8_lossy(&version).lines().next().unwrap_or_default());
    println!("{} instructions of kernels, {} other forms", of_kernels, known.len() - of_kernels);
    for (name, (forms, compared, ways)) in &table {
        let ways: Vec<String> = ways.iter().map(|(way, n)| format!("{way} {n}")).collect();
        println!("{name:6} {forms:4} instructions {compared:7} comparisons; {}", ways.join(", "));
    }
    let some = &faults[..faults.len().min(20)];
    assert!(faults.is_empty(), "{} differences: {some:#?}", faults.len());
}
