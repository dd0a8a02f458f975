"""Whole engines judged in this process, so that one network serves many of them."""

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from specsim.oracle.endtoend import judge
from specsim.oracle.endtoend.contract import answered
from specsim.oracle.endtoend.law import Law
from specsim.oracle.endtoend.offer import Offer
from specsim.oracle.endtoend.request import Answer, Request
from specsim.oracle.endtoend.trial import Control, Trial
from specsim.oracle.probe import pair
from specsim.oracle.report import Report


class Direct:
    """An engine in one mode."""

    def __init__(self, engine: Any, mode: str, models: dict[str, Path]):
        self.engine, self.mode = engine, mode
        self.paths = {name: str(models[name]) for name in ("target", "draft")}

    def generate(self, requests: Sequence[Request]) -> list[Answer]:
        asked = [request.as_dict() for request in requests]
        given = answered(self.engine.generate, asked, mode=self.mode, **self.paths)
        return [Answer.from_dict(each) for each in given]

    def revive(self) -> None: ...


@cache
def law(model: str, order: str = "transformers") -> Law:
    return Law(getattr(pair, model)(), order)


def trial(
    engine: Any,
    mode: str,
    models: dict[str, Path],
    *,
    answers: int = 96,
    seed: int = 0,
    control: Control | None = None,
) -> Trial:
    """One mode of an engine, ready to be tried; its verdicts go into `report`."""
    offer = Offer.of(engine)
    limits = judge.limited(offer, "smoke", 1e-9)
    limits = limits._replace(answers=answers, seconds=math.inf)
    return Trial(
        Direct(engine, mode, models),
        offer,
        mode,
        limits,
        seed,
        law("target", offer.order),
        law("draft", offer.order),
        control or Control(),
        Report(type(engine).__name__, "unsupported", seed, ""),
    )
