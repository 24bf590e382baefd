"""Six layouts of a block as strips, without a browser."""

import pytest
from pagedkv_kernels import layouts
from pagedkv_kernels.traffic import gather_traffic

from pagedkv_edu.errors import InvalidSize
from pagedkv_edu.sizes import KVCacheSpec
from pagedkv_edu.viz.gather import SPEC
from pagedkv_edu.viz.layout_strips import ORDERS, layout_strips, picture


def test_the_orders_are_those_of_the_kernels():
    known = (*layouts.LAYOUTS, layouts.DIM_MAJOR)

    assert {layout.name: layout.axes[1:] for layout in known} == ORDERS


@pytest.mark.parametrize("num_tokens", [1, 6, 16])
def test_what_is_fetched_is_what_the_kernels_model_says(num_tokens: int):
    shown = picture(SPEC, num_tokens, 1, "keys and values")["strips"]
    for strip, axes in zip(shown, ORDERS.values(), strict=True):
        layout = layouts.Layout(strip["name"], ("block", *axes))
        traffic = gather_traffic(
            layout, SPEC, block_ids=[0], seq_len=num_tokens, head=1
        )

        assert strip["needed_bytes"] == traffic.needed_bytes
        assert strip["fetched_bytes"] == traffic.fetched_bytes
        assert strip["num_lines"] == traffic.num_lines
        assert strip["two_arrays"] == (layout.num_arrays == 2)


def test_the_step_from_slot_to_slot_is_the_kernels_stride():
    for strip, layout in zip(
        picture(SPEC, 1, 0, "keys")["strips"],
        sorted(layouts.LAYOUTS, key=lambda each: list(ORDERS).index(each.name)),
        strict=False,
    ):
        assert f" {layout.strides(SPEC)['slot']:,} bytes" in strip["step"]


def test_it_is_told_who_fetches_more_than_it_needs():
    odd = KVCacheSpec(1, num_kv_heads=2, head_dim=72, dtype_bytes=2, block_size=16)
    tail, full, shared = (
        picture(spec, num_tokens, 0, "keys")["text"]
        for spec, num_tokens in ((SPEC, 6), (SPEC, 16), (odd, 16))
    )

    assert tail.startswith("dim-major: 2,048 bytes fetched for 768. The others fetch")
    assert full.startswith("Every sector")
    assert "two arrays: 2,560 bytes fetched for 2,304" in shared


def test_a_control_draws_again():
    box = layout_strips(num_tokens=6)
    drawing, controls = box.children
    controls.children[0].value = 16

    assert "16 tokens" in drawing.picture["headline"]


def test_more_tokens_than_slots_are_refused():
    with pytest.raises(InvalidSize, match="cannot hold 17 tokens"):
        picture(SPEC, 17, 0, "keys")
