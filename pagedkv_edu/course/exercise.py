"""One question of an exercise notebook, and what is known about it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exercise:
    """One question of an exercise notebook.

    `check`, `reference` and `withholds` name things as "module:name", so that this
    table can be read without loading any of them.
    """

    id: str
    title: str
    answer: str  # the name that the learner writes
    notebook: str  # "05_copy_on_write"
    check: str  # "module:function", called with the answer
    reference: str = ""  # what `mine` returns instead; empty: the published solution
    withholds: tuple[str, ...] = ()  # not there when a submission is graded
    use: str = ""  # the line that puts the answer into the lesson
    points: int = 1
    difficulty: int = 1  # of 5
    minutes: int = 10
