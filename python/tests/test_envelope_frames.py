"""Columns of envelopes in the layers over frames: Arrow, pandas, Polars and DuckDB."""

from __future__ import annotations

from typing import Any

import pytest
from envelopes import GOOD, JWKS, NAMESPACE, PUBLICS, SECRETS, cbor, cose, cose_key, jws, sshsig
from frames import library, verdicts_of

pa = library("pyarrow")

import sigmill.arrow  # noqa: E402

KIDS = list(SECRETS)
#: Tokens, their reasons, and one of their claims.
TOKENS: list[str | None] = [jws(kid, {"sub": f"{kid} {n}"}) for n in range(20) for kid in KIDS]
REASONS: list[str | None] = [None] * len(TOKENS)
SUBJECTS: list[str | None] = [f"{kid} {n}" for n in range(20) for kid in KIDS]
for _row, (_token, _reason) in {4: (None, "null"), 7: ("x", "not_jws"), 9: (jws("ed", header={"alg": "none"}), "alg_unknown")}.items():
    TOKENS[_row], REASONS[_row], SUBJECTS[_row] = _token, _reason, None
VERDICTS = verdicts_of(REASONS)
CLAIMS = [{"sub": subject} for subject in SUBJECTS]
OTHERS: list[tuple[str, Any]] = [("cose", cbor([cose_key(kid) for kid in KIDS])), ("dsse", JWKS)]


def forms() -> list[tuple[str, Any, dict[str, list[Any]], dict[str, Any]]]:
    """Of each form but JWS its name, keys, columns and options; the second of three rows is refused."""
    made = []
    for form, keys in OTHERS:
        made.append((form, keys, {"token": [GOOD[form]("ed"), GOOD[form]("p2")[:-9], GOOD[form]("p3")]}, {}))
    signatures = [sshsig(b"m"), sshsig(b"m", namespace="git"), sshsig(b"n")]
    made.append(("sshsig", PUBLICS["ed"], {"signature": signatures, "message": [b"m", b"m", b"n"]}, {"namespace": NAMESPACE}))
    return made


REFUSED = {"cose": "not_cose", "dsse": "not_dsse", "sshsig": "namespace_mismatch"}


def test_batches_and_tables() -> None:
    table = pa.table({"id": range(len(TOKENS)), "token": pa.chunked_array([TOKENS[:7], TOKENS[7:]])})
    made = sigmill.arrow.verify_jws(table, JWKS, claims=["sub"], reason="why")
    assert made.column_names == ["id", "token", "verdict", "why", "claims"]
    assert (made["verdict"].to_pylist(), made["why"].to_pylist(), made["claims"].to_pylist()) == (VERDICTS, REASONS, CLAIMS)
    batch = pa.record_batch({"jwt": TOKENS})
    made = sigmill.arrow.verify_jws(batch, JWKS, token="jwt", rule=sigmill.ed25519.STRICT, threads=1)
    assert isinstance(made, pa.RecordBatch) and made.schema.names == ["jwt", "verdict", "reason"]
    assert made["reason"].to_pylist() == REASONS
    for form, keys, columns, options in forms():
        made = getattr(sigmill.arrow, f"verify_{form}")(pa.table(columns), keys, **options)
        assert made["reason"].to_pylist() == [None, REFUSED[form], None], form


def test_what_is_wrong_with_a_frame() -> None:
    batch = pa.record_batch({"token": [1], "claims": [""]})
    for options, error, said in (
        ({"token": "jwt"}, ValueError, r"^tokens: there is no column 'jwt'"),
        ({"claims": ["a"]}, ValueError, r"^claims: there is a column 'claims' already"),
        ({"low_s": True}, TypeError, r"^low_s: there is no such option"),
        ({"token": 1}, TypeError, r"^tokens: the name of a column is needed, not int"),
        ({"verdict": 1}, TypeError, r"^verdict: a str is needed, not int"),
        ({}, TypeError, r"^tokens \(column 'token'\): the column holds integers"),
    ):
        with pytest.raises(error, match=said):
            sigmill.arrow.verify_jws(batch, JWKS, **options)
    with pytest.raises(TypeError, match="^claims: there is no such option"):
        sigmill.arrow.verify_cose(batch, JWKS, claims=["a"])
    with pytest.raises(TypeError, match="^external_data: there is no such option"):
        sigmill.arrow.verify_jws(batch, JWKS, external_data=b"")
    beside = pa.record_batch({"token": [cose(kid, external_data=b"beside") for kid in KIDS]})
    for data in (b"beside", memoryview(b"beside")):
        assert sigmill.arrow.verify_cose(beside, JWKS, external_data=data)["verdict"].to_pylist() == [True] * len(KIDS)
    assert sigmill.arrow.verify_cose(beside, JWKS)["verdict"].to_pylist() == [False] * len(KIDS)


