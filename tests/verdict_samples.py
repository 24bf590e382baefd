"""Reports in every state that a verdict can show, made by running wrong managers."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from pagedkv_edu import BlockCopy, BlockPool, BlockTable, OutOfBlocks, cdiv
from pagedkv_edu.protocols import ManagerLike, PoolLike
from pagedkv_edu.replay import RecordedManager, RecordedPool, encode, frames
from pagedkv_edu.replay.describe import amount
from pagedkv_edu.report import Hint, Json, Report

Call = tuple[str, Sequence[str | int]]

LEAK_HINT = Hint(
    "My free blocks run out after a fork",
    (
        "Count the references: how many tables hold the block that you copied *from*, "
        "and what is its `ref_count`?",
        "After a copy your table no longer holds the old block. The reference that "
        "`fork` added for you is still there.",
        "After `table.block_ids[-1] = target`, the source loses one reference: one "
        "call of the pool.",
    ),
)
COPY_HINT = Hint(
    'A copy is missing: "copied no block; expected one copy"',
    (
        'Look at the numbers in the line "Nearby". For which lengths does the same '
        "history pass?",
        "If it fails for all lengths inside a block, `append` never looks at the "
        "count.",
        "`seq_len % block_size != 0` and `ref_count` of the last block above 1, both "
        "read before the first change.",
    ),
)


class RightManager:
    """Grows, forks and frees; its parts are public, so that a sample can break one."""

    def __init__(self, pool: PoolLike, block_size: int) -> None:
        self.pool = pool
        self.block_size = block_size
        self.tables: dict[str | int, BlockTable] = {}

    def add(self, seq_id: str | int, num_tokens: int) -> None:
        block_ids = self.take(cdiv(num_tokens, self.block_size))
        self.tables[seq_id] = BlockTable(self.block_size, block_ids, num_tokens)

    def append(self, seq_id: str | int, num_tokens: int = 1) -> list[BlockCopy]:
        table = self.tables[seq_id]
        num_new = cdiv(table.seq_len + num_tokens, self.block_size)
        num_new -= len(table.block_ids)
        must_copy = self.must_copy(table)
        taken = self.take(num_new + must_copy)
        copies = [self.move(table, taken.pop(0))] if must_copy else []
        table.block_ids += taken
        table.seq_len += num_tokens
        return copies

    def fork(self, parent_id: str | int, child_id: str | int) -> None:
        parent = self.tables[parent_id]
        for block_id in parent.block_ids:
            self.pool.share(block_id)
        self.tables[child_id] = BlockTable(
            self.block_size, self.child_list(parent.block_ids), parent.seq_len
        )

    def free(self, seq_id: str | int) -> None:
        for block_id in reversed(self.tables.pop(seq_id).block_ids):
            self.pool.free(block_id)

    def table(self, seq_id: str | int) -> BlockTable:
        table = self.tables[seq_id]
        return BlockTable(table.block_size, list(table.block_ids), table.seq_len)

    def take(self, num_blocks: int) -> list[int]:
        if self.pool.num_free < num_blocks:
            raise OutOfBlocks(f"need {num_blocks} blocks, {self.pool.num_free} free")
        return [self.pool.allocate() for _ in range(num_blocks)]

    def must_copy(self, table: BlockTable) -> bool:
        partly_filled = table.seq_len % self.block_size != 0
        return partly_filled and self.pool.ref_count(table.block_ids[-1]) > 1

    def move(self, table: BlockTable, target: int) -> BlockCopy:
        source = table.block_ids[-1]
        table.block_ids[-1] = target
        self.pool.free(source)
        return BlockCopy(source, target)

    def child_list(self, block_ids: list[int]) -> list[int]:
        return list(block_ids)


class KeepsTheOldReference(RightManager):
    def move(self, table: BlockTable, target: int) -> BlockCopy:
        copy = BlockCopy(table.block_ids[-1], target)
        table.block_ids[-1] = target
        return copy


class WritesInPlace(RightManager):
    def must_copy(self, table: BlockTable) -> bool:
        return False


class SharesTheList(RightManager):
    def child_list(self, block_ids: list[int]) -> list[int]:
        return block_ids


class HoldsABlockTwice(RightManager):
    def take(self, num_blocks: int) -> list[int]:
        taken = super().take(min(num_blocks, 1))
        return taken * num_blocks


class FailsHalfway(RightManager):
    def append(self, seq_id: str | int, num_tokens: int = 1) -> list[BlockCopy]:
        table = self.tables[seq_id]
        table.seq_len += num_tokens
        while len(table.block_ids) < table.num_blocks:
            table.block_ids.append(self.pool.allocate())
        return []


class ForgetsTheRecord(RightManager):
    def append(self, seq_id: str | int, num_tokens: int = 1) -> list[BlockCopy]:
        super().append(seq_id, num_tokens)
        return []


class CountsDown:
    """A pool that hands out its last block first: right, with other ids."""

    def __init__(self, num_blocks: int) -> None:
        self.pool = BlockPool(num_blocks)
        self.last = num_blocks - 1

    @property
    def num_blocks(self) -> int:
        return self.pool.num_blocks

    @property
    def num_free(self) -> int:
        return self.pool.num_free

    def ref_count(self, block_id: int) -> int:
        return self.pool.ref_count(self.last - block_id)

    def allocate(self) -> int:
        return self.last - self.pool.allocate()

    def share(self, block_id: int) -> None:
        self.pool.share(self.last - block_id)

    def free(self, block_id: int) -> None:
        self.pool.free(self.last - block_id)


class RaisesIndexError(RightManager):
    def append(self, seq_id: str | int, num_tokens: int = 1) -> list[BlockCopy]:
        empty: list[int] = []
        empty[-1] = num_tokens
        return []


def film(
    manager_class: Callable[[PoolLike, int], ManagerLike],
    calls: Sequence[Call],
    num_blocks: int = 8,
    block_size: int = 4,
    pool_class: Callable[[int], PoolLike] = BlockPool,
) -> Json:
    """Return the encoded film of some calls, each made whatever the last one did."""
    pool = RecordedPool(pool_class(num_blocks))
    recorded = RecordedManager(manager_class(pool, block_size), pool, block_size)
    for name, arguments in calls:
        try:
            getattr(recorded, name)(*arguments)
        except (OutOfBlocks, IndexError):
            continue  # the film has it
    return encode(frames(recorded.events))


def report(
    wrong: Callable[[PoolLike, int], ManagerLike],
    calls: Sequence[Call],
    *,
    wrong_call: int,
    num_blocks: int = 8,
    **told: str,
) -> Report:
    """Return a failing report whose films were recorded, with the words as told."""
    yours = film(wrong, calls, num_blocks)
    return Report(
        "5.3",
        "failed",
        told.pop("title"),
        setting=f"pool of {amount(num_blocks, 'block')}, block_size 4",
        calls=tuple(frame["call"] for frame in yours["frames"]),
        wrong_call=wrong_call,
        hints=(LEAK_HINT, COPY_HINT),
        num_tried=60,
        num_passed=53,
        share=0.0,
        films={"yours": yours, "reference": film(RightManager, calls, num_blocks)},
        as_test=as_test(calls[: wrong_call + 1], num_blocks),
        **told,
    )


def as_test(calls: Sequence[Call], num_blocks: int) -> str:
    lines = [
        f"    manager.{name}({', '.join(map(repr, arguments))})"
        for name, arguments in calls
    ]
    return "\n".join(
        [
            "def test_my_block_manager():",
            f"    pool = BlockPool({num_blocks})",
            "    manager = MyBlockManager(pool, block_size=4)",
            *lines,
            "",
            "    assert pool.ref_count(0) == 1",
            "",
        ]
    )


FORKED: tuple[Call, ...] = (
    ("add", ("A", 1)),
    ("fork", ("A", "B")),
    ("append", ("A",)),
)


def leak() -> Report:
    return report(
        KeepsTheOldReference,
        (*FORKED, ("free", ("B",)), ("free", ("A",))),
        wrong_call=2,
        title='after append("A"), block 0 is in one table and has ref_count 2',
        compared="pool.ref_count(0)",
        found_value="2",
        expected_value="1",
        expected="ref_count 1 for block 0: as many references as tables that hold it.",
        found="block 0 is in B's table; its ref_count is 2.",
        go_on='free("B"), then free("A"): no sequence is left, and 7 of 8 blocks are '
        "free. One block can never be used again.",
        nearby='begun with add("A", n), the same calls pass for n = 4 and fail for '
        "n = 1, 2, 3.",
        reread='lesson 05, "Share first"',
    )


def in_place() -> Report:
    return report(
        WritesInPlace,
        (*FORKED, ("append", ("B",))),
        wrong_call=2,
        title='append("A") copied no block; expected one copy',
        compared='copies of append("A")',
        found_value="none",
        expected_value="one, from block 0",
        expected="one copy: the last block, 0, is partly filled (1 of 4 slots) and has "
        "2 references.",
        found="no copy. A's new token is in slot 1 of block 0; block 0 is also in B's "
        "table.",
        go_on='append("B") writes into the same slot. A then reads "A0 B1"; expected '
        '"A0 A1".',
        nearby='begun with add("A", n), the same calls pass for n = 4 and fail for '
        "n = 1, 2, 3.",
        reread='lesson 05, "The fix"',
    )


def same_list() -> Report:
    return report(
        SharesTheList,
        (*FORKED, ("append", ("B",))),
        wrong_call=2,
        title='after append("A"), block 1 is in two tables and has ref_count 1',
        compared='table("B").block_ids',
        found_value="[1]",
        expected_value="[0]",
        expected="only A's table to change; B's stays [0].",
        found="B's table changed too, from [0] to [1].",
        reread='lesson 05, "Share first"',
    )


def renamed() -> Report:
    """Blocks with other ids than the reference's, and no copy returned."""
    calls = FORKED
    return replace(
        report(
            ForgetsTheRecord,
            calls,
            wrong_call=2,
            title='append("A") returned no copy; expected one',
            compared='append("A")',
            found_value="[]",
            expected_value="one copy",
            expected="the copy, as a BlockCopy, for whoever moves the bytes.",
            found="an empty list.",
        ),
        films={
            "yours": film(ForgetsTheRecord, calls, pool_class=CountsDown),
            "reference": film(RightManager, calls),
        },
    )


