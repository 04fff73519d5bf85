//! Rules of `flow`: each vector instruction of the text against this CPU, or against a second interpreter where the CPU lacks it; and rows of
//! instructions, with their loads and stores.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{
    Decoder, DecoderOptions, EncodingKind, FlowControl, Instruction, InstructionInfoFactory,
    Mnemonic as M, OpAccess, OpKind, Register,
};
use kernels::cosimulation::{DATA, GENERAL, MEMORY, Part, STACK, State, differences};
use kernels::flow::field::{Field, fields};
use kernels::flow::graph::Op;
use kernels::flow::lift::numbers::{LaneRules, value};
use kernels::flow::run::Run;
use kernels::flow::slice::{self, Class, Slice};
use kernels::image::Image;
use kernels::number::Int;
use kernels::samples::Samples;

use crate::cpu::{Cpu, SLOT, state};
use crate::{manual, text};

/// States that each instruction starts from.
const RUNS: usize = 24;
/// Instructions of one form that are compared.
const FORM: usize = 3;

/// Memory at an address that aligned loads take.
struct Memory(Vec<u8>);

impl Memory {
    fn new() -> Self {
        Self(vec![0; MEMORY + 64])
    }

    fn aligned(&mut self) -> &mut [u8] {
        let at = self.0.as_ptr().addr().next_multiple_of(64) - self.0.as_ptr().addr();
        &mut self.0[at..at + MEMORY]
    }
}

/// Whether an instruction can run anywhere: it does not branch, fault, or use other memory than that of its operand.
fn runs(rules: &LaneRules<'_>, i: &Instruction) -> bool {
    let vector = matches!(i.encoding(), EncodingKind::VEX | EncodingKind::EVEX);
    let excluded = matches!(i.mnemonic(), M::Vldmxcsr | M::Vmaskmovdqu | M::Vzeroall);
    i.flow_control() == FlowControl::Next
        && (vector || rules.knows(i))
        && !excluded
        && !i.memory_index().is_vector_register()
        && i.segment_prefix() == Register::None
}

/// Code that runs in the slot, with constants that it refers to in their place.
fn ready(image: &Image, cpu: &Cpu, code: &[Instruction]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for (n, i) in code.iter().enumerate() {
        let bytes = image.constant(i.ip(), i.len())?;
        let start = out.len();
        out.extend_from_slice(bytes);
        if i.is_ip_rel_memory_operand() && i.mnemonic() != M::Lea {
            let constant = image.constant(i.ip_rel_memory_address(), i.memory_size().size())?;
            let mut decoder = Decoder::with_ip(64, bytes, i.ip(), DecoderOptions::NONE);
            let offsets = {
                let again = decoder.decode();
                decoder.get_constant_offsets(&again)
            };
            let at = start + offsets.displacement_offset();
            let displacement = cpu.place(n, constant, out.len());
            out[at..at + 4].copy_from_slice(&displacement.to_le_bytes());
        }
    }
    (out.len() <= SLOT).then_some(out)
}

/// The offset in the state's memory of an operand, if it and its neighbours lie inside and an aligned load may take it.
fn offset(i: &Instruction, before: &State) -> Option<usize> {
    let general =
        |r: Register| GENERAL.iter().position(|g| *g == r).map(|n| before.registers.general[n]);
    let index = match i.memory_index() {
        Register::None => 0,
        r => general(r)?.wrapping_mul(u64::from(i.memory_index_scale())),
    };
    let address =
        general(i.memory_base())?.wrapping_add(index).wrapping_add(i.memory_displacement64());
    let at = address.wrapping_sub(before.address) as usize;
    let size = i.memory_size().size();
    let aligned = matches!(
        i.mnemonic(),
        M::Vmovdqa | M::Vmovaps | M::Vmovapd | M::Vmovdqa64 | M::Vmovdqa32 | M::Vmovntdq
    ) || i.encoding() == EncodingKind::Legacy && size >= 16;
    // the stack and other memory do not overlap
    let middle = (STACK + DATA) / 2;
    let own = if i.memory_base() == Register::RSP { 64..middle - 64 } else { middle..MEMORY - 128 };
    let fits = own.contains(&at) && size <= 64;
    (fits && (!aligned || at.is_multiple_of(size))).then_some(at)
}

