"""Keys from files whose algorithm the file says."""

from __future__ import annotations

from . import x25519
from ._native import what_is
from .ecdsa import p256, p384
from .ed25519 import SigningKey, VerifyingKey

_NAMES = ("Ed25519", "X25519", "P-256", "P-384")

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing `typing` would take more time than all else here
    from collections.abc import Callable, Iterable
    from typing import TypeVar, Union

    PrivateKey = Union[SigningKey, x25519.PrivateKey, p256.SigningKey, p384.SigningKey]
    PublicKey = Union[VerifyingKey, x25519.PublicKey, p256.VerifyingKey, p384.VerifyingKey]
    Key = TypeVar("Key")

_PRIVATE: tuple[type[PrivateKey], ...] = (SigningKey, x25519.PrivateKey, p256.SigningKey, p384.SigningKey)
_PUBLIC: tuple[type[PublicKey], ...] = (VerifyingKey, x25519.PublicKey, p256.VerifyingKey, p384.VerifyingKey)


def _form(data: bytes | str) -> str | None:
    """How a key is written, as far as its beginning tells."""
    if isinstance(data, str):
        return "PEM" if "-----BEGIN " in data else None
    data = bytes(data)
    if b"-----BEGIN " in data:
        return "PEM"
    return "DER" if data.startswith(b"\x30") else None


_READ = {
    "private": ("a private key (", "an encrypted ", "an RSA private key", "a DSA private key"),
    "public": ("a public key (", "an RSA public key"),
}


def seen_instead(data: bytes | str, needed: str, form: str) -> str | None:
    """The message about a file that is no such key in `form`, PEM or DER; ``None`` where it is one, or has no name."""
    found = what_is(data)
    if found is None:
        return None
    name, advice = found
    seen = _form(data)
    other = None if seen == form else seen
    if not name.startswith(_READ[needed]):
        message = f"data: this is {name}{f' in {other}' if other else ''}, not a {needed} key in {form}"
        return f"{message}; {advice}" if advice else message
    if other is None:
        return None
    return f"data: this is {name} in {other}, not in {form}; load_{other.lower()}_{needed}_key reads it"


def _first(
    kinds: Iterable[type[Key]], read: Callable[[type[Key]], Key], data: bytes | str, needed: str, form: str
) -> Key:
    errors = []
    for kind in kinds:
        try:
            return read(kind)
        except ValueError as error:
            errors.append(str(error))
    found = what_is(data)
    if found is not None and found[0] not in {f"a {needed} key ({name})" for name in _NAMES}:
        name, advice = found
        message = f"data: this is {name}, not a {needed} key of Ed25519, X25519, P-256 or P-384"
        raise ValueError(f"{message}; {advice}" if advice else message)
    seen = seen_instead(data, needed, form)
    if seen is not None:
        raise ValueError(seen)
    # those that say that it is a key of another algorithm say nothing
    errors = [error for error in errors if not error.startswith("data: this is ")] or errors
    # where it is no key at all, all say the same
    raise ValueError("; ".join(dict.fromkeys(errors)))


def _no_password(password: bytes | None) -> None:
    if password is not None:
        raise ValueError("password: encrypted keys are not read; decrypt them first")


def load_pem_private_key(data: bytes | str, password: None = None) -> PrivateKey:
    """The private key in a PEM file: PKCS#8 of Ed25519, X25519, P-256 or P-384. ``ValueError`` for anything else."""
    _no_password(password)
    return _first(_PRIVATE, lambda kind: kind.from_pem(data), data, "private", "PEM")


def load_der_private_key(data: bytes, password: None = None) -> PrivateKey:
    """The private key in DER: PKCS#8 of Ed25519, X25519, P-256 or P-384. ``ValueError`` for anything else."""
    _no_password(password)
    return _first(_PRIVATE, lambda kind: kind.from_der(data), data, "private", "DER")


def load_pem_public_key(data: bytes | str) -> PublicKey:
    """The public key in a PEM file: SubjectPublicKeyInfo of Ed25519, X25519, P-256 or P-384. ``ValueError`` otherwise."""
    return _first(_PUBLIC, lambda kind: kind.from_pem(data), data, "public", "PEM")


def load_der_public_key(data: bytes) -> PublicKey:
    """The public key in DER: SubjectPublicKeyInfo of Ed25519, X25519, P-256 or P-384. ``ValueError`` otherwise."""
    return _first(_PUBLIC, lambda kind: kind.from_der(data), data, "public", "DER")