def halfway() -> Report:
    return report(
        FailsHalfway,
        (("add", ("A", 4)), ("append", ("A",))),
        wrong_call=1,
        num_blocks=1,
        title='append("A") was refused, but something changed first',
        compared='table("A").seq_len',
        found_value="5",
        expected_value="4",
        expected="OutOfBlocks, and everything as it was before. The call needs 1 free "
        "block; there are 0.",
        found="OutOfBlocks, but: A's seq_len 4 -> 5; A's table still has one block.",
        reread='lesson 05, "The fix"',
    )


def block_twice() -> Report:
    return report(
        HoldsABlockTwice,
        (("add", ("A", 6)), ("append", ("A", 3))),
        wrong_call=0,
        title='after add("A", 6), block 0 is twice in A\'s table',
        compared='table("A").block_ids',
        found_value="[0, 0]",
        expected_value="two blocks, each once",
        expected="a block of its own for each logical block.",
        found="A's table is [0, 0].",
        reread='lesson 04, "Growth at the boundary"',
    )


def large_pool() -> Report:
    calls: list[Call] = [("add", (name, 30)) for name in "ABCDEFGH"]
    calls += [("fork", ("A", "A.1")), ("append", ("A.1",)), ("append", ("A", 3))]
    return report(
        WritesInPlace,
        calls,
        wrong_call=9,
        num_blocks=64,
        title='append("A.1") copied no block; expected one copy',
        compared='copies of append("A.1")',
        found_value="none",
        expected_value="one",
        expected="one copy: the last block is partly filled and has 2 references.",
        found="no copy.",
        reread='lesson 05, "The fix"',
    )


