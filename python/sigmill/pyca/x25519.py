"""X25519 in the names of ``cryptography.hazmat.primitives.asymmetric.x25519``."""

from __future__ import annotations

from typing import Any

from sigmill.x25519 import PrivateKey, PublicKey

from ._octets import KeyKinds, OctetPrivateKey, OctetPublicKey, octets_of_32

__all__ = ["X25519PrivateKey", "X25519PublicKey"]


class X25519PublicKey(OctetPublicKey):
    """A public key: 32 bytes, any of them."""

    __slots__ = ()
    _ALGORITHM = "X25519"
    _key: PublicKey

    def __init__(self, data: Any) -> None:
        self._key = PublicKey(octets_of_32("X25519 public", data))

    def public_bytes_raw(self) -> bytes:
        """The 32 bytes."""
        return self._key.public_bytes_raw()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, X25519PublicKey):
            return NotImplemented
        return self.public_bytes_raw() == other.public_bytes_raw()

    def __hash__(self) -> int:
        return hash(self._key)


class X25519PrivateKey(OctetPrivateKey):
    """A private key; see :class:`sigmill.ed25519.SigningKey` for what is wiped and what is not."""

    __slots__ = ()
    _ALGORITHM = "X25519"
    _NATIVE = PrivateKey
    _key: PrivateKey

    def public_key(self) -> X25519PublicKey:
        """The public key."""
        return X25519PublicKey(self._key.public_key().public_bytes_raw())

    def exchange(self, peer_public_key: Any) -> bytes:
        """The shared secret, 32 bytes, to be hashed before it is a key. Constant time.

        ``ValueError`` for a public key of small order, with which everybody knows it (RFC 7748 section 6.1).
        """
        if not isinstance(peer_public_key, X25519PublicKey):
            raise TypeError(f"peer_public_key: an X25519PublicKey is needed, not {type(peer_public_key).__name__}")
        return self._key.exchange(PublicKey(peer_public_key.public_bytes_raw()))


_KINDS = KeyKinds(X25519PrivateKey, X25519PublicKey, PublicKey)
