"""Ask before the answer is shown: `predict`, `guess` and `quiz`."""

from collections.abc import Sequence

from IPython.display import display

from pagedkv_edu.course.marks import QuizMarks
from pagedkv_edu.course.progress import load, record_answer
from pagedkv_edu.course.prompts import PromptBox, same_answer
from pagedkv_edu.course.questions import NONE, Prompt, question_about
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.replay import Frame
from pagedkv_edu.viz.player import Player
from pagedkv_edu.viz.question import Question


def predict(
    question_id: str,
    film: Sequence[Frame],
    *,
    before: int,
    calls: int = 1,
    ask: str = "blocks_taken",
    block_id: int | None = None,
) -> None:
    """Ask what the next calls of a film will do, with those frames still covered.

    `predict("05.p1", film, before=1, ask="blocks_taken")` asks about film[1]; a
    negative `before` counts from the end. See `question_about` for what can be asked.
    """
    prompt = question_about(
        film, before=before, calls=calls, ask=ask, block_id=block_id
    )
    start = before + len(film) if before < 0 else before
    if start == 0:  # the player needs a frame that it may show
        display(_box(question_id, prompt))
        return
    display(_player(question_id, film, prompt, start, calls))


def _player(
    question_id: str, film: Sequence[Frame], prompt: Prompt, start: int, calls: int
) -> Player:
    """Return the film up to the question; the rest stays covered until it is answered.

    A block is shown by pointing at it, so its question has no button for each block.
    """
    is_block = NONE in prompt.choices
    question = Question(
        question_id,
        prompt.text,
        prompt.answer.removeprefix("block "),
        stop_before=start,
        calls=calls,
        choices=(NONE,) if is_block else prompt.choices,
        kind="block" if is_block else "choice",
        sentence=prompt.why,
        score=_score(question_id),
    )

    def keep(value: str | None, right: bool) -> str:  # noqa: FBT001  (OnAnswer)
        if value is not None:
            record_answer(question_id, "prediction", value, right=right)
        return _score(question_id)

    return Player(film, start - 1, question=question, on_answer=keep)


def _score(question_id: str) -> str:
    """Return how many first predictions of this lesson were right."""
    lesson = question_id.partition(".")[0]
    right = [
        answer.first_right
        for key, answer in load().answers.items()
        if answer.kind == "prediction" and key.partition(".")[0] == lesson
    ]
    return f"{sum(right)} of {len(right)} right so far" if right else ""


def guess(
    question_id: str,
    text: str,
    choices: Sequence[object],
    answer: object,
    why: str = "",
) -> None:
    """Ask a question without a film; without choices a number is typed.

    `guess("03.p1", "How many entries has the table?", [16, 256, 4096], 256)`
    """
    labels = tuple(str(choice) for choice in choices)
    if labels and str(answer) not in labels:
        raise PagedKVError(f"{question_id}: {answer} is not among {', '.join(labels)}")
    display(_box(question_id, Prompt(text, labels, str(answer), why)))


def quiz(lesson: str, **answers: str) -> QuizMarks:
    """Mark the letters that were typed; an empty one is not answered yet.

    `quiz("05", q1="b", q2="", q3="")`
    """
    key = KEY.get(lesson)
    if key is None:
        raise PagedKVError(f"lesson {lesson!r} has no quiz; {', '.join(KEY)} have one")
    unknown = answers.keys() - key.keys()
    if unknown:
        raise PagedKVError(
            f"lesson {lesson} does not ask {', '.join(sorted(unknown))}; "
            f"it asks {', '.join(key)}"
        )
    marks: dict[str, bool | None] = {}
    for name, right_answer in key.items():
        given = answers.get(name, "").strip()
        marks[name] = same_answer(given, right_answer) if given else None
        if given:
            right = same_answer(given, right_answer)
            record_answer(f"{lesson}.{name}", "quiz", given, right=right)
    return QuizMarks(lesson, answers, marks)


def _box(question_id: str, prompt: Prompt) -> PromptBox:
    def keep(given: str, *, right: bool) -> str:
        now = record_answer(question_id, "prediction", given, right=right)
        score = _score(question_id)
        if now.num_tried == 1:
            return score
        first = "right" if now.first_right else "not right"
        return f"{score}. Your first answer was {first}; that is the one that counts."

    return PromptBox(prompt, keep)
