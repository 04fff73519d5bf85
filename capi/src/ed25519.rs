//! Ed25519: keys, signatures, verification, streams and explanations.

use crate::fault::{Fault, answer, code, done, rule, wiped, wiped_after_error, wiped_deep};
use crate::pointer::{
    Handle, HashFinal, HashInit, HashUpdate, In, Opaque, Out, Pieces, Room, copy_shared, hash_by,
    plain_struct,
};
use core::ffi::c_int;
use sha2::Sha512 as Sha512State;
use sha2::digest::Digest;
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sigmill::ed25519::hazmat::{self, ExpandedSecretKey};
use sigmill::ed25519::{
    self, ContextString, Explanation, PointReport, PreparedKey, SecondPass, SharedMessage,
    Signature, SigningKey, StreamSigner, StreamVerifier, Variant, VerifyingKey, rules,
};
use sigmill::{Error, Verdict};
use zeroize::Zeroizing;

plain_struct! {
    /// `struct sigmill_variant`.
    pub struct VariantArg {
        kind: c_int,
        context: In<u8>,
        context_size: usize,
    }
}

/// What a caller means by a variant.
#[derive(Clone, Copy)]
pub enum Meant<'a> {
    /// The message is given.
    Message(Variant<'a>),
    /// Ed25519ph, and its digest is given.
    Digest(ContextString<'a>),
}

/// A place for a context. What signs hashes a context twice, and two different ones would give the key away: it takes a
/// copy.
pub type ContextRoom = Room<255>;

impl<'a> Meant<'a> {
    fn of(kind: c_int, context: &'a [u8]) -> Result<Self, Fault> {
        let bytes = ContextString::new(context)?;
        match kind {
            0 if context.is_empty() => Ok(Meant::Message(Variant::Pure)),
            0 => Err(Fault::Context),
            1 => Ok(Meant::Message(Variant::Ctx(bytes))),
            2 => Ok(Meant::Message(Variant::Ph(bytes))),
            3 => Ok(Meant::Digest(bytes)),
            _ => Err(Fault::Variant),
        }
    }
}

impl VariantArg {
    /// The variant, if there is one of this kind with such a context.
    pub fn meant<'call>(&self) -> Result<Meant<'call>, Fault> {
        Meant::of(self.kind, self.context()?)
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
pub fn meant<'call>(variant: In<VariantArg>) -> Result<Meant<'call>, Fault> {
    match variant.optional()? {
        Some(variant) => variant.meant(),
        None => Ok(Meant::Message(Variant::Pure)),
    }
}

/// The same for signing, with the context in a room of the library's own.
#[inline(always)]
fn meant_in(variant: In<VariantArg>, room: &mut ContextRoom) -> Result<Meant<'_>, Fault> {
    if variant.is_null() {
        return Ok(Meant::Message(Variant::Pure));
    }
    let variant = variant.copied()?;
    Meant::of(variant.kind, room.copy(variant.context()?).ok_or(Fault::Context)?)
}

impl<'a> Meant<'a> {
    /// The variant where a message is needed.
    fn variant(self) -> Result<Variant<'a>, Fault> {
        match self {
            Meant::Message(variant) => Ok(variant),
            Meant::Digest(_) => Err(Fault::Variant),
        }
    }
}

/// The variant where a message is needed.
pub fn variant_of<'call>(variant: In<VariantArg>) -> Result<Variant<'call>, Fault> {
    meant(variant)?.variant()
}

/// The same for signing, with the context in a room of the library's own.
pub fn variant_in(variant: In<VariantArg>, room: &mut ContextRoom) -> Result<Variant<'_>, Fault> {
    meant_in(variant, room)?.variant()
}

/// A copy of the 64 bytes of a digest that is to be signed.
fn digest(message: &[u8]) -> Result<[u8; 64], Fault> {
    let mut copy = [0; 64];
    if message.len() != copy.len() {
        return Err(Fault::Length);
    }
    copy_shared(message, 0, &mut copy);
    Ok(copy)
}

/// Messages up to here are copied, which costs less than 1 % of what signing takes.
const SHORT: usize = 16 * 1024;

