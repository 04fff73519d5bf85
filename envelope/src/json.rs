//! JSON (RFC 8259), strictly: no member twice, no value too deep, nothing after the end.

use crate::error::{Error, Refusal, Result, quoted};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::cell::{Cell, RefCell};
use std::fmt;
use zeroize::{Zeroize, Zeroizing};

/// Values deeper than this are refused.
const DEEPEST: usize = 64;

/// The most values in a text. A value is 2 bytes of text or more, and up to 100 bytes of memory.
const MOST_VALUES: usize = 1 << 16;

/// serde_json hands over a number as a map with this one member under its feature `arbitrary_precision`.
const NUMBER: &str = "$serde_json::private::Number";

/// A value of JSON.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, in the text of JSON.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object: its members in their order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The member of an object with this name; `None` of anything else.
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        let Json::Object(members) = self else { return None };
        members.iter().find(|(of, _)| of == name).map(|(_, value)| value)
    }

    /// The noun for the kind of value, for messages.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::Text(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}

/// The text of JSON, without whitespace.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(text) => f.write_str(text),
            Json::Text(text) => f.write_str(&string(text)),
            Json::Array(values) => {
                f.write_str("[")?;
                for (i, value) in values.iter().enumerate() {
                    let comma = if i == 0 { "" } else { "," };
                    write!(f, "{comma}{value}")?;
                }
                f.write_str("]")
            }
            Json::Object(members) => {
                f.write_str("{")?;
                for (i, (name, value)) in members.iter().enumerate() {
                    let comma = if i == 0 { "" } else { "," };
                    write!(f, "{comma}{}:{value}", string(name))?;
                }
                f.write_str("}")
            }
        }
    }
}

impl Zeroize for Json {
    fn zeroize(&mut self) {
        match self {
            Json::Null | Json::Bool(_) => {}
            Json::Number(text) | Json::Text(text) => text.zeroize(),
            Json::Array(values) => values.iter_mut().for_each(Json::zeroize),
            Json::Object(members) => members.iter_mut().for_each(|(_, value)| value.zeroize()),
        }
    }
}

/// A string of JSON, with its quotes.
pub(crate) fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A value that occurs more than once.
pub(crate) fn repeated<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.iter().zip(values.iter().skip(1)).find(|(a, b)| a == b).map(|(a, _)| *a)
}

/// Reads one value, which fills the text.
///
/// # Errors
/// `not`: this is no JSON, or not in UTF-8. [`Refusal::DuplicateMember`], [`Refusal::TooDeep`], [`Refusal::TooLarge`]. The
/// detail has the line and the column.
pub(crate) fn parse(text: &[u8], not: Refusal) -> Result<Json> {
    let (refused, values) = (RefCell::new(None), Cell::new(0));
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let read = Value { depth: 0, values: &values, refused: &refused }
        .deserialize(&mut deserializer)
        .map(Zeroizing::new)
        .and_then(|value| deserializer.end().map(|()| value));
    match read {
        Ok(mut value) => Ok(take(&mut value)),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            Err(match refused.take() {
                Some((refusal, detail)) => {
                    Error::new(refusal, format!("{detail} (line {line}, column {column})"))
                }
                None => Error::new(not, describe(&error)),
            })
        }
    }
}

/// The complaint of serde_json, which quotes nothing of the text.
fn describe(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let found = match error.classify() {
        serde_json::error::Category::Eof => "the text ends too soon".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" at line ").next().unwrap_or_default().to_owned()
        }
    };
    format!("not JSON: {found} (line {line}, column {column})")
}

/// Moves a value out of memory that would be wiped.
fn take(value: &mut Zeroizing<Json>) -> Json {
    std::mem::replace(&mut **value, Json::Null)
}

/// Reads a value at a depth. A refusal of ours passes serde_json beside its own errors.
#[derive(Clone, Copy)]
struct Value<'r> {
    depth: usize,
    values: &'r Cell<usize>,
    refused: &'r RefCell<Option<(Refusal, String)>>,
}

