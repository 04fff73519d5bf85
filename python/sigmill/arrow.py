"""Verification of record batches: a batch goes in, the same batch comes out with a verdict and a reason a row.

:func:`verify_batch` is what every engine can call that hands its rows out as Arrow: Spark (``sigmill.spark``), Ray Data
(``map_batches(…, batch_format="pyarrow")``), DataFusion, Daft, or a reader of files. Needs pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from ._rows import Column, EnvelopeOptions, Options, Request

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "Column",
    "verify_batch",
    "verify_batches",
    "verify_cose",
    "verify_dsse",
    "verify_jws",
    "verify_sshsig",
    "verify_table",
]

_Rows = TypeVar("_Rows", pa.RecordBatch, pa.Table)


def verify_batch(
    batch: pa.RecordBatch, *, key: str = "key", msg: str = "msg", sig: str = "sig", **options: Unpack[Options]
) -> pa.RecordBatch:
    """The batch with two columns more: ``verdict`` (boolean) and ``reason`` (text, null where valid).

    ``key``, ``msg`` and ``sig`` name columns of bytes of any Arrow type (``msg`` may be text: its UTF-8 is meant). The
    options are those of :func:`sigmill.verify_columns`, each one value or a :class:`Column`; ``verdict=`` and
    ``reason=`` give the new columns other names. A row with a null has the verdict null and the reason ``null``.

    Rows keep their order, columns are not copied. ``ValueError``: a column that is not there, is there twice, or would
    be (``verdict``), an unknown rule, bad offsets. ``TypeError``: a column of another type, named.
    """
    return _with_verdicts(batch, Request.of(key, msg, sig, options))


def verify_batches(
    batches: Iterable[pa.RecordBatch],
    *,
    key: str = "key",
    msg: str = "msg",
    sig: str = "sig",
    **options: Unpack[Options],
) -> Iterator[pa.RecordBatch]:
    """:func:`verify_batch` of each, as they come; what is asked for is looked at once, when the first one comes."""
    request = Request.of(key, msg, sig, options)
    for batch in batches:
        yield _with_verdicts(batch, request)


def verify_table(
    table: pa.Table, *, key: str = "key", msg: str = "msg", sig: str = "sig", **options: Unpack[Options]
) -> pa.Table:
    """The same for a table, whose columns may be in chunks."""
    return _with_verdicts(table, Request.of(key, msg, sig, options))


def verify_jws(rows: _Rows, keys: Any, *, token: str = "token", **options: Unpack[EnvelopeOptions]) -> _Rows:
    """The batch or table with two columns more, about the column of JSON Web Signatures that ``token`` names.

    ``keys`` and the options are those of :func:`sigmill.verify_jws`. With ``claims=`` there is a third column, ``claims``:
    a struct of text, null where a row is not valid.
    """
    return _with_verdicts(rows, Request.of_envelopes("verify_jws", {"tokens": token}, keys, options))


def verify_cose(rows: _Rows, keys: Any, *, token: str = "token", **options: Unpack[EnvelopeOptions]) -> _Rows:
    """The same of COSE_Sign1: :func:`sigmill.verify_cose`."""
    return _with_verdicts(rows, Request.of_envelopes("verify_cose", {"tokens": token}, keys, options))


def verify_dsse(rows: _Rows, keys: Any, *, token: str = "token", **options: Unpack[EnvelopeOptions]) -> _Rows:
    """The same of DSSE envelopes: :func:`sigmill.verify_dsse`."""
    return _with_verdicts(rows, Request.of_envelopes("verify_dsse", {"tokens": token}, keys, options))


def verify_sshsig(
    rows: _Rows,
    keys: Any,
    *,
    namespace: str,
    signature: str = "signature",
    message: str = "message",
    **options: Unpack[EnvelopeOptions],
) -> _Rows:
    """The same of signatures of OpenSSH and the messages beside them: :func:`sigmill.verify_sshsig`."""
    columns = {"signatures": signature, "messages": message}
    return _with_verdicts(rows, Request.of_envelopes("verify_sshsig", columns, keys, options, namespace))


def _with_verdicts(batch: Any, request: Request) -> Any:
    request.check_names(batch.schema.names)
    verdicts = request.run(lambda argument: batch.column(request.columns[argument]))
    for name, column in ((request.verdict, verdicts.verdict), (request.reason, verdicts.reason)):
        batch = batch.append_column(name, pa.array(column))
    if verdicts.claims is not None:
        batch = batch.append_column("claims", pa.array(verdicts.claims))
    return batch
