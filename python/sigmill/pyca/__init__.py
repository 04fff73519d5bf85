"""The names of pyca/cryptography over sigmill's keys: a program changes the line that imports them.

    from sigmill.pyca.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from sigmill.pyca import ec, ed25519, x25519

``ed25519``, ``x25519``, ``ec`` (P-256 and P-384), ``serialization`` and ``exceptions`` are here. Every other name, such
as ``ed448`` or ``hashes``, is the module of pyca/cryptography, so that one line may import several.

Where pyca/cryptography is installed, keys and its keys pass for each other: ``isinstance`` is true for both, functions
here take both, and an invalid signature raises its ``InvalidSignature``. It also does what sigmill does not: encrypted
and OpenSSH files, other curves, ECDH on P-256 and P-384. Without it those raise ``UnsupportedAlgorithm``.

Ed25519 is verified under the rule ``common``, the one that OpenSSL follows. Bytes that are no point are a key whose
verification fails, as in pyca/cryptography; :class:`sigmill.ed25519.VerifyingKey` refuses them.
"""

from types import ModuleType

from . import ec, ed25519, exceptions, serialization, x25519
from ._theirs import module
from .exceptions import InvalidSignature

__all__ = ["InvalidSignature", "ec", "ed25519", "exceptions", "serialization", "x25519"]


def __getattr__(name: str) -> ModuleType:
    if not name.startswith("_"):
        for parent in ("hazmat.primitives.asymmetric.", "hazmat.primitives.", ""):
            found = module(parent + name)
            if found is not None:
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
