"""Keys that are 32 bytes, of Ed25519 and X25519: the parts that the two algorithms share."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from . import _theirs
from ._forms import Encoding, KeySerializationEncryption, NoEncryption, PrivateFormat, PublicFormat
from ._shared import Constant, pkcs8, spki
from .exceptions import _required

if TYPE_CHECKING:
    from typing_extensions import Self


def octets_of_32(what: str, data: Any) -> bytes:
    """The bytes of a key. ``ValueError`` for another number of them."""
    raw = _theirs.octets("data", data)
    if len(raw) != 32:
        raise ValueError(f"An {what} key is 32 bytes long, not {len(raw)}")
    return raw


def _module(algorithm: str) -> str:
    return f"hazmat.primitives.asymmetric.{algorithm.lower()}"


class OctetPublicKey(Constant):
    """A public key."""

    __slots__ = ("_key",)
    _ALGORITHM: ClassVar[str]
    _key: Any  # of sigmill; `None` where the bytes are none

    @abstractmethod
    def __init__(self, data: Any) -> None: ...

    @classmethod
    def from_public_bytes(cls, data: Any) -> Self:
        """The key of 32 bytes. ``ValueError`` for another number of them."""
        return cls(data)

    def public_bytes(self, encoding: Encoding, format: PublicFormat) -> bytes:
        """The key as a file has it."""
        if encoding == Encoding.Raw and format == PublicFormat.Raw:
            return self.public_bytes_raw()
        if self._key is not None and (container := spki(self._key, encoding, format)) is not None:
            return container
        written: bytes = self._their_key("this form of a key").public_bytes(encoding, format)
        return written

    @abstractmethod
    def public_bytes_raw(self) -> bytes:
        """The 32 bytes."""

    def __reduce__(self) -> Any:
        return type(self), (self.public_bytes_raw(),)

    def __repr__(self) -> str:
        return f"{self._ALGORITHM}PublicKey({self.public_bytes_raw().hex()})"

    def _their_key(self, what: str) -> Any:
        theirs = getattr(_required(_module(self._ALGORITHM), what), f"{self._ALGORITHM}PublicKey")
        return theirs.from_public_bytes(self.public_bytes_raw())


class OctetPrivateKey(Constant):
    """A private key."""

    __slots__ = ("_key",)
    _ALGORITHM: ClassVar[str]
    _NATIVE: ClassVar[Any]
    _key: Any  # of the class `_NATIVE`

    def __init__(self, data: Any) -> None:
        self._key = self._NATIVE(octets_of_32(f"{self._ALGORITHM} private", data))

    @classmethod
    def generate(cls) -> Self:
        """A new key, of the system's random bytes."""
        return cls._of(cls._NATIVE.generate())

    @classmethod
    def from_private_bytes(cls, data: Any) -> Self:
        """The key of 32 bytes. ``ValueError`` for another number of them."""
        return cls(data)

    @classmethod
    def _of(cls, key: Any) -> Self:
        made = cls.__new__(cls)
        made._key = key
        return made

    def private_bytes(
        self, encoding: Encoding, format: PrivateFormat, encryption_algorithm: KeySerializationEncryption
    ) -> bytes:
        """The key as a file has it: bytes that nobody wipes."""
        is_plain = isinstance(encryption_algorithm, NoEncryption)
        if is_plain and encoding == Encoding.Raw and format == PrivateFormat.Raw:
            return self.private_bytes_raw()
        if (container := pkcs8(self._key, encoding, format, encryption_algorithm)) is not None:
            return container
        module = _required(_module(self._ALGORITHM), "this form of a key")
        key = getattr(module, f"{self._ALGORITHM}PrivateKey").from_private_bytes(self._key.private_bytes_raw())
        written: bytes = key.private_bytes(encoding, format, encryption_algorithm)
        return written

    def private_bytes_raw(self) -> bytes:
        """The 32 bytes that made the key, which nobody wipes."""
        raw: bytes = self._key.private_bytes_raw()
        return raw

    def __reduce__(self) -> Any:
        return self._key.__reduce__()

    def __repr__(self) -> str:
        return f"{self._ALGORITHM}PrivateKey(public {self._key.public_key().public_bytes_raw().hex()})"


class KeyKinds:
    """The two classes of keys of an algorithm, which pass for pyca/cryptography's where that is installed."""

    def __init__(self, private: type[OctetPrivateKey], public: type[OctetPublicKey], native_public: type[Any]) -> None:
        self._private, self._public, self._native_public = private, public, native_public
        algorithm = private._ALGORITHM
        if (module := _theirs.module(_module(algorithm))) is not None:
            theirs, their_public = getattr(module, f"{algorithm}PrivateKey"), getattr(module, f"{algorithm}PublicKey")
            _theirs.same_kind(private, theirs, theirs.from_private_bytes(bytes(32)))
            _theirs.same_kind(public, their_public, their_public.from_public_bytes(bytes(32)))

    def of_native(self, key: Any) -> OctetPrivateKey | OctetPublicKey | None:
        """The key for one of sigmill; ``None`` for one of another algorithm."""
        if isinstance(key, self._private._NATIVE):
            return self._private._of(key)
        return self._public(key.public_bytes_raw()) if isinstance(key, self._native_public) else None

    def ours(self, key: Any) -> OctetPrivateKey | OctetPublicKey | None:
        """The key for one of either package; ``None`` for one of another algorithm."""
        if isinstance(key, self._private):
            return key if type(key) is self._private else self._private(key.private_bytes_raw())
        if isinstance(key, self._public):
            return key if type(key) is self._public else self._public(key.public_bytes_raw())
        return None
