"""The engine of cast.py wired wrongly: what engines have got wrong, one fault each."""

from collections.abc import Iterator, Sequence
from itertools import count, takewhile
from typing import Any

import numpy as np

from reference import decode, logits, randomness
from reference.proposal import Proposal
from reference.randomness import Source
from reference.verify import chain, one_hot
from tests.oracle.endtoend.cast import (
    Asked,
    Engine,
    Model,
    Network,
    Nothing,
    Row,
    Rows,
    Rule,
    Text,
)


class ResidualIsTarget(Engine):
    """A refused token is replaced by one of the target's own."""

    def decide(self, p: Rows, drafted: Proposal, source: Source) -> list[int]:
        tokens, q = drafted.tokens, drafted.drawn_from
        for i, x in enumerate(tokens):
            if not source.accept(i, min(1, p[i, x] / q[i, x])):
                return [*tokens[:i], source.sample(i, p[i])]
        return [*tokens, source.sample(len(tokens), p[-1])]


class Lenient(Engine):
    """Drafted tokens are accepted more often than they may be."""

    def decide(self, p: Rows, drafted: Proposal, source: Source) -> list[int]:
        return chain.verify(p, drafted._replace(q=0.7 * drafted.drawn_from), source)


class BonusFromDraft(Engine):
    """Where all is accepted the token that follows is the draft's."""

    def decide(self, p: Rows, drafted: Proposal, source: Source) -> list[int]:
        bonus = self.q((*self.text, *drafted.tokens))
        return chain.verify(np.vstack([p[:-1], bonus]), drafted, source)


class DraftsTheLikeliest(Engine):
    """What is drafted is the likeliest token, verified as if it had been drawn."""

    def drafter(self, mode: str) -> Any:
        return Likeliest(self.q)


class Likeliest(Nothing):
    """The draft's greedy tokens, with the rows they did not come from."""

    def __init__(self, row: Row):
        self.row = row

    def propose(self, context: Sequence[int], k: int, source: Source) -> Proposal:
        tokens: list[int] = []
        rows = []
        for _ in range(k):
            rows.append(self.row((*context, *tokens)))
            tokens.append(int(rows[-1].argmax()))
        return Proposal(tokens, [*range(-1, k - 1)], np.array(rows).reshape(k, 16))


class Elsewhere(Engine):
    """The rows at drafted tokens lack a setting that the bonus row has."""

    missing: dict[str, Any]

    def decide(self, p: Rows, drafted: Proposal, source: Source) -> list[int]:
        row = self.rows(self.target, **self.missing)
        at = [row((*self.text, *drafted.tokens[:i])) for i in range(len(p) - 1)]
        return chain.verify(np.array([*at, p[-1]]), drafted, source)


class FiltersOnTheBonus(Elsewhere):
    """Top-k, top-p and min-p only where the whole draft was accepted."""

    missing = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}  # noqa: RUF012


class TemperatureForgotten(Elsewhere):
    """Drafted tokens are verified at temperature 1."""

    missing = {"temperature": 1.0}  # noqa: RUF012


class BiasForgotten(Elsewhere):
    """Drafted tokens are verified without the logit bias."""

    missing = {"logit_bias": {}}  # noqa: RUF012


class DraftNotShaped(Engine):
    """The ratio has the draft's row before temperature, not the one drawn from."""

    def decide(self, p: Rows, drafted: Proposal, source: Source) -> list[int]:
        row = self.rows(self.draft, temperature=1.0)
        texts = [(*self.text, *drafted.tokens[:i]) for i in range(len(p) - 1)]
        q = np.array([row(text) for text in texts]).reshape(len(texts), 16)
        return chain.verify(p, drafted._replace(q=q), source)


