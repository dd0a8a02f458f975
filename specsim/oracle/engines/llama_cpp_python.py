"""llama-cpp-python, a whole engine: plain, with prompt lookup, with a draft model.

`specsim check specsim.oracle.engines.llama_cpp_python:Engine`. The draft model is one
of the user's own, as the package expects it: a callable that continues token ids.
"""

from functools import cache
from typing import Any, ClassVar

import numpy as np
from llama_cpp import Llama, LogitsProcessorList
from llama_cpp.llama_speculative import LlamaDraftModel, LlamaPromptLookupDecoding
from numpy.typing import NDArray

Asked = dict[str, Any]
Tokens = NDArray[np.intc]
DRAFTED = 3
WORDS = {
    "temperature": "temp",
    "top_k": "top_k",
    "top_p": "top_p",
    "min_p": "min_p",
    "repetition_penalty": "repeat_penalty",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
}
"""What fields of a request are called there."""


class Engine:
    """One request at a time."""

    format = "gguf"
    order = "llama.cpp"
    modes: ClassVar[dict[str, Any]] = {
        "plain": {},
        "prompt-lookup": {},
        "draft-model": {},
    }
    surface = frozenset({*WORDS, "logit_bias", "seed"})

    def generate(
        self, requests: list[Asked], *, mode: str, target: str, draft: str
    ) -> list[dict[str, Any]]:
        model = loaded(target, mode, draft)
        return [{"tokens": answer(model, asked)} for asked in requests]


class Greedy(LlamaDraftModel):
    """The likeliest continuation by another model."""

    def __init__(self, path: str):
        self._model = opened(path)

    def __call__(self, input_ids: Tokens, /, **kwargs: Any) -> Tokens:
        self._model.reset()
        made = list[int]()
        new = input_ids.tolist()
        for _ in range(DRAFTED):
            self._model.eval(new)
            new = [int(self._model.scores[self._model.n_tokens - 1].argmax())]
            made += new
        return np.array(made, dtype=np.intc)


def opened(path: str, **options: Any) -> Any:
    """A model on one thread, with caches in 32-bit floats."""
    exact = {"n_threads": 1, "n_threads_batch": 1, "type_k": 0, "type_v": 0}
    return Llama(path, n_ctx=256, logits_all=True, verbose=False, **exact, **options)


@cache
def loaded(target: str, mode: str, draft: str) -> Any:
    """The target with the drafter of that mode."""
    drafter: Any = None
    if mode == "prompt-lookup":
        drafter = LlamaPromptLookupDecoding(max_ngram_size=2, num_pred_tokens=DRAFTED)
    elif mode == "draft-model":
        drafter = Greedy(draft)
    return opened(target, draft_model=drafter)


def answer(model: Any, asked: Asked) -> list[int]:
    """The tokens after the prompt."""
    model.set_seed(asked["seed"])
    model.reset()
    settings = {there: asked[here] for here, there in WORDS.items()}
    if asked["logit_bias"]:
        settings["logits_processor"] = LogitsProcessorList([biased(asked)])
    steps = model.generate(asked["prompt"], reset=True, **settings)
    return [int(next(steps)) for _ in range(asked["max_tokens"])]


def biased(asked: Asked) -> Any:
    """What adds the biases to the scores."""

    def process(ids: Any, scores: NDArray[np.single]) -> NDArray[np.single]:
        for token, bias in asked["logit_bias"].items():
            scores[int(token)] += bias
        return scores

    return process
