//! Parts of JSON Web Keys, for the host.

use crate::{OTHERS, bad_key, refused, unsupported};
use jsonwebtoken::Algorithm;
use jsonwebtoken::errors::Result;
use jsonwebtoken::jwk::{EllipticCurve, ThumbprintHash};
use sha2::{Digest, Sha256, Sha384, Sha512};
use sigmill::ecdsa::{p256, p384};
use sigmill::ed25519;

pub(crate) fn ec_of_private(
    der: &[u8],
    algorithm: Algorithm,
) -> Result<(EllipticCurve, Vec<u8>, Vec<u8>)> {
    let of = |why| bad_key(algorithm, "private", why);
    let (curve, point) = match algorithm {
        Algorithm::ES256 => {
            let key = p256::SigningKey::from_private_key_der(der).map_err(of)?;
            (EllipticCurve::P256, key.verifying_key().to_sec1_bytes().to_vec())
        }
        Algorithm::ES384 => {
            let key = p384::SigningKey::from_private_key_der(der).map_err(of)?;
            (EllipticCurve::P384, key.verifying_key().to_sec1_bytes().to_vec())
        }
        other => {
            return Err(refused(format_args!(
                "{other:?} has no key of ECDSA; ES256 and ES384 have"
            )));
        }
    };
    let (x, y) = point[1..].split_at(point.len() / 2);
    Ok((curve, x.to_vec(), y.to_vec()))
}

pub(crate) fn ed_of_private(der: &[u8], curve: &EllipticCurve) -> Result<Vec<u8>> {
    if *curve != EllipticCurve::Ed25519 {
        return Err(refused(format_args!("EdDSA on {curve:?} is not supported; Ed25519 is")));
    }
    let key = ed25519::SigningKey::from_private_key_der(der)
        .map_err(|why| bad_key(Algorithm::EdDSA, "private", why))?;
    Ok(key.verifying_key().to_bytes().to_vec())
}

pub(crate) fn rsa_of_private(der: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    let others = OTHERS.ok_or_else(|| unsupported(Algorithm::RS256))?;
    (others.key_utils.rsa_pub_components_from_private_key)(der)
}

pub(crate) fn rsa_of_public(der: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    let others = OTHERS.ok_or_else(|| unsupported(Algorithm::RS256))?;
    (others.key_utils.rsa_pub_components_from_public_key)(der)
}

pub(crate) fn digest(data: &[u8], hash: ThumbprintHash) -> Result<Vec<u8>> {
    Ok(match hash {
        ThumbprintHash::SHA256 => Sha256::digest(data).to_vec(),
        ThumbprintHash::SHA384 => Sha384::digest(data).to_vec(),
        ThumbprintHash::SHA512 => Sha512::digest(data).to_vec(),
        other => {
            return Err(refused(format_args!(
                "the hash function {other:?} is not supported; SHA-2 is"
            )));
        }
    })
}
