"""Wrong answers to exercise 13 that learners write, and right ones of another kind."""

from collections.abc import Callable
from typing import Any

from pagedkv_edu.checks.hints import serve as hint
from tests.mutants.block_size import Mutant

Three = tuple[list[int], list[int], list[int]]

# --- 13.1 my_rows --------------------------------------------------------------------


def _slot(block_ids: list[int], size: int, position: int) -> int:
    return block_ids[position // size] * size + position % size


def takes_the_last_known(
    known: list[int], num: int, block_ids: list[int], seq_len: int, size: int
) -> Three:
    positions = list(range(seq_len - num, seq_len))
    return known[-num:], positions, [_slot(block_ids, size, p) for p in positions]


def counts_positions_from_zero(
    known: list[int], num: int, block_ids: list[int], seq_len: int, size: int
) -> Three:
    positions = range(seq_len - num, seq_len)
    slots = [_slot(block_ids, size, p) for p in positions]
    return [known[p] for p in positions], list(range(num)), slots


def one_position_too_far(
    known: list[int], num: int, block_ids: list[int], seq_len: int, size: int
) -> Three:
    positions = list(range(seq_len - num + 1, seq_len + 1))
    tokens = [known[p - 1] for p in positions]
    return tokens, positions, [_slot(block_ids, size, p - 1) for p in positions]


def runs_on_in_the_pool(
    known: list[int], num: int, block_ids: list[int], seq_len: int, size: int
) -> Three:
    positions = list(range(seq_len - num, seq_len))
    first = _slot(block_ids, size, positions[0])
    return [known[p] for p in positions], positions, list(range(first, first + num))


def takes_positions_for_slots(
    known: list[int], num: int, block_ids: list[int], seq_len: int, size: int
) -> Three:
    positions = list(range(seq_len - num, seq_len))
    return [known[p] for p in positions], positions, list(positions)


def pops_from_the_known(
    known: list[int], num: int, block_ids: list[int], seq_len: int, size: int
) -> Three:
    positions = list(range(seq_len - num, seq_len))
    tokens = [known.pop(positions[0]) for _ in positions]
    return tokens, positions, [_slot(block_ids, size, p) for p in positions]


def returns_rows(
    known: list[int], num: int, block_ids: list[int], seq_len: int, size: int
) -> list[tuple[int, int, int]]:
    positions = range(seq_len - num, seq_len)
    return [(known[p], p, _slot(block_ids, size, p)) for p in positions]


# --- 13.2 my_step --------------------------------------------------------------------


def _rows(manager: Any, known: Any, plan: Any) -> Any:
    tables = {s: manager.table(s) for s in plan.scheduled}
    rows = [
        (tables[s], known[s][tables[s].seq_len - n : tables[s].seq_len])
        for s, n in plan.scheduled.items()
    ]
    return tables, rows


def _take_up(scheduler: Any, tables: Any, known: Any, is_over: Any, new: Any) -> None:
    for s, token in zip(tables, new, strict=True):
        if tables[s].seq_len == len(known[s]):
            known[s].append(token)
            if is_over(s):
                scheduler.finish(s)


def forgets_the_copies(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    plan = scheduler.step()
    tables, rows = _rows(manager, known, plan)
    _take_up(scheduler, tables, known, is_over, engine.compute(rows))
    return plan


def copies_after_computing(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    plan = scheduler.step()
    tables, rows = _rows(manager, known, plan)
    new = engine.compute(rows)
    engine.copy(plan.copies)
    _take_up(scheduler, tables, known, is_over, new)
    return plan


def computes_the_last_known_tokens(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    plan = scheduler.step()
    engine.copy(plan.copies)
    tables, _ = _rows(manager, known, plan)
    rows = [(tables[s], known[s][-n:]) for s, n in plan.scheduled.items()]
    _take_up(scheduler, tables, known, is_over, engine.compute(rows))
    return plan


def computes_all_that_is_known(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    plan = scheduler.step()
    engine.copy(plan.copies)
    tables, _ = _rows(manager, known, plan)
    rows = [(tables[s], known[s][: tables[s].seq_len]) for s in plan.scheduled]
    _take_up(scheduler, tables, known, is_over, engine.compute(rows))
    return plan


def appends_after_a_chunk(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    plan = scheduler.step()
    engine.copy(plan.copies)
    tables, rows = _rows(manager, known, plan)
    for s, token in zip(tables, engine.compute(rows), strict=True):
        known[s].append(token)
        if is_over(s):
            scheduler.finish(s)
    return plan


def never_finishes(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    plan = scheduler.step()
    engine.copy(plan.copies)
    tables, rows = _rows(manager, known, plan)
    for s, token in zip(tables, engine.compute(rows), strict=True):
        if tables[s].seq_len == len(known[s]):
            known[s].append(token)
    return plan


def asks_before_it_appends(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    plan = scheduler.step()
    engine.copy(plan.copies)
    tables, rows = _rows(manager, known, plan)
    for s, token in zip(tables, engine.compute(rows), strict=True):
        if is_over(s):
            scheduler.finish(s)
        elif tables[s].seq_len == len(known[s]):
            known[s].append(token)
    return plan


def computes_one_by_one(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    plan = scheduler.step()
    engine.copy(plan.copies)
    tables, rows = _rows(manager, known, plan)
    new = [engine.compute([row])[0] for row in rows]
    _take_up(scheduler, tables, known, is_over, new)
    return plan


def plans_twice(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    engine.copy(scheduler.step().copies)
    plan = scheduler.step()
    tables, rows = _rows(manager, known, plan)
    _take_up(scheduler, tables, known, is_over, engine.compute(rows))
    return plan


def returns_nothing(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> None:
    step_in_parts(scheduler, manager, engine, known, is_over)


def finishes_the_refused(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    plan = step_in_parts(scheduler, manager, engine, known, is_over)
    for s in plan.refused:
        scheduler.finish(s)
    return plan


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "13.1",
        takes_the_last_known,
        "returned ([104, 105], [0, 1], [8, 9])",
        hint.TOKENS,
    ),
    Mutant(
        "13.1",
        counts_positions_from_zero,
        "returned ([101, 102], [0, 1], [9, 10])",
        hint.POSITIONS,
    ),
    Mutant(
        "13.1",
        one_position_too_far,
        "returned ([100, 101], [1, 2], [8, 9])",
        hint.POSITIONS,
    ),
    Mutant(
        "13.1",
        runs_on_in_the_pool,
        "returned ([107, 108], [7, 8], [15, 16])",
        hint.SLOTS,
    ),
    Mutant(
        "13.1",
        takes_positions_for_slots,
        "returned ([100, 101], [0, 1], [0, 1])",
        hint.SLOTS,
    ),
    Mutant(
        "13.1",
        pops_from_the_known,
        "changed what it was given",
        hint.CHANGES,
    ),
    Mutant(
        "13.1",
        returns_rows,
        "returned [(100, 0, 8), (101, 1, 9)]",
        hint.THREE,
    ),
    Mutant(
        "13.2",
        forgets_the_copies,
        "step 6 carried out 0 copies",
        hint.COPIES,
    ),
    Mutant(
        "13.2",
        copies_after_computing,
        "step 6 copied after computing",
        hint.COPIES,
    ),
    Mutant(
        "13.2",
        computes_the_last_known_tokens,
        "step 1 computed tokens [16, 17, 18, 19] with seq_len 4",
        hint.ROWS,
    ),
    Mutant(
        "13.2",
        computes_all_that_is_known,
        "step 2 computed tokens [10, 11, 12, 257] with seq_len 4",
        hint.ROWS,
    ),
    Mutant(
        "13.2",
        appends_after_a_chunk,
        'step 1 left 11 tokens in known["A"]',
        hint.APPEND,
    ),
    Mutant(
        "13.2",
        never_finishes,
        "step 3 finished nobody",
        hint.FINISH,
    ),
    Mutant(
        "13.2",
        asks_before_it_appends,
        "step 3 finished nobody",
        hint.FINISH,
    ),
    Mutant(
        "13.2",
        computes_one_by_one,
        "step 1 called engine.compute(...) 2 times",
        hint.ONE_BATCH,
    ),
    Mutant(
        "13.2",
        plans_twice,
        "step 1 called scheduler.step() 2 times",
        hint.ONE_PLAN,
    ),
    Mutant(
        "13.2",
        returns_nothing,
        "step 1 returned None",
        hint.RETURN,
    ),
    Mutant(
        "13.2",
        finishes_the_refused,
        "step 14 raised UnknownSequence",
        hint.PYTHON_ERROR,
    ),
)


# --- right ---------------------------------------------------------------------------


def rows_by_zip(
    known: list[int], num: int, block_ids: list[int], seq_len: int, size: int
) -> Three:
    slots = [b * size + offset for b in block_ids for offset in range(size)]
    start = seq_len - num
    return known[start:seq_len], list(range(start, seq_len)), slots[start:seq_len]


def rows_one_by_one(
    known: list[int], num: int, block_ids: list[int], seq_len: int, size: int
) -> Three:
    tokens, positions, slots = [], [], []
    for p in range(seq_len - num, seq_len):
        tokens.append(known[p])
        positions.append(p)
        slots.append(_slot(block_ids, size, p))
    return tokens, positions, slots


def step_in_parts(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    plan = scheduler.step()
    engine.copy(plan.copies)
    tables, rows = _rows(manager, known, plan)
    _take_up(scheduler, tables, known, is_over, engine.compute(rows))
    return plan


def step_that_finishes_last(
    scheduler: Any, manager: Any, engine: Any, known: Any, is_over: Any
) -> Any:
    """Copy only where there is something to copy, and finish in another order."""
    plan = scheduler.step()
    if plan.copies:
        engine.copy(list(plan.copies))
    order = sorted(plan.scheduled, reverse=True)
    tables = {s: manager.table(s) for s in order}
    rows: Any = []
    for s in order:
        stop = tables[s].seq_len
        rows.append((tables[s], known[s][stop - plan.scheduled[s] : stop]))
    new = engine.compute(rows) if rows else []
    whole = [s for s in order if tables[s].seq_len == len(known[s])]
    for s, token in zip(order, new, strict=True):
        if s in whole:
            known[s] = [*known[s], token]
    for s in whole:
        if is_over(s):
            scheduler.finish(s)
    return plan


VARIANTS: dict[str, tuple[Callable[..., object], ...]] = {
    "13.1": (rows_by_zip, rows_one_by_one),
    "13.2": (step_in_parts, step_that_finishes_last),
}
