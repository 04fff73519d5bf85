"""Verification in Polars: ``import sigmill.polars`` gives expressions a namespace ``sigmill``.

    import polars as pl, sigmill.polars

    frame.with_columns(pl.col("key").sigmill.verify(msg="msg", sig="sig", rule="zip215"))
    frame.lazy().filter(~pl.col("key").sigmill.is_valid()).collect(engine="streaming")
    frame.with_columns(pl.col("token").sigmill.verify_jws(keys, claims=["sub"]))

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
    """``pl.col("key").sigmill``: an expression of public keys (binary), or of envelopes, and verdicts on signatures."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

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
        columns = {"key": self._expr, "msg": _expr("msg", msg), "sig": _expr("sig", sig)}
        columns |= {name: value for name, value in named.items() if isinstance(value, pl.Expr)}
        values: dict[str, Any] = {name: value for name, value in named.items() if not isinstance(value, pl.Expr)}
        values |= {"hash": hash, "sig_format": sig_format, "low_s": low_s}
        values |= {"key_form": key_form, "threads": threads}
        empty: dict[str, Any] = {name: pl.Series([], dtype=_dtype(name)) for name in columns}
        sigmill.verify_columns(**empty, **values)
        return _batches("verify_columns", columns, values)

    @_as(verify)
    def is_valid(self, *columns: Any, **options: Any) -> pl.Expr:
        """The field ``verdict`` of :meth:`verify`: true, false, or null where a value is null."""
        return self.verify(*columns, **options).struct.field("verdict")

    def verify_jws(
        self,
        keys: Any,
        *,
        rule: str | Rule | None = None,
        claims: Sequence[str] | None = None,
        threads: int | None = None,
    ) -> pl.Expr:
        """A struct a row about an expression of JSON Web Signatures (string or binary): ``verdict`` and ``reason``.

        The arguments are those of :func:`sigmill.verify_jws`. With ``claims`` the struct has a third field, ``claims``: a
        struct of strings, null where a row is not valid. Wrong arguments raise here, before anything runs.
        """
        return self._envelopes("verify_jws", {}, {"keys": keys, "rule": rule, "claims": claims, "threads": threads})

    def verify_cose(
        self,
        keys: Any,
        *,
        external_data: bytes | None = None,
        rule: str | Rule | None = None,
        threads: int | None = None,
    ) -> pl.Expr:
        """The same of COSE_Sign1 (binary): :func:`sigmill.verify_cose`."""
        values = {"keys": keys, "external_data": external_data, "rule": rule, "threads": threads}
        return self._envelopes("verify_cose", {}, values)

    def verify_dsse(self, keys: Any, *, rule: str | Rule | None = None, threads: int | None = None) -> pl.Expr:
        """The same of DSSE envelopes: :func:`sigmill.verify_dsse`."""
        return self._envelopes("verify_dsse", {}, {"keys": keys, "rule": rule, "threads": threads})

    def verify_sshsig(
        self,
        keys: Any,
        message: str | pl.Expr = "message",
        *,
        namespace: str,
        rule: str | Rule | None = None,
        threads: int | None = None,
    ) -> pl.Expr:
        """The same of signatures of OpenSSH, with the messages in another column: :func:`sigmill.verify_sshsig`."""
        columns = {"messages": _expr("message", message)}
        values = {"keys": keys, "namespace": namespace, "rule": rule, "threads": threads}
        return self._envelopes("verify_sshsig", columns, values)

    def _envelopes(self, function: str, beside: dict[str, pl.Expr], values: dict[str, Any]) -> pl.Expr:
        first = "signatures" if function == "verify_sshsig" else "tokens"
        columns = {first: self._expr, **beside}
        # wrong values raise whatever the rows
        getattr(sigmill, function)(**{name: [] for name in columns}, **values)
        return _batches(function, columns, values)


def _batches(function: str, columns: dict[str, pl.Expr], values: dict[str, Any]) -> pl.Expr:
    """Calls a function of the package with the rows of each batch: a struct a row."""
    claims = values.get("claims")
    dtype = VERDICT
    if claims is not None:
        dtype = pl.Struct([*VERDICT.fields, pl.Field("claims", pl.Struct(dict.fromkeys(claims, pl.String)))])

    def run(rows: Sequence[pl.Series]) -> pl.Series:
        # a literal comes with one row
        length = max(map(len, rows)) if all(map(len, rows)) else 0
        full = [row if len(row) == length else row.new_from_index(0, length) for row in rows]
        arguments: dict[str, Any] = dict(zip(columns, full, strict=True))
        verdicts = getattr(sigmill, function)(**arguments, **values)
        if claims is None:
            return pl.Series(rows[0].name, verdicts, dtype=VERDICT)
        fields = {"verdict": verdicts.verdict, "reason": verdicts.reason, "claims": verdicts.claims}
        made = pl.DataFrame([pl.Series(column).alias(name) for name, column in fields.items()])
        return made.to_struct(rows[0].name)

    return pl.map_batches(list(columns.values()), run, return_dtype=dtype, is_elementwise=True)


def _expr(argument: str, column: str | pl.Expr) -> pl.Expr:
    if isinstance(column, pl.Expr):
        return column
    if isinstance(column, str):
        return pl.col(column)
    raise TypeError(f"{argument}: the name of a column or an expression is needed, not {type(column).__name__}")


def _dtype(argument: str) -> type[pl.DataType]:
    return pl.String if PER_ROW.get(argument) == "text" else pl.Binary
