"""Deferred rejection on a chain: a refusal is waived if all goes well after it. Lossy.

Li et al. (2025), "Training-free loosely speculative decoding: accepting semantically
correct drafts beyond exact match" (FLy), section 3: an entropy gate, then a window.
https://arxiv.org/abs/2511.22972
"""

from ..probs import Probs, entropy, residual
from ..proposal import Proposal
from ..randomness import Source


def verify(
    p: Probs, proposal: Proposal, source: Source, *, gate: float = 0.3, window: int = 1
) -> list[int]:
    """Keep a prefix as speculative sampling does, but for waived refusals; add a token.

    A refusal is waived where the target's entropy is at least `gate` nats and the next
    `window` drafted tokens are there and none of them is refused. The paper's window is
    six and refuses whatever is not the likeliest token; its code takes the entropy of
    the three likeliest tokens alone.

    Entropy depends on no coin: floats decide the gate, and the odds stay exact. At the
    first of two tokens a window of 1 and an open gate leave p + w - (sum w) r, where
    w(x) = (q(x) - p(x))+ times the odds that the token after x is kept, and r is
    norm((p - q)+).
    Coins: accept[i] for every drafted token, then sample where the block ends.
    """
    tokens, q = proposal.tokens, proposal.drawn_from
    fine = [source.accept(i, min(1, p[i, x] / q[i, x])) for i, x in enumerate(tokens)]
    for i in range(len(tokens)):
        after = fine[i + 1 : i + 1 + window]
        waived = len(after) == window and all(after) and entropy(p[i]) >= gate
        if not fine[i] and not waived:
            return [*tokens[:i], source.sample(i, residual(p[i], q[i]))]
    return [*tokens, source.sample(len(tokens), p[-1])]
