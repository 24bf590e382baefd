"""Measure decoding through block tables on this machine, beside torch.

Two tables for the CPU: ways to decode, and the layouts of a block. First one core, by
its processor time, which other programs disturb little; then all cores, by the clock on
the wall, of which the fastest round is shown. Where there is a GPU, its table follows.

`--out` names a folder for kernels.json, with every round, and kernels.html, a chart.
"""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import plotly.graph_objects as go
import torch
from pagedkv_kernels import HAS_GPU
from pagedkv_kernels.bench import (
    FULL,
    GATHER,
    OURS,
    OURS_CONTIGUOUS,
    PLAIN_HEADS,
    PLAIN_TOKENS,
    QUICK,
    TUNED,
    Timing,
    time_decode_paths,
    time_layouts,
)

from tools.bench_text import cpu_name

PACKAGES = ("torch", "numba", "numpy", "triton", "conch-triton-kernels", "flashinfer")
WAYS = (PLAIN_TOKENS, PLAIN_HEADS, TUNED)


def bench_kernels(
    num_rounds: int, out: Path | None = None, *, quick: bool = False
) -> None:
    """Print the tables; write JSON and a chart if there is a folder for them."""
    shape = QUICK if quick else FULL
    load = os.getloadavg()[0]
    print(
        f"{shape.num_seqs} sequences of {shape.seq_len} tokens, {shape.num_heads} "
        f"heads on {shape.num_kv_heads} KV heads, head_dim {shape.head_dim}, float32: "
        f"{shape.kv_bytes / 1e6:.0f} MB of keys and values"
    )
    if load > 1:
        print(f"other programs run (load {load:.1f}): all cores are worth little")
    results: dict[str, list[Timing]] = {}
    for name, num_threads in (("one core", 1), ("all cores", None)):
        paths = time_decode_paths(shape, num_threads=num_threads, num_rounds=num_rounds)
        layouts = time_layouts(shape, num_threads=num_threads, num_rounds=num_rounds)
        results |= {f"paths, {name}": paths, f"layouts, {name}": layouts}
        print(f"\n{name}, fastest of {num_rounds} rounds")
        print(paths_text(paths))
        print(f"\n{layouts_text(layouts)}")
        print(f"\n{verdict_text(paths)}")
    gpu = _gpu_rows()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        data = {
            "machine": machine(),
            "load": load,
            "shape": asdict(shape),
            "cpu": {name: list(map(asdict, rows)) for name, rows in results.items()},
            "gpu": gpu,
        }
        (out / "kernels.json").write_text(json.dumps(data, indent=1), encoding="utf-8")
        chart(results["paths, one core"]).write_html(out / "kernels.html")


def paths_text(rows: Sequence[Timing]) -> str:
    """Return the ways to decode as a table, against reading alone."""
    read = rows[0]
    lines = [f"{'':<44}{'ms':>8}{'GB/s':>8}{'of reading':>12}"]
    for row in rows:
        share = row.speed_against(read)
        lines.append(f"{label(row):<44}{row.ms:8.1f}{row.gb_per_s:8.1f}{share:>12.0%}")
    return "\n".join(lines)


def layouts_text(rows: Sequence[Timing]) -> str:
    """Return a line for each layout, and a column for each way through it."""
    by_key = {(row.layout, row.path): row for row in rows}
    layouts = dict.fromkeys(row.layout for row in rows)
    head = "".join(f"{way:>28}" for way in WAYS)
    lines = [f"{f'ms, block_size {rows[0].block_size}':<24}{head}"]
    for layout in layouts:
        cells = "".join(f"{by_key[layout, way].ms:28.1f}" for way in WAYS)
        lines.append(f"{layout:<24}{cells}")
    return "\n".join(lines)


def verdict_text(rows: Sequence[Timing]) -> str:
    """Return the ratios that the project aims at, and whether they are reached."""
    ours = {row.block_size: row for row in rows if row.path == OURS}
    whole = next(row for row in rows if row.path == OURS_CONTIGUOUS)
    torch_rows = [row for row in rows if row.path.startswith("torch")]
    torch_rows += [row for row in rows if row.path == GATHER]
    fastest = min(torch_rows, key=lambda row: row.ms)
    rest = [whole.speed_against(row) - 1 for p, row in ours.items() if (p or 0) >= 16]
    at_16 = ours.get(16, whole)
    return "\n".join(
        [
            f"paging, block_size >= 16: at most {max(rest, default=0):+.0%} of time; "
            "aim: <= +10%",
            f"at block_size 16: {at_16.speed_against(fastest):.2f} times as fast as "
            f"{fastest.path}, torch's fastest; aim: >= 1.7",
            f"of reading alone: {at_16.speed_against(rows[0]):.0%}; aim: > 60%",
        ]
    )


def label(row: Timing) -> str:
    """Return "cpu.paged_decode, block_size 16"."""
    if row.block_size:
        return f"{row.path}, block_size {row.block_size}"
    return f"{row.path}, {row.layout}" if row.path.startswith("torch") else row.path


def chart(rows: Sequence[Timing]) -> go.Figure:
    """Return bars of the ways to decode, in ms, the fastest on top."""
    ordered = sorted(rows, key=lambda row: -row.ms)
    ours = {OURS, OURS_CONTIGUOUS}
    colour = ["#0072B2" if row.path in ours else "#8a9099" for row in ordered]
    figure = go.Figure(
        go.Bar(
            x=[row.ms for row in ordered],
            y=[label(row) for row in ordered],
            text=[f"{row.ms:.0f}" for row in ordered],
            marker_color=colour,
            orientation="h",
        )
    )
    figure.update_layout(
        title="Decoding one layer on one core (ours in blue, grey: torch, reading)",
        xaxis_title="milliseconds",
        template="plotly_white",
        height=120 + 28 * len(ordered),
    )
    return figure


def machine() -> dict[str, str]:
    """Return what a figure depends on: processor, cores, versions."""
    found = {"cpu": cpu_name(), "cores": str(os.cpu_count())}
    found["python"] = platform.python_version()
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _gpu_rows() -> list[dict[str, object]]:
    if not HAS_GPU:
        print("\nNo GPU here: nothing was measured on one.")
        return []
    from tools.bench_kernels_gpu import bench_gpu  # noqa: PLC0415  (loads triton)

    print(f"\ntorch {torch.__version__}")
    return bench_gpu()
