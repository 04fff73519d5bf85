"""Ed25519 (RFC 8032): pure, ctx and ph, under eight named verification rules.

``Ed25519PrivateKey`` and ``Ed25519PublicKey`` are the names under which pyca/cryptography has these classes.
"""

from . import _native

Explanation = _native.ed25519.Explanation
PointReport = _native.ed25519.PointReport
PreparedKey = _native.ed25519.PreparedKey
Rule = _native.ed25519.Rule
SigningKey = _native.ed25519.SigningKey
Verdict = _native.ed25519.Verdict
Verifier = _native.ed25519.Verifier
VerifyingKey = _native.ed25519.VerifyingKey
explain = _native.ed25519.explain
verify_bytes = _native.ed25519.verify_bytes
verify_prehashed_bytes = _native.ed25519.verify_prehashed_bytes

COMMON = _native.ed25519.COMMON
RFC8032_EXACT = _native.ed25519.RFC8032_EXACT
RFC8032 = _native.ed25519.RFC8032
ZIP215 = _native.ed25519.ZIP215
STRICT = _native.ed25519.STRICT
NO_SMALL_KEY = _native.ed25519.NO_SMALL_KEY
NO_SMALL = _native.ed25519.NO_SMALL
LEGACY = _native.ed25519.LEGACY
RULES = (COMMON, RFC8032_EXACT, RFC8032, ZIP215, STRICT, NO_SMALL_KEY, NO_SMALL, LEGACY)

Ed25519PrivateKey = SigningKey
Ed25519PublicKey = VerifyingKey
InvalidSignature = _native.InvalidSignature
