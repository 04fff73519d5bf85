//! Proofs of compiled code whose operations the compiler has interleaved: by data flow, not by the order of instructions.
//!
//! A block of a function is a graph of lane operations ([`lift`]). Grids of multiplications tell which values are limbs of one element
//! ([`elements`]). A [slice](mod@slice) is what computes one element from the nearest others; it is proven apart from where its instructions stand
//! ([`prove`]), and equal slices are proven once.

mod attempts;
pub mod blocks;
pub mod calls;
pub mod combinations;
mod constants;
mod doubles;
pub mod elements;
pub mod entry;
pub mod field;
pub mod function;
mod gather;
pub mod graph;
mod halves;
pub mod lift;
mod order;
mod packed;
pub mod pairs;
mod pieces;
pub mod program;
pub mod prove;
pub mod radix_51;
pub mod regroup;
mod results;
pub mod run;
mod scalars;
pub mod slice;
pub mod slices;
mod special;
mod supported;
pub mod unroll;
mod vectors;
pub mod words;
