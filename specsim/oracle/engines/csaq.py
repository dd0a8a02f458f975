"""csaq-quant's self-speculative decoding, behind the contract, one token at a time.

One turn of its loop that drafts one token and emits one: only the first row matters.
"""

from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from csaq.inference import CSAQInferenceEngine

from specsim.oracle.engines.luck import given
from specsim.oracle.engines.tensors import logits

Array = np.ndarray[Any, Any]
PROMPT = torch.zeros(1, 1, dtype=torch.long)


class Switching(CSAQInferenceEngine):
    """Their engine, with rows in place of one model in two precisions."""

    def __init__(self, p: Array, q: Array):
        self.rows = {1: logits(q)[None, :1], 2: logits(p)[None, :2]}
        self.model, self.tokenizer, self.verbose = self, None, False
        self.device, self.telemetry = "cpu", defaultdict[str, int](int)

    def __call__(self, *, input_ids: torch.Tensor, **_: Any) -> Any:
        seen = self.rows[input_ids.shape[-1]]
        return SimpleNamespace(logits=seen.clone(), past_key_values=None)

    def eval(self) -> None: ...

    _swap_to_verify = _swap_to_draft = _ensure_draft_state = eval


def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """The first token of a block."""
    with given(rng, tokens[:1].tolist()):
        ids, _ = Switching(p, q)._generate_speculative(PROMPT, 1, 1, 1.0, 1.0)
    return [*map(int, ids[0, 1:])]
