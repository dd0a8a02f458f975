"""Functions as the public ones are called, right and wrong, for shapes to be tried on.

Each is written here from the rule, and none after another's code.
"""

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor


def residual(p: Tensor, q: Tensor) -> Tensor:
    left = (p - q).clamp(min=0)
    return left / left.sum()


def rows(p: Tensor, q: Tensor, tokens: Tensor) -> tuple[int, Tensor]:
    for i, x in enumerate(tokens):
        if torch.rand(()) * q[i, x] >= p[i, x]:
            return i, torch.multinomial(residual(p[i], q[i]), 1)
    return len(tokens), torch.multinomial(p[-1], 1)


def rows_at_once(p: Tensor, q: Tensor, tokens: Tensor) -> tuple[int, Tensor]:
    at = torch.arange(len(tokens))
    kept = torch.rand(len(tokens)) < p[at, tokens] / q[at, tokens]
    n = int(kept.int().cumprod(0).sum())
    weights = p[n] if n == len(tokens) else residual(p[n], q[n])
    return n, torch.argmax(weights / torch.empty_like(weights).exponential_())


def rows_without_residual(p: Tensor, q: Tensor, tokens: Tensor) -> tuple[int, Tensor]:
    for i, x in enumerate(tokens):
        if torch.rand(()) * q[i, x] >= p[i, x]:
            return i, torch.multinomial(p[i], 1)
    return len(tokens), torch.multinomial(p[-1], 1)


def hugging(
    ids: Tensor, drafted: Tensor, k: int, scores: Tensor
) -> tuple[Tensor, Tensor]:
    p, q = scores[0].softmax(-1), drafted[0].softmax(-1)
    n, last = rows(p, q, ids[0, -k:])
    return torch.cat([ids[0, :n], last.reshape(1)])[None], torch.tensor(n)


def hugging_swapped(
    ids: Tensor, drafted: Tensor, k: int, scores: Tensor
) -> tuple[Tensor, Tensor]:
    turned = torch.cat([drafted, scores[:, -1:]], 1)
    return hugging(ids, scores[:, :-1], k, turned)


def drawn(weights: Tensor) -> Tensor:
    return torch.argmax(weights / torch.empty_like(weights).exponential_(), -1)


def fast(
    model: Any, draft: Any, token: Tensor, at: int, k: int, temperature: float
) -> Tensor:
    ids, q = [token.view(1)], []
    for i in range(k):
        q.append(draft(ids[-1].view(1, 1), torch.tensor([at + i]))[0, -1].softmax(-1))
        ids.append(drawn(q[-1]).view(1))
    places = torch.arange(at, at + k + 1)
    p = model(torch.cat(ids)[None], places)[0].softmax(-1)
    n, last = rows_at_once(p, torch.stack(q), torch.cat(ids[1:]))
    return torch.cat([*ids[1 : n + 1], last.view(1)])


def fast_bonus_is_likeliest(
    model: Any, draft: Any, token: Tensor, at: int, k: int, temperature: float
) -> Tensor:
    emitted = fast(model, draft, token, at, k, temperature)
    if len(emitted) > k:
        emitted[-1] = model(emitted[None], None)[0, -1].argmax()
    return emitted


def prefix(ids: Tensor, draft: Any, target: Any, most: int, gamma: int) -> Tensor:
    x = ids
    for _ in range(gamma):
        q = draft(x).logits[0].softmax(-1)
        x = torch.cat([x, torch.multinomial(q[-1:], 1)], 1)
    n, last = rows(target(x).logits[0].softmax(-1), q, x[0, 1:])
    return torch.cat([x[:, : n + 1], last.view(1, 1)], 1)


def prefix_keeps_one_less(
    ids: Tensor, draft: Any, target: Any, most: int, gamma: int
) -> Tensor:
    x = prefix(ids, draft, target, most, gamma)
    return x[:, : max(2, x.shape[1] - 1)]


