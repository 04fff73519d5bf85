"""ECDSA (FIPS 186-5) on P-256, with SHA-256 where no hash is named."""

from typing import final

from . import _SigningKey, _verify_bytes, _VerifyingKey

@final
class VerifyingKey(_VerifyingKey[VerifyingKey]):
    """A public key. ``ValueError`` for bytes that are no point of the curve."""

@final
class SigningKey(_SigningKey[SigningKey, VerifyingKey]):
    """A secret key, wiped when Python drops it; see :class:`sigmill.ed25519.SigningKey` for what is not."""

verify_bytes = _verify_bytes
