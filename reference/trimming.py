"""Adaptive verification: only a prefix of what was drafted is submitted.

A rule that is exact on average over its draft stays exact if the length is predictable:
whether token k is submitted may depend on the context, on the tokens before it and on
the rows up to its own; not on token k, nor on anything after it. So one may stop after
an unlikely token, but not drop it. Whoever decides here is shown just what may be seen.
Rules that are exact for each fixed draft need no such care.

Cheng et al. (2026), "DSpark: confidence-scheduled speculative decoding with
semi-autoregressive generation". https://arxiv.org/abs/2607.05147
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from .probs import Probs
from .proposal import Proposal

More = Callable[[tuple[int, ...], Probs], bool]
"""Is token k submitted? Shown the tokens before it, and the k + 1 rows to its own."""

Confidence = Callable[[tuple[int, ...], Probs], Any]
"""How likely is it that the token is kept if all before it are? Shown the same."""


def trimmed(proposal: Proposal, more: More) -> Proposal:
    """The tokens of a drawn chain up to the first that `more` does not let through.

    ValueError on a tree, and on a draft that was not drawn.
    """
    _drawn_chain(proposal)
    kept = 0
    while kept < len(proposal.tokens) and more(*_shown(proposal, kept)):
        kept += 1
    return _cut(proposal, kept)


def confident(least: Any) -> More:
    """Stop before the first row in which no word is as likely as that."""
    return lambda before, rows: bool(rows[-1].max() >= least)


def stop_after(least: Any) -> More:
    """Stop after the first token less likely than that, which is submitted itself."""

    def more(before: tuple[int, ...], rows: Probs) -> bool:
        return not before or bool(rows[-2][before[-1]] >= least)

    return more


def surviving(confidence: Confidence, least: Any) -> More:
    """Stop after the first token that is less likely than that to be reached and kept.

    Huang, Guo and Wang (2024), "SpecDec++: boosting speculative decoding via adaptive
    candidate lengths", Theorem 3.1, stops so by a trained head's confidence.
    https://arxiv.org/abs/2405.19715
    """

    def more(before: tuple[int, ...], rows: Probs) -> bool:
        lengths = range(1, len(before) + 1)
        kept = (confidence(before[: n - 1], rows[:n]) for n in lengths)
        return bool(prod(kept) >= least)

    return more


def budgeted(
    proposals: Sequence[Proposal], confidence: Confidence, budget: int
) -> list[Proposal]:
    """A prefix of each chain, `budget` tokens in all: those likeliest to be kept.

    A token survives with the product of the confidences up to it. The best next token
    of any request is submitted, and only then seen, until the budget is spent: so these
    lengths are predictable if the budget is, one set from earlier steps for example.
    """
    for proposal in proposals:
        _drawn_chain(proposal)
    kept = [0] * len(proposals)
    survival: dict[int, Any] = {r: 1 for r in range(len(proposals))}
    for r in list(survival):
        _look(r, proposals[r], 0, confidence, survival)
    while survival and sum(kept) < budget:
        r = max(survival, key=lambda r: survival[r])
        kept[r] += 1
        _look(r, proposals[r], kept[r], confidence, survival)
    return [_cut(proposal, n) for proposal, n in zip(proposals, kept, strict=True)]


def _look(
    r: int,
    proposal: Proposal,
    k: int,
    confidence: Confidence,
    survival: dict[int, Any],
) -> None:
    """Take token k of request r, if there is one, into account."""
    if k == len(proposal.tokens):
        del survival[r]
    else:
        survival[r] *= confidence(*_shown(proposal, k))


def _shown(proposal: Proposal, k: int) -> tuple[tuple[int, ...], Probs]:
    """What may be known when token k is decided on; a copy, since a view has a base."""
    return tuple(proposal.tokens[:k]), proposal.drawn_from[: k + 1].copy()


def _cut(proposal: Proposal, kept: int) -> Proposal:
    q = proposal.drawn_from[:kept]
    return Proposal(proposal.tokens[:kept], proposal.parents[:kept], q, proposal.kind)


def _drawn_chain(proposal: Proposal) -> None:
    if proposal.parents != [*range(-1, len(proposal.tokens) - 1)]:
        raise ValueError("a tree has no prefix: trim chains only")
    if proposal.q is None:
        raise ValueError("a fixed draft needs no guard: cut it where you like")
