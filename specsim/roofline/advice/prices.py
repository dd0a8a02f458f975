"""A candidate on a deployment: the best length of its draft, and what it buys."""

from dataclasses import dataclass
from functools import cached_property
from math import exp, hypot, log
from typing import Any

from specsim.roofline.advice.candidates import Candidate
from specsim.roofline.advice.rates import DEEPEST, Rate, rate
from specsim.roofline.deployment import Deployment
from specsim.roofline.speculation import search
from specsim.roofline.speculation.pricing import Speculation, speculate
from specsim.roofline.speculation.search import BreakEven

WORTH_IT = 1.03
"""An expected gain below this is none: steps differ more from one run to the next."""


@dataclass(frozen=True)
class Setting:
    """Where and for what: the deployment, and how it is used."""

    deployment: Deployment
    task: str
    temperature: float
    batch: int
    context: int


@dataclass(frozen=True)
class Priced:
    """One candidate at the draft length that pays most; drafts are chains.

    low, high: of the speed-up: what is known of the acceptance and of the step's
        time, as independent doubts.
    """

    candidate: Candidate
    rate: Rate
    setting: Setting
    k: int
    made: Speculation
    low: float
    high: float

    @property
    def speedup(self) -> float:
        """Tokens per second over plain decoding, as expected."""
        return float(self.made.speedup)

    @property
    def token_ms(self) -> float:
        """Between two tokens of a sequence, on average."""
        return 1000 * float(self.made.token_s)

    @property
    def fits(self) -> bool:
        """Whether the draft finds room beside the model and its cache."""
        return float(self.made.spare_bytes) >= 0

    @property
    def verdict(self) -> str:
        """yes, no, or measure: the expected gain is within the doubts.

        needs training: it would have to be trained first.
        """
        if not self.candidate.known:
            return "needs training"
        if self.speedup < WORTH_IT or not self.fits:
            return "no"
        return "yes" if self.low > 1 else "measure"

    @cached_property
    def batches(self) -> BreakEven:
        """At which batches, of those that fit, this draft slows decoding down."""
        most = min(max(int(self.made.max_batch), 1), search.MOST)
        return search.break_even(
            k=self.k, tree=0, context=self.setting.context, most=most,
            **_asked(self.setting, self.candidate, self.rate, self.rate.alpha),
        )  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        draft = self.candidate.draft
        return {
            "drafter": self.candidate.drafter,
            "draft_model": draft.hf_id if draft else self.candidate.head,
            "available": self.candidate.known,
            "fits": self.fits,
            "verdict": self.verdict,
            "k": self.k,
            "alpha": self.rate.alpha,
            "alpha_low": self.rate.low,
            "alpha_high": self.rate.high,
            "alpha_rows": self.rate.rows,
            "alpha_task": self.rate.stands or self.setting.task,
            "alpha_source": self.rate.source,
            "tokens_per_step": float(self.made.tokens),
            "speedup": self.speedup,
            "low": self.low,
            "high": self.high,
            "token_ms": self.token_ms,
            "draft_ms": 1000 * float(self.made.draft_s),
            "verify_ms": 1000 * float(self.made.verify_s),
        }


def price(setting: Setting, candidate: Candidate) -> Priced | None:
    """The candidate at its best length; None where no published row is of it."""
    target = setting.deployment.model
    known = rate(candidate.drafter, setting.task, setting.temperature, target.hf_id)
    if known is None:
        return None
    if candidate.draft:
        known = known.of_share(candidate.draft.params_total / target.params_total)
    where: dict[str, Any] = {"batch": setting.batch, "context": setting.context}
    asked = _asked(setting, candidate, known, known.alpha)
    k = search.best_k(longest=DEEPEST, **asked, **where).k or 1
    worst, made, best = (
        speculate(k=k, tree=0, **_asked(setting, candidate, known, alpha), **where)
        for alpha in (known.low, known.alpha, known.high)
    )
    low = _together(float(made.speedup), worst.speedup, made.low)
    high = _together(float(made.speedup), best.speedup, made.high)
    return Priced(candidate, known, setting, k, made, low, high)


def _asked(
    setting: Setting, candidate: Candidate, known: Rate, alpha: float
) -> dict[str, Any]:
    """What every question about the candidate has in common, at some acceptance."""
    return {
        "deployment": setting.deployment,
        "name": candidate.drafter,
        "alpha": known.law(alpha),
        "draft_model": candidate.draft,
    }


def _together(expected: float, *ends: Any) -> float:
    """The end of an interval from two independent doubts, as ratios."""
    away = [log(float(end) / expected) for end in ends]
    return expected * exp(hypot(*away) * (1 if sum(away) > 0 else -1))
