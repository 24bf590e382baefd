import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from time import process_time

import pagedkv_kernels  # before triton: it decides whether triton interprets
import pytest
import torch
import triton
from pagedkv_kernels import checks
from pagedkv_kernels.checks import HINTS

from pagedkv_edu.report import Report
from tests.mutants.kernels import MUTANTS, VARIANTS, Mutant, online_softmax

HAS_GPU = pagedkv_kernels.HAS_GPU
CHECKS: dict[str, Callable[..., Report]] = {
    "6.1": checks.check_online_softmax,
    "6.2": checks.check_paged_attention,
    "6.3": checks.check_merge,
    "7.1": checks.check_write_kernel,
    "7.2": checks.check_decode_kernel,
    "7.3": checks.check_merge_splits,
    "8.1": checks.check_split_address,
    "8.2": checks.check_fused_address,
    "8.3": checks.check_interleaved_address,
}
RIGHT = [(id_, answer) for id_, answers in VARIANTS.items() for answer in answers]
KERNELS = ("7.1", "7.2", "7.3")


def report_on(mutant: Mutant, seed: int = 0) -> Report:
    return _report_on(mutant, seed)


@cache
def _report_on(mutant: Mutant, seed: int) -> Report:
    return CHECKS[mutant.exercise_id](mutant.answer, seed=seed)


def label(value: object) -> str:
    if isinstance(value, Mutant):
        return f"{value.exercise_id} {value.name}"
    return getattr(value, "__name__", "")


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("exercise_id", "answer"), RIGHT, ids=label)
def test_a_right_answer_passes_however_it_is_written(
    exercise_id: str, answer: Callable[..., object], seed: int
):
    report = CHECKS[exercise_id](answer, seed=seed)

    assert report.passed, report.text()
    assert report.num_passed == report.num_tried >= 8
    assert exercise_id not in KERNELS or "interpreter" in report.title or HAS_GPU


def _seeds() -> Iterator[object]:
    for mutant in MUTANTS:
        for seed in (0, 1, 2):
            # a second of interpreting each: the first seed is enough for every day
            slow = mutant.exercise_id in KERNELS and seed > 0
            marks = pytest.mark.slow if slow else ()
            yield pytest.param(mutant, seed, marks=marks, id=f"{label(mutant)}-{seed}")


@pytest.mark.parametrize(("mutant", "seed"), list(_seeds()))
def test_a_wrong_answer_is_rejected_with_its_own_message_and_hint(
    mutant: Mutant, seed: int
):
    report = report_on(mutant, seed)

    assert report.status == "failed"
    assert mutant.title in report.title
    assert report.hints[0].title == mutant.hint


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_no_two_mutants_get_the_same_message(exercise_id: str):
    texts = [report_on(m).text() for m in MUTANTS if m.exercise_id == exercise_id]

    assert len(texts) >= (5 if exercise_id[0] in "67" else 3)
    assert Counter(texts).most_common(1)[0][1] == 1


@pytest.mark.parametrize(
    "mutant", [m for m in MUTANTS if m.exercise_id == "7.2"], ids=label
)
def test_a_wrong_kernel_is_led_back_to_sequence_head_and_block(mutant: Mutant):
    report = report_on(mutant)

    # an output that is not there has no block, and neither has an empty sequence
    whole_rows = ("half a head", "first head only", "empty")
    elsewhere = mutant.name == "grid the other way"
    assert report.title.startswith("sequence ") or elsewhere
    assert ", head " in report.title or elsewhere
    assert "logical block " in report.title or elsewhere or mutant.name in whole_rows
    assert "; block_size 4, " in report.setting


@pytest.mark.parametrize("mutant", MUTANTS, ids=label)
def test_a_message_says_what_was_done_expected_and_found(mutant: Mutant):
    report = report_on(mutant)
    name = f"my_{CHECKS[mutant.exercise_id].__name__.removeprefix('check_')}"

    assert report.calls[report.wrong_call or 0].startswith(f"{name}(")
    assert report.expected.endswith((".", "?"))
    assert report.found.endswith((".", "?"))
    assert report.nearby.endswith(".")
    assert report.reread.startswith(f'lesson 0{mutant.exercise_id[0]}, "')
    assert 0 <= report.num_passed < report.num_tried
    assert json.loads(json.dumps(report.to_json()))["title"] == report.title


