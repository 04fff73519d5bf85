"""The names of ``cryptography.hazmat.primitives.serialization``, and loaders that give keys of this package.

Loading is pyca/cryptography's where it is installed, so that the same files are read, encrypted ones among them; keys of
Ed25519, X25519, P-256 and P-384 then become keys of ``sigmill.pyca``. Without it the files that
:func:`sigmill.load_pem_private_key` and its kin read are read.
"""

from __future__ import annotations

from typing import Any

import sigmill

from .._keys import seen_instead
from . import _theirs, ec, ed25519, x25519
from ._forms import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from .exceptions import _required

__all__ = [
    "BestAvailableEncryption",
    "Encoding",
    "KeySerializationEncryption",
    "NoEncryption",
    "PrivateFormat",
    "PublicFormat",
    "load_der_private_key",
    "load_der_public_key",
    "load_pem_private_key",
    "load_pem_public_key",
    "load_ssh_private_key",
    "load_ssh_public_key",
]

_NAME = "hazmat.primitives.serialization"


def __getattr__(name: str) -> Any:
    return _theirs.attribute(__name__, _NAME, name)


def ours(key: Any) -> Any:
    """The key of this package for one of pyca/cryptography; any other key as it is."""
    for convert in (ed25519._KINDS.ours, x25519._KINDS.ours, ec._ours):
        found = convert(key)
        if found is not None:
            return found
    return key


def load_pem_private_key(data: Any, password: bytes | None, backend: Any = None, **options: Any) -> Any:
    """The private key in a PEM file."""
    return _load("load_pem_private_key", data, password, **options)


def load_der_private_key(data: Any, password: bytes | None, backend: Any = None, **options: Any) -> Any:
    """The private key in DER."""
    return _load("load_der_private_key", data, password, **options)


def load_pem_public_key(data: Any, backend: Any = None) -> Any:
    """The public key in a PEM file."""
    return _load("load_pem_public_key", data)


def load_der_public_key(data: Any, backend: Any = None) -> Any:
    """The public key in DER."""
    return _load("load_der_public_key", data)


def load_ssh_private_key(data: Any, password: bytes | None, backend: Any = None, **options: Any) -> Any:
    """The private key in a file of OpenSSH."""
    return ours(_required(_NAME, "a key in OpenSSH's form").load_ssh_private_key(data, password, **options))


def load_ssh_public_key(data: Any, backend: Any = None) -> Any:
    """The public key in a line of OpenSSH."""
    return ours(_required(_NAME, "a key in OpenSSH's form").load_ssh_public_key(data))


def _load(name: str, data: Any, *arguments: Any, **options: Any) -> Any:
    theirs = _theirs.module(_NAME)
    if theirs is not None:
        try:
            return ours(getattr(theirs, name)(data, *arguments, **options))
        except ValueError as error:
            # their message says that a form was not found, not which one is there
            _, form, needed, _ = name.split("_")
            seen = seen_instead(data, needed, form.upper())
            if seen is None:
                raise
            raise ValueError(f"{error} ({seen})") from error
    key = getattr(sigmill, name)(data, *arguments)
    for of_native in (ed25519._KINDS.of_native, x25519._KINDS.of_native, ec._of_native):
        found = of_native(key)
        if found is not None:
            return found
    raise TypeError(f"data: a key of {type(key).__name__}")
