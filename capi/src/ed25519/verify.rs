//! Verification of one signature, and of many under one key that is prepared.

use crate::fault::{answer, code, done};
use crate::names::rule;
use crate::pointer::{Handle, In, content};
use crate::variant::{SignedInput, VariantArg, signed_input};
use core::ffi::c_int;
use sigmill::ed25519::{self, PreparedKey, VerifyingKey};

content!(2: PreparedKey = 960);

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
        Ok(code(match signed_input(variant)? {
            SignedInput::Message(variant) => {
                ed25519::verify_bytes(rule, variant, key, message, signature)
            }
            SignedInput::Digest(context) => {
                ed25519::verify_prehashed_bytes(rule, context, key, message, signature)
            }
        }))
    })
}

/// The verdict of a rule on a key alone.
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
            Ok(code(match signed_input(variant)? {
                SignedInput::Message(variant) => {
                    prepared.verify_bytes(rule, variant, message, signature)
                }
                SignedInput::Digest(context) => {
                    prepared.verify_prehashed_bytes(rule, context, message, signature)
                }
            }))
        })
    })
}
