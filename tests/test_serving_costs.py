import pytest

from pagedkv_edu.serving.costs import A100, llama_3_8b, opt_13b, recompute_s, swap_s


def test_models_have_the_published_bytes_per_token() -> None:
    assert opt_13b(16).spec.bytes_per_token == 819_200
    assert llama_3_8b(16).spec.bytes_per_token == 128 * 2**10


def test_recompute_does_not_depend_on_the_block_size() -> None:
    assert recompute_s(opt_13b(1), A100, 512) == recompute_s(opt_13b(256), A100, 512)


def test_swap_of_full_blocks_gets_cheaper_with_the_block_size() -> None:
    times = [swap_s(opt_13b(p), A100, 1024) for p in (1, 4, 16, 64, 256)]

    assert times == sorted(times, reverse=True)
    assert times[0] > recompute_s(opt_13b(1), A100, 1024) > times[-1]


def test_swap_moves_whole_blocks_both_ways() -> None:
    model = llama_3_8b(16)
    both_ways = 2 * model.spec.bytes_per_block / A100.host_bytes_per_s

    assert swap_s(model, A100, 1, transfers_per_block=0) == pytest.approx(both_ways)


def test_prefill_counts_each_pair_of_tokens_once() -> None:
    model = llama_3_8b(16)
    one, two = model.prefill_flops(1), model.prefill_flops(2)
    attention = 4 * 32 * 32 * 128

    assert one == 2 * model.num_params + attention
    assert two == 2 * 2 * model.num_params + 3 * attention
