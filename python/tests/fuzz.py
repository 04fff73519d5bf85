"""Feeds random and mutated columns, buffers and arguments to every entry, in processes with little memory and few threads:
each answers, or raises an exception that is documented; none ends, and none says that the library is mistaken.

usage: python tests/fuzz.py [SECONDS [SEED]]
"""

from __future__ import annotations

import ctypes
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import sigmill
from limits import MIB, Made, Streamed, limit_memory, no_more_threads, outcome
from sigmill import ed25519, x25519
from sigmill.ecdsa import p256, p384

ROWS = 24
#: Every buffer has so many bytes, so that what a structure says of it can be a lie and still be memory.
ROOM = 1 << 14
ALLOWED = (TypeError, ValueError, MemoryError, OverflowError, RuntimeError, IndexError, KeyError, sigmill.InvalidSignature)
SECRETS: list[Any] = [ed25519.SigningKey(bytes(32)), p256.SigningKey(bytes([1] * 32)), p384.SigningKey(bytes([1] * 48))]
SIGNED = [(bytes(SECRETS[0].public_key()), b"%d" % i, SECRETS[0].sign(b"%d" % i)) for i in range(ROWS)]
KEYS = sigmill.generate_keys(ROWS)
TEXTS = [b"common", b"zip215", b"ed25519", b"p256", b"p384", b"pure", b"ctx", b"ph", b"", b"\xff", b"x" * 300]


class Planted(Exception):
    """What a callback raises."""


