"""All frozen vectors under all rules, through every way that a frame can take: no cell differs."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest
from frames import differing, frame_of_vectors, frame_of_vectors_and_rules
from vectors import RULE_NAMES

import sigmill
from sigmill import ed25519

# Of a frame and a rule (None: that of the column `rule`) the verdicts and reasons, in the order of the rows.
Way = Callable[[dict[str, list[Any]], str | None], tuple[list[Any], list[Any]]]
BYTES = ("key", "msg", "sig", "context")


def single(columns: dict[str, list[Any]], rule: str | None) -> tuple[list[Any], list[Any]]:
    """One at a time: from bytes, and by a key, one with tables and a stream, where the key is a point."""
    verdicts, reasons = [], []
    names = [rule] * len(columns["key"]) if rule else columns["rule"]
    rows = zip(columns["key"], columns["msg"], columns["sig"], names, columns["variant"], columns["context"], strict=True)
    for key, msg, sig, name, variant, context in rows:
        verdict = ed25519.verify_bytes(key, msg, sig, rule=name, variant=variant, context=context)
        verdicts.append(verdict.valid)
        reasons.append(verdict.reason)
        try:
            public = ed25519.VerifyingKey(key)
        except ValueError:
            continue
        ways = [public, public.prepare()] if rule == "common" else [public]
        for verifies in ways:
            try:
                verifies.verify(sig, msg, rule=name, variant=variant, context=context)
                found = None
            except sigmill.InvalidSignature as error:
                found = error.reason
            if found != verdict.reason:
                reasons[-1] = f"{verdict.reason} from bytes, {found} by a key"
    return verdicts, reasons


def by_column(columns: dict[str, list[Any]], rule: str | None) -> tuple[list[Any], list[Any]]:
    """`verify_columns` itself, in chunks of different lengths."""
    import pyarrow as pa

    def chunked(name: str, kind: Any, step: int) -> Any:
        values = columns[name]
        return pa.chunked_array([pa.array(values[i : i + step], kind) for i in range(0, len(values), step)])

    verdicts = sigmill.verify_columns(
        chunked("key", pa.binary(), 700),
        chunked("msg", pa.binary_view(), 333),
        chunked("sig", pa.large_binary(), 5000),
        rule=rule or chunked("rule", pa.string(), 100),
        variant=chunked("variant", pa.string_view(), 4000),
        context=chunked("context", pa.binary(), 17),
    )
    return pa.array(verdicts.verdict).to_pylist(), pa.array(verdicts.reason).to_pylist()


def arrow(columns: dict[str, list[Any]], rule: str | None) -> tuple[list[Any], list[Any]]:
    import pyarrow as pa

    from sigmill.arrow import Column, verify_batch

    made = verify_batch(
        pa.RecordBatch.from_pydict(columns),
        rule=rule or Column("rule"),
        variant=Column("variant"),
        context=Column("context"),
    )
    return made["verdict"].to_pylist(), made["reason"].to_pylist()


def of_polars(engine: str) -> Way:
    def way(columns: dict[str, list[Any]], rule: str | None) -> tuple[list[Any], list[Any]]:
        import polars as pl

        import sigmill.polars  # noqa: F401

        frame = pl.DataFrame(columns, schema_overrides=dict.fromkeys(BYTES, pl.Binary)).lazy()
        checked = pl.col("key").sigmill.verify(  # type: ignore[attr-defined]
            rule=rule or pl.col("rule"), variant=pl.col("variant"), context=pl.col("context")
        )
        made = frame.select(checked.alias("checked")).unnest("checked").collect(engine=engine)  # type: ignore[call-overload]
        return made["verdict"].to_list(), made["reason"].to_list()

    return way


def of_duckdb(columns: dict[str, list[Any]], rule: str | None) -> tuple[list[Any], list[Any]]:
    import duckdb
    import pyarrow as pa

    import sigmill.duckdb

    connection = duckdb.connect()
    sigmill.duckdb.register(connection)
    table = pa.table(columns | {"place": range(len(columns["key"]))})
    connection.register("signatures", table)
    named = f"'{rule}'" if rule else "rule"
    call = f"(key, msg, sig, {named}, variant, context)"
    rows = connection.sql(f"SELECT sigmill_verify{call}, sigmill_reason{call} FROM signatures ORDER BY place").fetchall()
    return [row[0] for row in rows], [row[1] for row in rows]


def of_pandas(kind: str) -> Way:
    def way(columns: dict[str, list[Any]], rule: str | None) -> tuple[list[Any], list[Any]]:
        import pandas as pd
        import pyarrow as pa

        from sigmill.pandas import Column, verify

        frame = pd.DataFrame(columns)
        if kind == "arrow":
            frame = frame.astype(dict.fromkeys(BYTES, pd.ArrowDtype(pa.binary())))
        made = verify(frame, rule=rule or Column("rule"), variant=Column("variant"), context=Column("context"))
        return [None if verdict is pd.NA else bool(verdict) for verdict in made["verdict"]], list(made["reason"])

    return way


#: What each way needs, and it.
WAYS: dict[str, tuple[list[str], Way]] = {
    "single": ([], single),
    "columns": (["pyarrow"], by_column),
    "arrow": (["pyarrow"], arrow),
    "polars": (["polars"], of_polars("in-memory")),
    "polars streaming": (["polars"], of_polars("streaming")),
    "duckdb": (["duckdb", "pyarrow"], of_duckdb),
    "pandas objects": (["pandas", "pyarrow"], of_pandas("objects")),
    "pandas arrow": (["pandas", "pyarrow"], of_pandas("arrow")),
}


def cells(way: Way) -> list[int]:
    """Differing cells under each rule: the rule said once, and then in a column."""
    said = [differing(rule, *way(frame_of_vectors(), rule)) for rule in RULE_NAMES]
    verdicts, reasons = way(frame_of_vectors_and_rules(), None)
    step = len(RULE_NAMES)
    in_column = [differing(rule, verdicts[i::step], reasons[i::step]) for i, rule in enumerate(RULE_NAMES)]
    return said + in_column


def print_matrix(matrix: dict[str, list[int]]) -> None:
    step = len(RULE_NAMES)
    print(f"\ndiffering cells of {len(frame_of_vectors()['key'])} vectors")
    print("".join(f"{name:>18}" for name in ["", *RULE_NAMES]))
    for name, row in matrix.items():
        print("".join(f"{cell:>18}" for cell in [name, *row[:step]]))
        print("".join(f"{cell:>18}" for cell in ["by a column", *row[step:]]))


def test_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    missing = {name: [need for need in needs if find_spec(need) is None] for name, (needs, _) in WAYS.items()}
    matrix = {name: cells(way) for name, (_, way) in WAYS.items() if not missing[name]}
    with capsys.disabled():
        print_matrix(matrix)
        for name, needs in missing.items():
            if needs:
                print(f"not run here: the vectors through {name} ({', '.join(needs)} is not installed)")
    if not matrix:
        pytest.skip("not run here: the vectors through frames (none of their libraries is installed)")
    assert {name: sum(row) for name, row in matrix.items()} == dict.fromkeys(matrix, 0)


@pytest.mark.spark
def test_matrix_of_spark(capsys: pytest.CaptureFixture[str]) -> None:
    if find_spec("pyspark") is None:
        pytest.skip("not run here: the vectors through spark (pyspark is not installed)")
    import pyarrow as pa
    from spark_session import spark_session, to_arrow, to_spark

    from sigmill.spark import Column, verify

    with spark_session() as session:

        def way(columns: dict[str, list[Any]], rule: str | None) -> tuple[list[Any], list[Any]]:
            table = pa.table(columns | {"place": range(len(columns["key"]))})
            frame = to_spark(session, table).repartition(3)
            made = verify(frame, rule=rule or Column("rule"), variant=Column("variant"), context=Column("context"))
            rows = to_arrow(made.select("place", "verdict", "reason")).sort_by("place")
            assert rows["place"].to_pylist() == list(range(len(columns["key"])))
            return rows["verdict"].to_pylist(), rows["reason"].to_pylist()

        matrix = {"spark": cells(way)}
    with capsys.disabled():
        print_matrix(matrix)
    assert matrix == {"spark": [0] * len(matrix["spark"])}
