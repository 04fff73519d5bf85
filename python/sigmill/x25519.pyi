"""X25519 (RFC 7748): key agreement."""

from typing import final

from . import ed25519
from ._native import _PublicKey, _SecretKey

@final
class PublicKey(_PublicKey[PublicKey]):
    """A public key: 32 bytes, any of them."""

    @staticmethod
    def from_ed25519(key: ed25519.VerifyingKey) -> PublicKey:
        """The key that belongs to a key of Ed25519."""
    def public_bytes_raw(self) -> bytes: ...

@final
class PrivateKey(_SecretKey[PrivateKey, PublicKey]):
    """A secret key, wiped when Python drops it; see :class:`sigmill.ed25519.SigningKey` for what is not."""

    @staticmethod
    def from_ed25519(key: ed25519.SigningKey) -> PrivateKey:
        """The key that belongs to a key of Ed25519."""
    def exchange(self, peer_public_key: PublicKey) -> bytes:
        """The shared secret, 32 bytes, to be hashed before it is a key. Constant time.

        ``ValueError`` for a public key of small order, with which everybody knows it (RFC 7748 section 6.1).
        """

X25519PrivateKey = PrivateKey
X25519PublicKey = PublicKey