/// Signs a message that other code may write to meanwhile: a copy of a short one, and a long one as its type says. The copy
/// has a frame of its own, below those with secrets, which are wiped.
#[inline(never)]
fn sign_shared<R>(
    message: &[u8],
    short: impl FnOnce(&[u8]) -> R,
    long: impl FnOnce(&SharedMessage<'_>) -> R,
) -> R {
    if let Some(copy) = Room::<SHORT>::new().copy(message) {
        return short(copy);
    }
    let read = |offset: usize, piece: &mut [u8]| copy_shared(message, offset, piece);
    long(&SharedMessage::new(message.len(), &read))
}

/// The same with a key.
pub fn sign_with_key(
    key: &SigningKey,
    variant: Variant<'_>,
    message: &[u8],
) -> Result<Signature, Error> {
    let short = |message: &[u8]| Ok(key.sign_with(variant, message));
    sign_shared(message, short, |message| key.sign_shared(variant, message))
}

/// 32 random bytes of the caller's, or of the system's.
pub fn random() -> Result<Zeroizing<[u8; 32]>, Fault> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(bytes.as_mut_slice()).map_err(|_| Fault::Randomness)?;
    Ok(bytes)
}

/// Makes a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_keygen(seed: Out<[u8; 32]>, public_key: Out<[u8; 32]>) -> c_int {
    wiped(|| {
        let (seed, public_key) = (seed.place()?, public_key.place()?);
        let made = random()?;
        public_key.put(SigningKey::from_bytes(&made).verifying_key().to_bytes());
        seed.put(*made);
        Ok(())
    })
}

/// The public key of a seed.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_public_key(
    public_key: Out<[u8; 32]>,
    seed: In<[u8; 32]>,
) -> c_int {
    wiped(|| {
        let public_key = public_key.place()?;
        public_key.put(SigningKey::from_bytes(&seed.copied()?).verifying_key().to_bytes());
        Ok(())
    })
}

/// Signs with a seed.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_sign(
    signature: Out<[u8; 64]>,
    seed: In<[u8; 32]>,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
) -> c_int {
    wiped(|| {
        let place = signature.place()?;
        let (seed, message) = (seed.copied()?, message.slice(message_size)?);
        let signature = match meant_in(variant, &mut Room::new())? {
            Meant::Message(variant) => sign_shared(
                message,
                |message| Ok(ed25519::sign_with_seed(&seed, variant, message)),
                |message| ed25519::sign_shared_with_seed(&seed, variant, message),
            )?,
            Meant::Digest(context) => {
                SigningKey::from_bytes(&seed).sign_prehashed_with(context, &digest(message)?)
            }
        };
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// Signs with a seed and its public key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_sign_pair(
    signature: Out<[u8; 64]>,
    pair: In<[u8; 64]>,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
) -> c_int {
    wiped(|| {
        let place = signature.place()?;
        let (pair, message) = (pair.copied()?, message.slice(message_size)?);
        let signature = match meant_in(variant, &mut Room::new())? {
            Meant::Message(variant) => sign_shared(
                message,
                |message| ed25519::sign_with_keypair(&pair, variant, message),
                |message| ed25519::sign_shared_with_keypair(&pair, variant, message),
            )?,
            Meant::Digest(context) => {
                let digest = digest(message)?;
                key_of_pair(&pair)?.sign_prehashed_with(context, &digest)
            }
        };
        place.put(signature.to_bytes());
        Ok(())
    })
}

fn key_of_pair(pair: &[u8; 64]) -> Result<SigningKey, Fault> {
    SigningKey::from_keypair_bytes(pair).map_err(|_| Fault::Pair)
}

/// Verifies.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_verify(
    rule_number: c_int,
    variant: In<VariantArg>,
    public_key: In<u8>,
    public_key_size: usize,
    message: In<u8>,
    message_size: usize,
    signature: In<u8>,
    signature_size: usize,
) -> c_int {
    answer(|| {
        let rule = rule(rule_number)?;
        let key = public_key.slice(public_key_size)?;
        let (message, signature) = (message.slice(message_size)?, signature.slice(signature_size)?);
        Ok(code(match meant(variant)? {
            Meant::Message(variant) => {
                ed25519::verify_bytes(rule, variant, key, message, signature)
            }
            Meant::Digest(context) => {
                ed25519::verify_prehashed_bytes(rule, context, key, message, signature)
            }
        }))
    })
}

/// What a rule says of a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_check_key(
    rule_number: c_int,
    public_key: In<u8>,
    public_key_size: usize,
) -> c_int {
    answer(|| {
        let rule = rule(rule_number)?;
        Ok(code(ed25519::check_key_bytes(rule, public_key.slice(public_key_size)?)))
    })
}

