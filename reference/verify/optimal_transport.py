"""Optimal transport, one level at a time: of all such rules the one that goes on most.

Sun et al. (2023), "SpecTr: fast speculative decoding via optimal transport".
https://arxiv.org/abs/2310.15141
Khisti et al. (2024), "Multi-draft speculative sampling: canonical decomposition and
theoretical limits", section 3. https://arxiv.org/abs/2410.18234
The plan is a maximum flow over all tuples of siblings: this is for small vocabularies.
"""

from ..probs import Probs, residual
from ..proposal import Kind, Proposal
from ..randomness import Refused, Source
from ..remembered import remembered
from ..transport import plan, siblings


def verify(p: Probs, proposal: Proposal, source: Source) -> list[int]:
    """Draw from the target, leaning to the tokens drafted; while it is one, go there.

    Coins: sample at each row visited.
    """
    emitted: list[int] = []
    node: int | None = -1
    while node is not None:
        row, children = p[node + 1], proposal.children(node)
        if children:
            drafted = tuple(sorted(proposal.tokens[child] for child in children))
            q = proposal.drawn_from[children[0]]
            row = _leaning(row, q, drafted, proposal.kind)
        emitted.append(source.sample(node + 1, row))
        node = proposal.at(emitted)
    return emitted


@remembered
def _leaning(p: Probs, q: Probs, drafted: tuple[int, ...], kind: Kind) -> Probs:
    """The law (V,) of the token given what was drafted; on average it is p."""
    law = siblings(q, len(drafted), kind)
    if drafted not in law:
        raise Refused(f"siblings {drafted} cannot be {kind} draws from {q}")
    here, all_served = 0 * p, 0 * p
    for (t, x), mass in plan(p, law)[0].items():
        all_served[x] += mass
        if t == drafted:
            here[x] += mass
    left = residual(p, all_served)
    if left.any():
        here = here * left.sum() + (law[drafted] - here.sum()) * left
    return here
