//! The library as a WebAssembly module. JavaScript (`js/src`) is the only caller.
//!
//! A call has its bytes in one buffer, the arena: JavaScript asks for room with `reserve`, writes the arguments one after
//! the other, and passes their lengths; the result comes back at the same address, and `clear` wipes it. So no pointer
//! comes from outside, and every access is checked against the arena.
//!
//! A function returns the length of its result, a verdict or a handle, each 0 or more, or a [`fault::Fault`] below 0.
//! JavaScript has the text of each. A panic is a trap; nothing here is meant to panic.

mod arena;
mod columns;
mod containers;
#[cfg(feature = "ecdsa")]
mod ecdsa;
mod ed25519;
mod fault;
mod names;
mod objects;
mod streams;
#[cfg(feature = "x25519")]
mod x25519;
