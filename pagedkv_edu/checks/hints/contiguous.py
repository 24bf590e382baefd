"""Hints of exercise 02, named after what the learner sees."""

from pagedkv_edu.checks.judging.topics import Advice
from pagedkv_edu.report import Hint

FIRST_FIT = 'lesson 02, "Where does a request go?"'
HOLES = 'lesson 02, "Holes"'
REFUSED = 'lesson 02, "What breaks"'

BEGIN = "I do not know where to begin"
PYTHON_ERROR = "My code stops with an error, or returns something else"
CHANGED = "was refused, but something changed first"

# --- 2.1 -----------------------------------------------------------------------------

NOT_JOINED = "Two holes touch and are not one"
LOST = "Free slots are in no hole"
IN_USE = "Slots are handed out that are in use"
NOT_FIRST = "It takes another hole than the first one"
REFUSED_FIT = "It refuses, although a hole is long enough"
ACCEPTED = "It hands out slots, although no hole is long enough"
ACCEPTED_RELEASE = "A release is accepted that should be refused"
REFUSED_RELEASE = "release refuses what is held"
LISTED = "The list of holes is not as it should be"
COUNTS = "largest_hole or num_free is wrong"

_FIRST_FIT = (
    Hint(
        BEGIN,
        (
            "Write `reserve` first. Which hole does it take from, and what is left of "
            "that hole?",
            "Go through the holes in order. The first one with `num_slots` slots or "
            "more gives up its lower end. Note how long the extent is: `release` is "
            "told only where it starts.",
            "`for i, (start, length) in enumerate(self._holes):` and, if it is long "
            "enough, put `(start + num_slots, length - num_slots)` in its place, "
            "or remove it if nothing is left.",
        ),
    ),
    Hint(
        NOT_JOINED,
        (
            "Which hole ends where the released extent starts? Which one starts where "
            "it ends?",
            "Three slots and two slots side by side are five slots in one piece. A "
            "request for five must find them. An extent can touch two holes at once.",
            "Put the extent into the list, sort it, and build a new list: where a hole "
            "starts at the end of the one before, add its length to that one.",
        ),
    ),
    Hint(
        LOST,
        (
            "Which slots are in no extent and in no hole?",
            "What is left of a hole stays a hole. What is released becomes one, as "
            "long as the extent was.",
            "`self._size_by_start[start] = num_slots` in `reserve`, and "
            "`num_slots = self._size_by_start.pop(start)` in `release`.",
        ),
    ),
    Hint(
        IN_USE,
        (
            "After the call before, which slots were still in a hole of yours?",
            "Slots that were handed out must leave the list of holes in the same call.",
            "`self._holes[i] = (start + num_slots, length - num_slots)`.",
        ),
    ),
    Hint(
        NOT_FIRST,
        (
            "Write down the holes before the call, in order. Which one does your loop "
            "stop at?",
            "First fit means the lowest address, and the lower end of that hole. The "
            "smallest hole is best fit; the end of the hole is neither.",
            "`return start` inside the loop, at the first hole with "
            "`length >= num_slots`.",
        ),
    ),
    Hint(
        REFUSED_FIT,
        (
            "How long is the hole, and how many slots are asked for? Look at the line "
            "Nearby.",
            "A hole of exactly the right length fits. And a hole that is too short is "
            "no reason to stop: a later one may do.",
            "`if length >= num_slots`, and the `raise` stands after the loop.",
        ),
    ),
    Hint(
        ACCEPTED,
        (
            "How long is the longest hole?",
            "The sum of the holes does not matter. The slots of one request must be "
            "neighbours.",
            "After the loop: `raise OutOfSlots(...)`.",
        ),
    ),
    Hint(
        ACCEPTED_RELEASE,
        (
            "Does an extent start at this slot?",
            "A start inside an extent, in a hole, or outside the memory is a mistake "
            "of the caller. If it is accepted, slots become free twice.",
            "`if start not in self._size_by_start: raise NotAllocated(...)`, before "
            "anything is changed.",
        ),
    ),
    Hint(
        REFUSED_RELEASE,
        (
            "Which starts does your allocator know?",
            "Extents come back in any order. Slot 0 is a start like any other, and "
            "`if not start` is true for it.",
            "`if start not in self._size_by_start`.",
        ),
    ),
    Hint(
        LISTED,
        (
            "How does your list differ from the expected one: an entry, a length, or "
            "the order?",
            "A hole has at least one slot. Holes are listed by address, and no slot is "
            "in two of them.",
            "Remove a hole of which nothing is left. Sort after adding one.",
        ),
    ),
    Hint(
        COUNTS,
        (
            "What are the two numbers, if you work them out from the holes by hand?",
            "Numbers that are computed from the list of holes cannot disagree with it.",
            "`max((length for _, length in self._holes), default=0)` and "
            "`sum(length for _, length in self._holes)`.",
        ),
    ),
    Hint(
        CHANGED,
        (
            "Which line of yours raises? Which lines above it have changed something?",
            "Look first, then change. A call that is refused leaves everything as it "
            "was, so whoever made it can go on.",
            "Find the hole before you touch the list.",
        ),
    ),
    Hint(
        PYTHON_ERROR,
        (
            "Which line is named under Found? Which value in it is not what you think "
            "it is?",
            "`reserve` returns a start, an int. `holes` is a list of pairs "
            "`(start, num_slots)`. OutOfSlots and NotAllocated are the only errors.",
            "`return start`; a list that is changed while a loop runs over it skips "
            "entries.",
        ),
    ),
)

