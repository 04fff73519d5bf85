"""Columns as other tools write them: keys in containers, lists of u8, arrays of NumPy, runs, nulls."""

from __future__ import annotations

import base64
import datetime
import importlib
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sigmill
import sigmill.pandas
import sigmill.polars
from sigmill import x25519
from sigmill.ecdsa import p256
from sigmill.ed25519 import SigningKey

KEY = SigningKey(bytes(range(32)))
CURVE_KEY = p256.SigningKey(bytes(range(1, 33)))
ROWS = 40
MESSAGES = [b"message %d" % row for row in range(ROWS)]
SIGNATURES = [KEY.sign(message) for message in MESSAGES]
RAW = [bytes(KEY.public_key())] * ROWS


def reasons(verdicts: sigmill.Verdicts) -> list[Any]:
    found: list[Any] = pa.array(verdicts.reason).to_pylist()
    return found


def test_keys_in_spki_are_read_in_der_and_pem() -> None:
    public = KEY.public_key()
    keys = [public.to_der(), public.to_pem().encode(), b"\xef\xbb\xbf\n" + public.to_pem().encode(), None, b"not a key"]
    keys += [CURVE_KEY.public_key().to_der(), RAW[0]]
    messages, signatures = MESSAGES[: len(keys)], SIGNATURES[: len(keys)]
    columns = pa.array(keys, pa.binary()), pa.array(messages), pa.array(signatures)
    verdicts = sigmill.verify_columns(*columns, key_form="spki")
    assert reasons(verdicts) == [None, None, None, "null", "unreadable", "unreadable", "unreadable"]
    assert (verdicts.valid, verdicts.invalid, verdicts.null) == (3, 0, 4)
    # in chunks, with a null beside what cannot be read
    chunks = pa.chunked_array([columns[0][:3], columns[0][3:]])
    nothing = pa.array([*messages[:4], None, *messages[5:]])
    verdicts = sigmill.verify_columns(chunks, nothing, columns[2], key_form="spki")
    assert reasons(verdicts)[3:6] == ["null", "null", "unreadable"]


def test_keys_in_spki_are_of_the_algorithm_of_their_row() -> None:
    keys = pa.array([KEY.public_key().to_der(), CURVE_KEY.public_key().to_der()] * 2)
    signatures = [SIGNATURES[0], CURVE_KEY.sign(MESSAGES[1]), SIGNATURES[2], SIGNATURES[3]]
    algorithms = pa.array(["ed25519", "p256", "p256", "rsa"])
    columns = keys, pa.array(MESSAGES[:4]), pa.array(signatures)
    verdicts = sigmill.verify_columns(*columns, algorithm=algorithms, key_form="spki")
    assert reasons(verdicts) == [None, None, "unreadable", "unknown"]


def test_a_column_of_containers_is_told_from_one_of_keys() -> None:
    columns = pa.array(MESSAGES), pa.array(SIGNATURES)
    der, pem = KEY.public_key().to_der(), KEY.public_key().to_pem().encode()
    for held, what in ((der, "DER .44 bytes in row 1"), (pem, "PEM")):
        keys = pa.array([None] + [held] * (ROWS - 1))
        with pytest.raises(ValueError, match=f"key: the column holds SubjectPublicKeyInfo .Ed25519. in {what}.*key_form=\"spki\""):
            sigmill.verify_columns(keys, *columns)
    # one that is not: rows tell
    verdicts = sigmill.verify_columns(pa.array([der] * (ROWS - 1) + RAW[:1]), *columns)
    assert verdicts.reasons == {"key_length": ROWS - 1} and verdicts.valid == 1
    with pytest.raises(ValueError, match="key_form: unknown name \"pem\"; known are raw, spki"):
        sigmill.verify_columns(pa.array(RAW), *columns, key_form="pem")


def test_layers_pass_the_form_of_keys_on() -> None:
    pem = KEY.public_key().to_pem()
    for keys in ([KEY.public_key().to_der()] * ROWS, [pem] * ROWS):
        data = {"key": keys, "msg": MESSAGES, "sig": SIGNATURES}
        checked = pl.DataFrame(data).select(pl.col("key").sigmill.is_valid(key_form="spki"))  # type: ignore[attr-defined]
        assert checked.to_series().all()
        frame = sigmill.pandas.verify(pd.DataFrame(data), key_form="spki")
        assert frame["verdict"].all()


LISTS: list[Any] = [
    pa.list_(pa.uint8()),
    pa.large_list(pa.uint8()),
    pa.list_(pa.uint8(), 64),
    pa.list_view(pa.uint8()),
    pa.large_list_view(pa.uint8()),
]


