"""Read from a kernel's assembly what a kernel engineer looks for first."""

import re
from collections import Counter
from dataclasses import dataclass, field

# "ld.global.v4.b32": four times 32 bits; PTX puts cache hints between the words
_PTX_LOAD = re.compile(r"\bld\.global[\w.:]*?(?:\.v(\d))?\.[bfsu](\d+)\s")
_PTX_ASYNC = re.compile(r"\bcp\.async\.c[ag]\.shared\.global[^;]*?\],\s*0x([0-9a-f]+)")
_PTX_DOT = re.compile(r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)\b")
_GCN_LOAD = re.compile(r"\b(?:global|buffer)_load_(\w+)")
_GCN_ASYNC = re.compile(r"\b(?:global|buffer)_load_\w*lds\w*|\blds\b")
_GCN_DOT = re.compile(r"\bv_(?:mfma|wmma)\w*")
_GCN_BYTES = {
    "dwordx4": 16,
    "dwordx3": 12,
    "dwordx2": 8,
    "dword": 4,
    "ushort": 2,
    "sshort": 2,
    "short": 2,
    "ubyte": 1,
    "sbyte": 1,
}
# "memdesc<2x64x128xf16, ...": two buffers of 64 x 128
_BUFFERS = re.compile(r"local_alloc.*?memdesc<(\d+)x\d+x\d+x")


@dataclass(frozen=True, slots=True)
class CompileReport:
    """What a compiler made of one kernel for one card."""

    kernel: str
    target: str  # "sm_90", "gfx942"
    num_warps: int
    num_stages: int  # that were asked for
    registers: int  # of a thread
    spilled_bytes: int  # of a thread, in slow memory for want of registers
    shared_bytes: int  # of a program
    loads: dict[int, int]  # load instructions from global memory, by bytes of a thread
    num_async: int  # of them, those that fill shared memory while the program goes on
    num_buffers: int  # tiles of a kind that shared memory holds at once; 0: none
    num_dots: int  # instructions for the matrix units
    assembly: str = field(repr=False)

    @property
    def widest_load(self) -> int:
        """Bytes that the widest load brings to a thread; 16 is all there is."""
        return max(self.loads, default=0)

    def text(self) -> str:
        """Return the report as a few aligned lines."""
        spilled = (
            f"{self.spilled_bytes:,} bytes of a thread are spilled"
            if self.spilled_bytes
            else "nothing is spilled"
        )
        widths = ", ".join(
            f"{count} of {width} {'byte' if width == 1 else 'bytes'}"
            for width, count in sorted(self.loads.items(), reverse=True)
        )
        buffers = f"{self.num_buffers} buffers" if self.num_buffers != 1 else "1 buffer"
        lines = {
            "registers": f"{self.registers} for each thread; {spilled}",
            "shared memory": f"{self.shared_bytes:,} bytes for each program",
            "loads": f"{widths or 'none'}; {self.num_async} of them asynchronous",
            "pipelining": f"{self.num_stages} stages asked for, {buffers} of each tile",
            "matrix units": f"{self.num_dots or 'no'} instructions",
        }
        width = max(map(len, lines))
        title = f"{self.kernel} for {self.target}, {self.num_warps} warps"
        return "\n".join(
            [title, *(f"  {name:<{width}}  {text}" for name, text in lines.items())]
        )


def read_ptx(ptx: str) -> tuple[Counter[int], int, int]:
    """Return loads by width, how many are asynchronous, and matrix instructions."""
    asynchronous = [int(size, 16) for size in _PTX_ASYNC.findall(ptx)]
    plain = [int(n or 1) * int(bits) // 8 for n, bits in _PTX_LOAD.findall(ptx)]
    return (
        Counter(asynchronous) + Counter(plain),
        len(asynchronous),
        len(_PTX_DOT.findall(ptx)),
    )


def read_amdgcn(text: str) -> tuple[Counter[int], int, int]:
    """Return the same of AMD's assembly."""
    loads: Counter[int] = Counter()
    num_async = 0
    for line in text.splitlines():
        match = _GCN_LOAD.search(line)
        if match:
            kind = match[1].removeprefix("lds_").split("_")[0]
            loads[_GCN_BYTES[kind]] += 1
            num_async += bool(_GCN_ASYNC.search(line))
    return loads, num_async, len(_GCN_DOT.findall(text))


def read_resources(text: str) -> tuple[int, int]:
    """Return registers and spilled bytes of a thread from cuobjdump's or AMD's text."""
    nvidia = re.search(r"REG:(\d+)\s+STACK:(\d+)", text)
    if nvidia:
        return int(nvidia[1]), int(nvidia[2])
    registers = re.search(r"\.vgpr_count:\s+(\d+)", text)
    scratch = re.search(r"\.private_segment_fixed_size:\s+(\d+)", text)
    return int(registers[1]) if registers else 0, int(scratch[1]) if scratch else 0


def count_buffers(ttgir: str) -> int:
    """Return how many tiles of a kind shared memory holds at once."""
    return max((int(count) for count in _BUFFERS.findall(ttgir)), default=0)
