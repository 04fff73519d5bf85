//! Columns of our own as a stream.
//!
//! `unsafe`: the functions of the stream, which are given pointers.

use super::abi::{Array, Released, Schema, Stream};
use super::export::{Export, capsule};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{c_char, c_int};
use std::ptr::{self, NonNull};

/// Arrays one after the other, as a stream.
struct Batches {
    schema: Export,
    next: Box<dyn FnMut() -> PyResult<Option<Export>> + Send>,
}

/// The numbers of the C stream interface for a wrong argument and for memory that is not there.
const EINVAL: c_int = 22;
const ENOMEM: c_int = 12;

unsafe extern "C" fn stream_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: the consumer hands over a stream that is its own.
    let Some(stream) = (unsafe { stream.as_ref() }) else { return EINVAL };
    // SAFETY: `stream` below has made it so.
    let Some(batches) = (unsafe { stream.private_data.cast::<Batches>().as_ref() }) else {
        return EINVAL;
    };
    // SAFETY: the consumer hands over a place for the type.
    unsafe { out.write(batches.schema.schema()) };
    0
}

unsafe extern "C" fn stream_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: the consumer hands over a stream that is its own.
    let Some(stream) = (unsafe { stream.as_ref() }) else { return EINVAL };
    // SAFETY: `stream` below has made it so, and nobody else uses it.
    let Some(batches) = (unsafe { stream.private_data.cast::<Batches>().as_mut() }) else {
        return EINVAL;
    };
    let Ok(array) = (batches.next)() else { return ENOMEM };
    let array = array.map_or(Array::EMPTY, Export::array);
    // SAFETY: the consumer hands over a place for an array.
    unsafe { out.write(array) };
    0
}

unsafe extern "C" fn stream_error(_: *mut Stream) -> *const c_char {
    ptr::null()
}

unsafe extern "C" fn release_stream(stream: *mut Stream) {
    let Some(stream) = NonNull::new(stream) else { return };
    // SAFETY: whoever calls this has the stream for himself.
    let taken = unsafe { ptr::replace(stream.as_ptr(), Stream::EMPTY) };
    if !taken.private_data.is_null() {
        // SAFETY: `stream` below has made it so, and it was taken out just now.
        drop(unsafe { Box::from_raw(taken.private_data.cast::<Batches>()) });
    }
}

/// The capsule of `__arrow_c_stream__`.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    schema: Export,
    next: Box<dyn FnMut() -> PyResult<Option<Export>> + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = Stream {
        get_schema: Some(stream_schema),
        get_next: Some(stream_next),
        get_last_error: Some(stream_error),
        release: Some(release_stream),
        private_data: Box::into_raw(Box::new(Batches { schema, next })).cast(),
    };
    capsule(py, stream, c"arrow_array_stream")
}
