from IPython.core.formatters import DisplayFormatter

from pagedkv_edu.sizes import KVCacheSpec
from pagedkv_edu.viz.memory_order import memory_order
from tests.mutants.kernels import fused_address, interleaved_address, split_address

SMALL = KVCacheSpec(1, num_kv_heads=2, head_dim=4, dtype_bytes=2, block_size=2)


def test_rows_stand_in_the_order_of_their_bytes():
    order = memory_order(SMALL, interleaved_address).orders[0]

    assert list(order.rows_by_byte) == list(range(0, 128, 8))
    texts = [row.text for rows in order.rows_by_byte.values() for row in rows]
    assert texts[:3] == [
        "k · block 0 · slot 0 · head 0",
        "v · block 0 · slot 0 · head 0",
        "k · block 0 · slot 0 · head 1",
    ]


def test_the_steps_of_the_marked_rows_tell_the_layouts_apart():
    orders = memory_order(
        SMALL, split_address, fused_address, interleaved_address
    ).orders

    assert [order.steps for order in orders] == [
        [16, 16, 16],
        [16, 48, 16],
        [32, 32, 32],
    ]


def test_a_key_and_a_value_of_one_place_share_a_line_and_others_are_both_named():
    def all_at_once(spec: KVCacheSpec, kind: str, *index: int) -> int:
        return 8 * sum(index)

    text = repr(memory_order(SMALL, split_address, all_at_once))

    assert "     8   k, v · block 0 · slot 0 · head 1\n" in text
    assert "head 1 and k · block 0 · slot 1 · head 0" in text


def test_a_stub_and_a_function_that_raises_are_said_to_be():
    def stub(*_: object) -> int:
        raise NotImplementedError("your turn: count")

    def fails(*_: object) -> int:
        raise ValueError("a < b")

    shown = memory_order(SMALL, stub, fails)
    html = DisplayFormatter().format(shown)[0]["text/html"]

    assert repr(shown) == "stub is not written yet\n\nfails raised ValueError: a < b"
    assert "a &lt; b" in html
