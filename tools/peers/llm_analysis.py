"""llm-analysis: formulas at its default efficiencies of 1, a lower bound by intent.

Its own GPUs where it has them, else one from the datasheet. Its MLP has two matrices:
a gated one of three is given half as much width again, so that bytes and FLOPs agree.
"""

import logging
from typing import Any

from llm_analysis.analysis import LLMAnalysis
from llm_analysis.config import (
    DtypeConfig,
    GPUConfig,
    ModelConfig,
    ParallelismConfig,
    get_gpu_config_by_name,
)

from tools.peers.question import (
    Answer,
    Cannot,
    Card,
    Question,
    Shape,
    composed,
    looked_up,
)

logging.disable(logging.WARNING)

GPUS = {
    "A100-SXM4-40GB": "a100-sxm-40gb",
    "A100-SXM4-80GB": "a100-sxm-80gb",
    "A100-PCIe-40GB": "a100-pcie-40gb",
    "A100-PCIe-80GB": "a100-pcie-80gb",
    "H100-SXM5-80GB": "h100-sxm-80gb",
    "H100-PCIe-80GB": "h100-pcie-80gb",
    "RTX-A6000": "a6000-48gb",
    "A10G": "a10g-pcie-24gb",
    "V100-SXM2-32GB": "v100-sxm-32gb",
    "MI210-64GB": "mi210-64gb",
}
BITS = {
    "fp16": "16 16",
    "bf16": "16 16",
    "fp8": "8 8",
    "int8": "8 16",
    "int4": "4 16",
    "nvfp4": "4 4",
    "mxfp4": "4 16",
}
"""Of weights, of activations."""


def answer(asked: Question) -> Answer:
    if asked.kind == "served":
        return composed(asked, answer)
    weights, activations = looked_up("weights", asked.weights, BITS).split()
    analysis = LLMAnalysis(
        model(asked.model),
        gpu(asked.gpu),
        DtypeConfig(
            weight_bits=int(weights),
            activation_bits=int(activations),
            embedding_bits=16,
        ),
        ParallelismConfig(tp_size=asked.gpus, pp_size=asked.stages),
    )
    made = analysis.inference(
        batch_size_per_gpu=asked.batch,
        seq_len=asked.prompt,
        num_tokens_to_generate=1,
        kv_cache_dtype_bytes=2,
    )
    which = "prefill_latency" if asked.kind == "prefill" else "decode_latency"
    return Answer(1000 * float(made[which]))


def gpu(card: Card) -> Any:
    """From its table, or from the datasheet."""
    if card.name in GPUS:
        return get_gpu_config_by_name(GPUS[card.name])
    return GPUConfig(
        name=card.name,
        mem_per_GPU_in_GB=card.mem_gb,
        hbm_bandwidth_in_GB_per_sec=card.mem_bw_gbs,
        intra_node_bandwidth_in_GB_per_sec=card.link_gbs,
        intra_node_min_message_latency=8e-6,
        peak_fp16_TFLOPS=card.half_tflops,
        peak_i8_TFLOPS=card.int8_tops or card.fp8_tflops,
    )


def model(shape: Shape) -> Any:
    """From the shape; experts are all read, whatever the batch."""
    if not shape.plain:
        raise Cannot(f"attention: {shape.attention}")
    width = shape.expert_width * shape.mlp_matrices // 2
    return ModelConfig(
        name=shape.hf_id,
        num_layers=shape.layers,
        n_head=shape.heads,
        hidden_dim=shape.hidden,
        vocab_size=shape.vocab,
        num_key_value_heads=shape.kv_heads,
        ffn_embed_dim=width,
        expansion_ratio=width / shape.hidden,
        moe_num_experts=shape.moe_experts or 1,
        moe_top_k=shape.moe_topk or 1,
    )
