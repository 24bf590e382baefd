import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu import BlockManager, BlockPool
from pagedkv_edu.errors import InvalidSize, PagedKVError
from pagedkv_edu.protocols import BlockCopy, PoolLike, SeqId
from pagedkv_edu.report import Json
from pagedkv_edu.viz.beam_scene import Scene
from pagedkv_edu.viz.beams import MOST_AT_ONCE, PROMPT, beams, buttons, picture
from pagedkv_edu.viz.scripted_words import NEXT_WORDS, next_words


def scene(num_blocks: int = 16, block_size: int = 4) -> Scene:
    return Scene(
        BlockManager,
        BlockPool,
        prompt=PROMPT,
        block_size=block_size,
        num_blocks=num_blocks,
    )


def act_at_random(played: Scene, rng: Random, times: int) -> None:
    for _ in range(times):
        if not played.live:
            return
        what = rng.choice(["beam", "sample", "fork", "write", "write", "free"])
        seq_id = rng.choice(played.live)
        if what == "beam":
            played.beam_step(3)
        elif what == "sample":
            played.sample_step()
        elif what == "fork" and len(played.live) < MOST_AT_ONCE:
            played.fork(seq_id)
        elif what == "write":
            played.write(seq_id)
        elif what == "free":
            played.free(seq_id)


def test_the_scripted_probabilities_add_up_to_one():
    for following in (*NEXT_WORDS.values(), next_words("violets")):
        assert sum(following.values()) == pytest.approx(1)


@given(
    seed=st.integers(0, 10**6),
    num_blocks=st.integers(2, 14),
    block_size=st.sampled_from([1, 3, 4]),
)
def test_with_the_reference_nobody_ever_reads_words_that_it_did_not_write(
    seed: int, num_blocks: int, block_size: int
):
    played = scene(num_blocks, block_size)
    act_at_random(played, Random(seed), times=25)

    assert all(not moment.damaged for moment in played.moments)
    assert len(played.moments) == len(played.events)


@given(seed=st.integers(0, 10**6), num_blocks=st.integers(3, 12))
def test_every_button_does_what_it_says(seed: int, num_blocks: int):
    rng = Random(seed)
    played = scene(num_blocks)
    act_at_random(played, rng, times=12)
    if not played.live:
        return

    seq_id = rng.choice(played.live)
    button = rng.choice([b for b in buttons(played, seq_id) if not b["off"]])
    before = len(played.events)
    getattr(played, button["do"])(seq_id)
    (event,) = played.events[before:]

    shared = sum(call.call == "share" for call in event.pool_calls)
    let_go = sum(call.call == "free" for call in event.pool_calls)
    if event.error:
        assert button["note"] == f"refused: {event.error.split(':')[0]}"
    elif button["do"] == "fork":
        assert button["note"].startswith(f"shares {shared} block")
    elif button["do"] == "free":
        freed = len(event.blocks_freed)
        assert button["note"].startswith(f"frees {freed} of its {let_go} block")
    elif event.copies:
        assert button["note"] == "copies 1 block"
    else:
        took = bool(event.blocks_taken)
        assert ("takes 1 block" in button["note"]) == took


def test_saying_what_a_button_does_changes_nothing():
    played = scene()
    played.beam_step(3)
    before = (list(played.events), played.live, len(played.nodes))

    picture(played, "beams", 3)

    assert (list(played.events), played.live, len(played.nodes)) == before


def test_a_beam_step_forks_then_frees_then_appends():
    played = scene()
    for _ in range(12):
        before = len(played.events)
        played.beam_step(3)
        calls = [event.call for event in played.events[before:]]

        assert calls == sorted(calls, key=["fork", "free", "append"].index)
        assert calls.count("append") == 3


def test_pruned_beams_give_back_only_what_no_other_beam_holds():
    played = scene()
    pruned = 0
    for _ in range(12):
        played.beam_step(3)
    for event in played.events:
        if event.call == "free":
            pruned += 1
            let_go = [c.block_id for c in event.pool_calls]
            assert 0 < len(event.blocks_freed) < len(let_go)
    assert pruned >= 5


