"""What went wrong in the cells of a submission."""

from pagedkv_edu.grading.notebook import Cell


class Trouble:
    """What went wrong in the cells of one submission, over all its processes.

    A statement that has hung, or has ended the process, is not run a second time.
    """

    def __init__(self) -> None:
        self.failures: dict[tuple[Cell, int], str] = {}
        self._skipped: set[tuple[int, int]] = set()

    def add(self, cell: Cell, statement: int, text: str, *, skip: bool) -> None:
        """Note what went wrong in a statement."""
        self.failures.setdefault((cell, statement), text)
        if skip:
            self._skipped.add((cell.number, statement))

    def skipped(self, cell: Cell) -> list[int]:
        """Return the statements of a cell that are not run again."""
        return sorted(n for number, n in self._skipped if number == cell.number)

    def by_cell(self) -> list[tuple[Cell, str]]:
        """Return what failed first in each cell, in the order of the notebook."""
        first: dict[Cell, str] = {}
        for (cell, _), text in self.failures.items():
            first.setdefault(cell, text)
        return sorted(first.items(), key=lambda pair: pair[0].number)