FIRST_FIT_ADVICE = {
    "accepted release": Advice(ACCEPTED_RELEASE, HOLES),
    "accepted reserve": Advice(ACCEPTED, FIRST_FIT),
    "changed": Advice(CHANGED, FIRST_FIT),
    "empty hole": Advice(LISTED, HOLES),
    "holes": Advice(LISTED, HOLES),
    "in use": Advice(IN_USE, FIRST_FIT),
    "largest_hole wrong": Advice(COUNTS, HOLES),
    "lost": Advice(LOST, HOLES),
    "not first": Advice(NOT_FIRST, FIRST_FIT),
    "not joined": Advice(NOT_JOINED, HOLES),
    "num_free wrong": Advice(COUNTS, HOLES),
    "order": Advice(LISTED, HOLES),
    "outside": Advice(IN_USE, FIRST_FIT),
    "overlap": Advice(LISTED, HOLES),
    "raised": Advice(PYTHON_ERROR, FIRST_FIT),
    "upper end": Advice(NOT_FIRST, FIRST_FIT),
    "refused release": Advice(REFUSED_RELEASE, HOLES),
    "refused reserve": Advice(REFUSED_FIT, FIRST_FIT),
}

# --- 2.2 -----------------------------------------------------------------------------

FIRST_NOT_BEST = "It takes a hole that fits, not the smallest"
MISSES_FIT = "It misses a hole"
TOO_SHORT = "It takes a hole that is too short"
TIE = "Of two equal holes it takes the later one"
NO_HOLE = "It goes wrong where no hole is long enough"
NOT_A_START = "It returns a hole, a length or an index"
CHANGES = "It changes the list that it was given"

