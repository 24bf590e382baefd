"""Schedules as JSON: what the schedule view is fed with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pagedkv_edu.replay.schedule import Moment, Schedule, Track
from pagedkv_edu.replay.schedule_text import ScheduleTeller
from pagedkv_edu.report import Json


@dataclass(frozen=True, slots=True)
class Panel:
    """One schedule of several over the same arrivals."""

    name: str  # "Recompute"
    schedule: Schedule
    policy: str = ""  # of ours, to say why a victim was chosen


def encode_schedules(panels: Sequence[Panel], bytes_per_block: int) -> Json:
    """Return schedules over the same arrivals as JSON, on one axis of steps.

    {"num_steps", "num_blocks", "block_size", "names", "panels", "columns", "rows"}. A
    panel has "tracks" with their spans, "bands" (blocks by owner, where they change),
    "steps" (kind, headline and text, as indices into "texts") and "preemptions", the
    steps with one. "rows" are the numbers of the table, one row for each panel.
    """
    num_steps = max(len(panel.schedule.moments) for panel in panels)
    first = panels[0].schedule
    columns = _columns(panels)
    return {
        "num_steps": num_steps,
        "num_blocks": first.num_blocks,
        "block_size": first.block_size,
        "bytes_per_block": bytes_per_block,
        "names": [track.name for track in first.tracks],
        "panels": [_panel(panel, num_steps) for panel in panels],
        "columns": [*_TOTALS, *(text for text, _, _ in columns)],
        "rows": [_row(panel, columns, bytes_per_block) for panel in panels],
    }


def _panel(panel: Panel, num_steps: int) -> Json:
    teller = ScheduleTeller(panel.schedule, panel.policy)
    texts: dict[str, int] = {}
    steps: list[Json] = []
    for i in range(num_steps + 1):  # the last one is the end
        kind, headline = teller.headline(i)
        steps.append(
            {
                "kind": kind,
                "headline": headline,
                "text": texts.setdefault(teller.text(i), len(texts)),
            }
        )
    moments = panel.schedule.moments
    return {
        "name": panel.name,
        "caption": teller.caption(),
        "stopped": panel.schedule.is_stopped,
        "done": len(moments),
        "tracks": [_track(track) for track in panel.schedule.tracks],
        "bands": _bands(moments),
        "steps": steps,
        "texts": list(texts),
        "preemptions": [i for i, m in enumerate(moments) if m.is_preemption],
    }


def _track(track: Track) -> Json:
    outcome = track.outcome
    return {
        "name": track.name,
        "arrival": outcome.arrival_step,
        "done": outcome.finished_step,
        "first": outcome.first_token_step,
        "outcome": outcome.outcome,
        "spans": [
            [s.kind, s.start, s.stop, s.num_tokens, s.num_blocks, s.note]
            for s in track.spans
        ],
    }


def _bands(moments: Sequence[Moment]) -> list[Json]:
    """Return who holds how much from a step on, wherever that changes."""
    bands: list[Json] = []
    before: Mapping[str, int] = {}
    for i, moment in enumerate(moments):
        if not bands or moment.held != before:
            bands.append({"step": i, "held": dict(moment.held)})
            before = moment.held
    return bands


# --- the table ---------------------------------------------------------------------

_TOTALS = ("preemptions", "tokens computed twice", "moved to the host and back")
_Column = tuple[str, str, str]  # its head, whose number, which number


def _columns(panels: Sequence[Panel]) -> list[_Column]:
    """Choose the requests whose times differ most: a victim, and the last to come."""
    tracks = panels[0].schedule.tracks
    victims = {
        track.name
        for panel in panels
        for track in panel.schedule.tracks
        if track.outcome.num_preemptions
    }
    chosen: list[_Column] = []
    first = next((track.name for track in tracks if track.name in victims), "")
    last = tracks[-1].name if tracks else ""
    if first and first != last:
        chosen.append((f"{first} done", first, "done"))
    if last:
        chosen.append((f"{last} gets its first token", last, "first"))
        chosen.append((f"{last} done", last, "done"))
    return chosen


def _row(panel: Panel, columns: Sequence[_Column], bytes_per_block: int) -> list[str]:
    steps = panel.schedule.result.steps
    moments = panel.schedule.moments
    num_out = sum(
        leave.num_blocks for m in moments for leave in m.leaving if leave.kind == "kept"
    )
    num_in = sum(
        span.num_blocks
        for track in panel.schedule.tracks
        for span in track.spans
        if span.kind == "swap_in"
    )
    mib = [f"{num * bytes_per_block / 2**20:,g}" for num in (num_out, num_in)]
    moved = f"{mib[0]} + {mib[1]} MiB" if num_out else "0 MiB"
    outcomes = {track.name: track.outcome for track in panel.schedule.tracks}
    times = [
        outcomes[name].finished_step
        if which == "done"
        else outcomes[name].first_token_step
        for _, name, which in columns
    ]
    return [
        f"{sum(steps.preemptions):,}",
        f"{sum(steps.recomputed_tokens):,}",
        moved,
        *("not reached" if step is None else f"step {step}" for step in times),
    ]
