//! Changes of one instruction: of its encoding, so that each mutant is an instruction.

use std::collections::BTreeSet;

use yaxpeax_arm::armv8::a64::{Opcode, Operand as Field, ShiftStyle, SizeCode};

use super::{Arm, Instruction, NOTHING, Register};
use crate::arch::{Arch, Flow};
use crate::kernel::Place;
use crate::mutate::{COPY, Change};
use crate::template::Names;

/// Lowest bits of the fields Rd, Rn, Rm and Ra.
const FIELDS: [u32; 4] = [0, 5, 16, 10];

/// An instruction with the names of a block's registers.
fn shown(i: &Instruction, names: &Names<Arm>) -> String {
    let named = |word: &str| {
        let found = word.get(1..).and_then(|n| n.parse().ok()).and_then(|n: u8| {
            names.iter().find(|(_, r)| **r == Register(n)).map(|(name, _)| name.clone())
        });
        match (word.as_bytes().first(), found) {
            (Some(b'x'), Some(name)) => name,
            (Some(b'w'), Some(name)) => format!("{name}:d"),
            _ => word.to_owned(),
        }
    };
    let (mut out, mut word) = (String::new(), String::new());
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

impl Instruction {
    /// Another instruction in its place.
    fn with(&self, word: u32) -> Option<Self> {
        let other = Self::decode(self.address, word)?;
        Some(Self { next: self.next, ..other })
    }

    /// Number of [`FIELDS`] that its encoding has.
    fn registers(&self) -> usize {
        use Opcode as O;
        match self.opcode {
            O::MADD | O::MSUB | O::UMADDL => 4,
            O::UMULH | O::EXTR | O::CSEL | O::CSINC | O::CSINV | O::CSNEG => 3,
            O::ADC | O::ADCS | O::SBC | O::SBCS => 3,
            O::UBFM | O::SBFM => 2,
            O::MOVZ | O::MOVN | O::MOVK | O::CBZ | O::CBNZ => 1,
            _ if matches!(self.fields[2], Field::RegShift(..)) => 3,
            _ => 2,
        }
    }

    fn register(&self, field: usize) -> u8 {
        (self.word >> FIELDS[field] & 31) as u8
    }

    fn reads_first(&self) -> bool {
        matches!(self.opcode, Opcode::CBZ | Opcode::CBNZ | Opcode::MOVK)
    }

    fn with_register(&self, field: usize, r: u8) -> Option<Self> {
        let at = FIELDS[field];
        self.with(self.word & !(31 << at) | u32::from(r) << at)
    }

    fn sets_flags(&self) -> bool {
        use Opcode as O;
        matches!(self.opcode, O::ADDS | O::ADCS | O::SUBS | O::SBCS | O::ANDS | O::BICS)
    }

    fn reads_flags(&self) -> bool {
        use Opcode as O;
        let with_carry = matches!(self.opcode, O::ADC | O::ADCS | O::SBC | O::SBCS);
        with_carry || matches!(self.opcode, O::CSEL | O::CSINC | O::CSINV | O::CSNEG)
    }

    fn is_branch(&self) -> bool {
        !matches!(Arm::flow(self), Flow::Next(_))
    }

    /// Registers that it reads, and those that it writes.
    fn uses(&self) -> (BTreeSet<u8>, BTreeSet<u8>) {
        let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
        for field in 0..self.registers() {
            if field > 0 || self.reads_first() {
                reads.insert(self.register(field));
            }
            if field == 0 && !self.is_branch() {
                writes.insert(self.register(field));
            }
        }
        reads.remove(&31);
        writes.remove(&31);
        (reads, writes)
    }

    /// Encodings that differ in the operation: bits to turn.
    fn neighbours(&self) -> Vec<u32> {
        use Opcode as O;
        let other_class = 0x1100_0000; // the operation without a carry in, or with one
        let shift = |style: ShiftStyle| match style {
            ShiftStyle::LSL => vec![1 << 22, 1 << 23],
            ShiftStyle::LSR => vec![1 << 22],
            _ => vec![1 << 23],
        };
        match (self.opcode, self.fields[2]) {
            (O::ADC | O::ADCS | O::SBC | O::SBCS, _) => vec![1 << 30, 1 << 29, other_class],
            (O::ADD | O::ADDS | O::SUB | O::SUBS, Field::RegShift(_, 0, ..)) => {
                vec![1 << 30, 1 << 29, other_class]
            }
            (O::ADD | O::ADDS | O::SUB | O::SUBS, Field::RegShift(style, ..)) => {
                [vec![1 << 30, 1 << 29], shift(style)].concat()
            }
            (O::AND | O::ANDS | O::BIC | O::ORR, Field::RegShift(style, by, ..)) => {
                let shifts = if by > 0 { shift(style) } else { vec![] };
                [vec![1 << 30, 1 << 29, 1 << 21], shifts].concat()
            }
            (O::ADD | O::ADDS | O::SUB | O::SUBS | O::AND | O::ORR, _) => vec![1 << 30, 1 << 29],
            (O::MADD, _) => vec![1 << 15, 0x00c0_0000],
            (O::UMULH, _) => vec![0x00c0_0000],
            (O::CSEL | O::CSINC | O::CSINV | O::CSNEG, _) => vec![1 << 30, 1 << 10, 1 << 12],
            (O::UBFM | O::SBFM | O::MOVZ, _) => vec![1 << 30],
            (O::CBZ | O::CBNZ, _) => vec![1 << 24],
            _ => vec![],
        }
    }

    /// Fields of immediates: lowest bit and number of bits.
    fn immediates(&self) -> Vec<(u32, u32)> {
        use Opcode as O;
        match (self.opcode, self.fields[2]) {
            (O::MOVZ | O::MOVN | O::MOVK, _) => vec![(5, 16)],
            (O::EXTR, _) => vec![(10, 6)],
            (O::UBFM | O::SBFM, _) => vec![(10, 6), (16, 6)],
            (O::ADD | O::ADDS | O::SUB | O::SUBS, Field::Immediate(_)) => vec![(10, 12)],
            (O::AND | O::ANDS | O::ORR | O::EOR, Field::Imm64(_) | Field::Immediate(_)) => {
                vec![(10, 6), (16, 6)]
            }
            (_, Field::RegShift(_, by, ..)) if by > 0 => vec![(10, 6)],
            _ => vec![],
        }
    }

    /// The other width.
    fn other_width(&self) -> Option<Self> {
        use Opcode as O;
        let fields = match self.opcode {
            O::UBFM | O::SBFM | O::EXTR => 1 << 31 | 1 << 22,
            _ => 1 << 31,
        };
        let other = self.with(self.word ^ fields)?;
        let narrow = |i: &Self| {
            matches!(
                i.fields[0],
                Field::Register(SizeCode::W, _) | Field::RegisterOrSP(SizeCode::W, _)
            )
        };
        (other.opcode == self.opcode && narrow(&other) != narrow(self)).then_some(other)
    }

    /// Changes in its place, each with its kind.
    fn changed(&self, used: &[u8]) -> Vec<(&'static str, Self)> {
        let mut out = Vec::new();
        let mut put = |kind, other: Option<Self>| {
            out.extend(other.filter(|o| o.word != self.word).map(|o| (kind, o)));
        };
        put("left out", self.with(NOTHING));
        for field in 0..self.registers() {
            let source = field > 0 || self.reads_first();
            for r in others(used, self.register(field)) {
                let kind = if source { "source" } else { "destination" };
                put(kind, self.with_register(field, r));
            }
        }
        for (at, size) in self.immediates() {
            let (mask, n) = ((1 << size) - 1, self.word >> at);
            for n in [n.wrapping_add(1), n.wrapping_sub(1)] {
                put("immediate", self.with(self.word & !(mask << at) | (n & mask) << at));
            }
        }
        for turned in self.neighbours() {
            put("mnemonic", self.with(self.word ^ turned));
        }
        let swapped = |a: usize, b: usize| {
            let one = self.with_register(a, self.register(b))?;
            one.with_register(b, self.register(a))
        };
        if self.registers() > 1 {
            put("swapped", swapped(0, 1));
        }
        let order =
            matches!(self.opcode, Opcode::MADD | Opcode::UMULH | Opcode::ADD | Opcode::ADDS);
        if self.registers() > 2
            && !order
            && self.opcode != Opcode::ADC
            && self.opcode != Opcode::ADCS
        {
            put("sources swapped", swapped(1, 2));
        }
        put("width", self.other_width());
        out
    }
}

/// The registers that stand before and after one among those of the code.
fn others(used: &[u8], r: u8) -> Vec<u8> {
    let n = used.len();
    let Some(at) = used.iter().position(|x| *x == r) else {
        return used.first().into_iter().copied().collect();
    };
    let mut out = vec![used[(at + 1) % n], used[(at + n - 1) % n]];
    out.dedup();
    out.retain(|x| *x != r);
    out
}

/// Whether the order of two instructions may matter.
fn depend(a: &Instruction, b: &Instruction) -> bool {
    if a.is_branch() || b.is_branch() || a.word == b.word {
        return false;
    }
    let ((a_reads, a_writes), (b_reads, b_writes)) = (a.uses(), b.uses());
    let registers = !a_writes.is_disjoint(&b_writes)
        || !a_writes.is_disjoint(&b_reads)
        || !a_reads.is_disjoint(&b_writes);
    let (set, other) = (a.sets_flags(), b.sets_flags());
    registers || set && (other || b.reads_flags()) || other && a.reads_flags()
}

/// All changes of single instructions of a code.
pub(super) fn changes(place: &Place<Arm>) -> Vec<Change<Arm>> {
    let code: Vec<(u64, Instruction)> = place.code.iter().map(|(at, i)| (*at, *i)).collect();
    let mut used = Vec::new();
    for (_, i) in &code {
        for r in (0..i.registers()).map(|field| i.register(field)) {
            if r != 31 && !used.contains(&r) {
                used.push(r);
            }
        }
    }
    let mut out = Vec::new();
    for (n, (at, i)) in code.iter().enumerate() {
        let before = shown(i, &place.names);
        for (kind, j) in i.changed(&used) {
            let text = format!("{n}: {before}: {kind}: {}", shown(&j, &place.names));
            out.push(Change { text, edits: vec![(*at, j)] });
        }
        let copy = Instruction { next: at + COPY, ..*i };
        let edits = vec![(*at, copy), (at + COPY, *i)];
        out.push(Change { text: format!("{n}: {before}: doubled"), edits });
        if let Some((next, j)) = code.get(n + 1)
            && depend(i, j)
        {
            let first = Instruction { next: *next, ..*j };
            let second = Instruction { next: j.next, ..*i };
            let edits = vec![(*at, first), (*next, second)];
            let text = format!("{n}: {before}: exchanged with: {}", shown(j, &place.names));
            out.push(Change { text, edits });
        }
    }
    out
}
