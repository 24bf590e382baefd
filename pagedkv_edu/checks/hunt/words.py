"""What a report on a check says: of whom, with which words, and which hint fits."""

from collections.abc import Sequence

from pagedkv_edu.checks.hints import hunt as hint
from pagedkv_edu.checks.hunt.hunting import Hunt, Outcome, Subject
from pagedkv_edu.checks.hunt.kinds import Kind, Right
from pagedkv_edu.checks.hunt.under_test import MOST_CALLS

MOST_LISTED = 6

RULES = {
    "allocate": "allocate hands out any block that nobody holds; if there is none, it "
    "raises OutOfBlocks.",
    "share": "share adds one reference to a block in use; for any other id it raises "
    "NotAllocated and changes nothing.",
    "free": "free drops a reference, and the last one makes a block free; what is not "
    "in use is refused, and nothing changes.",
    "add": "add takes the blocks that so many tokens need, or raises OutOfBlocks and "
    "changes nothing; the name of a live sequence is refused.",
    "append": "append takes a block with the first token that goes into it, and a copy "
    "only of a partly filled block that others hold; with too few free it raises "
    "OutOfBlocks and changes nothing.",
    "fork": "a fork takes no block and copies nothing; its parent has to be written.",
    "run": "at the end of a step every token that has a slot is written.",
    "submit": "submit raises NeverFits if prompt and answer need more blocks than the "
    "pool has, and else the request waits for its turn.",
    "steps": "a request ends within as many steps as it and those submitted before it "
    "have tokens, and one more for each; when nothing is left, every block is free.",
}

# what a check looked at last, by what it was given
LOOKS = {
    ("pool", "num_free"): "a block is free as soon as its last reference is dropped.",
    (
        "pool",
        "ref_count",
    ): "each allocate and each share adds one, each free drops one.",
    ("cache", "num_free"): "as many blocks are in use as there are different contents.",
    (
        "cache",
        "num_copies",
    ): "who writes first into a partly filled shared block copies "
    "it; its last owner writes in place.",
    ("cache", "read"): "each word by who wrote it; a child begins with its parent's.",
    ("server", "num_free"): "what only the prefix cache holds counts as free; how many "
    "blocks running requests hold is the server's business.",
}


def name_of(subject: Subject, what: Right | Kind) -> str:
    """Return what a check was given, in words."""
    if isinstance(what, Right):
        return what.name
    return f"a broken {subject.noun}: {what.title}"


def among(subject: Subject, hunted: Hunt) -> str:
    """Say how many of the right ones were accused."""
    accused = {right.name for right, outcome in hunted.right if outcome.how != "let go"}
    num, num_all = len(accused), len(subject.right)
    if num == num_all:
        return f"It does the same with each of the {num_all} right {subject.noun}s."
    return f"It lets {num_all - num} of the {num_all} right {subject.noun}s go."


def accusation(subject: Subject, outcome: Outcome) -> tuple[str, str]:
    """Return the title, and the hint that fits."""
    name, noun = subject.answer_name, subject.noun
    match outcome.how:
        case "said":
            words = cut(outcome.words)
            return f'{name} accuses a right {noun}: "{words}"', hint.ACCUSES
        case "error":
            error = outcome.error
            return (
                f"{name} lets {error} out, which a right {noun} raises",
                hint.LETS_OUT,
            )
        case "endless":
            return (
                f"{name} makes more than {MOST_CALLS:,} calls of a right {noun}",
                hint.ENDLESS,
            )
        case _:
            return f"{name} raised {outcome.error} on a right {noun}", hint.CRASHES


def last_look(subject: Subject, outcome: Outcome) -> str:
    """Say what the check looked at after the last call, and what holds of it."""
    name, found = outcome.notes.look if outcome.notes else ("", "")
    rule = LOOKS.get((subject.noun, name), "")
    if outcome.how != "said" or not rule:
        return ""
    return f" Then it looked at {name} and found {cut(found)}: {rule}"


def best_hint(
    hunted: Hunt, missed: Sequence[tuple[Kind, Outcome]], *, is_endless: bool
) -> str:
    """Return the title of the hint that helps most."""
    if is_endless:
        return hint.ENDLESS
    if not any(o.accuses for _, o in (*hunted.shown, *hunted.unseen)):
        return hint.BEGIN
    if missed:
        return missed[0][0].hint
    return hint.ONLY_SHOWN if _only_shown(hunted) else _first_hint(hunted)


def kinds_told(subject: Subject, hunted: Hunt) -> str:
    """Say which kinds were let go, and how often, and which were caught."""
    let_go: list[str] = []
    caught: list[str] = []
    for kind in subject.kinds:
        found = [outcome.accuses for other, outcome in hunted.unseen if other is kind]
        often = _how_many(found.count(False), len(found))
        if all(found):
            caught.append(kind.title)
        else:
            let_go.append(f"{kind.title} ({often})")
    if not caught and not any(outcome.accuses for _, outcome in hunted.unseen):
        return "let go: all of them."
    parts = [f"let go: {_listed(let_go)}."] if let_go else []
    parts += [f"Caught each time: {_listed(caught)}."] if caught else []
    return " ".join(parts)


def _listed(titles: list[str]) -> str:
    more = len(titles) - MOST_LISTED
    if more <= 1:
        return "; ".join(titles)
    return f"{'; '.join(titles[:MOST_LISTED])}; and {more} other kinds"


def _how_many(num: int, num_all: int) -> str:
    if num == num_all:
        return "each time"
    return f"{num} of {num_all}"


def _first_hint(hunted: Hunt) -> str:
    """Return the hint of the kind that is let go most often."""
    let_go = [kind for kind, outcome in hunted.unseen if not outcome.accuses]
    most = max(let_go, key=let_go.count) if let_go else None
    return most.hint if most else hint.BEGIN


def _only_shown(hunted: Hunt) -> bool:
    """Tell whether the shown ones are caught, and few of the same kinds elsewhere."""
    like_shown = [o.accuses for kind, o in hunted.unseen if kind.is_shown]
    return 2 * sum(like_shown) < len(like_shown)


def said(outcome: Outcome) -> str:
    """Return what a check did, as the beginning of a sentence."""
    match outcome.how:
        case "said":
            return f'it said "{cut(outcome.words)}"'
        case "error":
            return f"{outcome.words}; it was asked"
        case "endless":
            return f"{MOST_CALLS:,} calls in all, and it went on; it was asked"
        case "let go":
            return "it returned None"
        case _:
            return f"{outcome.words.rstrip('.')}; it was asked"


def cut(words: str) -> str:
    """Return a learner's words, not too many of them."""
    return words if len(words) <= 90 else f"{words[:89]}…"
