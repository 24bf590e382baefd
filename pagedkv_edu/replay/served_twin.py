"""The same prompts in a contiguous cache of the same size: who would run by now.

Each running sequence keeps room for the most that it may need, so only a few places
fit into the slots. Those that find no place wait, and are late from then on.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class _Answer:
    label: str
    num_prompt: int
    asked: int  # the step from which it may run
    began: int | None = None
    length: int | None = None  # of the whole answer, once the paged run knows it


class ContiguousTwin:
    """Places of equal size, each for one sequence at a time, first come first served.

    It learns an answer's length when the paged run has ended it. That is never too
    late: the twin begins no sequence earlier, and writes a token a step as well.

    >>> twin = ContiguousTwin(num_places=1)
    >>> twin.submit("A", 5, 0); twin.submit("B", 3, 0)
    >>> twin.step(0, {}), twin.step(1, {"A": 2}), twin.step(2, {})
    ([['A', 5, 0]], [['A', 6, 0]], [['B', 3, 2]])
    """

    def __init__(self, num_places: int) -> None:
        self.num_places = num_places
        self._queue: list[_Answer] = []
        self._places: list[_Answer | None] = [None] * num_places

    def submit(self, label: str, num_prompt: int, step: int) -> None:
        """Queue a sequence from a step on."""
        self._queue.append(_Answer(label, num_prompt, step))

    def step(self, step: int, ended: dict[str, int]) -> list[list[object]]:
        """Return [label, tokens, steps late] of each place in use; ended: lengths."""
        for answer in (*self._queue, *self._places):
            if answer is not None and answer.label in ended:
                answer.length = ended[answer.label]
        for place, answer in enumerate(self._places):
            if answer is not None and self._is_over(answer, step):
                self._places[place] = None
            if self._places[place] is None and self._queue:
                begins = self._queue.pop(0)
                begins.began = step
                self._places[place] = begins
        return [
            [
                answer.label,
                answer.num_prompt + step - (answer.began or 0),
                (answer.began or 0) - answer.asked,
            ]
            for answer in self._places
            if answer is not None
        ]

    def _is_over(self, answer: _Answer, step: int) -> bool:
        began = answer.began or 0
        return answer.length is not None and step - began >= answer.length
