//! The house itself: its layers, its lists, its interface, and the model of its mathematics. What is here
//! does not depend on the fields.

#![allow(missing_docs)]

#[path = "../counter/mod.rs"]
#[allow(unreachable_pub)]
mod counter;
mod declassified;
mod exact_batch_model;
mod examples;
mod interface;
mod layers;
#[cfg(feature = "pem")]
mod mutants;
mod public_pages;
mod targets;
mod unsafe_files;
