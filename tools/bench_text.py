"""What the benchmarks say of a ratio, and of the machine."""

import platform
from pathlib import Path
from statistics import median


def ratio_text(slower: list[float], faster: list[float]) -> str:
    """Return how many times faster one is: the median of the rounds, and the range."""
    ratios = sorted(b / a for a, b in zip(slower, faster, strict=True))
    return f"{median(ratios):.2f} (rounds: {ratios[0]:.2f} to {ratios[-1]:.2f})"


def cpu_name() -> str:
    """Return the processor's name, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
