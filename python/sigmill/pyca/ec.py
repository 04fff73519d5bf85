"""ECDSA on P-256 and P-384 in the names of ``cryptography.hazmat.primitives.asymmetric.ec``.

Keys on other curves, and ECDH, are those of pyca/cryptography. Signatures are in DER, as there, and always deterministic
(RFC 6979).
"""

from __future__ import annotations

from abc import ABCMeta
from types import ModuleType
from typing import TYPE_CHECKING, Any

import sigmill
from sigmill.ecdsa import p256, p384

from . import _theirs
from ._forms import Encoding, KeySerializationEncryption, NoEncryption, PrivateFormat, PublicFormat
from ._shared import Constant, pkcs8, spki
from .exceptions import UnsupportedAlgorithm, _invalid, _required

_NAME = "hazmat.primitives.asymmetric.ec"
if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import (
        ECDH,
        ECDSA,
        SECP256R1,
        SECP384R1,
        EllipticCurve,
        EllipticCurveSignatureAlgorithm,
    )
else:
    _THEIRS = "ECDH", "ECDSA", "SECP256R1", "SECP384R1", "EllipticCurve", "EllipticCurveSignatureAlgorithm"
    globals().update(_theirs.classes(_NAME, _THEIRS))

__all__ = [
    "ECDH",
    "ECDSA",
    "SECP256R1",
    "SECP384R1",
    "EllipticCurve",
    "EllipticCurvePrivateKey",
    "EllipticCurvePrivateKeyWithSerialization",
    "EllipticCurvePrivateNumbers",
    "EllipticCurvePublicKey",
    "EllipticCurvePublicKeyWithSerialization",
    "EllipticCurvePublicNumbers",
    "EllipticCurveSignatureAlgorithm",
    "derive_private_key",
    "generate_private_key",
]

_MODULES = {"secp256r1": p256, "secp384r1": p384}
_CURVES = {p256: SECP256R1, p384: SECP384R1}
_HASHES = {"sha256", "sha384", "sha512"}

_Signing = (p256.SigningKey, p384.SigningKey)
_Verifying = (p256.VerifyingKey, p384.VerifyingKey)


def __getattr__(name: str) -> Any:
    return _theirs.attribute(__name__, _NAME, name)


def _module_of(curve: object) -> Any:
    """The module of sigmill for a curve; ``None`` for other curves, which are pyca/cryptography's."""
    return _MODULES.get(curve.name) if isinstance(curve, EllipticCurve) else None


def _curve_of(key: object) -> Any:
    return p256 if isinstance(key, (p256.SigningKey, p256.VerifyingKey)) else p384


def _theirs_for(curve: object) -> Any:
    name = getattr(curve, "name", type(curve).__name__)
    return _required(_NAME, f"the curve {name}")


def _input(algorithm: EllipticCurveSignatureAlgorithm, data: Any) -> tuple[bytes, str]:
    """What is signed and the hash function that sigmill uses for it: ``none`` for what is a digest by then."""
    if not isinstance(algorithm, ECDSA):
        raise UnsupportedAlgorithm(f"signature_algorithm: ECDSA is needed, not {type(algorithm).__name__}")
    function: Any = algorithm.algorithm
    octets = _theirs.octets("data", data)
    utils = _theirs.module("hazmat.primitives.asymmetric.utils")
    if utils is not None and isinstance(function, utils.Prehashed):
        size = function._digest_size
        if len(octets) != size:
            raise ValueError(f"data: the digest has {len(octets)} bytes; one of its hash function has {size}")
        return octets, "none"
    if function.name in _HASHES:
        return octets, function.name
    digest = _required("hazmat.primitives.hashes", f"the hash function {function.name}").Hash(function)
    digest.update(octets)
    return digest.finalize(), "none"


