"""Some answers to one prompt, growing word by word on a manager that is watched."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from string import ascii_uppercase
from typing import ParamSpec

from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.replay import Event, RecordedManager, RecordedPool
from pagedkv_edu.viz.beam_memory import SceneMemory
from pagedkv_edu.viz.scripted_words import next_words

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Node:
    """One word of the tree; the root stands for the whole prompt."""

    node_id: int
    parent_id: int | None
    word: str
    seq_id: str  # who wrote it
    born: int  # index of the event that made room for it


@dataclass(frozen=True, slots=True)
class Choice:
    """A continuation of a sequence by one word, and the probability of the whole."""

    seq_id: str
    word: str
    score: float


@dataclass(slots=True)
class Moment:
    """What the tree looks like after an event, and why the event happened."""

    leaf_by_seq: dict[str, int]
    why: str
    words: dict[int, list[str]]  # by block: the words in its filled slots
    damaged: tuple[str, ...] = ()  # who reads other words than it wrote


class Scene:
    """A prompt and its answers: every change is a call of the manager under study.

    A step of beam search forks, then frees, then appends; the copies are carried out
    before the words are written, as in the lesson. A call that the manager refuses
    ends the step.
    """

    def __init__(
        self,
        make_manager: Callable[[PoolLike, int], ManagerLike],
        make_pool: Callable[[int], PoolLike],
        *,
        prompt: Sequence[str],
        block_size: int,
        num_blocks: int,
        seed: int = 0,
    ) -> None:
        self.prompt = list(prompt)
        self.block_size = block_size
        self._rng = Random(seed)
        self._num_named = 0
        pool = RecordedPool(make_pool(num_blocks))
        manager = make_manager(pool, block_size)
        self._manager = RecordedManager(manager, pool, block_size)
        self._memory = SceneMemory(self._manager, block_size)
        self.nodes = [Node(0, None, " ".join(prompt), "A", 0)]
        self.moments: list[Moment] = []
        self._leaf_by_seq: dict[str, int] = {}
        self._score_by_seq: dict[str, float] = {}
        self._begin(self._new_name())

    @property
    def events(self) -> list[Event]:
        """The events of the manager, one for each moment."""
        return self._manager.events

    @property
    def live(self) -> list[str]:
        """The unfinished sequences, oldest first."""
        return list(self._leaf_by_seq)

    def twin(self) -> "Scene":
        """Return a copy to try things on; it knows the present, not the past."""
        past: dict[int, object] = {id(self.events): [], id(self.moments): []}
        return deepcopy(self, past)

    def words(self, seq_id: str) -> list[str]:
        """Return what a sequence has written, the prompt first."""
        words: list[str] = []
        node_id: int | None = self._leaf_by_seq[seq_id]
        while node_id:
            words.append(self.nodes[node_id].word)
            node_id = self.nodes[node_id].parent_id
        return [*self.prompt, *reversed(words)]

    def best(self, width: int) -> list[Choice]:
        """Return the best continuations of all sequences, as many as width."""
        choices = [
            Choice(seq_id, word, self._score_by_seq[seq_id] * probability)
            for seq_id in self.live
            for word, probability in next_words(self.words(seq_id)[-1]).items()
        ]
        return sorted(choices, key=lambda choice: -choice.score)[:width]

    def beam_step(self, width: int) -> bool:
        """Keep the best continuations; return whether every call succeeded."""
        best = self.best(width)
        word_by_seq: dict[str, Choice] = {}
        for choice in best:
            seq_id = choice.seq_id
            if seq_id in word_by_seq:
                why = f"{seq_id} has more than one of the best {width} continuations."
                child_id = self._fork(seq_id, why)
                if child_id is None:
                    return False
                seq_id = child_id
            word_by_seq[seq_id] = choice
        for seq_id in self.live:
            if seq_id not in word_by_seq:
                why = f"None of the best {width} continuations is of {seq_id}."
                if not self._free(seq_id, f"{why} It is pruned."):
                    return False
        done = self._write({s: choice.word for s, choice in word_by_seq.items()})
        for seq_id in done:
            self._score_by_seq[seq_id] = word_by_seq[seq_id].score
        return len(done) == len(word_by_seq)

    def sample_step(self) -> bool:
        """Let every sequence draw its next word; return whether all succeeded."""
        words = {seq_id: self._draw(seq_id) for seq_id in self.live}
        return len(self._write(words)) == len(words)

    def fork(self, seq_id: str) -> bool:
        """Let another sequence begin like this one."""
        return self._fork(seq_id, "") is not None

    def write(self, seq_id: str) -> bool:
        """Let one sequence write the word that is most probable next."""
        following = next_words(self.words(seq_id)[-1])
        word = max(following, key=lambda word: following[word])
        return bool(self._write({seq_id: word}))

    def free(self, seq_id: str) -> bool:
        """End one sequence."""
        return self._free(seq_id, "")

    def _begin(self, seq_id: str) -> None:
        if not self._call(self._manager.add, seq_id, len(self.prompt)):
            self._keep("")
            return
        self._leaf_by_seq[seq_id], self._score_by_seq[seq_id] = 0, 1.0
        self._call(self._memory.write, seq_id, 0, self.prompt)
        self._keep(f"{seq_id} is the prompt.")

    def _fork(self, seq_id: str, why: str) -> str | None:
        child_id = self._new_name()
        done = self._call(self._manager.fork, seq_id, child_id)
        if done:
            self._leaf_by_seq[child_id] = self._leaf_by_seq[seq_id]
            self._score_by_seq[child_id] = self._score_by_seq[seq_id]
            self._memory.share(seq_id, child_id)
        self._keep(why)
        return child_id if done else None

    def _free(self, seq_id: str, why: str) -> bool:
        done = self._call(self._manager.free, seq_id)
        if done:
            del self._leaf_by_seq[seq_id], self._score_by_seq[seq_id]
        self._keep(why)
        return done

    def _write(self, word_by_seq: Mapping[str, str]) -> list[str]:
        """Append one word to each sequence, in order; return those that got room."""
        done: list[str] = []
        self._manager.step += 1
        for seq_id, word in word_by_seq.items():
            if not self._call(self._append, seq_id):
                self._keep(f'{seq_id} was to go on with "{word}".')
                break
            leaf = self._leaf_by_seq[seq_id]
            node = Node(len(self.nodes), leaf, word, seq_id, len(self.moments))
            self.nodes.append(node)
            self._leaf_by_seq[seq_id] = node.node_id
            self._keep(f'{seq_id} goes on with "{word}".')
            done.append(seq_id)
        for seq_id in done:
            words = self.words(seq_id)
            # a wrong table may have no such entry; reading will show it
            self._call(self._memory.write, seq_id, len(words) - 1, words[-1:])
        if self.moments:
            self.moments[-1].words = self._memory.words_by_block(self.live)
            self.moments[-1].damaged = tuple(
                seq_id
                for seq_id in self.live
                if self._memory.read(seq_id) != self.words(seq_id)
            )
        return done

    def _draw(self, seq_id: str) -> str:
        following = next_words(self.words(seq_id)[-1])
        (word,) = self._rng.choices(list(following), list(following.values()))
        return word

    def _new_name(self) -> str:
        lap, letter = divmod(self._num_named, len(ascii_uppercase))
        self._num_named += 1
        return ascii_uppercase[letter] + (str(lap) if lap else "")

    def _append(self, seq_id: str) -> None:
        # nothing is written before the last append, so a copy may be made at once
        self._memory.copy(self._manager.append(seq_id))

    def _call(self, call: Callable[P, object], *args: P.args, **kw: P.kwargs) -> bool:
        try:
            call(*args, **kw)
        except Exception:  # noqa: BLE001  (a learner's manager may fail in any way)
            return False  # a call of the manager is an event, with its error
        return True

    def _keep(self, why: str) -> None:
        moment = Moment(
            dict(self._leaf_by_seq), why, self._memory.words_by_block(self.live)
        )
        self.moments.append(moment)
