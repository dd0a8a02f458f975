"""How much to draft: controllers that learn from what was kept before.

Each is predictable: the length of a draft is settled before its first token is drawn,
from earlier steps alone. (Those that look at the draft are `trimming.More`s.)
"""

from collections import deque
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import mul
from typing import Any, Protocol

from ..decode import Drafter
from ..probs import Probs
from ..proposal import Proposal
from ..randomness import Source


class Length(Protocol):
    """`next`: tokens to draft, at most so many. `saw`: drafted, and kept of them."""

    def next(self, most: int) -> int: ...
    def saw(self, drafted: int, kept: int) -> None: ...


class Adaptive:
    """A drafter of chains, asked for as much as a controller likes."""

    def __init__(self, drafter: Drafter, length: Length):
        self.drafter, self.length = drafter, length
        self._drafted = 0

    def begin(self, context: Sequence[int], hidden: Probs) -> None:
        """As the drafter's."""
        self.drafter.begin(context, hidden)

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """At most k tokens. Coins: the drafter's."""
        made = self.drafter.propose(context, self.length.next(k), source)
        self._drafted = len(made.tokens)
        return made

    def observe(self, emitted: list[int], rows: Probs, hidden: Probs) -> None:
        """As the drafter's; the controller learns as well."""
        self.drafter.observe(emitted, rows, hidden)
        self.length.saw(self._drafted, len(emitted) - 1)


class Heuristic:
    """Two more when all were kept, else one less: Hugging Face's schedule."""

    def __init__(self, first: int = 5):
        self.k = first

    def next(self, most: int) -> int:
        """At least one."""
        return min(self.k, most)

    def saw(self, drafted: int, kept: int) -> None:
        """All kept: 2 more; else 1 less."""
        if drafted:
            self.k = self.k + 2 if kept == drafted else max(1, self.k - 1)


class Goodput:
    """The length of most tokens for its cost, by what was kept in the last steps.

    cost:   of a step that drafts k tokens, in any unit; its table or a formula.
    window: how many steps are remembered.
    probe:  every so many steps one more is drafted than was best, to learn about it.

    Liu et al. (2024), "Optimizing speculative decoding for serving large language
    models using goodput". https://arxiv.org/abs/2406.14066
    """

    def __init__(self, cost: Callable[[int], float], window: int = 32, probe: int = 16):
        self.cost, self.probe = cost, probe
        self._steps: deque[tuple[int, int]] = deque(maxlen=window)
        self._count = 0

    def next(self, most: int) -> int:
        """None, if a plain step is best."""
        rates = [self._rate(i) for i in range(most)]
        tokens = [1.0, *(1 + sum_ for sum_ in accumulate(accumulate(rates, mul)))]
        best = max(range(most + 1), key=lambda k: tokens[k] / self.cost(k))
        self._count += 1
        return min(best + (self._count % self.probe == 0), most)

    def saw(self, drafted: int, kept: int) -> None:
        """Remember it."""
        self._steps.append((drafted, kept))

    def _rate(self, i: int) -> Any:
        """How often token i was kept when all before it were, by Laplace's rule."""
        reached = [kept for drafted, kept in self._steps if drafted > i and kept >= i]
        return (1 + sum(kept > i for kept in reached)) / (2 + len(reached))
