"""What an import brings with it."""

from __future__ import annotations

import subprocess
import sys


def test_an_import_brings_nothing_slow() -> None:
    code = "import sys; before = set(sys.modules); import sigmill; print(*sorted(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    brought = run.stdout.split()
    assert "sigmill._native" in brought
    others = [name for name in brought if not name.startswith("sigmill")]
    assert not {"typing", "re", "pyarrow", "polars", "numpy"} & set(others), others
    assert len(others) < 10, others
