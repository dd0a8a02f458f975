"""The shapes of models made from nothing, as fields of a config.json.

The embedded target is deep and thin, which costs no quality at its size (Liu et al.
2024, MobileLLM, https://arxiv.org/abs/2402.14905): a token's time goes by layers, and
its draft model has two.
"""

from typing import Any

COMMON: dict[str, Any] = {
    "model_type": "llama",
    "head_dim": 32,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10_000.0,
    "tie_word_embeddings": True,
}
TARGET = COMMON | {
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 12,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
DRAFT = COMMON | {
    "hidden_size": 96,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "num_key_value_heads": 1,
}


def described(config: Any) -> dict[str, Any]:
    """The fields that `pretrained.config` reads as this config."""
    family = {(True, False): "qwen2", (False, True): "qwen3"}
    fields = {
        "model_type": family.get((config.qkv_bias, config.qk_norm), "llama"),
        "vocab_size": config.vocab,
        "hidden_size": config.hidden,
        "intermediate_size": config.intermediate,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "rms_norm_eps": config.eps,
        "rope_theta": config.theta,
        "tie_word_embeddings": config.tied,
    }
    if (how := config.scaling) is not None:
        fields["rope_scaling"] = {
            "rope_type": "llama3",
            "factor": how.factor,
            "low_freq_factor": how.low,
            "high_freq_factor": how.high,
            "original_max_position_embeddings": how.original,
        }
    return fields
