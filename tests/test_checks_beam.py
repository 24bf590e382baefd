from collections.abc import Callable, Mapping, Sequence

import pytest

from pagedkv_edu.checks.beams.run import beam_step
from pagedkv_edu.checks.copy_on_write import check_beam_step
from pagedkv_edu.protocols import BlockCopy, ManagerLike
from tests.mutants.copy_on_write import frees_last


def looks_past_the_end(
    manager: ManagerLike, beams: Sequence[str], parent_by_beam: Mapping[str, str]
) -> list[BlockCopy]:
    return [beam_step(manager, beams, parent_by_beam)[9]]


def forgets_to_return(
    manager: ManagerLike, beams: Sequence[str], parent_by_beam: Mapping[str, str]
) -> None:
    beam_step(manager, beams, parent_by_beam)


@pytest.mark.parametrize(
    ("answer", "headline", "error"),
    [
        (looks_past_the_end, " raised IndexError", "IndexError: list index"),
        (forgets_to_return, " returned None", "returned None"),
    ],
)
def test_a_step_without_a_proper_answer_is_told_in_the_film_as_in_the_report(
    answer: Callable[..., object], headline: str, error: str
):
    last = check_beam_step(answer).films["yours"]["frames"][-1]

    assert last["headline"].endswith(headline)
    assert last["error"].startswith(error)
    assert last["kind"] == "refuse"


def test_no_copies_are_counted_in_english():
    frames = check_beam_step(frees_last).films["reference"]["frames"]

    assert frames[-1]["headline"] == "One step of beam search: no copies"