class EllipticCurvePublicNumbers(metaclass=ABCMeta):
    """A point by its coordinates, whether it is on the curve or not."""

    __slots__ = ("_curve", "_x", "_y")

    def __init__(self, x: int, y: int, curve: EllipticCurve) -> None:
        if not isinstance(x, int) or not isinstance(y, int):
            raise TypeError(f"x, y: integers are needed, not {type(x).__name__} and {type(y).__name__}")
        if not isinstance(curve, EllipticCurve):
            raise TypeError(f"curve: an EllipticCurve is needed, not {type(curve).__name__}")
        self._x, self._y, self._curve = x, y, curve

    @property
    def x(self) -> int:
        """The first coordinate."""
        return self._x

    @property
    def y(self) -> int:
        """The second coordinate."""
        return self._y

    @property
    def curve(self) -> EllipticCurve:
        """The curve."""
        return self._curve

    def public_key(self, backend: Any = None) -> Any:
        """The key. ``ValueError`` for a point that is not on the curve."""
        module = _module_of(self._curve)
        if module is None:
            return _theirs_for(self._curve).EllipticCurvePublicNumbers(self._x, self._y, self._curve).public_key()
        width = self._curve.key_size // 8
        try:
            point = b"\4" + self._x.to_bytes(width, "big") + self._y.to_bytes(width, "big")
        except OverflowError:
            raise ValueError(f"x, y: a coordinate is negative or has more than {8 * width} bits") from None
        return EllipticCurvePublicKey(module.VerifyingKey(point))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EllipticCurvePublicNumbers):
            return NotImplemented
        return (self._x, self._y, self._curve.name) == (other.x, other.y, other.curve.name)

    def __hash__(self) -> int:
        return hash((self._x, self._y, self._curve.name))

    def __repr__(self) -> str:
        return f"<EllipticCurvePublicNumbers(curve={self._curve.name}, x={self._x}, y={self._y})>"


class EllipticCurvePrivateNumbers(metaclass=ABCMeta):
    """A secret integer with its point. Integers of Python are neither wiped nor constant time."""

    __slots__ = ("_public_numbers", "_value")

    def __init__(self, private_value: int, public_numbers: Any) -> None:
        if not isinstance(private_value, int):
            raise TypeError(f"private_value: an integer is needed, not {type(private_value).__name__}")
        if not isinstance(public_numbers, EllipticCurvePublicNumbers):
            found = type(public_numbers).__name__
            raise TypeError(f"public_numbers: EllipticCurvePublicNumbers are needed, not {found}")
        self._value, self._public_numbers = private_value, public_numbers

    @property
    def private_value(self) -> int:
        """The integer."""
        return self._value

    @property
    def public_numbers(self) -> EllipticCurvePublicNumbers:
        """The point."""
        return self._public_numbers

    def private_key(self, backend: Any = None) -> Any:
        """The key. ``ValueError`` for an integer out of range, and for a point that is not that of the integer."""
        numbers = self._public_numbers
        if _module_of(numbers.curve) is None:
            theirs = _theirs_for(numbers.curve)
            public = theirs.EllipticCurvePublicNumbers(numbers.x, numbers.y, numbers.curve)
            return theirs.EllipticCurvePrivateNumbers(self._value, public).private_key()
        public_key = numbers.public_key()
        key = derive_private_key(self._value, numbers.curve)
        if key.public_key() != public_key:
            raise ValueError("public_numbers: the point is not that of private_value")
        return key

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EllipticCurvePrivateNumbers):
            return NotImplemented
        return self._value == other.private_value and self._public_numbers == other.public_numbers

    def __hash__(self) -> int:
        return hash((self._value, self._public_numbers))

    def __repr__(self) -> str:
        return f"<EllipticCurvePrivateNumbers(public {self._public_numbers!r})>"


