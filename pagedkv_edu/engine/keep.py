"""Keep a model as it is in memory, so that it is loaded in a second the next time."""

import shutil
import tempfile
from copy import deepcopy
from pathlib import Path

from safetensors.torch import save_file
from torch import Tensor

from pagedkv_edu.engine.model import LoadedModel, find_small_model, load_model


def keep(loaded: LoadedModel, folder: Path) -> None:
    """Write weights, config and tokenizer into a new folder, all at once.

    The weights of a quantized file are written as the numbers that they stand for.
    """
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".fetch-"))
    try:
        save_file(_weights(loaded), aside / "model.safetensors", {"format": "pt"})
        config = deepcopy(loaded.model.config)
        if hasattr(config, "quantization_config"):
            del config.quantization_config
        config.save_pretrained(aside)
        loaded.model.generation_config.save_pretrained(aside)
        if loaded.tokenizer is not None:
            loaded.tokenizer.save_pretrained(aside)
        aside.replace(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def _weights(loaded: LoadedModel) -> dict[str, Tensor]:
    """Return the weights, each once: tied ones are tied again when they are loaded."""
    seen: set[int] = set()
    weights: dict[str, Tensor] = {}
    for name, tensor in loaded.model.state_dict().items():
        if tensor.data_ptr() not in seen:
            seen.add(tensor.data_ptr())
            weights[name] = tensor.contiguous()
    return weights


def keep_small_model() -> None:
    """Unpack the small model's file beside it, unless that was done before."""
    path = find_small_model()
    if path is not None and not path.with_suffix("").exists():
        keep(load_model(path), path.with_suffix(""))


if __name__ == "__main__":
    keep_small_model()
