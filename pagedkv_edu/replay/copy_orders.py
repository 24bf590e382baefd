"""A batch of copies as a GPU may run it: any order of its reads and its writes."""

from collections import Counter
from collections.abc import Mapping, Sequence

Place = int | str  # a block of the device, or one of the host: "host 0"
Pair = tuple[Place, Place]  # source, target
Action = tuple[str, int]  # "read" or "write", index of the copy
Order = tuple[Action, ...]


def one_by_one(num_copies: int) -> Order:
    """Return the order of a list: each copy is read and written before the next.

    >>> one_by_one(2)
    (('read', 0), ('write', 0), ('read', 1), ('write', 1))
    """
    return tuple((act, i) for i in range(num_copies) for act in ("read", "write"))


def reads_first(num_copies: int) -> Order:
    """Return the order of an indexed assignment: all reads, then all writes."""
    return tuple((act, i) for act in ("read", "write") for i in range(num_copies))


def all_orders(num_copies: int) -> list[Order]:
    """Return every order in which each copy is read before it is written.

    >>> len(all_orders(2)), len(all_orders(3))
    (6, 90)
    """
    orders: list[Order] = [()]
    for _ in range(2 * num_copies):
        orders = [(*o, action) for o in orders for action in _next(o, num_copies)]
    return orders


def _next(order: Order, num_copies: int) -> list[Action]:
    """Return the actions that may follow: reads, and writes of what was read."""
    done = set(order)
    may = [("read", i) for i in range(num_copies)]
    may += [("write", i) for i in range(num_copies) if ("read", i) in done]
    return [action for action in may if action not in done]


def carry_out(
    words: Mapping[Place, str], pairs: Sequence[Pair], order: Order
) -> dict[Place, str]:
    """Return what each block holds after the actions of an order, one at a time.

    >>> carry_out({0: "x", 1: "y", 2: ""}, [(1, 2), (0, 1)], one_by_one(2))
    {0: 'x', 1: 'x', 2: 'y'}
    """
    blocks = dict(words)
    on_the_way: dict[int, str] = {}
    for act, i in order:
        source, target = pairs[i]
        if act == "read":
            on_the_way[i] = blocks[source]
        else:
            blocks[target] = on_the_way[i]
    return blocks


def count_outcomes(
    words: Mapping[Place, str], pairs: Sequence[Pair], place: Place
) -> Counter[str]:
    """Return, over all orders, how often a block ends with which words.

    >>> count_outcomes({0: "x", 1: "y", 2: ""}, [(1, 2), (0, 1)], 2)
    Counter({'y': 5, 'x': 1})
    """
    orders = all_orders(len(pairs))
    return Counter(carry_out(words, pairs, order)[place] for order in orders)


def in_waves(pairs: Sequence[Pair]) -> Order:
    """Return an order by waves: all reads of a wave, its writes, then the next wave.

    >>> in_waves([(1, 2), (0, 1)]) == one_by_one(2)
    True
    """
    order: list[Action] = []
    first = 0
    for wave in waves(pairs):
        indices = range(first, first + len(wave))
        order += [(act, i) for act in ("read", "write") for i in indices]
        first += len(wave)
    return tuple(order)


def waves(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Cut a list of copies into waves whose copies may happen in any order.

    In a wave no block is both source and target, and none is a target twice.

    >>> waves([(1, 2), (0, 1), (3, 4)])
    [[(1, 2)], [(0, 1), (3, 4)]]
    """
    cut: list[list[Pair]] = []
    sources: set[Place] = set()
    targets: set[Place] = set()
    for source, target in pairs:
        if not cut or source in targets or target in sources or target in targets:
            cut.append([])
            sources, targets = set(), set()
        cut[-1].append((source, target))
        sources.add(source)
        targets.add(target)
    return cut
