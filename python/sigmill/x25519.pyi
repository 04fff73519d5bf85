"""X25519 (RFC 7748): key agreement."""

from typing import ClassVar, Union, final

from typing_extensions import Self

from . import ed25519

_Buffer = Union[bytes, bytearray, memoryview]

@final
class PublicKey:
    """A public key: 32 bytes, any of them."""

    def __new__(cls, data: _Buffer) -> Self: ...
    @staticmethod
    def from_public_bytes(data: _Buffer) -> PublicKey:
        """The key of 32 bytes."""
    @staticmethod
    def from_pem(data: str | _Buffer) -> PublicKey:
        """The key in a SubjectPublicKeyInfo (RFC 8410) in PEM."""
    @staticmethod
    def from_der(data: _Buffer) -> PublicKey:
        """The same in DER."""
    def to_pem(self) -> str: ...
    def to_der(self) -> bytes: ...
    @staticmethod
    def from_ed25519(key: ed25519.VerifyingKey) -> PublicKey:
        """The key that belongs to a key of Ed25519."""
    def public_bytes_raw(self) -> bytes: ...
    def __bytes__(self) -> bytes: ...
    def __hash__(self) -> int: ...

@final
class PrivateKey:
    """A secret key, wiped when Python drops it; see :class:`sigmill.ed25519.SigningKey` for what is not."""

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __new__(cls, data: _Buffer) -> Self: ...
    @staticmethod
    def generate() -> PrivateKey:
        """A new key, of the system's random bytes."""
    @staticmethod
    def from_private_bytes(data: _Buffer) -> PrivateKey:
        """The key of 32 bytes."""
    @staticmethod
    def from_pem(data: str | _Buffer) -> PrivateKey:
        """The key in a PKCS#8 (RFC 8410) in PEM."""
    @staticmethod
    def from_der(data: _Buffer) -> PrivateKey:
        """The same in DER."""
    def to_pem(self) -> str: ...
    def to_der(self) -> bytes: ...
    @staticmethod
    def from_ed25519(key: ed25519.SigningKey) -> PrivateKey:
        """The key that belongs to a key of Ed25519."""
    def private_bytes_raw(self) -> bytes: ...
    def public_key(self) -> PublicKey: ...
    def exchange(self, peer_public_key: PublicKey) -> bytes:
        """The shared secret, 32 bytes, to be hashed before it is a key. Constant time.

        ``ValueError`` for a public key of small order, with which everybody knows it (RFC 7748 section 6.1).
        """

X25519PrivateKey = PrivateKey
X25519PublicKey = PublicKey
