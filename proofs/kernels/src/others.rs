//! Multiply instructions that are no arithmetic of scalars or fields: a list, with the reason for each.

use crate::error::{Error, Result};

/// The list: the function's symbol without its number, the instruction, how many of them, and the reason.
pub const LISTED: &str = include_str!("../not_arithmetic.txt");

/// A line of the list.
#[derive(Clone, Debug)]
pub struct Other {
    /// The function's symbol without its number.
    pub stem: String,
    /// The instruction.
    pub instruction: String,
    /// The number of such instructions that no text of the list has taken yet.
    pub left: usize,
    /// Their purpose.
    pub reason: String,
}

/// Reads a list.
///
/// # Errors
/// A line that has another form than `STEM | INSTRUCTION | COUNT | REASON`.
pub fn parse(text: &str) -> Result<Vec<Other>> {
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('|').map(str::trim).collect();
            let [stem, instruction, count, reason] = fields.as_slice() else {
                return Err(Error::Object(format!(
                    "not_arithmetic.txt: {line:?} has not four fields"
                )));
            };
            let left = count
                .parse()
                .map_err(|e| Error::Object(format!("not_arithmetic.txt: {line:?}: {e}")))?;
            let (stem, instruction) = ((*stem).to_owned(), (*instruction).to_owned());
            Ok(Other { stem, instruction, left, reason: (*reason).to_owned() })
        })
        .collect()
}

/// Takes an instruction of a function from the list; the reason that it gives.
pub fn take(list: &mut [Other], stem: &str, instruction: &str) -> Option<String> {
    let fits = |o: &&mut Other| o.stem == stem && o.instruction == instruction && o.left > 0;
    let found = list.iter_mut().find(fits)?;
    found.left -= 1;
    Some(found.reason.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stands_for_as_many_instructions_as_it_says() {
        let mut list = parse("# a comment\nrun | mul rcx | 1 | a length\n").expect("a list");
        assert_eq!(take(&mut list, "run", "mul rdx"), None);
        assert_eq!(take(&mut list, "other", "mul rcx"), None);
        assert_eq!(take(&mut list, "run", "mul rcx").as_deref(), Some("a length"));
        assert_eq!(take(&mut list, "run", "mul rcx"), None);
        assert!(parse("run | mul rcx | a length").is_err());
        assert!(parse("run | mul rcx | x | a length").is_err());
        assert!(parse(LISTED).is_ok());
    }
}
