//! Secret scalars and prefixes of nonces in the place of seeds.

use super::sign::sign_input;
use crate::fault::wiped;
use crate::pointer::{In, Out};
use crate::variant::VariantArg;
use core::ffi::c_int;
use sigmill::ed25519::VerifyingKey;
use sigmill::ed25519::hazmat::{self, ExpandedSecretKey};
use zeroize::Zeroizing;

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
        let signature = sign_input(
            variant,
            message,
            |variant, message| Ok(secret.sign_with(variant, message)),
            |variant, message| secret.sign_shared(variant, message),
            |context, digest| Ok(secret.sign_prehashed_with(context, digest)),
        )?;
        place.put(signature.to_bytes());
        Ok(())
    })
}
