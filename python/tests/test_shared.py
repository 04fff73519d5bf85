"""Memory that another process writes to while it is read, and keys that are dropped while they sign."""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest
import sigmill
from sigmill import x25519
from sigmill.ecdsa import p256, p384
from sigmill.ed25519 import SigningKey, VerifyingKey

KEY = SigningKey(bytes(range(32)))
PUBLIC = KEY.public_key()
#: Five seconds in all; SIGMILL_STRESS says how many seconds each test takes instead.
SECONDS = float(os.environ.get("SIGMILL_STRESS", 0.3))


@contextmanager
def toggled(memory: mmap.mmap, places: list[int], one: bytes, other: bytes) -> Iterator[None]:
    """Another process writes now the one value, now the other to these places, as fast as it can."""
    child = os.fork()
    if child == 0:
        try:
            while os.getppid() != 1:
                for _ in range(1000):
                    for value in (one, other):
                        for place in places:
                            memory[place : place + len(value)] = value
        finally:
            os._exit(0)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def rounds() -> Iterator[int]:
    end, done = time.monotonic() + SECONDS, 0
    while time.monotonic() < end or done < 2:
        yield done
        done += 1


class Seen:
    """Signatures of two messages that left the library: each is of one of them, and no nonce was used for both."""

    def __init__(self, public: Any, messages: list[bytes], options: dict[str, Any]) -> None:
        self.public, self.messages, self.options = public, messages, options
        self.known: set[bytes] = set()
        self.nonces: dict[bytes, bytes] = {}
        self.refused = 0

    def add(self, signature: bytes) -> None:
        if signature in self.known:
            return
        half = len(signature) // 2
        assert self.nonces.setdefault(signature[:half], signature[half:]) == signature[half:], "one nonce, two signatures"
        valid = []
        for message in self.messages:
            try:
                self.public.verify(signature, message, **self.options)
                valid.append(message)
            except sigmill.InvalidSignature:
                pass
        assert valid, "a signature of no message has left: the secret scalar can be computed"
        self.known.add(signature)

    def attempt(self, sign: Callable[[], list[bytes]]) -> None:
        try:
            for signature in sign():
                self.add(signature)
        except ValueError as error:
            assert "changed" in str(error), error
            self.refused += 1
        except RuntimeError as error:  # of signatures that are checked
            assert "fault" in str(error).lower(), error
            self.refused += 1


def layouts(memory: Any, size: int, rows: int) -> dict[str, Any]:
    """The same message in each row, in the memory."""
    buffer = pa.py_buffer(memory)
    one = pa.Array.from_buffers(pa.large_binary(), 1, [None, pa.array([0, size], pa.int64()).buffers()[1], buffer])
    view = size.to_bytes(4, "little") + bytes(memory[:4]) + bytes(8)
    return {
        "fixed": pa.Array.from_buffers(pa.binary(size), 1, [None, buffer]),
        "large": pa.chunked_array([one] * rows),
        "dictionary": pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int8()), one),
        "views": pa.Array.from_buffers(pa.binary_view(), rows, [None, pa.py_buffer(view * rows), buffer]),
    }


@pytest.mark.parametrize(("size", "rows"), [(700, 130), (100_000, 9), (17 << 20, 1)])
@pytest.mark.parametrize("checked", [False, True])
def test_columns_that_change_while_they_are_signed(size: int, rows: int, checked: bool) -> None:
    memory = mmap.mmap(-1, size)
    messages = [bytes(size), b"\1" + bytes(size - 1)]
    seen = Seen(PUBLIC, messages, {})
    columns = list(layouts(memory, size, rows).values())
    with toggled(memory, [0], b"\1", b"\0"):
        for i in rounds():
            column = columns[i % len(columns)]
            seen.attempt(lambda column=column: pa.array(sigmill.sign_columns(KEY, column, checked=checked)).to_pylist())
    assert seen.known or seen.refused


@pytest.mark.parametrize("hash", ["sha256", "none"])
@pytest.mark.parametrize("module", [p256, p384])
def test_columns_that_change_while_ecdsa_signs_them(module: Any, hash: str) -> None:
    key = module.SigningKey(bytes([1] * (32 if module is p256 else 48)))
    memory = mmap.mmap(-1, 48)
    seen = Seen(key.public_key(), [bytes(48), b"\1" + bytes(47)], {"hash": hash})
    column = layouts(memory, 48, 100)["large"]
    with toggled(memory, [0], b"\1", b"\0"):
        for i in rounds():
            checked = i % 4 == 3
            seen.attempt(lambda: pa.array(sigmill.sign_columns(key, column, hash=hash, checked=checked)).to_pylist())
    assert len(seen.known) == 2


def test_a_thread_that_changes_a_bytearray() -> None:
    """The other thread runs while signing lets the interpreter go."""
    size = 100_000
    memory = bytearray(size)
    seen = Seen(PUBLIC, [bytes(size), b"\1" + bytes(size - 1)], {})
    column = layouts(memory, size, 9)["large"]
    stopped = threading.Event()

    def change() -> None:
        while not stopped.is_set():
            memory[0] ^= 1

    thread = threading.Thread(target=change)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread.start()
    try:
        for _ in rounds():
            seen.attempt(lambda: pa.array(sigmill.sign_columns(KEY, column)).to_pylist())
    finally:
        stopped.set()
        thread.join()
        sys.setswitchinterval(before)


