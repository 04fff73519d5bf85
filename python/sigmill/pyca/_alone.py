"""The names that keys need of pyca/cryptography, where that is not installed."""

from __future__ import annotations

import enum
from abc import ABC


class Encoding(enum.Enum):
    """How a key is written."""

    PEM = "PEM"
    DER = "DER"
    OpenSSH = "OpenSSH"
    Raw = "Raw"
    X962 = "ANSI X9.62"


class PrivateFormat(enum.Enum):
    """What is written of a private key."""

    PKCS8 = "PKCS8"
    TraditionalOpenSSL = "TraditionalOpenSSL"
    Raw = "Raw"
    OpenSSH = "OpenSSH"


class PublicFormat(enum.Enum):
    """What is written of a public key."""

    SubjectPublicKeyInfo = "X.509 subjectPublicKeyInfo with PKCS#1"
    OpenSSH = "OpenSSH"
    Raw = "Raw"
    CompressedPoint = "X9.62 Compressed Point"
    UncompressedPoint = "X9.62 Uncompressed Point"


class KeySerializationEncryption(ABC):
    """How a private key is encrypted."""


class NoEncryption(KeySerializationEncryption):
    """It is not."""


class BestAvailableEncryption(KeySerializationEncryption):
    """With a password, which needs pyca/cryptography."""

    def __init__(self, password: bytes) -> None:
        self.password = password


class EllipticCurve(ABC):
    """A curve."""

    name: str
    key_size: int


class SECP256R1(EllipticCurve):
    """P-256."""

    name = "secp256r1"
    key_size = 256


class SECP384R1(EllipticCurve):
    """P-384."""

    name = "secp384r1"
    key_size = 384


class EllipticCurveSignatureAlgorithm(ABC):
    """How a message is signed on a curve."""


class ECDSA(EllipticCurveSignatureAlgorithm):
    """With ECDSA, and a hash function: an object whose ``name`` is ``sha256``, ``sha384`` or ``sha512``."""

    def __init__(self, algorithm: object, deterministic_signing: bool = False) -> None:
        self.algorithm = algorithm
        self.deterministic_signing = deterministic_signing


class ECDH:
    """Key agreement on a curve, which needs pyca/cryptography."""
