"""Verification in Spark, on as many machines as the session has: :func:`verify`. Needs pyspark, pandas and pyarrow.

    checked = sigmill.spark.verify(frame, rule="zip215")
    checked.where("verdict IS NOT TRUE").select("id", "reason").show()

Every Python worker must be able to import this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.types import BinaryType, BooleanType, DataType, StringType, StructField, StructType

from ._rows import PER_ROW, Column, EnvelopeOptions, Options, Request
from .arrow import _with_verdicts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

__all__ = ["Column", "verify", "verify_cose", "verify_dsse", "verify_jws", "verify_sshsig"]


def verify(
    df: DataFrame, *, key: str = "key", msg: str = "msg", sig: str = "sig", **options: Unpack[Options]
) -> DataFrame:
    """The frame with two columns more: ``verdict`` (boolean) and ``reason`` (string, null where valid).

    Lazy, as all of Spark: one ``mapInArrow``, with no shuffle; rows stay in their partitions. ``key`` and ``sig`` name
    columns of binary, ``msg`` one of binary or string (its UTF-8 is meant). The options are those of
    :func:`sigmill.verify_columns`, each one value or a :class:`Column` of string (``context``: of binary);
    ``verdict=`` and ``reason=`` give the new columns other names. ``threads`` is those of one task, 1 unless said
    otherwise: Spark has a task for each core. All columns of the frame pass through Python: ``select`` what is needed.

    What is wrong is said here, before a job starts. ``ValueError``: a column that is not there, is there twice, or
    would be (``verdict``), an unknown rule, algorithm or variant. ``TypeError``: a column of another type, named.
    """
    defaults: Options = {"threads": 1}
    return _mapped(df, Request.of(key, msg, sig, {**defaults, **options}))


def verify_jws(df: DataFrame, keys: Any, *, token: str = "token", **options: Unpack[EnvelopeOptions]) -> DataFrame:
    """The frame with two columns more, about the column of JSON Web Signatures that ``token`` names: string or binary.

    As :func:`verify`; ``keys`` and the options are those of :func:`sigmill.verify_jws`. With ``claims=`` there is a third
    column, ``claims``: a struct of strings, null where a row is not valid. The keys go to every task.
    """
    return _of_envelopes(df, "verify_jws", {"tokens": token}, keys, options)


def verify_cose(df: DataFrame, keys: Any, *, token: str = "token", **options: Unpack[EnvelopeOptions]) -> DataFrame:
    """The same of COSE_Sign1: :func:`sigmill.verify_cose`."""
    return _of_envelopes(df, "verify_cose", {"tokens": token}, keys, options)


def verify_dsse(df: DataFrame, keys: Any, *, token: str = "token", **options: Unpack[EnvelopeOptions]) -> DataFrame:
    """The same of DSSE envelopes: :func:`sigmill.verify_dsse`."""
    return _of_envelopes(df, "verify_dsse", {"tokens": token}, keys, options)


def verify_sshsig(
    df: DataFrame,
    keys: Any,
    *,
    namespace: str,
    signature: str = "signature",
    message: str = "message",
    **options: Unpack[EnvelopeOptions],
) -> DataFrame:
    """The same of signatures of OpenSSH and the messages beside them: :func:`sigmill.verify_sshsig`."""
    return _of_envelopes(df, "verify_sshsig", {"signatures": signature, "messages": message}, keys, options, namespace)


def _of_envelopes(
    df: DataFrame,
    function: str,
    columns: dict[str, str],
    keys: Any,
    options: EnvelopeOptions,
    namespace: str | None = None,
) -> DataFrame:
    defaults: EnvelopeOptions = {"threads": 1}
    return _mapped(df, Request.of_envelopes(function, columns, keys, {**defaults, **options}, namespace))


def _mapped(df: DataFrame, request: Request) -> DataFrame:
    schema = df.schema
    request.check_names(schema.names)
    for argument, column in request.columns.items():
        in_containers = argument == "key" and request.values.get("key_form") == "spki"
        is_envelope = argument in ("tokens", "signatures", "messages")
        _check_type(argument, column, schema[column].dataType, or_text=in_containers or is_envelope)
    request.check_values(pa.array([], pa.binary()), pa.array([], pa.string()))
    more = [StructField(request.verdict, BooleanType()), StructField(request.reason, StringType())]
    if request.claims is not None:
        more.append(StructField("claims", StructType([StructField(claim, StringType()) for claim in request.claims])))
    return df.mapInArrow(_Task(request), StructType([*schema.fields, *more]))


class _Task:
    """What a task does with the batches of its partition."""

    def __init__(self, request: Request) -> None:
        self.request = request

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield self.in_types_of_spark(_with_verdicts(batch, self.request))

    def in_types_of_spark(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with claims of `string`: ours are of `large_string`."""
        if self.request.claims is None:
            return batch
        text = pa.struct([(claim, pa.string()) for claim in self.request.claims])
        columns = [*batch.columns[:-1], batch.columns[-1].cast(text)]
        return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _check_type(argument: str, column: str, found: DataType, *, or_text: bool) -> None:
    allowed: dict[str, tuple[type[DataType], ...]] = {"msg": (BinaryType, StringType), "context": (BinaryType,)}
    default = StringType if PER_ROW.get(argument) == "text" else BinaryType
    kinds = allowed.get(argument, (default,))
    if or_text:
        kinds = (BinaryType, StringType)  # PEM is text
    if not isinstance(found, kinds):
        needed = " or ".join(kind.typeName() for kind in kinds)
        raise TypeError(f"{argument}: column {column!r} is {found.simpleString()}, {needed} is needed")
