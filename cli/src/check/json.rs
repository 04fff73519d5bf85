//! A line of JSON cut into the fields of its object.
//!
//! The cut follows strings, brackets and commas, so that no field can hide in another. The value of a field that
//! nobody reads need not be JSON: `NaN`, or half of a surrogate pair, stay as they came.

use std::borrow::Cow;
use std::ops::Range;

type Result<T> = std::result::Result<T, String>;

/// The place at which a line is no object.
pub(super) struct Fault {
    at: usize,
    what: &'static str,
}

fn fault<T>(at: usize, what: &'static str) -> std::result::Result<T, Fault> {
    Err(Fault { at, what })
}

pub(super) fn said(row: u64, fault: &Fault) -> String {
    if fault.what == NO_OBJECT {
        return format!("row {row}: {NO_OBJECT}");
    }
    format!("row {row}: not JSON: {} at position {}", fault.what, fault.at)
}

const NO_OBJECT: &str = "not a JSON object";

fn blanks(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count()
}

/// Calls `each` with the name of each field, as it is written between its quotes, and the place of its value.
pub(super) fn cut<'a>(
    line: &'a [u8],
    mut each: impl FnMut(&'a [u8], Range<usize>),
) -> std::result::Result<(), Fault> {
    let mut at = blanks(line, 0);
    match line.get(at) {
        Some(b'{') => at = blanks(line, at + 1),
        // a value of another kind, or nothing at all
        Some(b'[' | b'"' | b'0'..=b'9' | b'-' | b't' | b'f' | b'n') => return fault(at, NO_OBJECT),
        _ => return fault(at, "an object begins with `{`, which is missing"),
    }
    if line.get(at) != Some(&b'}') {
        loop {
            if line.get(at) != Some(&b'"') {
                return fault(at, "no name of a field");
            }
            let end = string_end(line, at)?;
            let name = &line[at + 1..end - 1];
            at = blanks(line, end);
            if line.get(at) != Some(&b':') {
                return fault(at, "no `:` after the name of a field");
            }
            at = blanks(line, at + 1);
            let end = value_end(line, at)?;
            each(name, at..end);
            at = blanks(line, end);
            match line.get(at) {
                Some(b',') => at = blanks(line, at + 1),
                Some(b'}') => break,
                _ => return fault(at, "neither `,` nor `}` after a value"),
            }
        }
    }
    match blanks(line, at + 1) {
        end if end == line.len() => Ok(()),
        end => fault(end, "something follows the object"),
    }
}

/// Behind the string that begins at `at`.
fn string_end(line: &[u8], at: usize) -> std::result::Result<usize, Fault> {
    let mut next = at + 1;
    loop {
        let rest = line.get(next..).unwrap_or_default();
        match rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
            None => return fault(at, "a string without an end"),
            Some(found) if rest[found] == b'"' => return Ok(next + found + 1),
            // whatever is escaped ends no string
            Some(found) => next += found + 2,
        }
    }
}

/// Behind the value that begins at `at`.
fn value_end(line: &[u8], at: usize) -> std::result::Result<usize, Fault> {
    match line.get(at) {
        Some(b'"') => string_end(line, at),
        Some(b'{' | b'[') => nested_end(line, at),
        _ => {
            let rest = &line[at.min(line.len())..];
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b' ' | b'\t' | b'\r' | b'\n');
            let word = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
            let is_number =
                |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
            match word {
                b"true" | b"false" | b"null" | b"NaN" | b"Infinity" | b"-Infinity" => {}
                [b'0'..=b'9' | b'-', rest @ ..] if rest.iter().all(is_number) => {}
                _ => return fault(at, "no value"),
            }
            Ok(at + word.len())
        }
    }
}

/// Behind the list or object that begins at `at`.
fn nested_end(line: &[u8], at: usize) -> std::result::Result<usize, Fault> {
    // the bracket that closes each open one
    let mut open = Vec::new();
    let mut next = at;
    loop {
        match line.get(next) {
            None => return fault(at, "a list or object without an end"),
            Some(b'"') => {
                next = string_end(line, next)?;
                continue;
            }
            Some(b'{') => open.push(b'}'),
            Some(b'[') => open.push(b']'),
            Some(close @ (b'}' | b']')) if open.pop() != Some(*close) => {
                return fault(next, "the end of what is not open");
            }
            Some(_) => {}
        }
        next += 1;
        if open.is_empty() {
            return Ok(next);
        }
    }
}

