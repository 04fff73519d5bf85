//! How a command ends: what the exit code says, and the message of what went wrong.
//!
//! Reach: nothing.

use std::fmt::{self, Display};
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// What a command found.
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
        f.write_str(&self.message)
    }
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// A path as people call it.
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// An operating-system error without its number.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}
