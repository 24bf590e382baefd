"""Compare a step of beam search with ours, and say what differs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pagedkv_edu.checks.beams.watch import BeamSide, step_arguments
from pagedkv_edu.checks.histories import Call
from pagedkv_edu.checks.judging.topics import Finding
from pagedkv_edu.checks.judging.wording import be, counted, joined


@dataclass(frozen=True, slots=True)
class BeamStep:
    """One step, made by the learner's function and by ours."""

    call: Call
    block_size: int
    mine: BeamSide
    wanted: BeamSide
    words: Mapping[str, str]
    wanted_words: Mapping[str, str]


def first_difference(step: BeamStep) -> Finding | None:
    """Return what differs first: errors, beams, lengths, copies, words, blocks."""
    comparisons = (
        _error,
        _beams,
        _lengths,
        _num_copies,
        _returned,
        _words,
        _blocks,
    )
    return next((f for compare in comparisons if (f := compare(step))), None)


def _asked(step: BeamStep) -> str:
    """Tell the calls that the function made, in order."""
    asked = step.mine.asked
    return f"Your function called {joined(asked)}." if asked else "It called nothing."


def _error(step: BeamStep) -> Finding | None:
    error = step.mine.error
    if error is None:
        return None
    name = type(error).__name__
    return Finding(
        f"raised {name}",
        f"{step.call} raised {name}; expected no error",
        f"no error: with {_wanted_calls(step)}, every call is possible.",
        f"{name}: {error}. {_asked(step)}",
        str(step.call),
        name,
        "no error",
    )


def _wanted_calls(step: BeamStep) -> str:
    asked = step.wanted.asked
    return joined(asked) + (", in this order" if len(asked) > 1 else "")


def _beams(step: BeamStep) -> Finding | None:
    found, wanted = step.mine.tables.keys(), step.wanted.tables.keys()
    kept = f"{joined(sorted(wanted))} {be(len(wanted))} kept"
    there = f"beams {joined(sorted(found))}. {_asked(step)}"
    for beam in sorted(found - wanted):
        return Finding(
            "not freed",
            f"after {step.call}, {beam} is still there",
            f"{beam} to be freed: only {kept}.",
            there,
            f'manager.table("{beam}")',
            "a table",
            "UnknownSequence",
        )
    for beam in sorted(wanted - found):
        return Finding(
            "lost",
            f"after {step.call}, there is no {beam}",
            f"{beam} to have a table: {kept}.",
            there,
            f'manager.table("{beam}")',
            "UnknownSequence",
            "a table",
        )
    return None


def _lengths(step: BeamStep) -> Finding | None:
    for beam, table in step.wanted.tables.items():
        found = step.mine.tables[beam].seq_len
        if found == table.seq_len:
            continue
        parent = step_arguments(step.call)[1][beam]
        more = "too long" if found > table.seq_len else "too short"
        return Finding(
            more,
            f"after {step.call}, {beam}'s seq_len is {found}; expected {table.seq_len}",
            f"seq_len {table.seq_len}: the {table.seq_len - 1} of {parent} before the "
            "step, and one more.",
            f"{found}. {_asked(step)}",
            f'manager.table("{beam}").seq_len',
            str(found),
            str(table.seq_len),
        )
    return None


def _num_copies(step: BeamStep) -> Finding | None:
    found, wanted = len(step.mine.made), len(step.wanted.made)
    if found == wanted:
        return None
    return Finding(
        "too many copies" if found > wanted else "too few copies",
        f"{step.call} copied {counted(found, 'block')}; "
        f"expected {counted(wanted, 'copy')}",
        f"{counted(wanted, 'copy')}: {'; '.join(_why_copies(step))}.",
        f"{counted(found, 'copy')}. {_asked(step)}",
        "len(copies)",
        str(found),
        str(wanted),
    )


def _why_copies(step: BeamStep) -> Iterator[str]:
    parents = list(step_arguments(step.call)[1].values())
    for parent in dict.fromkeys(parents):
        beam = next(b for b, p in step_arguments(step.call)[1].items() if p == parent)
        filled = (step.wanted.tables[beam].seq_len - 1) % step.block_size
        many = counted(parents.count(parent), "continuation")
        if not filled:
            yield f"{parent}'s last block is full, and nobody writes into it"
        elif parents.count(parent) == 1:
            yield f"{parent} has one continuation, which writes in place"
        else:
            yield (
                f"{parent}'s last block is partly filled and has {many}, "
                "of which the last writes in place"
            )


def _returned(step: BeamStep) -> Finding | None:
    found, made = list(step.mine.copies), list(step.mine.made)
    if found == made:
        return None
    beam = next((b for b, w in step.wanted_words.items() if step.words[b] != w), None)
    reads = (
        f' {beam} reads "{step.words[beam]}"; expected "{step.wanted_words[beam]}".'
        if beam is not None
        else ""
    )
    return Finding(
        "copies lost",
        f"{step.call} returned {counted(len(found), 'copy')}; "
        f"append returned {counted(len(made), 'copy')}",
        f"{[*made]}: every copy, in the order in which append returned them.",
        f"{found}.{reads}",
        "copies",
        str(found),
        str(made),
    )


def _words(step: BeamStep) -> Finding | None:
    for beam, wanted in step.wanted_words.items():
        found = step.words[beam]
        if found != wanted:
            return Finding(
                "words",
                f'after {step.call}, {beam} reads "{found}"; expected "{wanted}"',
                "its parent's words and one of its own.",
                f'"{found}". {_asked(step)}',
                f"words of {beam}",
                found,
                wanted,
            )
    return None


def _blocks(step: BeamStep) -> Finding | None:
    found, wanted = step.mine.num_free, step.wanted.num_free
    if found == wanted:
        return None
    return Finding(
        "blocks",
        f"after {step.call}, {found} blocks {be(found)} free; expected {wanted}",
        f"{wanted}, as after {_wanted_calls(step)}.",
        f"{found}. {_asked(step)}",
        "pool.num_free",
        str(found),
        str(wanted),
    )
