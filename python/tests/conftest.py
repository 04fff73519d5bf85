"""Says at the end what was left out because a library is missing."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons = {report.longrepr[2] for report in terminalreporter.stats.get("skipped", [])}
    for reason in sorted(reason.removeprefix("Skipped: ") for reason in reasons):
        if reason.startswith("not run"):
            terminalreporter.write_line(reason)
