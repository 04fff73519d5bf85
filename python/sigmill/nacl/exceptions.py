"""The exceptions of ``nacl.exceptions``: the same classes where PyNaCl is installed."""

from __future__ import annotations

import builtins
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = ["BadSignatureError", "CryptoError", "RuntimeError", "TypeError", "ValueError"]


def _pynacl() -> ModuleType | None:
    try:
        return import_module("nacl.exceptions")
    except ModuleNotFoundError as error:
        if error.name not in ("nacl", "nacl.exceptions"):
            raise
        return None


_theirs = _pynacl()

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

else:
    CryptoError = _theirs.CryptoError
    BadSignatureError = _theirs.BadSignatureError
    TypeError = _theirs.TypeError
    ValueError = _theirs.ValueError
    RuntimeError = _theirs.RuntimeError
