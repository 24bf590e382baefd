"""Histories and their films, as a report shows them."""

from dataclasses import replace

from pagedkv_edu.checks.histories import Call, History
from pagedkv_edu.checks.hunt.hunting import Subject
from pagedkv_edu.checks.hunt.kinds import Kind
from pagedkv_edu.checks.hunt.under_test import Make, Notes
from pagedkv_edu.checks.hunt.watching import call_text, contrast, film, lead
from pagedkv_edu.checks.judging.wording import amount
from pagedkv_edu.report import Json, Report


def with_history(subject: Subject, report: Report, kind: Kind) -> Report:
    """Add the shortest history that shows what was let go."""
    history = kind.history
    found, wanted = (lead(m, history) for m in (kind.make, subject.right[0].make))
    differs = contrast(found, wanted)
    assert differs, f"{kind.class_name} does not show in its history"
    leads_to = contrast(found, wanted, of_last=True)
    go_on = ""
    if leads_to and differs.index < len(found) - 1:
        go_on = (
            f"then {leads_to.compared} is {leads_to.found}; of a right one it is "
            f"{leads_to.expected}."
        )
    return replace(
        report,
        setting=f"{kind.class_name}, {sizes(subject, history)}",
        calls=tuple(map(call_text, history.calls)),
        wrong_call=differs.index,
        compared=differs.compared,
        found_value=differs.found,
        expected_value=differs.expected,
        go_on=go_on,
        expected=f"{report.expected} For this one: {kind.why}",
        films=films(subject, history, kind.make, subject.right[0].make),
    )


def history_of(notes: Notes | None) -> History:
    """Return the calls of a check, a row of steps as one."""
    calls: list[Call] = []
    for call in notes.calls if notes else ():
        if call.name == "step" and calls and calls[-1].name == "steps":
            [num] = calls[-1].arguments
            assert isinstance(num, int), call
            calls[-1] = Call("steps", (num + 1,))
        else:
            calls.append(Call("steps", (1,)) if call.name == "step" else call)
    num_blocks, block_size = notes.sizes if notes else (1, 1)
    sizes = ("num_blocks", num_blocks), ("block_size", block_size)
    return History(sizes, tuple(calls))


def sizes(subject: Subject, history: History) -> str:
    """Return the sizes in words: "8 blocks, block_size 4"."""
    blocks = amount(history.size("num_blocks"), "block")
    if subject.noun == "pool":
        return blocks
    return f"{blocks}, block_size {history.size('block_size')}"


def films(
    subject: Subject,
    history: History,
    make: Make,
    beside: Make,
    names: tuple[str, str] = ("the broken one", "a right one"),
) -> Json:
    """Return the same calls on two things as films, one frame for each call."""
    is_pool = subject.noun == "pool"
    films = [film(lead(m, history), history, is_pool=is_pool) for m in (make, beside)]
    return {
        "yours": films[0] | {"name": names[0]},
        "reference": films[1] | {"name": names[1]},
    }