/// Whether its memory operand lies in the state's memory, or it has none.
fn placed(i: &Instruction, before: &State) -> bool {
    let none = (0..i.op_count()).all(|n| i.op_kind(n) != OpKind::Memory);
    none || i.is_ip_rel_memory_operand() || i.mnemonic() == M::Lea || offset(i, before).is_some()
}

/// Bytes of the memory operand.
fn operand(image: &Image, i: &Instruction, before: &State) -> Vec<u8> {
    if i.is_ip_rel_memory_operand() {
        let at = i.ip_rel_memory_address();
        return image.constant(at, i.memory_size().size()).unwrap_or(&[]).to_vec();
    }
    offset(i, before).map_or_else(Vec::new, |at| before.memory[at..at + 64].to_vec())
}

/// A form: mnemonic, widths, immediates, masks, the kind of each operand, and which of them are the same register.
fn form(i: &Instruction) -> String {
    let mut out = format!("{:?} {}", i.code(), i.is_broadcast());
    out += &format!(" {} {}", i.op_mask() != Register::None, i.zeroing_masking());
    for n in 0..i.op_count() {
        let same = (0..n).find(|m| i.op_register(*m) == i.op_register(n));
        let known = (i.op_kind(n) == OpKind::Immediate8).then(|| i.immediate8());
        out += &format!(" {:?} {same:?} {known:?}", i.op_kind(n));
    }
    let index = i.memory_index() != Register::None;
    out + &format!(" {} {index}", i.is_ip_rel_memory_operand())
}

/// Instructions of the text by form.
fn forms(image: &Image, rules: &LaneRules<'_>) -> BTreeMap<String, Vec<Instruction>> {
    let mut out: BTreeMap<String, Vec<Instruction>> = BTreeMap::new();
    for f in image.functions() {
        for i in image.code(f.start, f.size).expect("its code").into_values() {
            if !runs(rules, &i) {
                continue;
            }
            let all = out.entry(form(&i)).or_default();
            if all.len() < 8 && all.iter().all(|j| i.to_string() != j.to_string()) {
                all.push(i);
            }
        }
    }
    out
}

/// The state in which an instruction starts; counts of shifts lie around 64 in every other run.
fn start(code: &[Instruction], run: usize, memory: &mut Memory) -> State {
    let mut before = state(code, run, memory.aligned(), 64);
    for i in code.iter().filter(|i| matches!(i.mnemonic(), M::Vpsllvq | M::Vpsrlvq)) {
        if let (0, OpKind::Register) = (run % 2, i.op2_kind()) {
            let counts = &mut before.registers.vectors[i.op2_register().full_register().number()];
            counts.iter_mut().for_each(|x| *x %= 67);
        }
    }
    before
}

/// Operations that one may be mistaken for.
fn others(op: Op) -> Vec<Op> {
    let all = match op {
        Op::Srl(k) | Op::Sra(k) | Op::Sll(k) | Op::Rol(k) => {
            let (more, less) = ((k + 1) % 64, (k + 63) % 64);
            vec![Op::Srl(k), Op::Sra(k), Op::Sll(k), Op::Rol(k), Op::Srl(more), Op::Sll(less)]
        }
        Op::Sign | Op::Abs => vec![Op::Sign, Op::Abs, Op::Sra(62)],
        Op::SraPairs(k) => vec![Op::SraPairs((k + 31) % 32), Op::Sra(k), Op::Srl(k)],
        Op::MulLow | Op::MulHigh => vec![Op::MulLow, Op::MulHigh, Op::Ternary(0xf0)],
        Op::Select => [0xac, 0xf0, 0xcc, 0xaa].map(Op::Ternary).to_vec(),
        Op::Ternary(table) => (0..8).map(|bit| Op::Ternary(table ^ 1 << bit)).collect(),
        _ => vec![
            Op::Add,
            Op::Sub,
            Op::And,
            Op::Or,
            Op::Xor,
            Op::AndNot,
            Op::SllEach,
            Op::SignedHalves,
            Op::Halves,
        ],
    };
    all.into_iter().filter(|x| *x != op).collect()
}

