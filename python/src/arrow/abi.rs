//! The structures of the interface as C lays them out, and who releases them.
//!
//! `unsafe`: references to what a producer promises, and the calls of its release functions.

use super::error::{BadColumn, Problem};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::slice;

/// `struct ArrowSchema`.
#[repr(C)]
pub(crate) struct Schema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    pub(super) metadata: *const c_char,
    pub(super) flags: i64,
    pub(super) n_children: i64,
    pub(super) children: *mut *mut Schema,
    pub(super) dictionary: *mut Schema,
    pub(super) release: Option<unsafe extern "C" fn(*mut Schema)>,
    pub(super) private_data: *mut c_void,
}

/// `struct ArrowArray`.
#[repr(C)]
pub(crate) struct Array {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) n_buffers: i64,
    pub(super) n_children: i64,
    pub(super) buffers: *mut *const c_void,
    pub(super) children: *mut *mut Array,
    pub(super) dictionary: *mut Array,
    pub(super) release: Option<unsafe extern "C" fn(*mut Array)>,
    pub(super) private_data: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[repr(C)]
pub(crate) struct Stream {
    pub(super) get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    pub(super) get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    pub(super) get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    pub(super) release: Option<unsafe extern "C" fn(*mut Stream)>,
    pub(super) private_data: *mut c_void,
}

/// A structure that is owned here and given back by its own function.
pub(crate) trait Released: Sized {
    const EMPTY: Self;
    /// Its function, if it has not been called yet.
    fn release(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
    fn is_released(&self) -> bool;
}

macro_rules! released {
    ($type:ident { $($field:ident: $value:expr),* }) => {
        impl Released for $type {
            const EMPTY: Self = $type { $($field: $value,)* release: None, private_data: ptr::null_mut() };

            fn release(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
                self.release
            }

            fn is_released(&self) -> bool {
                self.release.is_none()
            }
        }
    };
}

released!(Schema {
    format: ptr::null(),
    name: ptr::null(),
    metadata: ptr::null(),
    flags: 0,
    n_children: 0,
    children: ptr::null_mut(),
    dictionary: ptr::null_mut()
});
released!(Array {
    length: 0,
    null_count: 0,
    offset: 0,
    n_buffers: 0,
    n_children: 0,
    buffers: ptr::null_mut(),
    children: ptr::null_mut(),
    dictionary: ptr::null_mut()
});
released!(Stream { get_schema: None, get_next: None, get_last_error: None });

/// A structure that was handed over.
#[repr(transparent)]
pub(super) struct Owned<T: Released>(pub(super) T);

impl<T: Released> Owned<T> {
    /// Takes the structure out of a capsule, which is left released.
    pub(super) fn take(capsule: &Bound<'_, PyCapsule>, name: &CStr) -> Result<Self, Problem> {
        let place = capsule.pointer_checked(Some(name)).map_err(Problem::Python)?.cast::<T>();
        if !place.is_aligned() {
            return Err(BadColumn::Alignment.into());
        }
        // SAFETY: a capsule of this name holds such a structure, which the protocol lets a consumer move out of it.
        let taken = unsafe { ptr::replace(place.as_ptr(), T::EMPTY) };
        match taken.is_released() {
            true => Err(BadColumn::Released.into()),
            false => Ok(Owned(taken)),
        }
    }
}

impl<T: Released> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(release) = self.0.release() {
            // SAFETY: the producer's own function, called once, on what it was made for.
            unsafe { release(&raw mut self.0) };
        }
    }
}

/// A pointer of a producer's, neither null nor crooked.
pub(super) fn place<T>(pointer: *const T) -> Result<NonNull<T>, BadColumn> {
    let place = NonNull::new(pointer.cast_mut()).ok_or(BadColumn::Null)?;
    if place.is_aligned() { Ok(place) } else { Err(BadColumn::Alignment) }
}

/// A structure of a producer's.
pub(super) fn at<'a, T>(pointer: *const T) -> Result<&'a T, BadColumn> {
    let place = place(pointer)?;
    // SAFETY: not null, aligned, and the producer promises a value that lives until it is released, which is done by
    // `Owned` after all that borrows.
    Ok(unsafe { place.as_ref() })
}

/// The bytes of so many values, if memory can have them.
pub(super) fn bytes_of<T>(len: usize) -> Result<usize, BadColumn> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| *bytes <= isize::MAX as usize);
    bytes.ok_or(BadColumn::Length)
}

/// The pointers to an array's buffers.
pub(super) fn buffers(array: &Array) -> Result<&[*const c_void], BadColumn> {
    let (pointer, len) = (array.buffers.cast_const(), count(array.n_buffers)?);
    if len == 0 {
        return Ok(&[]);
    }
    place(pointer)?;
    bytes_of::<*const c_void>(len)?;
    // SAFETY: not null, aligned, no longer than memory can be, and the producer promises that many pointers until it
    // is released.
    Ok(unsafe { slice::from_raw_parts(pointer, len) })
}

/// A child of a schema or of an array.
pub(super) fn child<'a, T>(children: *mut *mut T, len: i64, i: usize) -> Result<&'a T, BadColumn> {
    let children = place(children.cast_const())?;
    if i >= count(len)? {
        return Err(BadColumn::Null);
    }
    let child = children.as_ptr().wrapping_add(i);
    // SAFETY: not null, aligned, and the producer promises that many pointers until it is released.
    at(unsafe { child.read() }.cast_const())
}

/// A string of C.
pub(super) fn text<'a>(pointer: *const c_char) -> Result<&'a CStr, BadColumn> {
    place(pointer)?;
    // SAFETY: not null, and the producer promises a zero at the end.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

pub(super) fn count(number: i64) -> Result<usize, BadColumn> {
    usize::try_from(number).map_err(|_| BadColumn::Length)
}
