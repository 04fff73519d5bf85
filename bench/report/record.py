"""Records of the benchmark: which to take, and what CPUs and engines in them are called.

A run makes one record for each class of CPU that the machine can stand for: NAME.jsonl of the CPU as it is,
NAME.CLASS.jsonl of what it computes with some instructions hidden."""

import json
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "bench/record"
CPUS = ROOT / "bench/cpus.txt"

# the classes, the one with most instructions first, and what they are called
CLASSES = {"ifma": "IFMA", "avx2": "AVX2 with ADX", "portable": "portable", "aarch64": "aarch64"}
# what is more than a tenth above the least time was measured on a disturbed machine
STEADY = 1.1

# engine, and its name with a place for the version
NAMES = {
    "sigmill": "sigmill",
    "sigmill-lanes": "sigmill, lanes only",
    "sigmill-c": "sigmill, from C",
    "dalek-serial": "ed25519-dalek {}, serial",
    "dalek": "ed25519-dalek {}, AVX2",
    "dalek-ifma": "ed25519-dalek {}, IFMA",
    "rustcrypto": "RustCrypto p256, p384 {}",
    "zebra": "ed25519-zebra {}, AVX2",
    "zebra-ifma": "ed25519-zebra {}, IFMA",
    "solana": "solana-ed25519 {}, AVX2",
    "solana-serial": "solana-ed25519 {}, serial",
    "commonware": "commonware-cryptography-curve25519 {}, IFMA",
    "ring": "ring {}",
    "aws-lc-rs": "aws-lc-rs {}",
    "graviola": "graviola {}",
    "crrl": "crrl {}",
    "libsodium": "libsodium {}",
    "openssl": "OpenSSL {}",
    "ed25519-simd": "ed25519-simd {}",
    "crypto_mb": "Intel crypto_mb {}",
}
# in old records, with single operations of a CPU that had more than their names say
MISLEADING = {"sigmill-avx2", "sigmill-portable"}
# the same, where the operation is one of X25519
X25519_NAMES = {"dalek": "x25519-dalek {}"}
# C libraries are called by their whole version, crates by what makes them compatible
WHOLE_VERSION = {"libsodium", "openssl"}


def ours(engine):
    """Whether the engine is this repository in some form."""
    return engine.split("-")[0] == "sigmill"


def wrapped(text):
    """Lines as long as those of the pages."""
    return textwrap.fill(text, 105, break_on_hyphens=False, break_long_words=False)


def disturbed(line):
    """Whether the machine had other work; old records do not say it of themselves."""
    if "tries" in line:
        return line.get("disturbed", False)
    return line["ns_median"] > STEADY * line["ns_min"]


class Record:
    """The header and the lines of a record."""

    def __init__(self, path):
        self.path = Path(path).resolve()
        lines = [json.loads(line) for line in self.path.read_text().splitlines()]
        self.header = lines[0]
        self.lines = [line for line in lines[1:] if line["engine"] not in MISLEADING]
        self.kind = self.class_of_cpu()

    def unfit(self):
        """Why there are no times in it to show, or nothing."""
        if "positions" in self.header:
            return f"its times are those at {self.header['positions']} positions of the stack, to find the worst"
        if "counted_by" in self.header:
            return "it has instructions, no times"
        return None

    def class_of_cpu(self):
        """The class of CPU that is measured; old headers say only what sigmill computed with."""
        if "instructions" in self.header:
            return self.header["instructions"]["class"]
        backend = self.header.get("engines", {}).get("sigmill", {}).get("backend", "")
        return next((kind for kind in CLASSES if backend.endswith(f"bulk {kind}")), None)

    def name(self, engine, op="ed25519"):
        """An engine's name with its version, as one that has the operation."""
        name = NAMES[engine]
        if op.startswith("x25519"):
            name = X25519_NAMES.get(engine, name)
        if self.kind == "aarch64":
            # no engine has vectors there
            name = name.removesuffix(", AVX2").removesuffix(", IFMA").removesuffix(", serial")
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

    def cpu_id(self):
        """Vendor, family, model and stepping."""
        if "cpu_id" in self.header:
            return tuple(self.header["cpu_id"][key] for key in ("vendor", "family", "model", "stepping"))
        numbers = re.search(r"family (\d+) model (\d+) stepping (\d+)", self.header["cpu"]).groups()
        vendor = "GenuineIntel" if "Intel" in self.header["cpu"] else "AuthenticAMD"
        return (vendor, *map(int, numbers))

    def microarchitecture(self):
        """The name of the microarchitecture, or the CPU's numbers."""
        vendor, family, model, _ = self.cpu_id()
        for line in CPUS.read_text().splitlines():
            if not line.startswith("#"):
                its_vendor, its_family, first, last, name = line.split(" ", 4)
                if (its_vendor, int(its_family)) == (vendor, family) and int(first) <= model <= int(last):
                    return name
        return f"family {family} model {model}"

    def cpu(self):
        """The CPU, without its trademarks and the word that says nothing."""
        vendor, family, model, stepping = self.cpu_id()
        name = re.sub(r"\((R|TM)\)| Processor| family .*", "", self.header["cpu"])
        name = " ".join(name.replace(self.microarchitecture(), "").split())
        return f"{name}, {self.microarchitecture()} (family {family} model {model} stepping {stepping})"

    def others(self):
        """The records of the same run by class, this one among them."""
        stem = self.path.name.removesuffix(".jsonl").split(".")[0]
        records = [self, *fit(sorted(self.path.parent.glob(f"{stem}.[!c]*.jsonl")))]
        by_class = {record.kind: record for record in reversed(records)}
        return {kind: by_class[kind] for kind in CLASSES if kind in by_class}

    def place(self):
        """Where the record is, seen from the repository."""
        if self.path.is_relative_to(ROOT):
            return str(self.path.relative_to(ROOT))
        return self.path.name


def fit(paths):
    """The records that can be shown."""
    for record in map(Record, paths):
        if reason := record.unfit():
            print(f"{record.place()} is left out: {reason}", file=sys.stderr)
        else:
            yield record


def newest():
    """Of each CPU the record with the latest date in its header, the latest of all first."""
    paths = [path for path in sorted(FOLDER.glob("*.jsonl")) if "." not in path.stem]
    records = sorted(fit(paths), key=lambda record: record.header["date"])
    if not records:
        raise SystemExit("there is no record in bench/record; `make bench` makes one")
    latest = {record.cpu_id(): record for record in records}
    return sorted(latest.values(), key=lambda record: record.header["date"], reverse=True)


def counted():
    """Of each CPU that was emulated the latest record of instructions, the newest CPU first."""
    records = sorted(map(Record, FOLDER.glob("*.counted-*.jsonl")), key=lambda record: record.header["date"])
    latest = {record.cpu_id(): record for record in records}
    return [latest[key] for key in sorted(latest, reverse=True)]


def modelled():
    """The latest record of modelled cycles: its place, its header and its lines. None if there is none."""
    found = []
    for path in FOLDER.glob("*.cycles.jsonl"):
        header, *lines = map(json.loads, path.read_text().splitlines())
        found.append((header["date"], str(path.relative_to(ROOT)), header, lines))
    return max(found)[1:] if found else None
