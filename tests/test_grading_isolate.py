"""The table of GRADING.md, in the isolated runner: only 10.1 is bad, so 8 of 10."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.grading.isolate import Grades, Packages, Question, grade
from pagedkv_edu.grading.notebook import read_notebook
from pagedkv_edu.grading.process import Allowance
from pagedkv_edu.report import Report, Status
from tests.submissions import added, answer_cell, as_bytes, empty, right, with_answers

NOTEBOOK = "10_preemption"
HEAD = "def my_victim(seq_lens: list[int]) -> int:\n"
RIGHT = (
    HEAD + "    least = min(seq_lens)\n"
    "    return max(i for i, n in enumerate(seq_lens) if n == least)\n"
)
BAD = {
    "a loop": (HEAD + "    while True: pass\n", "did not return within 2 s"),
    "a loop that swallows": (
        HEAD + "    while True:\n"
        "        try:\n"
        "            while True: pass\n"
        "        except BaseException: pass\n",
        "did not return within 2 s",
    ),
    "sleep": (HEAD + "    import time; time.sleep(99)\n", "did not return within 2 s"),
    "sys.exit": (HEAD + "    import sys; sys.exit(0)\n", "raised SystemExit"),
    "os._exit": (HEAD + "    import os; os._exit(0)\n", "ended the Python process"),
    "kill": (
        HEAD + "    import os; os.kill(os.getpid(), 9)\n",
        "ended the Python process",
    ),
    "kill all": (
        HEAD + "    import os; os.kill(-1, 9); return 0\n",
        "",  # with a process namespace there is nobody else, and no error
    ),
    "memory": (HEAD + "    return len(bytearray(1 << 40))\n", "raised MemoryError"),
    "memory, slowly": (
        HEAD + "    kept = []\n    while True: kept.append(bytearray(1 << 24))\n",
        "raised MemoryError",
    ),
    "fork bomb": (
        HEAD + "    import os\n    while True: os.fork()\n",
        "raised BlockingIOError",
    ),
    "fork bomb that swallows": (
        HEAD + "    import os\n"
        "    while True:\n"
        "        try: os.fork()\n"
        "        except OSError: pass\n",
        "did not return within 2 s",
    ),
    "one large file": (
        HEAD + "    with open('big', 'wb') as file:\n"
        "        while True: file.write(bytes(1 << 20))\n",
        "raised OSError",
    ),
    "many files": (
        HEAD + "    i = 0\n"
        "    while True:\n"
        "        i += 1\n"
        "        open(f'file{i}', 'wb').write(bytes(1 << 20))\n",
        "raised OSError",
    ),
    "writes into the home": (
        HEAD + "    open('/usr/lib/there', 'w')\n",
        "raised OSError",
    ),
    "a socket": (
        HEAD + "    import socket\n"
        "    socket.create_connection(('127.0.0.1', 22), timeout=1)\n",
        "raised OSError",
    ),
    "syntax": (HEAD + "    return return\n", "my_victim is not defined"),
    "nonsense on the wire": (
        HEAD + "    import os\n"
        "    for i in range(3, 30):\n"
        "        try: os.write(i, b'nonsense\\n')\n"
        "        except OSError: pass\n",
        "wrote into the grader's pipe",
    ),
    "an endless answer": (HEAD + "    return [[0]] * 10**8\n", ""),
    "nested for ever": (HEAD + "    x = []; x.append(x); return x\n", "RecursionError"),
    "an object": (HEAD + "    return object()\n", "returned an object"),
    "raises what Python ends by": (
        HEAD + "    raise KeyboardInterrupt\n",
        "raised KeyboardInterrupt",
    ),
}
SMALL = Allowance(seconds=20, memory_mib=512)


@pytest.fixture(scope="module")
def packages() -> Iterator[Packages]:
    with Packages() as made:
        yield made


def graded(notebook: dict[str, Any], packages: Packages, only: str = "") -> Grades:
    return grade(read_notebook(as_bytes(notebook)), packages, SMALL, only)


def test_right_gets_all_points_and_an_empty_notebook_none(packages: Packages) -> None:
    assert graded(right(NOTEBOOK), packages).points == 10

    nothing = graded(empty(NOTEBOOK), packages)

    assert nothing.points == 0
    assert {q.report.status for q in nothing.questions} == {"waiting"}
    assert nothing.most_points == 10


def test_a_check_that_catches_a_part_gets_that_part(packages: Packages) -> None:
    short = (
        "def my_pool_check(new_pool):\n"
        "    for num_blocks in (1, 2, 3):\n"
        "        pool = new_pool(num_blocks)\n"
        "        ids = [pool.allocate() for _ in range(num_blocks)]\n"
        "        if len(set(ids)) < num_blocks or pool.num_free:\n"
        "            return 'a block is handed out twice'\n"
        "        pool.free(ids[0])\n"
        "        try:\n"
        "            pool.free(ids[0])\n"
        "        except NotAllocated:\n"
        "            continue\n"
        "        return 'a block is freed twice'\n"
    )
    notebook = with_answers("12_failure_modes", {"12.1": short})

    question = graded(notebook, packages, "12.1").questions[0]

    num, num_all = question.report.num_passed, question.report.num_tried
    assert 0 < num < num_all
    assert 0 < question.points < 3
    assert question.points == pytest.approx(3 * num / num_all, abs=0.1)
    assert f"It earns {num} of {num_all} parts" in question.report.found


@pytest.mark.parametrize(
    ("status", "share", "points"),
    [
        ("passed", 0, "4"),
        ("failed", 0, "0"),
        ("waiting", 0, "0"),
        ("failed", 0.5, "2"),
        ("failed", 34 / 35, "3.8"),  # down: only what passes has all points
        ("failed", 3 / 40, "0.3"),
    ],
)
def test_points_are_whole_or_tenths(status: Status, share: float, points: str) -> None:
    exercise = EXERCISES["5.3"]
    question = Question(exercise, Report("5.3", status, "a title", share=share))

    assert exercise.points == 4
    assert str(question.points) == points
    assert str(Grades("05", (question,)).points) == points


def test_points_of_parts_add_up_to_tenths() -> None:
    report = Report("5.3", "failed", "a title", share=0.05)
    parts = (Question(EXERCISES["5.3"], report),) * 3  # 0.2 each

    assert Grades("05", parts).points == 0.6


def test_wrong_gets_none_and_the_case_that_shows_it(packages: Packages) -> None:
    wrong = with_answers(NOTEBOOK, {"10.1": HEAD + "    return 0\n"})

    grades = graded(wrong, packages, "10.1")

    assert grades.points == 0
    report = grades.questions[0].report
    assert report.title == "my_victim([35, 14, 10]) returned 0; expected 2"
    assert report.hints[0].title == "My victim loses more than another would"


SLOW = {  # they go on until the clock stops them
    "memory, slowly",
    "many files",
    "one large file",
    "fork bomb",
    "fork bomb that swallows",
    "sleep",
    "a loop that swallows",
    "nested for ever",
    "an endless answer",
}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=[pytest.mark.slow] if k in SLOW else []) for k in BAD],
)
def test_what_is_bad_costs_its_own_question_only(kind: str, packages: Packages) -> None:
    source, said = BAD[kind]

    grades = graded(with_answers(NOTEBOOK, {"10.1": source}), packages)

    bad, *others = grades.questions
    assert grades.points == 8
    assert not bad.report.passed
    assert said in f"{bad.report.title} {bad.report.found}"
    assert all(question.report.passed for question in others)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "while True: pass",
        "import os; os._exit(3)",
        "raise SystemExit",
        "while True:\n    try:\n        while 1: pass\n    except BaseException: pass",
    ],
)
def test_a_helper_cell_that_hangs_or_ends_costs_who_needs_it(
    line: str, packages: Packages
) -> None:
    bad = with_answers(NOTEBOOK, {"10.1": HEAD + "    return least(seq_lens)\n"})
    helper = f"{line}\ndef other() -> None: ...\n"
    added(bad, helper, before="10.1")

    grades = graded(bad, packages)

    assert grades.points == 8
    assert "NameError" in grades.questions[0].report.found
    [(cell, failure)] = grades.cells
    assert cell == "cell mine"
    assert failure.endswith((".", "?", '"'))


def test_an_answer_that_does_not_compile_is_named_by_its_question(
    packages: Packages,
) -> None:
    bad = with_answers(NOTEBOOK, {"10.1": HEAD.replace(":\n", "\n")})

    grades = graded(bad, packages, "10.1")

    [(cell, failure)] = grades.cells
    assert cell == "the answer to 10.1"
    assert failure.startswith("SyntaxError")
    assert grades.questions[0].report.found.startswith("the answer to 10.1 failed: ")


def test_a_line_of_the_learner_is_named(packages: Packages) -> None:
    bad = with_answers(NOTEBOOK, {"10.1": HEAD + "    return seq_lens[99]\n"})

    report = graded(bad, packages, "10.1").questions[0].report

    assert report.found == (
        'IndexError: list index out of range, in line 2, "return seq_lens[99]".'
    )


def test_a_hanging_line_is_named(packages: Packages) -> None:
    bad = with_answers(NOTEBOOK, {"10.1": HEAD + "    while True: pass\n"})

    report = graded(bad, packages, "10.1").questions[0].report

    assert report.found.endswith('It was stopped in line 2, "while True: pass".')


def test_only_one_question_is_graded(packages: Packages) -> None:
    grades = graded(right(NOTEBOOK), packages, "10.2")

    assert [q.exercise.id for q in grades.questions] == ["10.2"]
    assert grades.most_points == 2


FAKES = {
    "patches the check": "import pagedkv_edu.checks.preemption as checks\n"
    "checks.check_victim = lambda answer: True\n"
    "import pagedkv_edu.course as course\n"
    "course.check = lambda *_: True\n",
    "patches the library": "import pagedkv_edu.sizes\n"
    "pagedkv_edu.sizes.cdiv = lambda a, b: 0\n"
    "import builtins\nbuiltins.min = lambda *_: 0\n",
    "makes reports": "from pagedkv_edu import report\nreport.Report.passed = True\n",
}


@pytest.mark.parametrize("kind", FAKES)
def test_a_patch_stays_in_the_process_of_the_learner(
    kind: str, packages: Packages
) -> None:
    fake = with_answers(NOTEBOOK, {"10.1": HEAD + "    return 0\n"})
    added(fake, FAKES[kind], before="10.1")

    assert not graded(fake, packages, "10.1").questions[0].report.passed
    assert graded(right(NOTEBOOK), packages, "10.1").points == 2


def test_renamed_edited_and_deleted_cells_do_not_matter(packages: Packages) -> None:
    notebook = right(NOTEBOOK)
    kept: list[Any] = []
    for number, cell in enumerate(notebook["cells"]):
        tags = cell["metadata"].get("tags", [])
        if "check" in tags and number % 2:
            continue
        if "check" in tags:
            cell["source"] = "def least(values): return min(values)\nraise OSError"
        cell["id"] = f"renamed-{number}"
        cell["metadata"] = {}
        kept.append(cell)
    notebook["cells"] = kept
    notebook["metadata"] = {}

    assert graded(notebook, packages).points == 10


def test_a_helper_that_stands_in_a_check_cell_is_there(packages: Packages) -> None:
    notebook = with_answers(NOTEBOOK, {"10.1": HEAD + "    return place(seq_lens)\n"})
    check = next(c for c in notebook["cells"] if c["id"] == "e10-1-check")
    check["source"] = RIGHT.replace("my_victim", "place") + "check('10.1', my_victim)"

    assert graded(notebook, packages, "10.1").points == 2


def test_duplicate_ids_and_magics_are_read(packages: Packages) -> None:
    notebook = right(NOTEBOOK)
    added(notebook, "%matplotlib inline\n!ls\nx = 1\n", before="10.1", cell_id="twice")
    added(notebook, "%%time\nx = 2", before="10.2", cell_id="twice")
    answer_cell(notebook, "10.1")["source"] = "%timeit 3\n" + RIGHT

    assert graded(notebook, packages, "10.1").points == 2


def test_nothing_of_the_disk_is_there(packages: Packages) -> None:
    there = [os.fspath(Path(__file__)), "/proc/1/environ", "/etc/passwd", "/home"]
    look = (
        HEAD
        + f"    import os; raise ValueError([os.path.exists(p) for p in {there}])\n"
    )
    notebook = with_answers(NOTEBOOK, {"10.1": look})

    grades = graded(notebook, packages, "10.1")

    if grades.walls["files"]:
        assert "[False, False, False, False]" in grades.questions[0].report.found
    else:
        pytest.fail("the walls that this kernel allows: " + str(grades.walls))


DELEGATES = {
    "5.3": (
        "from pagedkv_edu.memory.manager import BlockManager as MyBlockManager",
        "class MyBlockManager(BlockManager): pass",
        "def MyBlockManager(pool, block_size):\n"
        "    import pagedkv_edu.memory.manager as m\n"
        "    return m.BlockManager(pool, block_size)",
    ),
    "4.1": (
        "from pagedkv_edu import BlockPool as MyBlockPool",
        "from pagedkv_edu.memory.prefix import PrefixCache\n"
        "def MyBlockPool(num_blocks): return PrefixCache(num_blocks, 1)",
    ),
    "11.3": ("from pagedkv_edu.memory.prefix import PrefixCache as MyPrefixCache",),
    "2.1": ("from pagedkv_edu.memory.extents import ExtentAllocator as MyFirstFit",),
    "3.1": ("from pagedkv_edu.sizes import locate as my_locate",),
    "10.4": ("from pagedkv_edu.serving.small import plan_step as my_plan_step",),
}


@pytest.mark.parametrize(
    ("exercise_id", "source"),
    [(e, source) for e, sources in DELEGATES.items() for source in sources],
)
def test_the_library_does_not_answer_its_own_questions(
    exercise_id: str, source: str, packages: Packages
) -> None:
    notebook = EXERCISES[exercise_id].notebook
    borrowed = with_answers(notebook, {exercise_id: source})

    grades = graded(borrowed, packages, exercise_id)

    assert grades.points == 0


def test_a_manager_that_changes_its_pool_unseen_is_not_believed(
    packages: Packages,
) -> None:
    source = answer_cell(right("05_copy_on_write"), "5.3")["source"]
    lying = (
        "".join(source)
        + "\n_add = MyBlockManager.add\n"
        + "def add(self, seq_id, num_tokens):\n"
        + "    self.pool._free.reverse()\n"
        + "    _add(self, seq_id, num_tokens)\n"
        + "MyBlockManager.add = add\n"
    )
    notebook = with_answers("05_copy_on_write", {"5.3": lying})

    report = graded(notebook, packages, "5.3").questions[0].report

    assert "changed the pool that it was given" in report.title


def test_no_process_and_no_folder_is_left(packages: Packages, tmp_path: Path) -> None:
    bomb = (
        HEAD + "    import os\n"
        "    for _ in range(3):\n"
        "        if os.fork() == 0:\n"
        "            os.setsid()\n"
        "            if os.fork() == 0:\n"
        "                while True: pass\n"
        "            os._exit(0)\n"
        "    return 0\n"
    )
    graded(with_answers(NOTEBOOK, {"10.1": bomb}), packages, "10.1")

    assert _num_running(str(packages.without(()).parent)) == 0


def _num_running(mark: str) -> int:
    """Processes whose command names a folder."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_text()
            parent = (path.parent / "status").read_text()
        except OSError:
            continue
        found += mark in command and "State:\tZ" not in parent
    return found


def test_a_failing_history_has_its_film(packages: Packages) -> None:
    source = "".join(answer_cell(right("05_copy_on_write"), "5.3")["source"])
    forgets = source.replace("            self.pool.free(source)\n", "")
    notebook = with_answers("05_copy_on_write", {"5.3": forgets})

    report = graded(notebook, packages, "5.3").questions[0].report

    assert report.status == "failed"
    assert report.calls[0].startswith("add(")
    frames = report.films["yours"]["frames"]
    assert len(frames) == len(report.calls)


def test_sockets_are_refused_where_there_is_no_network_namespace() -> None:
    code = (
        "import socket\n"
        "from pagedkv_edu.grading.child import sockets, walls\n"
        "walls.gain_nothing()\n"
        "assert sockets.refuse_sockets()\n"
        "try:\n    socket.socket()\n"
        "except PermissionError:\n    print('refused')\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stdout == "refused\n", done.stderr
