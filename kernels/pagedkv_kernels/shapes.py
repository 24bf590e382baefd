"""Numbers that a kernel is compiled for: powers of two, and what divides a row."""

from math import gcd

from torch import Tensor


def next_power_of_two(n: int) -> int:
    """Return the smallest power of two that is at least n.

    >>> next_power_of_two(7), next_power_of_two(8)
    (8, 8)
    """
    return 1 << max(0, n - 1).bit_length()


def row_alignment(*tensors: Tensor) -> int:
    """Return the elements that divide the offset of every row of all the tensors.

    A row whose offset is known to be a multiple of 16 bytes can be loaded 16 bytes at
    a time; what is beyond 16 bytes does not matter.
    """
    strides = (stride for tensor in tensors for stride in tensor.stride()[:-1])
    return gcd(16 // tensors[0].element_size(), *strides)
