"""``nacl.hash`` itself, of PyNaCl, where it is installed."""

from typing import Any

from ._theirs import attribute, required

_module = required("hash")


def __getattr__(name: str) -> Any:
    return attribute(__name__, _module, name)
