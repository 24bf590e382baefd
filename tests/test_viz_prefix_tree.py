"""The prefix explorer: what it shows is what the cache answers, also if it is wrong."""

import json
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu.errors import InvalidSize, PagedKVError
from pagedkv_edu.memory.prefix import PrefixCache
from pagedkv_edu.report import Json
from pagedkv_edu.serving.prompts import PromptHits
from pagedkv_edu.viz.prefix_figures import hits_figure
from pagedkv_edu.viz.prefix_moment import MakeCache, Moment
from pagedkv_edu.viz.prefix_scene import PrefixScene
from pagedkv_edu.viz.prefix_told import ghost
from pagedkv_edu.viz.prefix_tree import MOST_PROMPTS, PROMPTS, note, prefix_tree

WORDS = {name: text.split() for name, text in PROMPTS.items()}
LESSON = ("serve A", "end A", "serve B", "end B", "serve C", "end C", "serve D")


def scene(
    make_cache: MakeCache = PrefixCache,
    num_blocks: int = 6,
    block_size: int = 4,
    *,
    tail_first: bool = True,
) -> PrefixScene:
    return PrefixScene(
        make_cache,
        WORDS,
        block_size=block_size,
        num_blocks=num_blocks,
        tail_first=tail_first,
    )


def play(played: PrefixScene, lines: Sequence[str]) -> None:
    for line in lines:
        do, name = line.split()
        played.serve(name) if do == "serve" else played.end(name)


def act_at_random(played: PrefixScene, rng: Random, times: int) -> None:
    for _ in range(times):
        name = rng.choice(list(WORDS))
        played.end(name) if name in played.tables else played.serve(name)


def newest(played: PrefixScene, kind: str) -> Moment:
    return [moment for moment in played.moments if moment.kind == kind][-1]


@given(
    seed=st.integers(0, 10**6),
    num_blocks=st.integers(2, 12),
    block_size=st.sampled_from([1, 2, 4]),
    tail_first=st.booleans(),
)
def test_with_the_reference_nobody_reads_the_words_of_another_prompt(
    seed: int, num_blocks: int, block_size: int, *, tail_first: bool
):
    played = scene(num_blocks=num_blocks, block_size=block_size, tail_first=tail_first)
    act_at_random(played, Random(seed), times=25)

    assert all(not moment.damaged for moment in played.moments)
    for block in played.moments[-1].blocks:
        assert block.count == sum(block.block_id in t for t in played.tables.values())


@given(seed=st.integers(0, 10**6), num_blocks=st.integers(3, 9))
def test_the_order_shown_is_the_order_of_eviction(seed: int, num_blocks: int):
    cache = PrefixCache(num_blocks, 4)
    played = scene(lambda num_blocks, block_size: cache, num_blocks)
    act_at_random(played, Random(seed), times=12)

    shown = {b.order: b.block_id for b in played.blocks() if b.order is not None}
    assert [shown[place] for place in sorted(shown)] == cache.eviction_order()


@given(seed=st.integers(0, 10**6), num_blocks=st.integers(3, 9))
def test_every_button_does_what_it_says(seed: int, num_blocks: int):
    rng = Random(seed)
    played = scene(num_blocks=num_blocks)
    act_at_random(played, rng, times=10)
    name = rng.choice(list(WORDS))
    do = "end" if name in played.tables else "serve"

    said = note(played, do, name)
    before = len(played.moments)
    held = {b.block_id for b in played.blocks() if b.count}
    play(played, [f"{do} {name}"])
    new = played.moments[before:]

    if do == "end":
        freed = [b for b in played.blocks() if b.block_id in held and not b.count]
        kept = sum(b.state == "cached" for b in freed)
        assert said.startswith(f"frees {len(freed)} block")
        assert said.endswith(f", {kept} stay findable")
    elif new[-1].kind == "refuse":
        assert said == "must wait: too few free blocks"
    else:
        rest = len(WORDS[name]) - 4 * new[0].num_hit
        forgotten = sum(len(moment.forgotten) for moment in new)
        assert f"computes {rest} token" in said
        assert said.endswith(f", forgets {forgotten}") == bool(forgotten)


