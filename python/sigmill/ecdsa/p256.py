"""ECDSA on P-256, with SHA-256 where no hash is named."""

from .. import _native

SigningKey = _native.p256.SigningKey
VerifyingKey = _native.p256.VerifyingKey
verify_bytes = _native.p256.verify_bytes
