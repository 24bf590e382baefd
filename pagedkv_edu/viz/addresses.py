"""A position's way to its byte, and where a learner's functions lead instead."""

import reprlib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import wraps
from typing import ParamSpec, TypeVar

from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.sizes import KVCacheSpec, locate

Locate = Callable[[int, int], tuple[int, int]]
Slot = Callable[[list[int], int, int], int]
P = ParamSpec("P")
R = TypeVar("R")


class NotWritten(PagedKVError):  # noqa: N818  (as in errors.py)
    """The learner's function is still a stub."""


def guarded(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function, so that a failure or a strange result is an error of ours.

    For a learner's functions that answer in whole numbers: an int, or a tuple or list
    of ints. A lesson that runs on them then stops with a sentence.
    """
    name = _name(function)

    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        said = f"{name}({', '.join(reprlib.repr(argument) for argument in arguments)})"
        given = deepcopy(arguments)
        try:
            found = function(*arguments, **named)
        except PagedKVError:
            raise
        except NotImplementedError:
            raise NotWritten(f"{said} is not written yet") from None
        except Exception as error:  # noqa: BLE001  (it may fail in any way)
            raise PagedKVError(f"{said} stopped with {_told(error)}") from None
        if arguments != given:
            raise PagedKVError(f"{said} changed the list that it was given")
        if not _is_whole(found):
            raise PagedKVError(f"{said} returned {found!r}; expected whole numbers")
        return found

    return call


def _name(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", "your function")


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _is_whole(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(type(item) is int for item in value)
    return type(value) is int


@dataclass(frozen=True, slots=True)
class Way:
    """The steps from a position to its byte, and what a learner's code says instead."""

    position: int
    logical_block: int
    offset: int
    block_id: int
    slot: int
    byte: int  # in each layer's key array, and again in its value array
    remark: str = ""  # how the learner's functions differ, empty if they agree
    found_slot: int | None = None  # where they lead instead, if anywhere
    is_written: bool = True


def bytes_per_slot(spec: KVCacheSpec) -> int:
    """Return the bytes of one slot in one array: one layer's keys, or its values."""
    return spec.num_kv_heads * spec.head_dim * spec.dtype_bytes


def follow(
    position: int,
    block_ids: list[int],
    spec: KVCacheSpec,
    *,
    my_locate: Locate = locate,
    my_slot: Slot | None = None,
) -> Way:
    """Follow a position of a sequence through its table; never fails on bad answers.

    >>> follow(9, [7, 1, 4], KVCacheSpec(32, 8, 128, dtype_bytes=2, block_size=4)).slot
    17
    """
    block_size = spec.block_size
    logical_block, offset = locate(position, block_size)
    block_id = block_ids[logical_block]
    slot = block_id * block_size + offset
    byte = slot * bytes_per_slot(spec)
    way = Way(position, logical_block, offset, block_id, slot, byte)
    try:
        remark, found = _compare_locate(way, block_ids, block_size, my_locate)
        if not remark and my_slot is not None:
            remark, found = _compare_slot(way, block_ids, block_size, my_slot)
    except NotWritten as error:
        return replace(way, remark=f"Yours: {error}.", is_written=False)
    except PagedKVError as error:
        return replace(way, remark=f"Yours: {error}.")
    return replace(way, remark=remark, found_slot=found)


def _compare_locate(
    way: Way, block_ids: list[int], block_size: int, my_locate: Locate
) -> tuple[str, int | None]:
    found = guarded(my_locate)(way.position, block_size)
    expected = (way.logical_block, way.offset)
    if found == expected:
        return "", None
    remark = (
        f"Yours: {_name(my_locate)}({way.position}, {block_size}) returned "
        f"{found!r}; expected {expected}."
    )
    match found:
        case (int(block), int(offset)) if 0 <= block < len(block_ids):
            return remark, block_ids[block] * block_size + offset
        case _:
            return f"{remark} The table has no such entry.", None


def _compare_slot(
    way: Way, block_ids: list[int], block_size: int, my_slot: Slot
) -> tuple[str, int | None]:
    found = guarded(my_slot)(list(block_ids), block_size, way.position)
    if found == way.slot:
        return "", None
    remark = f"Yours: slot {found!r}; expected slot {way.slot}."
    return remark, found if type(found) is int else None


def describe_way(way: Way, block_size: int, slot_bytes: int) -> str:
    """Return the whole way in plain sentences, for a reader who sees no picture."""
    return (
        f"Position {way.position} is {way.logical_block} × {block_size} + "
        f"{way.offset}: logical block {way.logical_block}, offset {way.offset}. "
        f"Entry {way.logical_block} of A's table is {way.block_id}, so the token is in "
        f"slot {way.block_id} × {block_size} + {way.offset} = {way.slot}. "
        f"Its keys begin at byte {way.slot} × {slot_bytes:,} = {way.byte:,} of each "
        f"layer's key array, its values at the same byte of the value array."
    )
