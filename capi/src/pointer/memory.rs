//! Inputs and outputs: values, and slices of them.

use crate::fault::Fault;
use core::ffi::CStr;
use core::hint::black_box;
use core::marker::PhantomData;
use core::ptr::{self, NonNull};
use core::slice;
use sigmill::bulk::Scratch;

/// A value that C lays out: any bit pattern is one.
///
/// # Safety
/// The implementor is an integer, a pointer of this module, or a `repr(C)` structure of such.
pub unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty),*) => {
        $(
            // SAFETY: an integer, for which every bit pattern is a value.
            unsafe impl Plain for $type {}
        )*
    };
}
plain!(u8, i8, u16, i16, u32, i32, u64, i64, usize, u128);

// SAFETY: bytes, for which every bit pattern is a value.
unsafe impl<const N: usize> Plain for [u8; N] {}
// SAFETY: a pointer that is not followed without a look at it.
unsafe impl<T> Plain for In<T> {}

/// The fields of a structure: their names, where they begin, and how many bytes they take. `abi` compares them with the
/// header.
#[cfg(all(test, feature = "std", feature = "all"))]
pub trait Laid: Sized {
    /// All of them.
    const FIELDS: &'static [(&'static str, usize, usize)];
}

/// Structures that C lays out, of fields that it lays out, too.
macro_rules! plain_struct {
    ($(#[$attribute:meta])* pub struct $name:ident { $($visible:vis $field:ident: $type:ty,)* }) => {
        $(#[$attribute])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct $name {
            $($visible $field: $type,)*
        }

        const _: () = {
            const fn is_plain<T: $crate::pointer::Plain>() {}
            $(is_plain::<$type>();)*
        };

        // SAFETY: laid out as in C, and each field is plain, as was just asked for.
        unsafe impl $crate::pointer::Plain for $name {}

        #[cfg(all(test, feature = "std", feature = "all"))]
        impl $crate::pointer::Laid for $name {
            const FIELDS: &'static [(&'static str, usize, usize)] = &[
                $((stringify!($field), core::mem::offset_of!($name, $field), size_of::<$type>()),)*
            ];
        }
    };
}

pub(crate) use plain_struct;

/// The first address of memory and the one after its end, for finding overlaps.
#[derive(Clone, Copy)]
pub struct Extent(usize, usize);

impl Extent {
    /// Apart from all else.
    pub const NOWHERE: Extent = Extent(0, 0);

    /// Whether both have a byte in common.
    pub fn meets(self, other: Extent) -> bool {
        self.0 < other.1 && other.0 < self.1 && self.0 < self.1 && other.0 < other.1
    }
}

/// An input: one value or several.
#[repr(transparent)]
pub struct In<T>(pub(super) *const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T> In<T> {
    /// None.
    pub const NULL: In<T> = In(ptr::null());

    /// Whether there is nothing.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    fn checked(&self) -> Result<NonNull<T>, Fault> {
        let pointer = NonNull::new(self.0.cast_mut()).ok_or(Fault::Null)?;
        if pointer.is_aligned() { Ok(pointer) } else { Err(Fault::Alignment) }
    }

    /// The same memory as values of another type.
    pub fn cast<U>(&self) -> In<U> {
        In(self.0.cast())
    }

    /// The memory of so many values; nowhere if no such values can exist.
    pub fn extent(&self, len: usize) -> Extent {
        Out(self.0.cast_mut()).extent(len)
    }

    /// The same memory from element `count` on. NULL stays what it is.
    pub fn skip(&self, count: usize) -> In<T> {
        if self.is_null() { *self } else { In(self.0.wrapping_add(count)) }
    }
}

impl<T: Plain> In<T> {
    /// The value.
    pub fn get(&self) -> Result<&T, Fault> {
        let pointer = self.checked()?;
        // SAFETY: not null, aligned, and as C promises a value of this type, for which every bit pattern is one.
        Ok(unsafe { pointer.as_ref() })
    }

    /// The value, or none for NULL.
    pub fn optional(&self) -> Result<Option<&T>, Fault> {
        if self.is_null() { Ok(None) } else { self.get().map(Some) }
    }

    /// Several values. NULL may stand for none.
    pub fn slice(&self, len: usize) -> Result<&[T], Fault> {
        self.slice_of_call(len)
    }

    /// The same, for as long as the call lasts that has got the pointer.
    pub fn slice_of_call<'call>(&self, len: usize) -> Result<&'call [T], Fault> {
        if len == 0 {
            return Ok(&[]);
        }
        let pointer = self.checked()?;
        if len.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(Fault::Length);
        }
        // SAFETY: not null, aligned, no longer than memory can be, and as C promises that many values.
        Ok(unsafe { slice::from_raw_parts(pointer.as_ptr(), len) })
    }
}

impl<T: Plain> In<T> {
    /// A copy of the value, for what is looked at more than once: other code may write to the memory meanwhile.
    pub fn copied(&self) -> Result<T, Fault> {
        let mut value = *self.get()?;
        // from here on the copy is what is read, whatever a compiler knows of where it comes from
        black_box(&mut value);
        Ok(value)
    }
}

impl In<u8> {
    /// A string of the library's own, to be handed out.
    pub fn of_text(text: &'static CStr) -> Self {
        In(text.as_ptr().cast())
    }
}

/// An output: one value or several.
#[repr(transparent)]
pub struct Out<T>(pub(super) *mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

// SAFETY: an address; what is written through it from several threads is written to different places.
unsafe impl<T: Plain> Sync for Out<T> {}
// SAFETY: an address of memory that only C promises to leave alone.
unsafe impl<T: Plain> Sync for In<T> {}

/// An output that is there.
pub struct Place<'a, T>(NonNull<T>, PhantomData<&'a T>);

