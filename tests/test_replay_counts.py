import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from pagedkv_edu.replay.counts import Counts

CHANGES = st.lists(
    st.lists(st.tuples(st.sampled_from([0, 1, 127, 128, 900, -3]), st.integers(-1, 3)))
)


@given(CHANGES)
def test_changed_counts_are_a_changed_dictionary(changes: list[list[tuple[int, int]]]):
    counts, model = Counts(), dict[int, int]()
    history = [(counts, dict(model))]
    for some in changes:
        counts = counts.changed(some)
        for block_id, count in some:
            model[block_id] = count
        model = {block_id: count for block_id, count in model.items() if count}
        history.append((counts, dict(model)))

    for before, expected in history:
        assert before == expected
        assert len(before) == len(expected)
        assert all(before[block_id] == count for block_id, count in expected.items())


def test_a_block_without_a_count_is_not_in_it():
    counts = Counts().changed([(200, 1)])

    assert 200 in counts
    assert 201 not in counts
    assert counts.get(5, 0) == 0


def test_a_thousand_copies_of_a_large_pool_share_what_is_equal():
    counts = Counts().changed([(block_id, 1) for block_id in range(16_384)])
    tracemalloc.start()
    film = [counts := counts.changed([(i, 2)]) for i in range(1000)]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(film[-1]) == 16_384
    assert size < 50 * 2**20
