"""The forms of keys of ``cryptography.hazmat.primitives.serialization``: the same classes where that is installed."""

from typing import TYPE_CHECKING

from . import _theirs

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        KeySerializationEncryption,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )
elif (_module := _theirs.module("hazmat.primitives.serialization")) is not None:
    BestAvailableEncryption = _module.BestAvailableEncryption
    Encoding = _module.Encoding
    KeySerializationEncryption = _module.KeySerializationEncryption
    NoEncryption = _module.NoEncryption
    PrivateFormat = _module.PrivateFormat
    PublicFormat = _module.PublicFormat
else:
    from ._alone import (
        BestAvailableEncryption,
        Encoding,
        KeySerializationEncryption,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

__all__ = [
    "BestAvailableEncryption",
    "Encoding",
    "KeySerializationEncryption",
    "NoEncryption",
    "PrivateFormat",
    "PublicFormat",
]
