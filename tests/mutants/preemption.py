"""Wrong answers to exercise 10 that learners write, and right ones of another kind."""

from collections.abc import Callable
from math import ceil

from pagedkv_edu.checks.hints import preemption as hint
from pagedkv_edu.errors import OutOfBlocks
from pagedkv_edu.sizes import cdiv
from tests.mutants.block_table import Mutant

Plan = tuple[list[int], list[int]]

# --- 10.1 my_victim ------------------------------------------------------------------


def right_victim_by_key(seq_lens: list[int]) -> int:
    return min(range(len(seq_lens)), key=lambda i: (seq_lens[i], -i))


def right_victim_by_loop(seq_lens: list[int]) -> int:
    victim = 0
    for place, seq_len in enumerate(seq_lens):
        if seq_len <= seq_lens[victim]:
            victim = place
    return victim


def takes_the_first_of_equals(seq_lens: list[int]) -> int:
    return seq_lens.index(min(seq_lens))


def takes_the_longest(seq_lens: list[int]) -> int:
    return max(range(len(seq_lens)), key=lambda i: (seq_lens[i], i))


def takes_the_last(seq_lens: list[int]) -> int:
    return len(seq_lens) - 1


def returns_the_length(seq_lens: list[int]) -> int:
    return min(seq_lens)


def sorts_the_list(seq_lens: list[int]) -> int:
    least = min(seq_lens)
    place = max(i for i, seq_len in enumerate(seq_lens) if seq_len == least)
    seq_lens.sort()
    return place


def counts_from_the_end(seq_lens: list[int]) -> int:
    return seq_lens[::-1].index(min(seq_lens))


# --- 10.2 my_admission ---------------------------------------------------------------


def right_admission_in_order(
    num_prompt_tokens: int,
    num_free: int,
    num_blocks: int,
    block_size: int,
    watermark: int,
    num_running: int,
) -> str:
    needed = cdiv(num_prompt_tokens, block_size)
    if needed > num_blocks:
        return "never"
    kept = watermark if num_running > 0 else 0
    return "now" if needed + kept <= num_free else "later"


def right_admission_in_slots(
    num_prompt_tokens: int,
    num_free: int,
    num_blocks: int,
    block_size: int,
    watermark: int,
    num_running: int,
) -> str:
    usable = num_free - (watermark if num_running else 0)
    if num_prompt_tokens <= usable * block_size:
        return "now"
    return "later" if num_prompt_tokens <= num_blocks * block_size else "never"


def _admission(
    needed: Callable[[int, int], int],
    answer: Callable[[int, int, int, int, int], str],
) -> Callable[[int, int, int, int, int, int], str]:
    def my_admission(
        num_prompt_tokens: int,
        num_free: int,
        num_blocks: int,
        block_size: int,
        watermark: int,
        num_running: int,
    ) -> str:
        num = needed(num_prompt_tokens, block_size)
        return answer(num, num_free, num_blocks, watermark, num_running)

    return my_admission


def _named(name: str, answer: Callable[..., str]) -> Callable[..., str]:
    answer.__name__ = name
    return answer


def _usual(num: int, free: int, pool: int, watermark: int, running: int) -> str:
    if num > pool:
        return "never"
    return "now" if num + (watermark if running else 0) <= free else "later"


def _never_never(num: int, free: int, pool: int, watermark: int, running: int) -> str:
    return "now" if num + (watermark if running else 0) <= free else "later"


def _watermark_refuses(
    num: int, free: int, pool: int, watermark: int, running: int
) -> str:
    if num + watermark > pool:
        return "never"
    return _usual(num, free, pool, watermark, running)


def _watermark_always(
    num: int, free: int, pool: int, watermark: int, running: int
) -> str:
    return _usual(num, free, pool, watermark, 1)


def _no_watermark(num: int, free: int, pool: int, watermark: int, running: int) -> str:
    return _usual(num, free, pool, 0, running)


def _refuses_the_full(
    num: int, free: int, pool: int, watermark: int, running: int
) -> str:
    return "never" if num > free else _usual(num, free, pool, watermark, running)


