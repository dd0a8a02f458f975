"""Hugging Face transformers' `generate`, a whole engine.

`specsim check specsim.oracle.engines.transformers_generate:Engine`. It speculates one
request at a time; `ensemble` mixes the draft into the target, which is lossy by design.
"""

from collections import Counter
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import torch

from specsim.oracle.endtoend.request import SURFACE

transformers: Any = import_module("transformers")
Asked = dict[str, Any]
DRAFTED = 3
WAYS: dict[str, dict[str, Any]] = {
    "prompt-lookup": {
        "prompt_lookup_num_tokens": DRAFTED,
        "max_matching_ngram_size": 2,
    },
    "early-exit": {"assistant_early_exit": 1},
    "ensemble": {"assistant_ensemble_weight": 0.75},
}
"""What the engine is told in a mode, besides the draft model."""


class Engine:
    """Every request has luck of its own, from its seed."""

    format = "hf"
    modes: ClassVar[dict[str, Any]] = {
        "plain": {},
        "draft-model": {},
        "prompt-lookup": {},
        "early-exit": {},
        "ensemble": {"lossy": True},
    }
    surface = SURFACE - {"presence_penalty", "frequency_penalty"}

    def generate(
        self, requests: list[Asked], *, mode: str, target: str, draft: str
    ) -> list[dict[str, Any]]:
        model, assistant = loaded(target), loaded(draft)
        helper = assistant if mode in ("draft-model", "ensemble") else None
        return [answer(model, helper, asked, mode) for asked in requests]


@cache
def loaded(path: str) -> Any:
    """A model that drafts so many tokens each time, whatever becomes of them."""
    torch.set_num_threads(1)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path, dtype=torch.float32
    ).eval()
    model.generation_config = transformers.GenerationConfig(
        num_assistant_tokens=DRAFTED,
        num_assistant_tokens_schedule="constant",
        assistant_confidence_threshold=0.0,
    )
    return model


def answer(model: Any, assistant: Any, asked: Asked, mode: str) -> dict[str, Any]:
    """The text, and what was drafted for it."""
    torch.manual_seed(asked["seed"])
    prompt = torch.tensor([asked["prompt"]])
    way = WAYS.get(mode, {})
    settings = transformers.GenerationConfig(**options(asked), **way)
    with Watched(model) as counts:
        made = model.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            generation_config=settings,
            assistant_model=assistant,
        )
    tokens = made.sequences[0, prompt.shape[1] :]
    said: dict[str, Any] = {"tokens": tokens.tolist(), **counts}
    if asked["logprobs"]:
        rows = torch.cat(made.scores).log_softmax(-1)
        said["logprobs"] = rows.gather(1, tokens[:, None])[:, 0].tolist()
    return said


def options(asked: Asked) -> dict[str, Any]:
    """The request in the engine's words."""
    made = {
        "max_new_tokens": asked["max_tokens"],
        "repetition_penalty": asked["repetition_penalty"],
        "eos_token_id": asked["stop_token_ids"] or None,
        "pad_token_id": 0,
        "do_sample": asked["temperature"] > 0,
        "return_dict_in_generate": True,
        "output_scores": asked["logprobs"],
    }
    if asked["logit_bias"]:
        made["sequence_bias"] = [[[k], v] for k, v in asked["logit_bias"].items()]
    if made["do_sample"]:
        filters = "temperature", "top_k", "top_p", "min_p"
        made |= {name: asked[name] for name in filters}
    return made


class Watched:
    """Counts drafted and accepted tokens while it is entered.

    The engine tells them to its candidate generators and to nobody else.
    """

    def __init__(self, model: Any):
        self._model = model
        self._counts: Counter[str] = Counter()

    def __enter__(self) -> Counter[str]:
        self._model._get_candidate_generator = self._generator
        return self._counts

    def __exit__(self, *error: object) -> None:
        del self._model._get_candidate_generator

    def _generator(self, **how: Any) -> Any:
        made = type(self._model)._get_candidate_generator(self._model, **how)
        update = made.update_candidate_strategy

        def counting(ids: Any, scores: Any, matches: int) -> None:
            self._counts["drafted"] += scores.shape[1] - 1
            self._counts["accepted"] += int(matches)
            update(ids, scores, matches)

        made.update_candidate_strategy = counting
        return made
