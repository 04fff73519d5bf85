"""What pyca/cryptography has, where it is installed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from types import ModuleType
from typing import Any


def module(name: str) -> ModuleType | None:
    """The module ``cryptography.NAME``; ``None`` if there is none."""
    full = f"cryptography.{name}"
    try:
        return import_module(full)
    except ModuleNotFoundError as error:
        # a module that is there and lacks another one is broken, and says so
        if error.name is not None and (full == error.name or full.startswith(f"{error.name}.")):
            return None
        raise


def attribute(ours: str, name: str, wanted: str) -> Any:
    """The attribute `wanted` of the module ``cryptography.NAME``, for a module of ours that has none of that name."""
    found = None if wanted.startswith("__") else module(name)
    if found is None:
        raise AttributeError(f"module {ours!r} has no attribute {wanted!r}")
    return getattr(found, wanted)


def classes(name: str, wanted: Iterable[str]) -> dict[str, Any]:
    """Classes of the module ``cryptography.NAME``; where there is none, those of sigmill that stand in for them."""
    found = module(name) or import_module("._alone", __package__)
    return {each: getattr(found, each) for each in wanted}


def same_kind(ours: Any, theirs: Any, example: object) -> None:
    """Makes instances of `theirs`, an abstract class, instances of `ours`, and the reverse.

    `example` is one of their keys: the class that their abstract one stands for.
    """
    theirs.register(ours)
    ours.register(type(example))


def octets(name: str, data: object) -> bytes:
    """The bytes of a buffer. ``TypeError`` for anything else, such as integers, objects and arrays with a mask."""
    if isinstance(data, bytes):
        return data
    kind = type(data).__name__
    try:
        view = memoryview(data)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name}: bytes are needed, not {kind}") from None
    # bytes of objects are their addresses, and a buffer lacks its mask
    if "O" in view.format or kind == "MaskedArray":
        raise TypeError(f"{name}: bytes are needed, not {kind} (format: {view.format})")
    return view.tobytes()