@pytest.mark.parametrize("of", LISTS, ids=str)
def test_lists_of_u8_are_bytes(of: Any) -> None:
    keys, messages = pa.array(RAW), pa.array(MESSAGES)
    signatures = pa.array([None, *(list(signature) for signature in SIGNATURES[1:])], of)
    verdicts = sigmill.verify_columns(keys, messages, signatures)
    assert (verdicts.valid, reasons(verdicts)[0]) == (ROWS - 1, "null")
    for first in (0, 1, 7):
        part = slice(first, None)
        verdicts = sigmill.verify_columns(keys[part], messages[part], signatures[part])
        assert verdicts.valid == ROWS - max(first, 1)
    lists = pa.array([list(message) for message in MESSAGES], pa.list_(pa.uint8()))
    assert sigmill.verify_columns(keys, lists, pa.array(SIGNATURES)).all_valid
    holed = [list(signature) for signature in SIGNATURES]
    holed[5][3] = None  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="sig: row 5: one of its bytes is null"):
        sigmill.verify_columns(keys, messages, pa.array(holed, of))
    for other in (pa.int8(), pa.uint16(), pa.string()):
        with pytest.raises(TypeError, match="sig: the column holds lists of another type than u8"):
            sigmill.verify_columns(keys[:0], messages[:0], pa.array([], pa.list_(other)))


VIEWS: list[Any] = [(pa.ListViewArray, pa.int32()), (pa.LargeListViewArray, pa.int64())]


@pytest.mark.parametrize(("kind", "number"), VIEWS, ids=["list_view", "large_list_view"])
def test_views_of_lists_lie_in_any_order_and_may_share_bytes(kind: Any, number: Any) -> None:
    keys, messages = pa.array(RAW), pa.array(MESSAGES)
    content = pa.array(list(b"".join(reversed(SIGNATURES))), pa.uint8())
    starts = [64 * row for row in reversed(range(ROWS))]
    views = kind.from_arrays(pa.array(starts, number), pa.array([64] * ROWS, number), content)
    assert sigmill.verify_columns(keys, messages, views).all_valid
    assert sigmill.verify_columns(keys[3:9], messages[3:9], views[3:9]).all_valid
    same = kind.from_arrays(pa.array(starts[:1] * ROWS, number), pa.array([64] * ROWS, number), content)
    expected = sigmill.verify_columns(keys, messages, pa.array(SIGNATURES[:1] * ROWS))
    assert reasons(sigmill.verify_columns(keys, messages, same)) == reasons(expected)
    signed = pa.array(sigmill.sign_columns(KEY, same)).to_pylist()
    assert signed == [KEY.sign(SIGNATURES[0])] * ROWS
    # views that leave the bytes, which pyarrow would not make
    for start, size in ((64 * ROWS - 63, 64), (-1, 64), (0, -1), (0, 64 * ROWS + 1), (2**31 - 1, 2**31 - 1)):
        lying = kind.from_buffers(
            views.type,
            ROWS,
            [
                None,
                pa.array([0] * 5 + [start] + [0] * (ROWS - 6), number).buffers()[1],
                pa.array([64] * 5 + [size] + [64] * (ROWS - 6), number).buffers()[1],
            ],
            children=[content],
        )
        with pytest.raises(ValueError, match="^sig: row 5: its view leaves its buffer"):
            sigmill.verify_columns(keys, messages, lying)


def test_a_dictionary_of_lists_and_lists_in_polars() -> None:
    data = {"msg": MESSAGES, "key": RAW, "sig": [list(signature) for signature in SIGNATURES]}
    for of in (pl.List(pl.UInt8), pl.Array(pl.UInt8, 64)):
        frame = pl.DataFrame(data, schema_overrides={"sig": of})
        assert sigmill.verify_columns(frame["key"], frame["msg"], frame["sig"]).all_valid


