"""A copy of the library for a learner's process, without what a question withholds."""

import ast
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

# Other checks hold expected values, and `course`, `viz` and `engine` are slow to load.
# Where a cell imports them, `absent.py` stands for them.
_PARTS = {
    "pagedkv_edu": (
        "__init__.py",
        "errors.py",
        "protocols.py",
        "report.py",
        "sizes.py",
        "memory",
        "replay",
        "serving",
        # what exercise 12 compares an answer with: a part of its task
        "checks/__init__.py",
        "checks/hunt/__init__.py",
        "checks/hunt/model.py",
        "grading/__init__.py",
        "grading/child",
    ),
    "pagedkv_kernels": ("*.py",),
}
_LEFT_OUT = {"pagedkv_kernels/checks.py"}


def write_copy(folder: Path, withheld: Iterable[str]) -> None:
    """Write both packages into a folder, without these names: "module:name".

    What is built on a withheld class is withheld too.
    """
    sources = dict(_sources())
    names_by_path: dict[str, list[str]] = {}
    for item in withheld:
        module, _, name = item.partition(":")
        names_by_path.setdefault(f"{module.replace('.', '/')}.py", []).append(name)
    gone = {name for names in names_by_path.values() for name in names}
    for path, source in sources.items():
        heirs = [name for name in _heirs(source, gone) if name not in gone]
        if heirs:
            names_by_path.setdefault(path, []).extend(heirs)
    for path, source in sources.items():
        for name in names_by_path.get(path, ()):
            source = without(source, name)
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source, encoding="utf-8")


def without(source: str, name: str) -> str:
    r"""Replace a class, a function or a constant by what refuses to be used.

    >>> print(without("class Pool:\n    size = 3", "Pool").splitlines()[1])
    Pool = _Withheld("Pool")
    """
    for node in ast.parse(source).body:
        if name in _names(node):
            lines = source.splitlines(keepends=True)
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(d.lineno for d in decorators)]) - 1
            stands = (
                "from pagedkv_edu.grading.child.absent import Withheld as _Withheld\n"
                f'{name} = _Withheld("{name}")\n'
            )
            return "".join([*lines[:first], stands, *lines[node.end_lineno :]])
    raise ValueError(f"nothing is called {name}, so it cannot be withheld")


def _heirs(source: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the classes whose base has one of these names."""
    gone = set(names)
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
            if bases & gone:
                gone.add(node.name)
                yield node.name


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _sources() -> Iterator[tuple[str, str]]:
    for package, parts in _PARTS.items():
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            continue
        root = Path(spec.submodule_search_locations[0])
        for part in parts:
            for path in sorted(_files(root, part)):
                name = f"{package}/{path.relative_to(root).as_posix()}"
                if name not in _LEFT_OUT:
                    yield name, path.read_text(encoding="utf-8")


def _files(root: Path, part: str) -> Iterator[Path]:
    if "*" in part:
        return root.glob(part)
    path = root / part
    return path.rglob("*.py") if path.is_dir() else iter([path])
