"""Numbers that no memory holds, and processes that cannot have threads: an exception, never the end of the process."""

from __future__ import annotations

import ctypes
import os
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
import sigmill
from limits import MIB, Made, Streamed, limit_memory, no_more_threads, outcome
from sigmill.ed25519 import SigningKey

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="not run here: tests of limits, which are Linux's")

KEY = SigningKey(bytes(32))
MANY = 2**40
NULLS = Made(b"n", MANY)
#: Rows of no bytes take no memory either.
EMPTY = Made(b"w:0", MANY, [None, ctypes.create_string_buffer(1)])


def bytes_of(*values: bytes) -> Any:
    return pa.array(values, pa.binary())


def little_memory() -> None:
    limit_memory(256 * MIB)


@pytest.mark.parametrize("column", [NULLS, EMPTY], ids=["null", "of no bytes"])
@pytest.mark.parametrize(
    ("work", "argument"),
    [
        (lambda column: sigmill.verify_columns(column, column, column), "key: 1099511627776 rows"),
        (lambda column: sigmill.verify_columns(column, column, column, rule=NULLS), "key: 1099511627776 rows"),
        (lambda column: sigmill.verify_columns(column, column, column, threads=1), "key: 1099511627776 rows"),
        (lambda column: sigmill.report(dict.fromkeys(("key", "msg", "sig"), column)), "key: 1099511627776 rows"),
        (lambda column: sigmill.SigningKeys.from_seeds(column), "seeds: "),
        (lambda column: sigmill.sign_columns(KEY, column), "msg: "),
        (lambda column: sigmill.sign_columns(sigmill.ecdsa.p384.SigningKey(bytes([1] * 48)), column), "msg: "),
    ],
)
def test_a_length_that_no_memory_holds(work: Callable[[Any], object], argument: str, column: Any) -> None:
    said = outcome(lambda: work(column), little_memory)
    assert said.startswith((f"raised MemoryError: {argument}", f"raised ValueError: {argument}")), said


def test_other_numbers_that_no_memory_holds() -> None:
    one = bytes_of(b"")
    views = Made(b"vz", 1, [None, ctypes.create_string_buffer(16), None], n_buffers=2**62)
    said = outcome(lambda: sigmill.verify_columns(one, views, one), little_memory)
    assert said.startswith("raised ValueError: msg: "), said
    said = outcome(lambda: sigmill.generate_keys(2**40), little_memory)
    assert said.startswith("raised MemoryError: n: 1099511627776 keys: "), said
    # lengths whose sum is no number
    for rows in (2**62, 2**63 - 1):
        said = outcome(lambda rows=rows: sigmill.verify_columns(Streamed(Made(b"n", rows), 5), one, one), little_memory)
        assert said.startswith("raised ValueError: key: "), said


