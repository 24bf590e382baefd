import os
import subprocess
import sys

import pytest
from pagedkv_kernels import HAS_GPU
from pagedkv_kernels.mode import interpreter_trouble


def python(code: str, **environment: str) -> str:
    inherited = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_importing_the_package_does_not_import_triton():
    code = "import sys, pagedkv_kernels; print('triton' in sys.modules)"

    assert python(code) == "False"


@pytest.mark.skipif(HAS_GPU, reason="with a GPU, kernels are compiled")
def test_without_a_gpu_kernels_are_interpreted():
    code = """
import pagedkv_kernels, triton
pagedkv_kernels.paged_decode
print(pagedkv_kernels.INTERPRETED, type(pagedkv_kernels.decode.decode_kernel).__name__)
"""

    assert python(code) == "True InterpretedFunction"


def test_the_variable_has_the_last_word():
    code = "import pagedkv_kernels; print(pagedkv_kernels.INTERPRETED)"

    assert python(code, TRITON_INTERPRET="1") == "True"
    assert python(code, TRITON_INTERPRET="0") == "False"


def test_triton_imported_earlier_in_the_other_mode_is_said_to_be():
    code = """
import os, triton  # compiles: the variable is not set
os.environ["TRITON_INTERPRET"] = "1"
import pagedkv_kernels
try:
    from pagedkv_kernels import paged_decode
except pagedkv_kernels.mode.NoTriton as error:
    print(error)
"""

    assert "restart the Python kernel" in python(code)


def test_without_triton_everything_but_the_kernels_is_there():
    code = """
import sys
sys.modules["triton"] = None  # as if it were not installed
import pagedkv_kernels.cases, pagedkv_kernels.oracles
from pagedkv_kernels import copy_blocks
try:
    from pagedkv_kernels import paged_decode
except pagedkv_kernels.mode.NoTriton as error:
    print(error)
"""

    assert "pagedkv_kernels.cpu.paged_decode" in python(code)


def test_without_triton_a_check_waits_and_says_how_to_go_on():
    code = """
import sys
sys.modules["triton"] = None  # as if it were not installed
from pagedkv_kernels.checks import check_decode_kernel, check_merge
print(check_decode_kernel(print).text())
print(check_merge(print).status)
"""
    told = python(code)

    assert told.startswith("7.2  waiting for you: no kernel can be launched here")
    assert "exercises 06 and 08 need none" in told
    assert told.endswith("failed")


def test_an_old_interpreter_with_a_new_numpy_is_said_to_fail():
    # tried: 3.6.0 raises a TypeError in every loop with NumPy 2.4, and works with 2.3.5
    assert "needs NumPy below 2.4" in interpreter_trouble("3.6.0", "2.4.0")
    assert interpreter_trouble("3.6.0", "2.3.5") == ""
    assert interpreter_trouble("3.10.0+git1", "2.10.1") == ""


def test_a_name_that_is_not_there_is_an_attribute_error():
    import pagedkv_kernels

    assert not hasattr(pagedkv_kernels, "prefill")
