//! Multiply instructions inside proven operations, of all in the text.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{Instruction, Mnemonic};

use crate::arch::Arch;
use crate::error::Result;
use crate::image::{Function, Image};
use crate::others;

/// Whether an instruction multiplies integers in vectors.
fn multiplies_in_vectors(i: &Instruction) -> bool {
    use Mnemonic as M;
    matches!(i.mnemonic(), M::Vpmadd52luq | M::Vpmadd52huq | M::Vpmuludq | M::Vpmuldq)
}

/// The number of instructions of a function that multiply integers in vectors.
///
/// # Errors
/// A function whose bytes are not those of instructions.
pub fn in_vectors(image: &Image, f: &Function) -> Result<usize> {
    Ok(image.code(f.start, f.size)?.values().filter(|i| multiplies_in_vectors(i)).count())
}

/// The number of instructions of a function that multiply words of 64 bits in general registers.
///
/// # Errors
/// A function whose bytes are not those of instructions.
pub fn in_words(image: &Image, f: &Function) -> Result<usize> {
    use Mnemonic as M;
    let of_words =
        |i: &&Instruction| matches!(i.mnemonic(), M::Mulx | M::Mul | M::Imul) && multiplies(i);
    Ok(image.code(f.start, f.size)?.values().filter(of_words).count())
}

/// Whether an instruction multiplies words of 52, 32 or 64 bits, or numbers of floating point that stand for such.
pub(crate) fn multiplies(i: &Instruction) -> bool {
    use Mnemonic as M;
    match i.mnemonic() {
        _ if multiplies_in_vectors(i) => true,
        M::Mulx => true,
        M::Mul => i.op0_register().size() == 8 || i.memory_size().size() == 8,
        M::Imul => i.op0_register().size() == 8 || i.op_count() == 1 && i.memory_size().size() == 8,
        other => {
            let name = format!("{other:?}");
            name.starts_with("Vfmadd") || name.starts_with("Vfnmadd") || name.starts_with("Vfmsub")
        }
    }
}

/// Multiply instructions of a text.
#[derive(Debug, Default)]
pub struct Coverage {
    /// All of them.
    pub total: usize,
    /// Those in proven operations.
    pub proven: usize,
    /// The same two figures without IMUL, which compilers take for lengths and offsets, too.
    pub without_imul: (usize, usize),
    /// Those that are no arithmetic of scalars or fields, by function and reason.
    pub others: BTreeMap<(String, String), usize>,
    /// Functions with others, by their number, most first.
    pub rest: Vec<(String, usize)>,
}

/// Counts multiply instructions; `ran` holds addresses of instructions in proven operations.
pub fn coverage<A: Arch>(image: &Image, ran: &BTreeSet<u64>) -> Result<Coverage> {
    let mut out = Coverage::default();
    let mut list = others::parse(others::LISTED)?;
    for f in image.functions() {
        let mut rest = 0;
        for i in A::code(image, f.start, f.size)?.values().filter(|i| A::multiplies(i)) {
            out.total += 1;
            let counts = usize::from(!i.to_string().starts_with("imul"));
            out.without_imul.1 += counts;
            if ran.contains(&A::address(i)) {
                out.proven += 1;
                out.without_imul.0 += counts;
            } else if let Some(reason) = others::take(&mut list, f.stem(), &i.to_string()) {
                *out.others.entry((f.name.clone(), reason)).or_default() += 1;
            } else {
                rest += 1;
            }
        }
        if rest > 0 {
            out.rest.push((f.name.clone(), rest));
        }
    }
    out.rest.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    Ok(out)
}