class EllipticCurvePublicKey(Constant):
    """A public key on P-256 or P-384."""

    __slots__ = ("_key",)

    def __init__(self, key: p256.VerifyingKey | p384.VerifyingKey) -> None:
        if not isinstance(key, _Verifying):
            raise TypeError(f"key: a VerifyingKey of sigmill.ecdsa is needed, not {type(key).__name__}")
        self._key = key

    @classmethod
    def from_encoded_point(cls, curve: EllipticCurve, data: Any) -> Any:
        """The key of a SEC1 point, compressed or not. ``ValueError`` for bytes that are none."""
        module = _module_of(curve)
        if module is None:
            return _theirs_for(curve).EllipticCurvePublicKey.from_encoded_point(curve, data)
        return cls(module.VerifyingKey(_theirs.octets("data", data)))

    @property
    def curve(self) -> EllipticCurve:
        """The curve."""
        return _CURVES[_curve_of(self._key)]()

    @property
    def key_size(self) -> int:
        """Bits of the order of the curve."""
        return self.curve.key_size

    def public_numbers(self) -> EllipticCurvePublicNumbers:
        """The coordinates."""
        point = self._key.public_bytes_raw()[1:]
        middle = len(point) // 2
        x, y = int.from_bytes(point[:middle], "big"), int.from_bytes(point[middle:], "big")
        return EllipticCurvePublicNumbers(x, y, self.curve)

    def public_bytes(self, encoding: Encoding, format: PublicFormat) -> bytes:
        """The key as a file has it."""
        if encoding == Encoding.X962 and format == PublicFormat.UncompressedPoint:
            return self._key.public_bytes_raw()
        if encoding == Encoding.X962 and format == PublicFormat.CompressedPoint:
            return self._key.public_bytes_raw(compressed=True)
        if (container := spki(self._key, encoding, format)) is not None:
            return container
        written: bytes = self._their_key("this form of a key").public_bytes(encoding, format)
        return written

    def verify(self, signature: Any, data: Any, signature_algorithm: EllipticCurveSignatureAlgorithm) -> None:
        """Raises ``InvalidSignature`` unless the signature, in DER, of `data` is valid.

        The exception has a ``reason``, such as ``equation``. Time depends on the arguments.
        """
        octets, name = _input(signature_algorithm, data)
        try:
            self._key.verify(signature, octets, hash=name, sig_format="der")
        except sigmill.InvalidSignature as found:
            raise _invalid(found) from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EllipticCurvePublicKey):
            return NotImplemented
        form = Encoding.X962, PublicFormat.UncompressedPoint
        return self.curve.name == other.curve.name and self.public_bytes(*form) == other.public_bytes(*form)

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> Any:
        return type(self), (self._key,)

    def __repr__(self) -> str:
        return f"EllipticCurvePublicKey({self.curve.name}, {self._key.public_bytes_raw().hex()})"

    def _their_key(self, what: str) -> Any:
        theirs = _required(_NAME, what).EllipticCurvePublicKey
        return theirs.from_encoded_point(self.curve, self._key.public_bytes_raw())


class EllipticCurvePrivateKey(Constant):
    """A private key on P-256 or P-384; see :class:`sigmill.ed25519.SigningKey` for what is wiped and what is not."""

    __slots__ = ("_key",)

    def __init__(self, key: p256.SigningKey | p384.SigningKey) -> None:
        if not isinstance(key, _Signing):
            raise TypeError(f"key: a SigningKey of sigmill.ecdsa is needed, not {type(key).__name__}")
        self._key = key

    @property
    def curve(self) -> EllipticCurve:
        """The curve."""
        return _CURVES[_curve_of(self._key)]()

    @property
    def key_size(self) -> int:
        """Bits of the order of the curve."""
        return self.curve.key_size

    def public_key(self) -> EllipticCurvePublicKey:
        """The public key."""
        return EllipticCurvePublicKey(self._key.public_key())

    def private_numbers(self) -> EllipticCurvePrivateNumbers:
        """The integer and its point, as integers of Python, which nobody wipes."""
        value = int.from_bytes(self._key.private_bytes_raw(), "big")
        return EllipticCurvePrivateNumbers(value, self.public_key().public_numbers())

    def private_bytes(
        self, encoding: Encoding, format: PrivateFormat, encryption_algorithm: KeySerializationEncryption
    ) -> bytes:
        """The key as a file has it: bytes that nobody wipes."""
        if (container := pkcs8(self._key, encoding, format, encryption_algorithm)) is not None:
            return container
        key = self._their_key("this form of a key")
        written: bytes = key.private_bytes(encoding, format, encryption_algorithm)
        return written

    def sign(self, data: Any, signature_algorithm: EllipticCurveSignatureAlgorithm) -> bytes:
        """The signature in DER. Constant time but for the length of `data`."""
        octets, name = _input(signature_algorithm, data)
        if name == "none" and getattr(signature_algorithm, "deterministic_signing", False):
            # RFC 6979 with a hash function that sigmill has not, or has not been told
            signed: bytes = self._their_key("deterministic_signing of a digest").sign(data, signature_algorithm)
            return signed
        return self._key.sign(octets, hash=name, sig_format="der")

    def exchange(self, algorithm: ECDH, peer_public_key: Any) -> bytes:
        """The shared secret, computed by pyca/cryptography: sigmill has no ECDH on these curves."""
        if isinstance(peer_public_key, EllipticCurvePublicKey) and type(peer_public_key) is EllipticCurvePublicKey:
            peer_public_key = peer_public_key._their_key("ECDH")
        shared: bytes = self._their_key("ECDH").exchange(algorithm, peer_public_key)
        return shared

    def __reduce__(self) -> Any:
        return self._key.__reduce__()

    def __repr__(self) -> str:
        return f"EllipticCurvePrivateKey({self.curve.name}, public {self._key.public_key().public_bytes_raw().hex()})"

    def _their_key(self, what: str) -> Any:
        _required(_NAME, what)
        theirs = _required("hazmat.primitives.serialization", what)
        return theirs.load_der_private_key(self._key.to_der(), None)


