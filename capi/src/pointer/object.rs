//! Objects: what lies in a structure of words, and whether it still does.

use super::memory::{Extent, Out, Plain};
use crate::fault::Fault;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering, fence};
use zeroize::Zeroize;

/// The content of an object: a structure of words in C, the first of which says what is in the others.
///
/// # Safety
/// No two types have the same tag, and `WORDS` is what the header says.
pub unsafe trait Content: Sized {
    /// Says that it is one: a number that memory does not hold by chance, and not 0.
    const TAG: u32;
    /// The words of the object, with that of the tag.
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

/// Says of a type that it lies in an object, with the number of its tag and the words that the header gives it.
macro_rules! content {
    ($number:literal: $type:ty = $words:literal) => {
        // SAFETY: `abi` compares the words with the header, and the numbers of all types with each other.
        unsafe impl $crate::pointer::Content for $type {
            const TAG: u32 = 0x5369_6700 + $number;
            const WORDS: usize = $words;
        }
    };
}

pub(crate) use content;

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
// SAFETY: an address; whether what lies there was changed meanwhile is looked at.
unsafe impl<T: Content + Sync> Sync for Handle<T> {}

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

    /// The content of an object that has one. Results of it may be returned only if the object is `still` in the
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

    /// Takes the content to change it or to keep it, in a copy, and tells the state before and the place of the original.
    /// Another call that comes here meanwhile finds none.
    #[inline(always)]
    fn begin(&self, copy: &mut MaybeUninit<T>) -> Result<(State, NonNull<T>), Fault> {
        let before = self.state()?;
        let ([_, state], content) = (self.head()?, self.place()?);
        state
            .compare_exchange(before, TAKEN, Ordering::Acquire, Ordering::Relaxed)
            .map_err(|_| Fault::State)?;
        let (from, to) = (content.as_ptr().cast::<u8>(), copy.as_mut_ptr().cast::<u8>());
        // SAFETY: the content was written before the state; source and place are different memory of its size.
        unsafe { to.copy_from_nonoverlapping(from, size_of::<T>()) };
        Ok((before, content))
    }

    /// Changes the content. A type that needs more alignment than words have is changed in a copy, which is wiped. If the
    /// object is wiped meanwhile, it stays so.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> Result<R, Fault> {
        let mut moved = MaybeUninit::<T>::uninit();
        let (before, content) = self.begin(&mut moved)?;
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
        let mut taken = MaybeUninit::<T>::uninit();
        let (before, content) = self.begin(&mut taken)?;
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
        let mut taken = MaybeUninit::<T>::uninit();
        self.begin(&mut taken)?;
        self.still(TAKEN)?;
        self.clear()?;
        // SAFETY: just copied, before any wipe but the one here, so that it is not taken twice.
        keep(unsafe { taken.assume_init() })
    }

    /// The place of the object.
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
