"""Lead a pool, an engine or a server through a history, and see what it does."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pagedkv_edu.checks.histories import Call, History, Name
from pagedkv_edu.checks.hunt.engine import Engine
from pagedkv_edu.checks.hunt.pools import RightPool
from pagedkv_edu.checks.hunt.servers import RightServer
from pagedkv_edu.checks.hunt.under_test import Make, Target
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.protocols import SeqId
from pagedkv_edu.replay.events import Event, PoolCall, TableState
from pagedkv_edu.replay.film import encode
from pagedkv_edu.replay.frames import frames
from pagedkv_edu.report import Json

NO_ANSWER = "no answer yet"


@dataclass(frozen=True)
class Seen:
    """What was seen after one call."""

    call: Call
    error: str  # "OutOfBlocks: need 1 block, 0 free"; "" if the call returned
    values: dict[str, str]  # as Python, by what it is of: 'pool.num_free'
    counts: tuple[int, ...]
    num_free: int
    tables: dict[SeqId, TableState] = field(default_factory=dict[SeqId, TableState])
    block_id: int | None = None  # that the call names or returned


@dataclass(frozen=True)
class Contrast:
    """The first call after which two implementations differ."""

    index: int
    compared: str
    found: str  # in the broken one
    expected: str  # in the right one


def lead(make: Make, history: History) -> list[Seen]:
    """Make the calls on a new object; return what was seen after each."""
    target = make(history.size("num_blocks"), history.size("block_size"))
    led = _Led(target)
    return [led.make(call) for call in history.calls]


def contrast(
    broken: Sequence[Seen], right: Sequence[Seen], *, of_last: bool = False
) -> Contrast | None:
    """Return the first difference that counts, or the last one of the last call.

    An answer may come later than elsewhere, but not never: it counts in the end.
    """
    last = len(right) - 1
    for index, (found, wanted) in enumerate(zip(broken, right, strict=True)):
        names = list(wanted.values | found.values)
        if of_last and index < last:
            continue
        for name in reversed(names) if of_last else names:
            pair = found.values.get(name, ""), wanted.values.get(name, "")
            if pair[0] == pair[1] or (NO_ANSWER in pair and index < last):
                continue
            return Contrast(index, name, *(value or "-" for value in pair))
    return None


def call_text(call: Call) -> str:
    """Return a call as it is typed; a row of steps is one call."""
    if call.name == "steps":
        [num] = call.arguments
        return "step()" if num == 1 else f"step(), {num} times"
    return str(call)


def film(seen: Sequence[Seen], history: History, *, is_pool: bool) -> Json:
    """Return what was seen as a film, one frame for each call."""
    num_blocks = history.size("num_blocks")
    tables: dict[SeqId, TableState] = {}
    counts: tuple[int, ...] = (0,) * num_blocks
    events: list[Event] = []
    for now in seen:
        ids = range(num_blocks)
        changed = {s: now.tables.get(s) for s in {**tables, **now.tables}}
        named = () if is_pool else tuple(_names(now.call))
        events.append(
            Event(
                now.call.name,
                named,
                num_blocks=num_blocks,
                num_free=now.num_free,
                block_size=None if is_pool else history.size("block_size"),
                pool_calls=_pool_calls(now) if is_pool else (),
                tables=tuple((s, t) for s, t in changed.items() if t != tables.get(s)),
                ref_counts=tuple(
                    (b, now.counts[b]) for b in ids if now.counts[b] != counts[b]
                ),
                error=now.error,
            )
        )
        tables, counts = now.tables, now.counts
    encoded = encode(frames(events))
    for frame, now in zip(encoded["frames"], seen, strict=True):
        said = call_text(now.call)
        frame["call"] = frame["headline"] = said
        values = [f"{k} is {v}" for k, v in now.values.items() if k != said]
        frame["text"] = f"{'; '.join(values)}." if values else said
        if now.error:
            frame["headline"] = f"{said} is refused"
            frame["text"] = f"{said} is refused. {now.error}. {frame['text']}"
        elif now.block_id is not None:
            frame["headline"] = f"{said}: block {now.block_id}"
        elif now.call.name in ("run", "step", "steps", "submit"):
            frame["kind"] = "write"
    return encoded


class _Led:
    """One object, and the names of what it has handed out."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.id_by_name: dict[str, int] = {}
        self.answers: dict[str, list[int]] = {}
        self.asked: list[str] = []

    def make(self, call: Call) -> Seen:
        error = ""
        block_id: int | None = None
        try:
            block_id = self._call(call)
        except Exception as raised:  # noqa: BLE001  (a broken one may raise anything)
            error = f"{type(raised).__name__}: {raised}".rstrip(".")
        text = call_text(call)
        values = {text: error.partition(":")[0] or "returned"}
        values |= self._values(can_read=call.name == "run" or bool(error))
        target = self.target
        pool = target if isinstance(target, RightPool) else target.pool
        tables: dict[SeqId, TableState] = {}
        if not isinstance(target, RightPool):
            tables = _tables(target)
        counts = tuple(pool.ref_count(b) for b in range(pool.num_blocks))
        return Seen(call, error, values, counts, pool.num_free, tables, block_id)

    def _call(self, call: Call) -> int | None:
        target = self.target
        arguments = [
            self.id_by_name[value] if isinstance(value, Name) else value
            for value in call.arguments
        ]
        match target:
            case RightPool() if call.name == "allocate":
                block_id = self.id_by_name[call.result] = target.allocate()
                return block_id
            case RightPool():
                getattr(target, call.name)(*arguments)
                [block_id] = arguments
                return block_id if type(block_id) is int else None
            case Engine():
                getattr(target, call.name)(*arguments)
            case _ if call.name == "submit":
                name, prompt, num_output = arguments
                assert isinstance(prompt, tuple), call
                assert isinstance(num_output, int), call
                tokens = [token for token in prompt if isinstance(token, int)]
                target.submit(str(name), tokens, num_output)
                self.asked.append(str(name))
            case _:
                num = call.arguments[0] if call.arguments else 1
                for _ in range(num if isinstance(num, int) else 1):
                    self.answers |= target.step()
        return None

    def _values(self, *, can_read: bool) -> dict[str, str]:
        target = self.target
        match target:
            case RightPool():
                counts = {
                    f"pool.ref_count({name})": str(target.counts[block_id])
                    for name, block_id in self.id_by_name.items()
                }
                return {"pool.num_free": str(target.num_free)} | counts
            case Engine():
                nums = {
                    "cache.num_copies": str(target.num_copies),
                    "cache.num_free": str(target.num_free),
                }
                names = target.names if can_read else []  # else a step is not over
                return nums | {f'cache.read("{s}")': _read(target, s) for s in names}
            case _:
                answers = {
                    f"the answer to {name}": str(self.answers.get(name, NO_ANSWER))
                    for name in self.asked
                }
                # while something runs, a right server may hold what it likes
                idle = {} if target.has_work else {"server.num_free": target.num_free}
                return answers | {name: str(num) for name, num in idle.items()}


def _tables(target: Engine | RightServer) -> dict[SeqId, TableState]:
    """Return every table, and what only a server's prefix cache holds as one more."""
    tables: dict[SeqId, TableState] = {}
    names = target.names if isinstance(target, Engine) else [*target.manager.tables]
    if isinstance(target, RightServer) and target.block_by_key:
        block_ids = tuple(target.block_by_key.values())
        tables["cache"] = TableState(block_ids, len(block_ids) * target.block_size)
    for name in names:
        table = target.manager.table(name)
        tables[name] = TableState(tuple(table.block_ids), table.seq_len)
    return tables


def _read(engine: Engine, name: str) -> str:
    try:
        return f'"{" ".join(engine.read(name))}"'
    except PagedKVError as error:
        return type(error).__name__


def _names(call: Call) -> list[SeqId]:
    if call.name in ("run", "step", "steps", "submit"):
        return []
    return [value for value in call.arguments if isinstance(value, str)]


def _pool_calls(now: Seen) -> tuple[PoolCall, ...]:
    if now.error or now.block_id is None or not 0 <= now.block_id < len(now.counts):
        return ()
    return (PoolCall(now.call.name, now.block_id, now.counts[now.block_id]),)
