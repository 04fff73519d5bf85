"""The sections of docs/speed.md about aarch64: instructions that bench/count/run has counted, cycles that bench/count/model has
modelled."""

from decimal import ROUND_HALF_UP, Decimal

from record import X25519_NAMES, wrapped

ROWS = {
    "Ed25519 keygen": ("ed25519.keygen", 1),
    "Ed25519 sign 32 B": ("ed25519.sign32", 1),
    "Ed25519 verify, key bytes": ("ed25519.verify_raw", 1),
    "Ed25519 verify, 1024 at a time, each": ("ed25519.batch_raw", 1024),
    "X25519 public key": ("x25519.base", 1),
    "X25519 secret": ("x25519.shared", 1),
    "P-256 sign": ("p256.sign", 1),
    "P-256 verify": ("p256.verify", 1),
    "P-384 sign": ("p384.sign", 1),
    "P-384 verify": ("p384.verify", 1),
}
PEERS = ["dalek", "commonware", "ring", "aws-lc-rs", "graviola"]


def thousands(line):
    """Instructions of a line in thousands."""
    return str((Decimal(line["instructions"]) / 1000).quantize(Decimal("0.1"), ROUND_HALF_UP))


def counts(record, alone, op, n):
    """Ours with its ratio to the fewest of a peer, then the peers'."""
    ours_, peers = record.of(op, "sigmill", n=n), [record.of(op, peer, n=n) for peer in PEERS]
    cells = ["–", *[thousands(lines[0]) if lines else "–" for lines in peers]]
    kinds = {line["rule"]: line for line in ours_}
    if ours_:
        first = kinds.get("common", ours_[0])
        more = [kinds["zip215"]] if op in alone else []
        cells[0] = " / ".join(map(thousands, [first, *more]))
        # peers without batches verify one by one
        others = [*peers, *(record.of(alone[op], peer, n=1) for peer in PEERS if op in alone)]
        fewest = min((lines[0]["instructions"] for lines in others if lines), default=None)
        if fewest:
            ratio = first["instructions"] / fewest
            mark = "**" if ratio > 1 else ""
            cells[0] += f" ({mark}{ratio:.2f}{mark})"
    return cells


def name_of(record, peer):
    """A peer's name, with that of its X25519 where it is another crate."""
    names = [record.name(peer), *([record.name(peer, "x25519")] if peer in X25519_NAMES else [])]
    return ", ".join(names)


def section(records, alone):
    """The section about aarch64; `alone` names the operations that engines without a batch do instead, one by one."""
    if not records:
        return []
    lines = [
        "",
        "## aarch64, counted",
        "",
        wrapped(
            "Thousands of executed instructions per operation, **counted** in an emulator: no Arm CPU was measured, and no "
            "cycle. `bench/count/run --record` makes the records and this table. In brackets: the ratio to the fewest "
            "instructions of another library; **above 1** the other library has fewer. Verification of 1024 at a time is "
            "under `common` and, after the slash, `zip215`; dalek and commonware verify under rules of their own."
        ),
        "",
        wrapped(
            "aws-lc-rs has two forms of its assembly: for multipliers as wide as those of Neoverse V1 and V2, and for "
            "others such as that of N1. It takes the one for the CPU that the emulator names. Neoverse N1 has no "
            "instructions for SHA-512."
        ),
        "",
        "| CPU | counted | emulator | compiler | record |",
        "|---|---|---|---|---|",
    ]
    for record in records:
        header = record.header
        compiler = " ".join(header["engines"]["sigmill"]["compiler"].split(" ")[:2])
        lines.append(
            f"| {record.microarchitecture()} | {header['date'][:10]} | {header['counted_by']} | {compiler} "
            f"| `{record.place()}` |"
        )
    for record in records:
        heads = ["operation", "sigmill", *[name_of(record, peer) for peer in PEERS]]
        lines += ["", f"As {record.microarchitecture()}:", ""]
        lines += [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
        lines += [f"| {name} | {' | '.join(counts(record, alone, *cell))} |" for name, cell in ROWS.items()]
    return lines


MODELLED_CPUS = {"neoverse-v2": "Neoverse V2", "neoverse-v1": "Neoverse V1", "neoverse-n1": "Neoverse N1"}


def section_of_cycles(found):
    """The section about cycles of single products and sums."""
    if found is None:
        return []
    place, header, lines = found
    at = {(line["field"], line["operation"], line["engine"], line["cpu"]): line for line in lines}

    def cell(field, operation, cpu):
        ours_ = at[field, operation, "sigmill", cpu]["cycles"]
        theirs = at.get((field, operation, "s2n-bignum", cpu))
        if theirs is None:
            return f"{ours_:.1f}"
        ratio = ours_ / theirs["cycles"]
        mark = "**" if f"{ratio:.2f}" > "1.00" else ""
        return f"{ours_:.1f} / {theirs['cycles']:.1f} ({mark}{ratio:.2f}{mark})"

    rows = list(dict.fromkeys((line["field"], line["operation"]) for line in lines))
    heads = ["field", "operation", "instructions", *MODELLED_CPUS.values()]
    return [
        "",
        "## aarch64, modelled",
        "",
        wrapped(
            "Cycles of a call, **modelled**: a simulation of each CPU runs a hundred independent calls, without caches. The "
            "library's assembly stands before the slash, that of s2n-bignum behind it, in the form that aws-lc-rs takes for "
            "the CPU. In brackets: the ratio; **above 1** s2n-bignum is faster. A call in four lanes makes four products. "
            "`bench/count/model --record` makes the record and this table."
        ),
        "",
        f"By {header['modelled_by']}, on {header['date'][:10]}; {header['peer']}; record `{place}`.",
        "",
        f"| {' | '.join(heads)} |",
        "|---" * len(heads) + "|",
        *(
            f"| {field} | {operation} | {at[field, operation, 'sigmill', 'neoverse-n1']['instructions']} "
            f"| {' | '.join(cell(field, operation, cpu) for cpu in MODELLED_CPUS)} |"
            for field, operation in rows
        ),
    ]
