"""Lesson 08 as a learner runs it; what is measured may come out in any way."""

import pytest
from pagedkv_kernels import layouts
from pagedkv_kernels.bench_batch import Shape

from pagedkv_edu import KVCacheSpec
from pagedkv_edu.course.quizzes import KEY
from tests.lesson_cells import Lesson, Run, faults_of_form, headings_sent_to

LESSON = Lesson("08_layouts")
SMALL = {"shape": Shape(1, 4, 2, 32, 64, num_layers=1), "rounds": 1}


@pytest.fixture(scope="module")
def ours() -> Run:
    return LESSON.run(SMALL)


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []
    assert headings_sent_to("08") <= set(LESSON.headings)
    assert "Addresses" in headings_sent_to("08")


def test_five_layouts_fetch_the_same_and_the_sixth_pays_in_the_tail(ours: Run):
    rows = ours.printed["l08-sectors-run"].splitlines()[1:]
    fetched = {line[:25].strip(): line.split()[-4:] for line in rows}
    dim_major = fetched.pop("dim-major")

    assert len(fetched) == 5
    assert {tuple(numbers) for numbers in fetched.values()} == {
        ("17,920", "17,920", "100.0%", "140")
    }
    assert dim_major == ["17,920", "20,480", "87.5%", "160"]


def test_rows_that_end_inside_a_sector_tell_layouts_apart(ours: Run):
    rows = ours.printed["l08-odd-run"].splitlines()
    useful = {line[:25].strip(): line.split()[-1] for line in rows}

    lossy = [name for name, share in useful.items() if share != "100.0%"]
    assert lossy == [layouts.FUSED.name, layouts.SPLIT.name]
    assert useful[layouts.SPLIT.name] == "90.0%"


def distances(ours: Run, order: str) -> dict[str, str]:
    text = ours.printed["l08-steps-run"].split(f"{order}\n")[1]
    lines = [line for line in text.splitlines()[:5] if line.startswith("  ")]
    return {line[2:28].strip(): line[28:].strip() for line in lines}


def test_only_the_per_token_interleave_keeps_its_distance_with_tokens_outside(
    ours: Run,
):
    found = distances(ours, "tokens outside")

    assert found[layouts.INTERLEAVED.name] == "+128 (31)"  # 2 * head_dim
    assert "," in found[layouts.HEAD_INTERLEAVED.name].replace("2,048", "2048")


def test_with_heads_outside_it_is_the_other_way_round(ours: Run):
    found = distances(ours, "heads outside")

    assert found[layouts.HEAD_INTERLEAVED.name] == "+128 (31)"
    assert "-3,712 (1)" in found[layouts.INTERLEAVED.name]


def test_the_conclusion_follows_from_the_measurement(ours: Run):
    *lines, verdict = ours.printed["l08-conclusion"].splitlines()
    ms = ours.names["ms"]
    pair = layouts.SPLIT.name, layouts.HEAD_INTERLEAVED.name
    ratios = [ms[order, pair[0]] / ms[order, pair[1]] for order in ours.names["orders"]]

    for ratio, line in zip(ratios, lines, strict=True):
        assert f"take {ratio:.2f} times as long" in line
    decides = min(ratios) < 0.97 and max(ratios) > 1.03
    assert ("decides" in verdict) == decides


def concluded(split: tuple[float, float], interleaved: tuple[float, float]) -> str:
    """Run the cells behind the measurement on made-up times."""
    cells = {cell.id: cell.source for cell in LESSON.of_kind("code")}
    pair = layouts.SPLIT.name, layouts.HEAD_INTERLEAVED.name
    orders = "tokens", "heads"
    times = {o: [split[i], interleaved[i]] for i, o in enumerate(orders)}
    said: list[str] = []
    exec(cells["l08-conclusion"], {"times": times, "pair": pair, "print": said.append})
    return said[-1]


@pytest.mark.parametrize(
    ("split", "interleaved", "verdict"),
    [
        ((5.0, 9.0), (6.0, 6.0), "the order of the loops decides"),
        ((5.0, 9.0), (5.0, 6.0), "by how much one loses"),
        ((5.0, 6.0), (5.0, 6.0), "made no difference"),
    ],
)
def test_each_outcome_has_its_conclusion(
    split: tuple[float, float], interleaved: tuple[float, float], verdict: str
):
    assert verdict in concluded(split, interleaved)


@pytest.mark.parametrize(
    ("heads_outside", "answer"),
    [((9.0, 6.0), "two arrays"), ((6.0, 9.0), "head interleave"), ((9.2, 9.1), "same")],
)
def test_the_slower_one_is_asked_for_and_may_be_neither(
    heads_outside: tuple[float, float], answer: str
):
    cells = {cell.id: cell.source for cell in LESSON.of_kind("code")}
    pair = layouts.SPLIT, layouts.HEAD_INTERLEAVED
    ms = {("tokens", layout.name): 5.0 for layout in pair}
    for layout, time in zip(pair, heads_outside, strict=True):
        ms["heads", layout.name] = time
    asked: list[tuple[list[str], str]] = []

    def guess(id: str, question: str, choices: list[str], right: str, why: str):
        asked.append((choices, right))

    names = {"split": pair[0], "head_interleaved": pair[1], "ms": ms}
    names |= {"PLAIN_TOKENS": "tokens", "PLAIN_HEADS": "heads"}
    exec(cells["l08-p4"], names | {"guess": guess})
    [(choices, right)] = asked

    assert right in choices
    assert answer in right


def test_every_layout_and_path_is_in_the_table(ours: Run):
    table = ours.printed["l08-measure-table"].splitlines()[1:]

    assert [line[:25].strip() for line in table] == [
        layout.name for layout in layouts.LAYOUTS
    ]
    assert all(float(cell) > 0 for line in table for cell in line[25:].split())


def test_the_lesson_runs_with_other_sizes():
    spec = KVCacheSpec(1, num_kv_heads=4, head_dim=32, dtype_bytes=1, block_size=4)
    run = LESSON.run({"spec": spec, "seq_len": 9, **SMALL})

    assert "9 tokens" in run.printed["l08-sectors-run"]


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["08"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose
