"""Copies of one batch in an unlucky order, and in waves."""

from collections.abc import Mapping, Sequence

from pagedkv_edu.replay.copy_orders import (
    Order,
    Pair,
    Place,
    carry_out,
    in_waves,
    one_by_one,
)
from pagedkv_edu.viz.beside import Beside, Box, Cell, Look, Moment, Row, Step, beside


def show_copies(
    words: Mapping[Place, str],
    pairs: Sequence[Pair],
    order: Order,
    *,
    names: tuple[str, str] = ("one launch, an order it may take", "in waves"),
    start_at: int = 0,
) -> Beside:
    """Return the copies in an order of one launch beside the same copies in waves.

    A block that ends with other words than one by one in the list's order is marked.
    """
    right = carry_out(words, pairs, one_by_one(len(pairs)))
    sides = [_run(words, pairs, o, right) for o in (order, in_waves(pairs))]
    titles = ["Before the copies"]
    titles += [f"Action {k} of {len(order)}" for k in range(1, len(order) + 1)]
    steps = [
        Step(title, *moments) for title, *moments in zip(titles, *sides, strict=True)
    ]
    return beside(names, steps, start_at=start_at)


def _run(
    words: Mapping[Place, str],
    pairs: Sequence[Pair],
    order: Order,
    right: Mapping[Place, str],
) -> list[Moment]:
    listed = ", then ".join(f"{_name(s)} to {_name(t)}" for s, t in pairs)
    blocks, on_the_way = dict(words), dict[int, str]()
    moments = [_moment(blocks, on_the_way, {}, f"To do: copy {listed}.", None)]
    for k, (act, i) in enumerate(order):
        source, target = pairs[i]
        if act == "read":
            on_the_way[i] = blocks[source]
            told = f"Copy {i + 1} reads {_name(source)}: “{blocks[source]}”."
        else:
            blocks[target] = on_the_way.pop(i)
            told = f"Copy {i + 1} writes {_name(target)}: “{blocks[target]}”."
        to_come = {pairs[j][1] for a, j in order[k + 1 :] if a == "write"}
        bad = {
            place: right[place]
            for place in {t for _, t in pairs} - to_come
            if blocks[place] != right[place]
        }
        told += "".join(
            f" {_name(p).capitalize()} should be “{w}”." for p, w in bad.items()
        )
        moments.append(
            _moment(blocks, on_the_way, bad, told, target if act == "write" else None)
        )
    return moments


def _moment(
    blocks: Mapping[Place, str],
    on_the_way: Mapping[int, str],
    bad: Mapping[Place, str],
    told: str,
    written: Place | None,
) -> Moment:
    boxes = [
        _box(
            _name(place),
            text,
            "wrong" if place in bad else "new" if place == written else "",
        )
        for place, text in blocks.items()
    ]
    flying = [_box(f"copy {i + 1}", text) for i, text in sorted(on_the_way.items())]
    rows = (
        Row("memory", tuple(boxes)),
        Row(
            "on the way",
            tuple(flying or [Box((Cell("–", "empty"),), "nothing", look="empty")]),
        ),
    )
    return Moment(rows, told, is_wrong=bool(bad))


def _name(place: Place) -> str:
    return place if isinstance(place, str) else f"block {place}"


def _box(name: str, text: str, look: Look = "") -> Box:
    return Box(tuple(Cell(word, look) for word in text.split()), name, look=look)
