"""Lesson 00 as a newcomer runs it, on a machine without the small model."""

from pathlib import Path

import pytest

from tests.lesson_cells import Lesson, Run, faults_of_form

LESSON = Lesson("00_start")


@pytest.fixture
def without_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return LESSON.run()


def test_the_lesson_keeps_the_form():
    assert faults_of_form(LESSON) == []


def test_it_runs_from_the_recording_and_says_so(without_model: Run):
    text = without_model.printed["l00-live-texts"]

    assert text.startswith("This is a recording. ")
    assert "`make model`" in text
    assert "The capital of France is Paris." in text


def test_its_predictions_have_the_answers_of_the_recording(without_model: Run):
    names = without_model.names

    assert names["answer"] == "A"
    assert max(names["held"]) == 11
    assert names["full"] == 16
    assert "68 tokens and write 184" in names["question"]
