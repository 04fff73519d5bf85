"""Verification in Polars: ``import sigmill.polars`` gives expressions a namespace ``sigmill``.

    import polars as pl, sigmill.polars

    frame.with_columns(pl.col("key").sigmill.verify(msg="msg", sig="sig", rule="zip215"))
    frame.lazy().filter(~pl.col("key").sigmill.is_valid()).collect(engine="streaming")

The rows of a morsel are verified together. Needs Polars alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec

import polars as pl

import sigmill

from ._rows import PER_ROW

if TYPE_CHECKING:
    from sigmill import Rule

__all__ = ["VERDICT", "Namespace"]

_Arguments = ParamSpec("_Arguments")

#: What :meth:`Namespace.verify` gives: a verdict, null where a value is null, and why it is not valid.
VERDICT = pl.Struct({"verdict": pl.Boolean, "reason": pl.String})


def _as(other: Callable[_Arguments, pl.Expr]) -> Callable[[Callable[..., pl.Expr]], Callable[_Arguments, pl.Expr]]:
    """A function that takes the arguments of another, and is shown with them."""

    def shown(function: Callable[..., pl.Expr]) -> Callable[_Arguments, pl.Expr]:
        function.__signature__ = inspect.signature(other)  # type: ignore[attr-defined]
        return function

    return shown


@pl.api.register_expr_namespace("sigmill")
class Namespace:
    """``pl.col("key").sigmill``: an expression of public keys (binary), and what they say of signatures."""

    def __init__(self, expr: pl.Expr) -> None:
        self._key = expr

    def verify(
        self,
        msg: str | pl.Expr = "msg",
        sig: str | pl.Expr = "sig",
        *,
        rule: str | Rule | pl.Expr | None = None,
        algorithm: str | pl.Expr | None = None,
        variant: str | pl.Expr | None = None,
        context: bytes | pl.Expr | None = None,
        hash: str | None = None,
        sig_format: str | None = None,
        low_s: bool = False,
        key_form: str | None = None,
        threads: int | None = None,
    ) -> pl.Expr:
        """A struct a row: ``verdict`` (boolean) and ``reason`` (text, null where valid).

        ``msg`` and ``sig`` are columns, by name or as expressions, of binary (``msg`` may be text: its UTF-8 is meant).
        The rest is as in :func:`sigmill.verify_columns` (``rule``: ``common`` unless said otherwise): one value, or an
        expression with one for each row; a ``str`` here is the value, never the name of a column. A row with a null
        has the verdict null and the reason ``null``.

        ``ValueError`` here: an unknown rule, algorithm or variant. When it runs, Polars reports a ``TypeError`` that
        names the argument whose column has another type.
        """
        named = {"rule": rule, "algorithm": algorithm, "variant": variant, "context": context}
        columns = {"key": self._key, "msg": _expr("msg", msg), "sig": _expr("sig", sig)}
        columns |= {name: value for name, value in named.items() if isinstance(value, pl.Expr)}
        values: dict[str, Any] = {name: value for name, value in named.items() if not isinstance(value, pl.Expr)}
        values |= {"hash": hash, "sig_format": sig_format, "low_s": low_s}
        values |= {"key_form": key_form, "threads": threads}
        empty: dict[str, Any] = {name: pl.Series([], dtype=_dtype(name)) for name in columns}
        sigmill.verify_columns(**empty, **values)

        def run(rows: Sequence[pl.Series]) -> pl.Series:
            # a literal comes with one row
            length = max(map(len, rows)) if all(map(len, rows)) else 0
            full = [row if len(row) == length else row.new_from_index(0, length) for row in rows]
            arguments: dict[str, Any] = dict(zip(columns, full, strict=True))
            verdicts = sigmill.verify_columns(**arguments, **values)
            return pl.Series(rows[0].name, verdicts, dtype=VERDICT)

        return pl.map_batches(list(columns.values()), run, return_dtype=VERDICT, is_elementwise=True)

    @_as(verify)
    def is_valid(self, *columns: Any, **options: Any) -> pl.Expr:
        """The field ``verdict`` of :meth:`verify`: true, false, or null where a value is null."""
        return self.verify(*columns, **options).struct.field("verdict")


def _expr(argument: str, column: str | pl.Expr) -> pl.Expr:
    if isinstance(column, pl.Expr):
        return column
    if isinstance(column, str):
        return pl.col(column)
    raise TypeError(f"{argument}: the name of a column or an expression is needed, not {type(column).__name__}")


def _dtype(argument: str) -> type[pl.DataType]:
    return pl.String if PER_ROW.get(argument) == "text" else pl.Binary
