"""The exceptions of ``cryptography.exceptions``: the same classes where that is installed."""

from typing import TYPE_CHECKING, Any

import sigmill

from . import _theirs

if TYPE_CHECKING:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
elif (_module := _theirs.module("exceptions")) is not None:
    InvalidSignature = _module.InvalidSignature
    UnsupportedAlgorithm = _module.UnsupportedAlgorithm
else:
    InvalidSignature = sigmill.InvalidSignature

    class UnsupportedAlgorithm(Exception):
        """Something that sigmill does not do."""


__all__ = ["InvalidSignature", "UnsupportedAlgorithm"]


def __getattr__(name: str) -> Any:
    return _theirs.attribute(__name__, "exceptions", name)


def _invalid(found: sigmill.InvalidSignature) -> Exception:
    """The exception for what sigmill refuses, with its ``reason``."""
    if isinstance(found, InvalidSignature):
        return found
    error = InvalidSignature(*found.args)
    error.reason = found.reason  # type: ignore[attr-defined]
    return error


def _required(name: str, what: str) -> Any:
    """The module ``cryptography.NAME``, which does `what`. ``UnsupportedAlgorithm`` without it."""
    found = _theirs.module(name)
    if found is None:
        raise UnsupportedAlgorithm(f"{what}: sigmill leaves this to the package cryptography, which is not installed")
    return found
