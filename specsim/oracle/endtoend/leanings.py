"""What a faulty engine leans to: bets on it that hold in every context alike.

Deep in a text each prefix comes once or twice, so nothing can be learnt there about
that prefix alone. But a fault leans the same way everywhere: to what the draft likes,
to what penalties should have kept down. Each leaning tilts the target's row, p times
exp(strength * feature), and is a bet like any other; features are made of p, of the
draft's row q and of what was emitted before.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from specsim.oracle.endtoend.law import Law
from specsim.oracle.endtoend.request import Request
from specsim.oracle.evidence import Rows
from specsim.oracle.exact import Tokens

Array = NDArray[Any]
FAINT = 1e-6
"""What a probability of 0 is taken for where a logarithm needs one."""


class Context(NamedTuple):
    """A prefix: rows (V,) under the request, and that of the target without it.

    refused: tokens that the draft liked best before, and that were not emitted there.
    """

    p: Array
    q: Array
    bare: Array
    prefix: Tokens
    refused: list[int]


def ratio(row: Array, p: Array) -> Array:
    """How much likelier each token is in a row than in p: a logarithm, within 3."""
    odds = np.log(np.maximum(row, FAINT)) - np.log(np.maximum(p, FAINT))
    return np.asarray(np.clip(odds, -3, 3))


def favourite(row: Array) -> Array:
    """1 at the likeliest token of a row."""
    return np.asarray(np.arange(len(row)) == row.argmax(), dtype=float)


def among(tokens: Sequence[int], p: Array) -> Array:
    """1 at these tokens."""
    marked = np.zeros(len(p))
    marked[[*tokens]] = 1
    return marked


LEANINGS: dict[str, tuple[Callable[[Context], Array], tuple[float, ...]]] = {
    "what the draft likes": (lambda c: ratio(c.q, c.p), (-0.4, 0.2, 0.7, 1.0)),
    "the draft's likeliest token": (lambda c: favourite(c.q), (-0.5, 0.5, 1.5)),
    "its own likeliest token": (lambda c: favourite(c.p), (-0.3, 0.3, 1.5)),
    "tokens said before": (lambda c: among(c.prefix, c.p), (-0.4, 0.4)),
    "tokens refused before": (lambda c: among(c.refused, c.p), (-0.4, 0.4)),
    "the row without the request's settings": (
        lambda c: ratio(c.bare, c.p),
        (-0.3, 0.3, 0.8),
    ),
}
"""By name: the feature of each token (V,), and how strong the leaning may be."""


class Lean:
    """The bets on leanings under one request, for `evidence.Evidence`."""

    def __init__(self, target: Law, draft: Law, request: Request):
        self._target, self._draft, self._request = target, draft, request
        self._bare = Request(request.prompt, 1)
        self._seen: tuple[Tokens, Mapping[str, Mapping[int, float]]] | None = None

    def bets(self) -> dict[str, Rows]:
        """By leaning and strength: from a prefix to the row that is bet on."""
        return {name: self._rows(name) for name in NAMES}

    def _rows(self, name: str) -> Rows:
        return lambda prefix: self._all(prefix)[name]

    def _all(self, prefix: Tokens) -> Mapping[str, Mapping[int, float]]:
        """Every row after a prefix; the last one asked for is remembered."""
        if self._seen is None or self._seen[0] != prefix:
            self._seen = prefix, dict(zip(NAMES, self._made(prefix), strict=True))
        return self._seen[1]

    def _made(self, prefix: Tokens) -> list[dict[int, float]]:
        liked = self._draft.rows(self._request, _beginnings(prefix))
        best = [int(row.p.argmax()) for row in liked]
        c = Context(
            self._target.row(self._request, prefix).p,
            liked[-1].p,
            self._target.row(self._bare, prefix).p,
            prefix,
            [x for x, token in zip(best, prefix, strict=False) if x != token],
        )
        tilts = [
            strength * feature(c)
            for feature, strengths in LEANINGS.values()
            for strength in strengths
        ]
        weights = c.p * np.exp(np.array(tilts))
        rows = weights / weights.sum(-1, keepdims=True)
        return [dict(enumerate(row)) for row in rows.tolist()]


def _beginnings(prefix: Tokens) -> list[Tokens]:
    """All that the prefix begins with, itself the last."""
    return [prefix[:n] for n in range(len(prefix) + 1)]


NAMES = [f"{name} {by:+g}" for name, (_, every) in LEANINGS.items() for by in every]


def told(name: str) -> str:
    """A leaning for people.

    >>> told("what the draft likes -0.4"), told("tokens said before +0.4")
    ('away from what the draft likes', 'to tokens said before')
    """
    what, strength = name.rsplit(" ", 1)
    return f"{'to' if strength.startswith('+') else 'away from'} {what}"
