"""Columns as other tools write them: keys in containers, lists of u8, arrays of NumPy, runs, nulls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sigmill
import sigmill.pandas
import sigmill.polars
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
    for held, what in ((der, "DER .44 bytes in row 1, of ed25519"), (pem, "PEM")):
        keys = pa.array([None] + [held] * (ROWS - 1))
        with pytest.raises(ValueError, match=f"key: the column holds SubjectPublicKeyInfo in {what}.*key_form=\"spki\""):
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