/// Comparisons of a mnemonic.
#[derive(Default)]
struct Row {
    by: BTreeSet<&'static str>,
    instructions: usize,
    exact: usize,
    moved: usize,
    faults: usize,
}

#[test]
fn rules_of_lanes_agree() {
    let (image, cpu) = (text::image(), Cpu::new());
    let rules = LaneRules::new(&image, None);
    let mut memory = Memory::new();
    let mut rows: BTreeMap<(bool, String), Row> = BTreeMap::new();
    let mut faults = Vec::new();
    // operations in the place of others, and whether some run shows the difference
    let mut broken: BTreeMap<String, bool> = BTreeMap::new();
    let mut mistakes = Vec::new();
    let forms = forms(&image, &rules);
    for i in forms.values().flat_map(|all| {
        let fits = |i: &&Instruction| placed(i, &start(&[**i], 0, &mut Memory::new()));
        all.iter().filter(fits).take(FORM)
    }) {
        let row = rows.entry((rules.knows(i), format!("{:?}", i.mnemonic()))).or_default();
        row.instructions += 1;
        let code = cpu.has(i).ok().and_then(|()| ready(&image, &cpu, &[*i]));
        let mut states = Vec::new();
        for run in 0..RUNS {
            let mut before = start(&[*i], run, &mut memory);
            before.registers.width = cpu.width();
            let theirs = manual::after(i, &before, &operand(&image, i, &before));
            let after = match (&code, theirs) {
                (Some(code), theirs) => {
                    row.by.insert("CPU");
                    let after = cpu.run(code, &before);
                    if let Some(theirs) = theirs {
                        row.by.insert("interpreter");
                        let lanes = cpu.width() as usize / 8;
                        let same = theirs.memory == after.memory
                            && (0..32).all(|n| {
                                theirs.registers.vectors[n][..lanes]
                                    == after.registers.vectors[n][..lanes]
                            });
                        if !same {
                            mistakes.push(format!("{i}, run {run}"));
                        }
                    }
                    after
                }
                (None, Some(theirs)) => {
                    row.by.insert("interpreter");
                    before.registers.width = 64;
                    theirs
                }
                (None, None) => continue,
            };
            for (way, parts) in rules.run(&[*i], &before).expect("numbers") {
                for part in &parts {
                    match &part.0 {
                        Part::Lane(_, _, words) if words.len() == 1 => row.exact += 1,
                        Part::Lane(_, _, words) if !words.is_empty() => row.moved += 1,
                        Part::KnownMask(_) | Part::Memory(..) | Part::General(_) => row.exact += 1,
                        _ => {}
                    }
                }
                for fault in differences(&parts, &before, &after) {
                    row.faults += 1;
                    faults.push(format!("{i}, run {run}, {way}: {fault}"));
                }
            }
            states.push((before, after));
        }
        // words that a mask leaves out are words of the sources, too
        let merges = matches!(i.mnemonic(), M::Vpermt2q | M::Vpexpandq);
        for op in rules.operations(&[*i]).into_iter().filter(|op| !merges || *op != Op::Select) {
            for other in others(op) {
                // a source's words are words of the sources, and halves that are apart have one sum
                let apart = i.mnemonic() == M::Vpblendd && op == Op::Or;
                let taken = op == Op::Select && other == Op::Ternary(0xcc);
                if taken || apart && matches!(other, Op::Add | Op::Xor) {
                    continue;
                }
                let name = format!("{:?}: {other:?} for {op:?}", i.mnemonic());
                let seen = broken.entry(name).or_insert(false);
                let rules = LaneRules::new(&image, Some((op, other)));
                *seen = *seen
                    || states.iter().any(|(before, after)| {
                        let ways = rules.run(&[*i], before).expect("numbers");
                        ways.iter().any(|w| !differences(&w.1, before, after).is_empty())
                    });
            }
        }
    }
    println!("{}", cpu.vendor);
    println!("rules of lanes, {} forms of instructions", forms.len());
    for ((_, name), row) in rows.iter().filter(|(key, row)| key.0 && !row.by.is_empty()) {
        let by: Vec<&str> = row.by.iter().copied().collect();
        let (n, exact, moved) = (row.instructions, row.exact, row.moved);
        println!(
            "{name:14} {n:4} instructions {exact:8} values {moved:8} words of sources; {}",
            by.join(", ")
        );
    }
    let of = |known: bool, run: bool| -> Vec<&str> {
        let rows = rows.iter().filter(|(key, row)| key.0 == known && row.by.is_empty() != run);
        rows.map(|(key, _)| key.1.as_str()).collect()
    };
    println!("without a rule, compared for what they leave alone: {}", of(false, true).join(" "));
    println!("without a rule, not compared: {}", of(false, false).join(" "));
    println!("with a rule, not compared: {:?}", of(true, false));
    let unseen: Vec<&String> = broken.iter().filter(|b| !b.1).map(|b| b.0).collect();
    println!("{} wrong operations tried, {} not seen: {unseen:?}", broken.len(), unseen.len());
    let wrong: Vec<String> = rows
        .iter()
        .filter(|(_, row)| row.faults > 0)
        .map(|((_, name), row)| format!("{name} {}", row.faults))
        .collect();
    println!("rules with faults: {wrong:?}");
    let right: Vec<&str> = rows
        .iter()
        .filter(|(key, row)| key.0 && row.faults == 0)
        .map(|((_, name), _)| name.as_str())
        .collect();
    if !faults.is_empty() {
        println!("rules without faults: {right:?}");
    }
    assert!(mistakes.is_empty(), "the interpreter and the CPU differ: {:#?}", first(&mistakes));
    assert!(faults.is_empty(), "{} differences: {:#?}", faults.len(), first(&faults));
    assert!(of(true, false).is_empty(), "rules that nothing was compared of");
    assert!(unseen.is_empty(), "wrong operations that no run shows");
}

