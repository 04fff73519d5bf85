"""Verification in Spark, on as many machines as the session has: :func:`verify`. Needs pyspark, pandas and pyarrow.

    checked = sigmill.spark.verify(frame, rule="zip215")
    checked.where("verdict IS NOT TRUE").select("id", "reason").show()

Every Python worker must be able to import this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.types import BinaryType, BooleanType, DataType, StringType, StructField, StructType

from ._rows import PER_ROW, Column, Options, Request
from .arrow import _with_verdicts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

__all__ = ["Column", "verify"]


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
    request = Request.of(key, msg, sig, {**defaults, **options})
    schema = df.schema
    request.check_names(schema.names)
    for argument, column in request.columns.items():
        in_containers = argument == "key" and request.values.get("key_form") == "spki"
        _check_type(argument, column, schema[column].dataType, or_text=in_containers)
    request.check_values(pa.array([], pa.binary()), pa.array([], pa.string()))
    more = [StructField(request.verdict, BooleanType()), StructField(request.reason, StringType())]
    return df.mapInArrow(_Task(request), StructType([*schema.fields, *more]))


class _Task:
    """What a task does with the batches of its partition."""

    def __init__(self, request: Request) -> None:
        self.request = request

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield _with_verdicts(batch, self.request)


def _check_type(argument: str, column: str, found: DataType, *, or_text: bool) -> None:
    allowed: dict[str, tuple[type[DataType], ...]] = {"msg": (BinaryType, StringType), "context": (BinaryType,)}
    default = StringType if PER_ROW.get(argument) == "text" else BinaryType
    kinds = allowed.get(argument, (default,))
    if or_text:
        kinds = (BinaryType, StringType)  # PEM is text
    if not isinstance(found, kinds):
        needed = " or ".join(kind.typeName() for kind in kinds)
        raise TypeError(f"{argument}: column {column!r} is {found.simpleString()}, {needed} is needed")
