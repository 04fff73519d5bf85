"""What the tests of frames share: the frozen vectors, signed rows with planted faults, and libraries that may be missing."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

import pytest
from vectors import RULE_NAMES, verify_vectors

import sigmill

#: Rows of vectors/ed25519/verify.csv.
ROWS = 2290


def library(name: str) -> ModuleType:
    """Imports a library; where it is missing the module's tests are left out, and the summary says so."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        pytest.skip(f"not run here: tests with {name} (it is not installed)", allow_module_level=True)
    return importlib.import_module(name)


@cache
def vectors() -> dict[str, list[Any]]:
    """The frozen vectors by column: key, msg, sig, context (bytes), variant, and `ok` or a reason for each rule."""
    rows = verify_vectors()
    assert len(rows) == ROWS
    made: dict[str, list[Any]] = {
        "key": [row.key for row in rows],
        "msg": [row.message for row in rows],
        "sig": [row.signature for row in rows],
        "context": [row.context for row in rows],
        "variant": [row.variant for row in rows],
    }
    return made | {name: [row.verdicts[name] for row in rows] for name in RULE_NAMES}


def frame_of_vectors() -> dict[str, list[Any]]:
    """Columns of a frame: the vectors, with a row number that is no index of them."""
    of = vectors()
    return {"id": [row * 7 for row in range(ROWS)]} | {name: of[name] for name in ["key", "msg", "sig", "variant", "context"]}


def frame_of_vectors_and_rules() -> dict[str, list[Any]]:
    """All vectors under each rule, the rule in a column, row by row another one."""
    frame, names = frame_of_vectors(), RULE_NAMES
    made = {name: [value for value in column for _ in names] for name, column in frame.items()}
    return made | {"rule": names * ROWS}


def differing(rule: str, verdicts: Iterable[bool | None], reasons: Iterable[str | None]) -> int:
    """Cells (a verdict or its reason) that are not the frozen ones; too few rows count as differing ones."""
    wanted = vectors()[rule]
    found = list(zip(verdicts, reasons, strict=True))
    wrong = sum(
        (verdict, reason) != ((True, None) if want == "ok" else (False, want))
        for (verdict, reason), want in zip(found, wanted)
    )
    return wrong + abs(len(found) - len(wanted))


#: What is planted, and its reason; the numbers are primes, so that they fall on all places of a batch.
PLANTED = {101: "equation", 211: "s_out_of_range", 307: "key_length", 401: "signature_length", 503: "null", 601: "null"}


@cache
def signed(count: int) -> tuple[dict[str, list[Any]], list[str | None]]:
    """Columns id, key, msg, sig of `count` rows, each with its own key and message, and the reason that each is to have.

    Valid but for what is planted.
    """
    pa = library("pyarrow")
    seeds = pa.array([hashlib.sha256(b"seed %d" % row).digest() for row in range(count)], pa.binary(32))
    keys = sigmill.SigningKeys.from_seeds(seeds)
    messages = [b"message %d " % row * (row % 5) for row in range(count)]
    columns: dict[str, list[Any]] = {
        "id": list(range(count)),
        "key": pa.array(keys.public_keys).to_pylist(),
        "msg": messages,
        "sig": pa.array(sigmill.sign_columns(keys, pa.array(messages, pa.binary()))).to_pylist(),
    }
    reasons: list[str | None] = [None] * count
    for row in range(count):
        every = next((every for every in PLANTED if row % every == every // 2), None)
        if every is None:
            continue
        reasons[row] = PLANTED[every]
        match every:
            case 101:
                columns["msg"][row] += b"!"
            case 211:
                columns["sig"][row] = columns["sig"][row][:63] + b"\xff"
            case 307:
                columns["key"][row] = columns["key"][row][:31]
            case 401:
                columns["sig"][row] += b"\0"
            case 503:
                columns["key"][row] = None
            case _:
                columns["msg"][row] = None
    return columns, reasons


def verdicts_of(reasons: Iterable[str | None]) -> list[bool | None]:
    """The verdicts that belong to reasons."""
    return [None if reason in ("null", "unknown") else reason is None for reason in reasons]
