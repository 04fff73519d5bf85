"""The exceptions of ``nacl.exceptions``: the same classes where PyNaCl is installed."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from ._theirs import module

__all__ = [
    "AssertionError",
    "BadSignatureError",
    "CryptPrefixError",
    "CryptoError",
    "InvalidkeyError",
    "RuntimeError",
    "TypeError",
    "UnavailableError",
    "ValueError",
    "ensure",
]

_theirs = module("exceptions")

if TYPE_CHECKING or _theirs is None:

    class CryptoError(Exception):
        """The base of all exceptions here."""

    class BadSignatureError(CryptoError):
        """A signature is not valid."""

    class TypeError(builtins.TypeError, CryptoError):
        """A value of another type."""

    class ValueError(builtins.ValueError, CryptoError):
        """A value that cannot be."""

    class RuntimeError(builtins.RuntimeError, CryptoError):
        """What should not happen, such as a shared secret that everybody knows."""

    class AssertionError(builtins.AssertionError, CryptoError):
        """What :func:`ensure` raises unless it is told otherwise."""

    class InvalidkeyError(CryptoError):
        """A password is not the one of a hash. Nothing here raises it."""

    class CryptPrefixError(InvalidkeyError):
        """A hash of a password has an unknown prefix. Nothing here raises it."""

    class UnavailableError(RuntimeError):
        """A function that libsodium was built without. Nothing here raises it."""

    def ensure(cond: bool, *args: Any, raising: type[Exception] = AssertionError) -> None:
        """Raises `raising` with the arguments unless the condition is ``True``."""
        if cond is not True:
            raise raising(*args)

else:
    globals().update({name: getattr(_theirs, name) for name in __all__})
