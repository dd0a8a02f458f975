"""Requests do not touch each other: not those before, not those beside."""

from collections.abc import Iterator, Sequence

from specsim.oracle.divergence import GROSS
from specsim.oracle.http.ask import Ask
from specsim.oracle.http.bench import Bench, Found, failed, passed
from specsim.oracle.http.checks.compared import parted
from specsim.oracle.http.server import LANES

TOKENS, WORDS, ROUNDS = 12, 3, 3
PULL = 100.0
"""Added to the logits of the words a canary may say: others have odds of e**-100."""


def afterwards(bench: Bench) -> Found:
    """A greedy request says the same after other requests, whichever they are."""
    asks = _asks(bench)
    before = [bench.server.one(ask).ids for ask in asks]
    for prompt in bench.prompts(LANES, "others"):
        bench.server.one(Ask(prompt, TOKENS))
    after = [bench.server.one(ask).ids for ask in reversed(asks)]
    return _compared(bench, asks, before, after[::-1])


def together(bench: Bench) -> Found:
    """A greedy request says the same among others, greedy and not, at once."""
    asks = _asks(bench)
    before = [bench.server.one(ask).ids for ask in asks]
    others = [Ask(p, 2 * TOKENS) for p in bench.prompts(len(asks), "others")]
    mixed = [ask for both in zip(others, asks, strict=True) for ask in both]
    after = [reply.ids for reply in bench.server.ones(mixed)[1::2]]
    return _compared(bench, asks, before, after)


def noise(bench: Bench) -> Found:
    """The rows of single tokens are the same alone and among others, but for noise."""
    if bench.noise > GROSS:
        return failed(f"rows differ by {bench.noise:.2g} nats with the batch", 1)
    return passed(f"rows of single tokens vary by {bench.noise:.2g} nats", 1)


def canaries(bench: Bench) -> Found:
    """Requests in flight at once, each held to words of its own, say no others'."""
    words = _vocabularies(bench)
    if len(words) < 2:
        return Found("inconclusive", "too few words to tell requests apart", 0)
    asks = [
        Ask(p, 2 * TOKENS, logit_bias=dict.fromkeys(words[i % len(words)], PULL))
        for i, p in enumerate(bench.prompts(ROUNDS * LANES, "canaries"))
    ]
    tried = 0
    for ask, reply in zip(asks, bench.server.ones(asks), strict=True):
        tried += len(reply.ids)
        for where, token in enumerate(reply.ids):
            if token not in ask.logit_bias:
                held = sorted(ask.logit_bias)
                what = f"token {token} at position {where} of a text held to {held}"
                return failed(what, tried)
    return passed(f"{tried} tokens of {len(asks)} texts, none of another's", tried)


def seeds(bench: Bench) -> Found:
    """The same seed says the same, alone and among others; other seeds say others.

    Numerics may turn a draw now and then: it is wrong if most seeds say otherwise.
    """
    prompts = bench.prompts(4 * bench.scale.texts, "seeds")
    asks = [Ask(p, 2 * TOKENS, seed=11 + i) for i, p in enumerate(prompts)]
    first = [bench.server.one(ask).ids for ask in asks]
    again = [bench.server.one(ask).ids for ask in asks]
    others = [Ask(p, 2 * TOKENS) for p in bench.prompts(len(asks), "others")]
    mixed = [ask for both in zip(others, asks, strict=True) for ask in both]
    beside = [reply.ids for reply in bench.server.ones(mixed)[1::2]]
    varied = 0
    for what, said in (("asked again", again), ("asked among others", beside)):
        off = sum(a != b for a, b in zip(first, said, strict=True))
        varied += off
        if 2 * off > len(asks):
            said_so = f"{what}, {off} of {len(asks)} seeds say otherwise"
            return failed(said_so, len(asks))
    changed = [ask.but(seed=(ask.seed or 0) + 1000) for ask in asks]
    if [bench.server.one(ask).ids for ask in changed] == first:
        return failed("other seeds say the same", len(asks))
    what = f"{len(asks)} seeds replayed, alone and among others"
    return passed(f"{what}; {varied} texts varied", len(asks))


def _asks(bench: Bench) -> list[Ask]:
    prompts = bench.prompts(2 * bench.scale.texts, "state")
    return [Ask(prompt, TOKENS, 0.0) for prompt in prompts]


def _compared(
    bench: Bench,
    asks: Sequence[Ask],
    before: Sequence[tuple[int, ...]],
    after: Sequence[tuple[int, ...]],
) -> Found:
    for ask, one, other in zip(asks, before, after, strict=True):
        if wrong := parted(bench, bench.server, ask, one, other):
            return failed(wrong, len(asks))
    return passed(f"{len(asks)} greedy texts, each the same again", len(asks))


def _vocabularies(bench: Bench) -> list[tuple[int, ...]]:
    """Disjoint sets of words that the server says."""

    def parts() -> Iterator[tuple[int, ...]]:
        for start in range(0, len(bench.common) - WORDS + 1, WORDS):
            yield tuple(bench.common[start : start + WORDS])

    return [*parts()][:LANES]
