"""A race as JSON: what the race view is fed with."""

from collections.abc import Sequence

from pagedkv_edu.replay.race_text import (
    RESERVATIONS,
    ContiguousTeller,
    PagedTeller,
    headline,
    waits,
)
from pagedkv_edu.report import Json
from pagedkv_edu.serving.race import Race
from pagedkv_edu.serving.race_steps import ContiguousStep, PagedStep


def encode_race(race: Race) -> Json:
    """Return a race as JSON.

    {"num_slots", "block_size", "num_blocks", "num_steps", "reservation", "requests",
    "contiguous": {fit: run}, "paged": run, "layouts", "texts"}. A run has "steps",
    "done" (its last step), "waits" ([name, first step, step after the last]) and
    "peak", the most slots that held a token. Who holds what, and each sentence, stands
    once in "layouts" and "texts"; a step has its index there. A run that is done goes
    on as an empty cache.
    """
    encoder = _Encoder(race)
    return {
        "num_slots": race.num_slots,
        "block_size": race.block_size,
        "num_blocks": race.num_slots // race.block_size,
        "num_steps": encoder.num_steps,
        "reservation": RESERVATIONS[race.policy],
        "requests": [
            {
                "name": str(request.request_id),
                "prompt": request.num_prompt_tokens,
                "asked": race.asked_by_name[str(request.request_id)],
            }
            for request in race.requests
        ],
        "contiguous": {
            fit: _run(steps, encoder.contiguous(fit))
            for fit, steps in race.contiguous.items()
        },
        "paged": _run(race.paged, encoder.paged()),
        "layouts": encoder.layouts.values,
        "texts": encoder.texts.values,
    }


def _run(
    steps: Sequence[ContiguousStep] | Sequence[PagedStep], encoded: list[Json]
) -> Json:
    return {
        "steps": encoded,
        "done": len(steps) - 1,
        "waits": [list(span) for span in waits(steps)],
        "peak": max((sum(step["tokens"]) for step in encoded), default=0),
    }


class _Table:
    """Keeps each value once, and knows its index."""

    def __init__(self) -> None:
        self.values: list[Json | str] = []
        self._index_by_key: dict[str, int] = {}

    def index(self, value: Json | str) -> int:
        key = repr(value)
        if key not in self._index_by_key:
            self._index_by_key[key] = len(self.values)
            self.values.append(value)
        return self._index_by_key[key]


class _Encoder:
    def __init__(self, race: Race) -> None:
        self.num_steps = max(map(len, [race.paged, *race.contiguous.values()]))
        self.layouts = _Table()
        self.texts = _Table()
        self._race = race
        self._paged = PagedTeller(race)

    def contiguous(self, fit: str) -> list[Json]:
        teller = ContiguousTeller(self._race, fit)
        return [self._contiguous_step(teller, i) for i in range(self.num_steps)]

    def paged(self) -> list[Json]:
        return [self._paged_step(i) for i in range(self.num_steps)]

    def _contiguous_step(self, teller: ContiguousTeller, i: int) -> Json:
        step = teller.step(i)
        kind, sentence = headline(teller, self._paged, i)
        layout = {
            "held": [[held.name, held.start, held.num_slots] for held in step.held],
            "holes": [list(hole) for hole in step.holes],
            "waiting": list(step.waiting),
            "options": dict(step.hole_if_ended),
        }
        return {
            "layout": self.layouts.index(layout),
            "tokens": [held.num_tokens for held in step.held],
            "kind": kind,
            "headline": self.texts.index(sentence),
            "text": self.texts.index(teller.text(i)),
        }

    def _paged_step(self, i: int) -> Json:
        step = self._paged.step(i)
        layout = {
            "held": [[held.name, list(held.block_ids)] for held in step.held],
            "free": step.num_free,
            "waiting": list(step.waiting),
        }
        started = [held.block_ids for held in step.held if held.name in step.admitted]
        grown = [(block_id,) for _, block_id in step.grown]
        return {
            "layout": self.layouts.index(layout),
            "tokens": [held.num_tokens for held in step.held],
            "ringed": [b for block_ids in started or grown for b in block_ids],
            "text": self.texts.index(self._paged.text(i)),
            "caption": self.texts.index(self._paged.caption(i)),
        }
