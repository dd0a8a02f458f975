"""Sequential selection: every sibling is tried on the same scaled-down target.

Sun et al. (2023), "SpecTr: fast speculative decoding via optimal transport",
Algorithm 2 (k-Seq). https://arxiv.org/abs/2310.15141
"""

from typing import Any

import numpy as np

from ..probs import Probs, residual
from ..proposal import Proposal
from ..randomness import Source
from ..remembered import remembered

HALVINGS = 20
"""Of [1, n], where gamma is sought for n siblings."""


def verify(
    p: Probs, proposal: Proposal, source: Source, *, gamma: Any = None
) -> list[int]:
    """Keep the first child that p / gamma has use for, else draw from what is left.

    gamma: by how much the target is scaled down at every node; ValueError where that is
           too little. None: `least_gamma` of each node.

    While the token is a child, however it was come by, go there.
    Coins: accept[i] for each child looked at, then sample if none of a node is kept.
    """
    emitted: list[int] = []
    node: int | None = -1
    while node is not None:
        emitted.append(_token(p[node + 1], proposal, node, source, gamma))
        node = proposal.at(emitted)
    return emitted


def _token(
    row: Probs, proposal: Proposal, node: int, source: Source, gamma: Any
) -> int:
    children = proposal.children(node)
    if not children:
        return source.sample(node + 1, row)
    q, n = proposal.drawn_from[children[0]], len(children)
    gamma = least_gamma(row, q, n) if gamma is None else _checked(gamma, row, q, n)
    for child in children:
        x = proposal.tokens[child]
        if source.accept(child, min(1, row[x] / (gamma * q[x]))):
            return x
    kept = np.minimum(q, row / gamma)
    return source.sample(node + 1, residual(row, kept * looks(kept.sum(), n)))


@remembered
def least_gamma(p: Probs, q: Probs, n: int) -> Any:
    """The least gamma that is enough for n siblings drawn from q, or little more.

    The exact one is irrational as a rule; this is above it by less than
    (n - 1) / 2^HALVINGS, and is it where that is 1.

    >>> from reference.model.table import row
    >>> round(float(least_gamma(row([3, 2, 1]), row([1, 1, 2]), 2)), 5)
    1.39039
    """
    low, high = 1 + 0 * p[0], n + 0 * p[0]
    if _enough(low, p, q, n):
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _enough(middle, p, q, n) else (middle, high)
    return high


def looks(kept: Any, n: int) -> Any:
    """How many of n siblings are looked at on average, each kept with odds `kept`.

    >>> looks(0.5, 3)
    1.75
    """
    return sum((1 - kept) ** i for i in range(n))


def _enough(gamma: Any, p: Probs, q: Probs, n: int) -> bool:
    """Then looks * min(q, p / gamma), what is kept of each token, is at most its p."""
    return gamma >= 1 and bool(looks(np.minimum(q, p / gamma).sum(), n) <= gamma)


def _checked(gamma: Any, p: Probs, q: Probs, n: int) -> Any:
    if not _enough(gamma, p, q, n):
        need = float(least_gamma(p, q, n))
        raise ValueError(
            f"gamma={gamma} is too little for {n} siblings here: {need} is enough"
        )
    return gamma
