"""Work in a process of its own that has little memory, or cannot make threads; and columns made by hand."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import resource
import signal
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

MIB = 1 << 20


class Schema(ctypes.Structure):
    """``struct ArrowSchema``."""

    _fields_ = [
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_char_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


class Array(ctypes.Structure):
    """``struct ArrowArray``."""

    _fields_ = [
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


class Stream(ctypes.Structure):
    """``struct ArrowArrayStream``."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_NAMES = {Schema: b"arrow_schema", Array: b"arrow_array", Stream: b"arrow_array_stream"}
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _release(address: int) -> None:
    for kind in (Schema, Array):
        field = getattr(kind, "release")
        place = ctypes.c_void_p.from_address(address + field.offset)
        if place.value == _RELEASE:
            place.value = None
            return


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _release_stream(address: int) -> None:
    Stream.from_address(address).release = None


_RELEASE = ctypes.cast(_release, ctypes.c_void_p).value


class Made:
    """A column whose structures say what they are told to say; the memory behind them is held here."""

    def __init__(
        self,
        format: bytes,
        length: int,
        buffers: Sequence[Any] = (),
        *,
        offset: int = 0,
        null_count: int = 0,
        n_buffers: int | None = None,
        dictionary: Made | None = None,
        children: Sequence[Made | None] = (),
        fields: dict[str, int] | None = None,
    ) -> None:
        self.format, self.held, self.dictionary, self.children = format, list(buffers), dictionary, list(children)
        addresses = [None if buffer is None else ctypes.addressof(buffer) for buffer in buffers]
        self.addresses = (ctypes.c_void_p * max(1, len(addresses)))(*addresses)
        self.numbers = {"length": length, "offset": offset, "null_count": null_count}
        self.numbers["n_buffers"] = len(addresses) if n_buffers is None else n_buffers
        self.numbers["n_children"] = len(self.children)
        self.numbers.update(fields or {})
        self.given: list[Any] = []

    def structures(self) -> tuple[Schema, Array]:
        schema = Schema(format=self.format, release=_RELEASE)
        array = Array(buffers=self.addresses, release=_RELEASE, **self.numbers)
        self.given += [schema, array]
        if self.dictionary is not None:
            values = self.dictionary.structures()
            schema.dictionary, array.dictionary = map(ctypes.addressof, values)
        if self.children:
            made = [(None, None) if child is None else tuple(map(ctypes.addressof, child.structures())) for child in self.children]
            pointers = [(ctypes.c_void_p * len(made))(*places) for places in zip(*made, strict=True)]
            self.given += pointers
            schema.children, array.children = map(ctypes.addressof, pointers)
            schema.n_children = self.numbers["n_children"]
        return schema, array

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        schema, array = self.structures()
        return capsule(schema), capsule(array)


class Streamed:
    """The same in a stream: `arrays` of them, or so many that it never ends."""

    def __init__(self, column: Made, arrays: int | None = None) -> None:
        self.column, self.left, self.given = column, arrays, list[Any]()
        schema, _ = column.structures()
        self.schema = schema

        def get_schema(_: int, out: int) -> int:
            ctypes.memmove(out, ctypes.addressof(self.schema), ctypes.sizeof(Schema))
            return 0

        def get_next(_: int, out: int) -> int:
            ctypes.memset(out, 0, ctypes.sizeof(Array))
            if self.left != 0:
                self.left = None if self.left is None else self.left - 1
                _, array = column.structures()
                ctypes.memmove(out, ctypes.addressof(array), ctypes.sizeof(Array))
                del column.given[-2:]
            return 0

        self.calls = _CALLBACK(get_schema), _CALLBACK(get_next)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        get_schema, get_next = (ctypes.cast(call, ctypes.c_void_p).value for call in self.calls)
        stream = Stream(get_schema=get_schema, get_next=get_next, release=ctypes.cast(_release_stream, ctypes.c_void_p).value)
        self.given.append(stream)
        return capsule(stream)


def capsule(structure: Any) -> object:
    return _new(ctypes.addressof(structure), _NAMES[type(structure)], None)


def limit_memory(more: int) -> None:
    """This process may have so many bytes more than it has now."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    limit = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def no_more_threads() -> None:
    """This process makes no thread and no process; root, which no number limits, becomes nobody."""
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def outcome(work: Callable[[], object], *limits: Callable[[], None]) -> str:
    """The end of `work` in a process of its own under limits: `returned` and its value, `raised` and the exception, or
    `ended by` a signal or with a status, and the last line of standard error."""
    reader, writer = os.pipe()
    errors = tempfile.TemporaryFile()
    child = os.fork()
    if child == 0:
        os.close(reader)
        said = "nothing"
        try:
            # the message of an abort is no part of a test's output
            faulthandler.disable()
            os.dup2(errors.fileno(), 2)
            # seconds of the processor, which another program's load does not take; and for a process that waits
            signal.setitimer(signal.ITIMER_PROF, 60)
            signal.alarm(1800)
            for limit in limits:
                limit()
            said = f"returned {work()!r}"
        except BaseException as error:
            kind = "PanicException" if not isinstance(error, Exception) else type(error).__name__
            said = f"raised {kind}: {error}"
            del error
        finally:
            os.write(writer, said.encode()[:4000])
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        said = file.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    if said and not os.WIFSIGNALED(status):
        return said
    with errors:
        errors.seek(0)
        last = errors.read().decode(errors="replace").strip().splitlines()[-1:]
    kind = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"status {os.WEXITSTATUS(status)}"
    return ": ".join([f"ended by {kind}", *last])
