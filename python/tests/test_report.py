"""The page about a table."""

from __future__ import annotations

import html.parser
import os
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
import sigmill
from vectors import verify_vectors


def frame() -> pa.Table:
    vectors = [v for v in verify_vectors() if v.variant == "pure"]
    return pa.table(
        {
            "key": pa.array([v.key for v in vectors], pa.binary()),
            "msg": pa.array([v.message for v in vectors], pa.binary()),
            "sig": pa.array([v.signature for v in vectors], pa.binary()),
        }
    )


class Text(html.parser.HTMLParser):
    """All text of a page, and what it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.loads: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [f"{tag} {name}={value}" for name, value in attrs if name in ("src", "href", "srcset")]
        assert tag not in ("script", "iframe", "img"), tag


def test_a_page_says_what_the_columns_say(tmp_path: Path) -> None:
    table = frame()
    for source in (table, pl.from_arrow(table), {name: table[name] for name in table.column_names}):
        report = sigmill.report(source, rule="strict", title="<script>alert(1)</script> & co", threads=1)
        verdicts = sigmill.verify_columns(table["key"], table["msg"], table["sig"], rule="strict")
        assert (report.verdicts.valid, report.verdicts.reasons) == (verdicts.valid, verdicts.reasons)
        page = Text()
        page.feed(report.html)
        said = " ".join(page.words).replace("\u202f", "").replace(",", "").replace("\u2009", "").replace("\u00a0", "")
        assert "<script>alert(1)</script> & co" in " ".join(page.words) and "<script>" not in report.html
        for count in (verdicts.valid, verdicts.invalid, *verdicts.reasons.values()):
            assert str(count) in said, count
        for rule in sigmill.ed25519.RULES:
            assert rule.name in said
        assert not [load for load in page.loads if not load.split("=")[1].startswith(("#", "data:"))], page.loads
        assert len(report.html) < 2_000_000
    path = tmp_path / "report.html"
    report.save(path)
    assert path.read_text(encoding="utf-8") == report.html
    with pytest.raises(FileExistsError):
        report.save(path)
    report.save(path, overwrite=True)
    with pytest.raises(FileNotFoundError):
        report.save(tmp_path / "no folder" / "report.html")
    assert os.listdir(tmp_path) == ["report.html"]
    assert "srcdoc" in report._repr_html_()


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(KeyError, match="sig: the table has no column 'signature'"):
        sigmill.report(frame(), sig="signature")
    with pytest.raises(TypeError, match="key: a column is needed"):
        sigmill.report({"key": 1, "msg": 2, "sig": 3})


def test_names_of_rows_are_counted() -> None:
    table = frame()
    rules = ["strict", "lenient", None] * table.num_rows
    report = sigmill.report(table, rule=pa.array(rules[: table.num_rows]))
    assert report.verdicts.reasons["unknown"] > 0 and "unknown" in report.html
