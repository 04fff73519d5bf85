"""The parts that keys of every algorithm share."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any, Protocol, TypeVar

from ._forms import Encoding, KeySerializationEncryption, NoEncryption, PrivateFormat, PublicFormat

_T = TypeVar("_T")


class Constant(metaclass=ABCMeta):
    """A value that never changes: its copies are itself."""

    __slots__ = ()

    def __copy__(self: _T) -> _T:
        return self

    def __deepcopy__(self: _T, memo: dict[int, Any]) -> _T:
        return self


class _Native(Protocol):
    def to_pem(self) -> str: ...
    def to_der(self) -> bytes: ...


def spki(key: _Native, encoding: Encoding, format: PublicFormat) -> bytes | None:
    """A public key in SubjectPublicKeyInfo; ``None`` for another form."""
    return _container(key, encoding) if format == PublicFormat.SubjectPublicKeyInfo else None


def pkcs8(
    key: _Native, encoding: Encoding, format: PrivateFormat, encryption_algorithm: KeySerializationEncryption
) -> bytes | None:
    """A private key in PKCS#8, not encrypted; ``None`` for another form."""
    is_plain = isinstance(encryption_algorithm, NoEncryption) and format == PrivateFormat.PKCS8
    return _container(key, encoding) if is_plain else None


def _container(key: _Native, encoding: Encoding) -> bytes | None:
    if encoding == Encoding.PEM:
        return key.to_pem().encode()
    return key.to_der() if encoding == Encoding.DER else None
