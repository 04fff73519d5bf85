//! Messages in pieces: hashes, verifiers, signers.

use crate::fault::{Fault, answer, code, done, wiped, wiped_deep};
use crate::names::rule;
use crate::pointer::{Handle, In, Out, Room, content, copy_shared};
use crate::variant::{VariantArg, variant_in, variant_of};
use core::ffi::c_int;
use sha2::Sha512;
use sha2::digest::Digest;
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sigmill::Verdict;
use sigmill::ed25519::{SecondPass, SigningKey, StreamSigner, StreamVerifier};

content!(3: Verifier = 96);
content!(4: Signer = 192);
content!(7: Prehash = 32);

/// The content of `struct sigmill_ed25519_prehash`: SHA-512 so far, as bytes, because its own type asks for words of
/// 16 bytes.
#[repr(align(8))]
pub struct Prehash(SerializedState<Sha512>);

impl Prehash {
    fn read(&self) -> Result<Sha512, Fault> {
        Sha512::deserialize(&self.0).map_err(|_| Fault::State)
    }
}

/// Begins to hash.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_prehash_init(prehash: Handle<Prehash>) -> c_int {
    done(|| {
        prehash.check()?;
        prehash.set(Prehash(Sha512::new().serialize()))
    })
}

/// Takes a piece of the message.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_prehash_update(
    prehash: Handle<Prehash>,
    piece: In<u8>,
    piece_size: usize,
) -> c_int {
    done(|| {
        let piece = piece.slice(piece_size)?;
        prehash.change(|prehash| {
            let mut hash = prehash.read()?;
            hash.update(piece);
            prehash.0 = hash.serialize();
            Ok(())
        })?
    })
}

/// The digest.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_prehash_finish(
    prehash: Handle<Prehash>,
    digest: Out<[u8; 64]>,
) -> c_int {
    done(|| {
        let place = digest.place()?;
        let digest = prehash.take(|prehash| Ok(prehash.read()?.finalize().into()))?;
        place.put(digest);
        Ok(())
    })
}

/// The content of `struct sigmill_ed25519_verifier`.
#[allow(clippy::large_enum_variant)] // lies in the caller's memory
pub enum Verifier {
    /// The message matters.
    Open(StreamVerifier),
    /// It does not: key or signature cannot be read.
    Refused(Verdict),
}

/// Begins to verify.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_verifier_init(
    verifier: Handle<Verifier>,
    rule_number: c_int,
    variant: In<VariantArg>,
    public_key: In<u8>,
    public_key_size: usize,
    signature: In<u8>,
    signature_size: usize,
) -> c_int {
    done(|| {
        verifier.check()?;
        let (rule, variant) = (rule(rule_number)?, variant_of(variant)?);
        let key = public_key.slice(public_key_size)?;
        let signature = signature.slice(signature_size)?;
        verifier.set(match StreamVerifier::from_bytes(rule, variant, key, signature) {
            Ok(stream) => Verifier::Open(stream),
            Err(refused) => Verifier::Refused(refused),
        })
    })
}

/// Takes a piece of the message.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_verifier_update(
    verifier: Handle<Verifier>,
    piece: In<u8>,
    piece_size: usize,
) -> c_int {
    done(|| {
        let piece = piece.slice(piece_size)?;
        verifier.change(|verifier| {
            if let Verifier::Open(stream) = verifier {
                stream.update(piece);
            }
        })
    })
}

/// The verdict.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_verifier_finish(verifier: Handle<Verifier>) -> c_int {
    answer(|| {
        verifier.take(|verifier| {
            Ok(code(match verifier {
                Verifier::Open(stream) => stream.finish(),
                Verifier::Refused(verdict) => verdict,
            }))
        })
    })
}

/// The content of `struct sigmill_ed25519_signer`.
#[allow(clippy::large_enum_variant)] // lies in the caller's memory
pub enum Signer {
    /// In the first pass.
    First(StreamSigner<'static>),
    /// In the second.
    Second(SecondPass<'static>),
}

/// Begins to sign.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_signer_init(
    signer: Handle<Signer>,
    key: Handle<SigningKey>,
    variant: In<VariantArg>,
    noise: In<[u8; 32]>,
) -> c_int {
    wiped(|| {
        signer.check()?;
        let before = key.state()?;
        let (content, mut room) = (key.content()?, Room::new());
        let variant = variant_in(variant, &mut room)?;
        let made = match noise.optional()? {
            Some(noise) => StreamSigner::hedged(content, variant, noise),
            None => StreamSigner::new(content, variant),
        };
        key.still(before)?;
        signer.set(Signer::First(made))
    })
}

/// Takes a piece of the message.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_signer_update(
    signer: Handle<Signer>,
    piece: In<u8>,
    piece_size: usize,
) -> c_int {
    wiped(|| {
        let piece = piece.slice(piece_size)?;
        signer.change(|signer| {
            // each pass hashes what it is given twice
            let mut copy = [0; 1024];
            for piece in piece.chunks(copy.len()) {
                let copy = &mut copy[..piece.len()];
                copy_shared(piece, 0, copy);
                match signer {
                    Signer::First(pass) => pass.update(copy),
                    Signer::Second(pass) => pass.update(copy),
                }
            }
        })
    })
}

/// Begins the second pass.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_signer_second_pass(signer: Handle<Signer>) -> c_int {
    wiped_deep(|| {
        if signer.change(|signer| matches!(signer, Signer::Second(_)))? {
            return Err(Fault::State);
        }
        signer.replace(|signer| match signer {
            Signer::First(pass) => Signer::Second(pass.second_pass()),
            second => second,
        })
    })
}

/// The signature.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_signer_finish(
    signer: Handle<Signer>,
    signature: Out<[u8; 64]>,
) -> c_int {
    wiped(|| {
        let place = signature.place()?;
        let signature = signer.take(|signer| match signer {
            Signer::First(_) => Err(Fault::State),
            Signer::Second(pass) => Ok(pass.finish()?),
        })?;
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// Wipes a signer.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_signer_wipe(signer: Handle<Signer>) -> c_int {
    done(|| signer.clear())
}
