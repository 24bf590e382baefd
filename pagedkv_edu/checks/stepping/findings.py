"""What one step did otherwise than the reference, and how it is said."""

from collections.abc import Sequence
from dataclasses import dataclass

from pagedkv_edu.checks.hints import serve as hint
from pagedkv_edu.checks.judging.limits import shown
from pagedkv_edu.checks.judging.wording import amount, joined
from pagedkv_edu.checks.stepping.toy import Service
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.serving.plan import StepPlan


@dataclass(frozen=True, slots=True)
class StepFinding:
    """The first difference of a step."""

    title: str
    expected: str
    found: str
    compared: str
    expected_value: str
    found_value: str
    hint: str


def first_difference(
    yours: Service, reference: Service, returned: object
) -> StepFinding | None:
    """Compare one step of both, in the order in which its parts happen."""
    for compare in (_plans, _copies, _computed, _rows, _known, _finished):
        found = compare(yours, reference)
        if found:
            return found
    plan = yours.scheduler.plans[0]
    if isinstance(returned, StepPlan) and returned == plan:
        return None
    return StepFinding(
        f"returned {shown(returned)}; expected the plan",
        "the plan of this step. The caller reads from it what was decided.",
        f"{shown(returned)}{'; is a return missing?' if returned is None else '.'}",
        "my_step(...)",
        "the plan",
        shown(returned),
        hint.RETURN,
    )


def _plans(yours: Service, reference: Service) -> StepFinding | None:
    count = len(yours.scheduler.plans)
    if count == 1:
        return None
    return StepFinding(
        f"called scheduler.step() {amount(count, 'time')}; expected once",
        "one plan for one step. A second plan gives tokens and blocks away again, and "
        "the first is never carried out.",
        f"{amount(count, 'call')}.",
        "calls of scheduler.step()",
        "1",
        str(count),
        hint.ONE_PLAN,
    )


def _copies(yours: Service, reference: Service) -> StepFinding | None:
    due, made = reference.engine.copies, yours.engine.copies
    late = "copy" in yours.log and yours.log.index("copy") > _first(yours, "compute")
    if len(due) == len(made) and not late:
        return None
    title = f"carried out {amount(len(made), 'copy')}; expected {len(due)}"
    title = title.replace("copys", "copies")
    found = f"{len(made)} of {len(due)} copies."
    if late:
        title = "copied after computing; expected the copies first"
        found = "engine.compute(...) came before engine.copy(...)."
    return StepFinding(
        title,
        f"engine.copy(plan.copies) before engine.compute(...): "
        f"{amount(len(due), 'block')} must be in place before anything is written or "
        "read.",
        found,
        "copies before the computation",
        str(len(due)),
        "0" if late else str(len(made)),
        hint.COPIES,
    )


def _first(service: Service, word: str) -> int:
    return service.log.index(word) if word in service.log else len(service.log)


def _computed(yours: Service, reference: Service) -> StepFinding | None:
    count = yours.log.count("compute")
    if count == 1 or (count == 0 and not reference.engine.rows):
        return None
    return StepFinding(
        f"called engine.compute(...) {amount(count, 'time')}; expected once",
        "one call with the rows of all scheduled sequences. The model reads its "
        "weights once for all of them; that is what batching saves.",
        f"{amount(count, 'call')}.",
        "calls of engine.compute(...)",
        "1",
        str(count),
        hint.ONE_BATCH,
    )


def _rows(yours: Service, reference: Service) -> StepFinding | None:
    due, found = _row_texts(reference), _row_texts(yours)
    if sorted(due) == sorted(found):
        return None
    wrong = [row for row in found if row not in due]
    missing = [row for row in due if row not in found]
    first_found = wrong[0] if wrong else "no such row"
    first_due = missing[0] if missing else "no such row"
    return StepFinding(
        f"computed {first_found}; expected {first_due}",
        f"{first_due}: the last of the tokens that have a slot, as many as the plan "
        "says.",
        f"{first_found}.",
        "a row of engine.compute(...)",
        first_due,
        first_found,
        hint.ROWS,
    )


def _row_texts(service: Service) -> list[str]:
    return [
        f"{_where(token_ids, table.seq_len)}"
        for table, token_ids in service.engine.rows
    ]


def _where(token_ids: Sequence[int], seq_len: int) -> str:
    return f"tokens {list(token_ids)} with seq_len {seq_len}"


def _known(yours: Service, reference: Service) -> StepFinding | None:
    for seq_id, due in reference.known.items():
        found = yours.known.get(seq_id)
        if found == due:
            continue
        scheduled = reference.scheduler.plans[0].scheduled.get(seq_id, 0)
        why = _why(scheduled, len(due), len(found or ()))
        return StepFinding(
            f"left {_ending(seq_id, found)}; expected {_ending(seq_id, due)}",
            f"{_ending(seq_id, due)}. {why}",
            f"{_ending(seq_id, found)}.",
            f'known["{seq_id}"]',
            str(due),
            str(found),
            hint.APPEND,
        )
    return None


def _ending(seq_id: SeqId, tokens: Sequence[int] | None) -> str:
    if tokens is None:
        return f'no known["{seq_id}"]'
    return f'{amount(len(tokens), "token")} in known["{seq_id}"]'


def _why(num_scheduled: int, num_due: int, num_found: int) -> str:
    if not num_scheduled:
        return "It was not scheduled, so it has nothing new."
    if num_found > num_due:
        return "Only a part of what is known was computed, so nothing new is chosen."
    return "All that was known has been computed, so one token is new."


def _finished(yours: Service, reference: Service) -> StepFinding | None:
    due, found = reference.scheduler.finished, yours.scheduler.finished
    if sorted(map(str, due)) == sorted(map(str, found)):
        return None
    said = joined(found) if found else "nobody"
    wanted = joined(due) if due else "nobody"
    return StepFinding(
        f"finished {said}; expected {wanted}",
        f"scheduler.finish(...) for {wanted}: for whoever is over after its new token, "
        "once, so that its blocks are free in the next step.",
        f"finished {said}.",
        "scheduler.finish(...)",
        wanted,
        said,
        hint.FINISH,
    )
