//! The Arrow C data interface behind the PyCapsule protocol: arrays of others as columns of the library, where
//! they lie, and arrays of our own.
//!
//! A producer promises that the buffers are as long as their offsets and lengths say; nothing in the interface
//! tells their sizes. All else is looked at: null pointers, alignment, offsets that decrease or are negative,
//! views that leave their buffers, indices that leave a dictionary, runs that do not reach the last row.
//!
//! Other code may write to a producer's memory while it is read. Whatever says where bytes lie (offsets, views,
//! indices) is therefore read once each time, by [`Shared::get`], and what was read is looked at; a row that no longer
//! lies in its buffer is null.
//!
//! - `error`: why a column cannot be used
//! - `abi`: the structures of the interface, and who releases them
//! - `types`: their types
//! - `shared`: a producer's memory, value by value
//! - `rows`: the rows of arrays
//! - `import`: columns that Python hands over
//! - `export`, `stream`: columns of our own
//!
//! `unsafe`: all of this package's but its allocator's, in `abi`, `shared`, `import`, `export` and `stream`.

mod abi;
mod error;
mod export;
mod import;
mod rows;
mod shared;
mod stream;
mod types;

pub(crate) use error::{Kind, Problem};
pub(crate) use export::{Buffer, Export, fixed_format};
pub(crate) use import::Imported;
pub(crate) use rows::{Chunk, Chunks};
pub(crate) use shared::Shared;
pub(crate) use stream::stream;
