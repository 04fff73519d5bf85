"""Draws docs/plots/batch.svg and docs/plots/spread.svg from a record; what sigmill does on other classes of CPU
from the records of the same run. The same records give the same files, byte for byte. `bench/plots` installs
what this needs and calls it."""

import argparse
import re
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator  # noqa: E402

from record import CLASSES, ROOT, Record, newest, ours  # noqa: E402

OUT = ROOT / "docs/plots"
BATCH = "ed25519.batch_raw"
PANELS = {
    "verify one, key bytes": ("ed25519.verify_raw", 1),
    "sign one, 32 bytes": ("ed25519.sign32", 1),
    "batch of 1024, key bytes": (BATCH, 1024),
}
# the curves of batch.svg: ours under `common`, and the peers that stand for a class of CPU; seven at most, or nobody
# finds one
CURVES = ["sigmill", "dalek-serial", "dalek", "dalek-ifma", "commonware"]
# points of height that a label takes at the end of its curve
LABEL = 10
# ours in blues by rule, other libraries in other hues; one hue a library, one line style a backend
RULES = {"common": "#08306b", "strict": "#2171b5", "zip215": "#41b6c4"}
BACKENDS = {"ifma": "-", "avx2": "--", "portable": "-.", "aarch64": "-"}
LANES = ":"
PEERS = {
    "dalek-serial": ("#d95f02", "-."),
    "dalek": ("#d95f02", "--"),
    "dalek-ifma": ("#d95f02", "-"),
    "zebra": ("#7a5195", "--"),
    "zebra-ifma": ("#7a5195", "-"),
    "solana": ("#b8860b", "--"),
    "solana-serial": ("#b8860b", "-."),
    "commonware": ("#c51b7d", "-"),
    "ed25519-simd": ("#4d9221", "-"),
    "crypto_mb": ("#000000", "-"),
}
GREY = "#8a8a8a"
# what an interrupt has hit says nothing about an engine
SHOWN = 0.9

plt.rcParams.update({
    "svg.hashsalt": "sigmill",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "white",
})


def is_drawn(line):
    """Lanes take as long under every rule; from C it is as long as from Rust."""
    if line["engine"] == "sigmill-c":
        return False
    return line["engine"] != "sigmill-lanes" or line["rule"] == "common"


def label(record, line):
    """An engine with its class, where that is not what the CPU has, and with its rule, where it has been measured
    with several or is ours."""
    rules = {other["rule"] for other in record.of(line["op"], line["engine"])}
    named = line["rule"] and (ours(line["engine"]) or len(rules) > 1)
    kind = f", {CLASSES[record.kind].split(' ')[0]}" if ours(line["engine"]) and record.kind != "ifma" else ""
    return record.name(line["engine"]) + kind + (f" ({line['rule']})" if named else "")


def style(record, line):
    if line["engine"] == "sigmill-lanes":
        return RULES["common"], LANES
    if ours(line["engine"]):
        return RULES.get(line["rule"], RULES["common"]), BACKENDS[record.kind]
    return PEERS.get(line["engine"], (GREY, "-"))


def plain(value, _):
    return f"{value:g}"


def save(figure, name):
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / name
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    # hundredths of a point are enough, and a line may not end in a blank
    text = re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number.group()):.2f}", path.read_text())
    path.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n")
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} KiB")


def apart(heights, least):
    """The heights, sorted upwards and moved as little as need be so that neighbours are `least` apart."""
    groups = []
    for height in heights:
        groups.append([height, 1])
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < least * (groups[-1][1] + groups[-2][1]) / 2:
            (upper, n), (lower, m) = groups.pop(), groups.pop()
            groups.append([(upper * n + lower * m) / (n + m), n + m])
    return [middle + least * (i - (n - 1) / 2) for middle, n in groups for i in range(n)]


