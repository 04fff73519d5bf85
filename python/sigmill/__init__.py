"""Signatures under named verification rules: one rule, one answer, one at a time or by the column.

``sigmill.ed25519``, ``sigmill.x25519`` and ``sigmill.ecdsa`` hold keys; :func:`verify_columns` verifies columns of
anything that speaks Arrow, where they lie; :func:`verify_jws` and its kin columns of envelopes. ``sigmill.polars``, ``sigmill.duckdb``, ``sigmill.pandas``,
``sigmill.arrow`` and ``sigmill.spark`` are thin layers over it, and import their library only when they are imported.
"""

from . import ecdsa, ed25519, x25519
from ._keys import (
    load_der_private_key,
    load_der_public_key,
    load_pem_private_key,
    load_pem_public_key,
)
from ._native import (
    ArrowColumn,
    InvalidSignature,
    SigningKeys,
    Verdicts,
    __version__,
    backend,
    generate_keys,
    sign_columns,
    verify_columns,
    verify_cose,
    verify_dsse,
    verify_jws,
    verify_sshsig,
)
from ._report import Report, report
from .ed25519 import Rule, explain

__all__ = [
    "ArrowColumn",
    "InvalidSignature",
    "Report",
    "Rule",
    "SigningKeys",
    "Verdicts",
    "__version__",
    "backend",
    "ecdsa",
    "ed25519",
    "explain",
    "generate_keys",
    "load_der_private_key",
    "load_der_public_key",
    "load_pem_private_key",
    "load_pem_public_key",
    "report",
    "sign_columns",
    "verify_columns",
    "verify_cose",
    "verify_dsse",
    "verify_jws",
    "verify_sshsig",
    "x25519",
]
