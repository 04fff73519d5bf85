//! The frame of a certificate, and names of facts and variables in their scopes.

use crate::rules::Fact;
use crate::segment::{Range, Segment};
use crate::text::Fields;
use num_bigint::BigInt;
use std::collections::{HashMap, HashSet};

/// A certificate, as far as its lines have been read. Every line so far is right.
#[derive(Clone, Default)]
pub struct Certificate {
    place: Place,
    /// The kernel's name.
    pub kernel: String,
    /// Bounds of the words of each state.
    states: HashMap<String, Vec<Range>>,
    /// Names of segments, and where each begins and ends.
    segments: HashMap<String, (String, String)>,
    /// The segment being read, with its name.
    segment: Option<(String, Segment)>,
    /// Terms that the segments that have ended multiplied, added and evaluated.
    work: u64,
    /// Facts and cases of the segments that have ended, and their goals.
    pub facts: u64,
    /// Case blocks.
    pub cases: u64,
    /// Goals.
    pub goals: u64,
}

/// The part of the frame that the last line was of, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    #[default]
    Start,
    Certificate,
    Kernel,
    Code,
    States,
    Segments,
    End,
}

impl Certificate {
    /// The certificate with one line more.
    ///
    /// # Errors
    /// The line's statement, and what was seen and expected. The certificate does not hold, and is gone.
    pub fn line(mut self, line: &str) -> Result<Certificate, String> {
        let Some(mut fields) = Fields::new(line) else { return Ok(self) };
        let word = fields.field("a statement")?;
        match self.statement(word, fields) {
            Ok(()) => Ok(self),
            Err(message) => Err(format!("{word}: {message}")),
        }
    }

    fn statement(&mut self, word: &str, mut fields: Fields<'_>) -> Result<(), String> {
        if let Some((_, segment)) = &mut self.segment {
            if word != "end" {
                return segment.statement(word, fields);
            }
            match fields.field("case, cases or segment")? {
                "case" => segment.end_case()?,
                "cases" => segment.end_cases()?,
                "segment" => self.end_segment()?,
                other => return Err(format!("{other:?}; case, cases or segment is expected")),
            }
            return fields.end();
        }
        let place = match word {
            "certificate" => Place::Certificate,
            "kernel" => Place::Kernel,
            "code" => Place::Code,
            "state" => Place::States,
            "segment" => Place::Segments,
            "end" => Place::End,
            _ => return Err("no such statement outside a segment".into()),
        };
        // Lines of code, states and segments repeat; no state is needed.
        let repeats = self.place == place && (Place::Code..=Place::Segments).contains(&place);
        let skips = self.place == Place::Code && place == Place::Segments;
        if !(repeats || skips || self.place as u8 + 1 == place as u8) {
            return Err(format!(
                "follows {:?}; certificate, kernel, code, state, segment, end is the order",
                self.place
            ));
        }
        self.place = place;
        match place {
            Place::Certificate => only("1", fields),
            Place::Kernel => {
                self.kernel = fields.field("name")?.into();
                while !fields.is_empty() {
                    self.kernel.push(' ');
                    self.kernel.push_str(fields.field("name")?);
                }
                Ok(())
            }
            Place::Code => code(fields),
            Place::States => self.state(fields),
            Place::Segments => self.begin_segment(fields),
            Place::Start | Place::End => {
                only("certificate", fields)?;
                self.compose()
            }
        }
    }

    fn state(&mut self, mut fields: Fields<'_>) -> Result<(), String> {
        let name = fields.field("name")?;
        let words = fields.count("n")?;
        let ranges = (0..words).map(|_| fields.range()).collect::<Result<_, _>>()?;
        if matches!(name, "entry" | "exit") || self.states.insert(name.into(), ranges).is_some() {
            return Err(format!("the name {name} is in use"));
        }
        fields.end()
    }

    fn begin_segment(&mut self, mut fields: Fields<'_>) -> Result<(), String> {
        let [name, from, to] = [fields.field("NAME")?, fields.field("FROM")?, fields.field("TO")?];
        if from != "entry" && !self.states.contains_key(from) {
            return Err(format!("FROM is {from}; entry or a state is expected"));
        }
        if to != "exit" && !self.states.contains_key(to) {
            return Err(format!("TO is {to}; exit or a state is expected"));
        }
        if self.segments.insert(name.into(), (from.into(), to.into())).is_some() {
            return Err(format!("the name {name} is in use"));
        }
        self.segment = Some((name.into(), Segment::new(self.work)));
        fields.end()
    }

    /// Ends a segment. From a state it takes the bounds of the words and nothing else, and to a state it proves the bounds of the words.
    /// So by induction over the segments that a run goes through, the bounds of a state hold whenever the run is there.
    fn end_segment(&mut self) -> Result<(), String> {
        let Some((name, mut segment)) = self.segment.take() else { return Ok(()) };
        segment.end()?;
        let (from, to) = &self.segments[&name];
        if let Some(words) = self.states.get(from) {
            if segment.assumes {
                return Err(format!("an assumption at state {from}; its bounds alone are proved"));
            }
            if segment.inputs != *words {
                return Err(format!(
                    "inputs with the bounds of the words of state {from} are expected"
                ));
            }
        }
        for (i, word) in (0..).zip(self.states.get(to).into_iter().flatten()) {
            if !segment.bounds_output(i, word) {
                return Err(format!("no goal limb has the bounds of word {i:x} of state {to}"));
            }
        }
        if to == "exit" && segment.goals.is_empty() {
            return Err("a segment to exit has no goal; at least one is expected".into());
        }
        self.work = segment.work.get();
        self.goals += segment.goals.len() as u64;
        self.facts += segment.counts.0;
        self.cases += segment.counts.1;
        Ok(())
    }

    /// Every state is reached and left; so are entry and exit.
    fn compose(&self) -> Result<(), String> {
        let from: HashSet<&str> = self.segments.values().map(|ends| ends.0.as_str()).collect();
        let to: HashSet<&str> = self.segments.values().map(|ends| ends.1.as_str()).collect();
        let states = || self.states.keys().map(String::as_str);
        if let Some(state) = states().chain(["entry"]).find(|state| !from.contains(state)) {
            return Err(format!("no segment begins at {state}"));
        }
        match states().chain(["exit"]).find(|state| !to.contains(state)) {
            Some(state) => Err(format!("no segment ends at {state}")),
            None => Ok(()),
        }
    }

    /// Whether `end certificate` has been read, and everything before it is right.
    pub fn is_complete(&self) -> bool {
        self.place == Place::End
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// A fact in scope, by its number.
    pub fn fact(&self, name: u32) -> Option<&Fact> {
        self.segment.as_ref()?.1.facts.get(&name)
    }
}

/// `code`: the bytes that the certificate is about. No rule uses them; a reader compares the hash.
fn code(mut fields: Fields<'_>) -> Result<(), String> {
    let hash = fields.field("SHA256")?;
    if hash.len() != 64 || !hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(format!("SHA256 is {hash:?}; 64 lower-case hexadecimal digits are expected"));
    }
    for name in ["ADDRESS", "SIZE"] {
        let number = fields.number(name)?;
        if number < BigInt::ZERO {
            return Err(format!("{name} is {number:x}; at least 0 is expected"));
        }
    }
    fields.end()
}

/// The line has this field, and no other.
fn only(expected: &str, mut fields: Fields<'_>) -> Result<(), String> {
    match fields.field(expected)? {
        field if field == expected => fields.end(),
        field => Err(format!("{field:?}; {expected} is expected")),
    }
}
