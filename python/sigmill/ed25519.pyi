"""Ed25519 (RFC 8032): pure, ctx and ph, under eight named verification rules.

``Ed25519PrivateKey`` and ``Ed25519PublicKey`` are the names under which pyca/cryptography has these classes: a program
that makes, loads, signs and verifies with raw bytes switches by an import.
"""

from collections.abc import Callable, Iterable
from typing import Union, final

from typing_extensions import Self

from ._native import InvalidSignature as InvalidSignature
from ._native import _PublicKey, _SecretKey

_Buffer = Union[bytes, bytearray, memoryview]

@final
class Rule:
    """One of eight verification rules, by which alone it is said which signatures are valid."""

    def __new__(cls, name: str) -> Self: ...
    @property
    def name(self) -> str: ...
    def __hash__(self) -> int: ...

COMMON: Rule
RFC8032_EXACT: Rule
RFC8032: Rule
ZIP215: Rule
STRICT: Rule
NO_SMALL_KEY: Rule
NO_SMALL: Rule
LEGACY: Rule
RULES: tuple[Rule, ...]

@final
class Verdict:
    """The verdict of a rule on a signature, or the refusal of its envelope. It is true if the signature is valid."""

    @property
    def valid(self) -> bool: ...
    @property
    def reason(self) -> str | None:
        """The name of the first requirement that is violated, or of the refusal; `None` if it is valid."""
    def __bool__(self) -> bool: ...

class _Verifies:
    """A public key, with tables or without."""

    def public_bytes_raw(self) -> bytes:
        """The 32 bytes."""
    def verify(
        self,
        signature: _Buffer,
        data: _Buffer,
        *,
        rule: Rule | str | None = None,
        variant: str = "pure",
        context: _Buffer | None = None,
    ) -> None:
        """Raises :class:`InvalidSignature` unless the signature of `data` is valid under `rule`, `common` by default.

        `variant` is `pure`, `ctx` or `ph`, of which the last two take a `context` of at most 255 bytes. Time depends on
        the arguments.
        """
    def verify_prehashed(
        self,
        signature: _Buffer,
        digest: _Buffer,
        *,
        rule: Rule | str | None = None,
        context: _Buffer | None = None,
    ) -> None:
        """The same for Ed25519ph, given SHA-512 of the message: 64 bytes."""

@final
class VerifyingKey(_PublicKey[VerifyingKey], _Verifies):
    """A public key, decoded. ``ValueError`` for bytes that are no point."""

    @property
    def is_weak(self) -> bool:
        """Whether its order is 1, 2, 4 or 8: everybody can sign for it."""
    @property
    def is_canonical(self) -> bool:
        """Whether its bytes are the canonical encoding of the point."""
    def check(self, rule: Rule | str) -> Verdict:
        """Whether the rule accepts the key as such."""
    def prepare(self) -> PreparedKey:
        """The key with tables, for some signatures of one key: verification takes two thirds of the time."""
    def verifier(
        self,
        signature: _Buffer,
        *,
        rule: Rule | str | None = None,
        variant: str = "pure",
        context: _Buffer | None = None,
    ) -> Verifier:
        """Begins to verify a message that comes in pieces."""

@final
class PreparedKey(_Verifies):
    """A public key with tables of its multiples, about 160 KiB. Equal and hashable by the key; pickled without tables."""

    def __new__(cls, key: VerifyingKey) -> Self: ...
    @property
    def verifying_key(self) -> VerifyingKey: ...
    def __bytes__(self) -> bytes: ...
    def __hash__(self) -> int: ...

@final
class Verifier:
    """Verifies one signature of a message that comes in pieces."""

    def update(self, data: _Buffer) -> None:
        """The next piece."""
    def verify(self) -> None:
        """Raises :class:`InvalidSignature` unless the signature of all pieces is valid. Can be called once."""

@final
class SigningKey(_SecretKey[SigningKey, VerifyingKey]):
    """A secret key. Its memory is wiped when Python drops it.

    What Python cannot promise: a `bytes` object with a seed, given or taken, is never wiped, and may be copied. Keys are
    equal in constant time, unhashable, and neither copied nor pickled; their `repr` shows the public key.
    """

    @staticmethod
    def from_keypair_bytes(data: _Buffer) -> SigningKey:
        """The key of 64 bytes, seed and public key. ``ValueError`` unless they belong together."""
    def sign(
        self,
        data: _Buffer,
        *,
        variant: str = "pure",
        context: _Buffer | None = None,
        hedged: bool = False,
        checked: bool = False,
    ) -> bytes:
        """The signature of `data`, 64 bytes; deterministic (RFC 8032) unless `hedged` with random bytes.

        With `checked` it is made twice and verified before it is given out. Constant time but for the lengths. A buffer
        that other code may write to is copied first.
        """
    def sign_prehashed(self, digest: _Buffer, *, context: _Buffer | None = None) -> bytes:
        """The Ed25519ph signature of SHA-512 of a message: 64 bytes."""
    def sign_stream(
        self,
        pieces: Callable[[], Iterable[_Buffer]],
        *,
        variant: str = "pure",
        context: _Buffer | None = None,
    ) -> bytes:
        """The signature of a message that comes in pieces.

        `pieces()` is called twice, since Ed25519 reads a message twice. ``ValueError`` if the second time gives
        something else: nothing is given out then.
        """

@final
class PointReport:
    """What is known of one point, a key or the R of a signature."""

    @property
    def decodes(self) -> bool:
        """There is a point with this encoding. If not, the rest means nothing."""
    @property
    def canonical(self) -> bool: ...
    @property
    def small_order(self) -> bool:
        """The order is 1, 2, 4 or 8."""
    @property
    def torsion_order(self) -> int:
        """The order of the torsion part: 1 for a point of the prime-order group."""

@final
class Explanation:
    """All facts about one signature, and what each rule makes of them."""

    @property
    def a(self) -> PointReport:
        """The public key."""
    @property
    def r(self) -> PointReport:
        """The first half of the signature."""
    @property
    def k(self) -> bytes:
        """SHA-512(dom ‖ R ‖ A ‖ PH(M)) mod ℓ, 32 bytes, little-endian."""
    @property
    def s_below_order(self) -> bool: ...
    @property
    def exact(self) -> bool:
        """[S]B = R + [k]A."""
    @property
    def cofactored(self) -> bool:
        """[8][S]B = [8]R + [8][k]A."""
    @property
    def residual_torsion_order(self) -> int | None:
        """The order of the torsion part of [S]B − [k]A − R; `None` if a point does not decode."""
    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict of each rule, by its name."""
    def verdict(self, rule: Rule | str) -> Verdict: ...

def explain(
    key: _Buffer,
    data: _Buffer,
    signature: _Buffer,
    *,
    variant: str = "pure",
    context: _Buffer | None = None,
) -> Explanation:
    """What there is to know about a signature of 64 bytes by a key of 32."""

def verify_bytes(
    key: _Buffer,
    data: _Buffer,
    signature: _Buffer,
    *,
    rule: Rule | str | None = None,
    variant: str = "pure",
    context: _Buffer | None = None,
) -> Verdict:
    """The verdict on a signature, from bytes of any length. Time depends on the arguments."""

def verify_prehashed_bytes(
    key: _Buffer,
    digest: _Buffer,
    signature: _Buffer,
    *,
    rule: Rule | str | None = None,
    context: _Buffer | None = None,
) -> Verdict:
    """The same for Ed25519ph, given SHA-512 of the message."""

Ed25519PrivateKey = SigningKey
Ed25519PublicKey = VerifyingKey
