import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.course.questions import question_about
from pagedkv_edu.errors import PagedKVError
from pagedkv_edu.replay import Frame, RecordedManager, RecordedPool, frames

ASKS = (
    "blocks_taken",
    "blocks_freed",
    "num_copies",
    "block_copied",
    "num_free",
    "num_held",
    "ref_count",
    "refused",
)


def beam_film() -> list[Frame]:
    pool = RecordedPool(BlockPool(8))
    manager = RecordedManager(BlockManager(pool, block_size=4), pool)
    manager.add("A", 6)
    manager.fork("A", "B")
    manager.append("A")
    manager.append("B")
    manager.free("A")
    return frames(manager.events)


@pytest.mark.parametrize(
    ("before", "calls", "ask", "answer"),
    [
        (0, 1, "blocks_taken", "2"),
        (1, 1, "blocks_taken", "0"),
        (1, 1, "ref_count", "2"),
        (2, 1, "block_copied", "block 1"),
        (2, 1, "num_copies", "1"),
        (3, 1, "block_copied", "none"),
        (3, 1, "num_copies", "0"),
        (2, 2, "num_copies", "1"),
        (-3, 3, "num_copies", "1"),
        (-1, 1, "blocks_freed", "1"),
        (4, 1, "num_free", "6"),
        (4, 1, "num_held", "2"),
        (4, 1, "refused", "no"),
    ],
)
def test_the_answer_is_what_the_film_shows(
    before: int, calls: int, ask: str, answer: str
):
    prompt = question_about(beam_film(), before=before, calls=calls, ask=ask)

    assert prompt.answer == answer
    assert answer in prompt.choices


def test_a_refused_call_is_asked_about_like_any_other():
    pool = RecordedPool(BlockPool(1))
    manager = RecordedManager(BlockManager(pool, block_size=4), pool)
    manager.add("A", 4)
    with pytest.raises(PagedKVError):
        manager.append("A")

    prompt = question_about(frames(manager.events), before=1, ask="refused")
    assert prompt.text == 'Is append("A") refused?'
    assert prompt.answer == "yes"


def test_the_text_names_the_calls_and_not_the_answer():
    prompt = question_about(beam_film(), before=2, calls=2, ask="num_copies")

    assert (
        prompt.text == 'How many blocks do append("A") and append("B") together copy?'
    )


def test_the_same_call_again_and_again_is_counted():
    pool = RecordedPool(BlockPool(8))
    manager = RecordedManager(BlockManager(pool, block_size=4), pool)
    manager.add("A", 6)
    for _ in range(3):
        manager.append("A")

    film = frames(manager.events)
    text = question_about(film, before=1, calls=3, ask="blocks_taken").text
    assert text == 'How many blocks do 3 calls of append("A") take from the pool?'
    text = question_about(film, before=0, calls=4, ask="num_free").text
    assert text == (
        'How many blocks are free after add("A", 6) and 3 calls of append("A")?'
    )


@st.composite
def films(draw: st.DrawFn) -> list[Frame]:
    pool = RecordedPool(BlockPool(draw(st.integers(2, 8))))
    manager = RecordedManager(BlockManager(pool, draw(st.integers(1, 4))), pool)
    manager.add("A", 1)
    names = iter("BCDEFGHIJ")
    live = ["A"]
    for _ in range(draw(st.integers(1, 8))):
        seq_id = draw(st.sampled_from(live))
        child_id = next(names)
        call = draw(st.sampled_from(["append", "fork", "add"]))
        try:
            if call == "append":
                manager.append(seq_id, draw(st.integers(1, 5)))
            elif call == "fork":
                manager.fork(seq_id, child_id)
                live.append(child_id)
            else:
                manager.add(child_id, draw(st.integers(1, 5)))
                live.append(child_id)
        except PagedKVError:
            pass
    return frames(manager.events)


@given(films(), st.data())
def test_every_question_has_its_answer_among_distinct_choices(
    film: list[Frame], data: st.DataObject
):
    ask = data.draw(st.sampled_from(ASKS))
    before = data.draw(st.integers(1, len(film) - 1))
    prompt = question_about(film, before=before, ask=ask)

    assert prompt.choices.count(prompt.answer) == 1
    assert len(set(prompt.choices)) == len(prompt.choices) >= 2
    assert prompt.why


@given(films(), st.data())
def test_the_number_of_choices_does_not_depend_on_the_answer(
    film: list[Frame], data: st.DataObject
):
    before = data.draw(st.integers(1, len(film) - 1))
    prompt = question_about(film, before=before, ask="blocks_taken")

    # two blocks leave three possible numbers: 0, 1 and 2
    assert len(prompt.choices) == min(4, film[0].event.num_blocks + 1)


@pytest.mark.parametrize(("before", "calls"), [(5, 1), (-6, 1), (4, 2), (0, 0)])
def test_frames_that_are_not_there_are_refused_with_the_numbers(
    before: int, calls: int
):
    with pytest.raises(PagedKVError, match="5 frames"):
        question_about(beam_film(), before=before, calls=calls)


def test_an_unknown_question_names_the_known_ones():
    with pytest.raises(PagedKVError, match="blocks_taken"):
        question_about(beam_film(), before=1, ask="num_pages")


def test_two_copies_cannot_be_asked_for_as_one_block():
    pool = RecordedPool(BlockPool(8))
    manager = RecordedManager(BlockManager(pool, block_size=4), pool)
    manager.add("A", 1)
    manager.fork("A", "B")
    manager.fork("A", "C")
    manager.append("A")
    manager.append("B")

    with pytest.raises(PagedKVError, match="ask for num_copies"):
        question_about(frames(manager.events), before=3, calls=2, ask="block_copied")
