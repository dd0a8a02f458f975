"""Logprobs are those of the rows that tokens were drawn from."""

import math
from collections.abc import Mapping

from specsim.oracle.http.ask import Ask, Reply
from specsim.oracle.http.bench import TOPS, Bench, Found, failed, passed, row

TOKENS = 10
MASS = 1e-3
"""What a row of probabilities may sum to above 1, as logprobs are rounded."""
SURE = -9.0
"""Nats: a token beside which others are likelier than this is not certain."""


def consistent(bench: Bench) -> Found:
    """At each position: a sum of at most 1, the token's own the one in the row, and
    0.0 for none that had rivals.
    """
    tried = 0
    asks = [
        Ask(p, TOKENS, top=TOPS, count=4)
        for p in bench.prompts(bench.scale.texts, "logprobs")
    ]
    for replies in bench.server.each(asks):
        for reply in replies:
            for where, token in enumerate(reply.ids):
                tried += 1
                if wrong := _wrong(reply, where, token):
                    return failed(f"position {where}: {wrong}", tried)
    return passed(f"{tried} rows agree with themselves", tried)


def forced(bench: Bench) -> Found:
    """The same as those of a one-token answer to the prompt and what was said before.

    The token may be another there: its logprob is found among the likeliest.
    """
    tried, worst = 0, 0.0
    for prompt in bench.prompts(bench.scale.texts, "forced"):
        reply = bench.server.one(Ask(prompt, TOKENS, top=TOPS))
        alone = [
            Ask((*prompt, *reply.ids[:i]), 1, top=TOPS) for i in range(len(reply.ids))
        ]
        for where, other in enumerate(bench.server.ones(alone)):
            token = reply.ids[where]
            off = _off(reply, where, token, row(other))
            tried += off is not None
            worst = max(worst, off or 0.0)
            if off is not None and off > 2 * bench.near:
                what = f"position {where}: the logprob of token {token} in a block is "
                return failed(f"{what}{off:.3g} nats from what it is alone", tried)
    limit = f"within {worst:.2g} nats (at most {2 * bench.near:.2g})"
    return passed(f"{tried} logprobs, {limit} of those of single tokens", tried)


def _off(
    reply: Reply, where: int, token: int, alone: Mapping[int, float]
) -> float | None:
    """By how much a token's logprob differs; None where one is not told."""
    if reply.logprobs is None or token not in alone:
        return None
    own, other = reply.logprobs[where], alone[token]
    if math.isinf(own) or math.isinf(other):
        return 0.0 if own == other else math.inf
    return abs(own - other)


def _wrong(reply: Reply, where: int, token: int) -> str:
    own = reply.logprobs[where] if reply.logprobs else None
    tops = reply.tops[where] if reply.tops else {}
    mass = sum(math.exp(value) for value in tops.values())
    if mass > 1 + MASS:
        return f"the likeliest tokens have {mass:.4f} of the odds together"
    if own is None:
        return ""
    if own == -math.inf:
        return f"token {token} was drawn, and its logprob is -inf"
    rivals = [value for other, value in tops.items() if other != token]
    if own == 0.0 and max(rivals, default=-math.inf) > SURE:
        return f"logprob 0.0 for token {token}, which had rivals"
    if own == 0.0 and not tops:
        return f"logprob 0.0 for token {token}, and no row beside it"
    if token in tops and abs(tops[token] - own) > MASS:
        return f"token {token} has logprob {own:.4g}, in its row {tops[token]:.4g}"
    return ""
