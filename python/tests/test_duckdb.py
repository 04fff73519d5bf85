"""`sigmill.duckdb`: functions in SQL."""

from __future__ import annotations

from typing import Any

import pytest
from frames import library, signed, verdicts_of

duckdb = library("duckdb")
pa = library("pyarrow")

import sigmill.duckdb  # noqa: E402


@pytest.fixture
def connection() -> Any:
    made = duckdb.connect()
    sigmill.duckdb.register(made)
    made.register("signatures", pa.table(signed(6_000)[0]))
    return made


def column(connection: Any, sql: str) -> list[Any]:
    return [value for (value,) in connection.sql(sql).fetchall()]


def test_verdicts_and_reasons(connection: Any) -> None:
    reasons = signed(6_000)[1]
    rows = connection.sql(
        "SELECT id, sigmill_verify(key, msg, sig), sigmill_reason(key, msg, sig), sigmill_check(key, msg, sig) "
        "FROM signatures ORDER BY id"
    ).fetchall()
    assert [row[0] for row in rows] == list(range(6_000))
    assert [row[1] for row in rows] == verdicts_of(reasons)
    assert [row[2] for row in rows] == reasons
    assert all(row[3] == {"verdict": row[1], "reason": row[2]} for row in rows)


def test_in_a_condition_nulls_are_neither(connection: Any) -> None:
    verdicts = verdicts_of(signed(6_000)[1])
    bad = column(connection, "SELECT id FROM signatures WHERE NOT sigmill_verify(key, msg, sig) ORDER BY id")
    assert bad == [row for row, verdict in enumerate(verdicts) if verdict is False]
    [good] = column(connection, "SELECT count(*) FROM signatures WHERE sigmill_verify(key, msg, sig, 'zip215')")
    assert good == verdicts.count(True)


def test_a_rule_a_row_and_text(connection: Any) -> None:
    # S + the order of the base point, which `legacy` alone lets through
    order = 2**252 + 27742317777372353535851937790883648493
    columns, _ = signed(2)
    sig = columns["sig"][0]
    high = sig[:32] + (int.from_bytes(sig[32:], "little") + order).to_bytes(32, "little")
    connection.register("rows", pa.table({"key": [columns["key"][0]] * 4, "sig": [sig, high, high, sig], "rule": ["common", "common", "legacy", "newest"]}))
    assert column(connection, "SELECT sigmill_reason(key, ''::BLOB, sig, rule) FROM rows") == [None, "s_out_of_range", None, "unknown"]
    assert column(connection, "SELECT sigmill_verify(key, '', sig, rule) FROM rows") == [True, False, True, None]


def test_sets_of_functions_beside_each_other() -> None:
    connection = duckdb.connect()
    sigmill.duckdb.register(connection)
    sigmill.duckdb.register(connection, prefix="ctx", variant="ctx", context=b"other")
    columns, _ = signed(1)
    connection.register("rows", pa.table(columns))
    assert connection.sql("SELECT sigmill_verify(key, msg, sig), ctx_verify(key, msg, sig) FROM rows").fetchall() == [(True, False)]
    assert column(connection, "SELECT ctx_verify(key, msg, sig, 'common', 'pure', ''::BLOB) FROM rows") == [True]
    with pytest.raises(duckdb.Error, match="sigmill_verify"):
        sigmill.duckdb.register(connection)


def test_no_rows_and_null_literals(connection: Any) -> None:
    assert column(connection, "SELECT sigmill_verify(key, msg, sig) FROM signatures WHERE id < 0") == []
    assert column(connection, "SELECT sigmill_verify(key, NULL::BLOB, sig) FROM signatures LIMIT 3") == [None] * 3
    assert column(connection, "SELECT sigmill_verify(key, msg, sig, NULL::VARCHAR) FROM signatures LIMIT 3") == [None] * 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("sigmill_verify(id, msg, sig)", "key: the column holds integers"),
        ("sigmill_verify(key, msg, 'text')", "sig: the column holds text"),
        ("sigmill_reason(key, msg, sig, 3)", "rule: "),
        ("sigmill_check(key, msg)", r"sigmill_check\(key, msg, sig .*: 2 arguments"),
    ],
)
def test_errors_in_a_query(connection: Any, call: str, message: str) -> None:
    with pytest.raises(duckdb.InvalidInputException, match=message):
        connection.sql(f"SELECT {call} FROM signatures LIMIT 1").fetchall()


def test_errors_when_it_is_registered() -> None:
    with pytest.raises(ValueError, match="rule: .*newest"):
        sigmill.duckdb.register(duckdb.connect(), rule="newest")
