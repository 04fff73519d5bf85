//! Changes of one instruction.

use std::collections::HashMap;

use iced_x86::{
    Code as Opcode, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register,
};

use crate::arch::{Arch, X86};
use crate::image::Code;
use crate::kernel::Place;
use crate::template::Names;

/// The address of the copy of a doubled instruction.
pub(crate) const COPY: u64 = 0x7000_0000;

/// Opcodes that differ by their mnemonic alone: the start of one's name, and starts of others.
const NEIGHBOURS: &[(&str, &[&str])] = &[
    ("Adcx_", &["Adox_"]),
    ("Adox_", &["Adcx_"]),
    ("Add_", &["Adc_", "Sub_"]),
    ("Adc_", &["Add_", "Sbb_"]),
    ("Sub_", &["Sbb_", "Add_"]),
    ("Sbb_", &["Sub_", "Adc_"]),
    ("Cmp_", &["Sub_"]),
    ("And_", &["Or_", "Xor_"]),
    ("Inc_", &["Dec_"]),
    ("Dec_", &["Inc_"]),
    ("Neg_", &["Not_"]),
    ("Not_", &["Neg_"]),
    ("Shl_", &["Shr_"]),
    ("Shr_", &["Shl_", "Sar_"]),
    ("Sar_", &["Shr_"]),
    ("Shld_", &["Shrd_"]),
    ("Shrd_", &["Shld_"]),
    ("VEX_Shlx_", &["VEX_Shrx_"]),
    ("VEX_Shrx_", &["VEX_Shlx_", "VEX_Sarx_"]),
    ("Bt_", &["Btr_"]),
    ("Btr_", &["Bt_", "Bts_"]),
    ("Mul_", &["Imul_"]),
    ("Cmovb_", &["Cmovae_", "Cmove_"]),
    ("Cmovae_", &["Cmovb_", "Cmovne_"]),
    ("Cmove_", &["Cmovne_", "Cmovb_"]),
    ("Cmovne_", &["Cmove_", "Cmovae_"]),
    ("Setb_", &["Setae_", "Sete_"]),
    ("Setae_", &["Setb_"]),
    ("Sete_", &["Setne_"]),
    ("Setne_", &["Sete_"]),
    ("Je_", &["Jne_"]),
    ("Jne_", &["Je_"]),
    ("EVEX_Vpmadd52luq_", &["EVEX_Vpmadd52huq_"]),
    ("EVEX_Vpmadd52huq_", &["EVEX_Vpmadd52luq_"]),
    ("VEX_Vpaddq_", &["VEX_Vpsubq_"]),
    ("VEX_Vpsubq_", &["VEX_Vpaddq_"]),
    ("EVEX_Vpaddq_", &["EVEX_Vpsubq_"]),
    ("EVEX_Vpsubq_", &["EVEX_Vpaddq_"]),
];

/// A change: what it is, and the instructions that stand at some addresses then.
#[derive(Clone, Debug)]
pub struct Change<A: Arch = X86> {
    /// Number of the instruction, the instruction, and the kind of change; registers of a block have their names.
    pub text: String,
    pub(crate) edits: Vec<(u64, A::Instruction)>,
}

impl<A: Arch> Change<A> {
    /// The code with the change.
    pub fn applied(&self, code: &Code<A>) -> Code<A> {
        let mut code = code.clone();
        code.extend(self.edits.iter().copied());
        code
    }
}

/// An instruction with the names of a block's registers.
fn shown(i: &Instruction, names: &Names) -> String {
    let named = |word: &str| {
        let register = |r: Register| format!("{r:?}").eq_ignore_ascii_case(word);
        let mut found = names.iter().filter_map(|(name, r)| {
            let low = register(r.full_register32()).then(|| format!("{name}:d"));
            if register(*r) { Some(name.clone()) } else { low }
        });
        found.next().unwrap_or_else(|| word.to_owned())
    };
    let mut out = String::new();
    let mut word = String::new();
    for c in i.to_string().chars().chain([' ']) {
        if c.is_ascii_alphanumeric() {
            word.push(c);
            continue;
        }
        out.push_str(&named(&word));
        out.push(c);
        word.clear();
    }
    out.trim_end().to_owned()
}

