"""Small integers from a name: the same on every machine and in every version."""

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

T = TypeVar("T")
FINE = 2**16


class Luck:
    """Python promises the stream of `random()` for a seed, and nothing else is used."""

    def __init__(self, *name: object):
        self._random = random.Random("/".join(map(str, name))).random

    def below(self, n: int) -> int:
        return int(self._random() * n)

    def pick(self, among: Sequence[T]) -> T:
        return among[self.below(len(among))]

    def coin(self, over: int = FINE) -> Fraction:
        """An odd multiple of 1 / (2 * over) in (0, 1)."""
        return Fraction(2 * self.below(over) + 1, 2 * over)

    def shuffled(self, things: Sequence[T]) -> list[T]:
        left = list(things)
        return [left.pop(self.below(len(left))) for _ in things]

    def parts(self, total: int, count: int) -> list[int]:
        """`count` whole numbers that add up to `total`, some of them often zero."""
        cuts = sorted(self.below(total + 1) for _ in range(count - 1))
        made = [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
        gone = self.below(count)
        if count > 2 and self.below(3) == 0:  # a zero where chance seldom puts one
            made[(gone + 1) % count] += made[gone]
            made[gone] = 0
        return made

    def halves(self, total: int, count: int) -> list[int]:
        """Up to `count` powers of two that weigh `total`, which is one; then zeros."""
        made = [total]
        for _ in range(self.below(count) if self.below(8) == 0 else count - 1):
            big = self.pick([m for m in made if m > 1] or [0])
            if big:
                made.remove(big)
                made += [big // 2, big // 2]
        return self.shuffled(made + [0] * (count - len(made)))
