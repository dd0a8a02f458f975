"""Target-only tree sampling with thresholds for acceptance. Lossy below 1.

The rule of SGLang's kernel, with its options threshold_single and threshold_acc; at 1
it is the naive sampling of Miao et al. (2024), "SpecInfer", section 4.3.
https://arxiv.org/abs/2305.09781
"""

from fractions import Fraction
from typing import Any

from ..probs import Probs, number, without
from ..proposal import Proposal
from ..randomness import Source


def verify(
    p: Probs,
    proposal: Proposal,
    source: Source,
    *,
    single: Any = Fraction(1, 4),
    acc: Any = Fraction(1, 2),
) -> list[int]:
    """Walk down the tree while some child is kept, then add one token.

    single: a child of at least this probability is kept for sure.
    acc:    what the probabilities of the children so far, S_j, are divided by.

    With C_j = min(1, S_j / acc), or 1 from the first child of probability `single` on,
    child j has the odds C_j - C_(j-1), and any other token y those of
    (1 - C) p(y) / (1 - S) after the last one. The kernel looks at all children with one
    uniform; here each has a coin, with the odds that it is kept given those before.
    Coins: accept[i] for each child looked at, then sample where the walk ends.
    """
    single, acc = number(single, p), number(acc, p)
    node = -1
    emitted: list[int] = []
    while True:
        left = p[node + 1]
        seen = reached = 0 * left[0]
        for child in proposal.children(node):
            x, before = proposal.tokens[child], reached
            seen = seen + left[x]
            reached = 1 if left[x] >= single else min(1, seen / acc)
            if source.accept(child, (reached - before) / (1 - before)):
                break
            left = without(left, x)
        else:
            return [*emitted, source.sample(node + 1, left)]
        node = child
        emitted.append(x)