/// All changes of single instructions of a code.
pub fn changes(place: &Place) -> Vec<Change> {
    let opcodes: HashMap<String, Opcode> =
        Opcode::values().map(|c| (format!("{c:?}"), c)).collect();
    let code: Vec<(u64, Instruction)> = place.code.iter().map(|(at, i)| (*at, *i)).collect();
    let mut all = Changes { opcodes, used: used(&code), info: InstructionInfoFactory::new() };
    let mut out = Vec::new();
    for (n, (at, i)) in code.iter().enumerate() {
        if matches!(i.mnemonic(), Mnemonic::Nop | Mnemonic::Endbr64)
            || i.flow_control() == FlowControl::Return
        {
            continue;
        }
        let before = shown(i, &place.names);
        for (kind, j) in all.of(i) {
            let text = format!("{n}: {before}: {kind}: {}", shown(&j, &place.names));
            out.push(Change { text, edits: vec![(*at, j)] });
        }
        let mut copy = *i;
        copy.set_next_ip(at + COPY);
        let edits = vec![(*at, copy), (at + COPY, *i)];
        out.push(Change { text: format!("{n}: {before}: doubled"), edits });
        if let Some((next, j)) = code.get(n + 1)
            && all.depend(i, j)
        {
            let (mut first, mut second) = (*j, *i);
            first.set_next_ip(*next);
            second.set_next_ip(j.next_ip());
            let edits = vec![(*at, first), (*next, second)];
            let text = format!("{n}: {before}: exchanged with: {}", shown(j, &place.names));
            out.push(Change { text, edits });
        }
    }
    out
}

/// General registers of a code, in the order in which it names them.
fn used(code: &[(u64, Instruction)]) -> Vec<Register> {
    let mut used = Vec::new();
    for (_, i) in code {
        let operands = (0..i.op_count()).filter(|n| i.op_kind(*n) == OpKind::Register);
        for r in operands.map(|n| i.op_register(n).full_register()) {
            if r.is_gpr64() && r != Register::RSP && !used.contains(&r) {
                used.push(r);
            }
        }
    }
    used
}

struct Changes {
    opcodes: HashMap<String, Opcode>,
    used: Vec<Register>,
    info: InstructionInfoFactory,
}

/// A part of a register, as large as another.
fn sized(full: Register, like: Register) -> Option<Register> {
    match like.size() {
        8 => Some(full),
        4 => Some(full.full_register32()),
        _ => None,
    }
}

impl Changes {
    /// Changes in the place of one instruction, each with its kind.
    fn of(&mut self, i: &Instruction) -> Vec<(&'static str, Instruction)> {
        let mut out = Vec::new();
        let mut none = Instruction::new();
        none.set_code(Opcode::Nopd);
        none.set_next_ip(i.next_ip());
        out.push(("left out", none));
        self.registers(i, &mut out);
        numbers(i, &mut out);
        self.mnemonics(i, &mut out);
        if i.op_count() > 1
            && i.op_kind(0) == OpKind::Register
            && i.op_kind(1) == OpKind::Register
            && i.op_register(0) != i.op_register(1)
            && i.op_register(0).size() == i.op_register(1).size()
        {
            let mut j = *i;
            j.set_op_register(0, i.op_register(1));
            j.set_op_register(1, i.op_register(0));
            out.push(("swapped", j));
        }
        self.widths(i, &mut out);
        out
    }

    /// The registers that stand before and after one among those of the code.
    fn others(&self, r: Register) -> Vec<Register> {
        let (n, full) = (self.used.len(), r.full_register());
        let Some(at) = self.used.iter().position(|x| *x == full) else {
            return self.used.first().into_iter().copied().collect();
        };
        let mut out = vec![self.used[(at + 1) % n], self.used[(at + n - 1) % n]];
        out.dedup();
        out.retain(|x| *x != full);
        out
    }

