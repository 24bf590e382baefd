"""Compile a kernel for a card that need not be there, and report what came of it."""

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from pagedkv_edu.errors import PagedKVError
from pagedkv_kernels.assembly import (
    CompileReport,
    count_buffers,
    read_amdgcn,
    read_ptx,
    read_resources,
)
from pagedkv_kernels.kernel_source import function_of, module_source

CHILD = Path(__file__).with_name("compile_child.py")
MOST_SECONDS = 600
_TYPE = {
    torch.float32: "fp32",
    torch.float16: "fp16",
    torch.bfloat16: "bf16",
    torch.float64: "fp64",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.bool: "i1",
}


class CannotCompile(PagedKVError):  # noqa: N818
    """The compiler refused a kernel; the message is the compiler's."""


@dataclass(frozen=True, slots=True)
class Job:
    """A kernel, what it is launched with, and the card to compile it for."""

    kernel: str
    source: str
    target: str
    signature: dict[str, str]
    constants: dict[str, Any]  # of any type that a kernel takes
    aligned: list[str]
    num_warps: int
    num_stages: int

    def to_json(self) -> dict[str, Any]:
        """Return what the child process is told."""
        return {
            "name": self.kernel,
            "source": self.source,
            "target": _gpu_target(self.target),
            "signature": self.signature,
            "constants": self.constants,
            "aligned": self.aligned,
            "options": {"num_warps": self.num_warps, "num_stages": self.num_stages},
        }


def report(
    kernel: object,
    *arguments: object,
    target: str = "sm_90",
    num_warps: int = 4,
    num_stages: int = 3,
    **constants: object,
) -> CompileReport:
    """Compile a kernel as if it were launched with these arguments, and report.

    `my_kernel[grid](q, out, 64, BLOCK=16)` becomes
    `report(my_kernel, q, out, 64, BLOCK=16, target="sm_80")`. As at a launch, whatever
    an argument is known to be (16-byte aligned, a multiple of 16, 1) is used. Tensors
    may be on the device "meta", where they take no memory; a type such as "*fp16" or
    "i32" will do too.

    No GPU is needed: "sm_80", "sm_90" and "gfx942" were tried, with Triton 3.6.0 and
    3.7.1. With 3.3.1 the first two work, and the third asks for ROCm's linker.
    """
    return reports(
        [
            job(
                kernel,
                *arguments,
                target=target,
                num_warps=num_warps,
                num_stages=num_stages,
                **constants,
            )
        ]
    )[0]


def reports(jobs: Sequence[Job]) -> list[CompileReport]:
    """Compile several kernels in one child process, which saves its start."""
    environment = os.environ | {"TRITON_INTERPRET": "0"}
    child = subprocess.run(
        [sys.executable, "-P", CHILD],  # -P: or our copy.py would hide Python's
        input=json.dumps([job.to_json() for job in jobs], default=_encoded),
        env=environment,
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    if child.returncode != 0:
        raise CannotCompile(f"the compiler process failed:\n{child.stderr[-2000:]}")
    answers = json.loads(child.stdout)["answers"]
    return [_report(job, answer) for job, answer in zip(jobs, answers, strict=True)]


def job(
    kernel: object,
    *arguments: object,
    target: str = "sm_90",
    num_warps: int = 4,
    num_stages: int = 3,
    **constants: object,
) -> Job:
    """Return what `report` would compile, for `reports`."""
    function = function_of(kernel)
    parameters = inspect.signature(function).parameters
    values = dict(zip(parameters, arguments, strict=False)) | constants
    missing = [name for name in parameters if name not in values]
    unknown = [name for name in values if name not in parameters]
    if missing or unknown or len(arguments) > len(parameters):
        raise CannotCompile(
            f"{function.__name__} takes {', '.join(parameters)}; "
            f"missing: {', '.join(missing) or 'none'}, "
            f"unknown: {', '.join(unknown) or 'none'}"
        )
    signature: dict[str, str] = {}
    aligned: list[str] = []
    for name, parameter in parameters.items():
        is_constant = "constexpr" in str(parameter.annotation)
        kind, is_aligned = ("constexpr", False)
        if not is_constant:
            kind, is_aligned = _kind(name, values[name])
        signature[name] = kind
        aligned += [name] * is_aligned
    return Job(
        function.__name__,
        module_source(kernel),
        target,
        signature,
        {name: values[name] for name in parameters if signature[name] == "constexpr"},
        aligned,
        num_warps,
        num_stages,
    )


def _kind(name: str, value: object) -> tuple[str, bool]:
    """Return the type that a launch would give an argument, and if 16 divides it."""
    if isinstance(value, str):
        return value, value.startswith("*")
    if isinstance(value, Tensor):
        return f"*{_TYPE[value.dtype]}", value.data_ptr() % 16 == 0
    if isinstance(value, bool):
        return "i1", False
    if isinstance(value, int):
        if value == 1:
            return "constexpr", False
        return "i32" if -(2**31) <= value < 2**31 else "i64", value % 16 == 0
    if isinstance(value, float):
        return "fp32", False
    if value is None:
        return "constexpr", False
    raise CannotCompile(
        f"{name} is of type {type(value).__name__}, which no kernel takes"
    )


def _encoded(constant: object) -> dict[str, str]:
    """Return one of Triton's types as JSON."""
    name = getattr(constant, "name", None)
    if type(constant).__name__ != "dtype" or not isinstance(name, str):
        raise CannotCompile(f"a constant cannot be {constant!r}")
    return {"dtype": name}


def _gpu_target(target: str) -> tuple[str, str | int, int]:
    """Return backend, architecture and threads of a warp."""
    if re.fullmatch(r"sm_\d+", target):
        return "cuda", int(target.removeprefix("sm_")), 32
    if re.fullmatch(r"gfx\w+", target):
        return "hip", target, 64 if target.startswith("gfx9") else 32
    raise CannotCompile(f'target must be like "sm_90" or "gfx942", got {target!r}')


def _report(job: Job, answer: dict[str, Any]) -> CompileReport:
    if "error" in answer:
        raise CannotCompile(f"{job.kernel} for {job.target}:\n{answer['error']}")
    read = read_ptx if job.target.startswith("sm_") else read_amdgcn
    loads, num_async, num_dots = read(answer["assembly"])
    registers, spilled_bytes = read_resources(answer["resources"])
    return CompileReport(
        kernel=job.kernel,
        target=job.target,
        num_warps=job.num_warps,
        num_stages=job.num_stages,
        registers=registers,
        spilled_bytes=spilled_bytes,
        shared_bytes=answer["shared"],
        loads=dict(sorted(loads.items())),
        num_async=num_async,
        num_buffers=count_buffers(answer["ttgir"]),
        num_dots=num_dots,
        assembly=answer["assembly"],
    )
