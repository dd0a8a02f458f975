"""ridgepoint: one achieved-bandwidth factor; its best of low, best and high.

Speed of one sequence only. Built-in GPUs only; models by their dimensions, the way it
takes them from the Hugging Face hub, with the active parameters as they are.
"""

import json
from typing import Any

from ridgepoint import _core

from tools.peers.question import Answer, Cannot, Question, Shape, looked_up

GPUS = {
    "A100-SXM4-40GB": "a100-40gb",
    "A100-SXM4-80GB": "a100-80gb",
    "H100-SXM5-80GB": "h100-80gb",
    "H200-SXM5-141GB": "h200-141gb",
    "B200-SXM-180GB": "b200-192gb",
    "GB200-186GB": "gb200-192gb",
    "L40S": "l40s-48gb",
    "MI300X-192GB": "mi300x-192gb",
    "RTX-3090": "rtx3090-24gb",
    "RTX-4090": "rtx4090-24gb",
    "RTX-5090": "rtx5090-32gb",
}
WEIGHTS = {name: name for name in ("fp16", "bf16", "fp8", "int8")} | {"int4": "awq"}
STORED = {
    "Q2_K": "q2_k",
    "Q4_0": "q4_0",
    "Q4_K_M": "q4_k_m",
    "Q5_K_M": "q5_k_m",
    "Q6_K": "q6_k",
    "Q8_0": "q8_0",
    "GPTQ-Int4": "gptq",
}


def answer(asked: Question) -> Answer:
    if asked.batch > 1 or asked.kind == "served":
        raise Cannot("more than one sequence")
    if asked.stages > 1:
        raise Cannot("pipeline stages")
    made = json.loads(
        _core.fit_shape(
            **dimensions(asked.model),
            gpu=looked_up("GPU", asked.gpu.name, GPUS),
            count=asked.gpus,
            engine="llamacpp" if "llama.cpp" in asked.engine else "vllm",
            dtype=STORED.get(asked.stored)
            or looked_up("weights", asked.weights, WEIGHTS),
            ctx=asked.prompt,
            prompt=asked.prompt,
            as_json=True,
        )
    )
    if asked.kind == "prefill":
        return Answer(1000 * made["speed"]["ttft_s"]["best"])
    return Answer(1000 / made["speed"]["decode_tok_s"]["best"])


def dimensions(shape: Shape) -> dict[str, Any]:
    """As its hub adapter makes them."""
    return {
        "id": shape.hf_id,
        "layers": shape.layers,
        "kv_layers": shape.layers - (shape.linear_attn_layers or 0),
        "d_model": shape.hidden,
        "n_params": shape.params_total,
        "active_params": shape.params_active,
        "head_dim": shape.head_dim,
        "n_heads": shape.heads,
        "n_kv_heads": shape.kv_heads,
        "d_c": shape.mla_kv_lora_rank or 0,
        "d_rope": shape.mla_qk_rope or 0,
        "geom": _geometry(shape),
    }


def _geometry(shape: Shape) -> str:
    if shape.mla_kv_lora_rank:
        return "mla"
    return "mha" if shape.kv_heads == shape.heads else "gqa"
