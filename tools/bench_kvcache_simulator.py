"""Replay a trace through kvcache-simulator's Python engine, as `bench_serving` asks."""

from collections.abc import Sequence
from pathlib import Path

from kvcache_sim.plan import build_execution_plan
from kvcache_sim.policies import simulate_policy
from kvcache_sim.trace import parse_trace_lines


def replay_theirs(path: Path, capacities: Sequence[int], block_size: int) -> None:
    """Read a trace, plan it once, and replay it at each capacity in blocks."""
    lines = path.read_text().splitlines()
    plan = build_execution_plan(parse_trace_lines(lines, block_size=block_size))
    for num_blocks in capacities:
        simulate_policy(plan, "lru", num_blocks)
