"""What Python adds to the engine, and other Python libraries, in turns.

usage: tools/python bench [--rows N] [--rounds N] [--record FILE]

Prints a table of medians; with --record appends a JSON line for each of them. The engine is the Rust program
python/examples/engine.rs on the same rows, asked for one run at a time between the runs here.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import sigmill
from sigmill.ed25519 import SigningKey

ROOT = Path(__file__).resolve().parents[2]


class EngineProgram:
    """The Rust program, kept running."""

    def __init__(self) -> None:
        build = ["cargo", "build", "--locked", "--quiet", "--release", "-p", "sigmill-python", "--example", "engine"]
        subprocess.run(build, check=True, cwd=ROOT)
        self.process = subprocess.Popen(
            [ROOT / "target/release/examples/engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, line: str) -> float:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"the engine's program ended at: {line}")
        return float(answer)


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def single(work: Callable[[], object]) -> float:
    """Seconds of one call: the median of 2,000 after 200 others, each timed alone, less what timing nothing takes."""
    clock = time.perf_counter

    def times(call: Callable[[], object]) -> float:
        found = []
        for _ in range(2200):
            begin = clock()
            call()
            found.append(clock() - begin)
        return statistics.median(found[200:])

    return times(work) - times(lambda: None)


def cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    wanted = ("model name", "cpu family", "model\t", "stepping")
    found = [line.split(":")[1].strip() for line in lines[:30] if line.startswith(wanted)]
    return ", ".join(dict.fromkeys(found)) + f"; {sigmill.backend}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", type=Path)
    args = parser.parse_args()
    engine = EngineProgram()

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from nacl.signing import SigningKey as NaclKey

    message, seed = bytes([7]) * 32, (7).to_bytes(32, "little")
    ours, pyca, nacl = SigningKey(seed), Ed25519PrivateKey.from_private_bytes(seed), NaclKey(seed)
    signature = ours.sign(message)
    assert signature == pyca.sign(message) == nacl.sign(message).signature
    public, pyca_public, nacl_public = ours.public_key(), pyca.public_key(), nacl.verify_key

    n = args.rows
    seeds = pa.array([i.to_bytes(32, "little") for i in range(n)], pa.binary(32))
    messages = [i.to_bytes(8, "little") for i in range(n)]
    keys = sigmill.SigningKeys.from_seeds(seeds)
    made = sigmill.sign_columns(keys, pa.array(messages))
    frame = pl.DataFrame(
        {"key": pl.Series(keys.public_keys), "msg": pl.Series(messages), "sig": pl.Series(made)}
    )

    million = 1_000_000

    def short(layout: str) -> tuple[Any, Any, Any]:
        columns = []
        for byte, width in ((1, 31), (2, 8), (3, 64)):
            fixed = pa.Array.from_buffers(
                pa.binary(width), million, [None, pa.py_buffer(bytes([byte]) * (width * million))]
            )
            columns.append(fixed if layout == "fixed" else fixed.cast(pa.binary()))
        return columns[0], columns[1], columns[2]

    fixed, binary = short("fixed"), short("binary")
    views = [pl.Series(column) for column in binary]

    def verdicts(columns: Any, threads: int = 1) -> Any:
        return pa.array(sigmill.verify_columns(*columns, threads=threads).verdict)

    rows: dict[str, tuple[Callable[[], float], Callable[[], float]]] = {
        "verify": (lambda: single(lambda: public.verify(signature, message)), lambda: engine("verify")),
        "sign": (lambda: single(lambda: ours.sign(message)), lambda: engine("sign")),
        "verify, pyca/cryptography": (
            lambda: single(lambda: pyca_public.verify(signature, message)),
            lambda: engine("verify"),
        ),
        "sign, pyca/cryptography": (lambda: single(lambda: pyca.sign(message)), lambda: engine("sign")),
        "verify, PyNaCl": (
            lambda: single(lambda: nacl_public.verify(message, signature)),
            lambda: engine("verify"),
        ),
        "sign, PyNaCl": (lambda: single(lambda: nacl.sign(message)), lambda: engine("sign")),
        "rows refused, fixed-size": (
            lambda: seconds(lambda: verdicts(fixed)) / million,
            lambda: engine(f"short {million} fixed") / million,
        ),
        "rows refused, binary": (
            lambda: seconds(lambda: verdicts(binary)) / million,
            lambda: engine(f"short {million} binary") / million,
        ),
        "rows refused, Polars": (
            lambda: seconds(lambda: verdicts(views)) / million,
            lambda: engine(f"short {million} binary") / million,
        ),
        "rows of a Polars frame, 2 threads": (
            lambda: seconds(lambda: verdicts((frame["key"], frame["msg"], frame["sig"]), 2)) / n,
            lambda: engine(f"rows {n} 2") / n,
        ),
    }
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
    for _ in range(args.rounds):
        for name, (here, there) in rows.items():
            found[name].append((here(), there()))

    print(f"{cpu()}; Python {platform.python_version()}, {date.today()}; {n} rows, {args.rounds} rounds")
    print(f"{'':36} {'ns here':>10} {'ns engine':>10} {'more':>8} {'ratio':>7}")
    for name, pairs in found.items():
        here, there = (statistics.median(times) * 1e9 for times in zip(*pairs))
        print(f"{name:36} {here:10.1f} {there:10.1f} {here - there:8.1f} {here / there:7.3f}")
        if args.record:
            line = {
                "row": name,
                "ns": round(here, 2),
                "engine_ns": round(there, 2),
                "cpu": cpu(),
                "python": platform.python_version(),
                "date": str(date.today()),
                "rows": n,
                "rounds": args.rounds,
                "versions": {
                    package: importlib.metadata.version(package)
                    for package in ("cryptography", "PyNaCl", "polars", "pyarrow")
                },
            }
            with open(args.record, "a", encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")


main()