    fn registers(&mut self, i: &Instruction, out: &mut Vec<(&'static str, Instruction)>) {
        let accesses: Vec<OpAccess> =
            (0..i.op_count()).map(|n| self.info.info(i).op_access(n)).collect();
        for (n, access) in accesses.iter().enumerate() {
            let kind = match access {
                OpAccess::Read | OpAccess::CondRead => "source",
                _ => "destination",
            };
            let n = n as u32;
            if i.op_kind(n) == OpKind::Register {
                let r = i.op_register(n);
                for other in self.others(r).into_iter().filter_map(|x| sized(x, r)) {
                    let mut j = *i;
                    j.set_op_register(n, other);
                    out.push((kind, j));
                }
            } else if i.op_kind(n) == OpKind::Memory && i.memory_base().is_gpr64() {
                for other in self.others(i.memory_base()) {
                    let mut j = *i;
                    j.set_memory_base(other);
                    out.push((kind, j));
                }
            }
        }
    }

    fn mnemonics(&self, i: &Instruction, out: &mut Vec<(&'static str, Instruction)>) {
        let name = format!("{:?}", i.code());
        let Some((own, others)) = NEIGHBOURS.iter().find(|(own, _)| name.starts_with(own)) else {
            return;
        };
        for other in *others {
            if let Some(code) = self.opcodes.get(&name.replacen(own, other, 1)) {
                let mut j = *i;
                j.set_code(*code);
                out.push(("mnemonic", j));
            }
        }
    }

    /// The same of 32 bits instead of 64, or the reverse.
    fn widths(&self, i: &Instruction, out: &mut Vec<(&'static str, Instruction)>) {
        let name = format!("{:?}", i.code());
        let branch = i.flow_control() != FlowControl::Next;
        if branch || matches!(i.mnemonic(), Mnemonic::Push | Mnemonic::Pop) {
            return;
        }
        let wide = name.contains("64");
        let other = if wide { name.replace("64", "32") } else { name.replace("32", "64") };
        let Some(code) = self.opcodes.get(&other).filter(|_| other != name) else { return };
        let mut j = *i;
        j.set_code(*code);
        for n in (0..i.op_count()).filter(|n| i.op_kind(*n) == OpKind::Register) {
            let r = i.op_register(n);
            match (r.size(), wide) {
                (8, true) => j.set_op_register(n, r.full_register32()),
                (4, false) => j.set_op_register(n, r.full_register()),
                _ => {}
            }
        }
        out.push(("width", j));
    }

    /// Whether the order of two instructions may matter.
    fn depend(&mut self, a: &Instruction, b: &Instruction) -> bool {
        let branch = |i: &Instruction| i.flow_control() != FlowControl::Next;
        if branch(a) || branch(b) || a == b {
            return false;
        }
        let mut uses = |i: &Instruction| {
            let info = self.info.info(i);
            let writes = |access| !matches!(access, OpAccess::Read | OpAccess::CondRead);
            let registers: Vec<(Register, bool)> = info
                .used_registers()
                .iter()
                .map(|u| (u.register().full_register(), writes(u.access())))
                .collect();
            let stores = info.used_memory().iter().any(|u| writes(u.access()));
            (registers, stores, !info.used_memory().is_empty())
        };
        let (x, y) = (uses(a), uses(b));
        let registers = x.0.iter().any(|(r, w)| y.0.iter().any(|(s, v)| r == s && (*w || *v)));
        let memory = x.1 && y.2 || x.2 && y.1;
        let flags = a.rflags_modified() & b.rflags_read() | a.rflags_read() & b.rflags_modified();
        registers || memory || flags != 0
    }
}

/// Immediates by 1 more and less, displacements by 8.
fn numbers(i: &Instruction, out: &mut Vec<(&'static str, Instruction)>) {
    for n in 0..i.op_count() {
        let branch = i.flow_control() != FlowControl::Next;
        if let (false, Ok(x)) = (branch, i.try_immediate(n)) {
            for by in [1, -1i64] {
                let mut j = *i;
                let signed = x.wrapping_add_signed(by) as i64;
                let set = j.try_set_immediate_i64(n, signed).is_ok()
                    || j.try_set_immediate_u64(n, signed as u64).is_ok();
                if set && j != *i {
                    out.push(("immediate", j));
                }
            }
        }
        if i.op_kind(n) == OpKind::Memory {
            for by in [8, -8i64] {
                let mut j = *i;
                j.set_memory_displacement64(i.memory_displacement64().wrapping_add_signed(by));
                out.push(("displacement", j));
            }
        }
    }
}
