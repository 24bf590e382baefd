"""Compile the kernels that a function of one's own launches, and say what came of it.

The function is called with tensors on the device "meta", and its kernels are replaced
by what writes their arguments down; nothing runs.
"""

from collections.abc import Callable
from types import FunctionType

import torch
from torch import Tensor

from pagedkv_edu.errors import PagedKVError
from pagedkv_kernels.compile import CannotCompile, Job, job, reports
from pagedkv_kernels.mode import require_triton

NO_NAME = "give the function that launches, not the kernel"


class _Noted:
    """Stands for a kernel: a launch becomes a job for the compiler."""

    def __init__(self, kernel: object, target: str, jobs: list[Job]) -> None:
        self._kernel = kernel
        self._target = target
        self._jobs = jobs

    def __getitem__(self, grid: object) -> Callable[..., None]:
        return self._launch

    def _launch(self, *arguments: object, **options: object) -> None:
        given = {"target": self._target} | options
        self._jobs.append(job(self._kernel, *arguments, **given))


def launches(function: object, *arguments: object, target: str = "sm_90") -> list[Job]:
    """Return a job for each launch of a kernel that the function knows by name."""
    if not isinstance(function, FunctionType):
        raise CannotCompile(f"{function!r} is no plain function; {NO_NAME}")
    jobs: list[Job] = []
    names = {
        name: _Noted(value, target, jobs) if _is_kernel(value) else value
        for name, value in function.__globals__.items()
    }
    copy = FunctionType(
        function.__code__,
        names,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy(*arguments)
    return jobs


def compiled(function: object, *arguments: object, target: str = "sm_90") -> str:
    """Return the reports on what a function launches, as text, or why there are none.

    A stub is waited for: then the text says that there is nothing to compile yet.
    """
    try:
        require_triton()
        jobs = launches(function, *arguments, target=target)
        if not jobs:
            return "This function launches no kernel that it knows by name."
        return "\n\n".join(made.text() for made in reports(jobs))
    except NotImplementedError as stub:
        return f"There is nothing to compile yet: {stub}."
    except PagedKVError as error:
        text = str(error)
        if "your turn" in text:
            return "There is nothing to compile yet: the kernel is not written."
        return text
    except Exception as error:  # noqa: BLE001  (a learner's code may fail in any way)
        return f"The function raised {type(error).__name__}: {error}."


def _is_kernel(value: object) -> bool:
    return isinstance(getattr(value, "fn", None), FunctionType)


def write_example() -> tuple[Tensor, ...]:
    """Return what exercise 7.1 is called with: 64 tokens, 8 KV heads, fp16."""
    k, v = (_meta(64, 8, 128) for _ in range(2))
    return k, v, *_caches(), _meta(64, dtype=torch.int64)


def decode_example() -> tuple[Tensor | float, ...]:
    """Return what exercise 7.2 is called with: 32 heads on 8 KV heads, fp16."""
    q = _meta(8, 32, 128)
    tables, lens = _meta(8, 256, dtype=torch.int32), _meta(8, dtype=torch.int32)
    return q, *_caches(), tables, lens, 0.1, torch.empty_like(q)


def merge_example() -> tuple[Tensor, ...]:
    """Return what exercise 7.3 is called with: 8 splits of 32 heads."""
    shapes = ((8, 32, 8, 128), (8, 32, 8), (8, 32, 128))
    return tuple(_meta(*shape, dtype=torch.float32) for shape in shapes)


def _caches() -> tuple[Tensor, Tensor]:
    return _meta(1024, 16, 8, 128), _meta(1024, 16, 8, 128)


def _meta(*shape: int, dtype: torch.dtype = torch.float16) -> Tensor:
    return torch.empty(shape, dtype=dtype, device="meta")
