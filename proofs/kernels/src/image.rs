//! The text's object file: sections at addresses of this module's choice, with relocations applied, and symbols.

use std::collections::{BTreeMap, HashMap};

use iced_x86::{Decoder, DecoderOptions};
use object::{Object, ObjectSection, ObjectSymbol, RelocationKind, RelocationTarget, SectionKind};
use sha2::{Digest, Sha256};

use crate::arch::{Arch, X86};
use crate::error::{Error, Result};

/// Addresses that this module gives to no section: what a relocation of another kind points at, so that a load there is an error.
const NOWHERE: u64 = 0x6000_0000;
/// Most bytes of a function: the depth of its data flow is the depth of recursion.
const FUNCTION: u64 = 1 << 20;

struct Section {
    start: u64,
    /// Bytes as the file has them.
    file: Vec<u8>,
    /// Bytes with relocations applied.
    linked: Vec<u8>,
    constant: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// Its address.
    pub start: u64,
    /// Its size in bytes.
    pub size: u64,
}

impl Function {
    /// The symbol without the number that it ends with, which changes with each build.
    pub fn stem(&self) -> &str {
        match self.name.rsplit_once('_') {
            Some((stem, n)) if !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => stem,
            _ => &self.name,
        }
    }
}

/// Instructions by address.
pub type Code<A = X86> = BTreeMap<u64, <A as Arch>::Instruction>;

/// The machine of an object file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// x86-64.
    X86,
    /// aarch64.
    Arm,
}

/// An object file, laid out.
pub struct Image {
    target: Target,
    sections: Vec<Section>,
    functions: Vec<Function>,
    /// Symbols of other objects, by the address of the relocation that names them.
    externals: BTreeMap<u64, String>,
}

fn wrong(why: impl std::fmt::Display) -> Error {
    Error::Object(why.to_string())
}

/// The last two parts of a path that rustc has mangled, to be numbered, as `module_function_7` in the text for C and Go.
fn plain(symbol: &str) -> String {
    let Ok(path) = rustc_demangle::try_demangle(symbol) else { return symbol.to_owned() };
    let path = format!("{path:#}");
    let parts: Vec<_> = path.rsplitn(3, "::").take(2).collect();
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    parts.iter().rev().map(|part| part.chars().map(letter).collect::<String>() + "_").collect()
}

