"""From logits to rows: the one place where the processed rows p and q come from.

A function here takes logits (..., V) and returns logits (..., V) in float64, -inf where
a token may not be drawn; `softmax` turns them into rows. `process` runs them in the
order of Hugging Face transformers: logit bias, repetition penalty, grammar mask,
temperature, top-k, top-p, min-p. Presence and frequency penalties, which transformers
lacks, come after repetition, where vLLM has them. Engines differ:

* vLLM runs min-p before top-k and top-p, so top-p counts the mass that min-p has left;
* SGLang adds the bias after penalties and mask, and (without min-p) measures top-p on
  the row before top-k;
* llama.cpp divides by the temperature last: its filters see the row at temperature 1;
* in transformers and vLLM, top-k keeps every token tied with the k-th.

Ties have one rule: equal logits rank by token id, lowest first. Temperature 0, top-k
and top-p go by that rank. Masses are float64 sums: at an exact border, an engine that
adds in float32 may keep one token more or less.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .penalties import (
    PENALTIES,
    Legal,
    bias,
    presence_frequency,
    repetition_penalty,
    require,
)
from .probs import Probs

Grammar = Callable[[tuple[int, ...]], NDArray[np.bool_]]
"""The tokens generated so far in, which tokens (V,) may follow out."""

LEGAL: Legal = {
    **PENALTIES,
    "temperature": (lambda t: 0 <= t < np.inf, "finite and >= 0 (0 is greedy)"),
    "top_k": (lambda k: k >= 0 and k % 1 == 0, "a whole number >= 0 (0 keeps all)"),
    "top_p": (lambda p: 0 <= p <= 1, "in [0, 1] (1 keeps all)"),
    "min_p": (lambda m: 0 <= m <= 1, "in [0, 1] (0 keeps all)"),
    "allowed": (lambda g: g is None or callable(g), "None or a function of a prefix"),
}


def _checked(logits: Probs) -> Probs:
    """The logits in float64; a row without a softmax raises."""
    logits = np.asarray(logits, dtype=np.float64)
    if not logits.shape or not logits.shape[-1]:
        raise ValueError(f"logits of shape {logits.shape} have no vocabulary")
    if np.isfinite(logits.max(-1)).all():
        return logits
    for row in np.ndindex(logits.shape[:-1]):
        where = f"row {', '.join(map(str, row))}: " if row else ""
        if not (logits[row] < np.inf).all():
            raise ValueError(f"{where}the logits hold NaN or +inf")
        if (logits[row] == -np.inf).all():
            raise ValueError(f"{where}no token is left, every logit is -inf")
    return logits


def _rank(logits: Probs) -> NDArray[np.intp]:
    """0 for the likeliest token, V - 1 for the last; equal logits by token id."""
    order = np.argsort(-logits, axis=-1, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(logits.shape[-1]), -1)
    return rank


def temper(logits: Probs, temperature: float) -> Probs:
    """Logits / temperature, shifted so that the largest is 0.

    Temperature 0 is greedy: 0 at the argmax (lowest id if tied), -inf elsewhere. A
    temperature tending to 0 agrees unless the maximum is tied: it splits the ties.
    """
    require(LEGAL, temperature=temperature)
    logits = _checked(logits)
    if temperature == 0:
        first = logits.argmax(-1, keepdims=True)
        return np.where(np.arange(logits.shape[-1]) == first, 0.0, -np.inf)
    with np.errstate(over="ignore"):
        tempered: Probs = (logits - logits.max(-1, keepdims=True)) / temperature
    return tempered


def softmax(logits: Probs, temperature: float = 1.0) -> Probs:
    """The rows (..., V), each summing to 1, of logits (..., V) at a temperature.

    Raises ValueError, naming the row, on NaN, +inf or a row that is -inf throughout.
    """
    weights = np.exp(temper(logits, temperature))
    rows: Probs = weights / weights.sum(-1, keepdims=True)
    return rows


def _greedy(logits: Probs) -> Probs:
    """The row (V,) at temperature 0, which no filter changes."""
    row: Probs = np.zeros_like(logits)
    row[logits.argmax()] = 1
    return row


def top_k(logits: Probs, k: int) -> Probs:
    """Keep the k likeliest tokens, exactly k even if the k-th is tied; 0 keeps all.

    Fan et al. 2018, https://arxiv.org/abs/1805.04833.
    """
    require(LEGAL, top_k=k)
    logits = _checked(logits)
    return np.where(_rank(logits) < k, logits, -np.inf) if k else logits


def top_p(logits: Probs, p: float) -> Probs:
    """Keep the fewest tokens, likeliest first, whose mass reaches p; never none.

    The token that crosses p is kept, 0 keeps one token (greedy), 1 keeps all. Not
    idempotent: what is left is renormalised, and a second top-p cuts deeper.
    Holtzman et al. 2020, https://arxiv.org/abs/1904.09751.
    """
    require(LEGAL, top_p=p)
    logits = _checked(logits)
    if p == 1:
        return logits
    above = np.roll(np.cumsum(np.sort(softmax(logits))[..., ::-1], axis=-1), 1, -1)
    above[..., 0] = -np.inf
    keep = np.take_along_axis(above, _rank(logits), -1) < p
    return np.where(keep, logits, -np.inf)


def min_p(logits: Probs, m: float) -> Probs:
    """Keep the tokens at least m times as likely as the likeliest; 0 keeps all.

    Nguyen et al. 2024, https://arxiv.org/abs/2407.01082.
    """
    require(LEGAL, min_p=m)
    if m == 0:
        return _checked(logits)
    return np.where(np.exp(temper(logits, 1)) >= m, logits, -np.inf)


def allowed(logits: Probs, mask: NDArray[np.bool_]) -> Probs:
    """Keep the tokens at which mask (V,) is True; one of them must be drawable."""
    logits, mask = _checked(logits), np.asarray(mask)
    if mask.dtype != np.bool_ or mask.shape != logits.shape[-1:]:
        was = f"{mask.dtype} {mask.shape}"
        raise ValueError(f"the mask is {was}, not bool {logits.shape[-1:]}")
    return _checked(np.where(mask, logits, -np.inf))


@dataclass(frozen=True)
class Sampling:
    """What a request asks of each row; the defaults change nothing.

    A value out of range raises ValueError with the field and its legal range.
    `allowed` is asked with every prefix a row stands for, even one it forbids itself:
    no such row can be reached, and any answer that leaves a token will do.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition: float = 1.0
    presence: float = 0.0
    frequency: float = 0.0
    logit_bias: Mapping[int, float] = field(default_factory=dict)
    allowed: Grammar | None = None

    def __post_init__(self) -> None:
        require(LEGAL, **{name: getattr(self, name) for name in LEGAL})


