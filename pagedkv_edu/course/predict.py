"""Ask before the answer is shown: `predict`, `guess` and `quiz`."""

from collections.abc import Sequence

from IPython.display import display

from pagedkv_edu.course.marks import QuizMarks
from pagedkv_edu.course.progress import record_answer
from pagedkv_edu.course.prompts import PromptBox, same_answer
from pagedkv_edu.course.questions import Prompt, question_about
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.replay import Frame


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
    display(_box(question_id, prompt))


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
    def keep(given: str, right: bool) -> str:  # noqa: FBT001  (PromptBox calls it so)
        now = record_answer(question_id, "prediction", given, right=right)
        if now.num_tried == 1:
            return ""
        first = "right" if now.first_right else "not right"
        return f"Your first answer was {first}; that one counts as your prediction."

    return PromptBox(prompt, keep)
