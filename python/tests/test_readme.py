"""The examples of the pages run, one after the other, each by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "python/README.md",
    ROOT / "docs/migrating-from-pyca.md",
    ROOT / "docs/migrating-from-pynacl.md",
]
EXAMPLES = [
    (page.name, number, code)
    for page in PAGES
    for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S))
]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 9


@pytest.mark.parametrize(("page", "number", "code"), EXAMPLES, ids=[f"{p} {n}" for p, n, _ in EXAMPLES])
def test_example(page: str, number: int, code: str) -> None:
    exec(compile(code, f"{page}, example {number}", "exec"), {})
