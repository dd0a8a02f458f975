"""A whole engine made of the reference decode loop, and what breaks when it is wired
wrongly: every mutant is one thing that an engine has got wrong.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np

from reference import decode, logits, proposal, randomness
from reference.draft.draft_model import DraftModel
from reference.draft.prompt_lookup import PromptLookup
from reference.model.transformer import Transformer
from reference.proposal import Proposal
from reference.randomness import Source
from reference.verify import chain, one_hot
from specsim import pretrained
from specsim.oracle.endtoend.request import NAMES, SURFACE

Text = tuple[int, ...]
Asked = dict[str, Any]
Rows = np.ndarray[Any, Any]
Rule = Callable[[Rows, Proposal, Source], list[int]]
K = 3


class Network:
    """Logits after any text, each worked out once, as one tree that starts anew when it
    has grown large.
    """

    def __init__(self, path: str):
        config, arrays = pretrained.load(path)
        wide = {name: array.astype(float) for name, array in arrays.items()}
        self._model, self._seen = Transformer(config, wide), dict[Text, Rows]()
        self._nodes: dict[Text, int] = {(): -1}

    def __call__(self, text: Text) -> Rows:
        if text not in self._seen:
            if len(self._nodes) > 64:
                self._model.keep([])
                self._nodes = {(): -1}
            known = max(n for n in range(len(text)) if text[:n] in self._nodes)
            tree = {
                text[:n]: len(self._nodes) + n - known - 2
                for n in range(known + 1, len(text) + 1)
            }
            self._nodes |= tree
            parents = [self._nodes[each[:-1]] for each in tree]
            rows, _ = self._model.extend(text[known:], parents)
            self._seen.update(zip(tree, rows[1:], strict=True))
        return self._seen[text]


network = cache(Network)
Row = Callable[[Text], Rows]
"""The row after a text, prompt and all."""


class Model:
    """Rows for the decode loop. `stale`: what was fed stays, though it was refused."""

    def __init__(self, row: Row, stale: bool = False):
        self.row, self.stale = row, stale
        self.texts: list[Text] = [()]

    def extend(
        self, tokens: Sequence[int], parents: Sequence[int]
    ) -> tuple[Rows, Rows]:
        for token, parent in zip(tokens, parents, strict=True):
            self.texts.append((*self.texts[parent + 1], token))
        asked = [self.texts[0], *self.texts[len(self.texts) - len(tokens) :]]
        rows = np.array([self.row(text) for text in asked])
        return rows, np.zeros((len(rows), 1))

    def keep(self, path: Sequence[int]) -> None:
        end = path[-1] + 1 if path else 0
        self.texts = [self.texts[-1 if self.stale else end]]


class Engine:
    """Right in all its modes. While it answers it knows its request, the row after a
    text as the target and the draft have it, and the text so far.
    """

    format = "hf"
    modes: ClassVar[dict[str, Any]] = {"plain": {}, "draft-model": {}, "ngram": {}}
    surface: frozenset[str] = SURFACE

    asked: Asked
    p: Row
    q: Row
    text: Text

    def generate(
        self, requests: list[Asked], *, mode: str, target: str, draft: str
    ) -> list[dict[str, Any]]:
        self.target, self.draft = network(target), network(draft)
        return [self.answer(request, mode) for request in self.batch(requests)]

    def batch(self, requests: list[Asked]) -> list[Asked]:
        return requests

    def answer(self, asked: Asked, mode: str) -> dict[str, Any]:
        self.asked = asked
        self.p, self.q = self.rows(self.target), self.rows(self.draft)
        made = [*self.steps(mode)]
        tokens = [token for step in made for token in step.emitted]
        said: dict[str, Any] = {"tokens": tokens, **self.counts(made)}
        if asked["logprobs"]:
            said["logprobs"] = [*self.logprobs(made)]
        return said

    def steps(self, mode: str) -> Iterator[decode.Step]:
        asked = self.asked
        return decode.decode(
            self.model(),
            Watched(self, self.drafter(mode)),
            self.rule(mode),
            asked["prompt"],
            k=K,
            luck=lambda step, position: self.luck(step),
            max_tokens=asked["max_tokens"],
            stop=frozenset(asked["stop_token_ids"]),
        )

    def model(self) -> Model:
        return Model(self.p)

    def drafter(self, mode: str) -> Any:
        if mode == "draft-model":
            return DraftModel(Model(self.q))
        return PromptLookup(2) if mode == "ngram" else Nothing()

    def rule(self, mode: str) -> Rule:
        return self.decide if mode == "draft-model" else one_hot.verify

    def decide(self, p: Rows, drafted: Proposal, source: Source) -> list[int]:
        return chain.verify(p, drafted, source)

    def luck(self, step: int) -> Source:
        return randomness.keyed(self.asked["seed"], 0, step)

    def rows(self, of: Network, **settings: Any) -> Row:
        """The row after a text under the request, or with other settings."""
        sampling, size = self.sampling(**settings), len(self.asked["prompt"])

        @cache
        def row(text: Text) -> Rows:
            if not text:
                return np.full(16, 1 / 16)
            return logits.process(of(text), sampling, text, min(size, len(text)))

        return row

    def sampling(self, **settings: Any) -> logits.Sampling:
        ours = {ours: self.asked[name] for name, ours in NAMES.items()}
        return logits.Sampling(**ours | settings)

    def counts(self, made: Sequence[decode.Step]) -> dict[str, Any]:
        drafted = sum(len(step.proposal.tokens) for step in made)
        accepted = sum(min(step.accepted, len(step.emitted)) for step in made)
        return {"drafted": drafted, "accepted": accepted, "steps": len(made)}

    def logprobs(self, made: Sequence[decode.Step]) -> Iterator[float]:
        text = tuple(self.asked["prompt"])
        for token in (token for step in made for token in step.emitted):
            yield math.log(self.p(text)[token])
            text = (*text, token)


class Watched:
    """A drafter; the engine is told of the text."""

    def __init__(self, engine: Engine, drafter: Any):
        self.engine, self.drafter = engine, drafter

    def begin(self, context: Sequence[int], hidden: Rows) -> None:
        self.drafter.begin(context, hidden)

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        self.engine.text = tuple(context)
        made: Proposal = self.drafter.propose(context, k, source)
        return made

    def observe(self, emitted: list[int], rows: Rows, hidden: Rows) -> None:
        self.drafter.observe(emitted, rows, hidden)


class Nothing:
    """Drafts nothing."""

    def begin(self, context: Sequence[int], hidden: Rows) -> None: ...
    def observe(self, emitted: list[int], rows: Rows, hidden: Rows) -> None: ...

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        return proposal.chain([])
