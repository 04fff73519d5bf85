"""A Spark on this machine, for the tests that ask for one: two tasks at a time, each may fail three times."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

PACKAGE = Path(__file__).resolve().parents[1]


@contextmanager
def spark_session() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    # the workers are to import this package and not another that is installed
    os.environ["PYTHONPATH"] = os.pathsep.join([str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2,4]")
        .appName("sigmill")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "10000")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()


def to_spark(session: Any, table: pa.Table) -> Any:
    """Through pandas: Spark 3 takes no Arrow table, and hands none out."""
    return session.createDataFrame(table.to_pandas())


def to_arrow(frame: Any) -> pa.Table:
    return pa.Table.from_pandas(frame.toPandas())
