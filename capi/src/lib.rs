//! The library behind `include/sigmill.h`: looks at pointers and lengths, makes views of the caller's memory, calls
//! `sigmill`, and turns the answer into a number. No rule and no arithmetic is here.
//!
//! | file | what it holds |
//! |---|---|
//! | `fault` | results as numbers, and what a function returns |
//! | `pointer` | the caller's pointers, and all that is `unsafe` |
//! | `names` | names and sentences of numbers |
//! | `scheme`, `variant` | how ECDSA and Ed25519 are meant, as numbers |
//! | `random` | random bytes of the system |
//! | `ed25519`, `x25519`, `ecdsa` | single operations |
//! | `containers` | keys in PKCS#8, SEC1 and SubjectPublicKeyInfo |
//! | `bulk` | columns, tables, tasks, the Arrow C data interface |
//! | `cpu`, `version` | what the CPU can do, and which library this is |
//! | `local` | what stands in for C's library |
//! | `abi` | tests: the header against all of this |

#![cfg_attr(not(feature = "std"), no_std)]
// the header says what the arguments are, one by one
#![allow(clippy::too_many_arguments)]
// functions are reached by their names, from C
#![allow(unreachable_pub)]
// parts that are left out leave what they share with others
#![cfg_attr(not(feature = "all"), allow(dead_code, unused_imports))]

#[cfg(all(test, feature = "std", feature = "all"))]
mod abi;
#[cfg(feature = "bulk")]
mod bulk;
#[cfg(feature = "containers")]
mod containers;
mod cpu;
#[cfg(feature = "ecdsa")]
mod ecdsa;
mod ed25519;
mod fault;
#[cfg(not(feature = "std"))]
mod local;
mod names;
mod pointer;
mod random;
mod scheme;
mod variant;
mod version;
#[cfg(feature = "x25519")]
mod x25519;

/// Unreachable, and an abort if it is reached: nothing unwinds into a caller in C.
#[cfg(not(feature = "std"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    local::stop()
}
