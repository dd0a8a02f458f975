"""One mode of a whole engine: every case a tier, and the worst of them explained."""

import math
import time
from dataclasses import dataclass, field

from specsim.errors import Bad
from specsim.oracle.endtoend import checks, explaining, seeds
from specsim.oracle.endtoend.cases import Case, cases
from specsim.oracle.endtoend.drawing import Drawing, Judged, Limits, Session
from specsim.oracle.endtoend.law import Law
from specsim.oracle.endtoend.offer import PLAIN, Offer
from specsim.oracle.endtoend.request import Answer
from specsim.oracle.http.two_samples import TwoSamples
from specsim.oracle.report import PROOF, Effect, Report, Tier

ANSWERS = {"smoke": 96, "quick": 400, "full": 4_000, "nightly": 40_000}
SECONDS = {"smoke": 5.0, "quick": 15.0, "full": 60.0, "nightly": 600.0}
"""Answers to a case, and seconds spent on it, at most, by budget."""
ROUND = 4
"""Texts of a request between two bets on whether both arms are alike."""
LEAST = 90
"""Answers to a case without which nothing can be said."""


@dataclass
class Control:
    """What plain decoding showed, which speculation is held against.

    failed: by case, what plain decoding emitted where it fails its law.
    """

    failed: dict[str, Drawing] = field(default_factory=dict)


