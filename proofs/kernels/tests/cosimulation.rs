//! Each instruction of the kernels runs on this CPU, and leaves what the rules of the machine say.
//!
//! The output is a record: `cargo test --release --test cosimulation -- --nocapture --test-threads=1`.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]
#![allow(unsafe_code)]

mod cpu;
mod manual;
mod text;
mod vectors;

use std::collections::BTreeMap;

use cpu::{Cpu, state};
use iced_x86::{FlowControl, Instruction, Mnemonic, Register};
use kernels::cosimulation::{GENERAL, MEMORY, MachineRules, Rules, differences};

/// States that each instruction starts from.
const RUNS: usize = 40;

/// Bytes of the instruction; of a conditional branch, those of SETcc AL.
fn bytes(image: &kernels::image::Image, i: &Instruction) -> Option<Vec<u8>> {
    let bytes = image.constant(i.ip(), i.len())?;
    match i.flow_control() {
        FlowControl::Next => Some(bytes.to_vec()),
        FlowControl::ConditionalBranch => {
            let code = if bytes[0] == 0x0f { bytes[1] } else { bytes[0] };
            Some(vec![0x0f, 0x90 | code & 0xf, 0xc0])
        }
        _ => None,
    }
}

#[test]
fn rules_agree_with_the_cpu() {
    let (image, cpu) = (text::image(), Cpu::new());
    let rules = MachineRules(&image);
    let mut memory = vec![0u8; MEMORY];
    let mut instructions = BTreeMap::new();
    for kernel in kernels::kernels::all() {
        for place in kernel.candidates(&image).expect("its code") {
            let named = place.code.into_values().map(|i| {
                let branch = i.flow_control() == FlowControl::ConditionalBranch;
                (if branch { format!("{:?}", i.mnemonic()) } else { i.to_string() }, i)
            });
            instructions.extend(named);
        }
    }
    let (mut table, mut absent) = (BTreeMap::new(), BTreeMap::new());
    let mut faults = Vec::new();
    for (text, i) in &instructions {
        let row = table.entry(format!("{:?}", i.mnemonic())).or_insert((0, 0, BTreeMap::new()));
        if let Err(feature) = cpu.has(i) {
            absent.insert(format!("{:?}", i.mnemonic()), feature);
            continue;
        }
        let outside = i.is_ip_rel_memory_operand() || i.memory_index() != Register::None;
        let Some(bytes) = bytes(&image, i).filter(|_| !outside || i.mnemonic() == Mnemonic::Lea)
        else {
            continue;
        };
        let mut compared = 0;
        for run in 0..RUNS {
            let mut before = state(&[*i], run, &mut memory, cpu.width());
            if i.op_count() > 1 && run % 3 == 0 {
                // masks in the last operand
                let last = i.op_register(i.op_count() - 1).full_register();
                if let Some(n) = GENERAL.iter().position(|r| *r == last && last != Register::RSP) {
                    before.registers.general[n] = if run % 2 == 0 { 0 } else { u64::MAX };
                }
            }
            let expected = rules.expected(i, &before).unwrap_or_else(|e| panic!("{text}: {e}"));
            let after = cpu.run(&bytes, &before);
            for (way, parts) in expected {
                compared += parts.len();
                *row.2.entry(way).or_insert(0) += 1;
                for fault in differences(&parts, &before, &after) {
                    faults.push(format!("{text}, run {run}, {way}: {fault}"));
                }
            }
        }
        if compared == 0 {
            continue;
        }
        row.0 += 1;
        row.1 += compared;
    }
    println!("{}", cpu.vendor);
    let has = ["adx", "bmi1", "bmi2", "avx", "avx2", "fma", "avx512f", "avx512vl", "avx512ifma"];
    let (with, without): (Vec<&str>, Vec<&str>) = has.iter().partition(|f| cpu.flags.contains(**f));
    println!("has {}; lacks {}", with.join(" "), without.join(" "));
    for (name, (forms, compared, ways)) in &table {
        let ways: Vec<String> = ways.iter().map(|(way, n)| format!("{way} {n}")).collect();
        println!("{name:8} {forms:4} instructions {compared:7} comparisons; {}", ways.join(", "));
    }
    for f in image.functions() {
        for i in image.code(f.start, f.size).expect("its code").values() {
            if let Err(feature) = cpu.has(i) {
                absent.insert(format!("{:?}", i.mnemonic()), feature);
            }
        }
    }
    let absent: Vec<String> = absent.iter().map(|(name, f)| format!("{name} ({f})")).collect();
    println!("not run, as this CPU lacks them: {}", absent.join(" "));
    let idle: Vec<&String> =
        table.iter().filter(|(_, row)| row.0 == 0).map(|(name, _)| name).collect();
    println!("not compared: {idle:?}");
    assert!(
        faults.is_empty(),
        "{} differences: {:#?}",
        faults.len(),
        &faults[..faults.len().min(20)]
    );
    let known = ["Ret", "Endbr64", "Call", "Jmp"];
    assert!(
        idle.iter().all(|name| known.contains(&name.as_str())),
        "rules that nothing was compared of: {idle:?}"
    );
}
