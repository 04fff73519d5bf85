"""X25519 (RFC 7748): key agreement.

``X25519PrivateKey`` and ``X25519PublicKey`` are the names under which pyca/cryptography has these classes.
"""

from . import _native

PrivateKey = _native.x25519.PrivateKey
PublicKey = _native.x25519.PublicKey
X25519PrivateKey = PrivateKey
X25519PublicKey = PublicKey
