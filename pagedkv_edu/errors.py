"""What can go wrong, in the learner's words."""

# The names read better without the suffix "Error": `except OutOfBlocks`.
# ruff: noqa: N818


class PagedKVError(Exception):
    """Base of every error that this library raises on purpose."""


class OutOfBlocks(PagedKVError):
    """Too few blocks are free; a scheduler answers this by preempting."""


class OutOfSlots(PagedKVError):
    """No hole of a contiguous cache is long enough, however many slots are free."""


class NotAllocated(PagedKVError):
    """A block or an extent was named that is not in use, or does not exist."""


class UnknownSequence(PagedKVError):
    """No live sequence has this id."""


class DuplicateSequence(PagedKVError):
    """A live sequence has this id already."""


class SwappedOut(PagedKVError):
    """The sequence's blocks are in host memory; swap it in first."""


class NeverFits(PagedKVError):
    """The request is larger than the whole cache, so waiting cannot help."""


class WrongPlan(PagedKVError):
    """A scheduler's plan names a sequence that is not live."""


class InvalidSize(PagedKVError, ValueError):
    """A size, a count or a position is not an int of the right range."""


class InvalidId(PagedKVError, TypeError):
    """A sequence id is neither an int nor a str."""


class WrongPool(PagedKVError, TypeError):
    """The pool given is not the one that is needed here."""


class TraceError(PagedKVError, ValueError):
    """A line of a trace file cannot be read; the message gives its number."""


class NoAnswer(BaseException):
    """The process that an answer runs in gave none: it ended, or took too long.

    No Exception, so that nothing on the way takes it for an error of the answer's own.
    `what` completes a title, "ended the Python process", and `found` is a sentence;
    where it is too late, the caller knows how long it has waited and says so.
    """

    def __init__(
        self, what: str = "", found: str = "", place: str = "", *, is_late: bool = False
    ) -> None:
        super().__init__(what)
        self.what = what
        self.found = found
        self.place = place  # 'in line 7, "while True:"'
        self.is_late = is_late