def test_saying_what_a_button_does_changes_nothing():
    played = scene()
    play(played, LESSON)
    before = (len(played.moments), dict(played.tables), played.eviction_order())

    note(played, "serve", "B")
    note(played, "end", "D")

    now = (len(played.moments), dict(played.tables), played.eviction_order())
    assert now == before


def test_the_lesson_shows_hit_eviction_and_a_second_hit():
    played = scene()
    play(played, LESSON)

    hits = [moment.num_hit for moment in played.moments if moment.kind == "lookup"]
    assert hits == [0, 2, 1, 0]
    taken = newest(played, "take")
    assert len(taken.forgotten) == 1
    assert [n.words for n in taken.nodes if n.gone] == [(",", "and", "violets", "are")]

    play(played, ["end D", "serve A"])
    assert newest(played, "lookup").num_hit == 2


def test_freeing_the_beginning_first_loses_the_chain():
    lost: dict[bool, int] = {}
    for tail_first in (True, False):
        played = scene(tail_first=tail_first)
        play(played, ["serve A", "end A", "serve C", "end C", "serve D", "end D"])
        lost[tail_first] = sum(b.state == "lost" for b in played.blocks())

    assert lost == {True: 0, False: 1}


def test_two_prompts_at_once_share_what_is_registered():
    played = scene()
    play(played, ["serve A", "serve B"])

    shared = [b for b in played.blocks() if b.count == 2]
    assert [b.owners for b in shared] == [("A", "B"), ("A", "B")]
    assert "are shared" in newest(played, "take").text


def test_a_prompt_that_does_not_fit_waits_and_changes_nothing():
    played = scene(num_blocks=4)
    play(played, ["serve A"])
    before = played.blocks()

    assert not played.serve("D")
    assert newest(played, "refuse").headline == "D must wait"
    assert played.blocks() == before


def test_blocks_that_are_found_are_not_counted_as_free_for_the_rest():
    # all free blocks are cached ones, and two of them are the hit
    played = scene(num_blocks=4)
    play(played, ["serve A", "end A", "serve C"])
    assert played.tables["C"]

    played = scene(num_blocks=3)
    play(played, ["serve A", "end A"])
    assert played.serve("B")
    assert not played.serve("D")


def test_a_full_hit_leaves_the_last_block_to_compute():
    played = scene()
    play(played, ["serve A", "end A", "serve A"])

    moment = newest(played, "lookup")
    assert moment.num_hit == 2
    assert moment.stop is not None
    assert moment.stop.label == "computed again"
    assert "holds the same words as block 2" in newest(played, "register").text


@pytest.mark.parametrize(
    ("chains", "num_hit", "mark", "label"),
    [
        ([], 0, None, "not cached"),
        ([("a", "b")], 1, None, "not cached"),
        ([("a", "c")], 0, 1, "differs here"),
        ([("c", "c"), ("a", "c")], 0, 1, "differs here"),
        ([("a", "b"), ("a", "b", "c", "d")], 1, None, "computed again"),
        ([("a", "b"), ("a", "b", "c", "d")], 2, None, "not a full block"),
    ],
)
def test_the_end_of_a_lookup_is_marked_where_the_words_differ(
    chains: list[tuple[str, ...]], num_hit: int, mark: int | None, label: str
):
    stop = ghost(("a", "b", "c", "d"), num_hit, 2, chains)

    assert (stop.mark, stop.label) == (mark, label)