def test_one_message_that_changes_while_it_is_signed() -> None:
    size = 20_000
    memory = mmap.mmap(-1, size)
    messages = [bytes(size), b"\1" + bytes(size - 1)]
    view = memoryview(memory)
    pure, ctx = Seen(PUBLIC, messages, {}), Seen(PUBLIC, messages, {"variant": "ctx", "context": b"x"})
    with toggled(memory, [0], b"\1", b"\0"):
        for i in rounds():
            buffer: Any = (memory, view, view[:size])[i % 3]
            pure.attempt(lambda: [KEY.sign(buffer), KEY.sign(buffer, checked=True)])
            ctx.attempt(lambda: [KEY.sign(buffer, variant="ctx", context=b"x")])
            hedged = Seen(PUBLIC, messages, {})
            hedged.attempt(lambda: [KEY.sign(buffer, hedged=True), KEY.sign(buffer, hedged=True, checked=True)])
            pure.attempt(lambda: [KEY.sign_stream(lambda: [view[:5000], view[5000:]])])
    del buffer
    view.release()
    assert pure.known and ctx.known


def test_digests_contexts_and_seeds_that_change() -> None:
    memory = mmap.mmap(-1, 64)
    with toggled(memory, [0], b"\1", b"\0"):
        digests = [bytes(64), b"\1" + bytes(63)]
        nonces: dict[bytes, bytes] = {}
        for _ in rounds():
            signature = KEY.sign_prehashed(memory)  # type: ignore[arg-type]
            assert nonces.setdefault(signature[:32], signature[32:]) == signature[32:]
            accepted = 0
            for digest in digests:
                try:
                    PUBLIC.verify_prehashed(signature, digest)
                    accepted += 1
                except sigmill.InvalidSignature:
                    pass
            assert accepted == 1
            signature = KEY.sign(b"m", variant="ctx", context=memory)  # type: ignore[arg-type]
            assert nonces.setdefault(signature[:32], signature[32:]) == signature[32:]
            # a key is that of one seed, secret and public half
            seeds = pa.Array.from_buffers(pa.binary(32), 2, [None, pa.py_buffer(memory)])
            keys = sigmill.SigningKeys.from_seeds(seeds)
            for key, public in zip((keys[0], keys[1]), pa.array(keys.public_keys).to_pylist()):
                again = SigningKey(key.private_bytes_raw())
                assert again == key and bytes(again.public_key()) == public == bytes(key.public_key())


def verify(column: Any, rows: int) -> None:
    """Verdicts of memory that changes mean nothing; no row is read out of its buffer, and nothing ends."""
    key = pa.array([bytes(PUBLIC)] * rows)
    sig = pa.array([bytes(64)] * rows)
    try:
        verdicts = sigmill.verify_columns(key, column, sig)
        assert len(verdicts) == rows and verdicts.valid == 0
        sigmill.sign_columns(KEY, column)
    except ValueError as error:
        assert str(error).startswith("msg: "), error


def test_offsets_views_and_indices_that_change() -> None:
    rows = 2000
    data = pa.py_buffer(bytes(4 * rows))
    wild = (2**31 - 1).to_bytes(4, "little")
    offsets = mmap.mmap(-1, 4 * (rows + 1))
    offsets[:] = b"".join((4 * i).to_bytes(4, "little") for i in range(rows + 1))
    views = mmap.mmap(-1, 16 * rows)
    views[:] = ((13).to_bytes(4, "little") + bytes(12)) * rows
    indices = mmap.mmap(-1, 4 * rows)
    makers = [
        (offsets, (4 * 999).to_bytes(4, "little"), pa.Array.from_buffers(pa.binary(), rows, [None, pa.py_buffer(offsets), data])),
        (views, (13).to_bytes(4, "little"), pa.Array.from_buffers(pa.binary_view(), rows, [None, pa.py_buffer(views), data])),
        (
            indices,
            bytes(4),
            pa.DictionaryArray.from_arrays(
                pa.Array.from_buffers(pa.int32(), rows, [None, pa.py_buffer(indices)]), pa.array([b"a"]), safe=False
            ),
        ),
    ]
    for memory, usual, column in makers:
        place = (16 if memory is views else 4) * 999
        with toggled(memory, [place], wild, usual):
            for _ in rounds():
                verify(column, rows)


def test_keys_that_are_dropped_while_they_sign() -> None:
    """Nothing wipes a key beside its use: the call holds it, and there is no other way to wipe it."""
    messages = pa.array([b"message"] * 2000)
    failed: list[BaseException] = []

    def work() -> None:
        try:
            for _ in rounds():
                keys = [SigningKey(bytes(range(32)))]
                public = keys[0].public_key()
                column = pa.array(sigmill.sign_columns(keys.pop(), messages)).to_pylist()
                for signature in {*column, SigningKey(bytes(range(32))).sign(b"message")}:
                    public.verify(signature, b"message")
                gc.collect()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed
    secrets = [KEY, p256.SigningKey(bytes([1] * 32)), p384.SigningKey(bytes([1] * 48)), x25519.PrivateKey(bytes(32)), sigmill.generate_keys(2)]
    for secret in secrets:
        said = repr(secret)
        for name in dir(secret):
            assert not any(word in name for word in ("wipe", "clear", "close", "zero", "enter", "exit", "del", "release", "setstate")) or name == "__delattr__", name
        try:
            secret.__init__(bytes(32))  # type: ignore[misc]
        except TypeError:
            pass
        with pytest.raises(AttributeError):
            secret.anything = 1  # type: ignore[attr-defined]
        assert repr(secret) == said


def test_a_key_of_bytes_that_change_is_one_key() -> None:
    memory = (ctypes.c_uint8 * 32)(*bytes(PUBLIC))
    key = VerifyingKey(memory)  # type: ignore[arg-type]
    memory[0] ^= 1
    assert key == PUBLIC