def test_the_best_continuations_are_kept_and_no_others():
    played = scene()
    played.beam_step(3)
    best = {(c.seq_id, c.word) for c in played.best(3)}
    begun = {seq_id: played.words(seq_id) for seq_id in played.live}

    played.beam_step(3)

    kept = sorted(" ".join(played.words(seq_id)) for seq_id in played.live)
    assert kept == sorted(" ".join([*begun[s], word]) for s, word in best)


def test_a_refused_call_ends_the_step_and_the_others_keep_their_words():
    played = scene(num_blocks=3)
    while played.sample_step():
        pass

    assert played.events[-1].error.startswith("OutOfBlocks")
    assert played.moments[-1].damaged == ()


class WritesInPlace(BlockManager):
    """Never copies: the append of lesson 04."""

    def append(self, seq_id: SeqId, num_tokens: int = 1) -> list[BlockCopy]:
        super().append(seq_id, num_tokens)
        return []


class HasNoTables(BlockManager):
    """Fails when it is asked for a table."""

    def table(self, seq_id: SeqId):
        raise KeyError(seq_id)


def test_a_manager_that_loses_the_copy_is_shown_to_damage_words():
    played = Scene(WritesInPlace, BlockPool, prompt=PROMPT, block_size=4, num_blocks=16)
    played.beam_step(3)
    damaged = [seq_id for moment in played.moments for seq_id in moment.damaged]
    assert damaged


def test_a_manager_without_tables_leaves_a_picture():
    played = Scene(HasNoTables, BlockPool, prompt=PROMPT, block_size=4, num_blocks=16)
    played.beam_step(3)

    assert json.dumps(picture(played, "beams", 3))


def words_of(drawn: Json) -> dict[str, list[str]]:
    """Put the words of the last moment together again, as the drawing code does."""
    words: dict[str, list[str]] = {}
    for moment in drawn["moments"]:
        for block, row in moment["words"].items():
            if row is None:
                words.pop(block, None)
            else:
                words[block] = row
    return words


def test_the_picture_is_json_and_holds_every_word_of_the_pool():
    played = scene()
    for _ in range(9):
        played.beam_step(3)

    drawn = json.loads(json.dumps(picture(played, "beams", 3)))
    now = {str(b): row for b, row in played.moments[-1].words.items()}
    assert words_of(drawn) == now
    assert len(drawn["film"]["frames"]) == len(drawn["moments"])
    assert set(drawn["buttons"]) == set(played.live)


class Uncopyable(BlockPool):
    def __deepcopy__(self, memo: object) -> "Uncopyable":
        raise TypeError("holds a file")


def test_a_class_that_cannot_be_copied_has_buttons_that_say_so():
    explorer = beams(BlockManager, Uncopyable)

    assert explorer.picture["step"]["note"] == "not tried beforehand"


def test_the_explorer_acts_on_messages_and_ignores_others():
    explorer = beams(mode="samples", width=3)
    assert explorer.scene.live == ["A", "B", "C"]

    for message in (
        {"do": "step"},
        {"do": "fork", "seq": "B"},
        {"do": "free", "seq": "A"},
        {"do": "free", "seq": "nobody"},
        {"do": "__init__", "seq": "A"},
        {"do": "fork"},
        {},
    ):
        explorer.receive(message)

    assert explorer.scene.live == ["B", "C", "D"]
    explorer.receive({"do": "restart", "mode": "beams"})
    assert explorer.scene.live == ["A"]
    assert explorer.picture["mode"] == "beams"


def test_there_are_never_more_answers_than_rows():
    explorer = beams(width=1)
    for _ in range(2 * MOST_AT_ONCE):
        explorer.act("fork", "A")

    assert len(explorer.scene.live) == MOST_AT_ONCE
    assert explorer.picture["buttons"]["A"][1]["off"]


@pytest.mark.parametrize(
    "wrong", [{"width": 0}, {"width": 9}, {"mode": "greedy"}, {"block_size": 0}]
)
def test_wrong_settings_are_refused(wrong: Json):
    with pytest.raises(InvalidSize):
        beams(**wrong)


def test_a_class_that_is_not_written_yet_is_refused_with_its_own_words():
    def broken(pool: PoolLike, block_size: int) -> BlockManager:
        raise NotImplementedError("your turn: fork")

    with pytest.raises(PagedKVError, match="your turn: fork"):
        beams(broken)
