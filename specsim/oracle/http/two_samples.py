"""Do two servers draw from one law, which nobody knows?

In a context (a prompt and what was said after it) both draw tokens. A bet is placed on
each round: with rows f and g learnt from the rounds before, m draws x of the one and m
draws y of the other pay

    prod f(x) g(y) / (h(x) h(y)),   h = (f + g) / 2.

If both draw from one row P, whatever it is, the means of f(x) / h(x) and of g(y) / h(y)
sum to 2, so the product of the two is at most 1: money grows by 1 on
average at most, and what is paid over rounds is a test martingale (Ville). Turner, Ly
and Gruenwald (2024), "Generic E-variables for exact sequential k-sample tests",
https://arxiv.org/abs/2106.02693.

The i-th draws in a context are paired within a round, and what is left over is dropped:
how many pairs there are depends on earlier tokens of the texts alone, not on the draws
that are paired.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from specsim.oracle.evidence import LN10, Array, log_mean

Context = tuple[int, tuple[int, ...]]
Text = tuple[int, ...]
WORTH = np.geomspace(1, 1e3, 7)
"""How many draws the pooled row is worth against each server's own."""


class TwoSamples:
    """The money made by betting that two servers differ; 1 at first.

    log10_e: the largest so far.
    """

    def __init__(self) -> None:
        self._counts: dict[Context, dict[int, Array]] = defaultdict(dict)
        self._made: dict[Context, Array] = {}
        self.log10_e, self.pairs = 0.0, 0

    def observe(
        self, one: Sequence[Sequence[Text]], other: Sequence[Sequence[Text]]
    ) -> None:
        """A round: texts by prompt, of both servers."""
        first, second = _draws(one), _draws(other)
        for context in first.keys() & second.keys():
            m = min(len(first[context]), len(second[context]))
            self._bet(context, first[context][:m], second[context][:m])
            self.pairs += m
        self.log10_e = max(self.log10_e, self.valued())

    def valued(self) -> float:
        """log10 of the money now: a half on one prompt's differing, a half on all."""
        if not self._made:
            return 0.0
        by_prompt: dict[int, float] = defaultdict(float)
        for (prompt, _), made in self._made.items():
            by_prompt[prompt] += float(log_mean(made))
        some = float(log_mean(np.array([*by_prompt.values()])))
        every = float(log_mean(np.sum([*self._made.values()], axis=0)))
        return float(np.logaddexp(some, every) - np.log(2)) / LN10

    def worst(self) -> tuple[Context, int, int, int, int] | None:
        """The token that sets the two apart most: the context, the token, how often
        each said it, and of how many.
        """
        found = None
        for context, counts in self._counts.items():
            n = int(sum(pair[0] for pair in counts.values()))
            for token, (a, b) in counts.items():
                score = (a - b) ** 2 / (a + b)
                if found is None or score > found[0]:
                    found = score, (context, token, int(a), int(b), n)
        return found and found[1]

    def _bet(self, context: Context, one: list[int], other: list[int]) -> None:
        """Bet on the tokens seen before, all others being one more; then count."""
        seen = self._counts[context]
        counts = np.array([*seen.values(), np.zeros(2)])
        pooled = (counts.sum(1) + 0.5) / (counts.sum() + 0.5 * len(counts))
        worth = WORTH[:, None, None]
        rows = (worth * pooled[:, None] + counts) / (worth + counts.sum(0))
        logs = np.log(rows) - np.log(rows.mean(-1, keepdims=True))
        drawn = [Counter(one), Counter(other)]
        known = [[part[token] for part in drawn] for token in seen]
        rest = len(one) - np.array(known).reshape(-1, 2).sum(0)
        made = (logs * np.array([*known, rest])).sum((1, 2))
        self._made[context] = self._made.get(context, np.zeros(len(WORTH))) + made
        for token in {*one, *other}:
            new = np.array([part[token] for part in drawn])
            seen[token] = seen.get(token, np.zeros(2)) + new


def _draws(texts: Sequence[Sequence[Text]]) -> dict[Context, list[int]]:
    """The tokens drawn in each context, in the order of the texts."""
    made: dict[Context, list[int]] = defaultdict(list)
    for prompt, said in enumerate(texts):
        for text in said:
            for i, token in enumerate(text):
                made[prompt, text[:i]].append(token)
    return made
