"""Lesson 11 as a learner runs it: on our cache, and on wrong ones of their own."""

import contextlib
from inspect import isclass
from random import Random

import pytest

from pagedkv_edu.checks.hints import prefix_cache as prefix_cache_hints
from pagedkv_edu.course.exercises import EXERCISES
from pagedkv_edu.course.quizzes import KEY
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.serving.chats import chat_turns
from pagedkv_edu.serving.workload import Request
from tests.lesson_cells import Lesson, Run, faults_of_form
from tests.mutants import prefix_cache as mutants
from tests.public_traces import public_trace

LESSON = Lesson("11_prefix_cache")
BREAK = (mutants.RaisesKeyError, mutants.ReturnsNothing)  # with errors of their own
CACHES = [
    answer
    for answer in vars(mutants).values()
    if isclass(answer)
    and issubclass(answer, (mutants.NamedByTokens, mutants.LazyClock))
    and answer not in BREAK
]


def few_turns(num_requests: int, rng: Random) -> list[Request]:
    """What is measured at the end does not use the learner's class."""
    return chat_turns(20, rng=rng)


@pytest.fixture(scope="module")
def ours() -> Run:
    return LESSON.run()


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []


def test_the_numbers_of_the_lesson_come_out(ours: Run):
    printed = ours.printed
    assert "B finds [0, 1], computes  3 tokens" in printed["l11-serve-run"]
    assert "D finds [], computes  9 tokens" in printed["l11-serve-run"]
    assert printed["l11-name-own"].endswith("equal: True\n")
    assert printed["l11-name-chain"].endswith("equal: False\n")
    assert printed["l11-name-weak"].endswith("True\n")
    assert printed["l11-name-compare"].splitlines() == [
        "low_byte [0] []",
        "always_7 [0] []",
    ]
    assert "8 tokens: finds 1 of 1" in printed["l11-longest-run"]
    assert "9 tokens: finds 2 of 2" in printed["l11-longest-run"]
    assert "a third one finds [0, 1]" in printed["l11-register-twins"]
    assert printed["l11-register-chunks"].endswith("found: True\n")
    assert "A ended: 3 free, and found: [0, 1]" in printed["l11-free-states"]
    assert "needs 1, and 1 would be left: True" in printed["l11-free-room"]
    assert "block 2 is handed out; A finds [0, 1]" in printed["l11-free-forget-run"]
    first, last = printed["l11-evict-run"].splitlines()
    assert first.endswith("1 lost")
    assert last.endswith("0 lost")
    assert "team 1 finds 2 blocks" in printed["l11-salt-run"]
    assert "team 2 finds 0 blocks" in printed["l11-salt-run"]


def test_the_oracle_lies_between_the_rule_and_an_endless_cache(ours: Run):
    lru, oracle, endless = (ours.names[name] for name in ("lru", "oracle", "endless"))
    for one, best in zip(lru, oracle, strict=True):
        assert one.hit_tokens <= best.hit_tokens <= endless.hit_tokens
    assert oracle[0].hit_ratio > 1.5 * lru[0].hit_ratio  # as the text says: small ones
    assert lru[-1].hit_ratio > 0.99 * endless.hit_ratio


@pytest.mark.slow
def test_the_published_share_comes_out_of_the_published_trace():
    path = public_trace("mooncake_conversation_trace.jsonl")
    run = LESSON.run({"trace_file": str(path)})

    assert (
        "an endless cache finds 37.3% of them" in run.printed["l11-capacity-requests"]
    )
    assert "here: 38.5%" in run.printed["l11-capacity-paper"]


@pytest.mark.parametrize("answer", CACHES, ids=lambda answer: answer.__name__)
def test_a_wrong_cache_leads_to_the_end_or_to_an_error_of_ours(answer: object):
    with contextlib.suppress(PagedKVError):
        LESSON.run({"Cache": answer, "chat_turns": few_turns})


def test_every_heading_that_a_check_sends_to_is_in_the_lesson():
    sent_to = [
        value.removeprefix('lesson 11, "').rstrip('"')
        for value in vars(prefix_cache_hints).values()
        if isinstance(value, str) and value.startswith('lesson 11, "')
    ]

    assert sent_to
    assert set(sent_to) <= set(LESSON.headings)


def test_the_line_that_check_offers_stands_in_the_lesson():
    assert EXERCISES["11.3"].use
    assert EXERCISES["11.3"].use in LESSON.code


def test_the_quiz_has_an_answer_for_each_of_its_questions():
    for question, letter in KEY["11"].items():
        assert f"**{question.upper()}: {letter}.**" in LESSON.prose
        assert f"**{question.upper()}.**" in LESSON.prose
