"""From logits to rows, batched: the twin of the filters of reference/logits.

The same order (temperature, top-k, top-p, min-p) and the same rule for ties: equal
logits rank by token id, lowest first. In float32 a token at an exact border of top-p or
min-p may fall on the other side.
"""

from collections.abc import Callable
from math import inf
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch.nn.functional import pad

from .rows import argmax

Setting: TypeAlias = float | Tensor
"""One number for the batch, or one a request (B,); only the number is checked."""


LEGAL: dict[str, tuple[Callable[[float], bool], str]] = {
    "temperature": (lambda t: 0 <= t < inf, "finite and >= 0"),
    "top_k": (lambda k: k >= 0 and k % 1 == 0, "a whole number >= 0"),
    "top_p": (lambda p: 0 <= p <= 1, "in [0, 1]"),
    "min_p": (lambda m: 0 <= m <= 1, "in [0, 1]"),
}


class Filters(NamedTuple):
    """Which tokens of a row may be drawn; the defaults keep all.

    top_k: the k likeliest, exactly k even if the k-th is tied; 0 keeps all
    top_p: the fewest, likeliest first, whose mass reaches p; 0 keeps one, 1 keeps all
    min_p: those at least min_p times as likely as the likeliest; 0 keeps all
    """

    top_k: Setting = 0
    top_p: Setting = 1.0
    min_p: Setting = 0.0


def check(temperature: Setting | None, filters: Filters) -> None:
    """ValueError on a number out of range."""
    if temperature is not None:
        _require("temperature", temperature)
    for name, setting in filters._asdict().items():
        _require(name, setting)


def process(
    logits: Tensor, temperature: Setting | None = None, filters: Filters | None = None
) -> Tensor:
    """The rows (B, R, V) that logits (B, R, V) stand for; temperature None is 1.

    Raises ValueError on a number out of range. A row that has no softmax (NaN, +inf or
    no token left) comes out as NaN.
    """
    filters = filters or Filters()
    logits = temper(logits, 1.0 if temperature is None else temperature)
    logits = top_p(top_k(logits, filters.top_k), filters.top_p)
    return min_p(logits, filters.min_p).softmax(-1)


def temper(logits: Tensor, temperature: Setting) -> Tensor:
    """Logits / temperature, the largest 0; temperature 0 leaves the lowest argmax."""
    _require("temperature", temperature)
    shifted = logits - logits.amax(-1, keepdim=True)
    if isinstance(temperature, float | int) and temperature > 0:
        return shifted / temperature
    t = _column(temperature, logits)
    greedy = torch.full_like(logits, -inf).scatter_(-1, argmax(logits)[..., None], 0)
    return torch.where(t == 0, greedy, shifted / torch.where(t == 0, 1, t))


def top_k(logits: Tensor, k: Setting) -> Tensor:
    _require("top_k", k)
    if _is(k, 0):
        return logits
    order = _order(logits)
    rank = torch.arange(logits.shape[-1], device=logits.device).expand_as(logits)
    limit = _column(k, logits)
    return _keep(logits, order, (rank < limit) | (limit == 0))


def top_p(logits: Tensor, p: Setting) -> Tensor:
    _require("top_p", p)
    if _is(p, 1):
        return logits
    order = _order(logits)
    cdf = logits.softmax(-1).gather(-1, order).cumsum(-1)
    above = pad(cdf[..., :-1], (1, 0), value=-inf)
    limit = _column(p, logits)
    return _keep(logits, order, (above < limit) | (limit == 1))


def min_p(logits: Tensor, m: Setting) -> Tensor:
    _require("min_p", m)
    if _is(m, 0):
        return logits
    odds = (logits - logits.amax(-1, keepdim=True)).exp()
    return logits.masked_fill(odds < _column(m, logits), -inf)


def _order(logits: Tensor) -> Tensor:
    """The tokens from the likeliest; equal logits by token id."""
    return logits.sort(dim=-1, descending=True, stable=True).indices


def _keep(logits: Tensor, order: Tensor, kept: Tensor) -> Tensor:
    """-inf at the tokens of `order` that are not `kept`; both (B, R, V), by rank."""
    by_token = torch.empty_like(kept).scatter_(-1, order, kept)
    return logits.masked_fill(~by_token, -inf)


def _column(setting: Setting, logits: Tensor) -> Tensor:
    """The setting as a tensor that broadcasts over the rows of each request."""
    column = torch.as_tensor(setting, dtype=logits.dtype, device=logits.device)
    return column[:, None, None] if column.ndim else column


def _is(setting: Setting, neutral: float) -> bool:
    return not isinstance(setting, Tensor) and setting == neutral


def _require(name: str, setting: Setting) -> None:
    legal, words = LEGAL[name]
    if not isinstance(setting, Tensor) and not legal(setting):
        raise ValueError(f"{name} = {setting!r}: must be {words}")