def raised() -> Report:
    return report(
        RaisesIndexError,
        FORKED,
        wrong_call=2,
        title='append("A") raised IndexError',
        compared='append("A")',
        found_value="raised IndexError",
        expected="append returns a list; it may only raise OutOfBlocks.",
        found="IndexError: list assignment index out of range, in line 4 of append.",
        reread='lesson 05, "The fix"',
    )


def timed_out() -> Report:
    """An endless loop: the call that never returned has no frame of yours."""
    return Report(
        "5.3",
        "failed",
        'append("A") did not return within 2 s',
        setting="pool of 8 blocks, block_size 4",
        calls=('add("A", 1)', 'fork("A", "B")', 'append("A")'),
        wrong_call=2,
        expected="an answer at once: append takes at most two blocks.",
        found="no answer within 2 s. The call was stopped.",
        hints=(LEAK_HINT,),
        films={
            "yours": film(RightManager, FORKED[:2]),
            "reference": film(RightManager, FORKED),
        },
    )


def function_case() -> Report:
    return Report(
        "3.1",
        "failed",
        "my_locate(8, 4) returned (1, 4); expected (2, 0)",
        calls=("my_locate(8, 4)",),
        wrong_call=0,
        compared="my_locate(8, 4)",
        found_value="(1, 4)",
        expected_value="(2, 0)",
        expected="position 8 is the first slot of logical block 2: blocks 0 and 1 hold "
        "positions 0 to 7.",
        found="(1, 4). A block of 4 slots has offsets 0 to 3.",
        nearby="my_locate(7, 4) and my_locate(9, 4) pass.",
        reread='lesson 03, "Divide, and keep the rest"',
        hints=(Hint("One position in four is wrong", ("A?", "B.", "`C`")),),
        num_tried=200,
        num_passed=150,
        as_test="def test_my_locate():\n    assert my_locate(8, 4) == (2, 0)\n",
    )


