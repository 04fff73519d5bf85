//! Each instruction of the kernels runs on this CPU, and leaves what the rules of the machine say.
//!
//! The output is a record: `cargo test --release --test cosimulation -- --nocapture`.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]
#![allow(unsafe_code)]

mod text;

use std::arch::global_asm;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ptr;

use iced_x86::{FlowControl, Instruction, Mnemonic, Register};
use kernels::cosimulation::{
    CARRY, DATA, GENERAL, MEMORY, MachineRules, OVERFLOW, Registers, Rules, STACK, State, ZERO,
    differences,
};
use kernels::samples::Samples;

/// States that each instruction starts from.
const RUNS: usize = 40;

// Loads registers from the state at RDI, runs the instruction in the slot, stores them. It is copied before it runs, and holds its own variables.
global_asm!(
    r#"
    .pushsection .rodata
cosimulation_start:
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    mov [rip + cosimulation_host], rsp
    mov [rip + cosimulation_state], rdi
    cmp qword ptr [rdi + 136], 32
    jb 2f
    ja 1f
    .irp i, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    vmovdqu ymm\i, [rdi + 192 + 64*\i]
    .endr
    jmp 2f
1:
    .irp i, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 zmm\i, [rdi + 192 + 64*\i]
    .endr
2:
    push qword ptr [rdi + 128]
    popfq
    mov rax, [rdi]
    mov rcx, [rdi + 8]
    mov rdx, [rdi + 16]
    mov rbx, [rdi + 24]
    mov rsp, [rdi + 32]
    mov rbp, [rdi + 40]
    mov rsi, [rdi + 48]
    .irp i, 8,9,10,11,12,13,14,15
    mov r\i, [rdi + 8*\i]
    .endr
    mov rdi, [rdi + 56]
cosimulation_slot:
    .fill 16, 1, 0x90
    mov [rip + cosimulation_rdi], rdi
    mov rdi, [rip + cosimulation_state]
    mov [rdi], rax
    mov [rdi + 8], rcx
    mov [rdi + 16], rdx
    mov [rdi + 24], rbx
    mov [rdi + 32], rsp
    mov [rdi + 40], rbp
    mov [rdi + 48], rsi
    .irp i, 8,9,10,11,12,13,14,15
    mov [rdi + 8*\i], r\i
    .endr
    mov rsp, [rip + cosimulation_host]
    pushfq
    pop rax
    mov [rdi + 128], rax
    mov rax, [rip + cosimulation_rdi]
    mov [rdi + 56], rax
    cmp qword ptr [rdi + 136], 32
    jb 2f
    ja 1f
    .irp i, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    vmovdqu [rdi + 192 + 64*\i], ymm\i
    .endr
    jmp 2f
1:
    .irp i, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 [rdi + 192 + 64*\i], zmm\i
    .endr
2:
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret
    .balign 8
cosimulation_host: .quad 0
cosimulation_state: .quad 0
cosimulation_rdi: .quad 0
cosimulation_end:
    .popsection
    "#
);

unsafe extern "C" {
    static cosimulation_start: u8;
    static cosimulation_slot: u8;
    static cosimulation_end: u8;
}

/// Memory that may be written and run, with the code around an instruction.
struct Cpu {
    page: *mut u8,
    slot: usize,
    vendor: String,
    flags: BTreeSet<String>,
}

