//! How a command ends: what the exit code says, and the message of what went wrong.

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// The finding of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Everything was checked and is valid, or the work is done: exit code 0.
    AllValid,
    /// Something is invalid: exit code 1.
    SomeInvalid,
    /// Nothing is invalid, but something could not be checked: exit code 2.
    NotChecked,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::AllValid => 0,
            Status::SomeInvalid => 1,
            Status::NotChecked => 2,
        })
    }
}

/// Writes a line to standard error. Nobody may be there to read it (`2>&1 | head`), and the exit code has to say the same
/// then: `eprintln!` would panic.
pub(crate) fn tell(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Why a command could not do its work: exit code 2.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    /// The reader of our output went away: no message is wanted.
    quiet: bool,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into(), quiet: false }
    }

    /// Something about a file: `FILE: what`.
    pub(crate) fn at(path: &Path, what: impl Display) -> Self {
        Failure::new(format!("{}: {what}", shown(path)))
    }

    /// Writing to standard output failed.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        let quiet = error.kind() == io::ErrorKind::BrokenPipe;
        Failure { message: format!("standard output: {}", plain(error)), quiet }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.message, LONGEST_MESSAGE))
    }
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// So many characters of a name or a value from a file are shown.
pub(crate) const LONGEST_NAME: usize = 100;
/// So many of what a decoder says, which may quote its file.
pub(crate) const LONGEST_QUOTE: usize = 300;
/// So many of a path and of a whole message.
const LONGEST_MESSAGE: usize = 5_000;

/// Text from elsewhere as a terminal may have it: what is not printed is escaped, and what is long is cut.
pub(crate) fn printable(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    for (number, character) in text.chars().enumerate() {
        if number == longest {
            shown += "…";
            break;
        }
        match character {
            '\'' | '"' | '\\' => shown.push(character),
            // combining marks alone, directions of writing and the like are escaped too
            character => shown.extend(character.escape_debug()),
        }
    }
    shown
}

/// A name or a value from a file.
pub(crate) fn quoted(text: &str) -> String {
    printable(text, LONGEST_NAME)
}

/// A path as people call it.
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_owned();
    }
    printable(&path.to_string_lossy(), LONGEST_MESSAGE)
}

/// An operating-system error without its number.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        assert_eq!(
            quoted("\x1b[31m\u{9b}x\u{202e}\n\0\u{7f}"),
            r"\u{1b}[31m\u{9b}x\u{202e}\n\0\u{7f}"
        );
        assert_eq!(quoted("it's \"ä\" \\ 日本"), "it's \"ä\" \\ 日本");
        let long = quoted(&"a".repeat(1_000_000));
        assert_eq!(long, format!("{}…", "a".repeat(LONGEST_NAME)));
        assert_eq!(shown(Path::new("a\rb")), "a\\rb");
        let failure = Failure::at(Path::new("t"), "\x1b]0;".repeat(10_000));
        assert!(failure.to_string().len() < 60_000 && !failure.to_string().contains('\x1b'));
    }
}
