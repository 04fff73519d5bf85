"""Keys and signatures of Ed25519, as ``nacl.signing`` has them."""

from __future__ import annotations

import sigmill.ed25519
import sigmill.x25519

from . import exceptions
from .encoding import Encoder, RawEncoder, key_bytes
from .public import OpenKey, PrivateKey, PublicKey, SecretKey

__all__ = ["SignedMessage", "SigningKey", "VerifyKey"]


class SignedMessage(bytes):
    """A signature of 64 bytes and its message, one after the other."""

    _signature: bytes
    _message: bytes

    @classmethod
    def _of(cls, signature: bytes, message: bytes, combined: bytes) -> SignedMessage:
        made = cls(combined)
        made._signature, made._message = signature, message
        return made

    @property
    def signature(self) -> bytes:
        """The signature, in the encoding that was asked for."""
        return self._signature

    @property
    def message(self) -> bytes:
        """The message, likewise."""
        return self._message


class VerifyKey(OpenKey):
    """A public key: 32 bytes, whether they are a point or not."""

    _NAME = "VerifyKey"

    def __init__(self, key: bytes, encoder: Encoder = RawEncoder) -> None:
        self._raw = key_bytes("a VerifyKey", key, encoder)

    def verify(self, smessage: bytes, signature: bytes | None = None, encoder: Encoder = RawEncoder) -> bytes:
        """The message, if the signature is valid under the rule ``strict``; ``BadSignatureError`` if not.

        `smessage` is a :class:`SignedMessage` or its bytes, or the message alone where `signature` is given. The encoder
        is that of `smessage`; a signature that stands alone is raw, as in PyNaCl. Time depends on the arguments.
        """
        if signature is not None and not isinstance(signature, bytes):
            raise exceptions.TypeError(f"signature: bytes are needed, not {type(signature).__name__}")
        if signature is not None and len(signature) != 64:
            raise exceptions.ValueError(f"signature: 64 bytes are needed, not {len(signature)}")
        message = encoder.decode(smessage)
        if isinstance(message, str):
            raise exceptions.TypeError("smessage: bytes are needed, not str")
        if signature is None:
            signature, message = message[:64], message[64:]
        verdict = sigmill.ed25519.verify_bytes(self._raw, message, signature, rule="strict")
        if not verdict:
            raise exceptions.BadSignatureError(f"Signature was forged or corrupt: {verdict}")
        return bytes(message)

    def to_curve25519_public_key(self) -> PublicKey:
        """The key of X25519 that belongs to it. ``RuntimeError`` for bytes that are no point of the prime-order group."""
        try:
            key = sigmill.ed25519.VerifyingKey(self._raw)
        except ValueError as error:
            raise exceptions.RuntimeError(str(error)) from None
        if key.is_weak:
            raise exceptions.RuntimeError("the key has small order")
        return PublicKey(sigmill.x25519.PublicKey.from_ed25519(key).public_bytes_raw())


class SigningKey(SecretKey):
    """A secret key, from a seed; see :class:`sigmill.ed25519.SigningKey` for what is wiped and what is not."""

    _NAME = "SigningKey"
    _NATIVE = sigmill.ed25519.SigningKey
    _key: sigmill.ed25519.SigningKey
    _public: VerifyKey

    def __init__(self, seed: bytes, encoder: Encoder = RawEncoder) -> None:
        self._set(sigmill.ed25519.SigningKey(key_bytes("the seed of a SigningKey", seed, encoder)))

    def _set(self, key: sigmill.ed25519.SigningKey) -> None:
        self._key, self._public = key, VerifyKey(key.public_key().public_bytes_raw())

    @property
    def verify_key(self) -> VerifyKey:
        """The public key, the same object each time."""
        return self._public

    def sign(self, message: bytes, encoder: Encoder = RawEncoder) -> SignedMessage:
        """The signature and the message, each and both in the encoding. Constant time but for the length."""
        signature = self._key.sign(message)
        message = bytes(memoryview(message))
        encode = encoder.encode
        return SignedMessage._of(encode(signature), encode(message), encode(signature + message))

    def to_curve25519_private_key(self) -> PrivateKey:
        """The key of X25519 that belongs to it."""
        secret = bytearray(sigmill.x25519.PrivateKey.from_ed25519(self._key).private_bytes_raw())
        # the same key: libsodium gives out the integer that X25519 makes of it (RFC 7748 section 5)
        secret[0] &= 0xF8
        secret[31] = secret[31] & 0x7F | 0x40
        return PrivateKey(bytes(secret))
