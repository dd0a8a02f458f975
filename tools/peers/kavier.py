"""kavier: active parameters at 0.60 of the bandwidth or 0.30 of the peak, no cache.

One GPU and one sequence at a time. Its own GPUs where it has them, else an entry from
the datasheet; models are entries of their parameters.
"""

from typing import Any

import kavier.sdk.inference
from kavier import GPU_SPEC_LIBRARY, LLM_SPEC_LIBRARY
from kavier.sdk.library.specs import GPUSpec, LLMSpec

from tools.peers.question import Answer, Cannot, Card, Question, Shape, looked_up

GPUS = {
    "A100-SXM4-40GB": "A100-40GB",
    "A100-SXM4-80GB": "A100-80GB",
    "A100-PCIe-80GB": "NVIDIA-A100-80GB-PCIe",
    "H100-SXM5-80GB": "H100-SXM",
    "H100-PCIe-80GB": "H100-PCIe",
    "H200-SXM5-141GB": "H200 SXM",
    "A10": "A10",
    "L4": "L4",
    "L40S": "L40S",
}
BYTES = {"fp32": "4", "fp16": "2", "bf16": "2", "fp8": "1", "int8": "1"}
TOKENS = 16
"""Generated in the request that a step is taken from."""


def answer(asked: Question) -> Answer:
    if asked.gpus * asked.stages > 1:
        raise Cannot("more than one GPU")
    if asked.batch > 1:
        raise Cannot("more than one sequence at a time")
    width = int(looked_up("weights", asked.weights, BYTES))
    made: Any = kavier.sdk.inference.performance(
        {
            "model": llm(asked.model, width),
            "gpu": gpu(asked.gpu),
            "num_requests": 1,
            "input_tokens": asked.prompt,
            "output_tokens": TOKENS,
        }
    )
    prefill = float(made["mean_ttft_ms"].iloc[0])
    step = (1000 * float(made["total_s"].iloc[0]) - prefill) / TOKENS
    if asked.kind == "prefill":
        return Answer(prefill)
    return Answer(step, prefill if asked.kind == "served" else None)


def gpu(card: Card) -> str:
    """The name of its entry, or of one made from the datasheet."""
    if card.name in GPUS:
        return GPUS[card.name]
    GPU_SPEC_LIBRARY[card.name] = GPUSpec(
        card.name,
        memory_bandwidth_gbps=card.mem_bw_gbs,
        fp_16_tensor_core_tflops=card.half_tflops,
        gpu_cores=0,
        memory_gb=card.mem_gb,
        gpu_core_max_mhz=0,
        base_power_w=card.tdp_w or 0,
    )
    return card.name


def llm(shape: Shape, width: int) -> str:
    """The name of an entry made from the shape, with so many bytes a parameter."""
    name = f"{shape.hf_id}, {width} bytes"
    LLM_SPEC_LIBRARY[name] = LLMSpec(
        name,
        n_layers=shape.layers,
        d_model=shape.hidden,
        p_bytes=width,
        m_params=shape.params_total,
        n_heads=shape.heads,
        d_head=shape.head_dim,
        active_params=shape.params_active,
    )
    return name
