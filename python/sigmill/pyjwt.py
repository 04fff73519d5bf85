"""PyJWT's algorithms EdDSA, ES256 and ES384 on sigmill.

    import sigmill.pyjwt

    sigmill.pyjwt.register()  # jwt.encode and jwt.decode sign and verify by sigmill from now on

Needs PyJWT alone: pyca/cryptography is needed only for its own keys and for lines of OpenSSH. Keys are PEM files, keys of
``sigmill`` and ``sigmill.pyca``, and keys of pyca/cryptography. The algorithm decides which kind of key it takes: EdDSA
one of Ed25519 (Ed448 is refused), ES256 one on P-256, ES384 one on P-384.

Ed25519 is verified under the rule ``common``, the one that OpenSSL follows. Signing is deterministic.

A ``jwt.PyJWK`` brings PyJWT's own algorithm with it. Its attribute ``key`` is what to hand over: ``jwt.decode(token,
jwk.key, algorithms=["ES256"])``.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, ClassVar

from jwt import register_algorithm, unregister_algorithm  # type: ignore[import-not-found, unused-ignore]
from jwt.algorithms import Algorithm  # type: ignore[import-not-found, unused-ignore]
from jwt.exceptions import InvalidKeyError  # type: ignore[import-not-found, unused-ignore]
from jwt.utils import base64url_decode, base64url_encode  # type: ignore[import-not-found, unused-ignore]

from . import InvalidSignature, ed25519
from .ecdsa import p256, p384
from .pyca import exceptions, serialization

__all__ = ["ALGORITHMS", "ES256Algorithm", "ES384Algorithm", "EdDSAAlgorithm", "register"]


class _Algorithm(Algorithm):  # type: ignore[misc, unused-ignore]
    """An algorithm of one kind of key."""

    _NAME: ClassVar[str]
    _KIND: ClassVar[str]
    _KTY: ClassVar[str]
    _CRV: ClassVar[str]
    #: The bytes of a secret, and of a coordinate.
    _WIDTH: ClassVar[int]
    _PRIVATE: ClassVar[Any]
    _PUBLIC: ClassVar[Any]

    def prepare_key(self, key: Any) -> Any:
        """The key of ``sigmill`` for a key in any of the forms above. ``InvalidKeyError`` for any other key."""
        if isinstance(key, (self._PRIVATE, self._PUBLIC)):
            return key
        try:
            if isinstance(key, (str, bytes)):
                return self._read(key.encode() if isinstance(key, str) else key)
            if hasattr(key, "private_bytes"):
                return self._PRIVATE.from_der(
                    key.private_bytes(
                        serialization.Encoding.DER,
                        serialization.PrivateFormat.PKCS8,
                        serialization.NoEncryption(),
                    )
                )
            if hasattr(key, "public_bytes"):
                encoding = serialization.Encoding.DER
                return self._PUBLIC.from_der(
                    key.public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)
                )
        except (ValueError, exceptions.UnsupportedAlgorithm) as error:
            raise InvalidKeyError(f"{self._NAME} needs a key of {self._KIND}: {error}") from error
        raise InvalidKeyError(f"{self._NAME} needs a key of {self._KIND}; got {type(key).__name__}")

    def _read(self, data: bytes) -> Any:
        if data.startswith((b"ssh-", b"ecdsa-sha2-")):
            return self.prepare_key(serialization.load_ssh_public_key(data))
        kind = self._PRIVATE if b"PRIVATE KEY-----" in data else self._PUBLIC
        return kind.from_pem(data)

    def sign(self, msg: bytes | str, key: Any) -> bytes:
        """The signature: 64 bytes, 96 on P-384."""
        if not isinstance(key, self._PRIVATE):
            raise InvalidKeyError(f"{self._NAME} signs with a private key; got {type(key).__name__}")
        signature: bytes = key.sign(_octets(msg))
        return signature

    def verify(self, msg: bytes | str, key: Any, sig: bytes | str) -> bool:
        """Whether the signature is valid. A private key stands for its public key."""
        public = key.public_key() if isinstance(key, self._PRIVATE) else key
        if not isinstance(public, self._PUBLIC):
            raise InvalidKeyError(f"{self._NAME} verifies under a key of {self._KIND}; got {type(key).__name__}")
        try:
            public.verify(_octets(sig), _octets(msg))
        except InvalidSignature:
            return False
        return True

    @classmethod
    def to_jwk(cls, key_obj: Any, as_dict: bool = False) -> Any:
        """The key as a JSON Web Key: text, or a ``dict``."""
        key = cls().prepare_key(key_obj)
        is_private = isinstance(key, cls._PRIVATE)
        public = bytes(key.public_key() if is_private else key)
        members = {"kty": cls._KTY, "crv": cls._CRV} | cls._coordinates(public)
        if is_private:
            members["d"] = base64url_encode(key.private_bytes_raw()).decode()
        return members if as_dict else json.dumps(members)

    @classmethod
    def from_jwk(cls, jwk: Any) -> Any:
        """The key of ``sigmill`` in a JSON Web Key. ``InvalidKeyError`` for any other text or ``dict``."""
        try:
            members = json.loads(jwk) if isinstance(jwk, (str, bytes)) else jwk
        except ValueError as error:
            raise InvalidKeyError(f"the JSON Web Key is not valid JSON: {error}") from None
        if not isinstance(members, dict):
            raise InvalidKeyError(f"a JSON Web Key is an object; got {type(members).__name__}")
        for name, expected in (("kty", cls._KTY), ("crv", cls._CRV)):
            if members.get(name) != expected:
                raise InvalidKeyError(f"{cls._NAME} needs a JSON Web Key whose {name} is {expected}; got {members.get(name)!r}")
        octets = cls._octets_of(members)
        try:
            public = cls._PUBLIC.from_public_bytes(octets)
            if "d" not in members:
                return public
            private = cls._PRIVATE.from_private_bytes(_member(members, "d", cls._WIDTH))
        except ValueError as error:
            raise InvalidKeyError(f"the JSON Web Key is no key of {cls._KIND}: {error}") from None
        if private.public_key() != public:
            raise InvalidKeyError("the public part of the JSON Web Key is not that of d")
        return private

    @classmethod
    def _coordinates(cls, public: bytes) -> dict[str, str]:
        raise NotImplementedError

    @classmethod
    def _octets_of(cls, members: dict[str, Any]) -> bytes:
        raise NotImplementedError


class EdDSAAlgorithm(_Algorithm):
    """EdDSA with Ed25519 (RFC 8037)."""

    _NAME, _KIND, _KTY, _CRV, _WIDTH = "EdDSA", "Ed25519", "OKP", "Ed25519", 32
    _PRIVATE, _PUBLIC = ed25519.SigningKey, ed25519.VerifyingKey

    @classmethod
    def _coordinates(cls, public: bytes) -> dict[str, str]:
        return {"x": base64url_encode(public).decode()}

    @classmethod
    def _octets_of(cls, members: dict[str, Any]) -> bytes:
        return _member(members, "x", cls._WIDTH)


class _Ecdsa(_Algorithm):
    _KTY = "EC"
    _HASH: ClassVar[Any]

    def __init__(self) -> None:
        self.hash_alg = self._HASH  # for compute_hash_digest

    @classmethod
    def _coordinates(cls, public: bytes) -> dict[str, str]:
        x, y = public[1 : 1 + cls._WIDTH], public[1 + cls._WIDTH :]
        return {"x": base64url_encode(x).decode(), "y": base64url_encode(y).decode()}

    @classmethod
    def _octets_of(cls, members: dict[str, Any]) -> bytes:
        return b"\x04" + _member(members, "x", cls._WIDTH) + _member(members, "y", cls._WIDTH)


class ES256Algorithm(_Ecdsa):
    """ECDSA on P-256 with SHA-256 (RFC 7518 section 3.4)."""

    _NAME, _KIND, _CRV, _WIDTH, _HASH = "ES256", "P-256", "P-256", 32, hashlib.sha256
    _PRIVATE, _PUBLIC = p256.SigningKey, p256.VerifyingKey


class ES384Algorithm(_Ecdsa):
    """ECDSA on P-384 with SHA-384 (RFC 7518 section 3.4)."""

    _NAME, _KIND, _CRV, _WIDTH, _HASH = "ES384", "P-384", "P-384", 48, hashlib.sha384
    _PRIVATE, _PUBLIC = p384.SigningKey, p384.VerifyingKey


#: The classes, by their names in headers.
ALGORITHMS: dict[str, type[_Algorithm]] = {
    kind._NAME: kind for kind in (EdDSAAlgorithm, ES256Algorithm, ES384Algorithm)
}


def register(jws: Any = None) -> None:
    """Gives PyJWT these algorithms in place of its own: to ``jwt.encode`` and ``jwt.decode``, or to a ``jwt.PyJWS``.

    It is called before tokens are made and read, and does no harm twice.
    """
    add = register_algorithm if jws is None else jws.register_algorithm
    remove = unregister_algorithm if jws is None else jws.unregister_algorithm
    for name, algorithm in ALGORITHMS.items():
        try:
            remove(name)
        except KeyError:
            pass  # without pyca/cryptography PyJWT has none
        add(name, algorithm())


def _octets(data: bytes | str) -> bytes:
    return data.encode() if isinstance(data, str) else data


def _member(members: dict[str, Any], name: str, width: int) -> bytes:
    text = members.get(name)
    if not isinstance(text, str):
        raise InvalidKeyError(f"{name} of a JSON Web Key is text; got {type(text).__name__}")
    try:
        octets: bytes = base64url_decode(text)
    except ValueError:
        octets = b""
    # PyJWT's function skips characters that are none of base64url
    if base64url_encode(octets).decode() != text.rstrip("="):
        raise InvalidKeyError(f"{name} of the JSON Web Key is not base64url")
    if len(octets) != width:
        raise InvalidKeyError(f"{name} of the JSON Web Key has {len(octets)} bytes; {width} are expected")
    return octets
