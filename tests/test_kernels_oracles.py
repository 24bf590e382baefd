import pytest
import torch
from pagedkv_kernels.cases import problem
from pagedkv_kernels.oracles import dense_attention, gather, paged_attention
from torch.nn.functional import scaled_dot_product_attention


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("window", [None, 1, 16, 20])
def test_paged_and_dense_agree_to_the_bit(window: int | None, seed: int):
    p = problem((0, 1, 16, 17, 70), window=window, softcap=9.0, seed=seed)

    out, lse = paged_attention(
        *p.tensors, scale=p.scale, window=window, softcap=p.softcap
    )

    assert torch.equal(out, p.expected()[0])
    assert torch.equal(lse, p.expected()[1])


def test_dense_attention_is_what_torch_computes():
    p = problem((70,), num_heads=6, num_kv_heads=2)
    q, k, v = (x.double() for x in (p.q[0], p.k[0], p.v[0]))

    out, _ = dense_attention(q, k, v, scale=p.scale)

    expected = scaled_dot_product_attention(
        q[:, None], k.transpose(0, 1), v.transpose(0, 1), enable_gqa=True
    )
    assert torch.allclose(out, expected[:, 0], atol=1e-12)


def test_the_softmax_of_two_scores_by_hand():
    q = torch.tensor([[1.0]])
    k = torch.tensor([[[0.0]], [[2.0]]])
    v = torch.tensor([[[10.0]], [[20.0]]])

    out, lse = dense_attention(q, k, v, scale=0.5)

    e = torch.tensor(1.0, dtype=torch.float64).exp()
    assert torch.allclose(out[0, 0], (10 + 20 * e) / (1 + e))
    assert torch.allclose(lse[0], (1 + e).log())


def test_gather_puts_the_blocks_in_logical_order():
    cache = torch.arange(8.0).view(4, 2, 1, 1)  # block b holds 2b and 2b + 1
    table = torch.tensor([3, 0, 2, 99])

    assert gather(cache, table, 5).flatten().tolist() == [6, 7, 0, 1, 4]
    assert gather(cache, table, 5, start=3).flatten().tolist() == [1, 4]
    assert gather(cache, table, 0).shape == (0, 1, 1)
