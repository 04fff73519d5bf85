"""Ed25519 in the names of ``cryptography.hazmat.primitives.asymmetric.ed25519``."""

from __future__ import annotations

from typing import Any

import sigmill
from sigmill.ed25519 import SigningKey, VerifyingKey, verify_bytes

from . import _theirs
from ._forms import Encoding, KeySerializationEncryption, NoEncryption, PrivateFormat, PublicFormat
from ._shared import Constant, octets_of_32, pkcs8, spki
from .exceptions import InvalidSignature, _invalid, _required

__all__ = ["Ed25519PrivateKey", "Ed25519PublicKey"]

_NAME = "hazmat.primitives.asymmetric.ed25519"


class Ed25519PublicKey(Constant):
    """A public key: 32 bytes, whether they are a point or not."""

    __slots__ = ("_key", "_raw")

    def __init__(self, data: Any) -> None:
        self._raw = octets_of_32("Ed25519 public", data)
        try:
            self._key: VerifyingKey | None = VerifyingKey(self._raw)
        except ValueError:
            self._key = None  # no point: every verification fails

    @classmethod
    def from_public_bytes(cls, data: Any) -> Ed25519PublicKey:
        """The key of 32 bytes. ``ValueError`` for another number of them."""
        return cls(data)

    def public_bytes(self, encoding: Encoding, format: PublicFormat) -> bytes:
        """The key as a file has it."""
        if encoding == Encoding.Raw and format == PublicFormat.Raw:
            return self._raw
        if self._key is not None and (container := spki(self._key, encoding, format)) is not None:
            return container
        written: bytes = self._their_key("this form of a key").public_bytes(encoding, format)
        return written

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

    def __reduce__(self) -> Any:
        return type(self), (self._raw,)

    def __repr__(self) -> str:
        return f"Ed25519PublicKey({self._raw.hex()})"

    def _their_key(self, what: str) -> Any:
        return _required(_NAME, what).Ed25519PublicKey.from_public_bytes(self._raw)


class Ed25519PrivateKey(Constant):
    """A private key; see :class:`sigmill.ed25519.SigningKey` for what is wiped and what is not."""

    __slots__ = ("_key",)

    def __init__(self, data: Any) -> None:
        self._key = SigningKey(octets_of_32("Ed25519 private", data))

    @classmethod
    def generate(cls) -> Ed25519PrivateKey:
        """A new key, of the system's random bytes."""
        return cls._of(SigningKey.generate())

    @classmethod
    def from_private_bytes(cls, data: Any) -> Ed25519PrivateKey:
        """The key of a seed of 32 bytes. ``ValueError`` for another number of them."""
        return cls(data)

    @classmethod
    def _of(cls, key: SigningKey) -> Ed25519PrivateKey:
        made = cls.__new__(cls)
        made._key = key
        return made

    def public_key(self) -> Ed25519PublicKey:
        """The public key."""
        return Ed25519PublicKey(self._key.public_key().public_bytes_raw())

    def private_bytes(
        self, encoding: Encoding, format: PrivateFormat, encryption_algorithm: KeySerializationEncryption
    ) -> bytes:
        """The key as a file has it: bytes that nobody wipes."""
        is_plain = isinstance(encryption_algorithm, NoEncryption)
        if is_plain and encoding == Encoding.Raw and format == PrivateFormat.Raw:
            return self._key.private_bytes_raw()
        if (container := pkcs8(self._key, encoding, format, encryption_algorithm)) is not None:
            return container
        theirs = _required(_NAME, "this form of a key").Ed25519PrivateKey
        key = theirs.from_private_bytes(self._key.private_bytes_raw())
        written: bytes = key.private_bytes(encoding, format, encryption_algorithm)
        return written

    def private_bytes_raw(self) -> bytes:
        """The seed of 32 bytes, which nobody wipes."""
        return self._key.private_bytes_raw()

    def sign(self, data: Any) -> bytes:
        """The signature, 64 bytes, deterministic (RFC 8032). Constant time but for the length of `data`."""
        return self._key.sign(data)

    def __reduce__(self) -> Any:
        return self._key.__reduce__()

    def __repr__(self) -> str:
        return f"Ed25519PrivateKey(public {self._key.public_key().public_bytes_raw().hex()})"


def _of_native(key: object) -> Ed25519PrivateKey | Ed25519PublicKey | None:
    if isinstance(key, SigningKey):
        return Ed25519PrivateKey._of(key)
    return Ed25519PublicKey(key.public_bytes_raw()) if isinstance(key, VerifyingKey) else None


def _ours(key: Any) -> Ed25519PrivateKey | Ed25519PublicKey | None:
    """The key of this module for one of either package."""
    if isinstance(key, Ed25519PrivateKey):
        return key if type(key) is Ed25519PrivateKey else Ed25519PrivateKey(key.private_bytes_raw())
    if isinstance(key, Ed25519PublicKey):
        return key if type(key) is Ed25519PublicKey else Ed25519PublicKey(key.public_bytes_raw())
    return None


if (_module := _theirs.module(_NAME)) is not None:
    _theirs.same_kind(Ed25519PrivateKey, _module.Ed25519PrivateKey, _module.Ed25519PrivateKey.from_private_bytes(bytes(32)))
    _theirs.same_kind(Ed25519PublicKey, _module.Ed25519PublicKey, _module.Ed25519PublicKey.from_public_bytes(bytes(32)))
