"""The question and its answer: deployment and use in, drafter and length out."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from specsim.errors import Bad
from specsim.roofline import configurations
from specsim.roofline.advice import naming, rates
from specsim.roofline.advice.candidates import candidates
from specsim.roofline.advice.prices import Priced, Setting, price
from specsim.roofline.advice.reasons import reasons
from specsim.roofline.catalog import Gpu, Model
from specsim.roofline.configurations import Setup
from specsim.roofline.question import deploy

HOTTEST = 2.0


@dataclass(frozen=True)
class Advice:
    """What to do: the candidates, those that fit first, then the fastest first.

    wished: heads that are not known to have been trained for this model, likewise.
    asked: the model's name as it was given.
    slo_ms: time between two tokens that is asked for, None if none is.
    engine: whose configuration is asked for, None if nobody's.
    """

    setting: Setting
    asked: str
    priced: tuple[Priced, ...]
    wished: tuple[Priced, ...]
    slo_ms: float | None
    engine: str | None

    @property
    def best(self) -> Priced:
        """The fastest that fits, of those that can be had."""
        return self.priced[0]

    @property
    def verdict(self) -> str:
        """yes, no, or measure: the gain expected is within the doubts."""
        return self.best.verdict

    @property
    def plain_ms(self) -> float:
        """Between two tokens of a sequence without speculation."""
        return 1000 * float(self.best.made.plain_s)

    @property
    def token_ms(self) -> float:
        """The same if the advice is taken."""
        return self.plain_ms if self.verdict == "no" else self.best.token_ms

    @property
    def slo_met(self) -> bool | None:
        """Whether that keeps to the time asked for."""
        return None if self.slo_ms is None else self.token_ms <= self.slo_ms

    @cached_property
    def reasons(self) -> list[str]:
        """Why, a sentence each."""
        return list(reasons(self.best, self.priced + self.wished))

    @property
    def served(self) -> str:
        """The model that an engine loads: a hub id or a folder."""
        return naming.served(self.asked, self.setting.deployment.model)

    @property
    def note(self) -> str | None:
        """Says what the model is priced as, where that goes by another name."""
        return naming.note(self.asked, self.setting.deployment.model)

    @property
    def setup(self) -> Setup | None:
        """The speculation advised, in words of no engine; None for no."""
        if self.verdict == "no":
            return None
        return Setup(
            self.best.candidate.drafter,
            self.best.k,
            self.best.candidate.head,
            target=self.served,
            tensor_parallel=self.setting.deployment.plan.tp,
        )

    @property
    def configuration(self) -> str | None:
        """The same in the words of the engine asked for."""
        if self.engine is None or self.setup is None:
            return None
        return configurations.emit(self.setup, self.engine)

    def as_dict(self) -> dict[str, Any]:
        """What `specsim advise --json` prints."""
        setting, best = self.setting, self.best
        return best.as_dict() | {
            "model": setting.deployment.model.hf_id,
            "served": self.served,
            "note": self.note,
            "gpu": setting.deployment.gpu.name,
            "gpus": setting.deployment.plan.gpus,
            "engine": setting.deployment.engine.name,
            "task": setting.task,
            "temperature": setting.temperature,
            "batch": setting.batch,
            "context": setting.context,
            "plain_ms": self.plain_ms,
            "slo_ms": self.slo_ms,
            "slo_met": self.slo_met,
            "break_even_batch": best.batches.first,
            "losing_batches": [list(each) for each in best.batches.losing],
            "reasons": self.reasons,
            "candidates": [each.as_dict() for each in self.priced + self.wished],
            "configuration": self.configuration,
        }


def advise(
    model: str | Model,
    gpu: str | Gpu,
    *,
    task: str = "mixed",
    temperature: float = 0.0,
    batch: int = 1,
    context: int = 2048,
    slo_ms: float | None = None,
    engine: str = "typical",
    gpus: int | None = None,
    emit: str | None = None,
) -> Advice:
    """Whether to speculate with a model on a GPU, how, and why.

    task:        a name of `rates.TASKS`.
    temperature: 0 to 2; above 1 nothing was measured, and it counts as 1.
    slo_ms:      the time wanted between two tokens of a sequence.
    emit:        the engine whose configuration is wanted.

    >>> advise("70b", "h100", task="edit").best.candidate.drafter
    'prompt-lookup'
    """
    made = deploy(model, gpu, gpus=gpus, engine=engine, batch=batch, context=context)
    hot = _number("temperature", temperature, HOTTEST)
    setting = Setting(made, rates.task(task), hot, batch, context)
    wanted = None if slo_ms is None else _number("slo_ms", slo_ms, 1e6, least=1e-3)
    dialect = None if emit is None else configurations.named(emit).NAME
    found = [
        priced
        for candidate in candidates(made.model)
        if (priced := price(setting, candidate))
    ]
    found.sort(key=lambda priced: (not priced.fits, -priced.speedup))
    return Advice(
        setting,
        model if isinstance(model, str) else model.hf_id,
        tuple(each for each in found if each.candidate.known),
        tuple(each for each in found if not each.candidate.known),
        wanted,
        dialect,
    )


def _number(name: str, value: float, most: float, least: float = 0.0) -> float:
    fine = isinstance(value, int | float) and not isinstance(value, bool)
    if not fine or not least <= value <= most:
        raise Bad(f"{name} {value!r}: give a number from {least:g} to {most:g}")
    return float(value)
