"""Values as JSON, the same way on both sides of the wire; never pickle.

Plain values go as they are. Tensors go as storage, dtype, shape and strides, so that
views of one storage stay views of one. Small records of ours go by value. Everything
else stays where it is, and the other side gets a handle: each side says how.
"""

import base64
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

Json = Any  # what json.loads returns
Given = Callable[[object], Json]
Taken = Callable[[dict[str, Any]], object]

LARGEST_INT = 1 << 63
MOST_DIGITS = 100_000
BY_VALUE = (  # modules whose frozen records mean the same on both sides
    "pagedkv_edu.protocols",
    "pagedkv_edu.sizes",
    "pagedkv_edu.serving",
    "pagedkv_edu.replay.events",
    "pagedkv_kernels.layouts",
)
_BASES: dict[str, Any] = {
    "int": int,
    "float": float,
    "str": str,
    "list": list,
    "tuple": tuple,
}


class TooLarge(Exception):  # noqa: N818
    """A value that no answer of a learner needs."""


class Encoder:
    """Turns values into JSON; `storages` are what the tensors among them lie in."""

    def __init__(self, give: Given) -> None:
        self._give = give
        self.storages: list[Any] = []

    def encode(self, value: object) -> Json:
        """Return a value as JSON."""
        kind: Any = type(value)
        if value is None or kind is bool or kind is str or kind is float:
            return value
        if kind is int:
            return self._int(value)
        if kind is list:
            return self._list(value)
        return self._encode_other(value, kind)

    def _int(self, value: Any) -> Json:
        return value if -LARGEST_INT < value < LARGEST_INT else _big(value)

    def _list(self, value: Any) -> Json:
        return [self.encode(item) for item in value]

    def _encode_other(self, value: Any, kind: Any) -> Json:
        if kind is tuple:
            return {"tuple": [self.encode(item) for item in value]}
        if kind is dict:
            pairs = value.items()
            return {"dict": [[self.encode(k), self.encode(v)] for k, v in pairs]}
        if kind in (set, frozenset):
            items = sorted(value, key=repr)
            return {kind.__name__: [self.encode(item) for item in items]}
        if kind is bytes:
            return {"bytes": base64.b64encode(value).decode()}
        if _goes_by_value(kind):
            parts = [self.encode(getattr(value, f.name)) for f in fields(kind)]
            return {"record": f"{kind.__module__}:{kind.__name__}", "parts": parts}
        return self._array(value, kind) or self._like(value, kind) or self._give(value)

    def _like(self, value: Any, kind: Any) -> Json:
        """Encode an object of a subclass of a plain type, None if it is none."""
        for name, base in _BASES.items():
            if isinstance(value, base):
                plain = self.encode(base(value))
                return {"like": name, "kind": kind.__name__, "plain": plain}
        return None

    def _array(self, value: Any, kind: Any) -> Json:
        """Encode what belongs to torch or numpy, None if it does not."""
        root = kind.__module__.partition(".")[0]
        if root == "torch" and kind.__name__ in ("Tensor", "Parameter"):
            return self._tensor(value)
        if root == "torch" and kind.__name__ == "dtype":
            return {"torch": str(value).partition(".")[2]}
        if root == "numpy" and hasattr(value, "dtype") and value.dtype.kind in "biuf":
            return _as_numpy(value)
        return None

    def _tensor(self, tensor: Any) -> Json:
        tensor = tensor.detach().cpu()
        storage = tensor.untyped_storage()
        known = [s.data_ptr() for s in self.storages]
        if storage.data_ptr() not in known:
            known.append(storage.data_ptr())
            self.storages.append(storage)
        return {
            "tensor": known.index(storage.data_ptr()),
            "dtype": str(tensor.dtype).partition(".")[2],
            "shape": list(tensor.shape),
            "strides": list(tensor.stride()),
            "offset": tensor.storage_offset(),
        }