impl Image {
    /// Lays out the object file of these bytes.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let file = object::File::parse(bytes).map_err(wrong)?;
        let target = match file.architecture() {
            object::Architecture::X86_64 => Target::X86,
            object::Architecture::Aarch64 => Target::Arm,
            other => return Err(wrong(format!("expected x86-64 or aarch64, found {other:?}"))),
        };
        let mut starts = HashMap::new();
        let (mut at, mut sections) = (0x1000u64, Vec::new());
        let mut size = 0;
        for s in file.sections() {
            let constant = match s.kind() {
                SectionKind::Text => true,
                SectionKind::ReadOnlyData | SectionKind::ReadOnlyString => true,
                SectionKind::Data | SectionKind::ReadOnlyDataWithRel => false,
                _ => continue,
            };
            let data = s.data().map_err(wrong)?;
            size += data.len();
            if size > bytes.len() {
                return Err(wrong("sections overlap: they hold more bytes than the file"));
            }
            let end = at.checked_next_multiple_of(s.align().max(1));
            at = match end.filter(|at| at.saturating_add(data.len() as u64) < NOWHERE) {
                Some(at) => at,
                None => {
                    let (n, align) = (data.len(), s.align());
                    return Err(wrong(format!(
                        "a section of {n} bytes, aligned to {align:x}, has no place"
                    )));
                }
            };
            let data = data.to_vec();
            starts.insert(s.index(), at);
            let start = at;
            at += data.len() as u64;
            sections.push(Section { start, linked: data.clone(), file: data, constant });
        }
        let address = |target: RelocationTarget| {
            let RelocationTarget::Symbol(i) = target else { return None };
            let symbol = file.symbol_by_index(i).ok()?;
            Some(starts.get(&symbol.section_index()?)?.wrapping_add(symbol.address()))
        };
        let mut externals = BTreeMap::new();
        for s in file.sections() {
            let Some(&start) = starts.get(&s.index()) else { continue };
            let Some(section) = sections.iter_mut().find(|x| x.start == start && x.constant) else {
                continue;
            };
            for (offset, r) in s.relocations() {
                if target == Target::Arm {
                    // UDF: no rule takes an instruction that a linker completes
                    if let Some(bytes) =
                        section.linked.get_mut(offset as usize..offset as usize + 4)
                    {
                        bytes.fill(0);
                    }
                    continue;
                }
                let place = start.wrapping_add(offset);
                if let RelocationTarget::Symbol(i) = r.target()
                    && let Ok(symbol) = file.symbol_by_index(i)
                    && symbol.is_undefined()
                {
                    externals.insert(place, symbol.name().map_err(wrong)?.to_owned());
                }
                let relative =
                    matches!(r.kind(), RelocationKind::Relative | RelocationKind::PltRelative);
                let to = match address(r.target()) {
                    Some(to) if relative => to.wrapping_add(r.addend() as u64),
                    _ => NOWHERE.wrapping_add(place),
                };
                let value = to.wrapping_sub(place).to_le_bytes();
                let size = usize::from(r.size()) / 8;
                let end = (offset as usize).checked_add(size);
                let bytes = end.and_then(|end| section.linked.get_mut(offset as usize..end));
                bytes
                    .filter(|b| b.len() <= value.len())
                    .ok_or_else(|| wrong(format!("a relocation at {offset:x} of {:?}", s.name())))?
                    .copy_from_slice(&value[..size]);
            }
        }
        let mut functions = Vec::new();
        for s in file.symbols().filter(|s| s.kind() == object::SymbolKind::Text && s.size() > 0) {
            let Some(start) = s.section_index().and_then(|i| starts.get(&i)) else { continue };
            let name = plain(s.name().map_err(wrong)?);
            functions.push(Function {
                name,
                start: start.wrapping_add(s.address()),
                size: s.size(),
            });
        }
        functions.sort_by_key(|f| f.start);
        functions.dedup_by_key(|f| f.start);
        // so that the work is bounded by the size of the file
        let code = functions.iter().fold(0u64, |sum, f| sum.saturating_add(f.size));
        if code > bytes.len() as u64 {
            return Err(wrong(format!(
                "functions overlap: {code} bytes in a file of {}",
                bytes.len()
            )));
        }
        if let Some(f) = functions.iter().find(|f| f.size > FUNCTION) {
            let (name, size) = (&f.name, f.size);
            return Err(wrong(format!(
                "function {name:?} has {size} bytes; at most {FUNCTION} are read"
            )));
        }
        // the text for C and Go numbers its functions itself
        let mut numbers = BTreeMap::new();
        for f in &mut functions {
            let next = numbers.entry(f.name.clone()).or_insert(0);
            if f.name.ends_with('_') {
                f.name += &next.to_string();
            }
            *next += 1;
        }
        Ok(Self { target, sections, functions, externals })
    }

    /// Its machine.
    pub fn target(&self) -> Target {
        self.target
    }

    /// All functions, by address.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The symbol of another object that an instruction names.
    pub fn external(&self, i: &iced_x86::Instruction) -> Option<&str> {
        self.externals.range(i.ip()..i.next_ip()).next().map(|(_, name)| name.as_str())
    }

    /// Functions whose symbol without its number is this.
    pub fn with_stem<'a>(&'a self, stem: &'a str) -> impl Iterator<Item = &'a Function> {
        self.functions.iter().filter(move |f| f.stem() == stem)
    }

    fn section(&self, at: u64, size: usize) -> Option<(&Section, usize)> {
        let s = self.sections.iter().find(|s| {
            let offset = at.checked_sub(s.start);
            let end = offset.and_then(|offset| offset.checked_add(size as u64));
            end.is_some_and(|end| end <= s.linked.len() as u64)
        })?;
        Some((s, (at - s.start) as usize))
    }

    /// Constant bytes at an address.
    pub fn constant(&self, at: u64, size: usize) -> Option<&[u8]> {
        let (s, offset) = self.section(at, size)?;
        s.constant.then(|| &s.linked[offset..offset + size])
    }

    /// Instructions from an address on.
    pub fn code(&self, start: u64, size: u64) -> Result<Code> {
        let bytes = self
            .constant(start, size as usize)
            .ok_or_else(|| wrong(format!("no code of {size} bytes at {start:x}")))?;
        let decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
        Ok(decoder.into_iter().map(|i| (i.ip(), i)).collect())
    }

    /// SHA-256 of bytes at an address, as the file has them: before relocation.
    pub fn hash(&self, start: u64, size: u64) -> Result<String> {
        let (s, offset) = self
            .section(start, size as usize)
            .ok_or_else(|| wrong(format!("no {size} bytes at {start:x}")))?;
        let digest = Sha256::digest(&s.file[offset..offset + size as usize]);
        Ok(digest.iter().map(|b| format!("{b:02x}")).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn mangled_paths_end_in_their_last_two_parts() {
        let path = "_ZN7sigmill5field4nist4p2563adx10multiplied17h3378009086dbd067E";
        assert_eq!(plain(path), "adx_multiplied_");
        assert_eq!(plain("_RNvNtCs1234_7sigmill3adx10multiplied"), "adx_multiplied_");
        assert_eq!(plain("adx_multiplied_5"), "adx_multiplied_5");
        assert_eq!(plain("_ZN7sigmill"), "_ZN7sigmill");
    }
}
