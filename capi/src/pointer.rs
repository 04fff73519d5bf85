//! The caller's pointers. Each type here stands for one way in which the header says that memory is handed over; a
//! value of it comes from C only, as an argument, and with it the promise that there is as much memory as the header
//! asks for, which nothing else touches during the call. Null and alignment are looked at, not promised.
//!
//! An output is written once the result is there, through a pointer: it may be an input, too.
//!
//! `unsafe`: all of this library's, but for the names of its functions.

use crate::fault::Fault;
use core::ffi::{CStr, c_int, c_void};
use core::hint::black_box;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use core::slice;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence};
use sigmill::bulk::Scratch;
use zeroize::Zeroize;

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
    };
}
pub(crate) use plain_struct;

/// Where memory begins, and one byte after its end; for finding overlaps.
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
pub struct In<T>(*const T);

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

/// Copies bytes that other code may write to meanwhile, from the position `offset` on; zeros where there are none.
pub fn copy_shared(bytes: &[u8], offset: usize, copy: &mut [u8]) {
    let there = bytes.get(offset..).unwrap_or_default();
    let len = there.len().min(copy.len());
    // SAFETY: both have so many bytes, which are any, and the copy is the library's own.
    unsafe { ptr::copy_nonoverlapping(there.as_ptr(), copy.as_mut_ptr(), len) };
    copy[len..].fill(0);
    black_box(copy);
}

/// Bytes of the stack for copies of what other code may write to meanwhile.
pub struct Room<const N: usize>([MaybeUninit<u8>; N]);

impl<const N: usize> Room<N> {
    /// Nothing is written until there is something to copy.
    #[inline(always)]
    pub const fn new() -> Self {
        Room([MaybeUninit::uninit(); N])
    }

    /// A copy of bytes; none of more than there is room for.
    #[inline(always)]
    pub fn copy(&mut self, bytes: &[u8]) -> Option<&[u8]> {
        Some(copy_into(self.0.get_mut(..bytes.len())?, bytes))
    }

    /// Copies of several, as many as there is room for, and how many these are.
    pub fn copies<'r, 'b>(
        &'r mut self,
        several: impl Iterator<Item = &'b [u8]>,
        copies: &mut [&'r [u8]],
    ) -> usize {
        let (mut left, mut count) = (&mut self.0[..], 0);
        for (bytes, copied) in several.zip(copies) {
            let Some((place, rest)) = left.split_at_mut_checked(bytes.len()) else { break };
            *copied = copy_into(place, bytes);
            left = rest;
            count += 1;
        }
        count
    }
}

/// A copy of bytes in a place of the same length.
#[inline(always)]
fn copy_into<'r>(place: &'r mut [MaybeUninit<u8>], bytes: &[u8]) -> &'r [u8] {
    let len = bytes.len().min(place.len());
    let place = place.as_mut_ptr().cast::<u8>();
    // SAFETY: both have so many bytes, which are any, and the place is the library's own.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, len) };
    // SAFETY: so many bytes were just written.
    black_box(unsafe { slice::from_raw_parts(place, len) })
}

impl In<u8> {
    /// A string of the library's own, to be handed out.
    pub fn of_text(text: &'static CStr) -> Self {
        In(text.as_ptr().cast())
    }
}

/// A string of C.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const u8);

// SAFETY: a pointer that is not followed without a look at it.
unsafe impl Plain for Text {}

impl Text {
    /// Its memory, with the zero at the end, as far as so many bytes.
    pub fn extent(&self, max: usize) -> Extent {
        In(self.0).extent(self.get(max).map_or(0, |bytes| bytes.len().saturating_add(1)))
    }

    /// Its bytes, without the zero at the end, as far as `max` of them.
    pub fn get(&self, max: usize) -> Result<&[u8], Fault> {
        if self.0.is_null() {
            return Err(Fault::Null);
        }
        let mut len = 0;
        while len < max {
            let place = self.0.wrapping_add(len);
            // SAFETY: no zero has come yet, and as C promises one does.
            if unsafe { place.read() } == 0 {
                break;
            }
            len += 1;
        }
        // SAFETY: so many bytes have just been read.
        Ok(unsafe { slice::from_raw_parts(self.0, len) })
    }
}

/// An output: one value or several.
#[repr(transparent)]
pub struct Out<T>(*mut T);

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
// SAFETY: as for an input; whether what lies there was changed meanwhile is looked at.
unsafe impl<T: Content + Sync> Sync for Handle<T> {}

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

    /// Where the value goes.
    pub fn place(&self) -> Result<Place<'_, T>, Fault> {
        Ok(Place(self.checked()?, PhantomData))
    }

    /// What is there now, where the header says that it is an input, too.
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

