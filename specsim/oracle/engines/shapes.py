"""Public functions by their signature: `specsim check "shape(module:function)"`.

Each shape makes an engine of a function that is called like the one it is named for.
The function runs as it is, but for its luck: torch, random and numpy.random draw what
is asked of them (luck.py). Where a function drafts as well, its draft is the asked one.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from specsim.oracle.engines.luck import given
from specsim.oracle.engines.tensors import Model, block, logits, probs

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]
Engine = Callable[..., list[int]]
PROMPT = torch.zeros(1, 1, dtype=torch.long)
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
"""Where functions run that are compiled for a GPU."""


def rejection_rows(theirs: Function) -> Engine:
    """(target_probs (K+1, V), draft_probs (K, V), tokens (K,)) -> kept, last token."""

    def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
        with given(rng):
            return block(tokens, *theirs(probs(p), probs(q), torch.from_numpy(tokens)))

    return verify


def speculative_sampling(theirs: Function) -> Engine:
    """transformers: (ids, draft logits, K, target logits) -> valid tokens, matches."""

    def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
        drafted, k = torch.from_numpy(tokens)[None], len(tokens)
        with given(rng):
            valid, _ = theirs(drafted, logits(q)[None], k, logits(p)[None])
        return [*map(int, valid[0])]

    return verify


def speculative_decode(theirs: Function) -> Engine:
    """gpt-fast: (model, draft_model, cur_token, input_pos, speculate_k, **sampling)."""

    def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
        pair, k = (Logits(p), Step(q)), len(tokens)
        with given(rng, tokens.tolist()):
            emitted = theirs(*pair, torch.tensor(0), 0, k, temperature=1.0)
        return [*map(int, emitted)]

    return verify


class Logits(Model):
    """A model that returns bare logits, and of all rows."""

    def __call__(self, ids: torch.Tensor, *_: Any, **__: Any) -> Any:
        return super().__call__(ids).logits


class Step(Model):
    """A model that is asked for one position, with the position beside the token."""

    def __call__(self, ids: torch.Tensor, at: Any = None, *_: Any, **__: Any) -> Any:
        return self.rows[int(at[-1]) % len(self.rows)][None, None].clone()


def prefix_sampling(theirs: Function) -> Engine:
    """LLMSpeculativeSampling: (prefix, draft_model, target_model, max_len, gamma).

    Its sampler raises at token 0, so all are counted from 1. The draft is the asked
    one; the loop ends where it begins again.
    """

    def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
        shifted = [int(token) + 1 for token in tokens]
        target, draft = (np.pad(rows, ((0, 0), (1, 0))) for rows in (p, q))
        pair, k = (Cached(draft), Cached(target)), len(tokens)
        with given(rng, shifted):
            ids = theirs(PROMPT, *pair, 1, gamma=k)
        return [int(token) - 1 for token in ids[0, 1:]]

    return verify


class Cached(Model):
    """A model that is fed from where its cache ends."""

    def __call__(
        self, ids: torch.Tensor, *_: Any, past_key_values: Any = None, **__: Any
    ) -> Any:
        start = 0 if past_key_values is None else past_key_values[0][0].shape[2]
        end = start + ids.shape[-1]
        answer = super().__call__(torch.zeros(1, end))
        answer.logits = answer.logits[:, start:]
        answer.past_key_values = ((torch.zeros(1, 1, end, 1),) * 2,)
        return answer


class evaluate_posterior:
    """EAGLE: (logits, candidates, logits_processor) -> candidate, accepted, row.

    Trees whose tokens took no luck. Candidates are the paths to the leaves, of shape
    (C, L), -1 behind a short one; logits (C, L, V). The last token is drawn from row.
    """

    kinds = frozenset({"fixed"})

    def __init__(self, theirs: Function):
        self.theirs = theirs

    def verify_tree(
        self, p: Array, q: Array, tokens: Array, parents: Array, kind: str, *, rng: Any
    ) -> list[int]:
        nodes = paths(parents)
        candidates = np.where(nodes < 0, -1, np.append(0, tokens)[nodes])
        rows = logits(p)[torch.from_numpy(np.maximum(nodes, 0))]
        asked = rows, torch.from_numpy(candidates), lambda ids, scores: scores
        with given(rng):
            best, kept, row = self.theirs(*asked)
        weights = row.double().numpy()
        last = rng.choice(len(weights), p=weights / weights.sum())
        return block(candidates[int(best), 1:], kept, last)


def paths(parents: Array) -> Array:
    """Paths from the root to each leaf as rows of nodes + 1, filled up with -1.

    >>> paths(np.array([-1, -1, 0]))
    array([[ 0,  1,  3],
           [ 0,  2, -1]])
    """
    found = []
    for leaf in sorted({-1, *range(len(parents))} - {*parents.tolist()}):
        node, path = int(leaf), [int(leaf) + 1]
        while node >= 0:
            node = int(parents[node])
            path.append(node + 1)
        found.append(path[::-1])
    found.sort()
    longest = max(map(len, found))
    return np.array([path + [-1] * (longest - len(path)) for path in found])


class accept_step_iid:
    """Sequoia's tree classes, SpecInferTree: accept_step(parent) -> child or -1, row.

    theirs: the class. Siblings are independent; the last token is drawn from row.
    """

    kinds = frozenset({"iid"})

    def __init__(self, theirs: Any):
        self.theirs = theirs

    def verify_tree(
        self, p: Array, q: Array, tokens: Array, parents: Array, kind: str, *, rng: Any
    ) -> list[int]:
        tree: Any = self.theirs.__new__(self.theirs)
        below = [np.flatnonzero(parents == node) for node in range(-1, len(parents))]
        tree.Successors = [[int(child) + 1 for child in nodes] for nodes in below]
        tree.tokens, tree.ground_truth_len = torch.from_numpy(np.append(0, tokens)), 1
        tree.target_logits, tree.temperature, tree.dtype = probs(p), 1.0, torch.float32
        tree.draft_logits = logits(
            np.array([q[nodes[0]] if len(nodes) else p[0] for nodes in below])
        )
        tree.residual_graph = _residual
        with given(rng):
            tree.r = torch.rand(len(p))
            node, emitted = 0, []
            while True:
                child, row = tree.accept_step(node)
                if child < 0:
                    break
                node = child
                emitted.append(int(tree.tokens[node]))
            return [*emitted, int(row.multinomial(1))]


class accept_step(accept_step_iid):
    """Sequoia's tree classes, SpecTree: siblings are drawn without replacement."""

    kinds = frozenset({"without_replacement"})


