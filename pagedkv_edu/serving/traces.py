"""Read public request traces: Azure's CSV and Mooncake's JSONL."""

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path

from pagedkv_edu.errors import InvalidSize, TraceError
from pagedkv_edu.report import Json
from pagedkv_edu.serving.workload import Request

AZURE_COLUMNS = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"]
MOONCAKE_KEYS = ["timestamp", "input_length", "output_length", "hash_ids"]
MOONCAKE_UNIT = 512  # tokens that one of Mooncake's hash ids stands for


def read_trace(path: str | Path) -> list[Request]:
    """Read a trace by the ending of its name: .csv as Azure's, .jsonl as Mooncake's."""
    path = Path(path)
    if path.suffix == ".csv":
        return read_azure(path)
    if path.suffix == ".jsonl":
        return read_mooncake(path)
    raise TraceError(
        f"{path.name}: the name must end in .csv (Azure) or .jsonl (Mooncake)"
    )


def read_azure(path: str | Path) -> list[Request]:
    """Read a trace of the Azure Public Dataset, in order of arrival.

    The columns are TIMESTAMP, ContextTokens and GeneratedTokens. The first arrival is
    second 0, and every prompt counts as unique. Raises `TraceError` with the number of
    the line that cannot be read.
    """
    lines = _lines(Path(path))
    number, header = next(lines, (1, ""))
    if _columns(header) != AZURE_COLUMNS:
        raise TraceError(
            f"{Path(path).name}, line {number}: expected the columns "
            f"{','.join(AZURE_COLUMNS)}, got {header!r}"
        )
    return _requests(Path(path), lines, _azure_request)


def read_mooncake(path: str | Path) -> list[Request]:
    """Read a Mooncake trace, in order of arrival; its hash ids become `content`.

    Each line is a JSON object with timestamp (milliseconds), input_length,
    output_length and hash_ids, one id for every 512 tokens of the prompt. The first
    arrival is second 0. Raises `TraceError` with the number of the line that cannot be
    read.
    """
    return _requests(Path(path), _lines(Path(path)), _mooncake_request)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Give the lines that are not blank, with their numbers."""
    try:
        # utf-8-sig: a spreadsheet may have put a byte order mark in front
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}; check the path") from error
    except UnicodeDecodeError as error:
        raise TraceError(f"{path.name} is not a text file in UTF-8") from error
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield number, line


def _requests(
    path: Path, lines: Iterator[tuple[int, str]], parse: Callable[[str], Request]
) -> list[Request]:
    requests: list[Request] = []
    for number, line in lines:
        try:
            requests.append(parse(line))
        except (InvalidSize, TraceError) as error:
            raise TraceError(f"{path.name}, line {number}: {error}") from None
    if not requests:
        raise TraceError(f"{path.name} has no requests")
    requests.sort(key=lambda request: request.arrival_s)
    first_s = requests[0].arrival_s
    return [
        replace(request, request_id=i, arrival_s=round(request.arrival_s - first_s, 6))
        for i, request in enumerate(requests)
    ]


def _columns(line: str) -> list[str]:
    return [column.strip() for row in csv.reader([line]) for column in row]


def _azure_request(line: str) -> Request:
    columns = _columns(line)
    if len(columns) != len(AZURE_COLUMNS):
        raise TraceError(
            f"expected {len(AZURE_COLUMNS)} columns, got {len(columns)}: {line!r}"
        )
    timestamp, *lengths = columns
    try:
        time = datetime.fromisoformat(timestamp)
    except ValueError:
        raise TraceError(f"TIMESTAMP is not a date and a time: {timestamp!r}") from None
    if time.tzinfo is None:
        time = time.replace(
            tzinfo=UTC
        )  # not the reader's zone: it may change its clock
    for name, length in zip(AZURE_COLUMNS[1:], lengths, strict=True):
        if not (length.isascii() and length.isdigit()):
            raise TraceError(f"{name} is not a whole number: {length!r}")
    num_prompt, num_output = map(int, lengths)
    return Request(0, num_prompt, num_output, time.timestamp())


def _mooncake_request(line: str) -> Request:
    try:
        fields: Json = json.loads(line)
    except json.JSONDecodeError as error:
        raise TraceError(f"not JSON: {error}") from None
    if type(fields) is not dict:
        raise TraceError(f"expected a JSON object, got {line[:40]!r}")
    missing = [key for key in MOONCAKE_KEYS if key not in fields]
    if missing:
        raise TraceError(f"no {', '.join(missing)} in the object")
    time_ms: object = fields["timestamp"]
    if (type(time_ms) is not int and type(time_ms) is not float) or not isfinite(
        time_ms
    ):
        raise TraceError(f"timestamp is not a number of milliseconds: {time_ms!r}")
    ids: list[object] = fields["hash_ids"]
    is_list = type(ids) is list
    content = tuple(id_ for id_ in ids if type(id_) is int) if is_list else ()
    if not content or len(content) < len(ids):
        raise TraceError(f"hash_ids is not a list of whole numbers: {ids!r}")
    return Request(
        request_id=0,
        num_prompt_tokens=fields["input_length"],
        num_output_tokens=fields["output_length"],
        arrival_s=time_ms / 1000,
        content=content,
        unit=MOONCAKE_UNIT,
    )
