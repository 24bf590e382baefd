"""Notebooks as learners hand them in, made from the published solutions."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@cache
def _text(folder: str, notebook: str) -> str:
    return (ROOT / folder / f"{notebook}.ipynb").read_text(encoding="utf-8")


def right(notebook: str) -> dict[str, Any]:
    """The published solution."""
    return json.loads(_text("solutions", notebook))


def empty(notebook: str) -> dict[str, Any]:
    """The exercise as it is handed out."""
    return json.loads(_text("exercises", notebook))


def with_answers(notebook: str, answers: Mapping[str, str]) -> dict[str, Any]:
    """A right notebook but for the answers to some questions: {"10.1": source}."""
    made = right(notebook)
    for exercise_id, source in answers.items():
        answer_cell(made, exercise_id)["source"] = source
    return made


def answer_cell(notebook: dict[str, Any], exercise_id: str) -> dict[str, Any]:
    """The answer cell of one question."""
    number, _, question = exercise_id.partition(".")
    wanted = f"e{number:0>2}-{question}-answer"
    return next(cell for cell in notebook["cells"] if cell["id"] == wanted)


def added(
    notebook: dict[str, Any], source: str, *, before: str, cell_id: str = "mine"
) -> dict[str, Any]:
    """The notebook with a cell of the learner's before an answer."""
    cells = notebook["cells"]
    place = cells.index(answer_cell(notebook, before))
    cell = {
        "cell_type": "code",
        "id": cell_id,
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }
    notebook["cells"] = [*cells[:place], cell, *cells[place:]]
    return notebook


def as_bytes(notebook: dict[str, Any]) -> bytes:
    """The file."""
    return json.dumps(notebook).encode()
