"""The fuzz program: some seconds of it each time, ten minutes in the long form. SIGMILL_STRESS says how many seconds."""

from __future__ import annotations

import os
import sys
import time

import fuzz
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="not run here: tests of limits, which are Linux's")


def test_no_call_ends_a_process() -> None:
    assert fuzz.main(2, seed=1) == 0


@pytest.mark.long
def test_no_call_ends_a_process_for_long() -> None:
    assert fuzz.main(float(os.environ.get("SIGMILL_STRESS", 600)), seed=time.time_ns()) == 0
