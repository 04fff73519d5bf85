"""Columns: every layout that Arrow has for bytes, specs per row, and what cannot be."""

from __future__ import annotations

import ctypes
import gc
import os
import random
import resource
import signal
import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
import sigmill
from limits import Array
from sigmill.ecdsa import p256, p384
from sigmill.ed25519 import RULES, SigningKey
from vectors import RULE_NAMES, verify_vectors

N = 40
KEYS = [SigningKey(bytes([i]) * 32) for i in range(N)]
MESSAGES = [b"m" * (i % 23) + bytes([i]) for i in range(N)]
SIGNATURES = [key.sign(message) for key, message in zip(KEYS, MESSAGES)]
PUBLICS = [bytes(key.public_key()) for key in KEYS]
#: The row that is wrong, and that in which something is null.
WRONG, NULL = 7, 11
SIGNATURES[WRONG] = SIGNATURES[WRONG][:40] + b"\0" + SIGNATURES[WRONG][41:]
EXPECTED: list[bool | None] = [True] * N
EXPECTED[WRONG] = False


def arrays(values: list[bytes | None], width: int | None) -> dict[str, Any]:
    """The same values in every layout."""
    plain = pa.array(values, pa.binary())
    made = {
        "binary": plain,
        "large_binary": plain.cast(pa.large_binary()),
        "binary_view": plain.cast(pa.binary_view()),
        "dictionary": plain.dictionary_encode(),
        "dictionary of large": pa.DictionaryArray.from_arrays(
            pa.array([None if v is None else i for i, v in enumerate(values)], pa.int8()),
            pa.array([v or b"" for v in values], pa.large_binary()),
        ),
        "dictionary of views": pa.DictionaryArray.from_arrays(
            pa.array([None if v is None else i for i, v in enumerate(values)], pa.uint64()),
            pa.array([v or b"" for v in values], pa.binary_view()),
        ),
        "sliced": pa.concat_arrays([pa.array([b"x" * (width or 5), None], pa.binary()), plain]).slice(2),
        "chunked": pa.chunked_array([plain.slice(0, 3), plain.slice(3, 0), plain.slice(3, 30), plain.slice(33)]),
        "a chunk a row": pa.chunked_array([plain.slice(i, 1) for i in range(len(plain))]),
    }
    if width is not None:
        made["fixed"] = pa.array(values, pa.binary(width))
        made["dictionary of fixed"] = pa.DictionaryArray.from_arrays(
            pa.array([None if v is None else i for i, v in enumerate(values)], pa.int16()),
            pa.array([v or bytes(width) for v in values], pa.binary(width)),
        )
    return made


def answers(verdicts: sigmill.Verdicts) -> list[bool | None]:
    found: list[bool | None] = pa.array(verdicts.verdict).to_pylist()
    assert [None if verdict is None else bool(verdict) for verdict in (verdicts[i] for i in range(len(verdicts)))] == found
    return found


@pytest.mark.parametrize("nullable", [False, True])
def test_every_layout_gives_the_same(nullable: bool) -> None:
    nothing = [None] if nullable else []
    expected = list(EXPECTED)
    columns: list[list[bytes | None]] = [list(PUBLICS), list(MESSAGES), list(SIGNATURES)]
    if nullable:
        for i, column in enumerate(columns):
            column[NULL + i] = None
            expected[NULL + i] = None
    layouts = [arrays(columns[0], 32), arrays(columns[1], None), arrays(columns[2], 64)]
    tried = 0
    for key_layout, key in layouts[0].items():
        for sig_layout, sig in layouts[2].items():
            msg_layout = random.choice(list(layouts[1]))
            verdicts = sigmill.verify_columns(key, layouts[1][msg_layout], sig)
            assert answers(verdicts) == expected, (key_layout, msg_layout, sig_layout)
            assert verdicts.null == 3 * len(nothing) and verdicts.invalid == 1
            tried += 1
    for msg_layout, msg in layouts[1].items():
        assert answers(sigmill.verify_columns(layouts[0]["fixed"], msg, layouts[2]["fixed"])) == expected, msg_layout
    assert tried == 121


