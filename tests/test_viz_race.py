"""The race's widget without a browser: what it holds, and what it does when asked."""

from random import Random

from pagedkv_edu.memory.extents import ExtentAllocator
from pagedkv_edu.serving.race import summaries
from pagedkv_edu.serving.workload import Lognormal, lognormal_workload
from pagedkv_edu.viz.race import RaceView, first_refusal, show_race
from pagedkv_edu.viz.race_explorer import (
    explore_race,
    race_workload,
    summary_table,
)


def shown(view: RaceView, fit: str = "first") -> str:
    """The headline on the screen."""
    return view.race["texts"][
        view.race["contiguous"][fit]["steps"][view.step]["headline"]
    ]


def test_it_opens_at_the_first_refusal():
    view = show_race(race_workload(311))

    assert view.step == first_refusal(view.race, "first") == 52
    assert shown(view) == "H asks for 242 slots. 349 are free, and it does not fit."


def test_a_race_without_a_refusal_opens_at_its_beginning():
    shape = Lognormal(5, 0.1)
    requests = lognormal_workload(
        3, prompt=shape, output=shape, limits=(9,), rng=Random(0)
    )

    assert show_race(requests).step == 0


def test_a_message_ends_a_request_and_another_takes_it_back():
    view = show_race(race_workload(311))
    before = view.race
    view.receive(None, {"type": "end", "name": "E", "step": 52}, None)

    assert view.ends == {"E": 52}
    assert "H" in view.ran.contiguous["first"][52].admitted
    view.receive(None, {"type": "undo"}, None)
    assert (view.race, view.ends) == (before, {})


def test_several_requests_can_be_told_to_end():
    view = show_race(race_workload(311))
    view.end("E", 52)
    view.end("D", 60)

    assert view.ends == {"E": 52, "D": 60}


def test_the_explorer_runs_again_when_a_control_changes():
    explorer = explore_race()
    first = explorer.view.race
    explorer.block_size.index = 0
    assert explorer.view.race["block_size"] == 4
    explorer.reserve.index = 2
    assert explorer.view.race["reservation"] == "exactly what the request will use"
    explorer.load.index = 0
    assert explorer.view.race["contiguous"]["first"]["waits"] == []
    explorer.block_size.index, explorer.reserve.index, explorer.load.index = 2, 0, 2
    assert explorer.view.race == first
    explorer.again.click()
    assert explorer.view.race["requests"] != first["requests"]


def test_the_summary_follows_a_request_that_is_told_to_end():
    explorer = explore_race()
    before = explorer.table.value
    explorer.view.end("E", 20)

    assert explorer.table.value != before
    assert explorer.table.value == summary_table(summaries(explorer.view.ran))


def test_the_summary_has_a_row_for_every_cache():
    rows = summaries(show_race(race_workload(311)).ran)
    html = summary_table(rows)

    assert [row.name for row in rows] == ["first", "best", "buddy", "paged"]
    for name in ("first fit", "best fit", "buddy", "paged"):
        assert f">{name}</th>" in html
    assert html.count("<td style") == 4 * 5


def test_an_allocator_of_ones_own_runs_in_the_race_and_in_the_explorer():
    made: list[int] = []

    def mine(num_slots: int) -> ExtentAllocator:
        made.append(num_slots)
        return ExtentAllocator(num_slots)

    show_race(race_workload(311), num_slots=512, first_fit=mine)
    explore_race(mine)

    assert made == [512, 640]
