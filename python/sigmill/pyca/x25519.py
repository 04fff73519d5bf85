"""X25519 in the names of ``cryptography.hazmat.primitives.asymmetric.x25519``."""

from __future__ import annotations

from typing import Any

from sigmill.x25519 import PrivateKey, PublicKey

from . import _theirs
from ._forms import Encoding, KeySerializationEncryption, NoEncryption, PrivateFormat, PublicFormat
from ._shared import Constant, octets_of_32, pkcs8, spki
from .exceptions import _required

__all__ = ["X25519PrivateKey", "X25519PublicKey"]

_NAME = "hazmat.primitives.asymmetric.x25519"


class X25519PublicKey(Constant):
    """A public key: 32 bytes, any of them."""

    __slots__ = ("_key",)

    def __init__(self, data: Any) -> None:
        self._key = PublicKey(octets_of_32("X25519 public", data))

    @classmethod
    def from_public_bytes(cls, data: Any) -> X25519PublicKey:
        """The key of 32 bytes. ``ValueError`` for another number of them."""
        return cls(data)

    def public_bytes(self, encoding: Encoding, format: PublicFormat) -> bytes:
        """The key as a file has it."""
        if encoding == Encoding.Raw and format == PublicFormat.Raw:
            return self._key.public_bytes_raw()
        if (container := spki(self._key, encoding, format)) is not None:
            return container
        theirs = _required(_NAME, "this form of a key").X25519PublicKey
        written: bytes = theirs.from_public_bytes(self._key.public_bytes_raw()).public_bytes(encoding, format)
        return written

    def public_bytes_raw(self) -> bytes:
        """The 32 bytes."""
        return self._key.public_bytes_raw()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, X25519PublicKey):
            return NotImplemented
        return self.public_bytes_raw() == other.public_bytes_raw()

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> Any:
        return type(self), (self.public_bytes_raw(),)

    def __repr__(self) -> str:
        return f"X25519PublicKey({self.public_bytes_raw().hex()})"


class X25519PrivateKey(Constant):
    """A private key; see :class:`sigmill.ed25519.SigningKey` for what is wiped and what is not."""

    __slots__ = ("_key",)

    def __init__(self, data: Any) -> None:
        self._key = PrivateKey(octets_of_32("X25519 private", data))

    @classmethod
    def generate(cls) -> X25519PrivateKey:
        """A new key, of the system's random bytes."""
        return cls._of(PrivateKey.generate())

    @classmethod
    def from_private_bytes(cls, data: Any) -> X25519PrivateKey:
        """The key of 32 bytes. ``ValueError`` for another number of them."""
        return cls(data)

    @classmethod
    def _of(cls, key: PrivateKey) -> X25519PrivateKey:
        made = cls.__new__(cls)
        made._key = key
        return made

    def public_key(self) -> X25519PublicKey:
        """The public key."""
        return X25519PublicKey(self._key.public_key().public_bytes_raw())

    def private_bytes(
        self, encoding: Encoding, format: PrivateFormat, encryption_algorithm: KeySerializationEncryption
    ) -> bytes:
        """The key as a file has it: bytes that nobody wipes."""
        is_plain = isinstance(encryption_algorithm, NoEncryption)
        if is_plain and encoding == Encoding.Raw and format == PrivateFormat.Raw:
            return self._key.private_bytes_raw()
        if (container := pkcs8(self._key, encoding, format, encryption_algorithm)) is not None:
            return container
        theirs = _required(_NAME, "this form of a key").X25519PrivateKey
        key = theirs.from_private_bytes(self._key.private_bytes_raw())
        written: bytes = key.private_bytes(encoding, format, encryption_algorithm)
        return written

    def private_bytes_raw(self) -> bytes:
        """The 32 bytes as they came, which nobody wipes."""
        return self._key.private_bytes_raw()

    def exchange(self, peer_public_key: Any) -> bytes:
        """The shared secret, 32 bytes, to be hashed before it is a key. Constant time.

        ``ValueError`` for a public key of small order, with which everybody knows it (RFC 7748 section 6.1).
        """
        if not isinstance(peer_public_key, X25519PublicKey):
            raise TypeError(f"peer_public_key: an X25519PublicKey is needed, not {type(peer_public_key).__name__}")
        return self._key.exchange(PublicKey(peer_public_key.public_bytes_raw()))

    def __reduce__(self) -> Any:
        return self._key.__reduce__()

    def __repr__(self) -> str:
        return f"X25519PrivateKey(public {self._key.public_key().public_bytes_raw().hex()})"


def _of_native(key: object) -> X25519PrivateKey | X25519PublicKey | None:
    if isinstance(key, PrivateKey):
        return X25519PrivateKey._of(key)
    return X25519PublicKey(key.public_bytes_raw()) if isinstance(key, PublicKey) else None


def _ours(key: Any) -> X25519PrivateKey | X25519PublicKey | None:
    """The key of this module for one of either package."""
    if isinstance(key, X25519PrivateKey):
        return key if type(key) is X25519PrivateKey else X25519PrivateKey(key.private_bytes_raw())
    if isinstance(key, X25519PublicKey):
        return key if type(key) is X25519PublicKey else X25519PublicKey(key.public_bytes_raw())
    return None


if (_module := _theirs.module(_NAME)) is not None:
    _theirs.same_kind(X25519PrivateKey, _module.X25519PrivateKey, _module.X25519PrivateKey.from_private_bytes(bytes(32)))
    _theirs.same_kind(X25519PublicKey, _module.X25519PublicKey, _module.X25519PublicKey.from_public_bytes(bytes(32)))