def test_arrays_of_two_dimensions_are_columns() -> None:
    keys = np.frombuffer(b"".join(RAW), np.uint8).reshape(ROWS, 32)
    signatures = np.frombuffer(b"".join(SIGNATURES), np.uint8).reshape(ROWS, 64)
    messages = pa.array(MESSAGES)
    assert sigmill.verify_columns(keys, messages, signatures).all_valid
    # whatever the strides
    assert sigmill.verify_columns(np.asfortranarray(keys), messages, signatures[::-1][::-1]).all_valid
    verdicts = sigmill.verify_columns(keys[::2], pa.array(MESSAGES[::2]), signatures[::2])
    assert verdicts.valid == ROWS // 2
    assert len(sigmill.verify_columns(keys[:0], pa.array([], pa.binary()), signatures[:0])) == 0
    signed = pa.array(sigmill.sign_columns(KEY, keys)).to_pylist()
    assert signed == [KEY.sign(RAW[0])] * ROWS
    with pytest.raises(TypeError, match=r"sig: a column is needed.*2-D array of u8, not numpy.ndarray \(dimensions: 1, f"):
        sigmill.verify_columns(keys, messages, signatures[0])
    with pytest.raises(TypeError, match="format: d"):
        sigmill.verify_columns(keys, messages, signatures.astype(float))
    with pytest.raises(TypeError, match="rule: the column holds bytes; text is needed"):
        sigmill.verify_columns(keys, messages, signatures, rule=keys)


@pytest.mark.parametrize("ends", [pa.int16(), pa.int32(), pa.int64()], ids=str)
def test_runs_are_decoded(ends: Any) -> None:
    other = SigningKey(bytes(32)).public_key()
    values = pa.array([RAW[0], None, bytes(other), RAW[0]])
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([10, 12, 20, ROWS], ends), values)
    expected = [None] * 10 + ["null"] * 2 + ["equation"] * 8 + [None] * 20
    messages, signatures = pa.array(MESSAGES), pa.array(SIGNATURES)
    assert reasons(sigmill.verify_columns(runs, messages, signatures)) == expected
    for first, end in ((5, 15), (10, 12), (19, 40), (0, 1)):
        part = slice(first, end)
        verdicts = sigmill.verify_columns(runs[part], messages[part], signatures[part])
        assert reasons(verdicts) == expected[part]
    rules = pa.RunEndEncodedArray.from_arrays(pa.array([30, ROWS], ends), pa.array(["common", "none such"]))
    verdicts = sigmill.verify_columns(pa.array(RAW), messages, signatures, rule=rules)
    assert reasons(verdicts) == [None] * 30 + ["unknown"] * 10
    of_dictionary = pa.RunEndEncodedArray.from_arrays(pa.array([ROWS], ends), pa.array(RAW[:1]).dictionary_encode())
    assert sigmill.verify_columns(of_dictionary, messages, signatures).all_valid
    with pytest.raises(TypeError, match="key: the column holds integers"):
        numbers = pa.RunEndEncodedArray.from_arrays(pa.array([ROWS], ends), pa.array([1]))
        sigmill.verify_columns(numbers, messages, signatures)


def test_runs_that_do_not_reach_the_last_row_are_refused() -> None:
    messages, signatures = pa.array(MESSAGES[:4]), pa.array(SIGNATURES[:4])
    for numbers in ([2, 3, 3], [2, 2, 4], [0, 1, 4], [-1, 1, 4], [1, 2, 3]):
        # pyarrow looks at them when it makes the array, and other code writes to them later
        memory = np.array([1, 2, 4], np.int32)
        ends = pa.Array.from_buffers(pa.int32(), 3, [None, pa.py_buffer(memory)])
        runs = pa.RunEndEncodedArray.from_arrays(ends, pa.array(RAW[:3]))
        memory[:] = numbers
        with pytest.raises(ValueError, match="key: the runs of rows do not increase or do not reach the last row"):
            sigmill.verify_columns(runs, messages, signatures)


def test_a_column_of_type_null_is_rows_without_a_verdict() -> None:
    columns = {"key": pa.array(RAW), "msg": pa.array(MESSAGES), "sig": pa.array(SIGNATURES)}
    for name in columns:
        verdicts = sigmill.verify_columns(**{**columns, name: pa.nulls(ROWS)})
        assert verdicts.reasons == {"null": ROWS}


def test_a_null_beside_a_context_that_cannot_be_is_a_null() -> None:
    contexts = pa.array([bytes(300), bytes(300), b""])
    messages = pa.array([None, MESSAGES[1], MESSAGES[2]], pa.binary())
    columns = pa.array(RAW[:3]), messages, pa.array(SIGNATURES[:3])
    verdicts = sigmill.verify_columns(*columns, variant="ctx", context=contexts)
    assert reasons(verdicts)[:2] == ["null", "context"]


