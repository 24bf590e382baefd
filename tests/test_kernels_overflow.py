"""Addresses beyond 2^31, in processes of their own: a wrong kernel would crash them."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="reserves gigabytes that are never used: Linux"
)

POOL = """
import resource
import torch
from pagedkv_kernels import cpu, paged_decode, write_kv
from pagedkv_kernels.cases import reserved
from pagedkv_kernels.oracles import dense_attention

NUM_BLOCKS, LENGTH = 2**20 + 64, 40
caches = [reserved((NUM_BLOCKS, 16, 2, 64), torch.float16) for _ in range(2)]
assert caches[0].numel() > 2**31
generator = torch.Generator().manual_seed(0)
q, k, v = (
    torch.randn(shape, generator=generator).half()
    for shape in ((1, 4, 64), (LENGTH, 2, 64), (LENGTH, 2, 64))
)
table = torch.tensor([[NUM_BLOCKS - 1, NUM_BLOCKS - 3, NUM_BLOCKS - 2]])
slots = torch.cat([block_id * 16 + torch.arange(16) for block_id in table[0]])
write_kv(k, v, *caches, slots[:LENGTH])
seq_lens = torch.tensor([LENGTH], dtype=torch.int32)

expected, _ = dense_attention(q[0], k, v, scale=0.125)
for decode in (paged_decode, cpu.paged_decode):
    found = decode(q, *caches, table.int(), seq_lens, scale=0.125)
    assert (found[0] - expected).abs().max() < 3e-3, decode
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2**20  # KiB
print("right")
"""

QUERIES = """
import torch
from pagedkv_kernels import paged_decode
from pagedkv_kernels.cases import problem, reserved

p = problem((5, 20, 33), dtype=torch.float16)
expected, _ = p.expected()
far = 2**30 + 16  # from sequence to sequence: the third begins beyond 2^31
q, out = (
    torch.as_strided(reserved([2 * far + 128], torch.float16), p.q.shape, (far, 32, 1))
    for _ in range(2)
)
q.copy_(p.q)
for num_splits in (1, 2):
    out.zero_()
    paged_decode(q, *p.tensors[1:], scale=p.scale, out=out, num_splits=num_splits)
    assert (out - expected).abs().max() < 3e-3, num_splits
print("right")
"""

STRIDES = """
import torch
from pagedkv_kernels import cpu, paged_decode, write_kv
from pagedkv_kernels.cases import problem, reserved

p = problem((17,), num_heads=6, num_kv_heads=3, dtype=torch.float16)
expected, _ = p.expected()
slots = torch.cat([block * 16 + torch.arange(16) for block in p.block_tables[0, :2]])
# (block, slot, head): no stride needs 64 bits, but its multiples do
for strides in ((16 * 32, 32, 2**30 + 16), (3 * 32, 2**28 + 16, 32)):
    size = 32 + sum((n - 1) * s for n, s in zip(p.k_cache.shape, strides))
    assert size > 2**31
    memories = [reserved([size], torch.float16) for _ in range(2)]
    caches = [torch.as_strided(m, p.k_cache.shape, (*strides, 1)) for m in memories]
    write_kv(p.k[0], p.v[0], *caches, slots[:17])
    for decode in (paged_decode, cpu.paged_decode):
        found = decode(p.q, *caches, *p.tensors[3:], scale=p.scale)
        assert (found - expected).abs().max() < 3e-3, (strides, decode)
print("right")
"""


@pytest.mark.parametrize("code", [POOL, QUERIES, STRIDES], ids=["pool", "q", "strides"])
def test_offsets_beyond_32_bits_lead_to_the_right_place(code: str):
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.stdout.strip() == "right", run.stderr
