//! CBOR (RFC 8949): bounds checked over the bytes, then values read by ciborium.

use crate::error::{Error, Refusal, Result, quoted};
use coset::cbor::{Value, de, ser};
use coset::iana::{self, EnumI64};
use coset::{AsCborValue, Label};
use std::collections::BTreeSet;
use std::fmt::Debug;
use zeroize::{Zeroize, Zeroizing};

/// The most arrays, maps and tags inside one another.
const DEEPEST: usize = 16;

/// The most items of one input, so that values need at most some MiB beside their bytes.
const MOST_ITEMS: usize = 65_536;

/// A value whose byte strings are wiped when it is dropped: they may be of a private key.
pub(super) struct Wiped(pub(super) Value);

impl Drop for Wiped {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

// [`bounded`] limits the depth of what is read; written values are flat.
fn wipe(value: &mut Value) {
    match value {
        Value::Bytes(bytes) => bytes.zeroize(),
        Value::Tag(_, inner) => wipe(inner),
        Value::Array(items) => items.iter_mut().for_each(wipe),
        Value::Map(entries) => entries.iter_mut().for_each(|(_, value)| wipe(value)),
        _ => {}
    }
}

pub(super) fn not_cose(detail: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(Refusal::NotCose, detail)
}

/// Exactly one item. `place` names it in messages.
pub(super) fn read(place: &'static str, bytes: &[u8]) -> Result<Wiped> {
    bounded(place, bytes)?;
    // ciborium reads short byte strings through this buffer
    let mut buffer = Zeroizing::new([0; 4096]);
    let mut rest = bytes;
    match de::from_reader_with_buffer::<Value, _>(&mut rest, &mut *buffer) {
        Ok(value) if rest.is_empty() => Ok(Wiped(value)),
        Ok(_) => Err(not_cose(format!("{place}: bytes follow the item"))),
        Err(de::Error::Syntax(at)) => Err(not_cose(format!("{place}: no CBOR at byte {at}"))),
        Err(_) => Err(not_cose(format!("{place}: no CBOR"))),
    }
}

/// The encoding, in memory that is wiped.
pub(super) fn write(value: &Wiped) -> Result<Zeroizing<Vec<u8>>> {
    let mut out = Zeroizing::new(Vec::with_capacity(written_bound(&value.0)));
    match ser::into_writer(&value.0, &mut *out) {
        Ok(()) => Ok(out),
        Err(_) => Err(not_cose("the value has no encoding")),
    }
}

/// At least as many bytes as the encoding has, so that the vector never moves.
fn written_bound(value: &Value) -> usize {
    let inner = match value {
        Value::Bytes(bytes) => bytes.len(),
        Value::Text(text) => text.len(),
        Value::Tag(_, inner) => written_bound(inner),
        Value::Array(items) => items.iter().map(written_bound).sum(),
        Value::Map(entries) => {
            entries.iter().map(|(key, value)| written_bound(key) + written_bound(value)).sum()
        }
        _ => 17,
    };
    inner.saturating_add(9)
}

/// The entries of a map with their labels (RFC 9052 section 1.5), each of which occurs once.
pub(super) fn entries(place: &'static str, value: &mut Value) -> Result<Vec<(Label, Wiped)>> {
    let Value::Map(map) = value else {
        return Err(not_cose(format!("{place} is {}; a map was expected", kind(value))));
    };
    let mut seen = BTreeSet::new();
    let mut entries = Vec::with_capacity(map.len());
    for (key, value) in std::mem::take(map) {
        let value = Wiped(value);
        let key = Label::from_cbor_value(key)
            .map_err(|_| not_cose(format!("{place}: a label is no text and no 64-bit integer")))?;
        if !seen.insert(key.clone()) {
            let detail = format!("{place}: label {} occurs twice", label_text(&key));
            return Err(Error::new(Refusal::DuplicateMember, detail));
        }
        entries.push((key, value));
    }
    Ok(entries)
}

/// A label for messages.
pub(super) fn label_text(label: &Label) -> String {
    match label {
        Label::Int(number) => number.to_string(),
        Label::Text(text) => quoted(text),
    }
}

/// The value of a registry of IANA for messages: its name and number.
pub(super) fn registered<T: EnumI64 + Debug>(value: &Value) -> String {
    match value {
        Value::Text(text) => quoted(text),
        Value::Integer(number) => match i64::try_from(*number) {
            Ok(number) => match T::from_i64(number) {
                Some(name) => format!("{name:?} ({number})"),
                None => number.to_string(),
            },
            Err(_) => i128::from(*number).to_string(),
        },
        other => kind(other).to_owned(),
    }
}

/// An algorithm for messages.
pub(super) fn algorithm_text(value: &Value) -> String {
    registered::<iana::Algorithm>(value)
}

/// The kind of a value for messages.
pub(super) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Integer(_) => "an integer",
        Value::Bytes(_) => "a byte string",
        Value::Float(_) => "a float",
        Value::Text(_) => "a text",
        Value::Bool(_) => "a boolean",
        Value::Null => "nil",
        Value::Tag(..) => "a tag",
        Value::Array(_) => "an array",
        Value::Map(_) => "a map",
        _ => "another kind of value",
    }
}

