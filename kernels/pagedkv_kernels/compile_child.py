"""Compile kernels without a GPU, in a process that does not interpret.

Run as a script, not imported: jobs come as JSON on standard input, and what the
compiler made of them goes as JSON to standard output.
"""

import importlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


def main() -> None:
    """Answer every job, in order, with a result or an error."""
    answers = [compiled(job) for job in json.load(sys.stdin)]
    json.dump({"triton": triton.__version__, "answers": answers}, sys.stdout)


def compiled(job: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of one compiled kernel, or the error as text."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            kernel = kernel_of(job, Path(folder))
            names = list(kernel.arg_names)
            source = ASTSource(
                fn=kernel,
                signature=job["signature"],
                constexprs={
                    (names.index(name),): decoded(value)
                    for name, value in job["constants"].items()
                },
                attrs={
                    (names.index(name),): [["tt.divisibility", 16]]
                    for name in job["aligned"]
                },
            )
            made = triton.compile(
                source, target=GPUTarget(*job["target"]), options=job["options"]
            )
        except Exception as error:  # noqa: BLE001  (whatever it is, it is told)
            return {"error": f"{type(error).__name__}: {error}"}
        assembly = made.asm.get("ptx") or made.asm["amdgcn"]
        resources = assembly
        if "cubin" in made.asm:
            resources = resource_usage(made.asm["cubin"], Path(folder))
        return {
            "assembly": assembly,
            "resources": resources,
            "ttgir": made.asm["ttgir"],
            "shared": made.metadata.shared,
        }


def kernel_of(job: dict[str, Any], folder: Path) -> triton.JITFunction[Any]:
    """Write the kernel's source into a file, and import it from there."""
    path = folder / "kernel_source.py"
    path.write_text(job["source"], encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        module = importlib.import_module(path.stem)
    finally:
        sys.path.pop(0)
        sys.modules.pop(path.stem, None)
        importlib.invalidate_caches()
    return getattr(module, job["name"])


def decoded(constant: object) -> object:
    """Return a constant as the kernel takes it; JSON has no types of Triton."""
    if isinstance(constant, dict):
        return tl.dtype(constant["dtype"])
    return constant


def resource_usage(cubin: bytes, folder: Path) -> str:
    """Ask the cuobjdump that comes with Triton for registers and stack."""
    path = folder / "kernel.cubin"
    path.write_bytes(cubin)
    tools = Path(triton.__file__).parent / "backends" / "nvidia" / "bin"
    return subprocess.run(
        [tools / "cuobjdump", "--dump-resource-usage", path],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


if __name__ == "__main__":
    main()