class NeverForgets(PrefixCache):
    """Finds a block by its first tokens, whatever it holds now."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        super().__init__(num_blocks, block_size)
        self._block_by_chain: dict[tuple[int, ...], int] = {}

    def register(
        self, tokens: Sequence[int], block_ids: Sequence[int], salt: object = None
    ) -> None:
        super().register(tokens, block_ids)
        for end in range(self.block_size, len(tokens) + 1, self.block_size):
            block_id = block_ids[end // self.block_size - 1]
            self._block_by_chain[tuple(tokens[:end])] = block_id

    def lookup(self, tokens: Sequence[int], salt: object = None) -> list[int]:
        ends = range(self.block_size, len(tokens), self.block_size)
        found = [self._block_by_chain.get(tuple(tokens[:end])) for end in ends]
        return [block_id for block_id in found if block_id is not None]


def test_a_cache_that_never_forgets_is_shown_to_serve_the_words_of_another():
    played = scene(NeverForgets, num_blocks=4, block_size=3)
    play(played, ["serve A", "end A", "serve D", "end D", "serve A"])

    assert newest(played, "take").damaged == ["A"]
    assert "words that it never wrote" in newest(played, "take").text


class BreaksInLookup(PrefixCache):
    def lookup(self, tokens: Sequence[int], salt: object = None) -> list[int]:
        raise KeyError("oops")


def test_a_cache_that_breaks_leaves_a_picture_that_says_so():
    widget = prefix_tree(BreaksInLookup, play=["serve A"])

    assert widget.picture["moments"][-1]["headline"] == "A stops with KeyError"
    assert widget.picture["buttons"][0]["note"] == "stops with an error"
    assert json.dumps(widget.picture)


class Uncopyable(PrefixCache):
    def __deepcopy__(self, memo: object) -> "Uncopyable":
        raise TypeError("holds a file")


def test_a_cache_that_cannot_be_copied_has_buttons_that_say_so():
    widget = prefix_tree(Uncopyable, play=["serve A"])

    assert widget.picture["buttons"][0]["note"] == "not tried beforehand"


def test_the_explorer_acts_on_messages_and_ignores_others():
    widget = prefix_tree()
    for message in (
        {"do": "serve", "seq": "A"},
        {"do": "serve", "seq": "A"},  # is served already
        {"do": "serve", "seq": "B"},
        {"do": "end", "seq": "A"},
        {"do": "end", "seq": "A"},
        {"do": "serve", "seq": "nobody"},
        {"do": "__init__", "seq": "A"},
        {},
    ):
        widget.receive(message)

    assert list(widget.scene.tables) == ["B"]
    widget.receive({"do": "restart"})
    assert widget.scene.moments == []


def test_the_picture_is_json_and_names_every_block():
    widget = prefix_tree(play=LESSON)
    drawn = json.loads(json.dumps(widget.picture))

    for moment in drawn["moments"]:
        assert [b["block_id"] for b in moment["blocks"]] == list(range(6))
        ids = {n["node_id"] for n in moment["nodes"]}
        assert set(moment["path"]) <= ids
        parents = {n["parent_id"] for n in moment["nodes"] if not n["gone"]}
        assert parents - {None} <= ids


@pytest.mark.parametrize(
    "wrong",
    [
        {"block_size": 0},
        {"num_blocks": 0},
        {"prompts": {}},
        {"prompts": {"A": ""}},
        {"prompts": {str(i): "a" for i in range(MOST_PROMPTS + 1)}},
    ],
)
def test_wrong_settings_are_refused(wrong: Json):
    with pytest.raises(InvalidSize):
        prefix_tree(**wrong)


def test_a_class_that_is_not_written_yet_is_refused_with_its_own_words():
    def broken(num_blocks: int, block_size: int) -> PrefixCache:
        raise NotImplementedError("your turn: lookup")

    with pytest.raises(PagedKVError, match="your turn: lookup"):
        prefix_tree(broken)


def test_the_chart_has_a_line_for_each_rule_and_one_for_an_endless_cache():
    hits = [PromptHits(n, 10, 100, n) for n in (20, 40)]
    endless = PromptHits(None, 10, 100, 50)
    chart = hits_figure({"one": hits, "other": hits}, endless)
    figure: Json = json.loads(chart.to_json() or "")

    assert [list(line["y"]) for line in figure["data"]] == [[20, 40], [20, 40]]
    assert {line["line"]["dash"] for line in figure["data"]} == {"solid", "dash"}
    assert figure["layout"]["annotations"][0]["text"] == "an endless cache: 50.0 %"
    with pytest.raises(InvalidSize):
        hits_figure({}, endless)
