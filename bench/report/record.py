"""Records of the benchmark: which to take, and what the engines in them are called."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "bench/record"

# engine, and its name with a place for the version
NAMES = {
    "sigmill": "sigmill",
    "sigmill-lanes": "sigmill, lanes only",
    "sigmill-avx2": "sigmill, AVX2",
    "sigmill-portable": "sigmill, portable",
    "dalek-serial": "ed25519-dalek {}, serial",
    "dalek": "ed25519-dalek {}, AVX2",
    "dalek-ifma": "ed25519-dalek {}, IFMA",
    "rustcrypto": "RustCrypto p256, p384 {}",
    "zebra": "ed25519-zebra {}, AVX2",
    "zebra-ifma": "ed25519-zebra {}, IFMA",
    "ring": "ring {}",
    "aws-lc-rs": "aws-lc-rs {}",
    "graviola": "graviola {}",
    "crrl": "crrl {}",
    "libsodium": "libsodium {}",
    "openssl": "OpenSSL {}",
    "ed25519-simd": "ed25519-simd {}",
    "crypto_mb": "Intel crypto_mb {}",
}
# the same, where the operation is one of X25519
X25519_NAMES = {"dalek": "x25519-dalek {}"}
# C libraries are called by their whole version, crates by what makes them compatible
WHOLE_VERSION = {"libsodium", "openssl"}


class Record:
    """The header and the lines of a record."""

    def __init__(self, path):
        self.path = Path(path).resolve()
        lines = [json.loads(line) for line in self.path.read_text().splitlines()]
        self.header, self.lines = lines[0], lines[1:]

    def name(self, engine, op="ed25519"):
        """An engine's name with its version, as one that has the operation."""
        name = NAMES[engine]
        if op.startswith("x25519"):
            name = X25519_NAMES.get(engine, name)
        about = self.header["engines"].get(engine)
        if about is None:
            return name.replace(" {}", "")
        # of several crates the one of that name, or else the first
        number, text = r"(\d+\.\d+\.\d+)", about["version"]
        crate = re.escape(name.split(" ")[0])
        version = (re.search(f"{crate} {number}", text) or re.search(number, text))[1]
        if engine not in WHOLE_VERSION:
            version = re.sub(r"\.0$", "", version.rsplit(".", 1)[0])
        return name.format(version)

    def of(self, op, engine=None, rule=None, n=None):
        """The lines of an operation, of an engine, rule and size if they are given."""
        wanted = {"op": op, "engine": engine, "rule": rule, "n": n}
        wanted = {key: value for key, value in wanted.items() if value is not None}
        return [x for x in self.lines if all(x[key] == wanted[key] for key in wanted)]

    def cpu(self):
        """The CPU, without its trademarks."""
        return " ".join(re.sub(r"\((R|TM)\)", " ", self.header["cpu"]).split())

    def place(self):
        """Where the record is, seen from the repository."""
        if self.path.is_relative_to(ROOT):
            return str(self.path.relative_to(ROOT))
        return self.path.name


def newest():
    """The record with the latest date in its header."""
    records = [Record(path) for path in sorted(FOLDER.glob("*.jsonl"))]
    if not records:
        raise SystemExit("there is no record in bench/record; `make bench` makes one")
    return max(records, key=lambda record: record.header["date"])
