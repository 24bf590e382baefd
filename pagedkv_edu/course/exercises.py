"""The one table of exercises: what is asked, who checks it, what it is worth."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.report import Report


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


_CHECKS = "pagedkv_edu.checks"
_POOL = "pagedkv_edu.memory.pool:BlockPool"
_TABLE = "pagedkv_edu.memory.table:BlockTable"
_MANAGER = "pagedkv_edu.memory.manager:BlockManager"
_EXTENTS = "pagedkv_edu.memory.extents:ExtentAllocator"
_PREFIX = "pagedkv_edu.memory.prefix:PrefixCache"
_LOCATE = "pagedkv_edu.sizes:locate"
_SPEC = "pagedkv_edu.sizes:KVCacheSpec"
_CHOOSE_SIZE = "pagedkv_edu.serving.break_even:choose_size"
_BEST_SIZE = "pagedkv_edu.serving.break_even:best_size"
_PLAN_STEP = "pagedkv_edu.serving.small:plan_step"

_TABLE_OF_EXERCISES = (
    Exercise(
        "2.1",
        "First fit",
        "MyFirstFit",
        "02_contiguous",
        f"{_CHECKS}.contiguous:check_first_fit",
        reference=_EXTENTS,
        withholds=(_EXTENTS,),
        use='Allocator = mine("MyFirstFit")',
        points=4,
        difficulty=3,
        minutes=25,
    ),
    Exercise(
        "2.2",
        "Best fit: choose the hole",
        "my_best_hole",
        "02_contiguous",
        f"{_CHECKS}.contiguous:check_best_hole",
        withholds=(_EXTENTS,),
        points=2,
        difficulty=1,
        minutes=10,
    ),
    Exercise(
        "2.3",
        "Refused, although enough is free",
        "my_refused_history",
        "02_contiguous",
        f"{_CHECKS}.contiguous:check_refused_history",
        withholds=(_EXTENTS,),
        points=4,
        difficulty=2,
        minutes=15,
    ),
    Exercise(
        "3.1",
        "Locate a position",
        "my_locate",
        "03_block_table",
        f"{_CHECKS}.block_table:check_locate",
        reference=_LOCATE,
        withholds=(_LOCATE, _TABLE),
        use='locate = mine("my_locate")',
        points=2,
        difficulty=1,
        minutes=5,
    ),
    Exercise(
        "3.2",
        "From position to slot",
        "my_slot",
        "03_block_table",
        f"{_CHECKS}.block_table:check_slot",
        withholds=(_LOCATE, _TABLE),
        use='slot = mine("my_slot")',
        points=2,
        difficulty=2,
        minutes=10,
    ),
    Exercise(
        "3.3",
        "A slot mapping",
        "my_slot_mapping",
        "03_block_table",
        f"{_CHECKS}.block_table:check_slot_mapping",
        withholds=(_LOCATE, _TABLE),
        use='slot_mapping = mine("my_slot_mapping")',
        points=4,
        difficulty=3,
        minutes=20,
    ),
    Exercise(
        "3.4",
        "The size of a table",
        "my_table_entries",
        "03_block_table",
        f"{_CHECKS}.block_table:check_table_entries",
        withholds=(_SPEC,),
        points=2,
        difficulty=1,
        minutes=5,
    ),
    Exercise(
        "4.1",
        "A block pool",
        "MyBlockPool",
        "04_block_pool",
        f"{_CHECKS}.block_pool:check_block_pool",
        reference=_POOL,
        withholds=(_POOL,),
        use='Pool = mine("MyBlockPool")',
        points=4,
        difficulty=2,
        minutes=20,
    ),
    Exercise(
        "4.2",
        "Grow at the boundary",
        "MyGrowingManager",
        "04_block_pool",
        f"{_CHECKS}.block_pool:check_growing_manager",
        reference=_MANAGER,
        withholds=(_MANAGER,),
        use='Manager = mine("MyGrowingManager")',
        points=4,
        difficulty=3,
        minutes=25,
    ),
    Exercise(
        "4.3",
        "Count the waste",
        "my_wasted_slots",
        "04_block_pool",
        f"{_CHECKS}.block_pool:check_wasted_slots",
        points=2,
        difficulty=1,
        minutes=10,
    ),
    Exercise(
        "5.1",
        "Share and free by count",
        "MySharedPool",
        "05_copy_on_write",
        f"{_CHECKS}.copy_on_write:check_shared_pool",
        reference=_POOL,
        withholds=(_POOL,),
        use='Pool = mine("MySharedPool")',
        points=2,
        difficulty=2,
        minutes=15,
    ),
    Exercise(
        "5.2",
        "When must a block be copied?",
        "my_must_copy",
        "05_copy_on_write",
        f"{_CHECKS}.copy_on_write:check_must_copy",
        withholds=(_MANAGER,),
        points=2,
        difficulty=2,
        minutes=10,
    ),
    Exercise(
        "5.3",
        "Fork, and append with copy on write",
        "MyBlockManager",
        "05_copy_on_write",
        f"{_CHECKS}.copy_on_write:check_block_manager",
        reference=_MANAGER,
        withholds=(_MANAGER,),
        use='Manager = mine("MyBlockManager")',
        points=4,
        difficulty=3,
        minutes=25,
    ),
    Exercise(
        "5.4",
        "One step of beam search",
        "my_beam_step",
        "05_copy_on_write",
        f"{_CHECKS}.copy_on_write:check_beam_step",
        points=2,
        difficulty=3,
        minutes=20,
    ),
    Exercise(
        "9.1",
        "The four quantities",
        "my_block_costs",
        "09_block_size",
        f"{_CHECKS}.block_size:check_block_costs",
        points=4,
        difficulty=2,
        minutes=15,
    ),
    Exercise(
        "9.2",
        "The break-even",
        "my_break_even",
        "09_block_size",
        f"{_CHECKS}.block_size:check_break_even",
        points=2,
        difficulty=2,
        minutes=15,
    ),
    Exercise(
        "9.3",
        "Choose a block size",
        "my_choice",
        "09_block_size",
        f"{_CHECKS}.block_size:check_choice",
        reference=_CHOOSE_SIZE,
        withholds=(_CHOOSE_SIZE, _BEST_SIZE),
        use='choose = mine("my_choice")',
        points=4,
        difficulty=3,
        minutes=20,
    ),
    Exercise(
        "10.1",
        "Who loses least",
        "my_victim",
        "10_preemption",
        f"{_CHECKS}.preemption:check_victim",
        use='victim = by_length(mine("my_victim"))',
        points=2,
        difficulty=2,
        minutes=10,
    ),
    Exercise(
        "10.2",
        "Now, later, never",
        "my_admission",
        "10_preemption",
        f"{_CHECKS}.preemption:check_admission",
        points=2,
        difficulty=2,
        minutes=10,
    ),
    Exercise(
        "10.3",
        "The cheaper way back",
        "my_cheaper_way",
        "10_preemption",
        f"{_CHECKS}.preemption:check_cheaper_way",
        points=2,
        difficulty=1,
        minutes=10,
    ),
    Exercise(
        "10.4",
        "Plan a step",
        "my_plan_step",
        "10_preemption",
        f"{_CHECKS}.preemption:check_plan_step",
        reference=_PLAN_STEP,
        withholds=(_PLAN_STEP,),
        use='plan = mine("my_plan_step")',
        points=4,
        difficulty=3,
        minutes=25,
    ),
    Exercise(
        "11.1",
        "A name for each block",
        "my_block_hashes",
        "11_prefix_cache",
        f"{_CHECKS}.prefix_cache:check_block_hashes",
        withholds=(_PREFIX,),
        points=2,
        difficulty=2,
        minutes=10,
    ),
    Exercise(
        "11.2",
        "The longest run",
        "my_longest_run",
        "11_prefix_cache",
        f"{_CHECKS}.prefix_cache:check_longest_run",
        withholds=(_PREFIX,),
        points=2,
        difficulty=1,
        minutes=10,
    ),
    Exercise(
        "11.3",
        "A pool that remembers",
        "MyPrefixCache",
        "11_prefix_cache",
        f"{_CHECKS}.prefix_cache:check_prefix_cache",
        reference=_PREFIX,
        withholds=(_PREFIX,),
        use='Cache = mine("MyPrefixCache")',
        points=6,
        difficulty=4,
        minutes=35,
    ),
)
EXERCISES = {exercise.id: exercise for exercise in _TABLE_OF_EXERCISES}


def exercise_with_id(exercise_id: str) -> Exercise:
    """Return the exercise called "5.3"; name the others where there is none."""
    if exercise_id not in EXERCISES:
        raise PagedKVError(
            f"there is no exercise {exercise_id!r}; there are {', '.join(EXERCISES)}"
        )
    return EXERCISES[exercise_id]


def exercise_after(exercise: Exercise) -> Exercise | None:
    """Return the exercise that comes next in the table."""
    exercises = list(EXERCISES.values())
    after = exercises[exercises.index(exercise) + 1 :]
    return after[0] if after else None


def exercise_for(answer: str) -> Exercise:
    """Return the exercise that asks for the name "MyBlockPool"."""
    for exercise in EXERCISES.values():
        if exercise.answer == answer:
            return exercise
    names = ", ".join(exercise.answer for exercise in EXERCISES.values())
    raise PagedKVError(f"no exercise asks for {answer!r}; they ask for {names}")


def named(path: str) -> object:
    """Load what "module:name" stands for."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def report_on(exercise: Exercise, answer: object) -> Report:
    """Run the exercise's check on an answer; draw nothing, record nothing."""
    check: Callable[[object], Report] = getattr(
        import_module(exercise.check.partition(":")[0]),
        exercise.check.partition(":")[2],
    )
    return check(answer)