_BEST_HOLE = (
    Hint(
        BEGIN,
        (
            "Which holes are long enough? Which of those is the shortest?",
            "First keep the holes that fit. Then choose one of them, if there is any.",
            "`fitting = [(length, start) for start, length in holes if "
            "length >= num_slots]`; the smallest pair has the shortest hole, and of "
            "equals the lowest start.",
        ),
    ),
    Hint(
        FIRST_NOT_BEST,
        (
            "How many slots would be left over in your hole, and how many in the "
            "expected one?",
            "Best fit looks at every hole before it chooses. What it leaves is as "
            "small as it can be.",
            "`min(...)` over the holes that fit, by their length.",
        ),
    ),
    Hint(
        MISSES_FIT,
        (
            "How long is the hole that you missed, and how many slots were asked for?",
            "A hole of exactly the right length is the best of all.",
            "`length >= num_slots`, not `>`.",
        ),
    ),
    Hint(
        TOO_SHORT,
        (
            "Would the slots fit into the hole that you return?",
            "The shortest hole of all is of no use if it is too short. Sort out first.",
            "`if length >= num_slots` in the list, before `min`.",
        ),
    ),
    Hint(
        TIE,
        (
            "Two holes are equally good. Which one has the lower address?",
            "`min` keeps the first of equals if you compare lengths alone; a loop with "
            "`<=` keeps the last.",
            "`<` instead of `<=`, or compare pairs `(length, start)`.",
        ),
    ),
    Hint(
        NO_HOLE,
        (
            "What does `min` do with an empty list?",
            "Where no hole is long enough there is nothing to return. The word for "
            "that is None; 0 would be a slot.",
            "`min(..., default=None)`, or an `if not fitting: return None` before it.",
        ),
    ),
    Hint(
        NOT_A_START,
        (
            "What did you return: where the hole starts, how long it is, its place in "
            "the list, or both numbers?",
            "The caller wants to know where to write. That is a slot, an int.",
            "`start, length = hole` and `return start`.",
        ),
    ),
    Hint(
        CHANGES,
        (
            "Whose list is it, and what else is done with it after your call?",
            "`holes.sort()` puts the caller's own list into another order. The caller "
            "counts on its holes by address.",
            "`sorted(holes, ...)` makes a new list.",
        ),
    ),
)

# --- 2.3 -----------------------------------------------------------------------------

FORM = "My list is not read as calls"
IMPOSSIBLE = "One of my calls cannot be made"
TOO_EARLY = "A call before the last one is refused"
FITS = "The last request fits"
FULL = "It is refused, but too few slots are free"
NO_REQUEST = "The last call is not a request"

_REFUSED = (
    Hint(
        BEGIN,
        (
            "When do two holes not become one?",
            "Something must lie between them. Fill the memory with several requests, "
            "then let some of them end.",
            "Four requests of 4 fill 16 slots: a, b, c, d. Release a and c. How many "
            "slots are free, and how long is the largest hole?",
        ),
    ),
    Hint(
        FORM,
        (
            "Is every entry a tuple, and is its first word `reserve` or `release`?",
            "A request has a name and a length, a release only a name. A name can be "
            "used again after its release.",
            '`[("reserve", "a", 4), ("release", "a")]`.',
        ),
    ),
    Hint(
        IMPOSSIBLE,
        (
            "Which names are held when that call comes? Go through the list from the "
            "top. How many slots does it ask for?",
            "A reserve adds its name to those that are held, a release takes one away. "
            "A name that is held cannot be given a second time, and nobody asks for "
            "0 slots.",
            "Give every reserve a name of its own, and release only such names, each "
            "once.",
        ),
    ),
    Hint(
        TOO_EARLY,
        (
            "How long was the largest hole when that call came?",
            "Only the last call may be refused. Every other one must find its place.",
            "Add up the lengths: together they may not be more than 16.",
        ),
    ),
    Hint(
        FITS,
        (
            "How long is the largest hole before the last call?",
            "Released neighbours join to one hole. Keep something between them, or ask "
            "for more than the largest hole has.",
            "One slot more than the largest hole is enough, as long as that many are "
            "free in all.",
        ),
    ),
    Hint(
        FULL,
        (
            "How many slots are free in all, and how many does the last call ask for?",
            "A full memory refuses too; that is no fragmentation. Here the free slots "
            "must be enough, and only lie apart.",
            "Ask for at most the sum of the holes, and for more than the largest.",
        ),
    ),
    Hint(
        NO_REQUEST,
        (
            "Which call can be refused for want of slots?",
            "A release takes nothing. The story ends with a request.",
            '`("reserve", "e", 8)` as the last entry.',
        ),
    ),
)

HINTS = {"2.1": _FIRST_FIT, "2.2": _BEST_HOLE, "2.3": _REFUSED}
