"""rotalabs-accel's verification functions, behind the contract."""

from typing import Any

import numpy as np
import torch
from rotalabs_accel.speculative import core, eagle, sampling

from specsim.oracle.engines.luck import given
from specsim.oracle.engines.tensors import Model, logits, probs

Array = np.ndarray[Any, Any]
PROMPT = torch.zeros(1, 1, dtype=torch.long)


def filtered(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block by `core.verify_tokens`, with a top_p that keeps every token."""
    return _tokens(p, q, tokens, rng, 1.0)


def unfiltered(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block by `core.verify_tokens`, with no top_p at all."""
    return _tokens(p, q, tokens, rng, None)


def _tokens(
    p: Array, q: Array, tokens: Array, rng: Any, top_p: float | None
) -> list[int]:
    drafted = torch.from_numpy(tokens)
    asked = Model(p), PROMPT, drafted, _of(q, drafted), None, 1.0, top_p
    with given(rng):
        emitted, *_ = core.verify_tokens(*asked)
    return [*map(int, emitted)]


def one(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One token by `sampling.rejection_sample`, which judges one at a time."""
    first = torch.tensor(tokens[0])
    with given(rng):
        _, token = sampling.rejection_sample(
            probs(p)[0, first], probs(q)[0, first], first, logits(p)[0]
        )
    return [int(token)]


def chain(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
    """One block by `eagle.eagle_verify`."""
    drafted = torch.from_numpy(tokens)
    asked = Model(p), PROMPT, drafted[None], _of(q, drafted)[None], None, 1.0, True
    with given(rng):
        emitted, *_ = eagle.eagle_verify(*asked)
    return [*map(int, emitted)]


def _of(q: Array, drafted: torch.Tensor) -> torch.Tensor:
    """What q gives each drafted token: all that these functions are told of it."""
    return probs(q)[torch.arange(len(drafted)), drafted]
