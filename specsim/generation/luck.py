"""Coins of a run by seed: the same seed, the same text."""

from typing import Any, Protocol

from specsim.rules import Rule
from specsim.seam import probs, randomness


class Luck(Protocol):
    """The Source of a step, from its number and the position of its first token."""

    def __call__(self, number: int, position: int) -> randomness.Source: ...


class Parted:
    """Drafts drawn by one Source, everything else by another."""

    def __init__(self, drafting: randomness.Source, judging: randomness.Source):
        self._drafting, self._judging = drafting, judging

    def draft(self, i: int, weights: probs.Probs) -> int:
        return self._drafting.draft(i, weights)

    def accept(self, i: int, prob: Any) -> bool:
        return self._judging.accept(i, prob)

    def sample(self, r: int, weights: probs.Probs) -> int:
        return self._judging.sample(r, weights)

    def race(self, d: int, weights: probs.Probs) -> int:
        return self._judging.race(d, weights)


def luck(rule: Rule, seed: int, request: int = 0) -> Luck:
    """By step; a pathwise rule by position, so that it says the same whoever drafts."""

    def of(number: int, position: int) -> randomness.Source:
        step = randomness.keyed(seed, request, number)
        if rule.losslessness != "pathwise":
            return step
        text = randomness.keyed(seed, request)
        return Parted(step, randomness.Shifted(text, position))

    return of
