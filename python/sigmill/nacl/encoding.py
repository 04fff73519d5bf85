"""Encoders, as ``nacl.encoding`` has them: classes with ``encode`` and ``decode``, from bytes to bytes."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Protocol

from . import exceptions

__all__ = [
    "Base16Encoder",
    "Base32Encoder",
    "Base64Encoder",
    "Encodable",
    "HexEncoder",
    "RawEncoder",
    "URLSafeBase64Encoder",
]


class Encoder(Protocol):
    """What the classes here are."""

    @staticmethod
    def encode(data: bytes) -> bytes: ...
    @staticmethod
    def decode(data: bytes) -> bytes: ...


class RawEncoder:
    """The bytes themselves."""

    @staticmethod
    def encode(data: bytes) -> bytes:
        return data

    @staticmethod
    def decode(data: bytes) -> bytes:
        return data


class HexEncoder:
    """Hexadecimal in lower case."""

    @staticmethod
    def encode(data: bytes) -> bytes:
        return binascii.hexlify(data)

    @staticmethod
    def decode(data: bytes) -> bytes:
        return binascii.unhexlify(data)


class Base16Encoder:
    """Hexadecimal in upper case."""

    @staticmethod
    def encode(data: bytes) -> bytes:
        return base64.b16encode(data)

    @staticmethod
    def decode(data: bytes) -> bytes:
        return base64.b16decode(data)


class Base32Encoder:
    """Base32 (RFC 4648)."""

    @staticmethod
    def encode(data: bytes) -> bytes:
        return base64.b32encode(data)

    @staticmethod
    def decode(data: bytes) -> bytes:
        return base64.b32decode(data)


class Base64Encoder:
    """Base64 (RFC 4648)."""

    @staticmethod
    def encode(data: bytes) -> bytes:
        return base64.b64encode(data)

    @staticmethod
    def decode(data: bytes) -> bytes:
        return base64.b64decode(data)


class URLSafeBase64Encoder:
    """Base64 with the alphabet for URLs (RFC 4648)."""

    @staticmethod
    def encode(data: bytes) -> bytes:
        return base64.urlsafe_b64encode(data)

    @staticmethod
    def decode(data: bytes) -> bytes:
        return base64.urlsafe_b64decode(data)


class Encodable:
    """What ``bytes()`` makes bytes of, and an encoder text."""

    __slots__ = ()

    def encode(self, encoder: Any = RawEncoder) -> bytes:
        """The bytes in an encoding."""
        encoded: bytes = encoder.encode(bytes(self))  # type: ignore[call-overload]
        return encoded


def key_bytes(
    what: str, data: Any, encoder: Encoder, wrong_length: type[Exception] = exceptions.ValueError, size: int = 32
) -> bytes:
    """The bytes of a key. ``TypeError`` for what is no bytes, and an exception of choice for another number of them."""
    raw = encoder.decode(data)
    if not isinstance(raw, bytes):
        raise exceptions.TypeError(f"{what} is bytes, not {type(raw).__name__}")
    if len(raw) != size:
        raise wrong_length(f"{what} is {size} bytes long, not {len(raw)}")
    return raw
