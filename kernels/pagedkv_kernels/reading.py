"""Read memory and do next to nothing with it: what attention is measured against."""

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor

from pagedkv_kernels.cpu_kernel import prefetch

PIECES = 64  # more than threads, so that they end together
AHEAD = np.uint64(1024)  # numbers that are asked for while as many are added up
LINE = np.uint64(16)
AT_A_TIME = np.uint64(128)


@njit(parallel=True, fastmath=True, cache=True)
def sums_of_pieces(numbers, sums):
    """Add up each piece of a flat array, but for a rest that fills no piece."""
    size = np.uint64(len(numbers) // len(sums)) // AHEAD * AHEAD
    for piece in prange(len(sums)):
        first = np.uint64(piece) * size
        total = np.zeros(AT_A_TIME, np.float32)
        for i in range(first, first + size, AHEAD):
            for j in range(i + AHEAD, i + AHEAD + AHEAD, LINE):
                prefetch(numbers, j)
            for j in range(i, i + AHEAD, AT_A_TIME):
                for d in range(AT_A_TIME):
                    total[d] += numbers[j + d]
        sums[piece] = total.sum()


def read_once(numbers: Tensor) -> Tensor:
    """Read a contiguous float32 tensor once, as fast as we can; return some sums.

    Of a tensor below a megabyte nearly nothing is read.
    """
    sums = torch.empty(PIECES)
    sums_of_pieces(numbers.view(-1).numpy(), sums.numpy())
    return sums