class Decoder:
    """Turns JSON into values; `take` makes what stands for a handle."""

    def __init__(self, take: Taken, storages: list[Any]) -> None:
        self._take = take
        self._storages = storages

    def decode(self, data: Json) -> Any:
        """Return the value that JSON stands for; `ValueError` if there is none."""
        if isinstance(data, list):
            return [self.decode(item) for item in data]
        if not isinstance(data, dict):
            return data
        if "tuple" in data:
            return tuple(self.decode(item) for item in data["tuple"])
        if "dict" in data:
            return {self.decode(k): self.decode(v) for k, v in data["dict"]}
        return self._decode_other(data)

    def _decode_other(self, data: dict[str, Any]) -> Any:
        for name, kind in (("set", set), ("frozenset", frozenset)):
            if name in data:
                return kind(self.decode(item) for item in data[name])
        if "big" in data:
            return int(str(data["big"])[:MOST_DIGITS], 16)
        if "bytes" in data:
            return base64.b64decode(data["bytes"])
        if "tensor" in data:
            return self._tensor(data)
        if "torch" in data:
            return _torch_dtype(data["torch"])
        if "numpy" in data:
            return _numpy(data)
        if "record" in data:
            return _record(data["record"], [self.decode(p) for p in data["parts"]])
        if "like" in data:
            kind = named_kind(str(data["kind"]), _BASES[data["like"]])
            return kind(self.decode(data["plain"]))
        return self._take(data)

    def _tensor(self, data: dict[str, Any]) -> Any:
        torch = import_module("torch")
        storage = self._storages[data["tensor"]]
        empty = torch.empty(0, dtype=_torch_dtype(data["dtype"]))
        shape, strides = map(tuple, (data["shape"], data["strides"]))
        return empty.set_(storage, data["offset"], shape, strides)


def storage_bytes(storage: Any) -> bytes:
    """Return the bytes of a tensor's storage."""
    torch = import_module("torch")
    whole = torch.empty(0, dtype=torch.uint8).set_(storage)
    return whole.numpy().tobytes()


def new_storage(data: bytes) -> Any:
    """Return a storage of these bytes."""
    torch = import_module("torch")
    if not data:
        return torch.empty(0, dtype=torch.uint8).untyped_storage()
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).untyped_storage()


def fill_storage(storage: Any, data: bytes) -> None:
    """Replace the bytes of a storage, for every tensor that lies in it."""
    torch = import_module("torch")
    whole = torch.empty(0, dtype=torch.uint8).set_(storage)
    if len(data) != whole.numel():
        raise ValueError("a tensor came back with another size")
    if data:
        whole.copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))


_kinds: dict[tuple[str, type], type] = {}


def named_kind(name: str, base: type) -> type:
    """Return a subclass with a learner's name: an "int64" that is an int."""
    name = name if name.isidentifier() and len(name) <= 60 else base.__name__
    key = name, base
    if key not in _kinds:
        _kinds[key] = type(name, (base,), {"__module__": "__main__"})
    return _kinds[key]


def _goes_by_value(kind: Any) -> bool:
    parameters = getattr(kind, "__dataclass_params__", None)
    return (
        is_dataclass(kind)
        and parameters is not None
        and parameters.frozen
        and kind.__module__.startswith(BY_VALUE)
    )


def _record(name: str, parts: list[Any]) -> Any:
    module, _, kind_name = name.partition(":")
    if not module.startswith(BY_VALUE):
        raise ValueError(f"not a record: {name[:80]}")
    kind = getattr(import_module(module), kind_name)
    if not _goes_by_value(kind):
        raise ValueError(f"not a record: {name[:80]}")
    record = object.__new__(kind)  # as it was made there, right or wrong
    for field, part in zip(fields(kind), parts, strict=True):
        object.__setattr__(record, field.name, part)
    return record


def _big(value: int) -> Json:
    digits = hex(value)
    if len(digits) > MOST_DIGITS:
        raise TooLarge(f"an int of {len(digits)} digits")
    return {"big": digits}


def _torch_dtype(name: str) -> Any:
    torch = import_module("torch")
    dtype = getattr(torch, name)
    if not isinstance(dtype, torch.dtype):
        raise ValueError(f"not a dtype: {name}")
    return dtype


def _as_numpy(array: Any) -> Json:
    return {
        "numpy": array.dtype.str,
        "shape": list(array.shape),
        "data": base64.b64encode(array.tobytes()).decode(),
        "one": type(array).__name__ != "ndarray",
    }


def _numpy(data: dict[str, Any]) -> Any:
    numpy = import_module("numpy")
    dtype = numpy.dtype(data["numpy"])
    if dtype.kind not in "biuf":
        raise ValueError(f"not a dtype of numbers: {data['numpy']}")
    array = numpy.frombuffer(base64.b64decode(data["data"]), dtype)
    array = array.reshape(data["shape"]).copy()
    return array[()] if data["one"] else array
