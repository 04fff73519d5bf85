//! Keys and streams that stay in the module between calls, by handles from 1 up.

use crate::arena::lock;
use crate::fault::{Fault, number};
use sigmill::ed25519::{PreparedKey, Sha512, SigningKey, StreamVerifier};
use std::sync::Mutex;

/// One of them, in memory of its own.
pub(crate) enum Object {
    Signing(One<SigningKey>),
    Prepared(One<PreparedKey>),
    Verifier(One<StreamVerifier>),
    Hash(One<Sha512>),
    #[cfg(feature = "ecdsa")]
    P256(One<sigmill::ecdsa::p256::SigningKey>),
    #[cfg(feature = "ecdsa")]
    P384(One<sigmill::ecdsa::p384::SigningKey>),
}

/// A box whose memory is asked for without a trap where there is none.
pub(crate) struct One<T>(Vec<T>);

impl<T> One<T> {
    pub(crate) fn new(make: impl FnOnce() -> Result<T, Fault>) -> Result<Self, Fault> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(1).map_err(|_| Fault::Memory)?;
        memory.push(make()?);
        Ok(One(memory))
    }

    pub(crate) fn get(&self) -> Result<&T, Fault> {
        self.0.first().ok_or(Fault::Handle)
    }

    pub(crate) fn get_mut(&mut self) -> Result<&mut T, Fault> {
        self.0.first_mut().ok_or(Fault::Handle)
    }

    pub(crate) fn take(mut self) -> Result<T, Fault> {
        self.0.pop().ok_or(Fault::Handle)
    }
}

static OBJECTS: Mutex<Vec<Option<Object>>> = Mutex::new(Vec::new());

/// Keeps an object, in the first free place; its handle.
pub(crate) fn keep(object: Object) -> Result<usize, Fault> {
    let mut objects = lock(&OBJECTS);
    let free = objects.iter().position(Option::is_none);
    let place = match free {
        Some(place) => place,
        None => {
            objects.try_reserve(1).map_err(|_| Fault::Memory)?;
            objects.push(None);
            objects.len() - 1
        }
    };
    objects[place] = Some(object);
    Ok(place + 1)
}

/// Uses the object with this handle.
pub(crate) fn with<T>(
    handle: usize,
    work: impl FnOnce(&mut Object) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut objects = lock(&OBJECTS);
    let place = handle.checked_sub(1).and_then(|place| objects.get_mut(place));
    work(place.and_then(Option::as_mut).ok_or(Fault::Handle)?)
}

/// Takes the object with this handle away.
pub(crate) fn take(handle: usize) -> Result<Object, Fault> {
    let mut objects = lock(&OBJECTS);
    let place = handle.checked_sub(1).and_then(|place| objects.get_mut(place));
    place.and_then(Option::take).ok_or(Fault::Handle)
}

/// Drops the object with this handle; a secret key in it is wiped.
#[unsafe(no_mangle)]
pub extern "C" fn release(handle: usize) -> i32 {
    number(take(handle).map(|_| 0))
}
