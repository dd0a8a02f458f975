"""Against the same server without speculation."""

from specsim.oracle.http.ask import Ask
from specsim.oracle.http.bench import TOPS, Bench, Found, failed, passed, row
from specsim.oracle.http.checks.compared import parted

TOKENS = 24


def greedy(bench: Bench) -> Found:
    """Greedy texts are the plain ones, but for ties; the plain server is asked twice,
    since a text that it does not repeat itself proves nothing.
    """
    assert bench.plain
    asks = [Ask(p, TOKENS, 0.0) for p in bench.prompts(4 * bench.scale.texts, "plain")]
    first, again = (
        [reply.ids for reply in bench.plain.ones(asks)],
        [bench.plain.one(ask).ids for ask in asks],
    )
    other = [reply.ids for reply in bench.server.ones(asks)]
    same = near = 0
    for ask, one, two, spec in zip(asks, first, again, other, strict=True):
        if spec in (one, two):
            same += 1
        elif wrong := parted(bench, bench.plain, ask, one, spec):
            return failed(f"after {list(ask.prompt)}: {wrong}", len(asks))
        else:
            near += 1
    varying = sum(a != b for a, b in zip(first, again, strict=True))
    what = f"{same} of {len(asks)} texts the same, {near} parted by a tie or numerics"
    return passed(f"{what}; {varying} vary without speculation", len(asks))


def logprobs(bench: Bench) -> Found:
    """What the server says of its tokens, against what the plain one says of the same,
    each as a single token.
    """
    assert bench.plain
    tried, worst = 0, 0.0
    for prompt in bench.prompts(bench.scale.texts, "plain logprobs"):
        reply = bench.server.one(Ask(prompt, TOKENS, top=TOPS))
        alone = [
            Ask((*prompt, *reply.ids[:i]), 1, top=TOPS) for i in range(len(reply.ids))
        ]
        for where, other in enumerate(bench.plain.ones(alone)):
            tops, token = row(other), reply.ids[where]
            if reply.logprobs is None or token not in tops:
                continue
            tried += 1
            off = abs(reply.logprobs[where] - tops[token])
            worst = max(worst, off)
            if off > 2 * bench.near:
                what = f"position {where}: the logprob of token {token} is "
                return failed(f"{what}{off:.3g} nats from the plain one", tried)
    return passed(f"{tried} logprobs within {worst:.2g} nats of plain ones", tried)