class PenaltiesOfTheRefused(Engine):
    """Penalties count tokens that were drafted and refused."""

    def steps(self, mode: str) -> Iterator[decode.Step]:
        self.refused: list[int] = []
        return super().steps(mode)

    def rows(self, of: Network, **settings: Any) -> Row:
        sampling, size = self.sampling(**settings), len(self.asked["prompt"])

        def row(text: Text) -> Rows:
            if len(text) < size:
                return np.full(16, 1 / 16)
            counted = (*text, *self.refused)
            return logits.process(of(text), sampling, counted, size)

        return row

    def decide(self, p: Rows, drafted: Proposal, source: Source) -> list[int]:
        emitted = chain.verify(p, drafted, source)
        self.refused += drafted.tokens[len(emitted) - 1 :]
        return emitted


class PenaltiesOfTheContext(Engine):
    """Penalties at drafted tokens do not count the drafted tokens before them."""

    def decide(self, p: Rows, drafted: Proposal, source: Source) -> list[int]:
        sampling, size = self.sampling(), len(self.asked["prompt"])
        texts = [(*self.text, *drafted.tokens[:i]) for i in range(len(p))]
        rows = [
            logits.process(self.target(text), sampling, self.text, size)
            for text in texts
        ]
        return chain.verify(np.array(rows), drafted, source)


class PromptNotPenalised(Elsewhere):
    """The repetition penalty is left out at drafted tokens."""

    missing = {"repetition": 1.0}  # noqa: RUF012


class StopsAtBlockEnds(Engine):
    """A stop token ends the text only if it is the last of a block."""

    def steps(self, mode: str) -> Iterator[decode.Step]:
        stops, self.asked = self.asked["stop_token_ids"], dict(self.asked)
        self.asked["stop_token_ids"] = []
        for step in super().steps(mode):
            yield step
            if step.emitted[-1] in stops:
                return


class Overruns(Engine):
    """The last block is not cut."""

    def steps(self, mode: str) -> Iterator[decode.Step]:
        most, self.asked = self.asked["max_tokens"], dict(self.asked)
        self.asked["max_tokens"] = most + 4
        for step in super().steps(mode):
            yield step
            if (most := most - len(step.emitted)) <= 0:
                return


class EndsEarly(Engine):
    """No block is begun that could run over the end."""

    def steps(self, mode: str) -> Iterator[decode.Step]:
        left = self.asked["max_tokens"]
        for step in super().steps(mode):
            yield step
            if (left := left - len(step.emitted)) <= 2:
                return


class CertainOfTheAccepted(Engine):
    """Accepted tokens are said to have logprob 0."""

    def logprobs(self, made: Sequence[decode.Step]) -> Iterator[float]:
        true = super().logprobs(made)
        for step in made:
            for i, _ in enumerate(step.emitted):
                right = next(true)
                yield 0.0 if i < step.accepted else right


class OwnLuck(Engine):
    """The seed is not read."""

    def __init__(self) -> None:
        self.turn = count()

    def steps(self, mode: str) -> Iterator[decode.Step]:
        self.own = next(self.turn)
        return super().steps(mode)

    def luck(self, step: int) -> Source:
        return randomness.keyed(self.own, 1, step)


class OneSeed(Engine):
    """Every seed is taken for the same."""

    def luck(self, step: int) -> Source:
        return randomness.keyed(7, 0, step)


class SharedLuck(Engine):
    """Requests of a batch get the random numbers of the first."""

    def batch(self, requests: list[Asked]) -> list[Asked]:
        return [{**request, "seed": requests[0]["seed"]} for request in requests]


class FirstIsGreedy(Engine):
    """The token that comes of reading the prompt is the likeliest one."""

    def decide(self, p: Rows, drafted: Proposal, source: Source) -> list[int]:
        if len(self.text) > len(self.asked["prompt"]):
            return chain.verify(p, drafted, source)
        return [int(p[0].argmax())]