fn first(all: &[String]) -> &[String] {
    &all[..all.len().min(20)]
}

/// Registers that an instruction writes, of those that addresses use.
fn written(info: &mut InstructionInfoFactory, i: &Instruction) -> Vec<Register> {
    let writes = |access| !matches!(access, OpAccess::Read | OpAccess::CondRead);
    let used = info.info(i).used_registers();
    used.iter().filter(|u| writes(u.access())).map(|u| u.register().full_register()).collect()
}

/// Instructions in a row that this CPU can run: the registers of an address are those of the start.
fn row(rules: &LaneRules<'_>, cpu: &Cpu, code: &[Instruction]) -> usize {
    let mut info = InstructionInfoFactory::new();
    let mut changed: BTreeSet<Register> = BTreeSet::new();
    for (n, i) in code.iter().enumerate() {
        let memory = (0..i.op_count()).any(|n| i.op_kind(n) == OpKind::Memory);
        let moves =
            memory && [i.memory_base(), i.memory_index()].iter().any(|r| changed.contains(r));
        let stack = matches!(i.mnemonic(), M::Push | M::Pop);
        let bytes: usize = code[..=n].iter().map(Instruction::len).sum();
        if !runs(rules, i) || cpu.has(i).is_err() || moves || stack || bytes > SLOT {
            return n;
        }
        changed.extend(written(&mut info, i));
    }
    code.len()
}

