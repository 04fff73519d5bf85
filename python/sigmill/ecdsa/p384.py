"""ECDSA on P-384, with SHA-384 where no hash is named."""

from .. import _native

SigningKey = _native.p384.SigningKey
VerifyingKey = _native.p384.VerifyingKey
verify_bytes = _native.p384.verify_bytes
