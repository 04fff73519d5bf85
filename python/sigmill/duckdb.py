"""Verification in DuckDB's SQL: :func:`register` gives a connection its functions. Needs duckdb and pyarrow.

    connection = duckdb.connect()
    sigmill.duckdb.register(connection)
    connection.sql("SELECT id FROM 'signatures.parquet' WHERE NOT sigmill_verify(key, msg, sig, 'zip215')")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

import sigmill

if TYPE_CHECKING:
    from sigmill import Rule, Verdicts

__all__ = ["register", "register_envelopes"]

# the arguments of the functions in SQL
_ARGUMENTS = ("key", "msg", "sig", "rule", "variant", "context")
_ENVELOPES = {"jws": ("tokens",), "cose": ("tokens",), "dsse": ("tokens",), "sshsig": ("signatures", "messages")}
_STRUCT = "STRUCT(verdict BOOLEAN, reason VARCHAR)"
# by name: versions of DuckDB have these enumerations in different modules
_AS_ARROW: dict[str, Any] = {"type": "arrow", "null_handling": "special"}


def register(
    connection: duckdb.DuckDBPyConnection,
    *,
    prefix: str = "sigmill",
    rule: str | Rule | None = None,
    algorithm: str | None = None,
    variant: str | None = None,
    context: bytes | None = None,
    hash: str | None = None,
    sig_format: str | None = None,
    low_s: bool = False,
    key_form: str | None = None,
    threads: int | None = 1,
) -> None:
    """Three functions of ``(key, msg, sig [, rule [, variant [, context]]])`` for the connection's SQL:

    - ``sigmill_verify``: BOOLEAN, NULL where an argument is NULL or names what is not known;
    - ``sigmill_reason``: VARCHAR, why it is not true; NULL where it is;
    - ``sigmill_check``: STRUCT of both, for what it costs to have one.

    key, sig and context are BLOBs, msg is a BLOB or VARCHAR (its UTF-8 is meant). What a query does not say is as
    given here; see :func:`sigmill.verify_columns`. With another ``prefix`` a connection has another set, as of
    ``algorithm="p256"``. DuckDB calls the functions from its own threads, with 2,048 rows at a time, so ``threads`` is 1.

    ``ValueError``: an unknown rule, algorithm or variant. In a query an argument of another type is an
    ``InvalidInputException`` that names it. ``duckdb.NotImplementedException``: the connection has such a function.
    """
    given: dict[str, Any] = {
        "rule": rule,
        "algorithm": algorithm,
        "variant": variant,
        "context": context,
        "hash": hash,
        "sig_format": sig_format,
        "low_s": low_s,
        "key_form": key_form,
        "threads": threads,
    }
    nothing = pa.array([], pa.binary())
    sigmill.verify_columns(nothing, nothing, nothing, **given)

    def verdicts(name: str, columns: tuple[pa.ChunkedArray, ...]) -> Verdicts:
        if not 3 <= len(columns) <= len(_ARGUMENTS):
            raise TypeError(f"{name}(key, msg, sig [, rule [, variant [, context]]]): {len(columns)} arguments")
        return sigmill.verify_columns(**{**given, **dict(zip(_ARGUMENTS, columns))})

    for what, (type_name, part) in _ANSWERS.items():
        _register(connection, f"{prefix}_{what}", type_name, verdicts, part)


_ANSWERS: dict[str, tuple[str, Callable[[Verdicts], object]]] = {
    "verify": ("BOOLEAN", lambda found: found.verdict),
    "reason": ("VARCHAR", lambda found: found.reason),
    "check": (_STRUCT, lambda found: found),
}


def register_envelopes(
    connection: duckdb.DuckDBPyConnection,
    form: str,
    keys: Any,
    *,
    prefix: str = "sigmill",
    namespace: str | None = None,
    rule: str | Rule | None = None,
    claims: Sequence[str] | None = None,
    threads: int | None = 1,
) -> None:
    """Functions of envelopes of a form for the connection's SQL, whose keys are these:

    - ``sigmill_verify_jws(token)``: BOOLEAN, NULL where the token is;
    - ``sigmill_reason_jws(token)``: VARCHAR, why it is not true; NULL where it is;
    - ``sigmill_check_jws(token)``: STRUCT of both, for what it costs to have one;
    - ``sigmill_claims_jws(token)``, with ``claims``: STRUCT of VARCHAR, whose fields are NULL where the token is not valid.

    ``form`` is ``jws``, ``cose``, ``dsse`` or ``sshsig``; the functions of the last are of ``(signature, message)``. The
    rest is as in :func:`sigmill.verify_jws` and its kin. With another ``prefix`` a connection has other keys beside these.

    ``ValueError``: an unknown form or rule, or keys that cannot be read.
    """
    if form not in _ENVELOPES:
        raise ValueError(f"form: unknown name {form!r}; known are {', '.join(_ENVELOPES)}")
    arguments = _ENVELOPES[form]
    given: dict[str, Any] = {"keys": keys, "rule": rule, "threads": threads}
    given |= {name: value for name, value in (("namespace", namespace), ("claims", claims)) if value is not None}
    verify = getattr(sigmill, f"verify_{form}")
    verify(**{argument: [] for argument in arguments}, **given)

    def verdicts(name: str, columns: tuple[pa.ChunkedArray, ...]) -> Verdicts:
        if len(columns) != len(arguments):
            shown = ", ".join(argument.removesuffix("s") for argument in arguments)
            raise TypeError(f"{name}({shown}): {len(columns)} arguments")
        found: Verdicts = verify(**dict(zip(arguments, columns)), **given)
        return found

    answers = dict(_ANSWERS)
    if claims:
        quoted = (claim.replace('"', '""') for claim in claims)
        fields = ", ".join(f'"{claim}" VARCHAR' for claim in quoted)
        answers["claims"] = (f"STRUCT({fields})", lambda found: found.claims)
    for what, (type_name, part) in answers.items():
        _register(connection, f"{prefix}_{what}_{form}", type_name, verdicts, part)


def _register(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    type_name: str,
    verdicts: Callable[[str, tuple[pa.ChunkedArray, ...]], Verdicts],
    part: Callable[[Verdicts], object],
) -> None:
    def function(*columns: pa.ChunkedArray) -> pa.Array:
        return pa.array(part(verdicts(name, columns)))

    connection.create_function(name, function, None, type_name, **_AS_ARROW)
