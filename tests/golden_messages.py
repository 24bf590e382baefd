"""The messages for six wrong managers, word for word as they were designed."""

# ruff: noqa: E501  (a message is compared line by line as it is shown)

GOLDEN = {
    "WritesInPlace": """\
5.3  not yet: append("A") copied no block; expected one copy

What was done (pool of 8 blocks, block_size 4)
  1  add("A", 1)
  2  fork("A", "B")
> 3  append("A")

Expected  one copy: the last block, 0, is partly filled (1 of 4 slots) and has 2 references.
Found     no copy. A's new token is in slot 1 of block 0; block 0 is also in B's table.
Go on     append("B") writes into the same slot. A then reads "A0 B1"; expected "A0 A1".
Nearby    begun with add("A", n), the same calls pass for n = 4 and fail for n = 1, 2, 3.
Words     A1 stands for what A wrote at position 1.
Reread    lesson 05, "The fix". Hint: "A copy is missing".""",
    "SharesTheList": """\
5.3  not yet: after append("A"), block 1 is in two tables and has ref_count 1

What was done (pool of 8 blocks, block_size 4)
  1  add("A", 1)
  2  fork("A", "B")
> 3  append("A")

Expected  only A's table to change; B's stays [0].
Found     B's table changed too, from [0] to [1]. Two tables hold block 1; its ref_count is 1.
Go on     append("B") writes into the same slot. A then reads "A0 B1"; expected "A0 A1".
Nearby    begun with add("A", n), the same calls fail for every n from 1 to 4.
Words     A1 stands for what A wrote at position 1.
Reread    lesson 05, "Share first". Hint: "One sequence changes and another changes with it".""",
    "CopiesAFullBlock": """\
5.3  not yet: append("A") copied one block; expected no copy

What was done (pool of 8 blocks, block_size 4)
  1  add("A", 4)
  2  fork("A", "B")
> 3  append("A")

Expected  no copy: the last block, 0, is full (4 of 4 slots). The new token goes into a new block, so nothing is written into block 0.
Found     a copy of block 0 to block 1, and A's table is now [1, 2].
Nearby    begun with add("A", n), the same calls pass for n = 1, 2, 3 and fail for n = 4.
Reread    lesson 05, "Only the last block is ever copied". Hint: "A copy too many".""",
    "KeepsTheOldReference": """\
5.3  not yet: after append("A"), block 0 is in one table and has ref_count 2

What was done (pool of 8 blocks, block_size 4)
  1  add("A", 1)
  2  fork("A", "B")
> 3  append("A")

Expected  ref_count 1 for block 0: as many references as tables that hold it.
Found     block 0 is in B's table; its ref_count is 2.
Go on     free("B"), then free("A"): no sequence is left, and 7 of 8 blocks are free. One block can never be used again.
Nearby    begun with add("A", n), the same calls pass for n = 4 and fail for n = 1, 2, 3.
Reread    lesson 05, "Share first". Hint: "My free blocks run out after a fork".""",
    "MeasuresAfterGrowing": """\
5.3  not yet: append("A") copied no block; expected one copy

What was done (pool of 8 blocks, block_size 4)
  1  add("A", 3)
  2  fork("A", "B")
> 3  append("A")

Expected  one copy: the last block, 0, is partly filled (3 of 4 slots) and has 2 references.
Found     no copy. A's new token is in slot 3 of block 0; block 0 is also in B's table.
Go on     append("B") writes into the same slot. A then reads "A0 A1 A2 B3"; expected "A0 A1 A2 A3".
Nearby    begun with add("A", n), the same calls pass for n = 1, 2 and fail for n = 3, 4.
Words     A1 stands for what A wrote at position 1.
Reread    lesson 05, "The fix". Hint: "A copy is missing".""",
    "FailsHalfway": """\
5.3  not yet: append("A") was refused, but something changed first

What was done (pool of one block, block_size 4)
  1  add("A", 4)
> 2  append("A")

Expected  OutOfBlocks, and everything as it was before. The call needs 1 free block; there are 0.
Found     OutOfBlocks, but: A's seq_len 4 -> 5; A's table still has one block.
Nearby    begun with add("A", n), the same calls pass for n = 1, 2, 3 and fail for n = 4.
Reread    lesson 05, "The fix". Hint: "was refused, but something changed first".""",
}

WAITING = """\
5.3  waiting for you: fork is not written yet

Write the part below "your turn" in fork, then run this cell again.
append comes second; the check stops at the first call that is not written."""
