"""llm-flops: bytes at 0.8 of the bandwidth or FLOPs at 0.5 of the peak.

Its own GPUs where it has them, else from the datasheet. Steps are those of its
`throughput`, which knows tensor parallelism; `estimate` gives a single GPU's.
"""

from typing import Any

from llmflops import GPUSpec, ModelConfig, ParallelConfig, estimate, throughput

from tools.peers.question import Answer, Cannot, Card, Question, Shape, looked_up

GPUS = {
    "A100-SXM4-40GB": "A100-40GB-SXM",
    "A100-SXM4-80GB": "A100-80GB-SXM",
    "A100-PCIe-40GB": "A100-40GB-PCIe",
    "H100-SXM5-80GB": "H100-SXM",
    "H100-PCIe-80GB": "H100-PCIe",
    "H200-SXM5-141GB": "H200-SXM",
    "RTX-A6000": "A6000",
    "RTX-3090": "RTX3090",
    "RTX-4090": "RTX4090",
    "L40S": "L40S",
    "L4": "L4",
    "T4": "T4",
}
PRECISIONS = {name: name for name in ("fp32", "fp16", "bf16", "fp8", "int8", "int4")}


def answer(asked: Question) -> Answer:
    if asked.stages > 1:
        raise Cannot("pipeline stages")
    if asked.kind == "prefill":
        made = estimate(**case(asked), batch_size=asked.batch, include_backward=False)
        return Answer(1000 * made["details"]["parallelism"]["prefill_latency_s"])
    load = asked.kind == "served"
    step = throughput(
        **case(asked),
        output_tokens=asked.output if load else 1,
        max_batch=asked.batch,
    )["decode_step_ms"]
    return Answer(step, answer(asked.first).ms if load else None)


def case(asked: Question) -> dict[str, Any]:
    """What both of its functions take."""
    links = {"interconnect_gbps": asked.gpu.link_gbs} if asked.gpu.link_gbs else {}
    return {
        "model": model(asked.model),
        "gpu": gpu(asked.gpu),
        "precision": looked_up("weights", asked.weights, PRECISIONS),
        "sequence_length": asked.prompt,
        "kv_cache_precision": "fp16",
        "parallelism": ParallelConfig(tensor_parallel=asked.gpus, **links),
        "allow_hf_fetch": False,
    }


def gpu(card: Card) -> Any:
    """From its table, or from the datasheet."""
    peaks = {
        "fp32": card.fp32_tflops,
        "bf16": card.bf16_tflops,
        "fp16": card.fp16_fp32acc_tflops,
        "fp8": card.fp8_tflops,
        "int8": card.int8_tops,
    }
    return GPUS.get(card.name) or GPUSpec(
        name=card.name,
        memory_gb=card.mem_gb,
        memory_bandwidth_gbps=card.mem_bw_gbs,
        tdp_watts=card.tdp_w or 0,
        peak_tflops={name: peak for name, peak in peaks.items() if peak},
    )


def model(shape: Shape) -> Any:
    """From the shape."""
    if not (shape.plain or shape.mla_kv_lora_rank):
        raise Cannot(f"attention: {shape.attention}")
    return ModelConfig(
        name=shape.hf_id,
        hidden_size=shape.hidden,
        num_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        vocab_size=shape.vocab,
        intermediate_size=shape.intermediate or shape.expert_width,
        num_mlp_matrices=shape.mlp_matrices,
        num_experts=shape.moe_experts,
        num_experts_per_tok=shape.moe_topk or 1,
        moe_intermediate_size=shape.moe_intermediate,
        num_shared_experts=shape.moe_shared or 0,
        dense_layers=shape.moe_first_dense or 0,
        attention_type="mla" if shape.mla_kv_lora_rank else "standard",
        kv_lora_rank=shape.mla_kv_lora_rank,
        qk_rope_head_dim=shape.mla_qk_rope or 0,
        tie_word_embeddings=shape.tied_embeddings,
    )
