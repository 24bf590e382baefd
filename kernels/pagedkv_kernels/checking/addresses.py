"""Check address functions (8.1 to 8.3): the byte where a row begins, in one layout."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from pagedkv_edu.report import Hint
from pagedkv_edu.sizes import KVCacheSpec
from pagedkv_kernels.checking import hints as hint
from pagedkv_kernels.checking.calling import Complaint
from pagedkv_kernels.checking.judging import Call, Finding, Typed
from pagedkv_kernels.checking.wording import shown
from pagedkv_kernels.layouts import Kind, Layout

# no size is a multiple of another, so that a wrong factor can be told from others
SMALL = KVCacheSpec(1, num_kv_heads=3, head_dim=7, dtype_bytes=4, block_size=5)
LLAMA = KVCacheSpec(1, num_kv_heads=8, head_dim=128, dtype_bytes=2, block_size=16)


@dataclass(frozen=True)
class AddressCase:
    """One row: a token's key or value for one KV head."""

    kind: str
    spec: KVCacheSpec
    of: Kind
    block_id: int
    slot: int
    head: int

    @property
    def row(self) -> tuple[KVCacheSpec, Kind, int, int, int]:
        """The arguments of the answer."""
        return self.spec, self.of, self.block_id, self.slot, self.head


@dataclass(frozen=True)
class AddressTopic:
    """Where the rows of one layout begin."""

    exercise_id: str
    answer_name: str
    layout: Layout
    hints: tuple[Hint, ...]
    reread: str = 'lesson 08, "Addresses"'
    ran: str = ""

    def cases(self, seed: int) -> Sequence[AddressCase]:
        """Return one index after another, alone and then together."""
        cases = [
            AddressCase("the first row", SMALL, "k", 0, 0, 0),
            *(AddressCase("another head", SMALL, "k", 0, 0, h) for h in (1, 2)),
            *(AddressCase("another slot", SMALL, "k", 0, s, 0) for s in (1, 2, 3)),
            *(AddressCase("another block", SMALL, "k", b, 0, 0) for b in (1, 5)),
            AddressCase("a value", SMALL, "v", 0, 0, 0),
            *(
                AddressCase("a value in another slot", SMALL, "v", 0, s, 1)
                for s in (1, 3)
            ),
            AddressCase("a value in another block", SMALL, "v", 2, 3, 1),
        ]
        random = Random(seed)
        for spec in (SMALL, LLAMA, *(_some_spec(random) for _ in range(10))):
            for _ in range(8):
                of: Kind = random.choice(("k", "v"))
                index = (
                    random.randrange(1000),
                    random.randrange(spec.block_size),
                    random.randrange(spec.num_kv_heads),
                )
                cases.append(AddressCase("other sizes", spec, of, *index))
        return cases

    def passes(self, case: AddressCase, call: Call) -> bool:
        """Compare with the layout."""
        return self._ask(case, call) == self._right(case)

    def finding(self, case: AddressCase, call: Call) -> Finding:
        """Take the distance to the right byte apart."""
        found, right = self._ask(case, call), self._right(case)
        strides = self.layout.strides(case.spec)
        index = {"block": case.block_id, "kv": ("k", "v").index(case.of)}
        index |= {"slot": case.slot, "head": case.head}
        terms = [
            f"{_WORDS[axis]} {index[axis]} * {strides[axis]:,}"
            for axis in self.layout.axes
            if axis != "dim"
        ]
        return Finding(
            f"{self._call(case)} returned {found:,}; expected {right:,}",
            self._hint(case, found, right),
            compared=self._call(case),
            found_value=f"{found:,}",
            expected_value=f"{right:,}",
            expected=f"{right:,} = {' + '.join(terms)}, in bytes.",
            found=f"{found:,}.{self._alike(case, found, right)}",
        )

    def typed(self, case: AddressCase) -> Typed:
        """Write the call out."""
        spec = case.spec
        setting = (
            f"{case.kind}; block_size {spec.block_size}, num_kv_heads "
            f"{spec.num_kv_heads}, head_dim {spec.head_dim}, dtype_bytes "
            f"{spec.dtype_bytes}"
        )
        test = (
            "from pagedkv_edu.sizes import KVCacheSpec\n\n\n"
            f"def test_{self.answer_name}() -> None:\n    spec = {spec!r}\n"
            f"    assert {self._call(case)} == {self._right(case)}\n"
        )
        return Typed(setting, (self._call(case),), as_test=test)

    def _call(self, case: AddressCase) -> str:
        index = f"{case.block_id}, {case.slot}, {case.head}"
        return f'{self.answer_name}(spec, "{case.of}", {index})'

    def _right(self, case: AddressCase) -> int:
        return self.layout.address(
            case.spec, case.of, block_id=case.block_id, slot=case.slot, head=case.head
        )

    def _ask(self, case: AddressCase, call: Call) -> int:
        found = call(*case.row)
        if type(found) is not int:
            missing = ' Is a "return" missing?' if found is None else ""
            decimal = " `//` divides without a decimal point." * isinstance(
                found, float
            )
            raise Complaint(
                f"returned {shown(found)}; expected an int",
                f"{shown(found)}, of type {type(found).__name__}.{missing}{decimal}",
                expected="the number of a byte, an int.",
            )
        return found

    def _hint(self, case: AddressCase, found: int, right: int) -> str:
        if found * case.spec.dtype_bytes == right:
            return hint.NUMBERS
        by_kind = {
            "another head": hint.HEAD_STEP,
            "another slot": hint.SLOT_STEP,
            "another block": hint.BLOCK_STEP,
        }
        if case.of == "v":
            return hint.VALUES
        return by_kind.get(case.kind, hint.SLOT_STEP)

    def _alike(self, case: AddressCase, found: int, right: int) -> str:
        """Say which single step is of another size, if one is."""
        if found * case.spec.dtype_bytes == right:
            return " That is the number of numbers before it, not of bytes."
        moved = {"block": case.block_id, "slot": case.slot, "head": case.head}
        moved = {axis: n for axis, n in moved.items() if n}
        if case.of == "v" and "kv" in self.layout.axes:
            moved["kv"] = 1
        if len(moved) != 1:
            return f" It is off by {found - right:,}."
        ((axis, n),) = moved.items()
        step = self.layout.strides(case.spec)[axis]
        found_step = f"{found // n:,}" if found % n == 0 else f"{found / n:,.1f}"
        return f" From one {_WORDS[axis]} to the next: {found_step}; expected {step:,}."


_WORDS = {"block": "block", "kv": "kind", "slot": "slot", "head": "head"}


def _some_spec(random: Random) -> KVCacheSpec:
    return KVCacheSpec(
        1,
        num_kv_heads=random.choice((1, 3, 4, 8)),
        head_dim=random.choice((64, 80, 128)),
        dtype_bytes=random.choice((1, 2, 4)),
        block_size=random.choice((1, 7, 16, 64)),
    )
