"""Drafters for the tests: right ones of every sort, wrong ones, and rude ones.

Each is written as a drafter's author might write it; none is made from a mutant.
"""

import time
from typing import Any

import numpy as np

from reference.model.table import Table
from reference.randomness import Source
from specsim.drafters import DRAFTERS

Array = Any


def draw(u: Any, row: Array) -> int:
    return int(np.searchsorted(np.cumsum(row), u * row.sum(), "right"))


class Drafter:
    """Draws a chain; others change how a row is made, drawn from, or declared."""

    def row(self, row: Array) -> Array:
        return row

    def drawn_from(self, row: Array) -> Array:
        return row

    def declared(self, row: Array) -> Array:
        return row

    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        text, q = [*context], list[Array]()
        for _ in range(k):
            row = self.row(model(text))
            text.append(draw(rng.random(), self.drawn_from(row)))
            q.append(self.declared(row))
        return text[len(context) :], np.array(q)


class Coins:
    def draft(self, model: Any, context: list[int], k: int, *, draft: Array) -> Any:
        text, q = [*context], list[Array]()
        for i in range(k):
            q.append(model(text))
            text.append(draw(draft[i], q[-1]))
        return text[len(context) :], q


class TopOnly(Drafter):
    """Filters, and declares what is left: right."""

    def row(self, row: Array) -> Array:
        kept = np.where(row >= np.sort(row)[-2], row, 0)
        return kept / kept.sum()


class Greedy:
    """Needs no luck."""

    def draft(self, model: Any, context: list[int], k: int) -> Any:
        text = [*context]
        for _ in range(k):
            text.append(int(np.argmax(model(text))))
        return text[len(context) :], None


class StopsEarly(Drafter):
    """By the rows it has seen, not by the token that comes: right."""

    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        text, q = [*context], list[Array]()
        for _ in range(k):
            row = model(text)
            if q and row.max() < 0.5:
                break
            text.append(draw(rng.random(), row))
            q.append(row)
        return text[len(context) :], q


class Tempered:
    """Honours a temperature."""

    def draft(
        self, model: Any, context: list[int], k: int, *, rng: Any, temperature: float
    ) -> Any:
        text, q = [*context], list[Array]()
        for _ in range(k):
            row = self.tempered(model(text), temperature)
            text.append(draw(rng.random(), row))
            q.append(row)
        return text[len(context) :], q

    def tempered(self, row: Array, temperature: float) -> Array:
        if not temperature:
            return np.eye(len(row))[row.argmax()]
        row = row ** (1 / temperature)
        return row / row.sum()


class NotTempered(Tempered):
    def tempered(self, row: Array, temperature: float) -> Array:
        return row


class OwnLuck(Drafter):
    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        own = np.random.default_rng(rng.integers(2**62))
        return super().draft(model, context, k, rng=own)


class Siblings:
    """Two children without replacement, and two of the first of them."""

    kind = "without_replacement"

    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        tokens: list[int] = []
        parents: list[int] = []
        q: list[Array] = []
        node, text = -1, [*context]
        for _ in range(k):
            row = model(text)
            for _ in range(min(2, (row > 0).sum())):
                tokens.append(draw(rng.random(), row))
                parents.append(node)
                q.append(self.declared(row, model(text)))
                row = self.after(row, tokens[-1])
            node = parents.index(node)
            text.append(tokens[node])
        return tokens, parents, q, self.kind

    def after(self, row: Array, token: int) -> Array:
        row = np.where(np.arange(len(row)) == token, 0, row)
        return row / row.sum() if row.any() else row

    def declared(self, row: Array, whole: Array) -> Array:
        return row


class IidSiblings(Siblings):
    kind = "iid"

    def after(self, row: Array, token: int) -> Array:
        return row


class OneArray(Drafter):
    """Writes every q into the same array."""

    def __init__(self) -> None:
        self.q = np.zeros((8, 8))

    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        tokens, q = super().draft(model, context, k, rng=rng)
        into = self.q[:k, : q.shape[1]]
        into[:] = q
        return tokens, into


class Argmax(Drafter):
    def drawn_from(self, row: Array) -> Array:
        return np.eye(len(row))[row.argmax()]


