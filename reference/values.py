"""What a draft is worth: exact values that no rule may exceed, and trees worth most.

Models are `Rows`: tokens in, next-token probabilities out. Fractions in, Fractions out;
floats in, floats out. One level of siblings is worth `transport.optimum`.
"""

from collections.abc import Callable, Sequence
from functools import cache
from heapq import heappop, heappush
from itertools import count
from math import prod
from typing import Any

from .probs import Probs
from .proposal import Proposal, Rows

Number = Any
"""A Fraction, an int or a float."""


def chain_survival(target: Rows, drafter: Rows, k: int) -> list[Number]:
    """P(at least d drafted tokens are kept), d = 1 to k, by speculative sampling.

    The sum over texts of d tokens of the product of min(p, q) along them, not the
    product of averages. Leviathan, Kalman and Matias (2023).
    https://arxiv.org/abs/2211.17192

    >>> from reference.model.table import constant
    >>> 1 + sum(chain_survival(constant([1, 2]), constant([2, 1]), 2))
    Fraction(19, 9)
    """

    def step(mass: Number, p: Number, q: Number, drafted: Number) -> Number:
        return mass * min(p, q)

    return _survival(target, drafter, k, step)


def block_survival(target: Rows, drafter: Rows, k: int) -> list[Number]:
    """The same by block verification: the most that any rule can keep of one path.

    A text is kept no more often than it is drafted, nor than all but its last token is
    kept and the target then says that one: the least of the two, m(s x) =
    min(m(s) p(x | s), q(s x)), is reached. Sun et al. (2024).
    https://arxiv.org/abs/2403.10444

    >>> from reference.model.table import constant
    >>> 1 + sum(block_survival(constant([1, 2]), constant([2, 1]), 2))
    Fraction(20, 9)
    """

    def step(mass: Number, p: Number, q: Number, drafted: Number) -> Number:
        return min(mass * p, drafted * q)

    return _survival(target, drafter, k, step)


def tree_survival(target: Rows, proposal: Proposal) -> list[Number]:
    """P(at least d drafted tokens are kept), d = 1 to its depth, of this very tree.

    By rules that keep the target's law for each fixed draft: at depth d, the sum of p
    over the texts that are there. Miao et al. (2024). https://arxiv.org/abs/2305.09781

    >>> from reference.model.table import constant
    >>> tree = Proposal([2, 0, 2, 2], [-1, -1, 0, 1], None, "fixed")
    >>> 1 + sum(tree_survival(constant([3, 2, 1]), tree))
    Fraction(16, 9)
    """
    paths = {proposal.path(node) for node in range(len(proposal.tokens))}
    depth = max(map(len, paths), default=0)
    return [
        sum(_along(target, path) for path in paths if len(path) == d)
        for d in range(1, depth + 1)
    ]


def best_tree(rows: Rows, nodes: int, depth: int | None = None) -> Proposal:
    """The tree of that many nodes, no deeper than `depth`, most of which is said.

    Best first: the texts of largest probability under `rows`, each of which comes after
    the text it continues; of equals the one found first. Fewer where the support ends.
    With the target's own rows none has a larger `tree_survival`; drafters use theirs.
    Wang et al. (2024), "OPT-Tree: speculative decoding with adaptive draft tree
    structure". https://arxiv.org/abs/2406.17276

    >>> best_tree(lambda prefix: np.array([0.5, 0.3, 0.2]), 4)[:2]
    ([0, 1, 0, 2], [-1, -1, 0, -1])
    """
    tree = Proposal([], [], None, "fixed")
    found: list[tuple[Number, int, int, int, tuple[int, ...]]] = []
    order = count()

    def look_below(node: int, path: tuple[int, ...], odds: Number) -> None:
        for x, share in enumerate(rows(path) if len(path) != depth else ()):
            if share:
                heappush(found, (-odds * share, next(order), x, node, path))

    look_below(-1, (), 1)
    while found and len(tree.tokens) < nodes:
        odds, _, x, node, path = heappop(found)
        tree.tokens.append(x)
        tree.parents.append(node)
        look_below(len(tree.tokens) - 1, (*path, x), -odds)
    return tree


def tree_tokens(
    rates: Sequence[Number], nodes: int, depth: int | None = None
) -> Number:
    """Tokens a step emits on average with the best tree of that many drafted nodes.

    rates: odds that the r-th child tried is the one kept, whatever the node; they do
           not increase with r.

    A root with n nodes below it is worth 1 + the most that sum over r of rates[r] times
    the worth of the r-th subtree can be, over all ways to share n nodes among subtrees.
    Chen et al. (2024), "Sequoia: scalable and robust speculative decoding".
    https://arxiv.org/abs/2402.12374

    >>> from fractions import Fraction
    >>> rates = [Fraction(n, 10) for n in (6, 2, 1)]
    >>> [str(tree_tokens(rates, n)) for n in range(5)]
    ['1', '8/5', '49/25', '272/125', '297/125']
    >>> [str(tree_tokens(rates, n, depth=1)) for n in range(5)]
    ['1', '8/5', '9/5', '19/10', '19/10']
    """

    @cache
    def tree(n: int, height: int) -> Number:
        return 1 + forest(n, 0, height)

    @cache
    def forest(n: int, r: int, height: int) -> Number:
        if not n or not height or r == len(rates):
            return 0
        return max(
            (rates[r] * tree(m - 1, height - 1) if m else 0)
            + forest(n - m, r + 1, height)
            for m in range(n + 1)
        )

    return tree(nodes, nodes if depth is None else depth)


def tokens_by_state(rates: Probs, moves: Probs, start: Probs, k: int) -> Number:
    """Tokens a step emits on average when acceptance hangs on a hidden state.

    rates: (S,) odds that a token is accepted in each state, say of easy and hard text
    moves: (S, S) odds of going from each state, a row, to each before the next token
    start: (S,) odds of the state of the first of k tokens

    Text that stays as hard as it starts, half of it at 9/10 and half at 1/2:

    >>> half = np.array([0.5, 0.5])
    >>> round(float(tokens_by_state(np.array([0.9, 0.5]), np.eye(2), half, 5)), 3)
    3.327
    """
    tokens, alive = 1, start
    for _ in range(k):
        kept = alive * rates
        tokens, alive = tokens + kept.sum(), kept @ moves
    return tokens


def _survival(
    target: Rows, drafter: Rows, k: int, step: Callable[..., Number]
) -> list[Number]:
    """How much mass there is at each depth, which `step` hands from text to text."""
    level: dict[tuple[int, ...], tuple[Number, Number]] = {(): (1, 1)}
    survival = []
    for _ in range(k):
        level = {
            (*text, x): (step(mass, p, q, drafted), drafted * q)
            for text, (mass, drafted) in level.items()
            for x, (p, q) in enumerate(zip(target(text), drafter(text), strict=True))
        }
        survival.append(sum(mass for mass, _ in level.values()))
    return survival


def _along(rows: Rows, path: tuple[int, ...]) -> Number:
    return prod(rows(path[:d])[x] for d, x in enumerate(path))
