"""Requests that lesson 10 and its pictures use, small enough to follow one by one."""

from pagedkv_edu.serving.workload import Request


def four_requests() -> list[Request]:
    """Return four requests for 24 blocks of 16 slots: the third has to leave.

    Their arrivals count in steps, one a second.
    """
    return [
        Request("A", 96, 61, arrival_s=0),
        Request("B", 80, 71, arrival_s=3),
        Request("C", 98, 57, arrival_s=7),
        Request("D", 66, 42, arrival_s=16),
    ]


def two_prompts() -> list[Request]:
    """Return two requests that do not fit into 12 blocks of 16 slots together."""
    return [Request("A", 128, 8), Request("B", 128, 8)]
