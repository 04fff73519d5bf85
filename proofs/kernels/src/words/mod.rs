//! Numbers in words of general registers, in functions of calls, loops and branches: the compiler's own products modulo the orders of groups.
//!
//! A [`region`] of a function is a graph of words ([`lift`]). Words that a conditional subtraction chooses are one number ([`groups`]). A
//! [slice](mod@slice) is what computes one number from the nearest others; it is proven apart from where its instructions stand
//! ([`prove`](mod@prove)), and equal slices are proven once.

pub mod function;
pub mod graph;
pub mod groups;
pub mod lift;
pub mod modulus;
pub mod prove;
pub mod region;
mod run;
pub mod slice;
pub mod state;
