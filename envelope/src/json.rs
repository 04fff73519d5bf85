//! JSON in which no object has a member twice, at any depth. `serde_json` reads it.

use crate::error::{Error, Refusal, Result, quoted};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::cell::{Cell, RefCell};
use std::fmt;

/// The deepest nesting: less than where `serde_json` gives up, so that the refusal has its name.
const DEEPEST: usize = 64;
/// The most values in a text. A value costs up to 100 bytes of memory, and may be 2 bytes of text.
const MOST_VALUES: usize = 1 << 16;
/// With its feature `arbitrary_precision`, which another package may switch on, `serde_json` gives a number as an object
/// with this member.
const NUMBER: &str = "$serde_json::private::Number";

/// A value. Members are in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The member of an object with this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }
}

/// Reads one value and nothing after it. Text that is no JSON is refused as `not`.
pub(crate) fn parse(text: &[u8], not: Refusal) -> Result<Json> {
    let (refused, values) = (RefCell::new(None), Cell::new(0));
    let reader = Reader { refused: &refused, values: &values, depth: 0 };
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let read = reader.deserialize(&mut deserializer).and_then(|json| {
        deserializer.end()?;
        Ok(json)
    });
    read.map_err(|error| match refused.take() {
        Some((refusal, detail)) => {
            let (line, column) = (error.line(), error.column());
            Error::new(refusal, format!("{detail}, at line {line} column {column}"))
        }
        None => Error::new(not, format!("not JSON: {error}")),
    })
}

/// Reads a value at a depth. `serde_json` carries text alone in its errors: a refusal is put aside.
#[derive(Clone, Copy)]
struct Reader<'r> {
    refused: &'r RefCell<Option<(Refusal, String)>>,
    values: &'r Cell<usize>,
    depth: usize,
}

impl Reader<'_> {
    fn refuse<E: de::Error>(self, refusal: Refusal, detail: String) -> E {
        let error = E::custom(&detail);
        self.refused.replace(Some((refusal, detail)));
        error
    }

    /// Counts a value.
    fn count<E: de::Error>(self) -> std::result::Result<(), E> {
        self.values.set(self.values.get() + 1);
        if self.values.get() > MOST_VALUES {
            return Err(self.refuse(Refusal::TooLarge, format!("more than {MOST_VALUES} values")));
        }
        Ok(())
    }

    /// For the values inside this one.
    fn deeper<E: de::Error>(self) -> std::result::Result<Self, E> {
        if self.depth == DEEPEST {
            let detail = format!("more than {DEEPEST} arrays and objects in one another");
            return Err(self.refuse(Refusal::TooDeep, detail));
        }
        Ok(Reader { depth: self.depth + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> std::result::Result<Json, D::Error> {
        self.count()?;
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
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

    fn visit_f64<E>(self, value: f64) -> std::result::Result<Json, E> {
        Ok(Json::Number(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> std::result::Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> std::result::Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> std::result::Result<Json, A::Error> {
        let inside = self.deeper()?;
        let mut values = Vec::new();
        while let Some(value) = from.next_element_seed(inside)? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> std::result::Result<Json, A::Error> {
        let mut members: Vec<(String, Json)> = Vec::new();
        let inside = Reader { depth: self.depth + 1, ..self };
        while let Some(name) = from.next_key::<String>()? {
            // a number is no object, and may stand at the deepest place
            if name != NUMBER {
                self.deeper::<A::Error>()?;
            }
            members.push((name, from.next_value_seed(inside)?));
        }
        if let [(name, Json::Text(text))] = members.as_slice()
            && name == NUMBER
            && text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        {
            return Ok(Json::Number(text.clone()));
        }
        let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if let Some(name) = names.windows(2).find_map(|pair| match pair {
            [a, b] if a == b => Some(*a),
            _ => None,
        }) {
            let detail = format!("{} occurs twice in an object", quoted(name));
            return Err(self.refuse(Refusal::DuplicateMember, detail));
        }
        Ok(Json::Object(members))
    }
}
