//! Blocks of inline assembly inside compiled functions: instructions of a template, whatever their registers.
//!
//! A template is a line of instructions separated by `;`: a mnemonic, then operands separated by spaces. An operand is a number; a name, for
//! a register of 64 bits; a name with `:d`, for its low 32 bits; `[NAME+OFFSET]`, for memory; or `[NAME+NAME]`, for a sum that LEA computes.

use std::collections::BTreeMap;

use iced_x86::{Instruction, OpKind, Register};

use crate::arch::{Arch, Flow, X86};
use crate::error::{Error, Result};
use crate::image::{Code, Image};

/// Registers of a block by their name in its template.
pub type Names<A = X86> = BTreeMap<String, <A as Arch>::Register>;

/// A place where a template stands.
#[derive(Clone, Debug)]
pub struct Block<A: Arch = X86> {
    /// The function around it.
    pub function: String,
    /// Address of its first instruction.
    pub start: u64,
    /// Address behind its last instruction.
    pub stop: u64,
    /// Its registers.
    pub names: Names<A>,
}

/// An operand of a line.
pub enum Operand {
    /// A register by its name in the template, and its size in bytes.
    Register(String, usize),
    /// A number.
    Number(i64),
    /// Memory at an offset from a register.
    Memory(String, i64),
    /// A sum of registers.
    Sum(String, String),
}

/// A template, parsed.
pub struct Template(Vec<(String, Vec<Operand>)>);

fn number(s: &str) -> Option<i64> {
    let (sign, digits) = s.strip_prefix('-').map_or((1, s), |rest| (-1, rest));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()? as i64,
        None => digits.parse().ok()?,
    };
    Some(sign * value)
}

fn operand(s: &str) -> Option<Operand> {
    if let Some(inner) = s.strip_prefix('[').and_then(|s| s.strip_suffix(']')) {
        let (base, rest) = inner.split_once('+')?;
        return Some(match number(rest) {
            Some(n) => Operand::Memory(base.to_owned(), n),
            None => Operand::Sum(base.to_owned(), rest.to_owned()),
        });
    }
    if s.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return Some(Operand::Number(number(s)?));
    }
    let (name, width) = s.strip_suffix(":d").map_or((s, 8), |name| (name, 4));
    Some(Operand::Register(name.to_owned(), width))
}

impl Template {
    /// Parses a template.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |line: &str| Error::Unproven(format!("a template that holds {line:?}"));
        let mut lines = Vec::new();
        for line in text.split(';').map(str::trim).filter(|l| !l.is_empty()) {
            let mut fields = line.split_whitespace();
            let name = fields.next().ok_or_else(|| wrong(line))?.to_lowercase();
            let operands: Option<Vec<_>> = fields.map(operand).collect();
            lines.push((name, operands.ok_or_else(|| wrong(line))?));
        }
        Ok(Self(lines))
    }

    /// Registers and end of a block that starts at an address, if the template stands there.
    fn at<A: Arch>(&self, code: &Code<A>, start: u64) -> Option<(Names<A>, u64)> {
        let mut names = Names::<A>::new();
        let mut at = start;
        for (name, operands) in &self.0 {
            let i = code.get(&at)?;
            if !A::fits(i, start, (name, operands), &mut names) {
                return None;
            }
            let (Flow::Next(next) | Flow::Branch(_, next)) = A::flow(i) else { return None };
            at = next;
        }
        let mut distinct: Vec<A::Register> = names.values().copied().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let mut implicit = self.0.iter().filter_map(|(name, _)| A::implicit(name));
        if distinct.len() != names.len() || implicit.any(|r| distinct.contains(&r)) {
            return None;
        }
        Some((names, at))
    }

    /// All places where the template stands.
    pub fn find<A: Arch>(&self, image: &Image) -> Result<Vec<Block<A>>> {
        let mut found = Vec::new();
        for f in image.functions() {
            let code = A::code(image, f.start, f.size)?;
            let mut skip = 0;
            for &at in code.keys().filter(|_| !self.0.is_empty()) {
                if at < skip {
                    continue;
                }
                if let Some((names, stop)) = self.at::<A>(&code, at) {
                    found.push(Block { function: f.name.clone(), start: at, stop, names });
                    skip = stop;
                }
            }
        }
        Ok(found)
    }
}

fn bound(names: &mut Names, name: &str, r: Register) -> bool {
    let full = r.full_register();
    full.is_gpr64() && *names.entry(name.to_owned()).or_insert(full) == full
}

/// Whether an instruction of x86-64 fits a line.
pub(crate) fn fits_x86(i: &Instruction, line: (&str, &[Operand]), names: &mut Names) -> bool {
    let (name, operands) = line;
    i.op_count() as usize == operands.len()
        && format!("{:?}", i.mnemonic()).eq_ignore_ascii_case(name)
        && operands.iter().zip(0..).all(|(wanted, n)| operand_fits(i, n, wanted, names))
}

fn operand_fits(i: &Instruction, n: u32, wanted: &Operand, names: &mut Names) -> bool {
    let memory = || i.op_kind(n) == OpKind::Memory && !i.is_ip_rel_memory_operand();
    match wanted {
        Operand::Register(name, size) => {
            i.op_kind(n) == OpKind::Register
                && i.op_register(n).size() == *size
                && bound(names, name, i.op_register(n))
        }
        Operand::Number(x) => i.try_immediate(n).is_ok_and(|y| {
            let narrow = i.op_count() > 0 && i.op_register(0).size() == 4;
            y == *x as u64 || narrow && y as u32 == *x as u32
        }),
        Operand::Memory(name, offset) => {
            memory()
                && i.memory_index() == Register::None
                && i.memory_displacement64() as i64 == *offset
                && bound(names, name, i.memory_base())
        }
        Operand::Sum(a, b) => {
            memory()
                && i.memory_displacement64() == 0
                && i.memory_index_scale() == 1
                && bound(names, a, i.memory_base())
                && bound(names, b, i.memory_index())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};

    #[test]
    fn templates_bind_registers_one_to_one() {
        // add r8, r9; adc r10, 0; add r8, r8
        let bytes = [0x4d, 0x01, 0xc8, 0x49, 0x83, 0xd2, 0x00, 0x4d, 0x01, 0xc0];
        let decoder = Decoder::with_ip(64, &bytes, 0, DecoderOptions::NONE);
        let code: Code = decoder.into_iter().map(|i| (i.ip(), i)).collect();
        let at = |text: &str| Template::parse(text).expect("a template").at::<X86>(&code, 0);
        let (names, stop) = at("add a b; adc c 0").expect("it stands there");
        assert_eq!(
            (names["a"], names["b"], names["c"], stop),
            (Register::R8, Register::R9, Register::R10, 7)
        );
        assert!(at("add a b; adc c 1").is_none());
        assert!(at("add a a").is_none());
        assert!(at("add a b; adc c 0; add d d").is_none());
        assert!(at("add a:d b:d").is_none());
        assert!(Template::parse("add [a]").is_err());
    }
}
