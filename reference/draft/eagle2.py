"""EAGLE-2: the tree of the paths that the draft itself is surest of.

Li, Wei, Zhang and Zhang (2024), "EAGLE-2: faster inference of language models with
dynamic draft trees", section 4. https://arxiv.org/abs/2406.16858
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..probs import top
from ..proposal import Proposal, trie
from ..randomness import Source
from .features import FeatureModel, Features
from .growing import Fed, Path


class Scored(NamedTuple):
    """A path, the product of its probabilities, and what the draft knows before it."""

    path: Path
    score: Any
    before: Fed


class Eagle2(Features):
    """Expand, then re-rank: of all nodes scored the `nodes` best are proposed.

    At each level the `width` best paths are read, and their `width` likeliest tokens
    scored. Of equals the shallower and then the earlier is better, so a node is never
    chosen without its parent. No luck: nothing is drawn.
    """

    def __init__(self, model: FeatureModel, width: int = 10, nodes: int = 60):
        super().__init__(model)
        self.width, self.nodes = width, nodes

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        """At most k levels; no coins."""
        scored: list[Scored] = []
        if self.ready(context) and k:
            level = self._children((), 1, self.start())
            for _ in range(k - 1):
                scored += level
                level = self._below(level)
            scored += level
        best = sorted(scored, key=lambda one: -one.score)[: self.nodes]
        return self.proposed(trie(one.path for one in best))

    def _children(self, path: Path, score: Any, fed: Fed) -> list[Scored]:
        tokens = top(fed.row, self.width)
        return [Scored((*path, t), score * fed.row[t], fed) for t in tokens]

    def _below(self, level: list[Scored]) -> list[Scored]:
        """The children of the best of a level, read together."""
        best = sorted(level, key=lambda one: -one.score)[: self.width]
        if not best:
            return []
        tokens = [one.path[-1] for one in best]
        parents = [one.before.node for one in best]
        states = np.stack([one.before.state for one in best])
        rows, made = self.model.extend(tokens, parents, states)
        self._nodes += len(best)
        nodes = range(self._nodes - len(best), self._nodes)
        fed = map(Fed, nodes, rows, made)
        return [
            child
            for one, now in zip(best, fed, strict=True)
            for child in self._children(one.path, one.score, now)
        ]

    def start(self) -> Fed:
        """Read the text that is new, and number nodes on from there."""
        last = super().start()
        self._nodes = last.node + 1
        return last
