"""The names of PyNaCl over sigmill's keys, as far as signatures and X25519 go.

    import sigmill.nacl as nacl
    from sigmill.nacl.signing import SigningKey, VerifyKey

``signing``, ``public`` (keys, no boxes), ``encoding`` and ``exceptions``. Where PyNaCl is installed the exceptions are
its own, so that what catches those goes on. Signatures are verified under the rule ``strict``, that of libsodium. Bytes
that are no point are a key whose verification fails, as in PyNaCl.
"""

from . import encoding, exceptions, public, signing

__all__ = ["encoding", "exceptions", "public", "signing"]