/// Memory for computing in, as far as whole values fit into it, aligned. What is in it means nothing.
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

/// What releases an array or a schema of Arrow's.
pub type Release = unsafe extern "C" fn(*mut c_void);

// SAFETY: a function's address or none, which is not called without a look at it.
unsafe impl Plain for Option<Release> {}

/// Calls it.
pub fn release(release: Release, object: Out<u8>) {
    // SAFETY: the function came with the object, which the producer has not released before.
    unsafe { release(object.0.cast()) }
}

/// The functions of `struct sigmill_sha512`.
pub type HashInit = unsafe extern "C" fn(*mut c_void);
/// Takes bytes.
pub type HashUpdate = unsafe extern "C" fn(*mut c_void, *const u8, usize);
/// Gives the digest.
pub type HashFinal = unsafe extern "C" fn(*mut c_void, *mut u8);

// SAFETY: a function's address or none, which is not called without a look at it.
unsafe impl Plain for Option<HashUpdate> {}
// SAFETY: an address of a function or none, which is looked at before it is called.
unsafe impl Plain for Option<HashFinal> {}

/// Gives pieces to what takes them, one after the other.
pub type Pieces<'a> = dyn FnMut(&mut dyn FnMut(&[u8])) + 'a;

/// The hash of pieces, one after the other, by functions of the caller's.
pub fn hash_by(
    context: Opaque,
    (init, update, finish): (HashInit, HashUpdate, HashFinal),
    pieces: &mut Pieces<'_>,
) -> [u8; 64] {
    let mut digest = [0; 64];
    // SAFETY: the function is what its type says, as C promises.
    unsafe { init(context.0) };
    pieces(&mut |piece| {
        // SAFETY: as C promises, it takes so many bytes, which are those of a slice.
        unsafe { update(context.0, piece.as_ptr(), piece.len()) };
    });
    // SAFETY: as C promises, it writes 64 bytes, for which there is place.
    unsafe { finish(context.0, digest.as_mut_ptr()) };
    digest
}

/// `sigmill_task`.
type Task = unsafe extern "C" fn(state: *mut c_void, number: usize);
/// `sigmill_run`.
pub type Run = unsafe extern "C" fn(*mut c_void, Task, *mut c_void, usize) -> c_int;

/// A pointer of the caller's that is given back as it is.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Opaque(*mut c_void);

impl Opaque {
    /// None.
    pub const NONE: Opaque = Opaque(ptr::null_mut());
}

// SAFETY: an address that is handed on.
unsafe impl Sync for Opaque {}
// SAFETY: a pointer that is never followed here.
unsafe impl Plain for Opaque {}
// SAFETY: a function's address or none, which is not called without a look at it.
unsafe impl Plain for Option<Run> {}

/// The most tasks of one computation: more than any machine has threads for.
pub const MOST_TASKS: usize = 4096;

/// Runs `work(i)` for all i below `tasks`: by the caller's function, or one after the other. A number that is none, or
/// that comes a second time, is not worked on: two threads would have the same memory.
pub fn run_tasks<W: Fn(usize) + Sync>(
    run: Option<Run>,
    context: Opaque,
    tasks: usize,
    work: &W,
) -> Result<(), Fault> {
    struct State<'a, W> {
        work: &'a W,
        tasks: usize,
        begun: [AtomicUsize; MOST_TASKS / BITS],
        finished: AtomicUsize,
    }

    const BITS: usize = usize::BITS as usize;

    unsafe extern "C" fn task<W: Fn(usize) + Sync>(state: *mut c_void, number: usize) {
        // SAFETY: the pointer that was given to the caller's function with this one, and which outlives its call.
        let state = unsafe { &*state.cast::<State<'_, W>>() };
        let bit = 1 << (number % BITS);
        if number >= state.tasks
            || state.begun[number / BITS].fetch_or(bit, Ordering::Relaxed) & bit != 0
        {
            return;
        }
        (state.work)(number);
        state.finished.fetch_add(1, Ordering::Release);
    }

    let Some(run) = run.filter(|_| tasks > 1) else {
        (0..tasks).for_each(work);
        return Ok(());
    };
    let begun = [const { AtomicUsize::new(0) }; MOST_TASKS / BITS];
    let mut state = State { work, tasks, begun, finished: AtomicUsize::new(0) };
    let pointer = (&raw mut state).cast();
    // SAFETY: the function is what its type says, as C promises; the state outlives the call, and is shared by threads as
    // `Sync` allows.
    let result = unsafe { run(context.0, task::<W>, pointer, tasks) };
    if result == 0 && state.finished.load(Ordering::Acquire) == tasks {
        Ok(())
    } else {
        Err(Fault::Run)
    }
}