def _wants_one_more(
    num: int, free: int, pool: int, watermark: int, running: int
) -> str:
    if num > pool:
        return "never"
    return "now" if num + (watermark if running else 0) < free else "later"


def _rounded_down(num_tokens: int, block_size: int) -> int:
    return num_tokens // block_size


ADMISSION_MUTANTS = {
    "says_later_for_never": (cdiv, _never_never),
    "refuses_for_the_watermark": (cdiv, _watermark_refuses),
    "keeps_the_watermark_when_nothing_runs": (cdiv, _watermark_always),
    "forgets_the_watermark": (cdiv, _no_watermark),
    "refuses_what_is_not_free": (cdiv, _refuses_the_full),
    "wants_one_block_more": (cdiv, _wants_one_more),
    "rounds_blocks_down": (_rounded_down, _usual),
}
_ADMISSION = {
    name: _named(name, _admission(*parts)) for name, parts in ADMISSION_MUTANTS.items()
}

# --- 10.3 my_cheaper_way -------------------------------------------------------------


def right_way_by_sums(
    num_tokens: int, block_size: int, us_per_token: int, us_per_block: int
) -> str:
    moved = 2 * cdiv(num_tokens, block_size) * us_per_block
    return "swap" if moved < num_tokens * us_per_token else "recompute"


def right_way_by_ceil(
    num_tokens: int, block_size: int, us_per_token: int, us_per_block: int
) -> str:
    out_and_in = ceil(num_tokens / block_size) * (us_per_block + us_per_block)
    return "recompute" if num_tokens * us_per_token <= out_and_in else "swap"


def forgets_the_way_back(
    num_tokens: int, block_size: int, us_per_token: int, us_per_block: int
) -> str:
    moved = cdiv(num_tokens, block_size) * us_per_block
    return "swap" if moved < num_tokens * us_per_token else "recompute"


