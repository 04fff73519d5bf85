//! The caller's pointers. Each type here stands for one way in which the header says that memory is handed over; a
//! value of it comes from C only, as an argument, and with it the promise that there is as much memory as the header
//! asks for, which nothing else touches during the call. Null and alignment are looked at, not promised.
//!
//! An output is written once the result is there, through a pointer: it may be an input, too.
//!
//! `unsafe`: all of this library's, but for the names of its functions and `local`.

mod calls;
mod copies;
mod memory;
mod object;
mod text;

pub use calls::{
    HashFinal, HashInit, HashUpdate, MOST_TASKS, Opaque, Pieces, Release, Run, hash_by, release,
    run_tasks,
};
pub use copies::{Room, copy_shared};
#[cfg(all(test, feature = "std", feature = "all"))]
pub use memory::Laid;
pub(crate) use memory::plain_struct;
pub use memory::{Extent, In, Out, Plain, scratch, values_in, values_len};
pub(crate) use object::content;
pub use object::{Content, Handle};
pub use text::Text;
