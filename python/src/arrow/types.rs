//! The types of columns: layouts of bytes and of text, dictionaries, runs.

use super::abi::{Released, Schema, at, child, text};
use super::error::{BadColumn, Kind};
use std::borrow::Cow;
use std::ptr;

/// The layout of values.
#[derive(Clone, Copy)]
pub(super) enum Layout {
    Fixed(usize),
    Binary,
    LargeBinary,
    Views,
    Nulls,
    /// Lists of u8.
    Lists,
    LargeLists,
    FixedLists(usize),
    /// Lists of u8 that lie anywhere among the bytes, each with its start and size.
    ListViews,
    LargeListViews,
}

/// That of a type, and whether it is text; `None` for what is neither bytes nor text.
pub(super) fn layout(schema: &Schema) -> Result<Option<(Layout, bool)>, BadColumn> {
    let format = text(schema.format)?.to_bytes();
    let layout = match format {
        b"+l" => Layout::Lists,
        b"+L" => Layout::LargeLists,
        b"+vl" => Layout::ListViews,
        b"+vL" => Layout::LargeListViews,
        [b'+', b'w', b':', width @ ..] => match width_of(width) {
            Some(width) => Layout::FixedLists(width),
            None => return Ok(None),
        },
        _ => return Ok(flat_layout(format)),
    };
    let items = child(schema.children, schema.n_children, 0)?;
    if items.is_released() {
        return Err(BadColumn::Released);
    }
    let is_u8 = text(items.format)?.to_bytes() == b"C" && items.dictionary.is_null();
    Ok(is_u8.then_some((layout, false)))
}

fn width_of(digits: &[u8]) -> Option<usize> {
    Some(str::from_utf8(digits).ok()?.parse::<u32>().ok()? as usize)
}

fn flat_layout(format: &[u8]) -> Option<(Layout, bool)> {
    Some(match format {
        b"z" => (Layout::Binary, false),
        b"u" => (Layout::Binary, true),
        b"Z" => (Layout::LargeBinary, false),
        b"U" => (Layout::LargeBinary, true),
        b"vz" => (Layout::Views, false),
        b"vu" => (Layout::Views, true),
        b"n" => (Layout::Nulls, false),
        [b'w', b':', width @ ..] => (Layout::Fixed(width_of(width)?), false),
        _ => return None,
    })
}

/// The usual name of a type.
pub(super) fn name_of(format: &[u8]) -> Cow<'static, str> {
    Cow::Borrowed(match format {
        b"n" => "null",
        b"b" => "boolean",
        b"c" | b"s" | b"i" | b"l" | b"C" | b"S" | b"I" | b"L" => "integers",
        b"e" | b"f" | b"g" => "floating-point numbers",
        b"u" | b"U" | b"vu" => "text",
        b"z" | b"Z" | b"vz" => "bytes",
        [b'w', ..] => "bytes of one width",
        [b'd', ..] => "decimal numbers",
        [b't', ..] => "dates or times",
        [b'+', b's', ..] => "structs: a table, of which one column is needed",
        b"+r" => "run-end encoded values of another type",
        [b'+', ..] => "lists of another type than u8",
        other => {
            return Cow::Owned(format!("`{}`", String::from_utf8_lossy(other).escape_default()));
        }
    })
}

/// Refuses what holds neither bytes nor, where it may, text.
pub(super) fn check_type(schema: &Schema, kind: Kind) -> Result<(), BadColumn> {
    if schema.is_released() {
        return Err(BadColumn::Released);
    }
    if is_runs(schema)? {
        let [ends, values] = run_parts(schema.children, schema.n_children)?;
        let are_ends = matches!(text(ends.format)?.to_bytes(), b"s" | b"i" | b"l");
        if !are_ends || is_runs(values)? {
            let found = name_of(b"+r").into_owned();
            return Err(BadColumn::Type { kind, found });
        }
        return check_type(values, kind);
    }
    let values = if schema.dictionary.is_null() { schema } else { at(schema.dictionary)? };
    if values.is_released() || schema.is_released() {
        return Err(BadColumn::Released);
    }
    let format = text(values.format)?.to_bytes();
    let is_dictionary_of_one = values.dictionary.is_null() || ptr::eq(values, schema);
    match layout(values)?.filter(|_| is_dictionary_of_one) {
        Some((Layout::Nulls, _)) => Ok(()),
        Some((_, true)) if kind != Kind::Bytes => Ok(()),
        Some((_, false)) if kind != Kind::Text => Ok(()),
        _ => Err(BadColumn::Type { kind, found: name_of(format).into_owned() }),
    }
}

/// Whether a type is run-end encoded: a value for each run of rows.
pub(super) fn is_runs(schema: &Schema) -> Result<bool, BadColumn> {
    Ok(text(schema.format)?.to_bytes() == b"+r" && schema.dictionary.is_null())
}

/// The ends of the runs, and the values.
pub(super) fn run_parts<'a, T: Released>(
    children: *mut *mut T,
    len: i64,
) -> Result<[&'a T; 2], BadColumn> {
    let parts = [child(children, len, 0)?, child(children, len, 1)?];
    match parts.iter().any(|part: &&T| part.is_released()) {
        true => Err(BadColumn::Released),
        false => Ok(parts),
    }
}