def forgets_the_last_block(
    num_tokens: int, block_size: int, us_per_token: int, us_per_block: int
) -> str:
    moved = 2 * (num_tokens // block_size) * us_per_block
    return "swap" if moved < num_tokens * us_per_token else "recompute"


def moves_every_token(
    num_tokens: int, block_size: int, us_per_token: int, us_per_block: int
) -> str:
    moved = 2 * num_tokens * us_per_block
    return "swap" if moved < num_tokens * us_per_token else "recompute"


def swaps_when_equal(
    num_tokens: int, block_size: int, us_per_token: int, us_per_block: int
) -> str:
    moved = 2 * cdiv(num_tokens, block_size) * us_per_block
    return "swap" if moved <= num_tokens * us_per_token else "recompute"


# --- 10.4 my_plan_step ---------------------------------------------------------------


def _needed(seq_lens: list[int], new_tokens: list[int], block_size: int) -> list[int]:
    return [
        cdiv(n + new, block_size) - cdiv(n, block_size)
        for n, new in zip(seq_lens, new_tokens, strict=True)
    ]


def right_plan_from_the_front(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    running = list(range(len(seq_lens)))
    served: list[int] = []
    preempted: list[int] = []
    while running:
        first, needed = running[0], 0
        needed = _needed(seq_lens, new_tokens, block_size)[first]
        while running and needed > num_free:
            if len(running) + len(served) == 1:
                raise OutOfBlocks("the oldest is alone")
            victim = running.pop()
            preempted.append(victim)
            num_free += cdiv(seq_lens[victim], block_size)
        if running:
            num_free -= needed
            served.append(running.pop(0))
    return served, preempted


def right_plan_by_number(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    """Look for the largest number of the oldest that can be served."""
    num = len(seq_lens)
    needed = _needed(seq_lens, new_tokens, block_size)
    for num_served in range(num, 0, -1):
        given = sum(cdiv(n, block_size) for n in seq_lens[num_served:])
        if sum(needed[:num_served]) <= num_free + given:
            return list(range(num_served)), list(range(num - 1, num_served - 1, -1))
    raise OutOfBlocks("not even the oldest fits")


def takes_from_the_other(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    """Take from anybody else, the latest first: two can take from each other."""
    served: list[int] = []
    preempted: list[int] = []
    for i, needed in enumerate(_needed(seq_lens, new_tokens, block_size)):
        if i in preempted:
            continue
        for other in reversed(range(len(seq_lens))):
            if needed > num_free and other not in (i, *preempted):
                num_free += cdiv(seq_lens[other], block_size)
                preempted.append(other)
        num_free -= needed
        served.append(i)
    return [i for i in served if i not in preempted], preempted


def preempts_the_oldest(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    needed = _needed(seq_lens, new_tokens, block_size)
    running, preempted = list(range(len(seq_lens))), list[int]()
    while sum(needed[i] for i in running) > num_free:
        victim = running.pop(0)
        preempted.append(victim)
        num_free += cdiv(seq_lens[victim], block_size)
    return running, preempted


def preempts_whoever_asks(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    served, preempted = list[int](), list[int]()
    for i, needed in enumerate(_needed(seq_lens, new_tokens, block_size)):
        if needed > num_free:
            preempted.append(i)
            num_free += cdiv(seq_lens[i], block_size)
        else:
            num_free -= needed
            served.append(i)
    return served, preempted


def preempts_everybody_else(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    needed = _needed(seq_lens, new_tokens, block_size)
    if sum(needed) <= num_free:
        return list(range(len(seq_lens))), []
    if needed[0] > num_free + sum(cdiv(n, block_size) for n in seq_lens[1:]):
        raise OutOfBlocks("the oldest does not fit")
    return [0], list(range(len(seq_lens) - 1, 0, -1))


def _planned(
    seq_lens: list[int],
    new_tokens: list[int],
    num_free: int,
    block_size: int,
    *,
    takes: bool = True,
    gives: bool = True,
    grows_always: bool = False,
    raises: bool = True,
    in_order: bool = False,
) -> Plan:
    running = list(range(len(seq_lens)))
    served, preempted = list[int](), list[int]()
    needs = _needed(seq_lens, new_tokens, block_size)
    for i in list(running):
        needed = new_tokens[i] if grows_always else needs[i]
        while i in running and needed > num_free:
            if len(running) == 1 and raises:
                raise OutOfBlocks("the oldest is alone")
            victim = running.pop()
            preempted.append(victim)
            num_free += cdiv(seq_lens[victim], block_size) if gives else 1
        if i in running:
            num_free -= needed if takes else 0
            served.append(i)
    return served, sorted(preempted) if in_order else preempted


def promises_a_block_twice(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    return _planned(seq_lens, new_tokens, num_free, block_size, takes=False)


def counts_one_block_for_a_victim(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    return _planned(seq_lens, new_tokens, num_free, block_size, gives=False)


def takes_a_block_for_each_token(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    return _planned(seq_lens, new_tokens, num_free, block_size, grows_always=True)


def preempts_the_last_one_too(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    return _planned(seq_lens, new_tokens, num_free, block_size, raises=False)


def lists_victims_by_arrival(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    return _planned(seq_lens, new_tokens, num_free, block_size, in_order=True)


def lets_them_wait_with_their_blocks(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    served = list[int]()
    for i, needed in enumerate(_needed(seq_lens, new_tokens, block_size)):
        if needed <= num_free:
            num_free -= needed
            served.append(i)
    return served, []


def takes_the_longest_of_the_later(
    seq_lens: list[int], new_tokens: list[int], num_free: int, block_size: int
) -> Plan:
    running = list(range(len(seq_lens)))
    served, preempted = list[int](), list[int]()
    for i, needed in enumerate(_needed(seq_lens, new_tokens, block_size)):
        while i in running and needed > num_free:
            if len(running) == 1:
                raise OutOfBlocks("the oldest is alone")
            later = [j for j in running if j not in served and j > 0]
            victim = max(later, key=lambda j: (seq_lens[j], j)) if later else i
            running.remove(victim)
            preempted.append(victim)
            num_free += cdiv(seq_lens[victim], block_size)
        if i in running:
            num_free -= needed
            served.append(i)
    return served, preempted


VARIANTS: dict[str, tuple[Callable[..., object], ...]] = {
    "10.1": (right_victim_by_key, right_victim_by_loop),
    "10.2": (right_admission_in_order, right_admission_in_slots),
    "10.3": (right_way_by_sums, right_way_by_ceil),
    "10.4": (right_plan_from_the_front, right_plan_by_number),
}

MUTANTS = (
    Mutant("10.1", takes_the_first_of_equals, "returned", hint.VICTIM_TIE),
    Mutant("10.1", takes_the_longest, "returned", hint.VICTIM_LONGEST),
    Mutant("10.1", takes_the_last, "returned", hint.VICTIM_LONGEST),
    Mutant("10.1", returns_the_length, "returned", hint.VICTIM_NOT_INDEX),
    Mutant("10.1", sorts_the_list, "changed what it was given", hint.CHANGES),
    Mutant("10.1", counts_from_the_end, "returned", hint.VICTIM_LONGEST),
    *(
        Mutant("10.2", _ADMISSION[name], title, title_of_hint)
        for name, title, title_of_hint in (
            (
                "says_later_for_never",
                "returned 'later'; expected 'never'",
                hint.ADMIT_FOREVER,
            ),
            (
                "refuses_for_the_watermark",
                "returned 'never'; expected",
                hint.ADMIT_NEVER,
            ),
            (
                "keeps_the_watermark_when_nothing_runs",
                "returned 'later'; expected 'now'",
                hint.ADMIT_FOREVER,
            ),
            (
                "forgets_the_watermark",
                "returned 'now'; expected 'later'",
                hint.ADMIT_TOO_SOON,
            ),
            (
                "refuses_what_is_not_free",
                "returned 'never'; expected 'later'",
                hint.ADMIT_NEVER,
            ),
            (
                "wants_one_block_more",
                "returned 'later'; expected 'now'",
                hint.ADMIT_TOO_LATE,
            ),
            (
                "rounds_blocks_down",
                "returned 'now'; expected 'later'",
                hint.ADMIT_TOO_SOON,
            ),
        )
    ),
    Mutant(
        "10.3",
        forgets_the_way_back,
        "returned 'swap'; expected 'recompute'",
        hint.COST_SWAP_CHEAP,
    ),
    Mutant(
        "10.3",
        forgets_the_last_block,
        "returned 'swap'; expected 'recompute'",
        hint.COST_SWAP_CHEAP,
    ),
    Mutant(
        "10.3",
        moves_every_token,
        "returned 'recompute'; expected 'swap'",
        hint.COST_SWAP_DEAR,
    ),
    Mutant(
        "10.3",
        swaps_when_equal,
        "returned 'swap'; expected 'recompute'",
        hint.COST_TIE,
    ),
    Mutant("10.4", takes_from_the_other, "returned", hint.PLAN_OLDEST),
    Mutant("10.4", preempts_the_oldest, "returned", hint.PLAN_OLDEST),
    Mutant("10.4", preempts_whoever_asks, "returned", hint.PLAN_OLDEST),
    Mutant("10.4", preempts_everybody_else, "returned", hint.PLAN_MANY),
    Mutant("10.4", promises_a_block_twice, "returned", hint.PLAN_NO_ROOM),
    Mutant("10.4", counts_one_block_for_a_victim, "", hint.PLAN_MANY),
    Mutant("10.4", takes_a_block_for_each_token, "", hint.PLAN_MANY),
    Mutant("10.4", preempts_the_last_one_too, "expected OutOfBlocks", hint.PLAN_ALONE),
    Mutant("10.4", lists_victims_by_arrival, "returned", hint.PLAN_ORDER),
    Mutant("10.4", lets_them_wait_with_their_blocks, "returned", hint.PLAN_LEFT_OUT),
    Mutant("10.4", takes_the_longest_of_the_later, "returned", hint.PLAN_WRONG_VICTIM),
)
