"""Check exercise 13: the rows of one sequence, and one step of the service."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from pagedkv_edu.checks.hints import serve as hint
from pagedkv_edu.checks.hints.serve import HINTS as HINTS
from pagedkv_edu.checks.judging.functions import judge_function
from pagedkv_edu.checks.judging.limits import Complaint, Guard, OutOfTime, Unwritten
from pagedkv_edu.checks.judging.reports import (
    hints_from,
    not_callable,
    too_slow,
    waiting,
    wrong_parameters,
)
from pagedkv_edu.checks.questions.step_rows import RowsTopic
from pagedkv_edu.checks.stepping.findings import StepFinding, first_difference
from pagedkv_edu.checks.stepping.toy import Scene, Service
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.report import Hint, Report
from pagedkv_edu.serving.plan import StepPlan
from pagedkv_edu.serving.stepping import step

SCENES = (
    Scene(((3, 3),), 4),
    Scene(((3, 3), (5, 2)), 4),
    Scene(((10, 2),), 4, budget=4),
    Scene(((10, 3), (2, 4)), 6, budget=6),
    Scene(((4, 9), (4, 9)), 5),
    Scene(((4, 9), (4, 9)), 5, num_host_blocks=8),
    Scene(((4, 30), (3, 2)), 4),
)
NUM_DRAWN = 12
NAMES = ("scheduler", "manager", "engine", "known", "is_over")


def check_rows(answer: object, *, seed: int = 0) -> Report:
    """Check `my_rows(known_ids, num_tokens, block_ids, seq_len, block_size)`."""
    return judge_function(RowsTopic(), answer, seed=seed)


@dataclass(frozen=True)
class StepTopic:
    """How the exercise is called, and where to reread."""

    exercise_id: str = "13.2"
    answer_name: str = "my_step"
    hints: tuple[Hint, ...] = HINTS["13.2"]
    reread: str = 'lesson 13, "One step"'


def check_step(answer: object, *, seed: int = 0) -> Report:
    """Check `my_step(scheduler, manager, engine, known, is_over)`."""
    topic = StepTopic()
    if not callable(answer):
        return not_callable(topic, answer, "function")
    refused = wrong_parameters(topic, answer, NAMES)
    if refused:
        return refused
    scenes = (*SCENES, *_drawn(seed))
    num_passed = 0
    failed: tuple[Scene, list[str], StepFinding] | None = None
    with Guard() as guard:
        try:
            for scene in scenes:
                found = _first_wrong_step(scene, answer, guard)
                num_passed += found is None
                failed = failed or (found and (scene, *found))
                if failed:
                    break
        except Unwritten:
            return waiting(topic, ("my_step",), {"my_step"})
        except OutOfTime:
            return too_slow(topic, (num_passed, len(scenes)), "services")
    if failed:
        return _failed(topic, failed, num_passed, len(scenes))
    title = f"{len(scenes)} services, step by step"
    return Report("13.2", "passed", title, num_tried=len(scenes), num_passed=num_passed)


def _first_wrong_step(
    scene: Scene, answer: Callable[..., object], guard: Guard
) -> tuple[list[str], StepFinding] | None:
    yours, reference = Service(scene), Service(scene)
    steps: list[str] = []
    while reference.scheduler.has_work:
        yours.begin_step()
        reference.begin_step()
        plan = _step_of(reference)
        steps.append(_told(plan))
        try:
            returned = guard.ask("my_step", answer, *_parts(yours))
        except PagedKVError as error:
            name = type(error).__name__
            return steps, _raised(name, f"{name}: {error}")
        except Complaint as complaint:
            return steps, _raised(complaint.what, complaint.found)
        found = first_difference(yours, reference, returned)
        if found:
            return steps, found
    return None


def _parts(service: Service) -> tuple[object, ...]:
    scheduler, manager, engine = service.scheduler, service.manager, service.engine
    return scheduler, manager, engine, service.known, service.is_over


def _step_of(service: Service) -> StepPlan:
    return step(
        service.scheduler,
        service.manager,
        service.engine,
        service.known,
        service.is_over,
    )


def _told(plan: StepPlan) -> str:
    """Return what a step's plan says, as a line of the history."""
    parts = [f"{seq_id}: {n}" for seq_id, n in plan.scheduled.items()]
    text = f"my_step(...)  # computes {', '.join(parts) or 'nothing'}"
    if plan.preempted or plan.swapped_out:
        text += (
            f"; {', '.join(map(str, (*plan.preempted, *plan.swapped_out)))} preempted"
        )
    if plan.copies:
        text += f"; {len(plan.copies)} to copy"
    return text


def _raised(what: str, found: str) -> StepFinding:
    title = what if what.startswith(("raised", "did not")) else f"raised {what}"
    return StepFinding(
        f"{title}; expected a step",
        "a step that carries out the plan, without an error.",
        found if found.endswith((".", "?")) else f"{found}.",
        "my_step(...)",
        "the plan",
        title,
        hint.PYTHON_ERROR,
    )


def _failed(
    topic: StepTopic,
    failed: tuple[Scene, list[str], StepFinding],
    num_passed: int,
    num_tried: int,
) -> Report:
    scene, steps, found = failed
    return Report(
        topic.exercise_id,
        "failed",
        f"step {len(steps)} {found.title}",
        setting=scene.text(),
        calls=tuple(steps),
        wrong_call=len(steps) - 1,
        compared=found.compared,
        found_value=found.found_value,
        expected_value=found.expected_value,
        expected=found.expected,
        found=found.found,
        reread=topic.reread,
        hints=hints_from(topic.hints, found.hint),
        num_tried=num_tried,
        num_passed=num_passed,
        counted="services",
        as_test=(
            "from pagedkv_edu.checks.serve import Scene, complaint_about\n\n\n"
            "def test_my_step() -> None:\n"
            f'    assert complaint_about(my_step, {scene.code()}) == ""\n'
        ),
    )


def complaint_about(answer: Callable[..., object], scene: Scene) -> str:
    """Return what a step function does wrong first in one service; "" for nothing."""
    with Guard() as guard:
        found = _first_wrong_step(scene, answer, guard)
    return f"step {len(found[0])} {found[1].title}" if found else ""


def _drawn(seed: int) -> list[Scene]:
    """Draw services with chunks, preemption of both kinds, and refusal."""
    random = Random(seed)
    scenes: list[Scene] = []
    for _ in range(NUM_DRAWN):
        requests = tuple(
            (random.randint(1, 14), random.randint(1, 12))
            for _ in range(random.randint(1, 4))
        )
        size = random.choice((1, 2, 4, 8))
        most = max(-(-(prompt + new) // size) for prompt, new in requests)
        host = random.choice((0, 40))
        budget = random.choice((3, 8, 64))
        spare = random.randint(0, 2 * most)
        scenes.append(Scene(requests, most + spare, size, budget, host))
    return scenes