/// Writes the head of an item of a major type with its shortest argument (RFC 8949 section 3).
pub(super) fn push_head(out: &mut Vec<u8>, major: u8, argument: usize) {
    let major = major << 5;
    let argument = argument as u64;
    let bytes = argument.to_be_bytes();
    match argument {
        0..24 => out.push(major | bytes[7]),
        24..0x100 => out.extend([major | 24, bytes[7]]),
        0x100..0x1_0000 => out.extend([major | 25, bytes[6], bytes[7]]),
        0x1_0000..0x1_0000_0000 => {
            out.push(major | 26);
            out.extend(&bytes[4..]);
        }
        _ => {
            out.push(major | 27);
            out.extend(bytes);
        }
    }
}

/// Writes a byte string.
pub(super) fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push_head(out, 2, bytes.len());
    out.extend(bytes);
}

/// Checks, without recursion and without memory for values, that the bytes are one item of bounded depth and number of
/// parts, that every length is backed by bytes, and that nothing follows. Strings of indefinite length, `undefined` and
/// bignums are refused: COSE needs none, and ciborium would read `undefined` as nil and small bignums as integers.
fn bounded(place: &'static str, bytes: &[u8]) -> Result<()> {
    // items that are still due in each open array, map and tag; `None` until a break
    let mut open: Vec<Option<usize>> = Vec::with_capacity(DEEPEST);
    let mut rest = bytes;
    for _ in 0..MOST_ITEMS {
        let at = bytes.len() - rest.len();
        let item = head(&mut rest).ok_or_else(|| {
            not_cose(format!("{place}: no CBOR at byte {at}, or the bytes end there"))
        })?;
        let opened = match item {
            Head::Plain => Some(0),
            Head::String(length) => {
                let have = rest.len();
                rest =
                    usize::try_from(length).ok().and_then(|n| rest.get(n..)).ok_or_else(|| {
                        not_cose(format!(
                            "{place}: the string at byte {at} claims {length} bytes; {have} remain"
                        ))
                    })?;
                Some(0)
            }
            Head::Items(count) => {
                let have = rest.len();
                let count = usize::try_from(count).ok().filter(|&n| n <= have).ok_or_else(|| {
                    not_cose(format!(
                        "{place}: the item at byte {at} claims {count} parts; {have} bytes remain"
                    ))
                })?;
                Some(count)
            }
            Head::Tag(2 | 3) => {
                let detail = format!("{place}: a bignum at byte {at}; integers have 64 bits");
                return Err(not_cose(detail));
            }
            Head::Tag(_) => Some(1),
            Head::Indefinite => None,
            Head::Break => match open.pop() {
                Some(None) => Some(0),
                _ => {
                    return Err(not_cose(format!("{place}: a break without a start at byte {at}")));
                }
            },
        };
        if opened != Some(0) {
            if open.len() == DEEPEST {
                let detail = format!("{place}: more than {DEEPEST} levels at byte {at}");
                return Err(Error::new(Refusal::TooDeep, detail));
            }
            open.push(opened);
            continue;
        }
        // an item has ended, and perhaps those around it
        while let Some(Some(due)) = open.last_mut() {
            *due -= 1;
            if *due > 0 {
                break;
            }
            open.pop();
        }
        if open.is_empty() {
            if rest.is_empty() {
                return Ok(());
            }
            let more = rest.len();
            return Err(not_cose(format!("{place}: {more} bytes follow the item")));
        }
    }
    Err(Error::new(Refusal::TooLarge, format!("{place}: more than {MOST_ITEMS} items")))
}

enum Head {
    /// An integer or simple value, whole.
    Plain,
    /// A string of this many bytes.
    String(u64),
    /// This many items follow.
    Items(u64),
    /// A tag with this number.
    Tag(u64),
    /// Items follow until a break.
    Indefinite,
    Break,
}

/// Takes the head of an item. `None`: no item, or one that is refused.
fn head(rest: &mut &[u8]) -> Option<Head> {
    let (&first, tail) = rest.split_first()?;
    let (major, info) = (first >> 5, first & 31);
    let size = match info {
        0..24 | 31 => 0,
        24..28 => 1 << (info - 24),
        _ => return None,
    };
    let (argument, tail) = tail.split_at_checked(size)?;
    let argument = match info {
        0..24 => u64::from(info),
        _ => argument.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)),
    };
    *rest = tail;
    match (major, info) {
        (4 | 5, 31) => Some(Head::Indefinite),
        (7, 31) => Some(Head::Break),
        (_, 31) => None,
        (0 | 1, _) => Some(Head::Plain),
        (2 | 3, _) => Some(Head::String(argument)),
        (4, _) => Some(Head::Items(argument)),
        (5, _) => argument.checked_mul(2).map(Head::Items),
        (6, _) => Some(Head::Tag(argument)),
        // false, true, nil, and floats
        (_, 20..23 | 25..28) => Some(Head::Plain),
        _ => None,
    }
}
