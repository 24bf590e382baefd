from pathlib import Path

import pytest

pytest.importorskip("transformers", reason="the engine needs the extra `model`")

import torch
from transformers import AutoModelForCausalLM

from pagedkv_edu.engine.keep import keep
from pagedkv_edu.engine.tiny import tiny_model


def test_a_kept_model_is_loaded_with_the_same_numbers(tmp_path: Path) -> None:
    model = tiny_model()
    keep(model, tmp_path / "Tiny")
    kept = AutoModelForCausalLM.from_pretrained(tmp_path / "Tiny").state_dict()

    assert [path.name for path in tmp_path.iterdir()] == ["Tiny"]
    assert kept.keys() == model.model.state_dict().keys()
    for name, tensor in model.model.state_dict().items():
        assert torch.equal(kept[name], tensor), name


def test_what_cannot_be_kept_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "Tiny").mkdir()
    (tmp_path / "Tiny" / "mine").write_text("not to be written over")
    with pytest.raises(OSError, match="Tiny"):
        keep(tiny_model(), tmp_path / "Tiny")

    assert [path.name for path in tmp_path.iterdir()] == ["Tiny"]
    assert (tmp_path / "Tiny" / "mine").exists()
