"""What the layers over frames share: which columns of a frame are meant, and what is asked of them.

No library of frames is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import sigmill

if TYPE_CHECKING:
    from sigmill import Rule, Verdicts


@dataclass(frozen=True)
class Column:
    """A column of the frame, by its name, where one value for all rows could stand.

    ``rule="zip215"`` is one rule for all rows; ``rule=Column("rule")`` is the rule that each row names.
    """

    name: str


class Options(TypedDict, total=False):
    """What can be asked for by name, the same in every layer.

    ``rule``, ``algorithm``, ``variant`` and ``context`` are one value for all rows, or a :class:`Column`; these and
    ``hash``, ``sig_format``, ``low_s``, ``key_form`` and ``threads`` are those of :func:`sigmill.verify_columns`. ``verdict`` and
    ``reason`` name the two columns of the result (default: as they are called here).
    """

    rule: str | Rule | Column
    algorithm: str | Column
    variant: str | Column
    context: bytes | Column
    hash: str
    sig_format: str
    low_s: bool
    key_form: str
    threads: int | None
    verdict: str
    reason: str


class EnvelopeOptions(TypedDict, total=False):
    """Options of columns of envelopes, the same in every layer.

    ``rule``, ``claims`` and ``threads`` are those of :func:`sigmill.verify_jws`; ``claims`` (of JSON Web Signatures
    alone) adds a column ``claims``, a struct of text. ``external_data`` is that of :func:`sigmill.verify_cose`.
    ``verdict`` and ``reason`` name the two columns of the result.
    """

    rule: str | Rule
    claims: Sequence[str]
    external_data: bytes
    threads: int | None
    verdict: str
    reason: str


#: Those of :func:`sigmill.verify_columns` that a column can give, with what is in it.
PER_ROW = {"rule": "text", "algorithm": "text", "variant": "text", "context": "bytes"}
_SAME = {"hash", "sig_format", "low_s", "key_form", "threads"}


@dataclass(frozen=True)
class Request:
    """A verification of columns that have names."""

    #: Arguments of ``verify_columns`` that are columns, with their names in the frame.
    columns: dict[str, str]
    #: Those that are one value for all rows.
    values: dict[str, Any]
    verdict: str = "verdict"
    reason: str = "reason"
    #: The function of the package that verifies.
    function: str = "verify_columns"

    @staticmethod
    def of_envelopes(
        function: str, columns: dict[str, str], keys: Any, options: EnvelopeOptions, namespace: str | None = None
    ) -> Request:
        """Of a column of envelopes. ``TypeError``: a name that means nothing."""
        own = {"verify_jws": {"claims"}, "verify_cose": {"external_data"}}.get(function, set[str]())
        values, names = dict[str, Any](), {"verdict": "verdict", "reason": "reason"}
        for name, value in options.items():
            if name in names and isinstance(value, str):
                names[name] = value
            elif name in names:
                raise TypeError(f"{name}: a str is needed, not {type(value).__name__}")
            elif name in {"rule", "threads"} | own:
                values[name] = value.name if isinstance(value, sigmill.Rule) else value
            else:
                raise TypeError(f"{name}: there is no such option")
        # a task of Spark is pickled, and a memoryview cannot be
        values["keys"] = keys
        for name in ("keys", "external_data"):
            if isinstance(value := values.get(name), (bytearray, memoryview)):
                values[name] = bytes(value)
        if namespace is not None:
            values["namespace"] = namespace
        for argument, column in columns.items():
            if not isinstance(column, str):
                raise TypeError(f"{argument}: the name of a column is needed, not {type(column).__name__}")
        return Request(columns, values, **names, function=function)

    @property
    def claims(self) -> Sequence[str] | None:
        """The claims that were asked for: the result has a column ``claims``."""
        return self.values.get("claims")

    @staticmethod
    def of(key: str, msg: str, sig: str, options: Options) -> Request:
        """Sorts arguments into columns and values. ``TypeError``: a name that means nothing."""
        columns, values = {"key": key, "msg": msg, "sig": sig}, dict[str, Any]()
        names = {"verdict": "verdict", "reason": "reason"}
        for name, value in options.items():
            if name in PER_ROW and isinstance(value, Column):
                columns[name] = value.name
            elif isinstance(value, sigmill.Rule):
                values[name] = value.name  # which goes to other processes
            elif name in PER_ROW or name in _SAME:
                values[name] = value
            elif name in names:
                if not isinstance(value, str):
                    raise TypeError(f"{name}: a str is needed, not {type(value).__name__}")
                names[name] = value
            else:
                raise TypeError(f"{name}: there is no such option")
        for argument, column in columns.items():
            if not isinstance(column, str):
                raise TypeError(f"{argument}: the name of a column is needed, not {type(column).__name__}")
        return Request(columns, values, **names)

    def check_names(self, names: Sequence[str]) -> None:
        """``ValueError``: a column that the frame lacks or has twice, or one of the result that it has already."""
        for argument, column in self.columns.items():
            if names.count(column) != 1:
                found = "there is no column" if column not in names else "there is more than one column"
                raise ValueError(f"{argument}: {found} {column!r} among {list(names)}")
        for option, column in (("verdict", self.verdict), ("reason", self.reason)):
            # many engines take names for the same that differ in case only
            if column.casefold() in {str(name).casefold() for name in names}:
                raise ValueError(f"{option}: there is a column {column!r} already; name another with {option}=…")
        if self.verdict.casefold() == self.reason.casefold():
            raise ValueError(f"verdict, reason: both columns are called {self.verdict!r}")
        taken = [*names, self.verdict, self.reason]
        if self.claims is not None and "claims" in {str(name).casefold() for name in taken}:
            raise ValueError("claims: there is a column 'claims' already; rename it")

    def check_values(self, empty_bytes: object, empty_text: object) -> None:
        """Raises what a verification would, whatever its rows: asks for one of the empty columns given."""
        self.run(lambda argument: empty_text if PER_ROW.get(argument) == "text" else empty_bytes)

    def run(self, column: Callable[[str], object]) -> Verdicts:
        """Verifies; ``column`` gives the column for an argument.

        What the library says of an argument is said of its column, where that has another name.
        """
        arguments: dict[str, Any] = {argument: column(argument) for argument in self.columns}
        try:
            verdicts: Verdicts = getattr(sigmill, self.function)(**arguments, **self.values)
            return verdicts
        except (TypeError, ValueError) as error:
            raise type(error)(self._in_names_of_the_frame(str(error))) from None

    def _in_names_of_the_frame(self, message: str) -> str:
        argument, colon, rest = message.partition(":")
        column = self.columns.get(argument, argument)
        return message if column == argument or not colon else f"{argument} (column {column!r}):{rest}"