impl Value<'_> {
    fn refuse<E: serde::de::Error>(self, refusal: Refusal, detail: String) -> E {
        self.refused.replace(Some((refusal, detail)));
        E::custom("refused")
    }

    fn deeper<E: serde::de::Error>(self) -> std::result::Result<Self, E> {
        if self.depth == DEEPEST {
            let detail = format!("values lie more than {DEEPEST} deep in one another");
            return Err(self.refuse(Refusal::TooDeep, detail));
        }
        Ok(Value { depth: self.depth + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<Json, D::Error> {
        self.values.set(self.values.get() + 1);
        if self.values.get() > MOST_VALUES {
            let detail = format!("more than {MOST_VALUES} values");
            return Err(self.refuse(Refusal::TooLarge, detail));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> std::result::Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> std::result::Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> std::result::Result<Json, E> {
        Ok(Json::Number(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<Json, E> {
        Ok(Json::Number(value.to_string()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> std::result::Result<Json, E> {
        let number = serde_json::Number::from_f64(value);
        number
            .map(|number| Json::Number(number.to_string()))
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Json, A::Error> {
        let inner = self.deeper()?;
        let mut values = Vec::new();
        while let Some(value) = seq.next_element_seed(inner)? {
            values.push(Zeroizing::new(value));
        }
        Ok(Json::Array(values.iter_mut().map(take).collect()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == NUMBER && members.is_empty() {
                return number(map.next_value()?);
            }
            members.push((name, Zeroizing::new(map.next_value_seed(self.deeper()?)?)));
        }
        if members.is_empty() {
            self.deeper::<A::Error>()?;
        }
        if let Some(twice) = repeated(members.iter().map(|(name, _)| name.as_str()).collect()) {
            let detail = format!("the member {} occurs twice", quoted(twice));
            return Err(self.refuse(Refusal::DuplicateMember, detail));
        }
        Ok(Json::Object(
            members.iter_mut().map(|(name, v)| (std::mem::take(name), take(v))).collect(),
        ))
    }
}

/// A number that serde_json hands over as text. An object of the input can look the same; it is a number where its text
/// is one, and refused elsewhere.
fn number<E: serde::de::Error>(text: String) -> std::result::Result<Json, E> {
    let digits = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    if !digits || text.parse::<f64>().is_err() {
        return Err(E::custom("a member with a reserved name"));
    }
    Ok(Json::Number(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_strictly() {
        let not = Refusal::NotJws;
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        let value = r#"{"a":[1,-2,true,null,"x\"\u00e9"],"b":{}}"#;
        assert_eq!(
            parse(value.as_bytes(), not).map(|v| v.to_string()),
            Ok("{\"a\":[1,-2,true,null,\"x\\\"é\"],\"b\":{}}".to_owned())
        );
        assert!(parse(deep(64).as_bytes(), not).is_ok());
        for (text, refusal) in [
            (deep(65), Refusal::TooDeep),
            (deep(100_000), Refusal::TooDeep),
            ("{\"a\":".repeat(70), Refusal::TooDeep),
            (r#"{"a":1,"\u0061":2}"#.to_owned(), Refusal::DuplicateMember),
            (r#"[{"a":{"b":1,"c":2,"b":3}}]"#.to_owned(), Refusal::DuplicateMember),
            ("{} {}".to_owned(), not),
            ("{\"a\":1,}".to_owned(), not),
            ("\u{feff}{}".to_owned(), not),
            (format!("[{}0]", "0,".repeat(MOST_VALUES - 1)), Refusal::TooLarge),
            ("".to_owned(), not),
            ("\"\\ud800\"".to_owned(), not),
            ("NaN".to_owned(), not),
            ("01".to_owned(), not),
        ] {
            assert_eq!(
                parse(text.as_bytes(), not).map_err(|e| e.refusal()),
                Err(refusal),
                "{text:.40}"
            );
        }
        // An object that looks like a number of serde_json is read as one, as an object, or not at all.
        for value in ["\"1\"", "\"x\"", "\"inf\"", "1", "{}"] {
            if let Ok(read) = parse(format!("{{\"{NUMBER}\":{value}}}").as_bytes(), not) {
                assert!(matches!(read, Json::Object(_)) || read == Json::Number("1".into()));
            }
        }
        assert_eq!(parse(b"\"\xff\"", not).map_err(|e| e.refusal()), Err(not));
        let twice = parse(b"{\"a\":1,\n\"a\":2}", not).map_err(|e| e.to_string());
        assert_eq!(
            twice,
            Err("a member occurs twice: the member `a` occurs twice (line 2, column 6)".to_owned())
        );
    }
}
