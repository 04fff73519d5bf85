"""The forms of keys of ``cryptography.hazmat.primitives.serialization``: the same classes where that is installed."""

from typing import TYPE_CHECKING

from . import _theirs

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption as BestAvailableEncryption
    from cryptography.hazmat.primitives.serialization import Encoding as Encoding
    from cryptography.hazmat.primitives.serialization import KeySerializationEncryption as KeySerializationEncryption
    from cryptography.hazmat.primitives.serialization import NoEncryption as NoEncryption
    from cryptography.hazmat.primitives.serialization import PrivateFormat as PrivateFormat
    from cryptography.hazmat.primitives.serialization import PublicFormat as PublicFormat
else:
    _FORMS = "Encoding", "PrivateFormat", "PublicFormat"
    _ENCRYPTION = "KeySerializationEncryption", "NoEncryption", "BestAvailableEncryption"
    globals().update(_theirs.classes("hazmat.primitives.serialization", (*_FORMS, *_ENCRYPTION)))
