"""The frozen vectors of `vectors/`: comma-separated values without quoting."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from sigmill.ed25519 import RULES

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "ed25519"
RULE_NAMES = [rule.name for rule in RULES]


class Vector(NamedTuple):
    variant: str
    context: bytes
    key: bytes
    message: bytes
    signature: bytes
    #: `ok` or the name of a reason, by the name of a rule.
    verdicts: dict[str, str]


def rows(file: str) -> list[dict[str, str]]:
    with open(FOLDER / file, encoding="utf-8") as lines:
        found = list(csv.DictReader(lines))
    assert found, file
    return found


def verify_vectors() -> list[Vector]:
    return [
        Vector(
            row["variant"],
            bytes.fromhex(row["context"]),
            bytes.fromhex(row["key"]),
            bytes.fromhex(row["message"]),
            bytes.fromhex(row["signature"]),
            {name: row[name] for name in RULE_NAMES},
        )
        for row in rows("verify.csv")
    ]
