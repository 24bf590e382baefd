"""Check `my_write_kernel` (7.1): new keys and values into their slots."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from pagedkv_edu.report import Hint
from pagedkv_edu.sizes import locate
from pagedkv_kernels.cases import GUARD
from pagedkv_kernels.checking import hints as hint
from pagedkv_kernels.checking.answers import kernel_device, where_kernels_ran
from pagedkv_kernels.checking.judging import Call, Finding, Typed
from pagedkv_kernels.checking.wording import number

NAME = "my_write_kernel"
NUM_BLOCKS, BLOCK_SIZE, HEAD_DIM = 4, 4, 16
BEFORE = -7.0  # what every slot holds before the call


@dataclass(frozen=True)
class WriteCase:
    """New tokens and the slots that they go into."""

    kind: str
    slots: tuple[int, ...]
    seed: int
    num_kv_heads: int = 2
    dtype: torch.dtype = torch.float32
    is_fused: bool = False
    is_slice: bool = False  # k and v are slices of one wider tensor

    def new(self, device: str) -> tuple[Tensor, Tensor]:
        """Return k and v, `[num_tokens, num_kv_heads, head_dim]`; no number twice."""
        shape = (len(self.slots), 2 * self.num_kv_heads + 1, HEAD_DIM)
        size = shape[0] * shape[1] * shape[2]
        generator = torch.Generator().manual_seed(self.seed)
        kv = torch.randperm(size, generator=generator).view(shape)
        kv = kv.to(dtype=self.dtype, device=device)
        k, v = kv[:, 1 : self.num_kv_heads + 1], kv[:, self.num_kv_heads + 1 :]
        return (k, v) if self.is_slice else (k.contiguous(), v.contiguous())

    def memory(self, device: str) -> "WriteMemory":
        """Return caches that nobody has written yet."""
        block = (BLOCK_SIZE, self.num_kv_heads, HEAD_DIM)
        shape = (NUM_BLOCKS, 2, *block) if self.is_fused else (2, NUM_BLOCKS, *block)
        size = torch.Size(shape).numel()
        numbers = torch.full(
            (size + 2 * GUARD,), BEFORE, dtype=self.dtype, device=device
        )
        pair = numbers[GUARD:-GUARD].view(shape)
        k_cache, v_cache = pair.unbind(1 if self.is_fused else 0)
        return WriteMemory(numbers, k_cache, v_cache)


@dataclass(frozen=True)
class WriteMemory:
    """Two caches in one piece of memory, so that nothing written is missed."""

    numbers: Tensor
    k_cache: Tensor
    v_cache: Tensor


@dataclass(frozen=True)
class WriteTopic:
    """What the caches should hold after the call."""

    hints: tuple[Hint, ...]
    exercise_id: str = "7.1"
    answer_name: str = NAME
    reread: str = 'lesson 07, "Write"'

    @property
    def ran(self) -> str:
        """Say whether a GPU or the interpreter ran the kernel."""
        return where_kernels_ran()

    def cases(self, seed: int) -> Sequence[WriteCase]:
        """Return cases from one token to slices and fused caches."""
        last = NUM_BLOCKS * BLOCK_SIZE - 1
        cases = [
            WriteCase("one token in slot 0", (0,), seed, num_kv_heads=1),
            WriteCase("one token", (5,), seed, num_kv_heads=1),
            WriteCase("two KV heads", (5,), seed),
            WriteCase("a block and a half in a row", (4, 5, 6, 7, 8, 9), seed),
            WriteCase("slots in any order", (9, 2, 14, 7), seed),
            WriteCase("the last slot of the pool", (last,), seed),
            WriteCase("a token with slot -1", (6, -1, 3), seed),
            WriteCase("K and V as views of one tensor", (9, 2), seed, is_fused=True),
            WriteCase("k and v as slices", (3, 12), seed, is_slice=True),
            WriteCase("fp16", (1, 11), seed, dtype=torch.float16),
        ]
        return [replace(case, seed=100 * seed + i) for i, case in enumerate(cases)]

    def passes(self, case: WriteCase, call: Call) -> bool:
        """Compare all memory, so that nothing is written elsewhere either."""
        return torch.equal(self._run(case, call).numbers, self._right(case).numbers)

    def finding(self, case: WriteCase, call: Call) -> Finding:
        """Name the first token whose key or value is not in its slot."""
        found, right = self._run(case, call), self._right(case)
        for token, slot in enumerate(case.slots):
            if slot < 0:
                continue
            for name in ("k_cache", "v_cache"):
                there, wanted = getattr(found, name), getattr(right, name)
                block_id, offset = locate(slot, BLOCK_SIZE)
                for head in range(case.num_kv_heads):
                    index = (block_id, offset, head)
                    if not torch.equal(there[index], wanted[index]):
                        return self._missing(case, token, name, index, there[index])
        return self._elsewhere(case, found, right)

    def typed(self, case: WriteCase) -> Typed:
        """Write the call out."""
        setting = (
            f"{case.kind}; {NUM_BLOCKS} blocks of {BLOCK_SIZE} slots, "
            f"num_kv_heads {case.num_kv_heads}, head_dim {HEAD_DIM}"
        )
        return Typed(setting, (f"{NAME}(k, v, k_cache, v_cache, {list(case.slots)})",))

    def _run(self, case: WriteCase, call: Call) -> WriteMemory:
        device = kernel_device()
        memory = case.memory(device)
        slots = torch.tensor(case.slots, device=device)
        call(*case.new(device), memory.k_cache, memory.v_cache, slots)
        return memory

    def _right(self, case: WriteCase) -> WriteMemory:
        device = kernel_device()
        memory = case.memory(device)
        k, v = case.new(device)
        for token, slot in enumerate(case.slots):
            if slot >= 0:
                block_id, offset = locate(slot, BLOCK_SIZE)
                memory.k_cache[block_id, offset] = k[token]
                memory.v_cache[block_id, offset] = v[token]
        return memory

    def _missing(
        self,
        case: WriteCase,
        token: int,
        cache: str,
        index: tuple[int, int, int],
        there: Tensor,
    ) -> Finding:
        block_id, offset, head = index
        wanted = f"the {'key' if cache == 'k_cache' else 'value'} of token {token}"
        found = self._whose(case, there)
        return Finding(
            f"token {token}, head {head}: slot {case.slots[token]} of {cache} holds "
            f"{found}; expected {wanted}",
            self._hint(case, found, head),
            compared=f"{cache}[{block_id}, {offset}, {head}]",
            found_value=found,
            expected_value=wanted,
            expected=(
                f"{wanted} in block {block_id}, offset {offset}: slot "
                f"{case.slots[token]} with {BLOCK_SIZE} slots to a block."
            ),
            found=f"{found}.",
        )

    def _whose(self, case: WriteCase, row: Tensor) -> str:
        """Say what a row is: some token's key or value, or as before."""
        if (row == BEFORE).all():
            return "what it held before"
        for kind, new in zip(("key", "value"), case.new(str(row.device)), strict=True):
            for token, head in torch.cartesian_prod(
                torch.arange(new.shape[0]), torch.arange(new.shape[1])
            ).tolist():
                if torch.equal(new[token, head], row):
                    of_head = f" for head {head}" if case.num_kv_heads > 1 else ""
                    return f"the {kind} of token {token}{of_head}"
        return f"{number(row[0].item())} and other numbers of no token"

    def _hint(self, case: WriteCase, found: str, head: int) -> str:
        if case.is_fused or case.is_slice:
            return hint.WRITE_STRIDES
        if head > 0:
            return hint.WRITE_HEADS
        return hint.WRITE_PLACE if found == "what it held before" else hint.WRITE_WHOSE

    def _elsewhere(
        self, case: WriteCase, found: WriteMemory, right: WriteMemory
    ) -> Finding:
        """Tell of numbers that were written although no token has that slot."""
        skipped = [token for token, slot in enumerate(case.slots) if slot < 0]
        for name in ("k_cache", "v_cache"):
            changed = getattr(found, name) != getattr(right, name)
            if changed.any():
                block_id, offset, head, _ = changed.nonzero()[0].tolist()
                row = getattr(found, name)[block_id, offset, head]
                place = f"slot {block_id * BLOCK_SIZE + offset} of {name}"
                whose = self._whose(case, row)
                break
        else:
            name, place, whose = "memory", "memory outside the caches", "new numbers"
        why = f"; token {skipped[0]} has slot -1" if skipped else ""
        return Finding(
            f"{place} was written; expected it as it was{why}",
            hint.WRITE_SKIP if skipped else hint.WRITE_PLACE,
            compared=place,
            found_value=whose,
            expected_value="what it held before",
            expected=f"no other slot than those of the tokens to be written{why}.",
            found=f"{place} holds {whose}.",
        )