/// What lies in an object: a structure of words in C, the first of which says what is in the others.
///
/// # Safety
/// No two types have the same tag, and `WORDS` is what the header says.
pub unsafe trait Content: Sized {
    /// Says that it is one: a number that memory does not hold by chance, and not 0.
    const TAG: u32;
    /// What the object has, with the word of the tag.
    const WORDS: usize;
    /// It fits: asked for by every use, when the library is built.
    const FITS: () = assert!(
        size_of::<Self>() + 8 <= 8 * Self::WORDS,
        "the header has too few words for this object"
    );
    /// It may stay where it is: asked for by every reference.
    const ALIGNED: () =
        assert!(align_of::<Self>() <= 8, "words are not aligned enough for this object");
}

macro_rules! contents {
    ($($(#[$attribute:meta])* $number:literal: $type:ty = $words:literal;)*) => {
        $(
            $(#[$attribute])*
            // SAFETY: each line of the list below has its own number.
            unsafe impl Content for $type {
                const TAG: u32 = 0x5369_6700 + $number;
                const WORDS: usize = $words;
            }
        )*
    };
}

contents! {
    1: sigmill::ed25519::SigningKey = 48;
    2: sigmill::ed25519::PreparedKey = 960;
    3: crate::ed25519::Verifier = 96;
    4: crate::ed25519::Signer = 192;
    #[cfg(feature = "ecdsa")]
    5: crate::ecdsa::Key = 32;
    7: crate::ed25519::Prehash = 32;
    #[cfg(feature = "bulk")]
    6: sigmill::bulk::Progress = 128;
}

/// The state of an object, beside its tag in the first word: which of all settings its content is from, or one of the
/// two states below. It is read before and after the content is used. A wipe sets it to `GONE` before it touches the
/// content, and each setting has a number of its own (until 2^32 have been made), so that what was computed while another
/// thread wiped the object, or wiped and set it again, shows as a state that has changed.
type State = u32;

/// There is no content.
const GONE: State = 0;
/// The content is being set, or changed elsewhere.
const TAKEN: State = 1;

/// The state of what is set now.
#[cfg(not(sigmill_cpu = "given"))]
fn new_state() -> State {
    static LAST: AtomicU32 = AtomicU32::new(TAKEN);
    loop {
        let state = LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        if state > TAKEN {
            return state;
        }
    }
}

/// The same where the library has no data that changes: objects are then set and wiped by one thread.
#[cfg(sigmill_cpu = "given")]
fn new_state() -> State {
    TAKEN + 1
}

/// An object that is an input, or changed.
#[repr(transparent)]
pub struct Handle<T>(*mut T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

// SAFETY: a pointer that is not followed without a look at it.
unsafe impl<T> Plain for Handle<T> {}

impl<T: Content> Handle<T> {
    fn words(&self) -> Result<NonNull<u64>, Fault> {
        const { T::FITS };
        let words = NonNull::new(self.0.cast::<u64>()).ok_or(Fault::Null)?;
        if words.is_aligned() { Ok(words) } else { Err(Fault::Alignment) }
    }

    /// The tag and the state.
    fn head<'call>(&self) -> Result<[&'call AtomicU32; 2], Fault> {
        let tag = self.words()?.cast::<u32>();
        // SAFETY: not null, aligned, and as C promises an object, whose first word is only used as these two.
        let head = unsafe { tag.cast::<[AtomicU32; 2]>().as_ref() };
        Ok(head.each_ref())
    }

    /// The place of the content.
    fn place(&self) -> Result<NonNull<T>, Fault> {
        // SAFETY: an object has more than one word.
        Ok(unsafe { self.words()?.add(1) }.cast())
    }

    /// The state of an object that has a content.
    pub fn state(&self) -> Result<State, Fault> {
        let [tag, state] = self.head()?;
        let state = state.load(Ordering::Acquire);
        if state > TAKEN && tag.load(Ordering::Relaxed) == T::TAG {
            Ok(state)
        } else {
            Err(Fault::State)
        }
    }

    /// An error unless the object has stayed in this state while its content was used.
    pub fn still(&self, before: State) -> Result<(), Fault> {
        // what was read from the content is in no later state than the one that is read now
        fence(Ordering::Acquire);
        let [_, state] = self.head()?;
        if state.load(Ordering::Relaxed) == before { Ok(()) } else { Err(Fault::State) }
    }

    /// The content of an object that has one. What comes of it is to be given out only if the object is `still` in the
    /// state in which it was before.
    pub fn content<'call>(&self) -> Result<&'call T, Fault> {
        const { T::ALIGNED };
        let content = self.place()?;
        // SAFETY: the content was written before the state, and is aligned as words are. Another thread may wipe it
        // meanwhile, or set it again: zeros and parts of contents are values, too, and `still` tells.
        Ok(unsafe { content.as_ref() })
    }

    /// The content of an object that has one, for what needs no secret of it.
    pub fn get<'call>(&self) -> Result<&'call T, Fault> {
        self.state()?;
        self.content()
    }

    /// Computes from the content; an error if it is none, or was wiped or set meanwhile.
    pub fn using<R>(&self, compute: impl FnOnce(&T) -> Result<R, Fault>) -> Result<R, Fault> {
        let before = self.state()?;
        let made = compute(self.content()?);
        self.still(before)?;
        made
    }

    /// Takes the content to change it or to keep it, and tells the state before. Another call that comes here meanwhile
    /// finds none.
    #[inline(always)]
    fn begin(&self) -> Result<(State, NonNull<T>), Fault> {
        let before = self.state()?;
        let ([_, state], content) = (self.head()?, self.place()?);
        match state.compare_exchange(before, TAKEN, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok((before, content)),
            Err(_) => Err(Fault::State),
        }
    }

    /// Changes the content. What needs more alignment than words have is changed elsewhere, and that place wiped. If the
    /// object is wiped meanwhile, it stays so.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> Result<R, Fault> {
        let (before, content) = self.begin()?;
        let mut moved = MaybeUninit::<T>::uninit();
        // SAFETY: the content was written before the state; source and place are different memory of its size.
        unsafe {
            moved
                .as_mut_ptr()
                .cast::<u8>()
                .copy_from_nonoverlapping(content.as_ptr().cast(), size_of::<T>())
        };
        if let Err(fault) = self.still(TAKEN) {
            wipe(&mut moved);
            return Err(fault);
        }
        // SAFETY: just copied, bit for bit; the original is not looked at until it is overwritten.
        let result = change(unsafe { moved.assume_init_mut() });
        // SAFETY: as for the way here.
        unsafe {
            content
                .as_ptr()
                .cast::<u8>()
                .copy_from_nonoverlapping(moved.as_ptr().cast(), size_of::<T>())
        };
        wipe(&mut moved);
        self.end(before).map(|()| result)
    }

    /// Whether the object could be set.
    pub fn check(&self) -> Result<(), Fault> {
        self.words().map(drop)
    }

    /// Sets an object that has no content that would have to be wiped.
    pub fn set(&self, content: T) -> Result<(), Fault> {
        let ([tag, state], place) = (self.head()?, self.place()?);
        state.store(TAKEN, Ordering::Relaxed);
        fence(Ordering::Release);
        // SAFETY: `FITS` says that there is place for the content.
        unsafe { place.write_unaligned(content) };
        tag.store(T::TAG, Ordering::Relaxed);
        self.end(new_state())
    }

    /// Gives an object that was taken a state, unless it was wiped meanwhile: then the content is wiped, too.
    fn end(&self, now: State) -> Result<(), Fault> {
        let [_, state] = self.head()?;
        match state.compare_exchange(TAKEN, now, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => Ok(()),
            Err(_) => {
                self.clear()?;
                Err(Fault::State)
            }
        }
    }

    /// Makes another content of the content. If the object is wiped meanwhile, it stays so.
    #[inline(always)]
    pub fn replace(&self, with: impl FnOnce(T) -> T) -> Result<(), Fault> {
        let (before, content) = self.begin()?;
        let mut taken = MaybeUninit::<T>::uninit();
        // SAFETY: the content was written before the state; source and place are different memory of its size.
        unsafe {
            taken
                .as_mut_ptr()
                .cast::<u8>()
                .copy_from_nonoverlapping(content.as_ptr().cast(), size_of::<T>())
        };
        self.still(TAKEN)?;
        // SAFETY: just copied; the original is not looked at until it is overwritten.
        let made = with(unsafe { taken.assume_init() });
        // SAFETY: `FITS` says that there is place for the content.
        unsafe { content.write_unaligned(made) };
        self.end(before)
    }

    /// Takes the content out; what is left is wiped.
    #[inline(always)]
    pub fn take<R>(&self, keep: impl FnOnce(T) -> Result<R, Fault>) -> Result<R, Fault> {
        let (_, content) = self.begin()?;
        let mut taken = MaybeUninit::<T>::uninit();
        // SAFETY: the content was written before the state; source and place are different memory of its size.
        unsafe {
            taken
                .as_mut_ptr()
                .cast::<u8>()
                .copy_from_nonoverlapping(content.as_ptr().cast(), size_of::<T>())
        };
        self.still(TAKEN)?;
        self.clear()?;
        // SAFETY: just copied, before any wipe but the one here, so that it is not taken twice.
        keep(unsafe { taken.assume_init() })
    }

    /// Where the object lies.
    pub fn extent(&self) -> Extent {
        Out(self.0.cast::<u64>()).extent(T::WORDS)
    }

    /// Wipes all words of an object, whatever they are: first that there is a content, then the content.
    pub fn clear(&self) -> Result<(), Fault> {
        let [_, state] = self.head()?;
        state.store(GONE, Ordering::Relaxed);
        fence(Ordering::Release);
        let (words, len) = (self.words()?, T::WORDS);
        // SAFETY: an object has so many words; each has a value, or none that is looked at.
        unsafe { slice::from_raw_parts_mut(words.as_ptr(), len) }.zeroize();
        Ok(())
    }
}

/// Overwrites a place from which a value has been moved, word by word.
fn wipe<T>(place: &mut MaybeUninit<T>) {
    const { assert!(size_of::<T>().is_multiple_of(8) && align_of::<T>() >= 8) };
    let (words, len) = (place.as_mut_ptr().cast::<MaybeUninit<u64>>(), size_of::<T>() / 8);
    // SAFETY: the memory of the place, as words that may have no value.
    unsafe { slice::from_raw_parts_mut(words, len) }.zeroize();
}

/// Ends the process, as `__builtin_trap` of C does.
#[cfg(not(feature = "std"))]
pub fn stop() -> ! {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    // SAFETY: an instruction that the processor refuses; nothing comes after it.
    unsafe {
        core::arch::asm!("ud2", options(noreturn))
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a breakpoint that nobody waits for; nothing comes after it.
    unsafe {
        core::arch::asm!("brk #1", options(noreturn))
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
    loop {
        core::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    //! Objects that are wiped or set while they are used, at a known moment.

    use super::{Content, Handle};
    use crate::fault::Fault;
    use sigmill::ed25519::{SigningKey, Variant};

    type Object = [u64; <SigningKey as Content>::WORDS];

    fn object(seed: u8) -> (Box<Object>, Handle<SigningKey>) {
        let mut object = Box::new([0; <SigningKey as Content>::WORDS]);
        let handle = Handle((&raw mut *object).cast());
        handle.set(SigningKey::from_bytes(&[seed; 32])).unwrap();
        (object, handle)
    }

    #[test]
    fn what_was_computed_while_an_object_changed_is_not_given_out() {
        let again = |handle: Handle<SigningKey>, seed: u8| {
            handle.clear().unwrap();
            handle.set(SigningKey::from_bytes(&[seed; 32])).unwrap();
        };
        let changes: [&dyn Fn(Handle<SigningKey>); 4] = [
            &|handle| handle.clear().unwrap(),
            &|handle| again(handle, 1),
            &|handle| again(handle, 2),
            &|handle| handle.set(SigningKey::from_bytes(&[1; 32])).unwrap(),
        ];
        for change in changes {
            let (_object, handle) = object(1);
            let sign = |key: &SigningKey| Ok(key.sign_with(Variant::Pure, b""));
            let in_peace = handle.using(sign).unwrap();
            let meanwhile = handle.using(|key| {
                let made = sign(key);
                change(handle);
                made
            });
            assert_eq!(meanwhile, Err(Fault::State));
            // nor an error that comes of it
            let error = |_: &SigningKey| {
                change(handle);
                Err::<(), _>(Fault::Made)
            };
            handle.set(SigningKey::from_bytes(&[1; 32])).unwrap();
            assert_eq!(handle.using(error), Err(Fault::State));
            handle.set(SigningKey::from_bytes(&[1; 32])).unwrap();
            assert_eq!(handle.using(sign), Ok(in_peace));
        }
    }

    #[test]
    fn an_object_that_is_wiped_while_it_changes_stays_wiped() {
        let (object, handle) = object(1);
        assert_eq!(handle.change(|_| handle.clear().unwrap()), Err(Fault::State));
        assert_eq!(*object, [0; <SigningKey as Content>::WORDS]);
        // and is not used by two calls at once
        let (_object, handle) = self::object(1);
        let inner = handle.change(|_| handle.change(|_| ()));
        assert_eq!(inner, Ok(Err(Fault::State)));
        assert_eq!(handle.change(|_| handle.take(|_| Ok(()))), Ok(Err(Fault::State)));
        assert!(handle.get().is_ok());
    }
}
