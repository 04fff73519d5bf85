"""Verification of pandas frames. Needs pandas and pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from ._rows import PER_ROW, Column, EnvelopeOptions, Options, Request

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Column", "verify", "verify_cose", "verify_dsse", "verify_jws", "verify_sshsig"]


def verify(
    frame: pd.DataFrame, *, key: str = "key", msg: str = "msg", sig: str = "sig", **options: Unpack[Options]
) -> pd.DataFrame:
    """A new frame with the index and the columns of this one, and two more: ``verdict`` and ``reason``.

    ``key``, ``msg`` and ``sig`` name columns: of ``object`` with ``bytes``, ``bytearray`` or ``memoryview``, or of an
    Arrow type (read where they lie). ``None``, ``NaN`` and ``pd.NA`` are nulls. The options are those of
    :func:`sigmill.verify_columns`, each one value or a :class:`Column`; ``verdict=`` and ``reason=`` give the new
    columns other names.

    ``verdict`` has the dtype ``boolean``, ``<NA>`` where a value is null; ``reason`` is text, ``None`` where valid.
    ``TypeError``: a cell that is something else, such as a ``str`` among bytes, with its column and row (from 0).
    ``ValueError``: a column that is not there, is there twice, or would be (``verdict``), an unknown rule.
    """
    return _with_verdicts(frame, Request.of(key, msg, sig, options))


def verify_jws(
    frame: pd.DataFrame, keys: Any, *, token: str = "token", **options: Unpack[EnvelopeOptions]
) -> pd.DataFrame:
    """A new frame with two columns more, about the column of JSON Web Signatures that ``token`` names.

    The column holds ``str`` or bytes, or is of an Arrow type. ``keys`` and the options are those of
    :func:`sigmill.verify_jws`. With ``claims=`` there is a third column, ``claims``, with a ``dict`` a row.
    """
    return _with_verdicts(frame, Request.of_envelopes("verify_jws", {"tokens": token}, keys, options))


def verify_cose(
    frame: pd.DataFrame, keys: Any, *, token: str = "token", **options: Unpack[EnvelopeOptions]
) -> pd.DataFrame:
    """The same of COSE_Sign1: :func:`sigmill.verify_cose`."""
    return _with_verdicts(frame, Request.of_envelopes("verify_cose", {"tokens": token}, keys, options))


def verify_dsse(
    frame: pd.DataFrame, keys: Any, *, token: str = "token", **options: Unpack[EnvelopeOptions]
) -> pd.DataFrame:
    """The same of DSSE envelopes: :func:`sigmill.verify_dsse`."""
    return _with_verdicts(frame, Request.of_envelopes("verify_dsse", {"tokens": token}, keys, options))


def verify_sshsig(
    frame: pd.DataFrame,
    keys: Any,
    *,
    namespace: str,
    signature: str = "signature",
    message: str = "message",
    **options: Unpack[EnvelopeOptions],
) -> pd.DataFrame:
    """The same of signatures of OpenSSH and the messages beside them: :func:`sigmill.verify_sshsig`."""
    columns = {"signatures": signature, "messages": message}
    return _with_verdicts(frame, Request.of_envelopes("verify_sshsig", columns, keys, options, namespace))


def _with_verdicts(frame: pd.DataFrame, request: Request) -> pd.DataFrame:
    request.check_names(list(frame.columns))

    def column(argument: str) -> pa.Array | pa.ChunkedArray:
        name = request.columns[argument]
        in_containers = argument == "key" and request.values.get("key_form") == "spki"
        is_envelope = argument in ("tokens", "signatures", "messages")
        return _arrow(argument, name, frame[name], or_text=in_containers or is_envelope)

    verdicts = request.run(column)
    made = frame.copy(deep=False)
    made[request.verdict] = pa.array(verdicts.verdict).to_pandas(types_mapper=_nullable).set_axis(frame.index)
    made[request.reason] = pd.Series(pa.array(verdicts.reason).to_pylist(), index=frame.index, dtype=object)
    if verdicts.claims is not None:
        made["claims"] = pd.Series(pa.array(verdicts.claims).to_pylist(), index=frame.index, dtype=object)
    return made


def _nullable(_: pa.DataType) -> pd.BooleanDtype:
    return pd.BooleanDtype()


def _arrow(argument: str, name: str, series: pd.Series[Any], *, or_text: bool) -> pa.Array | pa.ChunkedArray:
    text = PER_ROW.get(argument) == "text"
    if or_text and series.dtype == object and series.map(type).isin([str]).any():
        text = True  # PEM
    if series.isna().all():
        return pa.nulls(len(series), pa.string() if text else pa.binary())  # of whatever dtype, as of floats
    if series.dtype != object:
        return pa.array(series, from_pandas=True)
    cells, good = series.array, (str,) if text else (bytes, bytearray, memoryview)
    for kind in set(map(type, cells)):
        if not issubclass(kind, good):
            _refuse(argument, name, series, good)
            break
    return pa.array(cells, pa.large_string() if text else pa.large_binary(), from_pandas=True)


def _refuse(argument: str, name: str, series: pd.Series[Any], good: tuple[type, ...]) -> None:
    """``TypeError`` for the first cell that is neither of the types nor missing."""
    for row, cell in enumerate(series.array):
        if isinstance(cell, good) or cell is None or cell is pd.NA or cell is pd.NaT:
            continue
        if isinstance(cell, float) and cell != cell:
            continue
        needed = " or ".join(kind.__name__ for kind in good[:1])
        raise TypeError(
            f"{argument}: column {name!r}, row {row} (index {series.index[row]!r}): "
            f"{type(cell).__name__}, not {needed}"
        )