def posterior(
    scores: Tensor, candidates: Tensor, processor: Any
) -> tuple[Tensor, int, Tensor]:
    best, depth = 0, 0
    while True:
        same = (candidates[:, : depth + 1] == candidates[best, : depth + 1]).all(1)
        row = processor(None, scores[best, depth][None])[0].softmax(-1)
        following = candidates[:, depth + 1 : depth + 2]
        for j, x in enumerate(following.flatten().tolist()):
            if not same[j] or x < 0 or not row[x]:
                continue
            if torch.rand(()) < row[x]:
                best, depth = j, depth + 1
                break
            row[x] = 0
            row = row / row.sum()
        else:
            return torch.tensor(best), depth, row


def posterior_forgets(
    scores: Tensor, candidates: Tensor, processor: Any
) -> tuple[Tensor, int, Tensor]:
    best, depth, _ = posterior(scores, candidates, processor)
    return best, depth, scores[best, depth].softmax(-1)


class WithReplacement(SimpleNamespace):
    """Siblings from one row, independent."""

    def accept_step(self, parent: int) -> tuple[int, Tensor | None]:
        p = self.target_logits[parent]
        q = self.draft_logits[parent].softmax(-1)
        for child in self.Successors[parent]:
            x = self.tokens[child]
            if self.r[child] * q[x] < p[x]:
                return child, None
            p = self.residual_graph(p, q)
            q = self.after(q, x)
        return -1, p

    def after(self, q: Tensor, x: Tensor) -> Tensor:
        return q


class WithoutReplacement(WithReplacement):
    """Siblings from one row, each without those before it."""

    def after(self, q: Tensor, x: Tensor) -> Tensor:
        left = q.clone()
        left[x] = 0
        return left / left.sum()


def chain(q: Tensor, ids: Tensor, p: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    n, last = rows(p[0], q[0], ids[0].long())
    emitted = torch.full((1, ids.shape[1] + 1), -1)
    emitted[0, :n], emitted[0, n] = ids[0, :n], last
    return emitted, torch.tensor([n]), torch.tensor([n])


def chain_without_residual(
    q: Tensor, ids: Tensor, p: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    n, last = rows_without_residual(p[0], q[0], ids[0].long())
    emitted = torch.full((1, ids.shape[1] + 1), -1)
    emitted[0, :n], emitted[0, n] = ids[0, :n], last
    return emitted, torch.tensor([n]), torch.tensor([n])


def tree(
    predicts: Tensor,
    accepted: Tensor,
    count: Tensor,
    candidates: Tensor,
    index: Tensor,
    child: Tensor,
    sibling: Tensor,
    coins: Tensor,
    last: Tensor,
    p: Tensor,
    q: Tensor,
    single: float,
    accumulated: float,
    deterministic: bool,
) -> None:
    """One coin for all children of a node: the target's mass of them, in order."""
    node, n = 0, 0
    accepted[0, 0] = 0
    while True:
        row = p[0, node].clone()
        mass, tried = 0.0, int(child[0, node])
        while tried >= 0:
            x = int(candidates[0, tried])
            mass += float(row[x])
            if coins[0, node] < mass:
                break
            row[x] = 0
            tried = int(sibling[0, tried])
        if tried < 0:
            cdf = row.double().cumsum(0)
            predicts[node] = int((cdf <= float(last) * cdf[-1]).sum())
            count[0] = n
            return
        predicts[node] = x
        node, n = tried, n + 1
        accepted[0, n] = node


def tree_of_the_target(*arguments: Any) -> None:
    """The last token is drawn from the whole row."""
    tree(*arguments)
    predicts, accepted, count, last, p = (arguments[i] for i in (0, 1, 2, 8, 9))
    node = int(accepted[0, int(count)])
    cdf = p[0, node].double().cumsum(0)
    predicts[node] = int((cdf <= float(last) * cdf[-1]).sum())