impl Cpu {
    fn new() -> Self {
        let (start, slot, end) = (
            &raw const cosimulation_start,
            &raw const cosimulation_slot,
            &raw const cosimulation_end,
        );
        let (slot, size) = (slot.addr() - start.addr(), end.addr() - start.addr());
        let access = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address of the kernel's choice touches no other memory.
        let page = unsafe { libc::mmap(ptr::null_mut(), 8192, access, kind, -1, 0) };
        assert!(page != libc::MAP_FAILED && size <= 8192, "no memory that can be run");
        let page = page.cast::<u8>();
        // SAFETY: the labels enclose `size` bytes of constants, the mapping holds 8192; they do not overlap.
        unsafe { ptr::copy_nonoverlapping(start, page, size) };
        let info = fs::read_to_string("/proc/cpuinfo").expect("/proc/cpuinfo");
        let field = |name: &str| {
            let line = info.lines().find(|l| l.split(':').next().is_some_and(|n| n.trim() == name));
            line.and_then(|l| l.split_once(':')).map_or("", |(_, v)| v.trim()).to_owned()
        };
        let (family, model) = (field("cpu family"), field("model"));
        let name = field("model name");
        let vendor = format!("{} family {family} model {model} ({name})", field("vendor_id"));
        let flags = field("flags").split(' ').map(str::to_owned).collect();
        Self { page, slot, vendor, flags }
    }

    /// Bytes of a vector register that the code around loads and stores.
    fn width(&self) -> u64 {
        let has = |name: &str| self.flags.contains(name);
        if has("avx512f") { 64 } else { 32 * u64::from(has("avx2")) }
    }

    /// Whether it has the instruction.
    fn has(&self, i: &Instruction) -> Result<(), String> {
        for feature in i.cpuid_features() {
            let name = format!("{feature:?}").to_lowercase().replace('_', "");
            let optional = ["avx", "fma", "bmi", "adx"].iter().any(|start| name.starts_with(start));
            if optional && !self.flags.contains(&name) {
                return Err(name);
            }
        }
        Ok(())
    }

    /// The state after an instruction that is no branch; its addresses have to lie in the state's memory.
    fn run(&self, bytes: &[u8], before: &State) -> State {
        let mut after = before.clone();
        after.memory = Vec::new();
        let mut slot = [0x90; 16];
        slot[..bytes.len()].copy_from_slice(bytes);
        // SAFETY: the slot has 16 bytes inside the mapping.
        let to = unsafe { self.page.add(self.slot) };
        // SAFETY: 16 bytes of the slot, which nothing else refers to.
        unsafe { ptr::copy_nonoverlapping(slot.as_ptr(), to, 16) };
        // SAFETY: the mapping starts with the code around the slot, a function with one pointer in RDI that keeps the caller's registers.
        let code: extern "sysv64" fn(*mut Registers) = unsafe { std::mem::transmute(self.page) };
        code(&mut after.registers);
        let memory = ptr::with_exposed_provenance::<u8>(before.address as usize);
        // SAFETY: the address is that of MEMORY bytes, which the caller keeps.
        after.memory = unsafe { std::slice::from_raw_parts(memory, MEMORY) }.to_vec();
        after
    }
}

/// A state: extreme and random words, addresses in the registers of addresses.
fn state(i: &Instruction, run: usize, memory: &mut [u8], width: u64) -> State {
    let mut samples = Samples::new(run);
    let mut registers = Registers {
        general: [0; 16],
        flags: 0x202 | samples.bits() & (CARRY | ZERO | OVERFLOW),
        width,
        reserved: [0; 6],
        vectors: [[0; 8]; 32],
    };
    registers.general.fill_with(|| samples.word());
    registers.vectors.as_flattened_mut().fill_with(|| samples.word());
    memory.chunks_exact_mut(8).for_each(|b| b.copy_from_slice(&samples.word().to_le_bytes()));
    let address = memory.as_mut_ptr().expose_provenance() as u64;
    for (value, r) in registers.general.iter_mut().zip(GENERAL) {
        if r == Register::RSP {
            *value = address + STACK as u64;
        } else if r == i.memory_base().full_register() && i.mnemonic() != Mnemonic::Lea {
            *value = address + DATA as u64;
        } else if matches!(i.mnemonic(), Mnemonic::Shlx | Mnemonic::Shrx)
            && r == i.op_register(2).full_register()
        {
            *value = 1 + run as u64 * 3 % 63;
        }
    }
    State { registers, memory: memory.to_vec(), address }
}

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
            let mut before = state(i, run, &mut memory, cpu.width());
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
