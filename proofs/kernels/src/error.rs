//! Errors, each with the place it is about.

use std::fmt;

/// The reason why something is not proven.
#[derive(Debug)]
pub enum Error {
    /// An instruction, an operand or a use of one that the prover has no rule for.
    Unsupported {
        /// Address of the instruction.
        address: u64,
        /// The instruction.
        instruction: String,
        /// The part of it that has no rule.
        why: String,
    },
    /// A step that no rule of certificates allows: a flaw of the prover.
    Derivation(String),
    /// A claim that was not derived.
    Unproven(String),
    /// An object file that is not as expected.
    Object(String),
    /// A name that no kernel and no function of the text has.
    Name(String),
    /// A formula of the list that cannot be read.
    Formula(String),
    /// A file that could not be read or written.
    File(String, std::io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { address, instruction, why } => {
                write!(f, "{address:x}: {instruction}: {why}")
            }
            Self::Derivation(why) => write!(f, "not a derivation: {why}"),
            Self::Unproven(why) => write!(f, "not derived: {why}"),
            Self::Object(why) => write!(f, "object file: {why}"),
            Self::Name(name) => write!(f, "no kernel or function here has the name {name:?}"),
            Self::Formula(why) => write!(f, "formula: {why}"),
            Self::File(path, error) => write!(f, "{path}: {error}"),
        }
    }
}

impl std::error::Error for Error {}

/// A result of the prover.
pub type Result<T> = std::result::Result<T, Error>;
