//! Columns of signatures. The arena holds 32 random bytes; the specs; for keys, messages and signatures the place of each
//! row's value; for each row the number of its spec, if there is more than one; then the values. The codes of the rows replace
//! its beginning.
//!
//! Numbers have four bytes, little-endian. A place is where a value begins in the arena, and its length; [`NULL`] as the length
//! says that there is none. A spec is its kind (0 Ed25519, 1 Ed25519ctx, 2 Ed25519ph, 3 Ed25519ph given digests, 4 P-256,
//! 5 P-384), the rule's number or the hash function's, where the context begins or 1 for DER, and how long it is or 1 for
//! low s.

use crate::arena::whole;
#[cfg(feature = "ecdsa")]
use crate::ecdsa::scheme;
use crate::ed25519::variant;
use crate::fault::Fault;
use crate::names::rule;
#[cfg(feature = "bulk")]
use sigmill::bulk::{Column, Engine, Rows, Scratch, Spec, Specs, Table};
use sigmill::ed25519::{ContextString, Rule, Variant};
#[cfg(not(feature = "bulk"))]
use sigmill::ed25519::{verify_bytes, verify_prehashed_bytes};

/// The length of a value that is null, and the code of a row with one.
const NULL: usize = u32::MAX as usize;
const NULL_CODE: u8 = 255;
const ENTROPY: usize = 32;
const SPEC: usize = 16;
const PLACE: usize = 8;
const NUMBER: usize = 4;

/// Verifies `rows` rows under `specs` specs; returns the number of codes, one a row: 0, a reason's, or 255 for a null.
#[unsafe(no_mangle)]
pub extern "C" fn verify_columns(rows: usize, specs: usize) -> i32 {
    whole(|arena| {
        let codes = verify(arena, rows, specs)?;
        arena.get_mut(..rows).ok_or(Fault::Call)?.copy_from_slice(&codes);
        Ok(rows)
    })
}

fn verify(arena: &[u8], rows: usize, spec_count: usize) -> Result<Vec<u8>, Fault> {
    let (entropy, rest) = arena.split_first_chunk::<ENTROPY>().ok_or(Fault::Call)?;
    let (spec_table, rest) = cut(rest, spec_count, SPEC)?;
    let (keys, rest) = cut(rest, rows, PLACE)?;
    let (messages, rest) = cut(rest, rows, PLACE)?;
    let (signatures, rest) = cut(rest, rows, PLACE)?;
    let per_row = if spec_count == 1 { 0 } else { rows };
    let (numbers, _) = cut(rest, per_row, NUMBER)?;

    let mut distinct = reserved(spec_count)?;
    for entry in spec_table.chunks_exact(SPEC) {
        distinct.push(spec(entry, arena)?);
    }
    let mut index = reserved(per_row)?;
    index.extend(numbers.chunks_exact(NUMBER).map(|bytes| number(bytes, 0) as u32));
    let columns = [keys, messages, signatures].map(|places| Places { places, arena });
    for column in &columns {
        column.check()?;
    }
    let mut codes = reserved(rows)?;
    codes.resize(rows, NULL_CODE);
    write_codes(&columns, &distinct, &index, entropy, &mut codes)?;
    Ok(codes)
}

