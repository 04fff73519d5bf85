//! Proves field operations of the shipped machine code from its bytes, for all inputs within the documented bounds.
//!
//! `README.md` says how; `FORMAT.md` says what a certificate holds.

pub mod arch;
pub mod arm;
mod certificate;
pub mod claim;
pub mod cosimulation;
pub mod coverage;
pub mod divsteps;
pub mod error;
pub mod facts;
pub mod flow;
pub mod formulas;
pub mod image;
pub mod kernel;
pub mod kernels;
pub mod machine;
pub mod mutate;
pub mod number;
pub mod others;
pub mod poly;
pub mod samples;
pub mod template;
pub mod trace;
pub mod words;
