"""A page about a table of signatures."""

from __future__ import annotations

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing `typing` would take more time than all else here
    import os
    from typing import Any

    from ._native import Verdicts


class Report:
    """A page about a table: ``html`` is all of it, ``verdicts`` what it is about. A notebook shows it."""

    def __init__(self, verdicts: Verdicts, html: str) -> None:
        self.verdicts = verdicts
        self.html = html

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the page: whole, or not at all. ``FileExistsError`` for a file that is there, unless `overwrite`."""
        import os
        import tempfile

        folder = os.path.dirname(os.path.abspath(path))
        handle, temporary = tempfile.mkstemp(prefix=".sigmill-", suffix=".tmp", dir=folder)
        try:
            with open(handle, "w", encoding="utf-8") as out:
                out.write(self.html)
            # what others write may be read by whoever the mask lets read it
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            if overwrite:
                os.replace(temporary, path)
            else:
                os.link(temporary, path)
        finally:
            if os.path.exists(temporary):
                os.unlink(temporary)

    def _repr_html_(self) -> str:
        import html

        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="600"></iframe>'

    def __repr__(self) -> str:
        return f"Report({self.verdicts!r}, {len(self.html)} characters)"


def report(
    table: Any, *, key: str = "key", msg: str = "msg", sig: str = "sig", title: str = "table", **options: Any
) -> Report:
    """Verifies a table, and makes a page about it.

    `table` is anything whose ``table[name]`` is a column for :func:`sigmill.verify_columns`: of pyarrow, Polars, pandas
    with Arrow dtypes, or a dictionary of columns. `options` are those of :func:`sigmill.verify_columns`. The page says
    how many rows have which verdict and reason, where the bad ones lie, which keys have most of them, what would change
    under the other rules, and how fast it was; it needs no network and at most 2 MB.

    ``KeyError`` for a column that is not there; else what :func:`sigmill.verify_columns` raises.
    """

    def column(argument: str, name: str) -> Any:
        try:
            return table[name]
        except Exception as error:
            raise KeyError(f"{argument}: the table has no column {name!r}") from error

    columns = column("key", key), column("msg", msg), column("sig", sig)
    return Report(*_native.report_columns(*columns, title, **options))