class TopDrawn(Drafter):
    def drawn_from(self, row: Array) -> Array:
        return np.where(row >= np.sort(row)[-2], row, 0)


class Cold(Drafter):
    def drawn_from(self, row: Array) -> Array:
        return row ** (1 / 0.7)


class Spoiled(Drafter):
    """Divides the row in place by the noise of its draw."""

    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        text, q = [*context], list[Array]()
        for _ in range(k):
            row = model(text)
            row /= rng.standard_exponential(len(row))
            text.append(int(row.argmax()))
            q.append(row)
        return text[len(context) :], q


class SpoiledAndScaled(Spoiled):
    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        tokens, q = super().draft(model, context, k, rng=rng)
        return tokens, [row / row.sum() for row in q]


class Unscaled(Drafter):
    def declared(self, row: Array) -> Array:
        return 2 * row


class Bfloat(Drafter):
    """Draws from rows of 8 bits of mantissa."""

    def drawn_from(self, row: Array) -> Array:
        bits = row.astype(np.float32).view(np.uint32)
        return (bits & 0xFFFF0000).view(np.float32).astype(float)


class Neighbours(Drafter):
    """Declares the rows of a request whose text is a token longer."""

    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        tokens, _ = super().draft(model, context, k, rng=rng)
        other = [[*context, *tokens[:i], 0] for i in range(k)]
        return tokens, [model(text) for text in other]


class SaysFixed(Drafter):
    """Luck was used, and it says that there was none."""

    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        return super().draft(model, context, k, rng=rng)[0], None


class DropsUnlikely(Drafter):
    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        tokens, q = super().draft(model, context, k, rng=rng)
        odds = [row[x] for row, x in zip(q, tokens, strict=True)]
        n = next((i for i, w in enumerate(odds) if w < 0.3), k)
        return tokens[:n], q[:n]


class StaleSiblings(Siblings):
    def declared(self, row: Array, whole: Array) -> Array:
        return whole


class SaysIid(Siblings):
    kind = "iid"


class OwnLuckAndWrong(TopDrawn):
    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        own = np.random.default_rng(rng.integers(2**62))
        return super().draft(model, context, k, rng=own)


class Luck:
    """A Source over a Generator, for our own drafters."""

    def __init__(self, rng: Any):
        self.rng = rng

    def draft(self, i: int, weights: Array) -> int:
        return draw(self.rng.random(), weights)

    accept = sample = race = None


class Ours:
    """One of reference/draft, made anew for each text."""

    def __init__(self, name: str, *settings: Any, **more: Any):
        self.name, self.settings, self.more = name, settings, more

    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        table = (Table(model),) if self.name == "draft-model" else ()
        made = DRAFTERS[self.name].make(*table, *self.settings, **self.more)
        made.begin(context[:-1], np.zeros((len(context), 0)))
        source: Source = Luck(rng)  # type: ignore[assignment]
        drafted = made.propose([*context], k, source)
        return drafted.tokens, drafted.parents, drafted.q, drafted.kind


ours_chain = Ours("draft-model")
ours_tree = Ours("draft-model", (2, 1), "without_replacement")
ours_iid = Ours("draft-model", (2, 1), "iid")
ours_hub = Ours("draft-model", (2,), "hub")
ours_lookup = Ours("prompt-lookup")
ours_suffix = Ours("suffix")
ours_ngram = Ours("ngram")


class Raises(Drafter):
    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        raise RuntimeError("no\nrows")


class Hangs(Drafter):
    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        time.sleep(3600)


class TooDeep(Drafter):
    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        return super().draft(model, context, k + 1, rng=rng)


class NotANumber(Drafter):
    def declared(self, row: Array) -> Array:
        return row * np.nan


class Shapeless(Drafter):
    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        return [0] * k, np.ones(3)


class OnlyTokens(Drafter):
    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        return [0] * k


class OutOfRange(Drafter):
    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        return [99] * k, None


class Upwards(Drafter):
    def draft(self, model: Any, context: list[int], k: int, *, rng: Any) -> Any:
        return [0], [0], None, "fixed"
