"""``nacl.utils`` itself, of PyNaCl, where it is installed."""

from typing import Any

from ._theirs import required

_module = required("utils")


def __getattr__(name: str) -> Any:
    return getattr(_module, name)
