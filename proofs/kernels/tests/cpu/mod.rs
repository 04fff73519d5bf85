//! The CPU that runs this: instructions start from a state of registers and memory.

use std::arch::global_asm;
use std::collections::BTreeSet;
use std::fs;
use std::ptr;

use iced_x86::{Instruction, Mnemonic, Register};
use kernels::cosimulation::{
    CARRY, DATA, GENERAL, MEMORY, OVERFLOW, Registers, STACK, State, ZERO,
};
use kernels::samples::Samples;

/// Bytes of code that run at once.
pub const SLOT: usize = 160;
/// Offset in the page of constants that code refers to by its own address.
const CONSTANTS: usize = 4096;

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
    .irp i, 0,1,2,3,4,5,6,7
    kmovq k\i, [rdi + 2240 + 8*\i]
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
    .fill 160, 1, 0x90
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
    .irp i, 0,1,2,3,4,5,6,7
    kmovq [rdi + 2240 + 8*\i], k\i
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
pub struct Cpu {
    page: *mut u8,
    slot: usize,
    /// Vendor, family, model and name.
    pub vendor: String,
    /// Features by the names of `/proc/cpuinfo`.
    pub flags: BTreeSet<String>,
}

impl Cpu {
    pub fn new() -> Self {
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
        assert!(page != libc::MAP_FAILED && size <= CONSTANTS, "no memory that can be run");
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
    pub fn width(&self) -> u64 {
        let has = |name: &str| self.flags.contains(name);
        if has("avx512f") && has("avx512bw") { 64 } else { 32 * u64::from(has("avx2")) }
    }

    /// Whether it has the instruction.
    pub fn has(&self, i: &Instruction) -> Result<(), String> {
        for feature in i.cpuid_features() {
            let name = format!("{feature:?}").to_lowercase().replace('_', "");
            let optional = ["avx", "fma", "bmi", "adx", "vaes", "vpclmul"]
                .iter()
                .any(|start| name.starts_with(start));
            if optional && !self.flags.contains(&name) {
                return Err(name);
            }
        }
        Ok(())
    }

    /// The state after instructions that are no branches; their addresses have to lie in the state's memory.
    pub fn run(&self, bytes: &[u8], before: &State) -> State {
        let mut after = before.clone();
        after.memory = Vec::new();
        let mut slot = [0x90; SLOT];
        slot[..bytes.len()].copy_from_slice(bytes);
        self.write(self.slot, &slot);
        // SAFETY: the mapping starts with the code around the slot, a function with one pointer in RDI that keeps the caller's registers.
        let code: extern "sysv64" fn(*mut Registers) = unsafe { std::mem::transmute(self.page) };
        code(&mut after.registers);
        let memory = ptr::with_exposed_provenance::<u8>(before.address as usize);
        // SAFETY: the address is that of MEMORY bytes, which the caller keeps.
        after.memory = unsafe { std::slice::from_raw_parts(memory, MEMORY) }.to_vec();
        after
    }

    fn write(&self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= 8192, "{at} lies outside the page");
        // SAFETY: the mapping has 8192 bytes.
        let to = unsafe { self.page.add(at) };
        // SAFETY: these bytes lie in the mapping, which nothing else refers to.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    }

    /// Places a constant for an instruction that ends so far from the start of the slot: the displacement that refers to it.
    pub fn place(&self, number: usize, bytes: &[u8], end: usize) -> i32 {
        let at = CONSTANTS + 64 * number;
        self.write(at, bytes);
        (at as i64 - (self.slot + end) as i64) as i32
    }
}

/// A state: extreme and random words, addresses in the registers of addresses.
pub fn state(code: &[Instruction], run: usize, memory: &mut [u8], width: u64) -> State {
    let mut samples = Samples::new(run);
    let mut registers = Registers {
        general: [0; 16],
        flags: 0x202 | samples.bits() & (CARRY | ZERO | OVERFLOW),
        width,
        reserved: [0; 6],
        vectors: [[0; 8]; 32],
        masks: [0; 8],
    };
    registers.general.fill_with(|| samples.word());
    registers.vectors.as_flattened_mut().fill_with(|| samples.word());
    registers.masks.fill_with(|| samples.word());
    memory.chunks_exact_mut(8).for_each(|b| b.copy_from_slice(&samples.word().to_le_bytes()));
    let address = memory.as_mut_ptr().expose_provenance() as u64;
    for (value, r) in registers.general.iter_mut().zip(GENERAL) {
        if r == Register::RSP {
            *value = address + STACK as u64;
            continue;
        }
        for i in code.iter().filter(|i| i.mnemonic() != Mnemonic::Lea) {
            let shift = matches!(i.mnemonic(), Mnemonic::Shlx | Mnemonic::Shrx);
            if r == i.memory_base().full_register() {
                *value = address + DATA as u64;
            } else if r == i.memory_index().full_register() {
                *value = 64;
            } else if shift && r == i.op_register(2).full_register() {
                *value = 1 + run as u64 * 3 % 63;
            }
        }
    }
    State { registers, memory: memory.to_vec(), address }
}
