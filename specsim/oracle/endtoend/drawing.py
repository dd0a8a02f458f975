"""A case in the making: answers as they come, and the evidence they add up to."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, NamedTuple, Protocol

from specsim.oracle.endtoend import checks
from specsim.oracle.endtoend.cases import Case
from specsim.oracle.endtoend.law import Law
from specsim.oracle.endtoend.leanings import NAMES, Lean
from specsim.oracle.endtoend.request import SEEDS, Answer, Request
from specsim.oracle.evidence import Evidence
from specsim.oracle.exact import Tokens
from specsim.oracle.report import PROOF
from specsim.oracle.sampling import derived

BATCH = 192
"""Requests that are asked together at most."""


class Session(Protocol):
    """An engine in one mode, with the probe pair loaded."""

    def generate(self, requests: Sequence[Request]) -> list[Answer]:
        """An answer for each, in order. Bad: it breaks the contract, or is broken."""

    def revive(self) -> None:
        """Go on after a Bad. Bad again: the engine is dead, or hangs."""


class Limits(NamedTuple):
    """When enough was asked: answers, and seconds; the evidence that refutes."""

    answers: int
    seconds: float
    hurdle: float


@dataclass(frozen=True)
class Judged:
    """What answers are held against.

    ends:      tokens at which the engine stops anyway.
    seeded:    whether each request gets a seed of its own.
    tolerance: nats by which a logprob may be off.
    """

    target: Law
    draft: Law
    ends: Tokens = ()
    seeded: bool = True
    tolerance: float = checks.SINGLE


class Drawing:
    """The answers to a case, and what they prove.

    wrong:   the first answer that breaks its request, in words.
    refuted: whether it is, or the evidence is beyond the hurdle.
    error:   nats by which logprobs were off at most.
    texts:   what was emitted, by number of request.
    cut:     texts that only count up to where rounding decides what may come.
    path:    answers, and log10 E then.
    """

    def __init__(self, case: Case, judged: Judged):
        self.case, self.judged = case, judged
        self.wrong: str | None = None
        self.refuted = False
        self.error, self.cut = 0.0, 0
        self.answers: list[Answer] = []
        self.texts: dict[int, list[Tokens]] = defaultdict(list)
        self.path: list[tuple[int, float]] = []
        leans = [Lean(judged.target, judged.draft, ask) for ask in case.asks]
        bets = [lean.bets() for lean in leans]
        self.evidence = Evidence(
            [self._target(ask) for ask in case.asks],
            {name: [each[name] for each in bets] for name in NAMES},
        )

    @property
    def log10_e(self) -> float:
        return self.evidence.log10_e

    def run(self, session: Session, limits: Limits, *names: object) -> "Drawing":
        """Ask until the engine is refuted or the limits are reached; names: of luck.

        Time counts from the first answers on: before them models may be loaded.
        """
        deadline = None
        for batch in batches(self.case, limits.answers, *names):
            if not self.judged.seeded:
                batch = [(n, replace(request, seed=0)) for n, request in batch]
            self._take(batch, session.generate([request for _, request in batch]))
            self.refuted = bool(self.wrong) or self.log10_e > limits.hurdle
            deadline = deadline or time.monotonic() + limits.seconds
            if self.refuted or time.monotonic() > deadline:
                break
        return self

    def _take(
        self, batch: Sequence[tuple[int, Request]], answers: Sequence[Answer]
    ) -> None:
        fresh: dict[int, list[Tokens]] = defaultdict(list)
        for (number, request), answer in zip(batch, answers, strict=True):
            self.answers.append(answer.within(self.judged.target.vocab))
            try:
                fresh[number].append(self._text(request, answer))
            except checks.Wrong as wrong:
                self.wrong = self.wrong or str(wrong)
        self.evidence.observe_all([*self._settled(fresh)])
        self.path.append((len(self.answers), min(self.evidence.valued(), PROOF)))

    def _text(self, request: Request, answer: Answer) -> Tokens:
        text = checks.completed(request, answer, self.judged.ends)
        if request.logprobs:
            error = checks.logprob_error(
                self.judged.target, request, answer, self.judged.tolerance
            )
            self.error = max(self.error, error)
        return text

    def _settled(
        self, fresh: dict[int, list[Tokens]]
    ) -> Iterator[tuple[int, list[Tokens]]]:
        """The texts up to the first prefix after which rounding decides.

        All rows that are needed are worked out together.
        """
        for number, texts in fresh.items():
            self.texts[number] += texts
            ask, judged = self.case.asks[number], self.judged
            prefixes = sorted({text[:n] for text in texts for n in range(len(text))})
            rows = judged.target.rows(ask, prefixes)
            judged.draft.rows(ask, prefixes)
            judged.target.rows(Request(ask.prompt, 1), prefixes)
            open_after = {
                p for p, row in zip(prefixes, rows, strict=True) if not row.settled
            }
            kept = [_until(open_after, text) for text in texts]
            self.cut += sum(len(k) < len(t) for k, t in zip(kept, texts, strict=True))
            yield number, kept

    def _target(self, ask: Request) -> Any:
        return lambda prefix: self.judged.target.row(ask, prefix).p


def batches(
    case: Case, answers: int, *names: object
) -> Iterator[list[tuple[int, Request]]]:
    """Requests by number in the case, each with a seed of its own, in larger and larger
    batches; a greedy case once.
    """
    asked, size = 0, len(case.asks)
    for turn in count():
        if asked >= (1 if case.greedy else answers):
            return
        if not case.greedy:
            size = min(size, answers - asked)
        numbers = [(asked + i) % len(case.asks) for i in range(size)]
        seeds = [derived(0, *names, case.name, turn, i) % SEEDS for i in range(size)]
        yield [
            (number, replace(case.asks[number], seed=seed))
            for number, seed in zip(numbers, seeds, strict=True)
        ]
        asked, size = asked + size, min(2 * size, BATCH)


def _until(stops: set[Tokens], text: Tokens) -> Tokens:
    """The text up to the first of its prefixes that is in `stops`."""
    lengths = (n for n in range(len(text)) if text[:n] in stops)
    return text[: next(lengths, len(text))]