def test_pandas() -> None:
    pd = library("pandas")
    import sigmill.pandas

    index = [f"row {i}" for i in range(len(TOKENS))]
    for column in (TOKENS, [None if token is None else token.encode() for token in TOKENS], pd.array(TOKENS, "string[pyarrow]")):
        made = sigmill.pandas.verify_jws(pd.DataFrame({"token": column}, index=index), JWKS, claims=["sub"])
        assert list(made.index) == index and list(made.columns) == ["token", "verdict", "reason", "claims"]
        assert [None if value is pd.NA else value for value in made["verdict"]] == VERDICTS
        assert (list(made["reason"]), list(made["claims"])) == (REASONS, CLAIMS)
    for form, keys, columns, options in forms():
        made = getattr(sigmill.pandas, f"verify_{form}")(pd.DataFrame(columns), keys, **options)
        assert list(made["reason"]) == [None, REFUSED[form], None], form
    with pytest.raises(TypeError, match=r"^tokens: column 'token', row 1 \(index 1\): int, not bytes"):
        sigmill.pandas.verify_jws(pd.DataFrame({"token": [b"x", 1]}), JWKS)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_polars(engine: Any) -> None:
    pl = library("polars")
    import sigmill.polars

    frame = pl.DataFrame({"token": TOKENS})
    checked = pl.col("token").sigmill.verify_jws(JWKS).alias("checked")
    lazy = frame.lazy().with_columns(checked)
    assert lazy.collect_schema()["checked"] == sigmill.polars.VERDICT
    made = lazy.collect(engine=engine)
    assert made["checked"].to_list() == [dict(verdict=v, reason=r) for v, r in zip(VERDICTS, REASONS)]
    lazy = frame.lazy().select(pl.col("token").cast(pl.Binary).sigmill.verify_jws(JWKS, claims=["sub"])).unnest("token")
    made = lazy.collect(engine=engine)
    assert made.schema == lazy.collect_schema() == {"verdict": pl.Boolean, "reason": pl.String, "claims": pl.Struct({"sub": pl.String})}
    assert (made["reason"].to_list(), made["claims"].to_list()) == (REASONS, CLAIMS)
    assert frame.lazy().clear().select(checked).collect(engine=engine).height == 0
    for form, keys, columns, options in forms():
        first = pl.col(next(iter(columns))).sigmill
        made = pl.DataFrame(columns).lazy().select(getattr(first, f"verify_{form}")(keys, **options)).collect(engine=engine)
        assert made.unnest(made.columns[0])["reason"].to_list() == [None, REFUSED[form], None], form
    beside = pl.DataFrame({"token": [cose(kid, external_data=b"beside") for kid in KIDS]})
    for data, verdict in ((b"beside", True), (None, False)):
        made = beside.select(pl.col("token").sigmill.verify_cose(JWKS, external_data=data)).unnest("token")
        assert made["verdict"].to_list() == [verdict] * len(KIDS)
    with pytest.raises(ValueError, match="^keys: "):
        pl.col("token").sigmill.verify_jws("jwks.json")


def test_duckdb() -> None:
    duckdb = library("duckdb")
    import sigmill.duckdb

    connection = duckdb.connect()
    connection.register("tokens", pa.table({"id": range(len(TOKENS)), "token": TOKENS}))
    sigmill.duckdb.register_envelopes(connection, "jws", JWKS, claims=["sub", 'a"b'])
    rows = connection.sql(
        "SELECT sigmill_verify_jws(token), sigmill_reason_jws(token), sigmill_check_jws(token::BLOB), sigmill_claims_jws(token)"
        " FROM tokens ORDER BY id"
    ).fetchall()
    assert [row[0] for row in rows] == VERDICTS and [row[1] for row in rows] == REASONS
    assert [row[2] for row in rows] == [dict(verdict=v, reason=r) for v, r in zip(VERDICTS, REASONS)]
    assert [row[3] for row in rows] == [{"sub": subject, 'a"b': None} for subject in SUBJECTS]
    for form, keys, columns, options in forms():
        sigmill.duckdb.register_envelopes(connection, form, keys, prefix="other", **options)
        connection.register("others", pa.table(columns))
        found = connection.sql(f"SELECT other_reason_{form}({', '.join(columns)}) FROM others").fetchall()
        assert [reason for (reason,) in found] == [None, REFUSED[form], None], form
    with pytest.raises(ValueError, match="^form: unknown name 'ssh'; known are jws, cose, dsse, sshsig"):
        sigmill.duckdb.register_envelopes(connection, "ssh", JWKS)
    with pytest.raises(ValueError, match="^keys: "):
        sigmill.duckdb.register_envelopes(connection, "jws", "jwks.json", prefix="bad")
    with pytest.raises(duckdb.InvalidInputException, match="signature, message"):
        connection.sql("SELECT other_verify_sshsig('')").fetchall()
