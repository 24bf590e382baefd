"""Build the exercise and the solution notebook of every solutions/NN_topic.py.

    python tools/build_exercises.py           write exercises/ and solutions/
    python tools/build_exercises.py --check   say what would change, and fail if any

The bytes depend on the source, the table of exercises and the hints of the checks, and
on nothing else.
"""

import ast
import re
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import nbformat

from pagedkv_edu.course.exercise import Exercise
from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.report import Hint
from tools.percent import notebook, text_of

ROOT = Path(__file__).resolve().parents[1]
SOLUTION = re.compile(
    r"(?P<indent> *)# BEGIN SOLUTION(?:: (?P<text>[^\n]+))?\n.*?# END SOLUTION",
    re.DOTALL,
)
LAYER_NAMES = ("", "More", "Almost code")


def build(source_path: Path, exercises: Path, solutions: Path) -> None:
    """Write both notebooks of one source."""
    source = source_path.read_text(encoding="utf-8")
    name = source_path.with_suffix(".ipynb").name
    solution = notebook(source)
    exercise = notebook(source)
    for cell in exercise.cells:
        if cell.cell_type == "code":
            cell.source = stub(cell.source)
    _insert_hints(exercise)
    for built in (exercise, solution):
        _require_unique_ids(built, source_path)
        _add_grading_metadata(built, source_path.stem)
        nbformat.validate(built)
    for folder, built in ((exercises, exercise), (solutions, solution)):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text_of(built), encoding="utf-8")


def stub(source: str) -> str:
    """Replace each marked solution by one line that raises.

    >>> print(stub('''def double(x: int) -> int:
    ...     "Return twice x; never more."
    ...     # BEGIN SOLUTION
    ...     return 2 * x
    ...     # END SOLUTION'''))
    def double(x: int) -> int:
        "Return twice x; never more."
        raise NotImplementedError("your turn: return twice x")
    """
    docstrings = _docstrings(source) if "# BEGIN SOLUTION" in source else {}

    def your_turn(marked: re.Match[str]) -> str:
        line = source.count("\n", 0, marked.start()) + 1
        text = marked["text"] or _first_words(docstrings, line)
        return f'{marked["indent"]}raise NotImplementedError("your turn: {text}")'

    built = SOLUTION.sub(your_turn, source)
    if "BEGIN SOLUTION" in built or "END SOLUTION" in built:
        raise ValueError(f"BEGIN and END SOLUTION do not pair up in:\n{built}")
    return built


def hint_cell(exercise: Exercise, hints: tuple[Hint, ...]) -> nbformat.NotebookNode:
    """Return the cell that offers the hints of one exercise, layer by layer."""
    lines = [
        f"### Hints for {exercise.id}, by what you see",
        "",
        "Open one layer at a time. Try again after each.",
        "",
    ]
    for hint in hints:
        lines += [*_layers(hint), ""]
    lines.append("The full solution is offered by `check` after your first attempt.")
    cell = nbformat.v4.new_markdown_cell("\n".join(lines))
    cell["id"] = f"{_id_start(exercise)}-hints"
    cell.metadata["tags"] = ["hint"]
    cell.metadata["exercise"] = exercise.id
    return cell


def hints_for(exercise: Exercise) -> tuple[Hint, ...]:
    """Return the hints that the exercise's check module offers for it."""
    module = import_module(exercise.check.partition(":")[0])
    hints: dict[str, tuple[Hint, ...]] = module.HINTS
    return tuple(hints[exercise.id])


def _layers(hint: Hint) -> list[str]:
    lines: list[str] = []
    for number, layer in enumerate(hint.layers):
        name = LAYER_NAMES[min(number, 2)] or hint.title
        lines += [f"<details><summary>{_html(name)}</summary>", "", layer, ""]
    lines.append("</details>" * len(hint.layers))
    return lines