def pool_alone() -> Report:
    """A film of a pool by itself: no tables, so no owners either."""

    def play(pool: RecordedPool, *, leaks: bool) -> Json:
        first = pool.allocate()
        pool.share(first)
        pool.free(first)
        if not leaks:
            pool.free(first)
        else:
            pool.record("free", (first,))
        return encode(frames(pool.events))

    yours = play(RecordedPool(BlockPool(4)), leaks=True)
    return Report(
        "5.1",
        "failed",
        "after free(0), block 0 has ref_count 1; expected 0",
        setting="pool of 4 blocks",
        calls=tuple(frame["call"] for frame in yours["frames"]),
        wrong_call=3,
        compared="pool.ref_count(0)",
        found_value="1",
        expected_value="0",
        expected="the last reference returns the block to the pool.",
        found="block 0 is still held, and 3 of 4 blocks are free.",
        films={
            "yours": yours,
            "reference": play(RecordedPool(BlockPool(4)), leaks=False),
        },
    )


def freed_early() -> Report:
    """A pool whose free lets go of every reference at once."""

    class FreesAll(BlockPool):
        def free(self, block_id: int) -> None:
            while self.ref_count(block_id):
                super().free(block_id)

    def play(pool: RecordedPool) -> Json:
        first = pool.allocate()
        pool.share(first)
        pool.free(first)
        return encode(frames(pool.events))

    yours = play(RecordedPool(FreesAll(4)))
    return Report(
        "5.1",
        "failed",
        "after free(0), num_free is 4; expected 3",
        setting="pool of 4 blocks",
        calls=tuple(frame["call"] for frame in yours["frames"]),
        wrong_call=2,
        compared="pool.num_free",
        found_value="4",
        expected_value="3",
        expected="num_free is 3: 4 blocks, 1 of them in use.",
        found="num_free is 4; ref_count(0) is 0.",
        films={"yours": yours, "reference": play(RecordedPool(BlockPool(4)))},
    )


def extents() -> Report:
    """A film of extents, in the shape that chapter 02 produces."""

    def frame(call: str, held: Sequence[tuple[int, int, int, str]], error: str) -> Json:
        return {
            "call": call,
            "text": call,
            "headline": f"{call}: refused" if error else call,
            "error": error,
            "state": {
                "extents": [
                    {"start": start, "length": length, "used": used, "seq": seq}
                    for start, length, used, seq in held
                ]
            },
        }

    a, b, c = (0, 6, 4, "A"), (6, 4, 4, "B"), (10, 3, 1, "C")
    before = [
        frame("reserve(6)", [a], ""),
        frame("reserve(4)", [a, b], ""),
        frame("reserve(3)", [a, b, c], ""),
        frame("release(6)", [a, c], ""),
    ]
    calls = (*(entry["call"] for entry in before), "reserve(3)")
    yours = [*before, frame("reserve(3)", [a, c, (13, 3, 3, "D")], "")]
    wanted = [*before, frame("reserve(3)", [a, (6, 3, 3, "D"), c], "")]
    return Report(
        "2.1",
        "failed",
        "reserve(3) returned slot 13; the first hole that fits begins at slot 6",
        setting="16 slots",
        calls=calls,
        wrong_call=4,
        compared="reserve(3)",
        found_value="13",
        expected_value="6",
        expected="first fit takes the first hole with 3 slots or more: 6 to 9.",
        found="slot 13, in the last hole.",
        reread='lesson 02, "Holes"',
        films={
            "yours": {"memory": "extents", "num_slots": 16, "frames": yours},
            "reference": {"memory": "extents", "num_slots": 16, "frames": wanted},
        },
    )


