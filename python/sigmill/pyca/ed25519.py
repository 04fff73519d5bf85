"""Ed25519 in the names of ``cryptography.hazmat.primitives.asymmetric.ed25519``."""

from __future__ import annotations

from typing import Any

import sigmill
from sigmill.ed25519 import SigningKey, VerifyingKey, verify_bytes

from ._octets import KeyKinds, OctetPrivateKey, OctetPublicKey, octets_of_32
from .exceptions import InvalidSignature, _invalid

__all__ = ["Ed25519PrivateKey", "Ed25519PublicKey"]


class Ed25519PublicKey(OctetPublicKey):
    """A public key: 32 bytes, whether they are a point or not."""

    __slots__ = ("_raw",)
    _ALGORITHM = "Ed25519"

    def __init__(self, data: Any) -> None:
        self._raw = octets_of_32("Ed25519 public", data)
        try:
            self._key: VerifyingKey | None = VerifyingKey(self._raw)
        except ValueError:
            self._key = None  # no point: every verification fails

    def public_bytes_raw(self) -> bytes:
        """The 32 bytes."""
        return self._raw

    def verify(self, signature: Any, data: Any) -> None:
        """Raises ``InvalidSignature`` unless the signature of `data` is valid under the rule ``common``.

        The exception has a ``reason``, such as ``equation``. Time depends on the arguments.
        """
        if self._key is None:
            verdict = verify_bytes(self._raw, data, signature)
            error = InvalidSignature(str(verdict))
            error.reason = verdict.reason  # type: ignore[attr-defined]
            raise error
        try:
            self._key.verify(signature, data)
        except sigmill.InvalidSignature as found:
            raise _invalid(found) from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ed25519PublicKey):
            return NotImplemented
        return self._raw == other.public_bytes_raw()

    def __hash__(self) -> int:
        return hash(self._raw)


class Ed25519PrivateKey(OctetPrivateKey):
    """A private key; see :class:`sigmill.ed25519.SigningKey` for what is wiped and what is not."""

    __slots__ = ()
    _ALGORITHM = "Ed25519"
    _NATIVE = SigningKey
    _key: SigningKey

    def public_key(self) -> Ed25519PublicKey:
        """The public key."""
        return Ed25519PublicKey(self._key.public_key().public_bytes_raw())

    def sign(self, data: Any) -> bytes:
        """The signature, 64 bytes, deterministic (RFC 8032). Constant time but for the length of `data`."""
        return self._key.sign(data)


_KINDS = KeyKinds(Ed25519PrivateKey, Ed25519PublicKey, VerifyingKey)