EllipticCurvePrivateKeyWithSerialization = EllipticCurvePrivateKey
EllipticCurvePublicKeyWithSerialization = EllipticCurvePublicKey


def generate_private_key(curve: EllipticCurve, backend: Any = None) -> Any:
    """A new key, of the system's random bytes."""
    module = _module_of(curve)
    if module is None:
        return _theirs_for(curve).generate_private_key(curve)
    return EllipticCurvePrivateKey(module.SigningKey.generate())


def derive_private_key(private_value: int, curve: EllipticCurve, backend: Any = None) -> Any:
    """The key of an integer from 1 to n − 1; ``ValueError`` for any other."""
    module = _module_of(curve)
    if module is None:
        return _theirs_for(curve).derive_private_key(private_value, curve)
    if not isinstance(private_value, int):
        raise TypeError(f"private_value: an integer is needed, not {type(private_value).__name__}")
    try:
        secret = private_value.to_bytes(curve.key_size // 8, "big")
    except OverflowError:
        raise ValueError(f"private_value: negative, or more than {curve.key_size} bits") from None
    return EllipticCurvePrivateKey(module.SigningKey(secret))


def _of_native(key: object) -> EllipticCurvePrivateKey | EllipticCurvePublicKey | None:
    if isinstance(key, _Signing):
        return EllipticCurvePrivateKey(key)
    return EllipticCurvePublicKey(key) if isinstance(key, _Verifying) else None


def _ours(key: Any) -> EllipticCurvePrivateKey | EllipticCurvePublicKey | None:
    """The key of this module for one of either package; ``None`` for one on another curve."""
    if type(key) in (EllipticCurvePrivateKey, EllipticCurvePublicKey):
        return key  # type: ignore[no-any-return]
    is_private = isinstance(key, EllipticCurvePrivateKey)
    if not is_private and not isinstance(key, EllipticCurvePublicKey):
        return None
    module = _module_of(key.curve)
    if module is None:
        return None
    if is_private:
        written = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        return EllipticCurvePrivateKey(module.SigningKey.from_der(written))
    point = key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return EllipticCurvePublicKey(module.VerifyingKey(point))


def _join(theirs: ModuleType) -> None:
    key = theirs.derive_private_key(1, SECP256R1())
    _theirs.same_kind(EllipticCurvePrivateKey, theirs.EllipticCurvePrivateKey, key)
    _theirs.same_kind(EllipticCurvePublicKey, theirs.EllipticCurvePublicKey, key.public_key())
    # theirs are no abstract classes: their numbers are ours, not the reverse
    EllipticCurvePrivateNumbers.register(theirs.EllipticCurvePrivateNumbers)
    EllipticCurvePublicNumbers.register(theirs.EllipticCurvePublicNumbers)


if (_found := _theirs.module(_NAME)) is not None:
    _join(_found)