def test_reasons_are_told() -> None:
    sig = list(SIGNATURES)
    sig[3] = sig[3][:63]
    verdicts = sigmill.verify_columns(pa.array(PUBLICS), pa.array(MESSAGES), pa.array(sig))
    assert verdicts.reasons == {"signature_length": 1, "equation": 1}
    assert verdicts.bad() == [3, WRONG] and verdicts.bad(1) == [3]
    table = pa.table(verdicts)
    assert table.schema == pa.schema([("verdict", pa.bool_()), ("reason", pa.string())])
    assert table["reason"].to_pylist()[3:8] == ["signature_length", None, None, None, "equation"]
    assert pa.array(verdicts.reason).equals(table["reason"].combine_chunks())
    assert pa.array(verdicts).field("verdict").equals(pa.array(verdicts.verdict))
    assert not verdicts.all_valid and "40 rows: 38 valid, 2 invalid, 0 null" in repr(verdicts)
    with pytest.raises(IndexError, match="row 40 of 40 rows"):
        verdicts[40]
    assert verdicts[-1] == verdicts[39]


def test_text_stands_for_its_utf8_in_messages_alone() -> None:
    key = SigningKey(bytes(32))
    words = ["one", "zwei", "三"]
    sig = [key.sign(word.encode()) for word in words]
    keys = pa.array([bytes(key.public_key())] * 3)
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        assert sigmill.verify_columns(keys, pa.array(words, kind), pa.array(sig)).all_valid
    with pytest.raises(TypeError, match="sig: the column holds text; bytes are needed"):
        sigmill.verify_columns(keys, pa.array(words), pa.array([s.hex() for s in sig]))


def test_no_rows_and_nulls_alone() -> None:
    empty = pa.array([], pa.binary())
    verdicts = sigmill.verify_columns(empty, empty, empty)
    assert len(verdicts) == 0 and not verdicts.all_valid and pa.table(verdicts).num_rows == 0
    assert pa.array(verdicts.reason).to_pylist() == []
    nulls = pa.nulls(10_000)
    verdicts = sigmill.verify_columns(nulls, nulls, nulls)
    assert verdicts.reasons == {"null": 10_000} and verdicts.null == 10_000
    assert pa.chunked_array([], pa.binary()).num_chunks == 0
    none = pa.chunked_array([], pa.binary())
    assert len(sigmill.verify_columns(none, none, none)) == 0


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_columns_give_the_verdicts_of_the_vectors(threads: int) -> None:
    vectors = verify_vectors()
    key, msg, sig = (pa.array([v[i] for v in vectors], pa.binary()) for i in (2, 3, 4))
    variant, context = pa.array([v.variant for v in vectors]), pa.array([v.context for v in vectors])
    for rule in RULES:
        verdicts = sigmill.verify_columns(
            key, msg, sig, rule=rule, variant=variant, context=context, threads=threads
        )
        expected = [None if v.verdicts[rule.name] == "ok" else v.verdicts[rule.name] for v in vectors]
        assert pa.array(verdicts.reason).to_pylist() == expected, rule
    # each row under another rule
    names = [RULE_NAMES[i % 8] for i in range(len(vectors))]
    for column in (pa.array(names), pa.array(names).dictionary_encode(), pa.array(names, pa.large_string())):
        verdicts = sigmill.verify_columns(key, msg, sig, rule=column, variant=variant, context=context)
        expected = [
            None if v.verdicts[name] == "ok" else v.verdicts[name] for v, name in zip(vectors, names)
        ]
        assert pa.array(verdicts.reason).to_pylist() == expected


def test_rows_of_all_algorithms_stand_in_one_table() -> None:
    keys: list[Any] = [KEYS[0], p256.SigningKey.generate(), p384.SigningKey.generate()]
    names = ["ed25519", "p256", "p384"]
    rows = [(names[i % 3], keys[i % 3], b"%d" % i) for i in range(300)]
    key = pa.array([bytes(k.public_key()) for _, k, _ in rows])
    msg = pa.array([m for _, _, m in rows])
    sig = pa.array([k.sign(m) for _, k, m in rows])
    algorithm = pa.array([name for name, _, _ in rows])
    assert sigmill.verify_columns(key, msg, sig, algorithm=algorithm).all_valid
    algorithm = pa.array(["rsa", None, "p384"] * 100)
    verdicts = sigmill.verify_columns(key, msg, sig, algorithm=algorithm)
    assert verdicts.reasons == {"unknown": 100, "null": 100} and verdicts.valid == 100
    sig_der = pa.array([keys[1].sign(m, sig_format="der", hash="sha512") for _, _, m in rows])
    only = pa.array([bytes(keys[1].public_key())] * 300)
    verdicts = sigmill.verify_columns(only, msg, sig_der, algorithm="p256", sig_format="der", hash="sha512")
    assert verdicts.all_valid
    assert sigmill.verify_columns(only, msg, sig_der, algorithm="p256").invalid == 300


