"""Arithmetic on tokens, blocks and bytes. Nothing here has state."""

from dataclasses import dataclass, fields

from pagedkv_edu.errors import InvalidSize


def cdiv(a: int, b: int) -> int:
    """Return a / b rounded up.

    Raises `InvalidSize` unless both are ints and b is at least 1.

    >>> cdiv(5, 4)
    2
    """
    if type(a) is not int or type(b) is not int or b < 1:
        raise InvalidSize(f"cdiv needs an int and an int >= 1, got {a!r} and {b!r}")
    return -(-a // b)


def require_at_least(minimum: int, name: str, value: object) -> int:
    """Return value if it is an int of at least minimum; raise `InvalidSize` otherwise.

    A bool is refused: `True` is an int to Python and a mistake to everybody else.
    """
    if type(value) is not int:
        raise InvalidSize(f"{name} must be an int, got {value!r}")
    if value < minimum:
        raise InvalidSize(f"{name} must be at least {minimum}, got {value}")
    return value


def require_positive(name: str, value: object) -> int:
    """Return value if it is an int of at least 1; raise `InvalidSize` otherwise."""
    return require_at_least(1, name, value)


def locate(position: int, block_size: int) -> tuple[int, int]:
    """Return the logical block of a token position, and its offset inside the block.

    Positions count from 0. Raises `InvalidSize` for a negative position.

    >>> locate(9, block_size=4)
    (2, 1)
    """
    require_at_least(0, "position", position)
    return divmod(position, require_positive("block_size", block_size))


@dataclass(frozen=True, slots=True)
class KVCacheSpec:
    """What one model stores for a token, and how many tokens a block holds.

    `dtype_bytes` is the size of one number in bytes: 2 for fp16 and bf16.

    >>> spec = KVCacheSpec(32, 8, head_dim=128, dtype_bytes=2, block_size=16)
    >>> spec.bytes_per_token // 2**10  # Llama-3-8B, in KiB
    128
    """

    num_layers: int
    num_kv_heads: int
    head_dim: int
    dtype_bytes: int
    block_size: int

    def __post_init__(self) -> None:
        for field in fields(self):
            require_positive(field.name, getattr(self, field.name))

    @property
    def bytes_per_token(self) -> int:
        """Bytes of one token's keys and values over all layers and KV heads."""
        keys_and_values = 2
        return (
            keys_and_values
            * self.num_layers
            * self.num_kv_heads
            * self.head_dim
            * self.dtype_bytes
        )

    @property
    def bytes_per_block(self) -> int:
        """Bytes of one block over all layers."""
        return self.block_size * self.bytes_per_token

    @property
    def copy_bytes(self) -> int:
        """Bytes that one copy of a block reads, and again as many that it writes."""
        return self.bytes_per_block

    def blocks_for(self, num_tokens: int) -> int:
        """Return how many blocks hold this many tokens; 0 tokens need none."""
        require_at_least(0, "num_tokens", num_tokens)
        return cdiv(num_tokens, self.block_size)

    def table_entries(self, max_len: int) -> int:
        """Return the entries of a block table that can hold max_len tokens."""
        return self.blocks_for(require_positive("max_len", max_len))
