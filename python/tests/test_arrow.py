"""`sigmill.arrow`: a batch in, the batch with two columns out."""

from __future__ import annotations

from typing import Any

import pytest
from frames import frame_of_vectors_and_rules, library, signed, verdicts_of

pa = library("pyarrow")

from sigmill.arrow import Column, verify_batch, verify_batches, verify_table  # noqa: E402


def batch(**columns: Any) -> Any:
    made, _ = signed(2)
    return pa.RecordBatch.from_pydict({name: columns.get(name, made[name]) for name in ("id", "key", "msg", "sig")})


def test_columns_are_appended_and_the_others_kept() -> None:
    columns, reasons = signed(5000)
    rows = pa.RecordBatch.from_pydict(columns)
    checked = verify_batch(rows)
    assert checked.schema.names == ["id", "key", "msg", "sig", "verdict", "reason"]
    assert checked.select(["id", "key", "msg", "sig"]).equals(rows)
    assert checked["verdict"].to_pylist() == verdicts_of(reasons)
    assert checked["reason"].to_pylist() == reasons
    assert checked["verdict"].type == pa.bool_() and checked["reason"].type == pa.string()


def test_slices_of_a_batch_have_the_verdicts_of_their_rows() -> None:
    columns, reasons = signed(5000)
    rows = pa.RecordBatch.from_pydict(columns)
    for start, length in [(0, 0), (1, 1), (7, 1500), (4999, 1), (1234, 3000)]:
        checked = verify_batch(rows.slice(start, length))
        assert checked["reason"].to_pylist() == reasons[start : start + length]
        assert checked["id"].to_pylist() == columns["id"][start : start + length]


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view(), pa.dictionary(pa.int32(), pa.binary())])
def test_all_layouts_of_bytes(kind: Any) -> None:
    columns, reasons = signed(1000)
    rows = pa.RecordBatch.from_pydict({name: pa.array(columns[name], pa.binary()) for name in ("key", "msg", "sig")})
    changed = [pa.array(column.to_pylist(), pa.binary()).dictionary_encode() for column in rows.columns]
    if not pa.types.is_dictionary(kind):
        changed = [pa.array(column.to_pylist(), kind) for column in rows.columns]
    checked = verify_batch(pa.RecordBatch.from_arrays(changed, rows.schema.names))
    assert checked["reason"].to_pylist() == reasons


def test_batches_come_as_they_are_asked_for() -> None:
    columns, reasons = signed(5000)
    taken = []

    def source() -> Any:
        for part in pa.Table.from_pydict(columns).to_batches(max_chunksize=700):
            taken.append(part.num_rows)
            yield part

    made = verify_batches(source())
    first = next(made)
    assert taken == [700]
    rest = list(made)
    assert [reason for part in [first, *rest] for reason in part["reason"].to_pylist()] == reasons


def test_a_table_in_chunks_that_differ() -> None:
    columns, reasons = signed(5000)
    cut = {"key": 1000, "msg": 777, "sig": 5000}
    chunked = {
        name: pa.chunked_array([columns[name][i : i + size] for i in range(0, 5000, size)], pa.binary())
        for name, size in cut.items()
    }
    assert verify_table(pa.table(chunked))["reason"].to_pylist() == reasons


def test_rules_by_row_and_names_of_columns() -> None:
    frame = frame_of_vectors_and_rules()
    names = {"key": "public key", "msg": "body", "sig": "signature", "rule": "which", "variant": "how", "context": "where"}
    rows = pa.RecordBatch.from_pydict({names.get(name, name): column for name, column in frame.items()})
    checked = verify_batch(
        rows,
        key="public key",
        msg="body",
        sig="signature",
        rule=Column("which"),
        variant=Column("how"),
        context=Column("where"),
        verdict="good",
        reason="why",
    )
    same = verify_batch(pa.RecordBatch.from_pydict(frame), rule=Column("rule"), variant=Column("variant"), context=Column("context"))
    assert checked["why"].equals(same["reason"]) and checked["good"].equals(same["verdict"])
    assert 0 < sum(checked["good"].to_pylist()) < len(checked)


def test_one_value_for_all_rows_and_names_that_mean_nothing() -> None:
    rows = batch().append_column("rule", pa.array(["common", "newest"]))
    assert verify_batch(rows, rule=Column("rule"))["reason"].to_pylist() == [None, "unknown"]
    assert verify_batch(rows, rule="zip215", threads=1)["verdict"].to_pylist() == [True, True]
    assert verify_batch(rows, variant="ctx", context=b"x")["reason"].to_pylist() == ["equation", "equation"]


def test_a_rule_is_as_good_as_its_name() -> None:
    import sigmill

    assert verify_batch(batch(), rule=sigmill.ed25519.ZIP215)["verdict"].to_pylist() == [True, True]


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (ValueError, {"key": "keys"}, r"^key: there is no column 'keys' among \['id', 'key', 'msg', 'sig'\]$"),
        (ValueError, {"rule": Column("rule")}, r"^rule: there is no column 'rule'"),
        (ValueError, {"rule": "newest"}, "^rule: .*newest"),
        (ValueError, {"verdict": "id"}, "^verdict: there is a column 'id' already"),
        (ValueError, {"reason": "ID"}, "^reason: there is a column 'ID' already"),
        (ValueError, {"verdict": "x", "reason": "X"}, "both columns are called 'x'"),
        (TypeError, {"key": "id"}, r"^key \(column 'id'\): .*integers"),
        (TypeError, {"rules": "common"}, "^rules: there is no such option"),
        (TypeError, {"verdict": 3}, "^verdict: a str is needed, not int"),
        (TypeError, {"msg": None}, "^msg: the name of a column is needed, not NoneType"),
        (TypeError, {"variant": 3}, "^variant: "),
    ],
)
def test_what_cannot_be_asked_for(kind: type[Exception], options: dict[str, Any], message: str) -> None:
    with pytest.raises(kind, match=message):
        verify_batch(batch(), **options)


def test_a_column_that_is_there_twice() -> None:
    rows = batch()
    twice = rows.append_column("key", rows["key"])
    with pytest.raises(ValueError, match="^key: there is more than one column 'key'"):
        verify_batch(twice)
    again = verify_batch(rows)
    with pytest.raises(ValueError, match="^verdict: there is a column 'verdict' already"):
        verify_batch(again)
    assert verify_batch(again, verdict="verdict 2", reason="reason 2").num_columns == 8


def test_a_wrong_type_names_its_column() -> None:
    with pytest.raises(TypeError, match="^sig: .*text"):
        verify_batch(batch(sig=["text", "text"]))