def draw_batch(record):
    """Time against the number of signatures, each curve with its name at its end."""
    curves = []
    for its in record.others().values():
        for engine in CURVES if its.kind == record.kind else ["sigmill"]:
            lines = [line for line in its.of(BATCH, engine) if not ours(engine) or line["rule"] == "common"]
            if lines:
                curves.append((its, sorted(lines, key=lambda line: line["n"])))
    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    curves.sort(key=lambda curve: curve[1][-1]["ns_median"])
    for its, lines in curves:
        color, dashes = style(its, lines[0])
        is_ours = ours(lines[0]["engine"])
        axes.plot(
            [line["n"] for line in lines],
            [line["ns_median"] / 1000 for line in lines],
            dashes,
            color=color,
            linewidth=2.2 if is_ours else 1.3,
            marker="o" if is_ours else "s",
            markersize=3.5,
            zorder=3 if is_ours else 2,
        )
    axes.set(xscale="log", yscale="log", xlabel="signatures in a batch")
    axes.set_ylabel("µs per signature, median, one thread")
    axes.set_title("Verification of batches, distinct keys, from bytes", loc="left")
    sizes = sorted({line["n"] for _, lines in curves for line in lines})
    ticks = [n for n in sizes if n & (n - 1) == 0]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_major_locator(FixedLocator([1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100]))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(plain))
        axis.set_minor_formatter(NullFormatter())
        axis.set_minor_locator(NullLocator())
    axes.grid(color="#e5e5e5", linewidth=0.6)
    figure.supxlabel(f"{record.cpu()}; {record.place()}", fontsize=7, color="#666666")
    figure.draw_without_rendering()
    to_points = 72 / figure.dpi
    ends = [(lines[-1]["n"], lines[-1]["ns_median"] / 1000) for _, lines in curves]
    heights = [axes.transData.transform(end)[1] * to_points for end in ends]
    for (its, lines), end, height, place in zip(curves, ends, heights, apart(heights, LABEL)):
        is_ours = ours(lines[0]["engine"])
        axes.annotate(
            label(its, lines[0]),
            end,
            (8, place - height),
            textcoords="offset points",
            va="center",
            fontsize=8,
            fontweight="bold" if is_ours else "normal",
            color=style(its, lines[0])[0],
        )
    save(figure, "batch.svg")


def shown(samples):
    """The fastest samples; they are sorted."""
    return samples[: max(1, round(len(samples) * SHOWN))]


def draw_spread(record):
    """The distributions of the times of single operations and of one batch."""
    panels = {}
    for title, (op, n) in PANELS.items():
        lines = [line for line in record.of(op, n=n) if is_drawn(line) and line.get("ns_samples")]
        panels[title] = sorted(lines, key=lambda line: -line["ns_median"])
    if not all(panels.values()):
        sys.exit(f"plots: {record.place()} keeps no distributions (ns_samples), so spread.svg is not drawn")
    heights = [len(lines) + 1 for lines in panels.values()]
    figure, all_axes = plt.subplots(
        len(panels), 1, figsize=(9, 0.21 * sum(heights) + 1), height_ratios=heights, layout="constrained"
    )
    for axes, (title, lines) in zip(all_axes, panels.items()):
        samples = [[time / 1000 for time in shown(line["ns_samples"])] for line in lines]
        # all values alike have no density
        drawn = [i for i, times in enumerate(samples) if len(set(times)) > 1]
        parts = axes.violinplot(
            [samples[i] for i in drawn],
            drawn,
            orientation="horizontal",
            widths=0.9,
            showextrema=False,
            points=40,
        )
        for i, body in zip(drawn, parts["bodies"]):
            body.set(facecolor=style(record, lines[i])[0], alpha=0.75, linewidth=0)
        for i, line in enumerate(lines):
            median = line["ns_median"] / 1000
            axes.vlines(median, i - 0.4, i + 0.4, color=style(record, line)[0], linewidth=1.2)
            axes.annotate(
                f"{median:.2f}", (max(samples[i]), i), (4, 0), textcoords="offset points", va="center", fontsize=7
            )
        axes.set_yticks(range(len(lines)), [label(record, line) for line in lines], fontsize=8)
        for tick, line in zip(axes.get_yticklabels(), lines):
            tick.set_fontweight("bold" if ours(line["engine"]) else "normal")
        axes.set_xlim(0, 1.08 * max(max(times) for times in samples))
        axes.set_title(title, loc="left")
        axes.grid(axis="x", color="#e5e5e5", linewidth=0.6)
        axes.set_axisbelow(True)
    all_axes[-1].set_xlabel(f"µs per signature, one thread; the fastest {SHOWN:.0%} of the times, and the median")
    figure.supxlabel(f"{record.cpu()}; {record.place()}", fontsize=7, color="#666666")
    save(figure, "spread.svg")


def main():
    parser = argparse.ArgumentParser(prog="bench/plots", description="Draws docs/plots/*.svg.")
    parser.add_argument("record", nargs="?", help="a record; the newest below bench/record if not given")
    args = parser.parse_args()
    record = Record(args.record) if args.record else newest()[0]
    if reason := record.unfit():
        sys.exit(f"plots: {record.place()} cannot be shown: {reason}")
    if record.kind is None:
        sys.exit(f"plots: {record.place()} is of no known class of CPU")
    if not record.of(BATCH):
        sys.exit(f"plots: {record.place()} has no {BATCH}")
    draw_batch(record)
    draw_spread(record)


main()
