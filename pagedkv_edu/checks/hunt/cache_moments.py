"""Moments in which a cache is broken: a table, and how many hold its last block."""

from pagedkv_edu.memory.table import BlockTable


def from_the_second_block(table: BlockTable, num_owners: int) -> bool:
    """Strike in sequences of two blocks or more."""
    return len(table.block_ids) >= 2


def in_the_first_block(table: BlockTable, num_owners: int) -> bool:
    """Strike in sequences of one block."""
    return len(table.block_ids) == 1


def from_the_third_block(table: BlockTable, num_owners: int) -> bool:
    """Strike in sequences of three blocks or more."""
    return len(table.block_ids) >= 3


def with_3_owners(table: BlockTable, num_owners: int) -> bool:
    """Strike where three hold the last block."""
    return num_owners >= 3


def with_2_owners(table: BlockTable, num_owners: int) -> bool:
    """Strike where two hold the last block."""
    return num_owners == 2


def at_the_last_slot(table: BlockTable, num_owners: int) -> bool:
    """Strike where one slot of the last block is empty."""
    return table.seq_len % table.block_size == table.block_size - 1


def before_the_last_slot(table: BlockTable, num_owners: int) -> bool:
    """Strike everywhere else."""
    return not at_the_last_slot(table, num_owners)


def in_blocks_of_3(table: BlockTable, num_owners: int) -> bool:
    """Strike in blocks of 3 slots."""
    return table.block_size == 3


def in_blocks_of_2(table: BlockTable, num_owners: int) -> bool:
    """Strike in blocks of 2 slots."""
    return table.block_size == 2


def in_blocks_of_4_or_more(table: BlockTable, num_owners: int) -> bool:
    """Strike in blocks of 4 slots or more."""
    return table.block_size >= 4