/// Writes the codes of all rows, combined.
#[cfg(feature = "bulk")]
fn write_codes(
    columns: &[Places<'_>; 3],
    distinct: &[RowSpec<'_>],
    index: &[u32],
    entropy: &[u8; ENTROPY],
    codes: &mut [u8],
) -> Result<(), Fault> {
    let mut specs = reserved(distinct.len())?;
    specs.extend(distinct.iter().map(RowSpec::spec));
    let specs = match &specs[..] {
        [only] => Specs::Same(*only),
        distinct => Specs::PerRow { distinct, index },
    };
    let [keys, messages, signatures] = columns;
    let table =
        Table::new(Column::rows(keys), Column::rows(messages), Column::rows(signatures), specs)?;
    let engine = Engine::new().with_entropy(*entropy);
    let scratch_length = engine.scratch_len_for(codes.len(), &specs);
    let mut scratch = reserved(scratch_length)?;
    scratch.resize(scratch_length, Scratch::new());
    engine.verify_codes_into(&table, codes, &mut scratch)?;
    Ok(())
}

/// Writes the codes of all rows, one by one.
#[cfg(not(feature = "bulk"))]
fn write_codes(
    columns: &[Places<'_>; 3],
    distinct: &[RowSpec<'_>],
    index: &[u32],
    _: &[u8; ENTROPY],
    codes: &mut [u8],
) -> Result<(), Fault> {
    let [keys, messages, signatures] = columns;
    for (row, code) in codes.iter_mut().enumerate() {
        let number = index.get(row).map_or(0, |number| *number as usize);
        let spec = distinct.get(number).ok_or(Fault::Call)?;
        let values = [keys, messages, signatures].map(|column| column.get(row));
        if let [Some(key), Some(message), Some(signature)] = values {
            *code = spec.verify(key, message, signature);
        }
    }
    Ok(())
}

/// The first `count` entries of `size` bytes, and the rest.
fn cut(bytes: &[u8], count: usize, size: usize) -> Result<(&[u8], &[u8]), Fault> {
    let length = count.checked_mul(size).ok_or(Fault::Call)?;
    bytes.split_at_checked(length).ok_or(Fault::Call)
}

fn reserved<T>(count: usize) -> Result<Vec<T>, Fault> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(count).map_err(|_| Fault::Memory)?;
    Ok(memory)
}

/// Number i of an entry.
fn number(entry: &[u8], i: usize) -> usize {
    let bytes = entry.as_chunks::<NUMBER>().0.get(i).copied().unwrap_or_default();
    u32::from_le_bytes(bytes) as usize
}

/// The way in which a row is verified.
enum RowSpec<'a> {
    Ed25519(&'static Rule, Variant<'a>),
    Prehashed(&'static Rule, ContextString<'a>),
    #[cfg(feature = "ecdsa")]
    Ecdsa(sigmill::ecdsa::Scheme),
}

impl RowSpec<'_> {
    #[cfg(feature = "bulk")]
    fn spec(&self) -> Spec<'_> {
        match self {
            RowSpec::Ed25519(rule, variant) => Spec::ed25519(rule, *variant),
            RowSpec::Prehashed(rule, context) => Spec::ed25519_prehashed(rule, *context),
            #[cfg(feature = "ecdsa")]
            RowSpec::Ecdsa(scheme) => Spec::Ecdsa(*scheme),
        }
    }

    #[cfg(not(feature = "bulk"))]
    fn verify(&self, key: &[u8], message: &[u8], signature: &[u8]) -> u8 {
        let verdict = match self {
            RowSpec::Ed25519(rule, variant) => {
                verify_bytes(rule, *variant, key, message, signature)
            }
            RowSpec::Prehashed(rule, context) => {
                verify_prehashed_bytes(rule, *context, key, message, signature)
            }
            #[cfg(feature = "ecdsa")]
            RowSpec::Ecdsa(scheme) => scheme.verify(key, message, signature),
        };
        verdict.code()
    }
}

fn spec<'a>(entry: &[u8], arena: &'a [u8]) -> Result<RowSpec<'a>, Fault> {
    let [kind, parameter, third, fourth] = [0, 1, 2, 3].map(|i| number(entry, i));
    let context = || value(arena, third, fourth).ok_or(Fault::Call);
    match kind {
        0..3 => Ok(RowSpec::Ed25519(rule(parameter)?, variant(kind as u32, context()?)?)),
        3 => Ok(RowSpec::Prehashed(rule(parameter)?, ContextString::new(context()?)?)),
        #[cfg(feature = "ecdsa")]
        4 | 5 => {
            let [curve, hash, der, low_s] = [kind - 4, parameter, third, fourth];
            Ok(RowSpec::Ecdsa(scheme(curve as u32, hash as u32, der as u32, low_s as u32)?))
        }
        _ => Err(Fault::Call),
    }
}

fn value(arena: &[u8], begin: usize, length: usize) -> Option<&[u8]> {
    arena.get(begin..begin.checked_add(length)?)
}

/// The values of a column by their places.
struct Places<'a> {
    places: &'a [u8],
    arena: &'a [u8],
}

impl Places<'_> {
    fn len(&self) -> usize {
        self.places.len() / PLACE
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        let [begin, length] = self.place(row);
        if length == NULL { None } else { value(self.arena, begin, length) }
    }

    fn place(&self, row: usize) -> [usize; 2] {
        let entry = self.places.chunks_exact(PLACE).nth(row).unwrap_or_default();
        [number(entry, 0), number(entry, 1)]
    }

    /// Every value lies in the arena.
    fn check(&self) -> Result<(), Fault> {
        let lies = |row| {
            let [begin, length] = self.place(row);
            length == NULL || value(self.arena, begin, length).is_some()
        };
        if (0..self.len()).all(lies) { Ok(()) } else { Err(Fault::Call) }
    }
}

#[cfg(feature = "bulk")]
impl Rows for Places<'_> {
    fn len(&self) -> usize {
        Places::len(self)
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        Places::get(self, row)
    }
}
