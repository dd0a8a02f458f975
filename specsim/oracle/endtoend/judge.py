"""The verdict on a whole engine: all its modes, plain decoding first, on the pair."""

import math
from tempfile import TemporaryDirectory

from specsim.errors import Bad
from specsim.oracle.endtoend.cases import cases
from specsim.oracle.endtoend.drawing import Limits
from specsim.oracle.endtoend.law import Law
from specsim.oracle.endtoend.offer import PLAIN, Offer
from specsim.oracle.endtoend.trial import ANSWERS, SECONDS, Control, Trial
from specsim.oracle.endtoend.whole import Loaded, Whole
from specsim.oracle.probe import export, pair
from specsim.oracle.report import Report, Tier

PATIENCE = {"smoke": 60.0, "quick": 120.0, "full": 600.0, "nightly": 1800.0}
"""Seconds that one batch may take, by budget, loading the models included."""


def run(
    engine: str, budget: str, seed: int, false_alarm: float, report: Report
) -> list[str]:
    """Judge the whole engine `module:attribute`; what is found goes into `report`.

    One that does not say of itself what `Offer` needs is not judged, and why is
    returned: its `generate` may be something else. Bad: no such engine.
    """
    with Whole(engine, PATIENCE[budget]) as whole:
        try:
            offer = whole.offer()
        except Bad as lacking:
            return [f"generate is not judged: {lacking}"]
    target = Law(pair.target(), offer.order, offer.rounding)
    draft = Law(pair.draft(), offer.order, offer.rounding)
    control = Control()
    limits = limited(offer, budget, false_alarm)
    if PLAIN not in offer.modes:
        report.notes.append(f"there is no mode {PLAIN!r} to hold the others against")
    with TemporaryDirectory() as scratch:
        paths = export.export(offer.format, scratch)
        for mode in offer.control_first:
            with Whole(engine, PATIENCE[budget]) as whole:
                whole.hello()
                loaded = Loaded(whole, mode, paths["target"], paths["draft"])
                trial = Trial(
                    loaded, offer, mode, limits, seed, target, draft, control, report
                )
                _tried(trial)
    if control.failed:
        report.notes.append(
            f"plain decoding fails its own law in {', '.join(control.failed)}: that is "
            "the engine's sampler, and speculation was held against it there"
        )
    return []


def limited(offer: Offer, budget: str, false_alarm: float) -> Limits:
    """Of one case: all cases share the odds of a false alarm."""
    count = sum(
        len(cases(offer.honoured(mode), offer.ends)) + 1 for mode in offer.modes
    )
    hurdle = math.log10(count / false_alarm)
    return Limits(ANSWERS[budget], SECONDS[budget], hurdle)


def _tried(trial: Trial) -> None:
    try:
        trial.run()
    except Bad as broken:
        name = f"generate/{trial.mode}/contract"
        trial.report.tiers.append(Tier(name, "errored", str(broken), 0.0))
