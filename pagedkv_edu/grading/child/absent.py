"""What stands for the parts of the course that a learner's process does not have."""

import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MISSING = (
    "pagedkv_edu.checks",
    "pagedkv_edu.cli",
    "pagedkv_edu.course",
    "pagedkv_edu.engine",
    "pagedkv_edu.viz",
    "pagedkv_kernels.checking",
    "pagedkv_kernels.checks",
    "IPython",
)


class Absent:
    """Does nothing, whatever is asked of it: `show(...)`, `check(...)`, `mine(...)`."""

    def __call__(self, *_: object, **__: object) -> "Absent":
        """Return itself."""
        return self

    def __getattr__(self, name: str) -> "Absent":
        """Return itself, except for names that Python looks up."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __enter__(self) -> "Absent":
        """Begin nothing."""
        return self

    def __exit__(self, *error: object) -> None:
        """End nothing."""

    def __iter__(self) -> Iterator[object]:
        """Hold nothing."""
        return iter(())

    def __repr__(self) -> str:
        """Say why there is nothing."""
        return "<not there when a submission is graded>"


class Withheld:
    """Stands for what a question asks the learner to write; refuses every use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_: object, **__: object) -> object:
        """Refuse."""
        raise self._refusal()

    def __getattr__(self, name: str) -> object:
        """Refuse, except for names that Python looks up by itself."""
        if name.startswith("__") or name == "_name":
            raise AttributeError(name)
        raise self._refusal()

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        """Refuse to be a base class."""
        raise self._refusal()

    def __or__(self, other: object) -> "Withheld":
        """Be part of an annotation: BlockManager | None."""
        return self

    __ror__ = __or__

    def __getitem__(self, item: object) -> "Withheld":
        """Be part of an annotation."""
        return self

    def _refusal(self) -> Exception:
        return RuntimeError(
            f"{self._name} is not there when this question is graded: "
            "the question asks you to write it"
        )


class _AbsentModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent()


class AbsentParts(MetaPathFinder, Loader):
    """Finds a module that does nothing where the real one is not there."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return where a missing module comes from; None if it is not one of them."""
        if any(fullname == n or fullname.startswith(f"{n}.") for n in MISSING):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module."""
        return _AbsentModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it empty."""


def install() -> None:
    """Let missing parts be imported; what is there is found first."""
    sys.meta_path.append(AbsentParts())
