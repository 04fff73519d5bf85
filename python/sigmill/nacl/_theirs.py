"""What PyNaCl has, where it is installed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


def module(name: str) -> ModuleType | None:
    """The module ``nacl.NAME``; ``None`` if there is none."""
    full = f"nacl.{name}"
    try:
        return import_module(full)
    except ModuleNotFoundError as error:
        # a module that is there and lacks another one is broken, and says so
        if error.name in ("nacl", full):
            return None
        raise


def required(name: str) -> ModuleType:
    """The module ``nacl.NAME``. ``ModuleNotFoundError`` without it."""
    found = module(name)
    if found is None:
        ours = f"sigmill.nacl.{name}"
        raise ModuleNotFoundError(f"{ours}: sigmill leaves this to the package PyNaCl, which is not installed", name=ours)
    return found


def attribute(ours: str, theirs: ModuleType, name: str) -> Any:
    """What their module has by a name, for a module of ours that has nothing of its own."""
    if not name.startswith("__") and hasattr(theirs, name):
        return getattr(theirs, name)
    raise AttributeError(f"module {ours!r} has no attribute {name!r}")
