"""ECDSA (FIPS 186-5) on P-256 and P-384, with deterministic nonces (RFC 6979)."""

from typing import Union

from .._native import _Public, _PublicKey, _Secret, _SecretKey
from ..ed25519 import Verdict
from . import p256 as p256, p384 as p384

__all__ = ["p256", "p384"]

_Buffer = Union[bytes, bytearray, memoryview]

class _VerifyingKey(_PublicKey[_Public]):
    def public_bytes_raw(self, *, compressed: bool = False) -> bytes:
        """The SEC1 point."""
    def verify(
        self,
        signature: _Buffer,
        data: _Buffer,
        *,
        hash: str | None = None,
        sig_format: str = "raw",
        low_s: bool = False,
    ) -> None:
        """Raises :class:`sigmill.InvalidSignature` unless the signature of `data` is valid.

        `hash` is `sha256`, `sha384`, `sha512`, or `none` for `data` that is a digest; `sig_format` is `raw`, r and s
        one after the other in 64 bytes on P-256 and 96 on P-384, or `der`, and never guessed; `low_s` refuses an s above
        half of the order.
        """

class _SigningKey(_SecretKey[_Secret, _Public]):
    def sign(self, data: _Buffer, *, hash: str | None = None, sig_format: str = "raw") -> bytes:
        """The signature of `data`, deterministic (RFC 6979). Constant time but for the length of `data`."""
    def sign_digest(self, digest: _Buffer, *, hash: str | None = None, sig_format: str = "raw") -> bytes:
        """The signature that :meth:`sign` makes of the bytes with this digest, which `hash` has made elsewhere; with `"none"` any
        digest, and the nonce of the curve's own hash. Constant time."""

def _verify_bytes(
    key: _Buffer,
    data: _Buffer,
    signature: _Buffer,
    *,
    hash: str | None = None,
    sig_format: str = "raw",
    low_s: bool = False,
) -> Verdict:
    """The verdict on a signature under a SEC1 key, from bytes of any length."""