def test_rows_that_fill_the_memory() -> None:
    """Each size leaves another allocation to be the one that fails."""
    seen = set()
    for rows in (*range(MIB // 16, MIB, MIB // 5), 64 * MIB):
        nulls = Made(b"n", rows)

        def work() -> object:
            verdicts = sigmill.verify_columns(nulls, nulls, nulls)
            del verdicts.bad()[0]
            return len(pa.array(verdicts)) == rows

        seen.add(outcome(work, lambda: limit_memory(4 * MIB))[:18])
    assert seen == {"raised MemoryError", "returned True"}


def test_streams_that_never_end() -> None:
    one = bytes_of(b"")
    forever = Streamed(Made(b"n", 1))
    said = outcome(lambda: sigmill.verify_columns(forever, one, one), lambda: limit_memory(MIB))
    assert said.startswith("raised MemoryError"), said


def many_rows(rows: int) -> tuple[Any, Any, Any]:
    values = bytes(KEY.public_key()), b"message", KEY.sign(b"message")
    key, msg, sig = (pa.repeat(pa.scalar(value, pa.binary()), rows) for value in values)
    return key, msg, sig


@pytest.mark.parametrize("threads", [1, None, 1000])
def test_no_thread_can_be_made(threads: int | None) -> None:
    key, msg, sig = many_rows(5000)
    told: list[int] = []

    def verify() -> object:
        verdicts = sigmill.verify_columns(key, msg, sig, threads=threads, progress=lambda done, rows: told.append(done))
        return verdicts.all_valid and told[-1] == 5000

    def sign() -> object:
        return pa.array(sigmill.sign_columns(KEY, msg, threads=threads, checked=True)).equals(pa.array(sig.cast(pa.binary(64))))

    def report() -> object:
        return "5,000" in sigmill.report({"key": key, "msg": msg, "sig": sig}, threads=threads).html

    def spawn() -> object:
        import threading

        threading.Thread(target=print).start()
        return None

    assert outcome(spawn, no_more_threads) == "raised RuntimeError: can't start new thread"
    for work in (verify, sign, report):
        assert outcome(work, no_more_threads) == "returned True", work
    assert outcome(lambda: len(sigmill.generate_keys(3)), no_more_threads) == "returned 3"


def test_threads_that_memory_does_not_hold() -> None:
    key, msg, sig = many_rows(50_000)
    for mib in (1, 4, 16, 64, 256):
        said = outcome(
            lambda: sigmill.verify_columns(key, msg, sig, threads=1000).valid, lambda mib=mib: limit_memory(mib * MIB)
        )
        assert said == "returned 50000" or said.startswith("raised MemoryError"), (mib, said)
    assert said == "returned 50000"


FILLED: list[Any] = [None] * 100_000
RESULTS: list[Any] = [None] * 3000


def fill_memory() -> int:
    """Leaves no memory; how many values of FILLED it took, large ones first."""
    filled = 0
    for size in (MIB, MIB >> 4, 4096, 1000, 520, 300, 120, 80, 40):
        try:
            while filled < len(FILLED):
                FILLED[filled] = bytes(size)
                filled += 1
        except MemoryError:
            pass
    return filled


@pytest.mark.parametrize(
    "call",
    [
        lambda: KEY.sign(b"m"),
        lambda: KEY.public_key().public_bytes_raw(),
        lambda: KEY.public_key().prepare(),
        lambda: KEY.to_pem(),
        lambda: KEY.to_der(),
        lambda: sigmill.explain(bytes(32), b"", bytes(64)).verdicts,
        lambda: sigmill.ecdsa.p256.SigningKey(bytes([1] * 32)).sign(b"m", sig_format="der"),
        lambda: sigmill.x25519.PrivateKey(bytes(32)).private_bytes_raw(),
        lambda: sigmill.generate_keys(1).public_keys.__arrow_c_array__(),
    ],
)
def test_python_has_no_memory_at_all(call: Callable[[], object]) -> None:
    def work() -> bool:
        filled = fill_memory()
        try:
            for i in range(len(RESULTS)):
                RESULTS[i] = call()
        except MemoryError:
            pass
        FILLED.clear()
        return filled > 0

    call()
    assert outcome(work, lambda: limit_memory(4 * MIB)) == "returned True"


@pytest.mark.parametrize(
    "call",
    [
        lambda rows, threads: sigmill.verify_columns(*rows, threads=threads),
        lambda rows, threads: sigmill.sign_columns(KEY, rows[1], threads=threads),
        lambda rows, threads: sigmill.report(dict(zip(("key", "msg", "sig"), rows, strict=True)), threads=threads),
    ],
    ids=["verify", "sign", "report"],
)
def test_threads_that_begin_in_the_last_memory(call: Callable[[Any, int], object]) -> None:
    rows = many_rows(500)

    def work(free: int) -> bool:
        call(rows, 1)
        filled = fill_memory()
        FILLED[:free] = [None] * free
        try:
            call(rows, 8)
        except MemoryError:
            pass
        FILLED.clear()
        return filled > free

    # the C library ended the process at some of the first ten
    said = [outcome(lambda free=free: work(free), lambda: limit_memory(64 * MIB)) for free in (*range(20), 24, 28, 32)]
    assert set(said) <= {"returned True", "raised MemoryError: "}, list(enumerate(said))
    assert said.count("returned True") >= 8, said


def test_threads_where_the_allocator_keeps_the_memory() -> None:
    rows = many_rows(120)

    def work() -> None:
        # the allocator keeps pieces of this size from then on, and answers from them
        bytearray(30 * MIB)
        for threads in (8, 1000):
            sigmill.verify_columns(*rows, threads=threads)

    # a stack has 2 MiB: each of these limits leaves the last thread another rest, and the C library ended the process where
    # it was smaller than two pages
    limits = range(40 * MIB, 42 * MIB, 8192 if os.environ.get("SIGMILL_LONG") else 32768)
    said = Counter(outcome(work, lambda limit=limit: limit_memory(limit)) for limit in limits)
    assert set(said) <= {"returned None", "raised MemoryError: "}, said
    assert said["returned None"] > 0.8 * len(limits), said


def test_a_context_for_each_row() -> None:
    contexts = pa.array([b"%d" % i for i in range(5_000)])
    key, msg, sig = many_rows(len(contexts))
    for mib in (1, 2, 4, 1024):
        said = outcome(
            lambda: sigmill.verify_columns(key, msg, sig, variant="ctx", context=contexts).invalid,
            lambda mib=mib: limit_memory(mib * MIB),
        )
        assert said == "returned 5000" or said.startswith("raised MemoryError"), (mib, said)
    assert said == "returned 5000"
