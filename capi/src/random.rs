//! Random bytes of the system.

use crate::fault::Fault;
use zeroize::Zeroizing;

/// 32 random bytes of the caller's, or of the system's.
pub fn random() -> Result<Zeroizing<[u8; 32]>, Fault> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(bytes.as_mut_slice()).map_err(|_| Fault::Randomness)?;
    Ok(bytes)
}
