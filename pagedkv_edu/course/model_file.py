"""Whether the small model is on this machine, without loading torch."""

from pathlib import Path

SMALL_MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
FETCH = "`make model` in a terminal fetches it (93 MB)"


def model_file(start: Path | None = None) -> Path | None:
    """Return the model's file, looked for in work/model/ here and above, or None."""
    here = (start or Path.cwd()).resolve()
    paths = (
        folder / "work" / "model" / SMALL_MODEL for folder in (here, *here.parents)
    )
    return next((path for path in paths if path.is_file()), None)