impl<T: Plain> Place<'_, T> {
    /// Writes the value.
    pub fn put(self, value: T) {
        // SAFETY: aligned, and as C promises place for a value of this type.
        unsafe { self.0.write(value) }
    }
}

impl<T> Out<T> {
    /// None.
    pub const NULL: Out<T> = Out(ptr::null_mut());

    /// The first of values that are the library's own.
    pub fn first_of(values: &mut [T]) -> Out<T> {
        Out(values.as_mut_ptr())
    }

    /// The same memory as an input.
    pub fn as_input(&self) -> In<T> {
        In(self.0)
    }

    /// Whether there is nothing.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    fn checked(&self) -> Result<NonNull<T>, Fault> {
        let pointer = NonNull::new(self.0).ok_or(Fault::Null)?;
        if pointer.is_aligned() { Ok(pointer) } else { Err(Fault::Alignment) }
    }

    /// The same memory for values of another type.
    pub fn cast<U>(&self) -> Out<U> {
        Out(self.0.cast())
    }
}

impl<T> Out<T> {
    /// The memory of so many values; nowhere if no such values can exist.
    pub fn extent(&self, len: usize) -> Extent {
        let start = self.0 as usize;
        let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| *bytes <= isize::MAX as usize);
        match bytes.and_then(|bytes| start.checked_add(bytes)) {
            Some(end) if start != 0 && self.0.is_aligned() => Extent(start, end),
            _ => Extent::NOWHERE,
        }
    }
}

impl<T: Plain> Out<T> {
    /// The same memory from value `count` on. NULL stays what it is.
    pub fn skip(&self, count: usize) -> Out<T> {
        if self.is_null() { *self } else { Out(self.0.wrapping_add(count)) }
    }

    /// The place of the value.
    pub fn place(&self) -> Result<Place<'_, T>, Fault> {
        Ok(Place(self.checked()?, PhantomData))
    }

    /// The value that is there now, for an output that the header calls an input, too.
    pub fn value(&self) -> Result<T, Fault> {
        let pointer = self.checked()?;
        // SAFETY: aligned, and as C promises a value of this type.
        Ok(unsafe { pointer.read() })
    }

    /// Writes values from the beginning on: there is place for as many.
    pub fn put_all(&self, values: &[T]) -> Result<(), Fault> {
        if values.is_empty() {
            return Ok(());
        }
        let pointer = self.checked()?;
        // SAFETY: aligned, as C promises place for so many, and values of the library's own are not there.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), pointer.as_ptr(), values.len()) };
        Ok(())
    }

    /// Place for several values that is used while they are computed. NULL may stand for none. Inputs of the same call
    /// must be `apart` from it: see `Extent`.
    pub fn slice_of_call<'call>(&self, len: usize) -> Result<&'call mut [T], Fault> {
        if len == 0 {
            return Ok(&mut []);
        }
        let pointer = self.checked()?;
        if len.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(Fault::Length);
        }
        // SAFETY: aligned, no longer than memory can be, and as C promises place for so many, which nothing else uses;
        // what C has left there, whatever it is, are values of a plain type.
        Ok(unsafe { slice::from_raw_parts_mut(pointer.as_ptr(), len) })
    }
}

impl Out<u8> {
    /// Writes bytes if there is place for them, and how many they are in any case.
    pub fn put_sized(&self, size: Out<usize>, bytes: &[u8]) -> Result<(), Fault> {
        let available = size.value()?;
        size.place()?.put(bytes.len());
        if available < bytes.len() {
            return Err(Fault::OutputSize);
        }
        self.put_all(bytes)
    }
}

/// Working memory, as far as whole values fit into it, aligned. Its contents have no meaning.
pub fn scratch<'call>(memory: Out<u8>, bytes: usize) -> Result<&'call mut [Scratch], Fault> {
    if memory.is_null() {
        return if bytes == 0 { Ok(&mut []) } else { Err(Fault::Null) };
    }
    let skipped = memory.0.align_offset(align_of::<Scratch>());
    let len = bytes.saturating_sub(skipped) / size_of::<Scratch>();
    let first = memory.0.wrapping_add(skipped).cast::<Scratch>();
    // SAFETY: aligned and within the memory that C promises, which nothing else uses; it is words, and what C has left in
    // them, whatever it is, are values.
    Ok(unsafe { slice::from_raw_parts_mut(first, len) })
}

// SAFETY: words.
unsafe impl Plain for Scratch {}

/// The first values of some memory: `make(i)` for all i below `count`; and what is left of the memory.
pub fn values_in<T: Copy, E: From<Fault>>(
    memory: &mut [Scratch],
    count: usize,
    mut make: impl FnMut(usize) -> Result<T, E>,
) -> Result<(&[T], &mut [Scratch]), E> {
    const { assert!(align_of::<T>() <= align_of::<Scratch>()) };
    let taken = values_len::<T>(count);
    let Some((first, rest)) = memory.split_at_mut_checked(taken) else {
        return Err(Fault::Scratch.into());
    };
    let first = first.as_mut_ptr().cast::<T>();
    for i in 0..count {
        let value = make(i)?;
        // SAFETY: within the memory that was split off, and aligned.
        unsafe { first.wrapping_add(i).write(value) };
    }
    // SAFETY: so many were just written, and they are borrowed as the memory is.
    Ok((unsafe { slice::from_raw_parts(first, count) }, rest))
}

/// How much memory so many values take.
pub fn values_len<T>(count: usize) -> usize {
    count.saturating_mul(size_of::<T>()).div_ceil(size_of::<Scratch>())
}
