"""Two greedy texts of one request, and whether numerics may have parted them.

How near a token is to being chosen is found by nudging it: with that little added to
its logit, does an answer of one token choose it? So it does not matter whether a
server's logprobs are those before its processors or after, which differs by server.
"""

from collections.abc import Sequence

from specsim.oracle.divergence import agreed
from specsim.oracle.http.ask import Ask
from specsim.oracle.http.bench import TOPS, Bench, row
from specsim.oracle.http.server import Server

UNKNOWN = "and nothing says how near the two are"


def parted(
    bench: Bench, server: Server, ask: Ask, one: Sequence[int], other: Sequence[int]
) -> str:
    """What parts the texts; "" where nothing does, or numerics may.

    `server` is asked, for one token each, how near the tokens at the divergence are.
    """
    index = agreed(one, other)
    if index == len(one) == len(other):
        return ""
    if index in (len(one), len(other)):
        return f"one goes on after {index} tokens, where the other ends"
    alone = ask.but(prompt=(*ask.prompt, *one[:index]), max_tokens=1, count=1)
    far = [
        wrong
        for t in (one[index], other[index])
        if (wrong := far_off(bench, server, alone, t))
    ]
    return f"token {index} is {other[index]}, not {one[index]}: {far[0]}" if far else ""


def far_off(bench: Bench, server: Server, alone: Ask, token: int) -> str:
    """Why a token is none that numerics may choose in a greedy one-token answer."""
    near = bench.near
    if "logit_bias" in server.offers:
        bias = {**alone.logit_bias, token: alone.logit_bias.get(token, 0.0) + near}
        said = server.one(alone.but(logit_bias=bias)).ids[:1]
        if said == (token,):
            return ""
        return f"even with {near:.2g} added to its logit {token} is not chosen"
    if "tops" not in server.offers:
        return UNKNOWN
    tops = row(server.one(alone.but(temperature=1.0, top=TOPS)))
    margin = max(tops.values()) - tops.get(token, min(tops.values()))
    return "" if margin <= near else f"token {token} is {margin:.2g} nats behind"
