//! The variant of Ed25519 as C says it, and with it what is signed or verified: a message or its digest.

use crate::fault::Fault;
use crate::pointer::{In, Room, plain_struct};
use core::ffi::c_int;
use sigmill::ed25519::{ContextString, Variant};

plain_struct! {
    /// `struct sigmill_variant`.
    pub struct VariantArg {
        kind: c_int,
        context: In<u8>,
        context_size: usize,
    }
}

/// The input of signing or verification under a variant: a message, or its digest.
#[derive(Clone, Copy)]
pub enum SignedInput<'a> {
    /// The message is given.
    Message(Variant<'a>),
    /// Ed25519ph, and its digest is given.
    Digest(ContextString<'a>),
}

/// A place for a context. Signing hashes a context twice, and two different ones would give the key away: it takes a
/// copy.
pub type ContextRoom = Room<255>;

impl<'a> SignedInput<'a> {
    fn of(kind: c_int, context: &'a [u8]) -> Result<Self, Fault> {
        let bytes = ContextString::new(context)?;
        match kind {
            0 if context.is_empty() => Ok(SignedInput::Message(Variant::Pure)),
            0 => Err(Fault::Context),
            1 => Ok(SignedInput::Message(Variant::Ctx(bytes))),
            2 => Ok(SignedInput::Message(Variant::Ph(bytes))),
            3 => Ok(SignedInput::Digest(bytes)),
            _ => Err(Fault::Variant),
        }
    }
}

impl VariantArg {
    /// The variant, if there is one of this kind with such a context.
    pub fn signed_input<'call>(&self) -> Result<SignedInput<'call>, Fault> {
        SignedInput::of(self.kind, self.context()?)
    }

    fn context<'call>(&self) -> Result<&'call [u8], Fault> {
        if self.context_size > 255 {
            // of several faults a null comes first, in every face
            return Err(if self.context.is_null() { Fault::Null } else { Fault::Context });
        }
        self.context.slice_of_call(self.context_size)
    }

    /// The memory of the context.
    #[cfg(feature = "bulk")]
    pub fn context_extent(&self) -> crate::pointer::Extent {
        self.context.extent(self.context_size)
    }
}

/// The variant behind a pointer; NULL is pure.
#[inline(always)]
pub fn signed_input<'call>(variant: In<VariantArg>) -> Result<SignedInput<'call>, Fault> {
    match variant.optional()? {
        Some(variant) => variant.signed_input(),
        None => Ok(SignedInput::Message(Variant::Pure)),
    }
}

/// The same for signing, with the context in a room of the library's own.
#[inline(always)]
pub fn signed_input_in(
    variant: In<VariantArg>,
    room: &mut ContextRoom,
) -> Result<SignedInput<'_>, Fault> {
    if variant.is_null() {
        return Ok(SignedInput::Message(Variant::Pure));
    }
    let variant = variant.copied()?;
    SignedInput::of(variant.kind, room.copy(variant.context()?).ok_or(Fault::Context)?)
}

impl<'a> SignedInput<'a> {
    /// The variant where a message is needed.
    fn variant(self) -> Result<Variant<'a>, Fault> {
        match self {
            SignedInput::Message(variant) => Ok(variant),
            SignedInput::Digest(_) => Err(Fault::Variant),
        }
    }
}

/// The variant where a message is needed.
pub fn variant_of<'call>(variant: In<VariantArg>) -> Result<Variant<'call>, Fault> {
    signed_input(variant)?.variant()
}

/// The same for signing, with the context in a room of the library's own.
pub fn variant_in(variant: In<VariantArg>, room: &mut ContextRoom) -> Result<Variant<'_>, Fault> {
    signed_input_in(variant, room)?.variant()
}
