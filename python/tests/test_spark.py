"""`sigmill.spark`, on a real Spark of two tasks: nothing is lost and nothing doubled, even when a worker dies."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from envelopes import JWKS, SECRETS, jws
from frames import library, signed, verdicts_of
from spark_session import spark_session, to_arrow, to_spark

pytestmark = pytest.mark.spark
pa = library("pyarrow")
library("pandas")
library("pyspark")

from pyspark.sql import functions as F  # noqa: E402

import sigmill.spark  # noqa: E402
from sigmill.spark import Column, verify  # noqa: E402

ROWS = 100_000
SCHEMA = "id long, key binary, msg binary, sig binary"


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with spark_session() as session:
        yield session


@pytest.fixture(scope="module")
def signatures(spark: Any) -> Any:
    """So many rows in eight partitions."""
    return to_spark(spark, pa.table(signed(ROWS)[0])).repartition(8, "id").cache()


def check(made: Any, reasons: list[str | None]) -> None:
    """Every row once, with its verdict and reason."""
    rows = to_arrow(made.select("id", "verdict", "reason")).sort_by("id")
    assert rows["id"].to_pylist() == list(range(len(reasons)))
    assert rows["verdict"].to_pylist() == verdicts_of(reasons)
    assert rows["reason"].to_pylist() == reasons


def test_tokens(spark: Any) -> None:
    tokens = [*(jws(kid, {"sub": kid}) for kid in SECRETS), "x", None] * 20
    frame = to_spark(spark, pa.table({"id": range(100), "token": tokens})).repartition(4, "id")
    made = sigmill.spark.verify_jws(frame, JWKS, claims=["sub"])
    check(made, [None, None, None, "not_jws", "null"] * 20)
    rows = to_arrow(made.select("id", "claims.sub")).sort_by("id")
    assert rows["sub"].to_pylist() == [*SECRETS, None, None] * 20
    with pytest.raises(TypeError, match="^tokens: column 'id' is bigint"):
        sigmill.spark.verify_jws(frame, JWKS, token="id")


def test_partitions(signatures: Any) -> None:
    made = verify(signatures)
    assert [(field.name, field.dataType.simpleString()) for field in made.schema.fields[-2:]] == [
        ("verdict", "boolean"),
        ("reason", "string"),
    ]
    assert made.schema.fields[:-2] == signatures.schema.fields
    assert made.rdd.getNumPartitions() == 8
    check(made, signed(ROWS)[1])


def test_skew(signatures: Any) -> None:
    part = F.when(F.col("id") < 70_000, 0).when(F.col("id") % 1000 == 0, 1).otherwise(F.col("id") % 5 + 2)
    skewed = signatures.withColumn("part", part).repartition(16, "part")
    sizes = skewed.groupBy(F.spark_partition_id()).count().collect()
    assert max(size["count"] for size in sizes) >= 70_000 and len(sizes) < 16
    check(verify(skewed), signed(ROWS)[1])


def test_bad_rows_are_named(signatures: Any) -> None:
    planted = {row: reason for row, reason in enumerate(signed(ROWS)[1]) if reason is not None}
    bad = verify(signatures).where("verdict IS NOT TRUE").select("id", "reason").collect()
    assert len(bad) == len(planted) and {row["id"]: row["reason"] for row in bad} == planted
    counts = verify(signatures).groupBy("reason").count().where("reason IS NOT NULL").collect()
    assert {row["reason"]: row["count"] for row in counts} == Counter(planted.values())


def test_a_worker_that_dies_in_the_middle(signatures: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker, true, one = tmp_path / "killed", sigmill.spark._Task.__call__, 1500

    class Dies(sigmill.spark._Task):
        """The task, in a process that ends itself once, after it has given out some of the batches."""

        def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
            small = (batch.slice(i, one) for batch in batches for i in range(0, batch.num_rows, one))
            for number, made in enumerate(true(self, small)):
                if number == 3:
                    try:
                        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                    except FileExistsError:
                        pass
                    else:
                        os.kill(os.getpid(), signal.SIGKILL)
                yield made

    monkeypatch.setattr(sigmill.spark, "_Task", Dies)
    check(verify(signatures), signed(ROWS)[1])
    assert marker.exists(), "no worker was killed: the test has tested nothing"


def test_no_rows(spark: Any) -> None:
    empty = spark.createDataFrame([], SCHEMA)
    made = verify(empty)
    assert made.columns == ["id", "key", "msg", "sig", "verdict", "reason"]
    assert made.collect() == []


def test_nulls_text_and_a_rule_a_row(spark: Any) -> None:
    columns, _ = signed(1)
    key, sig = columns["key"][0], columns["sig"][0]
    rows = [
        (0, key, "", sig, "common"),
        (1, None, "", sig, "common"),
        (2, key, None, sig, "common"),
        (3, key, "", None, "common"),
        (4, key, "", sig, None),
        (5, key, "other", sig, "zip215"),
        (6, key, "", sig, "newest"),
    ]
    frame = spark.createDataFrame(rows, "id long, key binary, msg string, sig binary, rule string")
    check(verify(frame, rule=Column("rule")), [None, "null", "null", "null", "null", "equation", "unknown"])
    check(verify(frame, rule=sigmill.ed25519.STRICT), [None, "null", "null", "null", None, "equation", None])
    made = verify(frame, verdict="good", reason="why", variant="ctx", context=b"x")
    assert made.columns[-2:] == ["good", "why"] and made.where("good").count() == 0


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (ValueError, {"key": "public"}, r"^key: there is no column 'public' among \['id', 'key', 'msg', 'sig'\]$"),
        (ValueError, {"rule": "newest"}, "^rule: .*newest"),
        (ValueError, {"rule": Column("rule")}, "^rule: there is no column 'rule'"),
        (ValueError, {"verdict": "ID"}, "^verdict: there is a column 'ID' already"),
        (ValueError, {"threads": 0}, "^threads: "),
        (TypeError, {"key": "id"}, "^key: column 'id' is bigint, binary is needed$"),
        (TypeError, {"msg": "id"}, "^msg: column 'id' is bigint, binary or string is needed$"),
        (TypeError, {"rule": Column("key")}, "^rule: column 'key' is binary, string is needed$"),
        (TypeError, {"rules": "common"}, "^rules: there is no such option"),
    ],
)
def test_what_cannot_be_is_said_before_a_job(
    spark: Any, kind: type[Exception], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(kind, match=message):
        verify(spark.createDataFrame([], SCHEMA), **options)


def test_a_verdict_that_is_there_is_refused(spark: Any) -> None:
    made = verify(spark.createDataFrame([], SCHEMA))
    with pytest.raises(ValueError, match="^verdict: there is a column 'verdict' already"):
        verify(made)
