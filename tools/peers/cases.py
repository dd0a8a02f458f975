"""Twelve cases that show what a simulator models, six of them measured in public.

A dense model at batch 1 and 32, over four GPUs, in 8 and in 4 bits; a prefill; mixtures
at batch; and a model on a GPU that does not hold it.
"""

from dataclasses import dataclass

from tools.peers import describe
from tools.peers.question import Kind, Question

GPT_FAST = "pytorch-labs/gpt-fast README.md at 32971d3, decode of 200 tokens"
LMDEPLOY = "InternLM/lmdeploy docs/en/benchmark/a100_fp16.md at 3e391df, static batch"
SGLANG = "SGLang 0.4.4 docs, speculative_decoding.md, MT-bench without speculation"
LLAMA_CPP = (
    "llama.cpp Q4_0, XiongjieDai/GPU-Benchmarks-on-LLM-Inference at 75fee52^, 12/2023"
)
VIDUR = (
    "microsoft/vidur data/profiling, Llama-2-70B layer by layer: the linear layers "
    "alone, so the whole step takes some per cent more"
)
STREAMED = 0.8
"""Of the bandwidth at which the cache between two contexts is charged."""


@dataclass(frozen=True)
class Truth:
    """A published time of the model on the GPUs: ms, with `context` cached tokens."""

    ms: float
    context: int
    source: str


@dataclass(frozen=True)
class Case:
    """What is asked, and what is known.

    ideal_ms: bytes over bandwidth or FLOPs over peak, whichever is more, from
        datasheets; experts: the expected number of distinct ones.
    within: how far specsim's own step may be from the truth, relatively; a test.
        Engines differ most in their kernels for 4 bits.
    """

    name: str
    model: str
    gpu: str
    context: int
    ideal_ms: float
    truth: Truth | None = None
    within: float = 0.12
    gpus: int = 1
    batch: int = 1
    weights: str = "bf16"
    kind: Kind = "decode"

    @property
    def question(self) -> Question:
        return Question(
            self.kind,
            describe.shape(self.model),
            describe.card(self.gpu),
            prompt=self.context,
            batch=self.batch,
            gpus=self.gpus,
            weights=self.weights,
        )

    @property
    def truth_ms(self) -> float | None:
        """The truth at the context of the case: the cache in between is added."""
        if self.truth is None:
            return None
        shape, card = self.question.model, self.question.gpu
        token = 2 * 2 * shape.layers * shape.kv_heads * shape.head_dim
        more = self.batch * (self.context - self.truth.context) * token / self.gpus
        return self.truth.ms + more / (STREAMED * card.mem_bw_gbs * 1e6)


CASES = (
    Case("7B, A100", "Llama-2-7B", "A100 80GB", 1024, 6.75,
         Truth(9.53, 105, GPT_FAST), weights="fp16"),
    Case("7B, A100, batch 32", "Llama-2-7B", "A100 80GB", 1024, 15.05,
         Truth(21.89, 1152, LMDEPLOY), weights="fp16", batch=32),
    Case("70B, 4 A100", "Llama-3-70B", "A100 80GB", 2048, 17.15,
         Truth(26.70, 105, GPT_FAST), gpus=4),
    Case("8B fp8, H100", "Llama-3.1-8B", "H100 SXM", 1024, 2.44, weights="fp8"),
    Case("8B fp8, H100, batch 64", "Llama-3.1-8B", "H100 SXM", 2048, 7.68,
         weights="fp8", batch=64),
    Case("8B, H100", "Llama-3.1-8B", "H100 SXM", 2048, 4.56, Truth(6.32, 350, SGLANG)),
    Case("8B, H100, prefill", "Llama-3.1-8B", "H100 SXM", 2048, 30.0, kind="prefill"),
    Case("8x7B, 2 H100, batch 16", "Mixtral-8x7B", "H100 SXM", 1024, 14.3,
         gpus=2, batch=16),
    Case("671B fp8, 8 H200, batch 8", "DeepSeek-V3", "H200 SXM", 4096, 4.8,
         gpus=8, batch=8, weights="fp8"),
    Case("30B-A3B, H100, batch 16", "Qwen3-30B-A3B", "H100 SXM", 2048, 12.8, batch=16),
    Case("7B int4, 4090", "Llama-2-7B", "RTX 4090", 1024, 4.2,
         Truth(6.69, 642, LLAMA_CPP), within=0.2, weights="int4"),
    Case("70B, one A100", "Llama-3.1-70B", "A100 80GB", 1024, 68.4,
         Truth(89.4, 1024, VIDUR)),
)  # fmt: skip
