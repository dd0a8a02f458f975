"""What the server says of its drafts: counts that can be, and that stay the same."""

import math

import numpy as np

from specsim.oracle.evidence import LN10, Array, log_mean
from specsim.oracle.http.ask import Ask
from specsim.oracle.http.bench import Bench, Found, failed, passed

LONGEST, TOKENS = 6, 16
STAKES = np.concatenate([-np.geomspace(0.5, 32, 7), np.geomspace(0.5, 32, 7)])


def recount(bench: Bench) -> Found:
    """Of each answer: none accepted that was not drafted, none counted backwards."""
    tried = seen = 0
    for prompt in bench.prompts(4 * bench.scale.texts, "recount"):
        for most in range(2, LONGEST + 1):
            reply, drafted, accepted = bench.counted(Ask(prompt, most))
            tried += 1
            seen += drafted
            if not 0 <= accepted <= drafted:
                what = f"{accepted} of {drafted} drafted tokens accepted"
                return failed(f"{what} in a text of {len(reply.ids)}", tried)
    if not seen:
        return Found("unsupported", "the server says that it drafts nothing", tried)
    return passed(f"{tried} texts, {seen} tokens drafted", tried)


def look(bench: Bench) -> None:
    """Ask a first time what `drift` asks again at the end."""
    seeded = "seed" in bench.server.offers
    for number, prompt in enumerate(bench.prompts(bench.scale.pairs, "drift")):
        ask = Ask(prompt, TOKENS, seed=number if seeded else None)
        _, drafted, accepted = bench.counted(ask)
        bench.early[ask] = drafted, accepted


def drift(bench: Bench) -> Found:
    """Acceptance of the same requests, early and late.

    If nothing drifts, early and late may be swapped, so whatever the size of a change,
    its sign is a fair coin; the bet is that falls, or rises, prevail.
    """
    fillers = bench.prompts(2 * len(bench.early), "fillers")
    bench.server.ones([Ask(prompt, TOKENS) for prompt in fillers])
    late = [bench.counted(ask)[1:] for ask in bench.early]
    rates = [
        [accepted / drafted if drafted else math.nan for drafted, accepted in counts]
        for counts in (bench.early.values(), late)
    ]
    before, after = (np.array(each) for each in rates)
    both = np.isfinite(before + after)
    log10_e = swapped(after[both] - before[both])
    means = [
        float(each[both].mean()) if both.any() else 0.0 for each in (before, after)
    ]
    what = (
        f"acceptance {means[0]:.3f} early, {means[1]:.3f} late, of {both.sum()} texts"
    )
    verdict = "rejected" if log10_e >= bench.hurdle else "not_rejected"
    return Found(verdict, f"{what}; log10 E {log10_e:.1f}", int(both.sum()), log10_e)


def swapped(changes: Array) -> float:
    """log10 of an e-value against changes (n,) whose signs are fair coins.

    A stake pays exp(s x) / cosh(s x) on a change x: 1 on average over its sign.

    >>> swapped(np.full(40, 0.5)) > 9, swapped(np.zeros(40))
    (True, 0.0)
    """
    x = STAKES[:, None] * changes
    paid = x - np.logaddexp(x, -x) + math.log(2)
    return float(log_mean(paid.sum(1))) / LN10
