//! Ed25519: keys, signatures, verdicts.

use crate::arena::{ask, call, exactly, noise, put};
use crate::fault::Fault;
use crate::names::rule;
use crate::objects::{Object, One, keep, with};
use sigmill::ed25519::{
    ContextString, Explanation, PointReport, PreparedKey, SigningKey, Variant, VerifyingKey,
    check_key_bytes, rules, sign_with_seed, verify_bytes, verify_prehashed_bytes,
};

/// 0 is Ed25519, 1 Ed25519ctx, 2 Ed25519ph.
pub(crate) fn variant(number: u32, context: &[u8]) -> Result<Variant<'_>, Fault> {
    let context = ContextString::new(context)?;
    match number {
        0 => Ok(Variant::Pure),
        1 => Ok(Variant::Ctx(context)),
        2 => Ok(Variant::Ph(context)),
        _ => Err(Fault::Call),
    }
}

/// Verifies context ‖ key ‖ message ‖ signature: 0, or the code of the reason.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_verify(
    number: usize,
    kind: u32,
    context: usize,
    key: usize,
    message: usize,
    signature: usize,
) -> i32 {
    ask([context, key, message, signature], |[context, key, message, signature]| {
        let verdict = verify_bytes(rule(number)?, variant(kind, context)?, key, message, signature);
        Ok(verdict.code().into())
    })
}

/// Verifies context ‖ key ‖ digest ‖ signature of Ed25519ph.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_verify_digest(
    number: usize,
    context: usize,
    key: usize,
    digest: usize,
    signature: usize,
) -> i32 {
    ask([context, key, digest, signature], |[context, key, digest, signature]| {
        let context = ContextString::new(context)?;
        Ok(verify_prehashed_bytes(rule(number)?, context, key, digest, signature).code().into())
    })
}

/// The verdict of a rule on a key as such.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_check_key(number: usize, key: usize) -> i32 {
    ask([key], |[key]| Ok(check_key_bytes(rule(number)?, key).code().into()))
}

/// Makes the tables of a key: its handle.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_prepare(key: usize) -> i32 {
    ask([key], |[key]| {
        let key = VerifyingKey::decode(key)?;
        keep(Object::Prepared(One::new(|| Ok(PreparedKey::new(&key)))?))
    })
}

/// Verifies context ‖ message ‖ signature with a prepared key.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_verify_prepared(
    handle: usize,
    number: usize,
    kind: u32,
    context: usize,
    message: usize,
    signature: usize,
) -> i32 {
    ask([context, message, signature], |[context, message, signature]| {
        let (rule, variant) = (rule(number)?, variant(kind, context)?);
        prepared(handle, |key| key.verify_bytes(rule, variant, message, signature).code())
    })
}

/// Verifies context ‖ digest ‖ signature of Ed25519ph with a prepared key.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_verify_digest_prepared(
    handle: usize,
    number: usize,
    context: usize,
    digest: usize,
    signature: usize,
) -> i32 {
    ask([context, digest, signature], |[context, digest, signature]| {
        let (rule, context) = (rule(number)?, ContextString::new(context)?);
        prepared(handle, |key| key.verify_prehashed_bytes(rule, context, digest, signature).code())
    })
}

fn prepared(handle: usize, verify: impl FnOnce(&PreparedKey) -> u8) -> Result<usize, Fault> {
    with(handle, |object| match object {
        Object::Prepared(key) => Ok(verify(key.get()?).into()),
        _ => Err(Fault::Handle),
    })
}

/// Writes the public key of a seed.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_public_key(seed: usize) -> i32 {
    call([seed], |[seed], result| {
        put(result, SigningKey::from_bytes(exactly(seed)?).verifying_key().as_bytes())
    })
}

/// Keeps the key of a seed: its handle.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_key(seed: usize) -> i32 {
    call([seed], |[seed], _| {
        let seed = exactly(seed)?;
        keep(Object::Signing(One::new(|| Ok(SigningKey::from_bytes(seed)))?))
    })
}

/// Signs: seed ‖ noise ‖ context ‖ message. A key that was kept has a handle, and no seed is given; without noise the
/// signature is deterministic. With `checked` it is made twice and verified.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_sign(
    handle: usize,
    kind: u32,
    checked: u32,
    seed: usize,
    noise_length: usize,
    context: usize,
    message: usize,
) -> i32 {
    let lengths = [seed, noise_length, context, message];
    call(lengths, |[seed, random, context, message], result| {
        let (variant, random) = (variant(kind, context)?, noise(random)?);
        if handle == 0 && checked == 0 && random.is_none() {
            return put(result, &sign_with_seed(exactly(seed)?, variant, message).to_bytes());
        }
        let signature = signing(handle, seed, |key| match (checked != 0, random) {
            (true, random) => Ok(key.sign_checked(variant, random, message)?),
            (false, Some(random)) => Ok(key.sign_hedged(variant, random, message)),
            (false, None) => Ok(key.sign_with(variant, message)),
        })?;
        put(result, &signature.to_bytes())
    })
}

/// Signs seed ‖ context ‖ digest by Ed25519ph.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_sign_digest(
    handle: usize,
    seed: usize,
    context: usize,
    digest: usize,
) -> i32 {
    call([seed, context, digest], |[seed, context, digest], result| {
        let (context, digest) = (ContextString::new(context)?, exactly(digest)?);
        let signature = signing(handle, seed, |key| Ok(key.sign_prehashed_with(context, digest)))?;
        put(result, &signature.to_bytes())
    })
}

/// Uses the key with this handle, or that of the seed where there is none.
fn signing<T>(
    handle: usize,
    seed: &[u8],
    sign: impl FnOnce(&SigningKey) -> Result<T, Fault>,
) -> Result<T, Fault> {
    if handle == 0 {
        return sign(&SigningKey::from_bytes(exactly(seed)?));
    }
    with(handle, |object| match object {
        Object::Signing(key) => sign(key.get()?),
        _ => Err(Fault::Handle),
    })
}

/// Writes all facts about context ‖ key ‖ message ‖ signature: for A and R each whether it decodes, whether it is
/// canonical, whether it has small order, and the order of its torsion part; s below the order, the exact and the
/// cofactored equation, the order of the residual's torsion part or 0; k; the code of each rule's verdict.
#[unsafe(no_mangle)]
pub extern "C" fn ed25519_explain(
    kind: u32,
    context: usize,
    key: usize,
    message: usize,
    signature: usize,
) -> i32 {
    call([context, key, message, signature], |[context, key, message, signature], result| {
        let facts =
            Explanation::new(variant(kind, context)?, exactly(key)?, message, exactly(signature)?);
        let point = |point: PointReport| {
            [point.decodes.into(), point.canonical.into(), point.small.into(), point.torsion_order]
        };
        let (s, exact) = (facts.facts.s_below_order, facts.facts.exact);
        let residual = facts.residual.map_or(0, |residual| residual.torsion_order);
        let tail = [s.into(), exact.into(), facts.facts.cofactored.into(), residual];
        let verdicts = rules::ALL.map(|rule| facts.verdict(rule).code());
        let mut length = 0;
        for part in [&point(facts.a)[..], &point(facts.r), &tail, &facts.k, &verdicts] {
            let place = result.get_mut(length..length + part.len()).ok_or(Fault::Call)?;
            place.copy_from_slice(part);
            length += part.len();
        }
        Ok(length)
    })
}