def test_the_history_of_a_running_sum_ends_at_the_first_wrong_block():
    mutant = next(m for m in MUTANTS if m.name == "forgets_to_rescale")

    report = report_on(mutant)

    assert report.wrong_call == 1
    assert report.calls == (
        "my_online_softmax(-inf, 0, tensor([1.0, 2.0]))",
        "my_online_softmax(2, 1.37, tensor([3.0, 5.0]))",
    )


def test_a_message_names_the_known_mistake():
    found = {m.name: report_on(m).found for m in MUTANTS if m.exercise_id == "7.2"}

    assert "that the scores have without scale" in found["no scale"]
    assert "in proportion to the right ones" in found["not rescaled"]
    assert "that the scores have times 0.693" in found["base 2"]
    assert "0 * NaN is NaN" in found["only K masked"]


@pytest.mark.parametrize("exercise_id", ["6.2", "7.2"])
def test_the_test_to_paste_fails_for_the_mutant_and_passes_for_the_answer(
    exercise_id: str,
):
    names = {"6.2": "my_paged_attention", "7.2": "my_decode_kernel"}
    scale = {"6.2": "forgets_the_scale", "7.2": "no scale"}[exercise_id]
    mutant = next(m for m in MUTANTS if m.name == scale)
    test = report_on(mutant).as_test
    name = names[exercise_id]

    _run(test, name, VARIANTS[exercise_id][0])
    with pytest.raises(AssertionError):
        _run(test, name, mutant.answer)


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_a_stub_is_waited_for(exercise_id: str):
    def stub(*arguments: object) -> object:
        raise NotImplementedError("your turn: ...")

    report = CHECKS[exercise_id](stub)

    assert report.status == "waiting"
    assert "is not written yet" in report.title
    assert report.hints[0].title == "I do not know where to begin"


@triton.jit
def stub_kernel(slot_ptr):  # pyright: ignore
    raise NotImplementedError("your turn: write a row")


def test_a_stub_inside_a_kernel_is_waited_for():
    def my_write_kernel(*tensors: torch.Tensor) -> None:
        stub_kernel[(1,)](tensors[-1])

    assert checks.check_write_kernel(my_write_kernel).status == "waiting"


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_something_that_is_no_function_is_said_to_be_none(exercise_id: str):
    report = CHECKS[exercise_id](17)

    assert report.status == "failed"
    assert "not a function" in report.title


@triton.jit
def failing_kernel(slot_ptr):  # pyright: ignore
    assert slot_ptr is None


def test_an_error_inside_a_kernel_is_told_by_its_own_name():
    def my_write_kernel(*tensors: torch.Tensor) -> None:
        failing_kernel[(1,)](tensors[-1])

    report = checks.check_write_kernel(my_write_kernel)

    assert report.title == "my_write_kernel raised AssertionError"
    assert "InterpreterError" not in report.found


def test_an_endless_loop_is_stopped():
    def endless(running_max: float, running_sum: float, scores: torch.Tensor) -> None:
        while True:
            running_sum += 1

    report = checks.check_online_softmax(endless)

    assert "did not return within 5 s" in report.title


def test_a_learners_prints_are_heard_for_the_reported_case_alone(
    capsys: pytest.CaptureFixture[str],
):
    def prints(running_max: float, running_sum: float, scores: torch.Tensor) -> None:
        print("scores", scores.tolist())  # noqa: T201

    checks.check_online_softmax(prints)

    assert capsys.readouterr().out == "scores [2.0]\n"


def test_a_right_answer_that_prints_is_not_heard(capsys: pytest.CaptureFixture[str]):
    def prints(running_max: float, running_sum: float, scores: torch.Tensor) -> object:
        print("scores", scores.tolist())  # noqa: T201
        return online_softmax(running_max, running_sum, scores)

    assert checks.check_online_softmax(prints).passed
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_a_right_answer_is_checked_in_under_five_seconds(exercise_id: str):
    start = process_time()
    CHECKS[exercise_id](VARIANTS[exercise_id][0], seed=7)

    assert process_time() - start < 5


@pytest.mark.parametrize("exercise_id", CHECKS)
def test_every_hint_has_three_layers_and_a_title_of_its_own(exercise_id: str):
    titles = [hint.title for hint in HINTS[exercise_id]]

    assert len(set(titles)) == len(titles)
    assert titles[0] == "I do not know where to begin"
    assert all(len(hint.layers) == 3 for hint in HINTS[exercise_id])


def _run(test: str, name: str, answer: object) -> None:
    scope: dict[str, object] = {name: answer}
    exec(compile(test, "pasted", "exec"), scope)
    run = scope[f"test_{name}"]
    assert callable(run)
    run()
