"""A run of a real model as JSON: who wrote what into which block, step by step.

It is what the live view draws, what a recording keeps, and what an offline page plays.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pagedkv_edu.errors import InvalidSize, UnknownSequence
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay.events import TableState
from pagedkv_edu.replay.film import KEYFRAME_EVERY
from pagedkv_edu.replay.served_text import headline, tell
from pagedkv_edu.replay.served_twin import ContiguousTwin
from pagedkv_edu.report import Json
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.served import AnswerSoFar, Counters, ServedStep
from pagedkv_edu.sizes import require_positive


@dataclass(frozen=True, slots=True)
class ServedPrompt:
    """A prompt as it is shown: its letter, what was asked, and its tokens as text."""

    seq_id: SeqId
    label: str  # "A"
    text: str  # what was asked, without the words around it that the model wants
    pieces: tuple[str, ...]  # one for each token of the prompt


class ServedFilm:
    """Turns the steps of a server into frames, one for each step.

    It keeps observations only: the tables that attention read, the texts that came,
    and who was admitted, preempted or done. So it is as true of a learner's manager as
    of ours. The frames have the shape of `replay.film.encode`, with more in them.
    """

    def __init__(
        self, num_blocks: int, block_size: int, reserve: int, token_bytes: int = 0
    ) -> None:
        self.num_blocks = require_positive("num_blocks", num_blocks)
        self.block_size = require_positive("block_size", block_size)
        self.reserve = require_positive("reserve", reserve)
        self.token_bytes = token_bytes
        self.frames: list[Json] = []
        self._prompts: dict[SeqId, ServedPrompt] = {}
        self._tables: dict[SeqId, TableState] = {}
        self._states: dict[SeqId, str] = {}
        self._num_tokens: dict[SeqId, int] = {}  # of the answers
        self._twin = ContiguousTwin(num_blocks * block_size // reserve)

    def ask(self, prompt: ServedPrompt) -> None:
        """Take up a prompt; its sequence waits until a step admits it."""
        if prompt.seq_id in self._prompts:
            raise InvalidSize(f"the prompt {prompt.label} is there already")
        self._prompts[prompt.seq_id] = prompt
        self._states[prompt.seq_id] = "waiting"
        self._twin.submit(prompt.label, len(prompt.pieces), len(self.frames))

    def add(self, step: ServedStep) -> Json:
        """Return the frame of a step, and keep it.

        Raises `UnknownSequence` for a sequence whose prompt was not asked.
        """
        for answer in step.answers:
            self._known(answer.seq_id)
        before_tables, before_states = dict(self._tables), dict(self._states)
        dropped = self._take_away(step)
        for seq_id, table in step.tables.items():
            state = TableState(tuple(table.block_ids), table.seq_len)
            self._tables[seq_id] = state
            self._states[seq_id] = "running"
        taken, load = self._taken(step, before_tables), self._load()
        freed = self._end(step.answers)
        for answer in step.answers:
            self._num_tokens[answer.seq_id] = answer.num_tokens
        frame = self._frame(step, before_tables, before_states)
        frame |= {"taken_by": taken, "freed_by": freed, "dropped_by": dropped}
        frame |= {"beside": self._beside(step), "num_free": step.num_free}
        frame["load"] = load
        frame["headline"] = headline(frame)
        frame["text"] = tell(frame, self._states_by_label(), self.token_bytes)
        self.frames.append(frame)
        return frame

    def end_all(self, num_free: int) -> Json | None:
        """Return a frame in which everybody who is left was stopped, if anybody is."""
        left = [s for s, state in self._states.items() if state != "finished"]
        if not left:
            return None
        answers = tuple(
            AnswerSoFar(s, "", self._num_tokens.get(s, 0), "cancelled") for s in left
        )
        step = ServedStep(
            len(self.frames),
            StepPlan({}),
            (),
            {},
            answers,
            Counters(),
            self.num_blocks,
            num_free,
        )
        return self.add(step)

    def to_json(self, title: str, source: str) -> Json:
        """Return everything so far: what a recording keeps and the view takes."""
        return {
            "title": title,
            "source": source,
            "num_blocks": self.num_blocks,
            "block_size": self.block_size,
            "reserve": self.reserve,
            "token_bytes": self.token_bytes,
            "prompts": [prompt_json(prompt) for prompt in self._prompts.values()],
            "frames": list(self.frames),
        }

    def _known(self, seq_id: SeqId) -> ServedPrompt:
        if seq_id not in self._prompts:
            raise UnknownSequence(f"no prompt {seq_id!r} was asked; call ask() first")
        return self._prompts[seq_id]

    def _take_away(self, step: ServedStep) -> dict[str, list[int]]:
        """Note who lost its blocks in this step, and which."""
        lost: dict[str, list[int]] = {}
        moved = dict.fromkeys(step.plan.swapped_out, "host")
        for seq_id, state in (
            dict.fromkeys(step.plan.preempted, "preempted") | moved
        ).items():
            table = self._tables.pop(seq_id, None)
            lost[self._known(seq_id).label] = list(table.block_ids) if table else []
            self._states[seq_id] = state
        return lost

    def _load(self) -> dict[str, int]:
        """Return who runs while the step computes, and what that takes."""
        filled: dict[int, int] = {}
        for table in self._tables.values():
            for logical, block_id in enumerate(table.block_ids):
                here = min(self.block_size, table.seq_len - logical * self.block_size)
                filled[block_id] = max(here, filled.get(block_id, 0))
        return {
            "running": len(self._tables),
            "tokens": sum(filled.values()),
            "blocks": len(filled),
        }

    def _taken(
        self, step: ServedStep, before: Mapping[SeqId, TableState]
    ) -> dict[str, list[int]]:
        """Return, by label, the blocks that are new in its table."""
        taken: dict[str, list[int]] = {}
        for seq_id, table in step.tables.items():
            old = before[seq_id].block_ids if seq_id in before else ()
            new = [block_id for block_id in table.block_ids if block_id not in old]
            if new:
                taken[self._known(seq_id).label] = new
        return taken

    def _end(self, answers: Sequence[AnswerSoFar]) -> dict[str, list[int]]:
        """Note who ended in this step, and give its blocks back."""
        freed: dict[str, list[int]] = {}
        for answer in answers:
            if not answer.ended or self._states.get(answer.seq_id) == "finished":
                continue
            prompt = self._known(answer.seq_id)
            table = self._tables.pop(answer.seq_id, None)
            freed[prompt.label] = list(table.block_ids) if table else []
            self._states[answer.seq_id] = "finished"
        return freed

    def _frame(
        self,
        step: ServedStep,
        before_tables: Mapping[SeqId, TableState],
        before_states: Mapping[SeqId, str],
    ) -> Json:
        label = {seq_id: p.label for seq_id, p in self._prompts.items()}
        ended = {a.seq_id: a.ended for a in step.answers if a.ended}
        frame: Json = {
            "step": len(self.frames),
            "new": [[label[t.seq_id], t.text] for t in step.new],
            "admitted": [label[seq_id] for seq_id in step.plan.admitted],
            "computed": {label[s]: n for s, n in step.plan.scheduled.items()},
            "hits": {label[s]: n for s, n in step.plan.hit_tokens.items() if n},
            "swapped_in": [label[seq_id] for seq_id in step.plan.swapped_in],
            "copies": [[c.source, c.target, c.kind] for c in step.plan.copies],
            "ended": {
                label[s]: [why, self._answer_len(step, s)] for s, why in ended.items()
            },
            "states": {
                label[s]: state
                for s, state in self._states.items()
                if before_states.get(s) != state or not self.frames
            },
        }
        if len(self.frames) % KEYFRAME_EVERY == 0:
            tables = {label[s]: _table(t) for s, t in self._tables.items()}
            counts = _counts(self._tables.values())
            state = {"counts": counts, "tables": tables, "parents": {}}
            return frame | {"state": state}
        return frame | {"changes": self._changes(before_tables, label)}

    def _changes(
        self, before: Mapping[SeqId, TableState], label: Mapping[SeqId, str]
    ) -> Json:
        seq_ids = dict.fromkeys([*before, *self._tables])
        tables = {
            label[s]: _table(self._tables[s]) if s in self._tables else None
            for s in seq_ids
            if before.get(s) != self._tables.get(s)
        }
        old, new = _counts(before.values()), _counts(self._tables.values())
        counts = {b: new.get(b) for b in {**old, **new} if old.get(b) != new.get(b)}
        return {"counts": counts, "tables": tables, "parents": {}}

    def _answer_len(self, step: ServedStep, seq_id: SeqId) -> int:
        return next(a.num_tokens for a in step.answers if a.seq_id == seq_id)

    def _states_by_label(self) -> dict[str, str]:
        return {self._prompts[s].label: state for s, state in self._states.items()}

    def _beside(self, step: ServedStep) -> list[list[object]]:
        ended = {
            self._prompts[a.seq_id].label: a.num_tokens for a in step.answers if a.ended
        }
        return self._twin.step(len(self.frames), ended)


def prompt_json(prompt: ServedPrompt) -> Json:
    """Return a prompt as the view takes it."""
    return {"seq": prompt.label, "text": prompt.text, "pieces": list(prompt.pieces)}


def _table(table: TableState) -> Json:
    return {"blocks": list(table.block_ids), "len": table.seq_len}


def _counts(tables: Iterable[TableState]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for table in tables:
        for block_id in table.block_ids:
            counts[str(block_id)] = counts.get(str(block_id), 0) + 1
    return counts
