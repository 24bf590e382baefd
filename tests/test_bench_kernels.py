from dataclasses import replace
from pathlib import Path

import pytest
import torch
from pagedkv_kernels import bench
from pagedkv_kernels.bench import Timing
from pagedkv_kernels.bench_batch import Shape
from torch import Tensor

import tools.bench_kernels
from tools.bench_kernels import (
    bench_kernels,
    chart,
    layouts_text,
    paths_text,
    verdict_text,
)
from tools.bench_kernels_peers import PEERS, make_inputs, page_lists, require_right

ROW = Timing(bench.READ, "two arrays", None, 10**7, (2.0, 1.0))
ROWS = [
    ROW,
    replace(ROW, path="torch SDPA, group folded", rounds_ms=(4.0, 3.6)),
    replace(ROW, path=bench.OURS_CONTIGUOUS, rounds_ms=(1.6, 2.0)),
    replace(ROW, path=bench.OURS, block_size=1, rounds_ms=(3.2, 4.0)),
    replace(ROW, path=bench.OURS, block_size=16, rounds_ms=(1.8, 2.0)),
]


def test_the_table_of_paths_is_against_reading():
    lines = paths_text(ROWS).splitlines()

    assert lines[1].split()[-3:] == ["1.0", "10.0", "100%"]
    assert lines[2].startswith("torch SDPA, group folded, two arrays ")
    assert lines[5].split() == [
        *("cpu.paged_decode,", "block_size", "16", "1.8", "5.6", "56%"),
    ]


def test_the_verdict_leaves_small_blocks_out_and_names_torchs_fastest():
    paging, against_torch, of_reading = verdict_text(ROWS).splitlines()

    assert paging.startswith("paging, block_size >= 16: at most +12% of time")
    assert "2.00 times as fast as torch SDPA, group folded" in against_torch
    assert of_reading.startswith("of reading alone: 56%")


def test_the_chart_puts_the_fastest_on_top():
    (bars,) = chart(ROWS).to_dict()["data"]

    assert bars["y"][-1] == bench.READ
    assert list(bars["x"]) == [3.6, 3.2, 1.8, 1.6, 1.0]


def test_every_round_is_kept_with_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    tiny = Shape(2, 4, 2, 16, 512, num_layers=2)
    monkeypatch.setattr(tools.bench_kernels, "QUICK", tiny)

    bench_kernels(2, tmp_path, quick=True)

    text = (tmp_path / "kernels.json").read_text()
    assert '"torch": "' in text
    assert text.count('"rounds_ms"') == 2 * (16 + 15)
    assert (tmp_path / "kernels.html").exists()
    told = capsys.readouterr().out
    assert "one core, fastest of 2 rounds" in told
    assert "No GPU here" in told or torch.cuda.is_available()


def test_layouts_have_a_line_each():
    rows = [
        replace(ROW, path=way, block_size=16)
        for way in (bench.PLAIN_TOKENS, bench.PLAIN_HEADS, bench.TUNED)
    ]

    assert layouts_text(rows).splitlines()[1].split() == [
        *("two", "arrays", "1.0", "1.0", "1.0"),
    ]


@pytest.mark.parametrize("name", [n for n in PEERS if n.startswith(("ours", "g", "t"))])
def test_a_peer_that_runs_here_is_right(name: str):
    x = make_inputs(2, 40, (4, 2), 16, device="cpu")

    out = PEERS[name](x)()

    assert isinstance(out, Tensor)
    require_right(out, x)
    with pytest.raises(ValueError, match="wrong by"):
        require_right(out + 1, x)


def test_a_table_as_lists_of_pages_has_the_entries_that_are_used():
    x = make_inputs(3, 40, (4, 2), 16, device="cpu")
    x = replace(x, seq_lens=torch.tensor([40, 16, 17], dtype=torch.int32))

    indptr, indices, last = page_lists(x)

    table = x.block_tables.tolist()
    assert indptr.tolist() == [0, 3, 4, 6]
    assert indices.tolist() == [*table[0], table[1][0], *table[2][:2]]
    assert last.tolist() == [8, 16, 1]


def test_needed_bytes_count_live_tokens_alone():
    x = make_inputs(2, 40, (4, 2), 16, device="cpu")

    kv = 2 * 2 * 40 * 2 * 128 * 2
    q_and_out, table = 2 * 2 * 4 * 128 * 2, 2 * 3 * 4
    assert x.needed_bytes == kv + q_and_out + table