def _residual(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """What Sequoia records in a CUDA graph."""
    left = (p - q).relu()
    return left / left.sum()


def chain_speculative_sampling(theirs: Function) -> Engine:
    """FlashInfer: (draft_probs, draft_ids, target_probs) -> tokens, and two counts.

    Its luck lies inside: each call has a seed of its own, and the law is sampled.
    """

    def verify(p: Array, q: Array, tokens: Array, *, rng: Any) -> list[int]:
        torch.manual_seed(int(rng.integers(2**62)))
        drafted = torch.from_numpy(tokens.astype(np.int32))[None].to(DEVICE)
        pair = probs(q)[None].to(DEVICE), probs(p)[None].to(DEVICE)
        emitted, *_ = theirs(pair[0], drafted, pair[1])
        return [int(token) for token in emitted[0] if token >= 0]

    return verify


class tree_speculative_sampling_target_only:
    """SGLang: coins per node and one for the last token; writes into its arguments.

    Trees whose tokens took no luck; both thresholds are 1, without which it is lossy.
    The coins are numbers, as compiled code needs them.
    """

    kinds = frozenset({"fixed"})

    def __init__(self, theirs: Function):
        self.theirs = theirs

    def verify_tree(
        self, p: Array, q: Array, tokens: Array, parents: Array, kind: str, *, rng: Any
    ) -> list[int]:
        nodes = len(parents) + 1
        predicts = torch.full((nodes,), -1, dtype=torch.int32)
        accepted = torch.full((1, nodes), -1, dtype=torch.int32)
        count = torch.zeros(1, dtype=torch.int32)
        written = [made.to(DEVICE) for made in (predicts, accepted, count)]
        read = [
            torch.from_numpy(np.append(0, tokens))[None],
            *links(parents),
            probs(rng.random((1, nodes))),
            probs(rng.random(1)),
            probs(p)[None],
            torch.zeros(1, *p.shape),
        ]
        self.theirs(*written, *(made.to(DEVICE) for made in read), 1.0, 1.0, True)
        taken = written[1][0, : int(written[2]) + 1].long()
        return [*map(int, written[0][taken])]


def links(parents: Array) -> list[torch.Tensor]:
    """A tree's node numbers, first children and next siblings, -1 for none; root 0."""
    nodes = len(parents) + 1
    child, sibling = np.full((2, 1, nodes), -1)
    for node in range(nodes - 1, 0, -1):
        parent = parents[node - 1] + 1
        sibling[0, node], child[0, parent] = child[0, parent], node
    return [*map(torch.from_numpy, (np.arange(nodes)[None], child, sibling))]