/// The text of a string with its quotes.
pub(super) fn text_of(string: &[u8]) -> Result<Cow<'_, str>> {
    let inside = &string[1..string.len() - 1];
    if inside.iter().all(|byte| *byte != b'\\' && *byte >= b' ') {
        let text = std::str::from_utf8(inside);
        return text
            .map(Cow::Borrowed)
            .map_err(|error| format!("not UTF-8 at position {}", error.valid_up_to()));
    }
    match serde_json::from_slice(string) {
        Ok(text) => Ok(Cow::Owned(text)),
        Err(error) => {
            let said = error.to_string();
            let said = said.split(" at line").next().unwrap_or_default();
            Err(format!("not a string of JSON: {said}, at position {}", error.column()))
        }
    }
}

/// The name of a field; `None` where it is none that text can have.
pub(super) fn name_of(name: &[u8]) -> Option<Cow<'_, str>> {
    if name.contains(&b'\\') {
        return text_of(&[b"\"", name, b"\""].concat()).ok().map(|n| Cow::Owned(n.into_owned()));
    }
    std::str::from_utf8(name).ok().map(Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> std::result::Result<Vec<(String, String)>, String> {
        let mut found = Vec::new();
        let read = cut(line.as_bytes(), |name, place| {
            found.push((String::from_utf8_lossy(name).into_owned(), line[place].to_owned()));
        });
        read.map(|()| found).map_err(|fault| said(0, &fault))
    }

    #[test]
    fn a_line_is_cut_as_a_parser_of_json_cuts_it() {
        for line in [
            "{}",
            " { } \r",
            r#"{"a":"b"}"#,
            r#"{"a" : "\"}\\" ,"b":[1,{"c":"]"}],"\u0061\n":null , "d":-1.5e+3}"#,
            r#"{"a":{"b":{"c":[[],{}]}},"e":true,"f":false}"#,
            r#"{"ä":"日本","":""}"#,
        ] {
            let expected: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(line).expect("JSON");
            let found = fields(line).expect(line);
            assert_eq!(found.len(), expected.len(), "{line}");
            for ((name, value), (expected_name, expected)) in found.iter().zip(&expected) {
                assert_eq!(name_of(name.as_bytes()).expect("text"), *expected_name);
                let value: serde_json::Value = serde_json::from_str(value).expect("a value");
                assert_eq!(value, *expected);
            }
        }
        // and a value may be what JSON is not
        let odd = fields(r#"{"a":NaN,"b":"\ud83d","c":[NaN,-Infinity],"d":-Infinity}"#);
        assert_eq!(odd.expect("fields").len(), 4);
    }

    #[test]
    fn what_is_no_object_is_said() {
        for (line, expected) in [
            ("[1]", "row 0: not a JSON object"),
            ("5", "row 0: not a JSON object"),
            ("x", "row 0: not JSON: an object begins with `{`, which is missing at position 0"),
            ("{", "row 0: not JSON: no name of a field at position 1"),
            ("{\"a\"}", "row 0: not JSON: no `:` after the name of a field at position 4"),
            ("{\"a\":}", "row 0: not JSON: no value at position 5"),
            ("{\"a\":x}", "row 0: not JSON: no value at position 5"),
            ("{\"a\":1 2}", "row 0: not JSON: neither `,` nor `}` after a value at position 7"),
            ("{\"a\":\"b}", "row 0: not JSON: a string without an end at position 5"),
            ("{\"a\":\"b\\\"}", "row 0: not JSON: a string without an end at position 5"),
            ("{\"a\":[}", "row 0: not JSON: the end of what is not open at position 6"),
            ("{\"a\":[{}", "row 0: not JSON: a list or object without an end at position 5"),
            ("{\"a\":1,}", "row 0: not JSON: no name of a field at position 7"),
            ("{}{}", "row 0: not JSON: something follows the object at position 2"),
            ("{\"a\":\"\\", "row 0: not JSON: a string without an end at position 5"),
        ] {
            assert_eq!(fields(line), Err(expected.to_owned()), "{line}");
        }
        // no cut of a line is a line
        let line = r#"{"a":"\\","b":[1,{"c":"]"}],"d":-1.5e+3}"#;
        for end in 0..line.len() {
            assert!(fields(&line[..end]).is_err(), "{end}");
        }
    }
}
