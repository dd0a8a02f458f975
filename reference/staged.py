"""Staged verification: what an inner lossless stage says is the draft of the outer one.

Spector and Re (2023), "Accelerating LLM inference with staged speculative decoding".
https://arxiv.org/abs/2308.04623
Chen et al. (2023), "Cascade speculative drafting": its vertical cascade is `draft`, its
horizontal one `by_position`. https://arxiv.org/abs/2312.11462
Sun et al. (2024), "TriForce". https://arxiv.org/abs/2404.11912

Each token of the inner stage has the middle model's law given those before it, be it
accepted, corrected or the bonus: that row is its q, never the innermost drafter's.
"""

from collections.abc import Callable

from .probs import Probs
from .proposal import Proposal, Rows, score
from .randomness import Shifted, Source

Propose = Callable[[tuple[int, ...], Source], Proposal]
"""The inner draft, from the tokens of the inner stage so far."""

Verify = Callable[[Probs, Proposal, Source], list[int]]


def draft(
    middle: Rows,
    propose: Propose,
    verify: Verify,
    k: int,
    source: Source,
    stride: int = 64,
) -> Proposal:
    """A chain of k tokens, each with the middle model's row as its q (k, V).

    Inner steps, `verify` with the middle model as the target, are made until there are
    k tokens; `propose` may itself be staged. The last block is cut by position alone.
    Coins: inner step n asks for those of `propose` and `verify`, counted from
    k + 1 + n * stride; fewer than `stride` of one purpose.
    """
    said: tuple[int, ...] = ()
    step = 0
    while len(said) < k:
        inner = Shifted(source, k + 1 + step * stride)
        drafted = propose(said, inner)
        p = score(after(middle, said), drafted)
        said += tuple(verify(p, drafted, inner))
        step += 1
    chain = Proposal(list(said[:k]), [*range(-1, k - 1)], None)
    return chain._replace(q=score(middle, chain)[:-1])


def after(rows: Rows, past: tuple[int, ...]) -> Rows:
    """The model with `past` in its context."""
    return lambda path: rows((*past, *path))


def by_position(*models: Rows) -> Rows:
    """One drafter out of several: model i draws token i, the last all that follow.

    Cheaper models may draw the later tokens, which are seldom kept: q is whatever row
    each token was drawn from, and nothing else changes.
    """
    return lambda prefix: models[min(len(prefix), len(models) - 1)](prefix)