class TakesTheSecond(Engine):
    """At temperature 0 a drafted token passes if it is one of the two likeliest."""

    def decide(self, p: Rows, drafted: Proposal, source: Source) -> list[int]:
        cold = self.asked["temperature"] == 0
        row = self.rows(self.target, temperature=1.0)
        for i, x in enumerate(drafted.tokens if cold else ()):
            there = row((*self.text, *drafted.tokens[:i]))
            if x not in np.argsort(there)[-2:]:
                return [*drafted.tokens[:i], int(there.argmax())]
        if cold:
            return [*drafted.tokens, int(p[-1].argmax())]
        return chain.verify(p, drafted, source)


class NotForgotten(Engine):
    """The target keeps what it read of a refused draft."""

    def model(self) -> Model:
        return Model(self.p, stale=True)


class SettingsOfTheFirst(Engine):
    """All requests of a batch are drawn with the settings of the first."""

    def batch(self, requests: list[Asked]) -> list[Asked]:
        own = "prompt", "max_tokens", "seed"
        return [{**requests[0], **{k: r[k] for k in own}} for r in requests]


class LookupTrusted(Engine):
    """What lookup finds passes if it is likely enough."""

    def rule(self, mode: str) -> Rule:
        def verify(p: Rows, drafted: Proposal, source: Source) -> list[int]:
            rows = enumerate(drafted.tokens)
            kept = [x for _, x in takewhile(lambda ix: p[ix[0], ix[1]] > 0.02, rows)]
            return [*kept, source.sample(len(kept), p[len(kept)])]

        return verify if mode == "ngram" else super().rule(mode)


class LookupAsDrawn(Engine):
    """Tokens that lookup found are accepted as if the target had drafted them."""

    def rule(self, mode: str) -> Rule:
        def verify(p: Rows, drafted: Proposal, source: Source) -> list[int]:
            return one_hot.verify(p**0.5, drafted, source)

        return verify if mode == "ngram" else super().rule(mode)


class Overcounts(Engine):
    """Every token is counted as an accepted one."""

    def counts(self, made: Sequence[decode.Step]) -> dict[str, Any]:
        emitted = sum(len(step.emitted) for step in made)
        return {**super().counts(made), "accepted": emitted + 20}


FEW = 100
"""Answers to a case that refute most of them."""
MANY = {
    ResidualIsTarget: 400,
    Lenient: 400,
    BonusFromDraft: 800,
    DraftNotShaped: 1000,
    TemperatureForgotten: 400,
    PenaltiesOfTheContext: 1000,
    PromptNotPenalised: 400,
    LookupAsDrawn: 400,
}
"""Answers that refute the others, which take longer."""
MUTANTS: dict[type[Engine], tuple[str, str]] = {
    ResidualIsTarget: ("draft-model", "sampled"),
    Lenient: ("draft-model", "sampled"),
    BonusFromDraft: ("draft-model", "sampled"),
    DraftsTheLikeliest: ("draft-model", "sampled"),
    FiltersOnTheBonus: ("draft-model", "top-k"),
    TemperatureForgotten: ("draft-model", "temperature"),
    BiasForgotten: ("draft-model", "logit-bias"),
    DraftNotShaped: ("draft-model", "temperature"),
    PenaltiesOfTheRefused: ("draft-model", "greedy-frequency"),
    PenaltiesOfTheContext: ("draft-model", "presence-penalty"),
    PromptNotPenalised: ("draft-model", "repetition-penalty"),
    StopsAtBlockEnds: ("draft-model", "stop-tokens"),
    Overruns: ("draft-model", "max-tokens"),
    EndsEarly: ("draft-model", "max-tokens"),
    CertainOfTheAccepted: ("draft-model", "logprobs"),
    SharedLuck: ("draft-model", "sampled"),
    FirstIsGreedy: ("draft-model", "sampled"),
    TakesTheSecond: ("draft-model", "greedy"),
    NotForgotten: ("draft-model", "greedy"),
    SettingsOfTheFirst: ("draft-model", "mixed-batch"),
    LookupTrusted: ("ngram", "sampled"),
    LookupAsDrawn: ("ngram", "sampled"),
}
"""The mode and the case in which each is to be caught."""