@dataclass
class Trial:
    """What it finds goes into `report`; what plain decoding shows into `control`.

    limits: of one case, with a hurdle that all of them share.
    """

    session: Session
    offer: Offer
    mode: str
    limits: Limits
    seed: int
    target: Law
    draft: Law
    control: Control
    report: Report
    answers: list[Answer] = field(default_factory=list)

    def run(self) -> None:
        """Every case, unless the mode is documented as lossy: then until one fails.

        Bad: the engine broke down for good.
        """
        if self.offer.lossy(self.mode):
            return self._lossy()
        for case in self.cases:
            self.judge(case)
        if "seed" in self.offer.honoured(self.mode):
            self.judge_seeds()
        if self.mode != PLAIN:
            self.judge_counts()
        return None

    @property
    def cases(self) -> list[Case]:
        return cases(self.offer.honoured(self.mode), self.offer.ends)

    @property
    def judged(self) -> Judged:
        """How exact logprobs have to be depends on how exact those of plain decoding
        were.
        """
        seeded = "seed" in self.offer.honoured(self.mode)
        tolerance = max(checks.SINGLE, 4 * self.target.rounding)
        if self.mode == PLAIN:
            tolerance = checks.HALF
        return Judged(self.target, self.draft, self.offer.ends, seeded, tolerance)

    def judge(self, case: Case) -> None:
        """One case: by the law, or by plain decoding where that fails the law."""
        start = time.monotonic()
        try:
            plain = self.control.failed.get(case.name)
            if plain:
                self._compare(case, plain, start)
            else:
                self._by_law(self.drawn(case), start)
        except Bad as broken:
            self._tier(case.name, start, "errored", str(broken))
            self.session.revive()

    def drawn(self, case: Case, hurdle: float | None = None) -> Drawing:
        """The answers to a case, until they refute the engine. Bad: it is broken."""
        limits = self.limits if hurdle is None else self.limits._replace(hurdle=hurdle)
        drawn = Drawing(case, self.judged)
        drawn.run(self.session, limits, self.seed, self.report.engine, self.mode)
        self.answers += drawn.answers
        return drawn

    def judge_seeds(self) -> None:
        """Whether the same seed gives the same text, and others do not."""
        start = time.monotonic()
        try:
            found = seeds.judged(self.session, self.target, self.limits.hurdle)
            self._tier("seeds", start, *found)
        except Bad as broken:
            self._tier("seeds", start, "errored", str(broken))
            self.session.revive()

    def judge_counts(self) -> None:
        """Whether it speculated, and whether what it says of that can be."""
        start = time.monotonic()
        if found := checks.counts(self.answers):
            self._tier("counts", start, *found)
        else:
            self.report.notes.append(
                f"{self.mode}: answers say nothing of drafted and accepted tokens, so "
                "that it speculated at all is not known"
            )

    def _by_law(self, drawn: Drawing, start: float) -> None:
        case, asked = drawn.case, f"{len(drawn.answers)} answers"
        if drawn.wrong:
            self._tier(case.name, start, "rejected", f"{asked}: {drawn.wrong}")
            return
        evidence = f"log10 E {min(drawn.log10_e, PROOF):.1f}"
        said = f"{asked}, {evidence} (rejects at {self.limits.hurdle:.0f})"
        if drawn.refuted:
            self._reject(drawn, said, start)
            return
        if case.name == "logprobs":
            said += f", off by {drawn.error:.2g} nats"
            self._learn(drawn.error)
        if drawn.cut:
            said += f", {drawn.cut} cut where rounding decides"
        enough = case.greedy or len(drawn.answers) >= LEAST
        self._tier(
            case.name, start, "not_rejected" if enough else "inconclusive", said, drawn
        )

    def _learn(self, error: float) -> None:
        """Plain decoding shows how exactly the engine computes."""
        if self.mode == PLAIN:
            for law in (self.target, self.draft):
                law.allow(max(self.offer.rounding, 2 * error))

    def _reject(self, drawn: Drawing, said: str, start: float) -> None:
        why = explaining.Explained(drawn, self.session, self.limits)
        effect, worst = why.effect(), self.report.log10_e or 0.0
        smallest = why.shrunk()
        said += f": {why.words()}"
        if smallest is None:
            said += "; asked for alone it does not fail"
        elif smallest.ask.changed < why.ask.changed:
            said += f"; it fails as well with {explaining.settings(smallest.ask)}"
        if drawn.log10_e > worst or not self.report.witness:
            self.report.witness = (smallest or why).witness()
        self._tier(drawn.case.name, start, "rejected", said, drawn, effect)
        if self.mode == PLAIN:
            self.control.failed[drawn.case.name] = self.drawn(drawn.case, math.inf)

    def _compare(self, case: Case, plain: Drawing, start: float) -> None:
        """By plain decoding, which has another law than the request asks for."""
        drawn = self.drawn(case, math.inf)
        log10_e = _alike(plain, drawn)
        refuted = log10_e > self.limits.hurdle
        said = (
            f"{len(drawn.answers)} answers, log10 E {min(log10_e, PROOF):.1f} "
            f"against plain decoding, which fails its law"
        )
        self._tier(case.name, start, "rejected" if refuted else "not_rejected", said)

    def _lossy(self) -> None:
        """A control the other way round: what is documented as lossy must fail."""
        start = time.monotonic()
        for case in self.cases:
            drawn = self.drawn(case)
            if drawn.refuted:
                said = f"fails its law, as documented: {case.name}"
                self._tier("lossy", start, "not_rejected", said)
                return
        said = "documented as lossy, and nothing shows it; a larger --budget may"
        self._tier("lossy", start, "inconclusive", said)

    def _tier(
        self,
        name: str,
        start: float,
        verdict: str,
        detail: str,
        drawn: Drawing | None = None,
        effect: Effect | None = None,
    ) -> None:
        log10_e = min(drawn.log10_e, PROOF) if drawn else None
        if log10_e is not None:
            self.report.log10_e = max(self.report.log10_e or 0.0, log10_e)
        self.report.tiers.append(
            Tier(
                name=f"generate/{self.mode}/{name}",
                verdict=verdict,
                detail=detail,
                seconds=round(time.monotonic() - start, 3),
                worlds=len(drawn.case.asks) if drawn else 0,
                log10_e=log10_e,
                path=tuple(drawn.path) if drawn else (),
                effect=effect,
            )
        )


def _alike(one: Drawing, other: Drawing) -> float:
    """The evidence that two drawings of a case have different laws, a few texts of each
    request at a time; greedy texts have to be the same.
    """
    if one.case.greedy:
        return 0.0 if one.texts == other.texts else math.inf
    numbers, money = range(len(one.case.asks)), TwoSamples()
    longest = max(map(len, one.texts.values()), default=0)
    for start in range(0, longest, ROUND):
        part = slice(start, start + ROUND)
        sides = [[each.texts[n][part] for n in numbers] for each in (one, other)]
        money.observe(*sides)
    return money.log10_e
