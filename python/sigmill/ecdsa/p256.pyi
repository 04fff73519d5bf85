"""ECDSA (FIPS 186-5) on P-256, with SHA-256 where no hash is named."""

from typing import ClassVar, Union, final

from typing_extensions import Self

from ..ed25519 import Verdict

_Buffer = Union[bytes, bytearray, memoryview]

@final
class VerifyingKey:
    """A public key. ``ValueError`` for bytes that are no point of the curve."""

    def __new__(cls, data: _Buffer) -> Self: ...
    @staticmethod
    def from_public_bytes(data: _Buffer) -> VerifyingKey:
        """The key of a SEC1 point, compressed or not."""
    @staticmethod
    def from_pem(data: str | _Buffer) -> VerifyingKey:
        """The key in a SubjectPublicKeyInfo (RFC 5480) in PEM."""
    @staticmethod
    def from_der(data: _Buffer) -> VerifyingKey:
        """The same in DER."""
    def to_pem(self) -> str: ...
    def to_der(self) -> bytes: ...
    def public_bytes_raw(self, *, compressed: bool = False) -> bytes:
        """The SEC1 point."""
    def __bytes__(self) -> bytes: ...
    def __hash__(self) -> int: ...
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
        one after the other in 64 bytes, or `der`, and never guessed; `low_s` refuses an s above half of the order.
        """

@final
class SigningKey:
    """A secret key, wiped when Python drops it; see :class:`sigmill.ed25519.SigningKey` for what is not."""

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __new__(cls, data: _Buffer) -> Self: ...
    @staticmethod
    def generate() -> SigningKey:
        """A new key, of the system's random bytes."""
    @staticmethod
    def from_private_bytes(data: _Buffer) -> SigningKey:
        """The key of an integer from 1 to n − 1, big-endian: 32 bytes, or 24 and more without zeros in front.

        Other programs leave such zeros out. ``ValueError`` for fewer bytes, and for any other integer.
        """
    @staticmethod
    def from_pem(data: str | _Buffer) -> SigningKey:
        """The key in a PKCS#8 in PEM."""
    @staticmethod
    def from_der(data: _Buffer) -> SigningKey:
        """The same in DER."""
    def to_pem(self) -> str: ...
    def to_der(self) -> bytes: ...
    def private_bytes_raw(self) -> bytes:
        """The integer, big-endian, 32 bytes."""
    def public_key(self) -> VerifyingKey: ...
    def sign(self, data: _Buffer, *, hash: str | None = None, sig_format: str = "raw") -> bytes:
        """The signature of `data`, deterministic (RFC 6979). Constant time but for the length of `data`."""

    def sign_digest(self, digest: _Buffer, *, hash: str | None = None, sig_format: str = "raw") -> bytes:
        """The signature that :meth:`sign` makes of the bytes with this digest, which `hash` has made elsewhere; with `"none"` any
        digest, and the nonce of the curve's own hash. Constant time."""

def verify_bytes(
    key: _Buffer,
    data: _Buffer,
    signature: _Buffer,
    *,
    hash: str | None = None,
    sig_format: str = "raw",
    low_s: bool = False,
) -> Verdict:
    """The verdict on a signature under a SEC1 key, from bytes of any length."""
