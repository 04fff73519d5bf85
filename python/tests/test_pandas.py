"""`sigmill.pandas`: object columns and Arrow columns, the index kept."""

from __future__ import annotations

from typing import Any

import pytest
from frames import library, signed, verdicts_of

pd = library("pandas")
pa = library("pyarrow")

from sigmill.pandas import Column, verify  # noqa: E402


def frame(count: int) -> Any:
    return pd.DataFrame(signed(count)[0]).set_axis([f"row {row}" for row in range(count)])


def check(made: Any, reasons: list[str | None]) -> None:
    assert made["verdict"].dtype == "boolean"
    assert [None if verdict is pd.NA else verdict for verdict in made["verdict"]] == verdicts_of(reasons)
    assert list(made["reason"]) == reasons


def test_objects() -> None:
    rows = frame(5000)
    before = rows.copy()
    made = verify(rows)
    check(made, signed(5000)[1])
    assert list(made.columns) == ["id", "key", "msg", "sig", "verdict", "reason"]
    pd.testing.assert_index_equal(made.index, rows.index)
    pd.testing.assert_frame_equal(made[list(before.columns)], before)
    pd.testing.assert_frame_equal(rows, before)


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_arrow_columns(kind: Any) -> None:
    columns = {name: pd.Series(pd.array(values, pd.ArrowDtype(kind))) for name, values in signed(5000)[0].items() if name != "id"}
    check(verify(pd.DataFrame(columns)), signed(5000)[1])


def test_an_index_in_disorder_and_with_doubles() -> None:
    rows = frame(1000).sample(frac=1, random_state=1)
    reasons = signed(1000)[1]
    check(verify(rows), [reasons[row] for row in rows["id"]])
    doubled = rows.set_axis([0] * 1000)
    check(verify(doubled), [reasons[row] for row in rows["id"]])
    levels = rows.set_index(["id", "msg"], drop=False)
    assert verify(levels).index.equals(levels.index)
    check(verify(rows.iloc[::3]), [reasons[row] for row in rows["id"].iloc[::3]])


def test_all_that_is_missing_is_null() -> None:
    rows = frame(6)[["key", "msg", "sig"]]
    for row, missing in enumerate([None, float("nan"), pd.NA, pd.NaT]):
        rows.iat[row, row % 3] = missing
    check(verify(rows), ["null"] * 4 + [None] * 2)


def test_other_bytes_and_no_rows() -> None:
    rows = frame(3)
    rows["key"] = [bytearray(rows["key"].iloc[0]), memoryview(rows["key"].iloc[1]), rows["key"].iloc[2]]
    check(verify(rows), [None] * 3)
    check(verify(frame(0)), [])


def test_a_rule_a_row() -> None:
    for values in (["zip215", "newest", None], pd.Categorical(["zip215", "newest", None]), pd.array(["zip215", "newest", None], "string")):
        made = verify(frame(3).assign(how=values), rule=Column("how"))
        check(made, [None, "unknown", "null"])
        assert list(made["verdict"].isna()) == [False, True, True]


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("sig", "text", r"^sig: column 'sig', row 7 \(index 'row 7'\): str, not bytes$"),
        ("msg", "text", r"^msg: column 'msg', row 7 \(index 'row 7'\): str, not bytes$"),
        ("key", 5, r"^key: column 'key', row 7 \(index 'row 7'\): int, not bytes$"),
        ("key", 0.5, r"^key: column 'key', row 7 \(index 'row 7'\): float, not bytes$"),
        ("key", [1, 2], r"^key: column 'key', row 7 \(index 'row 7'\): list, not bytes$"),
    ],
)
def test_a_cell_that_is_something_else(column: str, cell: object, message: str) -> None:
    rows = frame(10)
    rows[column] = [cell if row == 7 else None if row < 3 else value for row, value in enumerate(rows[column])]
    with pytest.raises(TypeError, match=message):
        verify(rows)


def test_columns_of_other_types_and_names() -> None:
    with pytest.raises(TypeError, match=r"^key \(column 'id'\): the column holds integers"):
        verify(frame(3), key="id")
    with pytest.raises(TypeError, match="^rule: column 'msg', row 0 .*: bytes, not str"):
        verify(frame(3), rule=Column("msg"))
    with pytest.raises(ValueError, match="^sig: there is no column 'signature'"):
        verify(frame(3), sig="signature")
    with pytest.raises(ValueError, match="^verdict: there is a column 'verdict' already"):
        verify(verify(frame(3)))
    with pytest.raises(ValueError, match="^key: there is more than one column 'key'"):
        verify(pd.concat([frame(3), frame(3)[["key"]]], axis=1))
    assert list(verify(frame(3).assign(verdict=1), verdict="good", reason="why").columns[-2:]) == ["good", "why"]
