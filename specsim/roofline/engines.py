"""What engines add to their kernels: the host's time, per pass and per request."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from specsim.roofline.constants import DECODED, PLAIN, SERVED, Spread

Range = tuple[float, float, float]


@dataclass(frozen=True)
class Intake:
    """How an engine takes requests in, from their arrival to their first token.

    steps:      passes waited for beside the prefill itself: the one under way, those
        between looks at the queue, the one that hands the token out.
    request_ms: of every request, whatever its length.
    family_ms:  more of it, by name of the GPU's family.
    ahead_ms:   host's time of every request that is ahead in the queue.
    token_us:   of every token of the prompt: parsing, tokenising.
    layer_ms:   a prefill is launched kernel by kernel: it takes the host so long for a
        layer, `latent` times that if its attention is latent.
    gather:     passes until replicas of attention have a prompt each.
    memory, spare_gb, kept: cache may take kept * (memory * all - weights - spare) of a
        GPU.
    whole:      cache is reserved to a request's last token, not as it grows.
    narrow_kv:  families on which weights of 8 bits or fewer bring a cache of 8 bits.
    """

    steps: float = 4.0
    request_ms: float = 0.0
    family_ms: Mapping[str, float] = field(default_factory=dict, hash=False)
    ahead_ms: float = 8.5
    token_us: float = 5.2
    layer_ms: float = 0.3
    latent: float = 4.4
    gather: float = 0.0
    memory: float = 0.9
    spare_gb: float = 7.0
    kept: float = 1.0
    whole: bool = False
    narrow_kv: tuple[str, ...] = ("Blackwell",)


@dataclass(frozen=True)
class Engine:
    """Time on top of the kernels (us): each low, expected, high.

    step_us:     of every pass: scheduling, sampling, copies.
    sequence_us: of every sequence of a replica's batch; in the typical engine it only
        raises the high end.
    layer_us:    of every layer, beyond the fixed time of its kernels.
    launch_us:   a layer's kernels are launched one by one, and this is what the host
        takes: a pass lasts no less. 0: recorded once, replayed as a whole.
    intake:      what requests wait for before their first token.
    unpack:      instructions spent on a narrow weight, in units of its format's.
    plain:       the same of a weight of 16 bits, where its products are hand-written.
    rereads:     share of the cache that each further head of a group reads again.
    spread:      how far its kernels, or launches, may be off.
    families:    of GPUs it was measured on; empty: it stands for any.
    """

    name: str
    step_us: Range
    sequence_us: Range
    source: str
    layer_us: Range = (0, 0, 0)
    launch_us: float = 0.0
    intake: Intake = Intake()
    unpack: float = 1.0
    plain: float = 0.0
    rereads: float = 0.0
    spread: Spread = PLAIN
    families: tuple[str, ...] = ()


NONE = (0, 0, 0)
COMPILED = (0, 54, 400)
LLAMA = (
    "A100", "Hopper", "GeForce 40", "GeForce 30", "Ampere", "Ada", "Ampere with ECC",
    "Ada with ECC", "RTX Blackwell", "Apple", "Pascal", "RDNA", "CPU",
)  # fmt: skip
DECODING = (
    Engine("ideal", NONE, NONE, "kernels alone"),
    Engine("gpt-fast", COMPILED, (0, 5, 30), DECODED, (0, 2.3, 8), unpack=0.79,
           families=("A100", "CDNA")),
    Engine("vllm-0.6", (1300, 1700, 2200), (10, 30, 60), DECODED, (3, 9.2, 16),
           unpack=0.29, families=("A100",)),
    Engine("sglang-0.4", (200, 420, 700), (0, 20, 40), DECODED, (0, 8.8, 20),
           unpack=3.4, families=("H20", "Hopper")),
    Engine("trtllm-0.6", (50, 120, 600), (0, 1.6, 30), DECODED, (0, 3.8, 60),
           families=("A100", "Hopper", "Ada with ECC")),
    Engine("lmdeploy", (50, 120, 400), (10, 29, 60), DECODED, (8, 15, 24),
           families=("A100",)),
    Engine("deepspeed", (50, 220, 800), (100, 200, 300), DECODED, (120, 180, 240),
           families=("A100",)),
    Engine("exllamav2", (50, 140, 400), (0, 20, 60), DECODED, (0, 3.9, 20),
           unpack=0.8, families=("GeForce 40", "GeForce 30")),
    Engine("autoawq", (50, 200, 600), (0, 20, 60), DECODED, launch_us=330,
           spread=Spread(1, 1.15), families=("A100", "GeForce 40")),
    Engine("autoawq-0.1", (300, 560, 1500), (0, 14, 60), DECODED, launch_us=175,
           spread=Spread(0.92, 1.12), families=("GeForce 40",)),
    Engine("mlc", (50, 200, 500), (0, 30, 60), DECODED, (15, 32, 50), unpack=0.96,
           families=("GeForce 40", "GeForce 30", "RDNA")),
    Engine("llama.cpp", (50, 140, 400), (0, 40, 80), f"{DECODED}; builds of 2025-26",
           (0, 4.1, 25), unpack=0.75, families=LLAMA),
    Engine("llama.cpp-2024", (400, 670, 1100), (0, 40, 80),
           f"{DECODED}; builds of December 2023 to May 2024", (12, 23, 45), unpack=1,
           plain=21, rereads=0.34, families=LLAMA),
    Engine("t-mac", (50, 220, 500), NONE, DECODED, (0, 10, 40), unpack=1.6,
           families=("CPU",)),
    Engine("mlx", (50, 200, 500), (0, 40, 80),
           "as llama.cpp on Apple silicon, not measured", (5, 30, 60), plain=12),
    Engine("eager", (50, 200, 1000), (0, 30, 100), f"{DECODED}; lit-gpt",
           launch_us=1200, spread=Spread(0.9, 1.4), families=("A100",)),
    Engine("hf", (50, 200, 1000), (0, 30, 100), DECODED, launch_us=850,
           spread=Spread(0.95, 1.25), families=("A100",)),
)  # fmt: skip
SLOPE = (0, 9, 35)
ENGINES = {
    row.name: row
    for row in [
        Engine("typical", (0, 100, 1500), (0, 0, 35),
               "from a compiled loop on an idle GPU (gpt-fast) to a server (vLLM)"),
        Engine("vllm", (300, 660, 1500), SLOPE, SERVED,
               intake=Intake(steps=4.5, layer_ms=0.19)),
        Engine("sglang", (300, 680, 2000), SLOPE, SERVED,
               intake=Intake(steps=1, request_ms=110, layer_ms=0.13, memory=0.95,
                             spare_gb=5, narrow_kv=("Hopper", "H20", "Blackwell"))),
        Engine("trtllm", (0, 40, 800), SLOPE, SERVED,
               intake=Intake(steps=2.3, family_ms={"Hopper": 75}, layer_ms=0.53,
                             gather=16, memory=1.0, spare_gb=6, kept=0.9, whole=True,
                             narrow_kv=("Hopper", "H20", "Blackwell"))),
        *DECODING,
    ]
}  # fmt: skip

WORDS: tuple[tuple[str, str], ...] = (
    # words, any case, and the name of the profile
    (r"vllm\D*(v?0\.[0-9](?!\d)|202[34])", "vllm-0.6"),
    (r"sglang(?!.*0\.5)\D*(v?0\.[0-4](?!\d)|202[45])", "sglang-0.4"),
    (r"(tensorrt|trt)\D*(v?0\.\d|202[34])", "trtllm-0.6"),
    (r"tensorrt|\btrt|\bnim\b", "trtllm"),
    (r"lmdeploy|turbomind", "lmdeploy"),
    (r"deepspeed", "deepspeed"),
    (r"exllama|\bexl[23]?\b", "exllamav2"),
    (r"autoawq\D*0\.1\b", "autoawq-0.1"),
    (r"autoawq", "autoawq"),
    (r"\bmlc", "mlc"),
    (r"\bmlx", "mlx"),
    (r"t-?mac\b", "t-mac"),
    (r"(llama[._]?cpp|ollama|llamafile).*202[34]", "llama.cpp-2024"),
    (r"llama[._]?cpp|ollama|gguf|ggml|llamafile|lm ?studio", "llama.cpp"),
    (r"gpt-?fast|torchao|torch\.compile", "gpt-fast"),
    (r"transformers|accelerate|\bhf\b|hugging", "hf"),
    (r"lit-?gpt|eager", "eager"),
    (r"vllm", "vllm"),
    (r"sglang", "sglang"),
)


@cache
def named(words: str) -> Engine | None:
    """The profile of an engine as people call it, with its version; None if unknown.

    >>> [named(w).name for w in ("vLLM 0.6.3", "vLLM 0.19", "NIM/TensorRT-LLM 1.8.0")]
    ['vllm-0.6', 'vllm', 'trtllm']
    """
    said = words.strip().lower()
    if said in ENGINES:
        return ENGINES[said]
    return next(
        (ENGINES[name] for found, name in WORDS if re.search(found, said)), None
    )