class Fuzz:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def often(self) -> bool:
        return self.chance.random() < 0.93

    def number(self, usual: int) -> int:
        near = [0, 1, usual - 1, usual + 1, ROWS, ROOM]
        return usual if self.often() else self.chance.choice([*near, -1, -(2**63), 2**62, 2**63 - 1, 2**59])

    def memory(self, content: bytes) -> Any:
        made = ctypes.create_string_buffer(ROOM)
        content = content[:ROOM]
        if not self.often():
            mutated = bytearray(content)
            for _ in range(self.chance.randrange(1, 9)):
                if mutated:
                    mutated[self.chance.randrange(len(mutated))] = self.chance.randrange(256)
            content = bytes(mutated)
        ctypes.memmove(made, content, len(content))
        return made

    def values(self, values: list[bytes], text: bool) -> Made:
        """A column with these values in some layout, and perhaps a lie."""
        rows = len(values)
        layouts = ["u", "U", "vu"] if text else ["z", "Z", "vz", "w"]
        odd = ["z", "u", "n", "n", "w:0", "w:0", "other"]
        layout = self.chance.choice(layouts if self.often() else odd)
        if self.chance.random() < 0.15:
            return self.nested(values, text)
        validity = None if self.chance.random() < 0.6 else self.memory(self.chance.randbytes(rows // 8 + 1))
        options: dict[str, Any] = {"null_count": 0 if validity is None else -1}
        length = rows
        if layout in ("n", "w:0"):
            length = self.chance.choice([rows, 2**40, 2**62, 2**63 - 1, 1 << self.chance.randrange(14)])
            buffers = [] if layout == "n" else [validity if length == rows else None, self.memory(b"")]
            options["null_count"] = 0 if layout == "w:0" and length != rows else options["null_count"]
            return Made(layout.encode(), length, buffers, **options)
        if layout == "w":
            width = len(values[0]) if values else 32
            buffers = [validity, self.memory(b"".join(value[:width].ljust(width, b"\0") for value in values))]
            form = b"w:%d" % (width if self.often() else self.chance.choice([0, 1, 31, 65]))
        elif layout in ("z", "u", "Z", "U"):
            ends, kind = [0], ctypes.c_int32 if layout in "zu" else ctypes.c_int64
            for value in values:
                ends.append(ends[-1] + len(value))
            if not self.often():
                ends[self.chance.randrange(len(ends))] = self.chance.choice([-1, 0, ends[-1], ROOM, ends[-1] // 2, -(2**31)])
            ends = [min(end, ROOM) for end in ends]
            offsets = ctypes.create_string_buffer(ROOM)
            ctypes.memmove(offsets, (kind * len(ends))(*ends), ctypes.sizeof(kind) * len(ends))
            buffers, form = [validity, offsets, self.memory(b"".join(values))], layout.encode()
        elif layout in ("vz", "vu"):
            views, data = b"", b"".join(values)
            begin = 0
            for value in values:
                place = value[:4].ljust(4, b"\0") + bytes(4) + begin.to_bytes(4, "little")
                views += len(value).to_bytes(4, "little") + (value.ljust(12, b"\0") if len(value) <= 12 else place)
                begin += len(value)
            sizes = (ctypes.c_int64 * 1)(min(len(data), ROOM))
            buffers, form = [validity, self.memory(views), self.memory(data), sizes], layout.encode()
        else:
            form = self.chance.choice([b"+s", b"+l", b"+r", b"+w:3", b"i", b"d:3,4", b"w:", b"w:-1", b"w:99999999999", b"", b"\xff"])
            buffers = [validity, self.memory(b"")]
        made = Made(form, length, buffers, **options)
        if not self.often():
            self.lie(made)
        if self.chance.random() < 0.2:
            letter, size = self.chance.choice([(b"c", 1), (b"s", 2), (b"i", 4), (b"l", 8), (b"C", 1), (b"S", 2), (b"I", 4), (b"L", 8)])
            indices = b"".join((i if self.often() else self.chance.randrange(100)).to_bytes(size, "little") for i in range(rows))
            made = Made(letter, rows, [None, self.memory(indices)], dictionary=made)
            if not self.often():
                self.lie(made)
        return made

    def numbers(self, numbers: list[int], size: int) -> Any:
        return self.memory(b"".join(number.to_bytes(size, "little", signed=True) for number in numbers))

    def nested(self, values: list[bytes], text: bool) -> Made:
        """The same as lists of u8, in one of their five layouts, or with a value for each run of rows."""
        rows, width = len(values), len(values[0]) if values else 32
        children: list[Made | None]
        if self.chance.random() < 0.3:
            # each row alone, and some that end early, late or never
            ends = [end if self.often() else self.number(end) for end in range(1, rows + 1)]
            letter, size = self.chance.choice([(b"s", 2), (b"i", 4), (b"l", 8)])
            of_runs = Made(letter, rows, [None, self.numbers([end % (1 << (8 * size - 1)) for end in ends], size)])
            children, form, buffers = [of_runs, self.values(values, text)], b"+r", list[Any]()
        else:
            layout = self.chance.choice([b"+l", b"+L", b"+vl", b"+vL", b"+w:%d" % width])
            content = [value[:width].ljust(width, b"\0") for value in values] if layout[1:2] == b"w" else values
            data = b"".join(content)
            bytes_of = Made(b"C" if self.often() else b"S", min(len(data), ROOM), [None, self.memory(data)])
            if not self.often():
                self.lie(bytes_of)
            ends = [0]
            for value in content:
                ends.append(min(ROOM, ends[-1] + len(value)))
            if not self.often():
                ends[self.chance.randrange(len(ends))] = self.chance.choice([-1, 0, ROOM, ends[-1] // 2, -(2**31)])
            size = 4 if layout.endswith(b"l") else 8
            buffers = [None] if layout[1:2] == b"w" else [None, self.numbers(ends, size)]
            if layout[1:2] == b"v":
                sizes = [len(value) if self.often() else self.chance.choice([-1, 0, ROOM, 2**31 - 1]) for value in content]
                buffers.append(self.numbers(sizes, size))
            children, form = [bytes_of], layout
        if not self.often():
            children = self.chance.choice([children[:1], [*children, children[0]], [None] * len(children), []])
        made = Made(form, rows, buffers, children=children)
        if not self.often():
            self.lie(made)
        return made

    def lie(self, made: Made) -> None:
        """Says something wrong that can be told, or that stays within the memory that there is."""
        field = self.chance.choice(["length", "offset", "null_count", "n_buffers"])
        lies = {
            "length": [0, 1, ROWS - 1, ROWS + 1, 2 * ROWS, -1, -(2**63), 2**62, 2**63 - 1],
            "offset": [1, ROWS, -1, -(2**63), 2**62, 2**63 - 1],
            "null_count": [0, 1, -1, -7, 2**63 - 1],
            "n_buffers": [0, 1, 2, -1, -(2**63)],
        }
        made.numbers[field] = self.chance.choice(lies[field])
        if self.chance.random() < 0.2:
            place = self.chance.randrange(len(made.addresses))
            made.addresses[place] = self.chance.choice([None, made.addresses[place] and made.addresses[place] | 1])

    def column(self, values: list[bytes], text: bool = False) -> Any:
        made = self.values(values, text)
        if self.chance.random() < 0.2:
            return Streamed(made, self.chance.choice([0, 1, 1, 1, 3]))
        if not text and self.chance.random() < 0.05:
            width = max(1, len(values[0]) if values else 1)
            array = np.frombuffer(b"".join(value[:width].ljust(width, b"\0") for value in values), np.uint8).reshape(-1, width)
            return self.chance.choice([array, np.asfortranarray(array), array[::-1], array[:, ::2], array[:0], array.astype(self.chance.choice("bHd"))])
        return self.thing() if self.chance.random() < 0.02 else made

    def thing(self) -> Any:
        return self.chance.choice([None, 0, -1, 2**70, 1.5, "", "é", "\ud800", b"", [], {}, object(), SECRETS[0], sigmill])

    def buffer(self, usual: bytes) -> Any:
        kind = self.chance.randrange(8)
        if kind == 0:
            return self.thing()
        if kind == 1:
            usual = self.chance.randbytes(self.chance.randrange(100))
        if kind == 2 and usual:
            mutated = bytearray(usual)
            mutated[self.chance.randrange(len(mutated))] ^= 1 << self.chance.randrange(8)
            usual = bytes(mutated)
        if kind == 3:
            usual = bytes(self.chance.choice([1, 100, 10_000, 40 * MIB]))
        return self.chance.choice([bytes, bytearray, memoryview])(usual)

    def options(self, names: dict[str, list[Any]]) -> dict[str, Any]:
        given = {}
        for name, values in names.items():
            if self.chance.random() < 0.3:
                given[name] = self.chance.choice(values) if self.often() else self.thing()
                if name in ("rule", "algorithm", "variant", "context") and self.chance.random() < 0.4:
                    given[name] = self.column([self.chance.choice(TEXTS) for _ in range(ROWS)], name != "context")
        return given

    def progress(self) -> Callable[[int, int], object]:
        raises = self.chance.random() < 0.3

        def progress(done: int, rows: int) -> None:
            if raises:
                raise Planted

        return progress

    def verifying(self) -> dict[str, Any]:
        return self.options(
            {
                "rule": ["common", "zip215", ed25519.STRICT],
                "algorithm": ["ed25519", "p256", "p384"],
                "variant": ["pure", "ctx", "ph"],
                "context": [b"", b"x", bytes(256)],
                "hash": ["sha256", "none"],
                "sig_format": ["raw", "der"],
                "low_s": [True, False],
                "key_form": ["spki", "raw"],
                "threads": [1, 2, 1000],
                "progress": [self.progress()],
            }
        )

    def table(self) -> list[Any]:
        columns = [[row[i] for row in SIGNED] for i in range(3)]
        if self.chance.random() < 0.3:
            columns[0] = [self.container(self.chance.choice(SECRETS)) for _ in SIGNED]
        return [self.column(column) for column in columns]

    def container(self, secret: Any) -> bytes:
        """A public key as tools write it, or what is left of it."""
        public = secret.public_key()
        cell = bytes(self.chance.choice([public.to_der(), public.to_pem().encode()]))
        if not self.often():
            cell = self.chance.choice([cell[: self.chance.randrange(len(cell))], cell + b"\n", b"\xef\xbb\xbf" + cell, b"x\n" + cell])
        return cell

    def verify(self) -> None:
        verdicts = sigmill.verify_columns(*self.table(), **self.verifying())
        verdicts.bad(self.chance.choice([None, 0, 3]))
        repr(verdicts), verdicts.reasons, verdicts.all_valid
        len(verdicts) and verdicts[self.chance.choice([0, -1])]
        for out in (verdicts.verdict, verdicts.reason, verdicts):
            out.__arrow_c_array__()
        verdicts.__arrow_c_stream__()

    def report(self) -> None:
        page = sigmill.report(dict(zip(("key", "msg", "sig"), self.table())), **self.verifying())
        assert "<html" in page.html

    def sign(self) -> None:
        names: dict[str, list[Any]] = {
            "variant": ["pure", "ctx", "ph"],
            "context": [b"", b"x", bytearray(3)],
            "hash": ["sha256", "none"],
            "checked": [True, False],
            "threads": [1, 2, 1000],
            "progress": [self.progress()],
        }
        keys = self.chance.choice([*SECRETS, KEYS, KEYS]) if self.often() else self.thing()
        sigmill.sign_columns(keys, self.column([row[1] for row in SIGNED]), **self.options(names)).__arrow_c_array__()

    def seeds(self) -> None:
        keys = sigmill.SigningKeys.from_seeds(self.column([bytes([i]) * 32 for i in range(ROWS)]))
        keys.public_keys, keys.seeds(), keys == KEYS, len(keys) and keys[-1]

    def generate(self) -> None:
        sigmill.generate_keys(self.number(3) if self.often() else self.thing())

    def one(self) -> None:
        key, msg, sig = (self.buffer(value) for value in self.chance.choice(SIGNED))
        options = self.options({"rule": ["common", ed25519.STRICT], "variant": ["pure", "ctx"], "context": [b"", b"x"]})
        context = {name: options[name] for name in options if name == "context"}
        signing = {name: options[name] for name in options if name != "rule"}
        secret = SECRETS[0]
        calls: list[Callable[[], object]] = [
            lambda: ed25519.verify_bytes(key, msg, sig, **options),
            lambda: repr(sigmill.explain(key, msg, sig, **signing)),
            lambda: ed25519.VerifyingKey(key).verify(sig, msg, **options),
            lambda: ed25519.VerifyingKey(key).prepare().verify(sig, msg, **options),
            lambda: ed25519.VerifyingKey(key).verify_prehashed(sig, msg, **context),
            lambda: ed25519.VerifyingKey(key).verifier(sig, **options).update(msg),
            lambda: ed25519.VerifyingKey(key).check(self.thing()),
            lambda: secret.sign(msg, **signing),
            lambda: secret.sign(msg, hedged=True, checked=True, **signing),
            lambda: secret.sign_prehashed(msg, **context),
            lambda: secret.sign_stream(lambda: self.thing() if not self.often() else [msg, msg], **signing),
            lambda: ed25519.SigningKey(key).public_key(),
            lambda: ed25519.SigningKey.from_keypair_bytes(sig),
            lambda: x25519.PrivateKey(key).exchange(x25519.PublicKey(key)),
            lambda: x25519.PublicKey.from_ed25519(ed25519.VerifyingKey(key)),
        ]
        for curve in (p256, p384):
            of_curve = self.options({"hash": ["sha256", "none", "md5"], "sig_format": ["raw", "der"]})
            calls += [
                lambda curve=curve, of_curve=of_curve: curve.verify_bytes(key, msg, sig, **of_curve),
                lambda curve=curve, of_curve=of_curve: curve.SigningKey(key).sign(msg, **of_curve),
                lambda curve=curve: curve.VerifyingKey(key),
            ]
        self.chance.choice(calls)()

    def containers(self) -> None:
        secret = self.chance.choice(SECRETS)
        public = self.chance.choice([True, False])
        key = secret.public_key() if public else secret
        text, der = key.to_pem().encode(), key.to_der()
        loaders: list[Any] = [sigmill.load_pem_public_key, sigmill.load_pem_private_key]
        loaders[not public](self.buffer(text))
        loaders = [sigmill.load_der_public_key, sigmill.load_der_private_key]
        loaders[not public](self.buffer(der))

    def step(self) -> str:
        """One call; what became of it."""
        entry = self.chance.choice([self.verify] * 4 + [self.report, self.sign, self.sign, self.seeds, self.generate, self.one, self.one, self.containers])
        try:
            entry()
        except Planted:
            return f"{entry.__name__}: Planted"
        except ALLOWED as error:
            if "mistake in sigmill" in str(error):
                raise
            return f"{entry.__name__}: {type(error).__name__}"
        return f"{entry.__name__}: returned"


def process(seed: int, seconds: float) -> str:
    """Calls until the time is over, in a process under limits that the seed chooses."""
    chance = random.Random(f"limits {seed}")
    more = chance.choice([256 * MIB, 256 * MIB, 256 * MIB, 64 * MIB, 16 * MIB, 4 * MIB])
    limits: list[Callable[[], None]] = [lambda: limit_memory(more)]
    if chance.random() < 0.5:
        limits.append(no_more_threads)

    def work() -> str:
        fuzz, seen, end = Fuzz(seed), Counter[str](), time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                seen[fuzz.step()] += 1
            except MemoryError:
                seen["the program: MemoryError"] += 1
        return ";".join(f"{name}={count}" for name, count in sorted(seen.items()))

    return f"seed {seed}, {more // MIB} MiB, {'no threads' if len(limits) > 1 else 'threads'}: {outcome(work, *limits)}"


def warm_up() -> None:
    """Grows the stack of this process, and so of its children: where no memory is left for it, any program ends."""
    fuzz = Fuzz(0)
    for entry in (fuzz.verify, fuzz.report, fuzz.sign, fuzz.seeds, fuzz.containers, fuzz.one) * 20:
        try:
            entry()
        except (*ALLOWED, Planted):
            pass


def main(seconds: float, seed: int) -> int:
    """Processes of a second each. Prints what became of all calls; the number of processes that did not end well."""
    warm_up()
    total, bad, end, runs = Counter[str](), 0, time.monotonic() + seconds, 0
    while time.monotonic() < end:
        said = process(seed + runs, min(1.0, max(0.3, end - time.monotonic())))
        runs += 1
        head, _, counts = said.partition("returned '")
        if not counts:
            bad += 1
            print("BAD:", said, flush=True)
            continue
        for count in counts.rstrip("'").split(";"):
            name, _, number = count.partition("=")
            total[name] += int(number)
    for name, count in sorted(total.items()):
        print(f"{count:8} {name}")
    print(f"{sum(total.values())} calls in {runs} processes, {bad} of which did not end well; seeds from {seed} on")
    return bad


if __name__ == "__main__":
    sys.exit(min(1, main(float((sys.argv + ["5"])[1]) if len(sys.argv) > 1 else 5.0, int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
