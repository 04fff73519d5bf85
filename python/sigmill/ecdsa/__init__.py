"""ECDSA (FIPS 186-5) on P-256 and P-384, with deterministic nonces (RFC 6979)."""

from . import p256, p384

__all__ = ["p256", "p384"]
