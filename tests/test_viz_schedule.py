"""The schedule's widget without a browser: what it holds, what it does when asked."""

from pagedkv_edu import BlockManager
from pagedkv_edu.protocols import PoolLike
from pagedkv_edu.serving.examples import four_requests
from pagedkv_edu.serving.small import SmallScheduler
from pagedkv_edu.serving.victims import POLICIES, by_length
from pagedkv_edu.serving.workload import Request
from pagedkv_edu.viz.schedule import (
    VICTIM_NAMES,
    ScheduleView,
    show_schedule,
)
from pagedkv_edu.viz.schedule_yours import show_plan, show_victim
from tests.mutants.preemption import takes_from_the_other


def headline(step: int, panel: int = 0, **options: object) -> str:
    view = show_schedule(four_requests(), **options)  # pyright: ignore[reportArgumentType]
    return view.schedule["panels"][panel]["steps"][step]["headline"]


def test_it_opens_at_the_first_preemption_recompute_above_swap():
    view = show_schedule(four_requests())

    assert view.step == 37
    assert [panel["name"] for panel in view.schedule["panels"]] == ["Recompute", "Swap"]


def test_without_a_preemption_it_opens_at_the_beginning():
    view = show_schedule(four_requests()[:1])

    assert view.step == 0
    assert view.schedule["rows"][0][:2] == ["0", "0"]


def test_a_button_does_what_it_says_it_would_do():
    view = show_schedule(four_requests())
    for _ in range(5):
        promised = view.choices["victim"]["note"]
        view.receive(None, {"type": "victim"}, None)
        again = view.schedule["rows"][0][1]
        assert not callable(view.serving.victim)
        name = VICTIM_NAMES[view.serving.victim]
        assert promised == f"{name}: {again} tokens again"
    for _ in range(4):
        promised = view.choices["pool"]["note"]
        view.receive(None, {"type": "pool"}, None)
        num, _, would = promised.partition(": ")
        assert view.schedule["num_blocks"] == int(num)
        preempted = view.schedule["rows"][0][0] != "0"
        assert (would != "none preempted") == preempted


def test_the_victim_comes_round_to_the_first_policy():
    view = show_schedule(four_requests())
    seen = [view.serving.victim]
    for _ in POLICIES:
        view.receive(None, {"type": "victim"}, None)
        seen.append(view.serving.victim)

    assert set(seen) == set(POLICIES)
    assert seen[0] == seen[-1]


def test_a_victim_of_ones_own_is_served_and_named():
    view = show_schedule(four_requests(), victim=by_length(lambda lengths: 0))

    assert view.choices["victim"]["label"] == "Victim: your choice"
    assert view.schedule["panels"][0]["caption"].startswith("B's cache is dropped")
    view.receive(None, {"type": "victim"}, None)
    assert view.serving.victim == "last_arrived"


def test_the_pool_with_no_preemption_is_the_first_one_upwards():
    view = show_schedule(four_requests())
    smaller = show_schedule(four_requests(), num_blocks=35)

    assert view.choices["pool"]["note"] == "36: none preempted"
    assert smaller.schedule["rows"][0][0] != "0"


def test_the_headline_gives_a_reason_that_fits_the_policy():
    assert headline(37) == "Step 37: the pool is full, C came last, C gives up 8 blocks"
    assert headline(37, victim="requester") == (
        "Step 37: the pool is full, B gives up 7 blocks"
    )


def test_a_scheduler_of_ones_own_stands_above_ours_and_is_stopped():
    def mine(manager: BlockManager, pool: PoolLike, block_size: int) -> SmallScheduler:
        return SmallScheduler(manager, pool, block_size, chunk=8)

    requests = [Request("A", 100, 60), Request("B", 100, 60)]
    view = show_schedule(requests, scheduler=mine, num_blocks=12, max_steps=50)

    assert [panel["name"] for panel in view.schedule["panels"]] == ["Yours", "Ours"]
    assert view.schedule["num_steps"] == 50
    assert view.schedule["panels"][0]["stopped"]
    assert "stopped after 50 steps" in view.schedule["panels"][0]["caption"]
    assert view.choices["victim"]["label"].startswith("Victim of ours")


def test_a_plan_of_ones_own_stands_above_ours_in_the_same_small_scheduler():
    view = show_plan(takes_from_the_other)

    assert isinstance(view, ScheduleView)
    yours, ours = view.schedule["panels"]
    assert yours["stopped"]
    assert not ours["stopped"]
    assert view.choices == {}
    view.receive(None, {"type": "nothing"}, None)


def test_what_is_not_written_yet_is_said():
    def stub(*_: object) -> int:
        raise NotImplementedError("your turn")

    for shown in (show_victim(stub), show_plan(stub)):  # pyright: ignore[reportArgumentType]
        assert not isinstance(shown, ScheduleView)


def test_a_victim_by_length_is_shown():
    assert isinstance(show_victim(lambda lengths: len(lengths) - 1), ScheduleView)
