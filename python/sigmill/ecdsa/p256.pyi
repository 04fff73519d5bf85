"""ECDSA (FIPS 186-5) on P-256, with SHA-256 where no hash is named."""

from typing import Union

from ..ed25519 import Verdict

Buffer = Union[bytes, bytearray, memoryview]

class VerifyingKey:
    """A public key. ``ValueError`` for bytes that are no point of the curve."""

    def __init__(self, data: Buffer) -> None: ...
    @staticmethod
    def from_public_bytes(data: Buffer) -> VerifyingKey:
        """The key of a SEC1 point, compressed or not."""
    @staticmethod
    def from_pem(data: str | Buffer) -> VerifyingKey:
        """The key in a SubjectPublicKeyInfo (RFC 5480) in PEM."""
    @staticmethod
    def from_der(data: Buffer) -> VerifyingKey:
        """The same in DER."""
    def to_pem(self) -> str: ...
    def to_der(self) -> bytes: ...
    def public_bytes_raw(self, *, compressed: bool = False) -> bytes:
        """The SEC1 point."""
    def __bytes__(self) -> bytes: ...
    def __hash__(self) -> int: ...
    def verify(
        self,
        signature: Buffer,
        data: Buffer,
        *,
        hash: str | None = None,
        sig_format: str = "raw",
        low_s: bool = False,
    ) -> None:
        """Raises :class:`sigmill.InvalidSignature` unless the signature of `data` is valid.

        `hash` is `sha256`, `sha384`, `sha512`, or `none` for `data` that is a digest; `sig_format` is `raw`, r and s
        one after the other in 64 bytes, or `der`, and never guessed; `low_s` refuses an s above half of the order.
        """

class SigningKey:
    """A secret key, wiped when Python drops it; see :class:`sigmill.ed25519.SigningKey` for what is not."""

    def __init__(self, data: Buffer) -> None: ...
    @staticmethod
    def generate() -> SigningKey:
        """A new key, of the system's random bytes."""
    @staticmethod
    def from_private_bytes(data: Buffer) -> SigningKey:
        """The key of an integer from 1 to n − 1, big-endian, 32 bytes."""
    @staticmethod
    def from_pem(data: str | Buffer) -> SigningKey:
        """The key in a PKCS#8 in PEM."""
    @staticmethod
    def from_der(data: Buffer) -> SigningKey:
        """The same in DER."""
    def to_pem(self) -> str: ...
    def to_der(self) -> bytes: ...
    def private_bytes_raw(self) -> bytes:
        """The integer, big-endian, 32 bytes."""
    def public_key(self) -> VerifyingKey: ...
    def sign(self, data: Buffer, *, hash: str | None = None, sig_format: str = "raw") -> bytes:
        """The signature of `data`, deterministic (RFC 6979). Constant time but for the length of `data`."""

def verify_bytes(
    key: Buffer,
    data: Buffer,
    signature: Buffer,
    *,
    hash: str | None = None,
    sig_format: str = "raw",
    low_s: bool = False,
) -> Verdict:
    """The verdict on a signature under a SEC1 key, from bytes of any length."""
