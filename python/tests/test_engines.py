"""`sigmill.arrow` as other engines call it: DataFusion, Daft, Ray Data. Each one is left out where it is not installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest
from frames import library, signed, verdicts_of

import sigmill

pa = library("pyarrow")

from sigmill.arrow import verify_batch, verify_batches, verify_table  # noqa: E402

ROWS = 20_000


def need(name: str) -> None:
    if find_spec(name) is None:
        pytest.skip(f"not run here: tests with {name} (it is not installed)")


def rows(count: int = ROWS) -> Any:
    columns = signed(ROWS)[0]
    table = pa.table({name: pa.array(values, pa.int64() if name == "id" else pa.binary()) for name, values in columns.items()})
    return table.slice(0, count)


def check(table: Any) -> None:
    table = table.sort_by("id")
    assert table["id"].to_pylist() == list(range(ROWS))
    assert table["verdict"].to_pylist() == verdicts_of(signed(ROWS)[1])
    assert table["reason"].to_pylist() == signed(ROWS)[1]


def test_datafusion_in_sql() -> None:
    need("datafusion")
    import datafusion

    def verdict(key: Any, msg: Any, sig: Any) -> Any:
        return pa.array(sigmill.verify_columns(key, msg, sig, threads=1).verdict)

    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(2))
    context.register_udf(datafusion.udf(verdict, [pa.binary()] * 3, pa.bool_(), "volatile", "verdict"))
    context.register_record_batches("signatures", [rows().to_batches(max_chunksize=3000)])
    found = context.sql("SELECT id, verdict(key, msg, sig) AS verdict FROM signatures").to_arrow_table().sort_by("id")
    assert found["id"].to_pylist() == list(range(ROWS))
    assert found["verdict"].to_pylist() == verdicts_of(signed(ROWS)[1])


def test_datafusion_batches_as_they_come() -> None:
    need("datafusion")
    import datafusion

    context = datafusion.SessionContext()
    context.register_record_batches("signatures", [rows().to_batches(max_chunksize=3000)])
    stream = context.sql("SELECT * FROM signatures WHERE id >= 0").execute_stream()
    check(pa.Table.from_batches(verify_batches(batch.to_pyarrow() for batch in stream)))


def test_daft() -> None:
    need("daft")
    import daft

    kind = daft.DataType.struct({"verdict": daft.DataType.bool(), "reason": daft.DataType.string()})

    @daft.func.batch(return_dtype=kind)
    def verdicts(key: daft.Series, msg: daft.Series, sig: daft.Series) -> Any:
        return pa.array(sigmill.verify_columns(key.to_arrow(), msg.to_arrow(), sig.to_arrow(), threads=1))

    frame = daft.from_arrow(rows()).into_batches(3000)
    checked = frame.with_column("checked", verdicts(daft.col("key"), daft.col("msg"), daft.col("sig")))
    made = checked.select("id", daft.col("checked")["verdict"].alias("verdict"), daft.col("checked")["reason"].alias("reason"))
    check(made.to_arrow())


@pytest.mark.long
def test_ray_data() -> None:
    need("ray")
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        data = ray.data.from_arrow([rows().slice(first, 2500) for first in range(0, ROWS, 2500)])
        made = data.map_batches(verify_table, batch_format="pyarrow", batch_size=2500, fn_kwargs={"threads": 1})
        parts = [ray.get(part) for part in made.to_arrow_refs()]
        check(pa.concat_tables(part.select(["id", "verdict", "reason"]) for part in parts))
    finally:
        ray.shutdown()


def test_a_reader_of_files(tmp_path: Any) -> None:
    from pyarrow import parquet

    parquet.write_table(rows(), tmp_path / "signatures.parquet", row_group_size=3000)
    with parquet.ParquetFile(tmp_path / "signatures.parquet") as file:
        check(pa.Table.from_batches(map(verify_batch, file.iter_batches(batch_size=4096))))