def columns_that_are_no_keys() -> dict[str, tuple[bytes, str]]:
    """A cell of each kind, and what the error says of it."""
    serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    theirs = serialization.load_der_private_key(KEY.to_der(), None)
    rsa = importlib.import_module("cryptography.hazmat.primitives.asymmetric.rsa").generate_private_key(65537, 1024)
    x509 = importlib.import_module("cryptography.x509")
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a")])
    day = datetime.datetime(2026, 1, 1)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(theirs.public_key())
    certificate = builder.serial_number(1).not_valid_before(day).not_valid_after(day).sign(theirs, None)
    form = serialization.PublicFormat
    PEM, DER = serialization.Encoding.PEM, serialization.Encoding.DER
    of_rsa = [rsa.public_key().public_bytes(encoding, form.SubjectPublicKeyInfo) for encoding in (PEM, DER)]
    x = x25519.PrivateKey(bytes(range(32))).public_key()
    ssh = theirs.public_key().public_bytes(serialization.Encoding.OpenSSH, form.OpenSSH)
    pem, der, raw = KEY.public_key().to_pem().encode(), KEY.public_key().to_der(), RAW[0]
    jwk = b'{"kty":"OKP","crv":"Ed25519","x":"' + base64.urlsafe_b64encode(raw) + b'"}'
    pair = theirs.private_bytes_raw() + theirs.public_key().public_bytes_raw()
    cose = b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20" + raw
    spki, needed, lines = 'key_form="spki" reads it', 'key_form="spki", are needed', "put its line ends back"
    return {
        "der": (der, f"SubjectPublicKeyInfo (Ed25519) in DER (44 bytes in row 1), not keys by themselves; {spki}"),
        "pem": (pem, f"SubjectPublicKeyInfo (Ed25519) in PEM (113 bytes in row 1), not keys by themselves; {spki}"),
        "certificate in PEM": (certificate.public_bytes(PEM), f"{needed} (its key: `openssl x509"),
        "certificate in DER": (certificate.public_bytes(DER), f"{needed} (its key: `openssl x509"),
        "pkcs8": (KEY.to_der(), "holds a private key (Ed25519) in DER (48 bytes"),
        "pkcs8 in PEM": (KEY.to_pem().encode(), "holds a private key (Ed25519) in PEM"),
        "rsa in PEM": (of_rsa[0], f"holds SubjectPublicKeyInfo (RSA) in PEM ({len(of_rsa[0])} bytes"),
        "rsa in DER": (of_rsa[1], f"holds SubjectPublicKeyInfo (RSA) in DER ({len(of_rsa[1])} bytes"),
        "x25519 in PEM": (x.to_pem().encode(), "holds SubjectPublicKeyInfo (X25519) in PEM"),
        "x25519 in DER": (x.to_der(), "holds SubjectPublicKeyInfo (X25519) in DER"),
        "one line": (pem.replace(b"\n", b" "), f"holds PEM without line ends (113 bytes in row 1), not keys by themselves; PEM has lines: {lines}"),
        "no line": (pem.replace(b"\n", b""), lines),
        "escaped": (pem.replace(b"\n", rb"\n"), lines),
        "escaped, quoted": (b'"' + pem.replace(b"\n", rb"\n") + b'"', lines),
        "ssh": (ssh, "holds an SSH public key (Ed25519)"),
        "jwk": (jwk, "holds a JSON Web Key"),
        "pair": (pair, "holds an Ed25519 seed and its public key, as NaCl and Go write a secret key (64 bytes in row 1), not keys"),
        "hex of a pair": (pair.hex().encode(), "as NaCl and Go write a secret key in hexadecimal (128 bytes in row 1)"),
        "cose": (cose, "holds a COSE key (42 bytes in row 1), not keys by themselves; public keys of"),
        "hex": (raw.hex().encode(), "holds text that may be hexadecimal (64 bytes in row 1), not keys by themselves; decode it first"),
        "0x": (b"0x" + raw.hex().upper().encode(), "holds text that may be hexadecimal"),
        "base64": (base64.b64encode(raw), "holds text that may be base64 (44 bytes in row 1), not keys by themselves; decode it first"),
        "base64url": (base64.urlsafe_b64encode(raw).rstrip(b"=") + b"\n", "holds text that may be base64"),
        "hex of DER": (der.hex().encode(), "holds SubjectPublicKeyInfo (Ed25519) in hexadecimal"),
        "base64 of DER": (base64.b64encode(der), "holds SubjectPublicKeyInfo (Ed25519) in base64"),
        "base64 of PEM": (base64.encodebytes(pem), "holds SubjectPublicKeyInfo (Ed25519) in base64"),
        "base64 of a certificate": (base64.b64encode(certificate.public_bytes(DER)), "holds a certificate in base64"),
    }


