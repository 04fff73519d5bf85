//! All slices of a text: equal ones are proven once.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use super::combinations;
use super::field::{Field, fields};
use super::pairs::{self, Level};
use super::prove::{self, Proven};
use super::slice::{Class, Slice};
use crate::error::Result;
use crate::number;

/// A slice that was tried: the field, the proof, and what columns were taken to be; or why there is none in each field.
pub(super) type Tried = std::result::Result<(&'static str, Proven, &'static str), String>;

/// A slice of pairs of limbs that was tried: the proof and the bounds of its outputs, or why there is none.
type TriedPairs = std::result::Result<(Proven, Level), String>;

/// Slices so far; equal ones are proven once.
pub struct Slices {
    fields: Vec<Field>,
    tried: HashMap<String, Tried>,
    pairs: HashMap<String, TriedPairs>,
    combinations: HashMap<String, std::result::Result<Proven, String>>,
    /// Certificates, by the hashes of slices.
    pub certificates: BTreeMap<String, String>,
    last: &'static str,
}

impl Default for Slices {
    fn default() -> Self {
        let (tried, certificates) = (HashMap::new(), BTreeMap::new());
        Self {
            fields: fields(),
            tried,
            pairs: HashMap::new(),
            combinations: HashMap::new(),
            certificates,
            last: "",
        }
    }
}

impl Slices {
    /// The number of slices that were tried.
    pub fn tried(&self) -> usize {
        self.tried.len() + self.pairs.len() + self.combinations.len()
    }

    /// The fields in which the one output of a slice is proven to be at most the highest limb of an element.
    pub(super) fn prove_top(
        &mut self,
        s: &Slice,
        (radix, limbs): (usize, usize),
        code: &str,
        text: &mut String,
    ) -> Vec<(String, &'static str, &'static str)> {
        let mut out = Vec::new();
        for field in &self.fields {
            if field.radix != radix || field.limbs != limbs {
                continue;
            }
            // of any words; of columns; of words that are highest limbs already
            let inputs = [
                ("words", field.of_words()),
                ("columns", field.clone()),
                ("tops", field.of_tops()),
            ];
            for (taken, field) in inputs {
                let hash = format!("{}-top-{taken}-{}", s.hash(), number::hex(&field.top));
                let tried = self.tried.entry(hash.clone()).or_insert_with(|| {
                    let proven = prove::prove_top(s, &field).map_err(|e| e.to_string())?;
                    let head = format!("certificate 1\nkernel slice {hash}\n");
                    let text = format!("{head}{code}{}end certificate\n", proven.segments);
                    self.certificates.insert(hash.clone(), text);
                    Ok((field.name, proven, taken))
                });
                match tried {
                    Ok(_) => {
                        out.push((hash, field.name, taken));
                        break;
                    }
                    Err(why) => {
                        let _ = writeln!(text, "    highest limb, {}: {why}", field.name);
                    }
                }
            }
        }
        out
    }

    /// Proves a slice of a kind of its own.
    pub(super) fn prove_as(
        &mut self,
        s: &Slice,
        field: &'static str,
        code: &str,
        prove: impl FnOnce(&Slice) -> Result<Proven>,
    ) -> (String, &Tried) {
        let kind = field.rsplit(' ').next().unwrap_or_default();
        let hash = format!("{}-{kind}", s.hash());
        if !self.tried.contains_key(&hash) {
            let proven = prove(s).map_err(|e| format!("{field}: {e:.200}"));
            let result = proven.map(|p| {
                let head = format!("certificate 1\nkernel slice {hash} {field}\n");
                let text = format!("{head}{code}{}end certificate\n", p.segments);
                self.certificates.insert(hash.clone(), text);
                (field, p, "columns")
            });
            self.tried.insert(hash.clone(), result);
        }
        let tried = &self.tried[&hash];
        (hash, tried)
    }

    /// Proves a slice in the first field of this radix in which that is possible; its hash.
    pub(super) fn prove(
        &mut self,
        s: &Slice,
        (radix, columns): (usize, Class),
        code: &str,
    ) -> (String, &Tried) {
        let kind = match columns {
            Class::Below(n) => format!("-{n}"),
            _ => String::new(),
        };
        let hash = format!("{}-{radix}{kind}", s.hash());
        if !self.tried.contains_key(&hash) {
            let mut order: Vec<&Field> = self.fields.iter().filter(|f| f.radix == radix).collect();
            order.retain(|f| s.outputs.len().is_multiple_of(f.limbs));
            order.sort_by_key(|f| f.name != self.last);
            let mut result = Err(String::new());
            for field in order {
                for (taken, inputs) in [("columns", field.clone()), ("words", field.of_words())] {
                    match prove::prove(s, (field, &inputs), columns) {
                        Ok(p) => {
                            let head =
                                format!("certificate 1\nkernel slice {hash} {}\n", field.name);
                            let text = format!("{head}{code}{}end certificate\n", p.segments);
                            self.certificates.insert(hash.clone(), text);
                            self.last = field.name;
                            result = Ok((field.name, p, taken));
                        }
                        Err(e) => {
                            if let Err(why) = &mut result {
                                let _ = write!(why, "{}: {:.200}; ", field.name, e.to_string());
                            }
                        }
                    }
                    if result.is_ok() {
                        break;
                    }
                }
                if result.is_ok() {
                    break;
                }
            }
            self.tried.insert(hash.clone(), result);
        }
        let tried = &self.tried[&hash];
        (hash, tried)
    }

    /// Proves a slice of five pairs of limbs; its hash.
    pub(super) fn prove_pairs(&mut self, s: &Slice, code: &str) -> (String, &TriedPairs) {
        let hash = format!("{}-pairs", s.hash());
        if !self.pairs.contains_key(&hash) {
            let field = self.fields.iter().find(|f| f.name == pairs::NAME);
            let result = match field.map(|f| pairs::prove(s, f)) {
                Some(Ok((proven, level))) => {
                    let head = format!("certificate 1\nkernel slice {hash} {}\n", pairs::NAME);
                    let text = format!("{head}{code}{}end certificate\n", proven.segments);
                    self.certificates.insert(hash.clone(), text);
                    Ok((proven, level))
                }
                Some(Err(e)) => Err(e.to_string()),
                None => Err(format!("there is no field {}", pairs::NAME)),
            };
            self.pairs.insert(hash.clone(), result);
        }
        let tried = &self.pairs[&hash];
        (hash, tried)
    }

    /// Proves a slice of a combination of integers, whose elements are its operands; its hash.
    pub(super) fn prove_combination(
        &mut self,
        s: &Slice,
        code: &str,
    ) -> (String, &std::result::Result<Proven, String>) {
        let hash = format!("{}-combination", s.hash());
        if !self.combinations.contains_key(&hash) {
            let field = self.fields.iter().find(|f| f.name == combinations::NAME);
            let operands = <&[Vec<usize>; 4]>::try_from(&s.elements[..]);
            let result = match (field, operands) {
                (Some(f), Ok(operands)) => {
                    combinations::prove(s, f, operands).map_err(|e| e.to_string())
                }
                _ => Err(format!("{} operands", s.elements.len())),
            };
            if let Ok(proven) = &result {
                let head = format!("certificate 1\nkernel slice {hash} {}\n", combinations::NAME);
                let text = format!("{head}{code}{}end certificate\n", proven.segments);
                self.certificates.insert(hash.clone(), text);
            }
            self.combinations.insert(hash.clone(), result);
        }
        let tried = &self.combinations[&hash];
        (hash, tried)
    }
}
