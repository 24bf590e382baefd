"""What it costs to bring a preempted sequence back: move it, or compute it again.

A model, not a measurement: every constant is a field, and a lesson says which it used.
"""

from dataclasses import dataclass

from pagedkv_edu.sizes import KVCacheSpec, cdiv


@dataclass(frozen=True, slots=True)
class Card:
    """A GPU as seen by swap and recompute."""

    name: str
    flops_per_s: float  # reached by a prefill, not the peak on the data sheet
    host_bytes_per_s: float  # of a large transfer between host and device
    transfer_s: float  # fixed cost of each transfer, however small


@dataclass(frozen=True, slots=True)
class Model:
    """A model as seen by swap and recompute."""

    name: str
    num_params: int
    num_heads: int
    spec: KVCacheSpec

    def prefill_flops(self, num_tokens: int) -> float:
        """Return the floating-point operations of computing a prefix.

        Two for each parameter and token, and the attention of each token over those
        before it: two products of 2 * head_dim operations for each pair and head.
        """
        pairs = num_tokens * (num_tokens + 1) / 2
        attention = 4 * self.spec.num_layers * self.num_heads * self.spec.head_dim
        return 2.0 * self.num_params * num_tokens + attention * pairs


def recompute_s(model: Model, card: Card, num_tokens: int) -> float:
    """Return the seconds to compute num_tokens again, whatever the block size."""
    return model.prefill_flops(num_tokens) / card.flops_per_s


def swap_s(
    model: Model, card: Card, num_tokens: int, *, transfers_per_block: int | None = None
) -> float:
    """Return the seconds to move a sequence out and in again.

    Whole blocks move. By default each layer's keys and each layer's values of a block
    are a transfer of their own, as in a cache of one tensor per layer.
    """
    spec = model.spec
    if transfers_per_block is None:
        transfers_per_block = 2 * spec.num_layers
    num_blocks = cdiv(num_tokens, spec.block_size)
    one_way = (
        num_blocks * transfers_per_block * card.transfer_s
        + num_blocks * spec.bytes_per_block / card.host_bytes_per_s
    )
    return 2 * one_way


def opt_13b(block_size: int) -> Model:
    """Return OPT-13B in 16-bit numbers: 40 layers, 40 heads of 128."""
    return Model("OPT-13B", 12_853_473_280, 40, KVCacheSpec(40, 40, 128, 2, block_size))


def llama_3_8b(block_size: int) -> Model:
    """Return Llama-3-8B in 16-bit numbers: 32 layers, 32 heads, 8 KV heads of 128."""
    return Model(
        "Llama-3-8B", 8_030_261_248, 32, KVCacheSpec(32, 8, 128, 2, block_size)
    )


# 60 % of the 312 TFLOP/s on the data sheet, PCIe 4.0 x16 at 25 of 32 GB/s, and 10
# microseconds for each copy that is issued: assumptions, said wherever they are used.
A100 = Card("A100 40 GB, PCIe 4.0", 0.6 * 312e12, 25e9, 10e-6)