def process(
    logits: Probs,
    sampling: Sampling,
    history: Sequence[int] = (),
    prompt_length: int = 0,
) -> Probs:
    """The row (V,) from which the token after `history` is drawn.

    The first `prompt_length` tokens of `history` are the prompt, which counts for the
    repetition penalty only, as in vLLM; with 0 every penalty counts all of `history`.
    """
    if not 0 <= prompt_length <= len(history):
        raise ValueError(f"a prompt of {prompt_length} in a history of {len(history)}")
    generated = tuple(history[prompt_length:])
    logits = bias(_checked(logits), sampling.logit_bias)
    logits = repetition_penalty(logits, history, sampling.repetition)
    logits = presence_frequency(
        logits, generated, sampling.presence, sampling.frequency
    )
    if sampling.allowed is not None:
        logits = allowed(logits, sampling.allowed(generated))
    if sampling.temperature == 0:
        return _greedy(_checked(logits))
    logits = temper(logits, sampling.temperature)
    logits = top_k(logits, sampling.top_k)
    logits = top_p(logits, sampling.top_p)
    return softmax(min_p(logits, sampling.min_p))


def rows(
    logits: Probs,
    tokens: Sequence[int],
    parents: Sequence[int],
    sampling: Sampling,
    history: Sequence[int] = (),
    prompt_length: int = 0,
) -> Probs:
    """`process` for each row of a tree of N drafted tokens, (N + 1, V) in and out.

    Row 0 comes after `history`, row i + 1 after `history` and the path down to node i:
    siblings and other branches are not in it. tokens, parents: as in `Proposal`.
    """
    if not len(logits) - 1 == len(tokens) == len(parents):
        raise ValueError("logits, tokens and parents must hold N + 1, N and N entries")
    seen = [tuple(history)]
    for i, parent in enumerate(parents):
        if not -1 <= parent < i:
            raise ValueError(f"the parent of node {i} is {parent}, not in [-1, {i})")
        seen.append((*seen[parent + 1], tokens[i]))
    out = []
    for r, prefix in enumerate(seen):
        try:
            out.append(process(logits[r], sampling, prefix, prompt_length))
        except ValueError as bad:
            raise ValueError(f"row {r}: {bad}") from bad
    return np.array(out)
