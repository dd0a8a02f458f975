"""eagle-llm's `evaluate_posterior`, of EAGLE's first version, behind the contract.

Siblings are drawn without replacement.
"""

from typing import Any

import numpy as np
import torch

from specsim.oracle.engines.alone import alone
from specsim.oracle.engines.luck import given
from specsim.oracle.engines.shapes import paths
from specsim.oracle.engines.tensors import block, logits, probs

Array = np.ndarray[Any, Any]
theirs = alone("eagle", "model/utils.py")


class Tree:
    """One block of a tree. Nodes are counted from 1 here, 0 is the root."""

    kinds = frozenset({"without_replacement"})

    def verify_tree(
        self, p: Array, q: Array, tokens: Array, parents: Array, kind: str, *, rng: Any
    ) -> list[int]:
        nodes = paths(parents)
        known = torch.from_numpy(np.append(0, tokens))
        at = torch.from_numpy(np.maximum(nodes, 0))
        candidates = torch.where(torch.from_numpy(nodes) < 0, -1, known[at])
        own = np.append(1.0, q[np.arange(len(tokens)), tokens]).astype(np.float32)
        elder = [_elder(parents, node) for node in range(len(parents) + 1)]
        first = [
            node if not earlier else earlier[0] for node, earlier in enumerate(elder)
        ]
        with given(rng):
            best, kept, row = theirs.evaluate_posterior(
                logits(p)[at],
                candidates,
                lambda ids, scores: scores,
                torch.from_numpy(own)[at],
                [probs(np.insert(q, 0, 0, axis=0))] * nodes.shape[1],
                [[first[node] for node in path] for path in nodes],
                known[None],
                [[elder[node] for node in path] for path in nodes],
            )
        weights = row.double().numpy()
        last = rng.choice(len(weights), p=weights / weights.sum())
        return block(candidates[int(best), 1:].numpy(), kept, last)


def _elder(parents: Array, node: int) -> list[int]:
    """The siblings that were drawn before a node."""
    if not node:
        return []
    return [
        int(n) + 1 for n in np.flatnonzero(parents == parents[node - 1]) if n < node - 1
    ]