#[test]
fn rows_of_instructions_agree_with_the_cpu() {
    let (image, cpu) = (text::image(), Cpu::new());
    let rules = LaneRules::new(&image, None);
    let mut memory = Memory::new();
    let (mut rows, mut loads, mut values) = (0, 0, 0);
    let mut faults = Vec::new();
    for f in image.functions() {
        let code: Vec<Instruction> =
            image.code(f.start, f.size).expect("its code").into_values().collect();
        let mut at = 0;
        while at < code.len() {
            let n = row(&rules, &cpu, &code[at..code.len().min(at + 16)]);
            let part = &code[at..at + n];
            at += n.max(1);
            let vector = part.iter().any(|i| rules.knows(i) && i.encoding() == EncodingKind::VEX);
            let before = start(part, 0, &mut memory);
            if n < 2 || !vector || !part.iter().all(|i| placed(i, &before)) {
                continue;
            }
            let Some(bytes) = ready(&image, &cpu, part) else { continue };
            rows += 1;
            loads += part.iter().filter(|i| i.op_kind(i.op_count() - 1) == OpKind::Memory).count();
            for run in 3..7 {
                let mut before = start(part, run, &mut memory);
                before.registers.width = cpu.width();
                let after = cpu.run(&bytes, &before);
                for (way, parts) in rules.run(part, &before).expect("numbers") {
                    values += parts.len();
                    for fault in differences(&parts, &before, &after) {
                        let (start, n) = (part[0].ip() - f.start, part.len());
                        faults.push(format!(
                            "{n} instructions from {}+{start:x}, run {run}, {way}: {fault}",
                            f.name
                        ));
                    }
                }
            }
        }
    }
    println!("{rows} rows of instructions, {loads} with an operand in memory, {values} values");
    assert!(faults.is_empty(), "{} differences: {:#?}", faults.len(), first(&faults));
    assert!(rows > 100 || cpu.width() == 0, "{rows} rows are too few to say anything");
}

/// A slice of one operation; operands are constants, or inputs of a class.
fn slice(op: Op, operands: &[Operand]) -> Slice {
    let part = |o: &Operand| match o {
        Operand::Constant(x) => slice::Part::Constant([*x; 8]),
        Operand::Input(class) => slice::Part::Input(*class),
    };
    let n = operands.len();
    let mut parts: Vec<slice::Part> = operands.iter().map(part).collect();
    parts.push(slice::Part::Lanes(op, (0..n).collect()));
    let (nodes, addresses) = (vec![0; n + 1], vec![0; n + 1]);
    Slice { parts, outputs: vec![n], limbs: false, elements: Vec::new(), nodes, addresses }
}

#[derive(Clone, Copy)]
enum Operand {
    Constant(u64),
    Input(Class),
}

/// The value of an operation as the prover takes it; none where it refuses.
fn proven(op: Op, operands: &[Operand], words: &[u64], field: &Field) -> Option<u64> {
    let slice = slice(op, operands);
    let mask = |i: usize| matches!(operands[i], Operand::Input(Class::Mask));
    let masks = (0..words.len()).filter(|i| mask(*i)).map(|i| (i, words[i] != 0)).collect();
    let mut run = Run::new(&slice, field, 0, masks).ok()?;
    let outputs = run.outputs(field).ok()?;
    let given: Vec<Int> = (0..words.len())
        .filter(|i| matches!(operands[*i], Operand::Input(c) if c != Class::Mask))
        .map(|i| Int::from(words[i]))
        .collect();
    let numbers = run.trace.facts.evaluate(&given).expect("the prover's facts hold");
    let out = outputs[0].p.evaluate(|v| numbers[v as usize].clone());
    u64::try_from(kernels::number::modulo(&out, &kernels::number::power_of_two(64))).ok()
}

