"""Reading request traces, and what a broken line leads to."""

import json
from pathlib import Path
from statistics import mean, median, quantiles

import pytest

from pagedkv_edu.errors import TraceError
from pagedkv_edu.serving.traces import read_azure, read_mooncake, read_trace
from pagedkv_edu.serving.workload import Request
from tests.public_traces import public_trace

HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens"
AZURE = f"""{HEADER}
2023-11-16 18:15:46.6805900,374,44
2023-11-16 18:15:50.9951690,396,109
"""
MOONCAKE = """
{"timestamp": 27482, "input_length": 600, "output_length": 52, "hash_ids": [46, 47]}
{"timestamp": 30535, "input_length": 512, "output_length": 26, "hash_ids": [46]}
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_azure_lines_become_requests_and_the_first_arrives_at_0(tmp_path: Path):
    first, second = read_azure(write(tmp_path, "a.csv", AZURE))

    assert first == Request(0, 374, 44)
    assert second.arrival_s == pytest.approx(4.314579)
    assert second == Request(1, 396, 109, second.arrival_s)


def test_mooncake_hash_ids_become_content(tmp_path: Path):
    first, second = read_mooncake(write(tmp_path, "m.jsonl", MOONCAKE))

    assert first == Request(0, 600, 52, content=(46, 47), unit=512)
    assert second == Request(1, 512, 26, 3.053, content=(46,), unit=512)


def test_requests_come_in_order_of_arrival(tmp_path: Path):
    header, first, second = AZURE.splitlines()
    path = write(tmp_path, "a.csv", "\n".join([header, second, first]))

    assert [request.num_prompt_tokens for request in read_azure(path)] == [374, 396]
    assert [request.request_id for request in read_azure(path)] == [0, 1]


def test_a_byte_order_mark_blank_lines_and_windows_line_ends_are_read(tmp_path: Path):
    text = "\ufeff" + AZURE.replace("\n", "\r\n") + "\r\n"

    assert len(read_azure(write(tmp_path, "a.csv", text))) == 2


def test_times_with_a_zone_are_read(tmp_path: Path):
    text = f"{HEADER}\n2024-05-10 00:00:00.009930+00:00,2162,5\n"

    assert read_azure(write(tmp_path, "a.csv", text)) == [Request(0, 2162, 5)]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("2023-11-16 18:17:04,12", "expected 3 columns, got 2"),
        ("2023-11-16 18:17:04,12,3,4", "expected 3 columns, got 4"),
        ("yesterday,12,3", "TIMESTAMP is not a date and a time: 'yesterday'"),
        ("2023-11-16 18:17:04,twelve,3", "ContextTokens is not a whole number"),
        ("2023-11-16 18:17:04,12,3.5", "GeneratedTokens is not a whole number: '3.5'"),
        ("2023-11-16 18:17:04,-12,3", "ContextTokens is not a whole number: '-12'"),
        ("2023-11-16 18:17:04,12,0", "num_output_tokens must be at least 1, got 0"),
        ("2023-11-16 18:17:04,,3", "ContextTokens is not a whole number: ''"),
    ],
)
def test_a_broken_azure_line_is_named_with_its_number(
    tmp_path: Path, line: str, what: str
):
    path = write(tmp_path, "conv.csv", f"{AZURE}\n{line}\n")

    with pytest.raises(TraceError) as caught:
        read_azure(path)
    assert str(caught.value).startswith("conv.csv, line 5: ")
    assert what in str(caught.value)


def mooncake_line(**changed: object) -> str:
    fields = {"timestamp": 1, "input_length": 5, "output_length": 1, "hash_ids": [1]}
    return json.dumps(fields | changed)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{", "not JSON"),
        ("[1, 2]", "expected a JSON object"),
        ('{"timestamp": 1}', "no input_length, output_length, hash_ids"),
        (mooncake_line(timestamp="x"), "not a number of milliseconds: 'x'"),
        (mooncake_line(timestamp=True), "not a number of milliseconds: True"),
        (mooncake_line(timestamp=float("nan")), "not a number of milliseconds: nan"),
        (mooncake_line(input_length="9"), "num_prompt_tokens must be an int, got '9'"),
        (mooncake_line(input_length=513), "needs 2 content ids of 512 tokens, got 1"),
        (mooncake_line(hash_ids="ab"), "hash_ids is not a list of whole numbers: 'ab'"),
        (mooncake_line(hash_ids=None), "hash_ids is not a list of whole numbers: None"),
        (mooncake_line(hash_ids=[True]), "hash_ids is not a list of whole numbers"),
        (mooncake_line(hash_ids=[]), "hash_ids is not a list of whole numbers: []"),
    ],
)
def test_a_broken_mooncake_line_is_named_with_its_number(
    tmp_path: Path, line: str, what: str
):
    path = write(tmp_path, "chat.jsonl", f"{MOONCAKE}{line}\n")

    with pytest.raises(TraceError) as caught:
        read_mooncake(path)
    assert str(caught.value).startswith("chat.jsonl, line 4: ")
    assert what in str(caught.value)


def test_wrong_columns_are_named(tmp_path: Path):
    path = write(tmp_path, "a.csv", "time,in,out\n1,2,3\n")

    with pytest.raises(TraceError, match="line 1: expected the columns TIMESTAMP"):
        read_azure(path)


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_file_is_refused(tmp_path: Path, text: str):
    with pytest.raises(TraceError, match=r"a\.csv, line 1: expected the columns"):
        read_azure(write(tmp_path, "a.csv", text))
    with pytest.raises(TraceError, match=r"m\.jsonl has no requests"):
        read_mooncake(write(tmp_path, "m.jsonl", text))
    with pytest.raises(TraceError, match=r"b\.csv has no requests"):
        read_azure(write(tmp_path, "b.csv", HEADER))


def test_a_missing_file_a_folder_and_a_binary_file_are_errors_of_ours(tmp_path: Path):
    binary = tmp_path / "x.csv"
    binary.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(TraceError, match="check the path"):
        read_azure(tmp_path / "absent.csv")
    with pytest.raises(TraceError, match="check the path"):
        read_mooncake(tmp_path)
    with pytest.raises(TraceError, match="not a text file in UTF-8"):
        read_azure(binary)


def test_the_ending_of_the_name_picks_the_reader(tmp_path: Path):
    azure = write(tmp_path, "a.csv", AZURE)
    mooncake = write(tmp_path, "m.jsonl", MOONCAKE)

    assert read_trace(str(azure)) == read_azure(azure)
    assert read_trace(mooncake) == read_mooncake(mooncake)
    with pytest.raises(TraceError, match=r"must end in \.csv"):
        read_trace(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("name", "rows", "prompt", "output"),
    [
        ("conv", 19_366, (1154.7, 1020, 4083, 4142), (211.1, 129, 451, 601)),
        ("code", 8_819, (2047.8, 1469, 7303, 7436), (27.9, 13, 90, 251)),
    ],
)
def test_the_azure_traces_have_their_published_statistics(
    name: str, rows: int, prompt: tuple[float, ...], output: tuple[float, ...]
):
    requests = read_azure(public_trace(f"AzureLLMInferenceTrace_{name}.csv"))
    prompts = [request.num_prompt_tokens for request in requests]
    outputs = [request.num_output_tokens for request in requests]

    assert len(requests) == rows
    for lengths, expected in ((prompts, prompt), (outputs, output)):
        cuts = quantiles(lengths, n=100, method="inclusive")
        found = mean(lengths), median(lengths), round(cuts[94]), round(cuts[98])
        assert [round(value, 1) for value in found] == list(expected)


@pytest.mark.parametrize(
    ("name", "rows", "shared_percent"),
    [("conversation", 12_031, 37.4), ("synthetic", 3_993, 65.1)],
)
def test_the_mooncake_traces_share_as_much_as_published(
    name: str, rows: int, shared_percent: float
):
    requests = read_mooncake(public_trace(f"mooncake_{name}_trace.jsonl"))
    seen: set[int] = set()
    num_shared = 0
    for request in requests:
        for index, content_id in enumerate(request.content):
            if content_id not in seen:
                seen.add(content_id)
                continue
            rest = request.num_prompt_tokens - index * request.unit
            num_shared += min(request.unit, rest)
    num_prompt = sum(request.num_prompt_tokens for request in requests)

    assert len(requests) == rows
    assert round(100 * num_shared / num_prompt, 1) == shared_percent
    shares_block_0 = all(request.content[0] == 0 for request in requests)
    assert shares_block_0 == (name == "conversation")
