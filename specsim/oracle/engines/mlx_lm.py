"""mlx-lm on the CPU, a whole engine: plain, and with a draft model.

`specsim check specsim.oracle.engines.mlx_lm:Engine`. Its generators do not stop at any
token; its filters see the row at temperature 1.
"""

from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import mlx.core as mx
from mlx_lm.generate import generate_step, speculative_generate_step
from mlx_lm.sample_utils import make_logits_processors, make_sampler
from mlx_lm.utils import load_model

from specsim.oracle.endtoend.request import SURFACE
from specsim.oracle.probe.pair import CONTEXT

Asked = dict[str, Any]
DRAFTED = 3


class Engine:
    """One request at a time."""

    format = "hf"
    order = "mlx"
    modes: ClassVar[dict[str, Any]] = {"plain": {}, "draft-model": {}}
    surface = SURFACE - {"stop_token_ids"}

    def generate(
        self, requests: list[Asked], *, mode: str, target: str, draft: str
    ) -> list[dict[str, Any]]:
        models = [loaded(target)]
        if mode != "plain":
            models.append(loaded(draft))
        return [answer(models, asked) for asked in requests]


@cache
def loaded(path: str) -> Any:
    mx.set_default_device(mx.cpu)
    return load_model(Path(path))[0]


def answer(models: list[Any], asked: Asked) -> dict[str, Any]:
    """The text; with a draft model, how much of it was drafted."""
    mx.random.seed(asked["seed"])
    settings = options(asked)
    prompt = mx.array(asked["prompt"])
    if len(models) == 1:
        steps = [(*step, False) for step in generate_step(prompt, *models, **settings)]
    else:
        settings["num_draft_tokens"] = DRAFTED
        steps = [*speculative_generate_step(prompt, *models, **settings)]
    said: dict[str, Any] = {"tokens": [int(token) for token, _, _ in steps]}
    if asked["logprobs"]:
        said["logprobs"] = [float(row[int(token)]) for token, row, _ in steps]
    return said


def options(asked: Asked) -> dict[str, Any]:
    """The request in the engine's words; penalties look at the whole text."""
    names = "top_k", "top_p", "min_p"
    filters = {name: asked[name] for name in names}
    penalties = {}
    for name in ("repetition", "presence", "frequency"):
        neutral = 1.0 if name == "repetition" else 0.0
        if asked[f"{name}_penalty"] != neutral:
            penalties[f"{name}_penalty"] = asked[f"{name}_penalty"]
            penalties[f"{name}_context_size"] = CONTEXT
    return {
        "max_tokens": asked["max_tokens"],
        "sampler": make_sampler(temp=asked["temperature"], **filters),
        "logits_processors": make_logits_processors(asked["logit_bias"], **penalties),
    }