#[test]
fn operations_are_the_same_to_the_prover() {
    use Operand::{Constant, Input};
    let word = Input(Class::Word);
    let mut cases = Vec::new();
    for op in [Op::Add, Op::Sub, Op::Xor, Op::And, Op::Or, Op::AndNot] {
        cases.push((op, vec![word, word]));
        for m in [0, 1, u64::MAX, (1 << 52) - 1, (1 << 47) - 1, 0xffff_ffff_0000, 5] {
            cases.extend([(op, vec![word, Constant(m)]), (op, vec![Constant(m), word])]);
        }
    }
    for k in [1, 5, 12, 32, 52, 63] {
        cases.extend([Op::Srl(k), Op::Sra(k), Op::Sll(k), Op::Rol(k)].map(|op| (op, vec![word])));
        cases.push((Op::SllEach, vec![word, Constant(u64::from(k))]));
    }
    cases.extend([0x0f, 0x33, 0x55].map(|t| (Op::Ternary(t), vec![word; 3])));
    for op in [Op::MulLow, Op::MulHigh] {
        cases.push((op, vec![word; 3]));
        cases.push((op, vec![word, Input(Class::Limb), Input(Class::Limb)]));
        cases.push((op, vec![word, Input(Class::Limb), Constant(0x13)]));
    }
    cases.push((Op::Select, vec![Input(Class::Mask), word, word]));
    cases.extend([Op::Halves, Op::SignedHalves].map(|op| (op, vec![word; 2])));
    let fields = fields();
    let (mut refused, mut values, mut faults) = (BTreeSet::new(), 0, Vec::new());
    for ((op, operands), field) in
        cases.iter().flat_map(|c| fields[..2].iter().map(move |f| (c, f)))
    {
        let mut taken = false;
        for run in 0..RUNS {
            let mut samples = Samples::new(run);
            let word = |o: &Operand| match o {
                Constant(x) => *x,
                Input(Class::Limb) => samples.word() >> 12,
                Input(Class::Mask) => {
                    if samples.bits() & 1 == 1 {
                        u64::MAX
                    } else {
                        0
                    }
                }
                Input(_) => samples.word(),
            };
            let words: Vec<u64> = operands.iter().map(word).collect();
            let Some(found) = proven(*op, operands, &words, field) else { continue };
            (taken, values) = (true, values + 1);
            let expected = value(*op, &words);
            if expected != Some(found) {
                faults
                    .push(format!("{op:?} of {words:x?}: {expected:x?}, the prover has {found:x}"));
            }
        }
        if !taken {
            refused.insert(format!("{op:?}"));
        }
    }
    println!("{values} values of operations; the prover refuses some of {refused:?}");
    assert!(faults.is_empty(), "{} differences: {:#?}", faults.len(), first(&faults));
    assert!(values > 1000, "{values} values");
}

#[test]
fn results_in_two_turns_are_two_values() {
    let image = text::image();
    let rules = LaneRules::new(&image, None);
    // vmovups ymm1, [rdi]; vpsrlvq ymm0, ymm1, ymm2 has no rule; vpermi2q zmm1, zmm2, zmm3 has an index
    let code = |bytes: &[u8]| -> Vec<Instruction> {
        Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE).into_iter().collect()
    };
    let unknown = code(&[0xc4, 0xe2, 0xf5, 0x45, 0xc2])[0];
    let permutes = code(&[0x62, 0xf2, 0xed, 0x48, 0x76, 0xcb])[0];
    assert_eq!((unknown.mnemonic(), permutes.mnemonic()), (M::Vpsrlvq, M::Vpermi2q));
    for i in [unknown, permutes] {
        let moves = |n| rules.leaves(&vec![i; n]);
        assert!(moves(2) > moves(1), "{i}: a second turn has the result of the first");
    }
}
