//! Columns of our own, to be handed over.
//!
//! `unsafe`: boxes as raw pointers and back, and capsules around them.

use super::abi::{Array, Owned, Released, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyTuple};
use std::borrow::Cow;
use std::ffi::{CStr, CString, c_void};
use std::mem;
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// The parts of an exported array, which keep it alive.
struct Made {
    buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
    _kept: Vec<Buffer>,
}

/// Memory of an array of our own.
pub(crate) enum Buffer {
    /// Nothing is null.
    None,
    Bytes(Vec<u8>),
    Shared(Arc<Vec<u8>>),
    Offsets(Vec<i32>),
    LargeOffsets(Vec<i64>),
    SharedOffsets(Arc<Vec<i64>>),
    Python(Py<PyBytes>),
}

impl Buffer {
    fn pointer(&self) -> *const c_void {
        match self {
            Buffer::None => ptr::null(),
            Buffer::Bytes(bytes) => bytes.as_ptr().cast(),
            Buffer::Shared(bytes) => bytes.as_ptr().cast(),
            Buffer::Offsets(offsets) => offsets.as_ptr().cast(),
            Buffer::LargeOffsets(offsets) => offsets.as_ptr().cast(),
            Buffer::SharedOffsets(offsets) => offsets.as_ptr().cast(),
            Buffer::Python(bytes) => Python::attach(|py| bytes.as_bytes(py).as_ptr().cast()),
        }
    }
}

/// The type of so many bytes a row.
pub(crate) fn fixed_format(width: usize) -> Cow<'static, CStr> {
    CString::new(format!("w:{width}")).map_or(Cow::Borrowed(c"z"), Cow::Owned)
}

/// The parts of an exported type.
struct MadeSchema {
    children: Vec<*mut Schema>,
    format: Cow<'static, CStr>,
    name: Cow<'static, CStr>,
}

/// A column of our own, to be handed over.
pub(crate) struct Export {
    /// Its type, as the C data interface writes it.
    pub(crate) format: Cow<'static, CStr>,
    pub(crate) name: Cow<'static, CStr>,
    pub(crate) nullable: bool,
    pub(crate) rows: usize,
    pub(crate) nulls: usize,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) children: Vec<Export>,
}

const ARROW_FLAG_NULLABLE: i64 = 2;

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    let Some(schema) = NonNull::new(schema) else { return };
    // SAFETY: whoever calls this has the schema for himself.
    let taken = unsafe { ptr::replace(schema.as_ptr(), Schema::EMPTY) };
    if taken.private_data.is_null() {
        return;
    }
    // SAFETY: `Export::schema` has made it so, and it was taken out just now.
    let made = unsafe { Box::from_raw(taken.private_data.cast::<MadeSchema>()) };
    for child in made.children {
        // SAFETY: made by `Box::into_raw` there; a consumer may have moved what is in it, and left it released.
        drop(Owned(*unsafe { Box::from_raw(child) }));
    }
}

unsafe extern "C" fn release_array(array: *mut Array) {
    let Some(array) = NonNull::new(array) else { return };
    // SAFETY: whoever calls this has the array for himself.
    let taken = unsafe { ptr::replace(array.as_ptr(), Array::EMPTY) };
    if taken.private_data.is_null() {
        return;
    }
    // SAFETY: `Export::array` has made it so, and it was taken out just now.
    let made = unsafe { Box::from_raw(taken.private_data.cast::<Made>()) };
    for child in &made.children {
        // SAFETY: made by `Box::into_raw` there; a consumer may have moved what is in it, and left it released.
        drop(Owned(*unsafe { Box::from_raw(*child) }));
    }
}

impl Export {
    /// The type.
    pub(crate) fn schema(&self) -> Schema {
        let children: Vec<*mut Schema> =
            self.children.iter().map(|child| Box::into_raw(Box::new(child.schema()))).collect();
        let (format, name) = (self.format.clone(), self.name.clone());
        let mut made = Box::new(MadeSchema { children, format, name });
        Schema {
            format: made.format.as_ptr(),
            name: made.name.as_ptr(),
            flags: if self.nullable { ARROW_FLAG_NULLABLE } else { 0 },
            n_children: made.children.len() as i64,
            children: made.children.as_mut_ptr(),
            release: Some(release_schema),
            private_data: Box::into_raw(made).cast(),
            ..Schema::EMPTY
        }
    }

    /// The rows.
    pub(crate) fn array(self) -> Array {
        let children: Vec<*mut Array> =
            self.children.into_iter().map(|child| Box::into_raw(Box::new(child.array()))).collect();
        let buffers = self.buffers.iter().map(Buffer::pointer).collect();
        let mut made = Box::new(Made { buffers, children, _kept: self.buffers });
        Array {
            length: self.rows as i64,
            null_count: self.nulls as i64,
            offset: 0,
            n_buffers: made.buffers.len() as i64,
            n_children: made.children.len() as i64,
            buffers: made.buffers.as_mut_ptr(),
            children: made.children.as_mut_ptr(),
            dictionary: ptr::null_mut(),
            release: Some(release_array),
            private_data: Box::into_raw(made).cast(),
        }
    }

    /// The two capsules of `__arrow_c_array__`.
    pub(crate) fn capsules<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let schema = capsule(py, self.schema(), c"arrow_schema")?;
        let array = capsule(py, self.array(), c"arrow_array")?;
        PyTuple::new(py, [schema, array])
    }
}

/// A capsule that releases what nobody has taken out of it.
pub(super) fn capsule<'py, T: Released + 'static>(
    py: Python<'py>,
    value: T,
    name: &'static CStr,
) -> PyResult<Bound<'py, PyCapsule>> {
    unsafe extern "C" fn destroy<T: Released>(capsule: *mut pyo3::ffi::PyObject) {
        // SAFETY: the capsule is alive while its destructor runs.
        let name = unsafe { pyo3::ffi::PyCapsule_GetName(capsule) };
        // SAFETY: asked for under the name that it has.
        let place = unsafe { pyo3::ffi::PyCapsule_GetPointer(capsule, name) };
        if let Some(place) = NonNull::new(place.cast::<T>()) {
            // SAFETY: made by `Box::into_raw` below, and a destructor runs once.
            drop(Owned(*unsafe { Box::from_raw(place.as_ptr()) }));
        }
    }
    let mut value = Box::new(Owned(value));
    let place = NonNull::from(&mut value.0).cast::<c_void>();
    // SAFETY: the pointer stays valid until the destructor runs, since the box is given up below.
    let capsule =
        unsafe { PyCapsule::new_with_pointer_and_destructor(py, place, name, Some(destroy::<T>)) }?;
    mem::forget(value);
    Ok(capsule)
}
