"""What a table of Ed25519 takes through `sigmill.verify_columns` where some rows are invalid, as a multiple of what it takes where
none is: both in each turn, on one thread, and the median of the quotients counts. Every verdict is looked at.

usage: tools/python bench-invalid [--rows 16384] [--rounds 5]
"""

import argparse
import random
import statistics
import time

import pyarrow as pa
from sigmill import backend, verify_columns
from sigmill.ed25519 import SigningKey

SHARES = (100, 1000, 3000, 4200, 8400, 10_000, 30_000, 100_000, 1_000_000)


def fixed(rows: list[bytes]) -> pa.Array:
    return pa.array(rows, pa.binary(len(rows[0])))


def microseconds(rule: str, columns: list[pa.Array], bad: set[int]) -> float:
    start = time.perf_counter()
    verdicts = verify_columns(*columns, rule=rule, threads=1)
    took = time.perf_counter() - start
    if verdicts.bad() != sorted(bad):
        raise SystemExit("invalid: a verdict is wrong")
    return took / len(verdicts) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2].strip())
    parser.add_argument("--rows", type=int, default=16384)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if not (0 < options.rows <= 1_000_000 and options.rounds > 0):
        parser.error("--rows is 1 to 1000000, --rounds 1 or more")
    pairs = [SigningKey(row.to_bytes(32, "little")) for row in range(options.rows)]
    keys = fixed([bytes(key.public_key()) for key in pairs])
    messages = [row.to_bytes(32, "big") for row in range(options.rows)]
    signatures = [key.sign(message) for key, message in zip(pairs, messages, strict=True)]
    clean = [keys, fixed(messages), fixed(signatures)]
    print(f"{backend}, {options.rows} rows\n{'rule':<8}{'invalid':>10}{'times':>8}{'us a row':>10}")
    for rule in ("common", "zip215"):
        for count in sorted({options.rows * share // 1_000_000 for share in SHARES} - {0}):
            bad = set(random.Random(count).sample(range(options.rows), count))
            changed = [s[:33] + bytes([s[33] ^ 1]) + s[34:] if row in bad else s for row, s in enumerate(signatures)]
            table = [*clean[:2], fixed(changed)]
            turns = [(microseconds(rule, clean, set()), microseconds(rule, table, bad)) for _ in range(options.rounds)]
            times = statistics.median(of_bad / of_clean for of_clean, of_bad in turns)
            print(f"{rule:<8}{count:>10}{times:>8.2f}{statistics.median(turn[1] for turn in turns):>10.2f}")


if __name__ == "__main__":
    main()
