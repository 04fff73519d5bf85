//! Standard streams that were closed when the program began. Rust opens `/dev/null` in their place before `main`: what
//! is written would be lost in silence, and what is read would look like an empty file.

#![allow(unsafe_code)]

use crate::status::{Failure, Result};
use nix::libc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

static NO_STDIN: AtomicBool = AtomicBool::new(false);
static NO_STDOUT: AtomicBool = AtomicBool::new(false);

/// Refuses to read standard input that is closed.
pub(crate) fn check_stdin() -> Result<()> {
    match NO_STDIN.load(Relaxed) {
        true => Err(Failure::new("standard input: is closed; something to read is needed")),
        false => Ok(()),
    }
}

/// Refuses to write to standard output that is closed.
pub(crate) fn check_stdout() -> Result<()> {
    match NO_STDOUT.load(Relaxed) {
        true => Err(Failure::new("standard output: is closed; nothing can be written there")),
        false => Ok(()),
    }
}

extern "C" fn look() {
    // SAFETY: the call asks for the flags of a descriptor and changes nothing; of one that is not open it returns -1.
    let is_closed = |number| unsafe { libc::fcntl(number, libc::F_GETFD) } == -1;
    NO_STDIN.store(is_closed(libc::STDIN_FILENO), Relaxed);
    NO_STDOUT.store(is_closed(libc::STDOUT_FILENO), Relaxed);
}

// SAFETY: the loader calls each function of this section once, before `main` and before Rust opens anything; `look` makes
// two system calls and stores two atomics.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static LOOK: extern "C" fn() = look;