def unmerged_holes() -> Report:
    """An allocator that says what its holes are: two that touch, instead of one."""

    def frame(call: str, held: Sequence[Json], holes: Sequence[Json]) -> Json:
        state = {"extents": list(held), "holes": list(holes)}
        return {
            "call": call,
            "text": call,
            "headline": call,
            "error": "",
            "state": state,
        }

    a = {"start": 0, "length": 3, "used": 3, "seq": "a"}
    rest, all_slots = {"start": 3, "length": 9}, {"start": 0, "length": 12}
    first = frame("a = reserve(3)", [a], [rest])
    two_holes = [{"start": 0, "length": 3}, rest]
    yours = [first, frame("release(a)", [], two_holes)]
    wanted = [first, frame("release(a)", [], [all_slots])]
    return Report(
        "2.1",
        "failed",
        "after release(a), holes is [(0, 3), (3, 9)]; expected [(0, 12)]",
        setting="memory of 12 slots",
        calls=("a = reserve(3)", "release(a)"),
        wrong_call=1,
        compared="slots.holes",
        found_value="[(0, 3), (3, 9)]",
        expected_value="[(0, 12)]",
        expected="holes that touch are one hole.",
        found="holes is [(0, 3), (3, 9)].",
        films={
            "yours": {"memory": "extents", "num_slots": 12, "frames": yours},
            "reference": {"memory": "extents", "num_slots": 12, "frames": wanted},
        },
    )


def forgotten() -> Report:
    """A prefix cache that forgets a block when it becomes free."""

    def film(cached: Sequence[Sequence[int]]) -> Json:
        pool = RecordedPool(BlockPool(3))
        block_id = pool.allocate()
        pool.free(block_id)
        encoded = encode(frames(pool.events))
        for frame, found in zip(encoded["frames"], cached, strict=True):
            frame["cached"] = list(found)
        return encoded

    first = BlockPool(3).allocate()
    return Report(
        "11.3",
        "failed",
        "after free(a), lookup([1, 2, 0]) returned []; expected [a]",
        setting="pool of 3 blocks, block_size 2",
        calls=("a = allocate()", "free(a)"),
        wrong_call=1,
        compared="cache.lookup([1, 2, 0])",
        found_value="[]",
        expected_value="[a]",
        expected="[a]: a block that is free can be found until it is handed out.",
        found="[].",
        films={"yours": film([[], []]), "reference": film([[], [first]])},
    )


def passed() -> Report:
    return Report(
        "5.3",
        "passed",
        "300 histories, 3 seeds",
        go_on='Put your class into the lesson: Manager = mine("MyBlockManager").',
        num_tried=300,
        num_passed=300,
    )


def waiting() -> Report:
    return Report(
        "5.3",
        "waiting",
        "fork is not written yet",
        go_on='Write the part below "your turn" in fork, then run this cell again. '
        "append comes second; the check stops at the first call that is not written.",
        hints=(LEAK_HINT,),
    )


SAMPLES: dict[str, Callable[[], Report]] = {
    "leak": leak,
    "in_place": in_place,
    "same_list": same_list,
    "renamed": renamed,
    "halfway": halfway,
    "block_twice": block_twice,
    "large_pool": large_pool,
    "raised": raised,
    "timed_out": timed_out,
    "function_case": function_case,
    "pool_alone": pool_alone,
    "freed_early": freed_early,
    "extents": extents,
    "unmerged_holes": unmerged_holes,
    "forgotten": forgotten,
    "passed": passed,
    "waiting": waiting,
}
