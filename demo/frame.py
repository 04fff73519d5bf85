"""The demo's rows as a Polars frame, lazily and streaming: each verdict and reason must be the command line's."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import polars as pl
import sigmill
import sigmill.polars  # registers the namespace

FOLDER = Path(__file__).resolve().parents[1] / "target" / "demo"


def main() -> None:
    print("\n== 6. The same rows from Python, as a Polars frame")
    rule = "zip215"
    begin = time.perf_counter()
    frame = pl.scan_parquet(FOLDER / "signed.parquet").select("key", "msg", "sig")
    checked = frame.select(pl.col("key").sigmill.verify("msg", "sig", rule=rule).alias("checked"))
    ours = checked.unnest("checked").collect(engine="streaming")
    seconds = time.perf_counter() - begin
    theirs = pl.read_parquet(FOLDER / f"signed.{rule}.parquet", columns=["verdict", "reason"])
    if ours.height != theirs.height:
        sys.exit(f"demo: {ours.height} rows in Python, {theirs.height} on the command line")
    # the command line has words, a frame has booleans
    words = ours.select(
        pl.col("verdict").replace_strict({True: "valid", False: "invalid"}, return_dtype=pl.String), "reason"
    )
    differ = words.select(
        row=pl.int_range(pl.len()),
        same=pl.col("verdict").eq_missing(theirs["verdict"]) & pl.col("reason").eq_missing(theirs["reason"]),
    ).filter(~pl.col("same"))
    if differ.height:
        row = differ["row"][0]
        sys.exit(f"demo: row {row}: {words.row(row)} in Python, {theirs.row(row)} on the command line")
    valid = ours["verdict"].sum()
    print(f"   rule {rule}: {ours.height} rows, {valid} valid, each as on the command line ({seconds:.1f} s)")


main()
