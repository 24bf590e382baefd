"""Turn percent-format Python into a notebook whose bytes depend on nothing else.

    python tools/percent.py notebook.py notebook.ipynb

Each cell needs an id in its marker: `# %% [markdown] id="l05-title"`.
"""

import sys
from pathlib import Path

import jupytext
import nbformat

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def notebook(source: str) -> nbformat.NotebookNode:
    """Return the notebook of a percent-format source, without outputs."""
    built = jupytext.reads(source, fmt="py:percent")
    built.metadata = nbformat.from_dict(
        {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    )
    built.nbformat, built.nbformat_minor = 4, 5
    for cell in built.cells:
        cell["id"] = cell.metadata.pop("id")
    return built


def text_of(built: nbformat.NotebookNode) -> str:
    """Return the text of a notebook's file."""
    return nbformat.writes(built).rstrip("\n") + "\n"


def write(source: str, path: Path) -> None:
    """Write the notebook of a source to path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(notebook(source)), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]).read_text(encoding="utf-8"), Path(sys.argv[2]))
