"""Measure the course's parts beside named peers: `make bench`, or a part by `--only`.

Each part is a module of its own, which says what is measured and against whom. Time is
the processor's unless a part says otherwise. Rates depend on the machine; ratios, taken
within each round, much less so.
"""

import argparse
import platform
from pathlib import Path

from tools.bench_kernels import bench_kernels
from tools.bench_manager import bench_manager, run_plain
from tools.bench_serving import bench_serving
from tools.bench_text import cpu_name

TRACES = Path(__file__).parents[2] / "shared" / "data"


def main() -> None:
    """Measure and print."""
    parts = {
        "manager": lambda: bench_manager(options.rounds),
        "serving": lambda: bench_serving(options.traces, run_plain, options.rounds),
        "kernels": lambda: bench_kernels(
            options.rounds, options.out, quick=options.quick
        ),
        "engine": lambda: _bench_engine(options.rounds),
    }
    parser = argparse.ArgumentParser(description="Measure the course's parts.")
    parser.add_argument("--only", choices=list(parts), help="one part instead of all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--traces", type=Path, default=TRACES, help="a folder")
    parser.add_argument(
        "--out", type=Path, help="a folder for the kernels' JSON, chart"
    )
    parser.add_argument("--quick", action="store_true", help="smaller kernels' shapes")
    options = parser.parse_args()
    print(f"{cpu_name()}, Python {platform.python_version()} on {platform.system()}")
    for name, bench in parts.items():
        if options.only in (None, name):
            print(f"\n--- {name}")
            bench()


def _bench_engine(num_rounds: int) -> None:
    # transformers takes seconds to load, and the other parts do without
    from tools.bench_engine import bench_engine  # noqa: PLC0415

    bench_engine(num_rounds)


if __name__ == "__main__":
    main()
