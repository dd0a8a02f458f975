"""A model's shape as the config.json that simulators read."""

from typing import Any

from tools.peers.question import Cannot, Shape

TYPES = {
    "Llama": ("llama", "LlamaForCausalLM"),
    "CodeLlama": ("llama", "LlamaForCausalLM"),
    "TinyLlama": ("llama", "LlamaForCausalLM"),
    "Vicuna": ("llama", "LlamaForCausalLM"),
    "Yi": ("llama", "LlamaForCausalLM"),
    "Open": ("llama", "LlamaForCausalLM"),
    "InternLM": ("internlm", "InternLMForCausalLM"),
    "MPT": ("mpt", "MPTForCausalLM"),
    "Mistral": ("mistral", "MistralForCausalLM"),
    "Mixtral": ("mixtral", "MixtralForCausalLM"),
    "Qwen2.5": ("qwen2", "Qwen2ForCausalLM"),
    "Qwen2": ("qwen2", "Qwen2ForCausalLM"),
    "Qwen1.5": ("qwen2", "Qwen2ForCausalLM"),
    "Qwen3": ("qwen3", "Qwen3ForCausalLM"),
    "Falcon": ("falcon", "FalconForCausalLM"),
    "Phi": ("phi", "PhiForCausalLM"),
    "BLOOM": ("bloom", "BloomForCausalLM"),
    "GPT-OSS": ("gpt_oss", "GptOssForCausalLM"),
    "MiniMax": ("minimax_m2", "MiniMaxM2ForCausalLM"),
    "DeepSeek": ("deepseek_v3", "DeepseekV3ForCausalLM"),
}
"""By the first word of the family: model_type and architecture."""


def huggingface(shape: Shape) -> dict[str, Any]:
    """The fields that size a model; Cannot on layers of several kinds."""
    kind = TYPES.get(shape.family.split()[0])
    if kind is None or not (shape.plain or shape.mla_kv_lora_rank):
        raise Cannot(f"model family {shape.family}")
    model_type, architecture = kind
    if shape.moe_experts and model_type == "qwen3":
        model_type, architecture = "qwen3_moe", "Qwen3MoeForCausalLM"
    return {
        "_name_or_path": shape.hf_id,
        "model_type": model_type,
        "architectures": [architecture],
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_dim,
        "intermediate_size": shape.intermediate or shape.expert_width,
        "vocab_size": shape.vocab,
        "max_position_embeddings": shape.max_context or 131072,
        "tie_word_embeddings": shape.tied_embeddings,
        "torch_dtype": "bfloat16",
        **(_mixture(shape) if shape.moe_experts else {}),
        **(_latent(shape) if shape.mla_kv_lora_rank else {}),
    }


def _mixture(shape: Shape) -> dict[str, Any]:
    """Under each of the names that readers look for."""
    return {
        "num_experts": shape.moe_experts,
        "num_local_experts": shape.moe_experts,
        "n_routed_experts": shape.moe_experts,
        "num_experts_per_tok": shape.moe_topk,
        "num_shared_experts": shape.moe_shared or 0,
        "n_shared_experts": shape.moe_shared or 0,
        "moe_intermediate_size": shape.expert_width,
        "first_k_dense_replace": shape.moe_first_dense or 0,
    }


def _latent(shape: Shape) -> dict[str, Any]:
    return {
        "kv_lora_rank": shape.mla_kv_lora_rank,
        "q_lora_rank": shape.mla_q_lora_rank,
        "qk_nope_head_dim": shape.mla_qk_nope,
        "qk_rope_head_dim": shape.mla_qk_rope,
        "v_head_dim": shape.mla_v_dim,
    }
