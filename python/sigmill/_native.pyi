from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar, Union, final

from typing_extensions import Self

from .ecdsa import p256, p384
from .ed25519 import PreparedKey, Rule, SigningKey, Verdict, VerifyingKey

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _Array(Protocol):
    @property
    def ndim(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...

_Column = Union[_ArrowArray, _ArrowStream, _Array]
_Buffer = Union[bytes, bytearray, memoryview]
_Cells = Union[_Column, Sequence[Union[str, _Buffer, None]]]
_OwnKey = Union[VerifyingKey, PreparedKey, p256.VerifyingKey, p384.VerifyingKey]
_Keys = Union[str, _Buffer, dict[str, Any], _OwnKey, Sequence[_OwnKey]]
_Public = TypeVar("_Public")
_Secret = TypeVar("_Secret")

class _PublicKey(Generic[_Public]):
    """Public keys of every algorithm: ``_Public`` is the class itself."""

    def __new__(cls, data: _Buffer) -> Self: ...
    @staticmethod
    def from_public_bytes(data: _Buffer) -> _Public:
        """The key of its bytes: 32, or a SEC1 point, compressed or not."""
    @staticmethod
    def from_pem(data: str | _Buffer) -> _Public:
        """The key in a SubjectPublicKeyInfo (RFC 8410, RFC 5480) in PEM."""
    @staticmethod
    def from_der(data: _Buffer) -> _Public:
        """The same in DER."""
    def to_pem(self) -> str: ...
    def to_der(self) -> bytes: ...
    def __bytes__(self) -> bytes: ...
    def __hash__(self) -> int: ...

class _SecretKey(Generic[_Secret, _Public]):
    """Secret keys of every algorithm: ``_Secret`` is the class itself."""

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __new__(cls, data: _Buffer) -> Self: ...
    @staticmethod
    def generate() -> _Secret:
        """A new key, of the system's random bytes. ``RuntimeError`` if it has none."""
    @staticmethod
    def from_private_bytes(data: _Buffer) -> _Secret:
        """The key of a seed or a scalar of 32 bytes, or of an integer from 1 to n − 1, big-endian.

        The integer has 32 bytes on P-256 and 48 on P-384; other programs leave out zeros in front, and 24 bytes and more
        are read. ``ValueError`` for fewer bytes, and for any other integer.
        """
    @staticmethod
    def from_pem(data: str | _Buffer) -> _Secret:
        """The key in a PKCS#8 (RFC 5958) in PEM, with or without its public key."""
    @staticmethod
    def from_der(data: _Buffer) -> _Secret:
        """The same in DER."""
    def to_pem(self) -> str: ...
    def to_der(self) -> bytes: ...
    def private_bytes_raw(self) -> bytes:
        """The seed, the scalar, or the integer in its full size."""
    def public_key(self) -> _Public: ...

__version__: str
backend: str
"""What computes on this CPU: `ifma`, `avx2` or `portable`. No verdict depends on it."""

class InvalidSignature(Exception):
    """A signature is not valid under the rule that was asked for."""

    reason: str
    """The name of the first requirement that it violates, such as `equation`."""

@final
class ArrowColumn:
    """A column of ours, for anything that reads Arrow: `pyarrow.array(column)`, `polars.Series(column)`."""

    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

@final
class Verdicts:
    """One verdict and one reason a row: a struct array of `verdict`, booleans, and `reason`, text.

    `verdict` is null where something in the row is, or where its rule or algorithm is not known; `reason` is null where
    `verdict` is true. `pyarrow.table(verdicts)` and `polars.DataFrame(verdicts)` have these two columns.
    """

    @property
    def valid(self) -> int:
        """The rows that are valid."""
    @property
    def invalid(self) -> int:
        """The rows that are not."""
    @property
    def null(self) -> int:
        """The rows without a verdict."""
    @property
    def all_valid(self) -> bool:
        """Whether there are rows, and all of them are valid."""
    @property
    def reasons(self) -> dict[str, int]:
        """How many rows have each reason."""
    @property
    def verdict(self) -> ArrowColumn:
        """The verdicts: true, false or null."""
    @property
    def reason(self) -> ArrowColumn:
        """The reasons: null where a row is valid."""
    @property
    def claims(self) -> ArrowColumn | None:
        """The claims that :func:`sigmill.verify_jws` was asked for: a struct of texts, which is a table, too."""
    def bad(self, limit: int | None = None) -> list[int]:
        """The rows that are not valid, counted from 0, at most `limit` of them."""
    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> Verdict | None:
        """The verdict on a row; `None` where there is none."""
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class SigningKeys:
    """Secret keys of Ed25519, one a row; wiped when dropped. Equal in constant time; unhashable, not copied or pickled."""

    __hash__: ClassVar[None]  # type: ignore[assignment]

    @staticmethod
    def from_seeds(seeds: _Column) -> SigningKeys:
        """The keys of a column of seeds, 32 bytes each. ``ValueError`` names a row that has no such seed; ``MemoryError``
        where there is no memory for the keys."""
    @property
    def public_keys(self) -> ArrowColumn:
        """The public keys, a column of 32 bytes."""
    def seeds(self) -> ArrowColumn:
        """The seeds, a column of 32 bytes: secret, and in memory that nobody wipes."""
    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> SigningKey: ...

def verify_columns(
    key: _Column,
    msg: _Column,
    sig: _Column,
    *,
    rule: Rule | str | _Column | None = None,
    algorithm: str | _Column | None = None,
    variant: str | _Column | None = None,
    context: _Buffer | _Column | None = None,
    hash: str | None = None,
    sig_format: str | None = None,
    low_s: bool = False,
    key_form: str | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Verdicts:
    """Verifies every row, where it lies.

    `key`, `msg` and `sig` are columns of one length with ``__arrow_c_array__`` or ``__arrow_c_stream__``: of pyarrow,
    Polars, pandas (Arrow dtypes), arro3. They hold bytes: binary, large binary, binary view, fixed-size binary, lists of u8 and
    views of them, or a dictionary or runs of these; `msg` may hold text, which stands for its UTF-8. Sliced and chunked
    columns are read as they are. An array of u8 with two dimensions, such as one of NumPy, is copied. A key of Ed25519 has 32
    bytes and a signature 64; of ECDSA keys are SEC1 points. Bytes of any other length make a row invalid, with the reason.

    `key_form` is `raw` (default) or `spki`: keys are SubjectPublicKeyInfo in DER, or in PEM, which may be text.

    `rule` (default `common`) and `variant` (`pure`, `ctx`, `ph`, default `pure`) with `context` say how rows of Ed25519
    are verified; `algorithm` is `ed25519` (default), `p256` or `p384`. Each of these may be a column, with a value a
    row. For rows of ECDSA `hash` is `sha256`, `sha384`, `sha512` or `none` (default: of the curve's own size),
    `sig_format` is `raw` (default) or `der`, and `low_s` refuses a high s.

    A null anywhere in a row makes its verdict null, with the reason `null`; else a name in a column that is not known,
    `unknown`; a context that is too long or that its variant cannot have, `context`; a key that `key_form` cannot read as
    one of the row's algorithm, `unreadable`.

    `threads` work, all cores by default; other Python threads go on meanwhile. `progress(done, rows)` is called some
    times a second. What it raises, and Ctrl-C, end the work within a second.

    ``TypeError`` for what is no column or one of another type, ``ValueError`` for a column of containers without
    `key_form`, columns of different lengths, names
    that are not known, and arrays whose offsets, indices or views cannot be: the message begins with the argument and
    names the row. ``MemoryError`` where the rows need more memory than there is. ``RuntimeError`` if the system has no
    random bytes. Time depends on the rows.

    Where no thread can be made the calling one does the work. Rows whose memory is written to meanwhile have verdicts
    that mean nothing.
    """

def verify_jws(
    tokens: _Cells,
    keys: _Keys,
    *,
    rule: Rule | str | None = None,
    claims: Sequence[str] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Verdicts:
    """Verifies a column of JSON Web Signatures (JWT) in the compact form: `EdDSA`, `Ed25519`, `ES256` and `ES384`.

    `tokens` is a column of bytes or text, as in :func:`sigmill.verify_columns`, or a list of `str`, bytes and `None`.

    `keys` are the verifier's: the contents of a file (a JWK set, one JWK, a public key or certificate in PEM, lines of
    OpenSSH, a key of minisign or signify), a JWK set as a `dict`, or public keys of sigmill, one or a list. A file is
    not opened by its name. Keys with names are chosen by the token's `kid`, others by their algorithm. The key decides
    the algorithm, and a token that names another is refused.

    `rule` (default `common`) is that of keys of Ed25519. A null token has a null verdict and the reason `null`. A
    malformed token, or one without a key, is not valid. Its reason is that of the refusal: `not_jws`, `alg_unknown`,
    `alg_mismatch`, `kid_unknown`, `kid_missing`, `crit_unknown`, `payload_missing` and others.

    `claims` names members of the payload. The property `claims` of the result is then a table with a column of text for
    each: strings as they are, other values as JSON. It is null where a member is absent, the payload is no object of
    JSON, or the row is not valid. Nobody has looked at `exp`, `aud` or `iss`: that is up to the caller.

    `threads` and `progress` are as in :func:`sigmill.verify_columns`. Tokens are copied, some MiB at a time; verdict and
    claims are of the same bytes.

    ``ValueError``: `keys` is malformed or holds no key that verifies, or a claim is named twice. ``TypeError``: an
    argument has another type. ``MemoryError`` where the rows need more memory than there is.
    """

def verify_cose(
    tokens: _Cells,
    keys: _Keys,
    *,
    external_data: _Buffer | None = None,
    rule: Rule | str | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Verdicts:
    """Verifies a column of COSE_Sign1 (RFC 9052), tagged or not, such as CWT, with their payloads inside.

    As :func:`sigmill.verify_jws`; `keys` may also be the bytes of a COSE_Key or COSE_KeySet. Other keys have no names here,
    not even a `kid` of a JWK: the only one that fits serves. `external_data` is signed beside every message (`external_aad`,
    RFC 9052 section 4.4).
    """

def verify_dsse(
    tokens: _Cells,
    keys: _Keys,
    *,
    rule: Rule | str | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Verdicts:
    """Verifies a column of DSSE envelopes, such as attestations of in-toto, and of sigstore bundles with such envelopes.

    As :func:`sigmill.verify_jws`; a `kid` of a JWK is a `keyid` here. One valid signature by a key of `keys` is enough: each
    is tried with the keys of its `keyid`, or with all whose signatures have its form. Without a valid one, a row has the
    reason of the first pair of signature and key. More than 4,096 pairs in a row are refused with `too_large`. A bundle
    with a signature of an artifact is refused with `payload_missing`.
    """

def verify_sshsig(
    signatures: _Cells,
    messages: _Cells,
    keys: _Keys,
    *,
    namespace: str,
    rule: Rule | str | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Verdicts:
    """Verifies a column of signatures of OpenSSH (`ssh-keygen -Y sign`), armored, of the messages beside them.

    As :func:`sigmill.verify_jws`. The key inside a signature has to be one of `keys`, else the row is refused with
    `key_unknown`, and the signature made for `namespace`, else with `namespace_mismatch`. A null in either column makes a
    row null. ``ValueError``: the columns differ in length, or `namespace` is empty.
    """

def report_columns(
    key: _Column,
    msg: _Column,
    sig: _Column,
    title: str,
    *,
    rule: Rule | str | _Column | None = None,
    algorithm: str | _Column | None = None,
    variant: str | _Column | None = None,
    context: _Buffer | _Column | None = None,
    hash: str | None = None,
    sig_format: str | None = None,
    low_s: bool = False,
    key_form: str | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[Verdicts, str]:
    """Verifies every row, and makes a page about them: :func:`sigmill.report`."""

def sign_columns(
    keys: SigningKey | SigningKeys | p256.SigningKey | p384.SigningKey,
    msg: _Column,
    *,
    variant: str = "pure",
    context: _Buffer | None = None,
    hash: str | None = None,
    checked: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> ArrowColumn:
    """Signs every message: a column of 64 bytes (Ed25519, P-256) or 96 (P-384).

    `keys` is one key for all rows, or :class:`SigningKeys` with one for each. With `checked` each message is signed
    twice and its signature verified, before anything is given out. ``ValueError`` names a row whose message is null;
    nothing is signed then. ``MemoryError`` where the rows need more memory than there is. Constant time but for the
    number of rows and the lengths of messages.

    Other code may write to messages meanwhile: Ed25519 signs copies of them, and a message of more than 16 MiB that has
    changed is a ``ValueError``.
    """

def generate_keys(n: int) -> SigningKeys:
    """`n` new keys of Ed25519, of the system's random bytes. ``MemoryError`` where there is no memory for them."""

def what_is(data: str | _Buffer) -> tuple[str, str | None] | None:
    """What some bytes are, by their beginning, and what to do with them; `None` for what has no name."""
