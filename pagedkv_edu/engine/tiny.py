"""A tiny model with random weights: it says nothing, and serves like a real one."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from pagedkv_edu.engine.model import LoadedModel, adopt


def tiny_model(seed: int = 0) -> LoadedModel:
    """Return a Llama of two layers with random weights; its words are numbers.

    It has four query heads on two KV heads of 16 numbers, and no end token, so each
    answer goes on to its limit.
    """
    config = LlamaConfig(
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        vocab_size=1000,
        max_position_embeddings=2048,
        initializer_range=0.2,  # or every next token would be almost equally likely
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config)
    return adopt(model, None, "a tiny random model")
