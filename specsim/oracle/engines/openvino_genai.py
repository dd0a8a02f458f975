"""OpenVINO GenAI, a whole engine: plain, with a draft model, with prompt lookup.

`specsim check specsim.oracle.engines.openvino_genai:Engine`. Requests go to its
continuous batching pipeline, together and each with settings of its own, on the CPU and
in 32-bit floats.
"""

from functools import cache
from typing import Any, ClassVar

import numpy as np
import openvino
import openvino_genai as genai

from specsim.oracle.endtoend.request import SURFACE
from specsim.oracle.probe.pair import VOCAB

Asked = dict[str, Any]
DRAFTED, NGRAM = 3, 2
EXACT = {
    "INFERENCE_PRECISION_HINT": "f32",
    "KV_CACHE_PRECISION": "f32",
    "INFERENCE_NUM_THREADS": 1,
}


class Engine:
    """All requests of a call in flight at once."""

    format = "openvino"
    order = "openvino"
    modes: ClassVar[dict[str, Any]] = {
        "plain": {},
        "draft-model": {},
        "prompt-lookup": {},
    }
    surface = SURFACE - {"logit_bias"}
    batched_tokens = 256

    def generate(
        self, requests: list[Asked], *, mode: str, target: str, draft: str
    ) -> list[dict[str, Any]]:
        pipeline = loaded(mode, target, draft, self.batched_tokens)
        handles = [
            pipeline.add_request(n, prompt(asked), config(asked, mode))
            for n, asked in enumerate(requests)
        ]
        while pipeline.has_non_finished_requests():
            pipeline.step()
        return [*map(answer, handles, requests)]


class Crowded(Engine):
    """With room for fewer tokens in a pass than requests and their drafts take."""

    batched_tokens = 16


@cache
def loaded(mode: str, target: str, draft: str, batched_tokens: int) -> Any:
    """The pipeline of a mode."""
    scheduler = genai.SchedulerConfig()
    scheduler.cache_size, scheduler.max_num_batched_tokens = 1, batched_tokens
    properties: dict[str, Any] = dict(EXACT)
    if mode == "draft-model":
        properties["draft_model"] = genai.draft_model(draft, "CPU", **EXACT)
    if mode == "prompt-lookup":
        properties["prompt_lookup"] = True
    return genai.ContinuousBatchingPipeline(target, scheduler, "CPU", properties)


def prompt(asked: Asked) -> Any:
    return openvino.Tensor(np.array([asked["prompt"]], np.int64))


def config(asked: Asked, mode: str) -> Any:
    """The request in the engine's words."""
    made = genai.GenerationConfig()
    made.max_new_tokens, stops = asked["max_tokens"], asked["stop_token_ids"]
    made.ignore_eos, made.stop_token_ids = not stops, set(stops)
    if stops:  # one has to be its end token, or that of the model is
        made.set_eos_token_id(stops[0])
    made.logprobs = int(asked["logprobs"])
    for name in ("repetition_penalty", "presence_penalty", "frequency_penalty"):
        setattr(made, name, asked[name])
    if asked["temperature"]:
        made.do_sample, made.rng_seed = True, asked["seed"]
        made.top_k = asked["top_k"] or VOCAB
        for name in ("temperature", "top_p", "min_p"):
            setattr(made, name, asked[name])
    if mode != "plain":
        made.num_assistant_tokens = DRAFTED
    if mode == "prompt-lookup":
        made.max_ngram_size = NGRAM
    return made


def answer(handle: Any, asked: Asked) -> dict[str, Any]:
    (output,) = handle.read_all()
    said = {"tokens": output.generated_ids}
    if asked["logprobs"]:
        said["logprobs"] = output.generated_log_probs
    return said
