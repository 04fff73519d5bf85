//! Tests of `sigmill` from outside. One program, since each links the readers of tables anew.

#![allow(missing_docs)]

mod check_formats;
mod check_lengths;
mod check_tables;
mod dsse_tables;
mod ecdsa_tables;
mod envelope_keys;
mod envelopes;
mod files_of_others;
mod folder;
mod git;
mod hostile;
mod interrupted;
mod keys_files;
mod limits;
mod other_tools;
mod output_paths;
mod report;
mod ssh_keygen;
mod streams;
