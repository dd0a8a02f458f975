"""ONNX Runtime GenAI, a whole engine: plain, with a draft model, with n-grams.

`specsim check specsim.oracle.engines.onnxruntime_genai:Engine`. How the engine is to
speculate stands in the folder of its model, so each mode has a folder (probe/onnx). It
always stops at the end token, which it leaves out of the text.
"""

from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import onnxruntime_genai as genai

from specsim.oracle.probe.pair import END, VOCAB

Asked = dict[str, Any]
FOLDERS = {"plain": "target"}
loaded = cache(genai.Model)


class Engine:
    """One request at a time; every text has its own generator."""

    format = "onnx"
    modes: ClassVar[dict[str, Any]] = {"plain": {}, "draft-model": {}, "ngram": {}}
    surface = frozenset(
        {"temperature", "top_k", "top_p", "repetition_penalty", "seed"},
    )
    ends = (END,)

    def generate(
        self, requests: list[Asked], *, mode: str, target: str, draft: str
    ) -> list[dict[str, Any]]:
        model = loaded(str(Path(target).with_name(FOLDERS.get(mode, mode))))
        return [answer(model, asked, mode) for asked in requests]


def answer(model: Any, asked: Asked, mode: str) -> dict[str, Any]:
    """The text, and what was drafted for it."""
    prompt = asked["prompt"]
    settings = genai.GeneratorParams(model)
    settings.set_search_options(**options(asked))
    generator = genai.Generator(model, settings)
    generator.append_tokens(np.array([prompt], np.int32))
    while not generator.is_done():
        generator.generate_next_token()
    said = {"tokens": generator.get_sequence(0)[len(prompt) :].tolist()}
    return said if mode == "plain" else said | counts(generator)


def options(asked: Asked) -> dict[str, Any]:
    """The request in the engine's words; speculation needs a top_k above 0."""
    greedy = asked["temperature"] == 0
    return {
        "max_length": len(asked["prompt"]) + asked["max_tokens"],
        "do_sample": not greedy,
        "temperature": 1.0 if greedy else asked["temperature"],
        "top_k": asked["top_k"] or VOCAB,
        "top_p": asked["top_p"],
        "repetition_penalty": asked["repetition_penalty"],
        "random_seed": asked["seed"],
    }


def counts(generator: Any) -> dict[str, int]:
    """What the engine says of drafting."""
    stats = generator.get_speculative_stats()
    return {
        "drafted": stats["draft_tokens_proposed"],
        "accepted": stats["draft_tokens_accepted"],
    }