def _html(text: str) -> str:
    """Return a title as HTML; `code` in backticks becomes a code element."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped)


def _insert_hints(built: nbformat.NotebookNode) -> None:
    """Put the hints after each check, in place of hints that the source may hold."""
    cells: list[nbformat.NotebookNode] = []
    for cell in built.cells:
        tags = cell.metadata.get("tags", [])
        if "hint" in tags:
            continue
        cells.append(cell)
        if "check" in tags:
            exercise = EXERCISES[cell.metadata["exercise"]]
            cells.append(hint_cell(exercise, hints_for(exercise)))
    built.cells = cells


def _docstrings(source: str) -> dict[tuple[int, int], str]:
    """Return the docstring of each function, by its first and last line."""
    functions = (
        node
        for node in ast.walk(ast.parse(_without_magics(source)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return {
        (node.lineno, node.end_lineno or node.lineno): ast.get_docstring(node) or ""
        for node in functions
    }


def _without_magics(source: str) -> str:
    return re.sub(r"^[%!].*$", "pass", source, flags=re.MULTILINE)


def _first_words(docstrings: dict[tuple[int, int], str], line: int) -> str:
    """Return the first clause of the docstring of the innermost function."""
    around = [span for span in docstrings if span[0] <= line <= span[1]]
    if not around:
        raise ValueError(f"line {line}: a solution must be inside a function")
    text = docstrings[max(around)]
    if not text:
        raise ValueError(f"line {line}: write '# BEGIN SOLUTION: what to do'")
    clause = re.split(r"[.;:]", text.splitlines()[0])[0]
    return clause[0].lower() + clause[1:].replace('"', "'")


def _require_unique_ids(built: nbformat.NotebookNode, source_path: Path) -> None:
    ids = [cell["id"] for cell in built.cells]
    twice = sorted({cell_id for cell_id in ids if ids.count(cell_id) > 1})
    if twice:
        raise ValueError(f"{source_path.name}: cell ids used twice: {twice}")


def _add_grading_metadata(built: nbformat.NotebookNode, name: str) -> None:
    """Write what Otter and nbgrader look for, so that one notebook serves both."""
    built.metadata["otter"] = {"assignment_name": name}
    for cell in built.cells:
        tags = cell.metadata.get("tags", [])
        if "answer" in tags:
            cell.metadata["nbgrader"] = _nbgrader(cell["id"], solution=True)
        if "check" in tags:
            exercise = EXERCISES[cell.metadata["exercise"]]
            cell.metadata["nbgrader"] = _nbgrader(cell["id"], grade=True)
            cell.metadata["nbgrader"]["points"] = exercise.points


def _nbgrader(
    cell_id: str, *, solution: bool = False, grade: bool = False
) -> nbformat.NotebookNode:
    return nbformat.NotebookNode(
        schema_version=3,
        grade_id=cell_id,
        solution=solution,
        grade=grade,
        locked=grade,
        task=False,
    )


def _id_start(exercise: Exercise) -> str:
    """Return how the ids of an exercise's cells begin: "e05-3"."""
    return f"e{exercise.notebook[:2]}-{exercise.id.partition('.')[2]}"


def build_all(exercises: Path, solutions: Path) -> None:
    """Build every pair into the two folders."""
    for source_path in sorted((ROOT / "solutions").glob("[0-9][0-9]_*.py")):
        build(source_path, exercises, solutions)


def differences() -> list[str]:
    """Build into a temporary folder; return the files that are not up to date."""
    with tempfile.TemporaryDirectory() as name:
        fresh = Path(name)
        build_all(fresh / "exercises", fresh / "solutions")
        wanted = {p.relative_to(fresh): p.read_bytes() for p in fresh.rglob("*.ipynb")}
    there = {
        path.relative_to(ROOT)
        for folder in ("exercises", "solutions")
        for path in (ROOT / folder).glob("*.ipynb")
    }
    stale = [
        f"{path} is not what its source builds"
        for path, content in wanted.items()
        if path in there and (ROOT / path).read_bytes() != content
    ]
    missing = [f"{path} is missing" for path in wanted.keys() - there]
    extra = [f"{path} has no source" for path in there - wanted.keys()]
    return sorted(stale + missing + extra)


def main(arguments: list[str]) -> int:
    """Build, or with --check say what a build would change."""
    if arguments == ["--check"]:
        found = differences()
        print("\n".join([*found, "run `make build`"]) if found else "up to date")
        return bool(found)
    build_all(ROOT / "exercises", ROOT / "solutions")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
