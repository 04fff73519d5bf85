"""`sigmill.polars`: eager, lazy and streaming."""

from __future__ import annotations

import pytest
from frames import frame_of_vectors, library, signed, vectors, verdicts_of
from vectors import RULE_NAMES

pl = library("polars")

import sigmill.polars  # noqa: E402

SCHEMA = {"id": pl.Int64, "key": pl.Binary, "msg": pl.Binary, "sig": pl.Binary}


def frame(count: int) -> pl.DataFrame:
    return pl.DataFrame(signed(count)[0], schema=SCHEMA)


def test_a_struct_a_row() -> None:
    reasons = signed(5000)[1]
    made = frame(5000).select("id", checked=pl.col("key").sigmill.verify(msg="msg", sig="sig"))
    assert made["checked"].dtype == pl.Struct({"verdict": pl.Boolean, "reason": pl.String})
    assert made["checked"].struct.field("reason").to_list() == reasons
    assert made["checked"].struct.field("verdict").to_list() == verdicts_of(reasons)
    assert made["id"].to_list() == list(range(5000))


def test_is_valid_has_the_name_of_the_verdict_and_nulls() -> None:
    made = frame(5000).select(pl.col("key").sigmill.is_valid())
    assert made.columns == ["verdict"]
    assert made["verdict"].to_list() == verdicts_of(signed(5000)[1])


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_lazy(engine: str) -> None:
    reasons = signed(6_000)[1]
    lazy = frame(6_000).lazy().with_columns(pl.col("key").sigmill.verify().alias("checked")).unnest("checked")
    assert lazy.collect_schema()["verdict"] == pl.Boolean
    made = lazy.collect(engine=engine)
    assert made["id"].to_list() == list(range(6_000))
    assert made["reason"].to_list() == reasons
    bad = frame(6_000).lazy().filter(~pl.col("key").sigmill.is_valid()).select("id").collect(engine=engine)
    assert bad["id"].to_list() == [row for row, verdict in enumerate(verdicts_of(reasons)) if verdict is False]


def test_the_streaming_engine_takes_morsels(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    true = sigmill.verify_columns

    def counting(*columns: object, **options: object) -> object:
        verdicts = true(*columns, **options)  # type: ignore[arg-type]
        sizes.append(len(verdicts))
        return verdicts

    monkeypatch.setattr(sigmill, "verify_columns", counting)
    many = pl.concat([frame(6_000)] * 4)
    made = many.lazy().select(pl.col("key").sigmill.is_valid()).collect(engine="streaming")
    assert made["verdict"].to_list() == verdicts_of(signed(6_000)[1]) * 4
    assert sum(sizes) == 24_000 and max(sizes) < 24_000


def test_a_rule_a_row() -> None:
    names, of = RULE_NAMES, vectors()
    many = pl.concat([pl.DataFrame(frame_of_vectors()).with_columns(rule=pl.lit(name)) for name in names]).sample(
        fraction=1, shuffle=True, seed=1
    )
    made = many.with_columns(
        pl.col("key").sigmill.verify(rule=pl.col("rule"), variant=pl.col("variant"), context=pl.col("context")).alias("checked")
    ).unnest("checked")
    for row in made.iter_rows(named=True):
        wanted = of[row["rule"]][row["id"] // 7]
        assert (row["verdict"], row["reason"]) == ((True, None) if wanted == "ok" else (False, wanted)), row["id"]


def test_expressions_literals_slices_and_groups() -> None:
    rows = frame(100).filter(pl.Series([reason is None for reason in signed(100)[1]]))
    first = rows.row(0, named=True)
    made = rows.select(
        moved=pl.col("key").sigmill.is_valid(msg=pl.col("msg").shift(1)),
        sliced=pl.col("key").slice(0, 90).sigmill.is_valid(pl.col("msg").slice(0, 90), pl.col("sig").slice(0, 90)).sum(),
        same=pl.lit(first["key"]).sigmill.is_valid(msg=pl.lit(first["msg"])),
        text=pl.col("key").sigmill.is_valid(msg=pl.col("msg").cast(pl.String)),
    )
    assert made["moved"].to_list() == [None] + [False] * (len(rows) - 1)
    assert made["sliced"][0] == 90
    assert made["same"].to_list() == [True] + [False] * (len(rows) - 1)
    assert made["text"].all()
    grouped = rows.group_by(pl.col("id") % 3).agg(pl.col("key").sigmill.is_valid().all()).sort("id")
    assert grouped["verdict"].to_list() == [True, True, True]


def test_no_rows_and_rows_that_are_null() -> None:
    assert frame(0).select(pl.col("key").sigmill.verify()).shape == (0, 1)
    assert frame(0).lazy().select(pl.col("key").sigmill.is_valid()).collect(engine="streaming").shape == (0, 1)
    nothing = pl.DataFrame({name: [None, None] for name in ("key", "msg", "sig")}, schema=dict.fromkeys(("key", "msg", "sig"), pl.Binary))
    assert nothing.select(pl.col("key").sigmill.verify())["key"].to_list() == [{"verdict": None, "reason": "null"}] * 2


def test_one_value_for_all_rows_is_checked_where_it_is_said() -> None:
    with pytest.raises(ValueError, match="rule: .*newest"):
        pl.col("key").sigmill.verify(rule="newest")
    with pytest.raises(ValueError, match="context"):
        pl.col("key").sigmill.verify(context=b"x")
    with pytest.raises(TypeError, match="^msg: the name of a column or an expression is needed, not int"):
        pl.col("key").sigmill.verify(msg=3)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_a_column_of_another_type_is_named(engine: str) -> None:
    lazy = frame(10).lazy().select(pl.col("id").sigmill.is_valid())
    with pytest.raises(Exception, match="key: the column holds integers") as raised:
        lazy.collect(engine=engine)
    assert isinstance(raised.value, (TypeError, pl.exceptions.ComputeError))
