"""The names of PyNaCl over sigmill's keys, as far as signatures and X25519 go.

    import sigmill.nacl as nacl
    from sigmill.nacl.signing import SigningKey, VerifyKey

``signing``, ``public`` (keys, no boxes), ``encoding`` and ``exceptions`` are here. Where PyNaCl is installed the exceptions
are its own, so that what catches those goes on, and every other name, such as ``utils`` or ``secret``, is its module. Signatures are verified under the rule ``strict``, that of libsodium. Bytes
that are no point are a key whose verification fails, as in PyNaCl.
"""

from types import ModuleType

from . import encoding, exceptions, public, signing
from ._theirs import module

__all__ = ["encoding", "exceptions", "public", "signing"]


def __getattr__(name: str) -> ModuleType:
    found = None if name.startswith("_") else module(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
