"""Keys of X25519, as ``nacl.public`` has them. ``Box`` and ``SealedBox`` encrypt, which sigmill does not."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

from sigmill import x25519

from . import exceptions
from .encoding import Encodable, Encoder, RawEncoder, key_bytes

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["PrivateKey", "PublicKey", "shared_secret"]


class OpenKey(Encodable):
    """Both kinds of public keys: 32 bytes, and equal where these and the kind are."""

    _NAME: ClassVar[str]
    _raw: bytes

    def __bytes__(self) -> bytes:
        return self._raw

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenKey) and (self._NAME, self._raw) == (other._NAME, other._raw)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._raw)

    def __str__(self) -> str:
        """The text of the bytes, as in PyNaCl."""
        return str(self._raw)

    def __repr__(self) -> str:
        return f"{self._NAME}({self._raw.hex()})"


class PublicKey(OpenKey):
    """A public key: 32 bytes, any of them."""

    SIZE = 32
    _NAME = "PublicKey"

    def __init__(self, public_key: bytes, encoder: Encoder = RawEncoder) -> None:
        self._raw = key_bytes("a PublicKey", public_key, encoder)


class SecretKey(Encodable):
    """Both kinds of secret keys: their copies share the secret, and pickling is refused."""

    _NAME: ClassVar[str]
    _NATIVE: ClassVar[Any]
    _key: Any
    _public: Any

    @abstractmethod
    def _set(self, key: Any) -> None:
        """Takes a key of sigmill, and makes its public key."""

    @classmethod
    def generate(cls) -> Self:
        """A new key, of the system's random bytes."""
        made = cls.__new__(cls)
        made._set(cls._NATIVE.generate())
        return made

    def __bytes__(self) -> bytes:
        """The 32 bytes that made the key, which nobody wipes."""
        raw: bytes = self._key.private_bytes_raw()
        return raw

    def __eq__(self, other: object) -> bool:
        # keys of sigmill of two kinds are never equal
        return isinstance(other, SecretKey) and bool(self._key == other._key)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._public)

    def __repr__(self) -> str:
        return f"{self._NAME}(public {bytes(self._public).hex()})"

    def __copy__(self) -> Self:
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = type(self).__new__(type(self))
        # the secret stays where it is, in memory that is wiped
        memo[id(self)], memo[id(self._key)] = made, self._key
        made.__dict__.update(deepcopy(self.__dict__, memo))
        return made

    def __reduce__(self) -> Any:
        return self._key.__reduce__()


class PrivateKey(SecretKey):
    """A secret key; see :class:`sigmill.ed25519.SigningKey` for what is wiped and what is not."""

    SIZE = 32
    SEED_SIZE = 32
    _NAME = "PrivateKey"
    _NATIVE = x25519.PrivateKey
    _key: x25519.PrivateKey
    _public: PublicKey

    def __init__(self, private_key: bytes, encoder: Encoder = RawEncoder) -> None:
        self._set(x25519.PrivateKey(key_bytes("a PrivateKey", private_key, encoder, exceptions.TypeError)))

    def _set(self, key: x25519.PrivateKey) -> None:
        self._key, self._public = key, PublicKey(key.public_key().public_bytes_raw())

    @classmethod
    def from_seed(cls, seed: bytes, encoder: Encoder = RawEncoder) -> PrivateKey:
        """The key of the first half of SHA-512 of 32 bytes, as libsodium derives it."""
        import hashlib

        raw = key_bytes("the seed of a PrivateKey", seed, encoder, exceptions.TypeError)
        return cls(hashlib.sha512(raw).digest()[:32])

    @property
    def public_key(self) -> PublicKey:
        """The public key, the same object each time."""
        return self._public


def shared_secret(private_key: PrivateKey, public_key: PublicKey) -> bytes:
    """X25519 of the two, 32 bytes, to be hashed before it is a key: ``nacl.bindings.crypto_scalarmult``.

    Constant time. ``RuntimeError`` for a public key of small order, with which everybody knows it.
    """
    try:
        return private_key._key.exchange(x25519.PublicKey(bytes(public_key)))
    except ValueError as error:
        raise exceptions.RuntimeError(str(error)) from None