/// Makes a key of a seed.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_init(key: Handle<SigningKey>, seed: In<[u8; 32]>) -> c_int {
    wiped(|| {
        key.check()?;
        let made = SigningKey::from_bytes(&seed.copied()?);
        key.set(made)
    })
}

/// Makes a key of a pair.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_init_pair(
    key: Handle<SigningKey>,
    pair: In<[u8; 64]>,
) -> c_int {
    wiped(|| {
        key.check()?;
        let made = key_of_pair(&pair.copied()?)?;
        key.set(made)
    })
}

/// Its public key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_public(
    key: Handle<SigningKey>,
    public_key: Out<[u8; 32]>,
) -> c_int {
    done(|| {
        let place = public_key.place()?;
        place.put(key.using(|key| Ok(key.verifying_key().to_bytes()))?);
        Ok(())
    })
}

/// Its seed.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_seed(key: Handle<SigningKey>, seed: Out<[u8; 32]>) -> c_int {
    wiped(|| {
        let place = seed.place()?;
        place.put(key.using(|key| Ok(*key.as_bytes()))?);
        Ok(())
    })
}

/// Signs.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_sign(
    key: Handle<SigningKey>,
    signature: Out<[u8; 64]>,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
) -> c_int {
    wiped_after_error(|| {
        let place = signature.place()?;
        let signature = key.using(|key| {
            let message = message.slice(message_size)?;
            match meant_in(variant, &mut Room::new())? {
                Meant::Message(variant) => Ok(sign_with_key(key, variant, message)?),
                Meant::Digest(context) => Ok(key.sign_prehashed_with(context, &digest(message)?)),
            }
        })?;
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// Signs with random bytes in the nonce.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_sign_hedged(
    key: Handle<SigningKey>,
    signature: Out<[u8; 64]>,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
    noise: In<[u8; 32]>,
) -> c_int {
    wiped(|| {
        let place = signature.place()?;
        let signature = key.using(|key| {
            let message = message.slice(message_size)?;
            let mut room = Room::new();
            let variant = variant_in(variant, &mut room)?;
            let noise = match noise.optional()? {
                Some(noise) => Zeroizing::new(*noise),
                None => random()?,
            };
            Ok(sign_shared(
                message,
                |message| Ok(key.sign_hedged(variant, &noise, message)),
                |message| key.sign_shared_hedged(variant, &noise, message),
            )?)
        })?;
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// Signs, and looks at what came out.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_sign_checked(
    key: Handle<SigningKey>,
    signature: Out<[u8; 64]>,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
    noise: In<[u8; 32]>,
) -> c_int {
    wiped_deep(|| {
        let place = signature.place()?;
        let signature = key.using(|key| {
            let message = message.slice(message_size)?;
            let mut room = Room::new();
            let (variant, noise) = (variant_in(variant, &mut room)?, noise.optional()?);
            let read = |offset: usize, piece: &mut [u8]| copy_shared(message, offset, piece);
            let message = SharedMessage::new(message.len(), &read);
            Ok(key.sign_shared_checked(variant, noise, &message)?)
        })?;
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// Wipes a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_key_wipe(key: Handle<SigningKey>) -> c_int {
    done(|| key.clear())
}

/// Makes the tables of a key.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_prepare(
    prepared: Handle<PreparedKey>,
    public_key: In<[u8; 32]>,
) -> c_int {
    done(|| {
        prepared.check()?;
        let key = VerifyingKey::decode(public_key.get()?)?;
        prepared.set(PreparedKey::new(&key))
    })
}

/// Verifies with tables.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_prepared_verify(
    prepared: Handle<PreparedKey>,
    rule_number: c_int,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
    signature: In<u8>,
    signature_size: usize,
) -> c_int {
    answer(|| {
        prepared.using(|prepared| {
            let rule = rule(rule_number)?;
            let message = message.slice(message_size)?;
            let signature = signature.slice(signature_size)?;
            Ok(code(match meant(variant)? {
                Meant::Message(variant) => prepared.verify_bytes(rule, variant, message, signature),
                Meant::Digest(context) => {
                    prepared.verify_prehashed_bytes(rule, context, message, signature)
                }
            }))
        })
    })
}

/// The content of `struct sigmill_ed25519_prehash`: SHA-512 so far, as bytes, because its own type asks for words of
/// 16 bytes.
#[repr(align(8))]
pub struct Prehash(SerializedState<Sha512State>);

impl Prehash {
    fn read(&self) -> Result<Sha512State, Fault> {
        Sha512State::deserialize(&self.0).map_err(|_| Fault::State)
    }
}

/// Begins to hash.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_prehash_init(prehash: Handle<Prehash>) -> c_int {
    done(|| {
        prehash.check()?;
        prehash.set(Prehash(Sha512State::new().serialize()))
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

/// What is behind `struct sigmill_ed25519_verifier`.
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

/// What is behind `struct sigmill_ed25519_signer`.
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

plain_struct! {
    /// `struct sigmill_point_facts`.
    pub struct PointFacts {
        decodes: u8,
        canonical: u8,
        small: u8,
        torsion_order: u8,
    }
}

impl From<PointReport> for PointFacts {
    fn from(report: PointReport) -> Self {
        let PointReport { decodes, canonical, small, torsion_order } = report;
        let [decodes, canonical, small] = [decodes, canonical, small].map(u8::from);
        PointFacts { decodes, canonical, small, torsion_order }
    }
}

plain_struct! {
    /// `struct sigmill_ed25519_facts`.
    pub struct Facts {
        key: PointFacts,
        r: PointFacts,
        s_below_order: u8,
        s_top_bits_clear: u8,
        exact: u8,
        cofactored: u8,
        has_residual: u8,
        residual_identity: u8,
        residual_small: u8,
        residual_torsion_order: u8,
        verdict: [u8; 9],
        unused: [u8; 7],
        k: [u8; 32],
    }
}

/// All facts about a signature.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_explain(
    facts: Out<Facts>,
    variant: In<VariantArg>,
    public_key: In<[u8; 32]>,
    message: In<u8>,
    message_size: usize,
    signature: In<[u8; 64]>,
) -> c_int {
    done(|| {
        let place = facts.place()?;
        let variant = variant_of(variant)?;
        let message = message.slice(message_size)?;
        let about = Explanation::new(variant, public_key.get()?, message, signature.get()?);
        let mut verdict = [0; 9];
        for rule in rules::ALL {
            verdict[usize::from(rule.id())] = code(about.verdict(rule)) as u8;
        }
        let residual = about.residual.as_ref();
        place.put(Facts {
            key: about.a.into(),
            r: about.r.into(),
            s_below_order: about.facts.s_below_order.into(),
            s_top_bits_clear: about.facts.s_top_bits_clear.into(),
            exact: about.facts.exact.into(),
            cofactored: about.facts.cofactored.into(),
            has_residual: residual.is_some().into(),
            residual_identity: residual.is_some_and(|residual| residual.identity).into(),
            residual_small: residual.is_some_and(|residual| residual.small).into(),
            residual_torsion_order: residual.map_or(0, |residual| residual.torsion_order),
            verdict,
            unused: [0; 7],
            k: about.k,
        });
        Ok(())
    })
}

plain_struct! {
    /// `struct sigmill_sha512`.
    pub struct Sha512 {
        context: Opaque,
        init: Option<HashInit>,
        update: Option<HashUpdate>,
        finish: Option<HashFinal>,
    }
}

/// The scalar and the prefix of a seed.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_hazmat_ed25519_expand(
    expanded: Out<[u8; 64]>,
    seed: In<[u8; 32]>,
) -> c_int {
    wiped(|| {
        let place = expanded.place()?;
        place.put(*Zeroizing::new(hazmat::expand(&seed.copied()?)));
        Ok(())
    })
}

/// The public key of a scalar.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_hazmat_ed25519_public_key(
    public_key: Out<[u8; 32]>,
    expanded: In<[u8; 64]>,
) -> c_int {
    wiped(|| {
        let place = public_key.place()?;
        let secret = ExpandedSecretKey::from_scalar_and_prefix(&expanded.copied()?);
        place.put(VerifyingKey::from(&secret).to_bytes());
        Ok(())
    })
}

/// Signs with a scalar and a prefix.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_hazmat_ed25519_sign(
    signature: Out<[u8; 64]>,
    expanded: In<[u8; 64]>,
    variant: In<VariantArg>,
    message: In<u8>,
    message_size: usize,
) -> c_int {
    wiped(|| {
        let place = signature.place()?;
        let message = message.slice(message_size)?;
        let secret = ExpandedSecretKey::from_scalar_and_prefix(&expanded.copied()?);
        let signature = match meant_in(variant, &mut Room::new())? {
            Meant::Message(variant) => sign_shared(
                message,
                |message| Ok(secret.sign_with(variant, message)),
                |message| secret.sign_shared(variant, message),
            )?,
            Meant::Digest(context) => secret.sign_prehashed_with(context, &digest(message)?),
        };
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// The hash of pieces by the caller's functions.
fn own_piece_hash(hash: In<Sha512>) -> Result<impl Fn(&mut Pieces<'_>) -> [u8; 64], Fault> {
    let Sha512 { context, init, update, finish } = *hash.get()?;
    let (Some(init), Some(update), Some(finish)) = (init, update, finish) else {
        return Err(Fault::Null);
    };
    Ok(move |pieces: &mut Pieces<'_>| hash_by(context, (init, update, finish), pieces))
}

/// The same of slices.
fn own_hash(hash: In<Sha512>) -> Result<impl Fn(&[&[u8]]) -> [u8; 64], Fault> {
    let hash = own_piece_hash(hash)?;
    Ok(move |pieces: &[&[u8]]| hash(&mut |update| pieces.iter().for_each(|piece| update(piece))))
}

/// The public key of a seed, by the caller's hash.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_public_key_hashed(
    public_key: Out<[u8; 32]>,
    hash: In<Sha512>,
    seed: In<[u8; 32]>,
) -> c_int {
    wiped(|| {
        let place = public_key.place()?;
        let hash = own_hash(hash)?;
        place.put(ed25519::public_key_with_hash(&hash, &seed.copied()?));
        Ok(())
    })
}

/// Signs by the caller's hash.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_sign_hashed(
    signature: Out<[u8; 64]>,
    hash: In<Sha512>,
    seed: In<[u8; 32]>,
    message: In<u8>,
    message_size: usize,
) -> c_int {
    wiped(|| {
        let place = signature.place()?;
        let (hash, message) = (own_piece_hash(hash)?, message.slice(message_size)?);
        let seed = seed.copied()?;
        let read = |offset: usize, piece: &mut [u8]| copy_shared(message, offset, piece);
        let message = SharedMessage::new(message.len(), &read);
        let signature = ed25519::sign_shared_with_hash(&hash, &seed, &message)?;
        place.put(signature.to_bytes());
        Ok(())
    })
}

/// Verifies by the caller's hash.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_verify_hashed(
    rule_number: c_int,
    hash: In<Sha512>,
    public_key: In<u8>,
    public_key_size: usize,
    message: In<u8>,
    message_size: usize,
    signature: In<u8>,
    signature_size: usize,
) -> c_int {
    answer(|| {
        let (rule, hash) = (rule(rule_number)?, own_hash(hash)?);
        let key = public_key.slice(public_key_size)?;
        let (message, signature) = (message.slice(message_size)?, signature.slice(signature_size)?);
        Ok(code(ed25519::verify_with_hash(&hash, rule, key, message, signature)))
    })
}

/// What `abi` compares with the header.
#[cfg(all(test, feature = "std", feature = "all"))]
pub fn layouts() -> Vec<String> {
    use crate::abi::{layouts, object};
    let mut lines = layouts! {
        "sigmill_variant" = self::VariantArg { kind, context, context_size };
        "sigmill_point_facts" = self::PointFacts { decodes, canonical, small, torsion_order };
        "sigmill_ed25519_facts" = self::Facts {
            key, r, s_below_order, s_top_bits_clear, exact, cofactored, has_residual, residual_identity,
            residual_small, residual_torsion_order, verdict, unused, k
        };
        "sigmill_sha512" = self::Sha512 { context, init, update, finish as final };
    };
    lines.extend(object::<SigningKey>("sigmill_ed25519_key"));
    lines.extend(object::<PreparedKey>("sigmill_ed25519_prepared"));
    lines.extend(object::<Prehash>("sigmill_ed25519_prehash"));
    lines.extend(object::<Verifier>("sigmill_ed25519_verifier"));
    lines.extend(object::<Signer>("sigmill_ed25519_signer"));
    lines
}
