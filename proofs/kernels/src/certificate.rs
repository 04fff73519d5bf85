//! The lines of a certificate that its proofs need: a search derives more facts than it uses.

use std::collections::HashSet;

use crate::error::{Error, Result};

/// Names of facts and variables that later lines hold.
#[derive(Default)]
struct Live<'a>(HashSet<&'a str>);

impl<'a> Live<'a> {
    fn facts(&mut self, facts: &[&'a str]) {
        self.0.extend(facts);
    }

    /// The facts of multipliers `P@F`.
    fn multiples(&mut self, multiples: &[&'a str]) {
        self.0.extend(multiples.iter().filter_map(|m| Some(m.split_once('@')?.1)));
    }

    fn variables(&mut self, line: &'a str) {
        for (at, _) in line.match_indices('v') {
            let end = line[at + 1..].find(|c: char| !c.is_ascii_hexdigit());
            self.0.insert(&line[at..end.map_or(line.len(), |n| at + 1 + n)]);
        }
    }

    /// Whether one of the names that a line introduces is in use; they are free before it.
    fn introduced(&mut self, names: &[&'a str]) -> bool {
        names.iter().filter(|name| self.0.remove(**name)).count() > 0
    }
}

/// Statements of a segment after its goals, without derivations that no proof and no `split` comes back to.
pub(crate) fn needed(lines: Vec<&str>) -> Result<String> {
    let mut live = Live::default();
    let mut kept = Vec::new();
    for line in lines.into_iter().rev() {
        let statement = line.split(';').next().unwrap_or_default().trim_end();
        let fields: Vec<&str> = statement.split(' ').collect();
        let keep = match fields.as_slice() {
            ["floor", v, _, _, a, b] => live.introduced(&[*v, *a, *b]),
            ["linear" | "equal" | "equation" | "product" | "table", a, ..] => {
                live.introduced(&[*a])
            }
            ["case", _, a] => {
                live.introduced(&[*a]);
                true
            }
            _ => true,
        };
        if !keep {
            continue;
        }
        match fields.as_slice() {
            ["linear", _, _, _, multiples @ ..] => live.multiples(multiples),
            ["equation", _, _, multiples @ ..] => live.multiples(multiples),
            ["zero", _, multiples @ ..] => live.multiples(multiples),
            ["equal" | "table", _, _, facts @ ..] => live.facts(facts),
            ["product" | "limb" | "whole", _, facts @ ..] => live.facts(facts),
            ["split", _, _, _, _, facts @ ..] => live.facts(facts),
            ["cases", _, _, _, facts @ ..] => live.facts(facts),
            ["contradiction", fact] => live.facts(&[*fact]),
            ["floor" | "case" | "out" | "end" | "", ..] => {}
            _ => return Err(Error::Derivation(format!("a line that has no rule: {line}"))),
        }
        let rest = if fields[0] == "floor" { fields[3] } else { statement };
        live.variables(rest);
        kept.push(line);
    }
    let mut text = String::new();
    for line in kept.into_iter().rev() {
        text.push_str(line);
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_use_are_left_out() {
        let lines = [
            "floor v2 4 v0 f1 f2",
            "floor vf 4 v1 f3 f4",
            "linear f5 f v2 1@f1",
            "linear f6 1 v2 1@f5 ; f9",
            "cases v2 0 1 f6 f2",
            "case 0 f7",
            "linear f8 1 v2 1@f6",
            "contradiction f7",
            "end case",
            "case 1 f7",
            "linear f8 1 v2 v2@f7",
            "limb x f8 f8",
            "end case",
            "end cases",
        ];
        let text = needed(lines.to_vec()).expect("known lines");
        let left: Vec<&str> =
            lines.into_iter().filter(|l| !text.lines().any(|k| k == *l)).collect();
        assert_eq!(left, ["floor vf 4 v1 f3 f4", "linear f8 1 v2 1@f6"]);
        assert!(needed(vec!["when f1"]).is_err());
    }
}