def test_columns_of_other_containers_and_encodings_are_named() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    importlib.import_module("sigmill.duckdb").register(connection)
    for held, what in columns_that_are_no_keys().values():
        columns = pa.array([None] + [held] * (ROWS - 1)), pa.array(MESSAGES), pa.array(SIGNATURES)
        with pytest.raises(ValueError, match="^key: the column holds ") as error:
            sigmill.verify_columns(*columns)
        assert what in str(error.value)
        data = {"key": [held] * ROWS, "msg": MESSAGES, "sig": SIGNATURES}
        with pytest.raises(ValueError, match="^key: the column holds "):
            sigmill.pandas.verify(pd.DataFrame(data))
        with pytest.raises((ValueError, pl.exceptions.ComputeError), match="key: the column holds "):
            pl.DataFrame(data).select(pl.col("key").sigmill.is_valid())  # type: ignore[attr-defined]
        table = pa.table(data)
        with pytest.raises(duckdb.Error, match="key: the column holds "):
            connection.from_arrow(table).query("rows", "SELECT sigmill_verify(key, msg, sig) FROM rows").fetchall()
    # one cell that can be a key, or bytes that are nothing known: rows tell
    for other in (RAW[0], bytes(31), b"[" + bytes(30), SIGNATURES[0], b"0" * 63):
        keys = pa.array([base64.b64encode(RAW[0])] * (ROWS - 1) + [other])
        assert sigmill.verify_columns(keys, pa.array(MESSAGES), pa.array(SIGNATURES)).null == 0


def test_objects_are_no_bytes() -> None:
    keys, messages, signatures = pa.array(RAW), pa.array(MESSAGES), pa.array(SIGNATURES)
    objects = pl.Series("sig", [object()] * ROWS, dtype=pl.Object)
    with pytest.raises(TypeError, match="^sig: the column holds objects of Python .Polars' type Object.; bytes are needed"):
        sigmill.verify_columns(keys, messages, objects)
    with pytest.raises(TypeError, match="^msg: the column holds objects of Python .* bytes or text is needed"):
        sigmill.sign_columns(KEY, objects)
    with pytest.raises(TypeError, match="^rule: the column holds objects of Python"):
        sigmill.verify_columns(keys, messages, pa.array(SIGNATURES), rule=objects)
    frame = pl.DataFrame([pl.Series("key", RAW), pl.Series("msg", MESSAGES), objects])
    with pytest.raises((TypeError, pl.exceptions.PolarsError), match=r"sig: the column holds objects|Object"):
        frame.select(pl.col("key").sigmill.is_valid())  # type: ignore[attr-defined]
    fields = np.zeros(2, [("a", object), ("O", np.uint8)])
    for array in (np.array([b"a", b"b"], object), fields):
        for use in (KEY.sign, SigningKey, lambda data: KEY.public_key().verify(data, SIGNATURES[0])):
            with pytest.raises(TypeError, match="bytes are needed, not ndarray .format: (O|T{O)"):
                use(array)
    named = np.zeros(2, [("O", np.uint8)])
    assert KEY.sign(named) == KEY.sign(bytes(2))


def test_masked_rows_are_null() -> None:
    signatures = np.frombuffer(b"".join(SIGNATURES), np.uint8).reshape(ROWS, 64)
    mask = np.zeros((ROWS, 64), bool)
    mask[3] = mask[9] = True
    masked = np.ma.masked_array(signatures, mask)
    verdicts = sigmill.verify_columns(pa.array(RAW), pa.array(MESSAGES), masked)
    assert [row for row, reason in enumerate(reasons(verdicts)) if reason == "null"] == [3, 9]
    assert verdicts.valid == ROWS - 2
    for strided in (masked[::2], np.ma.masked_array(np.asfortranarray(signatures), np.asfortranarray(mask))[::2]):
        verdicts = sigmill.verify_columns(pa.array(RAW[::2]), pa.array(MESSAGES[::2]), strided)
        assert (verdicts.valid, verdicts.null) == (ROWS // 2, 0)
    for unmasked in (np.ma.masked_array(signatures), masked.filled(0)[:0]):
        rows = len(unmasked)
        verdicts = sigmill.verify_columns(pa.array(RAW[:rows], pa.binary()), pa.array(MESSAGES[:rows], pa.binary()), unmasked)
        assert verdicts.valid == rows
    mask[5, 7] = True
    with pytest.raises(ValueError, match="^sig: row 5: some of its bytes are masked, and others are not"):
        sigmill.verify_columns(pa.array(RAW), pa.array(MESSAGES), np.ma.masked_array(signatures, mask))
    with pytest.raises(TypeError, match="bytes are needed, not MaskedArray"):
        KEY.sign(np.ma.masked_array(np.zeros(3, np.uint8), [True, False, False]))