def test_names_that_rows_do_not_have_are_unknown() -> None:
    columns = pa.array(PUBLICS), pa.array(MESSAGES), pa.array(SIGNATURES)
    rule = pa.array([["common", "lenient", None, "zip215"][i % 4] for i in range(N)])
    verdicts = sigmill.verify_columns(*columns, rule=rule)
    assert verdicts.reasons["unknown"] == 10 and verdicts.reasons["null"] == 10
    context = pa.array([[b"", b"x", bytes(256), None][i % 4] for i in range(N)])
    verdicts = sigmill.verify_columns(*columns, variant="pure", context=context)
    assert verdicts.reasons["context"] == 20 and verdicts.reasons["null"] == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "lenient"}, "known are common, "),
        ({"variant": "PH"}, "known are pure, ctx, ph"),
        ({"context": b"x"}, "`pure` does not take one"),
        ({"variant": "ctx", "context": bytes(300)}, "context: .*255"),
        ({"algorithm": "rsa"}, "known are ed25519, p256, p384"),
        ({"algorithm": "p256", "rule": "strict"}, "rule: it says nothing of rows of the algorithm p256"),
        ({"algorithm": "p256", "hash": "md5"}, "known are sha256, "),
        ({"hash": "sha256"}, "hash: it says nothing of rows of the algorithm ed25519"),
        ({"low_s": True}, "low_s: it says nothing"),
        ({"threads": 0}, "threads: at least one"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    columns = pa.array(PUBLICS), pa.array(MESSAGES), pa.array(SIGNATURES)
    with pytest.raises(ValueError, match=message):
        sigmill.verify_columns(*columns, **options)


def test_what_is_no_column_is_named() -> None:
    key, msg, sig = pa.array(PUBLICS), pa.array(MESSAGES), pa.array(SIGNATURES)
    wrong: list[tuple[Any, str]] = [
        (SIGNATURES, "not list"),
        ((s for s in SIGNATURES), "not generator"),
        (None, "not NoneType"),
        (pa.array([1.5] * N), "holds floating-point numbers; bytes are needed"),
        (pa.array([[b"x"]] * N), "holds lists"),
        (pa.record_batch({"a": sig}), "holds structs: a table, of which one column is needed"),
        (pa.array(["x"] * N).dictionary_encode(), "holds text"),
        (pa.array([1] * N).dictionary_encode(), "holds integers"),
    ]
    for column, message in wrong:
        with pytest.raises(TypeError, match="^sig: .*" + message):
            sigmill.verify_columns(key, msg, column)
    with pytest.raises(TypeError, match="^key: "):
        sigmill.verify_columns(pa.array([1]), msg, sig)
    with pytest.raises(ValueError, match="^msg: 39 rows, but key has 40"):
        sigmill.verify_columns(key, msg.slice(1), sig)
    with pytest.raises(ValueError, match="^rule: 1 rows, but key has 40"):
        sigmill.verify_columns(key, msg, sig, rule=pa.array(["common"]))
    with pytest.raises(TypeError, match="^rule: the column holds bytes; text is needed"):
        sigmill.verify_columns(key, msg, sig, rule=pa.array([b"common"] * N))
    with pytest.raises(TypeError, match="variant: a str or a column of text is needed, not int"):
        sigmill.verify_columns(key, msg, sig, variant=7)  # type: ignore[arg-type]


class Producer:
    """Something that says it speaks Arrow."""

    def __init__(self, answer: Callable[[], Any], name: str = "__arrow_c_array__") -> None:
        setattr(type(self), name, lambda self, requested_schema=None: answer())


def producer(answer: Callable[[], Any], name: str = "__arrow_c_array__") -> Any:
    return type("Fresh", (Producer,), {})(answer, name)


def test_capsules_that_are_not_or_were_taken() -> None:
    key, msg, sig = pa.array(PUBLICS), pa.array(MESSAGES), pa.array(SIGNATURES)
    capsules = sig.__arrow_c_array__()
    assert sigmill.verify_columns(key, msg, producer(lambda: capsules)).invalid == 1
    with pytest.raises(ValueError, match="^sig: the array was released, or taken by someone else"):
        sigmill.verify_columns(key, msg, producer(lambda: capsules))
    chunked = pa.chunked_array([sig])
    stream = chunked.__arrow_c_stream__()
    assert sigmill.verify_columns(key, msg, producer(lambda: stream, "__arrow_c_stream__")).invalid == 1
    with pytest.raises(ValueError, match="^sig: the array was released"):
        sigmill.verify_columns(key, msg, producer(lambda: stream, "__arrow_c_stream__"))
    for answer in (None, 7, (), (1, 2), sig.__arrow_c_array__()[0]):
        with pytest.raises(TypeError, match="gives no capsule"):
            sigmill.verify_columns(key, msg, producer(lambda answer=answer: answer))
    # the two in the wrong order
    with pytest.raises(ValueError, match="PyCapsule"):
        sigmill.verify_columns(key, msg, producer(lambda: sig.__arrow_c_array__()[::-1]))

    def fails() -> Any:
        raise KeyError("no such thing")

    with pytest.raises(KeyError, match="no such thing"):
        sigmill.verify_columns(key, msg, producer(fails))


def test_a_stream_that_fails_says_why() -> None:
    def batches() -> Any:
        yield pa.record_batch({"a": pa.array([b"x"])})
        raise ValueError("the disk is gone")

    schema = pa.schema([("a", pa.binary())])
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(TypeError, match="structs"):
        sigmill.verify_columns(reader, reader, reader)


def export_and_change(array: pa.Array, change: Callable[[Any], None]) -> Any:
    """An array whose C structure was changed on the way."""

    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

    def answer() -> Any:
        schema, capsule = array.__arrow_c_array__()
        address = pointer_of(capsule, b"arrow_array")
        assert address is not None
        change(Array.from_address(address))
        return schema, capsule

    return producer(answer)


def with_offsets(offsets: list[int]) -> Any:
    """A binary array with any offsets over 64 bytes, which pyarrow would not make."""
    lying = (ctypes.c_int32 * len(offsets))(*offsets)
    good = pa.array([b"x" * (64 // (len(offsets) - 1))] * (len(offsets) - 1))

    def change(structure: Any) -> None:
        structure.buffers[1] = ctypes.addressof(lying)

    return export_and_change(good, change)


@pytest.mark.parametrize(
    ("offsets", "row"),
    [([0, 10, 5, 20], 1), ([-1, 0, 1, 2], 0), ([0, 5, 10, -1], 2), ([0, 40, 50, 30], 0), ([60, 0, 1, 2], 0)],
)
def test_offsets_that_lie_are_told_with_their_row(offsets: list[int], row: int) -> None:
    good = pa.array([b"a", b"b", b"c"])
    with pytest.raises(ValueError, match=f"^msg: row {row}: offsets decrease, are negative or lie"):
        sigmill.verify_columns(good, with_offsets(offsets), good)


def test_views_and_indices_that_lie_are_told_with_their_row() -> None:
    good = pa.array([b"a", b"b"])
    view = (100).to_bytes(4, "little") + b"abcd" + (0).to_bytes(4, "little")
    for position in (0, 50, 2**31 - 1):
        views = pa.py_buffer(bytes(16) + view + position.to_bytes(4, "little"))
        lying = pa.Array.from_buffers(pa.binary_view(), 2, [None, views, pa.py_buffer(bytes(99))])
        with pytest.raises(ValueError, match="^msg: row 1: its view leaves its buffer"):
            sigmill.verify_columns(good, lying, good)
        # behind other rows, long ones: pyarrow before 25 crashes where it hands out what it made of short ones
        behind = pa.chunked_array([pa.array([b"a" * 13] * 2).cast(pa.binary_view()), lying])
        with pytest.raises(ValueError, match="^msg: row 3: its view leaves its buffer"):
            sigmill.verify_columns(pa.array([b"a"] * 4), behind, pa.array([b"a"] * 4))
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 2], pa.int8()), pa.array([b"a", b"b"]), safe=False)
    with pytest.raises(ValueError, match="^key: dictionary index of row 1 is out of range"):
        sigmill.verify_columns(dictionary, good, good)


def test_structures_that_lie_are_refused() -> None:
    msg, key = pa.array(MESSAGES), pa.array(PUBLICS, pa.binary(32))
    sig = pa.array(SIGNATURES, pa.binary(64))

    def setting(**fields: Any) -> Callable[[Any], None]:
        return lambda structure: [setattr(structure, name, value) for name, value in fields.items()] and None

    def no_buffer(structure: Any) -> None:
        structure.buffers[1] = None

    def crooked(structure: Any) -> None:
        structure.buffers[1] += 1

    for column, change in [
        (msg, setting(length=-1)),
        (msg, setting(length=2**62)),
        (msg, setting(offset=-1)),
        (msg, setting(offset=2**63 - 1)),
        (msg, setting(n_buffers=0)),
        (msg, setting(n_buffers=-1)),
        (msg, setting(buffers=None)),
        (msg, setting(null_count=3)),
        (msg, no_buffer),
        (msg, crooked),
        (sig, no_buffer),
        (sig, setting(n_buffers=1)),
    ]:
        changed = export_and_change(column, change)
        with pytest.raises(ValueError, match="^(msg|sig): "):
            sigmill.verify_columns(key, *((changed, sig) if column is msg else (msg, changed)))


def test_random_structures_do_not_crash() -> None:
    """Numbers of the structure and of the buffers are changed at random where their lengths can be told."""
    chance = random.Random(20)
    seen = set()
    for _ in range(3000):
        offsets = [chance.choice([0, 1, 5, 63, 64, -1, -(2**31)]) for _ in range(N + 1)]
        if chance.random() < 0.5:
            offsets = sorted(abs(o) % 65 for o in offsets)
        offsets[-1] = min(offsets[-1], 64)  # no structure tells how long the values are
        buffer = (ctypes.c_int32 * (N + 1))(*offsets)
        views = bytes(chance.choice([0, 1, 12, 13, 64, 255]) for _ in range(16 * N))
        lying = pa.Array.from_buffers(pa.binary_view(), N, [None, pa.py_buffer(views), pa.py_buffer(bytes(300))])
        change: dict[str, int] = {}
        for field, values in {
            "length": [0, 1, N, -1, -(2**63)],
            "null_count": [0, -1, 5],
            "offset": [0, -1, -(2**63), 2**63 - 1],
            "n_buffers": [0, 1, 2, 3, -1],
        }.items():
            if chance.random() < 0.2:
                change[field] = chance.choice(values)
        columns = [pa.array(PUBLICS), pa.array(MESSAGES), pa.array(SIGNATURES)]
        place = chance.randrange(3)
        binary = chance.random() < 0.5

        def disturb(structure: Any) -> None:
            if binary:
                structure.buffers[1] = ctypes.addressof(buffer)
            for name, value in change.items():
                setattr(structure, name, value)

        columns[place] = export_and_change(pa.array([b"x"] * 64).slice(0, N) if binary else lying, disturb)
        try:
            seen.add(type(sigmill.verify_columns(*columns)).__name__)
        except ValueError as error:
            seen.add(str(error).split(":")[-1])
    assert len(seen) > 4, seen


def test_nothing_is_leaked() -> None:
    def work() -> None:
        verdicts = sigmill.verify_columns(
            pa.chunked_array([key.slice(0, 20), key.slice(20)]), msg.cast(pa.binary_view()), sig.dictionary_encode()
        )
        pa.table(verdicts)
        verdicts.__arrow_c_stream__()  # nobody takes it
        verdicts.reason.__arrow_c_array__()
        for bad in (broken, msg.slice(1), pa.array([1])):
            with pytest.raises((ValueError, TypeError)):
                sigmill.verify_columns(key, bad, sig)

    key, msg, sig = pa.array(PUBLICS), pa.array(MESSAGES), pa.array(SIGNATURES)
    broken = with_offsets([0, 10, 5, *range(20, 20 + N - 2)])
    rounds = 300 if os.environ.get("SIGMILL_LONG") is None else 10_000
    for _ in range(50):
        work()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    allocated = pa.total_allocated_bytes()
    for _ in range(rounds):
        work()
    gc.collect()
    assert pa.total_allocated_bytes() <= allocated + 4096
    # what leaks the smallest thing, an array's structure, leaks 80 bytes a round and more
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2048 + rounds // 20


def test_progress_is_told_and_may_end_it() -> None:
    n = 60_000
    columns = pa.array([PUBLICS[0]] * n), pa.array([MESSAGES[0]] * n), pa.array([SIGNATURES[0]] * n)
    told: list[tuple[int, int]] = []
    assert sigmill.verify_columns(*columns, progress=lambda done, rows: told.append((done, rows))).all_valid
    assert told == sorted(told) and told[-1] == (n, n) and len({done for done, _ in told}) == len(told) > 1

    class Enough(Exception):
        pass

    def stop(done: int, rows: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        sigmill.verify_columns(*columns, progress=stop)


def test_a_last_part_that_is_shorter() -> None:
    # two parts, of 2,048 and of 2,047 rows
    row = PUBLICS[0], MESSAGES[0], SIGNATURES[0]
    columns = [pa.repeat(pa.scalar(value, pa.binary()), 4095) for value in row]
    assert sigmill.verify_columns(*columns, threads=2).all_valid


@pytest.mark.parametrize(("algorithm", "rows"), [("ed25519", 1_000_000), ("p384", 50_000)])
def test_ctrl_c_ends_it_within_a_second(algorithm: str, rows: int) -> None:
    row = PUBLICS[0], MESSAGES[0], SIGNATURES[0]
    if algorithm == "p384":
        key = p384.SigningKey.generate()
        row = bytes(key.public_key()), b"m", key.sign(b"m")
    columns = [pa.repeat(pa.scalar(value, pa.binary()), rows) for value in row]
    # A signal after 50 ms of processor time, which goes by the work done, however busy the machine is.
    before = signal.signal(signal.SIGPROF, signal.default_int_handler)
    try:
        begin = time.process_time()
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_PROF, 0.05)
            sigmill.verify_columns(*columns, algorithm=algorithm, threads=2)
        assert time.process_time() - begin < 1
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def test_a_column_of_signatures_is_made() -> None:
    keys = sigmill.generate_keys(1000)
    messages = pa.array([b"%d" % i for i in range(1000)])
    for checked in (False, True):
        sig = sigmill.sign_columns(keys, messages, checked=checked)
        assert pa.array(sig).type == pa.binary(64)
        assert sigmill.verify_columns(keys.public_keys, messages, sig).all_valid
    assert pa.array(sig)[17].as_py() == keys[17].sign(b"17")
    again = sigmill.SigningKeys.from_seeds(keys.seeds())
    assert again[17] == keys[17] and len(again) == 1000 and again[-1] == keys[999]
    sig = sigmill.sign_columns(KEYS[0], messages, variant="ctx", context=b"here", threads=3)
    one = pa.array([PUBLICS[0]] * 1000)
    assert sigmill.verify_columns(one, messages, sig, variant="ctx", context=b"here").all_valid
    for curve, name, width in ((p256, "p256", 64), (p384, "p384", 96)):
        key: Any = curve.SigningKey.generate()
        few = messages.slice(0, 50)
        sig = sigmill.sign_columns(key, few, hash="sha512")
        assert pa.array(sig).type == pa.binary(width)
        public = pa.array([bytes(key.public_key())] * 50)
        assert sigmill.verify_columns(public, few, sig, algorithm=name, hash="sha512").all_valid


def test_what_cannot_be_signed_is_named() -> None:
    keys = sigmill.generate_keys(3)
    with pytest.raises(ValueError, match="msg: row 1 is null"):
        sigmill.sign_columns(keys, pa.array([b"a", None, b"c"]))
    with pytest.raises(ValueError, match="keys: 3 keys, but msg has 2 rows"):
        sigmill.sign_columns(keys, pa.array([b"a", b"b"]))
    with pytest.raises(TypeError, match="keys: a SigningKey or SigningKeys is needed, not bytes"):
        sigmill.sign_columns(bytes(32), pa.array([b"a"]))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="hash: it says nothing"):
        sigmill.sign_columns(keys, pa.array([b"a"] * 3), hash="sha256")
    with pytest.raises(ValueError, match="seeds: row 1 does not have 32 bytes"):
        sigmill.SigningKeys.from_seeds(pa.array([bytes(32), bytes(31)]))
    with pytest.raises(ValueError, match="seeds: row 0 is null"):
        sigmill.SigningKeys.from_seeds(pa.array([None, bytes(31)]))
    with pytest.raises(MemoryError, match="^n: 288230376151711744 keys: 9223372036854775808 bytes of memory are needed"):
        sigmill.generate_keys(2**58)


@pytest.mark.long
def test_a_message_of_two_gigabytes() -> None:
    message = bytes(2**31 + 1)
    sig = KEYS[0].sign(message)
    large = pa.array([message], pa.large_binary())
    assert sigmill.verify_columns(pa.array([PUBLICS[0]]), large, pa.array([sig])).all_valid


@pytest.mark.long
def test_ten_million_nulls() -> None:
    nulls = pa.nulls(10_000_000, pa.binary(32))
    begin = time.process_time()
    verdicts = sigmill.verify_columns(nulls, pa.nulls(10_000_000), pa.nulls(10_000_000, pa.binary(64)))
    assert verdicts.null == 10_000_000 and pa.table(verdicts).num_rows == 10_000_000
    assert time.process_time() - begin < 30
