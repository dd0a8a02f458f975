"""GenZ (genz-llm): operator-level roofline, here at its default efficiency of 1.

Its own systems where it has the GPU, else one from the datasheet; its own DeepSeek-V3,
else a model from the shape. One number format for all: weights, cache and products.
"""

from typing import Any

from GenZ import decode_moddeling, prefill_moddeling
from GenZ.Models.default_models import ModelConfig

from tools.peers.question import (
    Answer,
    Cannot,
    Card,
    Question,
    Shape,
    composed,
    looked_up,
)

SYSTEMS = {
    "A100-SXM4-40GB": "A100_40GB_GPU",
    "A100-SXM4-80GB": "A100_80GB_GPU",
    "H100-SXM5-80GB": "H100_GPU",
    "GH200-96GB": "GH200_GPU",
    "B100-SXM-192GB": "B100",
    "GB200-186GB": "GB200",
    "MI300X-192GB": "MI300X",
    "MI325X-256GB": "MI325X",
}
MODELS = {
    "deepseek-ai/DeepSeek-V3": "deepseek-ai/DeepSeek-V3-Base",
    "deepseek-ai/DeepSeek-R1": "deepseek-ai/DeepSeek-V3-Base",
}
BITS = {
    "fp32": "f32",
    "fp16": "bf16",
    "bf16": "bf16",
    "fp8": "fp8",
    "int8": "int8",
    "int4": "int4",
    "nvfp4": "fp4",
    "mxfp4": "fp4",
}


def answer(asked: Question) -> Answer:
    if asked.kind == "served":
        return composed(asked, answer)
    options = {
        "model": model(asked.model),
        "batch_size": asked.batch,
        "input_tokens": asked.prompt,
        "system_name": system(asked.gpu),
        "bits": looked_up("weights", asked.weights, BITS),
        "tensor_parallel": asked.gpus,
        "pipeline_parallel": asked.stages,
    }
    if asked.kind == "prefill":
        return Answer(float(prefill_moddeling(**options)["Latency"]))
    return Answer(float(decode_moddeling(**options, Bb=1)["Latency"]))


def system(card: Card) -> Any:
    """A name of its table, or a custom system (TFLOP/s, GB, GB/s)."""
    return SYSTEMS.get(card.name) or {
        "real_values": True,
        "Flops": card.half_tflops,
        "Memory_size": card.mem_gb,
        "Memory_BW": card.mem_bw_gbs,
        "ICN": card.link_gbs,
    }


def model(shape: Shape) -> Any:
    """A name of its table, or a custom model."""
    if shape.hf_id in MODELS:
        return MODELS[shape.hf_id]
    if not shape.plain:
        raise Cannot(f"attention: {shape.attention}")
    return ModelConfig(
        model=shape.hf_id.replace("/", "-"),
        vocab_size=shape.vocab,
        hidden_size=shape.hidden,
        intermediate_size=shape.expert_width,
        num_ffi=shape.mlp_matrices - 1,
        num_decoder_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        num_experts=shape.moe_experts or 1,
        expert_top_k=shape.moe_topk or 1,
        moe_intermediate_size=shape.expert_width,
        n_shared_experts=shape.moe_shared or 0,
    )
