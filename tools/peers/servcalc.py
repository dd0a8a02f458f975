"""servcalc: roofline with efficiency curves; the middle of low, mid and high.

One GPU, dense Llama-like models. It knows steady loads only: a decode step is asked as
a load that generates twice the context after one token of prompt, whose mean context is
the one asked about and whose prefill is next to nothing.
"""

from typing import Any

from servcalc import DoesNotFitError, GpuSpec, Workload, estimate, profiles
from vramcalc import UnsupportedModelError

from tools.peers.config import huggingface
from tools.peers.question import Answer, Cannot, Card, Question, looked_up

GPUS = {
    "A100-SXM4-40GB": "A100 40GB",
    "A100-SXM4-80GB": "A100 80GB",
    "H100-SXM5-80GB": "H100 80GB",
    "H200-SXM5-141GB": "H200",
    "B200-SXM-180GB": "B200",
    "RTX-A6000": "RTX A6000",
    "RTX-6000-Ada": "RTX 6000 Ada",
    "RTX-3070": "RTX 3070",
    "RTX-3080-Ti": "RTX 3080 Ti",
    "RTX-3090": "RTX 3090",
    "RTX-3090-Ti": "RTX 3090 Ti",
    "RTX-4070-Ti": "RTX 4070 Ti",
    "RTX-4080": "RTX 4080",
    "RTX-4090": "RTX 4090",
    "RTX-5090": "RTX 5090",
    "A40": "A40",
    "L40S": "L40S",
}
WEIGHTS = {"fp16": "", "bf16": "", "fp8": "fp8", "int8": "gptq_8", "int4": "awq"}
GGUF = {
    "Q8_0": "gguf_q8_0",
    "Q6_K": "gguf_q6_k",
    "Q5_K_M": "gguf_q5_k_m",
    "Q4_K_M": "gguf_q4_k_m",
    "Q4_0": "gguf_q4_0",
}


def answer(asked: Question) -> Answer:
    if asked.gpus * asked.stages > 1:
        raise Cannot("more than one GPU")
    try:
        made = estimate(
            huggingface(asked.model),
            gpu(asked.gpu),
            workload=load(asked),
            profile=profile(asked),
        )
    except UnsupportedModelError:
        raise Cannot(f"model family {asked.model.family}") from None
    except DoesNotFitError:
        raise Cannot("weights beyond the memory of one GPU") from None
    (point,) = made.points
    ttft = point.ttft_ms.mid if point.ttft_ms else None
    if asked.kind == "prefill":
        if ttft is None:
            raise Cannot("prefill beyond its token budget")
        return Answer(ttft)
    return Answer(point.itl_ms.mid, ttft if asked.kind == "served" else None)


def load(asked: Question) -> Any:
    if asked.kind == "decode":
        return Workload(1, 2 * asked.prompt, (asked.batch,))
    return Workload(asked.prompt, max(2, asked.output), (asked.batch,))


def profile(asked: Question) -> Any:
    """Its vLLM; its llama.cpp, with room for the load, for GGUF weights."""
    if asked.stored in GGUF:
        room = max(2048, sum((asked.prompt, asked.prompt, 1)))
        return profiles.ollama(num_ctx=room, quant=GGUF[asked.stored])
    return profiles.vllm(quant=looked_up("weights", asked.weights, WEIGHTS) or None)


def gpu(card: Card) -> Any:
    """From its table, or from the datasheet."""
    return GPUS.get(card.name) or GpuSpec(
        card.name, int(card.mem_gb * 2**30), card.mem_bw_gbs, card.half_tflops
    )
